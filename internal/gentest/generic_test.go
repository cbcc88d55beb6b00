package gentest

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gpuc/gpuc/frontend/gokernel/launch"
	"github.com/gpuc/gpuc/internal/testmode"
)

// TestGenGeneric makes the launchers of generic kernels and runs the package's own test, which runs
// each instance as plain Go and on the CPU device. The package calls the launchers before they are
// there, with type arguments, too.
func TestGenGeneric(t *testing.T) {
	testmode.Long(t)
	t.Parallel()
	folder := module(t, "generic")
	gen(t, folder, ".")
	for _, line := range [][]string{{"vet", "."}, {"test", "."}} {
		if text, err := goCommand(t, folder, nil, line...); err != nil {
			t.Errorf("go %s: %v\n%s", line[0], err, text)
		}
	}
	first := files(t, folder)
	generated := filepath.Join(folder, "gpuc_gen.go")
	text := first["gpuc_gen.go"]
	for what, breaks := range map[string]func(){
		"as it is":       func() {},
		"half":           func() { put(t, generated, text[:len(text)/2]) },
		"not generic":    func() { put(t, generated, launch.Header+"\npackage generic\n\nfunc LaunchReverse() {}\n") },
		"without a part": func() { put(t, generated, strings.Replace(text, "LaunchReverse[", "launchReverse[", 1)) },
	} {
		if breaks(); what != "as it is" {
			if code, _, _ := gpuc(t, folder, "gen", "-check", "."); code != 1 {
				t.Errorf("%s: -check: code %d", what, code)
			}
		}
		gen(t, folder, ".")
		if diff := cmp.Diff(first, files(t, folder)); diff != "" {
			t.Errorf("%s: made again (-first +second):\n%s", what, diff)
		}
	}
	if code, _, stderr := gpuc(t, folder, "gen", "-check", "."); code != 0 {
		t.Errorf("-check: code %d\n%s", code, stderr)
	}
}

// TestGenGenericTyped: wrong calls of launchers of generic kernels do not compile. What the
// compiler says of a line is in its comment.
func TestGenGenericTyped(t *testing.T) {
	t.Parallel()
	folder := module(t, "generic")
	gen(t, folder, ".")
	checkWrong(t, folder, `package generic

import (
	"context"

	"github.com/gpuc/gpuc/runtime/gpu"
)

func wrong(ctx context.Context, d *gpu.Device, s *gpu.Stream, g gpu.Grid, f *gpu.Buffer[float32], i *gpu.Buffer[int32], u *gpu.Buffer[uint32]) {
	_ = LaunchScale(s, g, 2, f)
	_ = LaunchScale(s, g, 2, u)                  // uint32 does not satisfy float32 | int32 | units.Metres
	_ = LaunchScale(s, g, int32(2), f)           // type *gpu.Buffer[float32] of f does not match
	_ = LaunchScale(s, g, 2.5, i)                // cannot use 2.5
	_ = RunScale(ctx, d, g, 2, []float32{1})
	_ = RunScale(ctx, d, g, 2, []float64{1})     // float64 does not satisfy float32 | int32 | units.Metres
	_ = RunScale(ctx, d, g, int32(2), []float32{}) // type []float32 of []float32{} does not match
	_ = RunScale(ctx, d, g, 2, f)                // does not match
	GoScale(g, 2, []int32{1})
	GoScale(g, 2, []uint32{1})                   // uint32 does not satisfy
	_ = LaunchReverse[[16]int32](s, g, i)
	_ = LaunchReverse[[32]int32](s, g, i)        // [32]int32 does not satisfy
	_ = LaunchReverse(s, g, i)                   // cannot infer T
	_ = launchFold[sum](s, g, i)
	_ = launchFold[sum](s, g, u)                 // does not satisfy
	_ = launchFold[product, int32](s, g, i)      // does not satisfy
}
`)
}
