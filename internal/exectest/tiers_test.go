package exectest_test

import (
	"os"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/internal/exectest"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/driver/cpu"
)

func TestT(t *testing.T) {
	d, err := (&cpu.Driver{}).Open(0)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range exectest.Cases() {
		for _, o := range []codegen.Options{{}} {
			p := program(t, &c, o)
			for _, x := range c.Dispatches {
				a, err := p.Compile(abi.CPU, x.Entry, settings(&x)...)
				if err != nil {
					t.Error(c.Name, err)
					continue
				}
				k, err := d.Load(a)
				if err != nil {
					t.Error(err)
					continue
				}
				if tier, err := cpu.TierOf(k); tier != cpu.Columns {
					t.Log(c.Name, tier, err)
				}
			}
		}
	}
	_ = os.Stdout
}
