package clienttest

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gpuc/gpuc/internal/commandtest"
	"github.com/gpuc/gpuc/internal/testmode"
)

// TestNeovim tests the language server with Neovim, which executes testdata/nvim.lua. Its output is
// compared with testdata/nvim.txt, which was checked by hand, and the file that it writes with the
// expected one.
func TestNeovim(t *testing.T) {
	testmode.Long(t)
	nvim, err := exec.LookPath("nvim")
	if err != nil {
		t.Skip("skipped: Neovim is not installed (Debian: neovim)")
	}
	script, err := filepath.Abs("testdata/nvim.lua")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	file := filepath.Join(folder, "a.wgsl")
	const before = `struct Body {
    at: vec3f,
    mass: f32,
}

@group(0) @binding(0) var<storage, read_write> bodies: array<Body>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
    let i = id.x;
    bodies[i].mass += bodeis[i].at.x;
}
`
	const after = `struct Body {
  at: vec3f,
  weight: f32,
}

@group(0) @binding(0) var<storage, read_write> bodies: array<Body>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  bodies[i].weight += bodies[i].at.x;
  /* 𝄞 */ let p = bodies[i].at;
  /* é𝄞 */
  let q = p.x + f32(i);
}
`
	shown, err := os.ReadFile("testdata/nvim.txt")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(before), 0o644); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	// else an editor that waits for somebody would stay
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, nvim, "--headless", "-u", "NONE", "-i", "NONE", "-n", "-c", "luafile "+script, "-c", "cquit")
	c.Env = append(os.Environ(), "GPUC="+commandtest.Path(t), "KERNEL="+file, "XDG_STATE_HOME="+folder, "XDG_CACHE_HOME="+folder)
	c.Dir, c.Stdout, c.Stderr = folder, &stdout, &stderr
	if err := c.Run(); err != nil {
		t.Errorf("%v\n%s", err, stderr.String())
	}
	if diff := cmp.Diff(string(shown), stdout.String()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(after, string(text)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
