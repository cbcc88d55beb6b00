package gpu

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/runtime/abi"
)

// layouts are structures as gpuc describes them: offsets are WGSL's (WGSL §14.4.1), written by
// hand.
var layouts = abi.Kernel{Name: "k", Structs: []abi.Struct{
	{Name: "Params", Size: 32, Align: 16, Members: []abi.Member{
		{Name: "n", Type: "u32", Size: 4}, {Name: "scale", Type: "f32", Offset: 4, Size: 4}, {Name: "dir", Type: "vec3<f32>", Offset: 16, Size: 12}}},
	{Name: "Pair", Size: 8, Align: 4, Members: []abi.Member{{Name: "low", Type: "f32", Size: 4}, {Name: "high", Type: "f32", Offset: 4, Size: 4}}},
	{Name: "Pairs", Size: 16, Align: 4, Members: []abi.Member{
		{Name: "bound", Type: "Pair", Size: 8}, {Name: "left", Type: "u32", Offset: 8, Size: 4}, {Name: "right", Type: "u32", Offset: 12, Size: 4}}},
	{Name: "Lines", Size: 20, Align: 4, Members: []abi.Member{
		{Name: "ends", Type: "array<Pair, 2u>", Size: 16, Stride: 8}, {Name: "n", Type: "u32", Offset: 16, Size: 4}}},
	{Name: "Body", Size: 32, Align: 16, Members: []abi.Member{
		{Name: "mass", Type: "f32", Size: 4}, {Name: "at", Type: "vec3<f32>", Offset: 16, Size: 12}, {Name: "charge", Type: "f32", Offset: 28, Size: 4}}},
	{Name: "Wide", Size: 192, Align: 16, Members: []abi.Member{
		{Name: "rotation", Type: "mat3x3<f32>", Size: 48, Stride: 16}, {Name: "flat", Type: "mat4x2<f32>", Offset: 48, Size: 32, Stride: 8},
		{Name: "hits", Type: "atomic<u32>", Offset: 80, Size: 4}, {Name: "half_size", Type: "vec2<f16>", Offset: 84, Size: 4},
		{Name: "bound", Type: "Pair", Offset: 88, Size: 8}, {Name: "params", Type: "array<Params, 3u>", Offset: 96, Size: 96, Stride: 32}}},
	{Name: "Go", Size: 16, Align: 4, Members: []abi.Member{ // as kernels in Go have it
		{Name: "N", Type: "u32", Size: 4}, {Name: "_", Type: "array<u16, 3u>", Offset: 4, Size: 6, Stride: 2}, {Name: "X", Type: "f32", Offset: 12, Size: 4}}},
	{Name: "Alike", Size: 12, Align: 4, Members: []abi.Member{
		{Name: "head", Type: "u32", Size: 4}, {Name: "n", Type: "u32", Offset: 4, Size: 4}, {Name: "N", Type: "u32", Offset: 8, Size: 4}}},
	{Name: "List", Size: 20, Align: 4, Members: []abi.Member{
		{Name: "count", Type: "u32", Size: 4}, {Name: "values", Type: "array<f32>", Offset: 4, Stride: 4}}},
}}

type celsius float32

type params struct {
	N     uint32
	Scale float32
	_     [2]uint32
	Dir   [3]float32
	_     uint32
}

type body struct {
	Mass   float32
	_      [3]float32
	At     Vec3f
	Charge celsius
}

type pair struct{ Low, High float32 }

type head struct{ N uint32 }

type wide struct {
	Rotation [3][4]float32
	Flat     [4][2]float32
	Hits     uint32
	HalfSize [2]uint16
	Bound    pair
	Params   [3]params
}

