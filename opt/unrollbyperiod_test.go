package opt_test

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/gpuc/gpuc/internal/irtest"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/opt"
)

// TestUnrollByPeriod runs loops that store remainders of what they count, at both ends of the range
// of values, and compares each word with Go's 32-bit arithmetic.
func TestUnrollByPeriod(t *testing.T) {
	const trips = 11 // more than two periods, and no multiple of one
	unrolled, loops := 0, 0
	for _, start := range []uint32{0, 1, 5, 1<<31 - 40, 1<<31 - 4, 1 << 31, 1<<32 - 40, 1<<32 - 3} {
		for _, step := range []uint32{1, 2, 3, 1 << 31, 1<<32 - 1} {
			for _, divisor := range []uint32{2, 3, 4, 6, 8, 9} {
				for _, offset := range []int{0, 1, 2, -1, -3} {
					for n, test := range []string{"lt %d, %end : bool", "ne %d, %end : bool", "lt %t, %trips : bool"} {
						signed := (divisor+step)&1 == 0
						m := irtest.Parse(t, counting(start, step, divisor, offset, test, signed))
						before := m.Text()
						c := &opt.Context{List: new(diag.List), Verify: true}
						c.Run(m, []opt.Pass{opt.UnrollByPeriod}, ir.Initial)
						loops++
						if m.Text() != before {
							unrolled++
						}
						out := run(t, m, m.Kernels()[0], 1)[[2]uint32{0, 0}]
						end := start + trips*step
						d := start
						for iteration := uint32(0); iteration < trips; iteration++ {
							switch {
							case n == 0 && signed && !(int32(d) < int32(end)), n == 0 && !signed && !(d < end), n == 1 && d == end:
								iteration = trips
								continue
							}
							want := (d + uint32(offset)) % divisor
							if signed {
								want = uint32(int32(d+uint32(offset)) % int32(divisor))
							}
							if got := binary.LittleEndian.Uint32(out[4*iteration:]); got != want {
								t.Fatalf("iteration %d from %d by %d: (%d%+d) %% %d is %d, want %d\n%s", iteration, start, step, d, offset, divisor, got, want, m.Text())
							}
							d += step
						}
					}
				}
			}
		}
	}
	if t.Logf("%d of %d loops are unrolled", unrolled, loops); unrolled < loops/10 || unrolled > loops/2 {
		t.Errorf("%d of %d loops are unrolled", unrolled, loops)
	}
}

// counting returns a kernel that stores in each iteration of a loop a remainder of what it counts.
// How many iterations there are, 11, is not known before it runs.
func counting(start, step, divisor uint32, offset int, test string, signed bool) string {
	kind, word, zero := "u32", "add %r, 0u : u32", "add %more, 0u : u32"
	number := func(x uint32) string { return fmt.Sprintf("%du", x) }
	if signed {
		kind, word, zero = "i32", "bitcast %r : u32", "bitcast %more : i32"
		number = func(x uint32) string { return fmt.Sprintf("%di", int32(x)) }
	}
	sum, by := "add", uint32(offset)
	if offset < 0 {
		sum, by = "sub", uint32(-offset)
	}
	rest := "rem %s, " + number(divisor)
	if !signed && divisor&(divisor-1) == 0 {
		rest = "and %s, " + number(divisor-1)
	}
	return fmt.Sprintf(`var @out : ptr<storage, array<u32>, read_write> [group 0, binding 0]
kernel @main() [workgroup 1u, 1u, 1u] {
  %%length = array_length @out : u32
  %%trips = min %%length, 11u : u32
  %%more = sub %%trips, 11u : u32
  %%zero = %[10]s
  %%end = add %%zero, %[3]s : %[1]s
  loop ^l(%%t: u32 = 0u, %%d: %[1]s = %[2]s) {
    %%on = %[4]s
    if ^i %%on {
      exit ^i()
    } else {
      exit ^l()
    }
    %%near = lt %%t, %%trips : bool
    if ^j %%near {
      exit ^j()
    } else {
      exit ^l()
    }
    %%s = %[5]s %%d, %[6]s : %[1]s
    %%r = %[7]s : %[1]s
    %%m = %[9]s
    %%p = access @out, %%t : ptr<storage, u32, read_write>
    store %%p, %%m
    continue ^l()
  } continuing {
    %%t1 = add %%t, 1u : u32
    %%d1 = add %%d, %[8]s : %[1]s
    next ^l(%%t1, %%d1)
  }
  return
}
`, kind, number(start), number(start+11*step), test, sum, number(by), rest, number(step), word, zero)
}
