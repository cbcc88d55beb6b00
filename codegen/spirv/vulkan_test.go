package spirv

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/frontend"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
	"github.com/gpuc/gpuc/runtime/abi"
)

// TestCapabilityDemands looks for the capabilities that the emitter names, in its source: each has
// a row that says what it takes of Vulkan.
func TestCapabilityDemands(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile(`grammar\.(Capability\w+)`)
	rows, used := map[string]bool{}, map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range named.FindAllStringSubmatch(string(text), -1) {
			switch {
			case file == "vulkan.go":
				rows[m[1]] = true
			case !strings.HasSuffix(file, "_test.go"):
				used[m[1]] = true
			}
		}
	}
	for name := range used {
		if !rows[name] {
			t.Errorf("%s has no row in capabilityDemands", name)
		}
		delete(rows, name)
	}
	for name := range rows {
		t.Errorf("capabilityDemands has a row for %s, which no code declares", name)
	}
	if len(used) < 20 {
		t.Errorf("only %d capabilities are found", len(used))
	}
}

// TestVulkanDemands states what kernels take of Vulkan, by hand from its specification.
func TestVulkanDemands(t *testing.T) {
	const core = "VkPhysicalDeviceFeatures"
	v11 := &Target
	v14, err := v11.With("1.4")
	if err != nil {
		t.Fatal(err)
	}
	v15, err := v11.With("1.5")
	if err != nil {
		t.Fatal(err)
	}
	matrices, err := v11.With(cooperativeProfile)
	if err != nil {
		t.Fatal(err)
	}
	storage := func(set, binding uint32) abi.VulkanDescriptor {
		return abi.VulkanDescriptor{Set: set, Binding: binding, Type: "VK_DESCRIPTOR_TYPE_STORAGE_BUFFER"}
	}
	for _, test := range []struct {
		name, source string
		target       *codegen.Target
		want         abi.Vulkan
	}{
		{"nothing", `@group(1) @binding(2) var<storage, read_write> x: array<f32>;
			@compute @workgroup_size(1) fn main() { x[0] += 1; }`, v11,
			abi.Vulkan{Version: "1.1", Descriptors: []abi.VulkanDescriptor{storage(1, 2)}}},
		{"SPIR-V 1.4", `@group(1) @binding(2) var<storage, read_write> x: array<f32>;
			@compute @workgroup_size(1) fn main() { x[0] += 1; }`, v14,
			abi.Vulkan{Version: "1.1", Extensions: []abi.VulkanExtension{{Name: "VK_KHR_spirv_1_4", Core: "1.2"}}, Descriptors: []abi.VulkanDescriptor{storage(1, 2)}}},
		{"halves", `enable f16;
			@group(0) @binding(0) var<uniform> a: vec4<f16>;
			@group(0) @binding(1) var<storage, read_write> x: array<f16>;
			@compute @workgroup_size(1) fn main() { x[0] = a.x * a.y; }`, v11,
			abi.Vulkan{Version: "1.1", Extensions: []abi.VulkanExtension{{Name: "VK_KHR_shader_float16_int8", Core: "1.2"}},
				Features: []abi.VulkanFeature{
					{Structure: "VkPhysicalDevice16BitStorageFeatures", Member: "storageBuffer16BitAccess"},
					{Structure: "VkPhysicalDevice16BitStorageFeatures", Member: "uniformAndStorageBuffer16BitAccess"},
					{Structure: "VkPhysicalDeviceShaderFloat16Int8Features", Member: "shaderFloat16"}},
				Descriptors: []abi.VulkanDescriptor{{Type: "VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER"}, storage(0, 1)}}},
		{"halves for Vulkan 1.2", `enable f16; enable subgroups; enable subgroup_size_control;
			@group(0) @binding(1) var<storage, read_write> x: array<f16>;
			@compute @workgroup_size(32) @subgroup_size(32) fn main(@builtin(local_invocation_index) i: u32) { x[i] = subgroupAdd(x[i]); }`, v15,
			abi.Vulkan{Version: "1.2", Extensions: []abi.VulkanExtension{{Name: "VK_EXT_subgroup_size_control", Core: "1.3"}},
				Features: []abi.VulkanFeature{
					{Structure: "VkPhysicalDevice16BitStorageFeatures", Member: "storageBuffer16BitAccess"},
					{Structure: "VkPhysicalDeviceShaderFloat16Int8Features", Member: "shaderFloat16"},
					{Structure: "VkPhysicalDeviceShaderSubgroupExtendedTypesFeatures", Member: "shaderSubgroupExtendedTypes"},
					{Structure: "VkPhysicalDeviceSubgroupSizeControlFeatures", Member: "subgroupSizeControl"}},
				SubgroupOperations: []string{"VK_SUBGROUP_FEATURE_ARITHMETIC_BIT", "VK_SUBGROUP_FEATURE_BASIC_BIT"},
				Descriptors:        []abi.VulkanDescriptor{storage(0, 1)}}},
		{"matrices", `enable f16; enable chromium_experimental_subgroup_matrix;
			@group(0) @binding(1) var<storage, read_write> x: array<f16, 256>;
			@compute @workgroup_size(32) fn main() { subgroupMatrixStore(&x, 0, subgroup_matrix_left<f16, 16, 16>(2), false, 16); }`, matrices,
			abi.Vulkan{Version: "1.3", Extensions: []abi.VulkanExtension{{Name: "VK_KHR_cooperative_matrix"}},
				Features: []abi.VulkanFeature{
					{Structure: "VkPhysicalDevice16BitStorageFeatures", Member: "storageBuffer16BitAccess"},
					{Structure: "VkPhysicalDeviceCooperativeMatrixFeaturesKHR", Member: "cooperativeMatrix"},
					{Structure: "VkPhysicalDeviceShaderFloat16Int8Features", Member: "shaderFloat16"},
					{Structure: "VkPhysicalDeviceSubgroupSizeControlFeatures", Member: "subgroupSizeControl"},
					{Structure: "VkPhysicalDeviceVulkanMemoryModelFeatures", Member: "vulkanMemoryModel"}},
				Descriptors: []abi.VulkanDescriptor{storage(0, 1)}}},
		{"subgroups of words", `enable subgroups;
			@group(0) @binding(1) var<storage, read_write> x: array<vec2<f32>>;
			@compute @workgroup_size(32) fn main(@builtin(local_invocation_index) i: u32) { x[i] = subgroupShuffleXor(subgroupAdd(x[i]), 1u); }`, v11,
			abi.Vulkan{Version: "1.1", SubgroupOperations: []string{"VK_SUBGROUP_FEATURE_ARITHMETIC_BIT", "VK_SUBGROUP_FEATURE_BASIC_BIT", "VK_SUBGROUP_FEATURE_SHUFFLE_BIT"},
				Descriptors: []abi.VulkanDescriptor{storage(0, 1)}}},
		{"textures and immediates", `requires immediate_address_space;
			var<immediate> scale: vec3<f32>;
			@group(0) @binding(0) var photo: texture_cube_array<f32>;
			@group(0) @binding(1) var by: sampler;
			@group(2) @binding(0) var result: texture_storage_2d<bgra8unorm, write>;
			@group(2) @binding(1) var halves: texture_storage_2d<r16float, write>;
			@compute @workgroup_size(1) fn main() {
				textureStore(result, vec2i(0), textureSampleLevel(photo, by, scale, 0, 0));
				textureStore(halves, vec2i(0), vec4f(scale, 1));
			}`, v11,
			abi.Vulkan{Version: "1.1",
				Features: []abi.VulkanFeature{{Structure: core, Member: "imageCubeArray"}, {Structure: core, Member: "shaderStorageImageExtendedFormats"},
					{Structure: core, Member: "shaderStorageImageWriteWithoutFormat"}},
				PushConstants: &abi.VulkanRange{Size: 16},
				Descriptors: []abi.VulkanDescriptor{{Type: "VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE"}, {Binding: 1, Type: "VK_DESCRIPTOR_TYPE_SAMPLER"},
					{Set: 2, Type: "VK_DESCRIPTOR_TYPE_STORAGE_IMAGE"}, {Set: 2, Binding: 1, Type: "VK_DESCRIPTOR_TYPE_STORAGE_IMAGE"}}}},
	} {
		var set source.Set
		var list diag.List
		file, err := set.Add("k.wgsl", test.source)
		if err != nil {
			t.Fatal(err)
		}
		m, err := frontend.Load(&set, file, frontend.Options{}, &list)
		if err != nil || m == nil {
			t.Fatal(test.name, err, list.Items())
		}
		a := codegen.Compile(m, "main", test.target, &codegen.Options{}, &list)
		if a == nil {
			t.Fatal(test.name, list.Items())
		}
		got := test.target.DemandsOf(a).Vulkan
		slices.SortFunc(got.Features, func(a, b abi.VulkanFeature) int {
			return strings.Compare(a.Structure+a.Member, b.Structure+b.Member)
		})
		slices.Sort(got.SubgroupOperations)
		if !reflect.DeepEqual(got, &test.want) {
			t.Errorf("%s takes\n%+v, want\n%+v", test.name, got, &test.want)
		}
	}
}
