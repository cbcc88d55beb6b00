package jit_test

import (
	"encoding/binary"
	"errors"
	"flag"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/jit"
)

// Kernels with buffers of 2 to 4 GiB, on devices that have that much memory:
//
//	go test ./runtime/jit -run TestBig -big cuda,vulkan,cpu
//
// Where the words lie that a kernel writes is worked out by hand, and they are read
// back by copies, which no compiler has touched.

var big = flag.String("big", "", "the devices for TestBig, which takes up to 9 GiB of their memory: cuda,vulkan")

// bigCases are kernels that write words of a large buffer x. k holds 100 and
// 0xFFFFFFFF, and y takes two words that they read.
var bigCases = []struct {
	name, declarations, body string
	bytes                    uint64
	want                     map[uint64]uint32 // words of x by the bytes before them
	y                        [2]uint32
}{
	{"constant indices", "@group(0) @binding(0) var<storage, read_write> x: array<u32, 700000000>;", `
  x[0] = 1u; x[536870911] = 2u; x[536870912] = 3u; x[600000000] = 4u; x[699999999] = 5u;
  y[0] = x[600000000]; y[1] = x[536870911] + x[699999999];`, 2800000000,
		map[uint64]uint32{0: 1, 1<<31 - 4: 2, 1 << 31: 3, 2400000000: 4, 2799999996: 5}, [2]uint32{4, 7}},
	{"dynamic indices", "@group(0) @binding(0) var<storage, read_write> x: array<u32, 700000000>;", `
  let i = k[0];
  x[i + 536870812u] = 1u; x[i * 6000000u + 1u] = 2u; x[i32(i) + 699999899] = 3u; x[i - 100u] = 4u;
  y[0] = x[i * 5368709u + 12u]; y[1] = x[i * 6000000u + 1u] + x[i + 699999899u];`, 2800000000,
		map[uint64]uint32{1 << 31: 1, 2400000004: 2, 2799999996: 3, 0: 4}, [2]uint32{1, 5}},
	{"beyond the end", "@group(0) @binding(0) var<storage, read_write> x: array<u32, 700000000>;", `
  x[k[1]] = 1u; x[k[0] + 699999900u] = 2u; x[k[0] * 10737418u + 24u] = 3u; x[699999999] = 4u;
  y[0] = x[k[1]]; y[1] = x[k[0] * 7000000u];`, 2800000000, // index 2^30 is byte 2^32
		map[uint64]uint32{2799999996: 4, 0: 0, 1 << 31: 0}, [2]uint32{4, 4}},
	{"vectors", "@group(0) @binding(0) var<storage, read_write> x: array<vec4<u32>, 268000000>;", `
  let i = k[0];
  x[134217728] = vec4u(1u, 2u, 3u, 4u); x[267999999].w = 5u; x[i * 2000000u][i % 3u] = 6u; x[i + 134217627u].z = 7u;
  y[0] = x[134217728].y; y[1] = x[i * 2000000u].y + x[i + 267999899u].w;`, 4288000000,
		map[uint64]uint32{1 << 31: 1, 1<<31 + 4: 2, 1<<31 + 8: 3, 1<<31 + 12: 4, 4287999996: 5, 3200000004: 6, 1<<31 - 8: 7}, [2]uint32{2, 11}},
	{"runtime-sized", "@group(0) @binding(0) var<storage, read_write> x: array<u32>;", `
  let n = arrayLength(&x);
  x[n - 1u] = n; x[k[0] * 10000000u] = 1u; x[k[1]] = 9u;
  y[0] = x[k[1] - 1u]; y[1] = x[1000000000];`, 4292870144,
		map[uint64]uint32{4292870140: 1073217536, 4000000000: 1}, [2]uint32{1073217536, 1}},
	{"arrays of arrays", "@group(0) @binding(0) var<storage, read_write> x: array<array<vec2<u32>, 1000>, 500000>;", `
  let i = k[0];
  x[268435][456].x = 1u; x[i * 4999u + 99u][i + 899u] = vec2u(2u, 3u); x[499999][i].y = 4u;
  y[0] = x[i * 2684u + 35u][i * 4u + 56u].x; y[1] = x[499999][100].y + x[499999][999].y;`, 4000000000,
		map[uint64]uint32{1 << 31: 1, 3999999992: 2, 3999999996: 3, 3999992804: 4}, [2]uint32{1, 7}},
	{"members", `struct S { a: array<u32, 600000000>, b: vec4<u32>, c: array<S2> } struct S2 { p: u32, @align(16) q: u32, r: array<u32, 3> }
@group(0) @binding(0) var<storage, read_write> x: S;`, `
  let i = k[0];
  x.a[599999999] = 1u; x.b.y = 2u; x.c[i - 100u].q = 3u; x.c[i].r[i % 3u] = 4u; x.c[arrayLength(&x.c) - 1u].p = 5u;
  y[0] = x.c[0].q; y[1] = x.b.y + x.c[100].r[1];`, 2400000016 + 32*12500000,
		map[uint64]uint32{2399999996: 1, 2400000004: 2, 2400000032: 3, 2400003240: 4, 2799999984: 5}, [2]uint32{3, 6}},
	{"atomics", "@group(0) @binding(0) var<storage, read_write> x: array<atomic<u32>, 700000000>;", `
  let i = k[0];
  y[0] = atomicAdd(&x[600000000], 7u) + atomicMax(&x[i * 6000000u], 9u); atomicStore(&x[i + 536870812u], 3u);
  y[1] = atomicCompareExchangeWeak(&x[i * 6999999u + 99u], 0u, 5u).old_value + atomicLoad(&x[536870912]);`, 2800000000,
		map[uint64]uint32{2400000000: 9, 1 << 31: 3, 2799999996: 5}, [2]uint32{7, 3}},
	{"halves", "enable f16; @group(0) @binding(0) var<storage, read_write> x: array<f16, 2000000000>;", `
  let i = k[0];
  x[1073741824] = 1h; x[i * 19999999u + 99u] = 2h; x[1999999998] = 3h;
  y[0] = u32(x[i * 10737418u + 24u]); y[1] = u32(x[1999999999]) + u32(x[1999999998]);`, 4000000000,
		map[uint64]uint32{1 << 31: 0x3C00, 3999999996: 0x40004200}, [2]uint32{1, 5}},
	{"copies of elements", "struct T { a: array<u32, 100> } @group(0) @binding(0) var<storage, read_write> x: array<T, 10000000>;", `
  var t: T;
  for (var n = 0u; n < 100u; n++) { t.a[n] = n + 1u; }
  x[k[0] * 99999u + 99u] = t; x[5368710] = x[k[0] * 99999u + 99u];
  y[0] = x[9999999].a[99]; y[1] = x[5368710].a[0];`, 4000000000,
		map[uint64]uint32{3999999600: 1, 3999999996: 100, 2147484000: 1, 2147484396: 100, 2147483996: 0, 2147484400: 0}, [2]uint32{100, 1}},
}

