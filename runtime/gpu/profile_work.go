// What a profile counts of each kind of work, and its budget for timing.

package gpu

import (
	"math"
	"sync"
	"sync/atomic"
	"time"
)

// Work is what a launch does, as far as the caller knows. 0 is unknown.
type Work struct {
	// Bytes are those that it moves from and to memory.
	Bytes uint64
	// FLOPs are its operations on floats, two in a fused multiply-add.
	FLOPs uint64
}

// tally is what is known of all launches of a kernel, or of all calls of another kind.
type tally struct {
	name  string
	of    *profiledDevice // of kernels
	usual Work            // what the first launch did, if it is known
	count atomic.Uint64
	// bytes and flops are what launches did more than usual, modulo 2⁶⁴.
	bytes, flops atomic.Uint64
	guessed      atomic.Bool // bytes are, for some launches, those of their buffers
	replayed     atomic.Uint64

	mutex sync.Mutex
	upTo  uint64 // the count at the last that was chosen to be timed
	timed uint64
	// covered is how many launches the timed ones count for. The sums are of what these took and
	// did, each as often as it counts.
	covered            uint64
	took, bytesIn, ops float64
	least, most        time.Duration
}

// isNew reports whether this is one of the first launches, which are timed if that is not too dear.
func (w *tally) isNew() bool { return w.count.Load() < 2 }

// add counts work of one launch. The usual work takes one atomic operation.
func (w *tally) add(done Work, guessed bool) {
	w.count.Add(1)
	if done != w.usual {
		w.bytes.Add(done.Bytes - w.usual.Bytes)
		w.flops.Add(done.FLOPs - w.usual.FLOPs)
	}
	if guessed && !w.guessed.Load() {
		w.guessed.Store(true)
	}
}

// sums returns how many launches there were, and what they did together.
func (w *tally) sums() (count uint64, did Work) {
	did = Work{w.bytes.Load(), w.flops.Load()} // before the count, so that they stay below it
	count = w.count.Load()
	did.Bytes += count * w.usual.Bytes
	did.FLOPs += count * w.usual.FLOPs
	return count, did
}

// weight says that the launch counted last is timed, and returns for how many it counts.
func (w *tally) weight() uint64 {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	n := w.count.Load()
	since := n - min(w.upTo, n)
	w.upTo = n
	return max(since, 1)
}

// time adds the time of a launch that counts for some.
func (w *tally) time(took time.Duration, of uint64, done Work) {
	took = max(took, 0)
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if w.timed == 0 || took < w.least {
		w.least = took
	}
	w.most = max(w.most, took)
	w.timed++
	w.covered += of
	w.took += float64(took) * float64(of)
	w.bytesIn += float64(done.Bytes) * float64(of)
	w.ops += float64(done.FLOPs) * float64(of)
}

// call counts and times a call that was timed as a whole.
func (w *tally) call(took time.Duration, done Work) {
	w.add(done, false)
	w.time(took, 1, done)
}

// tallies are by name.
type tallies struct {
	mutex  sync.Mutex
	byName map[string]*tally
	list   []*tally
}

// of returns the tally of a name.
func (s *tallies) of(name string) *tally { return s.usually(nil, name, Work{}) }

// usually returns the tally of a name, whose launches on a device usually do some work.
func (s *tallies) usually(of *profiledDevice, name string, did Work) *tally {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	w := s.byName[name]
	if w == nil {
		if s.byName == nil {
			s.byName = map[string]*tally{}
		}
		w = &tally{name: name, of: of, usual: did}
		s.byName[name] = w
		s.list = append(s.list, w)
	}
	return w
}

// all returns the tallies, the first named first.
func (s *tallies) all() []*tally {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.list[:len(s.list):len(s.list)]
}

// budget is the time that timing may take: a share of the time that passes. What is not used is
// kept up to usualCredit, so that the launches after a pause are not all timed. It is kept up to
// the share of the last wait if that is more: then devices are busy for so long that it does not
// matter when.
type budget struct {
	share  float64
	mutex  sync.Mutex
	most   time.Duration // of the credit
	credit time.Duration // negative for what was spent too early
	last   time.Duration // when the credit was raised
}

const (
	usualCredit = 50 * time.Microsecond
	// mostDebt is what kernels that are new may spend too early.
	mostDebt = time.Millisecond
	// deviceToo is by what the host's cost is multiplied: a device takes about as long.
	deviceToo = 2
	// leastCost is what a timed launch costs at least, as far as the budget is concerned. Most of
	// it is neither in the calls nor in the times: the device has less work waiting behind it. On
	// an H200 with launches of 4 µs, timing all makes each 10 µs longer in CUDA, and 5 µs in
	// Vulkan.
	leastCost = 10 * time.Microsecond
)

// always reports whether everything is timed.
func (b *budget) always() bool { return b.share >= 1 }

// allows reports whether something may be timed, and otherwise after how much time.
func (b *budget) allows(now time.Duration, isNew bool) (bool, time.Duration) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.raise(now)
	if b.credit > 0 || isNew && b.credit > -mostDebt {
		return true, 0
	}
	return false, b.pause()
}

// raise adds the credit of the time up to now.
func (b *budget) raise(now time.Duration) {
	if now > b.last {
		b.credit = min(b.most, b.credit+time.Duration(float64(now-b.last)*b.share))
		b.last = now
	}
}

// spend takes what timing a launch has cost the host, and returns for how long nothing should be
// timed.
func (b *budget) spend(cost time.Duration) time.Duration {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.credit -= max(leastCost, deviceToo*cost)
	return b.pause()
}

// waited says that the host was blocked until now, and how long it has read times since. It
// returns whether something may be timed, and otherwise after how much time.
func (b *budget) waited(now, blocked, reading time.Duration) (bool, time.Duration) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.most = max(usualCredit, time.Duration(float64(blocked)*b.share))
	b.raise(now)
	b.credit -= deviceToo * reading
	return b.credit > 0, b.pause()
}

// pause is how long it takes until there is credit.
func (b *budget) pause() time.Duration {
	if b.credit > 0 {
		return 0
	}
	return time.Duration(math.Min(float64(1-b.credit)/b.share, float64(time.Hour)))
}
