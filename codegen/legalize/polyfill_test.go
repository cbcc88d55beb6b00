package legalize

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/interp"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
)

// edges are the bits that operands of a kind are made of besides random ones.
var edges = map[scalar.Kind][]uint64{
	scalar.Bool: {0, 1},
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

// operandsOf returns values of a type's components: all pairs of edges come first
// where they fit.
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
		case k.IsFloat() && at < cases*7/8: // numbers that are neither huge nor tiny
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

// stored returns the type that a value of type t has in a buffer, which holds no
// bools.
func stored(m *ir.Module, t ir.Type) ir.Type {
	if m.ScalarOf(t) == scalar.Bool {
		return m.WithScalar(t, scalar.U32)
	}
	return t
}

// kernelOf builds a kernel that applies an operation to operands of the types.
func kernelOf(o op.Op, aux uint32, result ir.Type, build func(m *ir.Module) []ir.Type, convert func(*ir.Module) ir.Type) *ir.Module {
	m := ir.NewModule(nil)
	operands := build(m)
	if convert != nil {
		result = convert(m)
	}
	f := m.NewFunc("main", ir.Void)
	f.Kernel = true
	f.Workgroup = [3]ir.Value{m.ConstU32(64), m.ConstU32(1), m.ConstU32(1)}
	f.Builtins = []ir.Builtin{ir.GlobalInvocationIndex}
	index := f.AddParam(f.Entry, ir.U32)
	b := ir.NewBuilder(f)
	buffer := func(n int, name string, t ir.Type, access ir.Access) ir.Value {
		g := m.AddGlobal(ir.Global{Name: name, Binding: uint32(n), Bound: true,
			Type: m.PointerTo(ir.Storage, m.ArrayOf(stored(m, t), 0), access)})
		return b.Access(g, index)
	}
	var args []ir.Value
	for n, t := range operands {
		v := b.Load(buffer(n, fmt.Sprint("x", n), t, ir.Read))
		if m.ScalarOf(t) == scalar.Bool {
			v = b.Op(op.Ne, v, m.Zero(f.TypeOf(v)))
		}
		args = append(args, v)
	}
	if result == ir.Void {
		result, _ = f.InferType(o, args)
	}
	v := b.Emit(o, result, aux, args...)
	if m.ScalarOf(result) == scalar.Bool {
		t := stored(m, result)
		v = b.Op(op.Select, v, m.ConstInt(t, 1), m.ConstInt(t, 0))
	}
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
	for _, k := range []scalar.Kind{scalar.Bool, scalar.I32, scalar.U32, scalar.I64, scalar.U64, scalar.F32, scalar.F16} {
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
	if s.Special != "" {
		list = []variant{{scalar.F32, 3}, {scalar.U32, 2}}
	} else if s.Class == op.NoClass {
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
	switch s.Special {
	case "select":
		return []ir.Type{m.WithScalar(t, scalar.Bool), t, t}
	case "shuffle":
		return []ir.Type{t}
	case "splat":
		return []ir.Type{ir.Type(v.kind)}
	}
	var types []ir.Type
	for _, p := range s.Operands[:s.Count] {
		types = append(types, m.PatternType(p, t))
	}
	return types
}

// tolerance says whether a result may differ so from the evaluator's. epsilon is
// the distance of 1 to the next number of the kind. Results without a tolerance
// must be the evaluator's bits, but for the payload of NaN and, where they are
// floats, the sign of zero.
type tolerance func(x []float64, want, got, epsilon float64) bool

// relative accepts an error of so many units in the last place, for operands in
// a domain.
func relative(units float64, domain func(x float64) bool) tolerance {
	return func(x []float64, want, got, epsilon float64) bool {
		return !domain(x[0]) || math.Abs(got-want) <= units*epsilon*math.Abs(want)+smallest(epsilon)
	}
}

// smallest returns the least subnormal of the kind with this epsilon.
func smallest(epsilon float64) float64 {
	if epsilon == 0x1p-10 {
		return 0x1p-24
	}
	return 0x1p-149
}

func everywhere(float64) bool { return true }

func below(bound float64) func(float64) bool {
	return func(x float64) bool { return math.Abs(x) < bound }
}

var tolerances = map[op.Op]tolerance{
	op.Fma: func(x []float64, want, got, epsilon float64) bool {
		product := math.Abs(x[0] * x[1])
		return math.IsInf(got, 0) || math.Abs(got-want) <= epsilon*(product+math.Abs(x[2]))+smallest(epsilon)
	},
	op.Rem: func(x []float64, want, got, epsilon float64) bool {
		quotient := math.Abs(x[0] / x[1])
		if !(quotient < 1/epsilon) { // no digit need be right
			return true
		}
		distance := math.Abs(got - want)
		return math.Min(distance, math.Abs(distance-math.Abs(x[1]))) <= 2*epsilon*math.Abs(x[0])+smallest(epsilon)
	},
	op.InverseSqrt: relative(2, everywhere),
	op.Tan:         relative(8, below(3)),
	op.Sinh:        relative(64, below(88)),
	op.Cosh:        relative(64, below(88)),
	op.Tanh:        relative(8, everywhere),
	op.Asinh:       relative(8, everywhere),
	op.Acosh:       relative(512, func(x float64) bool { return x > 1.01 }),
	op.Atanh:       relative(16, below(0.999)),
}

// rowPass makes a pass of one expansion alone.
func rowPass(o op.Op, e expansion) opt.Pass {
	table := new(rules)
	table[o] = e.rule
	return opt.Pass{Name: "polyfill", Run: func(c *opt.Context, m *ir.Module) { table.run(c, m) }}
}

func countOp(f *ir.Func, b ir.Block, o op.Op) int {
	n := 0
	for i := f.First(b); i != 0; i = f.Next(i) {
		if f.Op(i) == o {
			n++
		}
		if f.Op(i).Is(op.Control) {
			for k := range f.Blocks(i) {
				n += countOp(f, f.Region(i, k), o)
			}
		}
	}
	return n
}

// keeps lists the operations that an expansion leaves as they are on some kinds.
func keeps(o op.Op, v variant) bool { return o == op.Rem && v.kind.IsInteger() }

// TestExpansions runs each way to express each operation against the operation
// itself, on every kind and on scalars and vectors.
func TestExpansions(t *testing.T) {
	for o := range op.Count {
		for way, e := range expansions[o] {
			for _, v := range variants(o) {
				t.Run(fmt.Sprintf("%s/%d/%s×%d", o, way, v.kind, v.components), func(t *testing.T) {
					compareExpansion(t, o, e, v)
				})
			}
		}
	}
}

func compareExpansion(t *testing.T, o op.Op, e expansion, v variant) {
	aux, result := uint32(0), func(m *ir.Module) ir.Type { return ir.Void }
	switch o {
	case op.Shuffle:
		aux = op.EncodeSwizzle(1, 0, 1)
		result = func(m *ir.Module) ir.Type { return m.VectorOf(ir.Type(v.kind), 3) }
	case op.Splat:
		result = func(m *ir.Module) ir.Type { return m.VectorOf(ir.Type(v.kind), v.components) }
	}
	original := kernelOf(o, aux, ir.Void, func(m *ir.Module) []ir.Type { return typesOf(m, o, v) }, result)
	expanded := original.Clone()
	c := &opt.Context{List: new(diag.List), Verify: true}
	c.Run(expanded, []opt.Pass{rowPass(o, e)}, 0)
	f := expanded.Kernels()[0]
	if left := countOp(f, f.Entry, o); (left > 0) != keeps(o, v) && o != op.Select {
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
		i, c := n/components, n%components
		x := make([][]uint64, len(inputs))
		for j, in := range inputs {
			x[j] = in[i*operands[j].components : (i+1)*operands[j].components]
		}
		if want[n] == got[n] || agree(o, k, operands, x, c, want[n], got[n]) {
			continue
		}
		text := ""
		for j := range x {
			for _, bits := range x[j] {
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

// agree reports whether two results whose bits differ are both right. c is the
// component of the result.
func agree(o op.Op, k scalar.Kind, operands []operand, inputs [][]uint64, c int, want, got uint64) bool {
	if o == op.Pack2x16Float {
		return sameHalf(want&0xffff, got&0xffff) && sameHalf(want>>16, got>>16)
	}
	if !k.IsFloat() {
		return false
	}
	a, b := scalar.ToFloat64(k, want), scalar.ToFloat64(k, got)
	if a == b || a != a && b != b {
		return true
	}
	x := make([]float64, len(inputs))
	for j := range x {
		x[j] = scalar.ToFloat64(operands[j].kind, inputs[j][c%operands[j].components])
		if tolerances[o] != nil && (math.IsInf(x[j], 0) || x[j] != x[j]) {
			return true // an implementation may assume that there are none (WGSL §15.7.2)
		}
	}
	epsilon := 0x1p-23
	if k == scalar.F16 {
		epsilon = 0x1p-10
	}
	return tolerances[o] != nil && tolerances[o](x, a, b, epsilon)
}

// sameHalf reports whether two patterns are the same f16 or both NaN.
func sameHalf(a, b uint64) bool {
	return a == b || a&0x7fff > 0x7c00 && b&0x7fff > 0x7c00
}
