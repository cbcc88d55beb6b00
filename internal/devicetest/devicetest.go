// Package devicetest opens the devices that tests of compiled code run on.
package devicetest

import (
	"testing"

	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/gpu/gputest"
)

// Devices opens all devices that take a target's code, software ones too, until
// the test ends. It skips the test if there is none.
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
		t.Skipf("skipped: no device for %s is found (lavapipe, of Debian's mesa-vulkan-drivers, takes spirv)", target)
	}
	return devices
}
