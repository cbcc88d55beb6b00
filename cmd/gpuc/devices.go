package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gpuc/gpuc/runtime/driver"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// This file finds the device that a kernel runs on, and lists those that there are.

// hasDriver reports whether there is a driver of a device's name, so that the device may be on
// another machine.
func hasDriver(name string) bool {
	driver, _, _ := strings.Cut(name, ":")
	return slices.Contains([]string{"auto", gpu.CPU, gpu.Vulkan, gpu.CUDA, gpu.ROCm, gpu.Metal}, driver)
}

// openDevice opens what -device names. Auto prefers a GPU, whatever the kernel has: the targets of
// all devices have textures. A software device such as lavapipe is none. The note says what is done
// for want of one, and is for when nothing is wrong with the command line.
func openDevice(name string) (device *gpu.Device, note string, err error) {
	if err := inOrder(binary.NativeEndian); err != nil {
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
			return nil, "", fmt.Errorf("%w%s", err, didYouMean(driver, drivers, "; `gpuc devices` lists what is here"))
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

// inOrder returns an error on machines that have the bytes of a number in another order than files
// and GPUs, where the interpreter would take the numbers of buffers for others. A program that
// uploads numbers of its own has no such problem.
func inOrder(native binary.ByteOrder) error {
	if native.Uint16([]byte{1, 0}) == 1 {
		return nil
	}
	return errors.New("this machine's processor is big-endian, and what is bound to buffers has its bytes in the other order; `gpuc build` makes the same code here as elsewhere, to be run on another machine")
}

// slowRun is how long a run on the interpreter takes before it is said that something else may be
// faster.
const slowRun = 200 * time.Millisecond

// slowNote says, of a long run on the CPU that nobody asked for by name, which software device
// there is: where the CPU device makes no machine code, what compiles kernels may be faster, once a
// run takes longer than compiling.
func slowNote(chosen string, on gpu.Info, took time.Duration, compiles bool, devices func() ([]gpu.Info, error)) string {
	if chosen != "auto" || on.Driver != gpu.CPU || took < slowRun || compiles {
		return ""
	}
	infos, _ := devices()
	for _, info := range infos {
		if info.Kind == driver.Software {
			return fmt.Sprintf("%s (%s) compiles kernels for this machine's processor, and may be faster for runs of more than %s: -device %s",
				info.ID(), info.Name, duration(slowRun), info.ID())
		}
	}
	return ""
}

var devicesCommand = command{
	name:    "devices",
	run:     runDevices,
	summary: "list the devices that kernels can run on",
	help: `
Lists the GPUs that CUDA and Vulkan find, software devices, and the CPU, with the
name that -device takes. A driver that is not installed has no devices. Below a
device stands what -math=strict does not have on it.

  gpuc devices
  gpuc run -device vulkan:0 …
`,
}

// deviceResults are the results of gpuc devices for -json.
type deviceResults struct {
	Devices []deviceForm `json:"devices"`
}

type deviceForm struct {
	ID           string `json:"id"` // what -device takes
	Driver       string `json:"driver"`
	Index        int    `json:"index"`
	Name         string `json:"name"`
	Kind         string `json:"kind"`
	Target       string `json:"target"`
	Memory       uint64 `json:"memory"` // bytes, 0 if unknown
	SubgroupSize uint32 `json:"subgroupSize"`
	Version      string `json:"version,omitempty"`
	// Inexact says what -math=strict does not have on the device.
	Inexact []string `json:"inexact,omitempty"`
}

func runDevices(e *environment, args []string) error {
	f := e.newFlags()
	if err := e.parseFlags(f, args); err != nil {
		return err
	}
	infos, err := gpu.Devices()
	results := deviceResults{Devices: []deviceForm{}}
	for _, i := range infos {
		results.Devices = append(results.Devices, deviceForm{i.ID(), i.Driver, i.Index, i.Name, i.Kind.String(), string(i.Target), i.Memory, i.SubgroupSize, i.Version, i.Inexact})
	}
	e.answerWith(results)
	for _, info := range infos {
		fmt.Fprintf(e.stdout, "%-12s %-8s %s", info.ID(), info.Kind, info.Name)
		if info.Memory > 0 {
			fmt.Fprintf(e.stdout, ", %.1f GiB", float64(info.Memory)/(1<<30))
		}
		fmt.Fprintf(e.stdout, ", subgroups of %d, target %s", info.SubgroupSize, info.Target)
		if info.Version != "" {
			fmt.Fprintf(e.stdout, ", %s", info.Version)
		}
		fmt.Fprintln(e.stdout)
		for _, s := range info.Inexact {
			fmt.Fprintf(e.stdout, "%12s -math=strict: %s\n", "", s)
		}
	}
	if !slices.ContainsFunc(infos, func(i gpu.Info) bool { return i.Kind == driver.GPU }) {
		fmt.Fprintln(e.stdout, "There is no GPU here; `gpuc run` takes the CPU and says so.")
	}
	return err
}
