//go:build !race

package cpu

// raceEnabled says that the race detector watches, which sees nothing of machine code.
const raceEnabled = false
