package analysis

import (
	"cmp"
	"encoding/binary"
	"flag"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gpuc/gpuc/internal/irgen"
	"github.com/gpuc/gpuc/internal/irtest"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/interp"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

var seeds = flag.Uint64("seeds", 0, "how many random modules are tried; 0 is the mode's number")

// TestRangesOnGeneratedModules runs random modules with a check after every
// definition that the value lies in its interval, and before every instruction
// that a claim is true.
func TestRangesOnGeneratedModules(t *testing.T) {
	checks, wide := 0, 0
	for seed := range cmp.Or(*seeds, uint64(testmode.Scaled(200))) {
		options := irgen.Options{Instructions: 300}
		if seed%2 == 1 {
			options.Kinds = []scalar.Kind{scalar.Bool, scalar.I32, scalar.U32, scalar.F32, scalar.I64, scalar.U64}
		}
		m := irgen.Generate(seed, options)
		before := m.Text()
		bad := m.AddGlobal(ir.Global{Name: "bad", Group: 1, Bound: true,
			Type: m.PointerTo(ir.Storage, m.AtomicOf(ir.U32), ir.ReadWrite)})
		for _, f := range m.Funcs {
			a := Ranges{Indices: true}
			a.Analyse(f)
			c := checker{f: f, m: m, a: &a, bad: bad}
			c.b.F = f
			c.block(f.Entry)
			checks, wide = checks+c.checks, wide+c.wide
		}
		irtest.Verify(t, m, 0)
		p, err := interp.Compile(m, m.Func("main"))
		if err != nil {
			t.Fatal(err)
		}
		var buffers [][]byte
		for _, b := range p.Bindings() {
			size := int(b.Size)
			if b.Group == 0 {
				size = irgen.BufferSizes()[b.Binding]
			}
			data := make([]byte, size)
			if b.Group == 0 {
				random := rand.New(rand.NewPCG(seed, uint64(b.Binding)))
				for n := range data {
					data[n] = byte(random.Uint32())
				}
			}
			buffers = append(buffers, data)
		}
		if _, err := p.Run(&interp.Launch{Buffers: buffers, Grid: [3]uint32{irgen.Groups, 1, 1}, Workers: 1, Fuel: 1 << 22}); err != nil {
			t.Fatal(err)
		}
		for n, b := range p.Bindings() {
			if b.Group == 1 && binary.LittleEndian.Uint32(buffers[n]) != 0 {
				t.Fatalf("seed %d: %d values lie outside of their interval, or claims are wrong:\n%s", seed,
					binary.LittleEndian.Uint32(buffers[n]), before)
			}
		}
	}
	if checks < 1000 {
		t.Errorf("only %d checks were made", checks)
	}
	if testmode.IsWhole() && wide < 1000 {
		t.Errorf("only %d intervals of 64-bit integers were checked", wide)
	}
}

// checker adds the checks to a function.
type checker struct {
	f      *ir.Func
	m      *ir.Module
	a      *Ranges
	b      ir.Builder
	bad    ir.Value
	checks int
	wide   int // of intervals of 64-bit integers
}

func (c *checker) block(b ir.Block) {
	f := c.f
	first := f.First(b)
	for f.Op(first) == op.Var {
		first = f.Next(first)
	}
	for _, p := range f.Params(b) {
		c.within(p, first)
	}
	for i := first; i != 0; {
		next := f.Next(i)
		o := f.Op(i)
		switch {
		case o.Is(op.Control):
			for n := range f.Blocks(i) {
				c.block(f.Region(i, n))
			}
			for _, r := range f.Results(i) {
				c.within(r, next)
			}
		case o.Is(op.Terminator):
		default:
			c.claims(i, o)
			if r := f.Result(i); r != 0 {
				c.within(r, next)
			}
		}
		i = next
	}
}

// within checks a value's interval before an instruction.
func (c *checker) within(v ir.Value, before ir.Inst) {
	t := c.f.TypeOf(v)
	if r := c.a.Of(v); !r.Empty() && r != domain(t) {
		c.b.SetBefore(before)
		if r.Low != math.MinInt64 {
			c.require(c.b.Op(op.Ge, v, c.m.ConstInt(t, r.Low)))
		}
		if r.End != math.MaxInt64 {
			c.require(c.b.Op(op.Le, v, c.m.ConstInt(t, r.high())))
		}
		if is64(t) {
			c.wide++
		}
	}
	if r := c.a.Residue(v); r.Count > 0 && !v.IsConst() {
		c.b.SetBefore(before)
		mask := c.m.ConstScalar(t, residueOf(int(r.Count), ^uint64(0)).Bits)
		c.require(c.b.Op(op.Eq, c.b.Op(op.And, v, mask), c.m.ConstScalar(t, r.Bits)))
	}
}

// claims checks what was proved of an instruction.
func (c *checker) claims(i ir.Inst, o op.Op) {
	f, m := c.f, c.m
	c.b.SetBefore(i)
	switch o {
	case op.Access:
		t := m.Element(f.TypeOf(f.Arg(i, 0)))
		for n, index := range f.Args(i)[1:] {
			count, ok := m.Count(t)
			if c.a.Proves(i, n) && ok && !index.IsConst() {
				c.indexBelow(index, count)
			}
			x, _ := m.ConstUint(index)
			t = m.PartType(t, uint32(x))
		}
	case op.Div, op.Rem:
		if y := f.Arg(i, 1); c.a.Proves(i, 0) {
			c.require(c.b.Op(op.Ne, y, m.Zero(f.TypeOf(y))))
		}
	case op.Shl, op.Shr:
		if c.a.Proves(i, 0) {
			c.indexBelow(f.Arg(i, 1), uint32(m.ScalarOf(f.Type(i)).Bits()))
		}
	case op.Extract, op.Insert:
		args := f.Args(i)
		if index := args[len(args)-1]; c.a.Proves(i, 0) && !index.IsConst() {
			n, _ := m.Count(f.TypeOf(args[0]))
			c.indexBelow(index, n)
		}
	}
}

func (c *checker) indexBelow(index ir.Value, n uint32) {
	if c.f.TypeOf(index) == ir.I32 {
		index = c.b.Bitcast(ir.U32, index)
	}
	c.require(c.b.Op(op.Lt, index, c.m.ConstU32(n)))
}

// require counts the times that a condition does not hold.
func (c *checker) require(condition ir.Value) {
	c.checks++
	wrong := c.b.Op(op.Select, condition, c.m.ConstU32(0), c.m.ConstU32(1))
	c.b.Emit(op.AtomicReadModifyWrite, ir.U32, uint32(op.AtomicAdd), c.bad, wrong)
}
