package vector

import (
	"math/bits"
	"unsafe"

	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file executes workgroups. Lanes are in one block of the function each: those that run, in
// the mask run, and those that wait where a block begins. A jump goes on at once if nobody waits
// anywhere. Otherwise the lanes wait, too, and the next block is the first after at which some do.
// At the end of a loop those go on that wait at the header.

// memory is what accesses look into.
type memory struct {
	base unsafe.Pointer
	size uint64
}

// worker runs workgroups one at a time.
type worker struct {
	launch  *execution
	program *Program
	words   []uint64       // the arena
	arena   unsafe.Pointer // its first byte, aligned for vectors
	shared  []uint64       // workgroup memory
	own     []uint64       // the invocations' own memory, word by word, each in all lanes
	roots   []memory
	index   uint64      // of the first workgroup
	groups  [][3]uint32 // the coordinates of each

	block   int
	run     []uint64 // the lanes that run
	live    int      // how many they are
	extent  int      // lanes from here on do not run; a multiple of eight
	alive   int      // how many have not ended
	waiting []int32  // by block: how many wait there
	waits   []uint64 // by block: their masks
	// the lanes of a branch that go its second way, which is compiled after the first
	other   []uint64
	rest    int      // how many they are
	second  uint32   // where that begins
	mask    []uint32 // the lanes that run as a column
	masked  bool     // it is there
	full    []uint32 // all lanes as a column
	spent   uint64   // instructions in loops
	next    uint64   // when to look whether the launch is to end
	window  window   // of the access under way
	word    uint32   // an operand that is the same in all lanes
	values  []uint64 // scratch of operations of subgroups
	members []int
	// subgroupSize is that for which the arena's fixed values are there.
	subgroupSize int
}

// at returns a block in the arena.
func (w *worker) at(offset uint32) unsafe.Pointer { return unsafe.Add(w.arena, offset) }

// get reads an operand in a lane, as package scalar stores it.
func (w *worker) get(o operand, lane int) uint64 {
	p := unsafe.Add(w.arena, int(o.at)+lane*int(o.step))
	switch o.class {
	case mir.Long:
		return *(*uint64)(p)
	case mir.Predicate:
		return uint64(*(*uint32)(p) & 1)
	}
	return uint64(*(*uint32)(p))
}

// put writes one.
func (w *worker) put(o operand, lane int, value uint64) {
	p := unsafe.Add(w.arena, int(o.at)+lane*int(o.step))
	switch o.class {
	case mir.Long:
		*(*uint64)(p) = value
	case mir.Predicate:
		*(*uint32)(p) = -uint32(value)
	default:
		*(*uint32)(p) = uint32(value)
	}
}

// runGroups runs workgroups that follow each other.
func (w *worker) runGroups(index, count uint64) {
	w.index, w.groups = index, w.groups[:0]
	for n := range count {
		w.groups = append(w.groups, w.launch.Group(index+n))
	}
	clear(w.shared)
	lanes := w.program.group * int(count)
	fillMask(w.run, lanes)
	w.live, w.alive, w.rest, w.block = lanes, lanes, 0, 0
	w.changed()
	w.spent, w.next = 0, checkEvery
	w.execute()
}

// changed notes that other lanes run.
func (w *worker) changed() {
	w.masked = false
	if w.live == w.program.lanes {
		w.extent = w.program.room
		return
	}
	w.extent = (w.last() + 8) &^ 7
}

// fillMask sets the first bits of a mask and clears the others.
func fillMask(mask []uint64, lanes int) {
	for n := range mask {
		switch more := lanes - 64*n; {
		case more >= 64:
			mask[n] = ^uint64(0)
		case more > 0:
			mask[n] = 1<<more - 1
		default:
			mask[n] = 0
		}
	}
}

// checkEvery is how many instructions of loops run between checks whether the launch is to end.
const checkEvery = 1 << 14

// execute runs the instructions.
func (w *worker) execute() {
	p := w.program
	code, arena := p.code, w.arena
	primitives := p.primitives
	pc := p.starts[0]
	for {
		i := &code[pc]
		pc++
		switch i.op {
		case opPrimitive:
			primitives[i.primitive](w.extent, unsafe.Add(arena, i.d), unsafe.Add(arena, i.a), unsafe.Add(arena, i.b), unsafe.Add(arena, i.c))
		case opOne:
			primitives[i.primitive](1, unsafe.Add(arena, i.d), unsafe.Add(arena, i.a), unsafe.Add(arena, i.b), unsafe.Add(arena, i.c))
		case opMove, opMoveWide, opFill, opFillWide:
			w.move(i)
		case opLoad:
			w.load(&p.accesses[i.x])
		case opStore:
			w.store(&p.accesses[i.x])
		case opAtomic:
			w.atomic(&p.accesses[i.x])
		case opScalar:
			w.evalLanes(&p.scalarOps[i.x])
		case opJoin, opSplit, opPack, opUnpack, opDot:
			w.convert(i.op, &p.scalarOps[i.x])
		case opGroup:
			w.meet(&p.groups[i.x])
		case opTexture:
			w.texture(&p.textures[i.x])
		case opBuiltin:
			*(*uint32)(w.at(i.d)) = w.builtin(i.x)
		case opBuiltinColumn:
			w.globalIndex(i.d)
		case opGroupColumn:
			w.groupColumn(i)
		case opLength:
			*(*uint32)(w.at(i.d)) = p.source.Bindings[i.x].Length(w.roots[i.x].size)
		case opJump:
			to := int(i.x)
			if w.live != w.alive {
				if pc = w.wait(to); pc == ended {
					return
				}
				continue
			}
			next := p.starts[to]
			if to <= w.block {
				if w.spent += uint64(pc - next); w.spent >= w.next && w.over() {
					return
				}
			}
			w.block, pc = to, next
		case opBranchOne:
			if *(*uint32)(unsafe.Add(arena, i.a)) == 0 {
				pc = i.x
			}
		case opBranch:
			pc = w.branch(i, pc)
		case opReturn:
			w.alive -= w.live
			if w.alive == 0 {
				return
			}
			w.live = 0
			if pc = w.goOn(); pc == ended {
				return
			}
		}
	}
}

// ended is no block in the code.
const ended = ^uint32(0)

// branch parts the lanes: those for which the condition holds go on with the next instruction, and
// the others wait.
func (w *worker) branch(i *inst, next uint32) uint32 {
	bitsOf(w.other, w.at(i.a), w.extent)
	yes := 0
	for n, condition := range w.other {
		yes += bits.OnesCount64(w.run[n] & condition)
	}
	switch yes {
	case w.live:
		return next
	case 0:
		return i.x
	}
	for n, condition := range w.other {
		w.other[n] = w.run[n] &^ condition
		w.run[n] &= condition
	}
	w.rest, w.live, w.second = w.live-yes, yes, i.x
	w.changed()
	return next
}

// wait makes the lanes that run wait at a block, and returns where to go on.
func (w *worker) wait(to int) uint32 {
	waits := w.waits[to*len(w.run):][:len(w.run)]
	if w.waiting[to] == 0 {
		copy(waits, w.run)
	} else {
		for n := range waits {
			waits[n] |= w.run[n]
		}
	}
	w.waiting[to] += int32(w.live)
	if w.rest > 0 {
		w.run, w.other = w.other, w.run
		w.live, w.rest = w.rest, 0
		w.changed()
		return w.second
	}
	return w.goOn()
}

// goOn lets the lanes run that are next: the first that wait after the block, but those at the
// header of a loop before the ones after its end.
func (w *worker) goOn() uint32 {
	flow := &w.program.source.Flow
	at := w.block
	for h := flow.Loop[at]; h >= 0; h = flow.Outer[h] {
		end := int(flow.LoopEnd[h])
		for at++; at <= end; at++ {
			if w.waiting[at] > 0 {
				return w.enter(at)
			}
		}
		if at = end; w.waiting[h] > 0 {
			w.spent += uint64(len(w.program.code) / 8)
			if w.spent >= w.next && w.over() {
				return ended
			}
			return w.enter(int(h))
		}
	}
	for at++; at < len(w.waiting); at++ {
		if w.waiting[at] > 0 {
			return w.enter(at)
		}
	}
	return ended
}

// enter lets the lanes run that wait at a block.
func (w *worker) enter(block int) uint32 {
	copy(w.run, w.waits[block*len(w.run):])
	w.live, w.waiting[block], w.block = int(w.waiting[block]), 0, block
	w.changed()
	return w.program.starts[block]
}

// over reports whether the launch is to end: its context has, or the fuel is used up.
func (w *worker) over() bool {
	w.next = w.spent + checkEvery
	l := w.launch
	switch {
	case l.Stopped():
	case l.fuel != 0 && w.spent >= l.fuel:
		l.exhausted(w)
	default:
		return false
	}
	clear(w.waiting)
	return true
}

// column returns the lanes that run as a column.
func (w *worker) column() unsafe.Pointer {
	if w.live == w.program.lanes {
		return unsafe.Pointer(&w.full[0])
	}
	to := unsafe.Pointer(&w.mask[0])
	if !w.masked {
		expand(to, w.run, w.extent)
		w.masked = true
	}
	return to
}

// move moves a column, or fills one, in the lanes that run.
func (w *worker) move(i *inst) {
	d, a := w.at(i.d), w.at(i.a)
	if w.live == w.program.lanes {
		w.program.primitives[wholeMoves[i.op-opMove]](w.extent, d, a, nil, nil)
		return
	}
	w.program.primitives[partMoves[i.op-opMove]](w.extent, d, a, w.column(), nil)
}

var (
	wholeMoves = [...]uint16{copyWord, copyLong, fillWord, fillLong}
	partMoves  = [...]uint16{blendWord, blendLong, blendFillWord, blendFillLong}
)

// lane takes the lowest lane of the n-th word of a mask.
func (w *worker) lane(n int, mask *uint64) int {
	k := bits.TrailingZeros64(*mask)
	*mask &= *mask - 1
	return n*64 + k
}

// mean does an operation lane by lane, or once where the result is one value.
func (w *worker) evalLanes(x *scalarOp) {
	list := w.program.lists[x.list:]
	result, in := list[0], list[1:1+x.operands]
	var a, b, c, d operand
	for n, o := range in {
		*[...]*operand{&a, &b, &c, &d}[n] = o
	}
	if x.one {
		w.put(result, 0, x.function(w.get(a, 0), w.get(b, 0), w.get(c, 0), w.get(d, 0)))
		return
	}
	for n, mask := range w.run {
		for mask != 0 {
			k := w.lane(n, &mask)
			switch x.operands {
			case 1:
				w.put(result, k, x.function(w.get(a, k), 0, 0, 0))
			case 2:
				w.put(result, k, x.function(w.get(a, k), w.get(b, k), 0, 0))
			default:
				w.put(result, k, x.function(w.get(a, k), w.get(b, k), w.get(c, k), w.get(d, k)))
			}
		}
	}
}

// builtin returns a component of a builtin value that is the same in all lanes; of a global id,
// that of the workgroup's first invocation.
func (w *worker) builtin(aux uint32) uint32 {
	l, size := w.launch, w.program.source.Workgroup
	n := aux % 4
	switch ir.Builtin(aux / 4) {
	case ir.GlobalInvocationID:
		return w.groups[0][n] * size[n]
	case ir.WorkgroupID:
		return w.groups[0][n]
	case ir.NumWorkgroups:
		return l.grid[n]
	case ir.LaunchExtent:
		if l.extent[n] != 0 {
			return l.extent[n]
		}
		return l.grid[n] * size[n]
	case ir.SubgroupSize:
		return uint32(l.subgroupSize)
	case ir.NumSubgroups:
		return uint32((w.program.group + l.subgroupSize - 1) / l.subgroupSize)
	case ir.WorkgroupIndex:
		return uint32(w.index)
	}
	panic("vector: unknown builtin value " + ir.Builtin(aux/4).String())
}

// fixedBuiltin returns a component of a builtin value of a lane that is the same in all workgroups.
func (w *worker) fixedBuiltin(aux uint32, lane uint32) uint32 {
	size := uint32(w.launch.subgroupSize)
	lane %= uint32(w.program.group)
	switch ir.Builtin(aux / 4) {
	case ir.LocalInvocationID:
		return w.program.localID(lane)[aux%4]
	case ir.LocalInvocationIndex:
		return lane
	case ir.SubgroupInvocationID:
		return lane % size
	case ir.SubgroupID:
		return lane / size
	}
	panic("vector: unknown builtin value " + ir.Builtin(aux/4).String())
}

// localID returns the coordinates of a lane's invocation in its workgroup.
func (p *Program) localID(lane uint32) [3]uint32 {
	size := p.source.Workgroup
	return [3]uint32{lane % size[0], lane / size[0] % size[1], lane / (size[0] * size[1])}
}

// globalIndex computes the linear index of each invocation in the launch.
func (w *worker) globalIndex(to uint32) {
	size, grid := w.program.source.Workgroup, w.launch.grid
	for n, group := range w.groups {
		for lane := range w.program.group {
			id := w.program.localID(uint32(lane))
			for n := range id {
				id[n] += group[n] * size[n]
			}
			*(*uint32)(unsafe.Add(w.at(to), 4*(n*w.program.group+lane))) = id[0] + grid[0]*size[0]*(id[1]+grid[1]*size[1]*id[2])
		}
	}
}

// groupColumn computes a component of a builtin value that the invocations of a workgroup share, or
// of their global id.
func (w *worker) groupColumn(i *inst) {
	lanes, component, addUniform := w.program.group, i.x%4, rowOf(op.Add, scalar.U32, 0).first+withUniform
	size := w.program.source.Workgroup[component]
	x := ir.Builtin(i.x / 4)
	for n := range w.groups {
		switch w.word = w.groups[n][component]; x {
		case ir.WorkgroupIndex:
			w.word = uint32(w.index) + uint32(n)
		case ir.GlobalInvocationID:
			w.word *= size
		}
		to := unsafe.Add(w.at(i.d), 4*n*lanes)
		switch primitives := w.program.primitives; {
		case x == ir.GlobalInvocationID && lanes%8 == 0:
			primitives[addUniform](lanes, to, w.at(i.a), unsafe.Pointer(&w.word), nil)
		case x == ir.GlobalInvocationID:
			local := unsafe.Slice((*uint32)(w.at(i.a)), lanes)
			for k := range unsafe.Slice((*uint32)(to), lanes) {
				*(*uint32)(unsafe.Add(to, 4*k)) = w.word + local[k]
			}
		case lanes%8 == 0:
			primitives[fillWord](lanes, to, unsafe.Pointer(&w.word), nil, nil)
		default:
			fillWords(unsafe.Slice((*uint32)(to), lanes), w.word)
		}
	}
}

// source says from which lane an operation of subgroups takes a value: of lane self with the second
// operand.
func source(o op.Op, self, operand uint64) uint64 {
	switch o {
	case op.SubgroupShuffleXor:
		return self ^ operand
	case op.SubgroupShuffleUp:
		return self - operand
	case op.SubgroupShuffleDown:
		return self + operand
	case op.QuadBroadcast:
		return self&^3 | operand&3
	case op.QuadSwapX:
		return self ^ 1
	case op.QuadSwapY:
		return self ^ 2
	case op.QuadSwapDiagonal:
		return self ^ 3
	}
	return operand
}
