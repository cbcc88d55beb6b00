package gpu

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/driver"
)

// clockDevice makes streams that do nothing, on a device whose clock the test knows: a launch takes
// as many microseconds as it has workgroups.
type clockDevice struct{ *fakeDevice }

type clockStream struct {
	*fakeStream
	now  time.Duration
	late bool // no time passes
}

func (d clockDevice) NewStream() (driver.Stream, error) {
	s, err := d.fakeDevice.NewStream()
	return &clockStream{fakeStream: s.(*fakeStream)}, err
}

func (s *clockStream) Launch(l *driver.Launch) error {
	s.now += time.Duration(l.Grid[0]) * time.Microsecond
	return nil
}

// clockStamps are stamps of a clockStream.
type clockStamps struct {
	stream *clockStream
	at     []time.Duration
}

func (s *clockStream) NewStamps(n int) (driver.Stamps, error) {
	return &clockStamps{s, make([]time.Duration, n)}, nil
}

func (t *clockStamps) Put(slot int) error {
	t.stream.now += time.Nanosecond // the start of whatever comes
	t.at[slot] = t.stream.now
	return nil
}
func (t *clockStamps) Passed(int) (bool, error) { return !t.stream.late, nil }
func (t *clockStamps) Times(from, to int) (at, took time.Duration, err error) {
	return t.at[from], t.at[to] - t.at[from] - time.Nanosecond, nil
}
func (t *clockStamps) Close() error { t.at = nil; return nil }

// clocked is a device with such a clock, a stream, and arguments of two kernels, which have a
// buffer of 256 bytes that they may write.
type clocked struct {
	device *Device
	stream *Stream
	args   [2]*Args
}

func newClocked(t testing.TB) *clocked {
	t.Helper()
	device, fake := newFake(t)
	fake.about.Peak = driver.Peak{BytesPerSecond: 1e9, FlopsPerSecond: 1e12}
	device.info.Peak = fake.about.Peak
	device.driver = clockDevice{fake}
	c := &clocked{device: device, stream: must(device.NewStream())}
	for n, name := range []string{"short", "long"} {
		k := must(device.Load(&abi.Artefact{Target: "fake", Kernel: abi.Kernel{Name: name, Workgroup: [3]uint32{1, 1, 1},
			Bindings: []abi.Binding{{Name: "x", Access: abi.ReadWrite, Stride: 4}}}}))
		c.args[n] = k.Args()
		check(t, c.args[n].Set(0, must(Alloc[uint32](device, 64))))
	}
	return c
}

func start(t testing.TB, o ProfileOptions) *Profile {
	t.Helper()
	p, err := StartProfile(o)
	check(t, err)
	t.Cleanup(func() { check(t, p.Stop()) })
	return p
}

// named returns the report of a name.
func named(t testing.TB, list []WorkReport, name string) WorkReport {
	t.Helper()
	n := slices.IndexFunc(list, func(w WorkReport) bool { return w.Name == name })
	if n < 0 {
		t.Fatalf("there is no %q among %+v", name, list)
	}
	return list[n]
}

// TestProfileTimes compares reports with the clock of a fake device.
func TestProfileTimes(t *testing.T) {
	for _, c := range []struct {
		name    string
		options ProfileOptions
	}{{"all", ProfileOptions{MaxOverhead: 1}}, {"usual", ProfileOptions{}}, {"few", ProfileOptions{MaxOverhead: 1e-9}}} {
		t.Run(c.name, func(t *testing.T) {
			x := newClocked(t)
			p := start(t, c.options)
			const rounds = 3000
			for range rounds {
				check(t, x.stream.Launch(x.args[0], D1(2)))
				x.stream.Expect(Work{Bytes: 1000, FLOPs: 50_000_000})
				check(t, x.stream.Launch(x.args[1], D1(100)))
				check(t, x.stream.Launch(x.args[1], Grid{Y: 1, Z: 1})) // of nothing
			}
			check(t, x.stream.Wait(background))
			r := p.Report()
			if len(r.Devices) != 1 || len(r.Devices[0].Kernels) != 2 || r.Devices[0].Kernels[0].Name != "long" {
				t.Fatalf("got %+v", r)
			}
			for name, want := range map[string]WorkReport{
				"short": {Count: rounds, Bytes: 512 * rounds, Guessed: true, Least: 2 * time.Microsecond, BytesPerSecond: 512 / 2e-6, Share: 0.256, Limit: "memory"},
				"long": {Count: rounds, Bytes: 1000 * rounds, FLOPs: 50_000_000 * rounds, Least: 100 * time.Microsecond, BytesPerSecond: 1000 / 100e-6,
					FLOPsPerSecond: 50e6 / 100e-6, Share: 0.5, Limit: "arithmetic"},
			} {
				got := named(t, r.Devices[0].Kernels, name)
				want.Name, want.Most, want.Total, want.Timed = name, want.Least, want.Least*rounds, got.Timed
				for _, f := range []*float64{&got.BytesPerSecond, &got.FLOPsPerSecond, &got.Share} {
					*f = float64(float32(*f)) // sums are rounded
				}
				for _, f := range []*float64{&want.BytesPerSecond, &want.FLOPsPerSecond, &want.Share} {
					*f = float64(float32(*f))
				}
				if got != want {
					t.Errorf("got  %+v\nwant %+v", got, want)
				}
				if got.Timed < 2 || c.options.MaxOverhead == 1 && got.Timed != rounds || c.options.MaxOverhead == 1e-9 && got.Timed != 2 {
					t.Errorf("%s: %d of %d launches timed", name, got.Timed, rounds)
				}
			}
			if busy, want := r.Devices[0].Busy, 102*rounds*time.Microsecond; busy != want {
				t.Errorf("busy for %v, want %v", busy, want)
			}
			text := r.String()
			for _, want := range []string{"50 % of arithmetic", "≤ 26 % of memory", "100 µs", "≤ 256 MB/s"} {
				if !strings.Contains(text, want) {
					t.Errorf("the table lacks %q:\n%s", want, text)
				}
			}
		})
	}
}

