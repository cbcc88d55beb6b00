package lower_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gpuc/gpuc/codegen/lower"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/interp"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
)

// edges are special bits of operands, by kind, beside random ones.
var edges = map[scalar.Kind][]uint64{
	scalar.I32: {0, 1, 2, 3, 5, 7, 8, 16, 31, 32, 33, 64, 127, 128, 255, 256, 0x55555555, 0x7ffffffe, 0x7fffffff,
		0x80000000, 0x80000001, 0xfffffffe, 0xffffffff, 0xffffff80, 0xffffff7f, 0xff00ff00},
	scalar.U32: {0, 1, 2, 3, 5, 8, 16, 31, 32, 33, 63, 64, 255, 256, 0x7f80ff01, 0x7fffffff, 0x80000000, 0x80808080,
		0xffffffff, 0xfffffffe, 0x7c000001, 0xfc007bff, 0x03ff8400, 0x7e01},
	scalar.I64: {0, 1, 2, 31, 32, 63, 64, 0x7fffffff, 0x80000000, 0xffffffff, 1 << 32, 1<<63 - 1, 1 << 63, 1<<63 + 1, 1<<64 - 1, 1<<64 - 2},
	scalar.U64: {0, 1, 2, 31, 32, 63, 64, 0x7fffffff, 0x80000000, 0xffffffff, 1 << 32, 1<<63 - 1, 1 << 63, 1<<63 + 1, 1<<64 - 1, 1<<64 - 2},
	scalar.F32: singles(0, math.Copysign(0, -1), 1, -1, 0.5, -0.5, 1.5, 2.5, -2.5, 3, 0.1, -0.1, 0.49999997, 1e-10, 1e10,
		127.5/127, 0.5/127, 1.5/127, 0.5/255, 254.5/255, 100.5/32767, 0.5/65535, 65503, 65504, 65519, 65520, 65536, 1e30, -1e30,
		0x1p-14, 0x1.ffcp-15, 0x1p-24, 0x1p-25, 0x1.8p-25, 0x1.000002p-25, 0x1.002p0, 0x1.006p0, 0x1.001p0, 0x1.003p0,
		0x1p-126, 0x1.fffffcp-127, 0x1p-149, 0x1.8p-148, -0x1p-149, math.MaxFloat32, -math.MaxFloat32,
		math.Inf(1), math.Inf(-1), math.NaN(), 0x1.fffffep30, 0x1p31, -0x1p31, 0x1.fffffep31, 0x1p32, 0x1p62, 0x1p63, 0x1p64),
	scalar.F16: {0, 0x8000, 0x3c00, 0xbc00, 0x3800, 0x3801, 0x4200, 1, 2, 0x3ff, 0x400, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0x5640, 0x4900, 0xb555},
}

func singles(x ...float64) []uint64 {
	bits := make([]uint64, len(x))
	for n := range x {
		bits[n] = scalar.FromFloat64(scalar.F32, x[n])
	}
	return bits
}

// cases is a multiple of the invocations of a workgroup of the test's kernels.
const cases = 4096

// operandsOf returns values of a type's components. All pairs of edges come first if they fit.
func operandsOf(random *rand.Rand, k scalar.Kind, components, operand int) []uint64 {
	list := edges[k]
	values := make([]uint64, cases*components)
	for n := range values {
		at := n / components
		step := at
		if operand > 0 {
			step = at / len(list)
		}
		switch {
		case at < cases/2:
			values[n] = list[(step+n%components)%len(list)]
		case k.IsFloat() && at < cases*7/8: // values that are neither huge nor tiny
			values[n] = scalar.FromFloat64(k, random.NormFloat64()*math.Exp2(random.Float64()*6-3))
		default:
			values[n] = random.Uint64() & k.Mask()
		}
		if operand > 1 && at%3 == 0 {
			values[n] = list[random.IntN(len(list))]
		}
	}
	return values
}

