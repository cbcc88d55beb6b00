//go:build !race

package drivertest

// RaceEnabled says whether the race detector is on. Its sync.Pool drops objects on purpose, so the
// numbers of allocations are not meaningful.
const RaceEnabled = false
