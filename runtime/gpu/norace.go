//go:build !race

package gpu

// raceEnabled says that the race detector watches.
const raceEnabled = false
