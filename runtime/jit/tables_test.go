package jit_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/jit"
)

// tableWords is the size of a table of 80 KB, beyond what constant memory holds.
const tableWords = 20000

// tableWord is an element of the table.
func tableWord(n uint32) uint32 { return n*2654435761 ^ n>>3 }

// tableSource is a program that reads the table by an index and by way of a
// variable, which would not fit a constant's instruction in SPIR-V either.
func tableSource() string {
	numbers := make([]string, tableWords)
	for n := range numbers {
		numbers[n] = fmt.Sprint(tableWord(uint32(n)), "u")
	}
	return `@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@group(0) @binding(1) var<storage, read> a: array<u32>;
const table = array<u32, ` + fmt.Sprint(tableWords) + `>(` + strings.Join(numbers, ",") + `);
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) g: vec3u) {
  o[g.x] = table[a[g.x]] + 3u * table[(a[g.x] * 7u) % ` + fmt.Sprint(tableWords) + `u];
}
`
}

// TestLargeTables runs kernels with a table that is too large for code, on every
// device, twice at once and after one of them was closed.
func TestLargeTables(t *testing.T) {
	ctx := context.Background()
	infos, err := gpu.Devices()
	if err != nil {
		t.Log(err)
	}
	source := tableSource()
	for _, info := range infos {
		for name, bounds := range map[string]opt.Bounds{"robust": opt.BoundsRobust, "trap": opt.BoundsTrap} {
			t.Run(info.ID()+"/"+name, func(t *testing.T) {
				device := must(gpu.Open(gpu.Named(info.ID())))(t)
				defer device.Close()
				program := must(jit.Parse("table.wgsl", source, codegen.Options{Bounds: bounds}))(t)
				stream := must(device.NewStream())(t)
				input, want := make([]uint32, 256), make([]uint32, 256)
				for n := range input {
					input[n] = uint32(n) * 15485863 % tableWords
					want[n] = tableWord(input[n]) + 3*tableWord(input[n]*7%tableWords)
				}
				a := must(gpu.Upload(ctx, device, input))(t)
				for range 2 {
					kernel := must(program.Load(device, "main"))(t)
					other := must(program.Load(device, "main"))(t)
					if n := len(kernel.Describe().Arguments()); n != 2 {
						t.Fatalf("%d arguments, want 2", n)
					}
					for k, kernel := range []*gpu.Kernel{kernel, other, other} {
						o := must(gpu.Alloc[uint32](device, len(want)))(t)
						args := kernel.Args()
						for n, b := range []*gpu.Buffer[uint32]{o, a} {
							if err := args.Set(n, b); err != nil {
								t.Fatal(err)
							}
						}
						if err := stream.Launch(args, gpu.D1(4)); err != nil {
							t.Fatal(err)
						}
						if k == 0 {
							kernel.Close()
						}
						got := make([]uint32, len(want))
						if err := o.Read(ctx, stream, got); err != nil {
							t.Fatal(err)
						}
						if !slices.Equal(got, want) {
							t.Errorf("launch %d: got %v, want %v", k, got[:8], want[:8])
						}
					}
					other.Close()
				}
			})
		}
	}
}

// orderSource is a program whose large-launch variant, where the loop is fully expanded, reads its
// tables in another order.
func orderSource() string {
	numbers := make([]string, 300)
	for n := range numbers {
		numbers[n] = fmt.Sprint(tableWord(uint32(n)), "u")
	}
	return `@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@group(0) @binding(1) var<storage, read> a: array<u32>;
const few = array<u32, 6>(11, 7, 5, 3, 2, 13);
const many = array<u32, 300>(` + strings.Join(numbers, ",") + `);
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) g: vec3u) {
  let x = a[g.x];
  var sum = 0u;
  for (var i = 0u; i < 3; i++) {
    sum = sum * 3 + few[i] * a[(g.x + i) % 4096];
  }
  sum += many[x % 300];
  o[g.x] = sum * 7 + few[x % 6];
}
`
}

// TestTablesOfVariants runs a kernel whose variants have their tables in different orders, in small
// and in large launches.
func TestTablesOfVariants(t *testing.T) {
	ctx := context.Background()
	program := must(jit.Parse("order.wgsl", orderSource(), codegen.Options{}))(t)
	artefact := must(program.Compile("spirv", "main"))(t)
	if form := artefact.Coarse; form == nil || len(form.Artefact.Kernel.Tables) != len(artefact.Kernel.Tables) || slices.Equal(form.Artefact.Kernel.Tables, artefact.Kernel.Tables) {
		t.Error("there are not two forms with the same tables in another order, so that this shows nothing")
	}
	const count = 4096
	few := [...]uint32{11, 7, 5, 3, 2, 13}
	input, want := make([]uint32, count), make([]uint32, count)
	for n := range input {
		input[n] = uint32(n) * 15485863 % 65521
	}
	for n := range want {
		sum := uint32(0)
		for i := range 3 {
			sum = sum*3 + few[i]*input[(n+i)%count]
		}
		want[n] = (sum+tableWord(input[n]%300))*7 + few[input[n]%6]
	}
	infos, err := gpu.Devices()
	if err != nil {
		t.Log(err)
	}
	for _, info := range infos {
		t.Run(info.ID(), func(t *testing.T) {
			device := must(gpu.Open(gpu.Named(info.ID())))(t)
			defer device.Close()
			stream := must(device.NewStream())(t)
			artefact := must(program.Compile(device.Info().Target, "main"))(t)
			if artefact.Coarse != nil {
				artefact.Coarse.MinInvocations = 100
			}
			kernel := must(device.Load(artefact))(t)
			a := must(gpu.Upload(ctx, device, input))(t)
			for _, groups := range []uint32{1, count / 64, 1} {
				o := must(gpu.Alloc[uint32](device, count))(t)
				if err := stream.Run(kernel, gpu.D1(groups), o, a); err != nil {
					t.Fatal(err)
				}
				got := make([]uint32, count)
				if err := o.Read(ctx, stream, got); err != nil {
					t.Fatal(err)
				}
				if n := 64 * groups; !slices.Equal(got[:n], want[:n]) {
					t.Errorf("%d workgroups: got %v, want %v", groups, got[:8], want[:8])
				}
			}
		})
	}
}

// must ends a test that cannot go on.
func must[T any](x T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
}

// TestTablesThatDoNotFit loads a description whose tables are not those of its last
// binding.
func TestTablesThatDoNotFit(t *testing.T) {
	device := must(gpu.Open(gpu.Named(gpu.CPU)))(t)
	defer device.Close()
	program := must(jit.Parse("saxpy.wgsl", saxpy, codegen.Options{}))(t)
	a := must(program.Compile(device.Info().Target, "main"))(t)
	a.Kernel.Tables = []byte{1, 2}
	if _, err := device.Load(a); !errors.Is(err, gpu.ErrShape) {
		t.Errorf("two bytes for an array of f32: got %v, want %v", err, gpu.ErrShape)
	}
}
