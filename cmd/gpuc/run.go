package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/all"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/driver"
	"github.com/gpuc/gpuc/runtime/gpu"
)

var runCommand = command{
	name:    "run",
	summary: "compile a kernel and run it on a GPU or the CPU",
	usage:   "[flags] FILE",
	help: `
Compiles a compute entry point, binds data to its variables, runs it and prints
what it wrote.

  gpuc run saxpy.wgsl -bind x=range(1000) -bind y=zeros(1000) -extent 1000
  gpuc run blur.wgsl -bind image=photo.jpg -bind size=dims(image) \
      -bind result=like(image) -extent 640,480 -out result=blurred.png
  gpuc run matmul.wgsl -device cuda -D tile=16 -bind a=a.npy -bind b=b.npy \
      -bind c=zeros(1048576) -extent 1024,1024 -out c=c.npy -repeat 20
  gpuc run racy.wgsl -device cpu:checked -bind x=zeros(64) -grid 1
  gpuc run off.wgsl -bounds trap -bind x=zeros(64) -extent 100

-bind NAME=SPEC gives a variable its contents. NAME is the variable's name in the
source, or group:binding. SPEC is one of
  file.npy, file.bin      a NumPy array or raw bytes
  file.png, file.jpg      an image as packed RGBA, one u32 a pixel, red lowest
  dims(NAME)              width and height of the image bound to NAME, as two u32
  zeros(N)                N zeros
  range(N)                0, 1, 2, … N-1
  rand(N,SEED)            N random numbers: floats in [0,1), else all 32 bits
  like(NAME)              zeros, as many bytes as NAME has
  1,2,3                   these numbers
N counts scalars: the f32 of an array<f32>, four for each element of an
array<vec4<f32>>. A variable of fixed size may stay unbound and is zero.

Number i of rand(N,SEED) is z = SEED + (i+1)·0x9E3779B97F4A7C15 mod 2^64, mixed as
z ^= z>>30; z *= 0xBF58476D1CE4E5B9; z ^= z>>27; z *= 0x94D049BB133111EB; z ^= z>>31
(SplitMix64); a u32 or i32 is z>>32, a float (z>>40)/2^24. A buffer's checksum is
64-bit FNV-1a of its bytes.

-out NAME=FILE writes a variable's final contents: .npy, .bin, or .png of packed
RGBA; NAME=FILE.png:WxH gives the size, which is otherwise that of a bound image.

-grid counts workgroups, -extent invocations (rounded up to whole workgroups).
-device auto takes the first GPU and says which; without one it takes the CPU and
says so. cpu:checked reports accesses outside of arrays, data races, barriers that
not all invocations reach, and loops that do not end. With -bounds=trap every device
reports the first access outside of an array.
`,
}

func init() { runCommand.run = runRun }

// runFlags is the command line of gpuc run.
type runFlags struct {
	compileFlags
	device       string
	grid, extent string
	binds, outs  listFlag
	repeat       int
	json         bool
}

func runRun(e *environment, args []string) error {
	var r runFlags
	f := runCommand.newFlags()
	r.register(f)
	f.StringVar(&r.device, "device", "auto", "where to run, by `name`: auto, cpu, cpu:checked, vulkan, cuda, or one of gpuc devices")
	f.StringVar(&r.grid, "grid", "", "number of workgroups, `X,Y,Z`")
	f.StringVar(&r.extent, "extent", "", "number of invocations, `X,Y,Z`, rounded up to whole workgroups")
	f.Var(&r.binds, "bind", "`NAME=SPEC` binds data to a variable; repeatable")
	f.Var(&r.outs, "out", "`NAME=FILE` writes a variable's final contents; repeatable")
	f.IntVar(&r.repeat, "repeat", 1, "run `N` times and report the fastest and the median time")
	f.BoolVar(&r.json, "json", false, "print the result as JSON")
	source, err := runCommand.parseFile(e, f, args)
	switch {
	case err != nil:
		return err
	case r.grid != "" && r.extent != "":
		return usagef("-grid and -extent exclude each other")
	case r.repeat < 1:
		return usagef("-repeat wants at least 1")
	}
	options, err := r.options()
	if err != nil {
		return err
	}
	p, err := e.loadReported(source, options.Math)
	if err != nil {
		return err
	}
	device, err := openDevice(e, r.device)
	if err != nil {
		return err
	}
	defer device.Close()
	t := all.Lookup(string(device.Info().Target))
	artefact := codegen.Compile(p.module, r.entry, t, &options, p.list)
	if err := p.report(e); err != nil {
		return err
	}
	return r.launch(e, p, device, artefact)
}

// openDevice opens what -device names. Auto prefers a GPU; a software device
// such as lavapipe is none.
func openDevice(e *environment, name string) (*gpu.Device, error) {
	if name != "auto" {
		device, err := gpu.Open(gpu.Named(name))
		if errors.Is(err, gpu.ErrNoDevice) {
			return nil, fmt.Errorf("%w; `gpuc devices` lists what is here", err)
		}
		return device, err
	}
	device, err := gpu.Open()
	if errors.Is(err, gpu.ErrNoDevice) {
		fmt.Fprintln(e.stderr, "no GPU found; running on the CPU")
		return gpu.Open(gpu.Named(gpu.CPU))
	}
	return device, err
}

