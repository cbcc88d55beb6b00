package amdgpu

import (
	"fmt"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/amdgpu/object"
	"github.com/gpuc/gpuc/runtime/abi"
)

// This file says how many waves of a kernel a SIMD holds at once. It counts as LLVM does, which
// prints the number in its assembly. The unit that a workgroup is on is a compute unit of CDNA, and
// on RDNA two of them together, as LLVM compiles without the feature cumode.

// family is what processors have that count alike. The numbers are LLVM's (release 19,
// AMDGPUBaseInfo.cpp: getMaxWavesPerEU, getTotalNumVGPRs, getVGPRAllocGranule,
// getMaxWorkGroupsPerCU, getLocalMemorySize; GCNSubtarget.cpp: getOccupancyWithNumSGPRs), which
// agree with those of the User Guide for AMDGPU Backend and of AMD's instruction set manuals.
type family struct {
	processors []string
	waves      uint32 // that a SIMD holds
	simds      uint32 // of the unit on which a workgroup is
	vgprs      uint32 // of a SIMD, for each lane
	granule    uint32 // registers are given in multiples of it
	groups     uint32 // of more than one wave that a unit holds, since each has a barrier
	shared     uint32 // bytes of the unit's workgroup memory
	// sgprs is the most with which a SIMD is full, and sgprWaves what it holds of waves with more;
	// 0 where waves have all there are.
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

// bounds returns how many waves of a SIMD each resource allows.
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
	// of the unit's waves, rounded up: some SIMD holds so many
	bySIMD := func(groups uint64) uint32 {
		return clamped((groups*each+uint64(f.simds)-1)/uint64(f.simds), f.waves)
	}
	if m.Shared > 0 {
		bounds = append(bounds, codegen.Bound{Resource: "workgroup memory", Allows: bySIMD(min(groups, uint64(f.shared)/m.Shared))})
	}
	return append(bounds, codegen.Bound{Resource: "the size of workgroups", Allows: bySIMD(groups)})
}

// clamped is a number of waves: one at least, as something runs, and no more than there can be.
func clamped(waves uint64, most uint32) uint32 { return uint32(min(max(waves, 1), uint64(most))) }

// resources reads what a code object takes from its metadata, and makes the code object if there is
// none.
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
