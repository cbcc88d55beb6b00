// Recordings: operations that are prepared and replayed, by the device or as a list.

package drivertest

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/driver"
)

// Recordings are the tests of recordings, but not of what replays allocate.
func Recordings(t *testing.T, d driver.Driver, artefact *abi.Artefact) {
	t.Run("recordings", func(t *testing.T) { recordings(New(t, d, artefact)) })
	t.Run("lifetimes of recordings", func(t *testing.T) { recordingLifetimes(New(t, d, artefact)) })
	t.Run("awaited events", func(t *testing.T) { awaits(New(t, d, artefact)) })
}

// recording makes a recording as runtime/gpu does, and reports whether it is a list.
func (f *Fixture) recording(work []driver.Operation) (r driver.Recording, listed bool) {
	f.Helper()
	if recorder, ok := f.Device.(driver.Recorder); ok {
		r, err := recorder.NewRecording(work)
		if !errors.Is(err, driver.ErrUnsupported) {
			f.Check(err)
			return r, false
		}
	}
	return driver.NewList(work), true
}

// program is a random program: operations in lanes, each of which follows those of its lane and
// those of others with which it would race. The test knows what it computes.
type program struct {
	*Fixture
	rng      *rand.Rand
	memories []driver.Memory // that operations write
	inputs   []driver.Memory // that nothing writes
	factors  []driver.Memory // of launches: some are written, the last ones are not
	source   driver.Memory   // of what is written
	values   map[driver.Memory][]float32
	work     []driver.Operation
	lanes    [3]int // the last operation of each, or -1
	writer   map[driver.Memory]int
	readers  map[driver.Memory][]int
}

const (
	programElements = 150
	programWrites   = 64 // elements of the source
)

func (f *Fixture) newProgram(seed uint64) *program {
	p := &program{Fixture: f, rng: rand.New(rand.NewPCG(seed, 9)), values: map[driver.Memory][]float32{},
		lanes: [...]int{-1, -1, -1}, writer: map[driver.Memory]int{}, readers: map[driver.Memory][]int{}}
	for n := range 4 {
		p.memories = append(p.memories, p.upload(programElements, 0))
		p.inputs = append(p.inputs, p.upload(programElements, float32(n+1)))
		p.factors = append(p.factors, p.upload(1, float32(n)-1))
	}
	p.source = p.upload(programWrites, 3)
	f.Check(f.Stream.Wait(context.Background()))
	return p
}

func (p *program) upload(n int, first float32) driver.Memory {
	p.Helper()
	values := make([]float32, n)
	for i := range values {
		values[i] = first + float32(i%5)
	}
	m := p.Upload(values)
	p.values[m] = values
	return m
}

func pick[T any](rng *rand.Rand, list []T) T { return list[rng.IntN(len(list))] }

// add adds an operation, whose first memory is written and whose others are read.
func (p *program) add(o driver.Operation, written driver.Memory, read ...driver.Memory) {
	n, lane := len(p.work), p.rng.IntN(len(p.lanes))
	after := []int{p.lanes[lane]}
	last := func(m driver.Memory) {
		if w, ok := p.writer[m]; ok {
			after = append(after, w)
		}
	}
	last(written)
	after = append(after, p.readers[written]...)
	for _, m := range read {
		last(m)
		p.readers[m] = append(p.readers[m], n)
	}
	p.writer[written], p.readers[written] = n, nil
	slices.Sort(after)
	if after = slices.Compact(after); after[0] < 0 {
		after = after[1:]
	}
	o.After, p.lanes[lane] = after, n
	p.work = append(p.work, o)
}

// step adds a random operation.
func (p *program) step() {
	y := pick(p.rng, p.memories)
	switch p.rng.IntN(8) {
	case 0:
		p.add(driver.Operation{Dst: Whole(y)}, y)
	case 1:
		x := pick(p.rng, append(p.inputs, p.memories...))
		if x == y {
			return
		}
		first := p.rng.IntN(programElements)
		count := 1 + p.rng.IntN(programElements-first)
		from := p.rng.IntN(programElements - count + 1)
		if aligned := p.rng.IntN(2) == 0; aligned { // to vectors of 16 bytes
			first, from, count = first&^3, from&^3, max(count&^3, 4)
			first, from = min(first, (programElements-count)&^3), min(from, (programElements-count)&^3)
		}
		part := func(m driver.Memory, at int) driver.Slice {
			return driver.Slice{Memory: m, Offset: uint64(4 * at), Bytes: uint64(4 * count)}
		}
		p.add(driver.Operation{Dst: part(y, first), Src: part(x, from)}, y, x)
	case 2, 3: // one of the factors that may be written, or any memory
		if p.rng.IntN(2) == 0 {
			y = pick(p.rng, p.factors[:2])
		}
		count := 1 + p.rng.IntN(min(int(y.Bytes()/4), programWrites))
		first := p.rng.IntN(programWrites - count + 1)
		p.add(driver.Operation{
			Dst:  driver.Slice{Memory: y, Offset: uint64(4 * p.rng.IntN(int(y.Bytes()/4)-count+1)), Bytes: uint64(4 * count)},
			Src:  driver.Slice{Memory: p.source, Offset: uint64(4 * first), Bytes: uint64(4 * count)},
			Data: slices.Clone(Bytes(p.values[p.source][first:][:count])),
		}, y)
	default:
		x, a := pick(p.rng, append(p.inputs, p.memories...)), pick(p.rng, p.factors)
		if p.rng.IntN(4) == 0 {
			y = pick(p.rng, p.factors[:2])
		}
		if x == y || a == y {
			return
		}
		l := Launch(p.Kernel, x, y, a)
		l.Grid[0] = uint32(p.rng.IntN(4))
		p.add(driver.Operation{Launch: l}, y, x, a)
	}
}

