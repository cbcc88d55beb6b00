// Package vulkan runs SPIR-V kernels through a Vulkan loader found at run time,
// without cgo. It needs Vulkan 1.1 with timeline semaphores (core in 1.2), which
// every current desktop driver, MoltenVK and lavapipe have.
//
// All work of a device goes to one queue, in a single order of submission. That keeps zero-filling
// at allocation, deferred release and completion simple: one timeline semaphore counts submissions.
// Streams differ in what they record, not in where it runs.
package vulkan

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"unsafe"

	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/dl"
	"github.com/gpuc/gpuc/runtime/driver"
)

// Driver is the Vulkan driver. The zero value is ready; it loads the library
// and makes an instance on first use and keeps both, for making an instance
// costs tens of milliseconds. It must not be copied.
type Driver struct {
	once     sync.Once
	instance *instance
	err      error
	absent   error // why there is no instance, where that is no failure
}

// Name returns "vulkan".
func (d *Driver) Name() string { return "vulkan" }

// Devices lists the devices that can run compute kernels.
func (d *Driver) Devices() ([]driver.Info, error) {
	instance, err := d.open()
	if err != nil || instance == nil {
		return nil, err
	}
	candidates, err := instance.candidates()
	infos := make([]driver.Info, len(candidates))
	for i, candidate := range candidates {
		infos[i] = candidate.info
	}
	return infos, err
}

// Open opens the device with this index in Devices.
func (d *Driver) Open(index int) (driver.Device, error) {
	instance, err := d.open()
	if err != nil {
		return nil, err
	}
	if instance == nil {
		return nil, fmt.Errorf("vulkan: %w: no Vulkan loader, or no driver", driver.ErrUnsupported)
	}
	candidates, err := instance.candidates()
	if err != nil {
		return nil, err
	}
	if index < 0 || index >= len(candidates) {
		return nil, fmt.Errorf("vulkan: %w: no device %d, there are %d", driver.ErrUnsupported, index, len(candidates))
	}
	return openDevice(instance, candidates[index])
}

// open returns the instance, or nil without an error where there is no loader.
func (d *Driver) open() (*instance, error) {
	d.once.Do(func() {
		library, err := dl.Open(dl.LibraryNames("vulkan", runtime.GOOS)...)
		if errors.Is(err, dl.ErrNoLibrary) {
			d.absent = err
			return
		}
		if err != nil {
			d.err = err
			return
		}
		d.instance, d.err = newInstance(library)
		if d.instance == nil && d.err == nil {
			d.absent = fmt.Errorf("%s finds no driver of a device; a package of drivers brings files for it in vulkan/icd.d", library.Name())
		}
	})
	return d.instance, d.err
}

// Absent implements driver.Absent.
func (d *Driver) Absent() error { return d.absent }

// instance is a VkInstance. It lives as long as the process.
type instance struct {
	handle uintptr
	vk     instanceFunctions
}

// version packs a Vulkan version as VK_MAKE_API_VERSION does.
func version(major, minor uint32) uint32 { return major<<22 | minor<<12 }

// portability names the extension without which a loader hides MoltenVK.
const portability = "VK_KHR_portability_enumeration"

func newInstance(library *dl.Library) (*instance, error) {
	lookup := library.Symbol("vkGetInstanceProcAddr")
	if lookup == 0 {
		return nil, fmt.Errorf("vulkan: %s has no vkGetInstanceProcAddr", library.Name())
	}
	var loader loaderFunctions
	if err := dl.Fill(&loader, resolver(lookup, 0)); err != nil {
		return nil, fmt.Errorf("vulkan: %s: %w", library.Name(), err)
	}
	application := &applicationInfo{
		sType:           typeApplicationInfo,
		applicationName: dl.CString("gpuc"),
		engineName:      dl.CString("gpuc"),
		apiVersion:      version(1, 3),
	}
	info := &instanceCreateInfo{sType: typeInstanceCreateInfo, application: application}
	available, err := extensions(loader.InstanceExtensions, 0)
	if err != nil {
		return nil, err
	}
	if available[portability] {
		info.flags = instanceEnumeratePortability
		info.extensions, info.extensionCount = names([]string{portability})
	}
	i := new(instance)
	register := dl.Call(loader.CreateInstance, uintptr(unsafe.Pointer(info)), 0, uintptr(unsafe.Pointer(&i.handle)))
	if result(int32(uint32(register))) == incompatibleDriver {
		return nil, nil // a loader without any driver: no devices
	}
	if err := check("create an instance", register); err != nil {
		return nil, err
	}
	if err := dl.Fill(&i.vk, resolver(lookup, i.handle)); err != nil {
		return nil, fmt.Errorf("vulkan: %w", err)
	}
	return i, nil
}

