//go:build !nodrivers && linux && amd64

package collective

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/gpuc/gpuc/internal/drivertest"
	"github.com/gpuc/gpuc/internal/standin"
	"github.com/gpuc/gpuc/runtime/dl"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// shim is the fake of HIP and RCCL (testdata/rccl.c), with the functions that only it has.
type shim struct {
	Set        uintptr `c:"hip_set"`
	Complaints uintptr `c:"hip_complaints"`
	Reset      uintptr `c:"hip_reset"`
	Fault      uintptr `c:"rccl_set"`
	Depth      uintptr `c:"rccl_depth"`
	Get        uintptr `c:"rccl_get"`
	Live       uintptr `c:"rccl_live"`
	Usual      uintptr `c:"rccl_reset"`
}

// build has the driver rocm find the library by the name of HIP's, and this package by its file.
var build = sync.OnceValues(func() (*shim, error) {
	s := new(shim)
	file, err := standin.LoadAs("libamdhip64.so.7", "testdata/rccl.c", s)
	if err != nil {
		return nil, err
	}
	return s, os.Setenv(Variable, file)
})

func (s *shim) fault(name string, value int) {
	dl.Call(s.Fault, uintptr(unsafe.Pointer(dl.CString(name))), uintptr(value))
}

// has returns what fault has set, and what the library counts.
func (s *shim) has(name string) int {
	return int(dl.Call(s.Get, uintptr(unsafe.Pointer(dl.CString(name)))))
}

// openShim returns the library, and has it without complaints at the end.
func openShim(t testing.TB) *shim {
	t.Helper()
	if standin.Compiler() == "" {
		t.Skip("skipped: there is no " + standin.Missing)
	}
	s, err := build()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if text := dl.GoString(dl.Call(s.Complaints)); text != "" {
			t.Errorf("the library complains:\n%s", text)
		}
		if live := int32(dl.Call(s.Live)); live != 0 {
			t.Errorf("%d communicators are left", live)
		}
		dl.Call(s.Reset)
		dl.Call(s.Usual)
	})
	return s
}

// rocmDevices gives a job the fake's devices.
func (j *job) rocmDevices(n int) {
	j.Helper()
	var err error
	j.group, err = gpu.OpenAll(gpu.Named(gpu.ROCm), gpu.Count(n))
	j.check(err)
	j.streams, err = j.group.NewStreams()
	j.check(err)
	j.Cleanup(func() { j.check(j.group.Close()) })
}

// openLibraryJob is openJob by the library.
func openLibraryJob(t testing.TB, n int) (*job, *shim) {
	t.Helper()
	s := openShim(t)
	j := &job{TB: t}
	j.rocmDevices(n)
	ranks, err := Open(context.Background(), j.group)
	j.check(err)
	j.own(ranks)
	if ranks[0].Transport() != RCCL || !strings.Contains(ranks[0].Explain(), "rank 0 of 3 on rocm:0: RCCL 2.28.9 (") && n == 3 {
		t.Errorf("the transport is explained by %q", ranks[0].Explain())
	}
	return j, s
}

// joinLibraryJob has ranks that meet as processes do.
func joinLibraryJob(t testing.TB, n int) (*job, *shim) {
	t.Helper()
	s := openShim(t)
	j := &job{TB: t}
	j.rocmDevices(n)
	for _, a := range j.group.Devices() { // which processes do not need
		for _, b := range j.group.Devices() {
			_, err := a.PathTo(b)
			j.check(err)
		}
	}
	root, err := NewRoot(n, Use(RCCL))
	j.check(err)
	t.Cleanup(func() { j.check(root.Close()) })
	j.ranks = make([]*Communicator, n)
	j.all(func(rank int) (err error) {
		j.ranks[rank], err = Join(context.Background(), j.group.Devices()[rank], root.ID(), rank)
		return err
	})
	j.own(j.ranks)
	return j, s
}

// TestLibrary runs all operations by the library, as those by the host.
func TestLibrary(t *testing.T) {
	for name, open := range map[string]func(testing.TB, int) (*job, *shim){"one process": openLibraryJob, "processes": joinLibraryJob} {
		for _, n := range []int{2, 3} {
			t.Run(fmt.Sprint(n, " ranks of ", name), func(t *testing.T) {
				j, _ := open(t, n)
				testReductions(j, func(r *rand.Rand) int32 { return int32(r.IntN(9) - 4) })
				testReductions(j, func(r *rand.Rand) uint8 { return uint8(r.IntN(3)) })
				testReductions(j, func(r *rand.Rand) float32 { return r.Float32() })
				testReductions(j, func(r *rand.Rand) float64 { return r.Float64() })
				testMovements(j, func(x uint32) [3]uint16 { return [3]uint16{uint16(x), uint16(x >> 16), 7} })
			})
		}
	}
}

