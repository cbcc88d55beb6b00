package codegen_test

import (
	"testing"

	"github.com/gpuc/gpuc/codegen"
)

// TestUsage: occupancy is the least bound, and all resources with that bound are named.
func TestUsage(t *testing.T) {
	for _, test := range []struct {
		bounds []codegen.Bound
		want   string
	}{
		{nil, "x1: 7 registers, no scratch memory; 16 of 16 waves"},
		{[]codegen.Bound{{"registers", 16}, {"memory", 20}}, "x1: 7 registers, no scratch memory; 16 of 16 waves"},
		{[]codegen.Bound{{"registers", 4}, {"memory", 20}}, "x1: 7 registers, no scratch memory; 4 of 16 waves, limited by registers"},
		{[]codegen.Bound{{"registers", 12}, {"memory", 3}, {"workgroups", 3}}, "x1: 7 registers, no scratch memory; 3 of 16 waves, limited by memory and workgroups"},
	} {
		u := codegen.Usage{Device: "x1", Counts: []codegen.Count{{7, "registers"}, {0, "bytes of scratch memory"}}}
		if u.Bind(16, "waves", test.bounds...); u.String() != test.want {
			t.Errorf("got  %s\nwant %s", u.String(), test.want)
		}
	}
}
