package ptx_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/opt"
)

var update = flag.Bool("update", false, "write what the tests find to golden/ptx")

// kernels are inputs for what operations on scalars do not reach: memory,
// control, atomics, subgroups, calls. Their output is kept in golden/ptx.
var kernels = []struct {
	name    string
	options codegen.Options
	text    string
}{
	{"saxpy", codegen.Options{Bounds: opt.BoundsOff}, saxpy},
	{"saxpy_strict", codegen.Options{Bounds: opt.BoundsOff, Math: opt.MathStrict, Lines: true}, saxpy},
	{"saxpy_robust", codegen.Options{}, saxpy},
	{"tiled_product", codegen.Options{Bounds: opt.BoundsOff, NoOptimize: true}, `struct Shape [size 8, align 4] { columns: u32 [offset 0], inner: u32 [offset 4] }
var @shape : ptr<uniform, Shape> [group 0, binding 0]
var @a : ptr<storage, array<f32>> [group 0, binding 1]
var @b : ptr<storage, array<f32>> [group 0, binding 2]
var @c : ptr<storage, array<f32>, read_write> [group 0, binding 3]
var @tile_a : ptr<workgroup, array<array<f32, 16u>, 16u>>
var @tile_b : ptr<workgroup, array<array<f32, 16u>, 16u>>

kernel @main(%id: vec3<u32> [global_invocation_id], %local: vec3<u32> [local_invocation_id]) [workgroup 16u, 16u, 1u] {
  %column = extract %id, 0u : u32
  %row = extract %id, 1u : u32
  %x = extract %local, 0u : u32
  %y = extract %local, 1u : u32
  %p = access @shape, 1u : ptr<uniform, u32>
  %inner = load %p : u32
  %q = access @shape, 0u : ptr<uniform, u32>
  %columns = load %q : u32
  %start = mul %row, %inner : u32
  %sum = loop ^outer(%base: u32 = 0u, %s: f32 = 0f) : f32 {
    %more = lt %base, %inner : bool
    if ^check %more {
      exit ^check()
    } else {
      exit ^outer(%s)
    }
    %k = add %base, %x : u32
    %ia = add %start, %k : u32
    %pa = access @a, %ia : ptr<storage, f32>
    %va = load %pa : f32
    %ta = access @tile_a, %y, %x [inbounds] : ptr<workgroup, f32>
    store %ta, %va
    %l = add %base, %y : u32
    %lb = mul %l, %columns : u32
    %ib = add %lb, %column : u32
    %pb = access @b, %ib : ptr<storage, f32>
    %vb = load %pb : f32
    %tb = access @tile_b, %y, %x [inbounds] : ptr<workgroup, f32>
    store %tb, %vb
    barrier [workgroup]
    %t = loop ^products(%i: u32 = 0u, %r: f32 = %s) : f32 {
      %ea = access @tile_a, %y, %i [inbounds] : ptr<workgroup, f32>
      %u = load %ea : f32
      %eb = access @tile_b, %i, %x [inbounds] : ptr<workgroup, f32>
      %v = load %eb : f32
      %uv = mul %u, %v [contract] : f32
      %r1 = add %r, %uv [contract] : f32
      continue ^products(%r1)
    } continuing(%r2: f32) {
      %i1 = add %i, 1u : u32
      %end = ge %i1, 16u : bool
      next ^products(%i1, %r2) break_if %end(%r2)
    }
    barrier [workgroup]
    continue ^outer(%t)
  } continuing(%s2: f32) {
    %base1 = add %base, 16u : u32
    next ^outer(%base1, %s2)
  }
  %lc = mul %row, %columns : u32
  %ic = add %lc, %column : u32
  %pc = access @c, %ic : ptr<storage, f32, read_write>
  store %pc, %sum
  return
}
`},
	{"vectors", codegen.Options{Bounds: opt.BoundsOff, NoOptimize: true}, `struct Mixed [size 48, align 16] { a: vec3<f32> [offset 0], b: u32 [offset 12], c: mat2x2<f32> [offset 16], d: bool [offset 32], e: vec2<f16> [offset 36] }
var @x : ptr<storage, array<vec4<f32>>> [group 0, binding 0]
var @y : ptr<storage, array<vec3<f32>>, read_write> [group 0, binding 1]
var @z : ptr<storage, array<Mixed>, read_write> [group 0, binding 2]
var @h : ptr<storage, array<vec4<f16>>, read_write> [group 0, binding 3]
var @l : ptr<storage, array<vec2<i64>>, read_write> [group 0, binding 4]

kernel @main(%i: u32 [local_invocation_index], %n: vec3<u32> [num_workgroups]) [workgroup 8u, 4u, 2u] {
  %px = access @x, %i : ptr<storage, vec4<f32>>
  %v = load %px : vec4<f32>
  %k = extract %n, 0u : u32
  %c = extract %v, %k : f32
  %w = insert %v, %c, %k : vec4<f32>
  %s = shuffle %w [zyx] : vec3<f32>
  %t = mul %s, %s [contract] : vec3<f32>
  %one = splat %c : vec3<f32>
  %sum = add %t, %one [contract] : vec3<f32>
  %d = dot %sum, %s [contract] : f32
  %py = access @y, %i : ptr<storage, vec3<f32>, read_write>
  store %py, %sum
  %pyc = access @y, %i, %k : ptr<storage, f32, read_write>
  store %pyc, %d
  %pz = access @z, %i : ptr<storage, Mixed, read_write>
  %m = load %pz : Mixed
  %e = extract %m, 4u : vec2<f16>
  %bits = bitcast %e : u32
  %m1 = insert %m, %bits, 1u : Mixed
  %m2 = insert %m1, false, 3u : Mixed
  %q = access @z, %k : ptr<storage, Mixed, read_write>
  store %q, %m2
  copy %pz, %q
  %ph = access @h, %i : ptr<storage, vec4<f16>, read_write>
  %hv = load %ph : vec4<f16>
  %h2 = fma %hv, %hv, %hv : vec4<f16>
  store %ph, %h2
  %pl = access @l, %i : ptr<storage, vec2<i64>, read_write>
  %lv = load %pl : vec2<i64>
  %cond = lt %lv, vec2<i64>(5li, 9000000000li) : vec2<bool>
  %any = any %cond : bool
  %pick = select %any, %lv, vec2<i64>(-1li, 1li) : vec2<i64>
  %pick2 = select %cond, %pick, %lv : vec2<i64>
  store %pl, %pick2
  return
}
`},
	{"control", codegen.Options{Bounds: opt.BoundsOff, NoOptimize: true}, `var @x : ptr<storage, array<i32>, read_write> [group 0, binding 0]

kernel @main(%id: u32 [global_invocation_index], %wg: u32 [workgroup_index]) [workgroup 64u, 1u, 1u] {
  %n = array_length @x : u32
  %p = access @x, %id : ptr<storage, i32, read_write>
  %v = load %p : i32
  %a, %b = loop ^fib(%k: u32 = 0u, %f: i32 = 0i, %g: i32 = 1i) : i32, i32 {
    %big = gt %f, 1000i : bool
    if ^l1 %big {
      exit ^fib(%g, %f)
    } else {
      exit ^l1()
    }
    %r = switch ^l2 %v : i32 {
      case 0i, 1i {
        exit ^l2(7i)
      }
      default {
        %odd = eq %v, 3i : bool
        if ^l3 %odd {
          continue ^fib(%f)
        } else {
          exit ^l3()
        }
        exit ^l2(%f)
      }
      case -5i {
        exit ^fib(%f, %g)
      }
      case 9i {
        unreachable
      }
    }
    continue ^fib(%r)
  } continuing(%u: i32) {
    %k1 = add %k, 1u : u32
    %done = ge %k1, %n : bool
    next ^fib(%k1, %g, %f) break_if %done(%u, %f)
  }
  %c = scope ^l4 : i32 {
    %eq = eq %a, %b : bool
    if ^l5 %eq {
      exit ^l4(%a)
    } else {
      exit ^l5()
    }
    %m = if ^l6 %eq : bool {
      exit ^l6(true)
    } else {
      exit ^l6(%eq)
    }
    %m1 = convert %m : i32
    exit ^l4(%m1)
  }
  store %p, %c
  return
}
`},
	{"atomics", codegen.Options{Bounds: opt.BoundsOff, NoOptimize: true}, `struct Counters [size 16, align 4] { n: atomic<u32> [offset 0], m: atomic<i32> [offset 4], rest: array<atomic<u32>, 2u> [offset 8] }
var @c : ptr<storage, Counters, read_write> [group 0, binding 0]
var @w : ptr<workgroup, array<atomic<i32>, 64u>>
var @out : ptr<storage, array<u32>, read_write> [group 0, binding 1]

kernel @main(%i: u32 [local_invocation_index]) [workgroup 64u, 1u, 1u] {
  %n = access @c, 0u : ptr<storage, atomic<u32>, read_write>
  %m = access @c, 1u : ptr<storage, atomic<i32>, read_write>
  %r = access @c, 2u, 1u : ptr<storage, atomic<u32>, read_write>
  %p = access @w, %i [inbounds] : ptr<workgroup, atomic<i32>>
  atomic_store %p, 5i
  barrier [workgroup]
  %v0 = atomic_rmw %n, 1u [add] : u32
  %v1 = atomic_rmw %m, -7i [sub] : i32
  %v2 = atomic_rmw %p, 3i [max] : i32
  %v3 = atomic_rmw %p, %v2 [min] : i32
  %v4 = atomic_rmw %r, 3u [xor] : u32
  %v5 = atomic_rmw %n, %v4 [exchange] : u32
  %v6 = atomic_rmw %n, %v5 [or] : u32
  %v7 = atomic_rmw %m, %v3 [and] : i32
  %v8 = atomic_load %p : i32
  %v9 = atomic_compare_exchange %m, %v8, %v3 : i32
  barrier [workgroup, storage]
  barrier [subgroup]
  %o = access @out, %i : ptr<storage, u32, read_write>
  %b = bitcast %v9 : u32
  store %o, %b
  return
}
`},
	{"subgroups", codegen.Options{Bounds: opt.BoundsOff, NoOptimize: true}, subgroups("64u")},
	{"subgroups_partial", codegen.Options{Bounds: opt.BoundsOff, NoOptimize: true}, subgroups("40u")},
	{"immediates", codegen.Options{Bounds: opt.BoundsOff, NoOptimize: true}, `struct Parameters [size 32, align 16] { scale: vec4<f32> [offset 0], matrix: mat2x2<f32> [offset 16] }
var @parameters : ptr<immediate, Parameters>
var @out : ptr<storage, array<f32>, read_write> [group 0, binding 0]

fn @element(%i: u32) : f32 {
  %p = access @parameters, 1u, %i : ptr<immediate, vec2<f32>>
  %v = load %p : vec2<f32>
  %r = extract %v, 1u : f32
  return %r
}
kernel @main(%i: u32 [local_invocation_index]) [workgroup 2u, 1u, 1u] {
  %e = call @element, %i : f32
  %p = access @parameters, 0u : ptr<immediate, vec4<f32>>
  %v = load %p : vec4<f32>
  %m = access @parameters, 1u, %i : ptr<immediate, vec2<f32>>
  %c = load %m : vec2<f32>
  %s = extract %v, 2u : f32
  %x = extract %c, 0u : f32
  %a = mul %e, %s : f32
  %b = add %a, %x : f32
  %q = access @out, %i : ptr<storage, f32, read_write>
  store %q, %b
  return
}
`},
	{"calls", codegen.Options{Bounds: opt.BoundsOff, NoOptimize: true}, `var @x : ptr<storage, array<f32>, read_write> [group 0, binding 0]
var @seed : ptr<private, u32> = 17u
var @k : ptr<constant, array<u32, 4u>> = array<u32, 4u>(1u, 2u, 3u, 4294967295u)

fn @bump(%up: bool, %by: vec2<f32>) : vec2<f32> {
  %s = load @seed : u32
  %i = and %s, 3u : u32
  %e = access @k, %i [inbounds] : ptr<constant, u32>
  %t = load %e : u32
  %s1 = add %s, %t : u32
  store @seed, %s1
  if ^l1 %up {
    return vec2<f32>(1f, 2f)
  } else {
    exit ^l1()
  }
  %p = access @x, %s1 : ptr<storage, f32, read_write>
  %v = load %p : f32
  %n = array_length @x : u32
  %m = convert %n : f32
  %w = construct %v, %m : vec2<f32>
  %r = add %w, %by : vec2<f32>
  return %r
}

kernel @main(%i: u32 [local_invocation_index], %g: vec3<u32> [workgroup_id]) [workgroup 32u, 1u, 1u] {
  %v = var : ptr<function, array<f32, 8u>>
  store %v, zero<array<f32, 8u>>
  %z = extract %g, 2u : u32
  %up = eq %z, 0u : bool
  %r = call @bump, %up, vec2<f32>(0.5f, 3f) : vec2<f32>
  %x = extract %r, 0u : f32
  %j = and %i, 7u : u32
  %e = access %v, %j [inbounds] : ptr<function, f32>
  store %e, %x
  %f = access %v, 3u : ptr<function, f32>
  %y = load %f : f32
  %p = access @x, %i : ptr<storage, f32, read_write>
  store %p, %y
  return
}
`},
	{"aggregates", codegen.Options{Bounds: opt.BoundsOff, NoOptimize: true}, `struct Big [size 528, align 16] { head: vec4<f32> [offset 0], body: array<vec4<f32>, 32u> [offset 16] }
var @x : ptr<storage, array<Big>, read_write> [group 0, binding 0]
var @w : ptr<workgroup, Big>

kernel @main(%i: u32 [subgroup_id]) [workgroup 64u, 1u, 1u] {
  %p = access @x, %i : ptr<storage, Big, read_write>
  %v = load %p : Big
  store @w, %v
  store %p, zero<Big>
  %q = access @x, 1u : ptr<storage, Big, read_write>
  copy %q, @w
  return
}
`},
	{"addresses", codegen.Options{Bounds: opt.BoundsOff, NoOptimize: true}, `var @x : ptr<storage, array<f32>, read_write> [group 0, binding 0]
var @w : ptr<workgroup, array<vec4<f32>, 16u>>

kernel @main(%i: u32 [local_invocation_index]) [workgroup 64u, 1u, 1u] {
  %wide = convert %i : i64
  %bytes = mul %wide, 16li : i64
  %p = address @x, %bytes [offset -16] [inbounds] : ptr<storage, vec4<f32>, read_write>
  %v = load %p [align 8] : vec4<f32>
  %b = mul %i, 4u : u32
  %q = address @w, %b [offset 12] [inbounds] : ptr<workgroup, f32>
  %r = address %q, 0u [offset 4] : ptr<workgroup, f32>
  %e = extract %v, 1u : f32
  store %r, %e
  barrier [workgroup]
  %s = address @w, 0u [offset 32] : ptr<workgroup, vec4<f32>>
  %t = load %s [align 16] : vec4<f32>
  store %p, %t [align 4]
  return
}
`},
	{"dynamic_workgroup_memory", codegen.Options{Bounds: opt.BoundsOff}, `var @x : ptr<storage, array<f32>, read_write> [group 0, binding 0]
var @a : ptr<workgroup, array<f32, 10001u>>
var @b : ptr<workgroup, array<vec4<f32>, 1000u>>

kernel @main(%i: u32 [local_invocation_index]) [workgroup 64u, 1u, 1u] {
  %p = access @x, %i : ptr<storage, f32, read_write>
  %v = load %p : f32
  %q = access @a, 10000u : ptr<workgroup, f32>
  store %q, %v
  %r = access @b, %i, 1u [inbounds] : ptr<workgroup, f32>
  store %r, %v
  barrier [workgroup]
  %s = access @b, 5u : ptr<workgroup, vec4<f32>>
  %w = load %s : vec4<f32>
  %u = extract %w, 1u : f32
  %l = access @a, %i [inbounds] : ptr<workgroup, f32>
  %last = load %l : f32
  %sum = add %u, %last : f32
  store %p, %sum
  return
}
`},
	{"unicode", codegen.Options{Bounds: opt.BoundsOff}, `var @größe : ptr<storage, array<u32>, read_write> [group 0, binding 0]
var @été : ptr<workgroup, array<u32, 64u>>

kernel @суммировать(%i: u32 [local_invocation_index]) [workgroup 64u, 1u, 1u] {
  %p = access @größe, %i : ptr<storage, u32, read_write>
  %v = load %p : u32
  %w = access @été, %i [inbounds] : ptr<workgroup, u32>
  store %w, %v
  barrier [workgroup]
  %j = xor %i, 1u : u32
  %u = access @été, %j [inbounds] : ptr<workgroup, u32>
  %t = load %u : u32
  store %p, %t
  return
}
`},
}

