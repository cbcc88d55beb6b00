// Kernels: a compute pipeline made from SPIR-V, with one descriptor set layout
// per group of the kernel's bindings.

package vulkan

import (
	"fmt"
	"sync/atomic"
	"unsafe"

	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/dl"
	"github.com/gpuc/gpuc/runtime/driver"
)

// descriptorKinds maps a binding's access to its descriptor type.
var descriptorKinds = map[abi.Access]uint32{
	abi.Uniform:   descriptorUniform,
	abi.Read:      descriptorStorage,
	abi.ReadWrite: descriptorStorage,
}

// slot is where a binding of a kernel goes.
type slot struct {
	group, binding uint32
	kind           uint32
	writes         bool
}

// kernel is a loaded kernel.
type kernel struct {
	references
	device   *device
	name     string
	slots    []slot   // by position in abi.Kernel.Bindings
	layouts  []handle // descriptor set layouts by group, without gaps
	uniforms uint32   // number of uniform descriptors
	storages uint32
	layout   handle // pipeline layout
	pipeline handle
	closed   atomic.Bool
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
	k := &kernel{device: d, name: artefact.Kernel.Name}
	k.count.Store(1)
	err := k.makeLayouts(artefact.Kernel.Bindings)
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
	var uniforms, storages, groups uint32
	for _, b := range k.Bindings {
		if descriptorKinds[b.Access] == descriptorUniform {
			uniforms++
		} else {
			storages++
		}
		groups = max(groups, b.Group+1)
	}
	for _, limit := range []struct {
		what      string
		got, most uint32
	}{
		{"binding groups", groups, d.limits.maxBoundDescriptorSets},
		{"uniform bindings", uniforms, d.limits.maxStageUniformBuffers},
		{"storage bindings", storages, d.limits.maxStageStorageBuffers},
		{"bindings", uniforms + storages, d.limits.maxStageResources},
	} {
		if limit.got > limit.most {
			return fmt.Errorf("%w: %d %s, but the device takes at most %d", driver.ErrUnsupported, limit.got, limit.what, limit.most)
		}
	}
	return nil
}

// makeLayouts makes a descriptor set layout for every group up to the highest
// used, empty ones for gaps, and the pipeline layout.
func (k *kernel) makeLayouts(bindings []abi.Binding) error {
	d := k.device
	var groups [][]descriptorSetLayoutBinding
	for _, b := range bindings {
		kind, ok := descriptorKinds[b.Access]
		if !ok {
			return fmt.Errorf("%w: binding %s has access %q", driver.ErrUnsupported, b.Name, b.Access)
		}
		k.slots = append(k.slots, slot{b.Group, b.Binding, kind, b.Access == abi.ReadWrite})
		if kind == descriptorUniform {
			k.uniforms++
		} else {
			k.storages++
		}
		for uint32(len(groups)) <= b.Group {
			groups = append(groups, nil)
		}
		groups[b.Group] = append(groups[b.Group], descriptorSetLayoutBinding{
			binding: b.Binding, kind: kind, count: 1, stages: stageCompute,
		})
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
	return check("create a pipeline layout", dl.Call(d.vk.CreatePipelineLayout, d.handle,
		uintptr(unsafe.Pointer(info)), 0, uintptr(unsafe.Pointer(&k.layout))))
}

// makePipeline compiles the code. The words are copied, because SPIR-V must be
// aligned to 4 bytes and embedded code need not be.
func (k *kernel) makePipeline(artefact *abi.Artefact) error {
	d := k.device
	words := make([]uint32, len(artefact.Code)/4)
	copy(unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), len(artefact.Code)), artefact.Code)
	module := &shaderModuleCreateInfo{
		sType: typeShaderModuleCreateInfo, bytes: uint64(len(artefact.Code)), code: unsafe.Pointer(&words[0]),
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
	return check("create a pipeline", dl.Call(d.vk.CreateComputePipelines, d.handle, uintptr(d.cache), 1,
		uintptr(unsafe.Pointer(info)), 0, uintptr(unsafe.Pointer(&k.pipeline))))
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
