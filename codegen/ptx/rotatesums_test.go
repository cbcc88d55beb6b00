package ptx_test

import (
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/ptx"
	"github.com/gpuc/gpuc/internal/irtest"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/ir/diag"
)

// TestRotateSums checks that no rotation is made of sums and differences that are none (see
// workaround.RotateSum). Unsigned rotations are to stay (SHF.L.W).
func TestRotateSums(t *testing.T) {
	testmode.Long(t)
	for _, c := range []struct {
		kind, sum string
		rotation  bool
	}{
		{"i64", "add %l, %r", false}, {"i64", "add %r, %l", false}, {"i64", "sub %l, %r", false},
		{"u64", "sub %l, %r", false}, {"u64", "sub %r, %l", false}, {"u64", "add %l, %r", true},
	} {
		for _, left := range []string{"2", "24", "44"} {
			right := map[string]string{"2": "62", "24": "40", "44": "20"}[left]
			m := irtest.Parse(t, strings.NewReplacer("KIND", c.kind, "SUM", c.sum, "LEFT", left, "RIGHT", right).Replace(
				`var @own : ptr<storage, array<KIND, 2u>, read_write> [group 0, binding 0]

kernel @main() [workgroup 1u, 1u, 1u] {
  %p = access @own, 0u : ptr<storage, KIND, read_write>
  %x = load %p : KIND
  %l = shl %x, LEFTu : KIND
  %r = shr %x, RIGHTu : KIND
  %s = SUM : KIND
  %q = access @own, 1u : ptr<storage, KIND, read_write>
  store %q, %s
  return
}
`))
			var list diag.List
			a := codegen.Compile(m, "main", &ptx.Target, new(codegen.Options), &list)
			if a == nil {
				t.Fatal(list.Items())
			}
			if code := machineCode(t, string(a.Code)); code != "" && strings.Contains(code, "SHF.L.W") != c.rotation {
				t.Errorf("%s of %s by %s: a rotation is %v\n%s", c.sum, c.kind, left, !c.rotation, code)
			}
		}
	}
}
