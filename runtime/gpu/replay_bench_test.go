package gpu_test

import (
	"context"
	"flag"
	"testing"
	"time"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/jit"
)

var replayDevice = flag.String("replay-device", "", "of BenchmarkReplay: the device, or all but interpreters")

// addSource adds 1 to each element.
const addSource = `
@group(0) @binding(0) var<storage, read_write> x : array<u32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id : vec3u) {
	if id.x < arrayLength(&x) { x[id.x]++; }
}`

// BenchmarkReplay compares launches of small kernels with replays of as many. All times are of the
// host, in microseconds for each kernel, from the first call until the work was waited for:
//
//	launch-µs   launches, then a wait
//	replay-µs   a replay, then a wait
//	stream-µs   ten replays, then a wait
//	call-µs     the call of a replay, for all its kernels
//	change-µs   a change of one launch, a replay, then a wait
//
// Kernels of a chain write what the one before has written, the others each their own buffer.
//
//	go test ./runtime/gpu -run - -bench Replay
//	CGO_ENABLED=0 go test -c -o gpu.test ./runtime/gpu   # for another machine, and there:
//	./gpu.test -test.run - -test.bench Replay -test.benchtime 200x -replay-device cuda:0
func BenchmarkReplay(b *testing.B) {
	program, err := jit.Parse("add.wgsl", addSource, codegen.Options{})
	if err != nil {
		b.Fatal(err)
	}
	infos, err := gpu.Devices()
	if err != nil {
		b.Error(err)
	}
	for _, info := range infos {
		if id := info.ID(); id != *replayDevice && (*replayDevice != "" || info.Driver == gpu.CPU && info.Index != 0) {
			continue
		}
		for _, c := range []struct {
			name    string
			words   int
			buffers int
		}{{"chain of 256", 256, 1}, {"chain of 65536", 1 << 16, 1}, {"apart", 256, replayed}} {
			b.Run(info.ID()+"/"+c.name, func(b *testing.B) { benchmarkReplay(b, program, info.ID(), c.words, c.buffers) })
		}
	}
}

// replayed is how many kernels a recording has.
const replayed = 100

func benchmarkReplay(b *testing.B, program *jit.Program, name string, words, buffers int) {
	failed := func(err error) {
		b.Helper()
		if err != nil {
			b.Fatal(err)
		}
	}
	d, err := gpu.Open(gpu.Named(name))
	failed(err)
	defer d.Close()
	s, err := d.NewStream()
	failed(err)
	k, err := program.Load(d, "main")
	failed(err)
	arguments := make([]*gpu.Args, buffers)
	for n := range arguments {
		x, err := gpu.Alloc[uint32](d, words)
		failed(err)
		arguments[n] = k.Args()
		failed(arguments[n].Set(0, x))
	}
	grid := k.Cover(uint32(words), 1, 1)
	launch := func() error {
		for n := range replayed {
			if err := s.Launch(arguments[n%buffers], grid); err != nil {
				return err
			}
		}
		return nil
	}
	var one *gpu.Captured
	r, err := s.Capture(func() error {
		err := launch()
		one = s.Captured()
		return err
	})
	failed(err)
	defer r.Close()
	wait := func() { failed(s.Wait(context.Background())) }
	change := func() error { return s.Launch(arguments[0], grid) }
	for range 3 {
		failed(launch())
		failed(r.Replay(s))
		wait()
	}
	var launching, replaying, streaming, calling, changing time.Duration
	const several = 10
	rounds := 0
	for b.Loop() {
		rounds++
		start := time.Now()
		failed(launch())
		wait()
		launching += time.Since(start)

		start = time.Now()
		failed(r.Replay(s))
		calling += time.Since(start)
		wait()
		replaying += time.Since(start)

		start = time.Now()
		for range several {
			failed(r.Replay(s))
		}
		wait()
		streaming += time.Since(start)

		start = time.Now()
		failed(one.Change(change))
		failed(r.Replay(s))
		wait()
		changing += time.Since(start)
	}
	report := func(unit string, t time.Duration, kernels int) {
		b.ReportMetric(float64(t.Nanoseconds())/1000/float64(rounds)/float64(kernels), unit)
	}
	b.ReportMetric(0, "ns/op")
	report("launch-µs", launching, replayed)
	report("replay-µs", replaying, replayed)
	report("stream-µs", streaming, several*replayed)
	report("call-µs", calling, 1)
	report("change-µs", changing, replayed)
}
