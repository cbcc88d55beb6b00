package msl_test

import (
	"encoding/binary"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/msl"
	bench "github.com/gpuc/gpuc/internal/emulate/msl"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
)

// layouts is a kernel with types that WGSL lacks: 64-bit integers, bools in buffers, vectors at odd
// offsets, and elements with padding. Each invocation reads an element of x and writes one of y.
const layouts = `struct Odd [size 48, align 8] { flag: bool [offset 0], pair: vec2<f32> [offset 4], wide: u64 [offset 16], three: vec3<u32> [offset 24], flags: vec3<bool> [offset 36] }
var @x : ptr<storage, array<Odd>> [group 0, binding 0]
var @y : ptr<storage, array<Odd>, read_write> [group 0, binding 1]
var @z : ptr<storage, array<f32, stride 12>, read_write> [group 0, binding 2]

kernel @main(%i: u32 [local_invocation_index]) [workgroup 2u, 1u, 1u] {
  %whole = access @x, %i : ptr<storage, Odd>
  %v = load %whole : Odd
  %flag = extract %v, 0u : bool
  %pair = extract %v, 1u : vec2<f32>
  %wide = extract %v, 2u : u64
  %three = extract %v, 3u : vec3<u32>
  %flags = extract %v, 4u : vec3<bool>
  %signed = bitcast %wide : i64
  %less = neg %signed : i64
  %back = bitcast %less : u64
  %noflag = not %flag : bool
  %noflags = not %flags : vec3<bool>
  %turned = shuffle %three [zyx] : vec3<u32>
  %twice = add %pair, %pair : vec2<f32>
  %made = construct %noflag, %twice, %back, %turned, %noflags : Odd
  %to = access @y, %i : ptr<storage, Odd, read_write>
  store %to, %made
  %px = access @x, %i, 1u, 1u : ptr<storage, f32>
  %second = load %px : f32
  %pz = access @z, %i : ptr<storage, f32, read_write>
  store %pz, %second
  %pc = access @y, %i, 3u, 1u : ptr<storage, u32, read_write>
  store %pc, 7u
  return
}
`

// TestLayouts executes it and compares every byte; padding must not change.
func TestLayouts(t *testing.T) {
	if missing := bench.Missing(); missing != "" {
		t.Skip("skipped: there is no " + missing)
	}
	word := func(to []byte, list ...uint32) []byte {
		for _, x := range list {
			to = binary.LittleEndian.AppendUint32(to, x)
		}
		return to
	}
	const one, two, three, six = 0x3f800000, 0x40000000, 0x40400000, 0x40c00000
	const gap = 0xcccccccc
	var x, y, z, wantY, wantZ []byte
	x = word(x, 1, one, three, gap, 5, 0, 10, 20, 30, 1, 0, 1)
	x = word(x, 0, one, one, gap, 0, 1, 11, 21, 31, 0, 0, 1)
	for range 24 {
		y = word(y, gap)
	}
	z, wantZ = word(z, gap, gap, gap, gap, gap, gap), word(wantZ, three, gap, gap, one, gap, gap)
	wantY = word(wantY, 0, two, six, gap, 0xfffffffb, 0xffffffff, 30, 7, 10, 0, 1, 0)
	wantY = word(wantY, 1, two, two, gap, 0, 0xffffffff, 31, 7, 11, 1, 1, 0)
	for n, o := range []codegen.Options{{}, {NoOptimize: true}, {Bounds: codegen.BoundsOff}} {
		if !testmode.Sampled(n, 1) {
			continue
		}
		m, _, items := ir.ParseString(layouts)
		if m == nil {
			t.Fatalf("%+v", items)
		}
		var list diag.List
		a := codegen.Compile(m, "", &msl.Target, &o, &list)
		if a == nil {
			t.Fatalf("%+v", list.Items())
		}
		for _, mode := range []bench.Mode{bench.Checked, bench.Spaces} {
			j := &bench.Job{Data: [][]byte{append([]byte(nil), x...), append([]byte(nil), y...), append([]byte(nil), z...)}}
			bench.Add(j, 0, &a.Kernel, [3]uint32{1, 1, 1}, []int{0, 1, 2}, nil)
			if err := bench.Run(mode, []bench.Program{{Code: a.Code, Entry: a.Kernel.Name}}, []*bench.Job{j}); err != nil || j.Err != nil {
				t.Fatalf("%s: %v %v\n%s", mode, err, j.Err, a.Code)
			}
			for n, want := range [][]byte{x, wantY, wantZ} {
				if string(j.Data[n]) != string(want) {
					t.Errorf("%s: buffer %d is % x\nwant % x\n%s", mode, n, j.Data[n], want, a.Code)
				}
			}
		}
	}
}
