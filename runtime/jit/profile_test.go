package jit_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/all"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/jit"
)

// TestProfiles runs a kernel on each device in every profile of the device's target. The device
// either accepts it and computes the expected values, or refuses it as unsupported. All devices
// accept the lowest profile, unless code is for one processor.
func TestProfiles(t *testing.T) {
	const source = `
		@group(0) @binding(0) var<storage, read_write> x: array<u32>;
		var<workgroup> shared_words: array<u32, 64>;
		@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {
			shared_words[i] = x[i];
			workgroupBarrier();
			var sum = 0u;
			for (var k = 0u; k <= i; k++) { sum += shared_words[k]; }
			x[i] = sum;
		}`
	ctx := context.Background()
	infos, err := gpu.Devices()
	if err != nil {
		t.Log(err)
	}
	for _, info := range infos {
		target := all.Lookup(string(info.Target))
		for n := range target.Profiles {
			profile := target.Profiles[n].Name
			t.Run(info.ID()+"/"+profile, func(t *testing.T) {
				device := must(gpu.Open(gpu.Named(info.ID())))(t)
				defer device.Close()
				program := must(jit.Parse("sums.wgsl", source, codegen.Options{}))(t)
				artefact := must(program.Compile(info.Target+":"+abi.Target(profile), "main"))(t)
				kernel, err := device.Load(artefact)
				if (n > 0 || target.Runs != nil) && errors.Is(err, gpu.ErrUnsupported) {
					t.Log(err)
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				defer kernel.Close()
				input, want := make([]uint32, 64), make([]uint32, 64)
				sum := uint32(0)
				for n := range input {
					input[n] = uint32(n) * 2654435761
					sum += input[n]
					want[n] = sum
				}
				stream := must(device.NewStream())(t)
				buffer := must(gpu.Upload(ctx, device, input))(t)
				args := kernel.Args()
				if err := args.Set(0, buffer); err != nil {
					t.Fatal(err)
				}
				if err := stream.Launch(args, gpu.D1(1)); err != nil {
					t.Fatal(err)
				}
				got := make([]uint32, len(want))
				if err := buffer.Read(ctx, stream, got); err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(got, want) {
					t.Errorf("got %v, want %v", got[:8], want[:8])
				}
			})
		}
	}
}
