package gputest

import (
	"context"
	"errors"
	"testing"

	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/tuning"
)

// Tune gives `gpuc tune` the problems that it measures kernels with. The test's name begins with
// TestTune. The function calls the generated TuneMatMul of a kernel MatMul once for each problem,
// with the context and the stream that it is given:
//
//	func TestTune(t *testing.T) {
//		gputest.Tune(t, func(ctx context.Context, s *gpu.Stream) error {
//			for _, n := range []int{256, 1024, 4096} {
//				…
//				grid := func(MatMulVariant) gpu.Grid { return gpu.Items2(n, n) }
//				if _, _, err := TuneMatMul(ctx, s, grid, n, a, b, c); err != nil {
//					return err
//				}
//			}
//			return nil
//		})
//	}
//
// `gpuc tune` runs the test twice: first the problems are counted, for their shares of the budget,
// and nothing is measured. Then each TuneMatMul measures, and `gpuc tune` writes the records into
// the package's file. Otherwise the test is skipped.
func Tune(t *testing.T, problems func(ctx context.Context, s *gpu.Stream) error) {
	t.Helper()
	if problems == nil {
		t.Fatal("there are no problems to tune for: the function is nil")
	}
	session, err := tuning.FromEnvironment()
	if err != nil {
		t.Fatal(err)
	}
	if session == nil {
		t.Skip("skipped: it measures kernels, for gpuc tune")
	}
	var options []gpu.Option
	if session.Device != "" {
		options = append(options, gpu.Named(session.Device))
	}
	device, err := gpu.Open(options...)
	if errors.Is(err, gpu.ErrNoDevice) && session.Device == "" {
		t.Fatal("there is no GPU; gpuc tune -device cpu measures on the CPU")
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := device.Close(); err != nil {
			t.Error(err)
		}
	}()
	s, err := device.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	err = session.Count(t.Context(), func(ctx context.Context) error { return problems(ctx, s) })
	if err == nil {
		err = problems(session.With(t.Context()), s)
	}
	if err != nil {
		t.Fatal(err)
	}
}
