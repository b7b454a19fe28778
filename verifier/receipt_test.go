package verifier_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/keys/receipt"
	"github.com/licet-dev/licet/payload"
	"github.com/licet-dev/licet/verifier"
	"github.com/licet-dev/licet/verifier/revocation"
)

const (
	thisMachine = "4C4C4544-0042-3510-8054-B9C04F564D32"
	thisNonce   = "q2Jx0-9sV_7mKpZtR4wYbA"
)

var this = must(receipt.NewSubject(receipt.Device, thisMachine))

// newReceiptKey returns a receipt key that follows from the name, so that tests repeat
// exactly.
func newReceiptKey(name string) testKey {
	scalar := sha256.Sum256([]byte("test receipt key " + name))
	private := must(keys.NewRoleKey(keys.Receipt, must(ecdsa.ParseRawPrivateKey(elliptic.P256(), scalar[:]))))
	return testKey{must(keys.NewKey(private, keys.Descriptor{})), private}
}

// The keys of these tests. The products that read receipts have no secret of the hs256
// key: that is what receipts are for.
var (
	hsKey      = newKey(workedHS, 7)
	publicKey  = testKey{hsKey.WithoutSecret(), hsKey.private}
	endpoint   = newReceiptKey("endpoint")
	ofReceipts = newRing(publicKey, newKey(workedES, 7), endpoint, newReceiptKey("other"), newListKey("ours"))
)

// receiptFor returns a receipt of workedLicense for this machine, issued an hour before
// noon, to be replaced within 30 days, unless change says else.
func (k testKey) receiptFor(change ...func(*receipt.Receipt)) string {
	r := receipt.Receipt{
		Issuer: "Acme Tools", KeyID: hsKey.ID(), License: workedLicense, Subject: this, Nonce: thisNonce,
		Issued: noon.Add(-time.Hour), RefreshBy: noon.AddDate(0, 0, 30), End: noon.AddDate(0, 0, 60), SeatsEnforced: true,
	}
	for _, f := range change {
		f(&r)
	}
	return must(receipt.Sign(r, k.private))
}

func product(n uint64) func(*receipt.Receipt) {
	return func(r *receipt.Receipt) { r.License.Product = n }
}

func until(refresh, end time.Time) func(*receipt.Receipt) {
	return func(r *receipt.Receipt) { r.RefreshBy, r.End = refresh, end }
}

// requireReasons fails unless exactly these checks fail, and the first is the verdict.
func requireReasons(t *testing.T, err error, want ...verifier.Reason) *verifier.NotAcceptableError {
	t.Helper()
	e, ok := errors.AsType[*verifier.NotAcceptableError](err)
	if !ok || !slices.Equal(e.Failures, want) || e.Reason != want[0] {
		t.Fatalf("got %v, want %v", err, want)
	}
	if n := len(strings.Split(err.Error(), "; ")); n < len(want) {
		t.Errorf("%d failures in %q", len(want), err)
	}
	for _, r := range want {
		if !errors.Is(err, r) {
			t.Errorf("errors.Is finds no %s in %v", r, err)
		}
	}
	return e
}

func TestVerifyReceipt(t *testing.T) {
	v := newVerifier(ofReceipts)
	for name, verify := range map[string]func() (verifier.License, error){
		"receipt": func() (verifier.License, error) { return v.VerifyReceipt(endpoint.receiptFor(), this) },
		"reply":   func() (verifier.License, error) { return v.VerifyReply(endpoint.receiptFor(), this, thisNonce) },
		"wrapped": func() (verifier.License, error) {
			return v.VerifyReceipt("\ufeff"+strings.ReplaceAll(endpoint.receiptFor(), ".", "\r\n .\u200b"), this)
		},
	} {
		lic, err := verify()
		if err != nil || !reflect.DeepEqual(lic.License, workedLicense) || lic.KeyID != hsKey.ID() || lic.KeyNumber != 8 || lic.BindingIgnored || lic.Status != verifier.Valid {
			t.Fatalf("%s: %+v, %v", name, lic, err)
		}
		got, ok := lic.Receipt()
		want := verifier.Receipt{
			KeyID: endpoint.ID(), Subject: this, Nonce: thisNonce, Issued: instant("2026-06-01T11:00:00Z"),
			RefreshBy: instant("2026-07-01T12:00:00Z"), End: instant("2026-07-31T12:00:00Z"), SeatsEnforced: true,
		}
		if !ok || got != want {
			t.Errorf("%s: receipt %+v, want %+v", name, got, want)
		}
	}
	// The receipt says when seats are not enforced.
	lic := must(v.VerifyReceipt(endpoint.receiptFor(func(r *receipt.Receipt) { r.SeatsEnforced = false }), this))
	if r, _ := lic.Receipt(); r.SeatsEnforced {
		t.Error("seats are enforced")
	}
	// A code comes without a receipt.
	lic = must(v.Verify(workedESCode))
	if r, ok := lic.Receipt(); ok || r != (verifier.Receipt{}) {
		t.Errorf("receipt of a code: %+v", r)
	}
	if r, ok := (verifier.License{}).Receipt(); ok || r != (verifier.Receipt{}) {
		t.Errorf("receipt of nothing: %+v", r)
	}
}