// names makes a C array of C strings.
func names(list []string) (**byte, uint32) {
	if len(list) == 0 {
		return nil, 0
	}
	array := make([]*byte, len(list))
	for i, name := range list {
		array[i] = dl.CString(name)
	}
	return &array[0], uint32(len(array))
}

// extensions lists an instance's extensions (object 0) or a device's.
func extensions(function, object uintptr) (map[string]bool, error) {
	var count uint32
	// The instance's function has (layer, count, array), the device's one more
	// argument before them.
	enumerate := func(array unsafe.Pointer) error {
		if object == 0 {
			return check("list extensions", dl.Call(function, 0, uintptr(unsafe.Pointer(&count)), uintptr(array)))
		}
		return check("list extensions", dl.Call(function, object, 0, uintptr(unsafe.Pointer(&count)), uintptr(array)))
	}
	if err := enumerate(nil); err != nil {
		return nil, err
	}
	list := make([]extensionProperties, count+1)
	if err := enumerate(unsafe.Pointer(&list[0])); err != nil {
		return nil, err
	}
	set := make(map[string]bool, count)
	for i := range list[:count] {
		set[dl.Text(list[i].name[:])] = true
	}
	return set, nil
}

// candidate is a physical device that can run kernels, with what opening it
// needs to know.
type candidate struct {
	physical      uintptr
	info          driver.Info
	limits        limits
	memory        memoryProperties
	family        uint32 // queue family
	graphics      bool   // whether the family has graphics too
	timestampBits uint32
	extensions    []string // to enable
	sharing       uint64   // alignment of host memory that becomes the device's, or 0
	budget        bool     // has VK_EXT_memory_budget
	enabled       enabled
	maxAllocation uint64
	// maxSubgroups is the most subgroups of a workgroup where a kernel chooses
	// their size.
	maxSubgroups uint32
	controls     floatControlsProperties
	driver       uint32 // VkDriverId, or 0
	identity     identity
}

// enabled are the feature structures for vkCreateDevice, chained in this order.
// The extension structures are also what is asked of the device.
type enabled struct {
	core     features2
	timeline oneFeature
	storage  storage16Features
	float16  float16Int8Features
	subgroup oneFeature
	size     subgroupSizeFeatures
	bytes    storage8Features
	atomics  atomicInt64Features
	model    memoryModelFeatures
	matrices cooperativeMatrixFeatures
	brain    bfloat16Features
	reset    oneFeature // of queries by the host
}

// chain links the structures. Those that the device's version or extensions do
// not define are left out, as they must not be passed. Modern is Vulkan 1.2.
func (e *enabled) chain(timeline, float16, bytes, atomics, subgroup, size, modern, matrices, brain bool) {
	e.core.sType, e.timeline.sType, e.storage.sType = typeFeatures2, typeTimelineSemaphoreFeatures, type16BitStorageFeatures
	e.float16.sType, e.subgroup.sType = typeFloat16Int8Features, typeSubgroupExtendedTypeFeatures
	e.size.sType, e.bytes.sType, e.atomics.sType = typeSubgroupSizeFeatures, type8BitStorageFeatures, typeAtomicInt64Features
	e.model.sType, e.matrices.sType, e.reset.sType = typeMemoryModelFeatures, typeCooperativeMatrixFeatures, typeHostQueryResetFeatures
	e.brain.sType = typeBFloat16Features
	e.core.next = unsafe.Pointer(&e.storage)
	next := &e.storage.next
	for _, link := range []struct {
		use  bool
		at   unsafe.Pointer
		next *unsafe.Pointer
	}{
		{timeline, unsafe.Pointer(&e.timeline), &e.timeline.next},
		{float16, unsafe.Pointer(&e.float16), &e.float16.next},
		{bytes, unsafe.Pointer(&e.bytes), &e.bytes.next},
		{atomics, unsafe.Pointer(&e.atomics), &e.atomics.next},
		{subgroup, unsafe.Pointer(&e.subgroup), &e.subgroup.next},
		{size, unsafe.Pointer(&e.size), &e.size.next},
		{modern, unsafe.Pointer(&e.model), &e.model.next},
		{modern, unsafe.Pointer(&e.reset), &e.reset.next},
		{matrices, unsafe.Pointer(&e.matrices), &e.matrices.next},
		{brain, unsafe.Pointer(&e.brain), &e.brain.next},
	} {
		if link.use {
			*next, next = link.at, link.next
		}
	}
}

