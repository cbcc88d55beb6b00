package codegen

import (
	"slices"

	"github.com/gpuc/gpuc/codegen/lower"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
)

// This file compiles the variants of kernels whose tiles are copied by tensor maps
// (lower.TensorTiles).

// TensorForm lowers the tiles of a kernel for devices with a tensor memory accelerator. It returns
// the kernel's tensor maps, or why the kernel has no such form.
type TensorForm struct {
	// Profile is that of the target which has the instructions.
	Profile string
	// Unmapped is the profile of variants without tensor maps, whose products are of float64.
	Unmapped string
	Lower    func(c *opt.Context, m *ir.Module, f *ir.Func) (maps []lower.TensorMap, why string)
}

// tensorBeside compiles the variant of a kernel with tensor maps while the caller compiles the
// kernel. The result waits for it. A context that watches the passes has them in order: nothing is
// compiled before the result is called.
func tensorBeside(c *opt.Context, m *ir.Module, f *ir.Func, t *Target, o *Options) func() *abi.Tensor {
	if c.Watches() {
		return func() *abi.Tensor { return tensor(c, m, f, t, o) }
	}
	var made *abi.Tensor
	var problem any
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() { problem = recover() }()
		own := &opt.Context{Verify: c.Verify, Without: c.Without}
		own.Borrow()
		made = tensor(own, m, f, t, o)
		own.Return()
	}()
	return func() *abi.Tensor {
		if <-done; problem != nil {
			panic(problem)
		}
		return made
	}
}

// tensor compiles the variant of a kernel with tensor maps. It returns nil if there is none.
func tensor(c *opt.Context, m *ir.Module, f *ir.Func, t *Target, o *Options) *abi.Tensor {
	with, err := t.With(t.Tensor.Profile)
	if err != nil {
		panic(err)
	}
	var list diag.List
	made, own := &abi.Tensor{}, *o
	if o.Report != nil {
		own.Report = new(Report)
		defer func() {
			o.Report.NoTensor, o.Report.Tensor, o.Report.Unmapped = own.Report.NoTensor, own.Report.Tensor, own.Report.Unmapped
		}()
	}
	made.Artefact = compile(c, m, f, with, &own, variant{tensor: made, base: t}, &list)
	if made.Artefact == nil {
		return nil
	}
	return made
}

// hasDoubles reports whether a variant has no tensor maps: wgmma does not multiply float64, but the
// variant's profile has other instructions for it, which the kernel's own does not have. Such a
// variant is for the profile Unmapped, which other devices may have, too.
func (x *compilation) hasDoubles() bool {
	multiplies := func(t *Target) bool {
		p := t.Written()
		return p != nil && slices.ContainsFunc(p.Fragments, func(p ir.FragmentProduct) bool { return p.Left == scalar.F64 })
	}
	if !multiplies(x.t) || multiplies(x.base) || !lower.MultipliesDoubles(x.c, x.m) {
		return false
	}
	with, err := x.t.With(x.t.Tensor.Unmapped)
	if err != nil {
		panic(err)
	}
	if x.t = with; x.o.Report != nil {
		x.o.Report.Unmapped = with.Title()
	}
	return true
}

// tensorPasses promote variables and simplify, so that the lowering sees the tests of loops.
var tensorPasses = []opt.Pass{opt.Inline, opt.Sroa, opt.Mem2Reg, opt.Simplify, opt.Dce}

// lowerTensor lowers the kernel's tiles instead of the pass for all targets, and describes its
// tensor maps.
func (x *compilation) lowerTensor(holds *ir.Property) bool {
	*holds = x.c.Run(x.m, tensorPasses, *holds)
	var maps []lower.TensorMap
	why := "wgmma rounds otherwise than -math=strict has it"
	if x.o.Math != MathStrict || lower.MultipliesByFMA(x.m, x.f) {
		maps, why = x.t.Tensor.Lower(x.c, x.m, x.f)
	}
	if x.o.Report != nil {
		x.o.Report.NoTensor = why
	}
	if why != "" {
		return false
	}
	*holds &^= ir.Promoted | ir.NoPrivate | ir.AsWritten
	for n := range x.info.Workgroup {
		size, _ := x.m.ConstUint(x.f.Workgroup[n])
		x.info.Workgroup[n] = uint32(size)
	}
	bindings, _ := resources(x.m)
	valueAt := func(v ir.Value, offset uint32) abi.ValueAt {
		at := abi.ValueAt{Binding: -1, Offset: offset}
		if x.m.SpaceOf(x.m.Global(v).Type) != ir.Immediate {
			at.Binding = slices.Index(bindings, v)
		}
		return at
	}
	for _, t := range maps {
		made := abi.TensorMap{Binding: slices.Index(bindings, t.Array), Layout: valueAt(t.Layout, t.Offset), Element: t.Element.String(),
			Box: [2]uint32{t.Rows, t.Columns}, Swizzle: t.Swizzle}
		if w := &t.Windows; w.Variable != ir.NoValue {
			at := valueAt(w.Variable, w.Offset)
			made.Windows = &abi.TensorWindows{At: &at}
		} else if w.Is {
			made.Windows = &abi.TensorWindows{Values: w.Values[:]}
		}
		x.variant.tensor.Maps = append(x.variant.tensor.Maps, made)
	}
	return true
}
