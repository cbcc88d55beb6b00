package analysis

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gpuc/gpuc/internal/irtest"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

const rangeGlobals = `var @x : ptr<storage, array<f32>> [group 0, binding 0]
var @out : ptr<storage, array<u32>, read_write> [group 0, binding 1]
var @tile : ptr<workgroup, array<array<f32, 16u>, 16u>>
var @any : ptr<uniform, u32> [group 0, binding 2]
`

// rangeKernel wraps the body of a kernel with workgroups of 16 × 16.
func rangeKernel(t testing.TB, body string) *ir.Module {
	return irtest.Parse(t, rangeGlobals+`kernel @main(%gid: vec3<u32> [global_invocation_id], %lid: vec3<u32> [local_invocation_id], `+
		`%li: u32 [local_invocation_index], %lane: u32 [subgroup_invocation_id]) [workgroup 16u, 16u, 1u] {
  %n = load @any : u32
  %s = bitcast %n : i32
  %length = array_length @x : u32
`+body+`  return
}
`)
}

// TestRanges states what is known of values where they are defined. Values named
// a… are computed under the conditions around them.
func TestRanges(t *testing.T) {
	all := Full(ir.U32)
	for _, test := range []struct {
		name, body string
		want       map[string]Interval
	}{
		{"builtins have the workgroup's bounds", `
  %a = extract %lid, 1u : u32
  %b = mul %a, 16u : u32
  %c = add %b, 15u : u32
  %d = div %li, 16u : u32
  %e = rem %li, 16u : u32
  %z = extract %lid, 2u : u32
  %z1 = add %z, 0u : u32
`, map[string]Interval{"b": {0, 241}, "c": {15, 256}, "d": {0, 16}, "e": {0, 16}, "lane": {0, 128}, "z1": {0, 1}}},
		{"components of vectors", `
  %v = splat 16u : vec3<u32>
  %w = mul %lid, %v : vec3<u32>
  %sh = shuffle %w [zy] : vec2<u32>
  %a = extract %sh, 1u : u32
  %k = construct %li, %n : vec2<u32>
  %b = extract %k, 0u : u32
  %g = add %gid, %lid : vec3<u32>
  %c = extract %g, 0u : u32
`, map[string]Interval{"a": {0, 241}, "b": {0, 256}, "c": all}},
		{"masks, minima, shifts, choices", `
  %a = and %n, 15u : u32
  %b = rem %n, 7u : u32
  %c = min %n, 9u : u32
  %d = shr %n, 28u : u32
  %i = lt %n, 5u : bool
  %e = select %i, %a, 20u : u32
  %f = clamp %n, 3u, 8u : u32
  %g = or %a, 32u : u32
  %h = count_one_bits %n : u32
  %j = convert %i : u32
  %k = rem %s, 8i : i32
  %l = and %s, 8i : i32
  %m = shl %a, 2u : u32
  %o = xor %a, %c : u32
  %p = sub %a, 1u : u32
  %q = extract_bits %n, 3u, 5u : u32
`, map[string]Interval{"a": {0, 16}, "b": {0, 7}, "c": {0, 10}, "d": {0, 16}, "e": {0, 21}, "f": {3, 9}, "g": {32, 64},
			"h": {0, 33}, "j": {0, 2}, "k": {-7, 8}, "l": {0, 9}, "m": {0, 61}, "o": {0, 16}, "p": all, "q": {0, 32}}},
		{"a condition holds in its branch and behind one that does not return", `
  %c = lt %n, 100u : bool
  %in = if ^if %c : u32 {
    %a1 = add %n, 1u : u32
    exit ^if(%a1)
  } else {
    %a2 = sub %n, 100u : u32
    exit ^if(7u)
  }
  %d = gt %s, -3i : bool
  if ^r %d {
    exit ^r()
  } else {
    return
  }
  %e = le %s, 10i : bool
  %f = lt %n, 50u : bool
  %g = and %e, %f : bool
  if ^q %g {
    %a3 = mul %s, 2i : i32
    %a4 = mul %n, 2u : u32
    exit ^q()
  } else {
    %a5 = mul %s, 2i : i32
    exit ^q()
  }
  %a6 = add %s, 2i : i32
`, map[string]Interval{"a1": {1, 101}, "a2": {0, math.MaxUint32 - 99}, "in": {1, 101}, "a3": {-4, 21}, "a4": {0, 21},
			"a5": Full(ir.I32), "a6": Full(ir.I32)}},
		{"&& and || as choices tell of both operands", `
  %c = lt %n, 100u : bool
  %d = lt %li, 7u : bool
  %and = select %c, %d, false : bool
  if ^i %and {
    %a1 = add %n, 1u : u32
    %a2 = add %li, 1u : u32
    exit ^i()
  } else {
    exit ^i()
  }
  %e = ge %n, 50u : bool
  %f = ge %li, 9u : bool
  %or = select %e, true, %f : bool
  if ^j %or {
    exit ^j()
  } else {
    %a3 = add %n, 1u : u32
    %a4 = add %li, 1u : u32
    exit ^j()
  }
`, map[string]Interval{"a1": {1, 101}, "a2": {1, 8}, "a3": {1, 51}, "a4": {1, 10}}},
		{"a counter stays below the test at the top", `
  loop ^l(%k: i32 = 0i) {
    %c = lt %k, 16i : bool
    if ^t %c {
      exit ^t()
    } else {
      exit ^l()
    }
    %a = add %k, 0i : i32
    continue ^l()
  } continuing {
    %next = add %k, 1i : i32
    next ^l(%next)
  }
`, map[string]Interval{"k": {0, 17}, "a": {0, 16}}},
		{"also if the increment is passed by the continue", `
  loop ^l(%k: i32 = 4i) {
    %c = ge %k, 16i : bool
    if ^t %c {
      exit ^l()
    } else {
      exit ^t()
    }
    %a = add %k, 0i : i32
    %next = add %k, 3i : i32
    continue ^l(%next)
  } continuing(%p: i32) {
    next ^l(%p)
  }
`, map[string]Interval{"k": {4, 19}, "a": {4, 16}}},
		{"a continue before the test spoils it", `
  loop ^l(%k: i32 = 0i) {
    %c = lt %k, 16i : bool
    if ^t %c {
      exit ^t()
    } else {
      continue ^l()
    }
    continue ^l()
  } continuing {
    %next = add %k, 1i : i32
    next ^l(%next)
  }
`, map[string]Interval{"k": Full(ir.I32)}},
		{"a test at the bottom, and one counting down", `
  loop ^l(%k: i32 = 2i) {
    %a = add %k, 0i : i32
    continue ^l()
  } continuing {
    %next = add %k, 2i : i32
    %c = ge %next, 9i : bool
    next ^l(%next) break_if %c()
  }
  loop ^d(%j: i32 = 7i) {
    %e = lt %j, 0i : bool
    if ^t %e {
      exit ^d()
    } else {
      exit ^t()
    }
    %b = add %j, 0i : i32
    continue ^d()
  } continuing {
    %less = sub %j, 1i : i32
    next ^d(%less)
  }
`, map[string]Interval{"k": {2, 9}, "a": {2, 9}, "j": {-1, 8}, "b": {0, 8}}},
		{"products that wrap, and one that a test keeps from wrapping", `
  loop ^l(%k: u32 = 3u, %j: u32 = 3u, %i: u32 = 3u) {
    %c = lt %i, 100u : bool
    if ^t %c {
      exit ^t()
    } else {
      exit ^l()
    }
    %a = add %i, 0u : u32
    continue ^l()
  } continuing {
    %k1 = mul %k, 2863311534u : u32
    %j1 = mul %j, 3221225473u : u32
    %i1 = mul %i, 3u : u32
    next ^l(%k1, %j1, %i1)
  }
`, map[string]Interval{"k": all, "j": {3, 3<<30 + 4}, "i": {3, 298}, "a": {3, 100}}},
		{"masks, remainders and limits of a step that wraps", `
  loop ^l(%k: u32 = 3u, %j: u32 = 3u, %i: u32 = 3u) {
    %k1 = mul %k, 2863311534u : u32
    %j1 = mul %j, 2863311534u : u32
    %i1 = mul %i, 2863311534u : u32
    %k2 = and %k1, 7u : u32
    %j2 = rem %j1, 10u : u32
    %i2 = clamp %i1, 2u, 8u : u32
    continue ^l(%k2, %j2, %i2)
  } continuing(%p: u32, %q: u32, %r: u32) {
    next ^l(%p, %q, %r)
  }
`, map[string]Interval{"k": {0, 8}, "j": {0, 10}, "i": {2, 9}}},
		{"halving strides", `
  loop ^l(%k: u32 = 128u) {
    %c = gt %k, 0u : bool
    if ^t %c {
      exit ^t()
    } else {
      exit ^l()
    }
    %in = lt %li, %k : bool
    if ^u %in {
      %a = add %li, %k : u32
      exit ^u()
    } else {
      exit ^u()
    }
    continue ^l()
  } continuing {
    %next = shr %k, 1u : u32
    next ^l(%next)
  }
`, map[string]Interval{"k": {0, 129}, "a": {1, 256}}},
		{"the last test of a loop, with its only continue behind it", `
  loop ^l(%k: i32 = 0i) {
    %a = mul %k, 2i : i32
    %next = add %k, 1i : i32
    %c = lt %next, 6i : bool
    if ^t %c {
      exit ^t()
    } else {
      exit ^l()
    }
    continue ^l(%next)
  } continuing(%again: i32) {
    next ^l(%again)
  }
`, map[string]Interval{"k": {0, 6}, "a": {0, 11}}},
		{"a last test that another continue goes around", `
  loop ^l(%k: i32 = 0i) {
    %next = add %k, 1i : i32
    %odd = eq %s, %k : bool
    if ^o %odd {
      continue ^l(%next)
    } else {
      exit ^o()
    }
    %c = lt %next, 6i : bool
    if ^t %c {
      exit ^t()
    } else {
      exit ^l()
    }
    continue ^l(%next)
  } continuing(%again: i32) {
    next ^l(%again)
  }
`, map[string]Interval{"k": Full(ir.I32)}},
		{"a first test of the next value", `
  loop ^l(%k: i32 = -1i) {
    %next = add %k, 1i : i32
    %c = lt %next, %s : bool
    if ^t %c {
      exit ^t()
    } else {
      exit ^l()
    }
    %a = add %next, 0i : i32
    continue ^l(%next)
  } continuing(%again: i32) {
    next ^l(%again)
  }
`, map[string]Interval{"k": {-1, math.MaxInt32}, "next": {0, 1 << 31}, "a": {0, math.MaxInt32}}},
		{"64 bits, as far as 48 hold", `
  %u = convert %n : u64
  %i = convert %s : i64
  %sum = add %u, 5lu : u64
  %square = mul %u, %u : u64
  %least = min %square, 100lu : u64
  %digit = rem %square, 10lu : u64
  %ones = count_one_bits %square : u64
  %negative = convert %i : u64
  %signed = convert %square : i64
  %word = convert %square : u32
  %small = convert %digit : i32
  %far = mul %i, 65536li : i64
  %farther = add %far, %far : i64
  %beyond = add %i, 1152921504606846976li : i64
`, map[string]Interval{"u": {0, 1 << 32}, "i": {-1 << 31, 1 << 31}, "sum": {5, 1<<32 + 5}, "square": domain(ir.U64), "least": {0, 101},
			"digit": {0, 10}, "ones": {0, 65}, "negative": domain(ir.U64), "signed": domain(ir.I64), "word": all, "small": {0, 10},
			"far": {-1 << 47, 1<<47 - 65535}, "farther": domain(ir.I64), "beyond": domain(ir.I64)}},
		{"conditions on 64 bits", `
  %u = convert %n : u64
  %square = mul %u, %u : u64
  %i = bitcast %square : i64
  %c = lt %square, 100lu : bool
  %d = ge %i, -3li : bool
  %both = and %c, %d : bool
  if ^t %both {
    %a = add %square, 1lu : u64
    %b = add %i, 0li : i64
    %e = max %i, -3li : i64
    exit ^t()
  } else {
    %f = min %square, %square : u64
    exit ^t()
  }
`, map[string]Interval{"a": {1, 101}, "b": domain(ir.I64), "e": {-3, math.MaxInt64}, "f": domain(ir.U64)}},
		{"a loop of 64 bits", `
  %last = convert %n : i64
  loop ^l(%k: i64 = 0li) {
    %c = lt %k, %last : bool
    if ^t %c {
      exit ^t()
    } else {
      exit ^l()
    }
    %a = add %k, 0li : i64
    %next = add %k, 1li : i64
    continue ^l(%next)
  } continuing(%p: i64) {
    next ^l(%p)
  }
`, map[string]Interval{"k": {0, 1 << 32}, "a": {0, 1<<32 - 1}}},
		{"8 and 16 bits", `
  %b = convert %n : u8
  %w = convert %b : u32
  %h = convert %n : i16
  %i = convert %h : i32
  %u = convert %h : u32
  %l = convert %h : u64
`, map[string]Interval{"w": {0, 256}, "i": {-32768, 32768}, "u": all, "l": domain(ir.U64)}},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := rangeKernel(t, test.body)
			f := m.Kernels()[0]
			a := Ranges{Indices: true}
			a.Analyse(f)
			for name, want := range test.want {
				found := false
				for v := ir.Value(1); int(v) < f.ValueCount(); v++ {
					if f.ValueName(v) == name {
						found = true
						if got := a.Of(v); got != want {
							t.Errorf("%%%s is in [%d, %d), want [%d, %d)", name, got.Low, got.End, want.Low, want.End)
						}
					}
				}
				if !found {
					t.Errorf("no value is called %%%s", name)
				}
			}
		})
	}
}

