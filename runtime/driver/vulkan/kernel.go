// Kernels: a compute pipeline made from SPIR-V, with one descriptor set layout
// per group of the kernel's bindings and handles.

package vulkan

import (
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/gpuc/gpuc/ir/texture"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/dl"
	"github.com/gpuc/gpuc/runtime/driver"
	"github.com/gpuc/gpuc/runtime/kernelcache"
)

// descriptorClass numbers the kinds of descriptor.
type descriptorClass uint8

const (
	uniformClass descriptorClass = iota
	storageClass
	sampledClass
	imageClass
	samplerClass
	descriptorClasses
)

// descriptorCounts says how many descriptors there are of each class.
type descriptorCounts [descriptorClasses]uint32

// descriptorKinds are the classes' VkDescriptorType, and how many descriptors
// per launch a new pool has room for even if its first kernel has none.
var descriptorKinds = [descriptorClasses]struct {
	kind, perLaunch uint32
	what            string
}{
	uniformClass: {descriptorUniform, 1, "uniform bindings"},
	storageClass: {descriptorStorage, 4, "storage bindings"},
	sampledClass: {descriptorSampled, 0, "sampled textures"},
	imageClass:   {descriptorImage, 0, "storage textures"},
	samplerClass: {descriptorSampler, 0, "samplers"},
}

// bindingClass returns the class of a buffer with an access.
func bindingClass(a abi.Access) (class descriptorClass, ok bool) {
	switch a {
	case abi.Uniform:
		return uniformClass, true
	case abi.Read, abi.ReadWrite:
		return storageClass, true
	}
	return 0, false
}

// handleClass returns the class of a texture or sampler.
func handleClass(h *abi.Handle) descriptorClass {
	switch {
	case h.Texture == nil:
		return samplerClass
	case h.Texture.Shape.IsStorage():
		return imageClass
	default:
		return sampledClass
	}
}

// slot is where a binding of a kernel goes.
type slot struct {
	group, binding uint32
	kind           uint32
	writes         bool
}

// handleSlot is where a texture or sampler of a kernel goes.
type handleSlot struct {
	expected abi.Handle
	kind     uint32
	writes   bool
}

// kernel is a loaded kernel.
type kernel struct {
	references
	device   *device
	name     string
	slots    []slot       // by position in abi.Kernel.Bindings
	handles  []handleSlot // by position in abi.Kernel.Handles
	layouts  []handle     // descriptor set layouts by group, without gaps
	counts   descriptorCounts
	layout   handle // pipeline layout
	pipeline handle
	closed   atomic.Bool

	immediates int // bytes
}

// Load makes a pipeline from a SPIR-V artefact.
func (d *device) Load(artefact *abi.Artefact) (driver.Kernel, error) {
	if err := d.accepts(artefact); err != nil {
		return nil, fmt.Errorf("vulkan: load kernel %s: %w", artefact.Kernel.Name, err)
	}
	d.mutex.Lock()
	closed := d.closed
	d.mutex.Unlock()
	if closed {
		return nil, d.closedError()
	}
	if err := d.lost(); err != nil {
		return nil, err
	}
	k := &kernel{device: d, name: artefact.Kernel.Name, immediates: artefact.Kernel.ImmediateBytes()}
	k.count.Store(1)
	err := k.makeLayouts(&artefact.Kernel)
	if err == nil {
		err = k.makePipeline(artefact)
	}
	if err != nil {
		k.destroy()
		return nil, d.note(fmt.Errorf("vulkan: load kernel %s: %w", k.name, err))
	}
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.closed {
		return nil, d.closedError()
	}
	d.objects[k] = struct{}{}
	return k, nil
}

