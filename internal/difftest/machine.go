package difftest

// The machine that runs a compiled program: memory, invocations, barriers, and the detection of
// accesses that WGSL leaves undefined because they race.
//
// Memory is counted in leaves: every scalar takes one word, whatever its size in bytes. An f16 is
// held as the f32 of the same value. Bytes matter only where buffers come in and go out.

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
)

// FaultKind says what makes a program unfit for comparison.
type FaultKind uint8

const (
	FaultConst   FaultKind = iota // an error in a const-expression or override-expression
	FaultBounds                   // an access outside of its variable
	FaultFloat                    // a float result that implementations may differ in
	FaultRange                    // a builtin's argument for which the result is indeterminate
	FaultRace                     // two invocations access memory, one writes, nothing orders them
	FaultAtomic                   // a result that depends on the order of atomic operations
	FaultBarrier                  // a barrier that not all invocations of a workgroup reach
	FaultLoop                     // a loop with too many iterations
	FaultSteps                    // too many steps in all
	FaultStatic                   // a rule that can be checked without running the program
	faultKinds
)

var faultNames = [...]string{"const-expression", "bounds", "float", "range", "race", "atomic order", "barrier", "loop", "steps", "static"}

// Fault is an expression or statement that makes a program unfit.
type Fault struct {
	Kind FaultKind
	Expr *Expr
	Stmt *Stmt
	What string
}

func (f *Fault) Error() string { return faultNames[f.Kind] + ": " + f.What }

const (
	maxSteps      = 150_000
	maxIterations = 80
)

// flow says how a statement ended.
type flow uint8

const (
	next flow = iota
	breaks
	continues
	returns
)

type exec func(*thread) flow

// machine runs one dispatch.
type machine struct {
	code      *compiled
	global    []uint32 // storage, uniform and immediate variables, one after another
	workgroup []uint32
	texels    []uint32  // texelWords for each
	shared    [3]shadow // of global, workgroup and texels
	group     int32
	epochs    [3]int32 // barriers passed, by shadow; none orders accesses to texels
	steps     int
	faults    []*Fault
	seen      map[faultKey]bool
	reverse   bool     // invocations run last to first
	outside   bool     // some access was outside of its array
	threads   []thread // the invocations of the workgroup
	hides     bool     // a zero hid factors whose product is no number
	// if it is not nil: the greatest index of accesses to runtime-sized arrays
	reach map[*Expr]uint32
}

// access is an access to a runtime-sized array, with the greatest index that it had.
type access struct {
	v        *Var
	greatest uint32
}

// reached runs the program and returns its accesses to runtime-sized arrays, in the order of the
// source, or nothing if the program is not well-defined.
func (p *Program) reached() (list []access) {
	c, err := compileProgram(p)
	if err != nil {
		return nil
	}
	m := c.start(false)
	m.reach = map[*Expr]uint32{}
	m.dispatch()
	for _, f := range p.Funcs {
		walkStmts(f.Body, func(*Stmt) {}, func(e *Expr) {
			if greatest, ok := m.reach[e]; ok {
				list = append(list, access{rootOf(e), greatest})
			}
		})
	}
	return list
}

type faultKey struct {
	expr *Expr
	stmt *Stmt
}

// shadow remembers who accessed each leaf.
type shadow struct {
	cells []cell
}

const (
	nobody = -1
	many   = -2
)

type cell struct {
	writer, writerGroup, writerEpoch int32
	reader, readerGroup, readerEpoch int32
	// Of atomics: who came first, what all did, and whether somebody used a result.
	actor, actorGroup, actorEpoch int32
	class, allClass               atomicClass
	used, allUsed                 bool
}

// atomicClass is a set of atomic operations that commute with each other.
type atomicClass uint8

const (
	classNone atomicClass = iota
	classLoad
	classAdd
	classAnd
	classOr
	classXor
	classMin
	classMax
	classMul
	classOther
)

func newShadow(n int) shadow {
	s := shadow{make([]cell, n)}
	for i := range s.cells {
		c := &s.cells[i]
		c.writer, c.reader, c.actor = nobody, nobody, nobody
		c.writerGroup, c.readerGroup, c.actorGroup = nobody, nobody, nobody
	}
	return s
}

