package spirv

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/frontend"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

// environments are what spirv-val calls the Vulkan that a profile is for.
var environments = map[string]string{"1.3": "vulkan1.1", "1.4": "vulkan1.1spv1.4", "1.5": "vulkan1.2", "1.6": "vulkan1.3", cooperativeProfile: "vulkan1.3", brainProfile: "vulkan1.3"}

// TestProfiles validates the test programs in every profile, and finds the profile in the
// module's header.
func TestProfiles(t *testing.T) {
	paths, err := filepath.Glob("../../testdata/exec/*.wgsl")
	if err != nil || len(paths) == 0 {
		t.Fatal("no test programs", err)
	}
	validated := 0
	for _, path := range paths {
		if !testmode.Picked(path) {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var set source.Set
		var list diag.List
		file, err := set.Add(filepath.Base(path), string(text))
		if err != nil {
			t.Fatal(err)
		}
		m, err := frontend.Load(&set, file, frontend.Options{}, &list)
		if err != nil || m == nil {
			t.Fatal(path, err, list.Items())
		}
		kernel := m.Kernels()[0].Name
		for n := range Target.Profiles {
			profile := &Target.Profiles[n]
			target, err := Target.With(profile.Name)
			if err != nil {
				t.Fatal(err)
			}
			list := new(diag.List)
			a := codegen.Compile(m, kernel, target, &codegen.Options{}, list)
			if a == nil {
				break // overrides without values
			}
			if got := binary.LittleEndian.Uint32(a.Code[4:]); got != profile.Version || a.Kernel.Profile != profile.Name {
				t.Fatalf("%s in profile %s: version %#x, described as %q", path, profile.Name, got, a.Kernel.Profile)
			}
			validateFor(t, environments[profile.Name], a.Code)
			validated++
		}
	}
	if validated < 3*len(paths) && !testing.Short() {
		t.Errorf("%d modules were validated", validated)
	}
}
