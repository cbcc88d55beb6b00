package ptx_test

import (
	"encoding/binary"
	"math"
	"math/bits"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/ptx"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/opt"
)

// TestFuse runs what becomes one instruction of two or three, and what only looks as if it would,
// and compares with Go.
func TestFuse(t *testing.T) {
	const source = `@group(0) @binding(0) var<storage, read_write> x: array<vec4u>;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32) {
  let v = x[i];
  let s = bitcast<i32>(v.x);
  let f = bitcast<f32>(v.y);
  var r: vec4u;
  r.x = ((v.x >> 7) | (v.x << 25)) ^ ((v.y << 31) | (v.y >> 1)) ^ ((v.z >> 31) | (v.z << 1));
  r.y = ((v.x >> 6) | (v.x << 27)) ^ ((v.x >> 6) | (v.y << 26)) ^ bitcast<u32>((s >> 8) | (s << 24));
  let both = v.x < v.y;
  let few = (v.z & 3) == 1;
  r.z = select(0u, 1u, both & few) | select(0u, 2u, few | (f < 1)) | select(0u, 4u, few & (f != f)) | select(0u, 8u, both | (s >= -5)) |
    select(0u, 16u, (v.w > 7) & (v.z <= v.w) & both);
  let once = v.w == 3;
  r.w = select(v.z, v.w, once & few) + select(0u, 1u, once); // comparisons of several uses stay
  x[i] = r;
}
`
	var list diag.List
	a := codegen.Compile(loadText(t, "fuse.wgsl", source, opt.MathWGSL), "main", &ptx.Target, new(codegen.Options), &list)
	if a == nil {
		t.Fatal(list.Items())
	}
	text := string(a.Code)
	for _, want := range []struct {
		name  string
		count int
	}{{"shf.r.wrap.b32", 3}, {".and.", 2}, {".or.", 2}, {"and.pred", 3}} {
		if n := strings.Count(text, want.name); n != want.count {
			t.Errorf("%s occurs %d times, want %d\n%s", want.name, n, want.count, text)
		}
	}
	p, err := read(text)
	if err != nil {
		t.Fatal(err)
	}
	data := make([]byte, 64*16)
	word := func(n int) uint32 { return binary.LittleEndian.Uint32(data[4*n:]) }
	for n := range 256 {
		value := uint32(n) * 2654435761
		if n%8 > 4 {
			value = uint32(n) % 13
		}
		binary.LittleEndian.PutUint32(data[4*n:], value)
	}
	binary.LittleEndian.PutUint32(data[4*5:], math.Float32bits(float32(math.NaN())))
	var want []uint32
	one := func(b bool, bit uint32) uint32 {
		if b {
			return bit
		}
		return 0
	}
	for n := 0; n < 256; n += 4 {
		x, y, z, w := word(n), word(n+1), word(n+2), word(n+3)
		s, f := int32(x), math.Float32frombits(y)
		both, few, once := x < y, z%4 == 1, w == 3
		last := one(once, 1)
		if once && few {
			last += w
		} else {
			last += z
		}
		want = append(want, bits.RotateLeft32(x, -7)^bits.RotateLeft32(y, -1)^bits.RotateLeft32(z, 1),
			(x>>6|x<<27)^(x>>6|y<<26)^uint32(s>>8|s<<24),
			one(both && few, 1)|one(few || f < 1, 2)|one(few && f != f, 4)|one(both || s >= -5, 8)|one(w > 7 && z <= w && both, 16), last)
	}
	if err := p.launch("main", [3]uint32{1, 1, 1}, [][]byte{data}, []int64{64}, nil); err != nil {
		t.Fatal(err)
	}
	for n, x := range want {
		if word(n) != x {
			t.Errorf("invocation %d, component %d: %#x, want %#x", n/4, n%4, word(n), x)
		}
	}
}

// TestFuseDot runs sums with dot products of bytes, and compares with numbers.
func TestFuseDot(t *testing.T) {
	const source = `@group(0) @binding(0) var<storage, read_write> x: array<vec4u>;
@compute @workgroup_size(1)
fn main() {
  let v = x[0];
  let twice = dot4U8Packed(v.x, v.w); // which stays
  x[0] = vec4u(v.z + dot4U8Packed(v.x, v.y), bitcast<u32>(dot4I8Packed(v.x, v.y) - 7i + dot4I8Packed(v.y, v.y)), twice + v.x, twice);
}
`
	var list diag.List
	a := codegen.Compile(loadText(t, "dot.wgsl", source, opt.MathWGSL), "main", &ptx.Target, new(codegen.Options), &list)
	if a == nil {
		t.Fatal(list.Items())
	}
	text := string(a.Code)
	for sum, want := range map[string]int{"dp4a.u32.u32": 2, "dp4a.s32.s32": 2, ", 0;": 1} {
		if n := strings.Count(text, sum); n != want {
			t.Errorf("%s occurs %d times, want %d\n%s", sum, n, want, text)
		}
	}
	p, err := read(text)
	if err != nil {
		t.Fatal(err)
	}
	data := make([]byte, 16)
	for n, w := range []uint32{0xFF02FE80, 0x01010180, 10, 1} {
		binary.LittleEndian.PutUint32(data[4*n:], w)
	}
	if err := p.launch("main", [3]uint32{1, 1, 1}, [][]byte{data}, []int64{1}, nil); err != nil {
		t.Fatal(err)
	}
	signed := int32(16384 - 2 + 2 - 1 - 7 + 16384 + 3)
	for n, want := range []uint32{16384 + 254 + 2 + 255 + 10, uint32(signed), 0xFF02FE80 + 0x80, 0x80} {
		if got := binary.LittleEndian.Uint32(data[4*n:]); got != want {
			t.Errorf("component %d: %#x, want %#x", n, got, want)
		}
	}
}

// TestLogicBesideZero looks for functions of three operands in a sum that a hash computes. It also
// looks where a value is compared with zero, or has other uses (see workaround.PTXASLop3).
func TestLogicBesideZero(t *testing.T) {
	const majority = "(v.x & v.y) ^ (v.x & v.z) ^ (v.y & v.z)"
	for _, test := range []struct {
		name, body string
		count      int
	}{
		{"a sum", "x[i].w = v.w + (" + majority + ");", 1},
		{"a sum, and a branch by another number", "if v.x == 3 { x[i].w = v.w + (" + majority + "); }", 1},
		{"a sum, and a branch by zero", "if v.x == 0 { x[i].w = v.w + (" + majority + "); }", 0},
		{"compared with zero", "if (" + majority + ") == 0 { x[i].w = 1; }", 0},
		{"stored", "x[i].w = " + majority + ";", 0},
		{"chosen", "x[i].w = select(1u, " + majority + ", v.w > 5) + 7;", 0},
		{"a complement", "x[i].w = v.w + ((v.x & v.y) ^ (~v.x & v.z));", 0},
	} {
		source := `@group(0) @binding(0) var<storage, read_write> x: array<vec4u>;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32) {
  let v = x[i];
  ` + test.body + "\n}\n"
		var list diag.List
		a := codegen.Compile(loadText(t, "logic.wgsl", source, opt.MathWGSL), "main", &ptx.Target, new(codegen.Options), &list)
		if a == nil {
			t.Fatal(list.Items())
		}
		if n := strings.Count(string(a.Code), "lop3"); n != test.count {
			t.Errorf("%s: %d functions of three numbers, want %d\n%s", test.name, n, test.count, a.Code)
		}
		machineCode(t, string(a.Code)) // ptxas takes it
	}
}
