// Vulkan from C: a sampled texture, a texture that is written, and push constants.
//
//   $ cc -std=c11 -o soften_vulkan soften_vulkan.c -lvulkan
//   $ ./soften_vulkan
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>
#include "soften.h"

enum { WIDTH = 8, HEIGHT = 4, BYTES = 4 * WIDTH * HEIGHT, HANDLES = 3 };

static const VkFormat format = VK_FORMAT_R8G8B8A8_UNORM; // of both textures, which every device samples and stores

static void check(VkResult result, const char *what) {
	if (result != VK_SUCCESS) {
		fprintf(stderr, "%s: VkResult %d\n", what, result);
		exit(1);
	}
}

static VkDeviceMemory make_memory(VkPhysicalDevice physical, VkDevice device, const VkMemoryRequirements *needs, VkMemoryPropertyFlags wanted) {
	VkPhysicalDeviceMemoryProperties memory;
	vkGetPhysicalDeviceMemoryProperties(physical, &memory);
	uint32_t type = 0;
	while (!(needs->memoryTypeBits >> type & 1) || (memory.memoryTypes[type].propertyFlags & wanted) != wanted) {
		type++; // there always is one
	}
	VkMemoryAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = needs->size, .memoryTypeIndex = type};
	VkDeviceMemory block;
	check(vkAllocateMemory(device, &allocate, NULL, &block), "allocate memory");
	return block;
}

// A texture of one level with a view of it.
typedef struct {
	VkImage image;
	VkDeviceMemory memory;
	VkImageView view;
} Texture;

static Texture make_texture(VkPhysicalDevice physical, VkDevice device, VkImageUsageFlags usage) {
	Texture t;
	VkImageCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO, .imageType = VK_IMAGE_TYPE_2D, .format = format, .extent = {WIDTH, HEIGHT, 1},
		.mipLevels = 1, .arrayLayers = 1, .samples = VK_SAMPLE_COUNT_1_BIT, .usage = usage,
	};
	check(vkCreateImage(device, &info, NULL, &t.image), "create an image");
	VkMemoryRequirements needs;
	vkGetImageMemoryRequirements(device, t.image, &needs);
	t.memory = make_memory(physical, device, &needs, 0);
	check(vkBindImageMemory(device, t.image, t.memory, 0), "bind memory");
	VkImageViewCreateInfo view = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO, .image = t.image, .viewType = VK_IMAGE_VIEW_TYPE_2D, .format = format,
		.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1},
	};
	check(vkCreateImageView(device, &view, NULL, &t.view), "create a view");
	return t;
}

// Brings an image into a layout, between what was done with it and what is going to be.
static void change(VkCommandBuffer command, VkImage image, VkImageLayout before, VkImageLayout behind,
		VkAccessFlags done, VkPipelineStageFlags by, VkAccessFlags next, VkPipelineStageFlags in) {
	VkImageMemoryBarrier barrier = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER, .srcAccessMask = done, .dstAccessMask = next, .oldLayout = before, .newLayout = behind,
		.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED, .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED, .image = image,
		.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1},
	};
	vkCmdPipelineBarrier(command, by, in, 0, 0, NULL, 0, NULL, 1, &barrier);
}

static uint32_t *read_code(void) {
	static uint32_t words[soften_main_SPIRV_FILE_BYTES / 4];
	FILE *f = fopen(soften_main_SPIRV_FILE, "rb");
	if (!f || fread(words, 1, sizeof words, f) != sizeof words) {
		fprintf(stderr, "cannot read %s\n", soften_main_SPIRV_FILE);
		exit(1);
	}
	fclose(f);
	return words;
}