// thread is an invocation.
type thread struct {
	m       *machine
	stack   []uint32
	base    int
	private []uint32
	id      int32
	inputs  [inputWords]uint32
	wait    func(*Expr) bool
	handed  [2][]uint32 // operands of operations of subgroups, and where the next ones go
	phase   int
	hidden  [2]float64 // of f32 and f16: the product of the factors that a zero swallowed
}

// Offsets of builtin inputs in thread.inputs.
const (
	inputLocalID    = 0
	inputGlobalID   = 3
	inputGroupID    = 6
	inputGroups     = 9
	inputLocalIndex = 12
	inputZero       = 13 // subgroup_invocation_id where a workgroup is one invocation
	inputWords      = 16
)

var inputOffsets = map[string]int{
	"local_invocation_id": inputLocalID, "global_invocation_id": inputGlobalID,
	"workgroup_id": inputGroupID, "num_workgroups": inputGroups,
	"local_invocation_index": inputLocalIndex, "subgroup_invocation_id": inputZero,
}

type stop struct{}

func (m *machine) fault(kind FaultKind, e *Expr, s *Stmt, what string) {
	key := faultKey{e, s}
	if m.seen[key] {
		return
	}
	m.seen[key] = true
	m.faults = append(m.faults, &Fault{kind, e, s, what})
	if len(m.faults) > 200 {
		panic(stop{})
	}
}

func (t *thread) step(n int) {
	t.m.steps += n
	if t.m.steps > maxSteps {
		t.m.fault(FaultSteps, nil, nil, "too many steps")
		panic(stop{})
	}
}

// shadowOf is the number of the shadow of a space, or -1 for memory that invocations do not share.
func shadowOf(s Space) int {
	switch s {
	case StorageSpace:
		return 0
	case WorkgroupSpace:
		return 1
	}
	return -1
}

// mem is the memory of a space.
func (t *thread) mem(s Space) []uint32 {
	switch s {
	case FunctionSpace:
		return t.stack
	case PrivateSpace:
		return t.private
	case WorkgroupSpace:
		return t.m.workgroup
	}
	return t.m.global
}

func (t *thread) touch(which, at, n int, write bool, e *Expr) {
	m := t.m
	for i := at; i < at+n; i++ {
		c := &m.shared[which].cells[i]
		epoch := m.epochs[which]
		race := c.writer != nobody &&
			(c.writerGroup != m.group || c.writer != t.id && c.writerEpoch == epoch)
		if write {
			if c.reader != nobody && (c.readerGroup != m.group || c.reader != t.id && c.readerEpoch == epoch) {
				race = true
			}
			c.writer, c.writerGroup, c.writerEpoch = t.id, m.group, epoch
		} else {
			switch {
			case c.readerGroup == nobody:
				c.readerGroup = m.group
				c.reader, c.readerEpoch = t.id, epoch
			case c.readerGroup != m.group:
				c.readerGroup, c.reader = many, many
			case c.readerEpoch != epoch:
				c.reader, c.readerEpoch = t.id, epoch
			case c.reader != t.id:
				c.reader = many
			}
		}
		if race {
			m.fault(FaultRace, e, nil, "data race")
			return
		}
	}
}

// act notes an atomic operation.
func (t *thread) act(which, at int, class atomicClass, used bool, e *Expr) {
	m := t.m
	c := &m.shared[which].cells[at]
	epoch := m.epochs[which]
	if class == classLoad {
		used = false
	}
	bad := false
	switch {
	case c.actorGroup == nobody:
		c.actor, c.actorGroup, c.actorEpoch = t.id, m.group, epoch
		c.class, c.used, c.allClass, c.allUsed = class, used, class, used
		return
	case c.actorGroup != m.group:
		c.actorGroup, c.actor = many, many
	case c.actorEpoch != epoch:
		c.actor, c.actorEpoch, c.class, c.used = t.id, epoch, class, used
	case c.actor != t.id:
		c.actor = many
	}
	merge := func(old atomicClass) atomicClass {
		if old != class {
			return classOther
		}
		return old
	}
	c.class, c.used = merge(c.class), c.used || used
	c.allClass, c.allUsed = merge(c.allClass), c.allUsed || used
	if c.actorGroup == many {
		bad = c.allClass == classOther || c.allUsed
	} else if c.actor == many {
		bad = c.class == classOther || c.used
	}
	if bad && !m.code.anyOrder {
		m.fault(FaultAtomic, e, nil, "the order of atomic operations matters")
	}
}

