package ptx_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
)

// TestManyMoves carries a structure of many scalars around a loop, each time in
// another order: registers that are to change places as if at once, in cycles,
// chains and copies of one to several.
func TestManyMoves(t *testing.T) {
	for _, n := range []int{5, 64, 65, 200} {
		for seed := range uint64(6) {
			random := rand.New(rand.NewPCG(seed, uint64(n)))
			from := random.Perm(n)
			for k := range from { // some are read twice, others never
				if seed > 1 && random.IntN(int(seed)+1) == 0 {
					from[k] = random.IntN(n)
				}
			}
			const rounds = 3
			want := make([]uint32, n)
			for k := range want {
				want[k] = uint32(k)
			}
			for range rounds {
				last := append([]uint32(nil), want...)
				for k := range want {
					want[k] = last[from[k]]
				}
			}
			p, err := read(compile(t, carried(n, rounds, from), codegen.Options{}))
			if err != nil {
				t.Fatal(err)
			}
			got := make([]byte, 4*n)
			if err := p.launch("main", [3]uint32{1, 1, 1}, [][]byte{got}, []int64{int64(n)}, nil); err != nil {
				t.Fatal(err)
			}
			for k := range want {
				if x := binary.LittleEndian.Uint32(got[4*k:]); x != want[k] {
					t.Fatalf("%d scalars, seed %d: number %d is %d, want %d", n, seed, k, x, want[k])
				}
			}
		}
	}
}

// carried is a kernel that stores n scalars after some rounds of reordering.
func carried(n, rounds int, from []int) string {
	var b strings.Builder
	b.WriteString("var @out : ptr<storage, array<u32>, read_write> [group 0, binding 0]\n\n" +
		"kernel @main(%lane: u32 [local_invocation_index]) [workgroup 1u, 1u, 1u] {\n")
	list := func(form string, of func(k int) int) string {
		parts := make([]string, n)
		for k := range parts {
			parts[k] = fmt.Sprintf(form, of(k))
		}
		return strings.Join(parts, ", ")
	}
	same := func(k int) int { return k }
	for k := range n {
		fmt.Fprintf(&b, "  %%s%d = add %%lane, %du : u32\n", k, k) // not constant, for all the compiler knows
	}
	params := make([]string, n)
	for k := range params {
		params[k] = fmt.Sprintf("%%p%d: u32 = %%s%d", k, k)
	}
	results := strings.TrimSuffix(strings.Repeat("u32, ", n), ", ")
	fmt.Fprintf(&b, "  %s = loop ^l(%%i: u32 = 0u, %s) : %s {\n", list("%%r%d", same), strings.Join(params, ", "), results)
	fmt.Fprintf(&b, "    %%end = ge %%i, %du : bool\n    if ^c %%end {\n      exit ^l(%s)\n    } else {\n      exit ^c()\n    }\n", rounds, list("%%p%d", same))
	fmt.Fprintf(&b, "    continue ^l()\n  } continuing {\n    %%n = add %%i, 1u : u32\n    next ^l(%%n, %s)\n  }\n", list("%%p%d", func(k int) int { return from[k] }))
	for k := range n {
		fmt.Fprintf(&b, "  %%a%d = access @out, %du : ptr<storage, u32, read_write>\n  store %%a%d, %%r%d\n", k, k, k, k)
	}
	b.WriteString("  return\n}\n")
	return b.String()
}
