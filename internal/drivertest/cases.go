// What every driver must do.

package drivertest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/driver"
)

// sequence returns 0, 1, 2 and so on: small integers, so sums are exact.
func sequence(n int) []float32 {
	values := make([]float32, n)
	for i := range values {
		values[i] = float32(i % 1000)
	}
	return values
}

func writeAndRead(f *Fixture) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, size := range []int{1, 2, 3, 4, 7, 1000, 64 << 10, 64<<10 + 4, 64<<10 + 5, 5 << 20, 20<<20 + 12, 20<<20 + 15} {
		want := make([]byte, size)
		for i := range want {
			want[i] = byte(random.Uint32())
		}
		whole := (size + 11) &^ 3
		m := f.Alloc(whole)
		part := driver.Slice{Memory: m, Offset: 4, Bytes: uint64(size)}
		f.Check(f.Stream.Write(part, want))
		got := make([]byte, whole)
		f.Check(f.Stream.Read(got, Whole(m)))
		if string(got[4:size+4]) != string(want) {
			f.Errorf("%d bytes came back changed", size)
		}
		if string(got[:4]) != "\x00\x00\x00\x00" || strings.Trim(string(got[size+4:]), "\x00") != "" {
			f.Errorf("%d bytes: the write reached its neighbours", size)
		}
		f.Check(m.Free())
	}
}

func copies(f *Fixture) {
	from, to := f.Upload(sequence(1000)), f.Alloc(4000)
	f.Check(f.Stream.Copy(driver.Slice{Memory: to, Offset: 400, Bytes: 400}, driver.Slice{Memory: from, Offset: 0, Bytes: 400}))
	f.Check(f.Stream.Copy(driver.Slice{Memory: to, Offset: 800, Bytes: 400}, driver.Slice{Memory: to, Offset: 400, Bytes: 400}))
	for i, v := range f.Read(to) {
		want := float32(0)
		if i >= 100 && i < 300 {
			want = float32(i % 100)
		}
		if v != want {
			f.Fatalf("element %d: got %v, want %v", i, v, want)
		}
	}
	overlapping := driver.Slice{Memory: to, Offset: 4, Bytes: 400}
	if err := f.Stream.Copy(Whole(to), overlapping); err == nil {
		f.Error("a copy between slices of unequal size was accepted")
	}
	if err := f.Stream.Copy(driver.Slice{Memory: to, Bytes: 400}, overlapping); err == nil {
		f.Error("a copy between overlapping slices was accepted")
	}
}

// allocIsZero frees memory that is not zero, and expects zeros when it is allocated again.
func allocIsZero(f *Fixture) {
	for round := range 20 {
		m := f.Alloc(4096 + 4*round)
		for i, v := range f.Read(m) {
			if v != 0 {
				f.Fatalf("round %d: element %d is %v", round, i, v)
			}
		}
		ones := make([]float32, m.Bytes()/4)
		for i := range ones {
			ones[i] = 1
		}
		f.Check(f.Stream.Write(Whole(m), Bytes(ones)))
		f.Check(m.Free())
		f.Check(m.Free()) // twice is no error
	}
}

func launches(f *Fixture) {
	k := f.Kernel
	for _, n := range []int{1, 63, 64, 65, 1000} {
		x, y := sequence(n), sequence(n)
		a := []float32{0.5}
		mx, my, ma := f.Upload(x), f.Upload(y), f.Upload(a)
		f.Check(f.Stream.Launch(Launch(k, mx, my, ma)))
		for i, v := range f.Read(my) {
			if want := a[0]*x[i] + y[i]; v != want {
				f.Fatalf("n=%d: element %d: got %v, want %v", n, i, v, want)
			}
		}
	}
}

