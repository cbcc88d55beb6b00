package spirv

import (
	"slices"

	"github.com/gpuc/gpuc/codegen/spirv/grammar"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// Drivers put every function into its callers unless they are told not to, and what
// calls each other in layers multiplies: NVIDIA's (580) took more than four minutes for 9 KB
// of WGSL, whose 51 calls came to 250,000 instructions, and eleven seconds with DontInline.
//
// What is said so may hang there, which is worse than to wait, when called functions change private
// variables. The driver joins paths by masks of invocations that it computes in each branch
// where they may part, and keeps private variables in registers across calls; it takes for
// equal in all invocations what a called function has written. In a branch on such a variable
// it leaves the mask alone and waits for the invocations that have taken the other path
// (seeds 11009038, 12000476, 16004588). So such kernels wait.

// inlinedLimit is up to how many instructions a kernel may grow by inlining everything.
// Package opt has inlined what is small by then. NVIDIA's driver takes some minutes for as many.
const inlinedLimit = 1 << 17

// inlining returns what drivers are told about putting functions into their callers.
func (w *emitter) inlining() uint32 {
	funcs := w.m.Funcs
	if len(funcs) == 1 {
		return grammar.FunctionControlNone
	}
	w.inlined = ir.Zeroed(w.inlined, len(funcs))
	for n := range funcs {
		if w.inlinedSize(n) > inlinedLimit {
			if slices.ContainsFunc(funcs, changesPrivate) {
				return grammar.FunctionControlNone
			}
			return grammar.FunctionControlDontInline
		}
	}
	return grammar.FunctionControlNone
}

// changesPrivate reports that a function that can be called changes a private variable by
// an instruction of its own.
func changesPrivate(f *ir.Func) bool {
	if f.Kernel {
		return false
	}
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		if o := f.Op(i); !o.Is(op.Writes) || o.Is(op.Control) || o == op.Call {
			continue
		}
		for _, a := range f.Args(i) {
			if t := f.TypeOf(a); f.Module.IsPointer(t) && f.Module.SpaceOf(t) == ir.Private {
				return true
			}
		}
	}
	return false
}

// inlinedSize returns how many instructions a function has once all its calls are
// inlined, or more than inlinedLimit.
func (w *emitter) inlinedSize(n int) int {
	if w.inlined[n] == 0 {
		w.inlined[n] = w.inlinedFunc(w.m.Funcs[n])
	}
	return w.inlined[n]
}

func (w *emitter) inlinedFunc(f *ir.Func) int {
	size := 0
	for i := f.First(f.Entry); i != 0 && size <= inlinedLimit; i = f.After(i, f.Entry) {
		size++
		if f.Op(i) == op.Call {
			size += w.inlinedSize(int(f.Aux(i)))
		}
	}
	return size
}
