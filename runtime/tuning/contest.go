package tuning

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// How candidates are measured, unless a Contest says otherwise.
const (
	defaultRounds  = 9
	defaultAtLeast = 2 * time.Millisecond // of a sample
	defaultMaxRuns = 256                  // in a sample
)

// Steps is how many steps of the clock a sample takes at least: a step is then a hundredth of it.
const Steps = 100

// equalWithin is the difference between medians below which the candidate that is listed first is
// preferred.
const equalWithin = 0.01

// fewRounds is the number of rounds that every candidate has before the budget leaves out slow
// ones.
const fewRounds = 2

// ErrCoarse is the error of a contest whose candidates run too briefly for the clock, and ErrBudget
// that of a search whose budget does not suffice for its first size.
var (
	ErrCoarse = errors.New("the clock is too coarse")
	ErrBudget = errors.New("the budget is too short")
)

// Contest measures candidates, and ends within a budget.
//
// First each candidate runs alone, to be loaded and to find out how many runs make a sample, unless
// Once says that. If one run suffices, it is a sample. Then there are rounds. In each, every
// candidate has one sample, in an order that is reversed from round to round. So what slows a
// device down does so for all.
//
// When the rest of the budget does not suffice for all rounds, only the faster half of the
// candidates goes on, repeatedly. A candidate whose sample would exceed the budget is left out.
type Contest struct {
	Candidates int
	// Sample runs a candidate a number of times and returns the time of all.
	Sample func(candidate, runs int) (time.Duration, error)
	// Refused reports whether an error of Sample says that only this candidate does not run. Other
	// errors end the contest. nil means that all do.
	Refused func(error) bool
	// Step is the step of the clock that Sample reads.
	Step   time.Duration
	Budget time.Duration
	// Rounds, AtLeast and MaxRuns are the samples of a candidate, and the time and the maximal
	// number of runs of one; 0 means the default. Samples of a coarse clock are longer.
	Rounds  int
	AtLeast time.Duration
	MaxRuns int
	// Once is the time of one run of each candidate, if known; they do not run alone then.
	Once []time.Duration
	// Now is the clock for the budget; nil means time.Now.
	Now func() time.Time
	// Progress is called before each sample with the part of the rounds that is done, if it is not
	// nil.
	Progress func(part float64)
}

// Result is what a contest found out about a candidate.
type Result struct {
	Times   Times // of one run; zeros if Samples is 0
	Samples int
	Failure error // why the candidate does not run
}

// entrant is a candidate during a contest.
type entrant struct {
	index int
	runs  int           // in a sample
	once  time.Duration // the time of one run
	times []time.Duration
	err   error
}

// median returns the median of the samples so far.
func (e *entrant) median() time.Duration {
	sorted := slices.Sorted(slices.Values(e.times))
	return sorted[len(sorted)/2]
}

// Run measures the candidates, and returns a result for each and the best one. The first candidate
// is measured even if that exceeds the budget. It is ErrCoarse if the clock cannot tell candidates
// apart, and the candidates' errors if none runs.
func (c Contest) Run(ctx context.Context) (results []Result, best int, err error) {
	if c.Candidates < 1 || c.Sample == nil {
		return nil, 0, errors.New("there are no candidates to measure")
	}
	c.setDefaults()
	end := c.Now().Add(c.Budget)
	all := make([]entrant, c.Candidates)
	var running []*entrant
	var least time.Duration // of one run, so far
	for n := range all {
		all[n].index = n
		if len(running) > 0 && !c.Now().Add(2*least).Before(end) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, 0, err
		}
		if err := c.begin(&all[n], end); err != nil {
			return nil, 0, err
		}
		if all[n].err == nil {
			running = append(running, &all[n])
			least = min(all[n].once, cmp.Or(least, all[n].once))
		}
	}
	if len(running) == 0 {
		var failures []error
		for n := range all {
			failures = append(failures, all[n].err)
		}
		return nil, 0, errors.Join(failures...)
	}
	if err := c.rounds(ctx, running, end); err != nil {
		return nil, 0, err
	}
	results = make([]Result, c.Candidates)
	for n := range all {
		e := &all[n]
		results[n] = Result{Samples: len(e.times), Failure: e.err}
		if len(e.times) > 0 {
			results[n].Times = Times{slices.Min(e.times), e.median(), slices.Max(e.times)}
		}
	}
	return results, bestOf(all), nil
}