// launchSlice binds parts of an allocation; the rest must not change.
func launchSlice(f *Fixture) {
	k := f.Kernel
	alignment := int(f.Device.Info().OffsetAlignment)
	const n = 100
	m, one := f.Upload(sequence((alignment*4+n*4)/4)), f.Upload([]float32{1})
	x := f.Upload(sequence(n))
	part := driver.Slice{Memory: m, Offset: uint64(alignment), Bytes: n * 4}
	l := &driver.Launch{Kernel: k, Bindings: []driver.Slice{Whole(x), part, Whole(one)}, Grid: [3]uint32{5, 1, 1}}
	f.Check(f.Stream.Launch(l))
	for i, v := range f.Read(m) {
		want := float32(i)
		if j := i - alignment/4; j >= 0 && j < n {
			want += float32(j)
		}
		if v != want {
			f.Fatalf("element %d: got %v, want %v", i, v, want)
		}
	}
}

// chain enqueues launches that each depend on the previous one, in several batches. It alternates
// buffers so that cached descriptor sets change.
func chain(f *Fixture) {
	k, other := f.Kernel, f.Kernel
	const n, rounds = 257, 150
	var chain []driver.Memory
	for range 11 {
		chain = append(chain, f.Alloc(n*4))
	}
	ones := make([]float32, n)
	for i := range ones {
		ones[i] = 1
	}
	f.Check(f.Stream.Write(Whole(chain[0]), Bytes(ones)))
	one := f.Upload([]float32{1})
	want := make([]float64, len(chain))
	want[0] = 1
	random := rand.New(rand.NewPCG(3, 4))
	for round := range rounds {
		from := random.IntN(len(chain))
		to := (from + 1 + random.IntN(len(chain)-1)) % len(chain)
		if want[to]+want[from] > 1<<20 { // stay exact: start over
			zero := f.Alloc(n * 4)
			f.Check(f.Stream.Copy(Whole(chain[to]), Whole(zero)))
			f.Check(zero.Free())
			want[to] = 0
		}
		kernels := []driver.Kernel{k, other}
		f.Check(f.Stream.Launch(Launch(kernels[round%2], chain[from], chain[to], one)))
		want[to] += want[from]
	}
	for i, m := range chain {
		for j, v := range f.Read(m) {
			if float64(v) != want[i] {
				f.Fatalf("buffer %d element %d: got %v, want %v", i, j, v, want[i])
			}
		}
	}
}

// readThenWrite overwrites memory that an earlier command reads.
func readThenWrite(f *Fixture) {
	k := f.Kernel
	x, y, one := f.Upload(sequence(5000)), f.Alloc(20000), f.Upload([]float32{1})
	for range 10 {
		f.Check(f.Stream.Launch(Launch(k, x, y, one)))
		f.Check(f.Stream.Write(Whole(x), Bytes(make([]float32, 5000))))
		f.Check(f.Stream.Copy(Whole(x), Whole(y)))
	}
	for i, v := range f.Read(y) {
		if want := float32(i%1000) * 512; v != want {
			f.Fatalf("element %d: got %v, want %v", i, v, want)
		}
	}
}

func events(f *Fixture) {
	k := f.Kernel
	x, y, one := f.Upload(sequence(1<<16)), f.Alloc(4<<16), f.Upload([]float32{1})
	start, err := f.Stream.Record()
	f.Check(err)
	for range 20 {
		f.Check(f.Stream.Launch(Launch(k, x, y, one)))
	}
	end, err := f.Stream.Record()
	f.Check(err)
	f.Check(end.Wait(context.Background()))
	for _, e := range []driver.Event{start, end} {
		if done, err := e.Done(); !done || err != nil {
			f.Errorf("after the wait: done %v, error %v", done, err)
		}
	}
	elapsed, err := end.Since(start)
	if err != nil && !errors.Is(err, driver.ErrUnsupported) {
		f.Fatal(err)
	}
	if err == nil && (elapsed <= 0 || elapsed > time.Minute) {
		f.Errorf("20 launches took %v", elapsed)
	}
	f.Check(start.Close())
	f.Check(end.Close())
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for range 100 {
		f.Check(f.Stream.Launch(Launch(k, x, y, one)))
	}
	if err := f.Stream.Wait(ctx); err != nil && !errors.Is(err, context.Canceled) {
		f.Errorf("a wait with an ended context: %v", err)
	}
	f.Check(f.Stream.Wait(context.Background()))
	if got := f.Read(y)[7]; got != 7*120 {
		f.Errorf("work was lost with its wait: got %v, want %v", got, 7*120)
	}
}

