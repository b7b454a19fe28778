package verifier_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/licet-dev/licet/payload"
	"github.com/licet-dev/licet/verifier"
)

// typos are the keys and codes whose every slip is tried, with a ring of both.
func typos() (*verifier.Verifier, map[string]testKey) {
	hs, es := newKey(workedHS, 7), newKey(workedES, 7)
	return newVerifier(newRing(hs, es)), map[string]testKey{workedHSCode: hs, workedESCode: es}
}

// requireTypo requires a typo in the symbols at these indices, with what stands
// there and what should, and the right code as a confirmed proposal.
func requireTypo(t *testing.T, err error, k testKey, wrong, right []byte, kind payload.SlipKind, indices ...int) {
	t.Helper()
	if !errors.Is(err, payload.Typo) {
		t.Fatalf("%s: got %v, want a typo", k.print(wrong), err)
	}
	var want []string
	for _, i := range indices {
		want = append(want, fmt.Sprintf("%d/%d %c %c", i/4+1, i%4+1, wrong[i], right[i]))
	}
	var got []string
	re := readError(t, err)
	for _, p := range re.Places {
		got = append(got, fmt.Sprintf("%d/%d %c %c", p.Group, p.Char, p.Got, p.Want))
	}
	if !slices.Equal(got, want) || re.Slip != kind || !re.Confirmed || re.Proposal != k.print(right) {
		t.Fatalf("%s: places %v, %s, proposal %s, confirmed %t; want %v, %s, %s, true",
			k.print(wrong), got, re.Slip, re.Proposal, re.Confirmed, want, kind, k.print(right))
	}
}

// CT-23: every single wrong symbol is a typo, at its place, with the right code
// proposed: all places, all 31 other symbols. It is never called forged.
func TestEverySubstitution(t *testing.T) {
	v, all := typos()
	for code, k := range all {
		right := k.symbols(code)
		for i := range right {
			for _, c := range []byte(payload.Alphabet) {
				if c == right[i] {
					continue
				}
				wrong := slices.Clone(right)
				wrong[i] = c
				_, err := v.Verify(k.print(wrong))
				requireTypo(t, err, k, wrong, right, payload.Substitution, i)
			}
		}
	}
}

// CT-23: two symbols exchanged, neighbours or one apart, and two equal ones typed
// as two other equal ones.
func TestEverySwap(t *testing.T) {
	v, all := typos()
	for code, k := range all {
		right := k.symbols(code)
		for _, apart := range []int{1, 2} {
			for i := range len(right) - apart {
				j := i + apart
				if right[i] != right[j] {
					wrong := slices.Clone(right)
					wrong[i], wrong[j] = wrong[j], wrong[i]
					_, err := v.Verify(k.print(wrong))
					requireTypo(t, err, k, wrong, right, payload.Transposition, i, j)
					continue
				}
				for _, c := range []byte(payload.Alphabet) {
					if c == right[i] {
						continue
					}
					wrong := slices.Clone(right)
					wrong[i], wrong[j] = c, c
					_, err := v.Verify(k.print(wrong))
					requireTypo(t, err, k, wrong, right, payload.Twin, i, j)
				}
			}
		}
	}
}

// Up to two characters that no code has are filled in, wherever they stand; 0, O,
// 1 and I are such characters. Three are too many to fill, but still named.
func TestUnreadableCharacters(t *testing.T) {
	v, all := typos()
	for code, k := range all {
		right := k.symbols(code)
		for i := range right {
			for _, j := range []int{-1, (i + 1) % len(right), (i + 7) % len(right)} {
				wrong := slices.Clone(right)
				indices := []int{i}
				wrong[i] = "01OI!?"[i%6]
				if j >= 0 {
					wrong[j] = "IO10?+"[i%6]
					indices = append(indices, j)
					slices.Sort(indices)
				}
				_, err := v.Verify(k.print(wrong))
				requireReason(t, err, payload.Unreadable)
				re := readError(t, err)
				if re.Proposal != k.print(right) || !re.Confirmed || len(re.Places) != len(indices) {
					t.Fatalf("%s: %+v", k.print(wrong), re)
				}
				for n, p := range re.Places {
					x := indices[n]
					if p.Group != x/4+1 || p.Char != x%4+1 || p.Got != rune(wrong[x]) || p.Want != right[x] {
						t.Errorf("%s: place %+v", k.print(wrong), p)
					}
				}
			}
		}
		wrong := slices.Clone(right)
		wrong[1], wrong[5], wrong[9] = '0', '0', '0'
		_, err := v.Verify(k.print(wrong))
		requireReason(t, err, payload.Unreadable)
		re := readError(t, err)
		if re.Proposal != "" || re.Confirmed || len(re.Places) != 3 || re.Places[2].Group != 3 || re.Places[2].Want != 0 {
			t.Errorf("three unreadable: %+v", re)
		}
	}
}

// Two wrong symbols that no slip explains are a typo without a place: nothing is
// guessed.
func TestTwoSlipsHaveNoPlace(t *testing.T) {
	v, all := typos()
	located := 0
	for code, k := range all {
		right := k.symbols(code)
		for i := range len(right) - 5 {
			wrong := slices.Clone(right)
			for _, x := range []int{i, i + 5} {
				value, _ := payload.SymbolValue(wrong[x])
				wrong[x] = payload.Symbol((value + 11) % 32)
			}
			_, err := v.Verify(k.print(wrong))
			requireReason(t, err, payload.Typo)
			// One slip may explain the text by chance, but then the signature of
			// what it gives is bad and nothing of it may come out.
			if re := readError(t, err); len(re.Places) != 0 || re.Proposal != "" || re.Slip != 0 {
				located++
			}
		}
	}
	if located != 0 {
		t.Errorf("%d texts with two slips have a place", located)
	}
}
