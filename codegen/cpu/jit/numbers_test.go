package jit

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/cpu/amd64"
	"github.com/gpuc/gpuc/ir/interp"
	"github.com/gpuc/gpuc/opt"
)

// bounded are conversions whose operands have bounds, and what they become: an instruction alone
// (1), or one after others that handle what is outside of its range (n). Nothing is said of those
// with a minimum of two variables, which looks for NaN itself.
var bounded = []struct{ text, becomes string }{
	{"u32(i32(round(min(max(x, 0.0), 255.0))))", "1"},
	{"u32(i32(floor(clamp(x, -3.5, 65535.0))))", "1"},
	{"u32(i32(max(min(x, 2147483520.0), y)))", "n"},
	{"u32(i32(min(x, 2147483520.0)))", "1"},
	{"u32(i32(min(x, 2147483648.0)))", "n"},
	{"u32(i32(max(x, -5.0)))", "n"},
	{"u32(i32(min(min(x, y), 7.0)))", ""},
	{"u32(i32(min(y, min(7.0, x))))", ""},
	{"u32(trunc(min(max(x, -0.5), 2147483520.0)))", "1"},
	{"u32(min(max(x, -1.0), 255.0))", "n"},
	{"u32(ceil(min(max(x, 0.0), 2147483520.0)))", "1"},
	{"u32(min(max(x, 0.0), 4294967040.0))", "n"},
	{"u32(min(x, 255.0))", "n"},
	{"bitcast<u32>(f32(a & 0x7fffffffu))", "1"},
	{"bitcast<u32>(f32(a & 0x80ffffffu))", "n"},
	{"bitcast<u32>(f32(a >> 1u))", "1"},
	{"bitcast<u32>(f32(min(a, 0x7fffffffu)))", "1"},
	{"bitcast<u32>(f32(a + 1u))", "n"},
}

// TestBoundedConversions compares them with package interp, of numbers around the limits and of
// NaN, and counts instructions.
func TestBoundedConversions(t *testing.T) {
	needCode(t)
	special := []uint32{0, 1 << 31, 0x7FC00000, 0xFFC12345, 0x7F800000, 0xFF800000, 0x7F800001, math.MaxUint32}
	for _, x := range []float32{-0.25, -0.5, -0.75, -1, 0.5, 1.5, 254.5, 255, 255.5, 256, 65535, 65536, 2147483520, 2147483648, 4294967040, 4294967296, -2147483648, -2147483904} {
		special = append(special, math.Float32bits(x))
	}
	rng := rand.New(rand.NewPCG(5, 6))
	const count = 1 << 10
	in := make([]byte, 4*count)
	for n := range count {
		x := rng.Uint32()
		if n%4 > 0 {
			x = special[rng.IntN(len(special))]
		}
		binary.LittleEndian.PutUint32(in[4*n:], x)
	}
	for _, c := range bounded {
		text := fmt.Sprintf(`@group(0) @binding(0) var<storage, read> in: array<u32, %[1]d>;
@group(0) @binding(1) var<storage, read_write> out: array<u32, %[1]d>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let a = in[id.x];
  let x = bitcast<f32>(a);
  let y = bitcast<f32>(in[%[1]d - 1 - id.x]);
  out[id.x] = %[2]s;
}
`, count, c.text)
		m := parsed(t, text)
		p, _, err := compiled(t, m, "main", &codegen.Options{Math: opt.MathStrict})
		if err != nil {
			t.Fatal(err)
		}
		k, err := Load(p, Options{Verify: true})
		if err != nil {
			t.Fatal(err)
		}
		reference, err := interp.Compile(m, m.Func("main"))
		if err != nil {
			t.Fatal(err)
		}
		got, want := [][]byte{in, make([]byte, len(in))}, [][]byte{in, make([]byte, len(in))}
		launch, expected := interp.Launch{Grid: [3]uint32{count / 64, 1, 1}}, interp.Launch{Grid: [3]uint32{count / 64, 1, 1}}
		for _, b := range p.Bindings {
			launch.Buffers = append(launch.Buffers, got[b.Binding])
		}
		for _, b := range reference.Bindings() {
			expected.Buffers = append(expected.Buffers, want[b.Binding])
		}
		if _, err := k.Run(&launch); err != nil {
			t.Fatal(err)
		}
		if _, err := reference.Run(&expected); err != nil {
			t.Fatal(err)
		}
		for n := 0; n < len(in); n += 4 {
			if !bytes.Equal(got[1][n:n+4], want[1][n:n+4]) {
				t.Errorf("%s of %x: %x, not %x", c.text, in[n:n+4], got[1][n:n+4], want[1][n:n+4])
				break
			}
		}
		code, err := Compile(p, Options{List: true})
		if err != nil {
			t.Fatal(err)
		}
		becomes := "1"
		for n := range code.List {
			switch code.List[n].Op {
			case amd64.VCmpPS, amd64.VSubPS:
				becomes = "n"
			}
		}
		if c.becomes != "" && becomes != c.becomes {
			t.Errorf("%s becomes %s, not %s", c.text, becomes, c.becomes)
		}
	}
}
