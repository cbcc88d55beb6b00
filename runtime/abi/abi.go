// Package abi describes compiled kernels to the runtimes that load them: what
// an artefact is, which bindings it expects and in which form. It is the only
// thing compiler and runtime share, so a program that loads prebuilt kernels
// links no compiler.
package abi

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"

	"github.com/gpuc/gpuc/ir/texture"
)

// Target names the form of an artefact's code.
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

// Artefact is one compiled kernel.
type Artefact struct {
	Target Target
	Code   []byte
	Kernel Kernel
	// ByValue, if not nil, is the kernel once more, for launches of which the contents of uniform
	// buffers are known.
	ByValue *ByValue
	// Coarse, if not nil, is the kernel once more, for launches with many invocations.
	Coarse *Coarse
}

// Coarse is a form of a kernel for large launches. Each of its workgroups may do the work of
// several of the kernel's own, so that a launch has fewer, and it may leave it to whoever launches
// that accesses are in bounds. It takes the same buffers, textures and immediates, with Tables of
// its own; behind the immediates it may take the extent of the launch (Kernel.Extent), by which it
// knows where the launch ends if that is no multiple.
type Coarse struct {
	// Factor is how many workgroups, by dimension, one does the work of; at least 1.
	Factor [3]uint32
	// Least is how many invocations a coarse launch must have to be worth it.
	Least uint64
	// BoundsCheck are what has to hold of a launch: else accesses of this form may be out of bounds.
	Checks []BoundsCheck
	// Artefact has the code, and the form of it that takes uniform buffers by value. It has no
	// coarse form itself.
	Artefact *Artefact
}

// What compilers set Coarse.Least to.
const (
	// LeastCoarse is of invocations that do the work of several: two for each that the largest
	// devices execute at once. With fewer the launch itself is faster, as it keeps more of the
	// device busy.
	LeastCoarse = 1 << 19
	// LeastUnchecked is of those that do the work of one and leave checks to whoever launches,
	// which takes a fraction of a microsecond: few launches are so small that this is much of their
	// time, and those that are gain little.
	LeastUnchecked = 1 << 15
)