// TestLayouts: which types of Go's fit, and what is said of those that do not.
func TestLayouts(t *testing.T) {
	for _, c := range []struct {
		name string
		of   string // the binding's type
		host any    // an element, a slice of two, or a pointer to an element
		want string // the beginning of what is wrong
	}{
		{"a structure", "Params", params{}, ""},
		{"an array of structures", "array<Params>", params{}, ""},
		{"many of them", "array<Params>", [5]params{}, ""},
		{"bytes", "Params", byte(0), ""},
		{"arrays of bytes", "array<Params>", [12]byte{}, ""},
		{"bytes within", "Params", struct {
			N     [4]byte
			Scale [4]byte
			_     [8]byte
			Dir   [12]byte
			_     [4]byte
		}{}, ""},
		{"other order", "Params", struct {
			Scale float32
			N     uint32
			_     [2]uint32
			Dir   [3]float32
			_     uint32
		}{}, "v.n is u32 at offset 0, where Go's struct {"},
		{"numbers", "Params", [2]float32{}, "v.n is u32 at offset 0, where Go's [2]float32 has element 0[0] float32; gpuc layout -lang go "},
		{"eight numbers", "Params", []float32{1, 2}, "v.n is u32 at offset 0, where the buffer of float32 has element 0; gpuc layout"},
		{"words", "Params", []uint32{1, 2}, "v.scale is f32 at offset 4, where the buffer of uint32 has element 1; gpuc layout"},
		{"no padding", "Params", struct {
			N     uint32
			Scale float32
			Dir   [3]float32
			_     [3]uint32
		}{}, "v.dir is vec3<f32> at offset 16, where Go's struct"},
		{"no padding behind it", "Params", struct {
			N     uint32
			Scale float32
			_     [2]uint32
			Dir   [3]float32
		}{}, "v, Params, has 32 bytes, and Go's struct { N uint32; Scale float32; _ [2]uint32; Dir [3]float32 } has 28: it lacks 4 bytes of padding"},
		{"no padding behind them", "array<Params>", struct {
			N     uint32
			Scale float32
			_     [2]uint32
			Dir   [3]float32
		}{}, "elements of v, Params, are 32 bytes apart, and those of Go, struct { N uint32; Scale float32; _ [2]uint32; Dir [3]float32 }, have 28 bytes"},
		{"another integer", "Params", struct {
			N     int32
			Scale float32
			_     [2]uint32
			Dir   [3]float32
			_     uint32
		}{}, "v.n is u32 at offset 0, where Go's struct { N int32; Scale float32; _ [2]uint32; Dir [3]float32; _ uint32 } has N int32"},
		{"a member in padding", "Params", struct {
			N   uint32
			_   [3]uint32
			Dir [3]float32
			_   uint32
		}{}, "v.scale is f32 at offset 4, where Go's struct { N uint32; _ [3]uint32; Dir [3]float32; _ uint32 } has padding"},
		{"embedded", "Params", struct {
			head
			Scale   float32
			Padding [2]uint32
			Dir     Vec3f
			Unused  uint32
		}{}, ""},
		{"other names", "Params", struct {
			Count uint32
			Gain  float32
			_     [2]uint32
			To    [3]float32
			_     uint32
		}{}, ""},
		{"fields of a vector", "Params", struct {
			N           uint32
			Scale       float32
			_, _        uint32
			X, Y, Z, W4 float32
		}{}, ""},
		{"a blank field", "array<Go>", struct {
			N uint32
			_ [3]uint16
			X float32
		}{}, ""},
		{"a name for it", "array<Go>", struct {
			N    uint32
			A, B float32
			X    float32
		}{}, ""},
		{"swapped around it", "Go", struct {
			X float32
			_ [3]uint16
			N uint32
		}{}, "v.N is u32 at offset 0, where Go's struct { X float32; _ [3]uint16; N uint32 } has X, and N at 12"},
		{"names that differ in case", "Alike", struct{ Head, n, N uint32 }{}, ""},
		{"a name that hides one", "Alike", struct {
			head
			n, N uint32
		}{}, ""},
		{"swapped names", "Pair", struct{ High, Low float32 }{}, "v.low is f32 at offset 0, where Go's struct { High float32; Low float32 } has High, and Low at 4"},
		{"swapped names of elements", "array<Pair>", struct{ HIGH, LOW float32 }{}, "v[0].low is f32 at offset 0, "},
		{"no names of the kernel's", "Pair", struct{ From, To float32 }{}, ""},
		{"one name", "Pair", struct{ High, Top float32 }{}, ""},
		{"swapped names within one at its beginning", "array<Pairs>", struct {
			Bound       struct{ High, Low float32 }
			Left, Right uint32
		}{}, "v[0].bound.low is f32 at offset 0, where Go's struct { Bound struct { High float32; Low float32 }; Left uint32; Right uint32 } has High, and Low at 4"},
		{"swapped names in an array at its beginning", "Lines", struct {
			Ends [2]struct{ High, Low float32 }
			N    uint32
		}{}, "v.ends[0].low is f32 at offset 0, where Go's struct { Ends [2]struct { High float32; Low float32 }; N uint32 } has High, and Low at 4"},
		{"names within one", "array<Pairs>", struct {
			Bound       pair
			Left, Right uint32
		}{}, ""},
		{"more members", "array<Pair>", struct{ Low, High, C, D float32 }{}, "elements of v, Pair, are 8 bytes apart, and those of Go, struct { Low float32; High float32; C float32; D float32 }, have 16 bytes: C at 8 is too much"},
		{"pairs in a structure", "array<Pair>", struct{ P, Q pair }{}, ""},
		{"pairs in an array of one", "array<Pair>", struct{ P [4]pair }{}, ""},
		{"a member less", "array<Body>", struct {
			Mass float32
			_    [3]float32
			At   [3]float32
		}{}, "elements of v, Body, are 32 bytes apart, and those of Go, struct { Mass float32; _ [3]float32; At [3]float32 }, have 28 bytes: it lacks charge at 28"},
		{"pairs as arrays", "array<Pair>", [2]float32{}, ""},
		{"numbers of a type by name", "array<Pair>", celsius(0), ""},
		{"names that moved", "Body", struct {
			Mass   float32
			At     [3]float32
			Charge float32
			_      [3]float32
		}{}, "v.at is vec3<f32> at offset 16, where Go's struct"},
		{"bodies", "array<Body>", body{}, ""},
		{"a body", "Body", body{}, ""},
		{"matrices and more", "Wide", wide{}, ""},
		{"and an array of them", "array<Wide>", [3]wide{}, ""},
		{"columns too close", "mat3x3<f32>", [4][3]float32{}, "v[1] is vec3<f32> at offset 16, where Go's [4][3]float32 has element 0[1][1] float32"},
		{"columns with padding", "mat3x3<f32>", [3][4]float32{}, ""},
		{"a column of two", "array<mat2x2<f32>>", [2][2]float32{}, ""},
		{"one row of all", "array<mat4x4<f32>>", [16]float32{}, ""},
		{"a matrix of columns", "array<mat4x4<f32>>", Mat4f{}, ""},
		{"vectors in vectors", "array<vec4<f32>>", [2]float32{}, ""},
		{"three of four", "array<vec4<f32>>", [3]float32{}, "elements of v, vec4<f32>, are 16 bytes apart, and those of Go, [3]float32, have 12 bytes"},
		{"integers of 16 bits as floats", "array<f16>", uint16(0), ""},
		{"with a sign", "array<f16>", int16(0), "v[0] is f16 at offset 0, where the buffer of int16 has element 0"},
		{"as words", "array<u32>", uint16(0), ""},
		{"but not as floats", "array<f32>", uint16(0), "v[0] is f32"},
		{"packed bytes", "array<u32>", struct{ R, G, B, A uint8 }{}, ""},
		{"bytes with a sign", "array<u8>", int8(0), "v[0] is u8"},
		{"two words in one", "array<vec2<u32>>", uint64(0), "v[0] is vec2<u32> at offset 0, where the buffer of uint64 has element 0"},
		{"a word in half", "array<u64>", uint32(0), "v[0] is u64"},
		{"a list as it is", "List", []byte{0, 0}, ""},
		{"one list", "List", struct {
			Count  uint32
			Values [100]float32
		}{}, ""},
		{"two lists", "List", []struct {
			Count  uint32
			Values [2]float32
		}{{}, {}}, "v.values[2] is f32 at offset 12, where Go's struct { Count uint32; Values [2]float32 } has element 1.Count uint32"},
		{"with strides", "array<array<f32, 4u, stride 16>>", [4]struct {
			X float32
			_ [3]uint32
		}{}, ""},
		{"without", "array<array<f32, 4u, stride 16>>", struct {
			X [4]float32
			_ [12]uint32
		}{}, "v[0][1] is f32 at offset 16, where Go's struct { X [4]float32; _ [12]uint32 } has padding"},
		{"complex numbers", "array<array<f32, 2u>>", complex64(0), ""},
		{"complex numbers of structures", "array<Pair>", [3]complex64{}, ""},
		{"real parts of complex numbers", "array<array<f32, 2u>>", float32(0), ""},
		{"large complex numbers", "array<array<f64, 2u>>", complex128(0), ""},
		{"too large complex numbers", "array<array<f32, 2u>>", complex128(0), "v[0][0] is f32 at offset 0, where the buffer of complex128 has "},
		{"complex numbers for integers", "array<vec2<u32>>", complex64(0), "v[0] is vec2<u32> at offset 0, where the buffer of complex64 has "},
		{"large arrays", "array<f32>", (*[1 << 28]float32)(nil), ""},
		{"unlike large arrays", "array<array<f32, 1000000u>>", (*[1 << 20]Vec3f)(nil), "elements of v, "},
		{"a type that nobody knows", "buffer", 1.5, ""},
	} {
		host, one := reflect.TypeOf(c.host), true
		switch host.Kind() {
		case reflect.Slice:
			host, one = host.Elem(), false
		case reflect.Pointer: // to what is too large for a value
			host = host.Elem()
		}
		if strings.HasPrefix(c.of, "array<") {
			one = false
		}
		l := layouts.LayoutOf(c.of)
		if l == nil {
			if c.of != "buffer" {
				t.Errorf("%s: no layout of %s", c.name, c.of)
			}
			continue
		}
		if got := compareLayouts("v", l, host, one); (got == "") != (c.want == "") || !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: got\n%s, want\n%s", c.name, got, c.want)
		}
	}
}

