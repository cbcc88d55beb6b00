package amdgpu_test

import (
	"testing"

	"github.com/gpuc/gpuc/codegen/amdgpu"
	"github.com/gpuc/gpuc/runtime/abi"
)

// TestProfilesRun checks that the machine of each profile runs its code, and that a device gets its
// own profile if there is one.
func TestProfilesRun(t *testing.T) {
	for n := range amdgpu.Target.Profiles {
		p := &amdgpu.Target.Profiles[n]
		if !abi.ProcessorRuns(p.Machine, p.Name) {
			t.Errorf("no device is known to run code for %s (runtime/abi/processor.go)", p.Name)
		}
		own := abi.Processor(p.Name) == p.Machine
		if got := amdgpu.Target.Highest(p.Machine).Profile; own && got.Name != p.Name {
			t.Errorf("a device gfx%x gets code for %s, and there is that for %s", p.Machine, got.Name, p.Name)
		}
	}
}
