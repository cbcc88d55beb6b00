// Package spirv executes SPIR-V modules of compute kernels, to judge what the
// compiler emits. It works from the words alone and shares no code with the
// compiler, so that what is wrong on somebody's driver only can be told from what
// is wrong in a module.
//
//	opcodes.go      the instructions and how their words are read
//	arithmetic.go   what the arithmetic ones mean
//	half.go         numbers of 16 bits
//	types.go        types, and their layout in buffers
//	decode.go       words to instructions; decorations
//	declare.go      types, constants, variables
//	control.go      the order of blocks, dominators, loops
//	build.go        functions to what is executed, with checks of types
//	instruct.go, access.go, image.go
//	program.go      what is executed
//	machine.go      a launch: buffers, workgroups
//	schedule.go     invocations, barriers, subgroups
//	execute.go      instructions
//	memory.go       those on memory
//	texel.go        those on images
//	format.go       what the texels of storage images hold
//	group.go        those on subgroups
//	undefined.go    values that are undefined
//	race.go         races between invocations
//
// It is stricter than a device. An Error that names the instruction is the result
// of every opcode, capability, decoration, scope and semantics that it does not
// know, and of whatever SPIR-V leaves undefined on the executed path: integers
// divided by zero or beyond their range, shifts by the width and more, bit fields
// beyond it, floats converted to integers that cannot hold them, indices outside
// of composites and buffers, texels read outside of an image, misaligned
// addresses, races, barriers that part of a workgroup reaches, and undefined values
// that reach a condition, an address, an atomic operation, a buffer or an image.
// What SPIR-V leaves open without being undefined is decided once: floats are
// rounded to nearest even after each operation, subnormal numbers are kept, and a
// function of GLSL.std.450 outside of its domain gives a NaN. How a float is
// rounded to what a texel holds is not decided: an Error is the result of storing
// one that the format does not have. Images are read without samplers only, and
// images of cubes, several samples or unknown texel formats are refused.
//
// Subgroups converge as structured control flow does. An invocation waits at a
// subgroup instruction until all invocations of its subgroup wait or are finished.
// Then those go on that are furthest behind: places in the structured order of
// the blocks, together with the iterations of the loops around them and the calls,
// are totally ordered and only grow, so nobody else can still come to that
// instance of the instruction (see control.go). This is the reconvergence that
// SPV_KHR_maximal_reconvergence names.
package spirv

import "github.com/gpuc/gpuc/internal/emulate"

// Run executes a launch of a module, given as the bytes of its words. Where it
// fails, the error is an *Error, and the buffers hold what was written before.
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
