package campaign

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/all"
	"github.com/gpuc/gpuc/frontend"
	"github.com/gpuc/gpuc/frontend/wgsl/lower"
	"github.com/gpuc/gpuc/internal/difftest"
	"github.com/gpuc/gpuc/internal/emulate"
	"github.com/gpuc/gpuc/internal/emulate/ptx"
	"github.com/gpuc/gpuc/internal/emulate/spirv"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/driver/cpu"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// Way is a way from a program's text to its results: a target, and who executes
// what it emits.
type Way struct {
	Name    string
	target  *codegen.Target
	execute func(a *abi.Artefact, c *difftest.Case, step func(what string)) ([][]byte, error)
	// together, if not nil, executes artefacts of several programs at once, where it takes much to
	// begin one by one.
	together func(list []*attempt)
	// textures says that the target has textures.
	textures bool
	// faithful says that the way reports what WGSL leaves undefined, and so takes
	// no program that relies on robust access.
	faithful bool
	// tier says that the way is the CPU device in one of its tiers, which all leave the same bits
	// in strict mode. lower, if not nil, says why an artefact is executed in a lower one than the
	// way's name says.
	tier     bool
	lower    func(*abi.Artefact) string
	subgroup uint32 // invocations of a subgroup, or 0 if that is not known
	// tensor executes the variant with tensor maps, and reports whether the launch has those. It is
	// nil for ways that do not.
	tensor func(t *abi.Tensor, l *emulate.Launch) (bool, error)
}

// emulators are the ways that need no device.
var emulators = []Way{
	{Name: "spirv", target: all.Lookup(string(abi.SPIRV)), textures: true, execute: emulated(func(a *abi.Artefact, l *emulate.Launch) error {
		return spirv.Run(a.Code, l)
	})},
	{Name: tensorWay, target: all.Lookup(string(abi.PTX)), tensor: func(t *abi.Tensor, l *emulate.Launch) (bool, error) {
		m, err := ptx.Parse(t.Artefact.Code)
		if err != nil {
			return false, err
		}
		return m.RunTensor(t, l)
	}},
	{Name: "ptx", target: all.Lookup(string(abi.PTX)), execute: emulated(func(a *abi.Artefact, l *emulate.Launch) error {
		if v := a.Valued(); v != nil {
			a = v
		}
		return ptx.Run(a.Code, &a.Kernel, l)
	})},
}

// tensorWay runs kernels with tiles in their variants with tensor maps. What has none is left out.
const tensorWay = "ptx:tensor"

// Open finds a way by name. It is an emulator, spirv or ptx, with a profile if there is one
// (ptx:sm_90), or wgsl, whose code is read back and interpreted. ptx:tensor has tensor maps. msl,
// also with a profile, and msl:spaces are compiled by clang, amdgpu by LLVM for the host. All other
// names are those of devices, with the device's own profile; cpu:vector and cpu:interpreter are the
// CPU device held to one of its tiers.
func Open(name string) (*Way, error) {
	if b, target, err := benchOf(name); b != nil {
		if err != nil {
			return nil, err
		}
		return b.open(name, target)
	}
	if name == string(abi.WGSL) {
		return openWGSL()
	}
	base, profile, chosen := strings.Cut(name, ":")
	for n := range emulators {
		way := emulators[n]
		if way.Name != base && way.Name != name {
			continue
		}
		if chosen && way.Name != name {
			target, err := way.target.With(profile)
			if err != nil {
				return nil, err
			}
			way.Name, way.target = name, target
		}
		return &way, nil
	}
	device, err := openDevice(name)
	if err != nil {
		return nil, err
	}
	stream, err := device.NewStream()
	if err != nil {
		return nil, err
	}
	d := &executor{device: device, stream: stream}
	info := device.Info()
	w := &Way{Name: name, target: all.For(info.Target, info.Profile), execute: d.execute,
		textures: true, faithful: name == "cpu:checked", tier: info.Driver == "cpu", subgroup: info.SubgroupSize}
	if tier, chosen := strings.CutPrefix(name, "cpu:"); chosen && slices.Contains(cpu.Tiers(), tier) {
		w.lower, err = tierOf(tier)
	}
	return w, err
}

// openDevice opens a device by name. The CPU device has one for each of its tiers, too, that says
// which is the highest: cpu:vector.
func openDevice(name string) (*gpu.Device, error) {
	tier, chosen := strings.CutPrefix(name, "cpu:")
	if !chosen || !slices.Contains(cpu.Tiers(), tier) {
		return gpu.Open(gpu.Named(name), gpu.KernelCache("off"))
	}
	before, set := os.LookupEnv(cpu.Variable)
	os.Setenv(cpu.Variable, tier)
	defer func() {
		if os.Unsetenv(cpu.Variable); set {
			os.Setenv(cpu.Variable, before)
		}
	}()
	return gpu.Open(gpu.Named("cpu:0"))
}

// Run compiles a case in one configuration, executes it, and compares the results.
// The error says what is wrong; a panic of the compiler is one, too.
func (w *Way) Run(c *difftest.Case, o Configuration) error {
	_, err := w.run(c, o, func(string) {}, newTally())
	return err
}

