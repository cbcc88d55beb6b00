// Where calls of the package meet the profile that runs.

package gpu

import (
	"context"
	"fmt"

	"github.com/gpuc/gpuc/runtime/abi"
)

// Expect says what the next launch of the stream does, for the profile that runs. Without it, a
// launch counts as moving the bytes of its buffers, those that it may write twice, and its
// operations are unknown. In Capture it is what each replay of the launch does.
func (s *Stream) Expect(w Work) {
	if !s.valid() || profiling.Load() == nil && s.recorder.Load() == nil {
		return
	}
	s.mutex.Lock()
	s.expected = w
	s.mutex.Unlock()
}

// doing returns what a launch with some arguments does, and whether its bytes are a guess. The
// mutexes of the stream and the arguments are held.
func (s *Stream) doing(args *Args) (w Work, guessed bool) {
	w, s.expected = s.expected, Work{}
	if w.Bytes == 0 {
		if args.moves == 0 {
			args.moves = args.boundBytes()
		}
		w.Bytes, guessed = args.moves, true
	}
	return w, guessed
}

// boundBytes are the bytes of the buffers, those that may be written twice. Uniform buffers are not
// counted: they are small, and each invocation reads the same.
func (a *Args) boundBytes() (sum uint64) {
	for n := range a.kernel.arguments {
		switch a.kernel.arguments[n].Access {
		case abi.Read:
			sum += a.parts[n].Bytes
		case abi.ReadWrite:
			sum += 2 * a.parts[n].Bytes
		}
	}
	return sum
}

// launchProfiled is enqueueLaunch in a profile.
func (s *Stream) launchProfiled(p *Profile, args *Args) error {
	if s.launch.IsEmpty() {
		return s.enqueueLaunch()
	}
	t := s.timesFor(p)
	did, guessed := s.doing(args)
	w := args.kernel.tally(t.of, did)
	if t.skips(w) {
		return w.ran(did, guessed, s.enqueueLaunch())
	}
	return t.mark(w, did, guessed, s.enqueueLaunch)
}

// enqueueLaunch gives the driver s.launch.
func (s *Stream) enqueueLaunch() error { return s.stream.Launch(&s.launch) }

// tally returns the kernel's tally, which is made at the launch that does did. Kernels of one name
// share it.
func (k *Kernel) tally(of *profiledDevice, did Work) *tally {
	if known := k.profiled.Load(); known != nil && known.of == of {
		return known
	}
	w := of.kernels.usually(of, k.description.Name, did)
	k.profiled.Store(w)
	return w
}

// The kinds of copies in profiles.
const (
	copyWrite        = "write"
	copyRead         = "read"
	copyWriteAsync   = "write, asynchronous"
	copyReadAsync    = "read, asynchronous"
	copyOnDevice     = "copy on the device"
	copyUpload       = "upload"
	copyWriteTexture = "write a texture"
	copyReadTexture  = "read a texture"
)

// blocking measures a copy by a call that the host waits for.
func (d *Device) blocking(kind string, bytes int, call func() error) error {
	p := profiling.Load()
	if p == nil {
		return call()
	}
	return p.measure(p.device(d).copies.of(kind), Work{Bytes: uint64(bytes)}, call)
}

// blocking measures a copy by a call on the stream, unless it is captured.
func (s *Stream) blocking(kind string, bytes int, call func() error) error {
	if s.recorder.Load() != nil {
		return call()
	}
	return s.device.blocking(kind, bytes, call)
}

// copying has the device time a copy that nobody waits for. The stream's mutex is held.
func (s *Stream) copying(kind string, bytes uint64, call func() error) error {
	p := profiling.Load()
	if p == nil || s.recorder.Load() != nil || bytes == 0 {
		return call()
	}
	t := s.timesFor(p)
	return t.run(t.of.copies.of(kind), Work{Bytes: bytes}, false, call)
}

// profiled measures how the driver reserves memory. The mutex is held.
func (p *pool) profiled(bytes uint64, reserve func() error) error {
	running := profiling.Load()
	if running == nil || p.owner == nil {
		return reserve()
	}
	of := p.owner.profiled.Load()
	if of == nil || of.profile != running { // it has just been started
		return reserve()
	}
	return running.measure(&of.reserving, Work{Bytes: bytes}, reserve)
}

// waitProfiled measures a wait of the host, and reads the times of what it has waited for.
func (s *Stream) waitProfiled(ctx context.Context, p *Profile, what string) error {
	t, w := s.times, (*tally)(nil)
	if t != nil && t.profile == p {
		w = t.waits
	} else {
		t = nil
	}
	if w == nil || w.name != what {
		w = p.device(s.device).waits.of(what)
	}
	began, ended, err := p.measured(w, Work{}, func() error { return s.stream.Wait(ctx) })
	if t != nil {
		t.waits = w
		if err == nil {
			t.waited(began, ended)
		}
	}
	return err
}

// recordedKernel is what a kernel does in a recording.
type recordedKernel struct {
	name    string
	count   uint64
	did     Work // all launches together
	guessed uint64
}

// noteLaunch notes a launch in a capture, for profiles of its replays.
func (c *capture) noteLaunch(name string, did Work, guessed bool) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	n, known := c.kernelAt[name]
	if !known {
		if c.kernelAt == nil {
			c.kernelAt = map[string]int{}
		}
		n = len(c.kernels)
		c.kernelAt[name] = n
		c.kernels = append(c.kernels, recordedKernel{name: name})
	}
	k := &c.kernels[n]
	k.count++
	k.did.Bytes += did.Bytes
	k.did.FLOPs += did.FLOPs
	if guessed {
		k.guessed++
	}
}

// profiledRecording is what a profile counts of a recording.
type profiledRecording struct {
	of      *profiledDevice
	whole   *tally
	did     Work
	kernels []*tally // as in capture.kernels
}

// label names a recording in profiles. Recordings of the same kernels share it.
func (c *capture) label() string {
	launches := uint64(0)
	for n := range c.kernels {
		launches += c.kernels[n].count
	}
	switch {
	case len(c.kernels) == 0:
		return "replay without launches"
	case len(c.kernels) == 1:
		return fmt.Sprintf("replay of %d × %s", launches, c.kernels[0].name)
	}
	return fmt.Sprintf("replay of %d launches, first %s", launches, c.kernels[0].name)
}

// replayProfiled replays on a stream whose mutex is held.
func (c *capture) replayProfiled(p *Profile, s *Stream, replay func() error) error {
	t := s.timesFor(p)
	r := c.profiled
	if r.of != t.of {
		r = profiledRecording{of: t.of, whole: t.of.replays.of(c.label())}
		for n := range c.kernels {
			k := &c.kernels[n]
			each := Work{k.did.Bytes / k.count, k.did.FLOPs / k.count}
			r.kernels = append(r.kernels, t.of.kernels.usually(t.of, k.name, each))
			r.did.Bytes += k.did.Bytes
			r.did.FLOPs += k.did.FLOPs
		}
		c.profiled = r
	}
	err := t.run(r.whole, r.did, true, replay)
	if err == nil {
		for n, w := range r.kernels {
			w.replayed.Add(c.kernels[n].count)
		}
	}
	return err
}
