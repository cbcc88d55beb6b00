package vulkan

import (
	"encoding/binary"
	"fmt"
	"unsafe"

	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/dl"
	"github.com/gpuc/gpuc/runtime/kernelcache"
)

// This file keeps on disk what a driver compiles: the contents of a pipeline cache for each kernel.

// SetCache implements driver.Caching.
func (d *device) SetCache(c *kernelcache.Cache) { d.disk.Store(c) }

// identity names a device, and the build of its driver: pipelineCacheUUID changes with what the
// driver keeps in pipeline caches.
type identity struct {
	vendor, device, version uint32
	uuid                    [16]byte
}

// cacheHeader is the size of the header with which the contents of a pipeline cache begin: its size
// and version, vendor, device and UUID (Vulkan, VkPipelineCacheHeaderVersionOne).
const cacheHeader = 32

// fits reports whether contents are those of a pipeline cache of the device and its driver, and
// hold more than their header. Drivers have to ignore others, and not all do.
func (i *identity) fits(contents []byte) bool {
	return len(contents) > cacheHeader && string(contents[:cacheHeader]) == string(i.header())
}

// header returns the header of contents.
func (i *identity) header() []byte {
	const versionOne = 1
	var h []byte
	for _, word := range [...]uint32{cacheHeader, versionOne, i.vendor, i.device} {
		h = binary.LittleEndian.AppendUint32(h, word)
	}
	return append(h, i.uuid[:]...)
}

// key returns the key of a kernel's pipeline: the device and its driver, the module as the driver
// gets it, and what else the pipeline is made of.
func (k *kernel) key(words []uint32, a *abi.Artefact, info *computePipelineCreateInfo) kernelcache.Key {
	i := &k.device.identity
	about := &k.device.info
	code := unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), 4*len(words))
	options := fmt.Sprint(k.slots, a.Kernel.PushConstantBytes(), a.Kernel.SubgroupSize, info.stage.flags, info.stage.specialisation != nil)
	for _, h := range k.handles {
		options += fmt.Sprint(" ", h.expected.Group, h.expected.Binding, h.kind)
	}
	return kernelcache.KeyOf([]byte("vulkan"), i.header(), binary.LittleEndian.AppendUint32(nil, i.version),
		[]byte(about.Version), []byte(about.Name), []byte(options), []byte(k.name), code)
}

// newPipelineCache makes a VkPipelineCache with contents.
func (d *device) newPipelineCache(contents []byte) (cache handle, err error) {
	info := &pipelineCacheCreateInfo{sType: typePipelineCacheCreateInfo, bytes: uint64(len(contents)), data: dl.First(contents)}
	err = check("create a pipeline cache", dl.Call(d.vk.CreatePipelineCache, d.handle,
		uintptr(unsafe.Pointer(info)), 0, uintptr(unsafe.Pointer(&cache))))
	return cache, err
}

// openPipelineCache returns the pipeline cache to make a kernel's pipeline with: one of its own if
// kernels are kept on disk, with what is there, or else the device's. done is called once the
// pipeline is made, or was refused.
func (d *device) openPipelineCache(keyOf func() kernelcache.Key, name string) (cache handle, done func(made bool)) {
	disk := d.disk.Load()
	if !disk.On() {
		return d.cache, func(bool) {}
	}
	key := keyOf()
	contents := disk.Load(key)
	if contents != nil && !d.identity.fits(contents) {
		disk.Drop(key)
		contents = nil
	}
	cache, err := d.newPipelineCache(contents)
	if err != nil && contents != nil {
		disk.Drop(key)
		contents = nil
		cache, err = d.newPipelineCache(nil)
	}
	if err != nil { // for lack of memory, which the pipeline needs, too
		return d.cache, func(bool) {}
	}
	return cache, func(made bool) {
		defer func() { dl.Call(d.vk.DestroyPipelineCache, d.handle, uintptr(cache), 0) }()
		if !made || contents != nil {
			return
		}
		if contents := d.contentsOf(cache); d.identity.fits(contents) {
			disk.Store(key, kernelcache.Label{Driver: "vulkan", Device: d.info.Name, Kernel: name}, contents)
		}
	}
}

// contentsOf returns the contents of a pipeline cache, or nil if the driver has none.
func (d *device) contentsOf(cache handle) []byte {
	var size uint64
	query := func(to []byte) bool {
		register := dl.Call(d.vk.PipelineCacheData, d.handle, uintptr(cache), uintptr(unsafe.Pointer(&size)), uintptr(dl.First(to)))
		return result(int32(uint32(register))) == success // and not incomplete
	}
	const most = 1 << 30 // which no kernel has
	if !query(nil) || size == 0 || size > most {
		return nil
	}
	contents := make([]byte, size)
	if !query(contents) {
		return nil
	}
	return contents[:size]
}
