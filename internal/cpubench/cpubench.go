// Package cpubench compares the executors of kernels on a processor: the tiers of the CPU device,
// software Vulkan drivers, and plain Go. It measures the processor time of the process for one
// dispatch, which other programs disturb less than wall time. All ways are measured in each round.
// Each result is compared with Go's.
//
//	CGO_ENABLED=0 go run ./internal/cpubench/run
package cpubench

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/all"
	"github.com/gpuc/gpuc/frontend"
	"github.com/gpuc/gpuc/internal/peak"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/driver"
	"github.com/gpuc/gpuc/runtime/driver/cpu"
	"github.com/gpuc/gpuc/runtime/driver/vulkan"
)

// Options configure Run.
type Options struct {
	Folder string // of the kernels
	Rounds int
	Small  bool // the sizes of tests
	// Interpreter adds the interpreter, which takes minutes.
	Interpreter bool
	Only        []string
	Ways        []string // some of the ways, beside Go
}

// unchecked is the highest tier without bounds checks.
const unchecked = "unchecked"

// way is an executor of a kernel.
type way struct {
	name string
	// run dispatches once and waits.
	run func() error
	// result reads the output of a dispatch.
	result func() ([]uint32, error)
	close  func()
	note   string
	times  []time.Duration
	best   time.Duration // on the wall
}

// Run measures the kernels and prints a table: the median and minimum of the processor times in
// milliseconds, and the speedup of the median over the first software Vulkan.
func Run(w io.Writer, o *Options) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "kernel\tway\tprocessor ms\tleast ms\twall ms\tagainst Vulkan\tagainst Go\t")
	for n := range kernels {
		k := &kernels[n]
		if len(o.Only) > 0 && !slices.Contains(o.Only, k.name) {
			continue
		}
		if err := k.measure(table, o); err != nil {
			return fmt.Errorf("%s: %w", k.name, err)
		}
	}
	return table.Flush()
}

func (k *kernel) measure(table io.Writer, o *Options) error {
	size := k.size
	if o.Small {
		size = k.small
	}
	inputs := k.inputs(size)
	goes := &way{name: "go"}
	want := make([]uint32, k.outputs(size))
	goes.run = func() error {
		k.run(size, inputs, want)
		return nil
	}
	goes.result = func() ([]uint32, error) { return want, nil }
	ways := []*way{goes}
	var drivers []driver.Driver
	var names []string
	for _, tier := range tiers() {
		if tier != cpu.Interpreter || o.Interpreter || o.Small {
			drivers, names = append(drivers, &cpu.Driver{Tier: tier}), append(names, tier.String())
		}
	}
	drivers, names = append(drivers, &cpu.Driver{Tier: cpu.JIT}, new(vulkan.Driver)), append(names, unchecked, "vulkan")
	for n, d := range drivers {
		if len(o.Ways) > 0 && !slices.Contains(o.Ways, names[n]) {
			continue
		}
		x, err := k.prepare(d, names[n], o.Folder, size, inputs)
		if err != nil {
			fmt.Fprintf(table, "%s\t%s\t%v\t\t\t\t\t\n", k.name, names[n], err)
			continue
		}
		defer x.close()
		ways = append(ways, x)
	}
	for round := range o.Rounds + 1 { // the first one compiles and warms up
		for _, x := range ways {
			var err error
			start := time.Now()
			spent := peak.Processor(func() { err = x.run() })
			if err != nil {
				return fmt.Errorf("%s: %w", x.name, err)
			}
			if t := time.Since(start); round > 0 {
				x.times = append(x.times, spent)
				if x.best == 0 || t < x.best {
					x.best = t
				}
			}
		}
	}
	median := func(x *way) float64 {
		slices.Sort(x.times)
		return x.times[len(x.times)/2].Seconds() * 1e3
	}
	var vulkanTime float64
	for _, x := range ways {
		if x.name == "vulkan" {
			vulkanTime = median(x)
		}
	}
	for _, x := range ways {
		got, err := x.result()
		if err != nil {
			return fmt.Errorf("%s: %w", x.name, err)
		}
		if at := k.differs(got, want); at >= 0 {
			return fmt.Errorf("%s: element %d is %#x, expected %#x", x.name, at, got[at], want[at])
		}
		m := median(x)
		fmt.Fprintf(table, "%s\t%s\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%s\n", k.name, x.name, m, x.times[0].Seconds()*1e3, x.best.Seconds()*1e3, vulkanTime/m, median(goes)/m, x.note)
	}
	return nil
}

