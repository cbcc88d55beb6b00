package collective

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// Benchmarks of several devices. Bus bandwidths are as NCCL's tests define them (nccl-tests,
// doc/PERFORMANCE.md): the size by the time, times a factor. For n ranks that is 2(n-1)/n for
// AllReduce, and (n-1)/n for AllGather and ReduceScatter, whose size is that of all parts. It is 1
// for the others.
//
//	CGO_ENABLED=0 go test -c -ldflags='-s -w' -o collective.test ./runtime/collective
//	./collective.test -test.run '^$' -test.bench . -test.benchtime 200x
//
// That has all ranks in this process. With one process for each, all with the same number of
// repetitions and the same point to meet at:
//
//	export GPUC_RANKS=2 GPUC_MEET=file:/tmp/job
//	for r in 0 1; do GPUC_RANK=$r ./collective.test … & done; wait
var (
	benchDevice  = flag.String("device", gpu.CUDA, "the driver whose devices benchmarks use")
	benchRanks   = flag.Int("ranks", 0, "how many of them, or 0 for all")
	benchBlocks  = flag.Bool("blocking", false, "have the library's calls block (Blocking)")
	benchHost    = flag.Bool("host", false, "go through the host")
	benchLargest = flag.Int("largest", 1<<30, "the largest size in bytes")
)

// benchJob is the ranks of this process.
type benchJob struct {
	first, all int // rank, ranks
	ranks      []*Communicator
	streams    []*gpu.Stream
	devices    []*gpu.Device
}

// theBenchJob is open until the process ends: a process meets others once.
var theBenchJob *benchJob

func openBench(b *testing.B) *benchJob {
	b.Helper()
	if theBenchJob != nil {
		return theBenchJob
	}
	var list []Option
	if *benchHost {
		list = append(list, Use(Host))
	}
	if *benchBlocks {
		list = append(list, Blocking())
	}
	j := new(benchJob)
	rank, err := strconv.Atoi(os.Getenv("GPUC_RANK"))
	if err != nil { // one process
		options := []gpu.Option{gpu.Named(*benchDevice)}
		if *benchRanks > 0 {
			options = append(options, gpu.Count(*benchRanks))
		}
		g, err := gpu.OpenAll(options...)
		if errors.Is(err, gpu.ErrNoDevice) {
			b.Skipf("%v; -device and -ranks choose others", err)
		}
		if err == nil {
			j.streams, err = g.NewStreams()
		}
		if err == nil {
			j.ranks, err = Open(context.Background(), g, list...)
		}
		if err != nil {
			b.Fatal(err)
		}
		j.devices, j.all = g.Devices(), g.Len()
	} else {
		ranks, err := strconv.Atoi(os.Getenv("GPUC_RANKS"))
		var d *gpu.Device
		if err == nil {
			d, err = gpu.Open(gpu.Named(fmt.Sprint(*benchDevice, ":", rank)))
		}
		var s *gpu.Stream
		if err == nil {
			s, err = d.NewStream()
		}
		var c *Communicator
		if err == nil {
			ctx, cancel := context.WithTimeoutCause(context.Background(), 10*time.Minute, errors.New("the benchmark takes too long"))
			_ = cancel
			c, err = Meet(ctx, d, os.Getenv("GPUC_MEET"), rank, ranks, list...)
		}
		if err != nil {
			b.Fatal(err)
		}
		j = &benchJob{rank, ranks, []*Communicator{c}, []*gpu.Stream{s}, []*gpu.Device{d}}
	}
	fmt.Println("#", j.ranks[0].Explain())
	theBenchJob = j
	return j
}

func (j *benchJob) wait(b *testing.B) {
	for n, c := range j.ranks {
		if err := c.Wait(context.Background(), j.streams[n]); err != nil {
			b.Fatal(err)
		}
	}
}

// buffers gives each rank of this process a buffer.
func (j *benchJob) buffers(b *testing.B, elements int) []*gpu.Buffer[float32] {
	var list []*gpu.Buffer[float32]
	for _, d := range j.devices {
		m, err := gpu.Alloc[float32](d, elements)
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { _ = m.Close() })
		list = append(list, m)
	}
	return list
}

func sizeName(bytes int) string {
	for _, unit := range []struct {
		name  string
		bytes int
	}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}} {
		if bytes >= unit.bytes {
			return fmt.Sprint(bytes/unit.bytes, unit.name)
		}
	}
	return fmt.Sprint(bytes, "B")
}

