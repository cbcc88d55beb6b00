package tuning

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// Sizes is what was measured about the fastest of several ways to compute something, by its size.
type Sizes struct {
	Format int    `json:"sizes"`
	Name   string `json:"name"` // of what is computed
	// Ways are the devices, or the program itself.
	Ways   []Way  `json:"ways"`
	Points []Size `json:"points"` // from small to large
}

// Way is a device with its driver, or the program itself without a driver.
type Way struct {
	Name   string `json:"device"`
	Driver string `json:"driver,omitempty"`
}

// Size is what was measured at a size.
type Size struct {
	N    int `json:"n"`
	Best int `json:"best"` // of the ways
	// Times are those of one run by way; zeros if a way was not measured, as it cannot be the best.
	Times []Times `json:"ns"`
}

// Threshold is a size from which on another way is the best one.
type Threshold struct {
	From int // the first size
	Way  int
	// Below and Above are the sizes that were measured on both sides.
	Below, Above *Size
}

// Thresholds returns where the best way changes. Between two sizes that were measured it does so in
// their geometric middle.
func (s *Sizes) Thresholds() (list []Threshold) {
	for n := 1; n < len(s.Points); n++ {
		below, above := &s.Points[n-1], &s.Points[n]
		if below.Best != above.Best {
			list = append(list, Threshold{middle(below.N, above.N) + 1, above.Best, below, above})
		}
	}
	return list
}

// middle returns the geometric middle of sizes: a ≤ middle < b for a < b.
func middle(a, b int) int {
	m := int(math.Sqrt(float64(a) * float64(b)))
	return min(max(m, a), b-1)
}

// wrong says why sizes are none that this package measures, or "".
func (s *Sizes) wrong() string {
	switch {
	case s.Format != Format:
		return fmt.Sprintf("it is of format %d, and this gpuc reads format %d", s.Format, Format)
	case s.Name == "" || len(s.Ways) == 0 || len(s.Points) == 0:
		return "it lacks a name, ways or points"
	}
	for n, p := range s.Points {
		switch {
		case p.N < 1 || n > 0 && p.N <= s.Points[n-1].N:
			return "its sizes are not in order"
		case len(p.Times) != len(s.Ways) || p.Best < 0 || p.Best >= len(s.Ways) || p.Times[p.Best][1] <= 0:
			return "it has not the time of each way"
		case slices.ContainsFunc(p.Times, func(t Times) bool { return t[0] < 0 || !slices.IsSorted(t[:]) }):
			return "its times are not in order"
		}
	}
	return ""
}

// ParseSizes reads a file of sizes.
func ParseSizes(file, text string) (list []Sizes, faults []Fault) {
	faults = readLines(file, text, func(line string, number int) string {
		var s Sizes
		if err := unmarshal(line, &s); err != nil {
			return "it is damaged: " + err.Error()
		}
		if why := s.wrong(); why != "" {
			return why
		}
		if slices.ContainsFunc(list, func(o Sizes) bool { return o.Name == s.Name && slices.Equal(o.Ways, s.Ways) }) {
			return "a line before it is about the same"
		}
		list = append(list, s)
		return ""
	})
	return list, faults
}

// TextOfSizes returns the text of a file of sizes, sorted.
func TextOfSizes(list []Sizes) []byte {
	sorted := slices.Clone(list)
	slices.SortStableFunc(sorted, func(a, b Sizes) int { return strings.Compare(fmt.Sprint(a.Name, a.Ways), fmt.Sprint(b.Name, b.Ways)) })
	var text []byte
	for n := range sorted {
		sorted[n].Format = Format
		text = append(text, marshalLine(&sorted[n])...)
	}
	return text
}

// How sizes are measured.
const (
	ladder      = 4    // the ratio of sizes that are measured first
	closeEnough = 1.05 // the ratio of sizes between which a threshold is known well enough
	bisections  = 6    // expected for each threshold, as the ladder's ratio needs
	sizeRounds  = 5
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
// least the least one.
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
	step, err := StepOf(func() (time.Duration, error) {
		from := s.Now()
		for range 1000 {
			if d := s.Now().Sub(from); d > 0 {
				return d, nil
			}
		}
		return 0, nil
	})
	if err != nil {
		return nil, err
	}
	x := &search{Search: s, step: max(step, 1), end: s.Now().Add(s.Budget), result: Sizes{Format: Format, Name: s.Name, Ways: s.Ways}}
	var sizes []int
	for n := s.Least; n < s.Most; n *= ladder {
		sizes = append(sizes, n)
		if n > s.Most/ladder {
			break // the next one exceeds an int, or Most
		}
	}
	sizes = append(sizes, s.Most)
	for n, size := range sizes {
		done, err := x.measure(ctx, size, len(sizes)-n+bisections)
		if err != nil {
			return nil, err
		}
		if done {
			return &x.result, nil
		}
		if x.decided() {
			break
		}
	}
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
		done, err := x.measure(ctx, between, left)
		if err != nil {
			return nil, err
		}
		if done {
			break
		}
	}
	return &x.result, nil
}

