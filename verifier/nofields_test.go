package verifier_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/payload"
	"github.com/licet-dev/licet/verifier"
)

// telling is a licence whose values occur nowhere else, so that any trace of them
// in an error can be found.
var telling = payload.License{Product: 401, Version: 201, Expiry: payload.Date(2077, 7, 7), Serial: 98765432}

// traces lists what of the telling licence can be reached from v through exported
// fields, methods without arguments, and what those return.
func traces(v reflect.Value, path string, depth int) (found []string) {
	if !v.IsValid() || depth > 8 {
		return nil
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return nil
		}
		found = traces(v.Elem(), path, depth+1)
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				found = append(found, traces(v.Field(i), path+"."+f.Name, depth+1)...)
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			found = append(found, traces(v.Index(i), fmt.Sprintf("%s[%d]", path, i), depth+1)...)
		}
	case reflect.Uint64:
		if slices.Contains([]uint64{401, 201, 98765432}, v.Uint()) {
			return []string{path}
		}
	case reflect.Int, reflect.Int32, reflect.Int64:
		if v.Int() == int64(telling.Expiry) || v.Int() == 401 || v.Int() == 201 || v.Int() == 98765432 {
			return []string{path}
		}
	case reflect.String:
		for _, s := range []string{"401", "201", "98765432", "2077"} {
			if strings.Contains(v.String(), s) {
				return []string{path}
			}
		}
	}
	if v.CanInterface() && v.Type().PkgPath() != "time" {
		for i := range v.NumMethod() {
			m := v.Method(i)
			if name := v.Type().Method(i).Name; m.Type().NumIn() == 0 && m.Type().NumOut() == 1 && name != "Forget" {
				found = append(found, traces(m.Call(nil)[0], path+"."+name+"()", depth+1)...)
			}
		}
	}
	return found
}

// No exported path leads from a code that is not authentic, or that could not be
// judged, to the fields that its text claims to have.
func TestNoFieldsOfUnauthenticCodes(t *testing.T) {
	hs, es, bound := newKey(workedHS, 401), newKey(workedES, 401), newKey(boundHS, 401)
	short := newKey("licet/v1 hs256 key=13 prefix= layout=product:9,version:8,expiry:15,serial:28 bind=none sig=35", 401)
	var with7 = func(k testKey) testKey { return testKey{must(k.WithProducts(7)), k.private} }
	withdrawn := func(k testKey) testKey { return testKey{k.WithState(keys.Withdrawn), k.private} }
	public := func(k testKey) testKey { return testKey{k.WithoutSecret(), k.private} }
	hsCode, esCode, boundCode := hs.mint(telling), es.mint(telling), bound.mint(telling, "host-1")
	flip := func(k testKey, code string) string {
		masked, shown := k.split(code)
		shown[len(shown)-1] ^= 1
		return k.assemble(masked, shown)
	}
	spare := es.symbols(esCode)
	value, _ := payload.SymbolValue(spare[13])
	spare[13] = payload.Symbol(value | 4)
	esMasked, _ := es.split(esCode)

	for _, c := range []struct {
		name          string
		key           testKey
		code, binding string
		now           time.Time
		want          error
	}{
		{"bad signature", hs, flip(hs, hsCode), "", noon, verifier.BadSignature},
		{"es256 bad signature", es, flip(es, esCode), "", noon, verifier.BadSignature},
		{"spare bits", es, es.print(recheck(spare)), "", noon, payload.SpareBits},
		{"signature range", es, es.assemble(esMasked, make([]byte, 64)), "", noon, payload.SignatureRange},
		{"withdrawn", withdrawn(hs), hsCode, "", noon, verifier.KeyWithdrawn},
		{"es256 withdrawn", withdrawn(es), esCode, "", noon, verifier.KeyWithdrawn},
		{"product not allowed", with7(hs), hsCode, "", noon, verifier.ProductNotAllowed},
		{"es256 product not allowed", with7(es), esCode, "", noon, verifier.ProductNotAllowed},
		{"no binding", bound, boundCode, "", noon, verifier.BindingRequired},
		{"another binding", bound, boundCode, "host-2", noon, verifier.BadSignature},
		{"no secret", public(hs), hsCode, "", noon, verifier.NoSecret},
		{"short tag", short, short.mint(telling), "", noon, verifier.ShortTag},
		{"clock behind", hs, hsCode, "", time.Unix(0, 0), verifier.ClockBehind},
		{"repeated", hs, hsCode + hsCode, "", noon, payload.Repeated},
		{"extra text", hs, hsCode + "X", "", noon, payload.ExtraText},
		{"wrong prefix", hs, "ZZ" + strings.TrimPrefix(hsCode, "ACME-"), "", noon, payload.WrongPrefix},
		{"wrong length", hs, hsCode[:len(hsCode)-1], "", noon, payload.WrongLength},
		{"unreadable", es, esCode[:len(esCode)-1] + "0", "", noon, payload.Unreadable},
		{"unknown key", hs, esCode, "", noon, payload.UnknownKey},
	} {
		v := must(verifier.New(newRing(c.key), verifier.Options{Products: []uint64{401}, Clock: at(c.now)}))
		lic, err := v.VerifyBound(c.code, c.binding)
		requireReason(t, err, c.want)
		if !reflect.DeepEqual(lic, verifier.License{}) {
			t.Errorf("%s: returned %+v", c.name, lic)
		}
		if _, ok := errors.AsType[*verifier.NotAcceptableError](err); ok {
			t.Errorf("%s: the error has a licence", c.name)
		}
		if found := traces(reflect.ValueOf(err), "err", 0); found != nil {
			t.Errorf("%s: fields at %v: %v", c.name, found, err)
		}
	}

	// Nor from one that is not judged for the state of the list or the guard.
	ours := newListKey("ours")
	for name, c := range map[string]struct {
		list      []byte
		tolerance time.Duration
		want      error
	}{
		"stale list":      {ours.newList(due("2026-05-02T00:00:00Z"), revoke(hs, 98765432, 98765432, "")), 0, verifier.ListStale},
		"future list":     {ours.newList(issued("2026-07-01T00:00:00Z")), 0, verifier.ClockBehind},
		"withdrawn by it": {ours.newList(stateOf(hs, keys.Withdrawn)), 0, verifier.KeyWithdrawn},
		"clock went back": {ours.newList(issued("2026-07-01T00:00:00Z")), time.Hour, verifier.ClockWentBack},
	} {
		v := must(verifier.New(newRing(hs, ours), verifier.Options{
			Products: []uint64{401}, Clock: at(noon), Lists: [][]byte{c.list}, Stale: verifier.RefuseStale, Tolerance: c.tolerance,
		}))
		lic, err := v.Verify(hsCode)
		requireReason(t, err, c.want)
		if found := traces(reflect.ValueOf(err), "err", 0); found != nil || !reflect.DeepEqual(lic, verifier.License{}) {
			t.Errorf("%s: fields at %v: %v, %+v", name, found, err, lic)
		}
	}

	// The search finds the fields where they may be: in the error of a genuine code.
	_, err := must(verifier.New(newRing(hs), verifier.Options{Products: []uint64{7}, Clock: at(noon)})).Verify(hsCode)
	if found := traces(reflect.ValueOf(err), "err", 0); len(found) < 4 {
		t.Errorf("a genuine code shows only %v: the test proves nothing", found)
	}
}