// TestProfileEstimate times a random part of launches whose time varies, and compares the estimated
// total with the true one: 4 standard deviations of the estimate are allowed.
func TestProfileEstimate(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var w tally
	truth := time.Duration(0)
	const n, mean, deviation = 100_000, 1000.0, 577.0 // of times from 0 to 2000 ns, equally often
	for range n {
		took := time.Duration(rng.IntN(2001))
		truth += took
		w.add(Work{Bytes: uint64(took)}, false)
		if rng.IntN(50) == 0 {
			w.time(took, w.weight(), Work{Bytes: uint64(took)})
		}
	}
	r := w.report(driver.Peak{})
	// a launch counts for a geometric number of launches, which doubles the variance
	allowed := 4 * math.Sqrt(2*50/float64(n)) * math.Hypot(mean, deviation) * n
	if off := math.Abs(float64(r.Total - truth)); off > allowed || r.Timed > n/40 || r.Timed < n/60 {
		t.Errorf("estimated %v from %d launches, but all took %v", r.Total, r.Timed, truth)
	}
	if r.Bytes != uint64(truth) || math.Abs(r.BytesPerSecond-1e9) > 1 {
		t.Errorf("%d bytes at %v B/s, but %d at 1e9", r.Bytes, r.BytesPerSecond, truth)
	}
}

// TestProfileWork counts launches of a kernel that do different work, also where a replay has named
// the kernel first.
func TestProfileWork(t *testing.T) {
	x := newClocked(t)
	p := start(t, ProfileOptions{MaxOverhead: 1e-9})
	want := Work{}
	for n := range 100 {
		each := Work{Bytes: uint64(1000 - 7*n), FLOPs: uint64(n % 3)}
		want.Bytes += each.Bytes
		want.FLOPs += each.FLOPs
		x.stream.Expect(each)
		check(t, x.stream.Launch(x.args[0], D1(1)))
	}
	check(t, x.stream.Launch(x.args[0], D1(1)))
	want.Bytes += 2 * 256 // of the buffer
	got := named(t, p.Report().Devices[0].Kernels, "short")
	if got.Count != 101 || got.Bytes != want.Bytes || got.FLOPs != want.FLOPs || !got.Guessed {
		t.Errorf("got %+v, want 101 launches that do %+v", got, want)
	}
	of := p.device(x.device)
	w := of.kernels.usually(of, "long", Work{Bytes: 5, FLOPs: 1})
	check(t, x.stream.Launch(x.args[1], D1(1)))
	if got := w.report(driver.Peak{}); got.Count != 1 || got.Bytes != 512 || got.FLOPs != 0 {
		t.Errorf("another launch than usual: %+v", got)
	}
	if x.args[1].kernel.profiled.Load() != w {
		t.Error("the kernel has another tally than its name")
	}
}

