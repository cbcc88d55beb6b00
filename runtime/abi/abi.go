// Package abi describes compiled kernels to the runtimes that load them: the code (Artefact), what
// a launch has to pass (Kernel), and the files that hold both (Load, Archive, Manifest). Compiler
// and runtime share nothing else, so a program that loads prebuilt kernels links no compiler.
package abi

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
	"sync/atomic"

	"github.com/gpuc/gpuc/ir/texture"
)

// Target names the language of an artefact's code.
type Target string

// The targets.
const (
	SPIRV   Target = "spirv"   // SPIR-V binary for Vulkan compute
	PTX     Target = "ptx"     // PTX text for the CUDA driver
	CPU     Target = "cpu"     // IR text for the CPU device
	Checked Target = "checked" // IR text for the checked CPU device
	WGSL    Target = "wgsl"    // WGSL text for WebGPU
	MSL     Target = "msl"     // Metal Shading Language text for Metal
	AMDGPU  Target = "amdgpu"  // LLVM IR text for AMD's devices
)

// Artefact is the code of one kernel for one target, with its description.
type Artefact struct {
	Target Target
	Code   []byte
	Kernel Kernel
	// ByValue, if not nil, is the variant for launches whose uniform buffers have known contents.
	ByValue *ByValue
	// Coarse, if not nil, is the large-launch variant.
	Coarse *Coarse
	// Tensor, if not nil, is the variant that copies tiles of matrices by tensor maps. Launches of
	// Coarse do not run it, but that of Coarse.Artefact.
	Tensor *Tensor
	// InMemory, if not nil, has what Code is the text of. Files do not have it.
	InMemory *InMemory
}

// InMemory passes a module from a compiler to a driver in the same process, which then need not
// parse the text. A nil InMemory has none.
type InMemory struct{ module atomic.Pointer[any] }

// NewInMemory returns an InMemory with a module, of a type that compiler and driver agree on.
func NewInMemory(module any) *InMemory {
	m := new(InMemory)
	m.module.Store(&module)
	return m
}

// Take returns the module, for the caller alone: later calls return nil.
func (m *InMemory) Take() any {
	if m == nil {
		return nil
	}
	if module := m.module.Swap(nil); module != nil {
		return *module
	}
	return nil
}

// Coarse is the large-launch variant of a kernel. A workgroup of it may do the work of several
// workgroups of the kernel (thread coarsening), and it may omit bounds checks that are made once
// for each launch instead.
//
// It takes the same buffers, textures and immediates, and has its own Tables. It may take the
// extent of the launch after the immediates (Kernel.Extent), to stop at the end of a launch whose
// grid is no multiple of Factor.
type Coarse struct {
	// Factor is how many workgroups of the kernel one workgroup replaces, by dimension; at least 1.
	Factor [3]uint32
	// MinInvocations is the smallest number of invocations of this variant for which it pays.
	MinInvocations uint64
	// Checks have to hold for a launch. Otherwise accesses of this variant may be out of bounds.
	Checks []BoundsCheck
	// Artefact has the code, and its own ByValue and Tensor. It has no large-launch variant.
	Artefact *Artefact
}

// Values of Coarse.MinInvocations.
const (
	// MinCoarse is for invocations that do the work of several: two for each that the largest
	// devices execute at once. With fewer, the kernel itself keeps more of the device busy and is
	// faster.
	MinCoarse = 1 << 19
	// MinUnchecked is for invocations that do the work of one and omit checks. Comparing sizes
	// takes a fraction of a microsecond for each launch, which only launches below this size
	// notice.
	MinUnchecked = 1 << 15
)

