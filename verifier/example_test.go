package verifier_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/verifier"
)

// exampleRing is what a product embeds, for example with go:embed. It has the
// public key of SPEC.md, section 10.2, a list key, and no secret.
const exampleRing = `{
  "format": "licet-ring/v1",
  "issuer": "Acme Tools",
  "secret": false,
  "products": [
    {"number": 7, "name": "Widget"}
  ],
  "keys": [
    {
      "role": "mint",
      "id": "e21531b141ba7c8d",
      "state": "active",
      "descriptor": "licet/v1 es256 key=9 prefix= layout=product:9,version:8,expiry:15,serial:28 bind=none sig=512",
      "products": [7],
      "public": "0460fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb67903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299"
    },
    {
      "role": "list",
      "id": "d41142f1d23dcc36",
      "state": "active",
      "public": "04c6559d416dfb56af714f146d917c24abf818b2fb121604129649848230a2d258b2a6d82dc6c6734cf092ffaa9fc012f10f7008d3952a08d5797e85feaba5d977"
    }
  ]
}`

const exampleCode = "BQVC-Y3VX-47H5-Q275-AP2U-ELRJ-YT8P-YFFG-CYX9-U7QG-VL5P-JUAS-3DH8-HZ9M-JM58-SERY-CDTA-FDV8-QGXW-9JMW-2A8N-5JNE-VSGZ-3KCU-CABJ-NQ2B-WEWE-S2ZH-MF89-E2Y"

// exampleVerifier judges as of the given time. A product leaves out the clock.
func exampleVerifier(now time.Time) *verifier.Verifier {
	ring, err := keys.ParseRing([]byte(exampleRing))
	if err != nil {
		panic(err)
	}
	v, err := verifier.New(ring, verifier.Options{
		Products: []uint64{7},
		Clock:    func() time.Time { return now },
	})
	if err != nil {
		panic(err)
	}
	return v
}

func ExampleVerifier_Verify() {
	v := exampleVerifier(time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC))

	lic, err := v.Verify(exampleCode)
	fmt.Println(lic.Product, lic.Version, lic.Serial, lic.Expiry, err)

	// A typing error is located, and what was meant is proposed as a question.
	typed := "bqvc y3vx 47h5 q275 ap2u elrj yt8p yffg cyx9 u7qg vl5p juas 3dh8 hz9m jm58 sery cdta fdv8 qgxw 9jmw 2a8n 5jne vsgz 3kcu cabj nq2b wewe 2szh mf89 e2y"
	_, err = v.Verify(typed)
	if e, ok := errors.AsType[*verifier.NotAuthenticError](err); ok && e.Malformed() != nil {
		fmt.Println(err)
		fmt.Println("did you mean", e.Malformed().Proposal[len(exampleCode)-13:], "at the end?")
	}
	// Output:
	// 7 3 1000 2027-12-31 <nil>
	// typing error: 2 and S are exchanged (group 28, character 1 and group 28, character 2)
	// did you mean S2ZH-MF89-E2Y at the end?
}

// The kinds of error tell what to do next.
func ExampleVerifier_Verify_errors() {
	for _, now := range []time.Time{
		time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC),
		time.Date(2028, 1, 1, 0, 0, 0, 0, time.UTC),
		time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC),
	} {
		lic, err := exampleVerifier(now).Verify(exampleCode)
		if err == nil {
			fmt.Println("start, licensed to the end of", lic.Expiry)
		} else if e, ok := errors.AsType[*verifier.NotAcceptableError](err); ok {
			fmt.Printf("offer a renewal of serial %d: %v\n", e.License.Serial, e)
		} else if errors.Is(err, verifier.ClockBehind) {
			fmt.Println("ask the user to set the clock")
		} else {
			fmt.Println("ask for the code again:", err)
		}
	}
	// Output:
	// start, licensed to the end of 2027-12-31
	// offer a renewal of serial 1000: was valid to the end of 2027-12-31 (UTC); the clock shows 2028-01-01T00:00:00Z
	// ask the user to set the clock
}

// A program that runs for long asks the licence again, not the code.
func ExampleLicense_At() {
	v := exampleVerifier(time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC))
	lic, err := v.Verify(exampleCode)
	if err != nil {
		panic(err)
	}
	until := lic.Until(time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC))
	fmt.Println("ask again at", until.Format(time.RFC3339))
	_, err = lic.At(until)
	fmt.Println(errors.Is(err, verifier.Expired))
	// Output:
	// ask again at 2028-01-01T00:00:00Z
	// true
}

