package exectest_test

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/internal/exectest"
	"github.com/gpuc/gpuc/internal/exectest/ondevice"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/driver/cpu"
	"github.com/gpuc/gpuc/runtime/gpu"
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

// openTier opens the CPU device in one of its tiers, or the checked one.
func openTier(t *testing.T, name string) *gpu.Device {
	t.Helper()
	id := "cpu:0"
	if name == checked {
		id = "cpu:checked"
	} else {
		t.Setenv(cpu.Variable, name)
	}
	device, err := gpu.Open(gpu.Named(id))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { device.Close() })
	return device
}

const checked = "checked"

// TestTiersLeaveTheSameBits runs every case in each tier of the CPU device and on the checked one, with strict arithmetic: all are right, and leave the
// bits that the first does.
func TestTiersLeaveTheSameBits(t *testing.T) {
	tiers := append(cpu.Tiers(), checked)
	cases := exectest.Cases()
	first := make([][][]byte, len(cases)) // what the first tier leaves of each case
	for _, tier := range tiers {
		device := openTier(t, tier)
		run := func(c *exectest.Case, p compiler) ([][]byte, error) { return onDevice(c, p, device) }
		if tier == checked {
			run = within(run)
		}
		same, skipped := 0, 0
		for n := range cases {
			c := &cases[n]
			got, err := run(c, program(t, c, codegen.Options{Math: opt.MathStrict}))
			if errors.Is(err, errSkipped) {
				skipped++
				continue
			}
			if err == nil {
				err = exectest.Compare(c, c.Expected(), got)
			}
			if err == nil && first[n] != nil && !slices.EqualFunc(got, first[n], bytes.Equal) {
				err = errors.New("other bits than in tier " + tiers[0])
			}
			if err != nil {
				t.Errorf("%s in tier %s: %v", c.Name, tier, err)
				continue
			}
			if same++; first[n] == nil {
				first[n] = got
			}
		}
		t.Logf("%-11s %d of %d cases, %d skipped, which it reports", tier, same, len(cases), skipped)
		if same+skipped != len(cases) && !t.Failed() || skipped > 0 && tier != checked || skipped > 2 {
			t.Errorf("%s: %d and %d of %d cases are accounted for", tier, same, skipped, len(cases))
		}
	}
}