// All fields come back as they do from a code, also those that are 0.
func TestVerifyReceiptFields(t *testing.T) {
	own := newKey("licet/v1 hs256 key=13 prefix= layout=product:9,colour:3,seats:11,shape:4,serial:28 bind=none sig=35", 7)
	v := newVerifier(newRing(own, endpoint), shortTags)
	want := payload.License{Product: 7, Serial: 1, Seats: 2, Expiry: payload.Never}
	want.Extra.Set("colour", 5)
	code := must(v.Verify(own.mint(want)))
	text := endpoint.receiptFor(func(r *receipt.Receipt) { r.KeyID, r.License = own.ID(), want })
	got := must(v.VerifyReceipt(text, this))
	if !reflect.DeepEqual(got.License, code.License) {
		t.Errorf("the receipt says %+v, the code %+v", got.License, code.License)
	}
	// The endpoint judged the short tag. Offline nothing is left of it.
	v = newVerifier(newRing(testKey{own.WithoutSecret(), own.private}, endpoint))
	if _, err := v.VerifyReceipt(text, this); err != nil {
		t.Error(err)
	}
}

// A receipt is for one subject, compared to the last bit (EP-20, BD-07).
func TestVerifyReceiptSubject(t *testing.T) {
	v := newVerifier(ofReceipts)
	text := endpoint.receiptFor()
	for name, other := range map[string]receipt.Subject{
		"other":     must(receipt.NewSubject(receipt.Device, "other machine")),
		"account":   must(receipt.NewSubject(receipt.Account, thisMachine)),
		"same head": must(receipt.NewSubject(receipt.Device, thisMachine[:8]+"-0000-0000-0000-000000000000")),
		"beginning": must(receipt.NewSubject(receipt.Device, thisMachine[:8])),
		"case":      must(receipt.NewSubject(receipt.Device, strings.ToLower(thisMachine))), // EP-22: spelling is for the caller
	} {
		lic, err := v.VerifyReceipt(text, other)
		e := requireReasons(t, err, verifier.WrongSubject)
		if lic.Product != 0 || e.License.Serial != 1000 {
			t.Errorf("%s: %+v, in the error %+v", name, lic, e.License)
		}
		if _, err := e.License.At(noon); !errors.Is(err, verifier.WrongSubject) { // it stays another machine's
			t.Errorf("%s: at another time %v", name, err)
		}
	}
	for i := range this.Hash { // all but one bit
		for _, bit := range []byte{1, 0x80} {
			other := this
			other.Hash[i] ^= bit
			_, err := v.VerifyReceipt(text, other)
			requireReasons(t, err, verifier.WrongSubject)
		}
	}
	// Without a subject there is no verdict, good or bad (BD-06).
	for name, none := range map[string]receipt.Subject{
		"zero": {}, "no hash": {Kind: receipt.Device}, "no kind": {Hash: this.Hash}, "other kind": {Kind: "machine", Hash: this.Hash},
	} {
		for _, text := range []string{text, "", "no receipt"} {
			lic, err := v.VerifyReceipt(text, none)
			if _, ok := errors.AsType[*verifier.CannotJudgeError](err); !ok || !errors.Is(err, verifier.SubjectRequired) || lic.Product != 0 {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	// An account is a subject like another.
	ana := must(receipt.NewSubject(receipt.Account, "ana@example.com"))
	text = endpoint.receiptFor(func(r *receipt.Receipt) { r.Subject = ana })
	if _, err := v.VerifyReceipt(text, ana); err != nil {
		t.Error(err)
	}
	_, err := v.VerifyReceipt(text, this)
	requireReasons(t, err, verifier.WrongSubject)
}

// An answer is for one request. One that was kept and is played back by a false
// endpoint is no answer to the next (EP-11, EP-12).
func TestVerifyReply(t *testing.T) {
	v := newVerifier(ofReceipts)
	text := endpoint.receiptFor()
	const next = "q2Jx0-9sV_7mKpZtR4wYbB"
	lic, err := v.VerifyReply(text, this, next)
	e := requireReasons(t, err, verifier.WrongNonce)
	if lic.Product != 0 {
		t.Errorf("%+v", lic)
	}
	if _, err := e.License.At(noon); !errors.Is(err, verifier.WrongNonce) {
		t.Errorf("at another time %v", err)
	}
	for _, nonce := range []string{thisNonce + "A", thisNonce[:21] + "a", strings.ToUpper(thisNonce), "-" + thisNonce} {
		_, err := v.VerifyReply(text, this, nonce)
		requireReasons(t, err, verifier.WrongNonce)
	}
	for _, nonce := range []string{"", " ", thisNonce[:21], thisNonce + "\n", strings.Repeat("A", 129)} {
		lic, err := v.VerifyReply(text, this, nonce)
		if _, ok := errors.AsType[*verifier.CannotJudgeError](err); !ok || !errors.Is(err, verifier.NonceRequired) || lic.Product != 0 {
			t.Errorf("nonce %q: %v", nonce, err)
		}
	}
	_, err = v.VerifyReply(text, must(receipt.NewSubject(receipt.Device, "other")), next)
	requireReasons(t, err, verifier.WrongSubject, verifier.WrongNonce)
}

// What is no receipt of this issuer is not authentic, and nothing of it comes out.
func TestVerifyReceiptNotAuthentic(t *testing.T) {
	v := newVerifier(ofReceipts)
	good := endpoint.receiptFor()
	sig := strings.LastIndex(good, ".") + 1
	for name, tt := range map[string]struct {
		text   string
		reason error
	}{
		"empty":           {"", receipt.Malformed},
		"code":            {workedESCode, receipt.Malformed},
		"cut off":         {good[:len(good)-1], receipt.Malformed},
		"other key":       {newReceiptKey("nobody's").receiptFor(), receipt.UnknownKey},
		"other signature": {good[:sig] + newReceiptKey("other").receiptFor()[len(good)-86:], verifier.BadSignature},
		"other issuer":    {endpoint.receiptFor(func(r *receipt.Receipt) { r.Issuer = "Acme" }), receipt.OtherIssuer},
		"other mint key":  {endpoint.receiptFor(func(r *receipt.Receipt) { r.KeyID[0] ^= 1 }), receipt.UnknownMintKey},
		"not allowed":     {endpoint.receiptFor(product(8)), receipt.KeyMismatch},
		"other layout":    {endpoint.receiptFor(func(r *receipt.Receipt) { r.License.Seats = 1 }), receipt.KeyMismatch},
	} {
		lic, err := v.VerifyReceipt(tt.text, this)
		e, ok := errors.AsType[*verifier.NotAuthenticError](err)
		if !ok || !errors.Is(err, tt.reason) || e.Malformed() != nil || lic.Product != 0 {
			t.Errorf("%s: %v, want %v", name, err, tt.reason)
		}
	}
	// A receipt is no code, either.
	if _, err := v.Verify(good); !errors.Is(err, payload.WrongLength) && !errors.Is(err, payload.Unreadable) && !errors.Is(err, payload.TooLong) {
		t.Errorf("as a code: %v", err)
	}
}

// The policy on the licence of a receipt is that on the licence of a code: the same
// licence, once as a code and once in a receipt, has the same verdict and status.
func TestVerifyReceiptPolicy(t *testing.T) {
	start := newKey(startHS, 7, 8)
	list := newListKey("ours")
	ring := newRing(hsKey, newKey(workedES, 7), start, endpoint, list)
	options := map[string][]func(*verifier.Options){
		"nothing": nil,
		"product": {func(o *verifier.Options) { o.Products = []uint64{8} }},
		"version": {func(o *verifier.Options) { o.MinVersion = 4 }},
		"grace":   {func(o *verifier.Options) { o.Grace, o.Warn, o.Leeway = 31, 31, 48*time.Hour }},
		"leeway":  {func(o *verifier.Options) { o.Leeway = 24 * time.Hour }},
		"list":    {withLists(list.newList(due("2099-01-01T00:00:00Z"), revoke(start, 1, 2, "leaked"), minimum(7, 3)))},
		"stale":   {withLists(list.newList(due("2026-05-02T00:00:00Z")))},
		"reported": {withLists(list.newList(due("2026-05-02T00:00:00Z"), revoke(start, 1, 1, ""))), func(o *verifier.Options) {
			o.Stale = verifier.ReportStale
		}},
		"closed":    {withLists(list.newList(due("2099-01-01T00:00:00Z"), stateOf(start, keys.Closed)))},
		"withdrawn": {withLists(list.newList(due("2099-01-01T00:00:00Z"), stateOf(start, keys.Withdrawn)))},
		"built":     {func(o *verifier.Options) { o.Built = instant("2026-06-02T00:00:00Z") }},
	}
	refused, accepted := map[verifier.Reason]int{}, map[verifier.Status]int{}
	for name, change := range options {
		for _, lic := range []payload.License{
			{Product: 7, Version: 2, Serial: 1, Expiry: payload.Never},
			{Product: 7, Version: 3, Serial: 2, Expiry: payload.Date(2026, 6, 1)},
			{Product: 7, Version: 4, Serial: 3, Expiry: payload.Date(2026, 5, 31)},
			{Product: 8, Version: 4, Serial: 4, Start: payload.Date(2026, 6, 1), Expiry: payload.Date(2026, 6, 3)},
			{Product: 7, Version: 4, Serial: 5, Start: payload.Date(2026, 6, 2), Expiry: payload.Date(2026, 6, 15)},
			{Product: 8, Version: 1, Serial: 2, Start: payload.Date(2026, 6, 3), Expiry: payload.Date(2026, 6, 3)},
			{Product: 7, Version: 1, Serial: 2, Expiry: payload.Date(2026, 5, 10)},
		} {
			v := must(tryVerifier(ring, change...))
			code, codeErr := v.Verify(start.mint(lic))
			text := endpoint.receiptFor(func(r *receipt.Receipt) { r.KeyID, r.License = start.ID(), lic })
			got, err := v.VerifyReceipt(text, this)
			if fmt.Sprint(err) != fmt.Sprint(codeErr) || reflect.TypeOf(err) != reflect.TypeOf(codeErr) {
				t.Errorf("%s, serial %d: receipt %v, code %v", name, lic.Serial, err, codeErr)
			}
			if !reflect.DeepEqual(got.License, code.License) || got.Status != code.Status || got.Days != code.Days || listOf(got) != listOf(code) {
				t.Errorf("%s, serial %d: receipt %+v, code %+v", name, lic.Serial, got, code)
			}
			switch e := err.(type) {
			case *verifier.NotAcceptableError:
				of := codeErr.(*verifier.NotAcceptableError)
				if !slices.Equal(e.Failures, of.Failures) || e.Reason != of.Reason || e.RevokedFor != of.RevokedFor || !reflect.DeepEqual(e.License.License, of.License.License) {
					t.Errorf("%s, serial %d: receipt %+v, code %+v", name, lic.Serial, e, of)
				}
				for _, r := range e.Failures {
					refused[r]++
				}
			case *verifier.CannotJudgeError:
				refused[e.Reason]++
			case *verifier.NotAuthenticError:
				refused[e.Reason.(verifier.Reason)]++
			default:
				accepted[got.Status]++
			}
		}
	}
	for _, r := range []verifier.Reason{
		verifier.WrongProduct, verifier.Revoked, verifier.BelowMinimum, verifier.NotYetValid, verifier.Expired,
		verifier.ListStale, verifier.ClockBehind, verifier.KeyWithdrawn,
	} {
		if refused[r] == 0 {
			t.Errorf("nothing was refused with %s", r)
		}
	}
	for _, s := range []verifier.Status{verifier.Valid, verifier.Expiring, verifier.InGrace} {
		if accepted[s] == 0 {
			t.Errorf("nothing was accepted with the status %s", s)
		}
	}
}

// Everything that fails is told, in the order of the specification.
func TestVerifyReceiptFailures(t *testing.T) {
	start, list := newKey(startHS, 7, 8), newListKey("ours")
	v := must(tryVerifier(newRing(hsKey, start, endpoint, list), withLists(list.newList(due("2099-01-01T00:00:00Z"), minimum(8, 9), func(d *revocation.Draft) {
		if err := d.Revoke(revocation.Entry{KeyID: start.ID(), Product: 8, First: 1, Last: 1, ReasonCode: "leaked"}); err != nil {
			t.Fatal(err)
		}
	}))))
	text := endpoint.receiptFor(func(r *receipt.Receipt) {
		r.KeyID, r.License = start.ID(), payload.License{Product: 8, Version: 1, Serial: 1, Expiry: payload.Date(2026, 5, 31)}
		r.Subject = must(receipt.NewSubject(receipt.Account, "ana"))
	}, until(noon.Add(-time.Minute), noon.Add(-time.Second)))
	_, err := v.VerifyReply(text, this, "AAAAAAAAAAAAAAAAAAAAAAAA")
	e := requireReasons(t, err, verifier.WrongSubject, verifier.WrongNonce, verifier.WrongProduct, verifier.Revoked, verifier.BelowMinimum, verifier.Expired, verifier.ReceiptEnded, verifier.RefreshDue)
	if e.RevokedFor != "leaked" || e.License.Serial != 1 || e.License.Status != verifier.Valid {
		t.Errorf("%+v", e)
	}
	if r, ok := e.License.Receipt(); !ok || !r.Overdue || r.Subject.Kind != receipt.Account {
		t.Errorf("receipt %+v", r)
	}
	for _, want := range []string{"another account", "another request", "for product 8", "(leaked)", "version 1", "2026-05-31", "ended 2026-06-01T11:59:59Z", "replaced by 2026-06-01T11:59:00Z", "shows 2026-06-01T12:00:00Z"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %q lacks %q", err, want)
		}
	}
}

// The status is that of a licence that is accepted, also in an error.
func TestVerifyReceiptFailedStatus(t *testing.T) {
	v := newVerifier(ofReceipts, func(o *verifier.Options) { o.Grace, o.Warn = 3, 3 })
	for status, last := range map[verifier.Status]payload.Day{verifier.Expiring: payload.Date(2026, 6, 2), verifier.InGrace: payload.Date(2026, 5, 30)} {
		expiry := func(r *receipt.Receipt) { r.License.Expiry = last }
		lic := must(v.VerifyReceipt(endpoint.receiptFor(expiry), this))
		if lic.Status != status || lic.Days != 1 {
			t.Fatalf("%s, %d days; want %s", lic.Status, lic.Days, status)
		}
		_, err := v.VerifyReceipt(endpoint.receiptFor(expiry, until(noon.Add(-time.Minute), noon)), this)
		if e := requireReasons(t, err, verifier.ReceiptEnded); e.License.Status != verifier.Valid || e.License.Days != 0 {
			t.Errorf("%s, %d days, though it is refused", e.License.Status, e.License.Days)
		}
	}
}

// Each time of a receipt counts to the second, with leeway and grace where they apply.
func TestVerifyReceiptTimes(t *testing.T) {
	const (
		issued  = "2026-06-01T11:00:00Z"
		refresh = "2026-07-01T12:00:00Z"
		end     = "2026-07-31T12:00:00Z"
	)
	type verdict struct {
		at      string
		want    error // nil for accepted
		overdue bool
	}
	for name, tt := range map[string]struct {
		change   func(*verifier.Options)
		verdicts []verdict
	}{
		"nothing": {func(*verifier.Options) {}, []verdict{
			{"2026-05-31T10:59:59.999Z", verifier.ClockBehind, false},
			{"2026-05-31T11:00:00Z", nil, false},
			{issued, nil, false},
			{"2026-07-01T11:59:59.999999999Z", nil, false},
			{refresh, verifier.RefreshDue, true},
			{"2026-07-31T11:59:59.999Z", verifier.RefreshDue, true},
			{end, verifier.ReceiptEnded, true},
			{"2026-08-01T00:00:00Z", verifier.RefreshDue, true},
			{"2026-07-01T20:59:59+09:00", nil, false},
			{"2026-07-01T21:00:00+09:00", verifier.RefreshDue, true},
		}},
		"leeway": {func(o *verifier.Options) { o.Leeway = 90 * time.Second }, []verdict{
			{"2026-05-31T10:58:29.999Z", verifier.ClockBehind, false},
			{"2026-05-31T10:58:30Z", nil, false},
			{"2026-07-01T12:01:29.999Z", nil, false},
			{"2026-07-01T12:01:30Z", verifier.RefreshDue, true},
			{"2026-07-31T12:01:29.999Z", verifier.RefreshDue, true},
			{"2026-07-31T12:01:30Z", verifier.ReceiptEnded, true},
		}},
		"grace": {func(o *verifier.Options) { o.Grace = 29 }, []verdict{
			{"2026-07-01T11:59:59Z", nil, false},
			{refresh, nil, true},
			{"2026-07-30T11:59:59.999Z", nil, true},
			{"2026-07-30T12:00:00Z", verifier.RefreshDue, true},
		}},
		"long grace": {func(o *verifier.Options) { o.Grace = 100 }, []verdict{ // it does not prolong the receipt
			{"2026-07-31T11:59:59Z", nil, true},
			{end, verifier.ReceiptEnded, true},
		}},
		"age": {func(o *verifier.Options) { o.MaxReceiptDays = 7 }, []verdict{ // RV-15
			{"2026-06-08T10:59:59.999Z", nil, false},
			{"2026-06-08T11:00:00Z", verifier.RefreshDue, true},
		}},
		"age and grace": {func(o *verifier.Options) { o.MaxReceiptDays, o.Grace = 7, 2 }, []verdict{
			{"2026-06-08T11:00:00Z", nil, true},
			{"2026-06-10T10:59:59Z", nil, true},
			{"2026-06-10T11:00:00Z", verifier.RefreshDue, true},
		}},
		"long age": {func(o *verifier.Options) { o.MaxReceiptDays = 365 }, []verdict{ // nor does this
			{"2026-07-01T11:59:59Z", nil, false},
			{refresh, verifier.RefreshDue, true},
		}},
	} {
		for _, d := range tt.verdicts {
			t.Run(name+"/"+d.at, func(t *testing.T) {
				v := newVerifier(ofReceipts, tt.change, func(o *verifier.Options) { o.Clock = at(instant(d.at)) })
				lic, err := v.VerifyReceipt(endpoint.receiptFor(), this)
				requireReason(t, err, d.want)
				if e, ok := errors.AsType[*verifier.NotAcceptableError](err); ok {
					lic = e.License
				}
				if r, _ := lic.Receipt(); r.Overdue != d.overdue {
					t.Errorf("overdue: %v", r.Overdue)
				}

				// A result of another time says the same of this one.
				first := newVerifier(ofReceipts, tt.change)
				lic = must(first.VerifyReceipt(endpoint.receiptFor(), this))
				then, err := lic.At(instant(d.at))
				requireReason(t, err, d.want)
				if r, _ := then.Receipt(); err == nil && r.Overdue != d.overdue {
					t.Errorf("at: overdue: %v", r.Overdue)
				}
			})
		}
	}
}

// A clock that is behind the issue says so, and the remedy.
func TestVerifyReceiptClockBehind(t *testing.T) {
	v := newVerifier(ofReceipts, func(o *verifier.Options) { o.Clock = at(noon.AddDate(0, 0, -2)) })
	_, err := v.VerifyReceipt(endpoint.receiptFor(), this)
	e, ok := errors.AsType[*verifier.CannotJudgeError](err)
	if !ok || e.Reason != verifier.ClockBehind || e.Key != 8 || !e.Floor.Equal(noon.Add(-time.Hour)) || !e.Now.Equal(noon.AddDate(0, 0, -2)) {
		t.Errorf("%+v", err)
	}
	if !v.Latest().Equal(instant("2025-01-01T00:00:00Z")) { // one of the two clocks is wrong: nothing is noted (DT-09)
		t.Errorf("the latest time is %s", v.Latest())
	}
}

// What has no end has none, whatever the clock shows, the options of the program aside.
func TestVerifyReceiptNever(t *testing.T) {
	ring := newRing(hsKey, endpoint)
	perpetual := func(r *receipt.Receipt) { r.License.Expiry = payload.Never }
	text := endpoint.receiptFor(perpetual, until(receipt.Never, receipt.Never))
	for _, s := range []string{"2026-06-01T12:00:00Z", "2036-06-01T12:00:00Z", "9999-12-31T23:59:59Z", "9999-12-31T23:59:59.999Z"} {
		v := newVerifier(ring, func(o *verifier.Options) { o.Clock, o.Warn, o.Grace = at(instant(s)), 5, 5 })
		lic, err := v.VerifyReceipt(text, this)
		if err != nil {
			t.Fatalf("%s: %v", s, err)
		}
		if r, _ := lic.Receipt(); r.Overdue || !r.End.Equal(receipt.Never) || !r.RefreshBy.Equal(receipt.Never) {
			t.Errorf("%s: %+v", s, r)
		}
		if next := lic.Until(instant(s)); !next.IsZero() {
			t.Errorf("%s: until %s", s, next)
		}
	}
	// A receipt that is ten years old is refused by a program that asks for more (RV-15).
	v := newVerifier(ring, func(o *verifier.Options) {
		o.Clock, o.MaxReceiptDays = at(instant("2036-06-01T12:00:00Z")), 3650
	})
	_, err := v.VerifyReceipt(text, this)
	e := requireReasons(t, err, verifier.RefreshDue)
	if r, _ := e.License.Receipt(); !r.RefreshBy.Equal(instant("2036-05-29T11:00:00Z")) {
		t.Errorf("refresh by %s", r.RefreshBy)
	}
}

// Until names each time at which the verdict or Overdue changes, and no other.
func TestReceiptUntil(t *testing.T) {
	for name, change := range map[string]func(*verifier.Options){
		"nothing": func(*verifier.Options) {},
		"all": func(o *verifier.Options) {
			o.Leeway, o.Grace, o.Warn, o.MaxReceiptDays = 90*time.Second, 3, 10, 20
		},
		"list": withLists(newListKey("ours").newList(issued("2026-06-02T00:00:00Z"), due("2026-07-10T00:00:00Z"))),
	} {
		v := must(tryVerifier(ofReceipts, change, func(o *verifier.Options) { o.Clock = at(instant("2026-06-02T12:00:00Z")) }))
		lic := must(v.VerifyReceipt(endpoint.receiptFor(func(r *receipt.Receipt) {
			r.License.Expiry = payload.Date(2026, 8, 15)
		}), this))
		say := func(t time.Time) string {
			l, err := lic.At(t)
			if e, ok := errors.AsType[*verifier.NotAcceptableError](err); ok {
				return fmt.Sprint(e.Failures)
			} else if e, ok := errors.AsType[*verifier.CannotJudgeError](err); ok {
				return string(e.Reason)
			}
			r, _ := l.Receipt()
			return fmt.Sprint(l.Status, r.Overdue, err)
		}
		changes := 0
		for now := instant("2026-05-25T00:00:00Z"); ; changes++ {
			next := lic.Until(now)
			if next.IsZero() {
				break
			}
			if !next.After(now) {
				t.Fatalf("%s: after %s comes %s", name, now, next)
			}
			if before, then := say(next.Add(-1)), say(next); before == then && name != "list" && !strings.Contains(then, "receipt-ended") { // with these the rest hardly matters
				t.Errorf("%s: at %s it is still %s", name, next, then)
			}
			for probe := now; probe.Before(next); probe = probe.Add(37 * time.Minute) {
				if got, want := say(probe), say(now); got != want {
					t.Fatalf("%s: %s at %s, but %s at %s, and no change before %s", name, want, now, got, probe, next)
				}
			}
			now = next
		}
		if changes < 3 {
			t.Errorf("%s: %d changes", name, changes)
		}
	}
}

// The issue of a receipt is a signed time, which the guard holds against the clock.
func TestVerifyReceiptGuard(t *testing.T) {
	guard := func(o *verifier.Options) { o.Tolerance = 2 * time.Hour }
	var clock testClock
	clock.now = noon
	v := newVerifier(ofReceipts, guard, clock.use)
	late := endpoint.receiptFor(func(r *receipt.Receipt) {
		r.Issued = noon.Add(90 * time.Minute) // the clock is a little slow
	})
	must(v.VerifyReceipt(late, this))
	if want := noon.Add(90 * time.Minute); !v.Latest().Equal(want) {
		t.Errorf("the latest time is %s, want %s", v.Latest(), want)
	}
	v.ResetClock() // forgets what the clock showed only
	if want := noon.Add(90 * time.Minute); !v.Latest().Equal(want) {
		t.Errorf("after ResetClock it is %s, want %s", v.Latest(), want)
	}
	clock.now = noon.Add(-30 * time.Minute)
	if _, err := v.VerifyReceipt(endpoint.receiptFor(), this); err != nil {
		t.Errorf("within the tolerance: %v", err)
	}
	clock.now = clock.now.Add(-time.Second)
	if _, err := v.VerifyReceipt(endpoint.receiptFor(), this); !errors.Is(err, verifier.ClockWentBack) {
		t.Errorf("beyond the tolerance: %v", err)
	}
	if _, err := v.Verify(workedESCode); !errors.Is(err, verifier.ClockWentBack) { // for codes, too
		t.Errorf("a code: %v", err)
	}
	// It outlives the run.
	next := newVerifier(ofReceipts, guard, clock.use, func(o *verifier.Options) { o.State = v.State() })
	if _, err := next.VerifyReceipt(endpoint.receiptFor(), this); !errors.Is(err, verifier.ClockWentBack) {
		t.Errorf("in the next run: %v", err)
	}
	// Times that nobody signed are not noted.
	clock.now = noon
	v = newVerifier(ofReceipts, guard, clock.use)
	if _, err := v.VerifyReceipt(late[:len(late)-4]+"AAAA", this); err == nil {
		t.Fatal("the bad signature is accepted")
	}
	if want := instant("2025-01-01T00:00:00Z"); !v.Latest().Equal(want) {
		t.Errorf("the latest time is %s, want %s", v.Latest(), want)
	}
	// The receipt of another machine tells the time as well.
	if _, err := v.VerifyReceipt(late, must(receipt.NewSubject(receipt.Device, "other"))); !errors.Is(err, verifier.WrongSubject) {
		t.Fatal(err)
	}
	if want := noon.Add(90 * time.Minute); !v.Latest().Equal(want) {
		t.Errorf("the latest time is %s, want %s", v.Latest(), want)
	}
}

// Keys that are withdrawn, by the ring or a list, now or later (RV-13).
func TestVerifyReceiptKeyStates(t *testing.T) {
	list := newListKey("ours")
	for _, tt := range []struct {
		mint, signer keys.State
		want         error
	}{
		{keys.Active, keys.Active, nil},
		{keys.Closed, keys.Closed, nil},
		{keys.Withdrawn, keys.Active, verifier.KeyWithdrawn},
		{keys.Active, keys.Withdrawn, verifier.KeyWithdrawn},
	} {
		// By the ring.
		v := newVerifier(newRing(hsKey.in(tt.mint), endpoint.in(tt.signer)))
		lic, err := v.VerifyReceipt(endpoint.receiptFor(), this)
		requireReason(t, err, tt.want)
		if _, ok := errors.AsType[*verifier.NotAuthenticError](err); ok == (tt.want == nil) || (lic.Product == 0) == (tt.want == nil) {
			t.Errorf("%v: %+v, %v", tt, lic, err)
		}
		// By a list that comes later.
		v = must(tryVerifier(newRing(hsKey, endpoint, list), withLists(list.newList(due("2099-01-01T00:00:00Z")))))
		lic = must(v.VerifyReceipt(endpoint.receiptFor(), this))
		newer := list.newList(sequence(8), due("2099-01-01T00:00:00Z"), func(d *revocation.Draft) {
			for k, s := range map[keys.ID]keys.State{hsKey.ID(): tt.mint, endpoint.ID(): tt.signer} {
				if s != keys.Active {
					d.KeyStates[k] = s
				}
			}
		})
		if taken, err := v.Update(newer); err != nil || !taken {
			t.Fatal(taken, err)
		}
		_, err = v.VerifyReceipt(endpoint.receiptFor(), this)
		requireReason(t, err, tt.want)
		then, err := lic.At(noon)
		requireReason(t, err, tt.want)
		if _, ok := errors.AsType[*verifier.NotAuthenticError](err); ok == (tt.want == nil) || (then.Product == 0) == (tt.want == nil) {
			t.Errorf("%v: later %+v, %v", tt, then, err)
		}
		if next := lic.Until(noon); next.IsZero() == (tt.want == nil) {
			t.Errorf("%v: until %s", tt, next)
		}
	}
}

// A licence that is revoked after its receipt was issued is refused by the newer list,
// also where the receipt is at hand (EP-11, RV-06).
func TestVerifyReceiptRevoked(t *testing.T) {
	list := newListKey("ours")
	v := must(tryVerifier(newRing(publicKey, endpoint, list), withLists(list.newList(due("2099-01-01T00:00:00Z")))))
	lic := must(v.VerifyReply(endpoint.receiptFor(), this, thisNonce))
	must(v.Update(list.newList(sequence(8), due("2099-01-01T00:00:00Z"), revoke(hsKey, 1000, 1000, "refund"))))
	_, err := v.VerifyReceipt(endpoint.receiptFor(), this)
	if e := requireReasons(t, err, verifier.Revoked); e.RevokedFor != "refund" {
		t.Errorf("revoked for %q", e.RevokedFor)
	}
	if _, err := lic.At(noon); !errors.Is(err, verifier.Revoked) {
		t.Errorf("the licence at hand: %v", err)
	}
}

// The binding of a code is judged when it is activated; the subject takes its place.
func TestVerifyReceiptOfBoundKey(t *testing.T) {
	bound := newKey(boundHS, 7)
	v := newVerifier(newRing(bound, endpoint))
	text := endpoint.receiptFor(func(r *receipt.Receipt) { r.KeyID = bound.ID() })
	if lic, err := v.VerifyReceipt(text, this); err != nil || lic.KeyNumber != 11 {
		t.Errorf("%+v, %v", lic, err)
	}
}

func TestMaxReceiptDays(t *testing.T) {
	for n, ok := range map[int]bool{-1: false, 0: true, 1: true, verifier.MaxDays: true, verifier.MaxDays + 1: false} {
		_, err := verifier.New(ofReceipts, verifier.Options{Products: []uint64{7}, MaxReceiptDays: n})
		if (err == nil) != ok || err != nil && !strings.Contains(err.Error(), "MaxReceiptDays") {
			t.Errorf("%d: %v", n, err)
		}
	}
}

// BenchmarkVerifyReceipt compares with the signature that is verified.
func BenchmarkVerifyReceipt(b *testing.B) {
	v, text, ec := newVerifier(ofReceipts), endpoint.receiptFor(), must(endpoint.private.ECDSA())
	digest := sha256.Sum256([]byte("receipt"))
	sig := must(ecdsa.SignASN1(nil, ec, digest[:]))
	b.Run("ratio", func(b *testing.B) {
		compare(b,
			func() {
				if !ecdsa.VerifyASN1(&ec.PublicKey, digest[:], sig) {
					b.Fatal("signature is bad")
				}
			},
			func() {
				if _, err := v.VerifyReceipt(text, this); err != nil {
					b.Fatal(err)
				}
			})
	})
}
