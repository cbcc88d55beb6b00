// Package gfx942 is an interpreter of code objects for AMD's gfx942 (CDNA 3, MI300). It tests the
// machine code that LLVM makes of the target amdgpu's text, and that gpuc makes without LLVM.
// Package internal/emulate/amdgpu instead has LLVM compile the text for the host.
//
// It is a separate module, since it depends on MGPUSim (github.com/sarchlab/mgpusim) and gpuc must
// not. It uses that simulator's decoder and ALU as an independent implementation, but not its
// driver and timing. MGPUSim has about half of the opcodes that LLVM emits, and some of them are
// wrong. So this package has a table of all opcodes that LLVM has emitted so far. Names of chapters
// in comments are those of AMD's manual ("AMD Instinct MI300" Instruction Set Architecture,
// reference guide). Doubts were resolved by LLVM's assembler and documentation, by MGPUSim, and by
// tests. MGPUSim executes the opcodes for which a test finds the same results on both sides.
// foreign.go lists them, and the different ones with the reason.
//
//	instruction.go  rows of the table, instructions
//	decode.go       bytes to instructions
//	table.go        the table; its parts are in scalar.go, vector.go, float.go, divide.go,
//	                compare.go, packed.go, matrix.go, access.go and control.go
//	lanes.go        vector instructions: modifiers, SDWA, DPP
//	half.go         binary16
//	wave.go         registers
//	memory.go       buffers, workgroup memory, private memory
//	object.go       code objects
//	run.go          launches: workgroups, waves, barriers
//	mgpusim.go      MGPUSim's decoder and ALU
//	foreign.go      the instructions that they execute
//	runner.go       other programs that execute code objects
//
// Run returns an error if an instruction has no row, or depends on a register that was never
// written. So it does for a misaligned access or one out of bounds, for a barrier that not all
// invocations of a workgroup reach, and after a number of instructions.
//
// The emulator cannot find a missing wait for memory (s_waitcnt) or a missing wait state, since
// each instruction is complete before the next one begins. LLVM inserts both. For code that gpuc
// makes without LLVM, codegen/amdgpu/machine/verify checks them.
package gfx942
