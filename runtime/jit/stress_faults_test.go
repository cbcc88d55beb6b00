package jit_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/internal/faultdriver"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/runtime/driver"
	"github.com/gpuc/gpuc/runtime/driver/cpu"
	"github.com/gpuc/gpuc/runtime/driver/vulkan"
	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/jit"
)

const faultSource = `
@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> y: array<u32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) g: vec3u) {
  if g.x < arrayLength(&y) { y[g.x] = y[g.x] * 5u + x[g.x % arrayLength(&x)]; }
}`

// faulty is a device whose driver fails now and then, with what the goroutines share.
type faulty struct {
	driver     *faultdriver.Driver
	device     *gpu.Device
	program    *jit.Program
	passed     chan *known // buffers on their way from one goroutine to another
	operations atomic.Int64
}

// known is a buffer and what it holds.
type known struct {
	*gpu.Buffer[uint32]
	want []uint32
	on   *gpu.Stream // whose work uses it, or nil
	own  bool        // of the goroutine's arena
}

// faultWorker is a goroutine that makes random calls.
type faultWorker struct {
	*faulty
	random  *rand.Rand
	kernel  *gpu.Kernel
	streams [2]*gpu.Stream
	arena   *gpu.Arena
	open    []*known
	hosts   []*gpu.HostBuffer[uint32]
	lost    bool  // the device
	err     error // that nobody injected
}

// ok reports whether a call has succeeded. It may only fail where the driver injects an error.
func (w *faultWorker) ok(what string, err error) bool {
	w.lost = w.lost || errors.Is(err, gpu.ErrDeviceLost)
	if err != nil && !errors.Is(err, faultdriver.ErrInjected) && w.err == nil {
		w.err = fmt.Errorf("%s: %w", what, err)
	}
	return err == nil
}

// until repeats a call until nothing is injected.
func (w *faultWorker) until(what string, call func() error) {
	for range 1000 {
		if w.ok(what, call()) || w.err != nil || w.lost {
			return
		}
	}
	w.err = fmt.Errorf("%s: it failed a thousand times", what)
}

// made repeats what makes something.
func made[T any](w *faultWorker, what string, make func() (T, error)) (x T) {
	w.until(what, func() (err error) {
		x, err = make()
		return err
	})
	return x
}

func (w *faultWorker) words() int {
	if w.random.IntN(200) == 0 {
		return 1<<17 + w.random.IntN(100) // more than a transfer of one piece
	}
	return 1 + w.random.IntN(1<<w.random.IntN(12))
}

// numbers fills a slice.
func (w *faultWorker) numbers(to []uint32) []uint32 {
	for i := range to {
		to[i] = w.random.Uint32()
	}
	return to
}

// use returns one of the streams, behind the work that uses a buffer. It is nil if the driver
// refuses what that takes.
func (w *faultWorker) use(b *known) *gpu.Stream {
	s := w.streams[w.random.IntN(2)]
	if b.on == nil || b.on == s {
		return s
	}
	if w.random.IntN(3) == 0 {
		if !w.ok("Stream.Wait", b.on.Wait(context.Background())) {
			return nil
		}
		return s
	}
	e, err := b.on.Record()
	if !w.ok("Record", err) {
		return nil
	}
	done := w.ok("After", s.After(e))
	w.ok("Event.Close", e.Close())
	if !done {
		return nil
	}
	return s
}

func (w *faultWorker) alloc() {
	b := &known{want: make([]uint32, w.words())}
	var from gpu.Allocator = w.device
	switch w.random.IntN(3) {
	case 0:
		b.on = w.streams[w.random.IntN(2)]
		from = b.on
	case 1:
		from, b.on, b.own = w.arena, w.streams[0], true
	}
	var err error
	if b.Buffer, err = gpu.Alloc[uint32](from, len(b.want)); w.ok("Alloc", err) {
		w.open = append(w.open, b)
	}
}