// TestLibraryOrder: operations come behind the stream's work, and before its later work.
func TestLibraryOrder(t *testing.T) {
	j, _ := openLibraryJob(t, 3)
	n := len(j.ranks)
	a, b := upload(j, zeros[uint32](n, 64)), upload(j, zeros[uint32](n, 64))
	want := uint32(0)
	values := make([]uint32, 64)
	for round := range uint32(20) {
		want = 0
		for rank := range j.ranks {
			for i := range values {
				values[i] = round + uint32(rank)
			}
			want += values[0]
			j.check(a[rank].Write(j.streams[rank], values))
		}
		j.together(func(rank int) error { return AllReduce(j.ranks[rank], j.streams[rank], a[rank], a[rank], Sum) })
		for rank := range j.ranks {
			j.check(gpu.Copy(j.streams[rank], b[rank], a[rank]))
			j.check(a[rank].Write(j.streams[rank], make([]uint32, 64)))
		}
	}
	expect(j, "copies of sums", b, func(int) []uint32 { return slices.Repeat([]uint32{want}, 64) })
}

// TestLibraryErrors: each result of the library is an error with its name, its text and the way
// out.
func TestLibraryErrors(t *testing.T) {
	j, s := openLibraryJob(t, 2)
	buffers := upload(j, zeros[float32](2, 8))
	s.fault("operation", 2)
	err := j.ranks[0].do(&operation{kind: allReduce, scalar: float32Type, count: 8, stream: j.streams[0], dst: buffers[0], src: buffers[0]})
	var e *LibraryError
	if !errors.As(err, &e) || e.Code != 2 || e.Name != "ncclSystemError" || e.Text != "as the test asks" || !strings.HasPrefix(err.Error(), "rank 0 of 2: AllReduce: ncclSystemError: as the test asks (a call to the system failed") {
		t.Errorf("the error is %v", err)
	}
	// The other rank fails with it, as it would wait.
	<-j.ranks[1].failed
	err = AllReduce(j.ranks[1], j.streams[1], buffers[1], buffers[1], Sum)
	if !errors.Is(err, ErrRemote) || !strings.Contains(err.Error(), "rank 1 of 2: another rank has failed: rank 0: AllReduce: ncclSystemError") {
		t.Errorf("the other rank's error is %v", err)
	}
	expect(j, "afterwards", buffers, func(int) []float32 { return make([]float32, 8) })

	for name, code := range map[string]int{"init": 5, "group": 6} {
		s.fault(name, code)
		_, err := Open(t.Context(), j.group)
		if want := map[int]error{5: gpu.ErrShape, 6: ErrRemote}[code]; !errors.Is(err, want) || !errors.As(err, &e) || e.Code != code {
			t.Errorf("%s fails with %v", name, err)
		}
	}
	for code, r := range results {
		if code > 0 && (r.name == "" || strings.HasSuffix(r.advice, ".")) {
			t.Errorf("result %d is %+v", code, r)
		}
	}
	if text := (&LibraryError{Call: "x", Name: "ncclResult_t 99"}).Error(); text != "x: ncclResult_t 99" {
		t.Error(text)
	}
}

// TestLibraryAsynchronous: an error that the library meets later ends what waits for it.
func TestLibraryAsynchronous(t *testing.T) {
	for name, open := range map[string]func(testing.TB, int) (*job, *shim){"one process": openLibraryJob, "processes": joinLibraryJob} {
		t.Run(name, func(t *testing.T) {
			j, s := open(t, 2)
			buffers := upload(j, zeros[float32](2, 8))
			// The other rank does not come.
			j.check(AllReduce(j.ranks[1], j.streams[1], buffers[1], buffers[1], Sum))
			s.fault("asynchronous", 6)
			err := j.ranks[1].Wait(t.Context(), j.streams[1])
			if !errors.Is(err, ErrRemote) || !strings.Contains(err.Error(), "ncclRemoteError: remote process exited or there was a network error") {
				t.Errorf("the wait returns %v", err)
			}
			if err := j.ranks[0].Err(); !errors.Is(err, ErrRemote) {
				t.Errorf("rank 0 has %v", err)
			}
			expect(j, "afterwards", buffers, func(int) []float32 { return make([]float32, 8) })
		})
	}
}

// TestLibraryDeadline: a rank that does not come ends the wait of the others when their context
// does, and streams and devices go on.
func TestLibraryDeadline(t *testing.T) {
	j, _ := openLibraryJob(t, 3)
	buffers := upload(j, zeros[float32](3, 8))
	j.check(AllReduce(j.ranks[1], j.streams[1], buffers[1], buffers[1], Sum))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := j.ranks[1].Wait(ctx, j.streams[1])
	if !errors.Is(err, ErrAborted) || !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "its work has not finished in time") {
		t.Errorf("the wait returns %v", err)
	}
	for _, c := range j.ranks {
		<-c.failed
	}
	expect(j, "afterwards", buffers, func(int) []float32 { return make([]float32, 8) })
	again, err := Open(t.Context(), j.group)
	j.check(err)
	j.own(again)
	j.together(func(rank int) error {
		return AllReduce(again[rank], j.streams[rank], buffers[rank], buffers[rank], Max)
	})
	expect(j, "with new communicators", buffers, func(int) []float32 { return make([]float32, 8) })
}

