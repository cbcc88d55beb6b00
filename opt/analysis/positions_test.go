// This file tests what is known of positions in launches, and of numbers that are less than the least of two.

package analysis

import (
	"slices"
	"testing"

	"github.com/gpuc/gpuc/internal/irtest"
	"github.com/gpuc/gpuc/ir/op"
)

// TestIntPositions: where a kernel promises it, a launch has fewer than 2^31 invocations in each dimension; otherwise nothing is known of them.
func TestIntPositions(t *testing.T) {
	for _, test := range []struct {
		attribute string
		want      [4]Interval
	}{
		{"", [4]Interval{{0, 1 << 32}, {0, 1 << 32}, {0, 1 << 32}, {1, 1 << 32}}},
		{" [int_positions]", [4]Interval{{0, 1<<31 - 1}, {0, 1<<31 - 1}, {0, (1<<31 - 1) / 96}, {1, (1<<31-1)/96 + 1}}},
	} {
		m := irtest.Parse(t, rangeGlobals+`kernel @main(%global: vec3<u32> [global_invocation_id], %group: vec3<u32> [workgroup_id], `+
			`%groups: vec3<u32> [num_workgroups]) [workgroup 96u, 1u, 1u]`+test.attribute+` {
  %a = extract %global, 0u : u32
  %b = extract %global, 2u : u32
  %c = extract %group, 0u : u32
  %d = extract %groups, 0u : u32
  return
}
`)
		f := m.Kernels()[0]
		var a Ranges
		a.Analyse(f)
		n := 0
		for i := f.First(f.Entry); f.Result(i) != 0; i = f.Next(i) {
			if got := a.Of(f.Result(i)); got != test.want[n] {
				t.Errorf("%q, %s: got %v, want %v", test.attribute, f.ValueName(f.Result(i)), got, test.want[n])
			}
			n++
		}
	}
}

// TestLeastOfTwo: what is less than the least of two numbers is less than both, and below the length of an array if that is one of them;
// both are greater than it.
func TestLeastOfTwo(t *testing.T) {
	m := rangeKernel(t, `
  %i = extract %gid, 0u : u32
  %least = min %n, 50u : u32
  %c = lt %i, %least : bool
  if ^a %c {
    %p = access @x, %i : ptr<storage, f32>
    exit ^a()
  } else {
    %q = access @x, %i : ptr<storage, f32>
    exit ^a()
  }
  %w = bitcast %lane : i32
  %low = sub %w, 60i : i32
  %positive = min %low, %s : i32
  %e = gt %positive, 3i : bool
  if ^c %e {
    %quotient = div 100i, %low : i32
    %remainder = rem 100i, %s : i32
    exit ^c()
  } else {
    %other = div 100i, %low : i32
    exit ^c()
  }
  %most = max %n, 50u : u32
  %d = lt %i, %most : bool
  if ^b %d {
    %r = access @x, %i : ptr<storage, f32>
    exit ^b()
  } else {
    exit ^b()
  }
`)
	f := m.Kernels()[0]
	var a Ranges
	a.Analyse(f)
	var got []bool
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		if o := f.Op(i); o == op.Access || o == op.Div || o == op.Rem {
			got = append(got, a.Proves(i, 0))
		}
	}
	if want := []bool{true, false, true, true, false, false}; !slices.Equal(got, want) {
		t.Errorf("accesses in bounds and divisors that are not 0: got %v, want %v", got, want)
	}
}
