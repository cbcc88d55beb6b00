// Package interp runs kernels by interpreting the IR. It is the oracle that
// every target is compared with, and the CPU device.
//
// Compile translates a kernel to a program for a register machine (code.go). Run executes it in one
// of two ways:
//
//   - defined: what WGSL defines. Workgroup memory starts as zero; a read
//     outside of an array reads its last element, a write has no effect;
//     workgroups run on all cores, and storage atomics are atomic between them.
//   - checked: one worker, in a fixed order, that also reports accesses out of
//     bounds, data races, barriers that not all invocations reach, reads of
//     workgroup memory that nothing wrote, and kernels that do not end.
//
// Invocations of a subgroup reconverge as if they ran in lockstep: group.go.
package interp

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/eval"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/ir/source"
)

// Program is a compiled kernel. It is safe for concurrent use.
type Program struct {
	name         string
	workgroup    [3]uint32
	subgroupSize int // that the kernel sets, or 0
	immediates   int // bytes
	bindings     []Binding
	handles      []Handle
	images       [modes]*image // nil for modes that it was not compiled for
}

// Binding is a resource that a launch needs a buffer for.
type Binding struct {
	Name           string
	Group, Binding uint32
	// Size is the number of bytes before a runtime-sized array, or of the whole
	// resource.
	Size uint32
	// Stride is the element stride of the trailing runtime-sized array, or 0.
	Stride uint32
	// Writable says that the kernel may write to the buffer.
	Writable bool
}

// Name returns the kernel's name.
func (p *Program) Name() string { return p.name }

// Workgroup returns the number of invocations of a workgroup by dimension.
func (p *Program) Workgroup() [3]uint32 { return p.workgroup }

// SubgroupSize returns the number of lanes that the kernel sets, or 0.
func (p *Program) SubgroupSize() int { return p.subgroupSize }

// Bindings returns the resources in the order in which Launch.Buffers gives
// them: that of ir.Reach.Resources.
func (p *Program) Bindings() []Binding { return p.bindings }

// Immediates returns the number of bytes of Launch.Immediates.
func (p *Program) Immediates() int { return p.immediates }

// Handles returns the textures and samplers in the order in which Launch.Handles
// gives them: that of ir.Reach.Handles.
func (p *Program) Handles() []Handle { return p.handles }

// Bytes is about how much memory the program has.
func (p *Program) Bytes() int { return p.images[Defined].bytes() + p.images[Checked].bytes() }

// bytes counts what grows with a kernel.
func (p *image) bytes() int {
	if p == nil {
		return 0
	}
	size := int(unsafe.Sizeof(*p)) + len(p.code)*int(unsafe.Sizeof(code{})) + len(p.spans)*int(unsafe.Sizeof(source.Span{})) +
		8*len(p.constants) + 4*len(p.lists) + len(p.leaves)*int(unsafe.Sizeof(leaf{})) + 8*len(p.tables) + len(p.private) + len(p.constantData) +
		len(p.sites)*int(unsafe.Sizeof(site{})) + 16*(len(p.functions)+len(p.converts)+len(p.callees)+len(p.lengths)+len(p.builtins))
	for i := range p.switches {
		size += int(unsafe.Sizeof(p.switches[i])) + 4*(len(p.switches[i].dense)+len(p.switches[i].target)) + 8*len(p.switches[i].values)
	}
	return size
}

// LaunchBytes is how much memory a worker needs to run workgroups in the defined mode, beside the
// buffers: the frames of invocations, their variables and the workgroup's. The program must have
// been compiled for that mode.
func (p *Program) LaunchBytes() uint64 {
	image := p.images[Defined]
	count := uint64(1)
	if image.convergent {
		count = uint64(p.workgroup[0]) * uint64(p.workgroup[1]) * uint64(p.workgroup[2])
	}
	each := 8*uint64(image.slots) + uint64(image.arenaBytes) + uint64(len(image.roots))*uint64(unsafe.Sizeof(memory{})) + uint64(unsafe.Sizeof(invocation{}))
	return count*each + uint64(image.workgroupBytes)
}

// image is the code of one mode with everything it refers to.
type image struct {
	code      []code
	spans     []source.Span
	constants []uint64 // the first slots of every frame
	slots     int      // of a frame, constants included
	lists     []uint32 // lists of slots
	leaves    []leaf
	tables    []uint64 // contents of constant arrays
	functions []eval.Function
	converts  []func(uint64) uint64
	switches  []switchTable
	subgroups []subgroupOperation
	tiles     []tileOperation
	textures  []TextureOperation
	sites     []site
	callees   []callee
	lengths   []length
	builtins  []builtinSlot

	roots          []root
	textureRoots   []int  // of written textures by handle, or -1; only where checked
	arenaBytes     int    // memory of one invocation: private, then function variables
	private        []byte // initial contents of its first part
	workgroupBytes int
	constantData   []byte
	// convergent kernels have barriers or subgroup operations.
	convergent  bool
	wideAtomics bool
	anyAtomics  bool
	// bytes of the smallest scalar in memory if they are less than four: the checked mode looks at
	// so many
	grain int
}

// leaf is a scalar of a type in memory.
type leaf struct {
	offset uint32
	kind   scalar.Kind
}

