package main

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/chrometrace"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/cli"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/devices"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/kerneldata"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/kernelrun"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/loader"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/outfile"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/usage"
	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/all"
	"github.com/gpuc/gpuc/codegen/workaround"
	"github.com/gpuc/gpuc/frontend"
	"github.com/gpuc/gpuc/frontend/wgsl/lower"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/gpu"
)

var runCommand = cli.Command{
	Name:      "run",
	Run:       runRun,
	Summary:   "compile a kernel and run it on a GPU or the CPU",
	Usage:     "[flags] FILE",
	Watchable: true,
	Help: `
Compiles a compute entry point, binds data to its variables, runs it, and prints the results.

  gpuc run saxpy.wgsl -bind x=range(1000) -bind y=zeros(1000) -extent 1000
  gpuc run blur.wgsl -bind photo=photo.jpg -out result=blurred.png
  gpuc run edges.wgsl -bind image=photo.jpg -bind size=dims(image) \
      -bind result=like(image) -extent 640,480 -out result=edges.png
  gpuc run matmul.wgsl -device cuda -D tile=16 -bind a=a.npy -bind b=b.npy \
      -bind c=zeros(1048576) -extent 1024,1024 -out c=c.npy -repeat 20
  gpuc run racy.wgsl -device cpu:checked -bind x=zeros(64) -grid 1
  gpuc run off.wgsl -bounds trap -bind x=zeros(64) -extent 100
  gpuc run saxpy.wgsl -bind x=- -bind y=zeros(1000) -extent 1000 -out y=- <x.npy | …
  gpuc run blur.wgsl -watch -bind photo=photo.jpg -out result=blurred.png
  gpuc run scale.go -bind factor=2 -bind x=range(1000) -extent 1000
  gpuc run fluid.wgsl -bind p.scale=1.5 -bind 'p.lights[1].color=1,0,0' \
      -bind particles=records.npy -extent 4096 -out particles=moved.npy

FILE is WGSL, IR text, or Go: a .go file or a folder is a Go package, whose kernels have a
comment //gpuc:kernel workgroup=64. Their slices are bound like variables. A single other
parameter has its own name; several are called parameters together.

BUFFERS. -bind NAME=SPEC gives a variable its contents. NAME is the variable's name in the
source, or group:binding. SPEC is one of
  file.npy, file.bin      a NumPy array, or raw bytes
  -                       the same from standard input: an array if it begins like one; or
                          -:npy or -:bin
  file.json, {"a":1}, [1] JSON: objects for structures, lists for vectors, matrices and arrays
  file.png, file.jpg      an image as packed RGBA: one u32 a pixel, red lowest, or four bytes,
                          in Go []struct{ R, G, B, A uint8 }
  dims(NAME)              width and height of the image or texture NAME, as two u32
  zeros(N)                N zeros
  range(N)                0, 1, 2, … N-1
  rand(N,SEED)            N random values: floats in [0,1), or integers of 32 random bits
  like(NAME)              zeros, as many bytes as NAME has
  1,2,3                   these values
N counts scalars, such as the f32 of an array<f32>. An array<vec4<f32>> has four for each
element, and so has an array<vec3<f32>>, where the fourth is padding. The data must be whole
elements of the variable's type, and the rows of a NumPy array must be as long as the stride.
float64 and int64, NumPy's defaults, are converted to the variable's type. That is noted, and a
value out of range is an error. A variable of fixed size that nothing is bound to is zero; that
is noted if the kernel only reads it. A var<immediate> takes the same SPECs.

NAME may be a member: p.scale, lights[2].color. Its SPEC is values or JSON, which replace that
part of what the variable is bound to, or of zeros. A NumPy record array is copied to structures
by the names of fields; their order and padding need not be the same.

Value i of rand(N,SEED) is z = SEED + (i+1)·0x9E3779B97F4A7C15 mod 2^64, mixed by SplitMix64:
z ^= z>>30; z *= 0xBF58476D1CE4E5B9; z ^= z>>27; z *= 0x94D049BB133111EB; z ^= z>>31. A u32 or
i32 is z>>32, a float (z>>40)/2^24. Checksums are 64-bit FNV-1a of a buffer's bytes.

TEXTURES. A texture's SPEC is one of
  file.png, file.jpg      an image: fractions for a texture of f32, 0 to 255 (65535 for PNG of
                          16 bits) for integers, brightness for a depth texture
  file.npy                an array: layers or slices if the type has them, rows, columns, and 2
                          or 4 channels if there are several
  a.png,b.png,…           a file for each layer or slice; faces of cubes in the order
                          +x, -x, +y, -y, +z, -z
  640x480, 64x64x4        empty, with depth or layers if the type has them
  like(NAME)              empty, as large as the image or texture NAME
After a file, :mips adds all mip levels (means of 2x2 texels), and a format replaces that of the
file: photo.png:mips:rgba8unorm-srgb. A storage texture has the format of its type. If nothing is
bound to one that is written, it is empty, and as large as the only bound image or as -extent.

A sampler's SPEC is words, such as nearest,repeat: nearest or linear (for mip levels, too);
clamp, repeat or mirror; for a sampler_comparison less, less-equal, greater, greater-equal, equal,
not-equal, always or never. The default is linear,clamp,less.

RESULTS. -out NAME=FILE writes a variable's final contents:
  file.npy                with the shape of the bound array or of the type; structures are
                          records; of a texture the stored values: rows, columns, channels
  file.bin                raw bytes
  file.png                packed RGBA of the size of a bound image, or of file.png:WxH; of a
                          texture fractions clamped to 0 to 1, with 16 bits if its format has
                          more than 8
  -                       .npy, or with -:bin raw bytes, to standard output; what gpuc prints
                          then goes to standard error
Before the kernel runs, gpuc checks that the files can be written. A file of the same format is
replaced, after all of the new one is written. A file that the run reads, or of another format, is
not.

SIZE. -grid counts workgroups, and -extent invocations, rounded up to whole workgroups. A kernel in
Go that does not use workgroup memory runs exactly so many. Without both, each texel of the only
texture that is written gets an invocation.

DEVICE. -device auto is the first GPU, or the CPU if there is none; gpuc says which. Multisampled
textures are on the CPU only. cpu:checked reports accesses out of bounds, data races, barriers in
divergent control flow, and endless loops. With -bounds=trap every device reports the first access
out of bounds.

TIMES. -repeat N measures N times, after -warmup launches, and prints the fastest, the median and the
slowest time. Copies and the host's work are not included. On CUDA each launch comes after a pause,
and the time of the events is subtracted: ncu --clock-control none --cache-control none shows the
same times. On Vulkan each of N samples is as many launches in a row as take three milliseconds. All
launches begin with the same contents of buffers; caches keep what was there before. The interpreter
counts the bytes and operations of a launch, of the code after the portable passes: bytes of buffers
as often as they are accessed, and arithmetic and functions of floats, a fused multiply-add as two.
Uniform buffers and immediates are counted separately. -plot draws the times, -trace writes a
timeline for ui.perfetto.dev, and -profile compares a launch with the peak rates of the device:

  gpuc run matmul.wgsl … -repeat 50 -plot times.svg -trace run.json
  gpuc run saxpy.wgsl -device cuda -bind x=range(100000000) … -profile

On a terminal, a line shows the progress of a long run, and a terminal that shows images (kitty's,
iTerm2's or sixel protocol) shows each .png that is written. With -watch the kernel runs again
whenever the source or a bound file is written.

DEBUGGING. With -debug, the output of it.Printf in Go, or printf in a WGSL file that begins with
enable gpuc_debug, goes to standard error:

  k.wgsl:12: [3 0 0] x = 4.5

The global_invocation_id is in brackets. An assertion that fails ends the run with an error. Without
-debug, printing and assertions cost nothing. With -json the output is in the result, unless the run
fails.
`,
}

