package ptx_test

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/opt"
)

// collective is a subgroup operation on i32 with what invocation `lane` of those
// that are active gets, from the active lanes and their values.
var collectives = []struct {
	name string
	want func(lane int, lanes []int, values []int32) int32
}{
	{"subgroup_add", reduce(0, func(a, b int32) int32 { return a + b })},
	{"subgroup_mul", reduce(1, func(a, b int32) int32 { return a * b })},
	{"subgroup_min", reduce(1<<31-1, func(a, b int32) int32 { return min(a, b) })},
	{"subgroup_max", reduce(-1<<31, func(a, b int32) int32 { return max(a, b) })},
	{"subgroup_and", reduce(-1, func(a, b int32) int32 { return a & b })},
	{"subgroup_or", reduce(0, func(a, b int32) int32 { return a | b })},
	{"subgroup_xor", reduce(0, func(a, b int32) int32 { return a ^ b })},
	{"subgroup_inclusive_add", scan(0, true, func(a, b int32) int32 { return a + b })},
	{"subgroup_inclusive_mul", scan(1, true, func(a, b int32) int32 { return a * b })},
	{"subgroup_exclusive_add", scan(0, false, func(a, b int32) int32 { return a + b })},
	{"subgroup_exclusive_mul", scan(1, false, func(a, b int32) int32 { return a * b })},
	{"subgroup_broadcast_first", func(_ int, _ []int, values []int32) int32 { return values[0] }},
}

func reduce(identity int32, join func(a, b int32) int32) func(int, []int, []int32) int32 {
	return func(_ int, _ []int, values []int32) int32 {
		v := identity
		for _, x := range values {
			v = join(v, x)
		}
		return v
	}
}

func scan(identity int32, inclusive bool, join func(a, b int32) int32) func(int, []int, []int32) int32 {
	return func(lane int, lanes []int, values []int32) int32 {
		v := identity
		for n, x := range values {
			if lanes[n] < lane || inclusive && lanes[n] == lane {
				v = join(v, x)
			}
		}
		return v
	}
}

// TestSubgroups runs the operations where whole subgroups execute, where a
// workgroup ends within one, and where a condition picks some invocations.
func TestSubgroups(t *testing.T) {
	for _, c := range collectives {
		for _, size := range []int{64, 40, 7} {
			for _, divisor := range []int{1, 2, 3} { // every how many-th invocation is active
				t.Run(fmt.Sprintf("%s/%d/%d", c.name, size, divisor), func(t *testing.T) {
					body := "%r = " + c.name + " %v : i32\n  store %p, %r\n"
					if divisor > 1 {
						body = fmt.Sprintf(`%%rest = rem %%lane, %du : u32
  %%active = eq %%rest, 1u : bool
  if ^if %%active {
    %%r = %s %%v : i32
    store %%p, %%r
    exit ^if()
  } else {
    exit ^if()
  }
`, divisor, c.name)
					}
					text := compile(t, fmt.Sprintf(`var @x : ptr<storage, array<i32>, read_write> [group 0, binding 0]

kernel @main(%%i: u32 [local_invocation_index], %%lane: u32 [subgroup_invocation_id]) [workgroup %du, 1u, 1u] {
  %%p = access @x, %%i : ptr<storage, i32, read_write>
  %%v = load %%p : i32
  %s  return
}
`, size, body), codegen.Options{Bounds: opt.BoundsOff})
					p, err := read(text)
					if err != nil {
						t.Fatal(err)
					}
					data := make([]byte, 4*size)
					in := make([]int32, size)
					for n := range in {
						in[n] = int32(n*37%11 - 4)
						binary.LittleEndian.PutUint32(data[4*n:], uint32(in[n]))
					}
					if err := p.launch("main", [3]uint32{1, 1, 1}, [][]byte{data}, []int64{int64(size)}, nil); err != nil {
						t.Fatalf("%v\n%s", err, numbered(text))
					}
					for n := range in {
						lane, first := n%32, n/32*32
						want := in[n]
						if divisor == 1 || lane%divisor == 1 {
							var lanes []int
							var values []int32
							for k := first; k < min(first+32, size); k++ {
								if divisor == 1 || (k-first)%divisor == 1 {
									lanes, values = append(lanes, k-first), append(values, in[k])
								}
							}
							want = c.want(lane, lanes, values)
						}
						if got := int32(binary.LittleEndian.Uint32(data[4*n:])); got != want {
							t.Fatalf("invocation %d has %d, want %d\n%s", n, got, want, numbered(text))
						}
					}
				})
			}
		}
	}
}
