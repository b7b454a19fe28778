package revocation

// Search and SearchSteps find an entry in a table.
var (
	Search      = search
	SearchSteps = searchSteps
)
