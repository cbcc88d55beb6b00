package amdgpu_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/amdgpu"
	bench "github.com/gpuc/gpuc/internal/emulate/amdgpu"
	"github.com/gpuc/gpuc/internal/exectest"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/runtime/abi"
)

// TestOccupancy compares the occupancy with the one in LLVM's assembly. The kernels are the exec
// kernels, each on one of the families, and generated ones with many registers, much workgroup
// memory and workgroups of all sizes.
func TestOccupancy(t *testing.T) {
	testmode.LongPart(t, 1)
	if missing := bench.MissingTools(); missing != "" {
		t.Skip("skipped: there is no " + missing)
	}
	cases := exectest.Cases()
	for _, p := range amdgpu.Target.Profiles {
		t.Run(p.Name, func(t *testing.T) {
			programs := demanding(&p)
			// one processor of each family
			families := []string{"gfx90a", "gfx942", "gfx1030", "gfx1100"}
			if index := slices.Index(families, p.Name); index >= 0 {
				for n := range cases {
					if c := &cases[n]; len(c.Textures) == 0 && n%len(families) == index && (testmode.IsLong() || n%share == index) {
						programs = append(programs, compileCase(t, c, p.Name, p.Name, codegen.Options{}).programs...)
					}
				}
			}
			o, err := bench.Assemble(p.Name, programs)
			if err != nil {
				t.Fatal(err)
			}
			want, err := bench.Occupancies(p.Name, programs)
			if err != nil {
				t.Fatal(err)
			}
			counts := map[uint32]int{}
			for n := range programs {
				u, err := amdgpu.Target.Resources(&abi.Artefact{Kernel: abi.Kernel{Name: bench.KernelName(n), Profile: p.Name}}, o.Data)
				if err != nil {
					t.Fatal(err)
				}
				counts[u.Running]++
				if int(u.Running) != want[n] || (u.Running < u.Most) != (len(u.Limits) > 0) {
					t.Errorf("%s of\n%s\nLLVM says %d", u, programs[n].Code, want[n])
				}
			}
			t.Logf("%d kernels, by the waves that run: %v", len(programs), counts)
			if len(counts) < 5 {
				t.Errorf("all kernels have the same few occupancies: %v", counts)
			}
		})
	}
}

// demanding returns kernels with many vector registers, scalar registers, bytes of workgroup
// memory, or invocations in a workgroup.
func demanding(p *codegen.Profile) (programs []bench.Program) {
	add := func(vgprs, sgprs, shared, workgroup int) {
		var b strings.Builder
		b.WriteString("target triple = \"amdgcn-amd-amdhsa\"\n")
		if shared > 0 {
			fmt.Fprintf(&b, "@shared = internal addrspace(3) global [%d x i8] undef, align 16\n", shared)
		}
		fmt.Fprintf(&b, "define amdgpu_kernel void @k() #0 {\n  call void asm sideeffect \"\", \"~{v%d},~{s%d}\"()\n", vgprs-1, sgprs-1)
		if shared > 0 {
			b.WriteString("  store volatile i8 0, ptr addrspace(3) @shared\n")
		}
		version := 500
		if p.Version != 0 {
			version = int(p.Version)
		}
		fmt.Fprintf(&b, "  ret void\n}\nattributes #0 = { \"amdgpu-flat-work-group-size\"=\"%d,%d\" }\n!llvm.module.flags = !{!0}\n!0 = !{i32 1, !\"amdhsa_code_object_version\", i32 %d}\n",
			workgroup, workgroup, version)
		programs = append(programs, bench.Program{Code: []byte(b.String()), Kernel: &abi.Kernel{Name: "k"}})
	}
	for vgprs := 1; vgprs <= 256; vgprs += 5 {
		add(vgprs, 1, 0, 64)
	}
	for sgprs := 60; sgprs <= 100; sgprs += 4 {
		add(8, sgprs, 0, 64)
	}
	for _, workgroup := range []int{1, 32, 33, 64, 96, 128, 192, 256, 320, 512, 640, 1024} {
		for _, shared := range []int{0, 4, 512, 2048, 5000, 8192, 16384, 24000, 32768, 65536} {
			add(4, 1, shared, workgroup)
		}
	}
	return programs
}

// TestOccupancyByHand has occupancies that were computed by hand from AMD's manuals, since the
// tables are from LLVM's source: the registers of a SIMD divided by those of a wave.
func TestOccupancyByHand(t *testing.T) {
	for _, test := range []struct {
		processor                             string
		vgprs, sgprs, shared, workgroup, wave uint64
		want                                  uint32
		limits                                string
	}{
		// CDNA 2: 512 registers for each lane of a SIMD in steps of 8, eight waves
		{"gfx90a", 64, 20, 0, 64, 64, 8, ""},
		{"gfx90a", 65, 20, 0, 64, 64, 7, "VGPRs"},  // 512 / 72
		{"gfx90a", 129, 20, 0, 64, 64, 3, "VGPRs"}, // 512 / 136
		{"gfx942", 512, 20, 0, 64, 64, 1, "VGPRs"},
		// 64 KiB hold two workgroups of 256 with 32 KiB each: 8 waves on 4 SIMDs
		{"gfx942", 16, 20, 32768, 256, 64, 2, "workgroup memory"},
		// RDNA 2: 1024 registers in steps of 16, sixteen waves of 32
		{"gfx1030", 64, 20, 0, 32, 32, 16, ""},
		{"gfx1030", 65, 20, 0, 32, 32, 12, "VGPRs"}, // 1024 / 80
		// 1024 / 128; 128 KiB hold two workgroups of 16 waves, on 4 SIMDs
		{"gfx1030", 128, 20, 65536, 512, 32, 8, "VGPRs and workgroup memory"},
		// RDNA 3 with the large register file: 1536 in steps of 24
		{"gfx1100", 96, 106, 0, 32, 32, 16, ""},
		{"gfx1100", 97, 106, 0, 32, 32, 12, "VGPRs"},      // 1536 / 120
		{"gfx11-generic", 97, 106, 0, 32, 32, 9, "VGPRs"}, // 1024 / 112
		// two workgroups of 24 waves fit a unit of 64 waves: 12 on each of 4 SIMDs
		{"gfx1100", 8, 10, 0, 768, 32, 12, "the size of workgroups"},
	} {
		u := amdgpu.Occupancy(test.processor, test.vgprs, test.sgprs, test.shared, test.workgroup, test.wave)
		if u.Running != test.want || strings.Join(u.Limits, " and ") != test.limits {
			t.Errorf("%+v: got %d, limited by %v", test, u.Running, u.Limits)
		}
	}
}
