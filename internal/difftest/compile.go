package difftest

// Compilation of a program's tree to closures.

import (
	"fmt"
	"math"
)

// compiled is a program ready to run.
type compiled struct {
	main           func(*thread)
	resources      []resource
	images         []image
	texelInit      []uint32 // texelWords for each texel
	globalInit     []uint32
	privateInit    []uint32
	workgroupWords int
	stackWords     int
	size, groups   [3]int
	barriers       bool
	lanes          bool // there are operations that depend on the size of subgroups
	anyOrder       bool // Program.AnyOrder
	faults         []*Fault
}

// code computes a value of n leaves. Exactly one of one and many is set, by n.
type code struct {
	n     int
	one   func(*thread) uint32
	many  func(*thread, []uint32)
	fixed []uint32 // the value, where it is known
	slot  int      // where the frame holds the value, or -1
}

type compiler struct {
	p         *Program
	out       *compiled
	m         *machine // runs const-expressions
	t         *thread
	strict    bool              // the operands are known before the run
	lazy      bool              // in an operand that need not be evaluated before the run either
	constants map[*Var][]uint32 // values of const and override declarations
	funcs     map[*Func]*funcCode
	frame     int // leaves of the function being compiled
	deepest   int // leaves below the function's frame that its calls need
	size      [3]int
	result    int // where the function's result goes
	current   *funcCode
}

type funcCode struct {
	params  []int
	result  int
	frame   int
	stack   int // leaves, its calls included
	body    exec
	barrier bool
}

// compileProgram prepares the program's entry point. Errors in const-expressions are faults of
// the compiled program; an error is a tree that is no program.
func compileProgram(p *Program) (out *compiled, err error) {
	defer func() {
		if r := recover(); r != nil {
			if text, ok := r.(string); ok {
				out, err = nil, fmt.Errorf("difftest: %s", text)
				return
			}
			panic(r)
		}
	}()
	out = &compiled{groups: p.Dispatch, anyOrder: p.AnyOrder}
	c := &compiler{p: p, out: out, constants: map[*Var][]uint32{}, funcs: map[*Func]*funcCode{}}
	c.m = &machine{code: out, seen: map[faultKey]bool{}}
	c.t = &thread{m: c.m}
	for _, v := range p.Globals {
		c.global(v)
	}
	for i := range 3 {
		c.size[i] = 1
		if e := p.Entry.Workgroup[i]; e != nil {
			c.size[i] = int(c.known(e)[0])
		}
	}
	out.size = c.size
	if n := c.size[0] * c.size[1] * c.size[2]; n < 1 || n > 256 {
		panic("the workgroup has no allowed size")
	}
	for _, f := range p.Funcs {
		c.funcs[f] = c.function(f)
	}
	main := c.funcs[p.Entry]
	out.barriers = main.barrier
	out.stackWords = main.stack
	out.main = func(t *thread) {
		clear(t.stack[:main.frame])
		for i, v := range p.Entry.Params {
			at := inputOffsets[v.Builtin]
			copy(t.stack[main.params[i]:], t.inputs[at:at+v.Type.leaves()])
		}
		main.body(t)
	}
	out.faults = c.m.faults
	return out, nil
}

// global gives a module-scope declaration its value or memory.
func (c *compiler) global(v *Var) {
	switch v.Kind {
	case ConstVar:
		c.constant(v)
	case OverrideVar:
		if v.Set {
			c.constants[v] = []uint32{v.Value}
			if v.Init != nil {
				c.known(v.Init)
			}
		} else {
			c.constants[v] = c.known(v.Init)
		}
	case MemoryVar:
		if v.Type.Size != nil && c.known(v.Type.Size)[0] != uint32(v.Type.Count) {
			c.m.fault(FaultStatic, v.Type.Size, nil, "an array's size is not what its expression says")
		}
		if v.Type.Kind == Texture {
			c.image(v)
			return
		}
		n := 0
		if v.Type.Count != 0 || v.Type.Kind != Array {
			n = v.Type.leaves()
		}
		switch v.Space {
		case PrivateSpace:
			v.slot = len(c.out.privateInit)
			value := make([]uint32, n)
			if v.Init != nil {
				copy(value, c.known(v.Init))
			}
			c.out.privateInit = append(c.out.privateInit, value...)
		case WorkgroupSpace:
			v.slot = c.out.workgroupWords
			c.out.workgroupWords += n
		default:
			v.slot = len(c.out.globalInit)
			r := resource{v: v, start: v.slot}
			if v.Space == ImmediateSpace {
				v.Data = c.p.Immediates
			}
			r.leaves, r.elements = v.Type.layout(len(v.Data))
			words := make([]uint32, len(r.leaves))
			r.load(words)
			c.out.globalInit = append(c.out.globalInit, words...)
			c.out.resources = append(c.out.resources, r)
		}
	}
}

