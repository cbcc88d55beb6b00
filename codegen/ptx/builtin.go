package ptx

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file computes the builtin values from PTX's special registers. The
// workgroup size is a constant of the module, so multiplications by it are too.

// builtinParams finds which components of the kernel's parameters are used and
// emits those.
func (e *emitter) builtinParams() {
	params := e.f.Params(e.f.Entry)
	if len(params) == 0 {
		return
	}
	used := make([]uint8, len(params)) // bits by component
	e.usedComponents(e.f.Entry, params, used)
	e.swap()
	for n, p := range params {
		components := max(e.m.Components(e.f.TypeOf(p)), 1)
		var slots [3]operand
		for c := range components {
			if slots[c] = constantOperand(e.m.ConstU32(0)); used[n]>>c&1 == 1 {
				slots[c] = e.builtin(e.f.Builtins[n], c)
			}
		}
		e.alias(p, slots[:components]...)
	}
	e.swap()
}

func (e *emitter) usedComponents(b ir.Block, params []ir.Value, used []uint8) {
	f := e.f
	for i := f.First(b); i != 0; i = f.Next(i) {
		for n, a := range f.Args(i) {
			if !a.IsLocal() || f.DefBlock(a) != f.Entry {
				continue
			}
			for k, p := range params {
				if a != p {
					continue
				}
				if f.Op(i) != op.Extract || n != 0 {
					used[k] = 7
				} else if at, ok := e.m.ConstIndex(f.TypeOf(p), f.Arg(i, 1)); !ok {
					used[k] = 7
				} else if e.uses[f.Result(i)] > 0 {
					used[k] |= 1 << at
				}
			}
		}
		if f.Op(i).Is(op.Control) {
			for _, inner := range f.Blocks(i) {
				e.usedComponents(ir.Block(inner), params, used)
			}
		}
	}
}

// builtin returns component c of a builtin value, emitting what computes it on
// first use.
func (e *emitter) builtin(b ir.Builtin, c int) operand {
	o := &e.builtins[b][c]
	if *o == noOperand {
		*o = e.compileBuiltin(b, c)
	}
	return *o
}

func (e *emitter) u32(x uint32) operand { return constantOperand(e.m.ConstU32(x)) }

func (e *emitter) compileBuiltin(b ir.Builtin, c int) operand {
	size := e.Info.Workgroup
	switch b {
	case ir.LocalInvocationID:
		if size[c] == 1 {
			return e.u32(0)
		}
		return e.special("%tid.", c)
	case ir.WorkgroupID:
		return e.special("%ctaid.", c)
	case ir.NumWorkgroups:
		return e.special("%nctaid.", c)
	case ir.GlobalInvocationID:
		if size[c] == 1 {
			return e.builtin(ir.WorkgroupID, c)
		}
		return e.mad(e.builtin(ir.WorkgroupID, c), e.u32(size[c]), e.builtin(ir.LocalInvocationID, c))
	case ir.LocalInvocationIndex:
		x := e.builtin(ir.LocalInvocationID, 0)
		if size[1] > 1 {
			x = e.mad(e.builtin(ir.LocalInvocationID, 1), e.u32(size[0]), x)
		}
		if size[2] > 1 {
			x = e.mad(e.builtin(ir.LocalInvocationID, 2), e.u32(size[0]*size[1]), x)
		}
		return x
	case ir.SubgroupInvocationID:
		r := e.fresh(word)
		e.expand("mov.u32 $d, %laneid", arguments{scalar.U32, []operand{r}, nil})
		return r
	case ir.SubgroupSize:
		return e.u32(warp)
	case ir.SubgroupID:
		index := e.builtin(ir.LocalInvocationIndex, 0)
		r := e.fresh(word)
		e.expand("shr.u32 $d, $a, 5", arguments{scalar.U32, []operand{r}, []operand{index}})
		return r
	case ir.NumSubgroups:
		return e.u32((size[0]*size[1]*size[2] + warp - 1) / warp)
	case ir.WorkgroupIndex:
		// x + X·(y + Y·z)
		z := e.mad(e.builtin(ir.WorkgroupID, 2), e.builtin(ir.NumWorkgroups, 1), e.builtin(ir.WorkgroupID, 1))
		return e.mad(z, e.builtin(ir.NumWorkgroups, 0), e.builtin(ir.WorkgroupID, 0))
	case ir.GlobalInvocationIndex:
		width := e.product(e.builtin(ir.NumWorkgroups, 0), e.u32(size[0]))
		height := e.product(e.builtin(ir.NumWorkgroups, 1), e.u32(size[1]))
		z := e.mad(e.builtin(ir.GlobalInvocationID, 2), height, e.builtin(ir.GlobalInvocationID, 1))
		return e.mad(z, width, e.builtin(ir.GlobalInvocationID, 0))
	}
	panic("ptx: unknown builtin " + b.String())
}

// special reads a component of a special register.
func (e *emitter) special(name string, c int) operand {
	r := e.fresh(word)
	e.text("\tmov.u32 ")
	e.name(r)
	e.text(", ", name, [...]string{"x", "y", "z"}[c], ";\n")
	return r
}

// mad emits a·b + c, where a is a register.
func (e *emitter) mad(a, b, c operand) operand {
	zero, one := e.u32(0), e.u32(1)
	if a == zero || b == one && c == zero {
		return e.either(a == zero, c, a)
	}
	text := "mad.lo.u32 $d, $a, $b, $c"
	switch {
	case b == one:
		text = "add.u32 $d, $a, $c"
	case c == zero:
		text = "mul.lo.u32 $d, $a, $b"
	}
	r := e.fresh(word)
	e.expand(text, arguments{scalar.U32, []operand{r}, []operand{a, b, c}})
	return r
}

func (e *emitter) either(first bool, a, b operand) operand {
	if first {
		return a
	}
	return b
}

func (e *emitter) product(a, b operand) operand { return e.mad(a, b, e.u32(0)) }
