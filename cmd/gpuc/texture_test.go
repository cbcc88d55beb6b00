package main

import (
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen/all"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// TestAutoTextures: a kernel with textures runs on the same default device as others.
func TestAutoTextures(t *testing.T) {
	for _, target := range [...]abi.Target{abi.SPIRV, abi.PTX, abi.MSL, abi.CPU} {
		if all.For(target, 0).Handles == "" {
			t.Errorf("%s, which a driver takes, has no textures", target)
		}
	}
	want, message := "cpu:0", "no GPU found; running on the CPU"
	if device, err := gpu.Open(); err == nil {
		info := device.Info()
		want, message = info.ID(), ""
		device.Close()
	}
	t.Chdir(t.TempDir())
	write(t, "copy.wgsl", `
@group(0) @binding(0) var photo: texture_2d<f32>;
@group(0) @binding(1) var result: texture_storage_2d<rgba8unorm, write>;
@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  textureStore(result, id.xy, textureLoad(photo, id.xy, 0));
}`)
	out, said := succeed(t, "run", "copy.wgsl", "-bind", "photo=16x16")
	if text := out + said; !strings.Contains(text, want) || message != "" && !strings.Contains(text, message) {
		t.Errorf("it does not run on %s, or does not say so (%s):\n%s", want, message, text)
	}
}
