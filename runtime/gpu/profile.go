// Profiles: what programs do with devices, and how long it takes.

package gpu

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"
	"weak"
)

// Profile measures what the program does with all its devices: launches and replays, copies, waits
// and memory. StartProfile makes it. While none runs, a launch costs one comparison more.
//
// Devices note times before and behind a launch, and the program reads them later, so nothing waits
// for them. That costs some microseconds of the host and the device. So not all launches are timed:
// those that are timed are chosen at random, as many as MaxOverhead allows, and the first two of
// each kernel. All are counted. Totals are estimates where launches were not timed: a timed launch
// counts for those of its kernel since the one before.
//
// The time of a launch ends when its work has finished. It begins when the work before it has. So
// on a device without other work it has the start of the kernel, some 2 to 5 µs on GPUs.
type Profile struct {
	options ProfileOptions
	started time.Time
	budget  budget
	marks   marks // of other tools
	events  events

	mutex   sync.Mutex
	ended   time.Duration // since the start, or 0 while it runs
	open    map[*Device]*profiledDevice
	devices []*profiledDevice
	ranges  tallies
}

// ProfileOptions are those of StartProfile. The zero value is the usual choice.
type ProfileOptions struct {
	// MaxOverhead is the part of the program's time that timing may take, on the host and on
	// devices. 0 means 0.005. With 1 or more all launches are timed, which may make small kernels
	// twice as slow.
	MaxOverhead float64
	// Events is how many events are kept for WriteTrace, the last ones. 0 means 65536.
	Events int
	// NVTX has NVIDIA's tools see launches, copies, waits and ranges by name. It is ErrUnsupported
	// where their library is missing. Nsight enables it by itself, as it sets
	// NVTX_INJECTION64_PATH.
	NVTX bool
}

// Defaults of ProfileOptions.
const (
	usualOverhead = 0.005
	usualEvents   = 1 << 16
)

// ErrProfiling says that a profile runs already: there is one at a time.
var ErrProfiling = errors.New("a profile is running already")

// profiling is the profile that runs, or nil.
var profiling atomic.Pointer[Profile]

// StartProfile starts a profile of all devices, also of those that are opened later. It is
// ErrProfiling if one runs, and ErrShape if an option makes no sense.
func StartProfile(options ProfileOptions) (*Profile, error) {
	if options.MaxOverhead < 0 || options.MaxOverhead != options.MaxOverhead || options.Events < 0 {
		return nil, fmt.Errorf("start a profile: %w: an overhead of %v and %d events", ErrShape, options.MaxOverhead, options.Events)
	}
	if options.MaxOverhead == 0 {
		options.MaxOverhead = usualOverhead
	}
	if options.Events == 0 {
		options.Events = usualEvents
	}
	p := &Profile{options: options, started: time.Now(), open: map[*Device]*profiledDevice{}}
	p.budget.share, p.budget.most = options.MaxOverhead, usualCredit
	p.events.most = options.Events
	if err := p.marks.open(options.NVTX); err != nil {
		return nil, fmt.Errorf("start a profile: %w", err)
	}
	if !profiling.CompareAndSwap(nil, p) {
		return nil, fmt.Errorf("start a profile: %w", ErrProfiling)
	}
	for _, d := range OpenDevices() {
		p.device(d)
	}
	return p, nil
}

// RunningProfile returns the profile that runs, or nil.
func RunningProfile() *Profile { return profiling.Load() }

// valid reports whether StartProfile made the profile.
func (p *Profile) valid() bool { return p != nil && p.open != nil }

// Stop ends the profile. Its report and its trace stay as they are then. Times of work that has not
// finished are not in them, so programs wait before. Stopping twice is no error.
func (p *Profile) Stop() error {
	if !p.valid() {
		return invalid("stop a profile", profileMaker)
	}
	if !profiling.CompareAndSwap(p, nil) {
		return nil
	}
	p.collect()
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.ended = p.now()
	for d, of := range p.open {
		of.end(d)
	}
	clear(p.open)
	return nil
}

// now is the time since the start.
func (p *Profile) now() time.Duration { return time.Since(p.started) }