// run is Run, which says before each step what it is, counts the execution, and returns what it
// left as well.
func (w *Way) run(c *difftest.Case, o Configuration, step func(what string), t *Tally) (got [][]byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	step("compiling")
	if w.tensor != nil {
		return w.runTensor(c, o, step, t)
	}
	artefact, err := compile(w.target, c, o)
	if err != nil {
		return nil, err
	}
	t.Executions++
	if w.lower != nil {
		if reason := w.lower(artefact); reason != "" {
			t.Lower[reason]++
		}
	}
	if got, err = w.execute(artefact, c, step); err != nil {
		return nil, err
	}
	return got, c.Compare(got)
}

// runTensor is run for a way with tensor maps. It counts executions that have none, with the
// reason, and leaves them to other ways.
func (w *Way) runTensor(c *difftest.Case, o Configuration, step func(what string), t *Tally) ([][]byte, error) {
	var report codegen.Report
	artefact, err := compileWith(w.target, c, o, &codegen.Options{Tensor: true, Report: &report})
	if err != nil {
		return nil, err
	}
	if artefact.Tensor == nil {
		t.NoTensor[cmp.Or(report.NoTensor, "none is made in this configuration")]++
		return nil, nil
	}
	isTensor := false
	execute := emulated(func(a *abi.Artefact, l *emulate.Launch) (err error) {
		isTensor, err = w.tensor(a.Tensor, l)
		return err
	})
	got, err := execute(artefact, c, step)
	switch {
	case err != nil:
		return nil, err
	case !isTensor:
		t.NoTensor["a matrix of the launch has no tensor map"]++
		return nil, nil
	}
	t.Executions++
	return got, c.Compare(got)
}

func compile(t *codegen.Target, c *difftest.Case, o Configuration) (*abi.Artefact, error) {
	return compileWith(t, c, o, &codegen.Options{ByValue: o.ByValue, Coarse: o.Coarse})
}

// compileWith compiles a case with options beside those of the configuration.
func compileWith(t *codegen.Target, c *difftest.Case, o Configuration, options *codegen.Options) (*abi.Artefact, error) {
	set := new(source.Set)
	name := "program.wgsl"
	if c.Language != "" {
		name = "program." + c.Language
	}
	file, err := set.Add(name, c.Code)
	if err != nil {
		return nil, err
	}
	var list diag.List
	failed := func() error {
		return &refusal{list.Items()[0]}
	}
	m, err := frontend.Load(set, file, frontend.Options{Lower: lower.Options{Math: o.Math}}, &list)
	if err != nil {
		return nil, err
	}
	if m == nil {
		return nil, failed()
	}
	options.Math, options.Bounds, options.NoOptimize = o.Math, o.Bounds, o.NoOptimize
	options.Context = &opt.Context{Verify: true, Without: o.Without}
	for name, value := range c.Constants {
		options.Settings = append(options.Settings, ir.Setting{Key: name, Value: value})
	}
	a := codegen.Compile(m, c.Entry, t, options, &list)
	if a == nil {
		return nil, failed()
	}
	if a.Coarse != nil {
		a.Coarse.MinInvocations = 0
	}
	return a, nil
}

// refusal is what the compiler has against a program.
type refusal struct{ diag.Diagnostic }

func (r *refusal) Error() string { return fmt.Sprintf("refused: %s [%s]", r.Message, r.Code) }

// lacking says what a target lacks for a program, or its emulator, or nothing if something else is
// wrong. Programs in WGSL lack nothing, and are short.
func lacking(c *difftest.Case, err error) string {
	const limit = "the launch executes more instructions than its limit" // of emulatedSteps
	switch r := (*refusal)(nil); {
	case err == nil || c.Language == "":
	case errors.As(err, &r) && r.Code == diag.TargetUnsupported:
		return r.Message
	case strings.HasSuffix(err.Error(), limit):
		return limit
	}
	return ""
}

// inputs copies the initial contents of a kernel's bindings, in its order. After them are those
// that a runtime provides: a record of faults, scratch memory that is not zero, and tables.
func inputs(k *abi.Kernel, c *difftest.Case) ([][]byte, error) {
	data := make([][]byte, len(k.Bindings))
	_, fault, scratch, tables := k.Hidden()
	for n, b := range k.Bindings {
		i := index(c, b.Group, b.Binding)
		switch {
		case n == fault:
			data[n] = make([]byte, abi.FaultRecordBytes)
		case n == scratch:
			data[n] = bytes.Repeat([]byte{0xaa}, int(k.Scratch.Bytes(grid(c), k.Workgroup)))
		case n == tables:
			data[n] = slices.Clone(k.Tables)
		case i >= 0:
			data[n] = slices.Clone(c.Bindings[i].Data)
		default:
			return nil, fmt.Errorf("the kernel has a binding %d of group %d, which the program has not", b.Binding, b.Group)
		}
	}
	return data, nil
}

