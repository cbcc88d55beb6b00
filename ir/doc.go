// Package ir is the intermediate representation: what front ends make, passes
// transform and emitters write. This page teaches it through one kernel.
//
//	var @x : ptr<storage, array<f32>> [group 0, binding 0]
//	var @sum : ptr<storage, f32, read_write> [group 0, binding 1]
//
//	kernel @main() [workgroup 1u, 1u, 1u] {
//	  %n = array_length @x : u32
//	  %total = loop ^l(%k: u32 = 0u, %s: f32 = 0f) : f32 {
//	    %done = ge %k, %n : bool
//	    if ^i %done {
//	      exit ^l(%s)
//	    } else {
//	      exit ^i()
//	    }
//	    %p = access @x, %k : ptr<storage, f32>
//	    %v = load %p : f32
//	    %t = add %s, %v : f32
//	    continue ^l(%t)
//	  } continuing(%u: f32) {
//	    %next = add %k, 1u : u32
//	    next ^l(%next, %u)
//	  }
//	  store @sum, %total
//	  return
//	}
//
// # Values
//
// A Value is an index that names a local, a constant (1u), a variable of the module or an override.
// A local (%name) is an instruction's result or a block's parameter. A variable (@x) is its
// address. An override (@count) is known when the pipeline is made. Everything is typed, signedness
// included: add, lt and shr exist once, and what they do follows from the operands.
//
// # Regions
//
// There is no control-flow graph. An if, switch, loop or scope owns blocks, and
// a block is a list of instructions that ends with a terminator. A terminator
// names the enclosing instruction it is about:
//
//	exit ^l(v…)      leaves l, whose results become v…
//	continue ^l(v…)  enters l's continuing block, whose parameters become v…
//	next ^l(v…)      ends the continuing block: the body's parameters become v…;
//	                 with `break_if c(r…)` it leaves the loop if c holds
//	return, unreachable
//
// An exit may leave several levels at once: above, exit ^l is inside an if. Instead of phis there
// are results and parameters. A value is visible in its block after its definition, and in the
// blocks nested there; a loop's parameters also in its continuing block. Invocations reconverge
// where the instruction that an exit names ends.
//
// # Memory
//
// A variable has an address space: function, private, workgroup, uniform, storage, constant. A
// pointer's type holds space, pointee and access mode. Addresses come in two levels. access goes
// from a pointer to a part by indices; front ends write it. address adds bytes; targets with flat
// memory get it from a legaliser. The layout (offsets, strides) is part of the type.
//
// Out-of-bounds accesses, data races and barriers that not all invocations reach
// are undefined; everything else is total. package interp finds the undefined.
//
// # In memory
//
// Instructions are records of 40 bytes without pointers, in a slice; an Inst is
// an index, as are Block, Type and Value. Passes walk a block with First and
// Next, read operands with Args, and replace values with Replace, which takes
// effect when ApplyReplacements runs at a pass's end. There are no use lists;
// CountUses and package analysis make what a pass needs.
package ir
