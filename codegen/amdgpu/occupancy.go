package amdgpu

import (
	"fmt"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/amdgpu/object"
	"github.com/gpuc/gpuc/runtime/abi"
)

// This file computes the occupancy of a kernel: how many of its waves a SIMD holds at once. LLVM
// prints the same number in its assembly. A workgroup runs on one compute unit of CDNA. On RDNA it
// runs on two, since LLVM compiles without the feature cumode.

// family has the resources of similar processors. The numbers are those of LLVM (release 19:
// AMDGPUBaseInfo.cpp, and getOccupancyWithNumSGPRs in GCNSubtarget.cpp). They agree with the User
// Guide for AMDGPU Backend and with AMD's instruction set manuals.
type family struct {
	processors []string
	waves      uint32 // maximum of a SIMD
	simds      uint32 // of the unit that a workgroup runs on
	vgprs      uint32 // of a SIMD, for each lane
	granule    uint32 // of the allocation of vgprs
	// maximum of workgroups of several waves in a unit, which has so many barriers
	groups uint32
	shared uint32 // bytes of workgroup memory of the unit
	// sgprs is the maximum of SGPRs with which a SIMD holds all waves, and sgprWaves the number of
	// waves with more. Both are 0 if every wave has all SGPRs.
	sgprs, sgprWaves uint32
}

var families = []family{
	{processors: []string{"gfx90a", "gfx942"}, waves: 8, simds: 4, vgprs: 512, granule: 8, groups: 16, shared: 64 << 10, sgprs: 100, sgprWaves: 7},
	{processors: []string{"gfx1030", "gfx10-3-generic"}, waves: 16, simds: 4, vgprs: 1024, granule: 16, groups: 32, shared: 128 << 10},
	{processors: []string{"gfx11-generic"}, waves: 16, simds: 4, vgprs: 1024, granule: 16, groups: 32, shared: 128 << 10},
	{processors: []string{"gfx1100", "gfx1151", "gfx1200", "gfx1201", "gfx12-generic"}, waves: 16, simds: 4, vgprs: 1536, granule: 24, groups: 32, shared: 128 << 10},
}

// familyOf returns the family of a processor.
func familyOf(processor string) *family {
	for n := range families {
		for _, p := range families[n].processors {
			if p == processor {
				return &families[n]
			}
		}
	}
	return nil
}

// bounds returns the number of waves of a SIMD that each resource allows.
func (f *family) bounds(m *object.Metadata) []codegen.Bound {
	bounds := []codegen.Bound{{Resource: "VGPRs", Allows: f.waves}, {Resource: "SGPRs", Allows: f.waves}}
	if given := (m.VGPRs + uint64(f.granule) - 1) / uint64(f.granule) * uint64(f.granule); given > 0 {
		bounds[0].Allows = clamped(uint64(f.vgprs)/given, f.waves)
	}
	if f.sgprs != 0 && m.SGPRs > uint64(f.sgprs) {
		bounds[1].Allows = f.sgprWaves
	}
	wave := max(m.Wave, 1)
	each := max((m.Workgroup+wave-1)/wave, 1) // waves of a workgroup
	groups := uint64(f.waves) * uint64(f.simds) / each
	if each > 1 {
		groups = min(groups, uint64(f.groups))
	}
	// bySIMD returns the waves of the SIMD that holds the most
	bySIMD := func(groups uint64) uint32 {
		return clamped((groups*each+uint64(f.simds)-1)/uint64(f.simds), f.waves)
	}
	if m.Shared > 0 {
		bounds = append(bounds, codegen.Bound{Resource: "workgroup memory", Allows: bySIMD(min(groups, uint64(f.shared)/m.Shared))})
	}
	return append(bounds, codegen.Bound{Resource: "the size of workgroups", Allows: bySIMD(groups)})
}

// clamped limits a number of waves to 1 and most.
func clamped(waves uint64, most uint32) uint32 { return uint32(min(max(waves, 1), uint64(most))) }

// resources returns the registers, memory and occupancy of a kernel from the metadata of its code
// object, which it makes if that is nil.
func resources(a *abi.Artefact, made []byte) (*codegen.Usage, error) {
	if made == nil {
		var err error
		if made, err = makeObject(a); err != nil {
			return nil, err
		}
	}
	m, err := object.MetadataOf(made, a.Kernel.Name)
	if err != nil {
		return nil, err
	}
	f := familyOf(a.Kernel.Profile)
	if f == nil {
		return nil, fmt.Errorf("the registers of %s are not known", a.Kernel.Profile)
	}
	u := &codegen.Usage{Device: a.Kernel.Profile, Counts: []codegen.Count{
		{Number: m.VGPRs, What: "VGPRs"}, {Number: m.SGPRs, What: "SGPRs"}, {Number: m.VGPRSpills + m.SGPRSpills, What: "spilled registers"},
		{Number: m.Shared, What: "bytes of workgroup memory"}, {Number: m.Scratch, What: "bytes of scratch memory"},
	}}
	if m.DynamicStack {
		u.Counts[len(u.Counts)-1].What += " and what calls take"
	}
	u.Bind(f.waves, "waves per SIMD", f.bounds(m)...)
	return u, nil
}
