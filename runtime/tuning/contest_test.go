package tuning

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// clock is a clock of its own, which only work moves.
type clock struct{ time.Time }

func newClock() *clock { return &clock{time.Unix(1_000_000, 0)} }

func (c *clock) now() time.Time { return c.Time }

func (c *clock) pass(d time.Duration) { c.Time = c.Add(d) }

// fakeContest is a contest whose candidates take given times, on a clock of its own.
type fakeContest struct {
	Contest
	clock *clock
	took  []time.Duration // by candidate, of a run
	first time.Duration   // what the first run of each takes longer
	order []int           // the candidates in the order of their samples
}

func newContest(budget time.Duration, took ...time.Duration) *fakeContest {
	f := &fakeContest{clock: newClock(), took: took}
	started := map[int]bool{}
	f.Contest = Contest{Candidates: len(took), Budget: budget, Step: time.Nanosecond, Now: f.clock.now, Sample: func(n, runs int) (time.Duration, error) {
		d := f.took[n] * time.Duration(runs)
		if !started[n] {
			started[n] = true
			f.clock.pass(f.first)
		}
		f.clock.pass(d)
		f.order = append(f.order, n)
		return d, nil
	}}
	return f
}

// run runs it and returns the number of samples by candidate.
func (f *fakeContest) run(t *testing.T) (samples []int, best int) {
	t.Helper()
	results, best, err := f.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		samples = append(samples, r.Samples)
	}
	return samples, best
}

const ms = time.Millisecond

// TestContest: with time enough each candidate has all samples, in an order that alternates.
func TestContest(t *testing.T) {
	f := newContest(time.Minute, 30*ms, 10*ms, 20*ms)
	samples, best := f.run(t)
	if !slices.Equal(samples, []int{10, 10, 10}) || best != 1 { // one from the beginning
		t.Errorf("samples %v, best %d", samples, best)
	}
	if want := []int{0, 0, 1, 1, 2, 2, 0, 1, 2, 2, 1, 0, 0, 1, 2}; !slices.Equal(f.order[:len(want)], want) {
		t.Errorf("the order is %v", f.order)
	}
}

// TestBudget: a contest ends within its budget, with whatever it has measured by then; the first
// candidate is measured anyway.
func TestBudget(t *testing.T) {
	for _, test := range []struct {
		budget  time.Duration
		took    []time.Duration
		samples []int
		best    int
	}{
		{90 * ms, []time.Duration{ms, ms}, []int{9, 9}, 0},
		// halved once, and twice
		{100 * ms, []time.Duration{4 * ms, 3 * ms, 2 * ms, ms}, []int{3, 3, 10, 9}, 3},
		{100 * ms, []time.Duration{4 * ms, 3 * ms, 2 * ms, 4 * ms, 4 * ms, ms}, []int{3, 3, 6, 3, 3, 4}, 5},
		// one round, and what the rest of the budget has room for
		{40 * ms, []time.Duration{4 * ms, 3 * ms, 2 * ms, ms}, []int{2, 3, 2, 2}, 3},
		// the first one alone
		{0, []time.Duration{5 * ms, ms}, []int{1, 0}, 0},
		{12 * ms, []time.Duration{3 * ms, ms, ms, ms, ms, ms}, []int{3, 0, 0, 0, 0, 0}, 0},
		// what takes as long as a sample is one
		{700 * ms, []time.Duration{100 * ms, 90 * ms, 80 * ms}, []int{2, 1, 1}, 2},
		// equal ones are halved, too
		{100 * ms, []time.Duration{4 * ms, 4 * ms, 4 * ms, 4 * ms}, []int{8, 7, 3, 3}, 0},
		// a slow one does not keep the next one from beginning
		{30 * ms, []time.Duration{ms, 10 * ms, ms}, []int{1, 1, 1}, 0},
		// one is much too slow
		{time.Second, []time.Duration{100 * ms, 10 * time.Second, 100 * ms}, []int{1, 0, 0}, 0},
		// equal ones
		{2 * time.Second, []time.Duration{ms, ms, ms, ms, ms, ms}, []int{9, 9, 9, 9, 9, 9}, 0},
	} {
		f := newContest(test.budget, test.took...)
		begin := f.clock.Time
		samples, best := f.run(t)
		if !slices.Equal(samples, test.samples) || best != test.best {
			t.Errorf("%v of %v: samples %v, best %d, want %v, %d", test.budget, test.took, samples, best, test.samples, test.best)
		}
		// one run of a candidate that was not known, and one sample of the first one
		exceeded := f.clock.Sub(begin) - test.budget
		if limit := slices.Max(test.took) + 2*test.took[0]; exceeded > limit {
			t.Errorf("%v of %v: the budget is exceeded by %v", test.budget, test.took, exceeded)
		}
	}
}

