package vulkan

import (
	"testing"
	"unsafe"
)

// TestStructureSizes compares the Go structures with sizeof of the C ones, as a
// C compiler gives them for the Vulkan headers on 64-bit systems.
func TestStructureSizes(t *testing.T) {
	for _, c := range []struct {
		name string
		size uintptr
		want uintptr
	}{
		{"VkApplicationInfo", unsafe.Sizeof(applicationInfo{}), 48},
		{"VkInstanceCreateInfo", unsafe.Sizeof(instanceCreateInfo{}), 64},
		{"VkExtensionProperties", unsafe.Sizeof(extensionProperties{}), 260},
		{"VkDeviceQueueCreateInfo", unsafe.Sizeof(deviceQueueCreateInfo{}), 40},
		{"VkDeviceCreateInfo", unsafe.Sizeof(deviceCreateInfo{}), 72},
		{"VkPhysicalDeviceLimits", unsafe.Sizeof(limits{}), 504},
		{"VkPhysicalDeviceProperties", unsafe.Sizeof(physicalDeviceProperties{}), 824},
		{"VkPhysicalDeviceProperties2", unsafe.Sizeof(properties2{}), 840},
		{"VkPhysicalDeviceSubgroupProperties", unsafe.Sizeof(subgroupProperties{}), 32},
		{"VkPhysicalDeviceSubgroupSizeControlProperties", unsafe.Sizeof(subgroupSizeProperties{}), 32},
		{"VkPhysicalDeviceSubgroupSizeControlFeatures", unsafe.Sizeof(subgroupSizeFeatures{}), 24},
		{"VkPhysicalDeviceVulkanMemoryModelFeatures", unsafe.Sizeof(memoryModelFeatures{}), 32},
		{"VkPhysicalDeviceCooperativeMatrixFeaturesKHR", unsafe.Sizeof(cooperativeMatrixFeatures{}), 24},
		{"VkPhysicalDeviceShaderBfloat16FeaturesKHR", unsafe.Sizeof(bfloat16Features{}), 32},
		{"VkCooperativeMatrixPropertiesKHR", unsafe.Sizeof(cooperativeMatrix{}), 56},
		{"VkPipelineShaderStageRequiredSubgroupSizeCreateInfo", unsafe.Sizeof(requiredSubgroupSize{}), 24},
		{"VkPhysicalDeviceMaintenance3Properties", unsafe.Sizeof(maintenance3Properties{}), 32},
		{"VkPhysicalDeviceDriverProperties", unsafe.Sizeof(driverProperties{}), 536},
		{"VkPhysicalDeviceFloatControlsProperties", unsafe.Sizeof(floatControlsProperties{}), 88},
		{"VkSpecializationMapEntry", unsafe.Sizeof(specialisationEntry{}), 16},
		{"VkSpecializationInfo", unsafe.Sizeof(specialisationInfo{}), 32},
		{"VkPhysicalDeviceFeatures2", unsafe.Sizeof(features2{}), 240},
		{"VkPhysicalDeviceShaderFloat16Int8Features", unsafe.Sizeof(float16Int8Features{}), 24},
		{"VkPhysicalDeviceShaderAtomicInt64Features", unsafe.Sizeof(atomicInt64Features{}), 24},
		{"VkPhysicalDevice8BitStorageFeatures", unsafe.Sizeof(storage8Features{}), 32},
		{"VkPhysicalDevice16BitStorageFeatures", unsafe.Sizeof(storage16Features{}), 32},
		{"VkPhysicalDeviceTimelineSemaphoreFeatures", unsafe.Sizeof(oneFeature{}), 24},
		{"VkPhysicalDeviceMemoryProperties", unsafe.Sizeof(memoryProperties{}), 520},
		{"VkPhysicalDeviceMemoryProperties2", unsafe.Sizeof(memoryProperties2{}), 536},
		{"VkPhysicalDeviceMemoryBudgetPropertiesEXT", unsafe.Sizeof(memoryBudget{}), 272},
		{"VkQueueFamilyProperties", unsafe.Sizeof(queueFamilyProperties{}), 24},
		{"VkMemoryRequirements", unsafe.Sizeof(memoryRequirements{}), 24},
		{"VkMemoryAllocateInfo", unsafe.Sizeof(memoryAllocateInfo{}), 32},
		{"VkExternalMemoryBufferCreateInfo", unsafe.Sizeof(externalMemoryBuffer{}), 24},
		{"VkPhysicalDeviceExternalMemoryHostPropertiesEXT", unsafe.Sizeof(externalHostProperties{}), 24},
		{"VkMemoryHostPointerPropertiesEXT", unsafe.Sizeof(hostPointerProperties{}), 24},
		{"VkImportMemoryHostPointerInfoEXT", unsafe.Sizeof(importHostPointer{}), 32},
		{"VkBufferCreateInfo", unsafe.Sizeof(bufferCreateInfo{}), 56},
		{"VkFormatProperties", unsafe.Sizeof(formatProperties{}), 12},
		{"VkImageFormatProperties", unsafe.Sizeof(imageFormatProperties{}), 32},
		{"VkImageCreateInfo", unsafe.Sizeof(imageCreateInfo{}), 88},
		{"VkImageSubresourceRange", unsafe.Sizeof(subresourceRange{}), 20},
		{"VkImageViewCreateInfo", unsafe.Sizeof(imageViewCreateInfo{}), 80},
		{"VkSamplerCreateInfo", unsafe.Sizeof(samplerCreateInfo{}), 80},
		{"VkImageMemoryBarrier", unsafe.Sizeof(imageMemoryBarrier{}), 72},
		{"VkBufferImageCopy", unsafe.Sizeof(imageCopy{}), 56},
		{"VkDescriptorImageInfo", unsafe.Sizeof(descriptorImageInfo{}), 24},
		{"VkShaderModuleCreateInfo", unsafe.Sizeof(shaderModuleCreateInfo{}), 40},
		{"VkPipelineShaderStageCreateInfo", unsafe.Sizeof(pipelineShaderStageInfo{}), 48},
		{"VkComputePipelineCreateInfo", unsafe.Sizeof(computePipelineCreateInfo{}), 96},
		{"VkPipelineLayoutCreateInfo", unsafe.Sizeof(pipelineLayoutCreateInfo{}), 48},
		{"VkPushConstantRange", unsafe.Sizeof(pushConstantRange{}), 12},
		{"VkPipelineCacheCreateInfo", unsafe.Sizeof(pipelineCacheCreateInfo{}), 40},
		{"VkDescriptorSetLayoutBinding", unsafe.Sizeof(descriptorSetLayoutBinding{}), 24},
		{"VkDescriptorSetLayoutCreateInfo", unsafe.Sizeof(descriptorSetLayoutInfo{}), 32},
		{"VkDescriptorPoolSize", unsafe.Sizeof(descriptorPoolSize{}), 8},
		{"VkDescriptorPoolCreateInfo", unsafe.Sizeof(descriptorPoolCreateInfo{}), 40},
		{"VkDescriptorSetAllocateInfo", unsafe.Sizeof(descriptorSetAllocateInfo{}), 40},
		{"VkDescriptorBufferInfo", unsafe.Sizeof(descriptorBufferInfo{}), 24},
		{"VkWriteDescriptorSet", unsafe.Sizeof(writeDescriptorSet{}), 64},
		{"VkCommandPoolCreateInfo", unsafe.Sizeof(commandPoolCreateInfo{}), 24},
		{"VkCommandBufferAllocateInfo", unsafe.Sizeof(commandBufferAllocateInfo{}), 32},
		{"VkCommandBufferBeginInfo", unsafe.Sizeof(commandBufferBeginInfo{}), 32},
		{"VkMemoryBarrier", unsafe.Sizeof(memoryBarrier{}), 24},
		{"VkBufferCopy", unsafe.Sizeof(bufferCopy{}), 24},
		{"VkQueryPoolCreateInfo", unsafe.Sizeof(queryPoolCreateInfo{}), 32},
		{"VkSemaphoreCreateInfo", unsafe.Sizeof(semaphoreCreateInfo{}), 24},
		{"VkSemaphoreTypeCreateInfo", unsafe.Sizeof(semaphoreTypeCreateInfo{}), 32},
		{"VkTimelineSemaphoreSubmitInfo", unsafe.Sizeof(timelineSubmitInfo{}), 48},
		{"VkSemaphoreWaitInfo", unsafe.Sizeof(semaphoreWaitInfo{}), 40},
		{"VkSubmitInfo", unsafe.Sizeof(submitInfo{}), 72},
	} {
		if c.size != c.want {
			t.Errorf("%s: got %d bytes, want %d", c.name, c.size, c.want)
		}
	}
}

