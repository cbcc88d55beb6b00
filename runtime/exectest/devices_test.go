package exectest_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/interp"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/exectest"
	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/jit"
)

// way is one way to run a case.
type way struct {
	name string
	// run returns the final contents, or errSkipped with the reason.
	run func(c *exectest.Case, p *jit.Program) ([][]byte, error)
}

// errSkipped marks a case that a device cannot run for want of a feature.
var errSkipped = errors.New("skipped")

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

// TestKernels runs every case on the interpreter, in both modes, on IR as the
// front end makes it and after the passes, and on every device that is found,
// and compares the results with the reference. A device that lacks a feature
// which a case needs is named with it.
func TestKernels(t *testing.T) {
	infos, err := gpu.Devices()
	if err != nil {
		t.Errorf("a driver fails: %v", err)
	}
	ways := []way{
		{"checked", func(c *exectest.Case, p *jit.Program) ([][]byte, error) { return interpret(c, p, true) }},
	}
	for _, info := range infos {
		device, err := gpu.Open(gpu.Named(info.ID()))
		if err != nil {
			t.Errorf("%s does not open: %v", info.ID(), err)
			continue
		}
		defer device.Close()
		t.Logf("%s: %s, %s", info.ID(), info.Name, info.Version)
		ways = append(ways, way{info.ID(), func(c *exectest.Case, p *jit.Program) ([][]byte, error) {
			return onDevice(c, p, device)
		}})
	}
	for _, name := range []string{"vulkan", "cuda"} {
		if !slices.ContainsFunc(infos, func(i gpu.Info) bool { return i.Driver == name }) {
			t.Logf("no %s device here: nothing runs on it", name)
		}
	}
	cases := exectest.Cases()
	passed := map[string]int{}
	for n := range cases {
		c := &cases[n]
		t.Run(c.Name, func(t *testing.T) {
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
		t.Logf("%-14s %d of %d cases pass, %d at -O0", w.name, passed[w.name], len(cases), passed[w.name+" -O0"])
	}
}

// interpret runs a case on the interpreter alone.
func interpret(c *exectest.Case, p *jit.Program, checked bool) ([][]byte, error) {
	contents := c.Contents()
	for n := range c.Dispatches {
		d := &c.Dispatches[n]
		a, err := p.Compile(abi.CPU, d.Entry, settings(d)...)
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
		for _, b := range a.Kernel.Bindings {
			buffers = append(buffers, contents[bufferIndex(c, b.Name)])
		}
		found, err := program.Run(&interp.Launch{Buffers: buffers, Grid: d.Grid, Checked: checked})
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

func bufferIndex(c *exectest.Case, name string) int {
	i := slices.IndexFunc(c.Buffers, func(b exectest.Buffer) bool { return b.Name == name })
	if i < 0 {
		panic("case " + c.Name + " has no buffer " + name)
	}
	return i
}

func onDevice(c *exectest.Case, p *jit.Program, device *gpu.Device) ([][]byte, error) {
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
	buffers := make([]*gpu.Buffer[byte], len(contents))
	for i, data := range contents {
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
		if err := stream.Launch(arguments, gpu.Grid{X: d.Grid[0], Y: d.Grid[1], Z: d.Grid[2]}); err != nil {
			return nil, err
		}
	}
	for i := range buffers {
		if err := buffers[i].Read(ctx, stream, contents[i]); err != nil {
			return nil, err
		}
	}
	return contents, nil
}
