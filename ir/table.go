package ir

// Zeroed returns n zero elements in the memory of a slice, which may be nil. It makes the side
// tables of passes and emitters, by instruction, value, block or type, so that they allocate
// nothing in steady state. Some spare room keeps slightly larger functions from allocating again,
// unless it would be much.
func Zeroed[T any](memory []T, n int) []T {
	if cap(memory) < n {
		return make([]T, n, n+min(n/4, 1<<10))
	}
	memory = memory[:n]
	clear(memory)
	return memory
}
