package legalize

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/internal/irtest"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt"
)

// TestWhere: the functions that Negations and Extremes do not look at are those that their
// rules leave as they are. Two operations, the second on what the first gives, are all that
// a rule sees; here they are any two, with variables and with the constants that rules ask
// for, on either side.
func TestWhere(t *testing.T) {
	var forms []string // of an operation on $, which is what the one before gives
	for _, o := range []op.Op{op.Neg, op.Not, op.Abs} {
		forms = append(forms, o.String()+" $")
	}
	for _, o := range []op.Op{op.Add, op.Sub, op.Mul, op.And, op.Or, op.Xor, op.Min, op.Max} {
		for _, other := range []string{"%x", "0i", "-1i", "7i"} {
			forms = append(forms, fmt.Sprintf("%s $, %s", o, other), fmt.Sprintf("%s %s, $", o, other))
		}
	}
	forms = append(forms, "div $, -8i", "div $, 7i")
	for _, operands := range []string{"$, %x, 7i", "%x, $, 7i", "%x, 0i, $"} {
		forms = append(forms, "clamp "+operands)
	}
	for _, p := range []struct {
		pass  *opt.Pass
		rules *rules
	}{{&Negations, &negationRules}, {&Extremes, &extremeRules}} {
		changed := 0
		for _, first := range forms {
			for _, second := range forms {
				text := fmt.Sprintf("fn @f(%%x: i32, %%y: i32) : i32 {\n  %%a = %s : i32\n  %%b = %s : i32\n  return %%b\n}\n",
					strings.ReplaceAll(first, "$", "%y"), strings.ReplaceAll(second, "$", "%a"))
				run := func(run func(c *opt.Context, m *ir.Module)) string {
					m := irtest.Parse(t, text)
					run(&opt.Context{List: new(diag.List)}, m)
					return m.Text()
				}
				everywhere := run(p.rules.everywhere())
				if got := run(p.pass.Run); got != everywhere {
					t.Errorf("pass %s makes of\n%s\n%s, its rules\n%s", p.pass.Name, text, got, everywhere)
				}
				if everywhere != irtest.Parse(t, text).Text() {
					changed++
				}
			}
		}
		if changed < len(forms) {
			t.Errorf("the rules of pass %s change %d functions only", p.pass.Name, changed)
		}
	}
}
