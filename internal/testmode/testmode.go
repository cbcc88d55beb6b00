// Package testmode selects how much of a test runs. go test -short runs a quick subset, and go test
// what every change should pass. GPUC_LONG=1 in the environment runs everything, as CI does: builds
// for other systems, campaigns, mutants, browsers and emulated processors.
package testmode

import (
	"os"
	"testing"
)

// Variable is the environment variable that enables the long tests.
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

// Count returns the number of programs, seeds or variants of a test, depending on the mode: short,
// default or long.
func Count(short, usual, long int) int {
	switch {
	case IsLong():
		return long
	case testing.Short():
		return short
	}
	return usual
}

// Sampled reports whether the n-th of many similar cases runs: all in long mode, every every-th by
// default, and a quarter of those in short mode.
func Sampled(n, every int) bool { return n%Count(4*every, every, 1) == 0 }

// Scaled returns n in long mode, n/6 by default and n/20 in short mode, but at least 1.
func Scaled(n int) int { return Count(max(n/20, 1), max(n/6, 1), n) }

// Rotated reports whether the n-th case runs in the k-th of several variants. In long mode it runs
// in all variants, by default in one, which rotates. In short mode every eighth case runs in the
// first.
func Rotated(n, k, variants int) bool {
	return Count(btoi(k == 0 && n%8 == 0), btoi(k == n%variants), 1) == 1
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