// compare reads a buffer and compares it with what it should hold.
func (w *faultWorker) compare(b *known) {
	s := w.use(b)
	if s == nil {
		return
	}
	got, done := make([]uint32, len(b.want)), false
	switch {
	case len(w.hosts) > 0 && w.hosts[0].Len() >= len(got) && w.random.IntN(2) == 0:
		got = w.hosts[0].Data()[:len(got)]
		transfer, err := b.ReadAsync(s, got)
		if done = w.ok("ReadAsync", err); done {
			w.until("Transfer.Wait", func() error { return transfer.Wait(context.Background()) })
		}
	default:
		done = w.ok("Read", b.Read(context.Background(), s, got))
	}
	if done && w.err == nil && !slices.Equal(got, b.want) {
		at := 0
		for got[at] == b.want[at] {
			at++
		}
		w.err = fmt.Errorf("word %d of %d is %#x, want %#x", at, len(got), got[at], b.want[at])
	}
	b.on = s
}

// write writes a part of a buffer.
func (w *faultWorker) write(b *known) {
	s := w.use(b)
	if s == nil {
		return
	}
	start := w.random.IntN(len(b.want))
	host := w.numbers(make([]uint32, 1+w.random.IntN(len(b.want)-start)))
	part, err := b.Slice(start, start+len(host))
	if !w.ok("Slice", err) {
		return
	}
	b.on = s
	if w.random.IntN(4) == 0 {
		transfer, err := part.WriteAsync(s, host)
		if !w.ok("WriteAsync", err) {
			w.until("Write", func() error { return part.Write(s, host) }) // it may have begun
		} else {
			w.until("Transfer.Wait", func() error { return transfer.Wait(context.Background()) })
		}
	} else if !w.ok("Write", part.Write(s, host)) {
		return
	}
	copy(b.want[start:], host)
}

// launched is what a launch makes of a buffer.
func (b *known) launched(x *known) {
	for i := range b.want {
		b.want[i] = b.want[i]*5 + x.want[i%len(x.want)]
	}
}

// both returns a stream behind the work that uses either of two buffers.
func (w *faultWorker) both(b, x *known) *gpu.Stream {
	w.until("Stream.Wait", func() error {
		if x.on == nil {
			return nil
		}
		return x.on.Wait(context.Background())
	})
	x.on = nil
	s := w.use(b)
	if s != nil {
		b.on, x.on = s, s
	}
	return s
}

func (w *faultWorker) launch(b, x *known) {
	if s := w.both(b, x); s != nil && w.ok("Run", s.Run(w.kernel, w.kernel.Cover(uint32(len(b.want)), 1, 1), x, b)) {
		b.launched(x)
	}
}

// replay captures some launches and replays them.
func (w *faultWorker) replay(b, x *known) {
	s := w.both(b, x)
	if s == nil {
		return
	}
	launches := 1 + w.random.IntN(4)
	r, err := s.Capture(func() error {
		for range launches {
			if err := s.Run(w.kernel, w.kernel.Cover(uint32(len(b.want)), 1, 1), x, b); err != nil {
				return err
			}
		}
		return nil
	})
	if !w.ok("Capture", err) {
		return
	}
	// A replay whose driver fails midway has done a part, which the program cannot know. So it
	// writes the buffer again.
	for range 1 + w.random.IntN(2) {
		if !w.ok("Replay", r.Replay(s)) {
			w.until("Write", func() error { return b.Write(s, w.numbers(b.want)) })
			continue
		}
		for range launches {
			b.launched(x)
		}
	}
	w.ok("Recording.Close", r.Close())
}

// pass gives a buffer to another goroutine, and takes one.
func (w *faultWorker) pass(n int) {
	b := w.open[n]
	if b.own {
		return
	}
	w.until("Stream.Wait", func() error {
		if b.on == nil {
			return nil
		}
		return b.on.Wait(context.Background())
	})
	b.on = nil
	select {
	case w.passed <- b:
		w.open = slices.Delete(w.open, n, n+1)
	default:
	}
	select {
	case b := <-w.passed:
		w.open = append(w.open, b)
	default:
	}
}