// TestLimitOffsets compares the fields between the padding of limits with
// offsetof in C.
func TestLimitOffsets(t *testing.T) {
	var l limits
	for _, c := range []struct {
		name   string
		offset uintptr
		want   uintptr
	}{
		{"maxUniformBufferRange", unsafe.Offsetof(l.maxUniformBufferRange), 24},
		{"maxStorageBufferRange", unsafe.Offsetof(l.maxStorageBufferRange), 28},
		{"maxPushConstantsSize", unsafe.Offsetof(l.maxPushConstants), 32},
		{"maxBoundDescriptorSets", unsafe.Offsetof(l.maxBoundDescriptorSets), 64},
		{"maxPerStageDescriptorUniformBuffers", unsafe.Offsetof(l.maxStageUniformBuffers), 72},
		{"maxPerStageDescriptorStorageBuffers", unsafe.Offsetof(l.maxStageStorageBuffers), 76},
		{"maxPerStageDescriptorSamplers", unsafe.Offsetof(l.maxStageSamplers), 68},
		{"maxPerStageDescriptorSampledImages", unsafe.Offsetof(l.maxStageSampledImages), 80},
		{"maxPerStageDescriptorStorageImages", unsafe.Offsetof(l.maxStageStorageImages), 84},
		{"maxPerStageResources", unsafe.Offsetof(l.maxStageResources), 92},
		{"maxComputeSharedMemorySize", unsafe.Offsetof(l.maxSharedMemory), 216},
		{"maxComputeWorkGroupCount", unsafe.Offsetof(l.maxWorkgroupCount), 220},
		{"maxComputeWorkGroupInvocations", unsafe.Offsetof(l.maxWorkgroupInvocations), 232},
		{"maxComputeWorkGroupSize", unsafe.Offsetof(l.maxWorkgroupSize), 236},
		{"minUniformBufferOffsetAlignment", unsafe.Offsetof(l.minUniformOffsetAlignment), 320},
		{"minStorageBufferOffsetAlignment", unsafe.Offsetof(l.minStorageOffsetAlignment), 328},
		{"timestampComputeAndGraphics", unsafe.Offsetof(l.timestampComputeGraphics), 420},
		{"timestampPeriod", unsafe.Offsetof(l.timestampPeriod), 424},
	} {
		if c.offset != c.want {
			t.Errorf("%s: got offset %d, want %d", c.name, c.offset, c.want)
		}
	}
}
