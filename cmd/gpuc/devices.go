package main

import (
	"fmt"
	"slices"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/cli"
	"github.com/gpuc/gpuc/runtime/driver"
	"github.com/gpuc/gpuc/runtime/gpu"
)

var devicesCommand = cli.Command{
	Name:    "devices",
	Run:     runDevices,
	Summary: "list the devices that kernels can run on",
	Help: `
Lists the GPUs that CUDA and Vulkan find, software devices, and the CPU, with the names for
-device. A driver that is not installed has no devices. Lines below a device say what
-math=strict cannot make exact on it.

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
	// Inexact lists what -math=strict cannot make exact on the device.
	Inexact []string `json:"inexact,omitempty"`
}

func runDevices(e *cli.Env, args []string) error {
	f := e.NewFlags()
	if err := e.ParseFlags(f, args); err != nil {
		return err
	}
	infos, err := gpu.Devices()
	results := deviceResults{Devices: []deviceForm{}}
	for _, i := range infos {
		results.Devices = append(results.Devices, deviceForm{i.ID(), i.Driver, i.Index, i.Name, i.Kind.String(), string(i.Target), i.Memory, i.SubgroupSize, i.Version, i.Inexact})
	}
	e.SetResults(results)
	for _, info := range infos {
		fmt.Fprintf(e.Stdout, "%-12s %-8s %s", info.ID(), info.Kind, info.Name)
		if info.Memory > 0 {
			fmt.Fprintf(e.Stdout, ", %.1f GiB", float64(info.Memory)/(1<<30))
		}
		fmt.Fprintf(e.Stdout, ", subgroups of %d, target %s", info.SubgroupSize, info.Target)
		if info.Version != "" {
			fmt.Fprintf(e.Stdout, ", %s", info.Version)
		}
		fmt.Fprintln(e.Stdout)
		for _, s := range info.Inexact {
			fmt.Fprintf(e.Stdout, "%12s -math=strict: %s\n", "", s)
		}
	}
	if !slices.ContainsFunc(infos, func(i gpu.Info) bool { return i.Kind == driver.GPU }) {
		fmt.Fprintln(e.Stdout, "There is no GPU here; `gpuc run` uses the CPU and says so.")
	}
	return err
}
