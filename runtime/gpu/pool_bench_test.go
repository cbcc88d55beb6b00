package gpu

import (
	"flag"
	"testing"
	"time"

	"github.com/gpuc/gpuc/runtime/driver"
)

var (
	traceScale  = flag.Uint64("trace-scale", 4, "of BenchmarkPool: the sizes of the traces are these times larger")
	traceDevice = flag.String("trace-device", "", "of BenchmarkPool: the device, or all but interpreters")
)

// BenchmarkPool replays traces on devices, with the pool and then with allocations of the driver.
// It reports the ratios of the times, and of the most memory reserved to the most in use. Both zero
// memory. Unused buffers are only made and freed; a stream fills used ones. The processor has no
// unused ones: memory of the system costs nothing before it is touched.
//
//	go test ./runtime/gpu -run - -bench Pool -benchtime 5x
//	go test -c -o gpu.test ./runtime/gpu   # for another machine, and there:
//	./gpu.test -test.run - -test.bench Pool -test.benchtime 5x -trace-device cuda:0
func BenchmarkPool(b *testing.B) {
	infos, err := Devices()
	if err != nil {
		b.Error(err)
	}
	for _, info := range infos {
		if id := info.ID(); id != *traceDevice && (*traceDevice != "" || info.Driver == CPU && info.Index != 0) {
			continue
		}
		for _, c := range traces {
			trace := c.trace(*traceScale)
			for _, used := range []bool{false, true} {
				if !used && info.Driver == CPU {
					continue
				}
				name := "/unused"
				if used {
					name = "/used"
				}
				b.Run(info.ID()+"/"+c.name+name, func(b *testing.B) { benchmarkPool(b, info.ID(), trace, used) })
			}
		}
	}
}

func benchmarkPool(b *testing.B, device string, trace []request, used bool) {
	d, err := Open(Named(device))
	if err != nil {
		b.Fatal(err)
	}
	defer d.Close()
	s := must(d.NewStream())
	var pooled, raw time.Duration
	for b.Loop() {
		check(b, d.Trim())
		start := time.Now()
		var from Allocator = d
		if used {
			from = s
		}
		replayUsed(b, from, s, trace, used)
		check(b, s.Wait(background))
		pooled += time.Since(start)
		check(b, d.Trim())
		start = time.Now()
		replayRaw(b, d.driver, s.stream, trace, used)
		raw += time.Since(start)
	}
	m := d.Memory()
	b.ReportMetric(float64(pooled)/float64(raw), "time-ratio")
	b.ReportMetric(float64(m.PeakReserved)/float64(m.Peak), "peak-ratio")
	b.ReportMetric(float64(pooled.Nanoseconds())/float64(b.N)/float64(len(trace)), "pool-ns/request")
	b.ReportMetric(float64(raw.Nanoseconds())/float64(b.N)/float64(len(trace)), "raw-ns/request")
}

// replayUsed is replay, and uses buffers if asked to.
func replayUsed(b *testing.B, from Allocator, s *Stream, trace []request, used bool) {
	open := make([]*Buffer[uint32], len(trace))
	for _, r := range trace {
		if r.bytes == 0 {
			check(b, open[r.id].Close())
			continue
		}
		buffer := must(Alloc[uint32](from, int(r.bytes/4)))
		if open[r.id] = buffer; used {
			check(b, s.with("fill", buffer, func() error { return s.stream.Clear(buffer.allocation.memory) }))
		}
	}
}

// replayRaw is replayUsed with the driver's allocations.
func replayRaw(b *testing.B, d driver.Device, s driver.Stream, trace []request, used bool) {
	open := make([]driver.Memory, len(trace))
	for _, r := range trace {
		if r.bytes == 0 {
			check(b, open[r.id].Free())
			continue
		}
		open[r.id] = must(d.Alloc(r.bytes))
		if used {
			check(b, s.Clear(open[r.id]))
		}
	}
	check(b, s.Wait(background))
	check(b, d.Drain())
}
