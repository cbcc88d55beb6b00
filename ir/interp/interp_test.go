package interp_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/gpuc/gpuc/ir/interp"
)

const saxpy = `
var @p : ptr<uniform, vec2<f32>> [group 0, binding 0]
var @x : ptr<storage, array<f32>> [group 0, binding 1]
var @y : ptr<storage, array<f32>, read_write> [group 0, binding 2]
kernel @saxpy(%id: vec3<u32> [global_invocation_id]) [workgroup 64u, 1u, 1u] {
  %i = extract %id, 0u : u32
  %n = array_length @x : u32
  %out = ge %i, %n : bool
  if ^done %out {
    return
  } else {
    exit ^done()
  }
  %pa = access @p, 1u : ptr<uniform, f32>
  %a = load %pa : f32
  %px = access @x, %i : ptr<storage, f32>
  %vx = load %px : f32
  %py = access @y, %i : ptr<storage, f32, read_write>
  %vy = load %py : f32
  %ax = mul %a, %vx : f32
  %s = add %ax, %vy : f32
  store %py, %s
  return
}
`

func TestSaxpyOffTheWorkgroupMultiple(t *testing.T) {
	const n = 1000
	p := compile(t, saxpy)
	x, y, want := make([]float32, n), make([]float32, n), make([]float32, n)
	for i := range x {
		x[i], y[i] = float32(i), float32(2*i)
		want[i] = float32(2.5)*x[i] + y[i]
	}
	runBoth(t, p, interp.Launch{Buffers: [][]byte{bytesOf([]float32{9, 2.5}), bytesOf(x), bytesOf(y)}, Grid: [3]uint32{16, 1, 1}})
	if d := cmp.Diff(want, y); d != "" {
		t.Error(d)
	}
}

func TestBindingsAreInOrderOfGroupAndBinding(t *testing.T) {
	p := compile(t, `
struct S [size 8, align 4] { n: u32 [offset 0], a: array<u32> [offset 4] }
var @unused : ptr<storage, u32> [group 0, binding 9]
var @c : ptr<storage, S, read_write> [group 1, binding 0]
var @b : ptr<storage, u32, read_write> [group 0, binding 2]
var @a : ptr<storage, u32> [group 0, binding 1]
fn @f() : u32 {
  %v = load @a : u32
  return %v
}
kernel @k() [workgroup 1u, 1u, 1u] {
  %v = call @f : u32
  store @b, %v
  %q = access @c, 1u, 2u : ptr<storage, u32, read_write>
  store %q, %v
  return
}`)
	want := []interp.Binding{
		{Name: "a", Binding: 1, Size: 4},
		{Name: "b", Binding: 2, Size: 4, Writable: true},
		{Name: "c", Group: 1, Size: 4, Stride: 4, Writable: true},
	}
	if d := cmp.Diff(want, p.Bindings()); d != "" {
		t.Error(d)
	}
}

// treeReduction sums 64 values in workgroup memory with a barrier a step.
const treeReduction = `
var @x : ptr<storage, array<u32>> [group 0, binding 0]
var @y : ptr<storage, array<u32>, read_write> [group 0, binding 1]
var @tile : ptr<workgroup, array<u32, 64u>>
kernel @sum(%id: vec3<u32> [global_invocation_id], %l: u32 [local_invocation_index], %g: vec3<u32> [workgroup_id]) [workgroup 64u, 1u, 1u] {
  %i = extract %id, 0u : u32
  %px = access @x, %i : ptr<storage, u32>
  %vx = load %px : u32
  %pt = access @tile, %l : ptr<workgroup, u32>
  store %pt, %vx
  loop ^l(%step: u32 = 32u) {
    barrier [workgroup]
    %in = lt %l, %step : bool
    if ^i %in {
      %o = add %l, %step : u32
      %po = access @tile, %o : ptr<workgroup, u32>
      %vo = load %po : u32
      %vt = load %pt : u32
      %s = add %vo, %vt : u32
      store %pt, %s
      exit ^i()
    } else {
      exit ^i()
    }
    continue ^l()
  } continuing {
    %half = shr %step, 1u : u32
    %end = eq %half, 0u : bool
    next ^l(%half) break_if %end()
  }
  %first = eq %l, 0u : bool
  if ^f %first {
    %p0 = access @tile, 0u : ptr<workgroup, u32>
    %v0 = load %p0 : u32
    %gi = extract %g, 0u : u32
    %py = access @y, %gi : ptr<storage, u32, read_write>
    store %py, %v0
    exit ^f()
  } else {
    exit ^f()
  }
  return
}
`