// BenchmarkCollective repeats each operation, enqueuing all before it waits.
func BenchmarkCollective(b *testing.B) {
	j := openBench(b)
	n := float64(j.all)
	for _, o := range []struct {
		name   string
		factor float64
		src    int // parts of src and dst in the size
		dst    int
		call   func(c *Communicator, s *gpu.Stream, dst, src *gpu.Buffer[float32]) error
	}{
		{"AllReduce", 2 * (n - 1) / n, 1, 1, func(c *Communicator, s *gpu.Stream, dst, src *gpu.Buffer[float32]) error {
			return AllReduce(c, s, dst, src, Sum)
		}},
		{"AllGather", (n - 1) / n, j.all, 1, func(c *Communicator, s *gpu.Stream, dst, src *gpu.Buffer[float32]) error {
			return AllGather(c, s, dst, src)
		}},
		{"ReduceScatter", (n - 1) / n, 1, j.all, func(c *Communicator, s *gpu.Stream, dst, src *gpu.Buffer[float32]) error {
			return ReduceScatter(c, s, dst, src, Sum)
		}},
		{"Broadcast", 1, 1, 1, func(c *Communicator, s *gpu.Stream, dst, src *gpu.Buffer[float32]) error {
			return Broadcast(c, s, dst, 0)
		}},
		{"SendRecv", 1, 1, 1, func(c *Communicator, s *gpu.Stream, dst, src *gpu.Buffer[float32]) error {
			return SendRecv(c, s, dst, (c.Rank()+j.all-1)%j.all, src, (c.Rank()+1)%j.all)
		}},
	} {
		for bytes := 1 << 10; bytes <= *benchLargest; bytes *= 4 {
			b.Run(o.name+"/"+sizeName(bytes), func(b *testing.B) {
				dst, src := j.buffers(b, bytes/4/o.dst), j.buffers(b, bytes/4/o.src)
				each := func() error {
					for k, c := range j.ranks {
						if err := o.call(c, j.streams[k], dst[k], src[k]); err != nil {
							return err
						}
					}
					return nil
				}
				call := each
				if len(j.ranks) > 1 {
					call = func() error { return Group(each, j.ranks...) }
				}
				for range 5 { // as the tests of NCCL warm up
					if err := call(); err != nil {
						b.Fatal(err)
					}
				}
				j.wait(b)
				b.ResetTimer()
				for range b.N {
					if err := call(); err != nil {
						b.Fatal(err)
					}
				}
				j.wait(b)
				b.StopTimer()
				rate := float64(bytes) * float64(b.N) / b.Elapsed().Seconds() / 1e9
				b.ReportMetric(rate, "alg-GB/s")
				b.ReportMetric(rate*o.factor, "bus-GB/s")
			})
		}
	}
}

// BenchmarkCopyBetween copies from one device to another, and in both directions at once.
func BenchmarkCopyBetween(b *testing.B) {
	j := openBench(b)
	if len(j.ranks) < 2 {
		b.Skip("the copies are between two devices of one process")
	}
	path, err := j.devices[0].PathTo(j.devices[1])
	if err != nil {
		b.Fatal(err)
	}
	fmt.Println("#", path)
	back, err := j.devices[0].NewStream()
	if err != nil {
		b.Fatal(err)
	}
	there, err := j.devices[1].NewStream()
	if err != nil {
		b.Fatal(err)
	}
	for _, both := range []bool{false, true} {
		for bytes := 1 << 10; bytes <= *benchLargest; bytes *= 4 {
			b.Run(map[bool]string{false: "One", true: "Both"}[both]+"/"+sizeName(bytes), func(b *testing.B) {
				dst, src := j.buffers(b, bytes/4), j.buffers(b, bytes/4)
				call := func() {
					err := gpu.CopyBetween(j.streams[1], dst[1], j.streams[0], src[0])
					if both && err == nil {
						err = gpu.CopyBetween(back, dst[0], there, src[1])
					}
					if err != nil {
						b.Fatal(err)
					}
				}
				wait := func() {
					for _, s := range []*gpu.Stream{j.streams[0], j.streams[1], back, there} {
						if err := s.Wait(context.Background()); err != nil {
							b.Fatal(err)
						}
					}
				}
				for range 5 {
					call()
				}
				wait()
				b.ResetTimer()
				for range b.N {
					call()
				}
				wait()
				b.StopTimer()
				total := float64(bytes) * float64(b.N)
				if both {
					total *= 2
				}
				b.ReportMetric(total/b.Elapsed().Seconds()/1e9, "GB/s")
			})
		}
	}
}

// TestMain closes the communicators of benchmarks: rank 0 waits for the others.
func TestMain(m *testing.M) {
	code := m.Run()
	if j := theBenchJob; j != nil {
		for _, c := range j.ranks {
			_ = c.Close()
		}
	}
	os.Exit(code)
}