func (w *faultWorker) step() {
	w.operations.Add(1)
	if len(w.open) == 0 || len(w.open) < 12 && w.random.IntN(6) == 0 {
		w.alloc()
		return
	}
	n := w.random.IntN(len(w.open))
	b, x := w.open[n], w.open[w.random.IntN(len(w.open))]
	switch w.random.IntN(20) {
	case 0, 1, 2:
		w.compare(b)
	case 3, 4, 5:
		w.write(b)
	case 6, 7:
		w.ok("Buffer.Close", b.Close())
		w.open = slices.Delete(w.open, n, n+1)
	case 8, 9:
		if x != b && len(x.want) >= len(b.want) {
			if s := w.both(b, x); s != nil {
				from, err := x.Slice(0, len(b.want))
				if w.ok("Slice", err) && w.ok("Copy", gpu.Copy(s, b.Buffer, from)) {
					copy(b.want, x.want)
				}
			}
		}
	case 10:
		if x != b {
			w.replay(b, x)
		}
	case 11:
		w.pass(n)
	case 12:
		w.seldom()
	default:
		if x != b {
			w.launch(b, x)
		}
	}
}

// seldom makes one of the calls that a program makes less often.
func (w *faultWorker) seldom() {
	switch w.random.IntN(8) {
	case 0:
		w.ok("Trim", w.device.Trim())
	case 1: // the kernel may be at work
		w.ok("Kernel.Close", w.kernel.Close())
		w.kernel = nil
		w.load()
	case 2:
		w.end(w.streams[1])
		w.streams[1] = nil
		w.streams[1] = made(w, "NewStream", w.device.NewStream)
	case 3:
		w.open = slices.DeleteFunc(w.open, func(b *known) bool { return b.own })
		w.until("Arena.Reset", w.arena.Reset)
	case 4:
		if len(w.hosts) > 0 {
			w.ok("HostBuffer.Close", w.hosts[0].Close())
			w.hosts = w.hosts[:0]
		} else if h, err := gpu.AllocHost[uint32](w.device, w.words()); w.ok("AllocHost", err) {
			w.hosts = append(w.hosts, h)
		}
	case 5:
		ended, cancel := context.WithCancel(context.Background())
		cancel()
		if err := w.streams[0].Wait(ended); !errors.Is(err, context.Canceled) {
			w.ok("a wait whose context has ended", err)
		}
	}
}

// load loads the kernel. A driver that refuses it once takes it the next time.
func (w *faultWorker) load() {
	w.kernel = made(w, "Load", func() (*gpu.Kernel, error) { return w.program.Load(w.device, "main") })
}

// end closes a stream, whose work the open buffers wait for before.
func (w *faultWorker) end(s *gpu.Stream) {
	w.until("Stream.Wait", func() error { return s.Wait(context.Background()) })
	for _, b := range w.open {
		if b.on == s {
			b.on = nil
		}
	}
	w.ok("Stream.Close", s.Close())
}

// run makes a number of calls, compares all buffers and closes everything. A lost device ends that.
func (w *faultWorker) run(count int) error {
	w.load()
	for n := range w.streams {
		w.streams[n] = made(w, "NewStream", w.device.NewStream)
	}
	if !w.lost {
		w.arena = made(w, "NewArena", func() (*gpu.Arena, error) { return w.streams[0].NewArena(1 << 14) })
	}
	for n := 0; n < count && w.err == nil && !w.lost; n++ {
		w.step()
	}
	if w.err != nil {
		return w.err // and what is open stays so
	}
	for _, b := range w.open {
		if !w.lost {
			w.compare(b)
		}
		w.ok("Buffer.Close", b.Close())
	}
	for _, h := range w.hosts {
		w.ok("HostBuffer.Close", h.Close())
	}
	if w.arena != nil {
		w.ok("Arena.Close", w.arena.Close())
	}
	for _, s := range w.streams {
		if s != nil {
			w.end(s)
		}
	}
	if w.kernel != nil {
		w.ok("Kernel.Close", w.kernel.Close())
	}
	return w.err
}

