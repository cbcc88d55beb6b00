// Package testmode says how much of a test runs. go test -short runs a quick core, and go test what
// a change should pass. With GPUC_LONG=1 in the environment everything runs: builds for other
// systems, campaigns, mutants, browsers and emulated processors. CI sets it.
package testmode

import (
	"os"
	"testing"
)

// Variable is the environment variable that switches the long tests on.
const Variable = "GPUC_LONG"

// IsLong reports whether the long tests run.
func IsLong() bool { return os.Getenv(Variable) == "1" }

// Long skips a test unless the long tests run.
func Long(t testing.TB) {
	if t.Helper(); !IsLong() {
		t.Skip("skipped: a long test, which " + Variable + "=1 runs")
	}
}

// Quick skips a test in short mode, for a reason.
func Quick(t testing.TB, why string) {
	if t.Helper(); testing.Short() {
		t.Skip("skipped in short mode: " + why)
	}
}

// Count chooses how many programs, seeds or variants a test runs: in short mode, usually, and in
// long mode.
func Count(short, usual, long int) int {
	switch {
	case IsLong():
		return long
	case testing.Short():
		return short
	}
	return usual
}

// Sampled reports whether the n-th of many similar cases runs: each one in long mode, one of so
// many usually, and one of four times as many in short mode.
func Sampled(n, every int) bool { return n%Count(4*every, every, 1) == 0 }

// Scaled is n in long mode, and usually a sixth of it, in short mode a twentieth, but at least one.
func Scaled(n int) int { return Count(max(n/20, 1), max(n/6, 1), n) }

// Rotated reports whether the n-th case runs in the k-th of several variants. In long mode it runs
// in all, usually in one by rotation, and in short mode one case of eight runs in the first.
func Rotated(n, k, variants int) bool {
	return Count(btoi(k == 0 && n%8 == 0), btoi(k == n%variants), 1) == 1
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