// elements is the count of the runtime-sized array that starts at a leaf of a buffer.
func (m *machine) elements(at, leaves int) int {
	for i := range m.code.resources {
		r := &m.code.resources[i]
		if at >= r.start && at < r.start+len(r.leaves) {
			return (r.start + len(r.leaves) - at) / leaves
		}
	}
	return 0
}

// resource is a buffer.
type resource struct {
	v        *Var
	start    int // its first leaf in machine.global
	leaves   []leaf
	elements int
}

// run executes the dispatch; the machine's faults say what was wrong.
func (c *compiled) run(reverse bool) *machine {
	m := c.start(reverse)
	m.dispatch()
	return m
}

// start makes a machine with the program's inputs.
func (c *compiled) start(reverse bool) *machine {
	m := &machine{code: c, seen: map[faultKey]bool{}, reverse: reverse}
	m.faults = append(m.faults, c.faults...)
	for i := range m.faults {
		m.seen[faultKey{m.faults[i].Expr, m.faults[i].Stmt}] = true
	}
	m.global = append([]uint32(nil), c.globalInit...)
	m.texels = append([]uint32(nil), c.texelInit...)
	m.workgroup = make([]uint32, c.workgroupWords)
	m.shared[0] = newShadow(len(m.global))
	m.shared[textureShadow] = newShadow(len(m.texels) / texelWords)
	return m
}

// dispatch runs all workgroups, one after another.
func (m *machine) dispatch() {
	c := m.code
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(stop); !ok {
				panic(r)
			}
		}
	}()
	threads := make([]thread, c.size[0]*c.size[1]*c.size[2])
	for z := range c.groups[2] {
		for y := range c.groups[1] {
			for x := range c.groups[0] {
				m.runGroup(threads, [3]int{x, y, z})
			}
		}
	}
}

func (m *machine) runGroup(threads []thread, at [3]int) {
	c := m.code
	m.group = int32((at[2]*c.groups[1]+at[1])*c.groups[0] + at[0])
	m.epochs = [3]int32{}
	clear(m.workgroup)
	m.shared[1] = newShadow(len(m.workgroup))
	m.threads = threads
	for i := range threads {
		t := &threads[i]
		if t.stack == nil {
			t.m = m
			t.stack = make([]uint32, c.stackWords)
			t.private = make([]uint32, len(c.privateInit))
		}
		copy(t.private, c.privateInit)
		t.base = 0
		t.hidden = [2]float64{1, 1}
		t.id = m.group*int32(len(threads)) + int32(i)
		local := [3]int{i % c.size[0], i / c.size[0] % c.size[1], i / c.size[0] / c.size[1]}
		for k := range 3 {
			t.inputs[inputLocalID+k] = uint32(local[k])
			t.inputs[inputGroupID+k] = uint32(at[k])
			t.inputs[inputGroups+k] = uint32(c.groups[k])
			t.inputs[inputGlobalID+k] = uint32(at[k]*c.size[k] + local[k])
		}
		t.inputs[inputLocalIndex] = uint32(i)
	}
	order := make([]int, len(threads))
	for i := range order {
		order[i] = i
		if m.reverse {
			order[i] = len(order) - 1 - i
		}
	}
	if !c.barriers || len(threads) == 1 {
		for _, i := range order {
			threads[i].wait = func(e *Expr) bool { m.pass(e); return true }
			c.main(&threads[i])
		}
		return
	}
	// Each invocation is a coroutine that yields the barrier that it waits at.
	pulls := make([]func() (*Expr, bool), len(threads))
	for i := range threads {
		t := &threads[i]
		pull, end := iter.Pull(func(yield func(*Expr) bool) {
			t.wait = yield
			c.main(t)
		})
		defer end()
		pulls[i] = pull
	}
	for {
		var barrier *Expr
		arrived := 0
		for _, i := range order {
			e, ok := pulls[i]()
			if !ok {
				continue
			}
			if arrived++; arrived > 1 && e != barrier {
				m.fault(FaultBarrier, e, nil, "invocations wait at different barriers")
				panic(stop{})
			}
			barrier = e
		}
		if arrived == 0 {
			return
		}
		if arrived != len(threads) {
			m.fault(FaultBarrier, barrier, nil, "not all invocations reach the barrier")
			panic(stop{})
		}
		m.pass(barrier)
	}
}

