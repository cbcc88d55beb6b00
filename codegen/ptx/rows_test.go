package ptx_test

import (
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/ptx"
	"github.com/gpuc/gpuc/internal/exectest"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
)

// bench builds a kernel that applies operations to values from memory and
// stores the results, so that nothing folds and nothing is dead.
type bench struct {
	m       *ir.Module
	b       *ir.Builder
	buffers map[ir.Type]ir.Value
	types   []ir.Type // of the buffers
	next    uint32
	records []record
	first   ir.Value // that the invocation is the first, which alone stores; 0 if all do
}

// record is an operation that a bench applied, with the addresses of its operands and its result.
type record struct {
	o      op.Op
	result spot
	args   []spot
	consts []ir.Value // replace operands, or 0
}

// spot is an element of a type's buffer.
type spot struct {
	t     ir.Type
	index uint32
}

// newBench returns a bench for a workgroup of a warp. All its invocations do the
// same; with one, only the first stores the results, so that none race for them.
func newBench(one bool) *bench {
	m := ir.NewModule(nil)
	f := m.NewFunc("main", ir.Void)
	f.Kernel = true
	f.Workgroup = [3]ir.Value{m.ConstU32(32), m.ConstU32(1), m.ConstU32(1)}
	x := &bench{m: m, b: ir.NewBuilder(f), buffers: map[ir.Type]ir.Value{}}
	if one {
		f.Builtins = []ir.Builtin{ir.LocalInvocationIndex}
		x.first = x.b.Op(op.Eq, f.AddParam(f.Entry, ir.U32), m.ConstU32(0))
	}
	return x
}

// element returns the address of a fresh element of a type's buffer.
func (x *bench) element(t ir.Type) ir.Value {
	m := x.m
	buffer, ok := x.buffers[t]
	if !ok {
		buffer = m.AddGlobal(ir.Global{Name: "b", Type: m.PointerTo(ir.Storage, m.ArrayOf(t, 0), ir.ReadWrite),
			Binding: uint32(len(x.buffers)), Bound: true})
		x.buffers[t] = buffer
		x.types = append(x.types, t)
	}
	x.next++
	return x.b.Access(buffer, m.ConstU32(x.next))
}

func (x *bench) value(t ir.Type) (ir.Value, spot) {
	p := x.element(t)
	return x.b.Load(p), spot{t, x.next}
}

// keep stores the result of an operation.
func (x *bench) keep(o op.Op, v ir.Value, args []spot, consts []ir.Value) {
	t := x.b.F.TypeOf(v)
	p := x.element(t)
	if x.first == 0 {
		x.b.Store(p, v)
	} else {
		i := x.b.If(x.first)
		x.b.SetBlock(x.b.F.Region(i, 0))
		x.b.Store(p, v)
		x.b.Exit(i)
		x.b.SetBlock(x.b.F.Region(i, 1))
		x.b.Exit(i)
		x.b.SetBlock(x.b.F.Entry)
	}
	x.records = append(x.records, record{o, spot{t, x.next}, args, consts})
}

// regular applies every operation of a regular signature that is defined on a
// kind, on scalars and on vectors, and notes the operation.
func (x *bench) regular(k scalar.Kind, seen *[op.Count]bool) {
	m := x.m
	for o := op.Invalid + 1; o < op.Count; o++ {
		s := op.SignatureOf(o)
		if s.Special != "" || s.Class == op.NoClass && k != scalar.U32 || s.Class != op.NoClass && !s.Class.Contains(k) {
			continue
		}
		var shapes []ir.Type
		if s.Scalar || s.Class == op.NoClass {
			shapes = append(shapes, ir.Type(k))
		}
		if s.Vector {
			shapes = append(shapes, m.VectorOf(ir.Type(k), 3))
		}
		for _, t := range shapes {
			var args []ir.Value
			var spots []spot
			for _, p := range s.Operands[:s.Count] {
				v, at := x.value(m.PatternType(p, t))
				args, spots = append(args, v), append(spots, at)
			}
			if o == op.SubgroupBroadcast || o == op.QuadBroadcast { // the lane is constant
				args[1] = m.ConstU32(3)
			}
			x.keep(o, x.b.Op(o, args...), spots, nil)
			// and with each operand constant in turn
			for n := range args {
				if o.Is(op.Convergent) || s.Count == 1 {
					break
				}
				c := x.constant(x.b.F.TypeOf(args[n]))
				consts := make([]ir.Value, len(args))
				consts[n] = c
				some := append([]ir.Value(nil), args...)
				some[n] = c
				x.keep(o, x.b.Op(o, some...), spots, consts)
			}
		}
		seen[o] = true
	}
}

