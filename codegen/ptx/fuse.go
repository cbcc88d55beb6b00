package ptx

import (
	"strings"
	"sync"

	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/codegen/workaround"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
)

// This file joins an operation to the one that its result goes to, where PTX has one instruction
// for both:
//
//	setp.lt.f32 %p2, %r1, %r2; and.pred %p3, %p1, %p2  ─►  setp.lt.and.f32 %p3, %r1, %r2, %p1
//	shr.u32 %r2, %r1, 7; shl.b32 %r3, %r1, 25; or.b32 %r4, %r2, %r3
//	                                            ─►  shf.r.wrap.b32 %r4, %r1, %r1, 7
//	xor.b32 %r4, %r1, %r2; xor.b32 %r5, %r4, %r3       ─►  lop3.b32 %r5, %r1, %r2, %r3, 150
//	dp4a.u32.u32 %r3, %r1, %r2, 0; add.u32 %r5, %r3, %r4
//	                                            ─►  dp4a.u32.u32 %r5, %r1, %r2, %r4
//
// ptxas fuses the first two by itself, not all of the third (findSummed), and not the last. The
// gain is shorter text, which a driver reads whenever a program begins: a hash is mostly rotations,
// of three lines otherwise. Addresses in buffers have no mad.wide: ptxas makes more instructions of
// it than of mul.wide and add, and unrolls loops less.

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
	e.findSummed()
	for _, b := range f.Order {
		e.current = b
		for i := f.First(b); i != 0; i = f.Next(i) {
			switch o := f.Op(i); o {
			case mir.Op(op.Add):
				e.fuseDot(i)
			case mir.Op(op.And), mir.Op(op.Or), mir.Op(op.Xor):
				switch k := f.Kind(i); {
				case k == scalar.Bool && o != mir.Op(op.Xor):
					e.fuseComparison(i, o == mir.Op(op.Or))
				case k != scalar.U32 && k != scalar.I32:
				case o == mir.Op(op.Or) && e.fuseShifts(i):
				case e.summed[f.Index(f.Result(i))]:
					e.fuseLogic(i)
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
	block mir.Block
	i     mir.Inst
}

// singleUse returns the instruction of the current block that defines a register, if that has one
// use, or 0.
func (e *emitter) singleUse(o mir.Operand) mir.Inst {
	if i := e.definition(o); i != 0 && e.uses[e.f.Index(o)] == 1 {
		return i
	}
	return 0
}

// fuseDot makes a sum with a dot product of bytes one instruction.
func (e *emitter) fuseDot(i mir.Inst) {
	f := e.f
	for n := range 2 {
		dot, k := e.singleUse(f.Arg(i, n)), scalar.U32
		if dot == 0 || f.Op(dot) != mir.Op(op.Dot4U8) && f.Op(dot) != mir.Op(op.Dot4I8) {
			continue
		}
		if f.Op(dot) == mir.Op(op.Dot4I8) {
			k = scalar.I32
		}
		f.Rewrite(i, dotAdd, k, f.Arg(dot, 0), f.Arg(dot, 1), f.Arg(i, 1-n))
		f.Remove(e.current, dot)
		return
	}
}

// fuseComparison makes a conjunction or disjunction of a comparison one instruction with it.
func (e *emitter) fuseComparison(i mir.Inst, or bool) {
	f := e.f
	for n := 1; n >= 0; n-- {
		comparison := e.singleUse(f.Arg(i, n))
		if comparison == 0 || f.Op(comparison) >= mir.Join || joinedForms()[0][f.Op(comparison)][f.Kind(comparison)] == "" {
			continue
		}
		o := mir.Op(compareAnd)
		if or {
			o = compareOr
		}
		f.Rewrite(i, o, f.Kind(comparison), f.Arg(comparison, 0), f.Arg(comparison, 1), f.Arg(i, 1-n))
		f.SetAux(i, uint32(f.Op(comparison)))
		f.Remove(e.current, comparison)
		return
	}
}

// fuseShifts makes a rotation of a value that is shifted in both directions, by 32 bits together,
// and reports whether it is one.
func (e *emitter) fuseShifts(i mir.Inst) bool {
	f := e.f
	right, left := e.singleUse(f.Arg(i, 0)), e.singleUse(f.Arg(i, 1))
	if right != 0 && f.Op(right) == mir.Op(op.Shl) {
		right, left = left, right
	}
	if right == 0 || left == 0 || f.Op(right) != mir.Op(op.Shr) || f.Kind(right) != scalar.U32 || f.Op(left) != mir.Op(op.Shl) ||
		f.Arg(right, 0) != f.Arg(left, 0) || f.Arg(right, 0).IsConst() || !f.Arg(right, 1).IsConst() || !f.Arg(left, 1).IsConst() {
		return false
	}
	if by := f.Bits(f.Arg(right, 1)); by == 0 || by >= 32 || by+f.Bits(f.Arg(left, 1)) != 32 {
		return false
	}
	f.Rewrite(i, rotateRight, scalar.U32, f.Arg(right, 0), f.Arg(right, 1))
	f.Remove(e.current, right)
	f.Remove(e.current, left)
	return true
}

// logic is a bitwise function of at most three operands. Its table has the results for the bits 1 1
// 1, 1 1 0 and so on to 0 0 0, from the highest bit (PTX ISA, lop3).
type logic struct {
	inputs [3]mir.Operand
	count  int
}

// columns are the tables of the inputs themselves.
var columns = [3]uint8{0xF0, 0xCC, 0xAA}

// add returns the table of an input, which it adds if there is room.
func (l *logic) add(o mir.Operand) (table uint8, ok bool) {
	for n, x := range l.inputs[:l.count] {
		if x == o {
			return columns[n], true
		}
	}
	if l.count == len(l.inputs) || o.IsConst() {
		return 0, false
	}
	l.inputs[l.count] = o
	l.count++
	return columns[l.count-1], true
}

// operand returns the table of an operand: as an input, or by what the instruction that makes it,
// unless that is 0, makes of others.
func (e *emitter) operand(l *logic, o mir.Operand, by mir.Inst) (table uint8, ok bool) {
	if by == 0 {
		return l.add(o)
	}
	f := e.f
	var in [3]uint8
	for n, x := range f.Args(by) {
		if in[n], ok = l.add(x); !ok {
			return 0, false
		}
	}
	if f.Op(by) != logic3 {
		return bitwise(f.Op(by), in[0], in[1]), true
	}
	for bit := range 8 {
		at := in[0]>>bit&1<<2 | in[1]>>bit&1<<1 | in[2]>>bit&1
		table |= uint8(f.Aux(by)) >> at & 1 << bit
	}
	return table, true
}

func bitwise(o mir.Op, x, y uint8) uint8 {
	switch op.Op(o) {
	case op.And:
		return x & y
	case op.Or:
		return x | y
	}
	return x ^ y
}

// findSummed finds the results of logical operations that go into sums alone, maybe through others
// of the kind, as those of hashes do. Only these become functions of three values. The assembler
// makes the others itself.
func (e *emitter) findSummed() {
	f := e.f
	e.summed = grown(e.summed, f.Indices())
	for _, b := range f.Order {
		for i := f.First(b); i != 0; i = f.Next(i) {
			if o := f.Op(i); isLogic(o) && (f.Kind(i) == scalar.U32 || f.Kind(i) == scalar.I32) {
				e.summed[f.Index(f.Result(i))] = true
			} else if e.Workarounds.Has(workaround.PTXASLop3) && (o == mir.Op(op.Eq) || o == mir.Op(op.Ne)) && (e.isZero(f.Arg(i, 0)) || e.isZero(f.Arg(i, 1))) {
				clear(e.summed)
				return
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for _, b := range f.Order {
			for i := f.First(b); i != 0; i = f.Next(i) {
				o := f.Op(i)
				if o == mir.Op(op.Add) || isLogic(o) && e.summed[f.Index(f.Result(i))] {
					continue
				}
				e.read = f.AppendReads(e.read[:0], i)
				for _, x := range e.read {
					if !x.IsConst() && e.summed[f.Index(x)] {
						e.summed[f.Index(x)], changed = false, true
					}
				}
			}
		}
	}
}

func (e *emitter) isZero(o mir.Operand) bool { return o.IsConst() && e.f.Bits(o) == 0 }

// fuseLogic makes one function of a logical operation and of those that define its operands, or one
// of them. These may have other uses, if they are functions of the same inputs: the majority
// functions of two rounds of a hash share an operation.
func (e *emitter) fuseLogic(i mir.Inst) {
	f := e.f
	var makes [2]mir.Inst
	for n := range makes {
		m := e.definition(f.Arg(i, n))
		if m == 0 || !isLogic(f.Op(m)) {
			continue
		}
		for _, x := range f.Args(m) {
			// a difference in the text (rows.go), which ptxas makes part of one function of both
			if not := e.definition(x); not != 0 && f.Op(not) == mir.Op(op.Not) {
				return
			}
		}
		makes[n] = m
	}
	for _, by := range [...][2]mir.Inst{makes, {0, makes[1]}, {makes[0], 0}} {
		if by == [2]mir.Inst{} {
			continue
		}
		var l logic
		x, ok := e.operand(&l, f.Arg(i, 0), by[0])
		if !ok {
			continue
		}
		y, ok := e.operand(&l, f.Arg(i, 1), by[1])
		if !ok {
			continue
		}
		for l.count < len(l.inputs) { // which the table does not depend on
			l.inputs[l.count] = l.inputs[0]
			l.count++
		}
		table := bitwise(f.Op(i), x, y)
		e.addUses(l.inputs[:], 1)
		e.addUses(f.Args(i), -1)
		f.Rewrite(i, logic3, scalar.U32, l.inputs[:]...)
		f.SetAux(i, uint32(table))
		for _, m := range by {
			if m != 0 && e.uses[f.Index(f.Result(m))] == 0 {
				e.addUses(f.Args(m), -1)
				f.Remove(e.current, m)
			}
		}
		return
	}
}

// definition returns the instruction of the current block that defines a register, or 0.
func (e *emitter) definition(o mir.Operand) mir.Inst {
	if o.IsConst() {
		return 0
	}
	if d := e.defs[e.f.Index(o)]; d.block == e.current {
		return d.i
	}
	return 0
}

// addUses adds to the numbers of uses of operands.
func (e *emitter) addUses(list []mir.Operand, by int32) {
	for _, o := range list {
		if !o.IsConst() {
			e.uses[e.f.Index(o)] += uint32(by)
		}
	}
}

func isLogic(o mir.Op) bool {
	return o == logic3 || o == mir.Op(op.And) || o == mir.Op(op.Or) || o == mir.Op(op.Xor)
}

// joinedForms are the templates of comparisons, by what joins them to a predicate: and, or.
var joinedForms = sync.OnceValue(func() *[2]forms {
	joined := new([2]forms)
	all := formsOf(opt.MathWGSL, workaround.All) // comparisons are the same in all forms
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
