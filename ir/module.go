package ir

import (
	"slices"

	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/ir/source"
)

// Module is what one source program becomes: types, constants, overrides,
// variables and functions. Everything is in slices without pointers except the
// functions, so that Clone copies memory and no more.
type Module struct {
	// Sources are the files that spans refer to. Clones share them.
	Sources   *source.Set
	Globals   []Global
	Overrides []Override
	Funcs     []*Func
	// Graphics are the entry points of the source that are not compute shaders:
	// checked by the front end, never lowered, named in messages.
	Graphics []GraphicsEntry
	// FaultSites are the source locations of the trap mode's checks: n+1 in the variable whose role
	// is FaultRecord means the n-th.
	FaultSites []FaultSite
	// Messages are what print instructions tell the host, by their number.
	Messages []Message
	// MaxBytes and MaxElements are how many bytes and elements a buffer has at most where the
	// code runs, or 0 if that is not known. They come from the target and from how the kernel is
	// launched, and are not part of the text.
	MaxBytes, MaxElements int64

	types        []typeRecord
	slots        []uint32 // by type: see Slots
	members      []Member
	structs      []structRecord
	typeIndex    index
	consts       []constRecord
	constHash    []uint32
	constParts   []Value
	constIndex   index
	overrideArgs []Value

	// made are the functions that the module has given memory to, the first live
	// of them since it was last emptied; the others serve again.
	made []*Func
	live int
}

// Global is a variable at module scope.
type Global struct {
	Name string
	// Type is the type of the variable's address.
	Type Type
	// Group and Binding identify a resource; Bound says that it has them.
	Group, Binding uint32
	Bound          bool
	// Init is the initial value of a private or constant variable, or 0 for zero.
	Init Value
	Span source.Span
	// Role says what it is for if the runtime provides it.
	Role Role
}

// FaultSite is a checked location in the source: an access to a variable or, if the name is empty,
// an index into a value.
type FaultSite struct {
	Span     source.Span
	Variable string
	// Signed says that the source's index is signed.
	Signed bool
}

// GraphicsEntry is an entry point of another stage than compute.
type GraphicsEntry struct {
	Name, Stage string
	Span        source.Span
}

// Override is an entry in the table of override expressions. It is a named override or an operation
// on constants and other entries. A named one has the Op Invalid, and its default value, if any, as
// the single argument.
type Override struct {
	Name string
	// ID is the override's number (@id), or -1.
	ID   int32
	Type Type
	Op   op.Op
	Aux  uint32
	Span source.Span
	// Lazy marks a select that evaluates only what it chooses: WGSL's && and ||.
	Lazy bool

	firstArg, argCount uint32
}

// NewModule returns an empty module.
func NewModule(sources *source.Set) *Module {
	m := &Module{Sources: sources}
	m.init()
	return m
}

func (m *Module) init() {
	m.types = append(m.types, typeRecord{})
	m.slots = append(m.slots, 0)
	for k := scalar.Bool; k < scalar.Count; k++ {
		m.types = append(m.types, typeRecord{ScalarType, uint32(k), 0, 0})
		m.slots = append(m.slots, 1)
	}
	m.consts = append(m.consts, constRecord{})
	m.constHash = append(m.constHash, 0)
}

// must ends what is called of a module as a whole, if there is none, with a sentence instead of an
// address. Methods for types, values and instructions, which passes call all the time, do not look.
func (m *Module) must(method string) {
	if m == nil {
		panic("ir.Module." + method + " of nil; what loads a program returns nil where it has errors, and says them in its list of diagnostics")
	}
}

// mustBeMade is must for what needs the types that every module begins with.
func (m *Module) mustBeMade(method string) {
	m.must(method)
	if len(m.types) == 0 {
		panic("ir.Module." + method + " of new(ir.Module); ir.NewModule makes one")
	}
}

// Reset empties the module and keeps its memory, that of its functions included,
// for the next program.
func (m *Module) Reset(sources *source.Set) {
	m.must("Reset")
	m.Sources = sources
	m.Globals, m.Overrides, m.Funcs = m.Globals[:0], m.Overrides[:0], m.Funcs[:0]
	m.Graphics, m.FaultSites, m.Messages = m.Graphics[:0], m.FaultSites[:0], m.Messages[:0]
	m.MaxBytes, m.MaxElements = 0, 0
	m.types, m.slots, m.members, m.structs = m.types[:0], m.slots[:0], m.members[:0], m.structs[:0]
	m.consts, m.constHash, m.constParts = m.consts[:0], m.constHash[:0], m.constParts[:0]
	m.overrideArgs = m.overrideArgs[:0]
	m.live = 0
	m.typeIndex.reset()
	m.constIndex.reset()
	m.init()
}

// Clone returns a copy that shares nothing that changes.
func (m *Module) Clone() *Module {
	m.must("Clone")
	c := new(Module)
	m.copyTables(c)
	c.Globals = slices.Clone(m.Globals)
	c.Funcs = make([]*Func, len(m.Funcs))
	for i, f := range m.Funcs {
		c.Funcs[i] = c.takeFunc()
		f.copyTo(c.Funcs[i], c)
	}
	return c
}

