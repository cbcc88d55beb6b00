package gpu

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gpuc/gpuc/runtime/driver"
)

// endlessDevice is a device whose launches never end until the test ends them.
type endlessDevice struct {
	*fakeDevice
	closed chan struct{} // closed by Close
	ended  chan struct{} // closed when launches end

	mutex  sync.Mutex
	events int // that are not closed
}

type endlessStream struct {
	driver.Stream
	device   *endlessDevice
	launched bool
}

type endlessEvent struct {
	device *endlessDevice
	behind bool // behind a launch
}

func (d *endlessDevice) Name() string                    { return "endless" }
func (d *endlessDevice) Devices() ([]driver.Info, error) { return []driver.Info{d.about}, nil }
func (d *endlessDevice) Open(int) (driver.Device, error) { return d, nil }

func (d *endlessDevice) NewStream() (driver.Stream, error) {
	s, err := d.fakeDevice.NewStream()
	return &endlessStream{Stream: s, device: d}, err
}

func (d *endlessDevice) Close() error {
	<-d.ended // as drivers wait for all work
	defer close(d.closed)
	return d.fakeDevice.Close()
}

func (d *endlessDevice) hasEnded() bool {
	select {
	case <-d.ended:
		return true
	default:
		return false
	}
}

func (s *endlessStream) Launch(l *driver.Launch) error {
	s.launched = true
	return s.Stream.Launch(l)
}

func (s *endlessStream) Wait(ctx context.Context) error { return s.device.wait(ctx, s.launched) }

func (s *endlessStream) Record() (driver.Event, error) {
	s.device.mutex.Lock()
	defer s.device.mutex.Unlock()
	s.device.events++
	return &endlessEvent{s.device, s.launched}, nil
}

func (d *endlessDevice) wait(ctx context.Context, launched bool) error {
	if !launched {
		return nil
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-d.ended:
		return nil
	}
}

func (e *endlessEvent) Done() (bool, error)                       { return !e.behind || e.device.hasEnded(), nil }
func (e *endlessEvent) Wait(ctx context.Context) error            { return e.device.wait(ctx, e.behind) }
func (e *endlessEvent) Since(driver.Event) (time.Duration, error) { return 0, driver.ErrUnsupported }

func (e *endlessEvent) Close() error {
	e.device.mutex.Lock()
	defer e.device.mutex.Unlock()
	e.device.events--
	return nil
}

// endless opens a device and launches a kernel on a stream. A wait for it is given up.
func endless(t *testing.T) (*Device, *Stream, *endlessDevice) {
	t.Helper()
	inner := must((&fakeDriver{name: "endless", kinds: []driver.Kind{driver.GPU}}).Open(0)).(*fakeDevice)
	e := &endlessDevice{fakeDevice: inner, closed: make(chan struct{}), ended: make(chan struct{})}
	d := must(openDevice(e, inner.about, new(choice)))
	s := must(d.NewStream())
	launchFake(t, d, s)
	giveUp(t, s)
	return d, s, e
}

func launchFake(t *testing.T, d *Device, s *Stream) {
	t.Helper()
	x, y, p := must(Alloc[float32](d, 8)), must(Alloc[float32](d, 8)), must(Alloc[uint32](d, 2))
	check(t, s.Run(must(d.Load(artefact())), D1(1), x, y, p))
}

// giveUp waits with a context that ends.
func giveUp(t *testing.T, s *Stream) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	err := s.Wait(ctx)
	const want = "context deadline exceeded: the stream's work goes on, kernel k or what came before it; wait again, or close the stream to abandon it"
	if !errors.Is(err, context.DeadlineExceeded) || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestEndlessKernel gives up a kernel that never ends. The program goes on: other streams and
// devices work, the stream and the device are closed at once, and their memory is freed when the
// kernel ends after all.
func TestEndlessKernel(t *testing.T) {
	for name, closed := range map[string]func(s *Stream) error{
		"the stream is closed": (*Stream).Close,
		"the stream is open":   func(*Stream) error { return nil },
	} {
		t.Run(name, func(t *testing.T) {
			d, s, e := endless(t)
			buffer := must(Alloc[float32](d, 16))
			other := must(d.NewStream())
			check(t, other.Wait(context.Background()))
			check(t, closed(s))
			check(t, other.Wait(context.Background()))
			next, _ := newFake(t)
			check(t, must(next.NewStream()).Wait(context.Background()))

			err := d.Close()
			if err == nil || !strings.Contains(err.Error(), "the device cannot stop the work that was abandoned") {
				t.Errorf("closing the device gives %v", err)
			}
			check(t, d.Close())
			check(t, s.Close())
			check(t, buffer.Close())
			again := must((&fakeDriver{name: "endless", kinds: []driver.Kind{driver.GPU}}).Open(0)).(*fakeDevice)
			shares := &endlessDevice{fakeDevice: again, closed: make(chan struct{}), ended: e.ended}
			if err := must(openDevice(shares, again.about, new(choice))).Close(); err == nil {
				t.Error("a device that shares the context is closed without an error")
			}
			if e.isClosed() {
				t.Error("the driver's device is closed under the kernel")
			}
			close(e.ended)
			<-e.closed
			<-shares.closed
			if e.events != 0 {
				t.Errorf("%d events are left", e.events)
			}
			for _, m := range e.mistakes {
				t.Error(m)
			}
		})
	}
}

func (d *endlessDevice) isClosed() bool {
	select {
	case <-d.closed:
		return true
	default:
		return false
	}
}

// TestAbandonedWorkThatEnds closes devices whose abandoned work has ended, or is wanted again: the
// device is closed when Close returns, without an error.
func TestAbandonedWorkThatEnds(t *testing.T) {
	for name, between := range map[string]func(s *Stream, e *endlessDevice){
		"ended":                  func(s *Stream, e *endlessDevice) { close(e.ended) },
		"ended behind the close": func(s *Stream, e *endlessDevice) { check(t, s.Close()); close(e.ended) },
		"wanted again": func(s *Stream, e *endlessDevice) {
			check(t, must(s.Record()).Close())
			go close(e.ended)
		},
		"waited for": func(s *Stream, e *endlessDevice) {
			close(e.ended)
			check(t, s.Wait(context.Background()))
		},
	} {
		t.Run(name, func(t *testing.T) {
			d, s, e := endless(t)
			between(s, e)
			check(t, d.Close())
			if !e.isClosed() {
				t.Error("the driver's device is open")
			}
			if e.events != 0 {
				t.Errorf("%d events are left", e.events)
			}
		})
	}
}

// TestAbandonedStreamsKeepNoEvents closes many streams whose work ends later.
func TestAbandonedStreamsKeepNoEvents(t *testing.T) {
	d, s, e := endless(t)
	check(t, s.Close())
	close(e.ended)
	for range 100 {
		s := must(d.NewStream())
		launchFake(t, d, s)
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		_ = s.Wait(ctx)
		check(t, s.Close())
		if e.events > 1 {
			t.Fatalf("%d events are kept", e.events)
		}
	}
	check(t, d.Close())
}