// Grid returns how many workgroups of the large-launch variant do the work of a launch of the
// kernel, by dimension. If it is not ok, the kernel itself has to be launched: c is nil, the launch
// is too small, or one of Checks fails. So it is if a dimension has 2^31 invocations or more, which
// the variant's indices do not reach.
func (c *Coarse) Grid(l *LaunchValues) (coarse [3]uint32, ok bool) {
	if c == nil || c.Artefact == nil || slices.Contains(c.Factor[:], 0) {
		return coarse, false
	}
	invocations := uint64(1)
	for n, count := range l.Grid {
		size := uint64(c.Artefact.Kernel.Workgroup[n])
		if uint64(count)*size > math.MaxInt32 {
			return coarse, false
		}
		coarse[n] = (count + c.Factor[n] - 1) / c.Factor[n]
		invocations *= uint64(coarse[n]) * size
	}
	if invocations < c.MinInvocations {
		return coarse, false
	}
	for n := range c.Checks {
		if !c.Checks[n].holds(&c.Artefact.Kernel, l) {
			return coarse, false
		}
	}
	return coarse, true
}

// ByValue is the code of a kernel that takes the contents of uniform buffers as parameters, where
// Artefact.Code takes their addresses. Everything else is the same, the bindings of a launch too.
// Only PTX has it: its parameters are in constant memory, which instructions read as operands at no
// cost.
type ByValue struct {
	Code []byte
	// Parameters are those of this code, as Kernel.Parameters are of Artefact.Code.
	Parameters []Parameter
}

// Valued returns the artefact whose code takes uniform buffers by value, or nil if there is none.
func (a *Artefact) Valued() *Artefact {
	if a == nil || a.ByValue == nil {
		return nil
	}
	v := &Artefact{Target: a.Target, Code: a.ByValue.Code, Kernel: a.Kernel}
	v.Kernel.Parameters = a.ByValue.Parameters
	return v
}

// Kernel is what a runtime must know to launch an artefact. A Description, which is
// written beside the code, has its members.
type Kernel struct {
	// Name is the entry point's name in the source and in the code.
	Name string `json:"name"`
	// Workgroup is the number of invocations in a workgroup, by dimension.
	Workgroup [3]uint32 `json:"workgroup"`
	// SubgroupSize is the number of invocations that subgroups must have, or 0 if any size will do.
	SubgroupSize uint32 `json:"subgroupSize,omitempty"`
	// IntPositions says that the code treats indices of invocations and elements as signed. A
	// launch must have fewer than 2^31 invocations in each dimension, and runtime-sized arrays
	// fewer than 2^31 elements; the runtime checks this.
	IntPositions bool `json:"intPositions,omitempty"`
	// Bindings are the buffers in the order of their groups and bindings. A launch takes one buffer
	// for each, in this order. Arguments come first, which the program provides. The runtime
	// provides the others, where the kernel has them: the buffer of Messages, the record of a
	// Fault, the Scratch memory and the Tables (see Hidden).
	Bindings []Binding `json:"bindings"`
	// Handles are the textures and samplers in the order of their groups and
	// bindings. A launch takes one of either for each, in this order.
	Handles []Handle `json:"handles,omitempty"`
	// Immediates, if not nil, describes the bytes that each launch passes (WGSL's address space
	// immediate).
	Immediates *Immediates `json:"immediates,omitempty"`
	// Extent, if not nil, says that invocations beyond the extent of a launch end at once, and
	// where the runtime writes the extent, after the Immediates. A launch of whole workgroups has
	// all their invocations as its extent.
	Extent *Extent `json:"extent,omitempty"`
	// Structs are the layouts of the structures in Bindings and Immediates, which types name.
	// Nested structures come first.
	Structs []Struct `json:"structs,omitempty"`
	// WorkgroupBytes is the size of the workgroup memory.
	WorkgroupBytes uint32 `json:"workgroupBytes"`
	// DynamicBytes is the part of WorkgroupBytes that a launch requests as dynamic shared memory,
	// which PTX code declares as .extern .shared. It may be 0 although the launch requests memory
	// (StaticWorkgroupBytes): then it is all.
	DynamicBytes uint32 `json:"dynamicBytes,omitempty"`
	// Private, if not nil, says how much private memory each invocation needs, for private and
	// function variables. It is nil where that is little.
	Private *Private `json:"private,omitempty"`
	// Scratch, if not nil, says that one of the Bindings holds variables that are too large for
	// private memory.
	Scratch *Scratch `json:"scratch,omitempty"`
	// Tables, if not nil, is the contents of the last of the Bindings: constants that are too large
	// for the code. The kernel only reads them.
	Tables []byte `json:"tables,omitempty"`
	// Profile is the profile of the target that the code is written for ("sm_90a"). It is "" if the
	// target has none or, except in a Description, if the default was compiled for.
	Profile string `json:"profile,omitempty"`
	// Requires lists device features by name (see Feature).
	Requires []Feature `json:"requires,omitempty"`
	// Parameters are those that the code of a PTX or AMDGPU kernel declares: a subset of
	// AllParameters, in their order. Other targets have none.
	Parameters []Parameter `json:"parameters,omitzero"`
	// Lengths, if not nil, is a buffer of the runtime's that an MSL kernel reads: Metal does not
	// tell code the sizes of buffers.
	Lengths *Lengths `json:"lengths,omitempty"`
	// Messages, if not nil, says that the kernel was compiled with debugging on, and what it
	// prints.
	Messages *Messages `json:"messages,omitempty"`
	// Fault, if not nil, says that the kernel was compiled with -bounds=trap and
	// how to read what it records.
	Fault *Fault `json:"fault,omitempty"`
}

