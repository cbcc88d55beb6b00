// Package vector runs kernels on the CPU a whole workgroup at a time. A value of the machine level
// (codegen/mir) that differs from invocation to invocation is a column, with an element for each.
// An instruction is a function over columns. What interpreting costs is paid once for an
// instruction and a workgroup, the functions are loops that a processor likes, and a barrier is
// nothing at all. No memory has to be executable.
//
//	lower.Program ─► Compile ─► Program.Run
//
// # Values
//
// Elements have 32 bits, or 64 for what is as wide; halves are their bits, bools all bits or none.
// What is the same in all lanes (package lower) is one value. Columns that do not live at the same
// time share their memory in the arena, which should stay in the processor's first cache
// (slots.go).
//
// Workgroups that are small and need nothing of each other's lanes are executed several at once
// (groups.go).
//
// # Control
//
// Lanes that part run one after the other, in the order of the text, and the others wait (run.go).
// Operations without effects are done in all lanes nevertheless, since nobody reads what a lane
// gets that does not run. Where lanes do matter there is a mask: in stores, in what edges pass, and
// in what lanes take out of a loop that others go on with. With all lanes running it costs nothing.
//
// # Exactness
//
// What operations mean is package eval, to the bit. Primitives, which are generated
// (internal/primgen), are held against it; what has none is done by it, lane by lane.
package vector
