package interp

import (
	"slices"
	"sync"
	"unsafe"

	"github.com/gpuc/gpuc/ir"
)

// This file runs workgroups. A kernel without barriers and subgroup operations
// runs one invocation after the other in one frame. Otherwise every invocation
// has a frame and runs until it has to wait. Those that wait for each other then
// continue together.
//
// Reconvergence. Structured code is laid out in the order in which it executes, so the instruction
// where an invocation waits has a position in time. It consists of the calls around it, the
// counters of the loops around it and the instruction itself, compared from the outside in. Of the
// lanes of a subgroup that wait, those with the earliest position execute first. They are all that
// ever will execute that dynamic instance, because no lane can come back to it. So lanes reconverge
// at the end of the region that they left, and iterations of a divergent loop do not mix.

// worker runs workgroups one at a time.
type worker struct {
	image       *image
	launch      *execution
	checks      *checker // nil unless checked
	frames      []uint64
	memory      []byte // the arenas
	shared      []byte // workgroup memory
	roots       []memory
	invocations []invocation
	group       [3]uint32
	groupIndex  uint64
	lanes       []*invocation // scratch of meet
	results     []uint64
	aborted     bool
	tiles       tileStore
}

// workers has the idle workers of all programs. A pool for each program would outlive it by a cycle
// of the garbage collector. A process that runs thousands of programs would then hold the frames of
// all since the last cycle but one.
var workers sync.Pool

// prepare allocates or reuses frames for a launch. Their contents do not matter, since code writes
// before it reads.
func (w *worker) prepare(launch *execution) {
	p := launch.image
	w.image, w.launch, w.aborted = p, launch, false
	count := 1
	if p.convergent {
		count = launch.groupSize
	}
	w.frames = grown(w.frames, count*p.slots)
	w.memory = growAligned(w.memory, count*p.arenaBytes)
	w.shared = growAligned(w.shared, p.workgroupBytes)
	w.roots = grown(w.roots, count*len(p.roots))
	w.invocations = grown(w.invocations, count)
	for n := range w.invocations {
		v := &w.invocations[n]
		v.slots = w.frames[n*p.slots:][:p.slots:p.slots]
		v.roots = w.roots[n*len(p.roots):][:len(p.roots):len(p.roots)]
		v.arena = w.memory[n*p.arenaBytes:][:p.arenaBytes:p.arenaBytes]
		copy(v.slots, p.constants)
		for k, r := range p.roots {
			m := &v.roots[k]
			switch {
			case k < len(launch.buffers):
				*m = launch.buffers[k]
			case r.space == ir.Immediate:
				*m = memory{unsafe.Pointer(unsafe.SliceData(launch.immediates)), uint64(len(launch.immediates))}
			case r.space == ir.Handle:
				*m = memory{nil, texels(&launch.handles[r.offset]) * launch.checks.grain}
			case r.space == ir.Workgroup:
				*m = memory{unsafe.Pointer(unsafe.SliceData(w.shared[r.offset:])), r.size}
			case r.space == ir.Constant:
				*m = memory{unsafe.Pointer(unsafe.SliceData(p.constantData[r.offset:])), r.size}
			default:
				*m = memory{unsafe.Pointer(unsafe.SliceData(v.arena[r.offset:])), r.size}
			}
		}
		for _, l := range p.lengths {
			v.slots[l.slot] = elements(v.roots, uint64(l.root)<<offsetBits|l.offset, uint64(l.stride))
		}
	}
}

// release lets go of the launch's buffers and of the program.
func (w *worker) release() {
	clear(w.roots)
	w.tiles.reset()
	w.image, w.launch, w.checks = nil, nil, nil
	workers.Put(w)
}

// grown returns a slice of a length, in the memory of another one if that is enough.
func grown[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// growAligned is grown for bytes that aligned made.
func growAligned(b []byte, bytes int) []byte {
	if cap(b) < bytes {
		return aligned(bytes)
	}
	return b[:bytes]
}

// aligned returns zeroed bytes at an address that is a multiple of 8.
func aligned(bytes int) []byte {
	if bytes == 0 {
		return nil
	}
	words := make([]uint64, (bytes+7)/8)
	return unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), bytes)
}

// start sets an invocation to the beginning of the kernel.
func (w *worker) start(v *invocation, local uint32) {
	l := w.launch
	v.local, v.pc, v.state, v.spent, v.left = local, 0, runnable, 0, slice
	v.stack = v.stack[:0]
	copy(v.arena, w.image.private)
	id := l.localID(local)
	size, grid := l.program.workgroup, l.grid
	var global [3]uint32
	for k := range global {
		global[k] = w.group[k]*size[k] + id[k]
	}
	lanes := uint32(l.subgroupSize)
	for _, b := range w.image.builtins {
		to := v.slots[b.first:]
		switch b.builtin {
		case ir.LocalInvocationID:
			put(to, id)
		case ir.GlobalInvocationID:
			put(to, global)
		case ir.WorkgroupID:
			put(to, w.group)
		case ir.NumWorkgroups:
			put(to, grid)
		case ir.LaunchExtent:
			for n := range grid {
				to[n] = uint64(grid[n] * size[n])
				if l.extent[n] != 0 {
					to[n] = uint64(l.extent[n])
				}
			}
		case ir.LocalInvocationIndex:
			to[0] = uint64(local)
		case ir.SubgroupInvocationID:
			to[0] = uint64(local % lanes)
		case ir.SubgroupSize:
			to[0] = uint64(lanes)
		case ir.SubgroupID:
			to[0] = uint64(local / lanes)
		case ir.NumSubgroups:
			to[0] = uint64((uint32(l.groupSize) + lanes - 1) / lanes)
		case ir.GlobalInvocationIndex:
			// the linear index of the global id in the whole launch
			to[0] = uint64(global[0] + grid[0]*size[0]*(global[1]+grid[1]*size[1]*global[2]))
		case ir.WorkgroupIndex:
			to[0] = uint64(uint32(w.groupIndex))
		}
	}
}

