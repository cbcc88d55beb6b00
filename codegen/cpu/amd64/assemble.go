package amd64

// This file makes code of a list of instructions: it finds where labels are.

// Assembler makes code of instructions. Its memory is reused from one function to the next; the zero value is ready.
type Assembler struct {
	offsets []int32 // of each instruction, and the end
	labels  []int32 // where each label is
	long    []bool  // which jumps need 32 bits
}

// Assemble appends the code of a function and behind it, at a multiple of 32 bytes from the function's beginning, the constants that
// pool has; pool may be nil. Jumps have distances of 8 bits where that is enough. The code is independent of where it lies, as long as
// that is a multiple of 32. An error is an *Error or says what is wrong with a label, and code is returned as it was.
func (a *Assembler) Assemble(code []byte, list []Instruction, pool *Pool) ([]byte, error) {
	return code, nil
}

// Offset returns where instruction n of the last function begins, in bytes from the function's beginning; where n is the number of
// instructions, it is the end of the code.
func (a *Assembler) Offset(n int) int { return int(a.offsets[n]) }
