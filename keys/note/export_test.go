package note

const MaxBlock = maxBlock

// SignUpTo and OpenUpTo are Sign and Open with another limit than MaxText, so that
// no test needs a text of that size.
var (
	SignUpTo = sign
	OpenUpTo = open
)

// IndexControl is what finds the control characters of a text.
var IndexControl = indexControl
