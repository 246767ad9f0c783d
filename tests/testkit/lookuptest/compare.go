package lookuptest

import (
	"fmt"
	"reflect"
	"testing"

	"fichario/tests/testkit/patience"
)

// CPFs makes n valid CPFs, different for each seed from 0 to 999.
func CPFs(seed, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = CPF(seed*100_000 + i)
	}
	return out
}

// CPF makes the nth valid CPF, of 899,999,999.
func CPF(n int) string {
	digits := []byte(fmt.Sprintf("%09d", 100_000_000+n))
	for range 2 {
		sum := 0
		for j, d := range digits {
			sum += int(d-'0') * (len(digits) + 1 - j)
		}
		check := (sum * 10) % 11 % 10
		digits = append(digits, byte('0'+check))
	}
	return string(digits)
}

// Eventually waits until f holds, for as long as any test waits.
func Eventually(tb testing.TB, what string, f func() bool) {
	tb.Helper()
	patience.Until(tb, what, f)
}

// Expect compares values with reflect.DeepEqual.
func Expect[T any](t *testing.T, what string, got, want T) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: got %#v (%T), want %#v (%T)", what, got, got, want, want)
	}
}
