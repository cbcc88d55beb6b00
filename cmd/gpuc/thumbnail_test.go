package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/cli"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/termimage"
)

// TestThumbnailIsShown: an image that is written is shown on terminals that can, after its name.
func TestThumbnailIsShown(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "k.wgsl", "@group(0) @binding(0) var<storage, read_write> x: array<u32>;\n@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) { x[i] = 0xff0000ff; }")
	for images, want := range map[termimage.Protocol]bool{termimage.None: false, termimage.Kitty: true} {
		var stdout, stderr bytes.Buffer
		if code := gpuc.Execute(&cli.Env{Stdout: &stdout, Stderr: &stderr, Images: images}, []string{"run", "k.wgsl", "-device", "cpu", "-bind", "x=zeros(4)", "-grid", "1", "-out", "x=x.png:2x2"}); code != 0 {
			t.Fatal(stderr.String())
		}
		if strings.Contains(stdout.String(), "wrote x.png, 2x2\n\033_Ga=T") != want {
			t.Errorf("%q", stdout.String())
		}
	}
}
