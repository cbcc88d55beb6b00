package lower_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gpuc/gpuc/codegen/guard"
	"github.com/gpuc/gpuc/codegen/lower"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/interp"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt"
)

func TestViews(t *testing.T) {
	const in = `
struct S [size 16, align 16] { v: vec2<f32> [offset 0], n: array<u32> [offset 8] }
var @in : ptr<storage, buffer> [group 0, binding 0]
var @out : ptr<storage, buffer<256u>, read_write> [group 0, binding 1]
var @halves : ptr<workgroup, buffer<64u>>

kernel @k(%id: vec3<u32> [local_invocation_id]) [workgroup 4u, 1u, 1u] {
  %x = extract %id, 0u : u32
  %p = view @in, %x, 4294967295u : ptr<storage, S>
  %e = access %p, 1u, %x : ptr<storage, u32>
  %v = load %e : u32
  %n = access %p, 1u : ptr<storage, array<u32>>
  %l = array_length %n : u32
  %q = view @out, 8u, 4294967295u : ptr<storage, vec2<u32>, read_write>
  %c = construct %v, %l : vec2<u32>
  store %q, %c
  %b = array_length @in : u32
  %d = array_length @out : u32
  %a = add %b, %d : u32
  %h = view @halves, 4u, 4294967295u : ptr<workgroup, f16>
  %f = load %h : f16
  %w = view @halves, 8u, 4294967295u : ptr<workgroup, u32>
  %g = convert %f : u32
  store %w, %g
  return
}
`
	const want = `
struct S [size 16, align 16] { v: vec2<f32> [offset 0], n: array<u32> [offset 8] }
var @in : ptr<storage, array<u32>> [group 0, binding 0]
var @out : ptr<storage, array<u32, 64u>, read_write> [group 0, binding 1]
var @halves : ptr<workgroup, array<f16, 32u>>

kernel @k(%id: vec3<u32> [local_invocation_id]) [workgroup 4u, 1u, 1u] {
  %x = extract %id, 0u : u32
  %.0 = and %x, 4294967280u : u32
  %.1 = shr %.0, 2u : u32
  %.2 = array_length @in : u32
  %.3 = min %.2, 1073741823u : u32
  %.4 = shl %.3, 2u : u32
  %.5 = min %.4, %.0 : u32
  %.6 = sub %.4, %.5 : u32
  %.7 = ge %.6, 12u : bool
  %.8 = select %.7, %.1, 2147483648u : u32
  %.9 = add %.8, %x : u32
  %.10 = min %.6, 8u : u32
  %.11 = sub %.6, %.10 : u32
  %.12 = div %.11, 4u : u32
  %.13 = lt %x, %.12 : bool
  %.14 = select %.13, %.9, 2147483648u : u32
  %.15 = add %.14, 2u : u32
  %.16 = access @in, %.15 : ptr<storage, u32>
  %.17 = load %.16 : u32
  %.18 = add %.8, 2u : u32
  %.19 = min %.6, 8u : u32
  %.20 = sub %.6, %.19 : u32
  %.21 = div %.20, 4u : u32
  %c = construct %.17, %.21 : vec2<u32>
  %.22 = extract %c, 0u : u32
  %.23 = access @out, 2u : ptr<storage, u32, read_write>
  store %.23, %.22
  %.24 = extract %c, 1u : u32
  %.25 = access @out, 3u : ptr<storage, u32, read_write>
  store %.25, %.24
  %.26 = array_length @in : u32
  %.27 = min %.26, 1073741823u : u32
  %.28 = shl %.27, 2u : u32
  %a = add %.28, 256u : u32
  %.29 = access @halves, 2u : ptr<workgroup, f16>
  %.30 = load %.29 : f16
  %g = convert %.30 : u32
  %.31 = bitcast %g : vec2<f16>
  %.32 = extract %.31, 0u : f16
  %.33 = access @halves, 4u : ptr<workgroup, f16>
  store %.33, %.32
  %.34 = extract %.31, 1u : f16
  %.35 = access @halves, 5u : ptr<workgroup, f16>
  store %.35, %.34
  return
}
`
	makes(t, lower.Views, in, want[1:])
}