// runFlags are the flags of gpuc run.
type runFlags struct {
	kernelrun.Options
	grid, extent    string
	binds, outs     cli.ListFlag
	traceTo, plotTo string
}

func runRun(e *cli.Env, args []string) error {
	var r runFlags
	f := e.NewFlags()
	r.Register(e, f)
	f.StringVar(&r.Device, "device", "auto", "where to run, by `name`: auto, cpu, cpu:checked, vulkan, cuda, or one of gpuc devices")
	f.StringVar(&r.grid, "grid", "", "number of workgroups, `X,Y,Z`")
	f.StringVar(&r.extent, "extent", "", "number of invocations, `X,Y,Z`, rounded up to whole workgroups")
	f.Var(&r.binds, "bind", "`NAME=SPEC` binds data to a variable; repeatable")
	f.Var(&r.outs, "out", "`NAME=FILE` writes a variable's final contents; repeatable")
	f.IntVar(&r.Repeat, "repeat", 1, "measure `N` times and report the fastest, the median and the slowest of the times")
	f.IntVar(&r.WarmUp, "warmup", 1, "with -repeat, `N` launches before the measurements")
	f.StringVar(&r.Counts, "count", kernelrun.CountAuto, "`when` to count a launch's bytes and floating-point operations, on the interpreter: auto (with -repeat, for ten seconds at most), always or never")
	f.BoolVar(&r.Profile, "profile", false, "compare the counted bytes and operations of a launch with the peak rates of the device; runs ten times without -repeat")
	f.StringVar(&r.traceTo, "trace", "", "write a timeline of the run to a `file` for Perfetto or Chrome (ui.perfetto.dev)")
	f.StringVar(&r.plotTo, "plot", "", "with -repeat, draw the times to an .svg `file`")
	f.IntVar(&r.MessageBytes, "debug-buffer", gpu.DefaultMessageBytes, "`bytes` of the buffer for what a launch prints with -debug")
	source, err := e.ParseFile(f, args)
	if err == nil {
		err = r.check()
	}
	if err != nil {
		return err
	}
	options, err := r.CodegenOptions()
	if err != nil {
		return err
	}
	readsData(e, r.binds)
	if r.traceTo != "" {
		r.Trace = &chrometrace.Trace{Began: time.Now()}
	}
	end := r.Trace.Span("compile", "front end")
	p, err := loader.Load(e, source, frontend.Options{Lower: lower.Options{Math: options.Math}, Stage: r.Trace.Stages()})
	if err != nil {
		return err
	}
	end()
	if err := p.Report(e); err != nil {
		return err
	}
	if err := r.Settings.Check(p); err != nil {
		return err
	}
	end = r.Trace.Span("device", "open "+r.Device)
	device, note, missing := devices.Open(r.Device)
	if missing != nil && !devices.HasDriver(r.Device) {
		return missing
	}
	// errors in the command line come before that of a missing device
	t := all.Lookup(string(abi.CPU))
	if missing == nil {
		defer device.Close()
		info := device.Info()
		t = all.For(info.Target, info.Profile, info.Features...)
		set := workaround.For(workaround.Compiler(info.Compiler), info.CompilerVersion)
		if r.Workarounds != "" {
			set, _ = workaround.Parse(r.Workarounds, set) // CodegenOptions has checked it
		}
		options.Workarounds = &set
	}
	end()
	options.ByValue, options.Coarse, options.Tensor, options.InMemory = true, true, true, true
	end = r.Trace.Span("compile", "compile for "+t.Title())
	if r.Trace != nil {
		options.Context = &opt.Context{Timed: true}
	}
	artefact := codegen.Compile(p.Module, r.Entry, t, &options, p.List)
	end()
	if r.Trace != nil {
		r.Trace.Compilation(options.Context)
	}
	p.SuggestNames(r.Entry, r.Settings)
	if err := p.Report(e); err != nil {
		return err
	}
	plan, err := r.plan(e, source, p, artefact)
	if err != nil {
		return err
	}
	if missing != nil {
		return missing
	}
	if note != "" {
		fmt.Fprintln(e.Stderr, note)
	}
	return plan.Run(e, p, device, artefact, r.Options)
}

