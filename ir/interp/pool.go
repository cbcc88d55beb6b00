package interp

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// This file keeps the goroutines of workers for a short time after a launch. A program that
// launches one kernel after another would otherwise wait each time until a processor that sleeps
// has woken up, which takes as long as a small launch.

const (
	// lingering is how long a goroutine waits for another launch before it ends.
	lingering = 50 * time.Microsecond
	// maxLingering bounds how many goroutines wait: each of them keeps a processor busy.
	maxLingering = 15
	// polls is how often one looks for a launch before it lets other goroutines run.
	polls = 200
)

// pool is those goroutines. Free is how many wait that no launch has chosen yet.
type pool struct {
	free  atomic.Int32
	once  sync.Once
	tasks chan func()
}

var pooled pool

// spread runs a function so many times side by side, once on the caller's goroutine, and returns
// when all have returned.
func (p *pool) spread(count int, work func()) {
	p.once.Do(func() { p.tasks = make(chan func(), maxLingering) })
	var group sync.WaitGroup
	group.Add(count - 1)
	task := func() {
		defer group.Done()
		work()
	}
	for range count - 1 {
		if p.take() {
			p.tasks <- task
		} else {
			go p.run(task)
		}
	}
	work()
	group.Wait()
}

// take takes a goroutine that waits, or reports false if none does.
func (p *pool) take() bool {
	for {
		free := p.free.Load()
		if free == 0 {
			return false
		}
		if p.free.CompareAndSwap(free, free-1) {
			return true
		}
	}
}

// run runs a function, and others as long as launches follow each other.
func (p *pool) run(task func()) {
	for task != nil {
		task()
		task = p.wait()
	}
}

// wait returns the function of another launch, or nil if there is none for a while.
func (p *pool) wait() func() {
	if p.free.Add(1) > maxLingering {
		if p.take() {
			return nil
		}
		return <-p.tasks
	}
	for start := time.Now(); time.Since(start) < lingering; runtime.Gosched() {
		for range polls {
			if len(p.tasks) == 0 {
				continue
			}
			select {
			case task := <-p.tasks:
				return task
			default:
			}
		}
	}
	if p.take() {
		return nil
	}
	return <-p.tasks // a launch has chosen this goroutine, or another one that has ended instead
}
