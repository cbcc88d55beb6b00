package collective

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// joinJob is openJob with ranks that meet as processes do.
func joinJob(t testing.TB, n int, list ...Option) *job {
	t.Helper()
	j := &job{TB: t}
	j.devices(n)
	root, err := NewRoot(n, list...)
	j.check(err)
	t.Cleanup(func() { j.check(root.Close()) })
	ranks := make([]*Communicator, n)
	j.ranks = ranks
	j.all(func(rank int) (err error) {
		ranks[rank], err = Join(t.Context(), j.group.Devices()[rank], root.ID(), rank, list...)
		return err
	})
	j.own(ranks)
	return j
}

// ranksOf starts processes of this test binary, which run TestProcess as ranks, and returns what
// each prints and how it ends.
func ranksOf(t *testing.T, n int, what, point string, environment ...string) (output []string, failures []error) {
	t.Helper()
	output, failures = make([]string, n), make([]error, n)
	ctx, cancel := context.WithTimeout(t.Context(), 2*processTime)
	defer cancel()
	var group sync.WaitGroup
	for rank := range n {
		group.Go(func() {
			c := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestProcess$", "-test.count=1")
			c.Env = append(os.Environ(), append(environment, "GPUC_TEST_RANK="+strconv.Itoa(rank), "GPUC_TEST_RANKS="+strconv.Itoa(n), "GPUC_TEST_DOES="+what, "GPUC_TEST_POINT="+point)...)
			out, err := c.CombinedOutput()
			output[rank], failures[rank] = string(out), err
		})
	}
	group.Wait()
	return output, failures
}

// processTime bounds a rank's part, which takes a second, and some more where the ranks are GPUs.
// The process is killed after twice that.
const processTime = time.Minute

// TestProcess is a rank that ranksOf has started.
func TestProcess(t *testing.T) {
	rank, err := strconv.Atoi(os.Getenv("GPUC_TEST_RANK"))
	if err != nil {
		return // it is the process that starts the ranks
	}
	ranks, err := strconv.Atoi(os.Getenv("GPUC_TEST_RANKS"))
	failed := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	failed(err)
	ctx, cancel := context.WithTimeout(t.Context(), processTime)
	defer cancel()
	name := gpu.CPU
	if driver := os.Getenv("GPUC_TEST_DRIVER"); driver != "" {
		name = fmt.Sprint(driver, ":", rank)
	}
	d, err := gpu.Open(gpu.Named(name))
	failed(err)
	defer d.Close()
	s, err := d.NewStream()
	failed(err)
	c, err := Meet(ctx, d, os.Getenv("GPUC_TEST_POINT"), rank, ranks)
	failed(err)
	fmt.Println(c.Explain())
	n := testmode.Count(1<<20+5, 1<<20+5, 3<<20) // so that there are several pieces
	values := make([]float32, n)
	for i := range values {
		values[i] = float32(i%1000) + float32(rank)/3
	}
	b, err := gpu.Upload(ctx, d, values)
	failed(err)
	failed(AllReduce(c, s, b, b, Sum))
	failed(b.Read(ctx, s, values))
	for i, v := range values {
		want := float32(i % 1000)
		for other := 1; other < ranks; other++ {
			want += float32(i%1000) + float32(other)/3
		}
		if v != want {
			t.Fatalf("element %d is %v, want %v", i, v, want)
		}
	}
	if os.Getenv("GPUC_TEST_DOES") == "die" {
		if rank == 1 {
			os.Exit(7) // as if it was killed
		}
		err := AllReduce(c, s, b, b, Sum)
		if err == nil {
			err = c.Wait(ctx, s)
		}
		fmt.Println("the error is", err)
		if !errors.Is(err, ErrRemote) {
			t.Errorf("the error is not ErrRemote: %v", err)
		}
		failed(b.Read(ctx, s, values)) // the device goes on
	}
	failed(c.Close())
	fmt.Printf("rank %d has finished\n", rank)
}