int main(void) {
	// a device with a queue for compute work, and with the feature
	VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_1};
	VkInstanceCreateInfo instance_info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application};
	VkInstance instance;
	check(vkCreateInstance(&instance_info, NULL, &instance), "create an instance");
	uint32_t count = 1;
	VkPhysicalDevice physical;
	VkResult found = vkEnumeratePhysicalDevices(instance, &count, &physical);
	if (count == 0) {
		fprintf(stderr, "there is no device for Vulkan\n");
		return 1;
	}
	check(found == VK_INCOMPLETE ? VK_SUCCESS : found, "list devices");
	VkPhysicalDeviceShaderFloat16Int8Features halves = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES};
	VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &halves};
	vkGetPhysicalDeviceFeatures2(physical, &features);
	if (!halves.shaderFloat16) {
		fprintf(stderr, "the device does not compute with floats of 16 bits\n");
		return 1;
	}
	VkQueueFamilyProperties families[16];
	count = 16;
	vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, families);
	uint32_t family = 0;
	while (family + 1 < count && !(families[family].queueFlags & VK_QUEUE_COMPUTE_BIT)) {
		family++;
	}
	float priority = 1;
	VkDeviceQueueCreateInfo queue_info = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueFamilyIndex = family, .queueCount = 1, .pQueuePriorities = &priority};
	VkPhysicalDeviceShaderFloat16Int8Features enabled = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES, .shaderFloat16 = VK_TRUE};
	const char *extensions[] = {"VK_KHR_shader_float16_int8"};
	VkDeviceCreateInfo device_info = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .pNext = &enabled, .queueCreateInfoCount = 1, .pQueueCreateInfos = &queue_info,
		.enabledExtensionCount = 1, .ppEnabledExtensionNames = extensions,
	};
	VkDevice device;
	check(vkCreateDevice(physical, &device_info, NULL, &device), "create a device");
	VkQueue queue;
	vkGetDeviceQueue(device, family, 0, &queue);

	// textures, a sampler, and a buffer through which texels come and go
	Texture picture = make_texture(physical, device, VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_SAMPLED_BIT);
	Texture result = make_texture(physical, device, VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT);
	VkSamplerCreateInfo sampler_info = {
		.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO, .magFilter = VK_FILTER_LINEAR, .minFilter = VK_FILTER_LINEAR,
		.addressModeU = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE, .addressModeV = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE, .addressModeW = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
	};
	VkSampler sampler;
	check(vkCreateSampler(device, &sampler_info, NULL, &sampler), "create a sampler");
	VkBufferCreateInfo staging_info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = BYTES, .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT};
	VkBuffer staging;
	check(vkCreateBuffer(device, &staging_info, NULL, &staging), "create a buffer");
	VkMemoryRequirements needs;
	vkGetBufferMemoryRequirements(device, staging, &needs);
	VkDeviceMemory staging_memory = make_memory(physical, device, &needs, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
	check(vkBindBufferMemory(device, staging, staging_memory, 0), "bind memory");
	uint8_t *texels;
	check(vkMapMemory(device, staging_memory, 0, VK_WHOLE_SIZE, 0, (void **)&texels), "map memory");
	for (int i = 0; i < BYTES; i++) {
		texels[i] = 4 * (i / 4); // of texel i/4, all four components
	}

	// the layout of the descriptor set, with push constants that of the pipeline, the pipeline, and the set
	VkDescriptorSetLayoutBinding slots[HANDLES] = {
		[soften_main_picture_ORDER] = {.binding = soften_main_picture_BINDING, .descriptorType = VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE},
		[soften_main_linear_ORDER] = {.binding = soften_main_linear_BINDING, .descriptorType = VK_DESCRIPTOR_TYPE_SAMPLER},
		[soften_main_result_ORDER] = {.binding = soften_main_result_BINDING, .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE},
	};
	VkDescriptorPoolSize sizes[HANDLES];
	for (int n = 0; n < HANDLES; n++) {
		slots[n].descriptorCount = 1;
		slots[n].stageFlags = VK_SHADER_STAGE_COMPUTE_BIT;
		sizes[n] = (VkDescriptorPoolSize){slots[n].descriptorType, 1};
	}
	VkDescriptorSetLayoutCreateInfo set_info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = HANDLES, .pBindings = slots};
	VkDescriptorSetLayout set_layout;
	check(vkCreateDescriptorSetLayout(device, &set_info, NULL, &set_layout), "create the layout of a descriptor set");
	VkPushConstantRange constants = {VK_SHADER_STAGE_COMPUTE_BIT, 0, soften_main_SPIRV_PUSH_CONSTANT_BYTES};
	VkPipelineLayoutCreateInfo layout_info = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .setLayoutCount = 1, .pSetLayouts = &set_layout, .pushConstantRangeCount = 1, .pPushConstantRanges = &constants,
	};
	VkPipelineLayout layout;
	check(vkCreatePipelineLayout(device, &layout_info, NULL, &layout), "create the layout of a pipeline");
	VkShaderModuleCreateInfo module_info = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = soften_main_SPIRV_FILE_BYTES, .pCode = read_code()};
	VkShaderModule module;
	check(vkCreateShaderModule(device, &module_info, NULL, &module), "create a shader module");
	VkComputePipelineCreateInfo pipeline_info = {
		.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
		.stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, .stage = VK_SHADER_STAGE_COMPUTE_BIT, .module = module, .pName = soften_main_SPIRV_NAME},
		.layout = layout,
	};
	VkPipeline pipeline;
	check(vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &pipeline_info, NULL, &pipeline), "create a pipeline");
	VkDescriptorPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = 1, .poolSizeCount = HANDLES, .pPoolSizes = sizes};
	VkDescriptorPool pool;
	check(vkCreateDescriptorPool(device, &pool_info, NULL, &pool), "create a pool of descriptors");
	VkDescriptorSetAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, .descriptorPool = pool, .descriptorSetCount = 1, .pSetLayouts = &set_layout};
	VkDescriptorSet set;
	check(vkAllocateDescriptorSets(device, &allocate, &set), "allocate a descriptor set");
	const VkDescriptorImageInfo handles[HANDLES] = { // those that are sampled in a layout for that, those that are written in the general one
		[soften_main_picture_ORDER] = {.imageView = picture.view, .imageLayout = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL},
		[soften_main_linear_ORDER] = {.sampler = sampler},
		[soften_main_result_ORDER] = {.imageView = result.view, .imageLayout = VK_IMAGE_LAYOUT_GENERAL},
	};
	for (int n = 0; n < HANDLES; n++) {
		VkWriteDescriptorSet write = {
			.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, .dstSet = set, .dstBinding = slots[n].binding, .descriptorCount = 1, .descriptorType = slots[n].descriptorType,
			.pImageInfo = &handles[n],
		};
		vkUpdateDescriptorSets(device, 1, &write, 0, NULL);
	}

	// a copy into the picture, one launch of as many workgroups as cover it, and a copy out of the result
	VkCommandPoolCreateInfo commands_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, .queueFamilyIndex = family};
	VkCommandPool commands;
	check(vkCreateCommandPool(device, &commands_info, NULL, &commands), "create a pool of commands");
	VkCommandBufferAllocateInfo buffer_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = commands, .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY, .commandBufferCount = 1};
	VkCommandBuffer command;
	check(vkAllocateCommandBuffers(device, &buffer_info, &command), "allocate a buffer of commands");
	VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
	check(vkBeginCommandBuffer(command, &begin), "begin commands");
	const VkBufferImageCopy whole = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, .imageExtent = {WIDTH, HEIGHT, 1}};
	const VkPipelineStageFlags start = VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, shader = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, transfer = VK_PIPELINE_STAGE_TRANSFER_BIT;
	change(command, picture.image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 0, start, VK_ACCESS_TRANSFER_WRITE_BIT, transfer);
	vkCmdCopyBufferToImage(command, staging, picture.image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &whole);
	change(command, picture.image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, VK_ACCESS_TRANSFER_WRITE_BIT, transfer, VK_ACCESS_SHADER_READ_BIT, shader);
	change(command, result.image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL, 0, start, VK_ACCESS_SHADER_WRITE_BIT, shader);
	vkCmdBindPipeline(command, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
	vkCmdBindDescriptorSets(command, VK_PIPELINE_BIND_POINT_COMPUTE, layout, soften_main_picture_GROUP, 1, &set, 0, NULL);
	soften_Parameters parameters = {.step = {0.5f / WIDTH, 0}, .weight = 0.5f}; // half way to the next texel
	static_assert(sizeof parameters == soften_main_IMMEDIATE_BYTES, "the parameters are all of the push constants");
	vkCmdPushConstants(command, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof parameters, &parameters);
	vkCmdDispatch(command, (WIDTH + soften_main_WORKGROUP_X - 1) / soften_main_WORKGROUP_X, (HEIGHT + soften_main_WORKGROUP_Y - 1) / soften_main_WORKGROUP_Y, 1);
	change(command, result.image, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, VK_ACCESS_SHADER_WRITE_BIT, shader, VK_ACCESS_TRANSFER_READ_BIT, transfer);
	vkCmdCopyImageToBuffer(command, result.image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, staging, 1, &whole);
	VkMemoryBarrier visible = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER, .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT, .dstAccessMask = VK_ACCESS_HOST_READ_BIT};
	vkCmdPipelineBarrier(command, transfer, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &visible, 0, NULL, 0, NULL);
	check(vkEndCommandBuffer(command), "end commands");
	VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &command};
	check(vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE), "submit");
	check(vkQueueWaitIdle(queue), "wait");

	for (int i = 0; i < BYTES; i++) { // a quarter of the next texel and three of this one; there is none beside the last of a row
		int texel = i / 4, wanted = 4 * texel + (texel % WIDTH < WIDTH - 1);
		if (texels[i] != wanted) {
			fprintf(stderr, "component %d is %d, not %d\n", i, texels[i], wanted);
			return 1;
		}
	}
	printf("result[%d] = %d\n", WIDTH * HEIGHT - 2, texels[BYTES - 8]);

	vkDestroyCommandPool(device, commands, NULL);
	vkDestroyDescriptorPool(device, pool, NULL);
	vkDestroyPipeline(device, pipeline, NULL);
	vkDestroyShaderModule(device, module, NULL);
	vkDestroyPipelineLayout(device, layout, NULL);
	vkDestroyDescriptorSetLayout(device, set_layout, NULL);
	vkDestroyBuffer(device, staging, NULL);
	vkFreeMemory(device, staging_memory, NULL);
	vkDestroySampler(device, sampler, NULL);
	const Texture textures[] = {picture, result};
	for (int n = 0; n < 2; n++) {
		vkDestroyImageView(device, textures[n].view, NULL);
		vkDestroyImage(device, textures[n].image, NULL);
		vkFreeMemory(device, textures[n].memory, NULL);
	}
	vkDestroyDevice(device, NULL);
	vkDestroyInstance(instance, NULL);
	return 0;
}