// root is what pointers point into.
type root struct {
	space  ir.Space
	name   string
	size   uint64 // of buffers: set by the launch
	offset uint64 // in the arena, the workgroup's memory or the constant data; a texture's handle
	span   source.Span
	part   *part // in checked mode, if invocations share it
}

// length is a slot that holds the element count of a runtime-sized array.
type length struct {
	slot, root int
	offset     uint64
	stride     uint32
}

type builtinSlot struct {
	builtin ir.Builtin
	first   uint32
}

// callee is a called function: where it starts and where it expects arguments.
type callee struct {
	entry uint32
	param uint32
}

// switchTable selects a target: by table where the values are dense, else by
// binary search.
type switchTable struct {
	low    uint64
	dense  []uint32
	values []uint64 // sorted
	target []uint32
	other  uint32
}

// site is the loops around an instruction that invocations meet at.
type site struct{ loops []loopSite }

type loopSite struct {
	at      uint32
	counter uint32
}

// subgroupOperation is an instruction that the lanes of a subgroup execute
// together.
type subgroupOperation struct {
	op         op.Op
	kind       scalar.Kind
	components int
	value      []uint32 // the first operand
	second     uint32   // lane, mask or delta
	result     uint32
}

// Unsupported is the error for IR that the interpreter does not run. Op is the
// operation, or Invalid if it is an operand.
type Unsupported struct {
	Op     op.Op
	Reason string
	Span   source.Span
}

// Error implements error.
func (e *Unsupported) Error() string {
	if e.Op == op.Invalid {
		return e.Reason
	}
	return fmt.Sprintf("the interpreter cannot run %s: %s", e.Op, e.Reason)
}

// Mode is a way to run a program.
type Mode uint8

// The modes, see the package's comment.
const (
	Defined Mode = iota
	Checked
	modes
)

// Compile makes a program of a kernel for some modes; none means all. The module must be verified
// and hold no overrides that the kernel uses; it is not kept.
func Compile(m *ir.Module, kernel *ir.Func, of ...Mode) (*Program, error) {
	if !kernel.Kernel {
		return nil, fmt.Errorf("interp: @%s is a function, not a kernel", kernel.Name)
	}
	p := &Program{name: kernel.Name}
	invocations := uint64(1)
	for i, v := range kernel.Workgroup {
		n, ok := m.ConstUint(v)
		if !ok {
			return nil, fmt.Errorf("interp: the workgroup size of @%s is not bound to a constant", kernel.Name)
		}
		invocations *= max(min(n, 1<<32-1), 1)
		if n == 0 || invocations > maxInvocations {
			return nil, fmt.Errorf("interp: the workgroup of @%s has no or more than %d invocations", kernel.Name, maxInvocations)
		}
		p.workgroup[i] = uint32(n)
	}
	if s := kernel.SubgroupSize; s != ir.NoValue {
		n, ok := m.ConstUint(s)
		if !ok || n > MaxSubgroupSize {
			return nil, fmt.Errorf("interp: the subgroup size of @%s is not bound to a constant of at most %d", kernel.Name, MaxSubgroupSize)
		}
		p.subgroupSize = int(n)
	}
	reach := ir.ReachOf(m, kernel)
	for _, v := range reach.Resources {
		p.bindings = append(p.bindings, bindingOf(m, m.Global(v)))
	}
	if n := len(reach.Immediate); n > 1 {
		return nil, fmt.Errorf("interp: @%s uses %d variables of immediates; one is allowed", kernel.Name, n)
	}
	for _, v := range reach.Immediate {
		p.immediates = int(m.Size(m.Element(m.TypeOf(v)))+3) &^ 3
	}
	for _, v := range reach.Handles {
		p.handles = append(p.handles, handleOf(m, m.Global(v)))
	}
	for mode := range modes {
		if len(of) > 0 && !slices.Contains(of, mode) {
			continue
		}
		c := compiler{m: m, image: &image{}, checked: mode == Checked}
		if err := c.program(kernel, &reach); err != nil {
			return nil, fmt.Errorf("interp: kernel @%s: %w", kernel.Name, err)
		}
		p.images[mode] = c.image
	}
	return p, nil
}

// maxInvocations bounds a workgroup. WebGPU's default limit is 256 and devices
// allow 1024; this is far above, and keeps lane numbers small.
const maxInvocations = 1 << 16

func bindingOf(m *ir.Module, g *ir.Global) Binding {
	t := m.Element(g.Type)
	b := Binding{Name: g.Name, Group: g.Group, Binding: g.Binding, Writable: m.AccessOf(g.Type) != ir.Read}
	offset, stride := runtimeArray(m, t)
	if b.Size, b.Stride = m.Size(t), stride; stride != 0 {
		b.Size = offset
	}
	return b
}

// runtimeArray returns where the trailing runtime-sized array of a type starts
// and its stride, or 0.
func runtimeArray(m *ir.Module, t ir.Type) (offset, stride uint32) {
	switch {
	case m.IsRuntimeArray(t):
		return 0, m.Stride(t)
	case m.KindOf(t) == ir.StructType:
		members := m.Members(t)
		if len(members) > 0 {
			last := members[len(members)-1]
			inner, stride := runtimeArray(m, last.Type)
			return last.Offset + inner, stride
		}
	}
	return 0, 0
}
