package exectest_test

import (
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/internal/exectest"
	"github.com/gpuc/gpuc/internal/exectest/ondevice"
	"github.com/gpuc/gpuc/internal/testmode"
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
var errSkipped = ondevice.ErrSkipped

var onlyDevices = flag.String("device", "", "run only on these devices: names as `gpuc devices` shows them, or checked, separated by commas")

// isChosen reports whether the flag lets a way run.
func isChosen(name string) bool {
	return *onlyDevices == "" || slices.Contains(strings.Split(*onlyDevices, ","), name)
}

// pickedCases are all cases, and in short mode those that are picked for a test.
func pickedCases(test string) []exectest.Case {
	return slices.DeleteFunc(exectest.Cases(), func(c exectest.Case) bool { return !testmode.Picked(test + c.Name) })
}

// program reads the source of a case.
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

// within skips the cases that a checked run reports.
func within(run func(*exectest.Case, compiler) ([][]byte, error)) func(*exectest.Case, compiler) ([][]byte, error) {
	return func(c *exectest.Case, p compiler) ([][]byte, error) {
		if c.LeavesVariables {
			return nil, fmt.Errorf("%w: accesses leave their variables, which checked runs report", errSkipped)
		}
		return run(c, p)
	}
}

// TestKernels runs every case on the checked interpreter and on every device that is found, with
// and without passes. It compares the results with the reference. In trap mode a case that stays in
// its variables reports nothing; usually every fourth case runs in it. A device that lacks a
// feature which a case needs is named with it, and cases that it does not run are counted by the
// reason. In short mode each way runs an eighth of the cases, which differ from way to way.
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
	ran, passed, skipped := map[string]int{}, map[string]int{}, map[string]int{}
	for n := range cases {
		c := &cases[n]
		t.Run(c.Name, func(t *testing.T) {
			p := program(t, c, codegen.Options{})
			plain := program(t, c, codegen.Options{NoOptimize: true})
			trap := program(t, c, codegen.Options{Bounds: opt.BoundsTrap})
			expected := c.Expected()
			for _, w := range ways {
				for _, version := range []struct {
					name string
					p    *jit.Program
				}{{w.name, p}, {w.name + " -O0", plain}, {w.name + " trap", trap}} {
					if version.p == trap && (c.LeavesVariables || w.name == "checked" || !testmode.Sampled(n, 4)) || !testmode.Picked(c.Name+version.name) {
						continue
					}
					ran[version.name]++
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
		t.Logf("%-14s %d of %d cases pass, %d at -O0; %d skipped", w.name, passed[w.name], ran[w.name],
			passed[w.name+" -O0"], skipped[w.name])
		for _, name := range []string{w.name, w.name + " -O0"} {
			if n := passed[name] + skipped[name]; n != ran[name] && !t.Failed() {
				t.Errorf("%s: %d of %d cases are accounted for", name, n, ran[name])
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
		a, err := p.Compile(abi.Checked, d.Entry, ondevice.Settings(d)...)
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
			buffers = append(buffers, contents[ondevice.BufferIndex(c, b.Name)])
		}
		var handles []texture.Handle
		for _, h := range program.Handles() {
			if h.Sampler {
				handles = append(handles, texture.Handle{Sampler: &c.Samplers[ondevice.SamplerIndex(c, h.Name)].Description})
				continue
			}
			i, view := ondevice.TextureIndex(c, d, h.Name)
			handles = append(handles, texture.Handle{Image: images[i], Level: view.Level, Levels: view.Levels})
		}
		found, err := program.Run(&interp.Launch{Buffers: buffers, Handles: handles, Immediates: withExtent(ondevice.Immediates(c, n, &a.Kernel, contents), &a.Kernel, d.Grid), Grid: d.Grid, Checked: true})
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

// withExtent puts the extent of a launch, all that its grid has, after its immediates.
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

// onDevice runs a case on a device.
func onDevice(c *exectest.Case, p compiler, device *gpu.Device) ([][]byte, error) {
	s, err := ondevice.Open(c, device)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	if err := s.Run(p); err != nil {
		return nil, err
	}
	return s.Contents()
}
