// Package gokernel is the front end for kernels written in Go. Functions with the directive
// //gpuc:kernel become kernels of an IR module, as those of WGSL do.
//
//	//gpuc:kernel workgroup=64
//	func Scale(it gpu.Item, factor float32, x []float32) {
//		if i := it.Index(); i < len(x) {
//			x[i] *= factor
//		}
//	}
//
// Slices are storage buffers, bound in order from binding 0; which of them are written is inferred.
// Pointers are workgroup memory. The other parameters form one structure of immediates, or a
// uniform buffer after the other bindings if they are large. int is i32 on devices.
//
// golang.org/x/tools/go/packages loads and type-checks the packages (load.go). The gate reports
// what is outside the subset of Go for kernels from the syntax, all errors at once (gate.go and
// others). The rest starts from golang.org/x/tools/go/ssa. Package structure turns its control-flow
// graphs into the IR's structured control flow (function.go, instruction.go, memory.go). Every call
// is inlined. So a slice or a pointer always refers to a known variable, and only its indices are
// values (reference.go). A structure that contains slices or pointers is no value of the IR: each
// of its fields is a variable (scalar replacement).
//
// LoadPackages loads packages for which launchers are generated, although their own code may
// already call them (generate.go). It describes each kernel's parameters (signature.go).
//
// A generic function is a kernel for each list of type arguments in its directive,
// types=float32,int32 (instance.go). A kernel that depends on tuned constants is compiled for each
// combination of their values (tune.go, variants.go).
//
// A Unit is a package that vet or a linter has loaded, for package kernelcheck (unit.go).
//
// Barriers and subgroup operations in divergent control flow are found in the IR (divergent.go,
// subgroup.go).
//
// A kernel is translated twice. The first translation finds out what is read, written and accessed
// atomically, and is discarded. With these facts the second one does not copy parameters that are
// only read, and lets barriers order buffers only if items read what others wrote.
package gokernel
