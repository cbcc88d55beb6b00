package exectest_test

import (
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/internal/exectest"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/interp"
	"github.com/gpuc/gpuc/ir/texture"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/jit"
)

// compiler is what compiles the entry points of a program: a jit.Program, or one whose
// kernels take a longer way (wgsl_test.go).
type compiler interface {
	Compile(target abi.Target, entry string, settings ...ir.Setting) (*abi.Artefact, error)
	Load(device *gpu.Device, entry string, settings ...ir.Setting) (*gpu.Kernel, error)
}

// way is one way to run a case.
type way struct {
	name string
	// run returns the final contents, or errSkipped with the reason.
	run func(c *exectest.Case, p compiler) ([][]byte, error)
}

// errSkipped marks a case that a device cannot run for want of a feature.
var errSkipped = errors.New("skipped")

var onlyDevices = flag.String("device", "", "run only on these devices: names as `gpuc devices` shows them, or checked, separated by commas")

// isChosen reports whether the flag lets a way run.
func isChosen(name string) bool {
	return *onlyDevices == "" || slices.Contains(strings.Split(*onlyDevices, ","), name)
}

// programs compiles the cases' sources once.
func program(t *testing.T, c *exectest.Case, options codegen.Options) *jit.Program {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(c.File())))
	if err != nil {
		t.Fatal(err)
	}
	if c.Strict {
		options.Math = opt.MathStrict
	}
	p, err := jit.Parse(c.Name+".wgsl", string(text), options)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func settings(d *exectest.Dispatch) []ir.Setting {
	var s []ir.Setting
	for _, o := range d.Overrides {
		s = append(s, ir.Setting{Key: o.Name, Value: o.Value})
	}
	return s
}

// within skips the cases that a checked run reports.
func within(run func(*exectest.Case, compiler) ([][]byte, error)) func(*exectest.Case, compiler) ([][]byte, error) {
	return func(c *exectest.Case, p compiler) ([][]byte, error) {
		if c.LeavesVariables {
			return nil, fmt.Errorf("%w: accesses leave their variables, which checked runs report", errSkipped)
		}
		return run(c, p)
	}
}

// TestKernels runs every case on the interpreter, in the checked mode on IR as the
// front end makes it, and on every device that is found, with and without passes,
// and compares the results with the reference. A device that lacks a feature
// which a case needs is named with it, and cases that it does not run are counted
// by the reason.
func TestKernels(t *testing.T) {
	infos, err := gpu.Devices()
	if err != nil {
		t.Errorf("a driver fails: %v", err)
	}
	var ways []way
	if isChosen("checked") {
		ways = append(ways, way{"checked", within(interpret)})
	}
	for _, info := range infos {
		if !isChosen(info.ID()) {
			continue
		}
		device, err := gpu.Open(gpu.Named(info.ID()))
		if err != nil {
			t.Errorf("%s does not open: %v", info.ID(), err)
			continue
		}
		defer device.Close()
		t.Logf("%s: %s, %s", info.ID(), info.Name, info.Version)
		run := func(c *exectest.Case, p compiler) ([][]byte, error) { return onDevice(c, p, device) }
		if info.Target == abi.Checked {
			run = within(run)
		}
		ways = append(ways, way{info.ID(), run})
	}
	for _, name := range []string{"vulkan", "cuda"} {
		if !slices.ContainsFunc(infos, func(i gpu.Info) bool { return i.Driver == name }) {
			t.Logf("no %s device here: nothing runs on it", name)
		}
	}
	cases := exectest.Cases()
	ran := 0
	passed, skipped := map[string]int{}, map[string]int{}
	for n := range cases {
		c := &cases[n]
		t.Run(c.Name, func(t *testing.T) {
			ran++
			p := program(t, c, codegen.Options{})
			plain := program(t, c, codegen.Options{NoOptimize: true})
			expected := c.Expected()
			for _, w := range ways {
				for _, version := range []struct {
					name string
					p    *jit.Program
				}{{w.name, p}, {w.name + " -O0", plain}} {
					got, err := w.run(c, version.p)
					switch {
					case errors.Is(err, errSkipped):
						t.Logf("%s: %v", version.name, err)
						skipped[version.name]++
						continue
					case err != nil:
						t.Errorf("%s: %v", version.name, err)
						continue
					}
					if err := exectest.Compare(c, expected, got); err != nil {
						t.Errorf("%s: %v", version.name, err)
						continue
					}
					passed[version.name]++
				}
			}
		})
	}
	for _, w := range ways {
		t.Logf("%-14s %d of %d cases pass, %d at -O0; %d skipped", w.name, passed[w.name], ran,
			passed[w.name+" -O0"], skipped[w.name])
		for _, name := range []string{w.name, w.name + " -O0"} {
			if n := passed[name] + skipped[name]; n != ran && !t.Failed() {
				t.Errorf("%s: %d of %d cases are accounted for", name, n, ran)
			}
		}
	}
}

