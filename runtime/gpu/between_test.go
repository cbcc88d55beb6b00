package gpu_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gpuc/gpuc/internal/drivertest"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// openPair opens two devices by name, or skips if there are none.
func openPair(t testing.TB, first, second string) (a, b *gpu.Device) {
	t.Helper()
	var devices []*gpu.Device
	for _, name := range []string{first, second} {
		d, err := gpu.Open(gpu.Named(name))
		if errors.Is(err, gpu.ErrNoDevice) {
			t.Skipf("there is no device %s (Debian: mesa-vulkan-drivers)", name)
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := d.Close(); err != nil {
				t.Error(err)
			}
		})
		devices = append(devices, d)
	}
	return devices[0], devices[1]
}

// pairs are devices between which each path leads.
var pairs = []struct {
	first, second string
	path          gpu.Path
}{{"cpu", "cpu", gpu.PeerPath}, {"vulkan:0", "vulkan:0", gpu.HostPath}, {"vulkan:0", "cpu", gpu.HostPath}, {"cpu", "vulkan:0", gpu.HostPath}}

// TestCopyBetween runs random writes and copies on the streams of two devices, two each. The result
// is that of the same calls one after the other: streams wait for each other in both directions.
func TestCopyBetween(t *testing.T) {
	for _, p := range pairs {
		t.Run(p.first+" and "+p.second, func(t *testing.T) {
			a, b := openPair(t, p.first, p.second)
			if path, err := a.PathTo(b); err != nil || path != p.path {
				t.Errorf("the path is %v, %v, want %v", path, err, p.path)
			}
			if path, err := a.PathTo(a); err != nil || path != gpu.SameDevice {
				t.Errorf("the path within a device is %v, %v", path, err)
			}
			for seed := range uint64(testmode.Count(3, 10, 40)) {
				randomCopies(t, seed, a, b)
			}
		})
	}
}

// randomCopies gives each stream some buffers, which no other one uses.
func randomCopies(t *testing.T, seed uint64, devices ...*gpu.Device) {
	r := rand.New(rand.NewPCG(seed, 1))
	failed := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
	type buffer struct {
		stream *gpu.Stream
		memory *gpu.Buffer[uint16]
		want   []uint16
	}
	var buffers []buffer
	const length = 6000
	for _, d := range devices {
		for range 2 {
			s, err := d.NewStream()
			failed(err)
			defer s.Close()
			for range 2 {
				m, err := gpu.Alloc[uint16](d, length)
				failed(err)
				defer m.Close()
				buffers = append(buffers, buffer{s, m, make([]uint16, length)})
			}
		}
	}
	next := uint16(1)
	for range 60 {
		to, from := &buffers[r.IntN(len(buffers))], &buffers[r.IntN(len(buffers))]
		n := 2 * (1 + r.IntN(length/2))
		at, off := 2*r.IntN((length-n)/2+1), 2*r.IntN((length-n)/2+1)
		dst, err := to.memory.Slice(at, at+n)
		failed(err)
		if to == from || r.IntN(3) == 0 {
			data := make([]uint16, n)
			for i := range data {
				data[i] = next
				next++
			}
			failed(dst.Write(to.stream, data))
			copy(to.want[at:], data)
			continue
		}
		src, err := from.memory.Slice(off, off+n)
		failed(err)
		failed(gpu.CopyBetween(to.stream, dst, from.stream, src))
		copy(to.want[at:at+n], from.want[off:])
	}
	got := make([]uint16, length)
	for n, b := range buffers {
		failed(b.memory.Read(t.Context(), b.stream, got))
		if !slices.Equal(got, b.want) {
			i := 0
			for got[i] == b.want[i] {
				i++
			}
			t.Fatalf("seed %d: element %d of buffer %d is %d, want %d", seed, i, n, got[i], b.want[i])
		}
	}
}

