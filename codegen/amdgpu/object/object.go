// Package object writes and reads code objects for AMD's devices (LLVM, User Guide for AMDGPU
// Backend, "Code Object", version 5). They are ELF files with the machine code of kernels, a
// descriptor of each kernel, which the packet processor reads at a launch, and a note with metadata
// for runtimes.
//
//	object.go      Kernel, Write
//	descriptor.go  a kernel's descriptor
//	note.go        the note, in MessagePack (pack.go)
//	elf.go         the ELF file
//	read.go        the metadata of a kernel in a code object (unpack.go reads MessagePack)
//
// # Initial state of a wave
//
// The descriptor determines it. The address of the arguments is in s[0:1] if there are any. After
// the user SGPRs, of which there are UserSGPRs, there is a register for each component of the
// workgroup ID that is enabled. v0 has the local invocation ID, ten bits for each component, x
// lowest.
package object

import (
	"fmt"

	"github.com/gpuc/gpuc/codegen/amdgpu/isa"
)

// Kernel describes a kernel for a code object.
type Kernel struct {
	Name string
	Code []byte // machine code, which ends with s_endpgm
	// VGPRs, AGPRs and SGPRs are numbers of registers: the highest one that is used plus one. SGPRs
	// includes special registers (CountSGPRs). AGPRs are accumulation registers of gfx942.
	VGPRs, AGPRs, SGPRs    int
	VGPRSpills, SGPRSpills int
	// Shared is the workgroup memory and Scratch the memory of an invocation, in bytes. With
	// DynamicStack, an invocation needs more than Scratch.
	Shared, Scratch uint32
	DynamicStack    bool
	// Arguments are in the order of their offsets. ArgumentBytes and ArgumentAlign are the size and
	// alignment of the kernarg segment.
	Arguments                    []Argument
	ArgumentBytes, ArgumentAlign uint32
	Wave                         int // lanes of a wave: 64, or on gfx1100 32 or 64
	Workgroup                    int // maximum of invocations in a workgroup
	// Groups are the components of the workgroup ID that are enabled. Items is the number of
	// components of the local invocation ID, 1 to 3.
	Groups [3]bool
	Items  int
}

// Argument is an argument of a kernel.
type Argument struct {
	Name          string // "" for hidden arguments
	Offset, Bytes uint32 // in the kernarg segment
	Kind          ArgumentKind
	ReadOnly      bool // nothing is written through the address
}

// ArgumentKind is the kind of an argument, by its name in the note (User Guide, "Code Object V3
// Kernel Argument Metadata Map").
type ArgumentKind string

// The kinds of arguments of gpuc's kernels. The runtime provides the hidden ones.
const (
	GlobalBuffer    ArgumentKind = "global_buffer"
	ByValue         ArgumentKind = "by_value"
	HiddenGroupsOfX ArgumentKind = "hidden_block_count_x"
	HiddenGroupsOfY ArgumentKind = "hidden_block_count_y"
	HiddenGroupsOfZ ArgumentKind = "hidden_block_count_z"
)

// Limits of all families.
const (
	maxWorkgroup = 1024
	maxUserSGPRs = 16
	maxAlignment = 4096 // of the kernarg segment
)

// UserSGPRs returns the number of user SGPRs, which precede the workgroup ID. In waves of 32 on
// gfx1100, both together are padded to 16: the processor does not initialise fewer correctly (LLVM,
// GCNSubtarget.hasUserSGPRInit16Bug).
func UserSGPRs(f isa.Family, k *Kernel) int {
	if f == isa.GFX1100 && k.Wave == 32 {
		groups := 0
		for _, g := range k.Groups {
			if g {
				groups++
			}
		}
		return maxUserSGPRs - groups
	}
	if k.ArgumentBytes > 0 {
		return 2
	}
	return 0
}

// CountSGPRs returns Kernel.SGPRs for a number of general registers. On gfx942 there are always six
// more: VCC, and those that other gfx9 processors have for scratch memory and XNACK. On gfx1100
// there are two more if VCC is used.
func CountSGPRs(f isa.Family, general int, vcc bool) int {
	switch {
	case f == isa.GFX942:
		return general + 6
	case vcc:
		return general + 2
	}
	return general
}

// check returns an error for a kernel that is not valid.
func (k *Kernel) check(f isa.Family) error {
	limits := limitsOf[f]
	for _, c := range [...]struct {
		what              string
		is, least, atMost int
	}{
		{"VGPRs", k.VGPRs, 0, isa.VGPRs}, {"AGPRs", k.AGPRs, 0, limits.agprs}, {"SGPRs", k.SGPRs, 0, limits.sgprs}, {"invocations in a workgroup", k.Workgroup, 1, maxWorkgroup},
		{"dimensions of invocations", k.Items, 1, 3}, {"bytes of code", len(k.Code), 4, 1 << 30},
	} {
		if c.is < c.least || c.is > c.atMost {
			return fmt.Errorf("kernel %s: there are %d %s, and there may be %d to %d", k.Name, c.is, c.what, c.least, c.atMost)
		}
	}
	if k.Name == "" || len(k.Code)%4 != 0 {
		return fmt.Errorf("kernel %q has no name, or its %d bytes of code are not a multiple of 4", k.Name, len(k.Code))
	}
	if k.Wave != 64 && (k.Wave != 32 || f == isa.GFX942) {
		return fmt.Errorf("kernel %s: %s has no waves of %d", k.Name, f, k.Wave)
	}
	if k.Shared > limits.shared {
		return fmt.Errorf("kernel %s: there are %d bytes of workgroup memory, and %s has %d", k.Name, k.Shared, f, limits.shared)
	}
	if a := k.ArgumentAlign; a == 0 || a&(a-1) != 0 || a > maxAlignment {
		return fmt.Errorf("kernel %s: the alignment of the arguments is %d, and has to be a power of two up to %d", k.Name, a, maxAlignment)
	}
	end := uint64(0)
	for n := range k.Arguments {
		a := &k.Arguments[n]
		if uint64(a.Offset) < end {
			return fmt.Errorf("kernel %s: argument %d begins at %d, before the end of the one before it at %d", k.Name, n, a.Offset, end)
		}
		if end = uint64(a.Offset) + uint64(a.Bytes); end > uint64(k.ArgumentBytes) {
			return fmt.Errorf("kernel %s: argument %d ends at %d, beyond the segment of %d bytes", k.Name, n, end, k.ArgumentBytes)
		}
	}
	return nil
}

// limitsOf are the limits of a family.
var limitsOf = [...]struct {
	agprs, sgprs int
	shared       uint32
}{
	isa.GFX942:  {256, 108, 64 << 10},
	isa.GFX1100: {0, 108, 64 << 10},
}

// Write returns a code object with kernels for one processor. An error says which limit a kernel
// exceeds or which field is not valid.
func Write(f isa.Family, kernels []Kernel) ([]byte, error) {
	if len(kernels) == 0 {
		return nil, fmt.Errorf("a code object has to have a kernel")
	}
	names := map[string]bool{}
	for n := range kernels {
		k := &kernels[n]
		if err := k.check(f); err != nil {
			return nil, err
		}
		if names[k.Name] {
			return nil, fmt.Errorf("there are two kernels named %s", k.Name)
		}
		names[k.Name] = true
	}
	return (&file{family: f, kernels: kernels}).write()
}