// Arguments returns the bindings that a program provides: all but the messages, the fault
// record, the scratch memory and the tables, which the runtime binds.
func (k *Kernel) Arguments() []Binding {
	if k == nil {
		return nil
	}
	n := len(k.Bindings)
	for _, hidden := range [...]bool{k.Messages != nil, k.Fault != nil, k.Scratch != nil, k.Tables != nil} {
		if hidden {
			n--
		}
	}
	return k.Bindings[:max(n, 0)]
}

// Hidden returns the indices in Bindings of the buffers that the runtime provides, -1 for those
// that the kernel does not have. They are a buffer of Messages, FaultRecordBytes of zeros,
// Scratch.Bytes of any contents, and the Tables.
func (k *Kernel) Hidden() (messages, fault, scratch, tables int) {
	if k == nil {
		return -1, -1, -1, -1
	}
	next := len(k.Arguments())
	index := func(has bool) int {
		if !has {
			return -1
		}
		next++
		return next - 1
	}
	return index(k.Messages != nil), index(k.Fault != nil), index(k.Scratch != nil), index(k.Tables != nil)
}

// Lengths says how a runtime passes the lengths of buffers to an MSL kernel. Such a kernel takes
// its buffers by Metal's index: the Bindings in their order from 0, then the Immediates if there
// are any, then this one. Workgroup memory is at threadgroup index 0, and has WorkgroupBytes.
type Lengths struct {
	// Buffer is the index of the buffer.
	Buffer uint32 `json:"buffer"`
	// Bindings are indices in Kernel.Bindings. The buffer holds a u32 for each: the number of
	// elements, as Binding.Length returns it.
	Bindings []uint32 `json:"bindings"`
}

// Private is the private memory of an invocation, in bytes. A device may have less: NVIDIA's Vulkan
// driver takes 15856 bytes in all.
type Private struct {
	Bytes uint64 `json:"bytes"`
	// Name is the largest variable, "" if it has none, and NameBytes its size.
	Name      string `json:"name,omitempty"`
	NameBytes uint64 `json:"nameBytes"`
}

// Scratch is a storage buffer with a part for each invocation of a launch, for variables that are
// too large for private memory. Its contents before the launch do not matter.
type Scratch struct {
	// Stride is the size of a part in bytes. The invocation with global_invocation_index n has the
	// n-th part.
	Stride uint32 `json:"stride"`
	// Name is the largest variable in a part, "" if it has none, and NameBytes its size.
	Name      string `json:"name,omitempty"`
	NameBytes uint32 `json:"nameBytes"`
}