// accepts compares an artefact with the device's features and limits, and with
// those that only Vulkan has.
func (d *device) accepts(artefact *abi.Artefact) error {
	k := &artefact.Kernel
	if err := d.info.Accepts(artefact); err != nil {
		return err
	}
	const headerBytes = 20
	if n := len(artefact.Code); n < headerBytes || n%4 != 0 {
		return fmt.Errorf("%w: %d bytes are no SPIR-V module", driver.ErrUnsupported, n)
	}
	if k.SubgroupSize != 0 {
		subgroups := k.Workgroup[0] / k.SubgroupSize * k.Workgroup[1] * k.Workgroup[2]
		if err := within("subgroups in a workgroup", subgroups, d.maxSubgroups); err != nil {
			return err
		}
	}
	var counts descriptorCounts
	groups := uint32(0)
	for _, b := range k.Bindings {
		class, _ := bindingClass(b.Access)
		counts[class]++
		groups = max(groups, b.Group+1)
	}
	for i := range k.Handles {
		h := &k.Handles[i]
		counts[handleClass(h)]++
		groups = max(groups, h.Group+1)
		if t := h.Texture; t != nil && t.Shape.IsStorage() && (t.Format >= texture.Formats || d.usage(t.Format)&imageStorage == 0) {
			return fmt.Errorf("%w: %s has no storage textures of %s", driver.ErrUnsupported, d.info.Name, t.Format)
		}
	}
	l := &d.limits
	most := descriptorCounts{
		uniformClass: l.maxStageUniformBuffers,
		storageClass: l.maxStageStorageBuffers,
		sampledClass: l.maxStageSampledImages,
		imageClass:   l.maxStageStorageImages,
		samplerClass: l.maxStageSamplers,
	}
	resources := uint32(0)
	for class, n := range counts {
		if err := within(descriptorKinds[class].what, n, most[class]); err != nil {
			return err
		}
		// samplers are no resources (VkPhysicalDeviceLimits)
		if descriptorClass(class) != samplerClass {
			resources += n
		}
	}
	if err := within("binding groups", groups, l.maxBoundDescriptorSets); err != nil {
		return err
	}
	if err := within("bytes of immediates", k.PushConstantBytes(), l.maxPushConstants); err != nil {
		return err
	}
	return within("bindings", resources, l.maxStageResources)
}

func within(what string, got, most uint32) error {
	if got > most {
		return fmt.Errorf("%w: %d %s, but the device takes at most %d", driver.ErrUnsupported, got, what, most)
	}
	return nil
}

// makeLayouts makes a descriptor set layout for every group up to the highest
// used, empty ones for gaps, and the pipeline layout.
func (k *kernel) makeLayouts(description *abi.Kernel) error {
	d := k.device
	var groups [][]descriptorSetLayoutBinding
	add := func(class descriptorClass, group, binding uint32) uint32 {
		k.counts[class]++
		for uint32(len(groups)) <= group {
			groups = append(groups, nil)
		}
		kind := descriptorKinds[class].kind
		groups[group] = append(groups[group], descriptorSetLayoutBinding{
			binding: binding, kind: kind, count: 1, stages: stageCompute,
		})
		return kind
	}
	for _, b := range description.Bindings {
		class, ok := bindingClass(b.Access)
		if !ok {
			return fmt.Errorf("%w: binding %s has access %q", driver.ErrUnsupported, b.Name, b.Access)
		}
		kind := add(class, b.Group, b.Binding)
		k.slots = append(k.slots, slot{b.Group, b.Binding, kind, b.Access == abi.ReadWrite})
	}
	for _, h := range description.Handles {
		kind := add(handleClass(&h), h.Group, h.Binding)
		k.handles = append(k.handles, handleSlot{h, kind, h.Texture != nil && h.Texture.Written()})
	}
	for _, group := range groups {
		info := &descriptorSetLayoutInfo{sType: typeDescriptorSetLayoutInfo, bindingCount: uint32(len(group))}
		info.bindings = unsafe.Pointer(unsafe.SliceData(group))
		var layout handle
		err := check("create a descriptor set layout", dl.Call(d.vk.CreateDescriptorSetLayout, d.handle,
			uintptr(unsafe.Pointer(info)), 0, uintptr(unsafe.Pointer(&layout))))
		if err != nil {
			return err
		}
		k.layouts = append(k.layouts, layout)
	}
	info := &pipelineLayoutCreateInfo{
		sType:       typePipelineLayoutCreateInfo,
		layoutCount: uint32(len(k.layouts)),
		layouts:     unsafe.SliceData(k.layouts),
	}
	if k.immediates > 0 {
		info.constantCount = 1
		info.constants = unsafe.Pointer(&pushConstantRange{stages: stageCompute, size: description.PushConstantBytes()})
	}
	return check("create a pipeline layout", dl.Call(d.vk.CreatePipelineLayout, d.handle,
		uintptr(unsafe.Pointer(info)), 0, uintptr(unsafe.Pointer(&k.layout))))
}