// TestSlowToLoad: kernels that take long to load count, too.
func TestSlowToLoad(t *testing.T) {
	f := newContest(time.Second, ms, ms, ms, ms)
	f.first = 400 * ms
	begin := f.clock.Time
	samples, _ := f.run(t)
	if took := f.clock.Sub(begin); took > 1300*ms || samples[0] == 0 || samples[3] != 0 {
		t.Errorf("it takes %v, and the samples are %v", took, samples)
	}
}

// TestMedian: the median of the samples counts, and the first of equal candidates is preferred. The
// first of all is replaced only by one that is faster in most rounds.
func TestMedian(t *testing.T) {
	f := newContest(time.Minute, 1000, 1000, 1000)
	times := [][]time.Duration{
		{0, 100, 30, 30, 30, 30, 30, 1, 1, 1, 1}, // two to begin with
		{0, 100, 20, 90, 20, 90, 20, 90, 20, 90, 20},
		{0, 100, 90, 90, 90, 10, 90, 90, 10, 10, 10},
	}
	f.Sample = func(n, runs int) (time.Duration, error) {
		d := times[n][0] * 1000 * time.Duration(runs)
		times[n] = times[n][1:]
		return d, nil
	}
	results, best, err := f.Run(t.Context())
	if err != nil || best != 0 || results[0].Times != (Times{1000, 30_000, 30_000}) || results[1].Times != (Times{20_000, 20_000, 90_000}) || results[2].Times != (Times{10_000, 90_000, 90_000}) {
		t.Errorf("best %d, %v, %v", best, results, err)
	}
	if _, best := newContest(time.Minute, 1005*ms, 1000*ms, 1009*ms).run(t); best != 0 {
		t.Errorf("of candidates that are nearly equal the first one is %d", best)
	}
	if _, best := newContest(time.Minute, 1015*ms, 1000*ms).run(t); best != 1 {
		t.Errorf("a candidate that is faster is not the best, but %d", best)
	}
	for wins, want := range map[int]int{9: 1, 6: 1, 5: 0} {
		f := newContest(time.Minute, 14*ms, 14*ms)
		rounds := 0
		f.Sample = func(n, _ int) (time.Duration, error) {
			if n == 1 {
				rounds++
			}
			// one to load it, one that is a sample, and nine rounds
			if n == 1 && rounds > 2 && rounds <= 2+wins {
				return 10 * ms, nil
			}
			return 14 * ms, nil
		}
		f.Rounds = 8
		if _, best, err := f.Run(t.Context()); err != nil || best != want {
			t.Errorf("faster in %d of 9 rounds: best %d, %v", wins, best, err)
		}
	}
}

