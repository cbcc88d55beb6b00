package jit

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/ir/interp"
	"github.com/gpuc/gpuc/opt"
)

// remainders makes expressions of floats of one type with remainders in them: of numbers x, y and z
// whose bits are any, and of constants.
type remainders struct {
	rng  *rand.Rand
	half bool
}

func (g *remainders) constant() string {
	if g.half {
		return fmt.Sprintf("0x%xp%dh", 1+g.rng.IntN(999), g.rng.IntN(14)-10)
	}
	return fmt.Sprintf("0x%xp%df", 1+g.rng.IntN(999), g.rng.IntN(240)-125)
}

func (g *remainders) expression(depth int) string {
	if depth == 0 || g.rng.IntN(8) == 0 {
		return string("xyz"[g.rng.IntN(3)])
	}
	x, y := g.expression(depth-1), g.expression(depth-1)
	if g.rng.IntN(3) == 0 {
		y = g.constant()
	}
	switch g.rng.IntN(8) {
	case 0:
		return fmt.Sprintf("(%s %s %s)", x, []string{"+", "-", "*", "/"}[g.rng.IntN(4)], y)
	case 1:
		return fmt.Sprintf("%s(%s, %s)", []string{"min", "max"}[g.rng.IntN(2)], x, y)
	case 2:
		return fmt.Sprintf("select(%s, %s, x < y)", x, y)
	case 3:
		return fmt.Sprintf("%s(%s)", []string{"abs", "trunc", "floor", "-"}[g.rng.IntN(4)], x)
	}
	return fmt.Sprintf("(%s %% %s)", x, y)
}

// program makes a kernel: a remainder for all invocations, one for a part, and some in a loop that
// they leave at different times.
func (g *remainders) program() string {
	kind, load, store := "f32", "bitcast<f32>(in[%d * count + n])", "bitcast<u32>(r)"
	if g.half {
		kind, load, store = "f16", "bitcast<vec2<f16>>(in[%d * count + n]).x", "bitcast<u32>(vec2<f16>(r, r))"
	}
	var b strings.Builder
	b.WriteString("enable f16;\n@group(0) @binding(0) var<storage, read> in: array<u32>;\n@group(0) @binding(1) var<storage, read_write> out: array<u32>;\n" +
		"@compute @workgroup_size(37)\nfn main(@builtin(global_invocation_id) id: vec3u) {\n  let n = id.x;\n  let count = arrayLength(&out);\n  if n >= count { return; }\n")
	for k, name := range []string{"x", "y", "z"} {
		fmt.Fprintf(&b, "  let %s = "+load+";\n", name, k)
	}
	fmt.Fprintf(&b, "  var r: %s = x %% y;\n  r = r + %s;\n", kind, g.expression(3))
	fmt.Fprintf(&b, "  if (in[n] & 3u) != 1u { r = %s %% r; }\n", g.expression(2))
	fmt.Fprintf(&b, "  for (var k = 0u; k < (in[n] & 7u); k++) { r = (r %% %s) + %s; }\n", g.expression(1), g.expression(2))
	fmt.Fprintf(&b, "  out[n] = %s;\n}\n", store)
	return b.String()
}

// TestRemainderPrograms executes generated kernels with remainders of floats and compares with
// package interp.
func TestRemainderPrograms(t *testing.T) {
	needCode(t)
	const count = 200
	for seed := *generatedFrom; seed < *generatedFrom+3**generated; seed++ {
		g := remainders{rng: rand.New(rand.NewPCG(seed, 0x4e3)), half: seed%3 == 0}
		text := g.program()
		in := make([]byte, 3*4*count)
		for n := 0; n < len(in); n += 4 {
			bits := g.rng.Uint32()
			if n/4 >= count && g.rng.IntN(3) > 0 { // near the first
				bits = bits&0x807FFFFF | binary.LittleEndian.Uint32(in[n%(4*count):])&0x7F800000
			}
			binary.LittleEndian.PutUint32(in[n:], bits)
		}
		m := parsed(t, text)
		p, _, err := compiled(t, m, "main", &codegen.Options{Math: opt.MathStrict})
		if err != nil {
			t.Fatal(err)
		}
		k, err := Load(p, Options{Verify: true})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		got, want := [][]byte{in, make([]byte, 4*count)}, [][]byte{in, make([]byte, 4*count)}
		launch := interp.Launch{Grid: [3]uint32{6, 1, 1}}
		for _, b := range p.Bindings {
			launch.Buffers = append(launch.Buffers, got[b.Binding])
		}
		if _, err := k.Run(&launch); err != nil {
			t.Fatal(err)
		}
		reference, err := interp.Compile(m, m.Func("main"))
		if err != nil {
			t.Fatal(err)
		}
		launch.Buffers = nil
		for _, b := range reference.Bindings() {
			launch.Buffers = append(launch.Buffers, want[b.Binding])
		}
		if _, err := reference.Run(&launch); err != nil {
			t.Fatal(err)
		}
		for n := 0; n < 4*count; n += 4 {
			if !bytes.Equal(got[1][n:n+4], want[1][n:n+4]) {
				t.Fatalf("seed %d: invocation %d has %x, and is to have %x\n%s", seed, n/4, got[1][n:n+4], want[1][n:n+4], text)
			}
		}
	}
}