// change replaces a launch by one that is ordered as well: with an input and a factor that nothing
// writes, or with another grid.
func (p *program) change(r driver.Recording) {
	p.Helper()
	n := p.rng.IntN(len(p.work))
	was := p.work[n].Launch
	if was == nil {
		return
	}
	l := Launch(p.Kernel, pick(p.rng, p.inputs), was.Bindings[1].Memory, pick(p.rng, p.factors[2:]))
	l.Grid[0] = uint32(p.rng.IntN(4))
	p.Check(r.Change(n, l))
	own := new(driver.Launch)
	own.Set(l)
	p.work[n].Launch = own
	l.Bindings[0] = driver.Slice{} // which must not be kept
}

// run computes what the operations do, in their order.
func (p *program) run() {
	part := func(b *driver.Slice) []float32 { return p.values[b.Memory][b.Offset/4:][:b.Bytes/4] }
	for n := range p.work {
		o := &p.work[n]
		switch l := o.Launch; {
		case l != nil:
			x, y, a := part(&l.Bindings[0]), part(&l.Bindings[1]), part(&l.Bindings[2])[0]
			for i := range min(int(64*l.Grid[0]), len(y)) {
				y[i] += a * x[i]
			}
		case o.Src.Memory == nil:
			clear(part(&o.Dst))
		default:
			copy(part(&o.Dst), part(&o.Src))
		}
	}
}

// reset writes all that operations write.
func (p *program) reset(s driver.Stream) {
	p.Helper()
	for n, m := range append(p.memories, p.factors[:2]...) {
		values := p.values[m]
		for i := range values {
			values[i] = float32((i + n) % 3)
		}
		p.Check(s.Write(Whole(m), Bytes(values)))
	}
}

func (p *program) compare(s driver.Stream) {
	p.Helper()
	for n, m := range append(p.memories, p.factors...) {
		got := make([]float32, m.Bytes()/4)
		p.Check(s.Read(Bytes(got), Whole(m)))
		for i, want := range p.values[m] {
			if got[i] != want {
				p.Fatalf("memory %d: element %d is %v, want %v", n, i, got[i], want)
			}
		}
	}
}

// recordings replays random programs on two streams, changes their launches, and compares what
// memory holds.
func recordings(f *Fixture) {
	other, err := f.Device.NewStream()
	f.Check(err)
	streams := []driver.Stream{f.Stream, other}
	seeds := testmode.Count(8, 8, max(60/testmode.Parts(), 8))
	if _, listed := f.recording(nil); listed {
		seeds = testmode.Count(2, 4, 8)
	}
	for seed := range seeds {
		p := f.newProgram(uint64(seed))
		for range 3 + 12*(seed%4) {
			p.step()
		}
		work := make([]driver.Operation, len(p.work))
		for n, o := range p.work {
			work[n] = o
			if o.Launch != nil {
				own := new(driver.Launch)
				own.Set(o.Launch)
				work[n].Launch = own
			}
		}
		r, listed := f.recording(work)
		for range 4 {
			s := pick(p.rng, streams)
			p.reset(s)
			for n := range 1 + p.rng.IntN(2) {
				if n > 0 && p.rng.IntN(2) == 0 { // the next replay follows this one
					if listed {
						f.Check(s.Wait(context.Background()))
					}
					s = pick(p.rng, streams)
				}
				f.Check(r.Replay(s))
				p.run()
				if p.rng.IntN(2) == 0 && len(p.work) > 0 {
					p.change(r)
				}
			}
			p.compare(s)
		}
		f.Check(r.Close())
	}
	changedBetween(f, other)
}

// changedBetween replays on two streams, with a change in between that needs another graph. The
// second replay follows the first one.
func changedBetween(f *Fixture, other driver.Stream) {
	x, y, one := f.Upload(sequence(1000)), f.Alloc(4000), f.Upload([]float32{1})
	const launches = 20
	work := make([]driver.Operation, launches)
	for n := range work {
		if work[n].Launch = Launch(f.Kernel, x, y, one); n > 0 {
			work[n].After = []int{n - 1}
		}
	}
	r, listed := f.recording(work)
	if listed {
		return
	}
	f.Check(f.Stream.Wait(context.Background()))
	f.Check(r.Replay(f.Stream))
	nothing := Launch(f.Kernel, x, y, one)
	nothing.Grid[0] = 0
	f.Check(r.Change(0, nothing))
	f.Check(r.Replay(other))
	got := make([]float32, 1000)
	f.Check(other.Read(Bytes(got), Whole(y)))
	for i, v := range got {
		if want := float32((2*launches - 1) * (i % 1000)); v != want {
			f.Fatalf("element %d is %v, want %v", i, v, want)
		}
	}
	f.Check(r.Close())
}

