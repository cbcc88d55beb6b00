package cpu_test

import (
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen/cpu/jit"
	"github.com/gpuc/gpuc/internal/drivertest"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/driver/cpu"
)

// asWritten is a kernel in IR that no target has legalised.
const asWritten = `
var @x : ptr<storage, array<f32>, read_write> [group 0, binding 0]

kernel @main(%id: vec3<u32> [global_invocation_id]) [workgroup 64u, 1u, 1u] {
  %i = extract %id, 0u : u32
  %p = access @x, %i : ptr<storage, f32, read_write>
  store %p, 1f
  return
}
`

// TestTierIsChosen sets tiers by the driver's field and by the variable, and looks at what a
// kernel runs in.
func TestTierIsChosen(t *testing.T) {
	artefact := &abi.Artefact{Target: abi.CPU, Code: []byte(asWritten), Kernel: abi.Kernel{Name: "main", Workgroup: [3]uint32{64, 1, 1},
		Bindings: []abi.Binding{{Name: "x", Access: abi.ReadWrite, Stride: 4}}}}
	highest := "machine code"
	if jit.Available() != nil {
		highest = "vector engine"
	}
	usual := highest
	if !jit.ByDefault() || drivertest.RaceEnabled {
		usual = "vector engine"
	}
	for _, test := range []struct {
		variable string
		field    cpu.Tier
		device   string
	}{{"", cpu.Default, usual}, {"jit", cpu.Default, highest}, {"interpreter", cpu.Default, "interpreter"}, {"vector", cpu.Default, "vector engine"}, {"vector", cpu.Interpreter, "interpreter"}} {
		t.Setenv(cpu.Variable, test.variable)
		d := &cpu.Driver{Tier: test.field}
		infos, err := d.Devices()
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(infos[cpu.Defined].Name, "× "+test.device) || !strings.HasSuffix(infos[cpu.Checked].Name, "checked interpreter") {
			t.Errorf("%+v: the devices are %q and %q", test, infos[cpu.Defined].Name, infos[cpu.Checked].Name)
		}
		device, err := d.Open(cpu.Defined)
		if err != nil {
			t.Fatal(err)
		}
		k, err := device.Load(artefact)
		if err != nil {
			t.Fatal(err)
		}
		tier, refused := cpu.TierOf(k)
		if tier != cpu.Interpreter {
			t.Errorf("%+v: IR that is not legalised runs in tier %s", test, tier)
		}
		if set := test.device != "interpreter"; set != (refused != nil) {
			t.Errorf("%+v: it is refused because: %v", test, refused)
		}
		device.Close()
		if test.field == cpu.Default && cpu.Compiles() != (test.device == "machine code") {
			t.Errorf("%+v: Compiles says %v", test, cpu.Compiles())
		}
	}
	t.Setenv(cpu.Variable, "vectors")
	if _, err := new(cpu.Driver).Open(cpu.Defined); err == nil || !strings.Contains(err.Error(), `GPUC_CPU is "vectors"; it is one of interpreter, vector`) {
		t.Errorf("a tier that there is not: %v", err)
	}
}
