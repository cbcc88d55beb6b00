//go:build race

package gpu

import (
	"runtime"
	"sync"
	"unsafe"
)

// This file tells the race detector what orders the items of a kernel that runs as plain Go. Each
// item has a goroutine, and one of them runs at a time. The detector would take that switching for
// synchronization, so runtime.RaceDisable hides it, and fences tell the detector what barriers
// order. A race is found whenever both accesses happen, in any order, as long as the detector
// remembers the first one: it keeps four for each eight bytes.

// raceEnabled says that the race detector watches.
const raceEnabled = true

// fence is a barrier to the detector: accesses before it in any item precede those after it in
// all.
type fence struct{ address uint64 }

func (f *fence) before() { runtime.RaceReleaseMerge(unsafe.Pointer(&f.address)) }
func (f *fence) behind() {
	runtime.RaceAcquire(unsafe.Pointer(&f.address))
	renumber()
}

// renumber gives the goroutine a new number in the detector, which has 256 of them for goroutines
// at a time and takes those of goroutines that wait. Without a synchronizing operation it would
// attribute later accesses to whoever had the number. This one orders nothing: nobody acquires it.
func renumber() { nobody.before() }

var nobody fence

// crew are the goroutines of a launch. They are reused, as the detector forgets goroutines that
// ended some time ago. Items on the same goroutine are ordered, so there are several sets, which
// workgroups use in rotation.
type crew struct {
	workers []*worker
	alone   int   // items that have run alone
	done    fence // what all items have done
}

// minCrew is how many consecutive items run on their own goroutines: few enough for the
// detector to tell them apart.
const minCrew = 61

// worker is a goroutine for items. Receiving on a channel passes control.
type worker struct {
	resume  chan bool // whether to go on
	back    chan bool // whether there is more
	body    func(yield func() bool)
	given   fence // what the caller has done before
	problem any   // what body has panicked with
	exited  bool  // body has called runtime.Goexit, as tests do that fail
	begun   bool  // body has been called
	ended   bool  // body has returned, or will not be called
	end     fence
}

// coroutine is that of norace.go, for item n of a workgroup.
func (g *group) coroutine(n int, body func(yield func() bool)) (next func() bool, stop func()) {
	items, at, groups := g.launch.items(), g.at, g.launch.grid
	sets := max(2, minCrew/items)
	set := (at.X + groups.X*(at.Y+groups.Y*at.Z)) % sets
	w := g.launch.worker(set*items+n, sets*items)
	w.assign(body)
	return func() bool { return w.next(true) }, func() { w.next(false) }
}

// alone calls a kernel for an item that waits for no other, so that nothing orders it.
func (l *launch) alone(kernel func(Item), it Item) {
	n := l.crew.alone
	// no stride leads from all items to others of their goroutines
	w := l.worker((n+n/minCrew)%minCrew, minCrew)
	l.crew.alone++
	w.assign(func(func() bool) {
		defer l.crew.done.before()
		kernel(it)
	})
	w.next(true)
}

// worker returns goroutine n of so many.
func (l *launch) worker(n, of int) *worker {
	if l.crew.workers == nil {
		tileArithmetic() // an item that made it would race with those that read it
		l.crew.workers = make([]*worker, of)
	}
	w := l.crew.workers[n]
	if w == nil {
		w = &worker{resume: make(chan bool), back: make(chan bool)}
		l.crew.workers[n] = w
		go w.run()
	}
	return w
}

// dismiss ends the goroutines at the end of a launch.
func (l *launch) dismiss() {
	for _, w := range l.crew.workers {
		if w != nil && !w.exited {
			give(w.resume, false)
		}
	}
	l.crew.done.behind()
}

//go:norace
func (w *worker) assign(body func(yield func() bool)) {
	w.body, w.begun, w.ended, w.problem = body, false, false, nil
	w.given.before()
}

// run calls one body after the other.
func (w *worker) run() {
	for wait(w.resume) {
		w.given.behind()
		w.call()
	}
}

func (w *worker) call() {
	returned := false
	defer func() { w.close(recover(), returned) }()
	w.task()(func() bool {
		give(w.back, true)
		goOn := wait(w.resume)
		renumber()
		return goOn
	})
	returned = true
}

//go:norace
func (w *worker) task() func(yield func() bool) { return w.body }

// close hands control back at the end of a body.
//
//go:norace
func (w *worker) close(problem any, returned bool) {
	w.body, w.problem, w.exited = nil, problem, problem == nil && !returned
	w.end.before()
	give(w.back, false)
}

// next hands control to the body until it waits again or has ended.
//
//go:norace
func (w *worker) next(goOn bool) (more bool) {
	if w.ended {
		return false
	}
	if more = goOn || w.begun; more {
		w.begun = true
		give(w.resume, goOn)
		more = wait(w.back)
	}
	if more {
		return true
	}
	w.ended = true
	switch {
	case w.problem != nil:
		w.end.behind() // who recovers looks at it
		panic(w.problem)
	case w.exited:
		w.end.behind()
		runtime.Goexit()
	}
	return false
}

// give and wait are a send and a receive that the race detector does not see.

func give(to chan bool, what bool) {
	runtime.RaceDisable()
	to <- what
	runtime.RaceEnable()
}

func wait(from chan bool) bool {
	runtime.RaceDisable()
	what := <-from
	runtime.RaceEnable()
	return what
}

// aside calls a function whose locks order nothing.
func aside(f func()) {
	done := make(chan bool)
	go func() {
		f()
		give(done, true)
	}()
	wait(done)
	renumber()
}

// changing keeps atomic operations apart; the race detector does not see it.
var changing sync.Mutex

// hide begins an atomic operation that orders nothing, and show ends it with what the race detector
// sees of it.
func hide() {
	runtime.RaceDisable()
	changing.Lock()
}

func show(store func()) {
	runtime.RaceEnable()
	store()
	runtime.RaceDisable()
	changing.Unlock()
	runtime.RaceEnable()
}
