package spirv

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/frontend"
	"github.com/gpuc/gpuc/frontend/wgsl/lower"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
)

// strictModule reads a program for strict arithmetic.
func strictModule(t *testing.T, name, text string) *ir.Module {
	t.Helper()
	var set source.Set
	var list diag.List
	file, err := set.Add(name, text)
	if err != nil {
		t.Fatal(err)
	}
	m, err := frontend.Load(&set, file, frontend.Options{Lower: lower.Options{Math: opt.MathStrict}}, &list)
	if err != nil || m == nil {
		t.Fatal(name, err, list.Items())
	}
	return m
}

// TestStrictModules validates the test programs with strict arithmetic, before and since SPIR-V has
// the modes for floats itself.
func TestStrictModules(t *testing.T) {
	paths, err := filepath.Glob("../../testdata/exec/*.wgsl")
	if err != nil || len(paths) == 0 {
		t.Fatal("no test programs", err)
	}
	validated := 0
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		m := strictModule(t, filepath.Base(path), string(text))
		for _, profile := range []string{"1.3", "1.6"} {
			target, err := Target.With(profile)
			if err != nil {
				t.Fatal(err)
			}
			a := codegen.Compile(m, m.Kernels()[0].Name, target, &codegen.Options{Math: opt.MathStrict, Context: &opt.Context{Verify: profile == "1.3"}}, new(diag.List))
			if a == nil {
				break // overrides without values
			}
			validateFor(t, environments[profile], a.Code)
			validated++
		}
	}
	if validated < len(paths) {
		t.Errorf("%d modules were validated", validated)
	}
}

// TestStrictDemands states what a module asks of the widths of floats that it has.
func TestStrictDemands(t *testing.T) {
	m := strictModule(t, "k.wgsl", `@group(0) @binding(0) var<storage, read_write> x: array<f32>;
		@compute @workgroup_size(1) fn main() { x[0] = fma(x[1], x[2], x[3]) / x[4]; }`)
	a := codegen.Compile(m, "main", &Target, &codegen.Options{Math: opt.MathStrict}, new(diag.List))
	if a == nil {
		t.Fatal("does not compile")
	}
	const structure = "VkPhysicalDeviceFloatControlsProperties"
	want := &abi.Vulkan{Version: "1.1", Extensions: []abi.VulkanExtension{{Name: "VK_KHR_shader_float_controls", Core: "1.2"}},
		Properties: []abi.VulkanFeature{{Structure: structure, Member: "shaderDenormPreserveFloat32"},
			{Structure: structure, Member: "shaderSignedZeroInfNanPreserveFloat32"}, {Structure: structure, Member: "shaderRoundingModeRTEFloat32"}},
		Descriptors: []abi.VulkanDescriptor{{Type: "VK_DESCRIPTOR_TYPE_STORAGE_BUFFER"}}}
	if got := Target.DemandsOf(a).Vulkan; !reflect.DeepEqual(got, want) {
		t.Errorf("it takes\n%+v, want\n%+v", got, want)
	}
}
