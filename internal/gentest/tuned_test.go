package gentest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gpuc/gpuc/internal/testmode"
)

// TestGenTuned makes the launchers of kernels with tuned constants and runs the package's own test,
// which runs each variant as plain Go and on all devices. The package names variants, and calls
// functions that measure them, before these are there.
func TestGenTuned(t *testing.T) {
	testmode.Long(t)
	t.Parallel()
	folder := module(t, "tuned")
	if got, want := gen(t, folder, "-target", "spirv,ptx,cpu,checked", "."), ".  14 kernels, 2 files written\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, line := range [][]string{{"vet", "."}, {"test", "."}} {
		if text, err := goCommand(t, folder, nil, line...); err != nil {
			t.Errorf("go %s: %v\n%s", line[0], err, text)
		}
	}
	first := files(t, folder)
	put(t, filepath.Join(folder, "gpuc_gen.go"), first["gpuc_gen.go"][:900])
	gen(t, folder, "-target", "spirv,ptx,cpu,checked", ".")
	if diff := cmp.Diff(first, files(t, folder)); diff != "" {
		t.Errorf("made again (-first +second):\n%s", diff)
	}
	// the variant of a value that is gone goes
	source := filepath.Join(folder, "kernels.go")
	text, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	put(t, source, strings.Replace(string(text), "//gpuc:tune 8 16 32", "//gpuc:tune 8 16", 1))
	if code, _, stderr := gpuc(t, folder, "gen", "-check", "."); code != 1 || !strings.Contains(stderr, "gpuc_gen.zip is stale (MatMul_Tile32.spv") {
		t.Errorf("-check: code %d\n%s", code, stderr)
	}
	gen(t, folder, "-target", "spirv,ptx,cpu,checked", ".")
	for _, m := range open(t, folder).Members {
		if strings.Contains(m.Name, "Tile32") {
			t.Errorf("%s is still there", m.Name)
		}
	}
}

// TestGenTunedTyped: what names a variant wrongly does not compile.
func TestGenTunedTyped(t *testing.T) {
	testmode.Long(t)
	t.Parallel()
	folder := module(t, "tuned")
	gen(t, folder, ".")
	checkWrong(t, folder, `package tuned

import (
	"context"

	"github.com/gpuc/gpuc/runtime/gpu"
)

func wrong(ctx context.Context, s *gpu.Stream, g gpu.Grid, f *gpu.Buffer[float32], u *gpu.Buffer[uint32], i *gpu.Buffer[int32]) {
	_ = LaunchMatMul(s, g, 64, f, f, f, MatMulVariant{Tile: 8})
	_ = LaunchMatMul(s, g, 64, f, f, f, MatMulVariant{Unroll: 8}) // unknown field Unroll
	_ = LaunchMatMul(s, g, 64, f, f, f, WhichVariant{Tile: 8})    // cannot use WhichVariant
	_ = LaunchMatMul(s, g, 64, f, f, f, 8)                        // cannot use 8
	_ = LaunchPlain(s, g, i, MatMulVariant{})                     // too many arguments
	_ = launchFirst(s, g, 1, u, firstVariant{Unroll: 1})
	_ = launchFirst(s, g, 1, f, firstVariant{})                   // float32 does not satisfy
	_, _, _ = TuneMatMul(ctx, s, g, 64, f, f, f)                  // cannot use g
}
`)
}

// TestGenTunedNames: what the package declares under a name that is going to be generated is
// refused.
func TestGenTunedNames(t *testing.T) {
	t.Parallel()
	folder := module(t, "tuned")
	put(t, filepath.Join(folder, "more.go"), "package tuned\n\ntype MatMulVariant int\n\nfunc TunedWhich() {}\n\nvar gpucVariantsOfMatMul int\n")
	code, _, stderr := gpuc(t, folder, "gen", ".")
	for _, name := range []string{"MatMulVariant", "TunedWhich", "gpucVariantsOfMatMul"} {
		if want := "gpuc gen makes a " + name + " for a kernel, and the package has one"; code != 1 || !strings.Contains(stderr, want) {
			t.Errorf("code %d, and it does not say %q:\n%s", code, want, stderr)
		}
	}
}
