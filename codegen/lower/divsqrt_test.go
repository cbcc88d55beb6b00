package lower_test

import (
	"testing"

	"github.com/gpuc/gpuc/codegen/peephole"
	"github.com/gpuc/gpuc/internal/irtest"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/opt"
)

// TestDivSqrtStrict: the strict mode keeps roots and quotients.
func TestDivSqrtStrict(t *testing.T) {
	_, texts := irtest.Sections(t, "../../testdata/lower/div-sqrt-to-rsqrt/lengths.txt")
	m := irtest.Parse(t, texts["in.ir"])
	before := m.Text()
	c := &opt.Context{Math: opt.MathStrict, List: new(diag.List), Verify: true}
	c.Run(m, []opt.Pass{peephole.DivSqrtToRsqrt}, peephole.DivSqrtToRsqrt.Needs)
	if m.Text() != before {
		t.Errorf("changed:\n%s", m.Text())
	}
}