func TestTreeReductionWithBarriers(t *testing.T) {
	const groups = 7
	x, y, want := make([]uint32, 64*groups), make([]uint32, groups), make([]uint32, groups)
	for i := range x {
		x[i] = uint32(i * i)
		want[i/64] += x[i]
	}
	runBoth(t, compile(t, treeReduction), interp.Launch{Buffers: [][]byte{bytesOf(x), bytesOf(y)}, Grid: [3]uint32{groups, 1, 1}})
	if d := cmp.Diff(want, y); d != "" {
		t.Error(d)
	}
}

func TestBuiltins(t *testing.T) {
	p := compile(t, `
var @y : ptr<storage, array<array<u32, 18u>>, read_write> [group 0, binding 0]
kernel @k(%l: vec3<u32> [local_invocation_id], %g: vec3<u32> [global_invocation_id], %w: vec3<u32> [workgroup_id], %n: vec3<u32> [num_workgroups], %li: u32 [local_invocation_index], %gi: u32 [global_invocation_index], %wi: u32 [workgroup_index], %lane: u32 [subgroup_invocation_id], %lanes: u32 [subgroup_size], %sub: u32 [subgroup_id]) [workgroup 3u, 2u, 2u] {
  %p = access @y, %gi : ptr<storage, array<u32, 18u>, read_write>
  %l0 = extract %l, 0u : u32
  %l1 = extract %l, 1u : u32
  %l2 = extract %l, 2u : u32
  %g0 = extract %g, 0u : u32
  %g1 = extract %g, 1u : u32
  %g2 = extract %g, 2u : u32
  %w0 = extract %w, 0u : u32
  %w1 = extract %w, 1u : u32
  %w2 = extract %w, 2u : u32
  %n0 = extract %n, 0u : u32
  %n1 = extract %n, 1u : u32
  %n2 = extract %n, 2u : u32
  %all = construct %l0, %l1, %l2, %g0, %g1, %g2, %w0, %w1, %w2, %n0, %n1, %n2, %li, %gi, %wi, %lane, %lanes, %sub : array<u32, 18u>
  store %p, %all
  return
}`)
	grid := [3]uint32{2, 3, 2}
	var want [][18]uint32
	size := [3]uint32{3, 2, 2}
	for z := range size[2] * grid[2] {
		for y := range size[1] * grid[1] {
			for x := range size[0] * grid[0] {
				l := [3]uint32{x % 3, y % 2, z % 2}
				w := [3]uint32{x / 3, y / 2, z / 2}
				local := l[0] + 3*l[1] + 6*l[2]
				want = append(want, [18]uint32{l[0], l[1], l[2], x, y, z, w[0], w[1], w[2], 2, 3, 2,
					local, uint32(len(want)), w[0] + 2*w[1] + 6*w[2], local % 4, 4, local / 4})
			}
		}
	}
	got := make([][18]uint32, len(want))
	runBoth(t, p, interp.Launch{Buffers: [][]byte{bytesOf(got)}, Grid: grid, SubgroupSize: 4})
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestStorageAtomicsAcrossWorkers(t *testing.T) {
	p := compile(t, `
var @y : ptr<storage, array<atomic<u32>, 9u>, read_write> [group 0, binding 0]
var @f : ptr<storage, atomic<f32>, read_write> [group 0, binding 1]
kernel @k(%g: u32 [global_invocation_index]) [workgroup 64u, 1u, 1u] {
  %p0 = access @y, 0u : ptr<storage, atomic<u32>, read_write>
  %p1 = access @y, 1u : ptr<storage, atomic<u32>, read_write>
  %p2 = access @y, 2u : ptr<storage, atomic<u32>, read_write>
  %p3 = access @y, 3u : ptr<storage, atomic<u32>, read_write>
  %p4 = access @y, 4u : ptr<storage, atomic<u32>, read_write>
  %p5 = access @y, 5u : ptr<storage, atomic<u32>, read_write>
  %p6 = access @y, 6u : ptr<storage, atomic<u32>, read_write>
  %p7 = access @y, 7u : ptr<storage, atomic<u32>, read_write>
  %p8 = access @y, 8u : ptr<storage, atomic<u32>, read_write>
  %a = atomic_rmw %p0, 3u [add] : u32
  %b = atomic_rmw %p1, 1u [sub] : u32
  %c = atomic_rmw %p2, %g [max] : u32
  %d = atomic_rmw %p3, %g [min] : u32
  %bit = and %g, 31u : u32
  %one = shl 1u, %bit : u32
  %e = atomic_rmw %p4, %one [or] : u32
  %no = not %one : u32
  %f = atomic_rmw %p5, %no [and] : u32
  %h = atomic_rmw %p6, %g [xor] : u32
  %z = atomic_rmw @f, 0.5f [add] : f32
  loop ^l() {
    %old = atomic_load %p7 : u32
    %new = add %old, 2u : u32
    %was = atomic_compare_exchange %p7, %old, %new : u32
    %ok = eq %was, %old : bool
    if ^i %ok {
      exit ^l()
    } else {
      exit ^i()
    }
    continue ^l()
  } continuing {
    next ^l()
  }
  atomic_store %p8, 77u
  %x = atomic_rmw %p8, 77u [exchange] : u32
  return
}`)
	const groups = 500
	n := uint32(groups * 64)
	y := make([]uint32, 9)
	y[3], y[5] = math.MaxUint32, math.MaxUint32
	f := make([]float32, 1)
	run(t, p, interp.Launch{Buffers: [][]byte{bytesOf(y), bytesOf(f)}, Grid: [3]uint32{groups, 1, 1}, Workers: 8})
	want := []uint32{3 * n, -n, n - 1, 0, math.MaxUint32, 0, 0, 2 * n, 77}
	if d := cmp.Diff(want, y); d != "" {
		t.Error(d)
	}
	if f[0] != float32(n)/2 {
		t.Errorf("float sum is %v", f[0])
	}
}

const endless = `
var @y : ptr<storage, u32, read_write> [group 0, binding 0]
kernel @k() [workgroup 2u, 1u, 1u] {
  loop ^l() {
    %v = load @y : u32
    %go = ne %v, 0u : bool
    if ^i %go {
      exit ^l()
    } else {
      exit ^i()
    }
    continue ^l()
  } continuing {
    next ^l()
  }
  return
}`

func TestEndlessLoopsRunOutOfFuel(t *testing.T) {
	p := compile(t, endless)
	items := checked(t, p, interp.Launch{Buffers: [][]byte{bytesOf(make([]uint32, 1))}, Fuel: 1 << 20})
	expect(t, items, "fuel-exhausted: invocation (0, 0, 0) of workgroup (0, 0, 0) has executed")
}

// TestEndlessBarriersRunOutOfFuel waits again and again, so that no single run
// of an invocation is long.
func TestEndlessBarriersRunOutOfFuel(t *testing.T) {
	for _, wait := range []string{"barrier [workgroup]", "%e = subgroup_elect : bool"} {
		p := compile(t, `
kernel @k() [workgroup 8u, 1u, 1u] {
  loop ^l() {
    `+wait+`
    continue ^l()
  } continuing {
    next ^l()
  }
  return
}`)
		expect(t, checked(t, p, interp.Launch{Fuel: 1 << 18}), "fuel-exhausted: ")
	}
}

func TestContextEndsALaunch(t *testing.T) {
	p := compile(t, endless)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	_, err := p.Run(&interp.Launch{Buffers: [][]byte{bytesOf(make([]uint32, 1))}, Grid: [3]uint32{4, 1, 1}, Context: ctx,
		Progress: func(_, _ uint64) { cancel() }}) // while it runs
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestProgressEndsWithAll(t *testing.T) {
	p := compile(t, saxpy)
	var last, calls atomic.Uint64
	run(t, p, interp.Launch{Buffers: [][]byte{make([]byte, 8), nil, nil}, Grid: [3]uint32{100, 2, 1},
		Progress: func(done, total uint64) {
			calls.Add(1)
			last.Store(done)
			if total != 200 {
				t.Errorf("%d workgroups in all, want 200", total)
			}
		}})
	if last.Load() != 200 || calls.Load() == 0 {
		t.Errorf("the last of %d calls said %d workgroups", calls.Load(), last.Load())
	}
}

// manyValues loads an array of the given number of words so many times, and changes one word in
// between. All is stored in the end.
func manyValues(count, words int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "var @x : ptr<storage, array<u32, %du>, read_write> [group 0, binding 0]\n", words)
	fmt.Fprintf(&b, "var @y : ptr<storage, array<array<u32, %du>, %du>, read_write> [group 0, binding 1]\n", words, count)
	b.WriteString("kernel @k() [workgroup 1u, 1u, 1u] {\n%p = access @x, 0u : ptr<storage, u32, read_write>\n")
	for n := range count {
		fmt.Fprintf(&b, "store %%p, %du\n%%v%d = load @x : array<u32, %du>\n", n, n, words)
	}
	for n := range count {
		fmt.Fprintf(&b, "%%y%d = access @y, %du : ptr<storage, array<u32, %du>, read_write>\nstore %%y%d, %%v%d\n", n, n, words, n, n)
	}
	return b.String() + "return\n}\n"
}

func TestMoreThan65536ValuesAtATime(t *testing.T) {
	const count, words = 300, 250
	x, y := make([]uint32, words), make([]uint32, count*words)
	for n := range x {
		x[n] = uint32(1000 + n)
	}
	run(t, compile(t, manyValues(count, words)), interp.Launch{Buffers: [][]byte{bytesOf(x), bytesOf(y)}})
	for n, got := range y {
		want := uint32(1000 + n%words)
		if n%words == 0 {
			want = uint32(n / words)
		}
		if got != want {
			t.Fatalf("word %d is %d, not %d", n, got, want)
		}
	}
}

func TestUnsupportedIRIsAnErrorThatNamesTheOperation(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"an override", `
override @n : u32 = 3u [id 0]
kernel @k() [workgroup 1u, 1u, 1u] {
  %v = add @n, 1u : u32
  return
}`, "the override @n is not bound to a value"},
		{"an override as workgroup size", `
override @n : u32 = 3u [id 0]
kernel @k() [workgroup @n, 1u, 1u] {
  return
}`, "the workgroup size of @k is not bound"},
		{"a vast value", `
kernel @k() [workgroup 1u, 1u, 1u] {
  %v = var : ptr<function, array<u32, 70000u>>
  %x = load %v : array<u32, 70000u>
  return
}`, "cannot run load: a value has more than 65535 scalars"},
		{"vast values", manyValues(260, 65000), "needs more than 16777216 scalars at a time"},
		{"a vast variable", `
kernel @k() [workgroup 1u, 1u, 1u] {
  %v = var : ptr<function, array<u32, 1000000000u>>
  return
}`, "cannot run var: the variable v has no constant size or takes more than 256 MiB"},
		{"many large variables", `
kernel @k() [workgroup 1024u, 1u, 1u] {
  %v = var : ptr<function, array<u32, 10000000u>>
  barrier [workgroup]
  return
}`, "take more than 1 GiB"},
		{"a large workgroup", `
kernel @k() [workgroup 1024u, 1024u, 1u] {
  return
}`, "more than 65536 invocations"},
	} {
		_, err := tryCompile(t, c.text)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
}

