package all_test

import (
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"slices"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/all"
	"github.com/gpuc/gpuc/internal/devicetest"
	"github.com/gpuc/gpuc/internal/passing"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/driver"
	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/jit"
)

// This file passes every kind of pointer to functions that stay functions, and to
// some that do not.

var passingOptions = []codegen.Options{{}, {NoOptimize: true}, {Bounds: opt.BoundsOff},
	{Bounds: opt.BoundsTrap}, {Bounds: opt.BoundsTrap, NoOptimize: true}, {Math: opt.MathStrict}}

// everyPassing asks for all programs in all ways: some ten minutes. Without it
// functions are called 2 and 36 times, with robust access.
var everyPassing = flag.Bool("passing", false, "every program that passes pointers, in every way")

// eachPassing compiles the programs for a target. Where a compiler behind it takes
// seconds for a program, few have to do: those of which nothing is inlined by ours.
func eachPassing(t *testing.T, target abi.Target, slow bool, visit func(t *testing.T, p *passing.Program, a *abi.Artefact)) {
	passing.Each(!*everyPassing, func(o passing.Options) {
		if slow && (o.Depth != 3 || o.Calls != 2 || !o.Large) {
			return
		}
		t.Run(o.Name(), func(t *testing.T) {
			program := passing.New(o)
			for _, how := range passingOptions {
				if !*everyPassing && how.Bounds != opt.BoundsRobust {
					continue
				}
				p, err := jit.Parse("passing.wgsl", program.Text, how)
				if err != nil {
					t.Fatal(err)
				}
				a, err := compile(p.Module(), all.Lookup(string(target)), how)
				if err != nil {
					t.Fatalf("%s: %v", name(&how), err)
				}
				if visit(t, &program, a); t.Failed() {
					t.Fatalf("%s:\n%s", name(&how), program.Text)
				}
			}
		})
	})
}

// TestPassingOnDevices compares what the programs leave with what they should.
func TestPassingOnDevices(t *testing.T) {
	for _, target := range all.Targets {
		t.Run(string(target.Name), func(t *testing.T) {
			devices := devicetest.Devices(t, target.Name)
			slow := slices.ContainsFunc(devices, func(d *gpu.Device) bool { return d.Info().Kind == driver.Software })
			eachPassing(t, target.Name, slow, func(t *testing.T, p *passing.Program, a *abi.Artefact) {
				for _, device := range devices {
					if err := runPassing(device, p, a); err != nil {
						t.Errorf("%s: %v", device.Info().Name, err)
					}
				}
			})
		})
	}
}

// TestPassingIsValid shows the code to the judges of other houses.
func TestPassingIsValid(t *testing.T) {
	for _, judge := range judges {
		t.Run(judge.program, func(t *testing.T) {
			path, folder := judge.find(t), t.TempDir()
			eachPassing(t, judge.target, judge.target == abi.PTX, func(t *testing.T, p *passing.Program, a *abi.Artefact) {
				if err := judge.check(path, folder, a.Code); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

func runPassing(device *gpu.Device, p *passing.Program, a *abi.Artefact) error {
	kernel, err := device.Load(a)
	if err != nil {
		return err
	}
	defer kernel.Close()
	stream, err := device.NewStream()
	if err != nil {
		return err
	}
	defer stream.Close()
	ctx := context.Background()
	arguments := kernel.Args()
	var memory []*gpu.Buffer[byte]
	for n, b := range p.Buffers {
		var before []byte
		for _, x := range b.Before {
			before = binary.LittleEndian.AppendUint32(before, x)
		}
		buffer, err := gpu.Upload(ctx, device, before)
		if err != nil {
			return err
		}
		defer buffer.Close()
		if err := arguments.Set(n, buffer); err != nil {
			return err
		}
		memory = append(memory, buffer)
	}
	if err := stream.Launch(arguments, gpu.Grid{X: 1, Y: 1, Z: 1}); err != nil {
		return err
	}
	for n, b := range p.Buffers {
		got := make([]byte, 4*len(b.Want))
		if err := memory[n].Read(ctx, stream, got); err != nil {
			return err
		}
		for k, want := range b.Want {
			if x := binary.LittleEndian.Uint32(got[4*k:]); x != want {
				return fmt.Errorf("word %d of binding %d is %#x, want %#x", k, b.Binding, x, want)
			}
		}
	}
	return nil
}
