package gpu

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gpuc/gpuc/runtime/kernelcache"
	"github.com/gpuc/gpuc/runtime/tuning"
)

// autoDevices opens two devices, which differ in name.
func autoDevices(t testing.TB) (cpu, checked *Device) {
	t.Helper()
	for name, d := range map[string]**Device{"cpu": &cpu, "cpu:checked": &checked} {
		opened, err := Open(Named(name))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { opened.Close() })
		*d = opened
	}
	return cpu, checked
}

// autoCosts are the nanoseconds of a call, and of each element, by device.
type autoCosts map[*Device][2]float64

func (c autoCosts) at(d *Device, n int) time.Duration {
	return time.Duration(c[d][0] + c[d][1]*float64(n))
}

// fastest returns the device that is the fastest at a size.
func (c autoCosts) fastest(devices []*Device, n int) *Device {
	best := devices[0]
	for _, d := range devices {
		if c.at(d, n) < c.at(best, n) {
			best = d
		}
	}
	return best
}

// measured returns an Auto that was measured on a clock of its own, where work takes given times.
func measured(t testing.TB, name string, costs autoCosts, devices ...*Device) *Auto {
	t.Helper()
	a, err := NewAuto(name, devices...)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Unix(1_000_000, 0)
	a.now = func() time.Time {
		now = now.Add(20)
		return now
	}
	if err := a.Measure(context.Background(), time.Hour, 1, 1<<26, func(_ context.Context, d *Device, n int) error {
		now = now.Add(costs.at(d, n))
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return a
}

// TestAuto: on both sides of each threshold the fastest device is chosen, by this process and by a
// later one, and the reason is said.
func TestAuto(t *testing.T) {
	t.Setenv(kernelcache.Variable, t.TempDir())
	cpu, checked := autoDevices(t)
	devices := []*Device{PlainGo, cpu, checked}
	costs := autoCosts{PlainGo: {50, 10}, cpu: {3000, 1}, checked: {20_000, 0.05}}
	before, err := NewAuto("sort", devices...)
	if err != nil || before.Known() || before.For(1<<20) != PlainGo || !strings.Contains(before.Explain(7), "sort of size 7: plain Go, the first of its devices, as nothing was measured") {
		t.Fatalf("before: %v, %v", err, before.Explain(7))
	}
	a := measured(t, "sort", costs, devices...)
	later, err := NewAuto("sort", devices...)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range []*Auto{a, later} {
		if !a.Known() {
			t.Fatal("nothing is known")
		}
		// these are equally fast at 327.8 and 17894.7 elements
		for _, n := range []int{-1, 0, 1, 100, 200, 300, 360, 1000, 10_000, 16_000, 20_000, 1 << 20, 1 << 30} {
			if got, want := a.For(n), costs.fastest(devices, n); got != want {
				t.Errorf("size %d: got %s, want %s", n, a.word(got), a.word(want))
			}
		}
		text := a.Explain(1000)
		for _, part := range []string{"sort of size 1000: cpu:0 (" + cpu.info.Name + "), as measured: plain Go for the smallest, cpu:0 from size 3",
			" it takes ", "; at ", ", cpu:checked from size 1", "; in " + os.Getenv(kernelcache.Variable)} {
			if !strings.Contains(text, part) {
				t.Errorf("it does not say %q: %s", part, text)
			}
		}
	}

	// For another name, other devices, or another order of them nothing is known.
	for name, list := range map[string][]*Device{"sort2": devices, "sort": {cpu, PlainGo, checked}, "sort ": devices[:2]} {
		if other, err := NewAuto(strings.TrimSpace(name), list...); err != nil || other.Known() || other.For(1<<30) != list[0] {
			t.Errorf("%s: %v, %v", name, err, other.Explain(1))
		}
	}
	// Both are kept, and a new measurement replaces the one about the same.
	measured(t, "sort", autoCosts{PlainGo: {50, 10}, cpu: {60, 20}}, PlainGo, cpu)
	anew := measured(t, "sort", autoCosts{PlainGo: {50, 10}, cpu: {3000, 20}, checked: {4000, 30}}, devices...)
	if text := anew.Explain(9); !strings.Contains(text, "plain Go, the fastest at all sizes that were measured, 1 to ") {
		t.Error(text)
	}
	kept := tuning.KeptFor("sort")
	text, _ := kept.Read()
	if strings.Count(text, "\n") != 2 {
		t.Errorf("the file is\n%s", text)
	}
	if note := kept.Write([]byte("{}\n" + text)); note != "" {
		t.Fatal(note)
	}
	damaged, err := NewAuto("sort", devices...)
	if err != nil || !damaged.Known() || !strings.Contains(damaged.Explain(1), kept.Path+":1 is ignored: ") {
		t.Errorf("a damaged line: %v, %v", err, damaged.Explain(1))
	}
	t.Setenv(kernelcache.Variable, kernelcache.Off)
	if off := measured(t, "sort", costs, devices...); off.For(1<<20) != checked || !strings.Contains(off.Explain(1), "(nothing is kept, since") {
		t.Errorf("nothing is kept: %s", off.Explain(1))
	}
}

// TestAutoFails: what is wrong is an error of its kind, and changes nothing.
func TestAutoFails(t *testing.T) {
	t.Setenv(kernelcache.Variable, t.TempDir())
	cpu, _ := autoDevices(t)
	run := func(context.Context, *Device, int) error { return nil }
	for name, test := range map[string]struct {
		f    func() error
		kind error
	}{
		"no name":      {func() error { _, err := NewAuto("", cpu); return err }, ErrShape},
		"no devices":   {func() error { _, err := NewAuto("x"); return err }, ErrShape},
		"nil":          {func() error { _, err := NewAuto("x", PlainGo, nil); return err }, ErrClosed},
		"not open":     {func() error { _, err := NewAuto("x", new(Device)); return err }, ErrClosed},
		"twice":        {func() error { _, err := NewAuto("x", cpu, PlainGo, cpu); return err }, ErrShape},
		"nil Auto":     {func() error { return (*Auto)(nil).Measure(t.Context(), 1, 1, 1, run) }, ErrClosed},
		"zero Auto":    {func() error { return new(Auto).Measure(t.Context(), 1, 1, 1, run) }, ErrClosed},
		"no function":  {func() error { return must(NewAuto("x", cpu)).Measure(t.Context(), 1, 1, 1, nil) }, ErrShape},
		"no sizes":     {func() error { return must(NewAuto("x", cpu)).Measure(t.Context(), 1, 8, 1, run) }, ErrShape},
		"size 0":       {func() error { return must(NewAuto("x", cpu)).Measure(t.Context(), 1, 0, 1, run) }, ErrShape},
		"failing work": {func() error { return failing(t, cpu, ErrDeviceLost) }, ErrDeviceLost},
	} {
		if err := test.f(); !errors.Is(err, test.kind) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if new(Auto).For(1) != nil || (*Auto)(nil).For(1) != nil || new(Auto).Known() || !strings.HasPrefix((*Auto)(nil).Explain(1), "no device") {
		t.Error("an Auto that NewAuto did not make chooses")
	}
	ended, end := context.WithCancel(t.Context())
	end()
	a := must(NewAuto("x", PlainGo, cpu))
	if err := a.Measure(ended, time.Second, 1, 8, run); !errors.Is(err, context.Canceled) || a.Known() {
		t.Errorf("the context has ended: %v", err)
	}
	now := time.Unix(1_000_000, 0)
	a.now = func() time.Time {
		now = now.Add(20)
		return now
	}
	work := func(context.Context, *Device, int) error {
		now = now.Add(100 * time.Microsecond)
		return nil
	}
	if err := a.Measure(t.Context(), 0, 1, 8, work); !errors.Is(err, ErrBudget) || a.Known() {
		t.Errorf("no budget: %v", err)
	}
}

func failing(t *testing.T, d *Device, failure error) error {
	return must(NewAuto("x", PlainGo, d)).Measure(t.Context(), time.Second, 1, 8, func(_ context.Context, d *Device, n int) error {
		if d != PlainGo && n > 1 {
			return failure
		}
		return nil
	})
}

// TestAutoAllocations: a decision allocates nothing.
func TestAutoAllocations(t *testing.T) {
	t.Setenv(kernelcache.Variable, kernelcache.Off)
	cpu, checked := autoDevices(t)
	a := measured(t, "x", autoCosts{PlainGo: {50, 10}, cpu: {3000, 1}, checked: {20_000, 0.05}}, PlainGo, cpu, checked)
	n := 0
	if allocations := testing.AllocsPerRun(1000, func() { n++; chosen = a.For(n * 50) }); allocations != 0 || chosen != checked {
		t.Errorf("%v allocations", allocations)
	}
}

// TestAutoMeanwhile: others choose while one measures, and get what was chosen before or after it.
func TestAutoMeanwhile(t *testing.T) {
	t.Setenv(kernelcache.Variable, kernelcache.Off)
	cpu, _ := autoDevices(t)
	a := must(NewAuto("x", PlainGo, cpu))
	var wait sync.WaitGroup
	done := make(chan struct{})
	for range 2 {
		wait.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				if d := a.For(1); d != PlainGo && d != cpu {
					t.Errorf("%v is chosen", d)
					return
				}
				_ = a.Explain(1)
			}
		})
	}
	spin := 0
	for range 3 {
		if err := a.Measure(t.Context(), time.Minute, 1, 1, func(context.Context, *Device, int) error {
			for range 100 {
				spin++
			}
			return nil
		}); err != nil && !errors.Is(err, ErrCoarse) { // as Windows' clock may be
			t.Error(err)
		}
	}
	close(done)
	wait.Wait()
}

var chosen *Device

// BenchmarkAutoFor is the cost of a decision among four devices at random sizes.
func BenchmarkAutoFor(b *testing.B) {
	b.Setenv(kernelcache.Variable, kernelcache.Off)
	cpu, checked := autoDevices(b)
	a := measured(b, "x", autoCosts{PlainGo: {50, 10}, cpu: {3000, 1}, checked: {20_000, 0.05}}, PlainGo, cpu, checked)
	b.ReportAllocs()
	n := uint32(1)
	for b.Loop() {
		n = n*1664525 + 1013904223
		chosen = a.For(int(n >> (n >> 28)))
	}
}