// Bytes is the size of the buffer for a grid of workgroups of a size, by dimension. It is at least
// one Stride, and MaxUint64 if it exceeds 64 bits.
func (s *Scratch) Bytes(grid, workgroup [3]uint32) uint64 {
	if s == nil {
		return 0
	}
	bytes := uint64(s.Stride)
	if grid[0] == 0 || grid[1] == 0 || grid[2] == 0 {
		return bytes
	}
	for n := range grid {
		for _, factor := range [...]uint32{grid[n], workgroup[n]} {
			high, low := bits.Mul64(bytes, uint64(factor))
			if bytes = low; high != 0 {
				return math.MaxUint64
			}
		}
	}
	return bytes
}

// Access says what a kernel does with a binding.
type Access string

// The kinds of access.
const (
	Uniform   Access = "uniform"    // read-only, uniform address space
	Read      Access = "read"       // read-only storage
	ReadWrite Access = "read_write" // storage that may be written
	Write     Access = "write"      // a storage texture that is never read
)

// Binding is one resource of a kernel.
type Binding struct {
	Name    string `json:"name"`
	Group   uint32 `json:"group"`
	Binding uint32 `json:"binding"`
	Access  Access `json:"access"`
	// Size is the number of bytes before a runtime-sized array, or the size of the type if it has
	// none. The smallest buffer that a launch takes has Size plus Stride bytes.
	Size uint32 `json:"size"`
	// Stride is the element stride of the trailing runtime-sized array, or 0.
	Stride uint32 `json:"stride,omitempty"`
	// Element is the scalar that all of the buffer consists of ("f32"), or "" if it is mixed. Tools
	// show and fill buffers by it.
	Element string `json:"element,omitempty"`
	// Type is the resource's type as the source spells it.
	Type string `json:"type,omitempty"`
}

// MinimumBytes is the size of the smallest buffer that satisfies the binding.
func (b Binding) MinimumBytes() uint64 { return uint64(b.Size) + uint64(b.Stride) }

// Length is the number of elements of the runtime-sized array in a buffer of this many bytes (WGSL
// §17.4, arrayLength), at most 2^32-1. It is 0 if the binding has no such array.
func (b Binding) Length(bytes uint64) uint32 {
	if b.Stride == 0 || bytes < uint64(b.Size) {
		return 0
	}
	return uint32(min((bytes-uint64(b.Size))/uint64(b.Stride), math.MaxUint32))
}

// Struct is the layout of a structure in a buffer (WGSL §14.4).
type Struct struct {
	Name string `json:"name"`
	// Size is the number of bytes of one, and Align what its address is a multiple of.
	// With a runtime-sized array at its end, Size counts one element.
	Size    uint32   `json:"size"`
	Align   uint32   `json:"align"`
	Members []Member `json:"members"`
}

// Member is a part of a structure.
type Member struct {
	Name string `json:"name"`
	// Type is the member's type as the source spells it.
	Type string `json:"type"`
	// Offset is where it begins, in bytes, and Size how many it has: 0 for a
	// runtime-sized array.
	Offset uint32 `json:"offset"`
	Size   uint32 `json:"size"`
	// Stride is the number of bytes from one element of an array to the next, or from one
	// column of a matrix to the next; 0 for other types.
	Stride uint32 `json:"stride,omitempty"`
}

// Immediates are a kernel's variable in address space immediate.
type Immediates struct {
	Name string `json:"name"`
	// Size is the number of bytes that a launch takes, a multiple of 4.
	Size uint32 `json:"size"`
	// Element and Type are as those of a Binding.
	Element string `json:"element,omitempty"`
	Type    string `json:"type,omitempty"`
}

// Extent says where the immediates of a launch have its extent: how many invocations are wanted,
// which may be fewer than the workgroups have. It is a little-endian u32 for each of Dimensions (0
// for x), from byte Offset on.
type Extent struct {
	Offset     uint32 `json:"offset"`
	Dimensions []int  `json:"dimensions"`
}

