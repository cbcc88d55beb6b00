package gpu

import (
	"flag"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/gpuc/gpuc/runtime/driver"
)

var (
	transferDevice = flag.String("transfer-device", "", "of BenchmarkTransfers: the device, or all but interpreters")
	transferMost   = flag.Uint64("transfer-most", 1<<30, "of BenchmarkTransfers: the largest size in bytes")
)

// BenchmarkTransfers measures copies between host and device, in 10⁹ bytes a second: the median,
// and the fastest. Sizes are 4 KiB to 1 GiB, each four times the one before.
//
//	slice    Write and a wait, or Read, of an ordinary slice
//	fresh    Read into a slice that nothing has used, whose pages the system provides meanwhile
//	pinned   WriteAsync and ReadAsync of a host buffer, with a wait
//	async    ReadAsync into an ordinary slice, with a wait
//	limit    the driver's copy of pinned memory, with a wait
//
// For another machine:
//
//	CGO_ENABLED=0 go test -c -ldflags="-s -w" -o gpu.test ./runtime/gpu
//	./gpu.test -test.run - -test.bench Transfers -test.benchtime 20x -transfer-device cuda:0
func BenchmarkTransfers(b *testing.B) {
	infos, err := Devices()
	if err != nil {
		b.Error(err)
	}
	for _, info := range infos {
		if id := info.ID(); id != *transferDevice && (*transferDevice != "" || info.Driver == CPU && info.Index != 0) {
			continue
		}
		for size := uint64(4 << 10); size <= min(*transferMost, info.MaxBufferBytes, 1<<30); size *= 4 {
			for _, w := range transferWays {
				b.Run(fmt.Sprintf("%s/%dKiB/%s", info.ID(), size>>10, w.name), func(b *testing.B) { benchmarkTransfer(b, info.ID(), int(size), w.prepare) })
			}
		}
	}
}

// transferBench is what a copy needs.
type transferBench struct {
	*testing.B
	device *Device
	stream *Stream
	buffer *Buffer[byte]
	bytes  int
}

// host returns a slice whose pages have been written.
func (t *transferBench) host() []byte {
	host := make([]byte, t.bytes)
	for i := range host {
		host[i] = byte(i)
	}
	return host
}

func (t *transferBench) hostBuffer() *HostBuffer[byte] {
	h := must(AllocHost[byte](t.device, t.bytes))
	t.Cleanup(func() { h.Close() })
	return h
}

func (t *transferBench) pinned() driver.HostMemory {
	m := must(t.device.driver.NewHostMemory(uint64(t.bytes)))
	t.Cleanup(func() { m.Free() })
	return m
}

var transferWays = []struct {
	name    string
	prepare func(t *transferBench) func() error
}{
	{"up/slice", func(t *transferBench) func() error {
		host := t.host()
		return func() error { return join(t.buffer.Write(t.stream, host), t.stream.Wait(background)) }
	}},
	{"up/pinned", func(t *transferBench) func() error {
		h := t.hostBuffer()
		return func() error { return must(t.buffer.WriteAsync(t.stream, h.Data())).Wait(background) }
	}},
	{"up/limit", func(t *transferBench) func() error {
		m, s := t.pinned(), t.stream.stream
		return func() error { return join(s.WriteFrom(t.buffer.part(), m, 0), s.Wait(background)) }
	}},
	{"down/slice", func(t *transferBench) func() error {
		host := t.host()
		return func() error { return t.buffer.Read(background, t.stream, host) }
	}},
	{"down/fresh", func(t *transferBench) func() error {
		return func() error {
			t.StopTimer()
			host := make([]byte, t.bytes)
			t.StartTimer()
			return t.buffer.Read(background, t.stream, host)
		}
	}},
	{"down/pinned", func(t *transferBench) func() error {
		h := t.hostBuffer()
		return func() error { return must(t.buffer.ReadAsync(t.stream, h.Data())).Wait(background) }
	}},
	{"down/async", func(t *transferBench) func() error {
		host := t.host()
		return func() error { return must(t.buffer.ReadAsync(t.stream, host)).Wait(background) }
	}},
	{"down/limit", func(t *transferBench) func() error {
		m, s := t.pinned(), t.stream.stream
		return func() error { return join(s.ReadTo(m, 0, t.buffer.part()), s.Wait(background)) }
	}},
}

func benchmarkTransfer(b *testing.B, device string, bytes int, prepare func(*transferBench) func() error) {
	d := must(Open(Named(device)))
	b.Cleanup(func() { check(b, d.Close()) })
	t := &transferBench{B: b, device: d, stream: must(d.NewStream()), buffer: must(Alloc[byte](d, bytes)), bytes: bytes}
	copyOnce := prepare(t)
	for range 3 { // what is made for the first copies is kept
		check(b, copyOnce())
	}
	var times []time.Duration
	for b.Loop() {
		before := b.Elapsed()
		check(b, copyOnce())
		times = append(times, b.Elapsed()-before)
	}
	slices.Sort(times)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(bytes)/float64(times[len(times)/2]), "GB/s")
	b.ReportMetric(float64(bytes)/float64(times[0]), "GB/s-best")
}
