// Package lower is what the vectorising executors of the CPU device have in common. It lowers a
// kernel to the machine level (codegen/mir) and analyses its invocations, of which several run as
// one, each in a lane.
//
//	IR as the target cpu leaves it ─► Build ─► a Program: one function, its memory, its
//	                                           control flow, what lanes have in common
//
// The function has no calls. Builtin values are instructions mir.Builtin, bindings
// mir.BindingAddress and mir.BindingLength; barriers, operations of subgroups and of textures are
// those of the IR, one scalar at a time.
//
//	lower.go    the program, and what it needs of a launch
//	read.go     the text of artefacts
//	memory.go   the layout of variables
//	flow.go     loops, and where diverged lanes reconverge
//	uniform.go  uniformity analysis: which registers hold one value for all lanes
//	address.go  decomposition of addresses
//	strides.go  guesses how values grow from lane to lane
//	texture.go  operations on textures that Go executes
package lower

import (
	"sync"

	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/ir/texture"
)

// Program is a kernel with what its executors need to know. It is not changed once it is built, and
// keeps its module.
type Program struct {
	// F is the kernel.
	F *mir.Func
	// Workgroup is how many invocations a workgroup has by dimension. They are numbered x first,
	// and lie in lanes in that order.
	Workgroup [3]uint32
	// SubgroupSize is how many lanes the kernel sets, or 0.
	SubgroupSize uint32
	// Subgroups says that the kernel has operations of subgroups.
	Subgroups bool
	// Bindings are the buffers, by the index that mir.BindingAddress and mir.BindingLength name:
	// those of ir.Reach.Resources.
	Bindings []Binding
	// Handles are the textures and samplers, by the indices that operations on textures name; a
	// sampler has no shape.
	Handles []Handle
	// Immediates is the size of the immediates in bytes, a multiple of 4.
	Immediates uint32

	mir.Definitions
	Memory
	Flow
	// Uniform is what lanes of a workgroup share, by Scope.
	Uniform [MultiGroup]Uniform
	Strides

	liveOuts []liveOut // the same for all scopes
}

// builders are the working memory of Build.
var builders = sync.Pool{New: func() any { return new(mir.Builder) }}

// Binding is a buffer.
type Binding struct {
	Group, Binding uint32
	// Offset and Stride are where a trailing runtime-sized array begins and what an element
	// takes; a stride of 0 means none.
	Offset, Stride uint32
	// Writable says that the kernel may write to the buffer.
	Writable bool
}

// Length returns how many elements the array at the end of a buffer has.
func (b *Binding) Length(bytes uint64) uint32 {
	if b.Stride == 0 || bytes < uint64(b.Offset) {
		return 0
	}
	return uint32((bytes - uint64(b.Offset)) / uint64(b.Stride))
}

// Handle is a texture or a sampler.
type Handle struct {
	Group, Binding uint32
	Sampler        bool
	Shape          texture.Shape // of a texture
}

// Refused is the error for kernels that only package interp runs. It says why.
type Refused struct{ Reason string }

// Error implements error.
func (r *Refused) Error() string { return r.Reason }

// hasSmallAtomics reports whether a function has atomics of less than 32 bits.
func hasSmallAtomics(f *mir.Func) bool {
	for _, b := range f.Order {
		for i := f.First(b); i != 0; i = f.Next(i) {
			switch op.Op(f.Op(i)) {
			case op.AtomicLoad, op.AtomicStore, op.AtomicReadModifyWrite, op.AtomicCompareExchange:
				if f.Memory(i).Kind.Bits() < 32 {
					return true
				}
			}
		}
	}
	return false
}

// Build makes the program of a kernel. The module is verified, has been legalised for the target
// cpu and holds no overrides that the kernel uses. What cannot be run in lanes gives a *Refused.
func Build(m *ir.Module, kernel *ir.Func) (*Program, error) {
	p := &Program{}
	for n, v := range kernel.Workgroup {
		size, ok := m.ConstUint(v)
		if !ok || size == 0 || size > maxInvocations {
			return nil, &Refused{"the workgroup's size is no constant, or too large"}
		}
		p.Workgroup[n] = uint32(size)
	}
	if p.Invocations() > maxInvocations {
		return nil, &Refused{"the workgroup is too large"}
	}
	if v := kernel.SubgroupSize; v != ir.NoValue {
		size, ok := m.ConstUint(v)
		if !ok {
			return nil, &Refused{"the size of subgroups is no constant"}
		}
		p.SubgroupSize = uint32(size)
	}
	reach := ir.ReachOf(m, kernel)
	if len(reach.Funcs) != 1 {
		return nil, &Refused{"functions are called that are too large for their callers"}
	}
	if len(reach.Immediate) > 1 {
		return nil, &Refused{"there are two variables of immediates"}
	}
	var list diag.List
	if ir.CheckProperties(m, mir.Needs, &list); list.Errors() > 0 {
		return nil, &Refused{"the code is not what the target cpu writes: " + list.Items()[0].Message}
	}
	for _, v := range reach.Immediate {
		p.Immediates = (m.Size(m.Element(m.TypeOf(v))) + 3) &^ 3
	}
	for _, v := range reach.Resources {
		p.Bindings = append(p.Bindings, bindingOf(m, m.Global(v)))
	}
	for _, v := range mir.Handles(m) {
		p.Handles = append(p.Handles, handleOf(m, m.Global(v)))
	}
	b := builders.Get().(*mir.Builder)
	b.Begin(mir.Settings{}, m, lanes{}, &traits, &reach, reach.Resources, p.Immediates)
	p.F = b.Lower(kernel).Clone()
	b.End()
	builders.Put(b)
	p.F.MergeParams()
	p.F.Sink()
	if hasSmallAtomics(p.F) {
		return nil, &Refused{"there are atomics of 16 bits"}
	}
	p.Definitions.Analyse(p.F)
	p.layOut()
	if !p.analyseFlow(p.F) {
		return nil, &Refused{"a loop is entered in the middle"}
	}
	if p.F.CloseLoops(&p.Loops) {
		p.Definitions.Analyse(p.F)
		p.analyseFlow(p.F)
	}
	meets := false
	for _, b := range p.F.Order {
		for i := p.F.First(b); i != 0; i = p.F.Next(i) {
			p.Subgroups = p.Subgroups || IsSubgroup(p.F.Op(i))
			meets = meets || p.F.Op(i) == mir.Op(op.ControlBarrier)
		}
	}
	p.findLiveOuts()
	for scope := range p.Uniform {
		if !p.analyse(Scope(scope), &p.Uniform[scope]) && (meets || p.Subgroups) {
			return nil, &Refused{"it has so many branches that nobody looks which lanes part, and barriers or operations of subgroups, which they do together"}
		}
	}
	p.guessStrides()
	return p, nil
}