// constant returns a small constant of a type, another one each time.
func (x *bench) constant(t ir.Type) ir.Value {
	if x.m.ScalarOf(t) == scalar.Bool {
		return x.m.ConstSplat(t, uint64(x.next&1))
	}
	return x.m.ConstInt(t, int64(x.next%13)+1)
}

// conversions applies convert and bitcast between a kind and every other.
func (x *bench) conversions(k scalar.Kind) {
	for to := scalar.Bool; to <= scalar.U64; to++ {
		v, at := x.value(ir.Type(k))
		x.keep(op.Convert, x.b.Convert(to, v), []spot{at}, nil)
		if k == scalar.Bool || to == scalar.Bool {
			continue
		}
		t, n := ir.Type(to), k.Bits()/to.Bits()
		from := ir.Type(k)
		if n == 0 {
			from, n = x.m.VectorOf(from, to.Bits()/k.Bits()), 1
		}
		if n > 1 {
			t = x.m.VectorOf(t, n)
		}
		v, at = x.value(from)
		x.keep(op.Bitcast, x.b.Bitcast(t, v), []spot{at}, nil)
	}
}

func (x *bench) compile(t *testing.T, math opt.Math) *abi.Artefact {
	t.Helper()
	x.b.Return(0)
	var list diag.List
	if ir.Verify(x.m, &list); list.Errors() > 0 {
		t.Fatalf("does not verify: %v", list.Items())
	}
	o := codegen.Options{Math: math, NoOptimize: true, Bounds: opt.BoundsOff, Context: &opt.Context{Verify: true}}
	a := codegen.Compile(x.m, "", &ptx.Target, &o, &list)
	if a == nil {
		t.Fatalf("does not compile: %v", list.Items())
	}
	return a
}

// TestRegularOperations assembles every operation of regular signature on every
// kind, in every mode.
func TestRegularOperations(t *testing.T) {
	for k := scalar.Bool; k <= scalar.U64; k++ {
		for _, math := range []opt.Math{opt.MathWGSL, opt.MathStrict, opt.MathFast} {
			if math != opt.MathWGSL && !k.IsFloat() {
				continue // the modes differ in floating point only
			}
			x := newBench(false)
			x.regular(k, new([op.Count]bool))
			x.conversions(k)
			a := x.compile(t, math)
			if _, err := read(string(a.Code)); err != nil {
				t.Errorf("the emulator refuses operations on %s: %v", k, err)
			}
			assemble(t, assembler(t), "operations on "+k.String(), string(a.Code), architectures[int(k)%len(architectures)])
		}
	}
}

// seenIn notes the operations of a module.
func seenIn(m *ir.Module, seen *[op.Count]bool) {
	var visit func(f *ir.Func, b ir.Block)
	visit = func(f *ir.Func, b ir.Block) {
		for i := f.First(b); i != 0; i = f.Next(i) {
			seen[f.Op(i)] = true
			if f.Op(i).Is(op.Control) {
				for _, inner := range f.Blocks(i) {
					visit(f, ir.Block(inner))
				}
			}
		}
	}
	for _, f := range m.Funcs {
		visit(f, f.Entry)
	}
}

// TestEveryOperationIsTested: each row of the op table is in a kernel of these
// tests or of those that TestExec runs, or the target says why it cannot be. Tiles and
// fragments are lowered before.
func TestEveryOperationIsTested(t *testing.T) {
	var seen [op.Count]bool
	x := newBench(false)
	for k := scalar.Bool; k <= scalar.U64; k++ {
		x.regular(k, &seen)
		x.conversions(k)
	}
	seenIn(x.m, &seen)
	for _, k := range kernels {
		m, _, items := ir.ParseString(k.text)
		if m == nil {
			t.Fatalf("%s: %v", k.name, items)
		}
		seenIn(m, &seen)
	}
	seen[op.Intrinsic] = true            // TestIntrinsics
	for _, c := range exectest.Cases() { // whose textures have references
		if len(c.Textures) > 0 {
			seenIn(loadProgram(t, "../../"+c.File(), opt.MathWGSL), &seen)
		}
	}
	for o := op.Invalid + 1; o < op.Count; o++ {
		if !seen[o] && !op.Tiles.Has(o) && !op.Fragments.Has(o) && ptx.Target.Unsupported[o] == "" {
			t.Errorf("no kernel has %s, and the target gives no reason", o)
		}
	}
}