// image gives a texture variable its texels; its slot is its number.
func (c *compiler) image(v *Var) {
	v.slot = len(c.out.images)
	i := image{v: v, start: len(c.out.texelInit) / texelWords}
	c.out.texelInit = append(c.out.texelInit, make([]uint32, texelWords*v.Texels.texels(v.Type, v.Texels.Levels))...)
	v.Texels.Format.load(i.words(c.out.texelInit), v.Data)
	c.out.images = append(c.out.images, i)
}

func (c *compiler) constant(v *Var) {
	if v.Type.Kind == AbstractInt {
		c.wide(v.Init)
		return
	}
	c.constants[v] = c.known(v.Init)
}

// stage says when an expression's value is known.
type stage uint8

const (
	constStage stage = iota
	overrideStage
	runStage
)

func stageOf(e *Expr) stage {
	s := constStage
	switch e.Op {
	case OpVar:
		switch e.Var.Kind {
		case ConstVar:
			return constStage
		case OverrideVar:
			return overrideStage
		}
		return runStage
	case OpCall, OpDeref, OpAddress:
		return runStage
	case OpBuiltin:
		if !isConstBuiltin(e.Name) {
			return runStage
		}
	}
	for _, a := range e.Args {
		s = max(s, stageOf(a))
		if s == runStage {
			break
		}
	}
	return s
}

// known evaluates an expression whose value is known before the run.
func (c *compiler) known(e *Expr) []uint32 {
	if stageOf(e) == runStage {
		panic("a value has to be known before the run")
	}
	strict, lazy := c.strict, c.lazy
	c.strict, c.lazy = true, false
	frame := c.frame
	x := c.expr(e)
	out := make([]uint32, x.n)
	if len(c.t.stack) < c.frame {
		c.t.stack = make([]uint32, 2*c.frame)
	}
	x.into(c.t, out)
	c.strict, c.lazy, c.frame = strict, lazy, frame
	return out
}

func (x *code) into(t *thread, out []uint32) {
	if x.n == 1 {
		out[0] = x.one(t)
		return
	}
	x.many(t, out)
}

func fixedCode(v []uint32) code {
	if len(v) == 1 {
		w := v[0]
		return code{n: 1, one: func(*thread) uint32 { return w }, fixed: v, slot: -1}
	}
	return code{n: len(v), many: func(_ *thread, out []uint32) { copy(out, v) }, fixed: v, slot: -1}
}

func slotCode(slot, n int) code {
	if n == 1 {
		return code{n: 1, one: func(t *thread) uint32 { return t.stack[t.base+slot] }, slot: slot}
	}
	return code{n: n, many: func(t *thread, out []uint32) { copy(out, t.stack[t.base+slot:t.base+slot+n]) }, slot: slot}
}

func oneCode(f func(*thread) uint32) code { return code{n: 1, one: f, slot: -1} }

func manyCode(n int, f func(*thread, []uint32)) code { return code{n: n, many: f, slot: -1} }

// maker makes code of n leaves from a function that fills out.
func maker(n, temp int, f func(*thread, []uint32)) code {
	if n != 1 {
		return manyCode(n, f)
	}
	return oneCode(func(t *thread) uint32 {
		out := t.stack[t.base+temp : t.base+temp+1]
		f(t, out)
		return out[0]
	})
}

// temp reserves leaves of the frame.
func (c *compiler) temp(n int) int {
	at := c.frame
	c.frame += n
	return at
}

// frameOf is a part of the running function's frame.
func (t *thread) frameOf(at, n int) []uint32 { return t.stack[t.base+at : t.base+at+n] }

