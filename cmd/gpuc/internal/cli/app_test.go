package cli

import (
	"testing"
)

func TestTakesColours(t *testing.T) {
	for _, test := range []struct {
		system    string
		variables map[string]string
		want      bool
	}{
		{"linux", nil, true},
		{"linux", map[string]string{"TERM": "xterm"}, true},
		{"linux", map[string]string{"TERM": "dumb"}, false},
		{"darwin", map[string]string{"NO_COLOR": "1"}, false},
		{"windows", nil, false},
		{"windows", map[string]string{"WT_SESSION": "x"}, true},
		{"windows", map[string]string{"WT_SESSION": "x", "NO_COLOR": "yes"}, false},
	} {
		if got := TakesColours(test.system, func(name string) string { return test.variables[name] }); got != test.want {
			t.Errorf("%s, %v: %v", test.system, test.variables, got)
		}
	}
}
