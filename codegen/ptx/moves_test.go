package ptx_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
)

// TestManyMoves carries a structure of many scalars around a loop, permuted in each iteration.
// Registers are exchanged as if at once, in cycles, chains and copies of one to several.
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
		// not constant, for all the compiler knows
		fmt.Fprintf(&b, "  %%s%d = add %%lane, %du : u32\n", k, k)
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

// TestMovesOfTwoClasses exchanges predicates and words, the cycles of one between those of the
// other. The temporary of a cycle is of its class.
func TestMovesOfTwoClasses(t *testing.T) {
	p, err := read(compile(t, `
		var @out : ptr<storage, array<u32, 4u>, read_write> [group 0, binding 0]
		kernel @main(%lane: u32 [local_invocation_index]) [workgroup 1u, 1u, 1u] {
		  %a = eq %lane, 0u : bool
		  %b = gt %lane, 7u : bool
		  %x = add %lane, 5u : u32
		  %y = add %lane, 9u : u32
		  loop ^l(%k: u32 = 0u, %p: bool = %a, %q: u32 = %x, %r: bool = %b, %s: u32 = %y) {
		    %at = access @out, 0u : ptr<storage, u32, read_write>
		    %first = select %p, %q, %s : u32
		    store %at, %first
		    %behind = access @out, 1u : ptr<storage, u32, read_write>
		    %second = select %r, %q, %s : u32
		    store %behind, %second
		    continue ^l()
		  } continuing {
		    %n = add %k, 1u : u32
		    %end = eq %n, 4u : bool
		    next ^l(%n, %r, %s, %p, %q) break_if %end()
		  }
		  return
		}`, codegen.Options{NoOptimize: true}))
	if err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 16)
	if err := p.launch("main", [3]uint32{1, 1, 1}, [][]byte{got}, []int64{4}, nil); err != nil {
		t.Fatal(err)
	}
	// in the fourth iteration p is false, r true, q 9 and s 5
	if first, second := binary.LittleEndian.Uint32(got), binary.LittleEndian.Uint32(got[4:]); first != 5 || second != 9 {
		t.Errorf("%d and %d, expected 5 and 9", first, second)
	}
}

// TestWideProducts multiplies a widened number by constants that fit the narrow kind, and
// by some that do not.
func TestWideProducts(t *testing.T) {
	for _, k := range []struct {
		kind  string
		x     uint32
		by    string
		times int64
	}{
		{"i", 7, "-3li", -3},
		{"i", 0xfffffff9, "-2147483648li", -2147483648},
		{"i", 7, "2147483648li", 2147483648},
		{"i", 7, "4294967299li", 4294967299},
		{"i", 7, "-4294967299li", -4294967299},
		{"u", 7, "4294967295lu", 4294967295},
		{"u", 7, "4294967299lu", 4294967299},
	} {
		p, err := read(compile(t, fmt.Sprintf(`
			var @out : ptr<storage, array<u32, 4u>, read_write> [group 0, binding 0]
			kernel @main() [workgroup 1u, 1u, 1u] {
			  %%p = access @out, 0u : ptr<storage, u32, read_write>
			  %%v = load %%p : u32
			  %%s = bitcast %%v : %[1]s32
			  %%w = convert %%s : %[1]s64
			  %%m = mul %%w, %[2]s : %[1]s64
			  %%u = bitcast %%m : u64
			  %%high = shr %%u, 32u : u64
			  %%h = convert %%high : u32
			  %%l = convert %%u : u32
			  %%q = access @out, 1u : ptr<storage, u32, read_write>
			  store %%p, %%l
			  store %%q, %%h
			  return
			}`, k.kind, k.by), codegen.Options{NoOptimize: true}))
		if err != nil {
			t.Fatal(err)
		}
		got := binary.LittleEndian.AppendUint32(nil, k.x)
		got = append(got, make([]byte, 12)...)
		if err := p.launch("main", [3]uint32{1, 1, 1}, [][]byte{got}, []int64{4}, nil); err != nil {
			t.Fatal(err)
		}
		x := int64(k.x)
		if k.kind == "i" {
			x = int64(int32(k.x))
		}
		if result, want := int64(binary.LittleEndian.Uint64(got)), x*k.times; result != want {
			t.Errorf("%d times %s is %d, expected %d", x, k.by, result, want)
		}
	}
}