// TestProfileBudget spends a budget for a second, in which calls cost little. A pause leaves no
// more than the usual credit, but one as long as a wait of the host leaves its share.
func TestProfileBudget(t *testing.T) {
	const share, step = 0.01, 5 * time.Microsecond
	b := budget{share: share, most: usualCredit}
	timed := func(from, to time.Duration) (n time.Duration) {
		for now := from; now < to; now += step {
			if allowed, pause := b.allows(now, false); allowed {
				n++
				b.spend(time.Microsecond)
			} else if pause <= 0 || float64(pause) > float64(leastCost)/share+1 {
				t.Fatalf("at %v: a pause of %v", now, pause)
			}
		}
		return n
	}
	if n, most := timed(0, time.Second), time.Duration(share*float64(time.Second))/leastCost; n < most-1 || n > most+1 {
		t.Errorf("%d launches timed, want %d", n, most)
	}
	if n, most := timed(time.Minute, time.Minute+step), usualCredit/leastCost; n > most {
		t.Errorf("%d launches timed at once after a pause, want at most %d", n, most)
	}
	b.waited(time.Hour, time.Second, time.Microsecond)
	if want := time.Duration(share*float64(time.Second)) - deviceToo*time.Microsecond; b.credit != want {
		t.Errorf("a credit of %v after a wait of a second, want %v", b.credit, want)
	}
	b.spend(leastCost)
	b.credit = 0
	b.spend(leastCost)
	if want := -deviceToo * leastCost; b.credit != want {
		t.Errorf("a call of %v has cost %v, want %v", leastCost, -b.credit, -want)
	}
}

// TestProfileLate has a device that notes no times: slots run out, and everything is counted.
func TestProfileLate(t *testing.T) {
	x := newClocked(t)
	p := start(t, ProfileOptions{MaxOverhead: 1})
	x.stream.stream.(*clockStream).late = true
	const launches = mostPairs + 100
	for range launches {
		check(t, x.stream.Launch(x.args[0], D1(1)))
	}
	if got := p.Report().Devices[0].Kernels[0]; got.Count != launches || got.Timed != 0 || got.Total != 0 {
		t.Errorf("without times: %+v", got)
	}
	if text := p.Report().String(); !strings.Contains(text, "-") {
		t.Error(text)
	}
	x.stream.stream.(*clockStream).late = false
	if got := p.Report().Devices[0].Kernels[0]; got.Timed != mostPairs || got.Total != launches*time.Microsecond {
		t.Errorf("with the times of %d: %+v", mostPairs, got)
	}
}

// TestProfileOff counts what launches and copies allocate without a profile, and with one that has
// nothing to time.
func TestProfileOff(t *testing.T) {
	x := newClocked(t)
	buffer := must(Alloc[uint32](x.device, 64))
	data := make([]uint32, 64)
	calls := func() {
		check(t, x.stream.Launch(x.args[0], D1(1)))
		check(t, buffer.Write(x.stream, data))
		check(t, buffer.Read(background, x.stream, data))
		check(t, x.stream.Wait(background))
		StartRange(background, "range").End()
		x.stream.Expect(Work{Bytes: 1})
	}
	if n := testing.AllocsPerRun(100, calls); n != 0 {
		t.Errorf("without a profile: %v allocations", n)
	}
	start(t, ProfileOptions{MaxOverhead: 1e-9, Events: 1})
	if n := testing.AllocsPerRun(100, calls); n != 0 {
		t.Errorf("in a profile: %v allocations", n)
	}
}

// TestProfileRules are the errors, and what is left of a profile that has ended.
func TestProfileRules(t *testing.T) {
	for _, o := range []ProfileOptions{{MaxOverhead: -1}, {MaxOverhead: math.NaN()}, {Events: -1}} {
		if _, err := StartProfile(o); !errors.Is(err, ErrShape) {
			t.Errorf("%+v: got %v, want ErrShape", o, err)
		}
	}
	p := start(t, ProfileOptions{})
	if RunningProfile() != p {
		t.Error("the running profile is another one")
	}
	if _, err := StartProfile(ProfileOptions{}); !errors.Is(err, ErrProfiling) {
		t.Errorf("a second profile: got %v, want ErrProfiling", err)
	}
	x := newClocked(t) // opened during the profile
	check(t, x.stream.Launch(x.args[0], D1(7)))
	check(t, x.stream.Wait(background))
	check(t, x.device.Close())
	check(t, p.Stop())
	check(t, p.Stop())
	if RunningProfile() != nil {
		t.Error("a profile runs after its end")
	}
	r := p.Report()
	if k := r.Devices[0].Kernels[0]; k.Total != 7*time.Microsecond || r.Devices[0].Memory.Allocs != 2 {
		t.Errorf("after the end: %+v", r)
	}
	if later := p.Report(); later.Took != r.Took {
		t.Errorf("it took %v, and later %v", r.Took, later.Took)
	}
	q := start(t, ProfileOptions{})
	y := newClocked(t)
	check(t, y.stream.Launch(y.args[0], D1(7)))
	check(t, p.WriteTrace(io.Discard))
	if got := p.Report().Devices; len(got) != 1 || got[0].Kernels[0].Count != 1 {
		t.Errorf("work after the end is in it: %+v", got)
	}
	if got := q.Report().Devices; len(got) != 1 || got[0].Kernels[0].Count != 1 {
		t.Errorf("a new profile: %+v", got)
	}
	for _, err := range []error{(*Profile)(nil).Stop(), new(Profile).WriteTrace(io.Discard)} {
		if !errors.Is(err, ErrClosed) {
			t.Errorf("no profile: got %v", err)
		}
	}
}

