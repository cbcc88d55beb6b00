package spirv

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/gpuc/gpuc/codegen/spirv/grammar"
	"github.com/gpuc/gpuc/runtime/abi"
)

// This file says what a module takes of Vulkan, in Vulkan's words, for hosts that gpuc did not
// write. It is read off the module's words, which drivers judge it by: its version, its
// capabilities (Vulkan, appendix "Vulkan Environment for SPIR-V", "Capabilities") and the types of
// its subgroup operations.

// Extensions that bring what a later version of Vulkan has.
var (
	float16Int8   = abi.VulkanExtension{Name: "VK_KHR_shader_float16_int8", Core: "1.2"}
	storage8      = abi.VulkanExtension{Name: "VK_KHR_8bit_storage", Core: "1.2"}
	atomicInt64   = abi.VulkanExtension{Name: "VK_KHR_shader_atomic_int64", Core: "1.2"}
	subgroupTypes = abi.VulkanExtension{Name: "VK_KHR_shader_subgroup_extended_types", Core: "1.2"}
	spirv14       = abi.VulkanExtension{Name: "VK_KHR_spirv_1_4", Core: "1.2"}
	floatControl  = abi.VulkanExtension{Name: "VK_KHR_shader_float_controls", Core: "1.2"}
	matrices      = abi.VulkanExtension{Name: "VK_KHR_cooperative_matrix"}
	bfloat16      = abi.VulkanExtension{Name: "VK_KHR_shader_bfloat16"}
	subgroupSizes = abi.VulkanExtension{Name: "VK_EXT_subgroup_size_control", Core: "1.3"}
)

// Structures of which several capabilities take members.
const (
	coreFeatures      = "VkPhysicalDeviceFeatures"
	storage16Features = "VkPhysicalDevice16BitStorageFeatures"
	smallFeatures     = "VkPhysicalDeviceShaderFloat16Int8Features"
	bfloat16Features  = "VkPhysicalDeviceShaderBfloat16FeaturesKHR"
)

// demand is what something in a module takes: members of a structure of features with their
// extension, or a subgroup operation.
type demand struct {
	structure string
	members   []string
	extension *abi.VulkanExtension // nil if Vulkan 1.1 has it
	subgroup  string
}

// What is taken by other things than capabilities: @subgroup_size, and subgroup operations on
// numbers of other sizes.
var (
	chosenSize    = demand{structure: "VkPhysicalDeviceSubgroupSizeControlFeatures", members: []string{"subgroupSizeControl"}, extension: &subgroupSizes}
	extendedTypes = demand{structure: "VkPhysicalDeviceShaderSubgroupExtendedTypesFeatures", members: []string{"shaderSubgroupExtendedTypes"}, extension: &subgroupTypes}
)

