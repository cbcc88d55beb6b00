package gentest

import (
	"path/filepath"
	"strings"
	"testing"
)

// wrongKernel has mistakes that the checked device reports.
const wrongKernel = `package wrong

import "github.com/gpuc/gpuc/runtime/gpu"

//gpuc:kernel workgroup=4
func Outside(it gpu.Item, x, y []float32) {
	y[it.Index()+1] = x[it.Index()]
}

//gpuc:kernel workgroup=4
func Racing(it gpu.Item, shared *[4]gpu.Vec2f, y []float32) {
	l := it.LocalIndex()
	shared[l].Y = 1
	y[it.Index()] = shared[3-l].Y
}
`

const wrongTest = `package wrong

import (
	"context"
	"testing"

	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/gpu/gputest"
)

func TestWrong(t *testing.T) {
	x, y := make([]float32, 8), make([]float32, 8)
	nothing := func() {}
	t.Run("Outside", func(t *testing.T) {
		gputest.Compare(t, gputest.Exact, nothing, func(ctx context.Context, d *gpu.Device) error { return RunOutside(ctx, d, gpu.D1(2), x, y) }, y)
	})
	t.Run("Racing", func(t *testing.T) {
		gputest.Compare(t, gputest.Exact, nothing, func(ctx context.Context, d *gpu.Device) error { return RunRacing(ctx, d, gpu.D1(2), y) }, y)
	})
}
`

// TestCheckedPlaces: what the checked device reports of kernels in Go names their lines, and elements.
func TestCheckedPlaces(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	makeModule(t, folder, "wrong")
	put(t, filepath.Join(folder, "kernel.go"), wrongKernel)
	put(t, filepath.Join(folder, "kernel_test.go"), wrongTest)
	gen(t, folder, "-target", "cpu,checked", ".")
	text, err := goCommand(t, folder, nil, "test", "-short", "-count=1", ".")
	if err == nil {
		t.Fatalf("nothing is reported:\n%s", text)
	}
	for _, want := range []string{
		"kernel.go:7:3: error: index 8 is outside of the 8 elements in y, in invocation (7, 0, 0) of workgroup (1, 0, 0) [out-of-bounds]",
		"writes shared[2].Y, which another invocation read, and nothing orders the two [data-race]",
		"reads shared[1].Y, which another invocation wrote, and nothing orders the two [data-race]",
		"kernel.go:13:", "kernel.go:14:",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("it does not say %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, ".ir:") {
		t.Errorf("it names lines of IR:\n%s", text)
	}
}
