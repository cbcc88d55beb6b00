package codegen

import (
	"bytes"
	"slices"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
)

// This file compiles the large-launch variants of kernels. Bounds checks move to the host
// (opt.LaunchBoundsVersioning), and each invocation may do the work of several
// (opt.ThreadCoarsening).

// Coarse says which large-launch variants a target has.
type Coarse uint8

// The large-launch variants.
const (
	NotCoarse Coarse = iota // none
	Unchecked               // the host compares the greatest indices, and accesses are not checked
	Items                   // likewise, and invocations do the work of several
)

// coarse compiles the large-launch variant of a kernel. It returns nil if there is none with the
// same buffers.
func coarse(c *opt.Context, m *ir.Module, f *ir.Func, t *Target, o *Options, fine *abi.Artefact) *abi.Coarse {
	var list diag.List // the kernel's own compilation has reported everything
	made := &abi.Coarse{MinInvocations: abi.MinCoarse}
	made.Artefact = compile(c, m, f, t, o, variant{form: made}, &list)
	a := made.Artefact
	if a == nil || !slices.Equal(a.Kernel.Bindings, fine.Kernel.Bindings) || made.Factor == [3]uint32{1, 1, 1} && len(made.Checks) == 0 && bytes.Equal(a.Code, fine.Code) {
		return nil
	}
	return made
}

// finishCoarse completes the large-launch variant after the portable passes, and fills form. It
// returns false if the variant gains nothing: no check that moves to the host, no coarsening, and
// no loop that only it unrolls.
func finishCoarse(c *opt.Context, m *ir.Module, f *ir.Func, t *Target, info *abi.Kernel, form *abi.Coarse, holds *ir.Property) bool {
	unrolled := c.Changed(&opt.UnrollShort)
	form.Checks = within(m, f)
	f.Within = f.Within[:0] // the next passes may change the variables
	if t.Coarse == Items {
		*holds = c.Run(m, []opt.Pass{opt.ThreadCoarsening}, *holds)
	}
	switch form.Factor = f.Coarse; {
	case f.Coarse != [3]uint32{}:
		*holds = c.Run(m, coarsePasses, *holds)
	case len(form.Checks) > 0, unrolled:
		form.Factor, form.MinInvocations = [3]uint32{1, 1, 1}, abi.MinUnchecked
	default:
		return false
	}
	info.IntPositions = true
	return true
}

var quantityKinds = [...]abi.QuantityKind{ir.Invocations: abi.Invocations, ir.Workgroups: abi.Workgroups, ir.Elements: abi.Elements, ir.Word: abi.Word}

// within translates the conditions that a kernel's launch has to meet to its interface.
func within(m *ir.Module, f *ir.Func) (list []abi.BoundsCheck) {
	bindings, _ := resources(m)
	for _, w := range f.Within {
		made := abi.BoundsCheck{Binding: -1}
		if w.Array != ir.NoValue {
			made.Binding = slices.Index(bindings, w.Array)
		}
		for _, p := range w.Sum {
			product := abi.Product{Factor: p.Factor}
			for _, q := range p.Of {
				quantity := abi.Quantity{Kind: quantityKinds[q.Kind], Number: q.Number, Plus: q.Plus, Over: q.Over}
				if q.Kind == ir.Elements {
					quantity.Number = uint32(slices.Index(bindings, q.Of))
				}
				product.Of = append(product.Of, quantity)
			}
			made.Sum = append(made.Sum, product)
		}
		list = append(list, made)
	}
	return list
}
