package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/cli"
	"github.com/gpuc/gpuc/codegen/all"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// TestAutoTextures runs a kernel with textures without a device's name: on the one that any kernel
// runs on.
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
	mustWrite(t, "copy.wgsl", `
@group(0) @binding(0) var photo: texture_2d<f32>;
@group(0) @binding(1) var result: texture_storage_2d<rgba8unorm, write>;
@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  textureStore(result, id.xy, textureLoad(photo, id.xy, 0));
}`, 0o644)
	var out, failed bytes.Buffer
	if gpuc.Execute(&cli.Env{Stdout: &out, Stderr: &failed}, []string{"run", "copy.wgsl", "-bind", "photo=16x16"}) != cli.ExitOK {
		t.Fatal(failed.String())
	}
	if text := out.String() + failed.String(); !strings.Contains(text, want) || message != "" && !strings.Contains(text, message) {
		t.Errorf("it does not run on %s, or does not say so (%s):\n%s", want, message, text)
	}
}
