package flat

import (
	"fmt"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// Verify says what is wrong with a function, or nothing: every register is assigned once,
// before it is read whatever way the function takes; every block ends in its
// only terminator; edges pass as many values as their block has parameters, of their
// classes; memory operands name a symbol or a base of the right width, and no more elements
// than the alignment carries; operands of the IR's operations have their kind's class.
func (f *Func) Verify() error {
	v := verifier{f: f, defined: make([]Block, f.indices()), place: make([]int, f.indices()), in: make(map[Block]int, len(f.Order))}
	for n, b := range f.Order {
		if _, twice := v.in[b]; twice {
			return fmt.Errorf("block b%d stands twice in the order", b)
		}
		v.in[b] = n
	}
	v.blocks()
	if v.err == nil {
		v.dominators()
	}
	if v.err == nil {
		v.uses()
	}
	return v.err
}

type verifier struct {
	f       *Func
	err     error
	in      map[Block]int // a block's place in Order
	defined []Block       // by register: the block that assigns it, plus one
	place   []int         // by register: the instruction's place in that block, -1 for parameters
	idom    []int         // by place in Order
}

func (v *verifier) fail(i Inst, format string, args ...any) {
	if v.err == nil {
		v.err = fmt.Errorf("%s: %s", v.f.InstText(i), fmt.Sprintf(format, args...))
	}
}

func (v *verifier) define(b Block, place int, r Operand, what string) {
	f := v.f
	if r == NoOperand || r.IsConst() || r.Number() == 0 || r.Number() >= f.count[r.Class()] {
		v.err = fmt.Errorf("b%d: %s is no register", b, what)
		return
	}
	n := f.index(r)
	if v.defined[n] != 0 {
		v.err = fmt.Errorf("b%d: %s is assigned twice", b, f.OperandString(r))
	}
	v.defined[n], v.place[n] = b+1, place
}

// blocks looks at the shape of blocks and instructions, and notes what is assigned where.
func (v *verifier) blocks() {
	f := v.f
	for _, p := range f.Params {
		v.define(f.Order[0], -1, p, "a parameter")
	}
	for _, b := range f.Order {
		for _, p := range f.BlockParams(b) {
			v.define(b, -1, p, "a parameter")
		}
		place := 0
		for i := f.First(b); i != 0; i = f.Next(i) {
			if (i == f.Last(b)) != f.Op(i).Ends() {
				v.fail(i, "a block ends here, or does not")
			}
			v.shape(i)
			for _, r := range f.Results(i) {
				v.define(b, place, r, "a result")
			}
			place++
		}
		if f.First(b) == 0 {
			v.err = fmt.Errorf("b%d is empty", b)
		}
	}
}

// comparisons give a predicate, and select's first operand is one.
func (v *verifier) shape(i Inst) {
	f := v.f
	o, k := f.Op(i), f.Kind(i)
	for _, e := range f.Edges(i) {
		if _, has := v.in[e.To]; !has {
			v.fail(i, "b%d is not in the order", e.To)
			return
		}
		params, args := f.BlockParams(e.To), f.EdgeArgs(e)
		if len(params) != len(args) {
			v.fail(i, "b%d has %d parameters", e.To, len(params))
			return
		}
		for n := range params {
			if f.classOf(args[n]) != params[n].Class() {
				v.fail(i, "%s is passed to %s", f.OperandString(args[n]), f.OperandString(params[n]))
			}
		}
	}
	if hasMemory(o) {
		v.memory(i)
		return
	}
	switch op.Op(o) {
	case op.Add, op.Sub, op.Mul, op.Div, op.Rem, op.Min, op.Max, op.And, op.Or, op.Xor, op.Neg, op.Not, op.Abs,
		op.Eq, op.Ne, op.Lt, op.Le, op.Gt, op.Ge, op.Convert:
		for _, a := range f.Args(i) {
			if f.classOf(a) != ClassOf(k) || a.IsConst() && f.KindOf(a) != k && !bothIntegers(f.KindOf(a), k) {
				v.fail(i, "%s is no %v", f.OperandString(a), k)
			}
		}
	case op.Select:
		if args := f.Args(i); len(args) != 3 || f.classOf(args[0]) != Predicate || f.classOf(args[1]) != f.classOf(args[2]) ||
			f.classOf(args[1]) != f.Result(i).Class() {
			v.fail(i, "a choice is by a predicate of two like operands")
		}
	}
	if to := f.To(i); (to != scalar.None) != (o == Op(op.Convert)) || to != scalar.None && f.Result(i).Class() != ClassOf(to) {
		v.fail(i, "it makes another kind")
	}
}

// bothIntegers reports whether an operation on one kind can name a constant of the other: how
// an integer is spelled does not depend on its sign.
func bothIntegers(a, b scalar.Kind) bool { return a.IsInteger() && b.IsInteger() }

func (v *verifier) memory(i Inst) {
	f := v.f
	m := f.Memory(i)
	switch {
	case f.insts[i].memory == 0:
		v.fail(i, "it names no memory")
	case m.Base == NoOperand && (m.Symbol == 0 || int(m.Symbol) >= len(f.Symbols)):
		v.fail(i, "there is no such symbol")
	case m.Base != NoOperand && m.Symbol != 0:
		v.fail(i, "it has a base and a symbol")
	case m.Base != NoOperand && m.Base.Class() != Word && m.Base.Class() != Long:
		v.fail(i, "the base is no address")
	case m.Align&(m.Align-1) != 0 || m.Align == 0:
		v.fail(i, "the alignment is no power of two")
	case m.Space == ir.Handle || m.Space == ir.Function:
		v.fail(i, "machines have no such space")
	case m.Kind == scalar.Bool:
		v.fail(i, "memory holds no bools")
	}
	elements := f.Results(i)
	if f.Op(i) == Op(op.Store) {
		elements = f.Args(i)
	}
	if f.Op(i) == Op(op.Load) || f.Op(i) == Op(op.Store) {
		n := len(elements)
		if n != 1 && n != 2 && n != 4 || n > 1 && uint32(n*m.Kind.Bytes()) > m.Align {
			v.fail(i, "%d elements are not accessed at once", n)
		}
	}
	for _, o := range elements {
		if f.classOf(o) != ClassOf(m.Kind) {
			v.fail(i, "%s is no %v", f.OperandString(o), m.Kind)
		}
	}
}

// dominators finds each block's immediate dominator (Cooper, Harvey and Kennedy, "A
// Simple, Fast Dominance Algorithm", 2001).
func (v *verifier) dominators() {
	f := v.f
	order := make([]int, 0, len(f.Order)) // places, reverse postorder
	number := make([]int, len(f.Order))   // of a place in it
	seen := make([]bool, len(f.Order))
	var post func(at int)
	post = func(at int) {
		seen[at] = true
		for _, e := range f.Edges(f.Last(f.Order[at])) {
			if to := v.in[e.To]; !seen[to] {
				post(to)
			}
		}
		order = append(order, at)
	}
	post(0)
	if len(order) != len(f.Order) {
		v.err = fmt.Errorf("%d of %d blocks are never reached", len(f.Order)-len(order), len(f.Order))
		return
	}
	preds := make([][]int, len(f.Order))
	for at, b := range f.Order {
		for _, e := range f.Edges(f.Last(b)) {
			preds[v.in[e.To]] = append(preds[v.in[e.To]], at)
		}
	}
	for n, at := range order {
		number[at] = len(order) - 1 - n
	}
	v.idom = make([]int, len(f.Order))
	for n := range v.idom {
		v.idom[n] = -1
	}
	v.idom[0] = 0
	for changed := true; changed; {
		changed = false
		for n := len(order) - 2; n >= 0; n-- {
			at, found := order[n], -1
			for _, p := range preds[at] {
				if v.idom[p] < 0 {
					continue
				}
				if found < 0 {
					found = p
					continue
				}
				for q := p; q != found; {
					if number[q] > number[found] {
						q = v.idom[q]
					} else {
						found = v.idom[found]
					}
				}
			}
			if v.idom[at] != found {
				v.idom[at], changed = found, true
			}
		}
	}
}

// dominates reports whether every way to a block goes through another one.
func (v *verifier) dominates(a, b int) bool {
	for b != a && b != 0 {
		b = v.idom[b]
	}
	return a == b
}

// uses checks that what is read has been assigned.
func (v *verifier) uses() {
	f := v.f
	for at, b := range f.Order {
		place := 0
		for i := f.First(b); i != 0; i = f.Next(i) {
			read := func(o Operand) {
				if o == NoOperand || o.IsConst() {
					return
				}
				n := f.index(o)
				if v.defined[n] == 0 {
					v.fail(i, "%s is never assigned", f.OperandString(o))
					return
				}
				if def := v.defined[n] - 1; def == b && v.place[n] >= place || def != b && !v.dominates(v.in[def], at) {
					v.fail(i, "%s may not be assigned yet", f.OperandString(o))
				}
			}
			for _, o := range f.Args(i) {
				read(o)
			}
			if hasMemory(f.Op(i)) {
				read(f.Memory(i).Base)
				read(f.Memory(i).Index)
			}
			for _, e := range f.Edges(i) {
				for _, o := range f.EdgeArgs(e) {
					read(o)
				}
			}
			place++
		}
	}
}