// capabilityDemands has a row for each capability that the emitter declares
// (TestCapabilityDemands). An empty one is what all devices have.
var capabilityDemands = [...]struct {
	capability uint32
	demand
}{
	{grammar.CapabilityShader, demand{}},
	{grammar.CapabilitySampled1D, demand{}},
	{grammar.CapabilityImage1D, demand{}},
	{grammar.CapabilityImageQuery, demand{}},
	{grammar.CapabilityInt16, demand{structure: coreFeatures, members: []string{"shaderInt16"}}},
	{grammar.CapabilityInt64, demand{structure: coreFeatures, members: []string{"shaderInt64"}}},
	{grammar.CapabilityFloat64, demand{structure: coreFeatures, members: []string{"shaderFloat64"}}},
	{grammar.CapabilitySampledCubeArray, demand{structure: coreFeatures, members: []string{"imageCubeArray"}}},
	{grammar.CapabilityStorageImageExtendedFormats, demand{structure: coreFeatures, members: []string{"shaderStorageImageExtendedFormats"}}},
	{grammar.CapabilityStorageImageReadWithoutFormat, demand{structure: coreFeatures, members: []string{"shaderStorageImageReadWithoutFormat"}}},
	{grammar.CapabilityStorageImageWriteWithoutFormat, demand{structure: coreFeatures, members: []string{"shaderStorageImageWriteWithoutFormat"}}},
	{grammar.CapabilityStorageBuffer16BitAccess, demand{structure: storage16Features, members: []string{"storageBuffer16BitAccess"}}},
	{grammar.CapabilityUniformAndStorageBuffer16BitAccess, demand{structure: storage16Features, members: []string{"uniformAndStorageBuffer16BitAccess"}}},
	{grammar.CapabilityStorageBuffer8BitAccess, demand{structure: "VkPhysicalDevice8BitStorageFeatures", members: []string{"storageBuffer8BitAccess"}, extension: &storage8}},
	{grammar.CapabilityFloat16, demand{structure: smallFeatures, members: []string{"shaderFloat16"}, extension: &float16Int8}},
	{grammar.CapabilityInt8, demand{structure: smallFeatures, members: []string{"shaderInt8"}, extension: &float16Int8}},
	{grammar.CapabilityInt64Atomics, demand{structure: "VkPhysicalDeviceShaderAtomicInt64Features",
		members: []string{"shaderBufferInt64Atomics", "shaderSharedInt64Atomics"}, extension: &atomicInt64}},
	{grammar.CapabilityVulkanMemoryModel, demand{structure: "VkPhysicalDeviceVulkanMemoryModelFeatures", members: []string{"vulkanMemoryModel"}}},
	{grammar.CapabilityCooperativeMatrixKHR, demand{structure: "VkPhysicalDeviceCooperativeMatrixFeaturesKHR", members: []string{"cooperativeMatrix"}, extension: &matrices}},
	{grammar.CapabilityBFloat16TypeKHR, demand{structure: bfloat16Features, members: []string{"shaderBFloat16Type"}, extension: &bfloat16}},
	{grammar.CapabilityBFloat16CooperativeMatrixKHR, demand{structure: bfloat16Features, members: []string{"shaderBFloat16CooperativeMatrix"}, extension: &bfloat16}},
	// the widths are in execution modes
	{grammar.CapabilityDenormPreserve, demand{extension: &floatControl}},
	{grammar.CapabilitySignedZeroInfNanPreserve, demand{extension: &floatControl}},
	{grammar.CapabilityRoundingModeRTE, demand{extension: &floatControl}},
	{grammar.CapabilityGroupNonUniform, demand{subgroup: "VK_SUBGROUP_FEATURE_BASIC_BIT"}},
	{grammar.CapabilityGroupNonUniformVote, demand{subgroup: "VK_SUBGROUP_FEATURE_VOTE_BIT"}},
	{grammar.CapabilityGroupNonUniformArithmetic, demand{subgroup: "VK_SUBGROUP_FEATURE_ARITHMETIC_BIT"}},
	{grammar.CapabilityGroupNonUniformBallot, demand{subgroup: "VK_SUBGROUP_FEATURE_BALLOT_BIT"}},
	{grammar.CapabilityGroupNonUniformShuffle, demand{subgroup: "VK_SUBGROUP_FEATURE_SHUFFLE_BIT"}},
	{grammar.CapabilityGroupNonUniformShuffleRelative, demand{subgroup: "VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT"}},
	{grammar.CapabilityGroupNonUniformQuad, demand{subgroup: "VK_SUBGROUP_FEATURE_QUAD_BIT"}},
}

// controlNames are the execution modes of strict arithmetic, as Vulkan names what devices have of
// them.
var controlNames = map[uint32]string{
	grammar.ExecutionModeDenormPreserve:           "DenormPreserve",
	grammar.ExecutionModeSignedZeroInfNanPreserve: "SignedZeroInfNanPreserve",
	grammar.ExecutionModeRoundingModeRTE:          "RoundingModeRTE",
}

// demandOf returns what a capability takes.
func demandOf(capability uint32) *demand {
	for n := range capabilityDemands {
		if row := &capabilityDemands[n]; row.capability == capability {
			return &row.demand
		}
	}
	panic(fmt.Sprintf("spirv: the table of capabilities has no row for %d", capability))
}