// TestProfileTrace reads the trace of two streams and ranges as the format has it. Events of a
// track lie within each other or follow each other, and all tracks have names.
func TestProfileTrace(t *testing.T) {
	x := newClocked(t)
	other := must(x.device.NewStream())
	p := start(t, ProfileOptions{MaxOverhead: 1})
	const rounds = 20
	done := make(chan struct{})
	for range 3 { // whose ranges overlap
		go func() {
			for range rounds {
				outer := StartRange(background, `a "range"`)
				inner := StartRange(background, "inner")
				inner.End()
				outer.End()
			}
			done <- struct{}{}
		}()
	}
	for n := range rounds {
		check(t, x.stream.Launch(x.args[0], D1(uint32(n+1))))
		check(t, other.Launch(x.args[1], D1(1)))
	}
	for range 3 {
		<-done
	}
	check(t, x.stream.Wait(background))
	check(t, other.Wait(background))
	var b strings.Builder
	check(t, p.WriteTrace(&b))
	counts := readTrace(t, b.String())
	for name, want := range map[string]int{"short": rounds, "long": rounds, `a "range"`: 3 * rounds, "inner": 3 * rounds, "Stream.Wait": 2} {
		if counts[name] != want {
			t.Errorf("%s: %d events, want %d", name, counts[name], want)
		}
	}
	b.Reset()
	check(t, p.WriteTraceSince(&b, time.Now().Add(time.Hour)))
	if counts := readTrace(t, b.String()); len(counts) != 0 {
		t.Errorf("events of the future: %v", counts)
	}
}

// readTrace checks a trace and returns how many events have each name.
func readTrace(t *testing.T, text string) map[string]int {
	t.Helper()
	type traced struct {
		Phase    string         `json:"ph"`
		Name     string         `json:"name"`
		Process  int            `json:"pid"`
		Thread   int            `json:"tid"`
		Start    *float64       `json:"ts"`
		Duration *float64       `json:"dur"`
		Args     map[string]any `json:"args"`
	}
	var file struct {
		Unit   string   `json:"displayTimeUnit"`
		Events []traced `json:"traceEvents"`
	}
	if err := json.Unmarshal([]byte(text), &file); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	names, counts := map[string]bool{}, map[string]int{}
	ends := map[string][]float64{} // of a track, in nanoseconds
	track := func(e *traced) string { return fmt.Sprint(e.Process, " ", e.Thread) }
	for n := range file.Events {
		e := &file.Events[n]
		switch e.Phase {
		case "M":
			switch text, isText := e.Args["name"].(string); {
			case e.Name == "process_name" && isText && text != "":
				names[fmt.Sprint(e.Process)] = true
			case e.Name == "thread_name" && isText && text != "":
				names[track(e)] = true
			case e.Name == "process_sort_index":
			default:
				t.Errorf("metadata: %+v", e)
			}
		case "X":
			counts[e.Name]++
			if e.Start == nil || e.Duration == nil || *e.Start < 0 || *e.Duration < 0 || e.Process == 0 || e.Thread == 0 {
				t.Fatalf("event: %+v", e)
			}
			begin := math.Round(1000 * *e.Start)
			end := begin + math.Round(1000**e.Duration)
			open := ends[track(e)]
			for len(open) > 0 && open[len(open)-1] <= begin {
				open = open[:len(open)-1]
			}
			if len(open) > 0 && open[len(open)-1] < end {
				t.Errorf("%s from %v to %v begins in an event that ends at %v", e.Name, begin, end, open[len(open)-1])
			}
			ends[track(e)] = append(open, end)
		default:
			t.Errorf("phase %q", e.Phase)
		}
	}
	for n := range file.Events {
		e := &file.Events[n]
		if e.Phase == "X" && (!names[track(e)] || !names[fmt.Sprint(e.Process)]) {
			t.Fatalf("no names for process %d, thread %d", e.Process, e.Thread)
		}
	}
	return counts
}

// BenchmarkProfiledLaunch is what a launch costs the host besides the driver: without a profile,
// and with one whose budget is spent, so that it times nothing but the first.
func BenchmarkProfiledLaunch(b *testing.B) {
	for _, name := range []string{"off", "on"} {
		b.Run(name, func(b *testing.B) {
			x := newClocked(b)
			if name == "on" {
				start(b, ProfileOptions{MaxOverhead: 1e-9})
			}
			b.ReportAllocs()
			for b.Loop() {
				if err := x.stream.Launch(x.args[0], D1(1)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