// freeInFlight frees memory that recorded work still uses, and allocates more at once, which must
// not have the same address.
func freeInFlight(f *Fixture) {
	k := f.Kernel
	one := f.Upload([]float32{1})
	y := f.Alloc(4 * 4096)
	for range 50 {
		x := f.Upload(sequence(4096))
		f.Check(f.Stream.Launch(Launch(k, x, y, one)))
		f.Check(x.Free())
		f.Alloc(4 * 4096)
	}
	for i, v := range f.Read(y) {
		if want := 50 * float32(i%1000); v != want {
			f.Fatalf("element %d: got %v, want %v", i, v, want)
		}
	}
}

func refusals(f *Fixture) {
	k := f.Kernel
	x, y, one := f.Alloc(400), f.Alloc(400), f.Upload([]float32{1})
	good := Launch(k, x, y, one)
	edit := func(change func(l *driver.Launch)) *driver.Launch {
		l := *good
		l.Bindings = append([]driver.Slice{}, good.Bindings...)
		change(&l)
		return &l
	}
	info := f.Device.Info()
	freed := f.Alloc(400)
	f.Check(freed.Free())
	for name, c := range map[string]struct {
		launch *driver.Launch
		want   error
	}{
		"too few bindings": {edit(func(l *driver.Launch) { l.Bindings = l.Bindings[:2] }), driver.ErrUnsupported},
		"past the end":     {edit(func(l *driver.Launch) { l.Bindings[1].Bytes += 4 }), driver.ErrUnsupported},
		"empty":            {edit(func(l *driver.Launch) { l.Bindings[1].Bytes = 0 }), driver.ErrUnsupported},
		"half a word":      {edit(func(l *driver.Launch) { l.Bindings[1].Offset, l.Bindings[1].Bytes = 2, 8 }), driver.ErrUnsupported},
		"odd offset":       {edit(func(l *driver.Launch) { l.Bindings[1].Offset, l.Bindings[1].Bytes = 4, 8 }), driver.ErrUnsupported},
		"grid too large":   {edit(func(l *driver.Launch) { l.Grid[1] = info.MaxGrid[1] + 1 }), driver.ErrUnsupported},
		"immediates":       {edit(func(l *driver.Launch) { l.Immediates = make([]byte, 4) }), driver.ErrUnsupported},
		"freed memory":     {edit(func(l *driver.Launch) { l.Bindings[0] = Whole(freed) }), driver.ErrClosed},
	} {
		if name == "odd offset" && info.OffsetAlignment == 4 {
			continue
		}
		if err := f.Stream.Launch(c.launch); !errors.Is(err, c.want) {
			f.Errorf("%s: got %v, want %v", name, err, c.want)
		}
	}
	f.Check(f.Stream.Launch(edit(func(l *driver.Launch) { l.Grid[2] = 0 })))
	// the last half of a word belongs to no element
	f.Check(f.Stream.Launch(edit(func(l *driver.Launch) { l.Bindings[1].Bytes -= 2 })))
	f.Check(f.Stream.Launch(good))
	f.Check(f.Stream.Wait(context.Background()))

	for name, change := range map[string]func(a *abi.Artefact){
		"a foreign target":      func(a *abi.Artefact) { a.Target = "metal" },
		"an unknown feature":    func(a *abi.Artefact) { a.Kernel.Requires = []abi.Feature{"telepathy"} },
		"a vast workgroup":      func(a *abi.Artefact) { a.Kernel.Workgroup[0] = 1 << 20 },
		"subgroups of three":    func(a *abi.Artefact) { a.Kernel.SubgroupSize = 3 },
		"vast workgroup memory": func(a *abi.Artefact) { a.Kernel.WorkgroupBytes = 1 << 30 },
	} {
		a := *f.code
		change(&a)
		if _, err := f.Device.Load(&a); !errors.Is(err, driver.ErrUnsupported) {
			f.Errorf("%s: got %v, want ErrUnsupported", name, err)
		}
	}
	if _, err := f.Device.Alloc(math.MaxUint64 - 1); !errors.Is(err, driver.ErrOutOfMemory) {
		f.Errorf("all the memory in the world: got %v, want ErrOutOfMemory", err)
	}
}