// launch binds the data, runs the kernel and shows the results.
func (r *runFlags) launch(e *environment, p *program, device *gpu.Device, artefact *abi.Artefact) error {
	ctx := context.Background()
	kernel := artefact.Kernel
	kernel.Bindings, kernel.Fault = kernel.Arguments(), nil // what there is to bind and to show
	data, err := bindData(&kernel, r.binds)
	if err != nil {
		return err
	}
	outs, err := parseOuts(&kernel, data, r.outs)
	if err != nil {
		return err
	}
	loaded, err := device.Load(artefact)
	if err != nil {
		return err
	}
	defer loaded.Close()
	grid, err := r.size(loaded)
	if err != nil {
		return err
	}
	arguments := loaded.Args()
	buffers := make([]*gpu.Buffer[byte], len(data))
	for i := range data {
		if buffers[i], err = gpu.Upload(ctx, device, data[i].bytes); err != nil {
			return fmt.Errorf("binding %s: %w", kernel.Bindings[i].Name, err)
		}
		defer buffers[i].Close()
		if err := arguments.Set(i, buffers[i]); err != nil {
			return err
		}
	}
	stream, err := device.NewStream()
	if err != nil {
		return err
	}
	defer stream.Close()
	stopProgress := e.showProgress(device)
	times, err := r.measure(ctx, e, p, stream, arguments, grid, buffers, data)
	stopProgress()
	if err != nil {
		return err
	}
	results := make([][]byte, len(data))
	for i := range data {
		if kernel.Bindings[i].Access != abi.ReadWrite {
			continue
		}
		results[i] = make([]byte, len(data[i].bytes))
		if err := buffers[i].Read(ctx, stream, results[i]); err != nil {
			return err
		}
	}
	for _, o := range outs {
		if err := o.write(&kernel, data, results); err != nil {
			return err
		}
	}
	report := runReport{device: device.Info(), kernel: &kernel, grid: grid, times: times, results: results}
	if r.json {
		return json.NewEncoder(e.stdout).Encode(report.jsonForm())
	}
	report.print(e.stdout)
	return nil
}

// measure runs the kernel and returns the device times. Every repetition starts
// from the same contents, so that results do not depend on -repeat.
func (r *runFlags) measure(ctx context.Context, e *environment, p *program, stream *gpu.Stream, arguments *gpu.Args,
	grid gpu.Grid, buffers []*gpu.Buffer[byte], data []bound) ([]time.Duration, error) {
	var times []time.Duration
	for n := range r.repeat {
		if n > 0 {
			for i := range buffers {
				if err := buffers[i].Write(stream, data[i].bytes); err != nil {
					return nil, err
				}
			}
		}
		start, err := stream.Record()
		if err != nil {
			return nil, err
		}
		if err := stream.Launch(arguments, grid); err != nil {
			return nil, err
		}
		end, err := stream.Record()
		if err != nil {
			return nil, err
		}
		if err := e.faults(p, stream.Wait(ctx)); err != nil {
			return nil, err
		}
		t, err := end.Since(start)
		if err != nil {
			return nil, err
		}
		start.Close()
		end.Close()
		times = append(times, t)
	}
	slices.Sort(times)
	return times, nil
}

// size returns the launch's grid.
func (r *runFlags) size(k *gpu.Kernel) (gpu.Grid, error) {
	text := r.grid
	if text == "" {
		text = r.extent
	}
	if text == "" {
		return gpu.Grid{}, usagef("say how much to run: -extent X,Y,Z counts invocations, -grid X,Y,Z workgroups")
	}
	size := [3]uint32{1, 1, 1}
	n := 0
	for part := range strings.SplitSeq(text, ",") {
		x, err := strconv.ParseUint(strings.TrimSpace(part), 10, 32)
		if err != nil || n == len(size) {
			return gpu.Grid{}, usagef("`%s` is no size: want one to three numbers, such as 640,480", text)
		}
		size[n] = uint32(x)
		n++
	}
	if r.grid != "" {
		return gpu.Grid{X: size[0], Y: size[1], Z: size[2]}, nil
	}
	return k.Cover(size[0], size[1], size[2]), nil
}

var devicesCommand = command{
	name:    "devices",
	summary: "list the devices that kernels can run on",
	usage:   "[-json]",
	help: `
Lists the GPUs that CUDA and Vulkan find, software devices, and the CPU, with the
name that -device takes. A driver that is not installed has no devices.

  gpuc devices
  gpuc run -device vulkan:0 …
`,
}

func init() { devicesCommand.run = runDevices }

func runDevices(e *environment, args []string) error {
	f := devicesCommand.newFlags()
	asJSON := f.Bool("json", false, "print the list as JSON")
	if err := devicesCommand.parseFlags(e, f, args); err != nil {
		return err
	}
	infos, err := gpu.Devices()
	if *asJSON {
		return errors.Join(json.NewEncoder(e.stdout).Encode(infos), err)
	}
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
	}
	if !slices.ContainsFunc(infos, func(i gpu.Info) bool { return i.Kind == driver.GPU }) {
		fmt.Fprintln(e.stdout, "There is no GPU here; `gpuc run` takes the CPU and says so.")
	}
	return err
}
