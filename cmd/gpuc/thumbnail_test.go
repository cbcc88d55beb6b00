package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/cli"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/termimage"
)

// TestThumbnailIsShown: a picture that is written appears on terminals that show images, behind its
// name.
func TestThumbnailIsShown(t *testing.T) {
	t.Chdir(t.TempDir())
	mustWrite(t, "k.wgsl", "@group(0) @binding(0) var<storage, read_write> x: array<u32>;\n@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) { x[i] = 0xff0000ff; }", 0o644)
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
