package msl_test

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/lower"
	"github.com/gpuc/gpuc/codegen/msl"
	bench "github.com/gpuc/gpuc/internal/emulate/msl"
	"github.com/gpuc/gpuc/internal/irtest"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/interp"
	"github.com/gpuc/gpuc/opt"
)

// fragments is a kernel with fragments where WGSL has none: in private variables, behind pointers,
// in a zero that is indexed dynamically, and in structures beside a vector.
const fragments = `struct Kept [size 288, align 16] { v: vec3<f32> [offset 0], m: fragment<result, f32, 8, 8> [offset 16] }
var @a : ptr<storage, array<f16, 512u>> [group 0, binding 0]
var @b : ptr<storage, array<f32, 512u>> [group 0, binding 1]
var @c : ptr<storage, array<f32, 640u>, read_write> [group 0, binding 2]
var @numbers : ptr<storage, array<u32, 4u>> [group 0, binding 3]
var @kept : ptr<private, array<Kept, 2u>>
var @own : ptr<private, fragment<result, f32, 8, 8>>

fn @doubled(%p: ptr<function, array<fragment<result, f32, 8, 8>, 3u>>, %n: u32) : fragment<result, f32, 8, 8> {
  %at = access %p, %n : ptr<function, fragment<result, f32, 8, 8>>
  %m = load %at : fragment<result, f32, 8, 8>
  %k = load @own : fragment<result, f32, 8, 8>
  %sum = fragment_add %m, %m : fragment<result, f32, 8, 8>
  %more = fragment_add %sum, %k : fragment<result, f32, 8, 8>
  store %at, %more
  return %more
}

kernel @main(%subgroup: u32 [subgroup_id]) [workgroup 64u, 1u, 1u] {
  %sums = var : ptr<function, array<fragment<result, f32, 8, 8>, 3u>>
  store %sums, zero<array<fragment<result, f32, 8, 8>, 3u>>
  %pn = access @numbers, 1u : ptr<storage, u32>
  %n = load %pn : u32
  %left = fragment_load @a, 8u, true, 24u : fragment<left, f16, 8, 8>
  %right = fragment_load @a, %n, false, 16u : fragment<right, f16, 8, 8>
  %wide.left = fragment_load @b, 3u, false, 20u : fragment<left, f32, 8, 8>
  %wide.right = fragment_load @b, 5u, true, 9u : fragment<right, f32, 8, 8>
  %zeros = extract zero<array<fragment<result, f32, 8, 8>, 2u>>, %n : fragment<result, f32, 8, 8>
  %product = fragment_mul_add %left, %right, %zeros : fragment<result, f32, 8, 8>
  %s.1 = access %sums, 1u : ptr<function, fragment<result, f32, 8, 8>>
  store %s.1, %product
  %total, %rounds = loop ^rounds(%sum: fragment<result, f32, 8, 8> = %product, %k: u32 = 0u) : fragment<result, f32, 8, 8>, u32 {
    %next = fragment_mul_add %wide.left, %wide.right, %sum : fragment<result, f32, 8, 8>
    %enough = ge %k, %n : bool
    %other = if ^choice %enough : fragment<result, f32, 8, 8> {
      %less = fragment_sub %next, %product : fragment<result, f32, 8, 8>
      exit ^choice(%less)
    } else {
      exit ^choice(%sum)
    }
    continue ^rounds(%other)
  } continuing (%kept: fragment<result, f32, 8, 8>) {
    %k.1 = add %k, 1u : u32
    %done = gt %k.1, 3u : bool
    next ^rounds(%kept, %k.1) break_if %done(%kept, %k.1)
  }
  store @own, %total
  %of = access @kept, %n, 1u : ptr<private, fragment<result, f32, 8, 8>>
  %was = load %of : fragment<result, f32, 8, 8>
  %vp = access @kept, %n, 0u : ptr<private, vec3<f32>>
  store %vp, vec3<f32>(1f, 2f, 4f)
  %y = access @kept, %n, 0u, 1u : ptr<private, f32>
  %two = load %y : f32
  %more = fragment_splat %two : fragment<result, f32, 8, 8>
  %product.2 = fragment_mul %total, %more : fragment<result, f32, 8, 8>
  %is = fragment_add %was, %product.2 : fragment<result, f32, 8, 8>
  store %of, %is
  %whole = access @kept, %n : ptr<private, Kept>
  %both = load %whole : Kept
  %again = extract %both, 1u : fragment<result, f32, 8, 8>
  %first = call @doubled, %sums, %n : fragment<result, f32, 8, 8>
  %second = call @doubled, %sums, %n : fragment<result, f32, 8, 8>
  %offset = mul %subgroup, 320u : u32
  fragment_store @c, %offset, %first, false, 8u
  %offset.1 = add %offset, 64u : u32
  fragment_store @c, %offset.1, %second, true, 8u
  %offset.2 = add %offset, 128u : u32
  fragment_store @c, %offset.2, %again, false, 8u
  %s.2 = access %sums, 2u : ptr<function, fragment<result, f32, 8, 8>>
  %none = load %s.2 : fragment<result, f32, 8, 8>
  %offset.3 = add %offset, 192u : u32
  fragment_store @c, %offset.3, %none, false, 8u
  %offset.4 = add %offset, 256u : u32
  fragment_store @c, %offset.4, %zeros, false, 8u
  return
}
`

