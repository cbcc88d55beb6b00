package amdgpu

import (
	"testing"

	"github.com/gpuc/gpuc/codegen/amdgpu/object"
)

// TestFamilies checks that each profile is in exactly one family.
func TestFamilies(t *testing.T) {
	for n := range profiles {
		found := 0
		for _, f := range families {
			for _, p := range f.processors {
				if p == profiles[n].Name {
					found++
				}
			}
		}
		if found != 1 {
			t.Errorf("%s is in %d families", profiles[n].Name, found)
		}
	}
}

// FuzzBounds checks that the bounds of any metadata are between 1 and the maximum of waves.
func FuzzBounds(f *testing.F) {
	f.Add(uint64(24), uint64(18), uint64(2048), uint64(256), uint64(32))
	f.Add(uint64(0), uint64(0), uint64(0), uint64(0), uint64(0))
	f.Add(uint64(1<<32), uint64(1<<32), uint64(1<<32), uint64(1<<32), uint64(1<<32))
	f.Fuzz(func(t *testing.T, vgprs, sgprs, shared, workgroup, wave uint64) {
		const limit = 1<<32 + 1 // of counts in object.Metadata
		m := &object.Metadata{VGPRs: vgprs % limit, SGPRs: sgprs % limit, Shared: shared % limit, Workgroup: workgroup % limit, Wave: wave % limit}
		for n := range families {
			for _, b := range families[n].bounds(m) {
				if b.Allows < 1 || b.Allows > families[n].waves {
					t.Errorf("%+v: %+v", m, b)
				}
			}
		}
	})
}
