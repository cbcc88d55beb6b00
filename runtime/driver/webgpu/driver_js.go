package webgpu

import (
	"fmt"
	"strings"
	"sync"
	"syscall/js"

	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/driver"
)

// Driver finds the browser's adapter. There is one device.
type Driver struct {
	mutex   sync.Mutex
	asked   bool
	adapter js.Value // null if there is none
	absent  error
}

// Name implements driver.Driver.
func (d *Driver) Name() string { return "webgpu" }

// find asks the browser for an adapter, once.
func (d *Driver) find() error {
	if d.asked {
		return nil
	}
	gpu := js.Global().Get("navigator")
	if gpu.Truthy() {
		gpu = gpu.Get("gpu")
	}
	if !gpu.Truthy() {
		d.asked, d.absent = true, fmt.Errorf("there is no navigator.gpu; WebGPU takes a browser that has it, and a page from https or localhost")
		return nil
	}
	adapter, err := await(gpu.Call("requestAdapter", object(map[string]any{"powerPreference": "high-performance"})))
	if err != nil {
		return failed("ask for an adapter", err)
	}
	d.asked, d.adapter = true, adapter
	if !adapter.Truthy() {
		d.absent = fmt.Errorf("the browser has no adapter for WebGPU")
	}
	return nil
}

// Devices implements driver.Driver.
func (d *Driver) Devices() ([]driver.Info, error) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if err := d.find(); err != nil || d.absent != nil {
		return nil, err
	}
	return []driver.Info{describe(d.adapter)}, nil
}

// Absent implements driver.Absent.
func (d *Driver) Absent() error {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	return d.absent
}

// features are those of WebGPU (§24, "Feature Index") that kernels may require.
var features = [...]struct {
	name string
	is   abi.Feature
}{
	{"shader-f16", abi.Float16},
	{"subgroups", abi.Subgroups},
}

// limits are those that are asked of the browser, as large as it has them (WebGPU §3.6.2,
// "Limits"). A device has small ones otherwise.
var limits = [...]string{
	"maxBufferSize", "maxStorageBufferBindingSize", "maxUniformBufferBindingSize", "maxStorageBuffersPerShaderStage", "maxUniformBuffersPerShaderStage",
	"maxBindGroups", "maxBindingsPerBindGroup", "maxComputeWorkgroupStorageSize", "maxComputeInvocationsPerWorkgroup",
	"maxComputeWorkgroupSizeX", "maxComputeWorkgroupSizeY", "maxComputeWorkgroupSizeZ", "maxComputeWorkgroupsPerDimension", "maxImmediateSize",
}

// describe describes an adapter.
func describe(adapter js.Value) driver.Info {
	limits, about := adapter.Get("limits"), adapter.Get("info")
	limit := func(name string) uint64 {
		if v := limits.Get(name); v.Type() == js.TypeNumber {
			return uint64(v.Float())
		}
		return 0
	}
	groups := uint32(limit("maxComputeWorkgroupsPerDimension"))
	i := driver.Info{
		Driver: "webgpu", Kind: driver.GPU, Target: abi.WGSL, Version: "WebGPU",
		MaxInvocations: uint32(limit("maxComputeInvocationsPerWorkgroup")), MaxGrid: [3]uint32{groups, groups, groups},
		WorkgroupBytes: uint32(limit("maxComputeWorkgroupStorageSize")), MaxBufferBytes: min(limit("maxBufferSize"), limit("maxStorageBufferBindingSize")),
		OffsetAlignment: uint32(max(limit("minStorageBufferOffsetAlignment"), limit("minUniformBufferOffsetAlignment"))),
	}
	for n, axis := range [...]string{"X", "Y", "Z"} {
		i.MaxWorkgroup[n] = uint32(limit("maxComputeWorkgroupSize" + axis))
	}
	var words []string
	for _, member := range [...]string{"description", "vendor", "architecture", "device"} {
		if v := about.Get(member); v.Type() == js.TypeString && v.String() != "" {
			words = append(words, v.String())
		}
	}
	if i.Name = strings.Join(words, " "); i.Name == "" {
		i.Name = "adapter of the browser"
	}
	if v := about.Get("isFallbackAdapter"); v.Truthy() || strings.Contains(i.Name, "swiftshader") {
		i.Kind = driver.Software
	}
	for _, f := range features {
		if adapter.Get("features").Call("has", f.name).Bool() {
			i.Features = append(i.Features, f.is)
		}
	}
	if smallest := about.Get("subgroupMinSize"); smallest.Type() == js.TypeNumber {
		i.SubgroupSize = uint32(smallest.Int())
	}
	return i
}

// Open implements driver.Driver.
func (d *Driver) Open(index int) (driver.Device, error) {
	list, err := d.Devices()
	if err != nil {
		return nil, err
	}
	if index < 0 || index >= len(list) {
		return nil, fmt.Errorf("webgpu: %w: there is no device %d", driver.ErrUnsupported, index)
	}
	d.mutex.Lock()
	adapter := d.adapter
	d.adapter, d.asked = js.Null(), false // it gives one device (WebGPU §4.3, "consumed")
	d.mutex.Unlock()
	wanted, most := map[string]any{}, adapter.Get("limits")
	for _, name := range limits {
		if v := most.Get(name); v.Type() == js.TypeNumber {
			wanted[name] = v
		}
	}
	var names []any
	for _, f := range features {
		if adapter.Get("features").Call("has", f.name).Bool() {
			names = append(names, f.name)
		}
	}
	made, err := await(adapter.Call("requestDevice", object(map[string]any{"requiredLimits": wanted, "requiredFeatures": names})))
	if err != nil {
		return nil, failed("open a device", err)
	}
	return newDevice(list[0], made), nil
}
