package interp

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/texture"
)

// This file launches programs: it checks what the caller gave, spreads the
// workgroups over workers and reports progress.

// DefaultSubgroupSize is the number of lanes of a subgroup where a launch names
// none: the same on every machine, and the one that most kernels expect.
const DefaultSubgroupSize = 32

// MaxSubgroupSize is the most lanes that a subgroup can have.
const MaxSubgroupSize = 128

// DefaultFuel is how many instructions of loops an invocation may execute in
// the checked mode if a launch does not say.
const DefaultFuel = 1 << 29

// Launch is one dispatch.
type Launch struct {
	// Buffers holds a buffer for each of Program.Bindings.
	Buffers [][]byte
	// Handles holds a texture or sampler for each of Program.Handles.
	Handles []texture.Handle
	// Immediates holds Program.Immediates bytes.
	Immediates []byte
	// Grid is the number of workgroups by dimension.
	Grid [3]uint32
	// Extent is how many invocations the launch asks for, by dimension, which is what a kernel's
	// parameter launch_extent holds; 0 means all of Grid.
	Extent [3]uint32
	// SubgroupSize is the number of lanes, a power of two up to 128; 0 means
	// DefaultSubgroupSize. A kernel that asks for a size has that one.
	SubgroupSize int
	// Checked chooses the checked mode.
	Checked bool
	// Fuel bounds the instructions that an invocation executes in loops. 0 means
	// DefaultFuel in the checked mode and no bound otherwise.
	Fuel uint64
	// Workers is the number of goroutines of the defined mode; 0 means
	// GOMAXPROCS.
	Workers int
	// Progress, if set, is called about every tenth of a second with the number
	// of finished workgroups.
	Progress func(done, total uint64)
	// Context, if set, ends the launch early.
	Context context.Context
}

// execution is a launch in progress.
type execution struct {
	program      *Program
	image        *image
	buffers      []memory
	handles      []texture.Handle
	immediates   []byte
	grid, extent [3]uint32
	groupSize    int
	subgroupSize int
	fuel         uint64
	total        uint64
	context      context.Context // or nil
	next, done   atomic.Uint64
	stop         atomic.Bool
	mutex        sync.Mutex
	found        diag.List
	reported     atomic.Bool // found is not empty
	checks       *checker
	failure      error // of the interpreter itself
}

// executions are those that run nothing, of any program, as workers are: a launch allocates
// nothing in steady state.
var executions sync.Pool

func newExecution() *execution {
	e, _ := executions.Get().(*execution)
	if e == nil {
		e = new(execution)
	}
	return e
}

func (e *execution) release() {
	clear(e.buffers)
	e.program, e.image = nil, nil
	e.buffers = e.buffers[:0]
	e.context, e.checks, e.handles, e.immediates, e.failure = nil, nil, nil, nil, nil
	e.next.Store(0)
	e.done.Store(0)
	e.stop.Store(false)
	if e.reported.Swap(false) {
		e.found = diag.List{} // the caller has the items
	}
	executions.Put(e)
}

// stopped reports whether the launch is to end early.
func (e *execution) stopped() bool {
	if e.context != nil && e.context.Err() != nil {
		e.stop.Store(true)
	}
	return e.stop.Load()
}

// add keeps a diagnostic.
func (e *execution) add(d diag.Diagnostic) {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	e.found.Add(d)
	e.reported.Store(true)
}

// fail ends a launch because of a failed invariant.
func (e *execution) fail(err error) {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	e.stop.Store(true)
	e.failure = err
}

// Run executes a launch. It returns what the checked mode found, or that the
// fuel was used up; the error is about the launch itself, its context or, as a
// *diag.InternalError, the interpreter.
func (p *Program) Run(launch *Launch) ([]diag.Diagnostic, error) {
	e := newExecution()
	defer e.release()
	if err := p.check(e, launch); err != nil || e.total == 0 {
		return nil, err
	}
	if e.stopped() {
		return nil, e.context.Err()
	}
	workers := launch.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	if launch.Checked {
		workers = 1
		e.checks = newChecker(e)
	}
	chunk := min(max(e.total/uint64(workers*64), 1), 256)
	workers = int(min(uint64(workers), (e.total+chunk-1)/chunk))
	if launch.Progress == nil && workers == 1 {
		e.work(chunk)
	} else {
		Spread(workers, func() { e.work(chunk) }, launch.Progress, &e.done, e.total)
	}
	if e.failure != nil {
		return nil, e.failure
	}
	var items []diag.Diagnostic
	if e.reported.Load() {
		items = e.found.Items()
	}
	if e.context != nil {
		return items, e.context.Err()
	}
	return items, nil
}

// Check returns what is wrong with a launch, before anything runs.
func (p *Program) Check(launch *Launch) error {
	e := newExecution()
	defer e.release()
	return p.check(e, launch)
}

