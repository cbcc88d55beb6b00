package tuning

import (
	"time"
)

// How long a clock is watched to find its step.
const (
	stepSamples = 64
	maxReads    = 10_000 // until a clock moves
)

// StepOf returns an upper bound of the step of a clock: the least difference between durations that
// it has measured, or the least duration but zero. Duration measures something short. It is called
// again as long as the clock does not move; the step is 0 if it never does.
func StepOf(duration func() (time.Duration, error)) (step time.Duration, err error) {
	var seen []time.Duration
	note := func(d time.Duration) {
		if d < 0 {
			d = -d
		}
		if d > 0 && (step == 0 || d < step) {
			step = d
		}
	}
	for n := range maxReads {
		d, err := duration()
		if err != nil {
			return 0, err
		}
		note(d)
		for _, o := range seen {
			note(d - o)
		}
		if n < stepSamples {
			seen = append(seen, d)
		} else if step > 0 {
			break
		}
	}
	return step, nil
}