// subgroups is a kernel with subgroup operations in uniform and in divergent
// control flow, on a workgroup of the given size.
func subgroups(size string) string {
	return `var @x : ptr<storage, array<f32>, read_write> [group 0, binding 0]
var @b : ptr<storage, array<vec4<u32>>, read_write> [group 0, binding 1]

kernel @main(%i: u32 [local_invocation_index], %lane: u32 [subgroup_invocation_id], %size: u32 [subgroup_size], %count: u32 [num_subgroups], %group: u32 [workgroup_index]) [workgroup ` + size + `, 1u, 1u] {
  %p = access @x, %i : ptr<storage, f32, read_write>
  %v = load %p : f32
  %sum = subgroup_add %v : f32
  %scan = subgroup_exclusive_mul %v : f32
  %e = subgroup_elect : bool
  %odd = and %lane, 1u : u32
  %isodd = ne %odd, 0u : bool
  %ballot = subgroup_ballot %isodd : vec4<u32>
  %pb = access @b, %i : ptr<storage, vec4<u32>, read_write>
  store %pb, %ballot
  %r = if ^l1 %isodd : f32 {
    %low = subgroup_min %v : f32
    %pre = subgroup_inclusive_add %v : f32
    %any = subgroup_any %e : bool
    %first = subgroup_broadcast_first %low : f32
    %c = select %any, %pre, %first : f32
    exit ^l1(%c)
  } else {
    %swap = quad_swap_x %v : f32
    exit ^l1(%swap)
  }
  %uniform = gt %group, %size : bool
  %t = if ^l2 %uniform : f32 {
    %all = subgroup_max %r : f32
    exit ^l2(%all)
  } else {
    exit ^l2(%scan)
  }
  %k = convert %count : f32
  %u = add %sum, %t : f32
  %w = mul %u, %k : f32
  store %p, %w
  return
}
`
}