// TestFragments executes a kernel whose fragments are matrices of a SIMD-group, and compares what
// it leaves with the interpretation of the kernel with arrays instead.
func TestFragments(t *testing.T) {
	if missing := bench.Missing(); missing != "" {
		t.Skip("skipped: there is no " + missing)
	}
	target, err := msl.Target.With("apple7")
	if err != nil {
		t.Fatal(err)
	}
	a, b, numbers := make([]byte, 1024), make([]byte, 2048), make([]byte, 16)
	for n := range 512 {
		// 0, 1, -2, 0.5; and 0, 1, -3, 0.25
		binary.LittleEndian.PutUint16(a[2*n:], []uint16{0, 0x3c00, 0xc000, 0x3800}[n*n%7%4])
		binary.LittleEndian.PutUint32(b[4*n:], []uint32{0, 0x3f800000, 0xc0400000, 0x3e800000}[n*n%11%4])
	}
	binary.LittleEndian.PutUint32(numbers[4:], 1)
	want := make([]byte, 2560)
	lowered := irtest.Parse(t, fragments)
	(&opt.Context{List: new(diag.List), Verify: true, Subgroup: 32}).Run(lowered, []opt.Pass{lower.Fragments}, lower.Fragments.Needs)
	p, err := interp.Compile(lowered, lowered.Funcs[len(lowered.Funcs)-1], interp.Checked)
	if err != nil {
		t.Fatal(err)
	}
	launch := interp.Launch{Grid: [3]uint32{1, 1, 1}, SubgroupSize: 32, Checked: true, Buffers: [][]byte{a, b, want, numbers}}
	if said, err := p.Run(&launch); err != nil || len(said) > 0 {
		t.Fatal(err, said)
	}
	if zero := make([]byte, 64*4); string(want[:256]) == string(zero) || string(want[512:768]) == string(zero) || string(want[768:1024]) != string(zero) {
		t.Fatalf("the kernel computes too little: %x", want)
	}
	for _, o := range []codegen.Options{{}, {NoOptimize: true}, {Bounds: codegen.BoundsOff}} {
		o.Context = &opt.Context{Verify: true}
		var list diag.List
		x := codegen.Compile(irtest.Parse(t, fragments), "", target, &o, &list)
		if x == nil {
			t.Fatalf("%+v", list.Items())
		}
		for _, mode := range []bench.Mode{bench.Checked, bench.Spaces} {
			j := &bench.Job{Data: [][]byte{a, b, make([]byte, len(want)), numbers}}
			bench.Add(j, 0, &x.Kernel, [3]uint32{1, 1, 1}, []int{0, 1, 2, 3}, nil)
			if err := bench.Run(mode, []bench.Program{{Code: x.Code, Entry: x.Kernel.Name}}, []*bench.Job{j}); err != nil || j.Err != nil {
				t.Fatalf("%s: %v %v\n%s", mode, err, j.Err, x.Code)
			}
			if string(j.Data[2]) != string(want) {
				t.Errorf("%s: got\n%x, want\n%x\n%s", mode, j.Data[2], want, x.Code)
			}
		}
	}
}

