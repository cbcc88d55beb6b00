//go:build !nodrivers && linux && amd64

package rocm_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/driver/rocm"
	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/jit"
)

// TestGPU compiles a kernel for each of the library's devices, in the profile that the device runs.
// It runs the kernel through runtime/gpu, which opens such a device only by name.
func TestGPU(t *testing.T) {
	rocm.Open(t, nil)
	if device, err := gpu.Open(); err == nil {
		if device.Info().Driver == gpu.ROCm {
			t.Error("a device of AMD's is opened without being asked for")
		}
		device.Close()
	}
	program, err := jit.Parse("sums.wgsl", `enable subgroups;
		@group(0) @binding(0) var<storage, read_write> x: array<u32>;
		var<workgroup> words: array<u32, 64>;
		@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32, @builtin(workgroup_id) g: vec3<u32>) {
			words[i] = x[g.x * 64 + i];
			workgroupBarrier();
			x[g.x * 64 + i] = words[63 - i] + subgroupAdd(1u);
		}`, codegen.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		device, profile string
		wave            uint32
	}{{"rocm", "gfx90a", 64}, {"rocm:1", "gfx1030", 32}, {"rocm:2", "gfx11-generic", 32}} {
		t.Run(c.profile, func(t *testing.T) {
			ctx := context.Background()
			device, err := gpu.Open(gpu.Named(c.device))
			if err != nil {
				t.Fatal(err)
			}
			defer device.Close()
			artefact, err := program.Compile(abi.Target("amdgpu:"+c.profile), "")
			if err != nil {
				t.Fatal(err)
			}
			if artefact.Kernel.Profile != c.profile {
				t.Fatalf("the profile is %s", artefact.Kernel.Profile)
			}
			kernel, err := program.Load(device, "")
			if err != nil {
				if c.profile == "gfx11-generic" && strings.Contains(err.Error(), "cannot make a code object") {
					t.Skipf("skipped: code for a family of processors takes LLVM 19 or newer (Debian: llvm-19 and lld-19): %v", err)
				}
				t.Fatal(err)
			}
			words, want := make([]uint32, 128), make([]uint32, 128)
			for n := range words {
				words[n] = uint32(n) * 2654435761
				want[n/64*64+63-n%64] = words[n] + c.wave
			}
			buffer, err := gpu.Upload(ctx, device, words)
			if err != nil {
				t.Fatal(err)
			}
			stream, err := device.NewStream()
			if err != nil {
				t.Fatal(err)
			}
			arguments := kernel.Args()
			if err := arguments.Set(0, buffer); err != nil {
				t.Fatal(err)
			}
			if err := stream.Launch(arguments, gpu.D1(2)); err != nil {
				t.Fatal(err)
			}
			if err := buffer.Read(ctx, stream, words); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(words, want) {
				t.Errorf("got %v, want %v", words[:8], want[:8])
			}
			for _, other := range []string{"gfx942", "gfx1200"} {
				a, err := program.Compile(abi.Target("amdgpu:"+other), "")
				if err != nil {
					t.Fatal(err)
				}
				if _, err := device.Load(a); !errors.Is(err, gpu.ErrUnsupported) || !strings.Contains(err.Error(), "its code is for "+other) {
					t.Errorf("code for %s: %v", other, err)
				}
			}
		})
	}
}

// TestNoDeviceByName: without a device the name is known, and nothing is there.
func TestNoDeviceByName(t *testing.T) {
	rocm.Open(t, rocm.Settings{"dry": 1, "count": 0})
	_, err := gpu.Open(gpu.Named(gpu.ROCm))
	if !errors.Is(err, gpu.ErrNoDevice) || !strings.Contains(err.Error(), "rocm has no devices here") {
		t.Error(err)
	}
}
