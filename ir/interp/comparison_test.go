package interp_test

import (
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/ir/interp"
)

// TestComparisons leaves a scope where a comparison holds and where it does not, leaves a loop
// where it holds at its end, and uses its value. Each comparison of each kind has separate
// instructions for these.
func TestComparisons(t *testing.T) {
	type pair struct {
		x, y    uint32
		ordered bool
		sign    int // of x - y if they are ordered
	}
	float := func(x, y float64) pair {
		p := pair{math.Float32bits(float32(x)), math.Float32bits(float32(y)), x == x && y == y, 0}
		if x < y {
			p.sign = -1
		} else if x > y {
			p.sign = 1
		}
		return p
	}
	nan, zero := math.NaN(), math.Copysign(0, -1)
	pairs := map[string][]pair{
		"f32": {float(1, 2), float(2, 1), float(2, 2), float(nan, 1), float(1, nan), float(nan, nan), float(0, zero), float(-1, 1)},
		"u32": {{1, 2, true, -1}, {2, 1, true, 1}, {2, 2, true, 0}, {0, 1 << 31, true, -1}, {1<<32 - 1, 1, true, 1}},
		"i32": {{1, 2, true, -1}, {2, 1, true, 1}, {2, 2, true, 0}, {0, 1 << 31, true, 1}, {1<<32 - 1, 1, true, -1}},
	}
	holds := map[string]func(p pair) bool{
		"eq": func(p pair) bool { return p.ordered && p.sign == 0 },
		"ne": func(p pair) bool { return !p.ordered || p.sign != 0 },
		"lt": func(p pair) bool { return p.ordered && p.sign < 0 },
		"le": func(p pair) bool { return p.ordered && p.sign <= 0 },
		"gt": func(p pair) bool { return p.ordered && p.sign > 0 },
		"ge": func(p pair) bool { return p.ordered && p.sign >= 0 },
	}
	const text = `
var @x : ptr<storage, array<KIND>> [group 0, binding 0]
var @y : ptr<storage, array<KIND>> [group 0, binding 1]
var @out : ptr<storage, array<vec4<u32>>, read_write> [group 0, binding 2]
kernel @k(%g: u32 [global_invocation_index]) [workgroup 1u, 1u, 1u] {
  %px = access @x, %g : ptr<storage, KIND>
  %x = load %px : KIND
  %py = access @y, %g : ptr<storage, KIND>
  %y = load %py : KIND
  %r0 = access @out, %g, 0u : ptr<storage, u32, read_write>
  %r1 = access @out, %g, 1u : ptr<storage, u32, read_write>
  %r2 = access @out, %g, 2u : ptr<storage, u32, read_write>
  %r3 = access @out, %g, 3u : ptr<storage, u32, read_write>
  %v = OP %x, %y : bool
  %n = convert %v : u32
  store %r3, %n
  scope ^a {
    %c = OP %x, %y : bool
    if ^i %c {
      exit ^a()
    } else {
      exit ^i()
    }
    store %r0, 1u
    exit ^a()
  }
  scope ^b {
    %d = OP %x, %y : bool
    if ^j %d {
      exit ^j()
    } else {
      exit ^b()
    }
    store %r1, 1u
    exit ^b()
  }
  loop ^l(%k: u32 = 1u) {
    store %r2, %k
    %last = ge %k, 3u : bool
    if ^e %last {
      exit ^l()
    } else {
      exit ^e()
    }
    continue ^l()
  } continuing {
    %m = add %k, 1u : u32
    %e = OP %x, %y : bool
    next ^l(%m) break_if %e()
  }
  return
}`
	for _, kind := range slices.Sorted(maps.Keys(pairs)) {
		for _, name := range slices.Sorted(maps.Keys(holds)) {
			list, holds := pairs[kind], holds[name]
			var x, y []uint32
			for _, p := range list {
				x, y = append(x, p.x), append(y, p.y)
			}
			out := make([]uint32, 4*len(list))
			program := compile(t, strings.NewReplacer("KIND", kind, "OP", name).Replace(text))
			runBoth(t, program, interp.Launch{Buffers: [][]byte{bytesOf(x), bytesOf(y), bytesOf(out)}, Grid: [3]uint32{uint32(len(list)), 1, 1}})
			for n, p := range list {
				want := [4]uint32{1, 0, 3, 0}
				if holds(p) {
					want = [4]uint32{0, 1, 1, 1}
				}
				if got := [4]uint32(out[4*n:]); got != want {
					t.Errorf("%s of %s %#x, %#x: got %v, want %v", name, kind, p.x, p.y, got, want)
				}
			}
		}
	}
}
