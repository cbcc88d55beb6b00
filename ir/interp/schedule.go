package interp

import (
	"context"
	"errors"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gpuc/gpuc/ir/diag"
)

// Schedule is the workgroups of a launch in progress, which all executors take from it. The zero
// value is ready for Begin.
type Schedule struct {
	Total    uint64 // how many workgroups there are
	grid     [3]uint32
	workers  int
	progress func(done, total uint64)
	context  context.Context // or nil

	next, done atomic.Uint64
	stop       atomic.Bool
	mutex      sync.Mutex
	failure    error // of the executor itself
	found      []diag.Diagnostic
}

// Begin prepares for a launch. The error says that its grid has too many workgroups, or that its
// context has ended.
func (s *Schedule) Begin(launch *Launch) error {
	s.grid, s.workers, s.progress, s.context = launch.Grid, launch.Workers, launch.Progress, launch.Context
	if s.workers <= 0 {
		s.workers = runtime.GOMAXPROCS(0)
	}
	rows := uint64(s.grid[0]) * uint64(s.grid[1])
	if s.grid[2] != 0 && rows > math.MaxInt64/uint64(s.grid[2]) {
		return errors.New("the grid has more than 2^63 workgroups")
	}
	s.Total = rows * uint64(s.grid[2])
	return nil
}

// Reset lets go of the launch.
func (s *Schedule) Reset() {
	s.progress, s.context, s.failure, s.found = nil, nil, nil, nil
	s.next.Store(0)
	s.done.Store(0)
	s.stop.Store(false)
}

// Workers returns how many workers the launch has at most for chunks of the given number of
// workgroups.
func (s *Schedule) Workers(chunk uint64) int {
	return int(min(uint64(s.workers), (s.Total+chunk-1)/chunk))
}

// Chunk returns how many workgroups a worker takes at a time, a multiple of some number. They are
// enough that taking them costs little, and few enough that all workers end at about the same time.
func (s *Schedule) Chunk(multiple uint64) uint64 {
	chunk := min(max(s.Total/uint64(s.workers*64), 1), 256)
	return (chunk + multiple - 1) / multiple * multiple
}

// Run runs a worker's function so many times side by side and returns when all have. Until then it
// calls Launch.Progress about every tenth of a second, and once at the end. One worker whose
// progress is not reported runs on the caller's goroutine. It returns what was found, and the
// failure or why the context has ended.
func (s *Schedule) Run(workers int, work func()) ([]diag.Diagnostic, error) {
	if err := s.ended(); err != nil || s.Total == 0 {
		return nil, err
	}
	if workers == 1 && s.progress == nil {
		work()
	} else {
		s.spread(workers, work)
	}
	if s.failure != nil {
		return nil, s.failure
	}
	return s.found, s.ended()
}

// progressInterval is how often Launch.Progress is called.
const progressInterval = 100 * time.Millisecond

func (s *Schedule) spread(workers int, work func()) {
	if s.progress == nil {
		pooled.spread(workers, work)
		return
	}
	finished := make(chan struct{})
	go func() {
		pooled.spread(workers, work)
		close(finished)
	}()
	ticker := time.NewTicker(progressInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			s.progress(s.done.Load(), s.Total)
		case <-finished:
			s.progress(s.done.Load(), s.Total)
			return
		}
	}
}

// Take takes the next workgroups, count at most; ok is false if none are left.
func (s *Schedule) Take(count uint64) (first, n uint64, ok bool) {
	first = s.next.Add(count) - count
	if first >= s.Total {
		return 0, 0, false
	}
	return first, min(count, s.Total-first), true
}

// Each runs workgroups, at most step at a time, until none is left or the launch is to end. A
// worker takes a chunk of them at a time.
func (s *Schedule) Each(chunk, step uint64, run func(first, count uint64)) {
	for !s.Stopped() {
		first, count, ok := s.Take(chunk)
		if !ok {
			return
		}
		for last := first + count; first < last; first += step {
			n := min(step, last-first)
			if run(first, n); s.Stopping() {
				return
			}
			s.Finish(n)
		}
	}
}

// Recover, deferred by a worker, makes a panic the failure of the launch. It says what the worker
// was doing with the kernel.
func (s *Schedule) Recover(doing, kernel string) {
	if r := recover(); r != nil {
		s.Fail(diag.Caught(r, doing+" kernel `"+kernel+"`"))
	}
}

// Left returns how many workgroups no worker has taken.
func (s *Schedule) Left() uint64 { return s.Total - min(s.next.Load(), s.Total) }

// Finish notes that so many workgroups are done.
func (s *Schedule) Finish(count uint64) { s.done.Add(count) }

// Group returns the coordinates of a workgroup.
func (s *Schedule) Group(index uint64) [3]uint32 {
	x, y := uint64(s.grid[0]), uint64(s.grid[1])
	return [3]uint32{uint32(index % x), uint32(index / x % y), uint32(index / (x * y))}
}

// ended returns why the launch's context has ended, or nil.
func (s *Schedule) ended() error {
	if s.context == nil {
		return nil
	}
	return s.context.Err()
}

// Stopped reports whether the launch is to end early; it looks at its context.
func (s *Schedule) Stopped() bool {
	if s.ended() != nil {
		s.stop.Store(true)
	}
	return s.stop.Load()
}

// Stopping reports whether the launch is known to end early.
func (s *Schedule) Stopping() bool { return s.stop.Load() }

// Stop ends the launch, and reports whether it was ended before.
func (s *Schedule) Stop() (before bool) { return s.stop.Swap(true) }

// Fail ends the launch because of a failed invariant.
func (s *Schedule) Fail(err error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.Stop()
	s.failure = err
}

// Found keeps what Run returns.
func (s *Schedule) Found(d diag.Diagnostic) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.found = append(s.found, d)
}
