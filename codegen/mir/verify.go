package mir

import (
	"fmt"
	"slices"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// Verify returns what is wrong with a function, or nil. These rules hold:
//
//   - every register is assigned once, and before it is read on every path
//   - every block ends in its only terminator
//   - edges pass as many values as their block has parameters, of their classes
//   - memory operands name a symbol or a base of the right width
//   - memory operands have no more elements than the alignment carries
//   - operands of the IR's operations have the class of their kind
func (f *Func) Verify() error {
	if len(f.Order) == 0 {
		return fmt.Errorf("the function has no blocks")
	}
	for n, s := range f.Symbols[1:] {
		if s.Align == 0 || s.Align&(s.Align-1) != 0 {
			return fmt.Errorf("symbol %d: the alignment is no power of two", n+1)
		}
	}
	v := verifier{f: f, defined: make([]Block, f.Indices()), position: make([]int, f.Indices()), in: make(map[Block]int, len(f.Order))}
	for n, b := range f.Order {
		if _, twice := v.in[b]; twice {
			return fmt.Errorf("block b%d is twice in the order", b)
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
	f        *Func
	err      error
	in       map[Block]int // a block's index in Order
	defined  []Block       // by register: the block that assigns it, plus one
	position []int         // by register: the instruction's index in that block, -1 for parameters
	idom     []int         // by index in Order
	handles  []ir.Value    // the module's textures and samplers, once an instruction names some
}

func (v *verifier) fail(i Inst, format string, args ...any) {
	if v.err == nil {
		v.err = fmt.Errorf("%s: %s", v.f.InstText(i), fmt.Sprintf(format, args...))
	}
}

func (v *verifier) define(b Block, position int, r Operand, what string) {
	f := v.f
	if r == NoOperand || r.IsConst() || r.Number() == 0 || r.Number() >= f.count[r.Class()] {
		v.err = fmt.Errorf("b%d: %s is no register", b, what)
		return
	}
	n := f.Index(r)
	if v.defined[n] != 0 {
		v.err = fmt.Errorf("b%d: %s is assigned twice", b, f.OperandString(r))
	}
	v.defined[n], v.position[n] = b+1, position
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
		position := 0
		for i := f.First(b); i != 0 && v.err == nil; i = f.Next(i) {
			if (i == f.Last(b)) != f.Op(i).Ends() {
				v.fail(i, "a block ends here, or does not")
			}
			if v.counts(i) {
				v.shape(i)
			}
			for _, r := range f.Results(i) {
				v.define(b, position, r, "a result")
			}
			position++
		}
		if f.First(b) == 0 {
			v.err = fmt.Errorf("b%d is empty", b)
		}
	}
}

// count is the minimum and maximum number of operands or results of an operation.
type count struct{ min, max int }

// anyCount is that of calls and returns, and of what a machine has of its own.
var anyCount = count{0, 1 << 20}

// specialCounts are those of operations whose operands the signature in package op does not say,
// and of the machine level's own: operands, and results. What is not here and has no regular
// signature is no operation of the machine level.
var specialCounts = [MachineOps]struct{ args, results count }{
	op.Select:                {count{3, 3}, count{1, 1}},
	op.Convert:               {count{1, 1}, count{1, 1}},
	op.Load:                  {count{}, count{1, maxLanes}},
	op.Store:                 {count{1, maxLanes}, count{}},
	op.AtomicLoad:            {count{}, count{0, 1}},
	op.AtomicStore:           {count{1, 1}, count{}},
	op.AtomicReadModifyWrite: {count{1, 1}, count{0, 1}},
	op.AtomicCompareExchange: {count{2, 2}, count{0, 1}},
	op.Call:                  {anyCount, anyCount},
	Join:                     {count{2, 4}, count{1, 1}},
	Split:                    {count{1, 1}, count{2, 4}},
	MulWide:                  {count{2, 2}, count{1, 1}},
	Builtin:                  {count{}, count{1, 1}},
	BindingAddress:           {count{}, count{1, 1}},
	BindingLength:            {count{}, count{1, 1}},
	SymbolAddress:            {count{}, count{1, 1}},
	Branch:                   {count{1, 1}, count{}},
	Return:                   {anyCount, count{}},
}

// countsOf returns how many operands and results an operation has; ok is false if it is none of
// the machine level.
func countsOf(o Op) (args, results count, ok bool) {
	switch {
	case o >= MachineOps, IsTexture(o): // see verifier.texture
		return anyCount, anyCount, true
	case o == Op(op.ControlBarrier), o == Jump, o == Trap:
		return count{}, count{}, true
	case specialCounts[o].args != count{} || specialCounts[o].results != count{}:
		return specialCounts[o].args, specialCounts[o].results, true
	}
	s := op.SignatureOf(op.Op(o))
	if s.Special != "" {
		return count{}, count{}, false
	}
	n := 0
	for _, p := range s.Operands[:s.Count] {
		n += max(int(p.Shape), 1)
	}
	args, r := count{n, n}, max(int(s.Result.Shape), 1)
	if s.Vector && !s.Scalar { // of any width
		args = count{2 * n, 4 * n}
	}
	return args, count{r, r}, true
}

func (c count) has(n int) bool { return n >= c.min && n <= c.max }

// counts checks how many operands and results an instruction has, without which nothing else of
// it can be asked for.
func (v *verifier) counts(i Inst) bool {
	f := v.f
	args, results, ok := countsOf(f.Op(i))
	switch {
	case !ok:
		v.fail(i, "the machine level has no such operation")
	case !args.has(len(f.Args(i))):
		v.fail(i, "it has %d operands", len(f.Args(i)))
	case !results.has(len(f.Results(i))):
		v.fail(i, "it has %d results", len(f.Results(i)))
	case slices.Contains(f.Args(i), NoOperand):
		v.fail(i, "an operand is none")
	}
	return v.err == nil
}

// shape checks one instruction by itself: edges, memory, and the classes of operands and results.
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
	if HasMemory(o) {
		v.memory(i)
		return
	}
	switch {
	case IsTexture(o):
		v.texture(i)
	case o == Branch:
		v.operand(i, f.Arg(i, 0), scalar.Bool)
	case o == Op(op.Convert):
		v.operand(i, f.Arg(i, 0), k)
	case o == Op(op.Select):
		if args := f.Args(i); f.classOf(args[0]) != Predicate || f.classOf(args[1]) != f.classOf(args[2]) ||
			f.classOf(args[1]) != f.Result(i).Class() {
			v.fail(i, "a choice is by a predicate of two like operands")
		}
	case o == MulWide:
		for _, a := range f.Args(i) {
			v.operand(i, a, k)
		}
		if ClassOf(k) != Word || f.Result(i).Class() != Long {
			v.fail(i, "a wide product is one of words")
		}
	case o == Join:
		v.parts(i, f.Result(i), f.Args(i))
	case o == Split:
		v.parts(i, f.Arg(i, 0), f.Results(i))
	case o == SymbolAddress && (f.Aux(i) == 0 || int(f.Aux(i)) >= len(f.Symbols)):
		v.fail(i, "there is no such symbol")
	case o < Join && !IsTexture(o) && op.SignatureOf(op.Op(o)).Special == "":
		v.regular(i)
	}
	if to := f.To(i); (to != scalar.None) != (o == Op(op.Convert)) || to != scalar.None && f.Result(i).Class() != ClassOf(to) {
		v.fail(i, "it makes another kind")
	}
}

// bothIntegers reports whether an operation on one kind can name a constant of the other: how
// an integer is spelled does not depend on its sign.
func bothIntegers(a, b scalar.Kind) bool { return a.IsInteger() && b.IsInteger() }

// parts checks that the parts of a scalar of the instruction's kind are alike, and together as
// wide.
func (v *verifier) parts(i Inst, whole Operand, parts []Operand) {
	f := v.f
	v.operand(i, whole, f.Kind(i))
	bits := 0
	for _, p := range parts {
		if f.classOf(p) != f.classOf(parts[0]) {
			v.fail(i, "the parts are not alike")
		}
		bits += f.KindOf(p).Bits()
	}
	if bits != f.Kind(i).Bits() {
		v.fail(i, "the parts have %d bits", bits)
	}
}

// regular checks an instruction whose operation has a regular signature.
func (v *verifier) regular(i Inst) {
	f := v.f
	s := op.SignatureOf(op.Op(f.Op(i)))
	of := func(p op.Pattern) scalar.Kind {
		if p.Kind == scalar.None {
			return f.Kind(i)
		}
		return p.Kind
	}
	if s.Class != op.NoClass && !s.Class.Contains(f.Kind(i)) {
		v.fail(i, "the operation has no %v", f.Kind(i))
	}
	each := len(f.Args(i)) / max(s.Count, 1) // scalars of each operand
	for n, a := range f.Args(i) {
		v.operand(i, a, of(s.Operands[n/each]))
	}
	for _, r := range f.Results(i) {
		if r.Class() != ClassOf(of(s.Result)) {
			v.fail(i, "%s is no %v", f.OperandString(r), of(s.Result))
		}
	}
}

// operand checks that an operand is of a kind.
func (v *verifier) operand(i Inst, a Operand, k scalar.Kind) {
	f := v.f
	if f.classOf(a) != ClassOf(k) || a.IsConst() && f.KindOf(a) != k && !bothIntegers(f.KindOf(a), k) {
		v.fail(i, "%s is no %v", f.OperandString(a), k)
	}
}

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
	case m.Kind == scalar.Bool || ClassOf(m.Kind) == NoClass:
		v.fail(i, "memory holds no %v", m.Kind)
	case m.Symbol != 0 && memorySpace(f.Symbols[m.Symbol].Space) != m.Space:
		v.fail(i, "the symbol is in another space")
	}
	elements := f.Results(i)
	if f.Op(i) == Op(op.Store) {
		elements = f.Args(i)
	}
	if f.Op(i) == Op(op.Load) || f.Op(i) == Op(op.Store) {
		n := len(elements)
		if bytes := n * m.Kind.Bytes(); n&(n-1) != 0 || n > 1 && (bytes > 16 || uint32(bytes) > m.Align) {
			v.fail(i, "%d elements are not accessed at once", n)
		}
	}
	for _, operands := range [...][]Operand{f.Args(i), f.Results(i)} {
		for _, o := range operands {
			if f.classOf(o) != ClassOf(m.Kind) {
				v.fail(i, "%s is no %v", f.OperandString(o), m.Kind)
			}
		}
	}
}

