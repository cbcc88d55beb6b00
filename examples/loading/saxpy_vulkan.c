// Vulkan from C: saxpy.spv, with the constants and structures of saxpy.h.
//
//   $ cc -std=c11 -o saxpy_vulkan saxpy_vulkan.c -lvulkan
//   $ ./saxpy_vulkan
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>
#include "saxpy.h"

enum { COUNT = 1000, BUFFERS = 3 };

static void check(VkResult result, const char *what) {
	if (result != VK_SUCCESS) {
		fprintf(stderr, "%s: VkResult %d\n", what, result);
		exit(1);
	}
}

// A buffer in memory that the host and the device see.
typedef struct {
	VkBuffer buffer;
	VkDeviceMemory memory;
	void *data;
} Buffer;

static Buffer make_buffer(VkPhysicalDevice physical, VkDevice device, VkDeviceSize size, VkBufferUsageFlags usage) {
	Buffer b;
	VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = size, .usage = usage};
	check(vkCreateBuffer(device, &info, NULL, &b.buffer), "create a buffer");
	VkMemoryRequirements needs;
	vkGetBufferMemoryRequirements(device, b.buffer, &needs);
	VkPhysicalDeviceMemoryProperties memory;
	vkGetPhysicalDeviceMemoryProperties(physical, &memory);
	const VkMemoryPropertyFlags wanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
	uint32_t type = 0;
	while (!(needs.memoryTypeBits >> type & 1) || (memory.memoryTypes[type].propertyFlags & wanted) != wanted) {
		type++; // there always is one
	}
	VkMemoryAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = needs.size, .memoryTypeIndex = type};
	check(vkAllocateMemory(device, &allocate, NULL, &b.memory), "allocate memory");
	check(vkBindBufferMemory(device, b.buffer, b.memory, 0), "bind memory");
	check(vkMapMemory(device, b.memory, 0, VK_WHOLE_SIZE, 0, &b.data), "map memory");
	return b;
}

static uint32_t *read_code(void) {
	static uint32_t words[saxpy_main_SPIRV_FILE_BYTES / 4];
	FILE *f = fopen(saxpy_main_SPIRV_FILE, "rb");
	if (!f || fread(words, 1, sizeof words, f) != sizeof words) {
		fprintf(stderr, "cannot read %s\n", saxpy_main_SPIRV_FILE);
		exit(1);
	}
	fclose(f);
	return words;
}