// check checks the values of the flags, and sets the repetitions of -profile.
func (r *runFlags) check() error {
	switch {
	case r.grid != "" && r.extent != "":
		return usage.Errorf("-grid counts workgroups and -extent invocations; leave out one of them")
	case r.Repeat < 1:
		return usage.Errorf("-repeat %d runs nothing; it wants at least 1", r.Repeat)
	case r.WarmUp < 0:
		return usage.Errorf("-warmup %d is less than none; it wants 0 or more", r.WarmUp)
	case r.Counts != kernelrun.CountAuto && r.Counts != kernelrun.CountAlways && r.Counts != kernelrun.CountNever:
		return usage.Errorf("-count is auto, always or never, not `%s`", r.Counts)
	case r.Profile && r.Counts == kernelrun.CountNever:
		return usage.Errorf("-profile compares what is counted with what the device can do, and -count=never counts nothing; leave one of them out")
	case r.plotTo != "" && r.Repeat == 1 && !r.Profile:
		return usage.Errorf("-plot draws the times of several runs; say how many: -repeat 20")
	case r.plotTo != "" && strings.ToLower(filepath.Ext(r.plotTo)) != ".svg":
		return usage.Errorf("-plot writes SVG, and %s does not end in .svg; name another file", r.plotTo)
	case r.traceTo != "" && strings.ToLower(filepath.Ext(r.traceTo)) != ".json":
		return usage.Errorf("-trace writes JSON, and %s does not end in .json; name another file", r.traceTo)
	case r.MessageBytes < 256 || r.MessageBytes > 1<<30:
		return usage.Errorf("-debug-buffer wants 256 to %d bytes", 1<<30)
	}
	if r.Profile && r.Repeat == 1 {
		r.Repeat = kernelrun.ProfileRuns
	}
	return nil
}

