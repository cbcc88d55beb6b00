// Package devicetest opens the devices that tests of compiled code run on.
package devicetest

import (
	"cmp"
	"testing"

	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/gpu/gputest"
)

// takers are the devices that run the targets' code.
var takers = map[abi.Target]string{
	abi.SPIRV:  "a GPU with Vulkan, or lavapipe, of Debian's mesa-vulkan-drivers with libvulkan1",
	abi.PTX:    "a GPU of NVIDIA's and its driver",
	abi.AMDGPU: "a GPU of AMD's and HIP",
	abi.MSL:    "a Mac",
	abi.WGSL:   "a browser, and no driver of package gpu",
}

// Devices opens all devices that run a target's code, software ones too, until the test ends. It
// skips the test if there is none.
func Devices(t testing.TB, target abi.Target) []*gpu.Device {
	t.Helper()
	infos, err := gpu.Devices()
	if err != nil {
		t.Logf("a driver fails: %v", err)
	}
	var devices []*gpu.Device
	for _, info := range infos {
		if info.Target != target {
			continue
		}
		devices = append(devices, gputest.Open(t, gpu.Named(info.ID())))
	}
	if devices == nil {
		t.Skipf("skipped: no device for %s is found (it takes %s)", target, cmp.Or(takers[target], "a machine that has one"))
	}
	return devices
}
