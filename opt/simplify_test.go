package opt

import (
	"math/rand/v2"
	"os"
	"testing"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/ir/source"
	"github.com/gpuc/gpuc/opt/analysis"
	"github.com/gpuc/gpuc/opt/internal/rulegen"
)

// This file tests the peepholes: that the generated file is what the rules say,
// and that both sides of each rule agree on random operands, as written and as
// compiled.

func readRules(t testing.TB) []rulegen.Rule {
	text, err := os.ReadFile("simplify.rules")
	if err != nil {
		t.Fatal(err)
	}
	list, err := rulegen.Parse(string(text))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestRulesAreGenerated(t *testing.T) {
	want, err := rulegen.Generate(readRules(t))
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("simplify_gen.go")
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Error("simplify_gen.go is not what simplify.rules gives: run go generate")
	}
}

// trial is one rule on operands of one kind and width.
type trial struct {
	rule   *rulegen.Rule
	random *rand.Rand
	m      *ir.Module
	width  int
	kinds  map[string]scalar.Kind // by variable
	values map[string]ir.Value    // constants chosen for the variables
	locals map[string]ir.Value    // parameters for them
}

func (c *trial) typ(k scalar.Kind) ir.Type {
	if c.width == 1 {
		return ir.Type(k)
	}
	return c.m.VectorOf(ir.Type(k), c.width)
}

// infer gives the kinds of a pattern's variables; want is what the pattern must
// have as a result, or None. It returns the kind of the result.
func (c *trial) infer(n *rulegen.Node, want scalar.Kind) scalar.Kind {
	switch n.Kind {
	case rulegen.Variable, rulegen.Constant:
		if c.kinds[n.Name] == scalar.None {
			c.kinds[n.Name] = want
		}
		return c.kinds[n.Name]
	case rulegen.Number:
		return want
	}
	if n.Op == op.Select {
		c.infer(n.Args[0], scalar.Bool)
		k := want
		for range 2 {
			for _, a := range n.Args[1:] {
				if got := c.infer(a, k); k == scalar.None {
					k = got
				}
			}
		}
		return k
	}
	s := op.SignatureOf(n.Op)
	t := scalar.None
	if s.Result.Kind == scalar.None {
		t = want
	}
	for range 2 { // what one operand says of T holds for the others
		for k, a := range n.Args {
			kind := s.Operands[k].Kind
			if kind == scalar.None {
				kind = t
			}
			if got := c.infer(a, kind); s.Operands[k].Kind == scalar.None && t == scalar.None {
				t = got
			}
		}
	}
	if s.Result.Kind != scalar.None {
		return s.Result.Kind
	}
	return t
}

// bits returns interesting operands: small values, powers of two, and the ends of ranges.
func (c *trial) bits(k scalar.Kind) uint64 {
	small := c.random.IntN(9) - 4
	switch c.random.IntN(4) {
	case 0:
		if k.IsFloat() {
			return scalar.FromFloat64(k, float64(small))
		}
		return scalar.FromInt64(k, int64(small))
	case 1:
		if k.IsFloat() {
			return scalar.FromFloat64(k, float64(small)*0.37)
		}
		return 1 << c.random.IntN(k.Bits()) & k.Mask()
	case 2:
		return 1 << (k.Bits() - 1) & k.Mask() // the lowest integer, minus zero
	}
	return c.random.Uint64() & k.Mask()
}

func (c *trial) constant(k scalar.Kind, splat bool) ir.Value {
	bits := c.bits(k)
	if c.width == 1 || splat {
		return c.m.ConstSplat(c.typ(k), bits)
	}
	parts := make([]ir.Value, c.width)
	for n := range parts {
		parts[n] = c.m.ConstScalar(ir.Type(k), c.bits(k))
	}
	return c.m.ConstComposite(c.typ(k), parts)
}

// boundSum chooses operands for the rules on x + c, so that d divides c, and bounds x, so that the
// sum does not wrap.
func (c *trial) boundSum(b *ir.Builder) {
	n, k := c.random.IntN(5), uint64(c.random.IntN(1000))
	u32 := func(x uint64) ir.Value { return c.m.ConstSplat(c.typ(scalar.U32), x) }
	switch c.rule.Pattern.Op {
	case op.And:
		c.values["c"], c.values["d"] = u32(k<<n), u32(1<<n-1)
	case op.Shr:
		c.values["c"], c.values["d"] = u32(k<<n), u32(uint64(n))
	default:
		c.values["c"], c.values["d"] = u32(k*uint64(n+1)), u32(uint64(n+1))
	}
	c.values["x"] = u32(uint64(c.random.IntN(1000)))
	c.values["param"], c.locals["param"] = c.values["x"], c.locals["x"]
	c.locals["x"] = b.Op(op.Min, c.locals["x"], u32(999))
}

