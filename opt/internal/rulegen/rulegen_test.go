package rulegen_test

import (
	"strings"
	"testing"

	"github.com/gpuc/gpuc/opt/internal/rulegen"
)

// TestParseErrors parses rules that are wrong in one way each, which the error names.
func TestParseErrors(t *testing.T) {
	for _, test := range []struct{ rule, want string }{
		{"(rule a (add x 0) x", "ends inside of a rule"},
		{"(rule a (add x 0) y)", "y is not in the pattern"},
		{"(rule a (plus x 0) x)", `no operation is called "plus"`},
		{"(rule a (add x) x)", "(add …) has 1 operands, want 2"},
		{"(rule a (add 0 x) x)", "the constant must be the right operand"},
		{"(rule a (y int) (add x 0) x)", "y is not in the pattern"},
		{"(rule a x x)", "does not match an operation"},
		{"(rule a (add x 0) x (unless y))", "unknown guard"},
		{"(rule a (add x 0) x)\n(rule a (sub x 0) x)", "rule a occurs twice"},
	} {
		if _, err := rulegen.Parse(test.rule); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.rule, err, test.want)
		}
	}
}

// TestOrders checks that operands of a commutative operation match in both orders, unless one is a
// constant or exchanging them changes nothing.
func TestOrders(t *testing.T) {
	for _, test := range []struct {
		rule   string
		orders int
	}{
		{"(rule a (add x (neg y)) (sub x y))", 2},
		{"(rule a (sub x (neg y)) (add x y))", 1},
		{"(rule a (and x (or x y)) x)", 4},
		{"(rule a (add x 0) x)", 1},
		{"(rule a (and x x) x)", 1},
		{"(rule a (mul (neg x) (neg y)) (mul x y))", 1},
	} {
		rules, err := rulegen.Parse("(group rules) " + test.rule)
		if err != nil {
			t.Fatal(err)
		}
		source, err := rulegen.Generate(rules)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(string(source), `{"a", `); got != test.orders {
			t.Errorf("%s gives %d entries, want %d", test.rule, got, test.orders)
		}
	}
}

// TestRequiredOperands checks that the table says what the first two operands of each order have to
// be made by.
func TestRequiredOperands(t *testing.T) {
	for _, test := range []struct {
		rule string
		want []string
	}{
		{"(rule a (neg (not x)) x)", []string{`{"a", op.Not, anything, exact`}},
		{"(rule a (add x 0) x)", []string{`{"a", anything, constant, exact`}},
		{"(rule a (sub 0 x) (neg x))", []string{`{"a", constant, anything, exact`}},
		{"(rule a (mul (mul x (const c)) (const d)) (mul x (fold mul c d)))", []string{`{"a", op.Mul, constant, exact`}},
		{"(rule a (add x (neg y)) (sub x y))", []string{`{"a", anything, op.Neg, exact`, `{"a", op.Neg, anything, exact`}},
		{"(rule a (fma x y -0) (mul x y))", []string{`{"a", anything, anything, exact`}},
	} {
		rules, err := rulegen.Parse("(group rules) " + test.rule)
		if err != nil {
			t.Fatal(err)
		}
		source, err := rulegen.Generate(rules)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range test.want {
			if !strings.Contains(string(source), want) {
				t.Errorf("%s gives no %s:\n%s", test.rule, want, source)
			}
		}
	}
}