// TestViewsEnd leaves views in every direction, but not their buffer. Nothing is stored there,
// before or after Robustness, and the interpreter reports it.
func TestViewsEnd(t *testing.T) {
	const head = `
struct S [size 16, align 4] { n: u32 [offset 0], v: vec2<u32> [offset 8] }
struct T [size 8, align 4] { n: u32 [offset 0], a: array<u32> [offset 4] }
var @b : ptr<storage, buffer<64u>, read_write> [group 0, binding 0]
var @i : ptr<storage, array<u32>> [group 0, binding 1]

kernel @k() [workgroup 1u, 1u, 1u] {
  %ip = access @i, 0u : ptr<storage, u32>
  %x = load %ip : u32
`
	for _, test := range []struct {
		name, body string
		inside     uint32 // an index or offset in range
		outside    []uint32
	}{
		{"element", `
  %p = view @b, 16u, 4294967295u : ptr<storage, array<u32, 4u>, read_write>
  %q = access %p, %x : ptr<storage, u32, read_write>
  store %q, 7u`, 3, []uint32{4, 11, 1<<32 - 1, 1<<32 - 4, 1 << 30, 1 << 31}},
		{"component", `
  %p = view @b, 16u, 4294967295u : ptr<storage, array<vec2<u32>, 2u>, read_write>
  %q = access %p, 1u, %x : ptr<storage, u32, read_write>
  store %q, 7u`, 1, []uint32{2, 3, 1<<32 - 1}},
		{"nested", `
  %p = view @b, 0u, 4294967295u : ptr<storage, array<array<u32, 2u>, 2u>, read_write>
  %q = access %p, %x, %x : ptr<storage, u32, read_write>
  store %q, 7u`, 1, []uint32{2, 1 << 29, 1 << 30, 1<<32 - 1}},
		{"size", `
  %p = view @b, 8u, 12u : ptr<storage, array<u32>, read_write>
  %q = access %p, %x : ptr<storage, u32, read_write>
  store %q, 7u`, 2, []uint32{3, 13, 1<<32 - 1}},
		{"constant element", `
  %p = view @b, 8u, %x : ptr<storage, array<u32>, read_write>
  %q = access %p, 3u : ptr<storage, u32, read_write>
  store %q, 7u`, 16, []uint32{12, 4}},
		{"tail", `
  %p = view @b, 8u, 12u : ptr<storage, T, read_write>
  %q = access %p, 1u, %x : ptr<storage, u32, read_write>
  store %q, 7u`, 1, []uint32{2, 3, 1<<32 - 1}},
		{"smaller buffer", `
  %s = view @b, 0u, 4294967295u : ptr<storage, buffer<16u>, read_write>
  %p = view %s, %x, 4294967295u : ptr<storage, vec2<u32>, read_write>
  store %p, vec2<u32>(7u, 7u)`, 8, []uint32{16, 24, 56, 1<<32 - 8}},
		{"offset", `
  %p = view @b, %x, 4294967295u : ptr<storage, S, read_write>
  %q = access %p, 1u, 0u : ptr<storage, u32, read_write>
  store %q, 7u`, 48, []uint32{52, 60, 64, 1<<32 - 16}},
	} {
		run := func(x uint32, checked bool, passes ...opt.Pass) (stored bool, found int) {
			m, _, items := ir.ParseString(head + test.body + "\n  return\n}\n")
			if m == nil {
				t.Fatalf("does not parse: %+v", items)
			}
			var list diag.List
			c := &opt.Context{List: &list, Verify: true}
			c.Run(m, append([]opt.Pass{lower.Views}, passes...), ir.Initial|ir.Rooted)
			p, err := interp.Compile(m, m.Kernels()[0])
			if err != nil {
				t.Fatal(err)
			}
			b := make([]byte, 64)
			reports, err := p.Run(&interp.Launch{Buffers: [][]byte{b, []byte{byte(x), byte(x >> 8), byte(x >> 16), byte(x >> 24)}}, Grid: [3]uint32{1, 1, 1}, Checked: checked})
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range reports {
				if r.Code != diag.OutOfBounds {
					t.Errorf("%s: %s", test.name, r.Message)
				}
			}
			return bytes.IndexByte(b, 7) >= 0, len(reports)
		}
		for _, passes := range [][]opt.Pass{nil, {guard.Robustness}} {
			if stored, _ := run(test.inside, false, passes...); !stored {
				t.Errorf("%s, %d: nothing is stored", test.name, test.inside)
			}
			for _, x := range test.outside {
				if stored, _ := run(x, false, passes...); stored {
					t.Errorf("%s, %d: something is stored", test.name, x)
				}
			}
		}
		if _, found := run(test.inside, true); found > 0 {
			t.Errorf("%s, %d: reported", test.name, test.inside)
		}
		for _, x := range test.outside {
			if _, found := run(x, true); found == 0 {
				t.Errorf("%s, %d: not reported", test.name, x)
			}
		}
	}
}

