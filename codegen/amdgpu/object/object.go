// Package object writes and reads code objects for AMD's devices: ELF files with the machine code
// of kernels, a descriptor of each, which the packet processor reads at a launch, and a note about
// them all for runtimes (LLVM, User Guide for AMDGPU Backend, "Code Object", version 5).
//
//	object.go      what is written
//	descriptor.go  a kernel's descriptor
//	note.go        the note, packed as in pack.go
//	elf.go         the file around them
//	read.go        what a code object says of a kernel's registers and memory, unpacked as in unpack.go
//
// # What a kernel finds
//
// When a wave begins, the descriptor has decided where what is. The address of the arguments is in
// s[0:1] if there are any. Behind the user's scalar registers, of which there are UserSGPRs, are
// the numbers of the workgroup, one register for each dimension that is asked for. v0 has the
// number of the invocation in its workgroup, ten bits for each dimension that is asked for, x
// lowest.
package object

import (
	"fmt"

	"github.com/gpuc/gpuc/codegen/amdgpu/isa"
)

// Kernel is a kernel for a code object.
type Kernel struct {
	Name string
	Code []byte // machine code, which ends with s_endpgm
	// VGPRs and SGPRs are how many registers there are, each the highest number that is used plus
	// one. SGPRs includes those that VCC takes, and all others besides the general ones
	// (CountSGPRs). AGPRs are accumulation registers of gfx942.
	VGPRs, AGPRs, SGPRs    int
	VGPRSpills, SGPRSpills int
	// Shared is workgroup memory and Scratch that of an invocation, in bytes. With DynamicStack,
	// Scratch is not all.
	Shared, Scratch uint32
	DynamicStack    bool
	// Arguments are in the order of their offsets. ArgumentBytes is the size of their segment, and
	// ArgumentAlign what its address is a multiple of.
	Arguments                    []Argument
	ArgumentBytes, ArgumentAlign uint32
	Wave                         int // 64, and on gfx1100 32 or 64
	Workgroup                    int // how many invocations there are at most
	// Groups are the dimensions of the workgroup's number that are asked for, and Items is how many
	// of the invocation's are: 1 to 3.
	Groups [3]bool
	Items  int
}

// Argument is an argument of a kernel.
type Argument struct {
	Name          string // "" for those that the runtime provides
	Offset, Bytes uint32
	Kind          ArgumentKind
	ReadOnly      bool // nothing is written through the address
}

// ArgumentKind says what an argument is, by the names of the note (User Guide, "Code Object V3
// Kernel Argument Metadata Map").
type ArgumentKind string

// The kinds that kernels of gpuc have. Those that begin with hidden are provided by the runtime;
// there are more of them.
const (
	GlobalBuffer     ArgumentKind = "global_buffer"
	ByValue          ArgumentKind = "by_value"
	HiddenGroupsOfX  ArgumentKind = "hidden_block_count_x"
	HiddenGroupsOfY  ArgumentKind = "hidden_block_count_y"
	HiddenGroupsOfZ  ArgumentKind = "hidden_block_count_z"
	mostWorkgroup                 = 1024
	mostUserSGPRs                 = 16
	largestAlignment              = 4096
)

// UserSGPRs returns how many scalar registers come before the number of the workgroup. On gfx1100
// in waves of 32 there are so many that both together are 16, and most have nothing in them: the
// processor does not initialise fewer rightly (LLVM, GCNSubtarget.hasUserSGPRInit16Bug).
func UserSGPRs(f isa.Family, k *Kernel) int {
	if f == isa.GFX1100 && k.Wave == 32 {
		groups := 0
		for _, g := range k.Groups {
			if g {
				groups++
			}
		}
		return mostUserSGPRs - groups
	}
	if k.ArgumentBytes > 0 {
		return 2
	}
	return 0
}

// CountSGPRs returns a count for Kernel.SGPRs: of the general registers, and of those behind them.
// On gfx942 six are always taken there (VCC, and what other processors of its line have for scratch
// memory and page faults); on gfx1100 two for VCC, if it is used.
func CountSGPRs(f isa.Family, general int, vcc bool) int {
	switch {
	case f == isa.GFX942:
		return general + 6
	case vcc:
		return general + 2
	}
	return general
}

// check says what of a kernel cannot be.
func (k *Kernel) check(f isa.Family) error {
	limits := limitsOf[f]
	for _, c := range [...]struct {
		what              string
		is, least, atMost int
	}{
		{"VGPRs", k.VGPRs, 0, isa.VGPRs}, {"AGPRs", k.AGPRs, 0, limits.agprs}, {"SGPRs", k.SGPRs, 0, limits.sgprs}, {"invocations in a workgroup", k.Workgroup, 1, mostWorkgroup},
		{"dimensions of invocations", k.Items, 1, 3}, {"bytes of code", len(k.Code), 4, 1 << 30},
	} {
		if c.is < c.least || c.is > c.atMost {
			return fmt.Errorf("kernel %s: there are %d %s, and there may be %d to %d", k.Name, c.is, c.what, c.least, c.atMost)
		}
	}
	if k.Name == "" || len(k.Code)%4 != 0 {
		return fmt.Errorf("kernel %q has no name, or %d bytes of code, which are no whole words", k.Name, len(k.Code))
	}
	if k.Wave != 64 && (k.Wave != 32 || f == isa.GFX942) {
		return fmt.Errorf("kernel %s: %s has no waves of %d", k.Name, f, k.Wave)
	}
	if k.Shared > limits.shared {
		return fmt.Errorf("kernel %s: there are %d bytes of workgroup memory, and %s has %d", k.Name, k.Shared, f, limits.shared)
	}
	if a := k.ArgumentAlign; a == 0 || a&(a-1) != 0 || a > largestAlignment {
		return fmt.Errorf("kernel %s: the alignment of the arguments is %d, and has to be a power of two up to %d", k.Name, a, largestAlignment)
	}
	end := uint64(0)
	for n := range k.Arguments {
		a := &k.Arguments[n]
		if uint64(a.Offset) < end {
			return fmt.Errorf("kernel %s: argument %d begins at %d, before the end of the one before it at %d", k.Name, n, a.Offset, end)
		}
		if end = uint64(a.Offset) + uint64(a.Bytes); end > uint64(k.ArgumentBytes) {
			return fmt.Errorf("kernel %s: argument %d ends at %d, behind the segment of %d bytes", k.Name, n, end, k.ArgumentBytes)
		}
	}
	return nil
}

// limitsOf is what a family has.
var limitsOf = [...]struct {
	agprs, sgprs int
	shared       uint32
}{
	isa.GFX942:  {256, 108, 64 << 10},
	isa.GFX1100: {0, 108, 64 << 10},
}

// Write writes a code object of kernels for one processor.
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
