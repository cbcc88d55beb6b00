package jit

import (
	"encoding/binary"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/gpuc/gpuc/codegen/cpu/lower"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/interp"
	"github.com/gpuc/gpuc/runtime/execmem"
)

// This file launches kernels. Workers, each of which has a context, take workgroups from the
// schedule. They call the code for as many as take a fraction of a millisecond, since the garbage
// collector waits for calls.

// Kernel is code that can be launched. Launches may be made by many goroutines at once.
type Kernel struct {
	layout     Layout
	executable *execmem.Code
	idle       sync.Pool // of *worker
	launches   sync.Pool // of *execution
}

// Available returns nil if machine code is made for this processor and can be called, and else a
// *Refused that says why not.
func Available() error {
	if machineOf(runtime.GOARCH) == Host { // where code may be callable all the same
		return &Refused{"machine code is made for x86-64 and arm64 alone, and this processor is " + runtime.GOARCH}
	}
	if err := execmem.Available(); err != nil {
		return &Refused{err.Error()}
	}
	return nil
}

// Load makes code of a program callable. The error says why that is not possible.
func Load(p *lower.Program, o Options) (*Kernel, error) {
	if err := Available(); err != nil {
		return nil, err
	}
	code, err := Compile(p, o)
	if err != nil {
		return nil, err
	}
	return code.load()
}

func (c *Code) load() (*Kernel, error) {
	loaded, err := execmem.Load(c.Layout.Name, c.Text)
	if err != nil {
		return nil, &Refused{err.Error()}
	}
	k := &Kernel{layout: c.Layout, executable: loaded}
	runtime.AddCleanup(k, func(c *execmem.Code) { c.Close() }, loaded)
	return k, nil
}

// Linked returns the kernel of an IR text if its code is a part of the program and can be called,
// and nil if not. No executable memory is needed for that.
func Linked(text []byte) *Kernel {
	if !execmem.AnyRegistered() {
		return nil
	}
	about, code := execmem.Registered(Key(text))
	if code == nil {
		return nil
	}
	layout, err := parseLayout(about)
	if err != nil {
		return nil
	}
	return &Kernel{layout: layout, executable: code}
}

// mostBytes is how large a buffer can be, for offsets are words with a sign (address.go).
const maxBytes = 1<<31 - 1<<12

// Takes reports whether the code can execute a launch: buffers are neither too small nor too large,
// and loops need not be counted.
func (k *Kernel) Takes(launch *interp.Launch) bool {
	if len(launch.Buffers) != len(k.layout.Needed) {
		return false
	}
	for n, b := range launch.Buffers {
		if len(b) > maxBytes || uint64(len(b)) < k.layout.Needed[n] {
			return false
		}
	}
	return launch.Fuel == 0
}

// worker is a context and what it leads to.
type worker struct {
	memory []byte // the context, frames and workgroup memory, aligned to 64 bytes
	buffer []byte
	stop   *uint32
	budget uint32 // of a call, in units
}

// execution is a launch in progress.
type execution struct {
	interp.Schedule
	kernel  *Kernel
	launch  *interp.Launch
	workers int
	body    func() // work, of this execution
	mutex   sync.Mutex
	running []*worker
	// timer looks whether the launch is to end, for code that does not return; watched says that it
	// is to go on.
	timer   *time.Timer
	watched bool
}

// watchInterval is how often a launch looks whether its context has ended while code runs.
const watchInterval = 5 * time.Millisecond

func (e *execution) watch() {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	e.watched = true
	if e.timer == nil {
		e.timer = time.AfterFunc(watchInterval, e.look)
	} else {
		e.timer.Reset(watchInterval)
	}
}

func (e *execution) unwatch() {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	e.watched = false
	e.timer.Stop()
}

// look ends the launch if its context has ended.
func (e *execution) look() {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	if !e.watched {
		return
	}
	if e.launch.Context.Err() != nil {
		e.endLocked()
		return
	}
	e.timer.Reset(watchInterval)
}

const alignment = 64

func aligned(n int) int { return (n + alignment - 1) &^ (alignment - 1) }

// firstBudget is what a worker begins with, and largestBudget what it never exceeds; tests take
// less.
var firstBudget, largestBudget uint32 = 1 << 16, 1 << 19