// search is a Search that runs.
type search struct {
	Search
	step   time.Duration
	end    time.Time
	result Sizes
}

// measure adds a size to the result, with its share of the budget. Left is the number of sizes that
// are expected, with this one. It reports whether the budget has ended.
func (x *search) measure(ctx context.Context, n, left int) (done bool, err error) {
	at, _ := slices.BinarySearchFunc(x.result.Points, n, func(s Size, n int) int { return s.N - n })
	// what smaller sizes say of each way: the least time that it takes, and whether it is behind
	known, behind := make([]time.Duration, len(x.Ways)), make([]bool, len(x.Ways))
	order := make([]int, len(x.Ways))
	for way := range x.Ways {
		order[way] = way
		known[way], behind[way] = standing(x.result.Points[:at], way)
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case behind[a] == behind[b]:
			return cmp.Compare(known[a], known[b])
		case behind[a]:
			return 1
		}
		return -1
	})
	if at > 0 {
		// the fastest way runs twice, and takes four times as long at the next size of the ladder
		expected := 2 * known[order[0]]
		if at == len(x.result.Points) {
			expected *= ladder
		}
		if x.end.Sub(x.Now()) < expected {
			return true, nil
		}
	}
	p := Size{N: n, Times: make([]Times, len(x.Ways))}
	var candidates []int
	single := make([]time.Duration, len(x.Ways)) // the times of one run
	var least, all time.Duration                 // of these
	for _, way := range order {
		if len(candidates) > 0 && (behind[way] || known[way] > hopeless*least) {
			continue
		}
		took, err := x.sample(ctx, way, n, 1)
		if err == nil && known[way] == 0 {
			took, err = x.sample(ctx, way, n, 1) // the first one loads kernels
		}
		if err != nil {
			return false, err
		}
		if len(candidates) == 0 || took < least {
			least = took
		}
		candidates, single[way], all = append(candidates, way), took, all+took
	}
	slices.Sort(candidates)
	rest := max(x.end.Sub(x.Now()), 0)
	c := Contest{Candidates: len(candidates), Step: x.step, Budget: min(rest, max(rest/time.Duration(max(left, 1)), fewRounds*all)), Now: x.Now,
		Rounds: sizeRounds, AtLeast: sizeTime, MaxRuns: sizeRuns,
		Sample: func(candidate, runs int) (time.Duration, error) {
			return x.sample(ctx, candidates[candidate], n, runs)
		}}
	for _, way := range candidates {
		c.Once = append(c.Once, max(single[way], 1))
	}
	results, best, err := c.Run(ctx)
	if err != nil {
		return false, fmt.Errorf("size %d: %w", n, err)
	}
	p.Best = candidates[best]
	for k, r := range results {
		p.Times[candidates[k]] = r.Times
		if r.Samples > 0 {
			continue
		}
		if len(x.result.Points) == 0 {
			return false, fmt.Errorf("size %d: %w: %v do not suffice to measure each way", n, ErrBudget, x.Budget)
		}
		return true, nil // no comparison
	}
	x.result.Points = slices.Insert(x.result.Points, at, p)
	return false, nil
}

// decided reports whether all ways but the best one have fallen behind, so that larger sizes would
// tell nothing.
func (x *search) decided() bool {
	ahead := 0
	for way := range x.Ways {
		if _, behind := standing(x.result.Points, way); !behind {
			ahead++
		}
	}
	return ahead <= 1 && len(x.Ways) > 1
}

// standing returns the least time that a way takes at sizes beyond some points, and whether it has
// fallen behind the best way there.
func standing(points []Size, way int) (least time.Duration, behind bool) {
	ratio, then := math.Inf(1), time.Duration(0) // the least ratio to the best way, the time there
	for _, p := range points {
		took := p.Times[way][1]
		if took == 0 {
			continue
		}
		least = max(least, p.Times[way][0])
		r := float64(took) / float64(p.Times[p.Best][1])
		if r < ratio {
			ratio, then = r, took
		}
		behind = r > hopeless && r >= 2*ratio && took >= 2*then
	}
	return least, behind
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
