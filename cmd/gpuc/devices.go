package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

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
-device. A driver that is not installed has no devices. Lines below a device say what it is made
of and has, as far as its driver tells, and what -math=strict cannot make exact on it.

  gpuc devices
  gpuc devices -free                   also how much of their memory is free
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
	// What follows is left out where the driver does not tell it. Clocks are the highest, in Hz.
	Vendor         string   `json:"vendor,omitempty"`
	Units          uint32   `json:"units,omitempty"`
	UnitName       string   `json:"unitName,omitempty"` // "multiprocessor"
	Clock          uint64   `json:"clock,omitempty"`
	MemoryClock    uint64   `json:"memoryClock,omitempty"`
	BusWidth       uint32   `json:"busWidth,omitempty"`       // bits
	Cache          uint64   `json:"cache,omitempty"`          // bytes
	Matrices       []string `json:"matrices,omitempty"`       // types of elements
	Instructions   []string `json:"instructions,omitempty"`   // of a CPU
	Features       []string `json:"features,omitempty"`       // that kernels may require
	BytesPerSecond float64  `json:"bytesPerSecond,omitempty"` // at most
	FlopsPerSecond float64  `json:"flopsPerSecond,omitempty"` // at most, on f32
	Free           uint64   `json:"free,omitempty"`           // bytes, with -free
}

// formOf describes a device, of whose memory some is free.
func formOf(i *gpu.Info, free uint64) deviceForm {
	h, peak := &i.Hardware, driver.PeakOf(i)
	features := make([]string, len(i.Features))
	for n, f := range i.Features {
		features[n] = string(f)
	}
	return deviceForm{i.ID(), i.Driver, i.Index, i.Name, i.Kind.String(), string(i.Target), i.Memory, i.SubgroupSize, i.Version, i.Inexact,
		h.Vendor, h.Units, h.UnitName, h.Clock, h.MemoryClock, h.BusWidth, h.Cache, h.Matrices, h.Instructions, features,
		peak.BytesPerSecond, peak.FlopsPerSecond, free}
}

// freeOf returns how much memory of a device is free, or 0 if that is not known.
func freeOf(i *gpu.Info) (uint64, error) {
	d, err := gpu.Open(gpu.Named(i.ID()))
	if err != nil {
		return 0, err
	}
	free, err := d.FreeMemory()
	if errors.Is(err, gpu.ErrUnsupported) {
		free, err = 0, nil
	}
	return free, errors.Join(err, d.Close())
}

func runDevices(e *cli.Env, args []string) error {
	f := e.NewFlags()
	free := f.Bool("free", false, "open each device, and say how much of its memory is free")
	if err := e.ParseFlags(f, args); err != nil {
		return err
	}
	infos, err := gpu.Devices()
	results := deviceResults{Devices: []deviceForm{}}
	for n := range infos {
		bytes := uint64(0)
		if *free {
			var failure error
			bytes, failure = freeOf(&infos[n])
			err = errors.Join(err, failure)
		}
		results.Devices = append(results.Devices, formOf(&infos[n], bytes))
	}
	e.SetResults(results)
	for n, info := range infos {
		form := &results.Devices[n]
		fmt.Fprintf(e.Stdout, "%-12s %-8s %s", info.ID(), info.Kind, info.Name)
		if info.Memory > 0 {
			fmt.Fprintf(e.Stdout, ", %.1f GiB", float64(info.Memory)/(1<<30))
		}
		if form.Free > 0 {
			fmt.Fprintf(e.Stdout, " of which %.1f are free", float64(form.Free)/(1<<30))
		}
		fmt.Fprintf(e.Stdout, ", subgroups of %d, target %s", info.SubgroupSize, info.Target)
		if info.Version != "" {
			fmt.Fprintf(e.Stdout, ", %s", info.Version)
		}
		fmt.Fprintln(e.Stdout)
		if text := info.Hardware.String(); text != "" {
			fmt.Fprintf(e.Stdout, "%12s %s\n", "", text)
		}
		if len(form.Features) > 0 {
			fmt.Fprintf(e.Stdout, "%12s features %s\n", "", strings.Join(form.Features, " "))
		}
		for _, s := range info.Inexact {
			fmt.Fprintf(e.Stdout, "%12s -math=strict: %s\n", "", s)
		}
	}
	if !slices.ContainsFunc(infos, func(i gpu.Info) bool { return i.Kind == driver.GPU }) {
		fmt.Fprintln(e.Stdout, "There is no GPU here; `gpuc run` uses the CPU and says so.")
	}
	return err
}