// TestProcesses has ranks meet in each way.
func TestProcesses(t *testing.T) {
	t.Parallel()
	n := testmode.Count(2, 2, 3)
	root, err := NewRoot(n)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = free.Close()
	for name, c := range map[string]struct{ point, environment string }{
		"file":        {"file:" + filepath.Join(t.TempDir(), "job"), ""},
		"address":     {"tcp:" + free.Addr().String(), ""},
		"environment": {"env:GPUC_TEST_ID", "GPUC_TEST_ID=" + string(root.ID())},
	} {
		t.Run(name, func(t *testing.T) {
			output, failures := ranksOf(t, n, "", c.point, c.environment)
			for rank, err := range failures {
				if err != nil || !strings.Contains(output[rank], fmt.Sprintf("rank %d has finished", rank)) {
					t.Errorf("rank %d: %v\n%s", rank, err, output[rank])
				}
			}
		})
	}
}

// TestProcessDies: the end of a process is an error of the other ranks, which says so.
func TestProcessDies(t *testing.T) {
	t.Parallel()
	output, failures := ranksOf(t, 3, "die", "file:"+filepath.Join(t.TempDir(), "job"))
	for rank, err := range failures {
		if rank == 1 {
			continue
		}
		if err != nil || !strings.Contains(output[rank], "rank 1: its process has ended") && !strings.Contains(output[rank], "rank 1 has ended") {
			t.Errorf("rank %d: %v\n%s", rank, err, output[rank])
		}
	}
}