// memorySpace returns the space in which memory operands name a symbol: a function's variables are
// private.
func memorySpace(s ir.Space) ir.Space {
	if s == ir.Function {
		return ir.Private
	}
	return s
}

// dominators finds each block's immediate dominator (Cooper, Harvey and Kennedy, "A
// Simple, Fast Dominance Algorithm", 2001).
func (v *verifier) dominators() {
	f := v.f
	order := make([]int, 0, len(f.Order)) // indices, in reverse postorder
	number := make([]int, len(f.Order))   // of an index in it
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
		position := 0
		for i := f.First(b); i != 0; i = f.Next(i) {
			read := func(o Operand) {
				if o == NoOperand || o.IsConst() {
					return
				}
				n := f.Index(o)
				if v.defined[n] == 0 {
					v.fail(i, "%s is never assigned", f.OperandString(o))
					return
				}
				if def := v.defined[n] - 1; def == b && v.position[n] >= position || def != b && !v.dominates(v.in[def], at) {
					v.fail(i, "%s may not be assigned yet", f.OperandString(o))
				}
			}
			for _, o := range f.Args(i) {
				read(o)
			}
			if HasMemory(f.Op(i)) {
				read(f.Memory(i).Base)
				read(f.Memory(i).Index)
			}
			for _, e := range f.Edges(i) {
				for _, o := range f.EdgeArgs(e) {
					read(o)
				}
			}
			position++
		}
	}
}
