package object

import (
	"encoding/binary"

	"github.com/gpuc/gpuc/codegen/amdgpu/isa"
)

// This file writes descriptors (User Guide for AMDGPU Backend, "Kernel Descriptor").

// descriptorBytes is the size and alignment of a descriptor.
const descriptorBytes = 64

// Offsets in a descriptor.
const (
	sharedOffset     = 0
	scratchOffset    = 4
	argumentsOffset  = 8
	entryPointOffset = 16
	resources3Offset = 44
	resources1Offset = 48
	resources2Offset = 52
	propertiesOffset = 56
)

// Bits of COMPUTE_PGM_RSRC1 besides the counts of registers. Floats round to nearest and keep
// denormals in all widths. Comparisons of NaN are those of IEEE 754, clamping is that of Direct3D
// 10. On gfx1100, loads complete in order, and a workgroup uses both compute units of a work-group
// processor.
const (
	floatMode     = 0xF << 16
	clampNaN      = 1 << 21
	ieee          = 1 << 23
	bothUnits     = 1 << 29
	memoryOrdered = 1 << 30
)

// Bits of COMPUTE_PGM_RSRC2 and of the properties.
const (
	scratchUsed      = 1 << 0
	userSGPRsShift   = 1
	groupShift       = 7
	itemsShift       = 11
	argumentsPointer = 1 << 3
	waveOf32         = 1 << 10
	dynamicStack     = 1 << 11
)

// appendDescriptor appends the descriptor of a kernel. entry is the offset of its code from the
// descriptor.
func appendDescriptor(to []byte, f isa.Family, k *Kernel, entry int64) []byte {
	var d [descriptorBytes]byte
	put := binary.LittleEndian.PutUint32
	put(d[sharedOffset:], k.Shared)
	put(d[scratchOffset:], k.Scratch)
	put(d[argumentsOffset:], k.ArgumentBytes)
	binary.LittleEndian.PutUint64(d[entryPointOffset:], uint64(entry))

	first := uint32(floatMode | clampNaN | ieee)
	if f == isa.GFX942 {
		put(d[resources3Offset:], granules(k.VGPRs, 4)) // where accumulation registers begin
		first |= granules(k.allVGPRs(), 8) | granules(k.SGPRs, 8)<<6
	} else {
		// there is no count of scalar registers: every wave has all of them
		granule := 8
		if k.Wave == 64 {
			granule = 4
		}
		first |= granules(k.allVGPRs(), granule) | bothUnits | memoryOrdered
	}
	put(d[resources1Offset:], first)

	second := uint32(UserSGPRs(f, k))<<userSGPRsShift | uint32(k.Items-1)<<itemsShift
	if k.Scratch > 0 || k.DynamicStack {
		second |= scratchUsed
	}
	for n, g := range k.Groups {
		if g {
			second |= 1 << (groupShift + n)
		}
	}
	put(d[resources2Offset:], second)

	var properties uint16
	if k.ArgumentBytes > 0 {
		properties |= argumentsPointer
	}
	if k.Wave == 32 {
		properties |= waveOf32
	}
	if k.DynamicStack {
		properties |= dynamicStack
	}
	binary.LittleEndian.PutUint16(d[propertiesOffset:], properties)
	return append(to, d[:]...)
}

// allVGPRs returns the number of vector registers with the accumulation registers, which begin at a
// multiple of 4.
func (k *Kernel) allVGPRs() int {
	if k.AGPRs == 0 {
		return k.VGPRs
	}
	return rounded(max(k.VGPRs, 1), 4) + k.AGPRs
}

// rounded returns n, rounded up to a multiple.
func rounded(n, multiple int) int { return (n + multiple - 1) / multiple * multiple }

// granules encodes a count of registers: the number of granules, less one.
func granules(n, granule int) uint32 { return uint32(rounded(max(n, 1), granule)/granule - 1) }
