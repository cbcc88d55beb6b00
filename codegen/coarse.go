package codegen

import (
	"bytes"
	"slices"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
)

// This file makes the large-launch variants of kernels. The host evaluates once what each
// invocation would evaluate again (opt.HostBounds). Each invocation may do the work of several
// (opt.Coarsen).

// Coarse says what there is in a target's forms of kernels for large launches.
type Coarse uint8

// The kinds of such forms.
const (
	NotCoarse Coarse = iota // there are none
	// whoever launches compares greatest indices, and accesses are not checked
	Unchecked
	Items // that, and invocations do the work of several
)

// coarse compiles the coarse form of a kernel, or returns nil if it has none that takes the same
// buffers.
func coarse(c *opt.Context, m *ir.Module, f *ir.Func, t *Target, o *Options, fine *abi.Artefact) *abi.Coarse {
	var list diag.List // of what the other form has said
	made := &abi.Coarse{MinInvocations: abi.MinCoarse}
	made.Artefact = compile(c, m, f, t, o, made, &list)
	a := made.Artefact
	if a == nil || !slices.Equal(a.Kernel.Bindings, fine.Kernel.Bindings) || made.Factor == [3]uint32{1, 1, 1} && len(made.Checks) == 0 && bytes.Equal(a.Code, fine.Code) {
		return nil
	}
	return made
}

// finishCoarse makes a kernel coarse behind the portable passes and says in form what it has
// become. It returns false if there is nothing that is gained: neither checks that whoever launches
// makes, nor several items, nor loops that only it unrolls.
func finishCoarse(c *opt.Context, m *ir.Module, f *ir.Func, t *Target, info *abi.Kernel, form *abi.Coarse, holds *ir.Property) bool {
	unrolled := c.Changed(&opt.UnrollShort)
	form.Checks = within(m, f)
	f.Within = f.Within[:0] // of variables as they were
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

// within says what a kernel's launch has to hold in terms of its interface.
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