// nested has structures in structures and in arrays, at the beginning and after it.
var nested = abi.Kernel{Structs: []abi.Struct{
	{Name: "Box", Size: 32, Align: 16, Members: []abi.Member{{Name: "min", Type: "vec4<f32>", Size: 16}, {Name: "max", Type: "vec4<f32>", Offset: 16, Size: 16}}},
	{Name: "Node", Size: 48, Align: 16, Members: []abi.Member{
		{Name: "box", Type: "Box", Size: 32}, {Name: "left", Type: "u32", Offset: 32, Size: 4}, {Name: "right", Type: "u32", Offset: 36, Size: 4}}},
	{Name: "Tree", Size: 144, Align: 16, Members: []abi.Member{
		{Name: "nodes", Type: "array<Node, 2u>", Size: 96, Stride: 48}, {Name: "last", Type: "Node", Offset: 96, Size: 48}}},
	{Name: "Pair", Size: 8, Align: 4, Members: []abi.Member{{Name: "a", Type: "f32", Size: 4}, {Name: "b", Type: "f32", Offset: 4, Size: 4}}},
	{Name: "List", Size: 20, Align: 4, Members: []abi.Member{{Name: "l", Type: "array<Pair, 2u>", Size: 16, Stride: 8}, {Name: "n", Type: "u32", Offset: 16, Size: 4}}},
	{Name: "Behind", Size: 12, Align: 4, Members: []abi.Member{{Name: "n", Type: "u32", Size: 4}, {Name: "d", Type: "Pair", Offset: 4, Size: 8}}},
	{Name: "Three", Size: 12, Align: 4, Members: []abi.Member{
		{Name: "a", Type: "f32", Size: 4}, {Name: "b", Type: "f32", Offset: 4, Size: 4}, {Name: "c", Type: "f32", Offset: 8, Size: 4}}},
	{Name: "Outer", Size: 16, Align: 4, Members: []abi.Member{{Name: "p", Type: "Three", Size: 12}, {Name: "n", Type: "u32", Offset: 12, Size: 4}}},
	{Name: "Flat", Size: 12, Align: 4, Members: []abi.Member{
		{Name: "a", Type: "f32", Size: 4}, {Name: "b", Type: "f32", Offset: 4, Size: 4}, {Name: "n", Type: "u32", Offset: 8, Size: 4}}},
	{Name: "Same", Size: 16, Align: 4, Members: []abi.Member{
		{Name: "p", Type: "Pair", Size: 8}, {Name: "a", Type: "f32", Offset: 8, Size: 4}, {Name: "b", Type: "f32", Offset: 12, Size: 4}}},
	{Name: "Tail", Size: 12, Align: 4, Members: []abi.Member{{Name: "n", Type: "u32", Size: 4}, {Name: "items", Type: "array<Pair>", Offset: 4, Stride: 8}}},
	{Name: "Only", Size: 12, Align: 4, Members: []abi.Member{{Name: "items", Type: "array<Three>", Stride: 12}}},
	{Name: "Large", Size: 32, Align: 16, Members: []abi.Member{
		{Name: "at", Type: "vec3<f32>", Size: 12}, {Name: "mass", Type: "f32", Offset: 12, Size: 4}, {Name: "id", Type: "u32", Offset: 16, Size: 4}}},
	{Name: "Turned", Size: 64, Align: 16, Members: []abi.Member{{Name: "m", Type: "mat4x4<f32>", Size: 64, Stride: 16}}},
}}

