// The Vulkan functions that the driver calls, and the result codes with their meanings. They are
// filled once per loader, instance and device; device functions from vkGetDeviceProcAddr skip the
// loader's dispatch.

package vulkan

import (
	"fmt"
	"unsafe"

	"github.com/gpuc/gpuc/runtime/dl"
	"github.com/gpuc/gpuc/runtime/driver"
)

type loaderFunctions struct {
	CreateInstance     uintptr `c:"vkCreateInstance"`
	InstanceExtensions uintptr `c:"vkEnumerateInstanceExtensionProperties"`
	InstanceVersion    uintptr `c:"vkEnumerateInstanceVersion?"`
}

type instanceFunctions struct {
	PhysicalDevices   uintptr `c:"vkEnumeratePhysicalDevices"`
	Properties2       uintptr `c:"vkGetPhysicalDeviceProperties2"`
	Features2         uintptr `c:"vkGetPhysicalDeviceFeatures2"`
	MemoryProperties  uintptr `c:"vkGetPhysicalDeviceMemoryProperties"`
	MemoryProperties2 uintptr `c:"vkGetPhysicalDeviceMemoryProperties2"`
	QueueFamilies     uintptr `c:"vkGetPhysicalDeviceQueueFamilyProperties"`
	DeviceExtensions  uintptr `c:"vkEnumerateDeviceExtensionProperties"`
	FormatProperties  uintptr `c:"vkGetPhysicalDeviceFormatProperties"`
	ImageFormat       uintptr `c:"vkGetPhysicalDeviceImageFormatProperties"`
	CreateDevice      uintptr `c:"vkCreateDevice"`
	Matrices          uintptr `c:"vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR?"`
	DeviceProcAddr    uintptr `c:"vkGetDeviceProcAddr"`
}

type deviceFunctions struct {
	DestroyDevice              uintptr `c:"vkDestroyDevice"`
	GetDeviceQueue             uintptr `c:"vkGetDeviceQueue"`
	DeviceWaitIdle             uintptr `c:"vkDeviceWaitIdle"`
	QueueSubmit                uintptr `c:"vkQueueSubmit"`
	AllocateMemory             uintptr `c:"vkAllocateMemory"`
	FreeMemory                 uintptr `c:"vkFreeMemory"`
	MapMemory                  uintptr `c:"vkMapMemory"`
	CreateBuffer               uintptr `c:"vkCreateBuffer"`
	DestroyBuffer              uintptr `c:"vkDestroyBuffer"`
	GetBufferRequirements      uintptr `c:"vkGetBufferMemoryRequirements"`
	BindBufferMemory           uintptr `c:"vkBindBufferMemory"`
	CreateImage                uintptr `c:"vkCreateImage"`
	DestroyImage               uintptr `c:"vkDestroyImage"`
	GetImageRequirements       uintptr `c:"vkGetImageMemoryRequirements"`
	BindImageMemory            uintptr `c:"vkBindImageMemory"`
	CreateImageView            uintptr `c:"vkCreateImageView"`
	DestroyImageView           uintptr `c:"vkDestroyImageView"`
	CreateSampler              uintptr `c:"vkCreateSampler"`
	DestroySampler             uintptr `c:"vkDestroySampler"`
	CreateShaderModule         uintptr `c:"vkCreateShaderModule"`
	DestroyShaderModule        uintptr `c:"vkDestroyShaderModule"`
	CreatePipelineCache        uintptr `c:"vkCreatePipelineCache"`
	PipelineCacheData          uintptr `c:"vkGetPipelineCacheData"`
	DestroyPipelineCache       uintptr `c:"vkDestroyPipelineCache"`
	CreateComputePipelines     uintptr `c:"vkCreateComputePipelines"`
	DestroyPipeline            uintptr `c:"vkDestroyPipeline"`
	CreatePipelineLayout       uintptr `c:"vkCreatePipelineLayout"`
	DestroyPipelineLayout      uintptr `c:"vkDestroyPipelineLayout"`
	CreateDescriptorSetLayout  uintptr `c:"vkCreateDescriptorSetLayout"`
	DestroyDescriptorSetLayout uintptr `c:"vkDestroyDescriptorSetLayout"`
	CreateDescriptorPool       uintptr `c:"vkCreateDescriptorPool"`
	DestroyDescriptorPool      uintptr `c:"vkDestroyDescriptorPool"`
	ResetDescriptorPool        uintptr `c:"vkResetDescriptorPool"`
	AllocateDescriptorSets     uintptr `c:"vkAllocateDescriptorSets"`
	UpdateDescriptorSets       uintptr `c:"vkUpdateDescriptorSets"`
	CreateCommandPool          uintptr `c:"vkCreateCommandPool"`
	DestroyCommandPool         uintptr `c:"vkDestroyCommandPool"`
	ResetCommandPool           uintptr `c:"vkResetCommandPool"`
	AllocateCommandBuffers     uintptr `c:"vkAllocateCommandBuffers"`
	BeginCommandBuffer         uintptr `c:"vkBeginCommandBuffer"`
	EndCommandBuffer           uintptr `c:"vkEndCommandBuffer"`
	CmdBindPipeline            uintptr `c:"vkCmdBindPipeline"`
	CmdBindDescriptorSets      uintptr `c:"vkCmdBindDescriptorSets"`
	CmdPushConstants           uintptr `c:"vkCmdPushConstants"`
	CmdDispatch                uintptr `c:"vkCmdDispatch"`
	CmdPipelineBarrier         uintptr `c:"vkCmdPipelineBarrier"`
	CmdCopyBuffer              uintptr `c:"vkCmdCopyBuffer"`
	CmdFillBuffer              uintptr `c:"vkCmdFillBuffer"`
	CmdCopyBufferToImage       uintptr `c:"vkCmdCopyBufferToImage"`
	CmdCopyImageToBuffer       uintptr `c:"vkCmdCopyImageToBuffer"`
	CmdClearColourImage        uintptr `c:"vkCmdClearColorImage"`
	CmdClearDepthImage         uintptr `c:"vkCmdClearDepthStencilImage"`
	CmdResetQueryPool          uintptr `c:"vkCmdResetQueryPool"`
	CmdWriteTimestamp          uintptr `c:"vkCmdWriteTimestamp"`
	CreateQueryPool            uintptr `c:"vkCreateQueryPool"`
	DestroyQueryPool           uintptr `c:"vkDestroyQueryPool"`
	GetQueryPoolResults        uintptr `c:"vkGetQueryPoolResults"`
	ResetQueryPool             uintptr `c:"vkResetQueryPool?"`
	CreateSemaphore            uintptr `c:"vkCreateSemaphore"`
	DestroySemaphore           uintptr `c:"vkDestroySemaphore"`
	SemaphoreCounter           uintptr `c:"vkGetSemaphoreCounterValue|vkGetSemaphoreCounterValueKHR"`
	HostPointerProperties      uintptr `c:"vkGetMemoryHostPointerPropertiesEXT?"`
	WaitSemaphores             uintptr `c:"vkWaitSemaphores|vkWaitSemaphoresKHR"`
}

