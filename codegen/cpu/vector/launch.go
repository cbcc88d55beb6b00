package vector

import (
	"fmt"
	"sync"
	"unsafe"

	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/interp"
	"github.com/gpuc/gpuc/ir/texture"
)

// This file launches programs: it spreads the workgroups over workers and reports progress, as
// package interp does, whose launches these are.

// execution is a launch in progress.
type execution struct {
	interp.Schedule
	program      *Program
	buffers      []memory
	handles      []texture.Handle
	immediates   []byte
	grid, extent [3]uint32
	subgroupSize int
	fuel         uint64
	groupsAtOnce uint64 // how many workgroups are executed at once
	chunk        uint64 // how many a worker takes
	body         func() // work, of this execution
}

// executions and workers are those that run nothing, of any program: a launch allocates nothing in
// steady state.
var executions, workers sync.Pool

func (e *execution) release() {
	clear(e.buffers)
	e.program, e.buffers, e.handles, e.immediates = nil, e.buffers[:0], nil, nil
	e.Reset()
	executions.Put(e)
}

// exhausted reports a loop that did not end and stops the launch.
func (e *execution) exhausted(w *worker) {
	if e.Stop() {
		return
	}
	e.Found(diag.Diagnostic{Code: diag.FuelExhausted, Span: w.program.source.F.Source.Span,
		Message: fmt.Sprintf("workgroup (%d, %d, %d) has executed %d instructions in loops and has not ended", w.groups[0][0], w.groups[0][1], w.groups[0][2], w.spent)})
}

// Run executes a launch, whose buffers and handles are in the order of the program that
// interp.Compile makes of the same kernel; it has been checked by that (interp.Program.Check). What
// it returns is what interp.Program.Run does.
func (p *Program) Run(launch *interp.Launch) ([]diag.Diagnostic, error) {
	e, _ := executions.Get().(*execution)
	if e == nil {
		e = new(execution)
		e.body = e.work
	}
	defer e.release()
	e.program, e.handles, e.immediates = p, launch.Handles, launch.Immediates
	e.grid, e.extent, e.fuel, e.subgroupSize = launch.Grid, launch.Extent, launch.Fuel, launch.SubgroupSizeOf(int(p.source.SubgroupSize))
	for _, b := range launch.Buffers {
		e.buffers = append(e.buffers, memory{unsafe.Pointer(unsafe.SliceData(b)), uint64(len(b))})
	}
	if err := e.Begin(launch); err != nil {
		return nil, err
	}
	e.groupsAtOnce = e.groupsOn(e.Workers(1))
	e.chunk = e.Chunk(e.groupsAtOnce)
	return e.Schedule.Run(e.Workers(e.chunk), e.body)
}

// work runs chunks of workgroups until none is left.
func (e *execution) work() {
	w, _ := workers.Get().(*worker)
	if w == nil {
		w = new(worker)
	}
	defer e.Recover("running", e.program.name)
	w.prepare(e)
	e.Each(e.chunk, e.groupsAtOnce, w.runGroups)
	clear(w.roots)
	w.launch, w.window = nil, window{}
	workers.Put(w) // one that panicked, in whatever state, is not used again
}

// prepare makes a worker ready for a launch. What the arena holds besides what is fixed is of no
// matter: code writes before it reads.
func (w *worker) prepare(e *execution) {
	p := e.program
	w.launch = e
	if w.program != p || w.subgroupSize != e.subgroupSize {
		w.program, w.subgroupSize = p, e.subgroupSize
		w.lay()
	}
	w.roots = append(w.roots[:0], e.buffers...)
	w.roots = append(w.roots,
		memory{unsafe.Pointer(unsafe.SliceData(w.shared)), uint64(p.source.WorkgroupBytes)},
		memory{}, // see findOwn
		memory{unsafe.Pointer(unsafe.SliceData(e.immediates)), uint64(len(e.immediates))},
		memory{unsafe.Pointer(unsafe.SliceData(p.source.Constants)), uint64(len(p.source.Constants))})
}

// lay lays out the memory of a worker for a program.
func (w *worker) lay() {
	p := w.program
	const align = 32
	w.words = grown(w.words, (p.arena+align)/8)
	base := unsafe.Pointer(unsafe.SliceData(w.words))
	w.arena = unsafe.Add(base, -uintptr(base)&(align-1))
	w.shared = grown(w.shared, (int(p.source.WorkgroupBytes)+7)/8)
	w.own = grown(w.own, int(p.source.PrivateBytes)*p.room/8)
	blocks, masks := len(p.starts), (p.lanes+63)/64
	w.waiting, w.waits = grown(w.waiting, blocks), grown(w.waits, blocks*masks)
	w.run, w.other, w.mask = grown(w.run, masks), grown(w.other, masks), grown(w.mask, p.room)
	w.full = grown(w.full, p.room)
	for n := range w.full {
		w.full[n] = truth(n < p.lanes)
	}
	clear(w.waiting)
	for _, x := range p.fixed {
		count := 1
		if x.column {
			count = p.room
		}
		for n := range count {
			switch {
			case x.builtin != 0:
				*(*uint32)(unsafe.Add(w.at(x.at), 4*n)) = w.fixedBuiltin(x.builtin-1, uint32(n))
			case x.wide:
				*(*uint64)(unsafe.Add(w.at(x.at), 8*n)) = x.bits
			default:
				*(*uint32)(unsafe.Add(w.at(x.at), 4*n)) = uint32(x.bits)
			}
		}
	}
}

// grown returns a slice of a length, in the memory of another one if that is enough.
func grown[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