// ImmediateBytes is the number of bytes of immediates of a launch: ValueBytes, and the extent.
func (k *Kernel) ImmediateBytes() int {
	if k != nil && k.Extent != nil {
		return int(k.Extent.Offset) + 4*len(k.Extent.Dimensions)
	}
	return k.ValueBytes()
}

// ValueBytes is the number of bytes of immediates that the program provides.
func (k *Kernel) ValueBytes() int {
	if k == nil || k.Immediates == nil {
		return 0
	}
	return int(k.Immediates.Size)
}

// PutExtent writes the extent of a launch, in invocations, into its immediates. A 0 means all
// invocations of the grid in that dimension.
func (k *Kernel) PutExtent(immediates []byte, grid, extent [3]uint32) {
	if k == nil || k.Extent == nil {
		return
	}
	for n, dimension := range k.Extent.Dimensions {
		binary.LittleEndian.PutUint32(immediates[int(k.Extent.Offset)+4*n:], k.extent(dimension, grid, extent))
	}
}

// Handle is a texture or a sampler of a kernel.
type Handle struct {
	Name    string `json:"name"`
	Group   uint32 `json:"group"`
	Binding uint32 `json:"binding"`
	// Type is the type as the source spells it.
	Type string `json:"type"`
	// Texture describes a texture; it is nil for a sampler.
	Texture *Texture `json:"texture,omitempty"`
	// Comparison says that a sampler compares.
	Comparison bool `json:"comparison,omitempty"`
}

// Texture is what a kernel expects of a texture.
type Texture struct {
	Shape texture.Shape `json:"shape"`
	// Channel is the scalar that reads yield ("f32").
	Channel string `json:"channel"`
	// Format is a storage texture's texel format.
	Format texture.Format `json:"format,omitempty"`
	Access Access         `json:"access"`
}

// Feature is an optional ability of a device that a kernel needs.
type Feature string

// The features.
const (
	Float16 Feature = "f16"
	Int64   Feature = "int64"
	Int16   Feature = "int16"
	Int8    Feature = "int8"
	Float64 Feature = "float64"
	// Int64Atomics is for atomic operations on 64-bit integers in buffers and workgroup memory
	// (shaderBufferInt64Atomics and shaderSharedInt64Atomics in Vulkan).
	Int64Atomics Feature = "int64_atomics"
	Subgroups    Feature = "subgroups"
	// CooperativeMatrices is for the products of SPIR-V's profile 1.6_coopmat (cooperativeMatrix
	// and vulkanMemoryModel in Vulkan, VK_KHR_cooperative_matrix).
	CooperativeMatrices Feature = "cooperative_matrices"
	// BFloat16Matrices is for the products of SPIR-V's profile 1.6_coopmat_bf16
	// (shaderBFloat16Type and shaderBFloat16CooperativeMatrix in Vulkan, VK_KHR_shader_bfloat16).
	// Devices with it have CooperativeMatrices.
	BFloat16Matrices Feature = "bfloat16_matrices"

	// CubeArrays is for arrays of cube textures (imageCubeArray in Vulkan).
	CubeArrays Feature = "cube_arrays"
	// StorageFormats is for storage textures of one or two channels, but for those
	// of r32, and of rgba16unorm and rgba16snorm (shaderStorageImageExtendedFormats
	// in Vulkan).
	StorageFormats Feature = "storage_formats"
	// StorageReadWithoutFormat and StorageWriteWithoutFormat are for reading and
	// writing storage textures of a format that the code cannot name: bgra8unorm
	// (shaderStorageImageReadWithoutFormat and …WriteWithoutFormat in Vulkan).
	StorageReadWithoutFormat  Feature = "storage_read_without_format"
	StorageWriteWithoutFormat Feature = "storage_write_without_format"
)