// expr compiles an expression to a value: a reference is loaded from.
func (c *compiler) expr(e *Expr) code {
	if e.Op != OpLiteral {
		if s := stageOf(e); !c.strict && s != runStage || c.lazy && s == constStage {
			return fixedCode(c.known(e))
		}
	}
	switch e.Op {
	case OpLiteral:
		return fixedCode([]uint32{e.Bits})
	case OpVar:
		return c.variable(e)
	case OpMember, OpIndex, OpDeref:
		if isReference(e) {
			return c.load(c.reference(e), e)
		}
		return c.part(e)
	case OpSwizzle:
		if isReference(e) && len(e.Name) == 1 {
			return c.load(c.reference(e), e)
		}
		return c.part(e)
	case OpUnary:
		return c.unary(e)
	case OpBinary:
		return c.binary(e)
	case OpConstruct:
		return c.construct(e)
	case OpBitcast:
		return c.bitcast(e)
	case OpBuiltin, OpResult:
		return c.builtin(e)
	case OpCall:
		return c.call(e)
	case OpAddress:
		p := c.reference(e.Args[0])
		return oneCode(func(t *thread) uint32 {
			a := p.at(t)
			if !a.ok {
				t.m.fault(FaultBounds, e, nil, "address outside of its variable")
			}
			return uint32(a.off)
		})
	}
	panic("unknown expression")
}

func (c *compiler) variable(e *Expr) code {
	v := e.Var
	switch v.Kind {
	case ConstVar, OverrideVar:
		value, ok := c.constants[v]
		if !ok {
			panic("unknown constant " + v.Name)
		}
		return fixedCode(value)
	case MemoryVar:
		if v.Type.Kind == Texture {
			return fixedCode([]uint32{uint32(v.slot)})
		}
		return c.load(c.reference(e), e)
	}
	return slotCode(v.slot, v.Type.leaves())
}

func (c *compiler) unary(e *Expr) code {
	x := c.expr(e.Args[0])
	kind := e.Type.scalar().Kind
	var f func(t *thread, x uint32) uint32
	switch {
	case e.Name == "!":
		f = func(_ *thread, x uint32) uint32 { return x ^ 1 }
	case e.Name == "~":
		f = func(_ *thread, x uint32) uint32 { return ^x }
	case kind == F32 || kind == F16:
		f = func(_ *thread, x uint32) uint32 { return x ^ 1<<31 }
	default:
		strict := c.strict
		f = func(t *thread, x uint32) uint32 {
			if strict && x == 1<<31 {
				t.m.fault(FaultConst, e, nil, "negation overflows")
			}
			return -x
		}
	}
	return mapCode(x, f)
}

// mapCode applies f to each leaf.
func mapCode(x code, f func(*thread, uint32) uint32) code {
	if x.n == 1 {
		return oneCode(func(t *thread) uint32 { return f(t, x.one(t)) })
	}
	return manyCode(x.n, func(t *thread, out []uint32) {
		x.many(t, out)
		for i := range out {
			out[i] = f(t, out[i])
		}
	})
}

// zip applies f to the leaves of two values; a single leaf goes with each of the other's.
func (c *compiler) zip(n int, x, y code, f func(t *thread, a, b uint32) uint32) code {
	if n == 1 {
		return oneCode(func(t *thread) uint32 {
			a := x.one(t)
			return f(t, a, y.one(t))
		})
	}
	left, right := c.temp(n), c.temp(n)
	return manyCode(n, func(t *thread, out []uint32) {
		a, b := t.frameOf(left, x.n), t.frameOf(right, y.n)
		x.into(t, a)
		y.into(t, b)
		for i := range out {
			u, v := a[0], b[0]
			if x.n > 1 {
				u = a[i]
			}
			if y.n > 1 {
				v = b[i]
			}
			out[i] = f(t, u, v)
		}
	})
}

func (c *compiler) binary(e *Expr) code {
	x := c.expr(e.Args[0])
	lazy := c.lazy
	if e.Name == "&&" || e.Name == "||" {
		// const-expressions are evaluated also where an override decides that the
		// right operand is not
		c.lazy = lazy || c.strict && stageOf(e.Args[0]) != constStage
	}
	y := c.expr(e.Args[1])
	c.lazy = lazy
	switch e.Name {
	case "&&":
		return oneCode(func(t *thread) uint32 {
			if x.one(t) == 0 {
				return 0
			}
			return y.one(t)
		})
	case "||":
		return oneCode(func(t *thread) uint32 {
			if x.one(t) != 0 {
				return 1
			}
			return y.one(t)
		})
	}
	a, b := e.Args[0].Type, e.Args[1].Type
	if e.Name == "*" && (a.Kind == Matrix && b.isFloat() && !b.isScalar() || b.Kind == Matrix && !a.isScalar()) {
		return c.matrixProduct(e, nil, x, y)
	}
	return c.zip(max(x.n, y.n), x, y, c.scalarBinary(e, nil, e.Name, a.scalar().Kind, e.Args[1]))
}