func TestLaunchesThatDoNotFit(t *testing.T) {
	p := compile(t, `
var @y : ptr<storage, atomic<u32>, read_write> [group 0, binding 0]
kernel @k() [workgroup 1u, 1u, 1u] {
  %o = atomic_rmw @y, 1u [add] : u32
  return
}`)
	good := bytesOf(make([]uint32, 2))
	for _, c := range []struct {
		launch interp.Launch
		want   string
	}{
		{interp.Launch{}, "0 buffers for the 1 bindings of kernel k"},
		{interp.Launch{Buffers: [][]byte{good}, SubgroupSize: 3}, "a subgroup of 3 lanes"},
		{interp.Launch{Buffers: [][]byte{good[1:]}}, "the buffer for y is not aligned to the 4 bytes that atomics need"},
		{interp.Launch{Buffers: [][]byte{good}, Grid: [3]uint32{1<<32 - 1, 1<<32 - 1, 4}}, "more than 2^63 workgroups"},
		{interp.Launch{Buffers: [][]byte{good}, Grid: [3]uint32{1 << 16, 1 << 16, 1}, Checked: true}, "less than 2^32 invocations"},
	} {
		if _, err := p.Run(&c.launch); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
	if _, err := p.Run(&interp.Launch{Buffers: [][]byte{good}}); err != nil {
		t.Errorf("an empty grid: %v", err)
	}
}

// TestCallsNestWithoutBlowUp compiles a chain of functions that each call the
// next one twice: code and frames stay linear, and fuel bounds the run.
func TestCallsNestWithoutBlowUp(t *testing.T) {
	var b strings.Builder
	b.WriteString("var @y : ptr<storage, u32, read_write> [group 0, binding 0]\nfn @f0(%x: u32) : u32 {\n %r = add %x, 1u : u32\n return %r\n}\n")
	const depth = 40
	for n := 1; n <= depth; n++ {
		fmt.Fprintf(&b, "fn @f%d(%%x: u32) : u32 {\n %%a = call @f%d, %%x : u32\n %%b = call @f%d, %%a : u32\n return %%b\n}\n", n, n-1, n-1)
	}
	kernel := func(n int) string {
		return b.String() + fmt.Sprintf("kernel @k() [workgroup 1u, 1u, 1u] {\n %%r = call @f%d, 0u : u32\n store @y, %%r\n return\n}\n", n)
	}
	y := make([]uint32, 2)
	run(t, compile(t, kernel(10)), interp.Launch{Buffers: [][]byte{bytesOf(y)}})
	if y[0] != 1<<10 {
		t.Errorf("got %d, want %d", y[0], 1<<10)
	}
	items := checked(t, compile(t, kernel(depth)), interp.Launch{Buffers: [][]byte{bytesOf(y)}, Fuel: 1 << 20})
	expect(t, items, "fuel-exhausted: ")
}

// TestConcurrentLaunches shares a program between goroutines.
func TestConcurrentLaunches(t *testing.T) {
	p := compile(t, treeReduction)
	var group sync.WaitGroup
	for worker := range 4 {
		group.Go(func() {
			x, y := make([]uint32, 64*8), make([]uint32, 8)
			for i := range x {
				x[i] = uint32(worker + 1)
			}
			for range 20 {
				if _, err := p.Run(&interp.Launch{Buffers: [][]byte{bytesOf(x), bytesOf(y)}, Grid: [3]uint32{8, 1, 1}}); err != nil {
					t.Error(err)
				}
				for _, sum := range y {
					if sum != 64*uint32(worker+1) {
						t.Errorf("worker %d: %v", worker, y)
						return
					}
				}
			}
		})
	}
	group.Wait()
}

// TestStoresOfAggregatesKeepPadding: the host sees the bytes between the members
// of a buffer's struct, so that a store of the whole leaves them out.
func TestStoresOfAggregatesKeepPadding(t *testing.T) {
	const types = `
struct S [size 32, align 16] { a: u32 [offset 0], b: vec3<u32> [offset 16] }
struct T [size 256, align 16] { s: array<S, 8u> [offset 0] }
var @to : ptr<storage, T, read_write> [group 0, binding 0]
var @from : ptr<storage, T> [group 0, binding 1]
`
	for _, test := range []struct {
		name, body string
		a, b       uint32
	}{
		{"zeros", `store @to, zero<T>`, 0, 0},
		{"a copy", `copy @to, @from`, 5, 5},
		{"a value", "%v = load @from : T\n store @to, %v", 5, 5},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := compile(t, types+"kernel @k() [workgroup 1u, 1u, 1u] {\n "+test.body+"\n return\n}")
			const mark = 0xDEADBEEF
			to, from, want := make([]uint32, 64), make([]uint32, 64), make([]uint32, 64)
			for i := range to {
				to[i], from[i] = mark, 5
				switch i % 8 {
				case 0:
					want[i] = test.a
				case 4, 5, 6:
					want[i] = test.b
				default:
					want[i] = mark
				}
			}
			buffers := [][]byte{bytesOf(to), bytesOf(from)}
			if len(p.Bindings()) == 1 {
				buffers = buffers[:1]
			}
			runBoth(t, p, interp.Launch{Buffers: buffers, Grid: [3]uint32{1, 1, 1}})
			if d := cmp.Diff(want, to); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestVariablesStartAsZero reads variables before they are written, in workgroups that one worker
// runs one after the other, and in a function that is called twice. What a variable held before is
// gone.
func TestVariablesStartAsZero(t *testing.T) {
	p := compile(t, `
var @out : ptr<storage, array<u32>, read_write> [group 0, binding 0]
fn @f(%x: u32) : u32 {
  %v = var : ptr<function, u32>
  %old = load %v : u32
  store %v, %x
  return %old
}
kernel @k(%g: u32 [global_invocation_index]) [workgroup 2u, 1u, 1u] {
  %first = var : ptr<function, u32>
  %list = var : ptr<function, array<u32, 3u>>
  %last = var : ptr<function, vec2<u32>>
  %a = load %first : u32
  %p = access %list, 2u : ptr<function, u32>
  %b = load %p : u32
  %q = access %last, 1u : ptr<function, u32>
  %c = load %q : u32
  store %first, 1u
  store %p, 2u
  store %q, 4u
  %d = call @f, 8u : u32
  %e = call @f, 16u : u32
  %ab = or %a, %b : u32
  %cd = or %c, %d : u32
  %abcd = or %ab, %cd : u32
  %all = or %abcd, %e : u32
  %to = access @out, %g : ptr<storage, u32, read_write>
  store %to, %all
  return
}`)
	out := []uint32{9, 9, 9, 9, 9, 9}
	runBoth(t, p, interp.Launch{Buffers: [][]byte{bytesOf(out)}, Grid: [3]uint32{3, 1, 1}, Workers: 1})
	if d := cmp.Diff(make([]uint32, 6), out); d != "" {
		t.Error(d)
	}
}