// TestCopyBetweenTogether copies in both directions from several goroutines, which must not wait
// for each other for ever.
func TestCopyBetweenTogether(t *testing.T) {
	a, b := openPair(t, "cpu", "cpu")
	s, err1 := a.NewStream()
	u, err2 := b.NewStream()
	x, err3 := gpu.Upload(t.Context(), a, []int32{1, 2, 3, 4})
	y, err4 := gpu.Upload(t.Context(), b, []int32{1, 2, 3, 4})
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for n := range 4 {
		group.Go(func() {
			for range 200 {
				var err error
				if n%2 == 0 {
					err = gpu.CopyBetween(u, y, s, x)
				} else {
					err = gpu.CopyBetween(s, x, u, y)
				}
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	group.Wait()
	got := make([]int32, 4)
	if err := y.Read(t.Context(), u, got); err != nil || !slices.Equal(got, []int32{1, 2, 3, 4}) {
		t.Errorf("%v, %v", got, err)
	}
}

// TestCopyBetweenAllocates nothing once it has run.
func TestCopyBetweenAllocates(t *testing.T) {
	if drivertest.RaceEnabled {
		t.Skip("skipped: the race detector allocates; this runs without -race")
	}
	for _, p := range pairs {
		t.Run(p.first+" and "+p.second, func(t *testing.T) {
			a, b := openPair(t, p.first, p.second)
			s, err1 := a.NewStream()
			u, err2 := b.NewStream()
			x, err3 := gpu.Alloc[float32](a, 1000)
			y, err4 := gpu.Alloc[float32](b, 1000)
			if err := errors.Join(err1, err2, err3, err4); err != nil {
				t.Fatal(err)
			}
			n := testing.AllocsPerRun(100, func() {
				if err := errors.Join(gpu.CopyBetween(u, y, s, x), u.Wait(context.Background()), s.Wait(context.Background())); err != nil {
					t.Fatal(err)
				}
			})
			own := testing.AllocsPerRun(100, func() { // which may wake goroutines
				if err := errors.Join(u.Wait(context.Background()), s.Wait(context.Background())); err != nil {
					t.Fatal(err)
				}
			})
			if n > own+2 {
				t.Errorf("a copy allocates %v times, and waits %v", n, own)
			}
		})
	}
}

// TestCopyBetweenErrors: what is wrong is said, and the streams go on.
func TestCopyBetweenErrors(t *testing.T) {
	a, b := openPair(t, "cpu", "cpu")
	s, err1 := a.NewStream()
	u, err2 := b.NewStream()
	x, err3 := gpu.Upload(t.Context(), a, []int32{1, 2, 3, 4})
	y, err4 := gpu.Alloc[int32](b, 4)
	closed, err5 := gpu.Alloc[int32](b, 4)
	two, err6 := x.Slice(0, 2)
	middle, err7 := x.Slice(1, 3)
	other, err8 := a.NewStream()
	if err := errors.Join(err1, err2, err3, err4, err5, err6, err7, err8, closed.Close()); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		got, want error
	}{
		"lengths":         {gpu.CopyBetween(u, y, s, two), gpu.ErrShape},
		"wrong streams":   {gpu.CopyBetween(s, y, u, x), gpu.ErrShape},
		"a closed buffer": {gpu.CopyBetween(u, closed, s, x), gpu.ErrClosed},
		"overlap":         {gpu.CopyBetween(s, two, other, middle), gpu.ErrAlias},
		"no stream":       {gpu.CopyBetween(nil, y, s, x), gpu.ErrClosed},
	} {
		if !errors.Is(c.got, c.want) {
			t.Errorf("%s: %v, want %v", name, c.got, c.want)
		}
	}
	_, err := s.Capture(func() error { return gpu.CopyBetween(u, y, s, x) })
	if !errors.Is(err, gpu.ErrCapture) || !strings.Contains(err.Error(), "CopyBetween is not recorded") {
		t.Errorf("in a capture: %v", err)
	}
	got := make([]int32, 4)
	if err := errors.Join(gpu.CopyBetween(u, y, s, x), y.Read(t.Context(), u, got)); err != nil || got[3] != 4 {
		t.Errorf("afterwards: %v, %v", got, err)
	}
	// A device that is closed fails alone.
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if err := gpu.CopyBetween(u, y, s, x); !errors.Is(err, gpu.ErrClosed) {
		t.Errorf("to a closed device: %v", err)
	}
	if err := x.Read(t.Context(), s, got); err != nil {
		t.Errorf("the other device: %v", err)
	}
}

// TestAfterOtherDevice has a stream wait for an event of another device, on each path.
func TestAfterOtherDevice(t *testing.T) {
	for _, p := range pairs {
		t.Run(p.first+" and "+p.second, func(t *testing.T) {
			a, b := openPair(t, p.first, p.second)
			s, err1 := a.NewStream()
			u, err2 := b.NewStream()
			x, err3 := gpu.Alloc[int32](a, 1<<16)
			if err := errors.Join(err1, err2, err3); err != nil {
				t.Fatal(err)
			}
			if err := x.Write(s, make([]int32, 1<<16)); err != nil {
				t.Fatal(err)
			}
			before, err := s.Record()
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(u.After(before), u.Wait(t.Context())); err != nil {
				t.Fatal(err)
			}
			if done, err := before.Done(); !done || err != nil {
				t.Errorf("the stream did not wait for the event: %v", err)
			}
		})
	}
}

// TestBytes reads and writes parts of a buffer.
func TestBytes(t *testing.T) {
	everyMemory(t, func(t *testing.T, d *gpu.Device) {
		s, err1 := d.NewStream()
		x, err2 := gpu.Upload(t.Context(), d, []uint32{1, 2, 3, 4})
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(err)
		}
		part := make([]byte, 4)
		if err := errors.Join(s.WriteBytes(x, 8, []byte{7, 0, 0, 0}), s.ReadBytes(t.Context(), x, 4, part)); err != nil || part[0] != 2 {
			t.Errorf("%v, %v", part, err)
		}
		got := make([]uint32, 4)
		if err := x.Read(t.Context(), s, got); err != nil || !slices.Equal(got, []uint32{1, 2, 7, 4}) {
			t.Errorf("%v, %v", got, err)
		}
		for _, wrong := range []uint64{2, 16, 20, 1<<64 - 4} {
			if err := s.WriteBytes(x, wrong, part); !errors.Is(err, gpu.ErrShape) {
				t.Errorf("4 bytes from %d on: %v", wrong, err)
			}
		}
		err := s.Enqueue(func(uintptr, []uintptr) error { return fmt.Errorf("called") }, x)
		if !errors.Is(err, gpu.ErrUnsupported) && (err == nil || err.Error() != "called") {
			t.Errorf("work of a library: %v", err)
		}
	})
}
