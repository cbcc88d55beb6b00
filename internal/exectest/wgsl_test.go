package exectest_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/frontend"
	"github.com/gpuc/gpuc/frontend/wgsl/lower"
	"github.com/gpuc/gpuc/internal/exectest"
	"github.com/gpuc/gpuc/internal/exectest/ondevice"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/jit"
)

// throughWGSL compiles a program's kernels to WGSL, and what is read of that to the target.
type throughWGSL struct {
	program *jit.Program
	options codegen.Options
}

// read returns the program that the WGSL of an entry point is, its overrides bound, and the WGSL.
func (w throughWGSL) read(entry string, settings []ir.Setting) (*jit.Program, string, error) {
	a, err := w.program.Compile(abi.WGSL, entry, settings...)
	if err != nil {
		return nil, "", err
	}
	set, list := new(source.Set), new(diag.List)
	file, err := set.Add(entry+".out.wgsl", string(a.Code))
	if err != nil {
		return nil, "", err
	}
	frontend.Load(set, file, frontend.Options{Lower: lower.Options{Math: w.options.Math}}, list)
	if items := list.Items(); len(items) > 0 { // warnings too
		at := set.Position(items[0].Span.Start)
		return nil, "", fmt.Errorf("line %d of what is written: %s\n%s", at.Line, items[0].Message, a.Code)
	}
	p, err := jit.Parse(entry+".out.wgsl", string(a.Code), w.options)
	return p, string(a.Code), err
}

func (w throughWGSL) Compile(target abi.Target, entry string, settings ...ir.Setting) (*abi.Artefact, error) {
	p, _, err := w.read(entry, settings)
	if err != nil {
		return nil, err
	}
	return p.Compile(target, entry)
}

func (w throughWGSL) Load(device *gpu.Device, entry string, settings ...ir.Setting) (*gpu.Kernel, error) {
	p, _, err := w.read(entry, settings)
	if err != nil {
		return nil, err
	}
	return p.Load(device, entry)
}

// wgslWays are the ways that run what the target wgsl writes: the checked interpreter, the CPU
// device and those that take SPIR-V.
func wgslWays(t *testing.T) (ways []way) {
	ways = append(ways, way{"checked", within(interpret)})
	infos, _ := gpu.Devices() // TestKernels reports failures
	for _, info := range infos {
		if info.Target != abi.CPU && info.Target != abi.SPIRV || !isChosen(info.ID()) {
			continue
		}
		device, err := gpu.Open(gpu.Named(info.ID()))
		if err != nil {
			continue
		}
		t.Cleanup(func() { device.Close() })
		ways = append(ways, way{info.ID(), func(c *exectest.Case, p compiler) ([][]byte, error) { return onDevice(c, p, device) }})
	}
	return ways
}

// TestThroughWGSL runs every case through the target wgsl: with and without passes, and strict.
// What is written is accepted without a warning and gives the reference's results. Most kernels are
// written the same way again. The others differ in names, in the order of assignments, and where a
// variable tells passes less than a value. Those that become stable the second time are counted.
func TestThroughWGSL(t *testing.T) {
	testmode.Quick(t, "it compiles each kernel three times")
	ways := wgslWays(t)
	cases := exectest.Cases()
	passed, skipped, kernels, fixed, settled := map[string]int{}, map[string]int{}, 0, 0, 0
	modes := []struct {
		name    string
		options codegen.Options
	}{{"default", codegen.Options{}}, {"-O0", codegen.Options{NoOptimize: true}}, {"strict", codegen.Options{Math: opt.MathStrict}}}
	for n := range cases {
		c := &cases[n]
		t.Run(c.Name, func(t *testing.T) {
			expected := c.Expected()
			for k, mode := range modes {
				if !testmode.Rotated(n, k, len(modes)) {
					continue
				}
				if c.Strict {
					mode.options.Math = opt.MathStrict
				}
				p := throughWGSL{program(t, c, mode.options), mode.options}
				for _, w := range ways {
					got, err := w.run(c, p)
					if errors.Is(err, errSkipped) {
						skipped[w.name]++
						continue
					}
					if err == nil {
						err = exectest.Compare(c, expected, got)
					}
					if err != nil {
						t.Errorf("%s, %s: %v", w.name, mode.name, err)
						break
					}
					passed[w.name+" "+mode.name]++
				}
				for k := range c.Dispatches {
					d := &c.Dispatches[k]
					q, first, err := p.read(d.Entry, ondevice.Settings(d))
					if err != nil {
						continue // reported
					}
					_, second, err := throughWGSL{q, mode.options}.read(d.Entry, nil)
					if err != nil {
						t.Errorf("%s, the second time: %v", mode.name, err)
						continue
					}
					r, err := jit.Parse("again.wgsl", second, mode.options)
					if err != nil {
						t.Fatal(err)
					}
					_, third, err := throughWGSL{r, mode.options}.read(d.Entry, nil)
					kernels++
					switch {
					case err != nil:
						t.Errorf("%s, the third time: %v", mode.name, err)
					case first == second:
						fixed++
					case second == third:
						settled++
					}
				}
			}
		})
	}
	t.Logf("passed %v, skipped %v; of %d kernels %d are written again alike, %d from the second time on", passed, skipped, kernels, fixed, settled)
	if fixed*10 < kernels*8 || (fixed+settled)*10 < kernels*9 {
		t.Error("too many kernels are written otherwise each time")
	}
}
