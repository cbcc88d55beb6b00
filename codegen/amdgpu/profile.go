package amdgpu

import "github.com/gpuc/gpuc/codegen"

// profiles are the processors, by LLVM's names (User Guide for AMDGPU Backend, "Processors"). Code
// is for one processor, or with a generic name for several (abi.ProcessorRuns); no other processor
// runs it. A generic name follows the processors that it covers. Machine is the hexadecimal number
// in the name. A subgroup is a wave: 64 invocations on CDNA (gfx9), 32 on RDNA.
//
// LLVM 19 does not have gfx950 and gfx9-4-generic yet.
var profiles = []codegen.Profile{
	{Name: "gfx1100", Doc: "RDNA 3: RX 7900", Machine: 0x1100, Exact: true, Subgroup: 32, WorkgroupBytes: maxShared, Fragments: rdnaProducts, FragmentTable: &rdna3Fragments},
	{Name: "gfx1151", Doc: "RDNA 3.5: Strix Halo", Machine: 0x1151, Exact: true, Subgroup: 32, WorkgroupBytes: maxShared, Fragments: rdnaProducts, FragmentTable: &rdna3Fragments},
	{Name: "gfx11-generic", Doc: "all of RDNA 3 and 3.5", Machine: 0x1100, Exact: true, Subgroup: 32, WorkgroupBytes: maxShared, Version: genericObject, Fragments: rdnaProducts, FragmentTable: &rdna3Fragments},
	{Name: "gfx1200", Doc: "RDNA 4: RX 9060", Machine: 0x1200, Exact: true, Subgroup: 32, WorkgroupBytes: maxShared, Fragments: rdnaProducts, FragmentTable: &rdna4Fragments},
	{Name: "gfx1201", Doc: "RDNA 4: RX 9070", Machine: 0x1201, Exact: true, Subgroup: 32, WorkgroupBytes: maxShared, Fragments: rdnaProducts, FragmentTable: &rdna4Fragments},
	{Name: "gfx12-generic", Doc: "all of RDNA 4", Machine: 0x1200, Exact: true, Subgroup: 32, WorkgroupBytes: maxShared, Version: genericObject, Fragments: rdnaProducts, FragmentTable: &rdna4Fragments},
	{Name: "gfx1030", Doc: "RDNA 2: RX 6800, RX 6900", Machine: 0x1030, Exact: true, Subgroup: 32, WorkgroupBytes: maxShared},
	{Name: "gfx10-3-generic", Doc: "all of RDNA 2", Machine: 0x1030, Exact: true, Subgroup: 32, WorkgroupBytes: maxShared, Version: genericObject},
	{Name: "gfx90a", Doc: "CDNA 2: MI210, MI250", Machine: 0x90a, Exact: true, Subgroup: 64, WorkgroupBytes: maxShared, Fragments: cdna2Products, FragmentTable: &cdna2Fragments},
	{Name: "gfx942", Doc: "CDNA 3: MI300", Machine: 0x942, Exact: true, Subgroup: 64, WorkgroupBytes: maxShared, Fragments: cdna3Products, FragmentTable: &cdna3Fragments},
}

// Versions of code objects, times 100 (User Guide for AMDGPU Backend, "Code Object Metadata").
// Runtimes since ROCm 5.7 load version 5. Generic processors need version 6.
const (
	plainObject   = 500
	genericObject = 600
)

// objectVersion returns the version of the code object for a profile.
func objectVersion(p *codegen.Profile) uint64 {
	if p.Version != 0 {
		return uint64(p.Version)
	}
	return plainObject
}
