package object

import (
	"encoding/binary"

	"github.com/gpuc/gpuc/codegen/amdgpu/isa"
)

// This file writes descriptors (User Guide for AMDGPU Backend, "Kernel Descriptor").

// descriptorBytes is the size of a descriptor, and what its address is a multiple of.
const descriptorBytes = 64

// Places in a descriptor.
const (
	atShared     = 0
	atScratch    = 4
	atArguments  = 8
	atEntry      = 16
	atResources3 = 44
	atResources1 = 48
	atResources2 = 52
	atProperties = 56
)

// Bits of the first word of resources besides the counts of registers: floats round to nearest and
// keep denormals in all widths, comparisons of NaN and clamping are those of IEEE 754 and Direct3D
// 10; on gfx1100, accesses to memory end in order, and a workgroup is on both compute units of a
// work-group processor.
const (
	floatMode     = 0xF << 16
	clampNaN      = 1 << 21
	ieee          = 1 << 23
	bothUnits     = 1 << 29
	memoryOrdered = 1 << 30
)

// Bits of the second word of resources, and of the properties.
const (
	scratchUsed      = 1 << 0
	userSGPRsShift   = 1
	groupShift       = 7
	itemsShift       = 11
	argumentsPointer = 1 << 3
	waveOf32         = 1 << 10
	dynamicStack     = 1 << 11
)

// appendDescriptor appends the descriptor of a kernel whose code is so far behind it.
func appendDescriptor(to []byte, f isa.Family, k *Kernel, entry int64) []byte {
	var d [descriptorBytes]byte
	put := binary.LittleEndian.PutUint32
	put(d[atShared:], k.Shared)
	put(d[atScratch:], k.Scratch)
	put(d[atArguments:], k.ArgumentBytes)
	binary.LittleEndian.PutUint64(d[atEntry:], uint64(entry))

	first := uint32(floatMode | clampNaN | ieee)
	if f == isa.GFX942 {
		put(d[atResources3:], granules(k.VGPRs, 4)) // where accumulation registers begin
		first |= granules(k.allVGPRs(), 8) | granules(k.SGPRs, 8)<<6
	} else {
		// every wave has all scalar registers: there is no count
		granule := 8
		if k.Wave == 64 {
			granule = 4
		}
		first |= granules(k.allVGPRs(), granule) | bothUnits | memoryOrdered
	}
	put(d[atResources1:], first)

	second := uint32(UserSGPRs(f, k))<<userSGPRsShift | uint32(k.Items-1)<<itemsShift
	if k.Scratch > 0 || k.DynamicStack {
		second |= scratchUsed
	}
	for n, g := range k.Groups {
		if g {
			second |= 1 << (groupShift + n)
		}
	}
	put(d[atResources2:], second)

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
	binary.LittleEndian.PutUint16(d[atProperties:], properties)
	return append(to, d[:]...)
}

// allVGPRs is how many vector registers there are with accumulation registers, which lie behind the
// others at a multiple of 4.
func (k *Kernel) allVGPRs() int {
	if k.AGPRs == 0 {
		return k.VGPRs
	}
	return rounded(max(k.VGPRs, 1), 4) + k.AGPRs
}

// rounded is the next multiple.
func rounded(n, multiple int) int { return (n + multiple - 1) / multiple * multiple }

// granules is how the count of registers is written: in so many at a time, less one.
func granules(n, granule int) uint32 { return uint32(rounded(max(n, 1), granule)/granule - 1) }
