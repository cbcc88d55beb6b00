package jit_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/jit"
)

// largeVariables is a program whose invocations have a private and a function array
// of the given number of words; 0 leaves the array out.
func largeVariables(private, function int) string {
	var declared, own, steps strings.Builder
	if private > 0 {
		fmt.Fprintf(&declared, "var<private> p: array<u32, %d>;\n", private)
		declared.WriteString("fn change(i: u32, n: u32) -> u32 { p[i] = p[i] * 3u + n; return p[i]; }\n")
		fmt.Fprintf(&steps, "    s = s * 5u + change((k * 7919u + n) %% %du, n + k);\n", private)
	}
	if function > 0 {
		fmt.Fprintf(&declared, "fn add(x: ptr<function, array<u32, %[1]d>>, i: u32, by: u32) -> u32 { (*x)[i] += by; return (*x)[(i * 2u) %% %[1]du]; }\n", function)
		fmt.Fprintf(&own, "  var f: array<u32, %d>;\n", function)
		fmt.Fprintf(&steps, "    s = s * 5u + add(&f, (k * 4241u + n) %% %du, n ^ k);\n", function)
	}
	return "@group(0) @binding(0) var<storage, read_write> o: array<u32>;\n" + declared.String() +
		"@compute @workgroup_size(4, 2) fn main(@builtin(global_invocation_id) g: vec3u) {\n  let n = g.x + 8u * g.y;\n" + own.String() +
		"  var s = 0u;\n  for (var k = 0u; k < 200u; k++) {\n" + steps.String() +
		"    if k == 100u { workgroupBarrier(); }\n  }\n  o[n] += s;\n}\n"
}

// largeResult is what invocation n of the program adds to its result.
func largeResult(private, function int, n uint32) (s uint32) {
	p, f := map[uint32]uint32{}, map[uint32]uint32{}
	for k := range uint32(200) {
		if private > 0 {
			i := (k*7919 + n) % uint32(private)
			p[i] = 3*p[i] + n + k
			s = 5*s + p[i]
		}
		if function > 0 {
			i := (k*4241 + n) % uint32(function)
			f[i] += n ^ k
			s = 5*s + f[2*i%uint32(function)]
		}
	}
	return s
}

// TestLargeVariables runs kernels with large variables of each invocation on every
// device, on grids that grow and shrink. For SPIR-V no more than 7 KiB of them are
// left to the driver.
func TestLargeVariables(t *testing.T) {
	ctx := context.Background()
	infos, err := gpu.Devices()
	if err != nil {
		t.Log(err)
	}
	configurations := map[string]codegen.Options{"robust": {}, "off": {Bounds: opt.BoundsOff}, "trap": {Bounds: opt.BoundsTrap}, "-O0": {NoOptimize: true}}
	for _, info := range infos {
		if info.Target == abi.Checked {
			continue // what these programs do is the same there as on the CPU, slowly
		}
		device := must(gpu.Open(gpu.Named(info.ID())))(t)
		defer device.Close()
		stream := must(device.NewStream())(t)
		defer stream.Close()
		for _, kib := range [][2]int{{6, 0}, {8, 0}, {15, 0}, {0, 15}, {16, 0}, {0, 16}, {40, 40}, {100, 0}, {0, 100}} {
			private, function := kib[0]*256, kib[1]*256
			source := largeVariables(private, function)
			for name, options := range configurations {
				t.Run(fmt.Sprintf("%s/%d,%d/%s", info.ID(), kib[0], kib[1], name), func(t *testing.T) {
					testmode.Pick(t, t.Name())
					kernel := must(must(jit.Parse("large.wgsl", source, options))(t).Load(device, "main"))(t)
					defer kernel.Close()
					d := kernel.Describe()
					if left := d.Private; info.Target == abi.SPIRV && (d.Scratch != nil) != (kib[0]+kib[1] > 7) {
						t.Errorf("the scratch memory is %+v", d.Scratch)
					} else if info.Target == abi.SPIRV && left != nil && left.Bytes > 7<<10 {
						t.Errorf("%d bytes are left", left.Bytes)
					}
					o := must(gpu.Alloc[uint32](device, 32))(t)
					defer o.Close()
					args := kernel.Args()
					if err := args.Set(0, o); err != nil {
						t.Fatal(err)
					}
					want, got := make([]uint32, 32), make([]uint32, 32)
					for _, grid := range []gpu.Grid{gpu.D2(1, 1), gpu.D2(2, 2), gpu.D2(0, 3), gpu.D2(2, 1)} {
						if err := stream.Launch(args, grid); err != nil {
							t.Fatal(err)
						}
						for x := range 4 * grid.X {
							for y := range 2 * grid.Y {
								want[x+8*y] += largeResult(private, function, x+8*y)
							}
						}
					}
					if err := o.Read(ctx, stream, got); err != nil {
						t.Fatal(err)
					}
					if !slices.Equal(got, want) {
						t.Errorf("got %v, want %v", got, want)
					}
				})
			}
		}
	}
}