// concurrency runs verified round trips on several streams during garbage collections.
func concurrency(f *Fixture) {
	k := f.Kernel
	stop := make(chan struct{})
	var collector, workers sync.WaitGroup
	collector.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				runtime.GC()
			}
		}
	})
	f.onStreams(&workers, 8, func(w *Fixture, worker int) error {
		for round := range 25 {
			if err := w.roundTrip(k, 100+worker*37+round, float32(worker+1)); err != nil {
				return fmt.Errorf("round %d: %w", round, err)
			}
		}
		return nil
	})
	workers.Wait()
	close(stop)
	collector.Wait()
}

// onStreams starts workers, each on a new stream.
func (f *Fixture) onStreams(workers *sync.WaitGroup, count int, work func(w *Fixture, worker int) error) {
	for worker := range count {
		workers.Go(func() {
			w := &Fixture{TB: f.TB, Device: f.Device}
			var err error
			if w.Stream, err = f.Device.NewStream(); err != nil {
				f.Error(err)
				return
			}
			if err := work(w, worker); err != nil {
				f.Errorf("worker %d: %v", worker, err)
				return
			}
			if err := w.Stream.Close(); err != nil {
				f.Error(err)
			}
		})
	}
}

// roundTrip uploads, launches and reads back. It returns errors, since it runs in other goroutines.
func (f *Fixture) roundTrip(k driver.Kernel, n int, a float32) error {
	values := sequence(n)
	var memories []driver.Memory
	for _, host := range [][]float32{values, values, {a}} {
		m, err := f.Device.Alloc(uint64(4 * len(host)))
		if err != nil {
			return err
		}
		if err := f.Stream.Write(Whole(m), Bytes(host)); err != nil {
			return err
		}
		memories = append(memories, m)
	}
	if err := f.Stream.Launch(Launch(k, memories[0], memories[1], memories[2])); err != nil {
		return err
	}
	got := make([]float32, n)
	if err := f.Stream.Read(Bytes(got), Whole(memories[1])); err != nil {
		return err
	}
	for i, v := range got {
		if want := a*values[i] + values[i]; v != want {
			return errors.New("wrong result")
		}
	}
	for _, m := range memories {
		if err := m.Free(); err != nil {
			return err
		}
	}
	return nil
}

func closed(f *Fixture) {
	f.Check(f.Stream.Close())
	f.Check(f.Stream.Close())
	if err := f.Stream.Wait(context.Background()); !errors.Is(err, driver.ErrClosed) {
		f.Errorf("wait on a closed stream: %v", err)
	}
	m, k := f.Alloc(100), f.Kernel
	f.Check(f.Device.Close())
	f.Check(f.Device.Close())
	f.Check(m.Free())
	f.Check(k.Close())
	if _, err := f.Device.Alloc(4); !errors.Is(err, driver.ErrClosed) {
		f.Errorf("alloc on a closed device: %v", err)
	}
	if _, err := f.Device.NewStream(); !errors.Is(err, driver.ErrClosed) {
		f.Errorf("stream on a closed device: %v", err)
	}
}

func launchesDoNotAllocate(f *Fixture) {
	f.expectNoAllocations(Launch(f.Kernel, f.Alloc(256), f.Alloc(256), f.Upload([]float32{1})))
}

// expectNoAllocations launches often enough to fill any queue. A fast device may not have filled it
// the first time, so a driver may still make batches once.
func (f *Fixture) expectNoAllocations(l *driver.Launch) {
	if RaceEnabled {
		f.Skip("skipped: the race detector allocates; this runs without -race")
	}
	const launches = 1000
	run := func() {
		for range launches {
			f.Check(f.Stream.Launch(l))
		}
		f.Check(f.Stream.Wait(context.Background()))
	}
	var n float64
	for range 3 {
		if n = testing.AllocsPerRun(5, run); n <= launches/100 {
			return
		}
	}
	f.Errorf("%d launches and a wait allocate %v times", launches, n)
}