type (
	ab     struct{ A, B float32 }
	ba     struct{ B, A float32 }
	boxed  struct{ Min, Max [4]float32 }
	turned struct{ Max, Min [4]float32 }
	node   struct {
		Box         boxed
		Left, Right uint32
		_           [2]uint32
	}
	turnedNode struct {
		Box         turned
		Left, Right uint32
		_           [2]uint32
	}
)

// TestNestedNames: names are compared in structures within others as they are in those outside.
func TestNestedNames(t *testing.T) {
	for _, c := range []struct {
		of   string
		host any
		want string
	}{
		{"array<Node>", node{}, ""},
		{"array<Node>", turnedNode{}, "v[0].box.min is vec4<f32> at offset 0, where Go's gpu.turnedNode has Max, and Min at 16"},
		{"Node", turnedNode{}, "v.box.min is"},
		{"array<Node>", [3]turnedNode{}, "v[0].box.min is"},
		{"array<Node>", struct{ In turnedNode }{}, "v[0].box.min is"},
		{"array<Node>", struct{ In node }{}, ""},
		{"array<Node>", struct {
			Box         struct{ High, Low [4]float32 }
			Left, Right uint32
			_           [2]uint32
		}{}, ""},
		{"array<Node>", struct {
			turned
			Left, Right uint32
			_           [2]uint32
		}{}, "v[0].box.min is"},
		{"array<Node>", struct {
			boxed
			Left, Right uint32
			_           [2]uint32
		}{}, ""},
		{"array<Node>", struct {
			Max, Min    [4]float32
			Left, Right uint32
			_           [2]uint32
		}{}, "v[0].box.min is"},
		{"array<Node>", struct {
			Min, Max    [4]float32
			Left, Right uint32
			_           [2]uint32
		}{}, ""},
		{"array<Tree>", struct {
			Nodes [2]node
			Last  node
		}{}, ""},
		{"array<Tree>", struct {
			Nodes [2]turnedNode
			Last  node
		}{}, "v[0].nodes[0].box.min is"},
		{"Tree", struct {
			Nodes [2]node
			Last  turnedNode
		}{}, "v.last.box.min is"},
		{"Tree", struct {
			Nodes struct{ A, B node }
			Last  node
		}{}, ""},
		{"Tree", struct {
			Nodes struct {
				A node
				B turnedNode
			}
			Last node
		}{}, "v.nodes[1].box.min is"},
		{"array<List>", struct {
			L [2]ab
			N uint32
		}{}, ""},
		{"array<List>", struct {
			L [2]ba
			N uint32
		}{}, "v[0].l[0].a is f32 at offset 0"},
		{"array<List>", struct {
			L [2]struct{ X ba }
			N uint32
		}{}, "v[0].l[0].a is"},
		{"array<Behind>", struct {
			N uint32
			D ba
		}{}, "v[0].d.a is"},
		{"Behind", struct {
			N    uint32
			B, A float32
		}{}, "v.d.a is"},
		{"Outer", struct {
			P struct{ B, C, A float32 }
			N uint32
		}{}, "v.p.a is"},
		{"Outer", struct {
			P struct{ A, B, C float32 }
			N uint32
		}{}, ""},
		{"Flat", struct {
			In ba
			N  uint32
		}{}, "v.a is f32 at offset 0"},
		{"Flat", struct {
			In ab
			N  uint32
		}{}, ""},
		{"Flat", struct {
			In struct {
				X float32
				Y struct{ B float32 }
			}
			N uint32
		}{}, ""},
		{"Same", struct { // A and B outside are those of the kernel that are outside
			P    struct{ X, Y float32 }
			A, B float32
		}{}, ""},
		{"Same", struct {
			P    ab
			A, B float32
		}{}, ""},
		{"Same", struct {
			P    ba
			A, B float32
		}{}, "v.p.a is"},
		{"Same", struct {
			P    ab
			B, A float32
		}{}, "v.a is f32 at offset 8"},
		{"Tail", struct {
			N     uint32
			Items [3]ba
		}{}, "v.items[0].a is"},
		{"Only", struct{ C, B, A float32 }{}, "v.items[0].a is"},
		{"Only", struct{ A, B, C float32 }{}, ""},
		{"array<Pair>", struct{ A, B, C, D float32 }{}, "elements of v, Pair, are 8 bytes apart, and those of Go"},
		{"array<Pair>", [2]struct{ A, B, C, D float32 }{}, "elements of v, Pair, are 8 bytes apart, and those of Go"},
		{"array<Pair>", [2]ab{}, ""},
		{"array<Pair>", struct{ L [3]ab }{}, ""},
		{"array<Pair>", struct{ L [4]float32 }{}, ""},
		{"array<Pair>", [4]float32{}, ""},
	} {
		checkLayout(t, c.of, c.host, c.want)
	}
}