// recordingLifetimes closes recordings while replays are under way, and leaves one to the device.
// Work of the stream before a replay and behind it is ordered with it.
func recordingLifetimes(f *Fixture) {
	x, y, one := f.Upload(sequence(1000)), f.Alloc(4000), f.Upload([]float32{1})
	const rounds = 40
	for range rounds {
		r, _ := f.recording([]driver.Operation{{Launch: Launch(f.Kernel, x, y, one)}, {Launch: Launch(f.Kernel, x, y, one), After: []int{0}}})
		f.Check(f.Stream.Launch(Launch(f.Kernel, x, y, one)))
		for range 3 {
			f.Check(r.Replay(f.Stream))
		}
		f.Check(f.Stream.Launch(Launch(f.Kernel, x, y, one)))
		f.Check(r.Close())
	}
	for i, v := range f.Read(y) {
		if want := float32(8 * rounds * (i % 1000)); v != want {
			f.Fatalf("element %d is %v, want %v", i, v, want)
		}
	}
	r, _ := f.recording([]driver.Operation{{Launch: Launch(f.Kernel, x, y, one)}})
	f.Check(r.Replay(f.Stream))
	bad := Launch(f.Kernel, x, y, one)
	bad.Bindings = bad.Bindings[:2]
	_, listed := r.(*driver.List)
	if err := r.Change(0, bad); !listed && !errors.Is(err, driver.ErrUnsupported) {
		f.Errorf("a change to a launch with too few bindings: got %v, want ErrUnsupported", err)
	}
	f.Check(f.Device.Close())
	if err := r.Replay(f.Stream); !listed && !errors.Is(err, driver.ErrClosed) {
		f.Errorf("a replay on a closed device: got %v, want ErrClosed", err)
	}
	f.Check(r.Close())
}

// await has a stream wait for an event, or the host.
func (f *Fixture) await(s driver.Stream, e driver.Event) error {
	if awaiter, ok := s.(driver.Awaiter); ok {
		return awaiter.Await(e)
	}
	return e.Wait(context.Background())
}

// awaits has streams wait for each other's events.
func awaits(f *Fixture) {
	other, err := f.Device.NewStream()
	f.Check(err)
	streams := [2]driver.Stream{f.Stream, other}
	one := f.Upload([]float32{1})
	x := [2]driver.Memory{f.Upload(sequence(3000)), f.Alloc(12000)}
	f.Check(f.Stream.Wait(context.Background()))
	const rounds = 20 // of Fibonacci's numbers, which stay exact
	for n := range rounds {
		s, next := streams[n%2], streams[(n+1)%2]
		f.Check(s.Launch(Launch(f.Kernel, x[n%2], x[(n+1)%2], one)))
		e, err := s.Record()
		f.Check(err)
		f.Check(f.await(next, e))
		f.Check(e.Close())
	}
	a, b := float32(1), float32(0)
	for range rounds / 2 {
		b += a
		a += b
	}
	for n, m := range x {
		for i, v := range f.Read(m) {
			if want := [2]float32{a, b}[n] * float32(i%1000); v != want {
				f.Fatalf("memory %d: element %d is %v, want %v", n, i, v, want)
			}
		}
	}
	e, err := f.Stream.Record()
	f.Check(err)
	f.Check(other.Close())
	if _, ok := other.(driver.Awaiter); !ok {
		return
	}
	if err := f.await(other, e); !errors.Is(err, driver.ErrClosed) {
		f.Errorf("a wait of a closed stream: got %v, want ErrClosed", err)
	}
}

func replaysDoNotAllocate(f *Fixture) {
	if RaceEnabled {
		f.Skip("skipped: the race detector allocates; this runs without -race")
	}
	x, y, one := f.Upload(sequence(100)), f.Alloc(400), f.Upload([]float32{1})
	f.Check(f.Stream.Wait(context.Background()))
	var work []driver.Operation
	for range 10 {
		work = append(work, driver.Operation{Launch: Launch(f.Kernel, x, y, one)})
	}
	r, _ := f.recording(append(work, driver.Operation{Dst: Whole(y)}, driver.Operation{Dst: Whole(y), Src: Whole(x)}))
	replay := func() { f.Check(r.Replay(f.Stream)) }
	for range 100 { // what is kept for reuse is there, and has room
		replay()
	}
	if allocations := testing.AllocsPerRun(100, replay); allocations >= 1 {
		f.Errorf("a replay allocates %v times", allocations)
	}
	f.Check(f.Stream.Wait(context.Background()))
	f.Check(r.Close())
}
