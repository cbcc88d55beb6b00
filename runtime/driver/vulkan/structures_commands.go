package vulkan

import "unsafe"

// This file holds the structures of pipelines, descriptors, commands and synchronisation.

type shaderModuleCreateInfo struct {
	sType uint32
	next  unsafe.Pointer
	flags uint32
	bytes uint64
	code  unsafe.Pointer
}

type pipelineShaderStageInfo struct {
	sType          uint32
	next           unsafe.Pointer
	flags          uint32
	stage          uint32
	module         handle
	name           *byte
	specialisation unsafe.Pointer
}

type computePipelineCreateInfo struct {
	sType     uint32
	next      unsafe.Pointer
	flags     uint32
	stage     pipelineShaderStageInfo
	layout    handle
	base      handle
	baseIndex int32
}

type pipelineLayoutCreateInfo struct {
	sType         uint32
	next          unsafe.Pointer
	flags         uint32
	layoutCount   uint32
	layouts       *handle
	constantCount uint32
	constants     unsafe.Pointer
}

type pushConstantRange struct {
	stages, offset, size uint32
}

type pipelineCacheCreateInfo struct {
	sType uint32
	next  unsafe.Pointer
	flags uint32
	bytes uint64
	data  unsafe.Pointer
}

type descriptorSetLayoutBinding struct {
	binding  uint32
	kind     uint32
	count    uint32
	stages   uint32
	samplers unsafe.Pointer
}

type descriptorSetLayoutInfo struct {
	sType        uint32
	next         unsafe.Pointer
	flags        uint32
	bindingCount uint32
	bindings     unsafe.Pointer
}

type descriptorPoolSize struct{ kind, count uint32 }

type descriptorPoolCreateInfo struct {
	sType     uint32
	next      unsafe.Pointer
	flags     uint32
	maxSets   uint32
	sizeCount uint32
	sizes     *descriptorPoolSize
}

type descriptorSetAllocateInfo struct {
	sType   uint32
	next    unsafe.Pointer
	pool    handle
	count   uint32
	layouts *handle
}

type descriptorBufferInfo struct {
	buffer handle
	offset uint64
	size   uint64
}

type descriptorImageInfo struct {
	sampler handle
	view    handle
	layout  uint32
}

type writeDescriptorSet struct {
	sType   uint32
	next    unsafe.Pointer
	set     handle
	binding uint32
	element uint32
	count   uint32
	kind    uint32
	images  *descriptorImageInfo
	buffers *descriptorBufferInfo
	texels  unsafe.Pointer
}

type commandPoolCreateInfo struct {
	sType  uint32
	next   unsafe.Pointer
	flags  uint32
	family uint32
}

type commandBufferAllocateInfo struct {
	sType uint32
	next  unsafe.Pointer
	pool  handle
	level uint32
	count uint32
}

type commandBufferBeginInfo struct {
	sType       uint32
	next        unsafe.Pointer
	flags       uint32
	inheritance unsafe.Pointer
}

type memoryBarrier struct {
	sType  uint32
	next   unsafe.Pointer
	source uint32
	target uint32
}

type bufferCopy struct{ source, target, size uint64 }

type queryPoolCreateInfo struct {
	sType      uint32
	next       unsafe.Pointer
	flags      uint32
	kind       uint32
	count      uint32
	statistics uint32
}

type semaphoreCreateInfo struct {
	sType uint32
	next  unsafe.Pointer
	flags uint32
}

type semaphoreTypeCreateInfo struct {
	sType   uint32
	next    unsafe.Pointer
	kind    uint32
	initial uint64
}

type timelineSubmitInfo struct {
	sType       uint32
	next        unsafe.Pointer
	waitCount   uint32
	waits       unsafe.Pointer
	signalCount uint32
	signals     *uint64
}

type semaphoreWaitInfo struct {
	sType      uint32
	next       unsafe.Pointer
	flags      uint32
	count      uint32
	semaphores *handle
	values     *uint64
}

type submitInfo struct {
	sType        uint32
	next         unsafe.Pointer
	waitCount    uint32
	waits        unsafe.Pointer
	waitStages   unsafe.Pointer
	commandCount uint32
	commands     *uintptr
	signalCount  uint32
	signals      *handle
}
