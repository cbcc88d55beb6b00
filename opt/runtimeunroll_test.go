package opt_test

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/internal/irtest"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/opt"
)

// TestRuntimeUnroll runs loops that read memory by strides, at both ends of the range of values and
// with steps and counts that wrap. It compares what they compute with the same loop in Go.
func TestRuntimeUnroll(t *testing.T) {
	const most = 300 // iterations of a loop that is tried
	unrolled, loops := 0, 0
	for _, signed := range []bool{false, true} {
		for _, start := range []uint32{0, 3, 1<<31 - 40, 1 << 31, 1<<32 - 40, 1<<32 - 3} {
			for _, step := range []uint32{1, 3, 7, 1 << 28, 613566756, 613566757, 1<<31 - 1, 1 << 31, 1<<32 - 1, 0} {
				for _, span := range []uint32{0, 1, 7, 21, 22, 60, 250, 1 << 31, 1<<32 - 1} {
					// whether the step and the bound are constants
					for n, known := range []bool{true, false} {
						end := start + span
						if n == 1 {
							end = span
						}
						trips, sum, last, ok := strided(start, step, end, most, signed)
						if !ok {
							continue
						}
						m := irtest.Parse(t, striding(start, step, end, known, signed))
						c := &opt.Context{List: new(diag.List), Verify: true}
						c.Run(m, []opt.Pass{opt.RuntimeUnroll}, ir.Initial)
						loops++
						if strings.Count(m.Text(), " loop ") > 1 {
							unrolled++
						}
						out := run(t, m, m.Kernels()[0], 1)[[2]uint32{0, 0}]
						for k, want := range []uint32{trips, sum, last} {
							if got := binary.LittleEndian.Uint32(out[4*k:]); got != want {
								t.Fatalf("word %d from %d by %d to %d (signed %v) is %d, want %d\n%s", k, start, step, end, signed, got, want, m.Text())
							}
						}
					}
				}
			}
		}
	}
	if t.Logf("%d of %d loops are unrolled", unrolled, loops); unrolled < loops/3 {
		t.Errorf("%d of %d loops are unrolled", unrolled, loops)
	}
}

// strided does what the kernel of striding does; ok says that it ends soon.
func strided(start, step, end uint32, most int, signed bool) (trips, sum, last uint32, ok bool) {
	i := start
	for range most {
		if signed && int32(i) >= int32(end) || !signed && i >= end {
			return trips, sum, i, true
		}
		sum = sum*31 + i + 1000
		trips++
		i += step
	}
	return 0, 0, 0, false
}

// striding returns a kernel with a loop that reads memory, and stores its trip count, what it
// summed up, and the count that left it.
func striding(start, step, end uint32, known, signed bool) string {
	kind := "u32"
	number := func(x uint32) string { return fmt.Sprintf("%du", x) }
	if signed {
		kind, number = "i32", func(x uint32) string { return fmt.Sprintf("%di", int32(x)) }
	}
	by, bound := number(step), number(end)
	if !known {
		by, bound = "%step", "%end"
	}
	return fmt.Sprintf(`var @out : ptr<storage, array<u32>, read_write> [group 0, binding 0]
kernel @main() [workgroup 1u, 1u, 1u] {
  %%n = array_length @out : u32
  %%zero = shr %%n, 31u : u32
  %%none = bitcast %%zero : %[1]s
  %%step = add %%none, %[3]s : %[1]s
  %%end = add %%none, %[4]s : %[1]s
  %%p = access @out, 3u : ptr<storage, u32, read_write>
  store %%p, 1000u
  %%trips, %%sum, %%last = loop ^l(%%t: u32 = 0u, %%s: u32 = 0u, %%i: %[1]s = %[2]s) : u32, u32, %[1]s {
    %%on = lt %%i, %[6]s : bool
    if ^i %%on {
      exit ^i()
    } else {
      exit ^l(%%t, %%s, %%i)
    }
    %%x = load %%p : u32
    %%w = bitcast %%i : u32
    %%y = add %%x, %%w : u32
    %%z = mul %%s, 31u : u32
    %%s1 = add %%z, %%y : u32
    %%t1 = add %%t, 1u : u32
    continue ^l(%%t1, %%s1)
  } continuing(%%t2: u32, %%s2: u32) {
    %%i1 = add %%i, %[5]s : %[1]s
    next ^l(%%t2, %%s2, %%i1)
  }
  %%end1 = bitcast %%last : u32
  %%p0 = access @out, 0u : ptr<storage, u32, read_write>
  store %%p0, %%trips
  %%p1 = access @out, 1u : ptr<storage, u32, read_write>
  store %%p1, %%sum
  %%p2 = access @out, 2u : ptr<storage, u32, read_write>
  store %%p2, %%end1
  return
}
`, kind, number(start), number(step), number(end), by, bound)
}
