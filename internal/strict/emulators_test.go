package strict

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/gpuc/gpuc/internal/difftest"
	"github.com/gpuc/gpuc/internal/difftest/campaign"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
)

// emulatedWays are the emulators. Those of Metal and AMD execute on the host, whose min, max and
// conversions differ from those of devices.
var emulatedWays = []string{"spirv", "ptx", "msl", "amdgpu"}

// Case returns an operation as a case of a campaign, for one workgroup. Its kernel canonicalises
// NaNs.
func (o *Operation) Case(random *rand.Rand) difftest.Case {
	quiet := *o
	if o.Out.IsFloat() {
		quiet.Build = func(b *ir.Builder, x []ir.Value) ir.Value {
			v := o.Build(b, x)
			return b.Op(op.Select, b.Op(op.Eq, v, v), v, b.F.Module.ConstSplat(ir.Type(o.Out), scalar.FromFloat64(o.Out, constants[scalar.F64][13])))
		}
	}
	c := difftest.Case{Name: o.Name, Language: "ir", Code: quiet.Module().Text(), Entry: "main", Dispatch: [3]int{1, 1, 1}}
	columns := make([][]byte, len(o.In)+1)
	x := make([]uint64, len(o.In))
	put := func(n int, k scalar.Kind, bits uint64) {
		if k.Bits() == 64 {
			columns[n] = binary.LittleEndian.AppendUint64(columns[n], bits)
		} else {
			columns[n] = binary.LittleEndian.AppendUint32(columns[n], uint32(bits))
		}
	}
	for range workgroup {
		operands(random, o, x)
		for n, k := range o.In {
			put(n, k, x[n])
		}
		want := o.Go(x)
		if isNaN(o.Out, want) {
			want = scalar.FromFloat64(o.Out, constants[scalar.F64][13])
		}
		put(len(o.In), o.Out, want)
	}
	for n, data := range columns {
		b := difftest.Binding{Binding: n, Name: "b", Kind: "read-only-storage", Data: data, Want: data}
		if n == len(o.In) {
			b.Kind, b.Data = "storage", make([]byte, len(data))
		}
		c.Bindings = append(c.Bindings, b)
	}
	return c
}

// TestEmulators runs each operation on the emulators of targets.
func TestEmulators(t *testing.T) {
	for _, name := range emulatedWays {
		t.Run(name, func(t *testing.T) {
			way, err := campaign.Open(name)
			if err != nil {
				t.Skip("skipped: ", err)
			}
			random := rand.New(rand.NewPCG(*seed, 7))
			var cases []difftest.Case
			for n := range Operations {
				o := &Operations[n]
				if name == "msl" && !allowed(o, false, true) {
					continue
				}
				cases = append(cases, o.Case(random))
			}
			strict := campaign.Configuration{Math: opt.MathStrict}
			if name == "spirv" || name == "ptx" { // one by one
				for n := range cases {
					if err := way.Run(&cases[n], strict); err != nil {
						t.Errorf("%s: %.300s", cases[n].Name, err)
					}
				}
				return
			}
			report := way.RunCases(cases, []campaign.Configuration{strict})
			for _, f := range report.Failures {
				t.Errorf("%s: %.300s", cases[f.Seed].Name, f.Message)
			}
			t.Logf("%d of %d executions failed", len(report.Failures), report.Executions)
		})
	}
}