// outputs puts the contents of a kernel's bindings in the order of the case's.
func outputs(k *abi.Kernel, c *difftest.Case, data [][]byte) [][]byte {
	got := make([][]byte, len(c.Bindings))
	for n, b := range k.Arguments() {
		got[index(c, b.Group, b.Binding)] = data[n]
	}
	return got
}

func index(c *difftest.Case, group, binding uint32) int {
	return slices.IndexFunc(c.Bindings, func(b difftest.Binding) bool {
		return uint32(b.Group) == group && uint32(b.Binding) == binding
	})
}

func immediates(k *abi.Kernel, c *difftest.Case) []byte {
	if k.Immediates == nil {
		return nil
	}
	data := make([]byte, k.Immediates.Size)
	copy(data, c.Immediates)
	return data
}

func grid(c *difftest.Case) [3]uint32 {
	return [3]uint32{uint32(c.Dispatch[0]), uint32(c.Dispatch[1]), uint32(c.Dispatch[2])}
}

// emulatedSteps is how many instructions a program may take on an emulator: copies of
// private arrays of thousands of elements, in loops in each other, have taken 2^26.
const emulatedSteps = 1 << 29

// emulated is the execution of artefacts by an emulator.
func emulated(run func(*abi.Artefact, *emulate.Launch) error) func(*abi.Artefact, *difftest.Case, func(string)) ([][]byte, error) {
	return func(a *abi.Artefact, c *difftest.Case, step func(what string)) ([][]byte, error) {
		step("running")
		fullGrid := grid(c)
		k := &a.Kernel
		data, err := inputs(k, c)
		if err != nil {
			return nil, err
		}
		given := abi.LaunchValues{Grid: fullGrid, Immediates: immediates(k, c)}
		for _, buffer := range data {
			given.Sizes = append(given.Sizes, uint64(len(buffer)))
		}
		launched, coarse := a.Coarse.Grid(&given)
		if coarse {
			a = a.Coarse.Artefact
			k = &a.Kernel
			if data, err = inputs(k, c); err != nil { // with the tables of this form
				return nil, err
			}
		} else {
			launched = fullGrid
		}
		launch := &emulate.Launch{Entry: k.Name, Grid: launched, Immediates: make([]byte, k.ImmediateBytes()), Steps: emulatedSteps}
		copy(launch.Immediates, immediates(k, c))
		k.PutExtent(launch.Immediates, fullGrid, [3]uint32{}) // all of the grid
		for n, b := range k.Bindings {
			launch.Buffers = append(launch.Buffers, emulate.Buffer{Group: b.Group, Binding: b.Binding, Data: data[n]})
		}
		if launch.Images, err = images(k, c); err != nil {
			return nil, err
		}
		if err := run(a, launch); err != nil {
			return nil, err
		}
		if k.Fault != nil {
			if site := binary.LittleEndian.Uint32(data[len(k.Arguments())]); site != 0 {
				return nil, fmt.Errorf("a fault is recorded where the program has none: site %+v", k.Fault.Sites[site-1])
			}
		}
		got := outputs(k, c, data)
		for n := range launch.Images {
			at := index(c, launch.Images[n].Group, launch.Images[n].Binding)
			got[at] = c.Bindings[at].OfTexels(launch.Images[n].Texels)
		}
		return got, nil
	}
}

// executor executes artefacts on a device.
type executor struct {
	device *gpu.Device
	stream *gpu.Stream
}

func (d *executor) execute(a *abi.Artefact, c *difftest.Case, step func(what string)) (got [][]byte, err error) {
	step("loading")
	ctx := context.Background()
	kernel, err := d.device.Load(a)
	if err != nil {
		return nil, err
	}
	defer kernel.Close()
	data, err := inputs(&a.Kernel, c)
	if err != nil {
		return nil, err
	}
	args := kernel.Args()
	textures, err := d.textures(&a.Kernel, args, c)
	for _, t := range textures {
		defer t.Close()
	}
	if err != nil {
		return nil, err
	}
	buffers := make([]*gpu.Buffer[byte], len(a.Kernel.Arguments()))
	for n := range buffers {
		if buffers[n], err = gpu.Upload(ctx, d.device, data[n]); err != nil {
			return nil, err
		}
		defer buffers[n].Close()
		if err := args.Set(n, buffers[n]); err != nil {
			return nil, err
		}
	}
	if a.Kernel.Immediates != nil {
		if err := args.SetImmediates(immediates(&a.Kernel, c)); err != nil {
			return nil, err
		}
	}
	step("running")
	g := grid(c)
	if err := d.stream.Launch(args, gpu.Grid{X: g[0], Y: g[1], Z: g[2]}); err != nil {
		return nil, err
	}
	var report *cpu.Report
	if err := d.stream.Wait(ctx); err != nil && !(errors.As(err, &report) && !report.Failed()) {
		return nil, err
	}
	for n := range buffers {
		if err := buffers[n].Read(ctx, d.stream, data[n]); err != nil {
			return nil, err
		}
	}
	got = outputs(&a.Kernel, c, data)
	for _, t := range textures {
		if got[t.at], err = d.contents(t); err != nil {
			return nil, err
		}
	}
	return got, nil
}