// pass orders what lies before a barrier before what comes after it.
func (m *machine) pass(barrier *Expr) {
	switch {
	case barrier.Name == "storageBarrier":
		m.epochs[0]++
	case !isSubgroup(barrier.Name):
		m.epochs[1]++
	}
}

// contents are the bytes of a buffer after the run. Bytes between scalars are those of before.
func (m *machine) contents(r *resource) []byte {
	data := append([]byte(nil), r.v.Data...)
	for i, l := range r.leaves {
		word := m.global[r.start+i]
		if l.kind == F16 {
			half := halfBits(math.Float32frombits(word))
			data[l.offset], data[l.offset+1] = byte(half), byte(half>>8)
			continue
		}
		for k := range 4 {
			data[l.offset+k] = byte(word >> (8 * k))
		}
	}
	return data
}

// load puts the bytes of a buffer into words.
func (r *resource) load(to []uint32) {
	for i, l := range r.leaves {
		d := r.v.Data[l.offset:]
		if l.kind == F16 {
			to[i] = math.Float32bits(halfValue(uint16(d[0]) | uint16(d[1])<<8))
			continue
		}
		to[i] = uint32(d[0]) | uint32(d[1])<<8 | uint32(d[2])<<16 | uint32(d[3])<<24
	}
}

// Case prints the program, runs it, and returns its Case, or the first of its faults. The case is
// robust only if an access was out of bounds. It relies on the order of products only if a zero hid
// factors whose product is not finite.
func (p *Program) Case() (*Case, error) {
	if fault := p.checkStatic(); fault != nil {
		return nil, fault
	}
	c, err := compileProgram(p)
	if err != nil {
		return nil, err
	}
	m := c.run(false)
	if len(m.faults) > 0 {
		return nil, m.faults[0]
	}
	result := &Case{
		Name: p.Name, Entry: p.Entry.Name, Dispatch: p.Dispatch, Code: p.String(),
		Constants: map[string]float64{}, Immediates: append([]byte{}, p.Immediates...),
		Bindings: []Binding{}, Robust: m.outside, Rounds: m.hides,
	}
	if c.lanes {
		result.Subgroup = p.Lanes
	}
	for i := range c.resources {
		r := &c.resources[i]
		if r.v.Space == ImmediateSpace {
			continue
		}
		result.Bindings = append(result.Bindings, r.binding(m))
	}
	for i := range c.images {
		result.Bindings = append(result.Bindings, c.images[i].binding(m))
	}
	if c.size[0]*c.size[1]*c.size[2]*c.groups[0]*c.groups[1]*c.groups[2] > 1 {
		other := c.run(true)
		if len(other.faults) > 0 {
			return nil, other.faults[0]
		}
		if !slices.Equal(m.global, other.global) || !slices.Equal(m.texels, other.texels) {
			return nil, errors.New("the result depends on the order of invocations")
		}
	}
	for _, v := range p.Globals {
		if v.Kind == OverrideVar && v.Set {
			key := v.Name
			if v.ID >= 0 {
				key = fmt.Sprint(v.ID)
			}
			result.Constants[key] = overrideValue(v)
		}
	}
	return result, nil
}

func overrideValue(v *Var) float64 {
	switch v.Type.Kind {
	case I32:
		return float64(int32(v.Value))
	case F32, F16:
		return float64(math.Float32frombits(v.Value))
	}
	return float64(v.Value)
}

// binding describes a buffer after the run m.
func (r *resource) binding(m *machine) Binding {
	kind := "storage"
	if r.v.Space == UniformSpace {
		kind = "uniform"
	} else if r.v.Access == Read {
		kind = "read-only-storage"
	}
	b := Binding{
		Group: r.v.Group, Binding: r.v.Binding, Name: r.v.Name, Kind: kind,
		Data: append([]byte{}, r.v.Data...), Want: m.contents(r), Floats: []FloatField{},
	}
	b.Stride, b.Count = len(b.Data), 1
	leaves := r.leaves
	if t := r.v.Type; t.Kind == Array {
		b.Stride, b.Count = t.stride(), len(b.Data)/t.stride()
		leaves = t.Elem.appendLeaves(nil, 0, 0)
	}
	for _, l := range leaves {
		if l.kind == F32 || l.kind == F16 {
			b.Floats = append(b.Floats, FloatField{l.offset, l.kind == F16})
		}
	}
	return b
}