var bigModes = map[string]codegen.Options{
	"robust": {}, "plain": {NoOptimize: true}, "trap": {Bounds: opt.BoundsTrap}, "off": {Bounds: opt.BoundsOff},
}

// TestBig runs the kernels in every mode and reads their words back.
func TestBig(t *testing.T) {
	if *big == "" {
		t.Skip("skipped: -big names no device with 9 GiB of memory")
	}
	for id := range strings.SplitSeq(*big, ",") {
		device := must(gpu.Open(gpu.Named(id)))(t)
		defer device.Close()
		stream := must(device.NewStream())(t)
		info := device.Info()
		for _, c := range bigCases {
			if c.bytes > info.MaxBufferBytes {
				t.Logf("%s, %s: left out, a buffer has at most %d bytes", id, c.name, info.MaxBufferBytes)
				continue
			}
			for mode, o := range bigModes {
				if mode == "off" && strings.Contains(c.body, "k[1]") {
					continue // indices out of range
				}
				t.Run(id+"/"+c.name+"/"+mode, func(t *testing.T) {
					source := c.declarations + `
@group(0) @binding(1) var<storage, read> k: array<u32, 2>;
@group(0) @binding(2) var<storage, read_write> y: array<u32, 2>;
@compute @workgroup_size(1) fn main() {` + c.body + "\n}\n"
					program := must(jit.Parse("big.wgsl", source, o))(t)
					kernel := must(program.Load(device, "main"))(t)
					defer kernel.Close()
					x := must(gpu.Alloc[[4]byte](device, int(c.bytes/4)))(t) // fits any element
					defer x.Close()
					k := must(gpu.Upload(t.Context(), device, []uint32{100, 1<<32 - 1}))(t)
					y := must(gpu.Alloc[uint32](device, 2))(t)
					args := kernel.Args()
					for name, b := range map[string]gpu.Bound{"x": x, "k": k, "y": y} {
						if n := kernel.Index(name); n >= 0 { // a kernel need not use k
							err := args.Set(n, b)
							if limit := info.MaxCountedBytes; limit != 0 && c.bytes > limit && kernel.Describe().Bindings[n].Stride != 0 {
								if !errors.Is(err, gpu.ErrLimit) {
									t.Errorf("an array of %d bytes without a size: got %v, want %v", c.bytes, err, gpu.ErrLimit)
								}
								return
							}
							if err != nil {
								t.Fatal(err)
							}
						}
					}
					if err := stream.Launch(args, gpu.D1(1)); err != nil {
						t.Fatal(err)
					}
					var got [2]uint32
					if err := y.Read(t.Context(), stream, got[:]); err != nil && !(mode == "trap" && errors.Is(err, gpu.ErrFault) && strings.Contains(c.body, "k[1]")) {
						t.Fatal(err)
					}
					if got != c.y {
						t.Errorf("the kernel reads %d, want %d", got, c.y)
					}
					for _, at := range slices.Sorted(maps.Keys(c.want)) {
						var word [1][4]byte
						if err := must(x.Slice(int(at/4), int(at/4)+1))(t).Read(t.Context(), stream, word[:]); err != nil {
							t.Fatal(err)
						}
						if got := binary.LittleEndian.Uint32(word[0][:]); got != c.want[at] {
							t.Errorf("the word at byte %d is %#x, want %#x", at, got, c.want[at])
						}
					}
				})
			}
		}
		t.Run(id+"/transfers", func(t *testing.T) { bigTransfers(t, device, stream) })
	}
}

