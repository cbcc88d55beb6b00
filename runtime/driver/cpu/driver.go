// Package cpu is the driver that runs kernels on this machine's processor. It has two devices. One
// uses all cores and runs each kernel in the highest tier that takes it (tier.go). The other is the
// checked interpreter, whose launches fail with a *Report if they do what WGSL calls an error.
//
// Device memory is host memory, and the host's clock is the device's.
package cpu

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"

	"github.com/gpuc/gpuc/ir/interp"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/driver"
)

// The devices' indices.
const (
	Defined = iota // the CPU device
	Checked        // the checked interpreter
	devices
)

// Driver is the CPU driver. The zero value is ready.
type Driver struct {
	// Fuel limits the instructions that an invocation executes in loops; 0 means the default of
	// interp.Launch.
	Fuel uint64
	// SubgroupSize is the subgroup size of kernels that request none; 0 means
	// interp.DefaultSubgroupSize.
	SubgroupSize int
	// Tier is the highest tier to execute kernels in; see Variable.
	Tier Tier
}

// Name returns "cpu".
func (*Driver) Name() string { return "cpu" }

// Devices lists the interpreter and the checked interpreter.
func (d *Driver) Devices() ([]driver.Info, error) {
	tier, err := d.highest()
	if err != nil {
		return nil, err
	}
	return []driver.Info{d.info(Defined, tier), d.info(Checked, Interpreter)}, nil
}

// Open opens the device with this index.
func (d *Driver) Open(index int) (driver.Device, error) {
	if index < 0 || index >= devices {
		return nil, fmt.Errorf("cpu: %w: there is no device %d", driver.ErrUnsupported, index)
	}
	tier, err := d.highest()
	if err != nil {
		return nil, err
	}
	return newDevice(d, index, tier), nil
}

// Limits that the interpreter does not need but kernels are held to, so that a
// kernel that runs here fits a device that WebGPU knows.
const (
	maxInvocations    = 1024
	maxWorkgroupBytes = 1 << 20
)

func (d *Driver) info(index int, tier Tier) driver.Info {
	tier = possible(tier)
	model, cores, memory := processor(), runtime.GOMAXPROCS(0), physicalMemory()
	name, label, target := fmt.Sprintf("%s, %d × %s", model, cores, tiers[tier].words), "", abi.CPU
	if index == Checked {
		name, label, target = model+", checked interpreter", "checked", abi.Checked
	}
	lanes := d.SubgroupSize
	if lanes == 0 {
		lanes = interp.DefaultSubgroupSize
	}
	largest := memory
	if largest == 0 {
		largest = 1 << 32
	}
	if strconv.IntSize == 32 {
		largest = min(largest, 1<<30)
	}
	return driver.Info{
		Driver: "cpu", Index: index, Label: label, Name: name, Kind: driver.CPU, Target: target,
		Memory: memory, SubgroupSize: uint32(lanes), SubgroupSizes: [2]uint32{1, interp.MaxSubgroupSize},
		MaxWorkgroup: [3]uint32{maxInvocations, maxInvocations, maxInvocations}, MaxInvocations: maxInvocations,
		MaxGrid: [3]uint32{1<<31 - 1, 65535, 65535}, WorkgroupBytes: maxWorkgroupBytes,
		MaxBufferBytes: largest, OffsetAlignment: 4,
		Features: []abi.Feature{abi.Float16, abi.Float64, abi.Int8, abi.Int16, abi.Int64, abi.Int64Atomics, abi.Subgroups},
		Version:  "gpuc, " + runtime.Version(),
		Hardware: hardware(),
	}
}

// processor returns the processor's name where the system tells it, which is on
// Linux, and else its architecture.
func processor() string {
	if model := procField("/proc/cpuinfo", "model name"); model != "" {
		return model
	}
	return runtime.GOARCH
}

// physicalMemory returns the machine's memory in bytes, or 0 where the system
// does not tell.
func physicalMemory() uint64 { return memoryField("MemTotal") }

// memoryField returns a field of /proc/meminfo in bytes, or 0.
func memoryField(field string) uint64 {
	kilobytes, _, _ := strings.Cut(procField("/proc/meminfo", field), " ")
	n, err := strconv.ParseUint(kilobytes, 10, 64)
	if err != nil {
		return 0
	}
	return n << 10
}

// procField returns the value of the first line "field: value" of a file.
func procField(path, field string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if name, value, found := strings.Cut(lines.Text(), ":"); found && strings.TrimSpace(name) == field {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