// edges are numbers from which intervals of words are made, besides small ones.
var edges = []uint64{0, 1, 2, 3, 5, 7, 8, 16, 31, 32, 33, 63, 64, 127, 128, 255, 256, 0x55555555, 0x7f80ff01, 0x7ffffffe, 0x7fffffff,
	0x80000000, 0x80000001, 0x80808080, 0xfffffffe, 0xffffffff, 0xffffff80, 0xffffff7f, 0xff00ff00}

// TestTransfersContainResults holds the interval of each operation's result
// against the evaluator on random operands in random intervals.
func TestTransfersContainResults(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	m := ir.NewModule(nil)
	value := func(typ ir.Type) (Interval, ir.Value) {
		list := edges
		if is64(typ) {
			list = append(slices.Clone(edges), 1<<47, 1<<47-1, 1<<47+1, 1<<62, 1<<63, 1<<63-1, 1<<64-1, 1<<64-7, 1<<64-1<<47, 1<<64-1<<47-1, 1<<40, 1<<64-1<<33)
		}
		a, b := list[random.IntN(len(list))], list[random.IntN(len(list))]
		if random.IntN(2) == 0 {
			a, b = uint64(random.IntN(70)), uint64(random.IntN(70))
		}
		x, y := Constant(m, typ, m.ConstScalar(typ, a)), Constant(m, typ, m.ConstScalar(typ, b))
		if x.Low > y.Low {
			x, y = y, x
		}
		r := Interval{x.Low, y.End}
		if is64(typ) {
			if typ == ir.U64 && a > b || typ == ir.I64 && int64(a) > int64(b) {
				a, b = b, a
			}
			at := []uint64{a, b}[random.IntN(2)]
			if n := b - a + 1; n != 0 && random.IntN(2) == 0 { // of 2⁶⁴ numbers n is 0
				at = a + random.Uint64()%n
			}
			return r, m.ConstScalar(typ, at)
		}
		at := r.Low + random.Int64N(r.End-r.Low)
		if random.IntN(2) == 0 {
			at = []int64{r.Low, r.high()}[random.IntN(2)]
		}
		return r, m.ConstScalar(typ, uint64(at))
	}
	tried := 0
	for o := range op.Count {
		transfer := transfers[o]
		s := op.SignatureOf(o)
		if transfer == nil || s.Special != "" {
			continue
		}
		for _, typ := range []ir.Type{ir.I32, ir.U32, ir.I64, ir.U64} {
			if s.Class != op.NoClass && !s.Class.Contains(scalar.Kind(typ)) {
				continue
			}
			result := m.PatternType(s.Result, typ)
			for range 3000 {
				var in [3]Interval
				args := make([]ir.Value, s.Count)
				for n := range args {
					in[n], args[n] = value(m.PatternType(s.Operands[n], typ))
				}
				v, ok := m.Fold(o, result, 0, args)
				if !ok {
					t.Fatalf("%s does not fold", o)
				}
				tried++
				got := Interval{}
				if is64(result) {
					got = transfer64(o, domain(result), in).orWrapped(domain(result)).rounded()
				} else {
					got = transfer(Full(result), in).orWrapped(Full(result))
				}
				if !Constant(m, result, v).Within(got) {
					t.Fatalf("%s(%v) of %s is %d, outside of [%d, %d)", o, in[:s.Count], m.TypeString(typ),
						Constant(m, result, v).Low, got.Low, got.End)
				}
			}
		}
	}
	if tried < 100000 {
		t.Errorf("only %d results were tried", tried)
	}
}