// choose picks values for the variables of a pattern.
func (c *trial) choose(n *rulegen.Node) {
	if n.Kind == rulegen.Variable || n.Kind == rulegen.Constant {
		if c.values[n.Name] == 0 {
			c.values[n.Name] = c.constant(c.kinds[n.Name], n.Kind == rulegen.Constant)
			if n.Kind == rulegen.Constant && c.kinds[n.Name] == scalar.U32 && c.random.IntN(2) == 0 {
				// an amount to shift by
				c.values[n.Name] = c.m.ConstSplat(c.typ(scalar.U32), uint64(c.random.IntN(32)))
			}
		}
	}
	for _, a := range n.Args {
		c.choose(a)
	}
}

func findConstants(n *rulegen.Node, names map[string]bool) {
	if n.Kind == rulegen.Constant {
		names[n.Name] = true
	}
	for _, a := range n.Args {
		findConstants(a, names)
	}
}

// evaluate computes a side by folding; s has the functions of the rules file.
func (c *trial) evaluate(s *simplifier, n *rulegen.Node, want scalar.Kind) ir.Value {
	switch n.Kind {
	case rulegen.Variable, rulegen.Constant:
		return c.values[n.Name]
	case rulegen.Number:
		return s.number(c.typ(want), n.Value)
	}
	args := c.args(n, want, func(a *rulegen.Node, k scalar.Kind) ir.Value { return c.evaluate(s, a, k) })
	if n.Kind == rulegen.Function && n.Name != "fold" {
		if n.Name == "log2" {
			return s.log2(args[0])
		}
		return s.reciprocal(args[0])
	}
	return s.fold(n.Op, args...)
}

// args builds a node's operands, each with the kind it has.
func (c *trial) args(n *rulegen.Node, want scalar.Kind, build func(a *rulegen.Node, k scalar.Kind) ir.Value) []ir.Value {
	t := scalar.None
	if n.Op != op.Invalid {
		s := op.SignatureOf(n.Op)
		if s.Result.Kind == scalar.None {
			t = want
		}
		if n.Op == op.Select {
			t = c.infer(n, want)
		}
		for k, a := range n.Args {
			if t == scalar.None && s.Special == "" && s.Operands[k].Kind == scalar.None {
				t = c.infer(a, scalar.None)
			}
		}
	}
	args := make([]ir.Value, len(n.Args))
	for k, a := range n.Args {
		kind := t
		if n.Op != op.Invalid {
			if s := op.SignatureOf(n.Op); s.Operands[k].Kind != scalar.None {
				kind = s.Operands[k].Kind
			} else if n.Op == op.Select && k == 0 {
				kind = scalar.Bool
			}
		}
		args[k] = build(a, kind)
	}
	return args
}

// emit builds a side as instructions on the parameters.
func (c *trial) emit(s *simplifier, b *ir.Builder, n *rulegen.Node, want scalar.Kind) ir.Value {
	switch n.Kind {
	case rulegen.Variable:
		if p := c.locals[n.Name]; p != 0 {
			return p
		}
		return c.values[n.Name]
	case rulegen.Constant, rulegen.Number:
		return c.evaluate(s, n, want)
	}
	args := c.args(n, want, func(a *rulegen.Node, k scalar.Kind) ir.Value { return c.emit(s, b, a, k) })
	return b.Op(n.Op, args...)
}

// same compares results; all NaNs are one, and where the rule is relaxed both
// zeros are.
func (c *trial) same(a, b ir.Value) bool {
	if a == b {
		return true
	}
	k := c.m.ScalarOf(c.m.TypeOf(a))
	if !k.IsFloat() || c.m.TypeOf(a) != c.m.TypeOf(b) {
		return false
	}
	for n := range c.width {
		x, y := a, b
		if c.width > 1 {
			x, y = c.m.ConstPart(a, uint32(n)), c.m.ConstPart(b, uint32(n))
		}
		p, q := scalar.ToFloat64(k, c.m.ConstBits(x)), scalar.ToFloat64(k, c.m.ConstBits(y))
		if x != y && !(p != p && q != q) && !(c.rule.Relaxed && p == q) {
			return false
		}
	}
	return true
}

