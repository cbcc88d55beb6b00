// The times of a stream's work: which launches are timed, and how their times are read.

package gpu

import (
	"context"
	"errors"
	"runtime/trace"
	"sync"
	"time"

	"github.com/gpuc/gpuc/runtime/driver"
)

// streamTimes are the times that a device notes of a stream's work. They outlive profiles, as the
// driver's slots are dear.
type streamTimes struct {
	device *Device
	stream driver.Stream

	// of what the stream is given, with its mutex held. Those that a launch needs which is only
	// counted come first, for the processor's caches.
	profile *Profile        // that runs
	of      *profiledDevice // of it
	ranges  *ranges         // of it
	skip    int             // launches until one may be timed
	given   int             // launches since a moment, the last wait as a rule
	since   time.Duration   // that moment
	every   time.Duration   // from a launch to the next, waits included; 0 if that is not known yet
	waits   *tally          // of what the host last waited for
	track   int             // of the stream in the profile's trace
	random  uint32

	mutex  sync.Mutex
	none   bool // the device has no times, or no more slots
	closed bool
	stamps []driver.Stamps // of stampPairs pairs of slots each
	free   []int           // pairs
	flying []flight        // pairs that were put, the first put first
}

// flight is a launch whose times are not read yet.
type flight struct {
	pair   int
	of     *tally // nil if it failed
	device *profiledDevice
	track  int
	counts uint64
	did    Work
	given  time.Duration // when the host gave it
}

const (
	stampPairs = 16 // of slots that are made together
	// mostPairs are in flight at a time, when all launches are timed; fewPairs otherwise.
	mostPairs = 2048
	fewPairs  = 256
	// enough pairs in flight to look whether some have passed
	enough = 16
)

// times returns the stream's times for a profile. The stream's mutex is held.
func (s *Stream) timesFor(p *Profile) *streamTimes {
	if t := s.times; t != nil && t.profile == p {
		return t
	}
	return s.newTimes(p)
}

// newTimes is timesFor for the stream's first work in a profile.
func (s *Stream) newTimes(p *Profile) *streamTimes {
	t := s.times
	if t == nil {
		t = &streamTimes{device: s.device, stream: s.stream}
		s.times = t
	}
	t.profile, t.of, t.ranges = p, p.device(s.device), p.marks.ranges
	t.skip, t.given, t.every, t.since, t.waits = 0, 0, 0, p.now(), nil
	t.of.mutex.Lock()
	defer t.of.mutex.Unlock()
	t.of.tracks++
	t.track = t.of.tracks
	t.random = uint32(t.track) * 0x9e3779b9
	if !t.of.over {
		t.of.streams = append(t.of.streams, t)
	}
	return t
}

// skips notes that the stream is given work, and reports whether that is only to be counted.
func (t *streamTimes) skips(w *tally) bool {
	t.given++
	t.skip--
	return t.skip >= 0 && !w.isNew() && t.ranges == nil && !trace.IsEnabled()
}

// run counts a call that gives the stream work, and may have the device time it.
func (t *streamTimes) run(w *tally, did Work, guessed bool, call func() error) error {
	if t.skips(w) {
		return w.ran(did, guessed, call())
	}
	return t.mark(w, did, guessed, call)
}

// mark has other tools see a call, which may be timed.
func (t *streamTimes) mark(w *tally, did Work, guessed bool, call func() error) error {
	m := t.profile.marks.begin(context.Background(), w.name)
	defer m.end()
	if t.skip >= 0 && !w.isNew() {
		return w.ran(did, guessed, call())
	}
	return t.choose(w, did, guessed, call)
}

// ran counts work of a call that has returned err.
func (w *tally) ran(did Work, guessed bool, err error) error {
	if err == nil {
		w.add(did, guessed)
	}
	return err
}

// choose times the call if the budget allows it.
func (t *streamTimes) choose(w *tally, did Work, guessed bool, call func() error) error {
	p := t.profile
	const many = 4096 // launches without a wait, so many that the device holds the host up
	now := p.now()
	if t.every == 0 || t.given > many {
		t.measure(now)
	}
	allowed, pause := p.budget.always(), time.Duration(0)
	if !allowed {
		allowed, pause = p.budget.allows(now, w.isNew())
	}
	pair := -1
	if allowed {
		pair = t.take(p.budget.always())
	}
	if pair < 0 {
		t.wait(pause)
		return w.ran(did, guessed, call())
	}
	failure := t.put(2 * pair)
	put := p.now()
	err := w.ran(did, guessed, call())
	called := p.now()
	if failure == nil {
		failure = t.put(2*pair + 1)
	}
	f := flight{pair: pair, device: t.of, track: t.track, did: did, given: put}
	if err == nil && failure == nil {
		f.of, f.counts = w, w.weight()
	}
	t.fly(f, failure)
	end := p.now()
	if !p.budget.always() {
		t.wait(p.budget.spend(put - now + end - called))
	}
	return err
}

// measure measures how fast launches come, up to now.
func (t *streamTimes) measure(now time.Duration) {
	if t.given > 0 {
		t.every = max(1, (now-t.since)/time.Duration(t.given))
	}
	t.given, t.since = 0, now
}