// TestKeptFragments: fragments are matrices of a SIMD-group if the profile has the products, and
// all SIMD-groups are full. Checks of single accesses and strict arithmetic need arrays.
func TestKeptFragments(t *testing.T) {
	const text = `var @a : ptr<storage, array<MEMORY>, read_write> [group 0, binding 0]
kernel @main() [workgroup SIZE, 1u, 1u] {
  %l = fragment_load @a, 0u, false, 8u : fragment<left, ELEMENT, ROWSu, 8>
  %r = fragment_load @a, 64u, false, 8u : fragment<right, ELEMENT, 8, 8>
  %s = fragment_mul_add %l, %r, zero<fragment<result, SUM, ROWSu, 8>> : fragment<result, SUM, ROWSu, 8>
  fragment_store @a, 128u, STORED, false, 8u
  return
}
`
	for _, c := range []struct {
		profile, element, sum, rows, size string
		options                           codegen.Options
		kept                              bool
	}{
		{"apple7", "f32", "f32", "8", "64u", codegen.Options{}, true},
		{"apple7", "f16", "f16", "8", "32u", codegen.Options{NoOptimize: true}, true},
		{"apple7", "f16", "f32", "8", "96u", codegen.Options{Bounds: opt.BoundsOff, Math: opt.MathFast}, true},
		{"apple7", "f32", "f32", "16", "64u", codegen.Options{}, false},
		{"apple7", "i32", "i32", "8", "64u", codegen.Options{}, false},
		{"apple7", "f32", "f32", "8", "48u", codegen.Options{}, false},
		{"apple7", "f32", "f32", "8", "64u", codegen.Options{Bounds: opt.BoundsTrap}, false},
		{"apple7", "f32", "f32", "8", "64u", codegen.Options{Math: opt.MathStrict}, false},
		{"apple7", "bf16", "f32", "8", "64u", codegen.Options{}, false},
		{"apple7_bf16", "bf16", "f32", "8", "64u", codegen.Options{}, true},
		{"3.1", "f32", "f32", "8", "64u", codegen.Options{}, false},
	} {
		target, err := msl.Target.With(c.profile)
		if err != nil {
			t.Fatal(err)
		}
		stored := "%s"
		if c.sum != c.element {
			stored = "%l"
		}
		memory := c.element
		if memory == "bf16" {
			memory = "u16"
		}
		module := irtest.Parse(t, strings.NewReplacer("MEMORY", memory, "ELEMENT", c.element, "SUM", c.sum, "ROWSu", c.rows, "SIZE", c.size, "STORED", stored).Replace(text))
		var list diag.List
		c.options.Context = &opt.Context{Verify: true}
		a := codegen.Compile(module, "", target, &c.options, &list)
		if a == nil {
			t.Errorf("%+v: %+v", c, list.Items())
		} else if got := strings.Contains(string(a.Code), "simdgroup_load("); got != c.kept {
			t.Errorf("%+v: matrices of a SIMD-group: %v\n%s", c, got, a.Code)
		}
	}
}

// TestBFloat16: matrices of bfloat16 are loaded from the patterns, and stored as such.
func TestBFloat16(t *testing.T) {
	if missing := bench.Missing(); missing != "" {
		t.Skip("skipped: there is no " + missing)
	}
	target, err := msl.Target.With("apple7_bf16")
	if err != nil {
		t.Fatal(err)
	}
	var list diag.List
	x := codegen.Compile(irtest.Parse(t, `var @a : ptr<storage, array<u16>> [group 0, binding 0]
var @b : ptr<storage, array<u16>, read_write> [group 0, binding 1]
var @c : ptr<storage, array<f32>, read_write> [group 0, binding 2]
kernel @main() [workgroup 32u, 1u, 1u] {
  %l = fragment_load @a, 0u, false, 8u : fragment<left, bf16, 8, 8>
  %r = fragment_load @a, 64u, true, 8u : fragment<right, bf16, 8, 8>
  %f = fragment_splat 16384su : fragment<right, bf16, 8, 8>
  %s = fragment_mul_add %l, %r, zero<fragment<result, f32, 8, 8>> : fragment<result, f32, 8, 8>
  %t = fragment_mul_add %l, %f, %s : fragment<result, f32, 8, 8>
  fragment_store @b, 0u, %l, true, 8u
  fragment_store @c, 0u, %t, false, 8u
  return
}
`), "", target, &codegen.Options{Context: &opt.Context{Verify: true}}, &list)
	if x == nil {
		t.Fatalf("%+v", list.Items())
	}
	if !strings.Contains(string(x.Code), "simdgroup_bfloat8x8") {
		t.Errorf("there are no matrices of bfloat:\n%s", x.Code)
	}
	number := func(n int) float32 { return float32(n*5%9) - 4 }
	var a []byte
	for n := range 128 {
		a = binary.LittleEndian.AppendUint16(a, uint16(math.Float32bits(number(n))>>16))
	}
	for _, mode := range []bench.Mode{bench.Checked, bench.Spaces} {
		j := &bench.Job{Data: [][]byte{a, make([]byte, 128), make([]byte, 256)}}
		bench.Add(j, 0, &x.Kernel, [3]uint32{1, 1, 1}, []int{0, 1, 2}, nil)
		if err := bench.Run(mode, []bench.Program{{Code: x.Code, Entry: x.Kernel.Name}}, []*bench.Job{j}); err != nil || j.Err != nil {
			t.Fatalf("%s: %v %v\n%s", mode, err, j.Err, x.Code)
		}
		for row := range 8 {
			for column := range 8 {
				sum := float32(0)
				for k := range 8 { // the second fragment is loaded by column, and 0x4000 is 2
					sum += number(8*row+k) * (number(64+8*column+k) + 2)
				}
				if got := math.Float32frombits(binary.LittleEndian.Uint32(j.Data[2][4*(8*row+column):])); got != sum {
					t.Errorf("%s: row %d, column %d is %v, want %v", mode, row, column, got, sum)
				}
				if got := math.Float32frombits(uint32(binary.LittleEndian.Uint16(j.Data[1][2*(8*column+row):])) << 16); got != number(8*row+column) {
					t.Errorf("%s: element (%d, %d) is stored as %v, want %v", mode, row, column, got, number(8*row+column))
				}
			}
		}
	}
}
