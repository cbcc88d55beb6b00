package tuning

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"
)

// How sizes are measured.
const (
	ladder      = 4    // the ratio of sizes that are measured first
	closeEnough = 1.05 // the ratio of sizes between which a threshold is known well enough
	bisections  = 6    // expected for a threshold, as the ladder's ratio needs
	sizeRounds  = 9
	sizeTime    = 500 * time.Microsecond // of a sample
	sizeRuns    = 1 << 20                // in a sample
	hopeless    = 2                      // the ratio of times from which on a way can be left out
)

// Search measures ways at sizes from Least to Most, and ends within a budget. It begins with sizes
// that grow by a factor of four. Where the best way differs between two of them, it bisects.
//
// It relies on two properties of times, and leaves out ways that cannot be the best then:
//
//   - Times do not shrink as the size grows. A way is left out if it took more than twice as long
//     at a smaller size as the best one takes at this size.
//   - A way that falls behind stays behind. A way is left out if it took more than twice as long as
//     the best one, and this ratio and its time have doubled since smaller sizes. When one way is
//     left, larger sizes are not measured.
type Search struct {
	Name        string
	Ways        []Way
	Least, Most int
	// Run computes something of a size, and waits for it.
	Run    func(ctx context.Context, way, n int) error
	Budget time.Duration
	Now    func() time.Time // nil means time.Now
}

// Measure runs the ways. If the budget ends early, the result has the sizes that were measured: at
// least the least one, or the error is ErrBudget.
func (s Search) Measure(ctx context.Context) (*Sizes, error) {
	switch {
	case s.Name == "" || len(s.Ways) == 0 || s.Run == nil:
		return nil, errors.New("a search needs a name, ways and a function that runs one")
	case s.Least < 1 || s.Most < s.Least:
		return nil, fmt.Errorf("sizes from %d to %d are none; the least is 1", s.Least, s.Most)
	}
	if s.Now == nil {
		s.Now = time.Now
	}
	x := &search{Search: s, step: stepOfNow(s.Now), end: s.Now().Add(s.Budget), result: Sizes{Format: Format, Name: s.Name, Ways: s.Ways}}
	done, err := x.climb(ctx)
	if err == nil && !done {
		err = x.bisect(ctx)
	}
	if err != nil {
		return nil, err
	}
	return &x.result, nil
}

// stepOfNow returns the step of the host's clock.
func stepOfNow(now func() time.Time) time.Duration {
	step, _ := StepOf(func() (time.Duration, error) {
		from := now()
		for range 1000 {
			if d := now().Sub(from); d > 0 {
				return d, nil
			}
		}
		return 0, nil
	})
	return max(step, 1)
}

// search is a Search that runs.
type search struct {
	Search
	step   time.Duration
	end    time.Time
	result Sizes
}

// climb measures the ladder of sizes, until one way is left. It reports whether the budget has
// ended.
func (x *search) climb(ctx context.Context) (done bool, err error) {
	var sizes []int
	for n := x.Least; n < x.Most; n *= ladder {
		sizes = append(sizes, n)
		if n > x.Most/ladder {
			break // the next one exceeds Most, or an int
		}
	}
	sizes = append(sizes, x.Most)
	for n, size := range sizes {
		if done, err = x.measure(ctx, size, len(sizes)-n+bisections); done || err != nil {
			return done, err
		}
		if x.decided() {
			break
		}
	}
	return false, nil
}

// bisect measures between sizes with different ways, until these sizes are close or the budget has
// ended.
func (x *search) bisect(ctx context.Context) error {
	for n := 1; n < len(x.result.Points); {
		below, above := x.result.Points[n-1], x.result.Points[n]
		if below.Best == above.Best || float64(above.N) <= closeEnough*float64(below.N) || above.N-below.N < 2 {
			n++
			continue
		}
		left := 0
		for _, t := range x.result.Thresholds() {
			left += 1 + int(math.Ceil(math.Log2(math.Log(float64(t.Above.N)/float64(t.Below.N))/math.Log(closeEnough))))
		}
		between := max(middle(below.N, above.N), below.N+1)
		if done, err := x.measure(ctx, between, left); done || err != nil {
			return err
		}
	}
	return nil
}