// prepare compiles and loads a kernel for the first device of a driver.
func (k *kernel) prepare(d driver.Driver, name, folder string, size int, inputs [][]uint32) (*way, error) {
	device, err := d.Open(0)
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(folder, k.name+".wgsl"))
	if err != nil {
		return nil, err
	}
	var set source.Set
	var list diag.List
	file, err := set.Add(k.name+".wgsl", string(text))
	if err != nil {
		return nil, err
	}
	m, err := frontend.Load(&set, file, frontend.Options{}, &list)
	if err != nil || m == nil {
		return nil, fmt.Errorf("%w: %v", err, list.Items())
	}
	options := codegen.Options{Math: k.math, Coarse: true}
	if name == unchecked {
		options.Bounds = opt.BoundsOff
	}
	artefact := codegen.Compile(m, "main", all.Lookup(string(device.Info().Target)), &options, &list)
	if artefact == nil {
		return nil, fmt.Errorf("it does not compile: %v", list.Items())
	}
	stream, err := device.NewStream()
	if err != nil {
		return nil, err
	}
	given := abi.LaunchValues{Grid: k.grid(size)}
	launch := driver.Launch{Grid: given.Grid}
	buffers := append(slices.Clone(inputs), make([]uint32, k.outputs(size)))
	for _, b := range artefact.Kernel.Bindings {
		words := buffers[b.Binding]
		memory, err := device.Alloc(uint64(4 * len(words)))
		if err != nil {
			return nil, err
		}
		slice := driver.Slice{Memory: memory, Bytes: memory.Bytes()}
		data := make([]byte, 0, 4*len(words))
		for _, word := range words {
			data = binary.LittleEndian.AppendUint32(data, word)
		}
		if err := stream.Write(slice, data); err != nil {
			return nil, err
		}
		launch.Bindings, given.Sizes = append(launch.Bindings, slice), append(given.Sizes, slice.Bytes)
	}
	if grid, ok := artefact.Coarse.Grid(&given); ok { // as package gpu does
		artefact, launch.Grid = artefact.Coarse.Artefact, grid
		launch.Immediates = make([]byte, artefact.Kernel.ImmediateBytes())
		artefact.Kernel.PutExtent(launch.Immediates, given.Grid, given.Extent)
	}
	loaded, err := device.Load(artefact)
	if err != nil {
		return nil, err
	}
	launch.Kernel = loaded
	x := &way{name: name, close: func() { device.Close() }}
	if device.Info().Driver == "cpu" {
		if tier, refused := cpu.TierOf(loaded); name != "" && name != unchecked && tier.String() != name {
			x.note = fmt.Sprintf("in tier %s: %v", tier, refused)
		}
	}
	output := launch.Bindings[len(launch.Bindings)-1]
	x.run = func() error {
		if err := stream.Launch(&launch); err != nil {
			return err
		}
		return stream.Wait(context.Background())
	}
	x.result = func() ([]uint32, error) {
		data := make([]byte, output.Bytes)
		if err := stream.Read(data, output); err != nil {
			return nil, err
		}
		words := make([]uint32, len(data)/4)
		for n := range words {
			words[n] = binary.LittleEndian.Uint32(data[4*n:])
		}
		return words, nil
	}
	return x, nil
}

// differs returns the index of the first wrong element, or -1.
func (k *kernel) differs(got, want []uint32) int {
	first, count := -1, 0
	for n := range want {
		if got[n] != want[n] {
			if count++; first < 0 {
				first = n
			}
		}
	}
	if float64(count) <= k.different*float64(len(want)) {
		return -1
	}
	return first
}

// tiers returns the tiers of the CPU device that this machine supports.
func tiers() (list []cpu.Tier) {
	for n := range cpu.Tiers() {
		list = append(list, cpu.Interpreter+cpu.Tier(n))
	}
	return list
}