// took is how long the profile has run.
func (p *Profile) took() time.Duration {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.ended > 0 {
		return p.ended
	}
	return p.now()
}

// collect reads the times that devices have noted.
func (p *Profile) collect() {
	p.mutex.Lock()
	var all []*streamTimes
	for _, of := range p.open {
		of.mutex.Lock()
		all = append(all, of.streams...)
		of.mutex.Unlock()
	}
	p.mutex.Unlock()
	for _, t := range all {
		if t.device.enter() == nil {
			t.collect(false)
			t.device.leave()
		}
	}
}

// profiledDevice is what a profile knows of a device.
type profiledDevice struct {
	profile *Profile
	number  int // among the profile's devices
	info    Info

	kernels, replays, copies, waits tallies
	reserving                       tally // memory of the driver

	mutex       sync.Mutex
	before      MemoryStats // at the start
	after       MemoryStats // at the end, once that is there
	over        bool
	streams     []*streamTimes
	tracks      int
	lag         time.Duration // of the device's clock behind the profile's, as far as is known
	lagIsKnown  bool
	limitations map[string]bool // sentences for people
}

// device returns what the profile knows of a device.
func (p *Profile) device(d *Device) *profiledDevice {
	if of := d.profiled.Load(); of != nil && of.profile == p {
		return of
	}
	memory := d.Memory()
	p.mutex.Lock()
	defer p.mutex.Unlock()
	of := p.open[d]
	if of == nil {
		of = &profiledDevice{profile: p, number: len(p.devices), info: d.info, before: memory}
		of.reserving.name = "reserve memory"
		p.devices = append(p.devices, of)
		if p.ended == 0 {
			p.open[d] = of
		}
	}
	d.profiled.Store(of)
	return of
}

// end keeps what is known of a device that is closed, or no longer profiled.
func (of *profiledDevice) end(d *Device) {
	memory := d.Memory()
	of.mutex.Lock()
	defer of.mutex.Unlock()
	of.after, of.over = memory, true
	of.streams = nil
	d.profiled.CompareAndSwap(of, nil)
}

// memory returns the statistics of the device's memory before and now, or at the end.
func (of *profiledDevice) memory(d *Device) (before, now MemoryStats) {
	if d != nil {
		now = d.Memory()
	}
	of.mutex.Lock()
	defer of.mutex.Unlock()
	if of.over || d == nil {
		now = of.after
	}
	return of.before, now
}

// closing is called by Device.Close before the driver closes, when no call is under way.
func (p *Profile) closing(d *Device) {
	p.mutex.Lock()
	of := p.open[d]
	delete(p.open, d)
	p.mutex.Unlock()
	if of == nil {
		return
	}
	for _, t := range of.streams {
		t.collect(false)
	}
	of.end(d)
}

// limited notes a limitation, for people.
func (of *profiledDevice) limited(sentence string) {
	of.mutex.Lock()
	defer of.mutex.Unlock()
	if of.limitations == nil {
		of.limitations = map[string]bool{}
	}
	of.limitations[sentence] = true
}

// opened are the devices that are open. They may be forgotten without Close.
var opened struct {
	mutex sync.Mutex
	list  []weak.Pointer[Device]
}

// noteOpen adds a device to those that are open.
func noteOpen(d *Device) {
	opened.mutex.Lock()
	opened.list = append(opened.list, weak.Make(d))
	opened.mutex.Unlock()
	if p := profiling.Load(); p != nil {
		p.device(d)
	}
}

// noteClosed removes a device, and returns how many are open.
func noteClosed(d *Device) int {
	opened.mutex.Lock()
	defer opened.mutex.Unlock()
	opened.list = slices.DeleteFunc(opened.list, func(w weak.Pointer[Device]) bool { return w.Value() == nil || w.Value() == d })
	return len(opened.list)
}

// OpenDevices returns the devices that are open, the first opened first.
func OpenDevices() (list []*Device) {
	opened.mutex.Lock()
	defer opened.mutex.Unlock()
	for _, w := range opened.list {
		if d := w.Value(); d != nil && !d.life.over() {
			list = append(list, d)
		}
	}
	return list
}