// measure adds a size to the result, with its share of the budget. Left is the number of sizes that
// are expected, with this one. It reports whether the budget has ended.
func (x *search) measure(ctx context.Context, n, left int) (done bool, err error) {
	at, _ := slices.BinarySearchFunc(x.result.Points, n, func(s Size, n int) int { return cmp.Compare(s.N, n) })
	known := x.known(x.result.Points[:at])
	if at > 0 {
		// the fastest way runs twice, and takes four times as long at the next size of the ladder
		expected := 2 * known[0].least
		if at == len(x.result.Points) {
			expected *= ladder
		}
		if x.end.Sub(x.Now()) < expected {
			return true, nil
		}
	}
	ways, once, err := x.contenders(ctx, n, known)
	if err != nil {
		return false, err
	}
	rest, all := max(x.end.Sub(x.Now()), 0), time.Duration(0)
	for _, d := range once {
		all += d
	}
	results, best, err := Contest{Candidates: len(ways), Step: x.step, Budget: min(rest, max(rest/time.Duration(max(left, 1)), fewRounds*all)), Now: x.Now,
		Rounds: sizeRounds, AtLeast: sizeTime, MaxRuns: sizeRuns, Once: once,
		Sample: func(candidate, runs int) (time.Duration, error) { return x.sample(ctx, ways[candidate], n, runs) }}.Run(ctx)
	if err != nil {
		return false, fmt.Errorf("size %d: %w", n, err)
	}
	p := Size{N: n, Best: ways[best], Times: make([]Times, len(x.Ways))}
	for k, r := range results {
		switch {
		case r.Samples > 0:
			p.Times[ways[k]] = r.Times
		case len(x.result.Points) == 0:
			return false, fmt.Errorf("size %d: %w: %v do not suffice to measure each way", n, ErrBudget, x.Budget)
		default:
			return true, nil // nothing was compared
		}
	}
	x.result.Points = slices.Insert(x.result.Points, at, p)
	return false, nil
}

// knowledge is what smaller sizes say of a way.
type knowledge struct {
	way    int
	least  time.Duration // the least time that it takes, or 0
	behind bool          // it has fallen behind the best way
}

// known returns what points say of each way for larger sizes, the most promising way first.
func (x *search) known(points []Size) (list []knowledge) {
	for way := range x.Ways {
		list = append(list, knowledgeOf(way, points))
	}
	slices.SortStableFunc(list, func(a, b knowledge) int {
		switch {
		case a.behind == b.behind:
			return cmp.Compare(a.least, b.least)
		case a.behind:
			return 1
		}
		return -1
	})
	return list
}

func knowledgeOf(way int, points []Size) knowledge {
	k := knowledge{way: way}
	ratio, then := math.Inf(1), time.Duration(0) // the least ratio to the best way, the time there
	for _, p := range points {
		took := p.Times[way][1]
		if took == 0 {
			continue
		}
		k.least = max(k.least, p.Times[way][0])
		r := float64(took) / float64(p.Times[p.Best][1])
		if r < ratio {
			ratio, then = r, took
		}
		k.behind = r > hopeless && r >= 2*ratio && took >= 2*then
	}
	return k
}

// decided reports whether all ways but the best one have fallen behind, so that larger sizes would
// tell nothing.
func (x *search) decided() bool {
	known := x.known(x.result.Points)
	return len(known) > 1 && known[1].behind
}

// contenders returns the ways that can be the best at a size, and the time of one run of each.
func (x *search) contenders(ctx context.Context, n int, known []knowledge) (ways []int, once []time.Duration, err error) {
	took := make([]time.Duration, len(x.Ways))
	for _, k := range known {
		if len(ways) > 0 && (k.behind || k.least > hopeless*slices.Min(once)) {
			continue
		}
		d, err := x.sample(ctx, k.way, n, 1)
		if err == nil && k.least == 0 {
			d, err = x.sample(ctx, k.way, n, 1) // the first run loads kernels
		}
		if err != nil {
			return nil, nil, err
		}
		took[k.way] = max(d, 1)
		ways, once = append(ways, k.way), append(once, took[k.way])
	}
	slices.Sort(ways) // of equal ones the first is preferred
	for n, way := range ways {
		once[n] = took[way]
	}
	return ways, once, nil
}

// sample returns the time of a number of runs in a row.
func (x *search) sample(ctx context.Context, way, n, runs int) (time.Duration, error) {
	from := x.Now()
	for range runs {
		if err := x.Run(ctx, way, n); err != nil {
			return 0, err
		}
	}
	return x.Now().Sub(from), nil
}