// checkLayout compares one element with a binding of this type of nested's. What is wrong begins
// with want.
func checkLayout(t *testing.T, of string, host any, want string) {
	t.Helper()
	l, typ := nested.LayoutOf(of), reflect.TypeOf(host)
	for _, one := range []bool{true, false} {
		if got := compareLayouts("v", l, typ, one); (got == "") != (want == "") || !strings.HasPrefix(got, want) {
			t.Errorf("%s is %v: got %q, want %q", of, typ, got, want)
		}
	}
}

// TestMisplacedSaysWhere: a whole message.
func TestMisplacedSaysWhere(t *testing.T) {
	type Params struct {
		Scale float32
		N     uint32
		_     [2]uint32
		Dir   [3]float32
		_     uint32
	}
	got := compareLayouts("p", layouts.LayoutOf("Params"), reflect.TypeFor[Params](), true)
	const want = "p.n is u32 at offset 0, where Go's gpu.Params has Scale, and N at 4; " +
		"gpuc layout -lang go declares structures as the kernel has them"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestLayoutsAreComparedOnce: arguments that are set again allocate nothing.
func TestLayoutsAreComparedOnce(t *testing.T) {
	d, _ := newFake(t)
	k := layouts
	k.Workgroup, k.Bindings = [3]uint32{1, 1, 1}, []abi.Binding{{Name: "v", Access: abi.Read, Stride: 32, Type: "array<Body>"}}
	args := must(d.Load(&abi.Artefact{Target: "fake", Kernel: k})).Args()
	one, other, raw := must(Alloc[body](d, 4)), must(Alloc[[2]body](d, 4)), must(Alloc[params](d, 4))
	if err := args.Set(0, raw); !errors.Is(err, ErrShape) {
		t.Errorf("another structure: %v", err)
	}
	check(t, args.Set(0, raw.Raw()))
	if n := testing.AllocsPerRun(100, func() {
		check(t, args.Set(0, one))
		check(t, args.Set(0, other))
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