// copyTables makes the tables of another module, in the memory it has, the same
// as m's. Variables and functions are left to the caller.
func (m *Module) copyTables(to *Module) {
	to.Sources, to.MaxBytes, to.MaxElements = m.Sources, m.MaxBytes, m.MaxElements
	to.Overrides = append(to.Overrides[:0], m.Overrides...)
	to.Graphics = append(to.Graphics[:0], m.Graphics...)
	to.FaultSites = append(to.FaultSites[:0], m.FaultSites...)
	to.Messages = append(to.Messages[:0], m.Messages...)
	to.types = append(to.types[:0], m.types...)
	to.slots = append(to.slots[:0], m.slots...)
	to.members = append(to.members[:0], m.members...)
	to.structs = append(to.structs[:0], m.structs...)
	m.typeIndex.copyTo(&to.typeIndex)
	to.consts = append(to.consts[:0], m.consts...)
	to.constHash = append(to.constHash[:0], m.constHash...)
	to.constParts = append(to.constParts[:0], m.constParts...)
	m.constIndex.copyTo(&to.constIndex)
	to.overrideArgs = append(to.overrideArgs[:0], m.overrideArgs...)
}

// takeFunc returns a function to fill, with memory of one from before the last
// Reset if there is one.
func (m *Module) takeFunc() *Func {
	if m.live == len(m.made) {
		m.made = append(m.made, new(Func))
	}
	m.live++
	return m.made[m.live-1]
}

// CopyFunc adds a function that is no kernel and has the body of another one, whose instructions
// and values have the same numbers. Its parameters are those of the other.
func (m *Module) CopyFunc(f *Func, name string) *Func {
	c := m.takeFunc()
	f.copyTo(c, m)
	c.Name, c.Kernel, c.Builtins, c.Interface = name, false, nil, nil
	m.Funcs = append(m.Funcs, c)
	return c
}

// Trim lets go of the memory of functions that are no longer the module's, which
// the next ones would be made in.
func (m *Module) Trim() {
	m.must("Trim")
	clear(m.made)
	m.made = append(m.made[:0], m.Funcs...)
	m.live = len(m.made)
}

// AddGlobal adds a variable and returns its address.
func (m *Module) AddGlobal(g Global) Value {
	m.mustBeMade("AddGlobal")
	m.Globals = append(m.Globals, g)
	return globalTag | Value(len(m.Globals)-1)
}

// GlobalValue returns the address of the i-th variable.
func GlobalValue(i int) Value { return globalTag | Value(i) }

// Global returns the variable whose address v is.
func (m *Module) Global(v Value) *Global { return &m.Globals[v.Index()] }

// WithRole returns the address of the variable that has a role, or NoValue.
func (m *Module) WithRole(r Role) Value {
	for i := range m.Globals {
		if m.Globals[i].Role == r {
			return GlobalValue(i)
		}
	}
	return NoValue
}

// ExtentNames are the names of the members that have the extent of a launch, by dimension.
var ExtentNames = [3]string{"extent_x", "extent_y", "extent_z"}

// ExtentMembers returns which members of the variable with the role ExtentWords have the extent, by
// dimension, and -1 for those that the kernel does not use. They are the last ones.
func (m *Module) ExtentMembers(words Value) (at [3]int) {
	members := m.Members(m.Element(m.TypeOf(words)))
	for c, name := range ExtentNames {
		at[c] = slices.IndexFunc(members, func(member Member) bool { return member.Name == name })
	}
	return at
}

// AddOverride adds an entry to the table of override expressions. Its operands
// are constants and earlier entries.
func (m *Module) AddOverride(o Override, args ...Value) Value {
	m.mustBeMade("AddOverride")
	o.firstArg, o.argCount = uint32(len(m.overrideArgs)), uint32(len(args))
	m.overrideArgs = append(m.overrideArgs, args...)
	m.Overrides = append(m.Overrides, o)
	return overrideTag | Value(len(m.Overrides)-1)
}

// OverrideArgs returns an entry's operands.
func (m *Module) OverrideArgs(v Value) []Value {
	o := &m.Overrides[v.Index()]
	return m.overrideArgs[o.firstArg : o.firstArg+o.argCount]
}

// OverrideValue returns the Value of the i-th entry.
func OverrideValue(i int) Value { return overrideTag | Value(i) }

// TypeOf returns the type of a constant, global or override. That of a local
// value is its function's to tell.
func (m *Module) TypeOf(v Value) Type {
	switch v & tagMask {
	case constTag:
		return m.consts[v.Index()].typ
	case globalTag:
		return m.Globals[v.Index()].Type
	case overrideTag:
		return m.Overrides[v.Index()].Type
	}
	return Void
}

// NewFunc adds a function. Its entry block's parameters are the function's.
func (m *Module) NewFunc(name string, result Type) *Func {
	m.mustBeMade("NewFunc")
	f := newFunc(m, name, result)
	m.Funcs = append(m.Funcs, f)
	return f
}

// Func returns the function with this name, or nil.
func (m *Module) Func(name string) *Func {
	m.must("Func")
	for _, f := range m.Funcs {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// Kernels returns the entry points in declaration order.
func (m *Module) Kernels() []*Func {
	m.must("Kernels")
	var kernels []*Func
	for _, f := range m.Funcs {
		if f.Kernel {
			kernels = append(kernels, f)
		}
	}
	return kernels
}