// TestLibraryGroups: a function that fails or panics leaves no group of the library open.
func TestLibraryGroups(t *testing.T) {
	for _, panics := range []bool{false, true} {
		t.Run(fmt.Sprint("panics: ", panics), func(t *testing.T) {
			j, s := openLibraryJob(t, 2)
			buffers := upload(j, zeros[float32](2, 8))
			failure := errors.New("theirs")
			call := func() (err error) {
				defer func() {
					if r := recover(); r != nil {
						err = r.(error)
					}
				}()
				return Group(func() error {
					if err := AllReduce(j.ranks[0], j.streams[0], buffers[0], buffers[0], Sum); err != nil {
						return err
					}
					if panics {
						panic(failure)
					}
					return failure
				}, j.ranks...)
			}
			if err := call(); !errors.Is(err, failure) {
				t.Errorf("the group returns %v", err)
			}
			if depth := dl.Call(s.Depth); int32(depth) != 0 {
				t.Errorf("%d groups are open", int32(depth))
			}
			for _, c := range j.ranks {
				if err := c.Err(); !errors.Is(err, ErrAborted) && !errors.Is(err, ErrRemote) {
					t.Errorf("a rank has %v", err)
				}
			}
			expect(j, "afterwards", buffers, func(int) []float32 { return make([]float32, 8) })
		})
	}
}

// TestLibraryAllocates nothing once operations have run.
func TestLibraryAllocates(t *testing.T) {
	if drivertest.RaceEnabled {
		t.Skip("skipped: the race detector allocates; this runs without -race")
	}
	j, _ := openLibraryJob(t, 2)
	buffers, parts := upload(j, zeros[float32](2, 1000)), upload(j, zeros[float32](2, 500))
	call := func() error {
		for rank, c := range j.ranks {
			s, b, p := j.streams[rank], buffers[rank], parts[rank]
			if err := errors.Join(AllReduce(c, s, b, b, Sum), ReduceScatter(c, s, p, b, Sum), AllGather(c, s, b, p), Broadcast(c, s, b, 1), SendRecv(c, s, p, 1-rank, p, 1-rank)); err != nil {
				return err
			}
		}
		return nil
	}
	if n := testing.AllocsPerRun(50, func() { j.check(Group(call, j.ranks...)) }); n > 0 {
		t.Errorf("operations of two ranks allocate %v times", n)
	}
	for n, c := range j.ranks {
		j.check(c.Wait(t.Context(), j.streams[n]))
	}
	// and so do copies between devices
	if n := testing.AllocsPerRun(50, func() {
		j.check(gpu.CopyBetween(j.streams[1], buffers[1], j.streams[0], buffers[0]))
	}); n > 0 {
		t.Errorf("a copy between devices allocates %v times", n)
	}
}

// TestCopyBetween copies between the fake's devices, whose streams run as late as they may, and
// which judges each call.
func TestCopyBetween(t *testing.T) {
	for _, peers := range []int{1, 0} {
		t.Run(fmt.Sprint("peers: ", peers), func(t *testing.T) {
			s := openShim(t)
			dl.Call(s.Set, uintptr(unsafe.Pointer(dl.CString("peers"))), uintptr(peers))
			t.Cleanup(func() { dl.Call(s.Set, uintptr(unsafe.Pointer(dl.CString("peers"))), 1) })
			j := &job{TB: t}
			j.rocmDevices(3)
			devices := j.group.Devices()
			if path, err := devices[0].PathTo(devices[1]); err != nil || path != map[int]gpu.Path{1: gpu.PeerPath, 0: gpu.DriverPath}[peers] {
				t.Errorf("the path is %v, %v", path, err)
			}
			r := rand.New(rand.NewPCG(3, uint64(peers)))
			const length = 512
			a, want := upload(j, zeros[uint32](3, length)), zeros[uint32](3, length)
			next := uint32(0)
			for range 200 {
				to, from := r.IntN(3), r.IntN(3)
				if to == from {
					for i := range want[to] {
						next++
						want[to][i] = next
					}
					j.check(a[to].Write(j.streams[to], want[to]))
					continue
				}
				j.check(gpu.CopyBetween(j.streams[to], a[to], j.streams[from], a[from]))
				copy(want[to], want[from])
			}
			expect(j, "after copies", a, func(rank int) []uint32 { return want[rank] })
		})
	}
}
