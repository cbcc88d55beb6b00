// This file tests what is known of positions in launches, and of numbers that are less than the
// least of two.

package analysis

import (
	"slices"
	"testing"

	"github.com/gpuc/gpuc/internal/irtest"
	"github.com/gpuc/gpuc/ir/op"
)

// TestIntPositions: where a kernel promises it, a launch has fewer than 2^31 invocations in each
// dimension; otherwise nothing is known of them.
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
		a := Ranges{Indices: true}
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

// TestLeastOfTwo: what is less than the min of two values is less than both, and below the length
// of an array if that is one of them. Both are greater than it.
func TestLeastOfTwo(t *testing.T) {
	m := rangeKernel(t, `
  %i = extract %gid, 0u : u32
  %least = min %length, 50u : u32
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
  %most = max %length, 50u : u32
  %d = lt %i, %most : bool
  if ^b %d {
    %r = access @x, %i : ptr<storage, f32>
    exit ^b()
  } else {
    exit ^b()
  }
`)
	f := m.Kernels()[0]
	a := Ranges{Indices: true}
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

// TestOrders: what is not greater than a value that is below the length of an array is below it,
// too. That holds in whatever order the two are found out, and also where && is an if. What is
// greater is not. Differences of what was compared do not wrap.
func TestOrders(t *testing.T) {
	m := rangeKernel(t, `
  %i = extract %gid, 0u : u32
  %j = extract %gid, 1u : u32
  %least = and %i, 255u : u32
  %c = lt %i, %j : bool
  if ^a %c {
    %early = access @x, %i : ptr<storage, f32>
    %d = lt %j, %length : bool
    if ^b %d {
      %p = access @x, %i : ptr<storage, f32>
      exit ^b()
    } else {
      exit ^b()
    }
    %e = lt %i, %length : bool
    if ^c %e {
      %greater = access @x, %j : ptr<storage, f32>
      exit ^c()
    } else {
      exit ^c()
    }
    exit ^a()
  } else {
    exit ^a()
  }
  %late = access @x, %i : ptr<storage, f32>
  %k = le %i, %j : bool
  %both = if ^d %k : bool {
    %f = lt %j, %length : bool
    exit ^d(%f)
  } else {
    exit ^d(false)
  }
  if ^e %both {
    %q = access @x, %i : ptr<storage, f32>
    exit ^e()
  } else {
    %r = access @x, %i : ptr<storage, f32>
    exit ^e()
  }
  %u = and %j, 15u : u32
  %v = shr %j, 28u : u32
  %row = access @tile, %u : ptr<workgroup, array<f32, 16u>>
  %g = lt %u, %v : bool
  if ^f %g {
    %w = sub %v, %u : u32
    %one = sub %w, 1u : u32
    %z = access %row, %one : ptr<workgroup, f32>
    %wrong = sub %u, %v : u32
    %t = access %row, %wrong : ptr<workgroup, f32>
    exit ^f()
  } else {
    %same = sub %u, %v : u32
    %x = access %row, %same : ptr<workgroup, f32>
    %less = sub %same, 1u : u32
    %y = access %row, %less : ptr<workgroup, f32>
    exit ^f()
  }
`)
	f := m.Kernels()[0]
	a := Ranges{Indices: true}
	a.Analyse(f)
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		if f.Op(i) != op.Access {
			continue
		}
		name := f.ValueName(f.Result(i))
		if got, want := a.Proves(i, 0), slices.Contains([]string{"p", "q", "row", "z", "x"}, name); got != want {
			t.Errorf("that %%%s is in bounds is %v, want %v", name, got, want)
		}
	}
}