// viewTest makes random kernels that move a value from one buffer to another.
type viewTest struct {
	*rand.Rand
	m *ir.Module
	b *ir.Builder
}

// typ makes a host-shareable type.
func (v *viewTest) typ(depth int, halves bool) ir.Type {
	m := v.m
	scalars := []ir.Type{ir.F32, ir.U32, ir.I32, ir.F16}
	if !halves {
		scalars = scalars[:3]
	}
	s := scalars[v.IntN(len(scalars))]
	n := v.IntN(6)
	if depth == 0 {
		n = v.IntN(3)
	}
	switch n {
	case 0:
		return s
	case 1:
		return m.VectorOf(s, 2+v.IntN(3))
	case 2:
		if s == ir.F32 || s == ir.F16 {
			return m.MatrixOf(s, 2+v.IntN(3), 2+v.IntN(3))
		}
		return s
	case 3:
		count := uint32(1 + v.IntN(4))
		if depth < 2 {
			count += uint32(v.IntN(30))
		}
		return m.ArrayOf(v.typ(depth-1, halves), m.ConstU32(count))
	}
	members := make([]ir.Member, 1+v.IntN(4))
	for i := range members {
		members[i] = ir.Member{Name: fmt.Sprint("m", i), Type: v.typ(depth-1, halves)}
	}
	size, align := m.LayoutStruct(members, nil, nil)
	return m.NewStruct(fmt.Sprint("S", m.TypeCount()), members, size, align)
}

// leaves calls do with the offset and size of each scalar of a type.
func leaves(m *ir.Module, t ir.Type, at uint32, do func(at, size uint32)) {
	if m.IsScalar(t) {
		do(at, m.Size(t))
		return
	}
	n, _ := m.Count(t)
	for k := range n {
		leaves(m, m.PartType(t, k), at+m.PartOffset(t, k), do)
	}
}

// move builds one of the ways to move a value.
func (v *viewTest) move(t ir.Type, to, from ir.Value) {
	m := v.m
	n, composite := m.Count(t)
	switch way := v.IntN(4); {
	case way == 0 && composite && !m.IsVector(t): // part by part
		for k := range n {
			v.move(m.PartType(t, k), v.b.Access(to, m.ConstU32(k)), v.b.Access(from, m.ConstU32(k)))
		}
	case way == 1 && m.KindOf(t) == ir.ArrayType: // an array by a loop
		loop := v.b.Loop()
		k := v.b.F.AddLoopParam(loop, m.ConstU32(0))
		outside := *v.b
		v.b.SetBlock(v.b.F.Region(loop, 0))
		v.move(m.Element(t), v.b.Access(to, k), v.b.Access(from, k))
		v.b.Continue(loop)
		v.b.SetBlock(v.b.F.Region(loop, 1))
		next := v.b.Op(op.Add, k, m.ConstU32(1))
		v.b.Next(loop, []ir.Value{next}, v.b.Op(op.Ge, next, m.ConstU32(n)), nil)
		*v.b = outside
	case way == 2 && composite: // by way of a variable
		own := v.b.Var(t, "")
		v.b.Emit(op.Copy, ir.Void, 0, own, from)
		v.b.Emit(op.Copy, ir.Void, 0, to, own)
	case way == 3 && composite:
		v.b.Emit(op.Copy, ir.Void, 0, to, from)
	default:
		v.b.Store(to, v.b.Load(from))
	}
}