func (c *Contest) setDefaults() {
	if c.Rounds <= 0 {
		c.Rounds = defaultRounds
	}
	if c.AtLeast <= 0 {
		c.AtLeast = defaultAtLeast
	}
	if c.MaxRuns <= 0 {
		c.MaxRuns = defaultMaxRuns
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	c.AtLeast = max(c.AtLeast, Steps*c.Step)
}

// begin finds out how many runs of a candidate make a sample. An error that concerns the candidate
// alone is kept.
func (c *Contest) begin(e *entrant, end time.Time) error {
	loaded := true
	if e.index < len(c.Once) {
		e.once = c.Once[e.index]
	} else {
		var err error
		if loaded, err = c.warmUp(e, end); err != nil {
			if e.err = err; c.Refused == nil || !c.Refused(err) {
				return err
			}
			return nil
		}
	}
	e.runs = int(min(c.AtLeast/max(e.once, 1)+1, time.Duration(c.MaxRuns)))
	if loaded && e.once >= c.AtLeast {
		e.times = append(e.times, e.once) // it is a sample already
	}
	return nil
}

// warmUp runs a candidate twice, since it is loaded the first time; once if the budget ends there.
func (c *Contest) warmUp(e *entrant, end time.Time) (loaded bool, err error) {
	if e.once, err = c.Sample(e.index, 1); err != nil || !c.Now().Before(end) {
		return false, err
	}
	e.once, err = c.Sample(e.index, 1)
	return true, err
}

// sample measures an entrant once. If its runs are shorter than expected, they are repeated more
// often.
func (c *Contest) sample(e *entrant) error {
	for {
		took, err := c.Sample(e.index, e.runs)
		if err != nil {
			return err
		}
		e.once = max(took/time.Duration(e.runs), 1)
		if took >= Steps*c.Step && took > 0 {
			e.times = append(e.times, e.once)
			return nil
		}
		if e.runs >= c.MaxRuns {
			return &coarseError{took, e.runs, c.Step}
		}
		e.runs = min(c.MaxRuns, max(2*e.runs, int(Steps*c.Step/e.once)))
	}
}

// cost predicts the time of a round.
func cost(running []*entrant) (sum time.Duration) {
	for _, e := range running {
		sum += time.Duration(e.runs) * e.once
	}
	return sum
}

// rounds measures what runs until all rounds are done or the budget ends.
func (c *Contest) rounds(ctx context.Context, running []*entrant, end time.Time) error {
	order := slices.Clone(running)
	for round := range c.Rounds {
		for round >= fewRounds && len(order) > 2 && c.Now().Add(time.Duration(c.Rounds-round)*cost(order)).After(end) {
			order = fasterHalf(order)
		}
		for n, e := range order {
			if err := ctx.Err(); err != nil {
				return err
			}
			needed := e == running[0] && len(e.times) == 0
			if !needed && c.Now().Add(time.Duration(e.runs)*e.once).After(end) {
				continue
			}
			if c.Progress != nil {
				c.Progress((float64(round) + float64(n)/float64(len(order))) / float64(c.Rounds))
			}
			if err := c.sample(e); err != nil {
				return err
			}
		}
		order = slices.DeleteFunc(order, func(e *entrant) bool { return len(e.times) == 0 })
		slices.Reverse(order)
	}
	return nil
}

// fasterHalf returns the faster half of entrants, which all have samples, in their order.
func fasterHalf(list []*entrant) []*entrant {
	medians := make([]time.Duration, len(list))
	for n, e := range list {
		medians[n] = e.median()
	}
	slices.Sort(medians)
	limit, kept := medians[(len(list)-1)/2], (len(list)+1)/2
	return slices.DeleteFunc(slices.Clone(list), func(e *entrant) bool {
		if e.median() <= limit && kept > 0 {
			kept--
			return false
		}
		return true
	})
}

// bestOf returns the candidate with the least median, or the first of those that are as good. The
// first candidate of all is replaced only by one that was faster in two thirds of the rounds, too.
func bestOf(all []entrant) int {
	least := time.Duration(0)
	for n := range all {
		if e := &all[n]; len(e.times) > 0 && (least == 0 || e.median() < least) {
			least = e.median()
		}
	}
	limit := least + time.Duration(equalWithin*float64(least))
	best := slices.IndexFunc(all, func(e entrant) bool { return len(e.times) > 0 && e.median() <= limit })
	first, wins, rounds := all[0].times, 0, min(len(all[0].times), len(all[best].times))
	for n := range rounds {
		if all[best].times[n] < first[n] {
			wins++
		}
	}
	if rounds > 0 && 3*wins < 2*rounds {
		return 0
	}
	return best
}

// coarseError is ErrCoarse with figures.
type coarseError struct {
	took time.Duration
	runs int
	step time.Duration
}

func (e *coarseError) Error() string {
	return fmt.Sprintf("%v: %d runs in a row take %v, and it has steps of %v, so less than %d of them; measure a larger problem",
		ErrCoarse, e.runs, e.took, e.step, Steps)
}

func (e *coarseError) Unwrap() error { return ErrCoarse }