// waited is called when the host has waited for the stream's work, from one moment to another: all
// times have passed, and the budget may allow more than it did.
func (t *streamTimes) waited(began, ended time.Duration) {
	p, now := t.profile, ended
	if t.collect(true) > 0 {
		now = p.now()
	}
	t.measure(now)
	allowed, pause := p.budget.waited(now, ended-began, now-ended)
	if skip := t.skip; !allowed && !p.budget.always() {
		t.wait(pause)
		t.skip = min(skip, t.skip)
	} else {
		t.skip = 0
	}
}

// wait has launches skipped for about some time. The number is random, so that loops of some
// kernels have each of them timed.
func (t *streamTimes) wait(pause time.Duration) {
	if pause <= 0 {
		t.skip = 0
		return
	}
	const mostSkipped = 1 << 16
	n := min(pause/max(t.every, 1), mostSkipped)
	t.random ^= t.random << 13 // xorshift
	t.random ^= t.random >> 17
	t.random ^= t.random << 5
	t.skip = int(n/2) + int(t.random%uint32(n+1))
}

// take returns a pair of slots, or -1 if there is none.
func (t *streamTimes) take(all bool) int {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if len(t.flying) >= enough {
		t.readPassed(false)
	}
	most := fewPairs
	if all {
		most = mostPairs
	}
	if len(t.free) == 0 && !t.none && len(t.stamps)*stampPairs < most {
		t.grow()
	}
	n := len(t.free)
	if n == 0 {
		return -1
	}
	pair := t.free[n-1]
	t.free = t.free[:n-1]
	return pair
}

// grow makes more slots.
func (t *streamTimes) grow() {
	stamps, err := t.newStamps(2 * stampPairs)
	if err != nil {
		t.none = true
		t.of.limited("launches are not timed: " + err.Error())
		return
	}
	for n := range stampPairs {
		t.free = append(t.free, len(t.stamps)*stampPairs+stampPairs-1-n)
	}
	t.stamps = append(t.stamps, stamps)
}

func (t *streamTimes) newStamps(n int) (driver.Stamps, error) {
	if s, ok := t.stream.(driver.Stamping); ok {
		return s.NewStamps(n)
	}
	first, err := t.device.firstEvent(t.stream)
	if err != nil {
		return nil, err
	}
	return driver.NewEventStamps(t.stream, n, first), nil
}

// firstEvent returns the event from which stamps count that are events.
func (d *Device) firstEvent(s driver.Stream) (driver.Event, error) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	var err error
	if d.first == nil {
		d.first, err = s.Record()
	}
	return d.first, err
}

// slot returns where a slot is.
func (t *streamTimes) slot(n int) (driver.Stamps, int) {
	return t.stamps[n/(2*stampPairs)], n % (2 * stampPairs)
}

// put has the device note the time in a slot.
func (t *streamTimes) put(n int) error {
	t.mutex.Lock()
	stamps, slot := t.slot(n)
	t.mutex.Unlock()
	return stamps.Put(slot)
}

// fly adds a pair that was put to those in flight. One that failed is not used again.
func (t *streamTimes) fly(f flight, failure error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if failure == nil {
		t.flying = append(t.flying, f)
	}
}

// collect reads the times that have passed, or all if it is known that they have, and returns how
// many. It runs inside enter and leave of the device.
func (t *streamTimes) collect(all bool) int {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return t.readPassed(all)
}

// readPassed is collect with the mutex held. Pairs pass in order: if one has, so have those before.
func (t *streamTimes) readPassed(all bool) int {
	passed := len(t.flying)
	for passed > 0 && !all {
		stamps, slot := t.slot(2*t.flying[passed-1].pair + 1)
		ok, err := stamps.Passed(slot)
		if err != nil {
			t.none = true
			t.flying[passed-1].device.limited("times were lost: " + err.Error())
			return 0
		}
		if ok {
			break
		}
		passed /= 2
	}
	for n := range passed {
		f := &t.flying[n]
		if f.of != nil {
			t.tell(f)
		}
		t.free = append(t.free, f.pair)
	}
	rest := copy(t.flying, t.flying[passed:])
	clear(t.flying[rest:])
	t.flying = t.flying[:rest]
	if t.closed && rest == 0 {
		t.release()
	}
	return passed
}

// tell gives the time of a launch to its work and to the trace.
func (t *streamTimes) tell(f *flight) {
	stamps, from := t.slot(2 * f.pair)
	at, took, err := stamps.Times(from, from+1)
	if err != nil {
		if !errors.Is(err, ErrUnsupported) {
			t.none = true
		}
		f.device.limited("times were lost: " + err.Error())
		return
	}
	f.of.time(took, f.counts, f.did)
	f.device.mutex.Lock()
	if lag := f.given - at; !f.device.lagIsKnown || lag > f.device.lag {
		f.device.lag, f.device.lagIsKnown = lag, true // nothing begins before it was given
	}
	f.device.mutex.Unlock()
	f.device.profile.events.add(event{name: f.of.name, device: f.device, track: f.track, begin: at, took: took, did: f.did})
}

// end is called when the stream is closed. Its mutex is held.
func (t *streamTimes) end() {
	if t == nil {
		return
	}
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.closed = true
	t.readPassed(false)
}

// release gives the slots back.
func (t *streamTimes) release() {
	for _, s := range t.stamps {
		_ = s.Close()
	}
	t.stamps, t.free, t.none = nil, nil, true
}
