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

// This file finds the device that a kernel runs on, and lists those that there are.

// HasDriver reports whether there is a driver of a device's name, so that the device may be on
// another machine.
func HasDriver(name string) bool {
	driver, _, _ := strings.Cut(name, ":")
	return slices.Contains([]string{"auto", gpu.CPU, gpu.Vulkan, gpu.CUDA, gpu.ROCm, gpu.Metal}, driver)
}

// Open opens what -device names. Auto prefers a GPU, whatever the kernel has: the targets of
// all devices have textures. A software device such as lavapipe is none. The note says what is done
// for want of one, and is for when nothing is wrong with the command line.
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

// CheckByteOrder returns an error on machines that have the bytes of a number in another order than files
// and GPUs, where the interpreter would take the numbers of buffers for others. A program that
// uploads numbers of its own has no such problem.
func CheckByteOrder(native binary.ByteOrder) error {
	if native.Uint16([]byte{1, 0}) == 1 {
		return nil
	}
	return errors.New("this machine's processor is big-endian, and what is bound to buffers has its bytes in the other order; `gpuc build` makes the same code here as elsewhere, to be run on another machine")
}

// slowRun is how long a run on the interpreter takes before it is said that something else may be
// faster.
const slowRun = 200 * time.Millisecond

// SlowNote says, of a long run on the CPU that nobody asked for by name, which software device
// there is: where the CPU device makes no machine code, what compiles kernels may be faster, once a
// run takes longer than compiling.
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
