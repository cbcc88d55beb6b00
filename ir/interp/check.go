package interp

import (
	"fmt"
	"math"
	"slices"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/source"
)

// This file is the checked mode: what it remembers about memory and what it
// reports.
//
// A shadow cell holds the last write, read and atomic access: by which invocation, in which epoch,
// and at which instruction. There is one for every 4 bytes of workgroup and storage memory (2 or 1
// where the kernel keeps smaller scalars). There is also one for every texel of a texture that may
// be written. A barrier starts a new epoch for the memories that it orders. Two accesses conflict
// if at least one writes, not both are atomic, they are by different invocations, and no barrier
// lies between. That is, they have the same epoch, or lie in different workgroups, which nothing
// orders within a launch. Since invocations run one after the other between barriers, every
// conflict is seen, whichever access comes first.

// maxLocations is how many different locations are reported. A launch with as many errors stops;
// after as many warnings it goes on without more of them, for a program that deserves none but
// warnings is well-defined.
const maxLocations = 20

type checker struct {
	e        *execution
	seen     map[reportKey]struct{}
	warnings int // of seen
	faults   map[faultKey]fault
	waiting  map[waitingKey]finding
	shadows  []shadow // by root; without pages for roots that are not shared
	grain    uint64
	// epochs count barriers and workgroups. They never repeat within a launch.
	epoch      uint32
	orderedAt  [sharedMemories]uint32 // epoch of the last barrier for each memory
	groupStart uint32
}

// The memories that barriers order.
const (
	workgroupMemory = iota
	storageMemory
	textureMemory
	sharedMemories
)

// orderedBy says which memory a barrier orders if it names it.
var orderedBy = [sharedMemories]op.Memory{op.WorkgroupMemory, op.StorageMemory, op.TextureMemory}

// reportKey identifies what was reported, and at which location of the program.
type reportKey struct {
	code diag.Code
	span source.Span
	pc   uint32 // where there is no span
}

type faultKey struct {
	local uint32
	slot  uint32
}

// fault is an index outside, remembered until the pointer is used: computing a
// pointer that nothing follows is no error, and passes move such computations.
type fault struct {
	pc           uint32
	signed       bool // the index is a signed number
	index, count uint64
}

// lastAccess is what a cell remembers of a kind of access: the last one, and whether
// there were others that a later access could conflict with.
type lastAccess struct {
	epoch  uint32
	who    uint32 // invocation in the launch, plus 1; 0 if none
	pc     uint32
	others bool // other invocations of the workgroup in this epoch
	groups bool // other workgroups
	// before is an access of another invocation than who, with its pc: one of another
	// workgroup if there are groups, or else of this epoch if there are others.
	before, beforePC uint32
}

type cell [3]lastAccess // by checkRead, checkWrite, checkAtomic

const pageCells = 512

type shadow struct{ pages []*[pageCells]cell }

func newChecker(e *execution) *checker {
	k := &checker{e: e, seen: map[reportKey]struct{}{}, faults: map[faultKey]fault{}, waiting: map[waitingKey]finding{}, grain: 4}
	if e.image.grain > 0 {
		k.grain = uint64(e.image.grain)
	}
	k.shadows = make([]shadow, len(e.image.roots))
	return k
}

// startGroup begins a workgroup: its memory is new.
func (k *checker) startGroup() {
	k.epoch++
	k.groupStart = k.epoch
	k.order(op.WorkgroupMemory | op.StorageMemory | op.TextureMemory)
}

// report adds a diagnostic unless the location has one already.
func (k *checker) report(d diag.Diagnostic, pc uint32) {
	key := reportKey{code: d.Code, span: d.Span}
	if !d.Span.Valid() {
		key.pc = pc + 1
	}
	if _, ok := k.seen[key]; ok {
		return
	}
	k.seen[key] = struct{}{}
	if d.Severity != diag.Error {
		if k.warnings++; k.warnings <= maxLocations {
			k.e.add(d)
		}
		return
	}
	k.e.add(d)
	if len(k.seen)-k.warnings >= maxLocations {
		k.e.Stop()
	}
}

// remember notes an index outside for the time the pointer is used.
func (k *checker) remember(v *invocation, pc uint32, index, count uint64) {
	c := &k.e.image.code[pc]
	k.faults[faultKey{v.local, c.d}] = fault{pc, c.n != 0, index, count}
}

// inherit notes that a pointer was made of another one, or is a parameter that it
// was passed to: of several indices outside it is the first that is reported.
func (k *checker) inherit(v *invocation, to, from uint32) {
	if v.slots[from]&outside == 0 {
		return
	}
	if f, ok := k.faults[faultKey{v.local, from}]; ok {
		k.faults[faultKey{v.local, to}] = f
	}
}

// valueIndex reports a dynamic index outside of a vector or array value.
func (k *checker) valueIndex(w *worker, v *invocation, pc uint32, index, count uint64) {
	k.find(diag.Diagnostic{Code: diag.OutOfBounds, Span: k.e.image.spans[pc],
		Message: fmt.Sprintf("index %d is outside of a value with %d elements, in %s", indexValue(index, k.e.image.code[pc].c != 0), count,
			k.e.name(w.groupIndex, v.local))}, pc, v, pc)
}

