package spirv

import (
	"strings"
	"testing"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// TestEveryOperationHasARow names the operations that are neither written nor
// said to be beyond the target. lower.Tiles replaces tiles.
func TestEveryOperationHasARow(t *testing.T) {
	for o := op.Invalid + 1; o < op.Count; o++ {
		r := &table[o]
		if !op.Tiles.Has(o) && r.emit == nil && r.signed|r.unsigned|r.float|r.boolean == 0 {
			t.Errorf("%s has no row", o)
		}
	}
}

// buffers is a kernel under construction whose operands come from storage, so
// that nothing folds away, and whose results go there.
type buffers struct {
	m     *ir.Module
	b     *ir.Builder
	index ir.Value
}

func newBuffers() *buffers {
	m := ir.NewModule(nil)
	f := m.NewFunc("main", ir.Void)
	f.Kernel = true
	f.Workgroup = [3]ir.Value{m.ConstU32(64), m.ConstU32(1), m.ConstU32(1)}
	f.Builtins = []ir.Builtin{ir.LocalInvocationIndex}
	return &buffers{m, ir.NewBuilder(f), f.AddParam(f.Entry, ir.U32)}
}

// memory returns a pointer to storage of a type.
func (k *buffers) memory(t ir.Type) ir.Value {
	n := uint32(len(k.m.Globals))
	g := k.m.AddGlobal(ir.Global{Name: "g", Type: k.m.PointerTo(ir.Storage, k.m.ArrayOf(t, 0), ir.ReadWrite), Binding: n, Bound: true})
	return k.b.Access(g, k.index)
}

func (k *buffers) load(t ir.Type) ir.Value { return k.b.Load(k.memory(t)) }

func (k *buffers) store(v ir.Value) {
	if v != 0 {
		k.b.Store(k.memory(k.b.F.TypeOf(v)), v)
	}
}

func (k *buffers) finish(t *testing.T) {
	t.Helper()
	k.b.Return(0)
	var list diag.List
	ir.Verify(k.m, &list)
	code := compileModule(k.m, false, &list)
	for _, d := range list.Items() {
		t.Errorf("%s %v", d.Message, d.Notes)
	}
	if !t.Failed() {
		validate(t, code)
	}
}

var allKinds = []scalar.Kind{scalar.Bool, scalar.I32, scalar.U32, scalar.F32, scalar.F16, scalar.I64, scalar.U64}

// TestRegularOperations builds each operation with a regular signature on every
// type that the signature allows.
func TestRegularOperations(t *testing.T) {
	for o := op.Invalid + 1; o < op.Count; o++ {
		s := op.SignatureOf(o)
		if s.Special != "" {
			continue
		}
		t.Run(o.String(), func(t *testing.T) {
			k := newBuffers()
			kinds := allKinds
			if s.Class == op.NoClass {
				kinds = []scalar.Kind{scalar.None}
			}
			for _, kind := range kinds {
				if s.Class != op.NoClass && !s.Class.Contains(kind) {
					continue
				}
				for n := 1; n <= 4; n++ {
					if n == 1 && !s.Scalar && s.Class != op.NoClass || n > 1 && !s.Vector {
						continue
					}
					if missing := absent(o, kind); missing != "" {
						t.Logf("%s on %s: %s", o, kind, missing)
						continue
					}
					typ := ir.Type(kind)
					if n > 1 {
						typ = k.m.VectorOf(typ, n)
					}
					args := make([]ir.Value, s.Count)
					for a := range args {
						p := k.m.PatternType(s.Operands[a], typ)
						if o == op.SubgroupBroadcast && a == 1 || o == op.QuadBroadcast && a == 1 {
							args[a] = k.m.ConstU32(1)
						} else {
							args[a] = k.load(p)
						}
					}
					k.store(k.b.Op(o, args...))
				}
			}
			k.finish(t)
		})
	}
}

// absent says why an operation on a kind is not tried.
func absent(o op.Op, k scalar.Kind) string { return "" }

func TestConversions(t *testing.T) {
	k := newBuffers()
	for _, from := range allKinds {
		for _, to := range allKinds {
			for n := 1; n <= 4; n += 3 {
				x := ir.Type(from)
				if n > 1 {
					x = k.m.VectorOf(x, n)
				}
				k.store(k.b.Convert(to, k.load(x)))
			}
		}
	}
	k.finish(t)
}

func TestBitcasts(t *testing.T) {
	k := newBuffers()
	for _, c := range [][2]ir.Type{
		{ir.F32, ir.U32}, {ir.I32, ir.F32}, {ir.U32, ir.U32}, {ir.U32, k.m.VectorOf(ir.F16, 2)},
		{k.m.VectorOf(ir.F16, 4), k.m.VectorOf(ir.F32, 2)}, {ir.U64, k.m.VectorOf(ir.U32, 2)},
		{k.m.VectorOf(ir.I32, 3), k.m.VectorOf(ir.F32, 3)},
	} {
		k.store(k.b.Bitcast(c[1], k.load(c[0])))
		k.store(k.b.Bitcast(c[0], k.load(c[1])))
	}
	k.finish(t)
}

// TestUnsupported checks that what SPIR-V cannot say is a diagnostic at its position.
func TestUnsupported(t *testing.T) {
	for _, test := range []struct{ name, text, message string }{
		{"bytes in immediates", `
struct S [size 4, align 1] { a: u8 [offset 0], b: u8 [offset 1] }
var @a : ptr<immediate, S>
var @o : ptr<storage, array<u8>, read_write> [group 0, binding 0]
kernel @k() [workgroup 1u, 1u, 1u] {
  %p = access @a, 1u : ptr<immediate, u8>
  %x = load %p : u8
  %q = access @o, 0u : ptr<storage, u8, read_write>
  store %q, %x
  return
}
`, "the target spirv cannot express this: the layout of @a: integers of 8 and 16 bits are in storage buffers only"},
		{"vectors across a boundary", `
struct S [size 24, align 4] { a: vec3<f32> [offset 0], b: vec3<f32> [offset 12] }
var @a : ptr<storage, S> [group 0, binding 0]
kernel @k() [workgroup 1u, 1u, 1u] {
  %p = access @a, 1u, 0u : ptr<storage, f32>
  %x = load %p : f32
  return
}
`, "the target spirv cannot express this: the layout of @a: the vector b at offset 12 crosses a boundary of 16 bytes"},
		{"a constant that no instruction holds", `
var @a : ptr<storage, u32, read_write> [group 0, binding 0]
kernel @k() [workgroup 1u, 1u, 1u] {
  %c = load @a : u32
  %t = ne %c, 0u : bool
  %v = if ^i %t : array<u32, 65533u> {
    exit ^i(array<u32, 65533u>(` + strings.Repeat("1u, ", 65532) + `2u))
  } else {
    exit ^i(zero<array<u32, 65533u>>)
  }
  %x = extract %v, 65532u : u32
  store @a, %x
  return
}
`, "the target spirv cannot express this: a constant of 65533 parts as a value; at most 65532 fit an instruction"},
	} {
		t.Run(test.name, func(t *testing.T) {
			m, _, items := ir.ParseString(test.text)
			if m == nil {
				t.Fatalf("does not parse: %+v", items)
			}
			var list diag.List
			if compileModule(m, false, &list) != nil {
				t.Fatal("it compiles")
			}
			d := list.Items()[0]
			if d.Code != diag.TargetUnsupported || d.Message != test.message || !d.Span.Valid() {
				t.Errorf("%v at %v: %s\nwant: %s", d.Code, d.Span, d.Message, test.message)
			}
		})
	}
}