// scalarBinary is an operator on scalars. second is the right operand, which may be constant
// where the left is not. Faults are those of e, or of the compound assignment s.
func (c *compiler) scalarBinary(e *Expr, s *Stmt, op string, kind Kind, second *Expr) func(t *thread, a, b uint32) uint32 {
	if isComparison(op) {
		return func(_ *thread, a, b uint32) uint32 { return truth(compareScalars(op, kind, a, b)) }
	}
	switch kind {
	case Bool:
		return func(_ *thread, a, b uint32) uint32 {
			if op == "&" {
				return a & b
			}
			return a | b
		}
	case F32, F16:
		sign := op[0]
		return func(t *thread, a, b uint32) uint32 {
			u, v := wide(a), wide(b)
			r := floatBinary(sign, u, v)
			if !settled(u, kind) || !settled(v, kind) || !settled(r, kind) || !representable(r, kind) {
				t.m.fault(FaultFloat, e, s, fmt.Sprintf("%v %s %v", u, op, v))
				return word(1)
			}
			if r == 0 && sign == '*' {
				t.hide(max(math.Abs(u), math.Abs(v)), kind)
			}
			return word(float32(r))
		}
	}
	if c.strict {
		return func(t *thread, a, b uint32) uint32 {
			if intOverflows(op, kind, a, b) {
				t.m.fault(FaultConst, e, nil, "constant operation overflows")
			}
			return intBinary(op, kind, a, b)
		}
	}
	if second != nil && stageOf(second) != runStage {
		for _, b := range c.known(second) {
			if (op == "<<" || op == ">>") && b > 31 || (op == "/" || op == "%") && b == 0 {
				c.m.fault(FaultConst, e, s, "constant right operand")
			}
		}
	}
	switch op {
	case "+":
		return func(_ *thread, a, b uint32) uint32 { return a + b }
	case "-":
		return func(_ *thread, a, b uint32) uint32 { return a - b }
	case "*":
		return func(_ *thread, a, b uint32) uint32 { return a * b }
	case "&":
		return func(_ *thread, a, b uint32) uint32 { return a & b }
	case "^":
		return func(_ *thread, a, b uint32) uint32 { return a ^ b }
	}
	return func(_ *thread, a, b uint32) uint32 { return intBinary(op, kind, a, b) }
}

// hide notes a factor of a product that is zero. Fast math multiplies constants in any order. In 0
// * 31 * 31 * 31 * 31 the other factors may overflow f16 first, and infinity times zero is NaN.
func (t *thread) hide(factor float64, kind Kind) {
	n, limit := 0, math.MaxFloat32
	if kind == F16 {
		n, limit = 1, 65504
	}
	t.hidden[n] *= max(factor, 1)
	t.m.hides = t.m.hides || t.hidden[n] > limit
}

// sum adds the products of leaves x[i*dx] and y[i*dy]; every partial sum has to be settled.
func (t *thread) sum(e *Expr, s *Stmt, kind Kind, n int, x, y []uint32, dx, dy int) uint32 {
	total := 0.0
	for i := range n {
		a, b := wide(x[i*dx]), wide(y[i*dy])
		p := a * b
		total += p
		if !settled(a, kind) || !settled(b, kind) || !settled(p, kind) || !settled(total, kind) || !representable(p, kind) || !representable(total, kind) {
			t.m.fault(FaultFloat, e, s, "sum of products")
			return word(1)
		}
	}
	return word(float32(total))
}

func (c *compiler) matrixProduct(e *Expr, s *Stmt, x, y code) code {
	a, b := e.Args[0].Type, e.Args[1].Type
	kind := e.Type.scalar().Kind
	left, right := c.temp(x.n), c.temp(y.n)
	return manyCode(e.Type.leaves(), func(t *thread, out []uint32) {
		u, v := t.frameOf(left, x.n), t.frameOf(right, y.n)
		x.into(t, u)
		y.into(t, v)
		switch {
		case a.Kind == Matrix && b.Kind == Matrix:
			rows := a.Elem.Count
			for k := range b.Count {
				for r := range rows {
					out[k*rows+r] = t.sum(e, s, kind, a.Count, u[r:], v[k*a.Count:], rows, 1)
				}
			}
		case a.Kind == Matrix:
			for r := range a.Elem.Count {
				out[r] = t.sum(e, s, kind, a.Count, u[r:], v, a.Elem.Count, 1)
			}
		default:
			for k := range b.Count {
				out[k] = t.sum(e, s, kind, a.Count, u, v[k*a.Count:], 1, 1)
			}
		}
	})
}
