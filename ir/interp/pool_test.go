package interp

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestPool: launches of many goroutines run their functions as often as they ask for, whether
// goroutines of earlier launches wait or not.
func TestPool(t *testing.T) {
	var p pool
	var launches sync.WaitGroup
	for n := range 40 {
		launches.Go(func() {
			for round := range 50 {
				count := 1 + (n+round)%(maxLingering+5)
				var ran atomic.Int32
				if p.spread(count, func() { ran.Add(1) }); int(ran.Load()) != count {
					t.Errorf("a function ran %d times, want %d", ran.Load(), count)
				}
				if round%10 == 0 {
					time.Sleep(2 * lingering)
				}
			}
		})
	}
	launches.Wait()
	for range 1000 { // those that wait end
		if p.free.Load() == 0 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if free := p.free.Load(); free != 0 || len(p.tasks) != 0 {
		t.Errorf("%d goroutines wait, and %d functions", free, len(p.tasks))
	}
}