// TestRuns: short candidates run more often in a sample, also if their first run was slow.
func TestRuns(t *testing.T) {
	runs := map[int]int{}
	f := newContest(time.Hour, time.Second, defaultAtLeast/4, 1, 100)
	sample, calls := f.Sample, map[int]int{}
	f.Sample = func(n, r int) (time.Duration, error) {
		runs[n] = r
		if calls[n]++; n == 3 && calls[n] == 2 {
			return ms, nil
		}
		return sample(n, r)
	}
	f.Contest.Step = 10
	f.MaxRuns = 4096
	f.run(t)
	if want := map[int]int{0: 1, 1: 5, 2: 4096, 3: 10}; fmt.Sprint(runs) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", runs, want)
	}
}

// TestCoarse: a clock whose step is more than a hundredth of all runs that a sample may have is
// refused, and one that is just fine enough is not.
func TestCoarse(t *testing.T) {
	f := newContest(time.Minute, 10_000, 20_000)
	f.Contest.Step = 256 * 10_000 / Steps
	if samples, best := f.run(t); !slices.Equal(samples, []int{9, 9}) || best != 0 {
		t.Errorf("samples %v, best %d", samples, best)
	}
	f.Contest.Step++
	_, _, err := f.Run(t.Context())
	if !errors.Is(err, ErrCoarse) || err.Error() != "the clock is too coarse: 256 runs in a row take 2.56ms, and it has steps of 25.601µs, so less than 100 of them; measure a larger problem" {
		t.Errorf("got %v", err)
	}
	f.took[0], f.took[1] = 0, 0
	for _, f.Contest.Step = range []time.Duration{10, 0} {
		if _, _, err := f.Run(t.Context()); !errors.Is(err, ErrCoarse) {
			t.Errorf("times of zero in steps of %v: %v", f.Contest.Step, err)
		}
	}
}

