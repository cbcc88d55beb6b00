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
Compiles a compute entry point, binds data to its variables, runs it and prints
what it wrote.

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

A .go file, or a folder, stands for its Go package, whose kernels have a comment
//gpuc:kernel workgroup=64 above them. Their slices are bound like variables; what else
they take has its own name if it is alone, and is called parameters together.

-bind NAME=SPEC gives a variable its contents. NAME is the variable's name in the
source, or group:binding. SPEC is one of
  file.npy, file.bin      a NumPy array or raw bytes
  -                       one of these two from standard input: an array if it begins
                          as one, or as -:npy and -:bin say
  file.json, {"a":1}, [1] JSON: an object for a structure, a list for what has elements
  file.png, file.jpg      an image as packed RGBA, one u32 a pixel, red lowest,
                          or four bytes: []struct{ R, G, B, A uint8 } in Go
  dims(NAME)              width and height of the image or texture NAME, as two u32
  zeros(N)                N zeros
  range(N)                0, 1, 2, … N-1
  rand(N,SEED)            N random numbers: floats in [0,1), else all 32 bits
  like(NAME)              zeros, as many bytes as NAME has
  1,2,3                   these numbers
N counts scalars: the f32 of an array<f32>, four for each element of an
array<vec4<f32>>, and of an array<vec3<f32>>, where the fourth is padding. Data has
whole elements, numbers are of the variable's type, and the rows of a NumPy array are
as long as elements are apart. A variable of fixed size may stay unbound and is zero;
a note says so of one that is only read. So it is with a var<immediate>, which takes
the same SPECs.

NAME may go on to a part: p.scale, lights[2].color. Its SPEC is numbers or JSON, over what the
whole is bound to, or over zeros, of which notes say so. A record array of NumPy gives
structures their members by the names of its fields, in any order and with any padding.
Arrays of float64 and int64, which NumPy makes of whatever has no type, become what the
variable consists of: a note says so, and a number that does not fit is an error.

Number i of rand(N,SEED) is z = SEED + (i+1)·0x9E3779B97F4A7C15 mod 2^64, mixed as
z ^= z>>30; z *= 0xBF58476D1CE4E5B9; z ^= z>>27; z *= 0x94D049BB133111EB; z ^= z>>31
(SplitMix64); a u32 or i32 is z>>32, a float (z>>40)/2^24. A buffer's checksum is
64-bit FNV-1a of its bytes.

A texture's SPEC is one of
  file.png, file.jpg      an image: fractions in a texture of f32, 0 to 255 (65535 for
                          PNG of 16 bits) in one of integers, brightness in a depth one
  file.npy                rows, columns, and 2 or 4 channels if there are more than one;
                          before them the layers or slices of types that have those
  a.png,b.png,…           a file for each layer or slice; faces of cubes in the order
                          +x, -x, +y, -y, +z, -z
  640x480, 64x64x4        empty, with depth or layers where the type has them
  like(NAME)              empty, as large as the image or texture NAME
Behind a file, :mips adds all mip levels (each the mean of 2x2 texels of the one
before), and a format replaces the one that follows from the file:
photo.png:mips:rgba8unorm-srgb. A storage texture has its own format, which files
are converted to. If nothing is bound to one that is written, it is empty and as
large as the only image that is bound, or else as -extent.

A sampler's SPEC is words, such as nearest,repeat: nearest or linear (also between
mip levels); clamp, repeat or mirror; for a sampler_comparison less, less-equal,
greater, greater-equal, equal, not-equal, always or never. An unbound one is
linear,clamp,less.

-out NAME=FILE writes a variable's final contents: .npy, with the shape of the array that
was bound or of the type, and records for structures; .bin; or .png of packed RGBA;
NAME=FILE.png:WxH gives the size, which is otherwise that of a bound image, and takes all
of the buffer.
NAME=- writes a NumPy array to standard output, NAME=-:bin raw bytes, and what is printed
goes to standard error then.
Of a texture, .npy holds the stored numbers with rows, columns and channels, and
.png what fits: fractions clamped to 0 to 1, in 16 bits if the format has more than 8.
Whether files can be written is checked before the kernel runs. A file of the same
format is replaced, as a whole or not at all; one that the run reads never is, nor one
of another format.

