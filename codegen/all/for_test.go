package all_test

import (
	"testing"

	"github.com/gpuc/gpuc/codegen/all"
	"github.com/gpuc/gpuc/runtime/abi"
)

// TestFor: For returns the highest profile that a device runs, and none that is for other devices.
func TestFor(t *testing.T) {
	for _, test := range []struct {
		target  abi.Target
		profile uint32
		want    string
	}{
		{abi.PTX, 52, "ptx"}, {abi.PTX, 70, "ptx:sm_70"}, {abi.PTX, 72, "ptx:sm_70"}, {abi.PTX, 75, "ptx:sm_75"},
		{abi.PTX, 87, "ptx:sm_86"}, {abi.PTX, 90, "ptx:sm_90"}, {abi.PTX, 103, "ptx:sm_100"}, {abi.PTX, 200, "ptx:sm_120"},
		{abi.SPIRV, 0x10300, "spirv:1.3"}, {abi.SPIRV, 0x10500, "spirv:1.5"}, {abi.SPIRV, 0x10700, "spirv:1.6"},
		{abi.CPU, 0, "cpu"},
		{abi.AMDGPU, 0x1100, "amdgpu:gfx1100"}, {abi.AMDGPU, 0x1101, "amdgpu:gfx11-generic"}, {abi.AMDGPU, 0x1036, "amdgpu:gfx10-3-generic"},
		{abi.AMDGPU, 0x90a, "amdgpu:gfx90a"}, {abi.AMDGPU, 0x942, "amdgpu:gfx942"}, {abi.AMDGPU, 0x1201, "amdgpu:gfx1201"},
		{abi.AMDGPU, 0x906, "amdgpu"}, {abi.AMDGPU, 0, "amdgpu"},
	} {
		if got := all.For(test.target, test.profile).Title(); got != test.want {
			t.Errorf("%s, profile %#x: %s, expected %s", test.target, test.profile, got, test.want)
		}
	}
	if got := all.For(abi.SPIRV, 0x10600, abi.Float16, abi.CooperativeMatrices).Title(); got != "spirv:1.6_coopmat" {
		t.Errorf("a device with cooperative matrices has the profile %s", got)
	}
	if got := all.For(abi.SPIRV, 0x10600, abi.CooperativeMatrices, abi.BFloat16Matrices).Title(); got != "spirv:1.6_coopmat_bf16" {
		t.Errorf("a device with cooperative matrices of bfloat16 has the profile %s", got)
	}
	if got := all.For(abi.SPIRV, 0x10500, abi.CooperativeMatrices).Title(); got != "spirv:1.5" {
		t.Errorf("a device of SPIR-V 1.5 has the profile %s", got)
	}
}
