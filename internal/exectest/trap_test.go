package exectest_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/internal/exectest"
	"github.com/gpuc/gpuc/internal/exectest/ondevice"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// TestKernelsTrap runs the cases compiled with -bounds=trap, the devices taking
// turns: none leaves its variables, so none may report a fault, and the results
// are the same.
func TestKernelsTrap(t *testing.T) {
	infos, err := gpu.Devices()
	if err != nil {
		t.Errorf("a driver fails: %v", err)
	}
	// that one is slow, and strict anyhow
	infos = slices.DeleteFunc(infos, func(i gpu.Info) bool { return i.Label == "checked" || !isChosen(i.ID()) })
	cases := slices.DeleteFunc(exectest.Cases(), func(c exectest.Case) bool { return c.LeavesVariables })
	checks := 0
	for round, info := range infos {
		device, err := gpu.Open(gpu.Named(info.ID()))
		if err != nil {
			t.Errorf("%s does not open: %v", info.ID(), err)
			continue
		}
		defer device.Close()
		passed, skipped := 0, 0
		for n := round; n < len(cases); n += len(infos) {
			c := &cases[n]
			t.Run(info.ID()+"/"+c.Name, func(t *testing.T) {
				p := program(t, c, codegen.Options{Bounds: opt.BoundsTrap})
				got, err := onDevice(c, p, device)
				if errors.Is(err, errSkipped) {
					skipped++
					t.Skip(err) // which begins so itself
				} else if err != nil {
					t.Fatal(err)
				}
				if err := exectest.Compare(c, c.Expected(), got); err != nil {
					t.Fatal(err)
				}
				a, err := p.Compile(info.Target, c.Dispatches[0].Entry, ondevice.Settings(&c.Dispatches[0])...)
				if err != nil {
					t.Fatal(err)
				}
				if a.Kernel.Fault != nil {
					checks += len(a.Kernel.Fault.Sites)
				}
				passed++
			})
		}
		t.Logf("%-14s %d cases pass, %d skipped", info.ID(), passed, skipped)
	}
	if checks == 0 {
		t.Error("no kernel has a check")
	}
	t.Logf("%d checks", checks)
}