// TestKernels holds each kernel's PTX against golden/ptx and assembles it.
func TestKernels(t *testing.T) {
	for _, k := range kernels {
		t.Run(k.name, func(t *testing.T) {
			text := compile(t, k.text, k.options)
			path := filepath.Join("../../golden/ptx", k.name+".ptx")
			if *update {
				if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatalf("%v; go test -update writes it", err)
			}
			if text != string(want) {
				t.Errorf("the code differs from %s; go test -update accepts it:\n%s", path, text)
			}
			if _, err := read(text); err != nil {
				t.Errorf("the emulator refuses it: %v", err)
			}
			assemble(t, assembler(t), k.name, text, architectures...)
		})
	}
}

// TestDeterministic: the same module gives the same bytes, also from a context
// that was used for others.
func TestDeterministic(t *testing.T) {
	context := &opt.Context{}
	for _, k := range kernels {
		o := k.options
		o.Context = context
		if compile(t, k.text, o) != compile(t, k.text, k.options) {
			t.Errorf("%s depends on what was compiled before", k.name)
		}
	}
}

// TestTablesBeyondConstantMemory compiles kernels with tables that just fit into
// constant memory and that do not: those are in global memory.
func TestTablesBeyondConstantMemory(t *testing.T) {
	for _, test := range []struct {
		words int
		space string
	}{{16 << 10, ".const"}, {16<<10 + 1, ".global"}} {
		var b strings.Builder
		fmt.Fprintf(&b, "var @k : ptr<constant, array<u32, %du>> = array<u32, %[1]du>(1u", test.words)
		for n := 1; n < test.words; n++ {
			fmt.Fprintf(&b, ", %du", n*n&0xff)
		}
		b.WriteString(`)
var @x : ptr<storage, array<u32>, read_write> [group 0, binding 0]

kernel @main(%i: u32 [local_invocation_index]) [workgroup 32u, 1u, 1u] {
  %e = access @k, %i : ptr<constant, u32>
  %v = load %e : u32
  %p = access @x, %i : ptr<storage, u32, read_write>
  store %p, %v
  return
}
`)
		text := compile(t, b.String(), codegen.Options{Bounds: opt.BoundsOff})
		if !strings.Contains(text, "\n"+test.space+" .align ") || !strings.Contains(text, "\tld"+test.space) {
			t.Errorf("%d words are not in %s:\n%.600s", test.words, test.space, text)
		}
		assemble(t, assembler(t), "tables", text, architectures...)
	}
}
