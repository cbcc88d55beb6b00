package codegen_test

import (
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/lower"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/opt"
)

// TestBrokenTargets: for targets whose passes do not fit together there is no code, but an internal
// error with the missing property. Check reports the same.
func TestBrokenTargets(t *testing.T) {
	var c compiler
	m, list := c.load(t, "a.wgsl", "@compute @workgroup_size(1) fn main() {}")
	emit := func(*codegen.Emission) []byte { t.Error("the emitter is reached"); return nil }
	for _, test := range []struct {
		target codegen.Target
		want   string
	}{
		{codegen.Target{Name: "bare", Needs: ir.Bound | ir.Robust, Emit: emit}, "target bare needs robust"},
		{codegen.Target{Name: "late", Lower: []opt.Pass{lower.Scratch}, Emit: emit}, "pass scratch needs spilled"},
	} {
		if err := test.target.Check(); err == nil || !strings.HasSuffix(err.Error(), test.want) {
			t.Errorf("target %s: Check says %v, want %s", test.target.Name, err, test.want)
		}
		list.Reset()
		if a := codegen.Compile(m, "main", &test.target, &codegen.Options{}, list); a != nil || list.Errors() != 1 {
			t.Errorf("target %s: compiling gives %v and %d errors", test.target.Name, a, list.Errors())
			continue
		}
		if d := list.Items()[0]; d.Code != diag.Internal || !strings.Contains(d.Message, test.want) {
			t.Errorf("target %s: compiling says %q, want an internal error about %s", test.target.Name, d.Message, test.want)
		}
	}
}