func put(to []uint64, id [3]uint32) {
	to[0], to[1], to[2] = uint64(id[0]), uint64(id[1]), uint64(id[2])
}

// runGroup runs the workgroup with a linear index.
func (w *worker) runGroup(index uint64) {
	l := w.launch
	w.groupIndex = index
	w.group = l.Group(index)
	clear(w.shared)
	if w.checks != nil {
		w.checks.startGroup()
	}
	w.tiles.reset()
	if !w.image.convergent {
		v := &w.invocations[0]
		for local := range uint32(l.groupSize) {
			w.start(v, local)
			w.tiles.reset()
			for v.state != ended {
				w.run(v)
			}
			if l.stop.Load() {
				return
			}
		}
		return
	}
	for n := range w.invocations {
		w.start(&w.invocations[n], uint32(n))
	}
	for !l.stop.Load() {
		waiting, running := 0, 0
		for first := 0; first < len(w.invocations); first += l.subgroupSize {
			lanes := w.invocations[first:min(first+l.subgroupSize, len(w.invocations))]
			w.advance(lanes)
			for n := range lanes {
				switch lanes[n].state {
				case atBarrier:
					waiting++
				case runnable:
					running++
				}
			}
		}
		switch {
		case running > 0: // some used up their slice
		case waiting == 0:
			return
		default:
			w.openBarrier()
		}
	}
}

// advance runs the lanes of a subgroup until each has ended, waits at a barrier
// or used up its slice.
func (w *worker) advance(lanes []invocation) {
	for {
		busy := false
		for n := range lanes {
			if v := &lanes[n]; v.state == runnable {
				w.run(v)
				busy = busy || v.state == runnable
			}
		}
		if busy || w.launch.Stopping() {
			return
		}
		together := w.earliest(lanes)
		if len(together) == 0 {
			return
		}
		w.meet(&w.image.subgroups[w.image.code[together[0].pc].aux], together)
		for _, v := range together {
			v.pc++
			v.state = runnable
		}
	}
}

// earliest returns the lanes that wait at the earliest subgroup operation.
func (w *worker) earliest(lanes []invocation) []*invocation {
	w.lanes = w.lanes[:0]
	for n := range lanes {
		v := &lanes[n]
		if v.state != atSubgroup {
			continue
		}
		w.locate(v)
		if len(w.lanes) > 0 {
			order := slices.Compare(v.key, w.lanes[0].key)
			if order > 0 {
				continue
			}
			if order < 0 {
				w.lanes = w.lanes[:0]
			}
		}
		w.lanes = append(w.lanes, v)
	}
	return w.lanes
}

// locate computes the position in time of the instruction where an invocation waits.
func (w *worker) locate(v *invocation) {
	v.key = v.key[:0]
	for _, at := range v.stack {
		v.key = w.image.position(v.key, v.slots, at-1)
	}
	v.key = w.image.position(v.key, v.slots, v.pc)
}

func (p *image) position(key []uint64, slots frame, at uint32) []uint64 {
	for _, l := range p.sites[p.code[at].x>>32].loops {
		key = append(key, uint64(l.at), slots[l.counter])
	}
	return append(key, uint64(at))
}

// openBarrier lets the invocations that wait at a barrier or an operation on tiles go on, all
// others having ended.
func (w *worker) openBarrier() {
	if w.checks != nil {
		w.checks.barrier(w)
	}
	for n := range w.invocations {
		v := &w.invocations[n]
		switch {
		case v.state != atBarrier:
		case w.image.code[v.pc].op == opTile:
			w.meetTile(v.pc)
		default:
			v.pc++
			v.state = runnable
		}
	}
}

// more is called when an invocation has used up a slice; it reports whether it
// may go on at once.
func (w *worker) more(v *invocation) bool {
	l := w.launch
	v.spent += slice
	v.left = slice
	switch {
	case l.Stopped():
		v.state = ended
	case l.fuel != 0 && v.spent >= l.fuel:
		l.exhausted(w, v)
		v.state = ended
	default:
		return !w.image.convergent
	}
	return false
}

// clampIndex returns the last index for one outside of a value.
func (w *worker) clampIndex(v *invocation, pc uint32, index, count uint64) uint64 {
	if w.checks != nil {
		w.checks.valueIndex(w, v, pc, index, count)
	}
	return max(count, 1) - 1
}

// clampPointer marks a pointer as outside and returns the last index.
func (w *worker) clampPointer(v *invocation, pc uint32, pointer, index, count uint64) (uint64, uint64) {
	if w.checks != nil {
		w.checks.remember(v, pc, index, count)
	}
	return pointer | outside, max(count, 1) - 1
}