// TestViewsMoveBytes compares copies through views with copies of the bytes of their scalars.
func TestViewsMoveBytes(t *testing.T) {
	for seed := range uint64(400) {
		m := ir.NewModule(nil)
		f := m.NewFunc("k", ir.Void)
		f.Kernel = true
		f.Workgroup = [3]ir.Value{m.ConstU32(1), m.ConstU32(1), m.ConstU32(1)}
		v := &viewTest{rand.New(rand.NewPCG(seed, 1)), m, ir.NewBuilder(f)}
		typ := v.typ(3, seed%2 == 0)
		align, size := m.Align(typ), m.Size(typ)
		offsets := [2]uint32{v.Uint32N(64), v.Uint32N(64)}
		var begin [2]uint32
		for n := range begin {
			begin[n] = offsets[n] / align * align
		}
		bytesOf := func(n int) uint32 { return (begin[n] + size + v.Uint32N(9) + 15) / 16 * 16 }
		space, access := ir.Storage, ir.Read
		if seed%3 == 0 {
			space = ir.Uniform
		}
		lengths := [2]uint32{bytesOf(0), bytesOf(1)}
		count := m.ConstU32(lengths[0])
		if space == ir.Storage && v.IntN(2) == 0 {
			count = ir.NoValue
		}
		from := m.AddGlobal(ir.Global{Name: "from", Type: m.PointerTo(space, m.BufferOf(count), access), Bound: true})
		to := m.AddGlobal(ir.Global{Name: "to", Type: m.PointerTo(ir.Storage, m.BufferOf(m.ConstU32(lengths[1])), ir.ReadWrite), Binding: 1, Bound: true})
		places := m.AddGlobal(ir.Global{Name: "places", Type: m.PointerTo(ir.Storage, m.ArrayOf(ir.U32, m.ConstU32(2)), ir.Read), Binding: 2, Bound: true})
		pointers := [2]ir.Value{from, to}
		for n := range pointers {
			offset := m.ConstU32(offsets[n])
			if v.IntN(2) == 0 {
				offset = v.b.Load(v.b.Access(places, m.ConstU32(uint32(n))))
			}
			pt := f.TypeOf(pointers[n])
			pointers[n] = v.b.Emit(op.View, m.PointerTo(m.SpaceOf(pt), typ, m.AccessOf(pt)), 0, pointers[n], offset, m.ConstU32(1<<32-1))
		}
		v.move(typ, pointers[1], pointers[0])
		v.b.Return(ir.NoValue)
		text := m.Text()

		buffers := make([][]byte, 3)
		for n := range lengths {
			buffers[n] = make([]byte, lengths[n])
			for k := range buffers[n] {
				buffers[n][k] = byte(v.Uint32())
			}
		}
		buffers[2] = []byte{byte(offsets[0]), 0, 0, 0, byte(offsets[1]), 0, 0, 0}
		want := bytes.Clone(buffers[1])
		leaves(m, typ, 0, func(at, size uint32) {
			copy(want[begin[1]+at:][:size], buffers[0][begin[0]+at:])
		})

		var list diag.List
		c := &opt.Context{List: &list, Verify: true}
		pipeline := []opt.Pass{lower.Views}
		if seed%4 < 2 {
			pipeline = append(pipeline, guard.Robustness, lower.StandardUniforms)
		}
		c.Run(m, pipeline, ir.Initial|ir.Rooted)
		p, err := interp.Compile(m, f)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		var bound [][]byte
		for _, b := range p.Bindings() { // without the offsets where both are constant
			bound = append(bound, buffers[b.Binding])
		}
		found, err := p.Run(&interp.Launch{Buffers: bound, Grid: [3]uint32{1, 1, 1}, Checked: true})
		if err != nil || len(found) > 0 {
			t.Fatalf("seed %d: %v, %+v\n%s", seed, err, found, text)
		}
		if !bytes.Equal(want, buffers[1]) {
			t.Fatalf("seed %d: want\n% x\ngot\n% x\n%s\n%s", seed, want, buffers[1], text, m.Text())
		}
	}
}