// newWorker makes a context with its memory.
func (k *Kernel) newWorker() *worker {
	c := &k.layout
	w := &worker{budget: firstBudget}
	frames, shared := aligned(c.ContextBytes), aligned(c.FrameBytes*c.Frames)
	workgroup := aligned(int(c.WorkgroupBytes) + 32)
	constants := aligned(len(c.Constants) + 32)
	immediates := aligned(int(c.Immediates) + 32)
	w.buffer = make([]byte, frames+shared+workgroup+constants+immediates+c.tableBytes()+2*alignment)
	skip := -int(uintptr(unsafe.Pointer(unsafe.SliceData(w.buffer)))) & (alignment - 1)
	w.memory = w.buffer[skip:]
	w.stop = (*uint32)(unsafe.Pointer(&w.memory[contextStop]))
	at := frames
	put := func(field, bytes int) {
		binary.LittleEndian.PutUint64(w.memory[field:], uint64(w.address(at)))
		at += bytes
	}
	put(contextFrames, shared)
	put(contextWorkgroup, workgroup)
	copy(w.memory[at:], c.Constants)
	put(contextConstants, constants)
	put(contextImmediates, immediates)
	c.putTable(w.memory[at:])
	put(contextTables, c.tableBytes())
	return w
}

func (w *worker) address(at int) uintptr { return uintptr(unsafe.Pointer(&w.memory[at])) }

// begin fills in the context for a launch.
func (w *worker) begin(e *execution) {
	c, l := &e.kernel.layout, e.launch
	word := func(at int, x uint32) { binary.LittleEndian.PutUint32(w.memory[at:], x) }
	word(contextPoint, 0)
	extent := l.Extent
	for n, size := range c.Workgroup {
		word(contextGrid+4*n, l.Grid[n])
		if l.Extent == [3]uint32{} {
			extent[n] = l.Grid[n] * size
		}
		word(contextExtent+4*n, extent[n])
	}
	for n := range c.Bindings {
		b := l.Buffers[n]
		binary.LittleEndian.PutUint64(w.memory[contextBindings+bindingBytes*n:], uint64(uintptr(unsafe.Pointer(unsafe.SliceData(b)))))
		word(contextBindings+bindingBytes*n+8, c.Bindings[n].Length(uint64(len(b))))
	}
	if n := int(c.Immediates); n > 0 {
		at := aligned(c.ContextBytes) + aligned(c.FrameBytes*c.Frames) + aligned(int(c.WorkgroupBytes)+32) + aligned(len(c.Constants)+32)
		copy(w.memory[at:at+n], l.Immediates)
	}
}

// Run executes a launch, whose buffers are in the order of the program's bindings. The program of
// package interp that is of the same kernel has checked it. What it returns is what
// interp.Program.Run does.
func (k *Kernel) Run(launch *interp.Launch) ([]diag.Diagnostic, error) {
	e, _ := k.launches.Get().(*execution)
	if e == nil {
		e = &execution{kernel: k}
		e.body = e.work
	}
	defer e.release()
	e.launch = launch
	if err := e.Begin(launch); err != nil {
		return nil, err
	}
	if launch.Context != nil && launch.Context.Done() != nil {
		e.watch()
		defer e.unwatch()
	}
	if e.workers = e.Workers(1); launch.Progress == nil && e.small() {
		e.workers = 1
	}
	found, err := e.Schedule.Run(e.workers, e.body)
	runtime.KeepAlive(launch)
	return found, err
}

// small reports whether a launch is over before other workers have begun. Invocations with large
// variables of their own, as tiles are, do more.
func (e *execution) small() bool {
	l := &e.kernel.layout
	return e.Total*(uint64(l.invocations())+uint64(l.FrameBytes*l.Frames/64)) <= 1024
}

func (e *execution) release() {
	k := e.kernel
	e.launch = nil
	e.Reset()
	k.launches.Put(e)
}

// end has all workers end.
func (e *execution) end() {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	e.endLocked()
}

func (e *execution) endLocked() {
	e.Stop()
	for _, w := range e.running {
		atomic.StoreUint32(w.stop, 1)
	}
}