// interpret runs a case on the checked interpreter alone.
func interpret(c *exectest.Case, p compiler) ([][]byte, error) {
	contents := c.Contents()
	images := make([]*texture.Image, len(c.Textures))
	for i := range images {
		images[i] = texture.NewImage(&c.Textures[i].Description)
		for level := range images[i].Levels {
			copy(images[i].Level(level), contents[c.Level(i, level)])
			contents[c.Level(i, level)] = images[i].Level(level)
		}
	}
	for n := range c.Dispatches {
		d := &c.Dispatches[n]
		a, err := p.Compile(abi.Checked, d.Entry, settings(d)...)
		if err != nil {
			return nil, err
		}
		m, _, items := ir.ParseString(string(a.Code))
		if m == nil {
			return nil, fmt.Errorf("the artefact does not parse: %s", items[0].Message)
		}
		program, err := interp.Compile(m, m.Kernels()[0])
		if err != nil {
			return nil, err
		}
		var buffers [][]byte
		for _, b := range program.Bindings() { // what the passes left
			buffers = append(buffers, contents[bufferIndex(c, b.Name)])
		}
		var handles []texture.Handle
		for _, h := range program.Handles() {
			if h.Sampler {
				handles = append(handles, texture.Handle{Sampler: &c.Samplers[samplerIndex(c, h.Name)].Description})
				continue
			}
			i, view := textureIndex(c, d, h.Name)
			handles = append(handles, texture.Handle{Image: images[i], Level: view.Level, Levels: view.Levels})
		}
		found, err := program.Run(&interp.Launch{Buffers: buffers, Handles: handles, Immediates: withExtent(immediates(c, n, &a.Kernel, contents), &a.Kernel, d.Grid), Grid: d.Grid, Checked: true})
		if err != nil {
			return nil, err
		}
		var text strings.Builder
		for _, f := range found {
			if f.Severity == diag.Error {
				fmt.Fprintf(&text, "\n%s", f.Message)
			}
		}
		if text.Len() > 0 {
			return nil, fmt.Errorf("%s reports:%s", d.Entry, text.String())
		}
	}
	return contents, nil
}

// immediates returns the immediates of a dispatch. Kernels written in Go have some where those in WGSL
// have a uniform buffer, whose name they bear.
func immediates(c *exectest.Case, dispatch int, k *abi.Kernel, contents [][]byte) []byte {
	if c.Immediates == nil && k.Immediates != nil {
		return contents[bufferIndex(c, k.Immediates.Name)][:k.ValueBytes()]
	}
	return c.ImmediatesOf(dispatch)
}

// withExtent puts the extent of a launch, all that its grid has, behind its immediates.
func withExtent(immediates []byte, k *abi.Kernel, grid [3]uint32) []byte {
	if k.Extent == nil {
		return immediates
	}
	words := make([]byte, k.ImmediateBytes())
	copy(words, immediates)
	for n, dimension := range k.Extent.Dimensions {
		binary.LittleEndian.PutUint32(words[int(k.Extent.Offset)+4*n:], grid[dimension]*k.Workgroup[dimension])
	}
	return words
}

// numbered is what texts put behind names that several things have: data.9 in that of IR, data_9 in WGSL.
var numbered = regexp.MustCompile(`[._][0-9]+$`)

// bufferIndex returns which buffer has a name, with or without such a number.
func bufferIndex(c *exectest.Case, name string) int {
	is := func(name string) int {
		return slices.IndexFunc(c.Buffers, func(b exectest.Buffer) bool { return b.Name == name })
	}
	i := is(name)
	if i < 0 {
		i = is(numbered.ReplaceAllString(name, ""))
	}
	if i < 0 {
		panic("case " + c.Name + " has no buffer " + name)
	}
	return i
}

func textureIndex(c *exectest.Case, d *exectest.Dispatch, name string) (int, exectest.View) {
	i, view := c.View(d, name)
	if i < 0 {
		panic("case " + c.Name + " has no texture for " + name)
	}
	return i, view
}