// kernelOf builds a kernel that applies an operation to operands of the types. If result is Void,
// the operands determine the type.
func kernelOf(o op.Op, result ir.Type, build func(m *ir.Module) []ir.Type) *ir.Module {
	m := ir.NewModule(nil)
	operands := build(m)
	f := m.NewFunc("main", ir.Void)
	f.Kernel = true
	f.Workgroup = [3]ir.Value{m.ConstU32(64), m.ConstU32(1), m.ConstU32(1)}
	f.Builtins = []ir.Builtin{ir.GlobalInvocationIndex}
	index := f.AddParam(f.Entry, ir.U32)
	b := ir.NewBuilder(f)
	buffer := func(n int, name string, t ir.Type, access ir.Access) ir.Value {
		g := m.AddGlobal(ir.Global{Name: name, Binding: uint32(n), Bound: true,
			Type: m.PointerTo(ir.Storage, m.ArrayOf(t, 0), access)})
		return b.Access(g, index)
	}
	var args []ir.Value
	for n, t := range operands {
		args = append(args, b.Load(buffer(n, fmt.Sprint("x", n), t, ir.Read)))
	}
	if result == ir.Void {
		result, _ = f.InferType(o, args)
	}
	v := b.Emit(o, result, 0, args...)
	b.Store(buffer(len(operands), "out", result, ir.ReadWrite), v)
	b.Return(0)
	return m
}

// runKernel executes the kernel on buffers of components.
func runKernel(t testing.TB, m *ir.Module, inputs [][]uint64) []uint64 {
	t.Helper()
	var list diag.List
	ir.Verify(m, &list)
	for _, d := range list.Items() {
		t.Fatalf("verify: %s %v\n%s", d.Message, d.Notes, m.Text())
	}
	p, err := interp.Compile(m, m.Kernels()[0])
	if err != nil {
		t.Fatal(err)
	}
	var buffers [][]byte
	var elements []ir.Type
	for n := range m.Globals {
		if !m.Globals[n].Bound {
			continue
		}
		e := m.Element(m.Element(m.Globals[n].Type))
		elements = append(elements, e)
		stride := int(m.Stride(m.Element(m.Globals[n].Type)))
		buffer := make([]byte, cases*stride)
		if n < len(inputs) {
			eachComponent(m, e, stride, func(component, at int) {
				putBits(buffer[at:], m.ScalarOf(e).Bytes(), inputs[n][component])
			})
		}
		buffers = append(buffers, buffer)
	}
	items, err := p.Run(&interp.Launch{Buffers: buffers, Grid: [3]uint32{cases / 64, 1, 1}, Workers: 1})
	if err != nil || len(items) > 0 {
		t.Fatal(err, items)
	}
	last := len(buffers) - 1
	out := make([]uint64, cases*m.Components(elements[last]))
	e := elements[last]
	eachComponent(m, e, len(buffers[last])/cases, func(component, at int) {
		out[component] = getBits(buffers[last][at:], m.ScalarOf(e).Bytes())
	})
	return out
}

func eachComponent(m *ir.Module, e ir.Type, stride int, visit func(component, at int)) {
	n := m.Components(e)
	for i := range cases {
		for c := range n {
			visit(i*n+c, i*stride+c*m.ScalarOf(e).Bytes())
		}
	}
}

func putBits(to []byte, bytes int, bits uint64) {
	for n := range bytes {
		to[n] = byte(bits >> (8 * n))
	}
}

func getBits(from []byte, bytes int) (bits uint64) {
	for n := range bytes {
		bits |= uint64(from[n]) << (8 * n)
	}
	return bits
}

// variant is one choice of types for an operation.
type variant struct {
	kind       scalar.Kind
	components int
}

