// Package gokernel is the front end for kernels written in Go: functions with the directive
// //gpuc:kernel become kernels of a module of IR, as those of WGSL do.
//
//	//gpuc:kernel workgroup=64
//	func Scale(it gpu.Item, factor float32, x []float32) {
//		if i := it.Index(); i < len(x) {
//			x[i] *= factor
//		}
//	}
//
// Slices are storage buffers, bound in their order from 0 on; what the kernel writes is found out.
// Pointers are workgroup memory. All other parameters are one structure of immediates, or a uniform
// buffer behind the others if they are large. int is i32 on devices.
//
// The packages are loaded and type-checked by golang.org/x/tools/go/packages (load.go). What is no
// part of the dialect is refused in the source's syntax, all of it at once (gate.go and beside it).
// The rest is taken from golang.org/x/tools/go/ssa, whose control-flow graphs package structure
// turns into control that the IR has (function.go, instruction.go, memory.go). Every call is put
// into its caller. So a slice or a pointer always belongs to a variable that is known, and only its
// indices are values (reference.go). A structure with slices or pointers inside is no value of the
// IR: each of its members is a variable.
//
// LoadPackages loads packages whose launchers are to be generated, which their own code may call
// already (generate.go), and says beside each kernel's module which parameter is what in it
// (signature.go).
//
// A generic function is a kernel for each of the types that its directive lists,
// types=float32,int32 (instance.go).
//
// A Unit is a package that vet or a linter has loaded, for package kernelcheck (unit.go).
//
// Barriers that only a part of a workgroup comes to are found in the IR, and so are operations that
// only a part of a subgroup does (divergent.go, subgroup.go).
//
// A kernel is translated twice: the first time finds out what is read, what is written and what is
// accessed atomically, and is thrown away. With that the second reads parameters where they lie if
// no copy of them changes, and lets barriers order buffers only where items may see what others
// wrote.
package gokernel