// plan reads the data, and plans the output files and the launch.
func (r *runFlags) plan(e *cli.Env, source string, p *loader.Program, artefact *abi.Artefact) (*kernelrun.Plan, error) {
	kernel := artefact.Kernel
	// variables that the compiler added are not bound and not shown
	kernel.Bindings, kernel.Messages, kernel.Fault, kernel.Scratch, kernel.Tables = kernel.Arguments(), nil, nil, nil, nil
	extent, err := parseNumbers("-extent", r.extent)
	if err != nil {
		return nil, err
	}
	stdin := &kerneldata.Stdin{E: e}
	if source == "-" {
		stdin.User = "the source"
	}
	plan := new(kernelrun.Plan)
	if plan.In, err = kerneldata.Bind(p.Module, &kernel, r.binds, extent, stdin); err != nil {
		return nil, err
	}
	files := outfile.Plan{Inputs: plan.In.Files}
	files.Reads(source, "the source")
	if plan.Outs, err = kerneldata.ParseOutputs(e, plan.In, r.outs, &files); err != nil {
		return nil, err
	}
	if plan.Extras, err = kernelrun.PlanExtras(&files, r.traceTo, r.plotTo); err != nil {
		return nil, err
	}
	grid, err := parseNumbers("-grid", r.grid)
	if err != nil {
		return nil, err
	}
	plan.Size, err = kernelrun.SizeOf(plan.In, grid, extent)
	return plan, err
}

// parseNumbers parses the one to three numbers of -grid or -extent; nil for "".
func parseNumbers(flag, text string) (numbers []uint32, err error) {
	if text == "" {
		return nil, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		x, err := strconv.ParseUint(strings.TrimSpace(part), 10, 32)
		if err != nil || len(numbers) == 3 {
			return nil, usage.Errorf("%s %s is no size: want one to three numbers with commas between them, such as %s 640,480", flag, text, flag)
		}
		if x == 0 {
			return nil, usage.Errorf("%s %s runs nothing; its counts are at least 1, and omitted ones are 1", flag, text)
		}
		numbers = append(numbers, uint32(x))
	}
	return numbers, nil
}

// readsData notes the files that -bind reads, for -watch.
func readsData(e *cli.Env, binds []string) {
	for _, text := range binds {
		_, spec, _ := strings.Cut(text, "=")
		paths, _ := kerneldata.CutOptions(spec)
		for path := range strings.SplitSeq(paths, ",") {
			switch strings.ToLower(filepath.Ext(path)) {
			case ".npy", ".bin", ".json", ".png", ".jpg", ".jpeg":
				e.Reads(path)
			}
		}
	}
}