// variants lists the kinds and sizes that an operation's signature allows.
func variants(o op.Op) []variant {
	s := op.SignatureOf(o)
	var list []variant
	for _, k := range []scalar.Kind{scalar.I32, scalar.U32, scalar.I64, scalar.U64, scalar.F32, scalar.F16} {
		if !s.Class.Contains(k) {
			continue
		}
		if s.Scalar {
			list = append(list, variant{k, 1})
		}
		if s.Vector && k.Bits() <= 32 {
			list = append(list, variant{k, 2}, variant{k, 4})
		}
	}
	if s.Class == op.NoClass {
		list = []variant{{}}
	}
	return list
}

// typesOf returns the operand types of an operation in a variant.
func typesOf(m *ir.Module, o op.Op, v variant) []ir.Type {
	t := ir.Type(v.kind)
	if v.components > 1 {
		t = m.VectorOf(t, v.components)
	}
	s := op.SignatureOf(o)
	var types []ir.Type
	for _, p := range s.Operands[:s.Count] {
		types = append(types, m.PatternType(p, t))
	}
	return types
}

func countOp(f *ir.Func, o op.Op) int {
	n := 0
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		if f.Op(i) == o {
			n++
		}
	}
	return n
}

// TestExpansions compares each expansion with the operation itself, for all kinds, scalars and
// vectors. The results must be the evaluator's bits, except for the payload of NaN and the sign of
// zero.
func TestExpansions(t *testing.T) {
	for _, o := range allExpansions() {
		for _, v := range variants(o) {
			t.Run(fmt.Sprintf("%s/%s×%d", o, v.kind, v.components), func(t *testing.T) { compareExpansion(t, o, v) })
		}
	}
}

func compareExpansion(t *testing.T, o op.Op, v variant) {
	original := kernelOf(o, ir.Void, func(m *ir.Module) []ir.Type { return typesOf(m, o, v) })
	expanded := original.Clone()
	c := &opt.Context{List: new(diag.List), Verify: true}
	c.Run(expanded, []opt.Pass{lower.Polyfill(o)}, 0)
	f := expanded.Kernels()[0]
	if left := countOp(f, o); left > 0 {
		t.Errorf("%d of the operation remain:\n%s", left, expanded.Text())
	}

	random := rand.New(rand.NewPCG(uint64(o), uint64(v.components)))
	types := typesOf(original, o, v)
	operands := make([]operand, len(types))
	inputs := make([][]uint64, len(types))
	for n, x := range types {
		operands[n] = operand{original.ScalarOf(x), original.Components(x)}
		inputs[n] = operandsOf(random, operands[n].kind, operands[n].components, n)
	}
	want, got := runKernel(t, original, inputs), runKernel(t, expanded, inputs)
	out := original.Element(original.Element(original.Globals[len(types)].Type))
	k, components := original.ScalarOf(out), original.Components(out)
	bad := 0
	for n := range want {
		if want[n] == got[n] || agree(k, want[n], got[n]) {
			continue
		}
		i, c := n/components, n%components
		text := ""
		for j, in := range inputs {
			for _, bits := range in[i*operands[j].components : (i+1)*operands[j].components] {
				text += " " + show(operands[j].kind, bits)
			}
			text += ";"
		}
		t.Errorf("component %d of %s(%s) is %s, want %s", c, o, text, show(k, got[n]), show(k, want[n]))
		if bad++; bad == 5 {
			t.FailNow()
		}
	}
}

type operand struct {
	kind       scalar.Kind
	components int
}

func show(k scalar.Kind, bits uint64) string {
	if k.IsFloat() {
		return fmt.Sprintf("%g (%#x)", scalar.ToFloat64(k, bits), bits)
	}
	return fmt.Sprintf("%#x", bits)
}

// agree reports whether two results with different bits are the same value, or both NaN.
func agree(k scalar.Kind, want, got uint64) bool {
	if !k.IsFloat() {
		return false
	}
	a, b := scalar.ToFloat64(k, want), scalar.ToFloat64(k, got)
	return a == b || a != a && b != b
}