func samplerIndex(c *exectest.Case, name string) int {
	i := slices.IndexFunc(c.Samplers, func(s exectest.Sampler) bool { return s.Name == name })
	if i < 0 {
		panic("case " + c.Name + " has no sampler " + name)
	}
	return i
}

// deviceTextures makes a case's textures and samplers on a device.
func deviceTextures(c *exectest.Case, device *gpu.Device, contents [][]byte) (textures []*gpu.Texture, samplers []*gpu.Sampler, err error) {
	for i := range c.Textures {
		t, err := device.NewTexture(c.Textures[i].Description)
		if err != nil {
			return textures, samplers, fmt.Errorf("texture %s: %w", c.Textures[i].Name, err)
		}
		textures = append(textures, t)
		for level := range c.Textures[i].Description.Levels {
			if err := t.Write(level, contents[c.Level(i, level)]); err != nil {
				return textures, samplers, fmt.Errorf("texture %s: %w", c.Textures[i].Name, err)
			}
		}
	}
	for i := range c.Samplers {
		s, err := device.NewSampler(c.Samplers[i].Description)
		if err != nil {
			return textures, samplers, fmt.Errorf("sampler %s: %w", c.Samplers[i].Name, err)
		}
		samplers = append(samplers, s)
	}
	return textures, samplers, nil
}

// setHandles binds the textures and samplers of a dispatch.
func setHandles(c *exectest.Case, d *exectest.Dispatch, k *gpu.Kernel, arguments *gpu.Args, textures []*gpu.Texture, samplers []*gpu.Sampler) error {
	for at, h := range k.Describe().Handles {
		var err error
		if h.Texture == nil {
			err = arguments.SetSampler(at, samplers[samplerIndex(c, h.Name)])
		} else {
			i, view := textureIndex(c, d, h.Name)
			err = arguments.SetTextureLevels(at, textures[i], view.Level, view.Levels)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func onDevice(c *exectest.Case, p compiler, device *gpu.Device) ([][]byte, error) {
	ctx := context.Background()
	info := device.Info()
	for feature, needed := range map[abi.Feature]bool{abi.Float16: c.NeedsF16, abi.Subgroups: c.NeedsSubgroups} {
		if needed && !slices.Contains(info.Features, feature) {
			return nil, fmt.Errorf("%w: %s lacks %s", errSkipped, info.ID(), feature)
		}
	}
	stream, err := device.NewStream()
	if err != nil {
		return nil, err
	}
	defer stream.Close()
	contents := c.Contents()
	textures, samplers, err := deviceTextures(c, device, contents)
	defer func() {
		for _, t := range textures {
			t.Close()
		}
		for _, s := range samplers {
			s.Close()
		}
	}()
	if c.NeedsMultisampling && errors.Is(err, gpu.ErrUnsupported) {
		return nil, fmt.Errorf("%w: %w", errSkipped, err)
	} else if err != nil {
		return nil, err
	}
	buffers := make([]*gpu.Buffer[byte], len(c.Buffers))
	for i, data := range contents[:len(buffers)] {
		if buffers[i], err = gpu.Upload(ctx, device, data); err != nil {
			return nil, err
		}
		defer buffers[i].Close()
	}
	for n := range c.Dispatches {
		d := &c.Dispatches[n]
		k, err := p.Load(device, d.Entry, settings(d)...)
		if err != nil {
			return nil, err
		}
		defer k.Close()
		arguments := k.Args()
		for i, b := range k.Describe().Arguments() {
			if err := arguments.Set(i, buffers[bufferIndex(c, b.Name)]); err != nil {
				return nil, err
			}
		}
		if err := arguments.SetImmediates(immediates(c, n, k.Describe(), contents)); err != nil {
			return nil, err
		}
		if err := setHandles(c, d, k, arguments, textures, samplers); err != nil {
			return nil, err
		}
		if err := stream.Launch(arguments, gpu.Grid{X: d.Grid[0], Y: d.Grid[1], Z: d.Grid[2]}); err != nil {
			return nil, err
		}
	}
	for i := range buffers {
		if err := buffers[i].Read(ctx, stream, contents[i]); err != nil {
			return nil, err
		}
	}
	for i, t := range textures {
		for level := range c.Textures[i].Description.Levels {
			if err := stream.ReadTexture(contents[c.Level(i, level)], t, level); err != nil {
				return nil, err
			}
		}
	}
	return contents, nil
}