// candidates lists the usable devices in the loader's order.
func (i *instance) candidates() ([]*candidate, error) {
	var count uint32
	enumerate := func(array unsafe.Pointer) error {
		return check("list devices", dl.Call(i.vk.PhysicalDevices, i.handle, uintptr(unsafe.Pointer(&count)), uintptr(array)))
	}
	if err := enumerate(nil); err != nil {
		return nil, err
	}
	physical := make([]uintptr, count+1)
	if err := enumerate(unsafe.Pointer(&physical[0])); err != nil {
		return nil, err
	}
	var list []*candidate
	for _, device := range physical[:count] {
		c, err := i.candidate(device)
		if err != nil {
			return list, err
		}
		if c != nil {
			c.info.Index = len(list)
			list = append(list, c)
		}
	}
	return list, nil
}

// candidate describes a physical device, or returns nil if it cannot be used.
func (i *instance) candidate(physical uintptr) (*candidate, error) {
	subgroup := &subgroupProperties{sType: typeSubgroupProperties}
	maintenance := &maintenance3Properties{sType: typeMaintenance3Properties, next: unsafe.Pointer(subgroup)}
	properties := &properties2{sType: typeProperties2, next: unsafe.Pointer(maintenance)}
	dl.Call(i.vk.Properties2, physical, uintptr(unsafe.Pointer(properties)))
	p := &properties.properties
	if p.apiVersion < version(1, 1) {
		return nil, nil
	}
	available, err := extensions(i.vk.DeviceExtensions, physical)
	if err != nil {
		return nil, err
	}
	modern := p.apiVersion >= version(1, 2)
	has := func(extension string) bool { return modern || available[extension] }
	c := &candidate{physical: physical, limits: p.limits, maxAllocation: maintenance.maxAllocation}
	driverText := ""
	c.identity = identity{vendor: p.vendor, device: p.device, version: p.driverVersion, uuid: p.cacheUUID}
	if modern {
		d := &driverProperties{sType: typeDriverProperties}
		dl.Call(i.vk.Properties2, physical, uintptr(unsafe.Pointer(&properties2{sType: typeProperties2, next: unsafe.Pointer(d)})))
		c.driver = d.driver
		driverText = ", " + dl.Text(d.name[:]) + " " + dl.Text(d.info[:])
	}

	timeline, float16, types := has("VK_KHR_timeline_semaphore"), has("VK_KHR_shader_float16_int8"), has("VK_KHR_shader_subgroup_extended_types")
	if has(controlsExtension) {
		c.controls.sType = typeFloatControlsProperties
		dl.Call(i.vk.Properties2, physical, uintptr(unsafe.Pointer(&properties2{sType: typeProperties2, next: unsafe.Pointer(&c.controls)})))
	}
	const bytesExtension, atomicsExtension = "VK_KHR_8bit_storage", "VK_KHR_shader_atomic_int64"
	const sizeExtension = "VK_EXT_subgroup_size_control"
	sizeIsCore := p.apiVersion >= version(1, 3)
	sizes := sizeIsCore || available[sizeExtension]
	matrices := p.apiVersion >= version(1, 3) && available[matricesExtension] && i.vk.Matrices != 0
	brain := matrices && available[bfloat16Extension]
	c.enabled.chain(timeline, float16, has(bytesExtension), has(atomicsExtension), types, sizes, modern, matrices, brain)
	dl.Call(i.vk.Features2, physical, uintptr(unsafe.Pointer(&c.enabled.core)))
	family, ok := i.computeFamily(physical, c)
	if !ok || !timeline || c.enabled.timeline.enabled == 0 {
		return nil, nil
	}
	c.family = family
	for _, extension := range []string{"VK_KHR_timeline_semaphore", "VK_KHR_shader_float16_int8", bytesExtension, atomicsExtension, "VK_KHR_shader_subgroup_extended_types", controlsExtension} {
		if !modern && available[extension] {
			c.extensions = append(c.extensions, extension)
		}
	}
	if sizes && !sizeIsCore {
		c.extensions = append(c.extensions, sizeExtension)
	}
	if matrices {
		c.extensions = append(c.extensions, matricesExtension)
	}
	if brain {
		c.extensions = append(c.extensions, bfloat16Extension)
	}
	if available[hostExtension] && (p.deviceType == physicalDeviceTypeIntegrated || p.deviceType == physicalDeviceTypeCPU) {
		c.extensions = append(c.extensions, hostExtension)
		host := &externalHostProperties{sType: typeExternalHostProperties}
		dl.Call(i.vk.Properties2, physical, uintptr(unsafe.Pointer(&properties2{sType: typeProperties2, next: unsafe.Pointer(host)})))
		c.sharing = host.alignment
	}
	if available["VK_KHR_portability_subset"] {
		c.extensions = append(c.extensions, "VK_KHR_portability_subset")
	}
	c.budget = available["VK_EXT_memory_budget"]
	dl.Call(i.vk.MemoryProperties, physical, uintptr(unsafe.Pointer(&c.memory)))
	c.describe(p, subgroup, driverText)
	if sizes {
		i.subgroupSizes(physical, c)
	}
	if matrices {
		if err := i.matrices(physical, c); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// subgroupSizes finds the sizes that kernels can request.
func (i *instance) subgroupSizes(physical uintptr, c *candidate) {
	sizes := &subgroupSizeProperties{sType: typeSubgroupSizeProperties}
	dl.Call(i.vk.Properties2, physical, uintptr(unsafe.Pointer(&properties2{sType: typeProperties2, next: unsafe.Pointer(sizes)})))
	if c.enabled.size.control != 0 && sizes.stages&stageCompute != 0 {
		c.info.SubgroupSizes = [2]uint32{sizes.smallest, sizes.largest}
		c.maxSubgroups = sizes.maxWorkgroupSubgroups
	}
}

// computeFamily chooses a queue family for compute: the first, which on every
// driver known is the one with graphics beside it and the best scheduling.
func (i *instance) computeFamily(physical uintptr, c *candidate) (uint32, bool) {
	var count uint32
	dl.Call(i.vk.QueueFamilies, physical, uintptr(unsafe.Pointer(&count)), 0)
	families := make([]queueFamilyProperties, count+1)
	dl.Call(i.vk.QueueFamilies, physical, uintptr(unsafe.Pointer(&count)), uintptr(unsafe.Pointer(&families[0])))
	for index, family := range families[:count] {
		if family.flags&queueCompute != 0 && family.count > 0 {
			c.timestampBits, c.graphics = family.timestampBits, family.flags&queueGraphics != 0
			return uint32(index), true
		}
	}
	return 0, false
}

// vendorNVIDIA is NVIDIA's number with the PCI-SIG. Its driver 580 gives 0 for
// OpArrayLength in buffers of 2^31 bytes and more.
const vendorNVIDIA = 0x10DE

// coreFeatures are those of VkPhysicalDeviceFeatures that are enabled where the
// device has them, with the names by which kernels require them.
var coreFeatures = []struct {
	index int
	name  abi.Feature
}{
	{featureRobustBufferAccess, ""},
	{featureFloat64, abi.Float64},
	{featureInt64, abi.Int64},
	{featureImageGatherExtended, ""},
	{featureImageCubeArray, abi.CubeArrays},
	{featureStorageExtendedFormats, abi.StorageFormats},
	{featureStorageReadAnyFormat, abi.StorageReadWithoutFormat},
	{featureStorageWriteAnyFormat, abi.StorageWriteWithoutFormat},
}

// mesaDrivers are Mesa's drivers (VkDriverId): RADV, ANV, llvmpipe, Turnip, V3DV, PanVK, Venus,
// Dozen, NVK, PowerVR and Honeykrisp. NVIDIA's is 4.
var mesaDrivers = []uint32{3, 6, 13, 18, 19, 20, 22, 23, 24, 25, 26}

const driverNVIDIA = 4

// compilerOf returns driver.Info's Compiler and CompilerVersion. NVIDIA packs versions in its own
// way, Mesa as Vulkan does (VK_MAKE_VERSION). A device of Vulkan 1.1 need not name its driver.
func compilerOf(id uint32, p *physicalDeviceProperties) (string, uint32) {
	v := p.driverVersion
	switch {
	case id == driverNVIDIA, id == 0 && p.vendor == vendorNVIDIA:
		return "nvidia", v>>22*1_000_000 + v>>14&0xff*1_000 + v>>6&0xff
	case slices.Contains(mesaDrivers, id):
		return "mesa", v>>22*1_000_000 + v>>12&0x3ff*1_000 + v&0xfff
	case id == 0:
		return "", 0
	}
	return "other", 0
}

// describe fills the public description and trims the features to those that
// kernels may use.
func (c *candidate) describe(p *physicalDeviceProperties, subgroup *subgroupProperties, driverText string) {
	kind := driver.GPU
	if p.deviceType == physicalDeviceTypeCPU {
		kind = driver.Software
	}
	l := &c.limits
	c.info = driver.Info{
		Driver:          "vulkan",
		Name:            dl.Text(p.name[:]),
		Kind:            kind,
		Target:          abi.SPIRV,
		SubgroupSize:    subgroup.size,
		MaxWorkgroup:    l.maxWorkgroupSize,
		MaxInvocations:  l.maxWorkgroupInvocations,
		MaxGrid:         l.maxWorkgroupCount,
		WorkgroupBytes:  l.maxSharedMemory,
		MaxBufferBytes:  min(uint64(l.maxStorageBufferRange)&^3, c.maxAllocation),
		OffsetAlignment: uint32(max(l.minStorageOffsetAlignment, l.minUniformOffsetAlignment, 4)),
		Version:         fmt.Sprintf("Vulkan %d.%d.%d%s", p.apiVersion>>22&0x7f, p.apiVersion>>12&0x3ff, p.apiVersion&0xfff, driverText),
	}
	c.info.Hardware.Vendor = driver.Vendor(p.vendor)
	// the versions of SPIR-V that Vulkan's take (Vulkan, "Vulkan Environment for SPIR-V")
	switch {
	case p.apiVersion >= version(1, 3):
		c.info.Profile = 0x10600
	case p.apiVersion >= version(1, 2):
		c.info.Profile = 0x10500
	default:
		c.info.Profile = 0x10300
	}
	if p.vendor == vendorNVIDIA {
		c.info.MaxCountedBytes = 1<<31 - 4
	}
	for index := range c.memory.heapCount {
		if heap := c.memory.heaps[index]; heap.flags&memoryDeviceLocal != 0 {
			c.info.Memory = max(c.info.Memory, heap.size)
		}
	}
	e := &c.enabled
	if e.float16.float16 != 0 && e.storage.storageBuffer != 0 && e.storage.uniformAndStorage != 0 {
		c.info.Features = append(c.info.Features, abi.Float16)
	}
	if e.core.features[featureInt16] != 0 && e.storage.storageBuffer != 0 {
		c.info.Features = append(c.info.Features, abi.Int16)
	}
	if e.float16.int8 != 0 && e.bytes.storageBuffer != 0 {
		c.info.Features = append(c.info.Features, abi.Int8)
	}
	c.info.Compiler, c.info.CompilerVersion = compilerOf(c.driver, p)
	c.info.Inexact = c.inexact()
	if e.atomics.buffer != 0 && e.atomics.shared != 0 {
		c.info.Features = append(c.info.Features, abi.Int64Atomics)
	}
	for _, f := range coreFeatures {
		if f.name != "" && e.core.features[f.index] != 0 {
			c.info.Features = append(c.info.Features, f.name)
		}
	}
	if subgroup.stages&stageCompute != 0 && subgroup.operations&subgroupOperations == subgroupOperations {
		c.info.Features = append(c.info.Features, abi.Subgroups)
	}
	var wanted features
	for _, f := range coreFeatures {
		wanted[f.index] = e.core.features[f.index]
	}
	wanted[featureInt16] = e.core.features[featureInt16]
	e.core.features = wanted
	// With the memory model, modules that do not use it need this feature for the scope Device, too
	// (VUID-RuntimeSpirv-vulkanMemoryModel-06265).
	if e.matrices.matrix == 0 || e.model.deviceScope == 0 {
		e.matrices.matrix, e.model.model, e.model.deviceScope = 0, 0, 0
	}
	if e.matrices.matrix == 0 || e.brain.types == 0 || e.brain.matrix == 0 {
		e.brain.types, e.brain.matrix = 0, 0
	}
	e.model.chains, e.matrices.robust, e.brain.dot = 0, 0, 0
	e.storage.pushConstant, e.storage.inputOutput = 0, 0
	e.bytes.uniformAndStorage, e.bytes.pushConstant = 0, 0
}
