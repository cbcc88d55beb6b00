package driver_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/driver"
)

// TestAccepts breaks one property of an artefact at a time that the device
// accepts as it is.
func TestAccepts(t *testing.T) {
	info := driver.Info{
		Name: "test device", Target: abi.PTX, Features: []abi.Feature{abi.Int64},
		MaxWorkgroup: [3]uint32{1024, 1024, 64}, MaxInvocations: 1024, WorkgroupBytes: 4096,
		SubgroupSize: 32, SubgroupSizes: [2]uint32{8, 32}, Profile: 89,
	}
	for _, test := range []struct {
		name  string
		spoil func(a *abi.Artefact)
		want  string // in the error; "" means none
	}{
		{"all it has", func(*abi.Artefact) {}, ""},
		{"another target", func(a *abi.Artefact) { a.Target = abi.SPIRV }, "its target is spirv, not ptx"},
		{"a feature", func(a *abi.Artefact) { a.Kernel.Requires = append(a.Kernel.Requires, abi.Float16) }, "test device has no f16"},
		{"an empty workgroup", func(a *abi.Artefact) { a.Kernel.Workgroup[1] = 0 }, "workgroup [64 0 1]"},
		{"one dimension", func(a *abi.Artefact) { a.Kernel.Workgroup = [3]uint32{1, 1, 65} }, "at most [1024 1024 64]"},
		{"all dimensions", func(a *abi.Artefact) { a.Kernel.Workgroup = [3]uint32{64, 17, 1} }, "1088 invocations in a workgroup"},
		{"the largest of each", func(a *abi.Artefact) { a.Kernel.Workgroup = [3]uint32{1024, 1024, 64} }, "67108864 invocations"},
		{"subgroups", func(a *abi.Artefact) { a.Kernel.SubgroupSize = 16 }, ""},
		{"small subgroups", func(a *abi.Artefact) { a.Kernel.SubgroupSize = 4 }, "subgroups of 4, but the device's have 8 to 32"},
		{"large subgroups", func(a *abi.Artefact) { a.Kernel.SubgroupSize = 64 }, "subgroups of 64, but the device's have 8 to 32"},
		{"odd subgroups", func(a *abi.Artefact) { a.Kernel.SubgroupSize = 12 }, "width 64 do not consist of subgroups of 12"},
		{"a part of a subgroup", func(a *abi.Artefact) { a.Kernel.SubgroupSize, a.Kernel.Workgroup[0] = 32, 48 }, "width 48 do not consist"},
		{"an older profile", func(a *abi.Artefact) { a.Kernel.Profile = "sm_80" }, ""},
		{"its own profile", func(a *abi.Artefact) { a.Kernel.Profile = "sm_89a" }, ""},
		{"a newer profile", func(a *abi.Artefact) { a.Kernel.Profile = "sm_90" }, "its code is for sm_90, but the device is sm_89"},
		{"another's own profile", func(a *abi.Artefact) { a.Kernel.Profile = "sm_80a" }, "its code is for sm_80a, but the device is sm_89"},
		{"no profile", func(a *abi.Artefact) { a.Kernel.Profile = "1.6" }, "its code is for 1.6"},
		{"memory", func(a *abi.Artefact) { a.Kernel.WorkgroupBytes++ }, "4097 bytes of workgroup memory"},
	} {
		t.Run(test.name, func(t *testing.T) {
			a := &abi.Artefact{Target: abi.PTX, Kernel: abi.Kernel{
				Name: "main", Workgroup: [3]uint32{64, 16, 1}, WorkgroupBytes: 4096, Requires: []abi.Feature{abi.Int64}}}
			test.spoil(a)
			err := info.Accepts(a)
			switch {
			case test.want == "":
				if err != nil {
					t.Errorf("refused: %v", err)
				}
			case !errors.Is(err, driver.ErrUnsupported) || !strings.Contains(err.Error(), test.want):
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
	info.Target, info.Profile, info.Features = abi.AMDGPU, 0x1101, nil
	for profile, want := range map[string]bool{"gfx1101": true, "gfx11-generic": true, "": true, "gfx1100": false, "gfx12-generic": false} {
		a := &abi.Artefact{Target: abi.AMDGPU, Kernel: abi.Kernel{Name: "main", Workgroup: [3]uint32{64, 1, 1}, Profile: profile}}
		if err := info.Accepts(a); (err == nil) != want || err != nil && !strings.Contains(err.Error(), "its code is for "+profile+", but the device is gfx1101") {
			t.Errorf("code for %q: %v", profile, err)
		}
	}
	info.Target, info.Profile = abi.MSL, 7
	for profile, want := range map[string]bool{"apple7": true, "3.1": true, "": true, "apple8": false, "apple": false} {
		a := &abi.Artefact{Target: abi.MSL, Kernel: abi.Kernel{Name: "main", Workgroup: [3]uint32{64, 1, 1}, Profile: profile}}
		if err := info.Accepts(a); (err == nil) != want || err != nil && !strings.Contains(err.Error(), "its code is for "+profile+", which the device does not run") {
			t.Errorf("code for %q: %v", profile, err)
		}
	}
	info.Target, info.Profile, info.Features = abi.SPIRV, 0x10500, nil
	for version, want := range map[byte]bool{3: true, 5: true, 6: false} {
		a := &abi.Artefact{Target: abi.SPIRV, Code: []byte{3, 2, 0x23, 7, 0, version, 1, 0},
			Kernel: abi.Kernel{Name: "main", Workgroup: [3]uint32{64, 1, 1}}}
		if err := info.Accepts(a); (err == nil) != want || err != nil && !strings.Contains(err.Error(), "SPIR-V 1.6, but the device takes up to 1.5") {
			t.Errorf("SPIR-V 1.%d: %v", version, err)
		}
	}
}