// check checks a launch and fills in its execution.
func (p *Program) check(e *execution, launch *Launch) error {
	e.program, e.image, e.context = p, &p.defined, launch.Context
	e.grid, e.extent, e.fuel, e.subgroupSize = launch.Grid, launch.Extent, launch.Fuel, launch.SubgroupSize
	if launch.Checked {
		e.image = &p.checked
		if e.fuel == 0 {
			e.fuel = DefaultFuel
		}
	}
	if p.subgroupSize != 0 {
		e.subgroupSize = p.subgroupSize
	} else if e.subgroupSize == 0 {
		e.subgroupSize = DefaultSubgroupSize
	}
	if n := e.subgroupSize; n < 1 || n > MaxSubgroupSize || n&(n-1) != 0 {
		return fmt.Errorf("interp: a subgroup of %d lanes; expected a power of two up to %d", n, MaxSubgroupSize)
	}
	if len(launch.Buffers) != len(p.bindings) {
		return fmt.Errorf("interp: %d buffers for the %d bindings of kernel %s", len(launch.Buffers), len(p.bindings), p.name)
	}
	align := uintptr(1)
	if e.image.anyAtomics {
		align = 4
	}
	if e.image.wideAtomics {
		align = 8
	}
	for i, b := range launch.Buffers {
		base := unsafe.Pointer(unsafe.SliceData(b))
		if len(b) > 0 && uintptr(base)%align != 0 {
			return fmt.Errorf("interp: the buffer for %s is not aligned to the %d bytes that atomics need", p.bindings[i].Name, align)
		}
		if uint64(len(b)) > offsetMask/2 {
			return fmt.Errorf("interp: the buffer for %s is too large", p.bindings[i].Name)
		}
		e.buffers = append(e.buffers, memory{base, uint64(len(b))})
	}
	if len(launch.Handles) != len(p.handles) {
		return fmt.Errorf("interp: %d textures and samplers for the %d of kernel %s", len(launch.Handles), len(p.handles), p.name)
	}
	for i := range launch.Handles {
		if err := p.handles[i].Check(&launch.Handles[i]); err != nil {
			return fmt.Errorf("interp: %s: %w", p.handles[i].Name, err)
		}
	}
	e.handles = launch.Handles
	if len(launch.Immediates) != p.immediates {
		return fmt.Errorf("interp: %d bytes of immediates for the %d of kernel %s", len(launch.Immediates), p.immediates, p.name)
	}
	e.immediates = launch.Immediates
	e.groupSize = int(p.workgroup[0] * p.workgroup[1] * p.workgroup[2])
	rows := uint64(e.grid[0]) * uint64(e.grid[1])
	if e.grid[2] != 0 && rows > (1<<63)/uint64(e.grid[2]) {
		return errors.New("interp: the grid has more than 2^63 workgroups")
	}
	e.total = rows * uint64(e.grid[2])
	if launch.Checked && e.total > math.MaxUint32/uint64(e.groupSize) {
		// lastAccess.who numbers them
		return errors.New("interp: the checked mode takes less than 2^32 invocations")
	}
	return nil
}

// work runs chunks of workgroups until none is left.
func (e *execution) work(chunk uint64) {
	w, _ := workers.Get().(*worker)
	if w == nil {
		w = new(worker)
	}
	defer func() {
		if r := recover(); r != nil { // the worker, in whatever state, is not used again
			e.fail(diag.Caught(r, "interpreting kernel `"+e.program.name+"`"))
			return
		}
		w.release()
	}()
	w.prepare(e)
	w.checks = e.checks
	for !e.stopped() {
		first := e.next.Add(chunk) - chunk
		if first >= e.total {
			return
		}
		last := min(first+chunk, e.total)
		for group := first; group < last && !e.stop.Load(); group++ {
			w.runGroup(group)
			e.done.Add(1)
		}
	}
}

// progressInterval is how often Launch.Progress is called.
const progressInterval = 100 * time.Millisecond

// Spread runs a worker's function so many times side by side and returns when all have. Until then
// it calls progress, if there is such a function, about every tenth of a second, and once at the
// end, with how many workgroups are done of all. It is for whoever executes launches.
func Spread(workers int, work func(), progress func(done, total uint64), done *atomic.Uint64, total uint64) {
	var group sync.WaitGroup
	for range workers {
		group.Go(work)
	}
	if progress == nil {
		group.Wait()
		return
	}
	finished := make(chan struct{})
	go func() {
		group.Wait()
		close(finished)
	}()
	ticker := time.NewTicker(progressInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			progress(done.Load(), total)
		case <-finished:
			progress(done.Load(), total)
			return
		}
	}
}

// groupID returns the coordinates of a workgroup.
func (e *execution) groupID(index uint64) [3]uint32 {
	x, y := uint64(e.grid[0]), uint64(e.grid[1])
	return [3]uint32{uint32(index % x), uint32(index / x % y), uint32(index / (x * y))}
}

// localID returns the coordinates of an invocation in its workgroup.
func (e *execution) localID(index uint32) [3]uint32 {
	size := e.program.workgroup
	return [3]uint32{index % size[0], index / size[0] % size[1], index / (size[0] * size[1])}
}

// name describes an invocation for messages.
func (e *execution) name(group uint64, local uint32) string {
	w, id := e.groupID(group), e.localID(local)
	size := e.program.workgroup
	return fmt.Sprintf("invocation (%d, %d, %d) of workgroup (%d, %d, %d)",
		w[0]*size[0]+id[0], w[1]*size[1]+id[1], w[2]*size[2]+id[2], w[0], w[1], w[2])
}

// exhausted reports a loop that did not end and stops the launch.
func (e *execution) exhausted(w *worker, v *invocation) {
	if e.stop.Swap(true) {
		return
	}
	e.add(diag.Diagnostic{Code: diag.FuelExhausted, Span: w.image.spans[v.pc],
		Message: fmt.Sprintf("%s has executed %d instructions in loops and has not ended", e.name(w.groupIndex, v.local), v.spent)})
}

// isShared reports whether races on a root of memory are looked for.
func isShared(s ir.Space) bool { return s == ir.Workgroup || s == ir.Storage }