int main(void) {
	// a device with a queue for compute work
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
	VkQueueFamilyProperties families[16];
	count = 16;
	vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, families);
	uint32_t family = 0;
	while (family + 1 < count && !(families[family].queueFlags & VK_QUEUE_COMPUTE_BIT)) {
		family++;
	}
	float priority = 1;
	VkDeviceQueueCreateInfo queue_info = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueFamilyIndex = family, .queueCount = 1, .pQueuePriorities = &priority};
	VkDeviceCreateInfo device_info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .queueCreateInfoCount = 1, .pQueueCreateInfos = &queue_info};
	VkDevice device;
	check(vkCreateDevice(physical, &device_info, NULL, &device), "create a device");
	VkQueue queue;
	vkGetDeviceQueue(device, family, 0, &queue);

	// buffers in the order of the bindings
	Buffer buffers[BUFFERS];
	buffers[saxpy_main_parameters_ORDER] = make_buffer(physical, device, sizeof(saxpy_Parameters), VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT);
	buffers[saxpy_main_x_ORDER] = make_buffer(physical, device, COUNT * saxpy_main_x_STRIDE, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
	buffers[saxpy_main_y_ORDER] = make_buffer(physical, device, COUNT * saxpy_main_y_STRIDE, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
	saxpy_Parameters parameters = {.a = 2, .count = COUNT};
	memcpy(buffers[saxpy_main_parameters_ORDER].data, &parameters, sizeof parameters);
	float *x = buffers[saxpy_main_x_ORDER].data, *y = buffers[saxpy_main_y_ORDER].data;
	for (int i = 0; i < COUNT; i++) {
		x[i] = i;
		y[i] = 1;
	}

	// the layout of the descriptor set, the pipeline, and the set
	const uint32_t bindings[BUFFERS] = {saxpy_main_parameters_BINDING, saxpy_main_x_BINDING, saxpy_main_y_BINDING};
	const VkDescriptorType types[BUFFERS] = {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER};
	VkDescriptorSetLayoutBinding slots[BUFFERS];
	for (int n = 0; n < BUFFERS; n++) {
		slots[n] = (VkDescriptorSetLayoutBinding){.binding = bindings[n], .descriptorType = types[n], .descriptorCount = 1, .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
	}
	VkDescriptorSetLayoutCreateInfo set_info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = BUFFERS, .pBindings = slots};
	VkDescriptorSetLayout set_layout;
	check(vkCreateDescriptorSetLayout(device, &set_info, NULL, &set_layout), "create the layout of a descriptor set");
	VkPipelineLayoutCreateInfo layout_info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .setLayoutCount = 1, .pSetLayouts = &set_layout};
	VkPipelineLayout layout;
	check(vkCreatePipelineLayout(device, &layout_info, NULL, &layout), "create the layout of a pipeline");
	VkShaderModuleCreateInfo module_info = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = saxpy_main_SPIRV_FILE_BYTES, .pCode = read_code()};
	VkShaderModule module;
	check(vkCreateShaderModule(device, &module_info, NULL, &module), "create a shader module");
	VkComputePipelineCreateInfo pipeline_info = {
		.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
		.stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, .stage = VK_SHADER_STAGE_COMPUTE_BIT, .module = module, .pName = saxpy_main_SPIRV_NAME},
		.layout = layout,
	};
	VkPipeline pipeline;
	check(vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &pipeline_info, NULL, &pipeline), "create a pipeline");
	VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1}, {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2}};
	VkDescriptorPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = 1, .poolSizeCount = 2, .pPoolSizes = sizes};
	VkDescriptorPool pool;
	check(vkCreateDescriptorPool(device, &pool_info, NULL, &pool), "create a pool of descriptors");
	VkDescriptorSetAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, .descriptorPool = pool, .descriptorSetCount = 1, .pSetLayouts = &set_layout};
	VkDescriptorSet set;
	check(vkAllocateDescriptorSets(device, &allocate, &set), "allocate a descriptor set");
	for (int n = 0; n < BUFFERS; n++) {
		VkDescriptorBufferInfo whole = {.buffer = buffers[n].buffer, .range = VK_WHOLE_SIZE};
		VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, .dstSet = set, .dstBinding = bindings[n], .descriptorCount = 1, .descriptorType = types[n], .pBufferInfo = &whole};
		vkUpdateDescriptorSets(device, 1, &write, 0, NULL);
	}

	// one launch of as many workgroups as cover the elements
	VkCommandPoolCreateInfo commands_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, .queueFamilyIndex = family};
	VkCommandPool commands;
	check(vkCreateCommandPool(device, &commands_info, NULL, &commands), "create a pool of commands");
	VkCommandBufferAllocateInfo buffer_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = commands, .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY, .commandBufferCount = 1};
	VkCommandBuffer command;
	check(vkAllocateCommandBuffers(device, &buffer_info, &command), "allocate a buffer of commands");
	VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
	check(vkBeginCommandBuffer(command, &begin), "begin commands");
	vkCmdBindPipeline(command, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
	vkCmdBindDescriptorSets(command, VK_PIPELINE_BIND_POINT_COMPUTE, layout, saxpy_main_x_GROUP, 1, &set, 0, NULL);
	vkCmdDispatch(command, (COUNT + saxpy_main_WORKGROUP_X - 1) / saxpy_main_WORKGROUP_X, 1, 1);
	VkMemoryBarrier visible = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER, .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT, .dstAccessMask = VK_ACCESS_HOST_READ_BIT};
	vkCmdPipelineBarrier(command, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &visible, 0, NULL, 0, NULL);
	check(vkEndCommandBuffer(command), "end commands");
	VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &command};
	check(vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE), "submit");
	check(vkQueueWaitIdle(queue), "wait");

	for (int i = 0; i < COUNT; i++) {
		if (y[i] != 2 * i + 1) {
			fprintf(stderr, "y[%d] is %g\n", i, y[i]);
			return 1;
		}
	}
	printf("y[%d] = %g\n", COUNT - 1, y[COUNT - 1]);

	for (int n = 0; n < BUFFERS; n++) {
		vkDestroyBuffer(device, buffers[n].buffer, NULL);
		vkFreeMemory(device, buffers[n].memory, NULL);
	}
	vkDestroyCommandPool(device, commands, NULL);
	vkDestroyDescriptorPool(device, pool, NULL);
	vkDestroyPipeline(device, pipeline, NULL);
	vkDestroyShaderModule(device, module, NULL);
	vkDestroyPipelineLayout(device, layout, NULL);
	vkDestroyDescriptorSetLayout(device, set_layout, NULL);
	vkDestroyDevice(device, NULL);
	vkDestroyInstance(instance, NULL);
	return 0;
}