// run evaluates an entry block whose parameters have the chosen values.
func (c *trial) run(f *ir.Func) ir.Value {
	known := map[ir.Value]ir.Value{}
	for name, p := range c.locals {
		known[p] = c.values[name]
	}
	for i := f.First(f.Entry); ; i = f.Next(i) {
		args := make([]ir.Value, len(f.Args(i)))
		for n, a := range f.Args(i) {
			if args[n] = a; a.IsLocal() {
				args[n] = known[a]
			}
		}
		if f.Op(i) == op.Return {
			return args[0]
		}
		v, ok := c.m.Fold(f.Op(i), f.Type(i), f.Aux(i), args)
		if !ok {
			return 0
		}
		known[f.Result(i)] = v
	}
}

// TestRules checks every rule on every kind that its class has, as scalars and vectors. Both sides
// agree, the pass applies the rule to the pattern, and its result computes the same.
func TestRules(t *testing.T) {
	for _, r := range readRules(t) {
		t.Run(r.Name, func(t *testing.T) {
			tried := 0
			for k := scalar.Bool; k <= scalar.U64; k++ {
				for width := 1; width <= 2; width++ {
					tried += tryRule(t, &r, k, width)
				}
			}
			if tried == 0 {
				t.Error("no operands match the rule")
			}
		})
	}
}

func tryRule(t *testing.T, r *rulegen.Rule, k scalar.Kind, width int) (tried int) {
	for _, class := range r.Classes {
		if !rulegen.Classes[class](k) {
			return 0
		}
	}
	if r.Fast { // not exact by definition; the shape is what matters
		return 1
	}
	c := &trial{rule: r, random: rand.New(rand.NewPCG(1, uint64(k))), width: width}
	for range 200 {
		c.m = ir.NewModule(new(source.Set))
		s := &simplifier{c: &Context{List: new(diag.List)}, redundant: new(redundancy)}
		c.kinds, c.values, c.locals = map[string]scalar.Kind{}, map[string]ir.Value{}, map[string]ir.Value{}
		for v := range r.Classes {
			c.kinds[v] = k
		}
		want := scalar.None
		if s := op.SignatureOf(r.Pattern.Op); len(r.Classes) == 0 && (s.Special != "" || s.Result.Kind == scalar.None) {
			want = k
		}
		if r.Pattern.Op == op.Shl || r.Pattern.Op == op.Shr {
			if len(r.Classes) == 1 && r.Classes["x"] == "u32" {
				want = scalar.U32
			}
		}
		if len(r.Classes) == 0 && r.Pattern.Op == op.Not { // not-eq: any kind of operands
			c.kinds["x"] = k
			want = scalar.Bool
		}
		result := c.infer(r.Pattern, want)
		c.infer(r.Pattern, result)
		c.choose(r.Pattern)

		f := c.m.NewFunc("f", ir.Void)
		constants := map[string]bool{}
		findConstants(r.Pattern, constants)
		for name := range c.values {
			if constants[name] {
				continue
			}
			c.locals[name] = f.AddParam(f.Entry, c.m.TypeOf(c.values[name]))
		}
		b := ir.NewBuilder(f)
		if r.Group == "division-rules" {
			c.boundSum(b)
		}
		s.f = f
		left := c.evaluate(s, r.Pattern, result)
		v := c.emit(s, b, r.Pattern, result)
		f.ResultType = f.TypeOf(v)
		b.Return(v)
		var list diag.List
		if ir.Verify(c.m, &list); list.Errors() > 0 {
			return tried // the rule is not about this kind
		}
		before := c.m.Text()
		fired := map[string]bool{}
		s.fired = func(name string) { fired[name] = true }
		if r.Group == "division-rules" {
			s.fresh, s.ranges = true, new(analysis.Ranges)
			s.divisions(f)
		} else {
			s.run(f)
		}
		if got := c.run(f); !c.same(left, got) {
			t.Fatalf("%s on %s: %v becomes another value:\n%s\n%s", r.Text, c.m.TypeString(c.typ(k)), c.values, before, c.m.Text())
		}
		if !fired[r.Name] {
			continue // its condition does not hold, or folding came first
		}
		tried++
		right := c.evaluate(s, r.Result, result)
		if right == 0 || !c.same(left, right) {
			t.Fatalf("%s on %s with %v: the sides differ: %s and %s", r.Text, c.m.TypeString(c.typ(k)), c.values, before, c.m.Text())
		}
	}
	return tried
}
