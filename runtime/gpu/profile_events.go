// The calls that a profile measures on the host, the events of its trace, and the marks that other
// tools see.

package gpu

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/trace"
	"sync"
	"time"

	"github.com/gpuc/gpuc/runtime/dl"
)

// event is an event of a trace. Times are those of the device's clock if there is a device, and
// otherwise since the start of the profile.
type event struct {
	name        string
	device      *profiledDevice // nil for the host
	track       int             // of a device: the stream
	begin, took time.Duration
	did         Work
}

// events are the last events of a profile.
type events struct {
	most int

	mutex   sync.Mutex
	list    []event
	next    int    // that is overwritten, once there are as many as may be
	dropped uint64 // the oldest ones
}

func (e *events) add(x event) {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	if len(e.list) < e.most {
		e.list = append(e.list, x)
		return
	}
	e.list[e.next] = x
	e.next = (e.next + 1) % len(e.list)
	e.dropped++
}

// copied returns the events, the first added first, and how many were dropped.
func (e *events) copied() (list []event, dropped uint64) {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	list = append(list, e.list[e.next:]...)
	return append(list, e.list[:e.next]...), e.dropped
}

// measure counts and times a call of the host.
func (p *Profile) measure(w *tally, did Work, call func() error) error {
	_, _, err := p.measured(w, did, call)
	return err
}

// measured is measure, and returns when the call began and ended.
func (p *Profile) measured(w *tally, did Work, call func() error) (began, ended time.Duration, err error) {
	m := p.marks.begin(context.Background(), w.name)
	began = p.now()
	err = call()
	ended = p.now()
	m.end()
	w.call(ended-began, did)
	p.events.add(event{name: w.name, begin: began, took: ended - began, did: did})
	return began, ended, err
}

// marks are what other tools see of a profile: regions of runtime/trace, and ranges of NVTX.
type marks struct{ ranges *ranges }

// mark is what has begun.
type mark struct {
	region *trace.Region
	ranges *ranges
}

// begin begins a mark on the goroutine, which ends it.
func (m *marks) begin(ctx context.Context, name string) (x mark) {
	if trace.IsEnabled() {
		x.region = trace.StartRegion(ctx, name)
	}
	if m.ranges != nil {
		x.ranges = m.ranges
		m.ranges.push(name)
	}
	return x
}

func (m mark) end() {
	if m.ranges != nil {
		m.ranges.pop()
	}
	if m.region != nil {
		m.region.End()
	}
}

// ranges is the library of NVTX (NVIDIA Tools Extension, nvToolsExt.h). A range belongs to a
// thread.
type ranges struct {
	functions struct {
		Push uintptr `c:"nvtxRangePushA"`
		Pop  uintptr `c:"nvtxRangePop"`
	}
	texts sync.Map // C strings by name: []byte
}

// open loads the library if it is asked for, or if a tool is there (NVTX_INJECTION64_PATH, which
// the library loads). It is ErrUnsupported if it was asked for and is missing.
func (m *marks) open(asked bool) error {
	if !asked && os.Getenv("NVTX_INJECTION64_PATH") == "" {
		return nil
	}
	return m.load(asked, dl.LibraryNames("nvtx", runtime.GOOS))
}

func (m *marks) load(asked bool, names []string) error {
	r := new(ranges)
	library, err := dl.Open(names...)
	if err == nil {
		err = dl.Fill(&r.functions, library.Symbol)
	}
	switch {
	case err == nil:
		m.ranges = r
	case asked && errors.Is(err, dl.ErrNoLibrary):
		return fmt.Errorf("NVTX: %w: %w", ErrUnsupported, err)
	case asked:
		return fmt.Errorf("NVTX: %w", err)
	}
	return nil
}

// push begins a range. The goroutine stays on its thread until pop.
func (r *ranges) push(name string) {
	text, known := r.texts.Load(name)
	if !known {
		text, _ = r.texts.LoadOrStore(name, append([]byte(name), 0))
	}
	runtime.LockOSThread()
	dl.Call1(r.functions.Push, uintptr(dl.First(text.([]byte))))
}

func (r *ranges) pop() {
	dl.Call(r.functions.Pop)
	runtime.UnlockOSThread()
}

// Range is a part of the program that profiles show by name. StartRange makes it.
type Range struct {
	profile *Profile
	name    string
	began   time.Duration
	mark    mark
}

// StartRange begins a range in the profile that runs, if one does: a step of a training, a request.
// Range.End ends it, on the same goroutine, after those that have begun in it. It is a region of
// runtime/trace as well, in the task of ctx, and a range of NVTX.
func StartRange(ctx context.Context, name string) Range {
	p := profiling.Load()
	if p == nil {
		return Range{}
	}
	if ctx == nil {
		ctx = context.Background()
	}
	return Range{p, name, p.now(), p.marks.begin(ctx, name)}
}

// End ends the range. It does nothing for the zero Range.
func (r Range) End() {
	p := r.profile
	if p == nil {
		return
	}
	r.mark.end()
	took := p.now() - r.began
	p.ranges.of(r.name).call(took, Work{})
	p.events.add(event{name: r.name, begin: r.began, took: took})
}