// bigTransfers fills more than 2 GiB with a kernel and copies them on the device. It binds a slice
// beyond 2 GiB, and adds up all words: those of x are i·K, whose sum is known.
func bigTransfers(t *testing.T, device *gpu.Device, stream *gpu.Stream) {
	const words, factor = 600000000, 2654435761
	if limit := device.Info().MaxBufferBytes; limit < 1<<40 {
		if b, err := gpu.Alloc[uint32](device, int(limit/4)+1); !errors.Is(err, gpu.ErrLimit) || b != nil {
			t.Errorf("a buffer of more than %d bytes: got %v, want %v", limit, err, gpu.ErrLimit)
		}
	}
	if device.Info().Driver == gpu.CPU {
		return // an interpreter takes minutes
	}
	program := must(jit.Parse("fill.wgsl", `
@group(0) @binding(0) var<storage, read_write> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> sum: atomic<u32>;
@compute @workgroup_size(256) fn fill(@builtin(global_invocation_id) g: vec3u, @builtin(num_workgroups) n: vec3u) {
  for (var i = g.x; i < arrayLength(&x); i += 256u * n.x) { x[i] = i * 2654435761u; }
}
@compute @workgroup_size(256) fn add(@builtin(global_invocation_id) g: vec3u, @builtin(num_workgroups) n: vec3u) {
  var s = 0u;
  for (var i = g.x; i < arrayLength(&x); i += 256u * n.x) { s += x[i]; }
  atomicAdd(&sum, s);
}`, codegen.Options{}))(t)
	fill, add := must(program.Load(device, "fill"))(t), must(program.Load(device, "add"))(t)
	x, y := must(gpu.Alloc[uint32](device, words))(t), must(gpu.Alloc[uint32](device, words))(t)
	defer x.Close()
	defer y.Close()
	args := fill.Args()
	err := args.Set(0, x)
	if limit := device.Info().MaxCountedBytes; limit != 0 && 4*words > limit {
		if !errors.Is(err, gpu.ErrLimit) {
			t.Errorf("an array of %d bytes without a size: got %v, want %v", 4*words, err, gpu.ErrLimit)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(stream.Launch(args, gpu.D1(4096)), gpu.Copy(stream, y, x)); err != nil {
		t.Fatal(err)
	}
	sumOf := func(first, end uint64) (s uint32) { // of i·factor, by the formula for i
		return uint32((first+end-1)*(end-first)/2) * factor
	}
	for _, part := range [][2]uint64{{0, words}, {536870912, words}, {536870848, 536870976}} {
		slice := must(y.Slice(int(part[0]), int(part[1])))(t)
		sum := must(gpu.Alloc[uint32](device, 1))(t)
		args := add.Args()
		if err := errors.Join(args.Set(0, slice), args.Set(1, sum), stream.Launch(args, gpu.D1(4096))); err != nil {
			t.Fatal(err)
		}
		var got [1]uint32
		if err := sum.Read(t.Context(), stream, got[:]); err != nil {
			t.Fatal(err)
		}
		if want := sumOf(part[0], part[1]); got[0] != want {
			t.Errorf("the words %d to %d add up to %d, want %d", part[0], part[1], got[0], want)
		}
	}
	host := make([]uint32, words)
	if err := y.Read(t.Context(), stream, host); err != nil {
		t.Fatal(err)
	}
	for _, i := range []uint32{0, 1, 536870911, 536870912, words - 1} {
		if host[i] != i*factor {
			t.Errorf("word %d is read as %d, want %d", i, host[i], i*factor)
		}
	}
	host[0], host[words-1] = 7, 8
	if err := x.Write(stream, host); err != nil {
		t.Fatal(err)
	}
	var ends [2]uint32
	if err := errors.Join(must(x.Slice(0, 1))(t).Read(t.Context(), stream, ends[:1]), must(x.Slice(words-1, words))(t).Read(t.Context(), stream, ends[1:])); err != nil {
		t.Fatal(err)
	}
	if ends != [2]uint32{7, 8} {
		t.Errorf("the ends are written as %d", ends)
	}
}