// Invocations returns how many invocations a workgroup has.
func (p *Program) Invocations() uint32 {
	count := uint64(1)
	for _, n := range p.Workgroup {
		count = min(count*uint64(n), maxInvocations+1)
	}
	return uint32(count)
}

// maxInvocations bounds a workgroup, as package interp does.
const maxInvocations = 1 << 16

// traits are those of both executors: what they address is a base, an index and any offset.
var traits = mir.Traits{LowOffset: -1 << 31, HighOffset: 1<<31 - 1, Indexed: true, Lanes: 1, Names: []string{"prefetch"}}

// Prefetch brings a line of memory to the caches, or does nothing. The operands are the
// address of a buffer, and the index of an element as a word; for aux see PrefetchAux.
const Prefetch = mir.MachineOps

// PrefetchAux is the aux of a prefetch so many bytes behind an element of 1, 2, 4 or 8 bytes.
func PrefetchAux(more, size uint32) uint32 { return more<<4 | size }

// AuxPrefetch returns what PrefetchAux has put together.
func AuxPrefetch(aux uint32) (more, size uint32) { return aux >> 4, aux & 15 }

// lanes is the machine: it has the operations of the IR, and builtin values.
type lanes struct{}

// Native lowers intrinsics and barriers of subgroups, and leaves all else to the machine level. The
// lanes of a subgroup execute each instruction together and in order, so that such a barrier has
// nothing to do.
func (lanes) Native(b *mir.Builder, i ir.Inst) bool {
	if b.F.Op(i) == op.ControlBarrier && op.Memory(b.F.Aux(i))&op.SubgroupScope != 0 {
		return true
	}
	if b.F.Op(i) != op.Intrinsic {
		return false
	}
	variable := b.F.Arg(i, 0)
	more, _ := b.M.ConstUint(b.F.Arg(i, 2))
	b.SetAux(b.Emit(Prefetch, scalar.None, nil, b.AddressOf(variable), b.Slot(b.F.Arg(i, 1))), PrefetchAux(uint32(more), b.M.Stride(b.M.Element(b.F.TypeOf(variable)))))
	return true
}

// Builtin leaves each to the executor.
func (lanes) Builtin(b *mir.Builder, x ir.Builtin, component int) mir.Operand {
	return b.EmitMachine(mir.Builtin, scalar.None, mir.Word, BuiltinAux(x, component))
}

// BuiltinAux is the aux of the instruction that yields a component of a builtin value.
func BuiltinAux(x ir.Builtin, component int) uint32 { return uint32(x)*4 + uint32(component) }

// AuxBuiltin returns what the instruction yields that has an aux.
func AuxBuiltin(aux uint32) (x ir.Builtin, component int) { return ir.Builtin(aux / 4), int(aux % 4) }

func bindingOf(m *ir.Module, g *ir.Global) Binding {
	b := Binding{Group: g.Group, Binding: g.Binding, Writable: m.AccessOf(g.Type) != ir.Read}
	for t := m.Element(g.Type); ; {
		if m.IsRuntimeArray(t) {
			b.Stride = m.Stride(t)
			return b
		}
		if m.KindOf(t) != ir.StructType {
			return b
		}
		members := m.Members(t)
		if len(members) == 0 {
			return b
		}
		last := members[len(members)-1]
		b.Offset += last.Offset
		t = last.Type
	}
}

func handleOf(m *ir.Module, g *ir.Global) Handle {
	h := Handle{Group: g.Group, Binding: g.Binding}
	if t := m.Element(g.Type); m.IsTexture(t) {
		h.Shape = m.ShapeOf(t)
	} else {
		h.Sampler = true
	}
	return h
}

// IsSubgroup reports whether an operation is one between the invocations of a subgroup.
func IsSubgroup(o mir.Op) bool {
	return o >= mir.Op(op.SubgroupElect) && o <= mir.Op(op.QuadSwapDiagonal)
}