// TestRefusals: a candidate that does not run is left out; other errors end the contest.
func TestRefusals(t *testing.T) {
	refused, lost := errors.New("does not fit"), errors.New("lost")
	failing := func(err error, candidates ...int) *fakeContest {
		f := newContest(time.Minute, 3*ms, ms, 2*ms)
		sample := f.Sample
		f.Sample = func(n, runs int) (time.Duration, error) {
			if slices.Contains(candidates, n) {
				return 0, err
			}
			return sample(n, runs)
		}
		f.Refused = func(err error) bool { return err == refused }
		return f
	}
	results, best, err := failing(refused, 1).Run(t.Context())
	if err != nil || best != 2 || results[1].Failure != refused || results[1].Samples != 0 {
		t.Errorf("one is refused: %d, %v, %v", best, results, err)
	}
	if _, _, err := failing(refused, 0, 1, 2).Run(t.Context()); !errors.Is(err, refused) {
		t.Errorf("all are refused: %v", err)
	}
	if _, _, err := failing(lost, 2).Run(t.Context()); err != lost {
		t.Errorf("another error: %v", err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, _, err := failing(nil).Run(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("the context has ended: %v", err)
	}
	for _, c := range []Contest{{}, {Candidates: 1}, {Sample: failing(nil).Sample}} {
		if _, _, err := c.Run(t.Context()); err == nil {
			t.Error("a contest without candidates, or without a sample")
		}
	}
}

// TestProgress: what is done grows from nothing to nearly all.
func TestProgress(t *testing.T) {
	var parts []float64
	f := newContest(time.Minute, ms, 2*ms)
	f.Progress = func(part float64) { parts = append(parts, part) }
	f.run(t)
	if !slices.IsSorted(parts) || parts[0] != 0 || parts[len(parts)-1] < 0.9 || parts[len(parts)-1] >= 1 {
		t.Errorf("%v", parts)
	}
}

// TestStepOf: the step of a clock is found of durations, whether it is finer or coarser than these.
func TestStepOf(t *testing.T) {
	for _, step := range []time.Duration{1, 52, 500, 5 * ms} {
		at, n := time.Duration(0), 0
		read := func() time.Duration { return at / step * step }
		got, err := StepOf(func() (time.Duration, error) {
			n++
			at += time.Duration(n * 7 % 5)
			from := read()
			at += 900 + time.Duration(n*37%101) // the two readings
			return read() - from, nil
		})
		if err != nil || got < step || got > 2*step {
			t.Errorf("a step of %v is found to be %v: %v", step, got, err)
		}
	}
	if got, err := StepOf(func() (time.Duration, error) { return 0, nil }); got != 0 || err != nil {
		t.Errorf("a clock that does not move: %v, %v", got, err)
	}
	wrong := errors.New("no timestamps")
	if _, err := StepOf(func() (time.Duration, error) { return 0, wrong }); err != wrong {
		t.Errorf("got %v", err)
	}
}

// TestSession: each problem has an equal share of what is left of the budget, and reports are read
// back as they were added.
func TestSession(t *testing.T) {
	c := newClock()
	var shown strings.Builder
	s := NewSession(Task{File: t.TempDir() + "/reports", Problems: 3, Budget: 9 * time.Second, Progress: true})
	s.now, s.end, s.stderr = c.now, c.Add(9*time.Second), &shown
	if share := s.Share(); share != 3*time.Second || s.Counting() {
		t.Errorf("the first of three has %v", share)
	}
	s.Show("MatMul", square(64), 0.5)
	s.Show("MatMul", square(64), 0.6) // too soon
	if got := shown.String(); got != "\r\x1b[K\x1b[?7l 17 %, problem 1 of 3: MatMul, 64 x 64 x 1 items, a buffer of 4096 elements\x1b[?7h" {
		t.Errorf("shown: %q", got)
	}
	r := record("MatMul", h200, square(64), "5b2e", 32)
	for _, report := range []Report{{Kernel: "MatMul", Problem: square(64), Record: &r}, {Kernel: "Add", Problem: square(1), Refused: "coarse"}} {
		if err := s.Add(report); err != nil {
			t.Fatal(err)
		}
	}
	if !strings.HasSuffix(shown.String(), "\x1b[?7h\r\x1b[K") {
		t.Errorf("the line is not erased once: %q", shown.String())
	}
	c.pass(time.Second)
	if share := s.Share(); share != 4*time.Second {
		t.Errorf("the second of three has %v", share)
	}
	c.pass(10 * time.Second)
	if share := s.Share(); share != 0 {
		t.Errorf("after the budget there is %v", share)
	}
	if share := s.Share(); share != 0 {
		t.Errorf("more problems than were counted: %v", share)
	}
	text := readFile(t, s.File)
	reports, faults := ParseReports(s.File, text+"x\n")
	if len(reports) != 2 || len(faults) != 1 || faults[0].Line != 3 || reports[0].Record.Best[0] != 32 || reports[1].Refused != "coarse" {
		t.Errorf("%+v, %v", reports, faults)
	}
	// without the number of problems, a test counts its own, and nothing is reported meanwhile
	alone := NewSession(Task{File: t.TempDir() + "/none", Budget: 8 * time.Second})
	alone.now, alone.end = c.now, c.Add(8*time.Second)
	if err := alone.Count(t.Context(), func(ctx context.Context) error {
		for range 4 {
			counter := SessionOf(ctx)
			if !counter.Counting() || counter.Add(Report{}) != nil {
				t.Error("it does not count")
			}
		}
		return nil
	}); err != nil || alone.Share() != 2*time.Second || alone.Counting() {
		t.Errorf("four problems: %v, %+v", err, alone.Task)
	}
	if _, err := os.Stat(alone.File); err == nil {
		t.Error("counting reports")
	}
	wrong := errors.New("wrong")
	if err := alone.Count(t.Context(), func(context.Context) error { return wrong }); err != wrong {
		t.Error(err)
	}
	if err := s.Count(t.Context(), func(context.Context) error { return wrong }); err != nil {
		t.Error("it counts what is known")
	}
	if SessionOf(s.With(t.Context())) != s || SessionOf(t.Context()) != nil {
		t.Error("a context has the session of another one")
	}
}