-repeat N measures the kernel N times, after -warmup more, and says what the fastest, the median and the
slowest of the times are, and what measured them. Copies and the host's part are not in them. Through
CUDA each of the N launches comes behind a pause, between two events, whose own time is measured with
an empty kernel and subtracted: ncu --clock-control none --cache-control none says the same. Through
Vulkan each of N samples is as many launches in a row as take three milliseconds, between two readings
of the device's clock, and its time is a launch's share. All launches begin with the same contents:
where a kernel reads what it writes, launches in a row have copies, as far as an eighth of the device's
memory goes. Caches hold what was there before. What a run reads, writes
and computes is counted on the interpreter, exactly, of the code that the portable passes leave:
bytes of buffers as often as they are accessed (those of uniform buffers and immediates apart, as
they are no traffic of memory), and additions, subtractions, multiplications,
divisions, remainders, roots and functions of floats, a fused multiply-add as two. -plot draws
the times in their order, -trace writes stages of the compiler, uploads, launches and reads for
ui.perfetto.dev:

  gpuc run matmul.wgsl … -repeat 50 -plot times.svg -trace run.json

On terminals a line shows how far a long run has come and how long it may take, and those that
show images (kitty's, iTerm2's and sixel) show a .png that was written, smaller.

-profile says in sentences how near a launch comes to the limits of the device: its bytes and
operations a second, as they are counted, beside what memory moves and f32 units compute at most.
CUDA's driver gives the clocks and widths that these follow from; other drivers of the same card
have its numbers, some cards are known by name, and on the CPU copying memory is measured:

  gpuc run saxpy.wgsl -device cuda -bind x=range(100000000) … -profile

With -watch the run is repeated whenever the source or a file that is bound is written.

-grid counts workgroups, -extent invocations: exactly those of a kernel in Go whose items do not work
together, and others rounded up to whole workgroups.
Without both, each texel of the only texture that is written has an invocation.
-device auto takes the first GPU and says which; without one it takes the CPU and
says so. Multisampled textures are on the CPU alone. cpu:checked reports accesses
outside of arrays, data races, barriers that not all invocations reach, and loops that
do not end. With -bounds=trap every device reports the first access outside of an array.

With -debug, what a kernel prints with it.Printf, or printf of a WGSL file that begins with
enable gpuc_debug, is shown on stderr behind the launch, line by line:

  k.wgsl:12: [3 0 0] x = 4.5

Between the brackets is the global_invocation_id. An assertion that does not hold ends the run
with an error. Without -debug nothing is left of them. -json has the messages in the result; a
run that ends with an error has none, and they are shown.
`,
}

// runFlags is the command line of gpuc run.
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
	f.IntVar(&r.WarmUp, "warmup", 1, "with -repeat, `N` launches before others warm the device up")
	f.StringVar(&r.Counts, "count", kernelrun.CountAuto, "`when` to count a launch's bytes and floating-point operations, on the interpreter: auto (with -repeat, for ten seconds at most), always or never")
	f.BoolVar(&r.Profile, "profile", false, "say how near a launch comes to what the device can do, from counted bytes and operations; runs ten times, unless -repeat says")
	f.StringVar(&r.traceTo, "trace", "", "write what the run did and when to a `file` for Perfetto or Chrome (ui.perfetto.dev)")
	f.StringVar(&r.plotTo, "plot", "", "with -repeat, draw the times to a `file`, .svg")
	f.IntVar(&r.MessageBytes, "debug-buffer", gpu.DefaultMessageBytes, "`bytes` for what a launch prints with -debug")
	source, err := e.ParseFile(f, args)
	switch {
	case err != nil:
		return err
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
	// what is wrong with the command line is said first, and a missing device then
	t := all.Lookup(string(abi.CPU))
	if missing == nil {
		defer device.Close()
		info := device.Info()
		t = all.For(info.Target, info.Profile)
	}
	end()
	options.ByValue, options.Coarse = true, true
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

// plan reads the data and what else the command line says of a run.
func (r *runFlags) plan(e *cli.Env, source string, p *loader.Program, artefact *abi.Artefact) (*kernelrun.Plan, error) {
	kernel := artefact.Kernel
	// what there is to bind and to show
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

// parseNumbers reads the one to three numbers of -grid or -extent; an empty text has
// none.
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
			return nil, usage.Errorf("%s %s runs nothing; its numbers are at least 1, and those left out are 1", flag, text)
		}
		numbers = append(numbers, uint32(x))
	}
	return numbers, nil
}

// readsData notes the files that -bind takes data from.
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