// makePipeline compiles the code. The words are copied, because SPIR-V must be
// aligned to 4 bytes and embedded code need not be.
func (k *kernel) makePipeline(artefact *abi.Artefact) error {
	d := k.device
	words := make([]uint32, len(artefact.Code)/4)
	copy(unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), len(artefact.Code)), artefact.Code)
	words, fused := d.fit(words)
	module := &shaderModuleCreateInfo{
		sType: typeShaderModuleCreateInfo, bytes: 4 * uint64(len(words)), code: unsafe.Pointer(&words[0]),
	}
	var shader handle
	err := check("create a shader module", dl.Call(d.vk.CreateShaderModule, d.handle,
		uintptr(unsafe.Pointer(module)), 0, uintptr(unsafe.Pointer(&shader))))
	if err != nil {
		return err
	}
	defer func() { dl.Call(d.vk.DestroyShaderModule, d.handle, uintptr(shader), 0) }()
	info := &computePipelineCreateInfo{
		sType: typeComputePipelineCreateInfo,
		stage: pipelineShaderStageInfo{
			sType: typePipelineShaderStageInfo, stage: stageCompute,
			module: shader, name: dl.CString(artefact.Kernel.Name),
		},
		layout: k.layout,
	}
	if fused && slices.Contains(fusingDrivers[:], d.candidate.driver) {
		info.stage.specialisation = unsafe.Pointer(&fusedInfo)
	}
	if n := artefact.Kernel.SubgroupSize; n != 0 {
		info.stage.next = unsafe.Pointer(&requiredSubgroupSize{sType: typeRequiredSubgroupSize, size: n})
		if d.enabled.size.full != 0 {
			info.stage.flags = stageFullSubgroups
		}
	}
	cache, done := d.openPipelineCache(func() kernelcache.Key { return k.key(words, artefact, info) }, k.name)
	err = explain(check("create a pipeline", dl.Call(d.vk.CreateComputePipelines, d.handle, uintptr(cache), 1,
		uintptr(unsafe.Pointer(info)), 0, uintptr(unsafe.Pointer(&k.pipeline)))), artefact.Kernel.Private)
	done(err == nil)
	return err
}

// explain adds the likely reason to a failure for which the driver names none. Vulkan has no limit
// for private memory, and how much a driver needs shows only when it compiles the code.
func explain(err error, p *abi.Private) error {
	if err == nil || p == nil || errors.Is(err, driver.ErrOutOfMemory) || errors.Is(err, driver.ErrDeviceLost) {
		return err
	}
	name := "the largest"
	if p.Name != "" {
		name = "`" + p.Name + "`"
	}
	return fmt.Errorf("%w: %w; the variables of each invocation have %d bytes in all, of which %s has %d, and some drivers take less than 16384",
		driver.ErrUnsupported, err, p.Bytes, name, p.NameBytes)
}

// Close lets the kernel go once the work that uses it has finished.
func (k *kernel) Close() error {
	if k.closed.Swap(true) {
		return nil
	}
	d := k.device
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if !d.closed {
		k.drop()
	}
	return nil
}

// drop gives up a reference; the device's mutex is held.
func (k *kernel) drop() {
	if k.release() {
		delete(k.device.objects, k)
		k.destroy()
	}
}

// destroy implements object.
func (k *kernel) destroy() {
	d := k.device
	if k.pipeline != 0 {
		dl.Call(d.vk.DestroyPipeline, d.handle, uintptr(k.pipeline), 0)
	}
	if k.layout != 0 {
		dl.Call(d.vk.DestroyPipelineLayout, d.handle, uintptr(k.layout), 0)
	}
	for _, layout := range k.layouts {
		dl.Call(d.vk.DestroyDescriptorSetLayout, d.handle, uintptr(layout), 0)
	}
}
