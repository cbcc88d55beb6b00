package printf

import (
	"fmt"
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
		{"\xff%d", []Argument{i}, "no UTF-8", -1},
		{"\xc3\xa4%d", []Argument{i}, "", 0},
		{"%5-d", []Argument{i}, "no verb `%5-`", -1},
		{"%1.2.3d", []Argument{i}, "no verb `%1.2.`", -1},
		{"%+ 3 d", []Argument{i}, "no verb `%+ 3 `", -1},
		{"%-+# 012.3d %.d", []Argument{i, i}, "", 0},
		{"%1000000.1000000d", []Argument{i}, "", 0},
		{"%1000001d", []Argument{i}, "more than 1000000", -1},
		{"%.99999999999999999999f", []Argument{f}, "more than 1000000", -1},
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

// TestFormatsOfFmt: package fmt understands what fits, and what it understands fits: all texts of a
// few characters after a percent sign.
func TestFormatsOfFmt(t *testing.T) {
	const characters, most = "-+0 2.dv%", 5
	accepted := 0
	var try func(format string)
	try = func(format string) {
		fits := Check(format, []Argument{{scalar.I32, 0}}) == nil
		if understood := !strings.Contains(fmt.Sprintf(format, int32(7)), "%!"); fits && !understood {
			t.Errorf("%q fits, and prints %q", format, fmt.Sprintf(format, int32(7)))
		} else if understood && !fits && strings.Count(format, "%") == 1 {
			t.Errorf("%q does not fit, and prints %q", format, fmt.Sprintf(format, int32(7)))
		} else if fits {
			accepted++
		}
		if len(format) <= most {
			for _, c := range characters {
				try(format + string(c))
			}
		}
	}
	try("%")
	if accepted < 1000 {
		t.Errorf("only %d formats fit", accepted)
	}
}
