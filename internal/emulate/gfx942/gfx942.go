// Package gfx942 executes code objects for AMD's gfx942 (CDNA 3, MI300) on a machine without such a
// device: what LLVM's back end and linker make of the text that the target amdgpu writes. It
// thereby judges what internal/emulate/amdgpu cannot, which has LLVM compile the same text for the
// host.
//
// It is a module of its own, since it takes MGPUSim (github.com/sarchlab/mgpusim), which gpuc
// itself must not depend on. Of that simulator it uses the decoder and the ALU, and nothing of its
// driver and its timing: they know nothing of gpuc, and their authors nothing of this package. But
// they cover about half of the opcodes that LLVM writes, and some of those wrongly. So there is a
// table here of all opcodes that have been met. The names of chapters in it are those of AMD's
// manual ("AMD Instinct MI300" Instruction Set Architecture, reference guide), after which the rows
// were written, without a copy beside them: LLVM's assembler, its documents, MGPUSim and tests with
// results of their own decided what was in doubt. MGPUSim executes the opcodes that it has and that
// a test finds equal on both sides (foreign.go names them, and those that differ, with the reason).
//
//	instruction.go  rows of the table, instructions
//	decode.go       bytes to instructions
//	table.go        the table, whose parts are scalar.go, vector.go, float.go, divide.go, compare.go, packed.go, access.go and control.go
//	lanes.go        vector instructions: modifiers, parts of registers, other lanes' registers
//	half.go         numbers of 16 bits
//	wave.go         registers
//	memory.go       buffers with guards, workgroup memory, private memory
//	object.go       code objects
//	run.go          launches: workgroups, waves, barriers
//	mgpusim.go      MGPUSim's decoder and ALU
//	foreign.go      what is left to them
//	runner.go       other programs that execute code objects
//
// An execution ends with an error where an instruction has no row, reads a register that nothing
// has written, accesses memory outside of the launch's buffers, of the workgroup's memory or of the
// lane's, or at an address that is not aligned; where not all invocations of a workgroup reach a
// barrier; and behind a number of instructions.
//
// What it cannot find: a missing wait for memory (s_waitcnt) or a missing pause between
// instructions that hardware does not keep apart, since each instruction is complete before the
// next begins. LLVM inserts both, so this would be an error of LLVM's; of code that gpuc makes
// without LLVM, codegen/amdgpu/machine/verify finds it.
package gfx942