// tileIndex reports an index outside of the elements of a tile that an invocation holds.
func (k *checker) tileIndex(w *worker, v *invocation, pc uint32, index, count uint64) {
	k.report(diag.Diagnostic{Code: diag.OutOfBounds, Span: k.e.image.spans[pc],
		Message: fmt.Sprintf("index %d is outside of the %d elements of a tile that an invocation holds, in %s", indexValue(index, true), count,
			k.e.name(w.groupIndex, v.local))}, pc)
}

// indexValue returns the value of the bits of an index.
func indexValue(index uint64, signed bool) int64 {
	if signed && index <= math.MaxUint32 {
		return int64(int32(index))
	}
	return int64(index)
}

// signed shows a coordinate; large ones are most likely negative.
func signed(index uint64) string {
	if index > 1<<31 && index < 1<<32 {
		return fmt.Sprintf("%d (or %d)", index, int32(index))
	}
	return fmt.Sprint(int64(index))
}

// access checks the access that follows.
func (k *checker) access(w *worker, v *invocation, pc uint32, c *code) {
	pointer, kind := v.slots[c.a], c.n&^holding
	at := rootOf(pointer)
	r := &k.e.image.roots[at]
	if pointer&outside != 0 {
		k.outside(w, v, pc, c.a, r)
		return
	}
	offset := pointer & offsetMask
	size := v.roots[at].size
	for _, l := range k.e.image.leaves[c.aux:][:c.x] {
		from, bytes := offset+uint64(l.offset), uint64(l.kind.Bytes())
		if from+bytes > size {
			k.find(diag.Diagnostic{Code: diag.OutOfBounds, Span: k.e.image.spans[pc], Notes: declared(r),
				Message: fmt.Sprintf("%s %d bytes at offset %d of %s, which has %d, in %s", verbs[kind], bytes, from, r.name, size,
					k.e.name(w.groupIndex, v.local))}, pc, v, pc)
			return
		}
		if isShared(r.space) {
			k.touch(w, v, pc, int(at), from, bytes, kind)
		}
	}
}

var verbs = [...]string{checkRead: "reads", checkWrite: "writes", checkAtomic: "accesses atomically"}

func declared(r *root) []diag.Note {
	if !r.span.Valid() {
		return nil
	}
	return []diag.Note{{Span: r.span, Message: r.name + " is declared here"}}
}

// outside reports the use of a pointer that an index outside made.
func (k *checker) outside(w *worker, v *invocation, pc, slot uint32, r *root) {
	f, ok := k.faults[faultKey{v.local, slot}]
	where := k.e.name(w.groupIndex, v.local)
	if !ok { // it came through a block's parameter
		k.find(diag.Diagnostic{Code: diag.OutOfBounds, Span: k.e.image.spans[pc], Notes: declared(r),
			Message: fmt.Sprintf("the pointer into %s was made with an index outside, in %s", r.name, where)}, pc, v, pc)
		return
	}
	span := k.e.image.spans[f.pc]
	if !span.Valid() {
		span = k.e.image.spans[pc]
	}
	k.find(diag.Diagnostic{Code: diag.OutOfBounds, Span: span, Notes: declared(r),
		Message: fmt.Sprintf("index %d is outside of the %d elements in %s, in %s", indexValue(f.index, f.signed), f.count, r.name, where)}, f.pc, v, pc)
}

// touch records an access to some bytes and reports conflicts.
func (k *checker) touch(w *worker, v *invocation, pc uint32, at int, from, bytes uint64, kind uint16) {
	s := &k.shadows[at]
	r := &k.e.image.roots[at]
	if s.pages == nil {
		cells := (v.roots[at].size + k.grain - 1) / k.grain
		s.pages = make([]*[pageCells]cell, (cells+pageCells-1)/pageCells)
	}
	memory := workgroupMemory
	switch r.space {
	case ir.Storage:
		memory = storageMemory
	case ir.Handle:
		memory = textureMemory
	}
	who := uint32(w.groupIndex)*uint32(k.e.groupSize) + v.local + 1
	for n := from / k.grain; n <= (from+bytes-1)/k.grain; n++ {
		page := &s.pages[n/pageCells]
		if *page == nil {
			*page = new([pageCells]cell)
		}
		c := &(*page)[n%pageCells]
		if memory == workgroupMemory && kind == checkRead && c[checkWrite].epoch < k.groupStart && c[checkAtomic].epoch < k.groupStart {
			k.report(diag.Diagnostic{Code: diag.UninitializedRead, Severity: diag.Warning, Span: k.e.image.spans[pc], Notes: declared(r),
				Message: fmt.Sprintf("reads %s in workgroup memory, which no invocation has written, in %s",
					r.elementAt(n*k.grain), k.e.name(w.groupIndex, v.local))}, pc)
		}
		for other := range uint16(len(c)) {
			if other == kind && kind != checkWrite { // two reads, or two atomics
				continue
			}
			if k.conflicts(&c[other], who, memory) {
				culprit, at := k.culprit(&c[other], who, memory)
				k.race(w, v, pc, r, n*k.grain, kind, culprit, at, other)
				break
			}
		}
		k.record(&c[kind], who, pc, memory)
	}
}

