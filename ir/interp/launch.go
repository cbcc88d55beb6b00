package interp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
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
	// Extent is how many invocations the launch has, by dimension, which is what a kernel's
	// parameter launch_extent holds; 0 means all of Grid.
	Extent [3]uint32
	// SubgroupSize is the number of lanes, a power of two up to 128; 0 means DefaultSubgroupSize. A
	// kernel that sets a size has that one.
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

// SubgroupSizeOf returns the number of lanes of a subgroup for a kernel that sets a size, or 0 if
// it sets none.
func (l *Launch) SubgroupSizeOf(kernel int) int {
	return cmp.Or(kernel, l.SubgroupSize, DefaultSubgroupSize)
}

// execution is a launch in progress.
type execution struct {
	Schedule
	program      *Program
	image        *image
	buffers      []memory
	handles      []texture.Handle
	immediates   []byte
	extent       [3]uint32
	groupSize    int
	subgroupSize int
	fuel         uint64
	reports      sync.Mutex
	list         diag.List // what the checked mode has found
	reported     atomic.Bool
	checks       *checker
	chunk        uint64
	body         func() // work, of this execution
}

// executions are those that run nothing, of any program, as workers are: a launch allocates
// nothing in steady state.
var executions sync.Pool

func newExecution() *execution {
	e, _ := executions.Get().(*execution)
	if e == nil {
		e = new(execution)
		e.body = e.work
	}
	return e
}

func (e *execution) release() {
	clear(e.buffers)
	e.program, e.image = nil, nil
	e.buffers = e.buffers[:0]
	e.checks, e.handles, e.immediates = nil, nil, nil
	e.Reset()
	if e.reported.Swap(false) {
		e.list = diag.List{} // the caller has the items
	}
	executions.Put(e)
}

// add keeps a diagnostic.
func (e *execution) add(d diag.Diagnostic) {
	e.reports.Lock()
	defer e.reports.Unlock()
	e.list.Add(d)
	e.reported.Store(true)
}

// Run executes a launch. It returns what the checked mode found, or that the
// fuel was used up; the error is about the launch itself, its context or, as a
// *diag.InternalError, the interpreter.
func (p *Program) Run(launch *Launch) ([]diag.Diagnostic, error) {
	e := newExecution()
	defer e.release()
	if err := p.check(e, launch); err != nil {
		return nil, err
	}
	e.chunk = e.Chunk(1)
	workers := e.Workers(e.chunk)
	if launch.Checked {
		workers = 1
		e.checks = newChecker(e)
	}
	_, err := e.Schedule.Run(workers, e.body)
	if !e.reported.Load() || e.failure != nil {
		return nil, err
	}
	return e.list.Items(), err
}

// Check returns what is wrong with a launch, before anything runs.
func (p *Program) Check(launch *Launch) error {
	e := newExecution()
	defer e.release()
	return p.check(e, launch)
}

// check checks a launch and fills in its execution.
func (p *Program) check(e *execution, launch *Launch) error {
	e.program, e.image = p, p.images[Defined]
	e.extent, e.fuel, e.subgroupSize = launch.Extent, launch.Fuel, launch.SubgroupSizeOf(p.subgroupSize)
	if launch.Checked {
		e.image = p.images[Checked]
		if e.fuel == 0 {
			e.fuel = DefaultFuel
		}
	}
	if e.image == nil {
		return errors.New("interp: the program was not compiled for the mode of the launch")
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
	if err := e.Begin(launch); err != nil {
		return fmt.Errorf("interp: %w", err)
	}
	if launch.Checked && e.Total > math.MaxUint32/uint64(e.groupSize) {
		// lastAccess.who numbers them
		return errors.New("interp: the checked mode takes less than 2^32 invocations")
	}
	return nil
}

// work runs chunks of workgroups until none is left.
func (e *execution) work() {
	w, _ := workers.Get().(*worker)
	if w == nil {
		w = new(worker)
	}
	defer e.Recover("interpreting", e.program.name)
	w.prepare(e)
	w.checks = e.checks
	e.Each(e.chunk, 1, func(group, _ uint64) { w.runGroup(group) })
	w.release() // a worker that panicked, in whatever state, is not used again
}

// localID returns the coordinates of an invocation in its workgroup.
func (e *execution) localID(index uint32) [3]uint32 {
	size := e.program.workgroup
	return [3]uint32{index % size[0], index / size[0] % size[1], index / (size[0] * size[1])}
}

// name describes an invocation for messages.
func (e *execution) name(group uint64, local uint32) string {
	w, id := e.Group(group), e.localID(local)
	size := e.program.workgroup
	return fmt.Sprintf("invocation (%d, %d, %d) of workgroup (%d, %d, %d)",
		w[0]*size[0]+id[0], w[1]*size[1]+id[1], w[2]*size[2]+id[2], w[0], w[1], w[2])
}

// exhausted reports a loop that did not end and stops the launch.
func (e *execution) exhausted(w *worker, v *invocation) {
	if e.Stop() {
		return
	}
	e.add(diag.Diagnostic{Code: diag.FuelExhausted, Span: w.image.spans[v.pc],
		Message: fmt.Sprintf("%s has executed %d instructions in loops and has not ended", e.name(w.groupIndex, v.local), v.spent)})
}

// isShared reports whether races on a root of memory are looked for.
func isShared(s ir.Space) bool { return s == ir.Workgroup || s == ir.Storage }