func (e *execution) fail(err error) {
	e.Fail(err)
	e.end()
}

// callTime is how long a call is to take, and taskTime the workgroups that a worker takes at once.
const (
	callTime = 100 * time.Microsecond
	taskTime = 400 * time.Microsecond
)

// around, if not nil, makes the calls of code, for a test that measures them.
var around func(k *Kernel, w *worker) uint64

// enter calls the code once.
func (k *Kernel) enter(w *worker) uint64 {
	if around != nil {
		return around(k, w)
	}
	return k.executable.Call(0, unsafe.Pointer(&w.memory[0]))
}

// call calls the code until the workgroups of a context have been executed, or the launch is to
// end, and returns how long that took. How much a call executes is bounded by largestBudget, and
// less where the last calls took long, as those do that wait for memory.
func (e *execution) call(w *worker) time.Duration {
	k := e.kernel
	begin := time.Now()
	now := begin
	for resume := uint32(0); ; resume = 1 {
		binary.LittleEndian.PutUint32(w.memory[contextResume:], resume)
		binary.LittleEndian.PutUint32(w.memory[contextFuel:], w.budget)
		status := k.enter(w)
		called := false
		for status == statusPreempted && w.callOut(e) {
			called, status = true, k.enter(w)
		}
		before := now
		now = time.Now()
		switch spent := now.Sub(before); {
		case called: // of which Go has taken a part
		case spent < callTime/2 && status == statusPreempted && w.budget < largestBudget:
			w.budget *= 2
		case spent > callTime && w.budget > 1:
			w.budget /= 2
		}
		switch {
		case status == statusDone:
			return now.Sub(begin)
		case status == statusPreempted && !e.Stopped():
		case status == statusPreempted, status == statusStopped && e.Stopping():
			return 0
		case status == statusDiverged:
			e.fail(fmt.Errorf("kernel %s: not all invocations of a workgroup came to the same barrier", k.layout.Name))
			return 0
		default:
			e.fail(fmt.Errorf("kernel %s: the code returned %#x", k.layout.Name, status))
			return 0
		}
	}
}

// callOut executes the operation that the code has returned for, if it has for one, and has the
// code go on after it.
func (w *worker) callOut(e *execution) bool {
	n := binary.LittleEndian.Uint32(w.memory[contextCall:])
	if n == 0 {
		return false
	}
	binary.LittleEndian.PutUint32(w.memory[contextCall:], 0)
	binary.LittleEndian.PutUint32(w.memory[contextResume:], 1)
	l := &e.kernel.layout
	l.Calls[n-1].run(e.launch.Handles, w.memory[requestBase(len(l.Bindings)):], l.Together)
	return true
}

// work calls the code until no workgroups are left. How many it takes at once follows from how long
// the last ones took.
func (e *execution) work() {
	k := e.kernel
	w, _ := k.idle.Get().(*worker)
	if w == nil {
		w = k.newWorker()
	}
	defer func() { // of what Go executes for code; the worker, in whatever state, is not used again
		if r := recover(); r != nil {
			e.fail(diag.Caught(r, "running kernel `"+k.layout.Name+"`"))
		}
	}()
	w.begin(e)
	e.mutex.Lock()
	atomic.StoreUint32(w.stop, 0)
	e.running = append(e.running, w)
	e.mutex.Unlock()
	count := uint64(1)
	for !e.Stopped() {
		if e.workers > 1 { // and what is left is shared, so that all end at the same time
			count = min(count, max(1, e.Left()/4))
		}
		first, n, ok := e.Take(count)
		if !ok {
			break
		}
		binary.LittleEndian.PutUint64(w.memory[contextGroups:], n)
		for c, id := range e.Group(first) {
			binary.LittleEndian.PutUint32(w.memory[contextGroup+4*c:], id)
		}
		switch spent := e.call(w); {
		case spent < taskTime/2:
			count *= 2
		case spent > taskTime && count > 1:
			count /= 2
		}
		e.Finish(n)
	}
	e.mutex.Lock() // nobody stops the worker once another launch has it
	e.running = slices.DeleteFunc(e.running, func(x *worker) bool { return x == w })
	e.mutex.Unlock()
	k.idle.Put(w)
}