// conflicts reports whether nothing orders a remembered access before one by an
// invocation.
func (k *checker) conflicts(a *lastAccess, who uint32, memory int) bool {
	if a.who == 0 {
		return false
	}
	if memory != workgroupMemory && (a.groups || k.groupOf(a.who) != k.groupOf(who)) {
		return true
	}
	return a.epoch >= k.orderedAt[memory] && (a.who != who || a.others)
}

func (k *checker) groupOf(who uint32) uint32 { return (who - 1) / uint32(k.e.groupSize) }

func (k *checker) record(a *lastAccess, who, pc uint32, memory int) {
	switch {
	case a.who == 0:
	case memory != workgroupMemory && k.groupOf(a.who) != k.groupOf(who):
		a.groups, a.others = true, false
		a.before, a.beforePC = a.who, a.pc
	case a.epoch < k.orderedAt[memory]:
		a.others = false
	case a.who != who:
		a.others = true
		if !a.groups {
			a.before, a.beforePC = a.who, a.pc
		}
	}
	a.epoch, a.who, a.pc = k.epoch, who, pc
}

// culprit returns the access that conflicts with one by an invocation: the last one, or
// else one before it.
func (k *checker) culprit(a *lastAccess, who uint32, memory int) (other, pc uint32) {
	apart := memory != workgroupMemory && k.groupOf(a.who) != k.groupOf(who)
	if a.who != who && (apart || a.epoch >= k.orderedAt[memory]) {
		return a.who, a.pc
	}
	return a.before, a.beforePC
}

func (k *checker) race(w *worker, v *invocation, pc uint32, r *root, offset uint64, kind uint16, other, otherPC uint32, otherKind uint16) {
	present := [...]string{checkRead: "reads %s", checkWrite: "writes %s", checkAtomic: "accesses %s atomically"}
	past := [...]string{checkRead: "read", checkWrite: "wrote", checkAtomic: "accessed atomically"}
	group, local := uint64(k.groupOf(other)), (other-1)%uint32(k.e.groupSize)
	what := r.elementAt(offset)
	if r.space == ir.Handle {
		what = k.texelName(r, offset/k.grain)
	}
	note := diag.Note{Span: k.e.image.spans[otherPC], Message: "the other access: " + k.e.name(group, local)}
	k.report(diag.Diagnostic{Code: diag.DataRace, Span: k.e.image.spans[pc], Notes: append([]diag.Note{note}, declared(r)...),
		Message: fmt.Sprintf("%s %s, which another invocation %s, and nothing orders the two",
			k.e.name(w.groupIndex, v.local), fmt.Sprintf(present[kind], what), past[otherKind])}, pc)
}

// barrier checks that all invocations wait at the same barrier, or operation on tiles, in the same
// iteration, and begins an epoch.
func (k *checker) barrier(w *worker) {
	var first *invocation
	memories := op.Memory(0)
	for n := range w.invocations {
		v := &w.invocations[n]
		if v.state != atBarrier {
			continue
		}
		w.locate(v)
		memories |= op.Memory(w.image.code[v.pc].n)
		if first == nil {
			first = v
		}
	}
	what, another := "barrier", "the other barrier"
	if w.image.code[first.pc].op == opTile {
		what, another = "operation on tiles", "the other operation"
	}
	for n := range w.invocations {
		v := &w.invocations[n]
		message, note := "", diag.Note{}
		switch {
		case v.state == ended:
			message = fmt.Sprintf("%s waits at the %s, but %s has ended", k.e.name(w.groupIndex, first.local), what, k.e.name(w.groupIndex, v.local))
		case v.pc != first.pc:
			message = fmt.Sprintf("%s waits at this %s and %s at another one", k.e.name(w.groupIndex, first.local), what, k.e.name(w.groupIndex, v.local))
			note = diag.Note{Span: w.image.spans[v.pc], Message: another}
		case !slices.Equal(v.key, first.key):
			message = fmt.Sprintf("%s and %s wait at the %s in different iterations or calls", k.e.name(w.groupIndex, first.local), k.e.name(w.groupIndex, v.local), what)
		default:
			continue
		}
		d := diag.Diagnostic{Code: diag.NonUniformBarrier, Span: w.image.spans[first.pc], Message: message}
		if note.Message != "" {
			d.Notes = append(d.Notes, note)
		}
		k.report(d, first.pc)
		break
	}
	k.epoch++
	k.order(memories)
}

// order notes that the epoch begins with a barrier for some memories.
func (k *checker) order(memories op.Memory) {
	for n, m := range orderedBy {
		if memories&m != 0 {
			k.orderedAt[n] = k.epoch
		}
	}
}

// subgroupBarrier begins an epoch for the whole workgroup, although it orders the lanes of one
// subgroup only. A race between subgroups may go unnoticed then, but no ordered access is called
// one.
func (k *checker) subgroupBarrier() {
	k.epoch++
	k.order(op.WorkgroupMemory | op.StorageMemory | op.TextureMemory)
}
