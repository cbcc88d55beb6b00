package message

import (
	"strings"
	"testing"

	"github.com/gpuc/gpuc/ir/scalar"
)

// TestCheck says by hand which formats fit which values.
func TestCheck(t *testing.T) {
	i, u, f, b, v := Argument{scalar.I32, 0}, Argument{scalar.U64, 0}, Argument{scalar.F32, 0}, Argument{scalar.Bool, 0}, Argument{scalar.F32, 3}
	for _, test := range []struct {
		format    string
		arguments []Argument
		want      string // a part of the problem, "" for none
		at        int
	}{
		{"", nil, "", 0},
		{"%v %v %v %v %v", []Argument{i, u, f, b, v}, "", 0},
		{"%d%x%X%o%b%c", []Argument{i, u, i, u, i, i}, "", 0},
		{"%+08.3f %-5e %G %.2g", []Argument{f, v, f, v}, "", 0},
		{"100%% of %t", []Argument{b}, "", 0},
		{"%#x % d", []Argument{u, i}, "", 0},
		{"%", nil, "ends in `%`", -1},
		{"%5.", nil, "ends in `%5.`", -1},
		{"%5%", nil, "no verb `%5%`", -1},
		{"%s", []Argument{i}, "no verb `%s`", -1},
		{"%*d", []Argument{i, i}, "no verb `%*`", -1},
		{"%[1]d", []Argument{i}, "no verb `%[`", -1},
		{"%ä", []Argument{i}, "no verb `%ä`", -1},
		{"%q", []Argument{i}, "no verb `%q`", -1},
		{"%d %d", []Argument{i}, "no value", -1},
		{"a", []Argument{i}, "no verb for this value", 0},
		{"%d", []Argument{i, f}, "no verb for this value", 1},
		{"%v %d", []Argument{i, f}, "`%d` takes an integer, and this is f32", 1},
		{"%f", []Argument{i}, "`%f` takes a float, and this is i32", 0},
		{"%t", []Argument{v}, "`%t` takes a bool, and this is 3 of f32", 0},
		{"%d", []Argument{b}, "`%d` takes an integer, and this is bool", 0},
		{"%d", []Argument{{}}, "", 0},
	} {
		switch p := Check(test.format, test.arguments); {
		case p == nil && test.want != "":
			t.Errorf("%q %v fits, want %s", test.format, test.arguments, test.want)
		case p == nil:
		case test.want == "" || !strings.Contains(p.Text, test.want) || p.Argument != test.at || p.Hint == "":
			t.Errorf("%q %v: %+v, want %s at %d", test.format, test.arguments, p, test.want, test.at)
		}
	}
}
