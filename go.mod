module github.com/licet-dev/licet

go 1.26.0

// The libraries payload, keys, keys/note, keys/receipt, signer, signer/manifest and
// verifier use the standard library only. What follows is for key files and for the command.
require (
	// Colour and boxes on terminals. This is github.com/charmbracelet/lipgloss by
	// the module path it has since v2; v2.0.6 is the last that asks for Go 1.25 only.
	charm.land/lipgloss/v2 v2.0.6
	// Private keys at rest. keys/keyfile is the one library package that has it.
	filippo.io/age v1.3.2
	// QR codes in alphanumeric mode; no dependencies.
	github.com/boombuler/barcode v1.1.0
	// The lock of the journal, on Unix and Windows alike; nothing comes along but x/sys.
	github.com/gofrs/flock v0.13.2
	// For the activation service: seats in PostgreSQL.
	github.com/jackc/pgx/v5 v5.13.0
	// For the activation service: metrics of licetd.
	github.com/prometheus/client_golang v1.25.0
	// Commands, help and completion; its pflag comes along.
	github.com/spf13/cobra v1.10.2
	// Spreadsheets, streaming. The heaviest of all; nothing else streams rows.
	github.com/xuri/excelize/v2 v2.11.1
	// Locked SSH private keys, which age does not recognise itself.
	golang.org/x/crypto v0.59.0
	// Passphrases without echo, on Unix; x/term reads on where Ctrl-D ends them.
	golang.org/x/sys v0.50.0
	// Passphrases elsewhere, and whether a stream is a terminal.
	golang.org/x/term v0.48.0
	// Unicode NFC of binding texts.
	golang.org/x/text v0.44.0
	// For the activation service: seats in SQLite, without cgo.
	modernc.org/sqlite v1.62.0
)

// For tests only.
require (
	// Signed tokens in JSON, to compare speed and length with, and to verify receipts. No dependencies.
	github.com/golang-jwt/jwt/v5 v5.3.1
	// A QR decoder that shares no code with the encoder.
	github.com/piglig/go-qr v1.1.0
	// Scripts of the command line, with terminals.
	github.com/rogpeppe/go-internal v1.16.0
	// Properties, in signer, activation and cmd.
	pgregory.net/rapid v1.3.0
)

require (
	filippo.io/edwards25519 v1.2.0 // indirect
	filippo.io/hpke v0.4.0 // indirect
	github.com/beorn7/perks v1.0.1 // indirect
	github.com/cespare/xxhash/v2 v2.3.0 // indirect
	github.com/charmbracelet/colorprofile v0.4.3 // indirect
	github.com/charmbracelet/ultraviolet v0.0.0-20260811164956-006e29f97886 // indirect
	github.com/charmbracelet/x/ansi v0.11.8 // indirect
	github.com/charmbracelet/x/term v0.2.2 // indirect
	github.com/charmbracelet/x/termios v0.1.1 // indirect
	github.com/charmbracelet/x/windows v0.2.2 // indirect
	github.com/clipperhouse/displaywidth v0.11.0 // indirect
	github.com/clipperhouse/uax29/v2 v2.7.0 // indirect
	github.com/dustin/go-humanize v1.1.0 // indirect
	github.com/google/uuid v1.6.0 // indirect
	github.com/inconshreveable/mousetrap v1.1.0 // indirect
	github.com/jackc/pgpassfile v1.0.0 // indirect
	github.com/jackc/pgservicefile v0.0.0-20240606120523-5a60cdf6a761 // indirect
	github.com/jackc/puddle/v2 v2.2.3 // indirect
	github.com/lucasb-eyer/go-colorful v1.4.1 // indirect
	github.com/mattn/go-isatty v0.0.24 // indirect
	github.com/mattn/go-runewidth v0.0.24 // indirect
	github.com/muesli/cancelreader v0.2.2 // indirect
	github.com/munnerz/goautoneg v0.0.0-20191010083416-a7dc8b61c822 // indirect
	github.com/ncruces/go-strftime v1.1.0 // indirect
	github.com/prometheus/client_model v0.6.3 // indirect
	github.com/prometheus/common v0.72.0 // indirect
	github.com/prometheus/procfs v0.22.0 // indirect
	github.com/remyoudompheng/bigfft v0.0.0-20230129092748-24d4a6f8daec // indirect
	github.com/richardlehane/mscfb v1.0.9 // indirect
	github.com/richardlehane/msoleps v1.0.6 // indirect
	github.com/rivo/uniseg v0.4.7 // indirect
	github.com/spf13/pflag v1.0.9 // indirect
	github.com/tiendc/go-deepcopy v1.7.2 // indirect
	github.com/xo/terminfo v0.0.0-20220910002029-abceb7e1c41e // indirect
	github.com/xuri/efp v0.0.3-0.20260924042702-217b81952dec // indirect
	github.com/xuri/nfp v0.0.2-0.20250530014748-2ddeb826f9a9 // indirect
	golang.org/x/net v0.62.0 // indirect
	golang.org/x/sync v0.25.0 // indirect
	golang.org/x/tools v0.52.0 // indirect
	google.golang.org/protobuf v1.36.12 // indirect
	modernc.org/libc v1.80.1 // indirect
	modernc.org/mathutil v1.7.1 // indirect
	modernc.org/memory v1.12.1 // indirect
)
