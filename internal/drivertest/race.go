//go:build race

package drivertest

// RaceEnabled says whether the race detector is on: its sync.Pool drops objects
// on purpose, so counts of allocations mean nothing.
const RaceEnabled = true
