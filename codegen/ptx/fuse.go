package ptx

import (
	"strings"
	"sync"

	"github.com/gpuc/gpuc/codegen/flat"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file joins an operation to the one that its result goes to, where PTX has one instruction for both:
//
//	setp.lt.f32 %p2, %r1, %r2; and.pred %p3, %p1, %p2  ─►  setp.lt.and.f32 %p3, %r1, %r2, %p1
//	shr.u32 %r2, %r1, 7; shl.b32 %r3, %r1, 25; or.b32 %r4, %r2, %r3  ─►  shf.r.wrap.b32 %r4, %r1, %r1, 7
//
// ptxas makes one instruction of both by itself. What is saved is text, of which a driver reads each byte whenever a program begins: a hash is mostly
// rotations, of three lines otherwise. There is no mad.wide for addresses in buffers: of mul.wide and add ptxas 12.9 makes one instruction, of mad.wide two or three, LEA and
// LEA.HI.X, and it writes out fewer turns of a loop then.

// fuse joins the operations of the function.
func (e *emitter) fuse() {
	f := e.f
	e.uses, e.defs = grown(e.uses, f.Indices()), grown(e.defs, f.Indices())
	for _, b := range f.Order {
		for i := f.First(b); i != 0; i = f.Next(i) {
			e.read = f.AppendReads(e.read[:0], i)
			for _, o := range e.read {
				if !o.IsConst() {
					e.uses[f.Index(o)]++
				}
			}
		}
	}
	for _, b := range f.Order {
		e.current = b
		for i := f.First(b); i != 0; i = f.Next(i) {
			switch o := f.Op(i); o {
			case flat.Op(op.And), flat.Op(op.Or):
				if f.Kind(i) == scalar.Bool {
					e.fuseComparison(i, o == flat.Op(op.Or))
				} else if o == flat.Op(op.Or) {
					e.fuseShifts(i)
				}
			}
			for _, r := range f.Results(i) {
				e.defs[f.Index(r)] = definition{b, i}
			}
		}
	}
}

// definition is where a register is assigned.
type definition struct {
	block flat.Block
	i     flat.Inst
}

// alone returns the instruction of the block in hand that makes a register for one use alone, or 0.
func (e *emitter) alone(o flat.Operand) flat.Inst {
	if o.IsConst() {
		return 0
	}
	n := e.f.Index(o)
	if d := e.defs[n]; d.block == e.current && e.uses[n] == 1 {
		return d.i
	}
	return 0
}

// fuseComparison makes a conjunction or disjunction of a comparison one instruction with it.
func (e *emitter) fuseComparison(i flat.Inst, or bool) {
	f := e.f
	for n := 1; n >= 0; n-- {
		comparison := e.alone(f.Arg(i, n))
		if comparison == 0 || f.Op(comparison) >= flat.Join || joinedForms()[0][f.Op(comparison)][f.Kind(comparison)] == "" {
			continue
		}
		o := flat.Op(compareAnd)
		if or {
			o = compareOr
		}
		f.Rewrite(i, o, f.Kind(comparison), f.Arg(comparison, 0), f.Arg(comparison, 1), f.Arg(i, 1-n))
		f.SetAux(i, uint32(f.Op(comparison)))
		f.Remove(e.current, comparison)
		return
	}
}

// fuseShifts makes a number that is shifted both ways, by 32 bits together, one that is turned.
func (e *emitter) fuseShifts(i flat.Inst) {
	f := e.f
	right, left := e.alone(f.Arg(i, 0)), e.alone(f.Arg(i, 1))
	if right != 0 && f.Op(right) == flat.Op(op.Shl) {
		right, left = left, right
	}
	if right == 0 || left == 0 || f.Op(right) != flat.Op(op.Shr) || f.Kind(right) != scalar.U32 || f.Op(left) != flat.Op(op.Shl) ||
		f.Arg(right, 0) != f.Arg(left, 0) || f.Arg(right, 0).IsConst() || !f.Arg(right, 1).IsConst() || !f.Arg(left, 1).IsConst() {
		return
	}
	if by := f.Bits(f.Arg(right, 1)); by == 0 || by >= 32 || by+f.Bits(f.Arg(left, 1)) != 32 {
		return
	}
	f.Rewrite(i, rotateRight, scalar.U32, f.Arg(right, 0), f.Arg(right, 1))
	f.Remove(e.current, right)
	f.Remove(e.current, left)
}

// joinedForms are the templates of comparisons, by what joins them to a predicate: and, or.
var joinedForms = sync.OnceValue(func() *[2]forms {
	joined := new([2]forms)
	all := wgslForms() // of which comparisons are the same in each mode
	for o := range all {
		for k, text := range all[o] {
			if rest, ok := strings.CutPrefix(text, "setp."); ok && !strings.Contains(rest, ";") {
				relation, operands, _ := strings.Cut(rest, ".")
				for n, by := range [...]string{"and", "or"} {
					joined[n][o][k] = "setp." + relation + "." + by + "." + operands + ", $c"
				}
			}
		}
	}
	return joined
})