// TestMeetErrors: what is wrong is said before anything waits.
func TestMeetErrors(t *testing.T) {
	j := &job{TB: t}
	j.devices(1)
	d := j.group.Devices()[0]
	old := filepath.Join(t.TempDir(), "old")
	j.check(os.WriteFile(old, []byte("x\n"), 0o600))
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for name, c := range map[string]struct {
		ctx         context.Context
		point       string
		rank, ranks int
		want        string
	}{
		"no way":         {t.Context(), "smoke:signals", 0, 2, "is none of file:PATH, tcp:HOST:PORT and env:NAME"},
		"no path":        {t.Context(), "file:", 0, 2, "is none of"},
		"a rank":         {t.Context(), "file:x", 2, 2, "rank 2 of 2"},
		"no variable":    {t.Context(), "env:GPUC_TEST_NONE", 0, 1, "GPUC_TEST_NONE is not set"},
		"an old file":    {t.Context(), "file:" + old, 0, 1, "a file of an earlier job is removed before"},
		"what it has":    {t.Context(), "file:" + old, 1, 2, "NewRoot makes it, in the same version"},
		"no rank 0":      {ended, "file:" + old + ".none", 1, 2, "wait for rank 0: context canceled"},
		"no other rank":  {ended, "file:" + old + ".new", 0, 2, "context canceled"},
		"no such folder": {t.Context(), "file:/nonexistent/job", 0, 1, "no such file"},
	} {
		_, err := Meet(c.ctx, d, c.point, c.rank, c.ranks)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	root, err := NewRoot(2)
	j.check(err)
	defer root.Close()
	for name, id := range map[string]ID{
		"no parts": "x", "another version": "gpuc0" + root.ID()[5:], "a transport": ID(strings.Replace(string(root.ID()), "host", "auto", 1)),
		"ranks": ID(strings.Replace(string(root.ID()), "/2/", "/0/", 1)), "a token": root.ID()[:len(root.ID())-3] + "/-",
		"no identifier": ID(strings.Replace(string(root.ID()), "host", "NCCL", 1)),
	} {
		if _, err := Join(t.Context(), d, id, 0); !errors.Is(err, gpu.ErrShape) {
			t.Errorf("an ID with %s: %v", name, err)
		}
	}
	// Of two that join as one rank, one is told so, and the other waits.
	ctx, stop := context.WithCancel(t.Context())
	results := make(chan error)
	for range 2 {
		go func() {
			_, err := Join(ctx, d, root.ID(), 0)
			results <- err
		}()
	}
	if err := <-results; err == nil || !strings.Contains(err.Error(), "another process has joined as rank 0") {
		t.Errorf("joining twice: %v", err)
	}
	stop()
	if err := <-results; !errors.Is(err, context.Canceled) {
		t.Errorf("the one that waits: %v", err)
	}
	// Its end is that of the job.
	if _, err := Join(t.Context(), d, root.ID(), 1); !errors.Is(err, ErrRemote) {
		t.Errorf("after that: %v", err)
	}
}

// gpusTime bounds each part of TestGPUs, which takes seconds. Its end aborts the communicators, and
// with them what waits.
const gpusTime = 2 * time.Minute

// TestGPUs runs the operations on all GPUs of CUDA, in one process and in one for each, has a rank
// not come, and has a process die.
func TestGPUs(t *testing.T) {
	g, err := gpu.OpenAll(gpu.Named(gpu.CUDA))
	if err != nil || g.Len() < 2 {
		t.Skipf("skipped: there are no two GPUs: %v", err)
	}
	streams, err := g.NewStreams()
	if err != nil {
		t.Fatal(err)
	}
	// in runs a part with communicators that its context bounds.
	in := func(name string, limit time.Duration, f func(ctx context.Context, j *job), list ...Option) {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), limit)
			defer cancel()
			j := &job{TB: t, group: g, streams: streams}
			ranks, err := Open(ctx, g, list...)
			j.check(err)
			j.own(ranks)
			t.Log(ranks[0].Explain())
			f(ctx, j)
		})
	}
	operations := func(_ context.Context, j *job) {
		// Only sums of integers do not depend on the order.
		testReductions(j, func(r *rand.Rand) int32 { return int32(r.IntN(9) - 4) })
		testReductions(j, func(r *rand.Rand) uint64 { return uint64(r.IntN(9)) })
		testReductions(j, func(r *rand.Rand) float64 { return float64(r.IntN(9) - 4) })
		testMovements(j, func(x uint32) [3]uint16 { return [3]uint16{uint16(x), uint16(x >> 16), 7} })
	}
	in("one process", gpusTime, operations)
	in("blocking", gpusTime, operations, Blocking())
	in("host", gpusTime, operations, Use(Host))
	// The first operation connects the ranks, and one after that does not.
	for _, connected := range []bool{false, true} {
		in(fmt.Sprint("a rank that does not come, connected: ", connected), gpusTime, func(ctx context.Context, j *job) {
			b := upload(j, zeros[float32](len(j.ranks), 1<<20))
			call := func(rank int) error {
				return AllReduce(j.ranks[rank], j.streams[rank], b[rank], b[rank], Sum)
			}
			if connected {
				j.together(call)
				for rank, c := range j.ranks {
					j.check(c.Wait(ctx, j.streams[rank]))
				}
			}
			late, cancel := context.WithTimeout(ctx, time.Second)
			defer cancel()
			defer context.AfterFunc(late, func() { _ = j.ranks[0].Abort() })()
			err := call(0)
			if err == nil {
				err = j.ranks[0].Wait(late, j.streams[0])
			}
			if !errors.Is(err, ErrAborted) {
				j.Errorf("the operation and the wait return %v", err)
			}
			j.Log(err)
			for _, c := range j.ranks {
				<-c.failed
				j.check(c.Close())
			}
			expect(j, "afterwards", b, func(int) []float32 { return make([]float32, 1<<20) })
			again, err := Open(ctx, g)
			j.check(err)
			j.own(again)
			j.together(call)
			expect(j, "with new communicators", b, func(int) []float32 { return make([]float32, 1<<20) })
		})
	}
	if err := g.Close(); err != nil {
		t.Error(err)
	}
	for name, does := range map[string]string{"processes": "", "die": "die"} {
		t.Run(name, func(t *testing.T) {
			output, failures := ranksOf(t, 2, does, "file:"+filepath.Join(t.TempDir(), "job"), "GPUC_TEST_DRIVER="+gpu.CUDA)
			for rank, err := range failures {
				if does == "" && err != nil || does == "die" && rank == 0 && (err != nil || !strings.Contains(output[0], "rank 1")) {
					t.Errorf("rank %d of processes: %v\n%s", rank, err, output[rank])
				}
				t.Log(output[rank])
			}
		})
	}
}
