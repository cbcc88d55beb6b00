// Package devices opens the device that -device names.
package devices

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/textfmt"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/usage"
	"github.com/gpuc/gpuc/runtime/driver"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// HasDriver reports whether a name begins with that of a driver, so that there could be such a
// device.
func HasDriver(name string) bool {
	driver, _, _ := strings.Cut(name, ":")
	return slices.Contains([]string{"auto", gpu.CPU, gpu.Vulkan, gpu.CUDA, gpu.ROCm, gpu.Metal}, driver)
}

// Open opens the device with a name. For "auto" that is the first GPU, or the CPU if there is none,
// and the note says so. A software device of Vulkan is not taken for a GPU.
func Open(name string) (device *gpu.Device, note string, err error) {
	if err := CheckByteOrder(binary.NativeEndian); err != nil {
		return nil, "", err
	}
	if name != "auto" {
		device, err := gpu.Open(gpu.Named(name))
		if errors.Is(err, gpu.ErrNoDevice) {
			driver, _, _ := strings.Cut(name, ":")
			drivers := []string{"auto", gpu.CPU, gpu.Vulkan, gpu.CUDA}
			// of which there is none, or no device of this number
			if slices.Contains(drivers, driver) {
				drivers = nil
			}
			return nil, "", fmt.Errorf("%w%s", err, usage.DidYouMean(driver, drivers, "; `gpuc devices` lists what is here"))
		}
		return device, "", err
	}
	device, err = gpu.Open()
	if errors.Is(err, gpu.ErrNoDevice) {
		note = "no GPU found; running on the CPU"
		device, err = gpu.Open(gpu.Named(gpu.CPU))
	}
	return device, note, err
}

// CheckByteOrder returns an error on big-endian machines. The data in files, and in requests to
// gpuc serve, is little-endian, and kernels on the CPU read it as the machine does.
func CheckByteOrder(native binary.ByteOrder) error {
	if native.Uint16([]byte{1, 0}) == 1 {
		return nil
	}
	return errors.New("this machine's processor is big-endian, and what is bound to buffers has its bytes in the other order; `gpuc build` makes the same code here as elsewhere, to be run on another machine")
}

// slowRun is the time of a run on the interpreter from which on SlowNote suggests another device.
const slowRun = 200 * time.Millisecond

// SlowNote suggests a software device of Vulkan after a long run on the CPU device, or returns "".
// It does so only if the CPU device was not chosen by name and makes no machine code on this
// machine.
func SlowNote(chosen string, on gpu.Info, took time.Duration, compiles bool, devices func() ([]gpu.Info, error)) string {
	if chosen != "auto" || on.Driver != gpu.CPU || took < slowRun || compiles {
		return ""
	}
	infos, _ := devices()
	for _, info := range infos {
		if info.Kind == driver.Software {
			return fmt.Sprintf("%s (%s) compiles kernels for this machine's processor, and may be faster for runs of more than %s: -device %s",
				info.ID(), info.Name, textfmt.Duration(slowRun), info.ID())
		}
	}
	return ""
}
