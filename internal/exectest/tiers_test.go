package exectest_test

import (
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/internal/exectest"
	"github.com/gpuc/gpuc/internal/exectest/ondevice"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/driver/cpu"
)

// TestTiers asks that no kernel, compiled with all passes, falls back to the interpreter: TestKernels would not notice.
func TestTiers(t *testing.T) {
	device, err := (&cpu.Driver{Tier: cpu.Columns}).Open(cpu.Defined)
	if err != nil {
		t.Fatal(err)
	}
	defer device.Close()
	for _, c := range exectest.Cases() {
		p := program(t, &c, codegen.Options{})
		for _, d := range c.Dispatches {
			a, err := p.Compile(abi.CPU, d.Entry, ondevice.Settings(&d)...)
			if err != nil {
				t.Errorf("%s: %v", c.Name, err)
				continue
			}
			k, err := device.Load(a)
			if err != nil {
				t.Errorf("%s: %v", c.Name, err)
				continue
			}
			if tier, refused := cpu.TierOf(k); tier != cpu.Columns {
				t.Errorf("%s: the tier is %s: %v", c.Name, tier, refused)
			}
			k.Close()
		}
	}
}
