// Package spirv is an interpreter of SPIR-V compute kernels, to test what the compiler emits. It
// reads the words of a module and shares no code with the compiler. A failure that this interpreter
// does not reproduce is therefore likely a bug of a driver.
//
//	opcodes.go      opcodes and operand formats
//	arithmetic.go   semantics of the arithmetic instructions
//	types.go        types, and their layout in buffers
//	decode.go       words to instructions; decorations
//	declare.go      types, constants, variables
//	control.go      block order, dominators, loops
//	build.go        functions to internal code, with type checks
//	instruct.go, access.go, image.go
//	program.go      the internal code
//	machine.go      a launch: buffers, workgroups
//	schedule.go     invocations, barriers, subgroups
//	execute.go      instructions
//	memory.go       instructions on memory
//	texel.go        instructions on images
//	format.go       texel formats of storage images
//	group.go        subgroup operations
//	matrix.go       cooperative matrices
//	undefined.go    taint tracking of undefined values
//	race.go         race detection
//
// It is stricter than a device. Run returns an Error that names the instruction for everything that
// it does not know: opcodes, capabilities, decorations, scopes, memory semantics. It also returns
// one for what SPIR-V leaves undefined on the executed path:
//   - integer divisions by zero or with a result out of range, shifts by the width or more, bit
//     fields beyond the width, floats converted to integers that cannot hold them
//   - indices outside of composites and buffers, reads outside of an image, misaligned addresses
//   - races, and barriers that only part of a workgroup reaches
//   - undefined values as conditions, addresses or atomic operands, or stored in buffers or images
//
// Where SPIR-V allows several results, the interpreter has one. It rounds floats to nearest even
// after each operation and keeps subnormal numbers. A function of GLSL.std.450 outside of its
// domain gives a NaN. Storing a float that a texel format cannot represent is an Error, since
// devices may round it differently. Images are read without samplers only. Images of cubes, several
// samples or unknown texel formats are refused.
//
// Subgroups reconverge as SPV_KHR_maximal_reconvergence says. An invocation waits at a subgroup
// instruction until all invocations of its subgroup wait or are finished. Then the invocations
// continue whose position is the smallest. Positions are totally ordered: they consist of calls,
// the structured block order, and the iterations of enclosing loops (see control.go). An
// invocation's position only grows, so no other invocation can still reach that instance of the
// instruction.
package spirv

import "github.com/gpuc/gpuc/internal/emulate"

// Run executes a launch of a module, given as the bytes of its words. A failure is an *Error; the
// buffers then hold what was written before it.
func Run(words []byte, l *emulate.Launch) error {
	p, err := read(words, l.Entry)
	if err != nil {
		return err
	}
	m, err := newMachine(p, l)
	if err != nil {
		return err
	}
	return m.launch(l.Grid)
}
