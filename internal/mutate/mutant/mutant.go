// Package mutant tells instrumented code which of its mutations is on. Only files
// that package mutate has instrumented import it.
package mutant

import (
	"os"
	"strconv"
)

// Variable is the environment variable that holds the number of the mutation that
// is on. Without it, none is: mutations count from 1.
const Variable = "GPUC_MUTANT"

var active, _ = strconv.Atoi(os.Getenv(Variable))

// Is reports whether mutation n is on.
func Is(n int) bool { return n == active }

type integer interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr
}

// Negate returns -v if mutation n is on, else v: it makes a sum a difference.
func Negate[T integer](n int, v T) T {
	if n == active {
		return -v
	}
	return v
}

// Increment returns v+1 if mutation n is on, else v.
func Increment[T integer](n int, v T) T {
	if n == active {
		return v + 1
	}
	return v
}
