// Package tiny is mutated by the test of package mutate.
package tiny

// Least returns the smaller one.
func Least(a, b int) int {
	if a < b {
		return a
	}
	return b
}

// Count returns how many are not negative.
func Count(list []int) int {
	n := 0
	for k := 0; k < len(list); {
		if list[k] > -1 && n < 1000 {
			n++
		}
		k++
	}
	return n
}
