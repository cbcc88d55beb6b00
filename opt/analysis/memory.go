// Package analysis has the analyses of a function that several passes use. Ranges finds the
// intervals of its integers and what they prove. Memory finds which memory instructions change.
// Uniform finds what the invocations of a subgroup or a workgroup have in common. An analysis is a
// struct whose slices are reused from function to function; it says nothing any more once the
// function changes, unless its doc says otherwise.
package analysis

import (
	"math/bits"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// Memory divides memory into classes that do not overlap and says which of them
// an instruction may change. A class is a variable: bindings do not alias each
// other, which every launch checks, nor do variables. A set of classes is a bit
// mask; with more variables than bits, some share one.
//
// It stays true when instructions are removed or moved, or pure ones added.
type Memory struct {
	f *ir.Func
	// bit is, by local value and by global, the class of a variable plus one.
	locals, globals []uint8
	next            int
	// workgroup, storage and texture are what barriers order, once one was seen.
	workgroup, storage, texture uint64
	foundShared                 bool
	// changes is, by control instruction, what may change inside.
	changes []uint64
	changed uint64 // in the whole function
}

// Everything is the set of all classes.
const Everything = ^uint64(0)

// Analyse looks at a function.
func (m *Memory) Analyse(f *ir.Func) {
	m.f = f
	m.next, m.workgroup, m.storage, m.texture, m.foundShared = 0, 0, 0, 0, false
	m.locals = ir.Zeroed(m.locals, f.ValueCount())
	m.globals = ir.Zeroed(m.globals, len(f.Module.Globals))
	m.changes = ir.Zeroed(m.changes, f.InstCount())
	m.changed = m.block(f.Entry)
}

// share finds what barriers order, which functions without any need not know.
func (m *Memory) share() {
	if !m.foundShared {
		m.foundShared = true
		m.findShared()
	}
}

// findShared gives the variables of workgroup and storage memory and the textures
// that may be written their classes.
func (m *Memory) findShared() {
	f := m.f
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		for _, a := range f.Args(i) {
			if !a.IsGlobal() {
				continue
			}
			switch f.Module.SpaceOf(f.TypeOf(a)) {
			case ir.Workgroup:
				m.workgroup |= m.Class(a)
			case ir.Storage:
				m.storage |= m.Class(a)
			case ir.Handle:
				m.texture |= m.textureClass(a)
			}
		}
	}
}

// textureClass returns the class of a module variable that holds a texture.
func (m *Memory) textureClass(variable ir.Value) uint64 {
	t := m.f.Module.Element(m.f.TypeOf(variable))
	if !m.f.Module.IsTexture(t) || m.f.Module.AccessOf(t) == ir.Read {
		return 0
	}
	return m.class(&m.globals[variable.Index()])
}

// Class returns the memory that a pointer leads into, or a texture's: nothing if
// it is never written, and everything if its variable is not known.
func (m *Memory) Class(pointer ir.Value) uint64 {
	f := m.f
	for {
		i, ok := f.Def(pointer)
		if !ok || f.Op(i) != op.Access && f.Op(i) != op.Address {
			break
		}
		pointer = f.Resolve(f.Arg(i, 0))
	}
	t := f.TypeOf(pointer)
	if !f.Module.IsPointer(t) {
		if i, ok := f.Def(pointer); ok && f.Op(i) == op.Load && f.Module.IsTexture(t) {
			if variable := f.Resolve(f.Arg(i, 0)); variable.IsGlobal() {
				return m.textureClass(variable)
			}
		}
		return Everything
	}
	if ReadOnly(f.Module, t) {
		return 0
	}
	var bit *uint8
	switch {
	case pointer.IsGlobal():
		bit = &m.globals[pointer.Index()]
	case f.DefOp(pointer) == op.Var && int(pointer) < len(m.locals):
		bit = &m.locals[pointer]
	default:
		return Everything
	}
	return m.class(bit)
}

// ReadOnly reports whether nothing writes through pointers of a type, nor to the same memory
// through others.
func ReadOnly(m *ir.Module, pointer ir.Type) bool {
	space := m.SpaceOf(pointer)
	return space.ReadOnly() || space == ir.Storage && m.AccessOf(pointer) == ir.Read
}

// class returns the class of a variable, which gets one at first.
func (m *Memory) class(bit *uint8) uint64 {
	if *bit == 0 {
		*bit = uint8(m.next) + 1
		m.next = (m.next + 1) % 64
	}
	return 1 << (*bit - 1)
}

// Effect returns the memory that an instruction other than control may change.
func (m *Memory) Effect(i ir.Inst) (classes uint64) {
	f := m.f
	o := f.Op(i)
	switch {
	case !o.Writes():
		return 0
	case o.Is(op.Anywhere):
		return Everything
	case o.Is(op.Barrier):
		classes = m.ordered(op.Memory(f.Aux(i)))
	}
	for n, a := range f.Args(i) {
		if o.WritesOperand(n) {
			classes |= m.Class(f.Resolve(a))
		}
	}
	return classes
}

// ordered returns what a barrier may make others' writes visible in. Memory that
// it does not order cannot have been written by others without a race.
func (m *Memory) ordered(memory op.Memory) (classes uint64) {
	m.share()
	if memory&op.WorkgroupMemory != 0 {
		classes |= m.workgroup
	}
	if memory&op.StorageMemory != 0 {
		classes |= m.storage
	}
	if memory&op.TextureMemory != 0 {
		classes |= m.texture
	}
	return classes
}

// Races reports whether other invocations may write to a class of memory while this one is anywhere
// in the function. A load that the program does not make there may then be part of a data race.
func (m *Memory) Races(class uint64) bool {
	m.share()
	class &= m.workgroup | m.storage
	return class != 0 && (!m.f.Kernel || class&m.changed != 0)
}

// Changes returns the memory that a control instruction may change.
func (m *Memory) Changes(control ir.Inst) uint64 { return m.changes[control] }

func (m *Memory) block(b ir.Block) (changes uint64) {
	f := m.f
	for i := f.First(b); i != 0; i = f.Next(i) {
		switch o := f.Op(i); {
		case o.Writes():
			changes |= m.Effect(i)
		case o.Is(op.Control):
			for _, inner := range f.Blocks(i) {
				m.changes[i] |= m.block(ir.Block(inner))
			}
			changes |= m.changes[i]
		}
	}
	return changes
}

// Epochs number the states of memory along a walk in execution order: two loads
// of one address give the same value if their class has the same epoch. It is
// copied at the start of a block and put back at its end.
type Epochs struct {
	of [64]uint32
}

// Change gives the classes a new epoch; counter never repeats.
func (e *Epochs) Change(classes uint64, counter *uint32) {
	if classes == 0 {
		return
	}
	*counter++
	for rest := classes; rest != 0; rest &= rest - 1 {
		e.of[bits.TrailingZeros64(rest)] = *counter
	}
}

// Of returns the epoch of a set of classes: the latest of theirs.
func (e *Epochs) Of(classes uint64) uint32 {
	latest := uint32(0)
	for rest := classes; rest != 0; rest &= rest - 1 {
		latest = max(latest, e.of[bits.TrailingZeros64(rest)])
	}
	return latest
}
