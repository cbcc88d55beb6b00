// Package vendorlib calls libraries of NVIDIA on a program's streams and buffers. So benchmarks
// compare kernels with them in the same run. cuBLAS, cuFFT and cuSOLVER are opened if they are
// there, and nvcc compiles what calls CUB and NPP.
package vendorlib

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/gpuc/gpuc/runtime/dl"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// Variable is the environment variable with the folders of the libraries, for those that the
// system's loader does not find. They are separated as in PATH.
const Variable = "GPUC_VENDOR"

// folders are where toolkits are installed.
var folders = []string{"/usr/local/cuda/lib64", "/usr/local/cuda/targets/x86_64-linux/lib"}

// open opens a library by the first of its names that is found.
func open(names ...string) (*dl.Library, error) {
	paths := slices.Clone(names)
	for _, folder := range append(filepath.SplitList(os.Getenv(Variable)), folders...) {
		for _, name := range names {
			if path := filepath.Join(folder, name); isFile(path) {
				paths = append(paths, path)
			}
		}
	}
	return dl.Open(paths...)
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// failed returns the error of a call that has a code other than 0.
func failed(what string, code uintptr) error {
	if uint32(code) == 0 {
		return nil
	}
	return fmt.Errorf("%s fails with code %d", what, int32(code))
}

// Way is something that is timed. Run enqueues it on the stream.
type Way struct {
	Name string
	Run  func() error
}

// rounds is how often each way is timed. A measurement takes the time enough, or has mostRuns runs:
// the event's resolution does not count then, and all launches have room in CUDA's queue. After the
// time long there is no other round.
const (
	rounds   = 9
	enough   = 2 * time.Millisecond
	mostRuns = 128
	long     = 20 * time.Second
)

// ballast is what a device copies before a measurement, so that it does not wait for the host,
// which takes longer than a device for small runs.
type ballast [2]*gpu.Buffer[byte]

func newBallast(s *gpu.Stream) (b ballast, err error) {
	const size = 1 << 29 // a quarter of a millisecond on a large GPU
	var errs [2]error
	for n := range b {
		b[n], errs[n] = gpu.AllocUninitialized[byte](s, size)
	}
	return b, errors.Join(errs[:]...)
}

// copy keeps the device busy while the host enqueues so many runs.
func (b ballast) copy(s *gpu.Stream, runs int) error {
	for range 1 + runs/8 {
		if err := gpu.Copy(s, b[0], b[1]); err != nil {
			return err
		}
	}
	return nil
}

func (b ballast) close() error { return errors.Join(b[0].Close(), b[1].Close()) }

// Medians times ways on a stream, alternating, and returns the median time of each run.
func Medians(ctx context.Context, s *gpu.Stream, ways ...Way) ([]time.Duration, error) {
	before, err := newBallast(s)
	if err != nil {
		return nil, err
	}
	defer before.close()
	repeats := make([]int, len(ways))
	for n, w := range ways {
		if _, err := before.timed(ctx, s, w, 1); err != nil { // it loads code, which takes long
			return nil, fmt.Errorf("%s: %w", w.Name, err)
		}
		for repeats[n] = 1; ; repeats[n] *= 2 {
			took, err := before.timed(ctx, s, w, repeats[n])
			if err != nil {
				return nil, fmt.Errorf("%s: %w", w.Name, err)
			}
			if took >= enough || repeats[n] == mostRuns {
				break
			}
		}
	}
	times, start := make([][]time.Duration, len(ways)), time.Now()
	for round := range rounds {
		if round > 0 && time.Since(start) > long {
			break
		}
		for n, w := range ways {
			took, err := before.timed(ctx, s, w, repeats[n])
			if err != nil {
				return nil, fmt.Errorf("%s: %w", w.Name, err)
			}
			times[n] = append(times[n], took/time.Duration(repeats[n]))
		}
	}
	medians := make([]time.Duration, len(ways))
	for n, list := range times {
		slices.Sort(list)
		medians[n] = list[len(list)/2]
	}
	return medians, nil
}

// timed returns how long so many runs take on the device.
func (b ballast) timed(ctx context.Context, s *gpu.Stream, w Way, repeats int) (took time.Duration, err error) {
	if err := b.copy(s, repeats); err != nil {
		return 0, err
	}
	before, err := s.Record()
	if err != nil {
		return 0, err
	}
	defer before.Close()
	for range repeats {
		if err := w.Run(); err != nil {
			return 0, err
		}
	}
	after, err := s.Record()
	if err != nil {
		return 0, err
	}
	defer after.Close()
	if err := s.Wait(ctx); err != nil {
		return 0, err
	}
	return after.Since(before)
}

// Compare times ours against the library's way, and reports the ratio: above 1 ours is faster. The
// bytes or the operations of a run are reported as rates, if they are not 0.
func Compare(b *testing.B, s *gpu.Stream, ours, theirs func() error, bytes, operations float64) {
	b.Helper()
	CompareAll(b, s, ours, []Way{{"library", theirs}}, bytes, operations)
}

// CompareAll is Compare with the library's fastest way. If there are several, the time of each is
// reported, too.
func CompareAll(b *testing.B, s *gpu.Stream, ours func() error, theirs []Way, bytes, operations float64) {
	b.Helper()
	times, err := Medians(b.Context(), s, append([]Way{{"gpuc", ours}}, theirs...)...)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() { // what is reported is measured above
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(slices.Min(times[1:]))/float64(times[0]), "of-library")
	b.ReportMetric(float64(times[0].Nanoseconds())/1e3, "µs")
	if len(theirs) > 1 {
		for k, w := range theirs {
			b.ReportMetric(float64(times[k+1].Nanoseconds())/1e3, w.Name+"-µs")
		}
	}
	if bytes > 0 {
		b.ReportMetric(bytes/times[0].Seconds()/1e9, "GB/s")
	}
	if operations > 0 {
		b.ReportMetric(operations/times[0].Seconds()/1e12, "TFLOP/s")
	}
}

// Device opens the GPU that the libraries are for, or skips.
func Device(b testing.TB) (*gpu.Device, *gpu.Stream) {
	b.Helper()
	d, err := gpu.Open(gpu.Named(gpu.CUDA))
	if errors.Is(err, gpu.ErrNoDevice) {
		b.Skip("skipped: no cuda device (it needs a GPU of NVIDIA's and its driver)")
	}
	if err != nil {
		b.Fatal(err)
	}
	s, err := d.NewStream()
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _, _ = s.Close(), d.Close() })
	return d, s
}
