package drivertest

import (
	"context"
	"errors"
	"time"

	"github.com/gpuc/gpuc/runtime/driver"
)

// newStamps makes stamps of a stream, of its own kind or of events that count from first. They are
// nil on a device without times.
func (f *Fixture) newStamps(s driver.Stream, n int, first driver.Event) driver.Stamps {
	own, ok := s.(driver.Stamping)
	if !ok {
		return driver.NewEventStamps(s, n, first)
	}
	t, err := own.NewStamps(n)
	if errors.Is(err, driver.ErrUnsupported) {
		f.Log(err)
		return nil
	}
	f.Check(err)
	return t
}

// stamps puts stamps around launches on two streams, each slot several times. Times of the launches
// add up to the times of the slots.
func stamps(f *Fixture) {
	const slots, rounds, every = 141, 3, 20
	ctx := context.Background()
	first, err := f.Stream.Record()
	f.Check(err)
	other, err := f.Device.NewStream()
	f.Check(err)
	x, one := f.Upload(sequence(1<<12)), f.Upload([]float32{1})
	sums := [2]driver.Memory{f.Alloc(4 << 12), f.Alloc(4 << 12)}
	streams := [2]driver.Stream{f.Stream, other}
	var all [2]driver.Stamps
	for n, s := range streams {
		if all[n] = f.newStamps(s, slots, first); all[n] == nil {
			return
		}
	}
	f.Check(f.Stream.Wait(ctx))
	last := time.Duration(0) // on the first stream
	for round := range rounds {
		for slot := range slots {
			for n, s := range streams {
				f.Check(all[n].Put(slot))
				if slot%every == 0 && slot < slots-1 {
					f.Check(s.Launch(Launch(f.Kernel, x, sums[n], one)))
				}
			}
		}
		for _, s := range streams {
			f.Check(s.Wait(ctx))
		}
		var began [2]time.Duration
		for n := range streams {
			sum := time.Duration(0)
			for slot := range slots {
				if passed, err := all[n].Passed(slot); !passed || err != nil {
					f.Fatalf("round %d, slot %d: passed %v, error %v", round, slot, passed, err)
				}
			}
			whole, _, err := all[n].Times(0, 0)
			f.Check(err)
			began[n] = whole
			for slot := range slots - 1 {
				at, took, err := all[n].Times(slot, slot+1)
				f.Check(err)
				// times are rounded, and those of events for each pair
				if took < 0 || took > time.Minute {
					f.Errorf("round %d, slot %d: a launch took %v", round, slot, took)
				}
				if off := at - whole - sum; off < -time.Duration(slot+1)*time.Microsecond || off > time.Duration(slot+1)*time.Microsecond {
					f.Errorf("round %d, slot %d: it is %v after the first, but the launches between took %v", round, slot, at-whole, sum)
				}
				sum += took
			}
			if sum <= 0 {
				f.Errorf("round %d: %d launches took %v", round, slots/every, sum)
			}
		}
		// both streams count from one moment, and rounds follow each other
		if apart := began[1] - began[0]; apart < -time.Minute || apart > time.Minute {
			f.Errorf("round %d: streams began %v apart", round, apart)
		}
		if round > 0 && began[0] < last {
			f.Errorf("round %d began at %v, before the one before it at %v", round, began[0], last)
		}
		last = began[0]
	}
	want := float32(7 * rounds * (slots / every))
	for n := range streams {
		if got := f.Read(sums[n])[7]; got != want {
			f.Errorf("stream %d: got %v, want %v", n, got, want)
		}
		f.Check(all[n].Close())
	}
	f.Check(other.Close())
}
