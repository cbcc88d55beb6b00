// Package testmode selects how much of a test runs. go test -short runs a quick subset, and go test
// what every change should pass. GPUC_LONG=1 in the environment runs everything, as CI does: builds
// for other systems, campaigns, mutants, browsers and emulated processors.
package testmode

import (
	"fmt"
	"hash/fnv"
	"os"
	"testing"
)

// Tests, and the commands that they run, leave the user's cache of compiled kernels alone
// (kernelcache.Variable): they compile kernels, and find what goes wrong then.
func init() { os.Setenv("GPUC_CACHE", "off") }

// Variable is the environment variable that enables the long tests.
const Variable = "GPUC_LONG"

// PartVariable is the environment variable that divides long tests of many similar cases, as in
// "1/3": the part from 0 on, and how many parts there are. CI runs another one each day.
const PartVariable = "GPUC_PART"

// IsLong reports whether the long tests run.
func IsLong() bool { return os.Getenv(Variable) == "1" }

// part returns which part of the long tests runs, of how many.
func part() (k, parts int) {
	if n, _ := fmt.Sscanf(os.Getenv(PartVariable), "%d/%d", &k, &parts); n != 2 || parts < 1 || k < 0 || k >= parts {
		return 0, 1
	}
	return k, parts
}

// Parts is how many parts the long tests are divided into.
func Parts() int {
	_, parts := part()
	return parts
}

// IsWhole reports whether all parts of the long tests run.
func IsWhole() bool { return IsLong() && Parts() == 1 }

// Long skips a test unless the long tests run.
func Long(t testing.TB) {
	if t.Helper(); !IsLong() {
		t.Skip("skipped: a long test, which " + Variable + "=1 runs")
	}
}

// LongPart is Long for a test that belongs to one of the parts.
func LongPart(t testing.TB, n int) {
	t.Helper()
	Long(t)
	if k, parts := part(); n%parts != k {
		t.Skipf("skipped: a long test of another part, which %s chooses", PartVariable)
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

// Sampled reports whether the n-th of many similar cases runs: all of the part in long mode, every
// every-th by default, and a quarter of those in short mode.
func Sampled(n, every int) bool {
	if k, parts := part(); IsLong() {
		return n%parts == k
	}
	return n%Count(4*every, every, 1) == 0
}

// Scaled returns n in long mode, divided by the number of parts, n/6 by default and n/20 in short
// mode, but at least 1.
func Scaled(n int) int {
	return Count(max(n/20, 1), max(n/6, 1), max(n/Parts(), n/6, 1))
}

// shortShare says of how many cases one runs in short mode, where all of them run usually.
const shortShare = 8

// Picked reports whether a case runs that runs in all modes but short mode, where one of eight
// does. The choice depends on its name alone, so adding a case does not change it for the others.
func Picked(name string) bool { return Shared(name, 1) }

// Shared is Picked for cases of which one of so many runs usually.
func Shared(name string, usual int) bool {
	return hash(name)%uint32(Count(max(shortShare, usual), usual, 1)) == 0
}

// Pick skips a case unless it is Picked.
func Pick(t testing.TB, name string) {
	t.Helper()
	Share(t, name, 1)
}

// Share skips a case unless it is Shared.
func Share(t testing.TB, name string, usual int) {
	if t.Helper(); !Shared(name, usual) {
		t.Skipf("skipped: one case of %d runs, and with %s=1 all", Count(max(shortShare, usual), usual, 1), Variable)
	}
}

// Rotated reports whether the n-th case runs in the k-th of several variants. In long mode it runs
// in those of the part, and usually in one by rotation. In short mode one case of eight runs, in
// one variant. Which cases those are depends on the number of variants, so that executors differ in
// them.
func Rotated(n, k, variants int) bool {
	selected := k == n%variants
	if p, parts := part(); IsLong() {
		return selected || (n+k)%parts == p
	}
	if testing.Short() {
		at := n + variants
		selected = at%shortShare == 0 && k == at/shortShare%variants
	}
	return selected
}

func hash(name string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(name))
	return h.Sum32()
}