// The list that a product embeds, and one that came later.
const (
	exampleList = `licet-revocations/v1
Acme Tools
sequence 11
issued 2026-05-01T09:30:00Z
due 2026-08-01T00:00:00Z

— licet-list JX1YcjBFAiEAx1OVsO+QPJcJIVkdYQscT+6sw0wh2aOV2LnAdDG8WPoCIHFXUR4VcJ7J+atoprRjEITiM8oixfCbbQ5ZwuIUu6Tv
`
	exampleNewerList = `licet-revocations/v1
Acme Tools
sequence 12
issued 2026-06-01T09:30:00Z
due 2026-09-01T00:00:00Z
revoked e21531b141ba7c8d 7 1000 1099 leaked

— licet-list JX1YcjBFAiEA9tzkuVbQX5ZriJKDoH96tFk7dDap9YO8xv0uIAVk1vYCIDqb9U35iQiZLGoojCP0Rnsmvkue2LdHwZdtA8acCZpr
`
)

// A product embeds a revocation list, reads a newer one from a file if there is one,
// and keeps for its next start what the verifier saw.
func Example_revocation() {
	dir, err := os.MkdirTemp("", "licet-example")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	listFile, stateFile := filepath.Join(dir, "revocations.txt"), filepath.Join(dir, "licence.state")
	ring, err := keys.ParseRing([]byte(exampleRing))
	if err != nil {
		panic(err)
	}

	start := func(clock time.Time) error {
		lists := [][]byte{[]byte(exampleList)}
		if newer, err := os.ReadFile(listFile); err == nil {
			lists = append(lists, newer)
		} else if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		state, err := os.ReadFile(stateFile)
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // there is none at the first start
			return err
		}
		v, err := verifier.New(ring, verifier.Options{
			Products:  []uint64{7},
			Lists:     lists,
			Stale:     verifier.ReportStale,
			State:     state,
			Tolerance: 25 * time.Hour,
			Clock:     func() time.Time { return clock }, // a product leaves it out
		})
		if err != nil {
			return err
		}
		lic, err := v.Verify(exampleCode)
		if err := os.WriteFile(stateFile, v.State(), 0o600); err != nil {
			return err
		}
		if err != nil {
			return err
		}
		list, _ := lic.List()
		fmt.Println("licensed, by list", list.Sequence)
		return nil
	}

	june1 := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	fmt.Println(start(june1))

	fmt.Println("The clock is turned back:")
	fmt.Println(start(june1.AddDate(0, 0, -7)))

	fmt.Println("A newer list comes:")
	if err := os.WriteFile(listFile, []byte(exampleNewerList), 0o600); err != nil {
		panic(err)
	}
	fmt.Println(start(june1.AddDate(0, 0, 1)))

	fmt.Println("It is deleted:")
	if err := os.Remove(listFile); err != nil {
		panic(err)
	}
	fmt.Println(start(june1.AddDate(0, 0, 2)))
	// Output:
	// licensed, by list 11
	// <nil>
	// The clock is turned back:
	// the clock was turned back: it shows 2026-05-25T12:00:00Z, but 2026-06-01T12:00:00Z was seen before; set the clock, or ask the issuer if it is right
	// A newer list comes:
	// revoked (leaked) by list 12 of 2026-06-01
	// It is deleted:
	// verifier: the revocation list has the sequence number 11, but one with 12 or more is demanded or was used before; get the newest list from the issuer
}

// A program that runs for long takes a newer list as it comes, and asks the licence
// again.
func ExampleVerifier_Update() {
	ring, err := keys.ParseRing([]byte(exampleRing))
	if err != nil {
		panic(err)
	}
	now := time.Date(2026, 6, 2, 12, 0, 0, 0, time.UTC)
	v, err := verifier.New(ring, verifier.Options{
		Products: []uint64{7},
		Lists:    [][]byte{[]byte(exampleList)},
		Stale:    verifier.ReportStale,
		Clock:    func() time.Time { return now },
	})
	if err != nil {
		panic(err)
	}
	lic, err := v.Verify(exampleCode)
	fmt.Println(lic.Serial, err)

	taken, err := v.Update([]byte(exampleNewerList[1:])) // it is damaged
	fmt.Println(taken, errors.Is(err, verifier.ListUnreadable))
	taken, err = v.Update([]byte(exampleNewerList)) // keep it for the next start, with the state
	fmt.Println(taken, err)

	_, err = lic.At(now)
	fmt.Println(err)
	// Output:
	// 1000 <nil>
	// false true
	// true <nil>
	// revoked (leaked) by list 12 of 2026-06-01
}
