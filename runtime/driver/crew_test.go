package driver

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestCrew starts tasks from several goroutines. Those of one call wait for each other, so that
// each needs a goroutine of its own.
func TestCrew(t *testing.T) {
	before := runtime.NumGoroutine()
	var c crew
	var callers sync.WaitGroup
	var ran atomic.Int64
	for n := range 4 {
		callers.Go(func() {
			for round := range 50 {
				count := (n + round) % 7
				var together, ended sync.WaitGroup
				together.Add(count)
				ended.Add(count)
				c.start(count, func() {
					defer ended.Done()
					together.Done()
					together.Wait()
					ran.Add(1)
				})
				ended.Wait()
			}
		})
	}
	callers.Wait()
	want := int64(0)
	for n := range 4 {
		for round := range 50 {
			want += int64((n + round) % 7)
		}
	}
	if ran.Load() != want {
		t.Errorf("%d tasks ran, want %d", ran.Load(), want)
	}
	for deadline := time.Now().Add(time.Minute); runtime.NumGoroutine() > before; time.Sleep(idleTime / 4) {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines are left", runtime.NumGoroutine()-before)
		}
	}
}