// resolver returns a lookup through vkGetInstanceProcAddr or
// vkGetDeviceProcAddr for the given dispatchable handle.
func resolver(lookup, object uintptr) func(string) uintptr {
	return func(name string) uintptr {
		return dl.Call(lookup, object, uintptr(unsafe.Pointer(dl.CString(name))))
	}
}

// result is a VkResult.
type result int32

const (
	success    result = 0
	timeout    result = 2
	incomplete result = 5
	deviceLost result = -4
	// incompatibleDriver is what a loader answers that finds no driver.
	incompatibleDriver result = -9
)

// results names the codes that functions used here return (Vulkan
// specification, "Return Codes") and, for some, the error that callers tell
// apart.
var results = [...]struct {
	code result
	name string
	err  *error
}{
	{-1, "VK_ERROR_OUT_OF_HOST_MEMORY", &driver.ErrOutOfMemory},
	{-2, "VK_ERROR_OUT_OF_DEVICE_MEMORY", &driver.ErrOutOfMemory},
	{-3, "VK_ERROR_INITIALIZATION_FAILED", nil},
	{-4, "VK_ERROR_DEVICE_LOST", &driver.ErrDeviceLost},
	{-5, "VK_ERROR_MEMORY_MAP_FAILED", &driver.ErrOutOfMemory},
	{-7, "VK_ERROR_EXTENSION_NOT_PRESENT", &driver.ErrUnsupported},
	{-8, "VK_ERROR_FEATURE_NOT_PRESENT", &driver.ErrUnsupported},
	{-9, "VK_ERROR_INCOMPATIBLE_DRIVER", &driver.ErrUnsupported},
	{-10, "VK_ERROR_TOO_MANY_OBJECTS", &driver.ErrOutOfMemory},
	{-11, "VK_ERROR_FORMAT_NOT_SUPPORTED", &driver.ErrUnsupported},
	{-12, "VK_ERROR_FRAGMENTED_POOL", &driver.ErrOutOfMemory},
	{-13, "VK_ERROR_UNKNOWN", nil},
	{-1000012000, "VK_ERROR_INVALID_SHADER_NV", nil},
	{-1000069000, "VK_ERROR_OUT_OF_POOL_MEMORY", &driver.ErrOutOfMemory},
	{-1000161000, "VK_ERROR_FRAGMENTATION", &driver.ErrOutOfMemory},
}

// check turns the register that a C call returned into an error; positive codes
// are kinds of success.
func check(what string, register uintptr) error {
	code := result(int32(uint32(register)))
	if code >= success {
		return nil
	}
	name := fmt.Sprintf("VkResult %d", code)
	for _, r := range results {
		if r.code != code {
			continue
		}
		if name = r.name; r.err != nil {
			return fmt.Errorf("vulkan: %s: %w (%s)", what, *r.err, name)
		}
	}
	return fmt.Errorf("vulkan: %s: %s", what, name)
}
