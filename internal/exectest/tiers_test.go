package exectest_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/internal/exectest"
	"github.com/gpuc/gpuc/internal/exectest/ondevice"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/texture"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/driver/cpu"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// TestTiers requires that no kernel, compiled with all passes, falls back to the interpreter:
// TestKernels would not notice.
func TestTiers(t *testing.T) {
	device, err := (&cpu.Driver{Tier: cpu.Vector}).Open(cpu.Defined)
	if err != nil {
		t.Fatal(err)
	}
	defer device.Close()
	for _, c := range exectest.Cases() {
		if !testmode.Picked(c.Name) {
			continue
		}
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
			if tier, refused := cpu.TierOf(k); tier != cpu.Vector {
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

// TestTiersLeaveTheSameBits runs every case in each tier of the CPU device and on the checked one,
// with strict arithmetic: all are right, and leave the bits that the first does.
func TestTiersLeaveTheSameBits(t *testing.T) {
	tiers := append(cpu.Tiers(), checked)
	cases := pickedCases("tiers")
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

// loose are the operations on floats whose results WGSL bounds (§15.7.4), and which strict
// arithmetic does not define either. Drivers compute them as their hardware does. What lanes there
// are, and how a filter weighs texels, is the device's, too.
var loose = op.SetOf(op.Rem, op.InverseSqrt, op.Sin, op.Cos, op.Tan, op.Asin, op.Acos, op.Atan, op.Atan2, op.Sinh, op.Cosh, op.Tanh,
	op.Asinh, op.Acosh, op.Atanh, op.Exp, op.Exp2, op.Log, op.Log2, op.Pow)

// isDefined reports whether an entry point's results follow from the program alone: no float comes
// out of an operation that is loose, nothing depends on subgroups or on a filter.
func isDefined(m *ir.Module) bool {
	for _, f := range m.Funcs {
		for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
			name := f.Op(i).String()
			if loose.Has(f.Op(i)) && f.Module.ScalarOf(f.Type(i)).IsFloat() ||
				strings.HasPrefix(name, "subgroup_") || strings.HasPrefix(name, "quad_") || strings.HasPrefix(name, "texture_sample") {
				return false
			}
		}
	}
	return true
}

// TestStrictBits runs every case with strict arithmetic on each device that is found, and requires
// the bits that the CPU device leaves, wherever WGSL leaves no choice. Of the others it says how
// many are the same.
func TestStrictBits(t *testing.T) {
	reference := openTier(t, cpu.Tiers()[0])
	infos, _ := gpu.Devices()
	cases := pickedCases("strict")
	for _, info := range infos {
		if info.Driver == "cpu" || !isChosen(info.ID()) {
			continue
		}
		device, err := gpu.Open(gpu.Named(info.ID()))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { device.Close() })
		defined, same, left, skipped := 0, 0, 0, 0
		for n := range cases {
			c := &cases[n]
			p := program(t, c, codegen.Options{Math: opt.MathStrict})
			want, err := onDevice(c, p, reference)
			if err != nil {
				t.Fatalf("%s: %v", c.Name, err)
			}
			got, err := onDevice(c, p, device)
			// texels that are fractions, read and written as the device does
			rounds := slices.ContainsFunc(c.Textures, func(t exectest.Texture) bool {
				e := t.Description.Format.Info().Encoding
				return e == texture.Unorm || e == texture.Snorm
			})
			switch equal := slices.EqualFunc(got, want, bytes.Equal); {
			case errors.Is(err, errSkipped):
				skipped++
			case err != nil:
				t.Errorf("%s on %s: %v", c.Name, info.ID(), err)
			case isDefined(p.Module()) && !rounds:
				if defined++; !equal {
					t.Errorf("%s on %s: other bits than the CPU device's: %v", c.Name, info.ID(), firstDifference(want, got))
				}
			case equal:
				same++
			default:
				left++
			}
		}
		t.Logf("%s: %d cases leave the same bits, as they must; of the others %d do, and %d do not; %d are skipped", info.ID(), defined, same, left, skipped)
		if defined < len(cases)/3 && !testing.Short() {
			t.Errorf("only %d of %d cases are compared", defined, len(cases))
		}
	}
}

// firstDifference says where contents differ.
func firstDifference(want, got [][]byte) string {
	for n := range want {
		for at := range want[n] {
			if at < len(got[n]) && want[n][at] != got[n][at] {
				return fmt.Sprintf("contents %d, byte %d: %d and %d", n, at, want[n][at], got[n][at])
			}
		}
	}
	return "the length"
}