// Grid returns how many workgroups of the coarse form do the work of a launch of the other, by
// dimension. It is not ok if there is no such form, or the launch has to be made as it is: if it is
// small, has 2^31 invocations or more in a dimension, beyond which the coarse form's positions do
// not go, or not everything holds that the form demands.
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
	if invocations < c.Least {
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
// PTX alone has it: parameters lie in the constant memory that instructions have operands in, so
// that reading one costs nothing.
type ByValue struct {
	Code []byte
	// Parameters are those of this code, as Kernel.Parameters are of the other.
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
	// SubgroupSize is the number of invocations that subgroups must have, or 0
	// where any number is good.
	SubgroupSize uint32 `json:"subgroupSize,omitempty"`
	// IntPositions says that the code takes the positions of invocations for signed numbers: the
	// workgroups of a launch have fewer than 2^31 invocations in each dimension, and arrays without
	// a size fewer than 2^31 elements, which whoever launches has to see to.
	IntPositions bool `json:"intPositions,omitempty"`
	// Bindings are the resources in the order of their groups and bindings. A launch takes one
	// buffer for each, in this order. Behind those that the program provides come, as far as there
	// are any, those that the runtime does: the buffer of Messages, the record of a Fault, the
	// Scratch memory and the Tables. Arguments leaves them out, and Hidden says where they are.
	Bindings []Binding `json:"bindings"`
	// Handles are the textures and samplers in the order of their groups and
	// bindings. A launch takes one of either for each, in this order.
	Handles []Handle `json:"handles,omitempty"`
	// Immediates, if not nil, are bytes that a launch brings along.
	Immediates *Immediates `json:"immediates,omitempty"`
	// Extent, if not nil, says that the kernel ends the invocations beyond the extent of a launch,
	// and where the runtime writes that: behind the Immediates. A launch of whole workgroups has
	// all of their invocations as its extent.
	Extent *Extent `json:"extent,omitempty"`
	// Structs are the layouts of the structures that Bindings and Immediates hold, by
	// the names that types have for them. Those within others come first.
	Structs []Struct `json:"structs,omitempty"`
	// WorkgroupBytes is the static workgroup memory.
	WorkgroupBytes uint32 `json:"workgroupBytes"`
	// Private, if not nil, says how much memory each invocation has of its own: in the
	// private variables and those of functions. It is nil where that is little.
	Private *Private `json:"private,omitempty"`
	// Scratch, if not nil, says that one of the Bindings holds variables that are too
	// large for the memory that an invocation has of its own.
	Scratch *Scratch `json:"scratch,omitempty"`
	// Tables, if not nil, is the contents of the last of the Bindings: constants that
	// are too large for the code. The kernel does not write there.
	Tables []byte `json:"tables,omitempty"`
	// Profile is the profile of the target that the code is written in ("sm_90a"). It is "" where
	// the target has none, and, but in a Description, where none was asked for.
	Profile string `json:"profile,omitempty"`
	// Requires lists device features by name (see Feature).
	Requires []Feature `json:"requires,omitempty"`
	// Parameters are those that the code of a PTX or AMD kernel reads, and so declares: some
	// of AllParameters, in their order. Other targets have none.
	Parameters []Parameter `json:"parameters,omitzero"`
	// Lengths, if not nil, is a buffer of the runtime's that an MSL kernel reads: Metal tells code
	// no sizes of buffers.
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

// Hidden returns the places in Bindings of what the runtime binds, -1 for what the kernel does not
// have: a buffer of Messages, FaultRecordBytes of zeros, Scratch.Bytes of any contents, and the
// Tables.
func (k *Kernel) Hidden() (messages, fault, scratch, tables int) {
	if k == nil {
		return -1, -1, -1, -1
	}
	next := len(k.Arguments())
	place := func(has bool) int {
		if !has {
			return -1
		}
		next++
		return next - 1
	}
	return place(k.Messages != nil), place(k.Fault != nil), place(k.Scratch != nil), place(k.Tables != nil)
}

// Lengths says how a runtime tells an MSL kernel how long buffers are. Such a kernel takes its
// buffers by Metal's index: the Bindings in their order from 0, behind them the Immediates if there
// are any, then this one. Workgroup memory is at index 0 of its own kind, and has WorkgroupBytes.
type Lengths struct {
	// Buffer is the index of the buffer.
	Buffer uint32 `json:"buffer"`
	// Bindings are places in the kernel's Bindings. The buffer holds a u32 for each: the number of
	// elements, as Binding.Length gives it.
	Bindings []uint32 `json:"bindings"`
}

// Private is the memory that each invocation of a kernel has of its own. A device
// may hold less: NVIDIA's Vulkan driver takes 15856 bytes in all.
type Private struct {
	Bytes uint64 `json:"bytes"`
	// Name is the largest variable, "" if it has none, and NameBytes its size.
	Name      string `json:"name,omitempty"`
	NameBytes uint64 `json:"nameBytes"`
}

// Scratch is a storage buffer with a part for each invocation of a launch, in which
// the compiler puts variables that the invocation has of its own. What the parts hold
// when a kernel begins does not matter.
type Scratch struct {
	// Stride is the size of a part in bytes, that of the invocation with the
	// global_invocation_index n being the n-th.
	Stride uint32 `json:"stride"`
	// Name is the largest variable in a part, "" if it has none, and NameBytes its size.
	Name      string `json:"name,omitempty"`
	NameBytes uint32 `json:"nameBytes"`
}

// Bytes is the size of the buffer for a launch of so many workgroups of a size, by
// dimension, at least one Stride, and of more than 64 bits MaxUint64.
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
	// Size is the number of bytes before a runtime-sized array, or the size of
	// the whole type when there is none: the smallest buffer that a launch takes
	// is Size plus one Stride.
	Size uint32 `json:"size"`
	// Stride is the element stride of the trailing runtime-sized array, or 0.
	Stride uint32 `json:"stride,omitempty"`
	// Element is the scalar that the resource consists of ("f32"), or "" when it
	// is mixed. It serves tools that show or fill buffers.
	Element string `json:"element,omitempty"`
	// Type is the resource's type as the source spells it.
	Type string `json:"type,omitempty"`
}

// MinimumBytes is the smallest buffer that satisfies the binding.
func (b Binding) MinimumBytes() uint64 { return uint64(b.Size) + uint64(b.Stride) }

// Length is the number of elements that the binding's runtime-sized array has
// in a buffer of the given size (WGSL §17.4, arrayLength): as many as a u32 counts
// at most.
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

// Extent says where the immediates of a launch have its extent: how many invocations it asks for,
// which may be fewer than its workgroups have. It is a little-endian u32 for each of Dimensions (0
// for x), one behind the other from Offset on.
type Extent struct {
	Offset     uint32 `json:"offset"`
	Dimensions []int  `json:"dimensions"`
}

// ImmediateBytes is the number of bytes of a launch's immediates: those that the program gives, and
// the extent.
func (k *Kernel) ImmediateBytes() int {
	if k != nil && k.Extent != nil {
		return int(k.Extent.Offset) + 4*len(k.Extent.Dimensions)
	}
	return k.ValueBytes()
}

// ValueBytes is the number of bytes of immediates that the program gives.
func (k *Kernel) ValueBytes() int {
	if k == nil {
		return 0
	}
	if k.Immediates == nil {
		return 0
	}
	return int(k.Immediates.Size)
}

// PutExtent writes the extent of a launch into its immediates. A zero stands for all invocations of
// the grid in that dimension.
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
