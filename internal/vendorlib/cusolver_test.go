//go:build !nodrivers && linux && amd64

package vendorlib

import (
	"slices"
	"testing"

	"github.com/gpuc/gpuc/internal/standin"
	"github.com/gpuc/gpuc/runtime/dl"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// TestSolver calls an imitation of cuSOLVER (testdata/cusolver.c), which judges arguments by the
// prototypes of the library's, on an imitated device.
func TestSolver(t *testing.T) {
	if standin.Compiler() == "" {
		t.Skip("skipped: there is no " + standin.Missing)
	}
	var hip struct {
		Complaints uintptr `c:"hip_complaints"`
	}
	if _, err := standin.LoadAs("libamdhip64.so.7", "../../runtime/driver/rocm/testdata/shim.c", &hip); err != nil {
		t.Fatal(err)
	}
	if _, err := standin.LoadAs("libcusolver.so.12", "testdata/cusolver.c", &struct{}{}); err != nil {
		t.Fatal(err)
	}
	d, err := gpu.Open(gpu.Named(gpu.ROCm))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	s, err := d.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	v, err := OpenSolver(s)
	if err != nil {
		t.Fatal(err)
	}
	for _, list := range []struct {
		routines []Routine
		count    int
		want     [6]int // the last elements of the operands and of info
	}{
		{SVDs, 1, [6]int{1, 2, 3, 4, 0, 6}}, {SVDBatches, 3, [6]int{1, 2, 3, 4, 0, 6}},
		{Eigens, 1, [6]int{1, 2, 0, 0, 0, 6}}, {EigenBatches, 3, [6]int{1, 2, 0, 0, 0, 6}},
		{QRs, 1, [6]int{1, 0, 0, 0, 5, 6}},
	} {
		for _, r := range list.routines {
			if !v.Has(r) {
				t.Errorf("there is no %s", r.Name)
			}
			solve[float32](t, s, v, r, F32, list.count, list.want)
			solve[float64](t, s, v, r, F64, list.count, list.want)
		}
	}
	if v.difference != 0.5 {
		t.Errorf("gesvdp has written %v", v.difference)
	}
	if err := v.Close(); err != nil {
		t.Error(err)
	}
	if v.Has(Routine{Name: "gesvdr"}) {
		t.Error("there is a function that the imitation has not")
	}
	if text := dl.GoString(dl.Call(hip.Complaints)); text != "" {
		t.Errorf("the library complains:\n%s", text)
	}
}

// solve calls a routine, and compares the last elements of all operands.
func solve[T float32 | float64](t *testing.T, s *gpu.Stream, v *Solver, r Routine, kind Kind, count int, want [6]int) {
	t.Helper()
	const n = 6
	var buffers [5]*gpu.Buffer[T]
	for k, length := range [...]int{n * n, n, n * n, n * n, n} {
		b, err := gpu.Alloc[T](s, length*count)
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		buffers[k] = b
	}
	info, err := gpu.Alloc[int32](s, count)
	if err != nil {
		t.Fatal(err)
	}
	defer info.Close()
	if err := s.Wait(t.Context()); err != nil { // the imitation writes at once
		t.Fatal(err)
	}
	run, closeWork, err := v.Prepare(r, &Decomposition{Kind: kind, N: n, Count: count, A: buffers[0], Values: buffers[1], U: buffers[2], V: buffers[3], Tau: buffers[4], Info: info})
	if err != nil {
		t.Errorf("%s, type %d: %v", r.Name, kind, err)
		return
	}
	defer closeWork()
	if err := run(); err != nil {
		t.Errorf("%s, type %d: %v", r.Name, kind, err)
		return
	}
	var got []int
	for _, b := range buffers {
		host := make([]T, b.Len())
		if err := b.Read(t.Context(), s, host); err != nil {
			t.Fatal(err)
		}
		got = append(got, int(host[len(host)-1]))
	}
	failed := make([]int32, count)
	if err := info.Read(t.Context(), s, failed); err != nil {
		t.Fatal(err)
	}
	if got = append(got, int(failed[count-1])); !slices.Equal(got, want[:]) {
		t.Errorf("%s, type %d: the last elements are %d, want %d", r.Name, kind, got, want)
	}
}