// TestStressFaults has all goroutines make random calls, of which one in a hundred fails in the
// driver. Nothing but the failed call has another result, and nothing is left in the end. With
// -stress 100 there are two million calls.
func TestStressFaults(t *testing.T) {
	program := must(jit.Parse("faults.wgsl", faultSource, codegen.Options{}))(t)
	for name, inner := range map[string]driver.Driver{"cpu": &cpu.Driver{}, "vulkan": &vulkan.Driver{}} {
		for _, every := range []uint64{0, 100, 10} {
			t.Run(fmt.Sprintf("%s/%d", name, every), func(t *testing.T) {
				if name != "cpu" {
					testmode.Quick(t, "many launches on a software device are slow")
				}
				d := &faultdriver.Driver{Driver: inner, Seed: every}
				device, err := gpu.Open(gpu.Driver(d))
				if errors.Is(err, gpu.ErrNoDevice) {
					t.Skip("skipped: there is no Vulkan device (Debian: libvulkan1, mesa-vulkan-drivers)")
				}
				if err != nil {
					t.Fatal(err)
				}
				d.Every = every
				f := &faulty{driver: d, device: device, program: program, passed: make(chan *known, stressGoroutines)}
				f.run(t, stressGoroutines, testmode.Count(640, 2000, 4000)**stress)
				d.Every = 0
				f.left(t)
			})
		}
	}
}

// run has goroutines make a number of calls together, and returns how many of them lost the device.
func (f *faulty) run(t *testing.T, goroutines, calls int) int {
	each := (calls + goroutines - 1) / goroutines
	var group sync.WaitGroup
	var lost atomic.Int64
	for n := range goroutines {
		group.Go(func() {
			w := &faultWorker{faulty: f, random: rand.New(rand.NewPCG(f.driver.Seed, uint64(n)))}
			if err := w.run(each); err != nil {
				t.Errorf("goroutine %d: %v", n, err)
			}
			if w.lost {
				lost.Add(1)
			}
		})
	}
	group.Wait()
	return int(lost.Load())
}

// TestStressLost loses one of two devices while goroutines use both. The other one has no error,
// and nothing is left of either.
func TestStressLost(t *testing.T) {
	program := must(jit.Parse("faults.wgsl", faultSource, codegen.Options{}))(t)
	for round := range testmode.Count(2, 4, 6) * *stress {
		var two [2]*faulty
		for n := range two {
			d := &faultdriver.Driver{Driver: &cpu.Driver{}, Seed: uint64(round)}
			two[n] = &faulty{driver: d, device: must(gpu.Open(gpu.Driver(d)))(t), program: program, passed: make(chan *known, stressGoroutines)}
		}
		var group sync.WaitGroup
		var lost [2]int
		for n, f := range two {
			group.Go(func() { lost[n] = f.run(t, 8, 2000) })
		}
		group.Go(func() {
			for int(two[0].operations.Load()) < 100*(round%15) { // of 2000
				runtime.Gosched()
			}
			two[0].driver.Lose()
		})
		group.Wait()
		if lost[0] == 0 || lost[1] != 0 {
			t.Errorf("round %d: %d and %d goroutines lost their device", round, lost[0], lost[1])
		}
		two[0].left(t)
		two[1].left(t)
	}
}

// left closes the device, of which nothing may be left. A lost one keeps the memory that work may
// have used until then, as it does not say that the work has ended.
func (f *faulty) left(t *testing.T) {
	close(f.passed)
	for b := range f.passed {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}
	kinds := []faultdriver.Kind{faultdriver.Kernels}
	switch err := f.device.Trim(); {
	case err == nil:
		kinds = append(kinds, faultdriver.Events, faultdriver.Memories, faultdriver.Blocks, faultdriver.HostMemories)
		if m := f.device.Memory(); !t.Failed() && (m.InUse != 0 || m.Reserved != 0) {
			t.Errorf("all is closed: %+v", m)
		}
	case !errors.Is(err, gpu.ErrDeviceLost):
		t.Error(err)
	}
	for _, k := range kinds {
		if n := f.driver.Live(k); n != 0 && !t.Failed() {
			t.Errorf("all is closed but %d %s", n, k)
		}
	}
	if err := f.device.Close(); err != nil {
		t.Error(err)
	}
	if n := f.driver.Live(faultdriver.Streams); n != 0 && !t.Failed() {
		t.Errorf("the device is closed but for %d streams", n)
	}
	failed, calls := f.driver.Failed()
	t.Logf("%d operations; %d of the driver's %d calls failed", f.operations.Load(), failed, calls)
}