// demands adds to the demands of a kernel those on Vulkan.
func demands(a *abi.Artefact, d *abi.Demands) {
	v := &abi.Vulkan{Version: "1.1", Descriptors: descriptors(&a.Kernel)}
	if size := a.Kernel.PushConstantBytes(); size > 0 {
		v.PushConstants = &abi.VulkanRange{Size: size}
	}
	w := vulkanWriter{v: v}
	switch version := binary.LittleEndian.Uint32(a.Code[4:]); {
	case version >= 0x10600:
		v.Version = "1.3"
	case version >= 0x10500:
		v.Version = "1.2"
	case version >= interfacesHaveAll:
		w.extension(&spirv14)
	}
	if a.Kernel.SubgroupSize != 0 {
		w.add(&chosenSize)
	}
	w.module(a.Code)
	d.Vulkan = v
}

// vulkanWriter collects what a module takes.
type vulkanWriter struct {
	v *abi.Vulkan
	// small are the ids of types whose values are in subgroup operations only with a feature: of
	// other numbers than 32 and, of floats, 64 bits.
	small []uint32
}

// module reads capabilities, types and subgroup operations off a module.
func (w *vulkanWriter) module(code []byte) {
	word := func(n int) uint32 { return binary.LittleEndian.Uint32(code[4*n:]) }
	for at := headerWords; at < len(code)/4; at += int(word(at) >> 16) {
		switch opcode := word(at) & 0xffff; {
		case opcode == grammar.OpCapability:
			w.add(demandOf(word(at + 1)))
		case opcode == grammar.OpExecutionMode && controlNames[word(at+2)] != "":
			w.v.Properties = append(w.v.Properties, abi.VulkanFeature{Structure: "VkPhysicalDeviceFloatControlsProperties",
				Member: fmt.Sprintf("shader%sFloat%d", controlNames[word(at+2)], word(at+3))})
		case opcode == grammar.OpTypeInt && word(at+2) != 32, opcode == grammar.OpTypeFloat && word(at+2) == 16,
			opcode == grammar.OpTypeVector && slices.Contains(w.small, word(at+2)):
			w.small = append(w.small, word(at+1))
		case grammar.OpGroupNonUniformElect <= opcode && opcode <= grammar.OpGroupNonUniformQuadSwap && slices.Contains(w.small, word(at+1)):
			w.add(&extendedTypes)
		}
	}
}

// add notes a demand, unless it is noted.
func (w *vulkanWriter) add(x *demand) {
	for _, member := range x.members {
		if f := (abi.VulkanFeature{Structure: x.structure, Member: member}); !slices.Contains(w.v.Features, f) {
			w.v.Features = append(w.v.Features, f)
		}
	}
	if x.subgroup != "" && !slices.Contains(w.v.SubgroupOperations, x.subgroup) {
		w.v.SubgroupOperations = append(w.v.SubgroupOperations, x.subgroup)
	}
	if x.extension != nil {
		w.extension(x.extension)
	}
}

// extension notes one, unless it is noted or the version that the module takes has what it brings.
func (w *vulkanWriter) extension(x *abi.VulkanExtension) {
	if (x.Core == "" || x.Core > w.v.Version) && !slices.Contains(w.v.Extensions, *x) {
		w.v.Extensions = append(w.v.Extensions, *x)
	}
}

// descriptors lists the descriptors of a kernel's bindings and handles.
func descriptors(k *abi.Kernel) []abi.VulkanDescriptor {
	list := make([]abi.VulkanDescriptor, 0, len(k.Bindings)+len(k.Handles))
	for _, b := range k.Bindings {
		kind := "STORAGE_BUFFER"
		if b.Access == abi.Uniform {
			kind = "UNIFORM_BUFFER"
		}
		list = append(list, abi.VulkanDescriptor{Set: b.Group, Binding: b.Binding, Type: "VK_DESCRIPTOR_TYPE_" + kind})
	}
	for _, h := range k.Handles {
		kind := "SAMPLED_IMAGE"
		switch {
		case h.Texture == nil:
			kind = "SAMPLER"
		case h.Texture.Shape.IsStorage():
			kind = "STORAGE_IMAGE"
		}
		list = append(list, abi.VulkanDescriptor{Set: h.Group, Binding: h.Binding, Type: "VK_DESCRIPTOR_TYPE_" + kind})
	}
	return list
}
