package interp_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/interp"
)

// checkText completes the body of a kernel with 4 invocations and common
// variables.
func checkText(body string) string {
	return `
var @x : ptr<storage, array<u32>> [group 0, binding 0]
var @y : ptr<storage, array<u32>, read_write> [group 0, binding 1]
var @a : ptr<storage, atomic<u32>, read_write> [group 0, binding 2]
var @u : ptr<uniform, vec4<u32>> [group 0, binding 3]
var @tile : ptr<workgroup, array<u32, 8u>>
var @n : ptr<workgroup, atomic<u32>>
kernel @k(%l: u32 [local_invocation_index], %g: u32 [global_invocation_index]) [workgroup 4u, 1u, 1u] {
  %x0 = load_all
` + body + `
  return
}`
}

// useAll makes every variable part of the launch, whatever the body does.
const useAll = `%ux = array_length @x : u32
  %uy = array_length @y : u32
  %ua = atomic_load @a : u32
  %uu = load @u : vec4<u32>`

func compileCheck(t testing.TB, body string) *interp.Program {
	t.Helper()
	return compile(t, strings.Replace(checkText(body), "%x0 = load_all", useAll, 1))
}

func checkLaunch(groups uint32) interp.Launch {
	return interp.Launch{Grid: [3]uint32{groups, 1, 1}, Buffers: [][]byte{
		bytesOf([]uint32{1, 2, 3, 4}), bytesOf(make([]uint32, 8)), bytesOf(make([]uint32, 1)), bytesOf(make([]uint32, 4)),
	}}
}

func TestCheckedMode(t *testing.T) {
	for _, c := range []struct {
		name, body string
		groups     uint32
		want       []string
	}{
		{"a buffer is read past its end", `
  %i = add %l, 1u : u32
  %p = access @x, %i : ptr<storage, u32>
  %v = load %p : u32`, 1,
			[]string{"out-of-bounds: index 4 is outside of the 4 elements in x, in invocation (3, 0, 0) of workgroup (0, 0, 0)"}},
		{"a pointer outside that nobody follows is fine", `
  %i = add %l, 1u : u32
  %p = access @x, %i : ptr<storage, u32>
  %c = lt %i, 4u : bool
  if ^i %c {
    %v = load %p : u32
    exit ^i()
  } else {
    exit ^i()
  }`, 1, nil},
		{"inbounds is checked all the same", `
  %p = access @tile, 7u : ptr<workgroup, u32>
  %q = access @tile, %l [inbounds] : ptr<workgroup, u32>
  store %q, 1u
  %j = mul %l, 3u : u32
  %r = access @tile, %j [inbounds] : ptr<workgroup, u32>
  %o = lt %j, 8u : bool
  if ^i %o {
    exit ^i()
  } else {
    store %r, 1u
    exit ^i()
  }`, 1, []string{"out-of-bounds: index 9 is outside of the 8 elements in tile"}},
		{"a variable whose name others have, too", `
  %a.0 = var : ptr<function, array<u32, 4u>>
  %a = access %a.0, %g : ptr<function, u32>
  store %a, 1u`, 2, []string{"out-of-bounds: index 4 is outside of the 4 elements in a, in invocation (4, 0, 0) of workgroup (1, 0, 0)"}},
		{"a vector in memory", `
  %p = access @u, %g : ptr<uniform, u32>
  %v = load %p : u32`, 2, []string{"out-of-bounds: index 4 is outside of the 4 elements in u, in invocation (4, 0, 0) of workgroup (1, 0, 0)"}},
		{"a vector value", `
  %v = load @u : vec4<u32>
  %e = extract %v, %g : u32`, 2, []string{"out-of-bounds: index 4 is outside of a value with 4 elements"}},
		{"a negative index", `
  %i = bitcast %l : i32
  %j = sub %i, 1i : i32
  %p = access @x, %j : ptr<storage, u32>
  %v = load %p : u32`, 1, []string{"out-of-bounds: index -1 is outside of the 4 elements in x, in invocation (0, 0, 0)"}},
		{"an index above all signed numbers", `
  %j = sub %l, 1u : u32
  %p = access @x, %j : ptr<storage, u32>
  %v = load %p : u32`, 1, []string{"out-of-bounds: index 4294967295 is outside of the 4 elements in x, in invocation (0, 0, 0)"}},
		{"indices below and above into a value", `
  %v = load @u : vec4<u32>
  %i = bitcast %l : i32
  %j = sub %i, 1i : i32
  %k = sub %l, 1u : u32
  %e = extract %v, %j : u32
  %f = extract %v, %k : u32`, 1, []string{
			"out-of-bounds: index -1 is outside of a value with 4 elements, in invocation (0, 0, 0)",
			"out-of-bounds: index 4294967295 is outside of a value with 4 elements, in invocation (0, 0, 0)"}},
		{"raw address", `
  %p = address @x, 12u [offset 4] : ptr<storage, u32>
  %v = load %p : u32`, 1, []string{"out-of-bounds: reads 4 bytes at offset 16 of x, which has 16, in invocation (0, 0, 0)"}},
		{"atomic through a raw address", `
  %p = address @a, 4u : ptr<storage, atomic<u32>, read_write>
  %v = atomic_rmw %p, 1u [add] : u32`, 1, []string{"out-of-bounds: accesses atomically 4 bytes at offset 4 of a"}},
		{"copy past the end", `
  %v = var : ptr<function, array<u32, 5u>>
  %p = address @x, 0u : ptr<storage, array<u32, 5u>>
  copy %v, %p`, 1, []string{"out-of-bounds: reads 4 bytes at offset 16 of x"}},

		{"write and read by another without a barrier", `
  %p = access @tile, %l : ptr<workgroup, u32>
  store %p, %l
  %o = xor %l, 1u : u32
  %q = access @tile, %o : ptr<workgroup, u32>
  %v = load %q : u32`, 1, []string{
			"data-race: reads tile[0], which another invocation wrote",
			"uninitialized-read: reads tile[1] in workgroup memory, which no invocation has written, in invocation (0, 0, 0)",
			"data-race: writes tile[1], which another invocation read"}},
		{"write and read by another with a barrier", `
  %p = access @tile, %l : ptr<workgroup, u32>
  store %p, %l
  barrier [workgroup]
  %o = xor %l, 1u : u32
  %q = access @tile, %o : ptr<workgroup, u32>
  %v = load %q : u32`, 3, nil},
		{"a storage barrier does not order workgroup memory", `
  %p = access @tile, %l : ptr<workgroup, u32>
  store %p, %l
  barrier [storage]
  %o = xor %l, 1u : u32
  %q = access @tile, %o : ptr<workgroup, u32>
  %v = load %q : u32`, 1, []string{"data-race: reads tile[1]"}},
		{"read by many, then written by one", `
  %f = eq %l, 0u : bool
  %p = access @tile, 0u : ptr<workgroup, u32>
  if ^i %f {
    store %p, 1u
    exit ^i()
  } else {
    exit ^i()
  }
  barrier [workgroup]
  %v = load %p : u32
  %last = eq %l, 3u : bool
  if ^j %last {
    store %p, 2u
    exit ^j()
  } else {
    exit ^j()
  }`, 1, []string{"data-race: invocation (3, 0, 0) of workgroup (0, 0, 0) writes tile[0], which another invocation read"}},
		{"all write the same word", `
  %p = access @y, 2u : ptr<storage, u32, read_write>
  store %p, 7u`, 1, []string{"data-race: invocation (1, 0, 0) of workgroup (0, 0, 0) writes y[2], which another invocation wrote, and nothing orders the two"}},
		{"each writes its own word", `
  %p = access @y, %l : ptr<storage, u32, read_write>
  store %p, 7u
  %v = load %p : u32
  store %p, %v`, 1, nil},
		{"two workgroups write the same word", `
  %p = access @y, %l : ptr<storage, u32, read_write>
  store %p, 7u`, 2, []string{"data-race: invocation (4, 0, 0) of workgroup (1, 0, 0) writes y[0]"}},
		{"no barrier orders two workgroups", `
  barrier [storage]
  %p = access @y, %l : ptr<storage, u32, read_write>
  %v = load %p : u32
  barrier [storage]
  %last = eq %g, 4u : bool
  if ^j %last {
    store %p, 2u
    exit ^j()
  } else {
    exit ^j()
  }`, 2, []string{"data-race: invocation (4, 0, 0) of workgroup (1, 0, 0) writes y[0], which another invocation read"}},
		{"a storage barrier orders a workgroup's own accesses", `
  %p = access @y, %l : ptr<storage, u32, read_write>
  store %p, 7u
  barrier [storage]
  %o = xor %l, 1u : u32
  %q = access @y, %o : ptr<storage, u32, read_write>
  %v = load %q : u32`, 1, nil},
		{"atomics do not race", `
  %v = atomic_rmw @a, 1u [add] : u32
  %w = atomic_rmw @n, 1u [add] : u32
  %r = atomic_load @n : u32`, 3, nil},
		{"an atomic and a plain access race", `
  %v = atomic_rmw @a, 1u [add] : u32
  %p = address @a, 0u : ptr<storage, u32, read_write>
  %w = load %p : u32
  store %p, %w`, 1, []string{
			// the load above the body
			"data-race: accesses a atomically, which another invocation read",
			"data-race: accesses a atomically, which another invocation read",
			"data-race: reads a, which another invocation wrote",
			"data-race: writes a, which another invocation read"}},

		{"workgroup memory that nobody wrote", `
  %p = access @tile, %l : ptr<workgroup, u32>
  %v = load %p : u32`, 2, []string{"uninitialized-read: reads tile[0] in workgroup memory, which no invocation has written, in invocation (0, 0, 0)"}},
		{"workgroup memory that the workgroup before wrote", `
  %first = lt %g, 4u : bool
  %p = access @tile, %l : ptr<workgroup, u32>
  if ^i %first {
    store %p, 1u
    exit ^i()
  } else {
    exit ^i()
  }
  %v = load %p : u32`, 2, []string{"uninitialized-read: in invocation (4, 0, 0) of workgroup (1, 0, 0)"}},

		{"a barrier that one invocation does not reach", `
  %in = lt %l, 3u : bool
  if ^i %in {
    barrier [workgroup]
    exit ^i()
  } else {
    exit ^i()
  }`, 1, []string{"non-uniform-barrier: invocation (0, 0, 0) of workgroup (0, 0, 0) waits at the barrier, but invocation (3, 0, 0) of workgroup (0, 0, 0) has ended"}},
		{"two barriers in two branches", `
  %in = lt %l, 3u : bool
  if ^i %in {
    barrier [workgroup]
    exit ^i()
  } else {
    barrier [workgroup]
    exit ^i()
  }`, 1, []string{"non-uniform-barrier: invocation (0, 0, 0) of workgroup (0, 0, 0) waits at this barrier and invocation (3, 0, 0) of workgroup (0, 0, 0) at another one"}},
		{"a barrier in iterations that differ", `
  loop ^l(%i: u32 = 0u) {
    %skip = lt %i, %l : bool
    if ^s %skip {
      continue ^l()
    } else {
      exit ^s()
    }
    barrier [workgroup]
    continue ^l()
  } continuing {
    %n = add %i, 1u : u32
    %end = eq %n, 4u : bool
    next ^l(%n) break_if %end()
  }`, 1, []string{"non-uniform-barrier: wait at the barrier in different iterations or calls"}},
		{"barriers in a uniform loop", `
  loop ^l(%i: u32 = 0u) {
    barrier [workgroup, storage]
    continue ^l()
  } continuing {
    %n = add %i, 1u : u32
    %end = eq %n, 4u : bool
    next ^l(%n) break_if %end()
  }`, 2, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			items := checked(t, compileCheck(t, c.body), checkLaunch(c.groups))
			expect(t, items, c.want...)
			for _, d := range items {
				if d.Code != diag.DataRace {
					continue
				}
				first := invocationText.FindString(d.Message)
				if second := invocationText.FindString(d.Notes[0].Message); first == "" || second == "" || first == second {
					t.Errorf("a race of %q with %q: %s", first, second, d.Message)
				}
			}
		})
	}
}

var invocationText = regexp.MustCompile(`invocation \([^)]*\) of workgroup \([^)]*\)`)

// TestRacesNameBoth looks at races in which an invocation touches what it has touched
// itself before and another has too: the note is about the other one.
func TestRacesNameBoth(t *testing.T) {
	const increment = `
  %p = access @y, 2u : ptr<storage, u32, read_write>
  %v = load %p : u32
  %w = add %v, 1u : u32
  store %p, %w`
	for _, c := range []struct {
		name, body string
		groups     uint32
		want       []string // message and the other access, of each race
	}{
		{"n = n + 1", increment, 1, []string{
			"invocation (1, 0, 0) of workgroup (0, 0, 0) reads y[2], which another invocation wrote", "invocation (0, 0, 0) of workgroup (0, 0, 0)",
			"invocation (1, 0, 0) of workgroup (0, 0, 0) writes y[2], which another invocation read", "invocation (0, 0, 0) of workgroup (0, 0, 0)",
		}},
		// within a workgroup the barrier orders the accesses; the one that conflicts is of
		// workgroup 0
		{"another workgroup", `
  %first = eq %l, 0u : bool
  %second = eq %l, 1u : bool
  %p = access @y, 2u : ptr<storage, u32, read_write>
  if ^i %first {
    %v = load %p : u32
    exit ^i()
  } else {
    exit ^i()
  }
  barrier [storage]
  if ^j %second {
    %w = load %p : u32
    exit ^j()
  } else {
    exit ^j()
  }
  barrier [storage]
  %last = eq %g, 5u : bool
  if ^k %last {
    store %p, 2u
    exit ^k()
  } else {
    exit ^k()
  }`, 2, []string{
			"invocation (5, 0, 0) of workgroup (1, 0, 0) writes y[2], which another invocation read", "invocation (1, 0, 0) of workgroup (0, 0, 0)",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, d := range checked(t, compileCheck(t, c.body), checkLaunch(c.groups)) {
				message, _, _ := strings.Cut(d.Message, ", and nothing")
				other, _ := strings.CutPrefix(d.Notes[0].Message, "the other access: ")
				got = append(got, message, other)
			}
			slices.Sort(got)
			slices.Sort(c.want)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("races (-want +got):\n%s", diff)
			}
		})
	}
}

func TestReportsCarrySeverityAndTheOtherAccess(t *testing.T) {
	p := compileCheck(t, `
  %p = access @y, 2u : ptr<storage, u32, read_write>
  store %p, 7u
  %q = access @tile, 0u : ptr<workgroup, u32>
  %v = load %q : u32`)
	items := checked(t, p, checkLaunch(1))
	if len(items) != 2 {
		t.Fatalf("%d reports, want 2: %+v", len(items), items)
	}
	race, lint := items[0], items[1]
	if race.Severity != diag.Error || lint.Severity != diag.Warning {
		t.Errorf("severities %s and %s", race.Severity, lint.Severity)
	}
	if !race.Span.Valid() || len(race.Notes) != 2 || race.Notes[0].Span != race.Span ||
		race.Notes[0].Message != "the other access: invocation (0, 0, 0) of workgroup (0, 0, 0)" {
		t.Errorf("the race: %+v", race)
	}
}

// TestHalvesOfAWordDoNotRace has each invocation write its own f16.
func TestHalvesOfAWordDoNotRace(t *testing.T) {
	p := compile(t, `
var @h : ptr<storage, array<f16>, read_write> [group 0, binding 0]
kernel @k(%l: u32 [local_invocation_index]) [workgroup 8u, 1u, 1u] {
  %p = access @h, %l : ptr<storage, f16, read_write>
  store %p, 1h
  return
}`)
	expect(t, checked(t, p, interp.Launch{Buffers: [][]byte{bytesOf(make([]uint32, 4))}}))
}

// TestReportsStopAtALimit has more mistakes than are reported.
func TestReportsStopAtALimit(t *testing.T) {
	var body strings.Builder
	for i := range 40 {
		fmt.Fprintf(&body, "  %%p%d = access @x, %d : ptr<storage, u32>\n  %%v%d = load %%p%d : u32\n", i, i+10, i, i)
	}
	text := strings.ReplaceAll(body.String(), " : ptr", "u : ptr")
	items := checked(t, compileCheck(t, text), checkLaunch(5))
	if len(items) != 20 {
		t.Errorf("%d reports, want 20", len(items))
	}
}

// TestRobustAccess reads and writes outside in the defined mode: reads see the
// last element, writes have no effect, and atomics only read.
func TestRobustAccess(t *testing.T) {
	p := compile(t, `
var @x : ptr<storage, array<u32>> [group 0, binding 0]
var @y : ptr<storage, array<u32>, read_write> [group 0, binding 1]
var @z : ptr<storage, array<vec2<u32>>, read_write> [group 0, binding 2]
var @a : ptr<storage, array<atomic<u32>>, read_write> [group 0, binding 3]
var @h : ptr<storage, array<vec2<f16>>, read_write> [group 0, binding 4]
kernel @k(%l: u32 [local_invocation_index]) [workgroup 8u, 1u, 1u] {
  %i = add %l, 1000u : u32
  %px = access @x, %i : ptr<storage, u32>
  %v = load %px : u32
  %py = access @y, %l : ptr<storage, u32, read_write>
  store %py, %v
  %pz = access @z, %i : ptr<storage, vec2<u32>, read_write>
  %w = load %pz : vec2<u32>
  store %pz, vec2<u32>(9u, 9u)
  %pc = access @z, 0u, %i : ptr<storage, u32, read_write>
  store %pc, 9u
  %pa = access @a, %i : ptr<storage, atomic<u32>, read_write>
  %o = atomic_rmw %pa, 1u [add] : u32
  %c = atomic_compare_exchange %pa, 5u, 6u : u32
  %e = atomic_rmw %pa, 1u [exchange] : u32
  atomic_store %pa, 9u
  %ph = access @h, %i : ptr<storage, vec2<f16>, read_write>
  store %ph, vec2<f16>(1h, 1h)
  %raw = address @x, %i [offset 4096] [inbounds] : ptr<storage, u32>
  %zero = load %raw : u32
  %w1 = extract %w, 1u : u32
  %s1 = add %w1, %o : u32
  %s2 = add %s1, %c : u32
  %s3 = add %s2, %e : u32
  %s4 = add %s3, %zero : u32
  %j = add %l, 4u : u32
  %pj = access @y, %j : ptr<storage, u32, read_write>
  store %pj, %s4
  return
}`)
	y, z, a, h := make([]uint32, 10), []uint32{1, 2, 3, 4}, []uint32{4, 5}, []uint32{7}
	run(t, p, interp.Launch{Buffers: [][]byte{bytesOf([]uint32{1, 2, 8}), bytesOf(y), bytesOf(z), bytesOf(a), bytesOf(h)}, Workers: 1})
	// The last writes of y at 4 to 7 are by invocations 4 to 7, those at 8 and 9 by 4 and 5 through
	// j. 10 and 11 are outside.
	const sum = 4 + 5 + 5 + 5
	for _, d := range []string{
		cmp.Diff([]uint32{8, 8, 8, 8, 8, 8, 8, 8, sum, sum}, y),
		cmp.Diff([]uint32{1, 2, 3, 4}, z), cmp.Diff([]uint32{4, 5}, a), cmp.Diff([]uint32{7}, h),
	} {
		if d != "" {
			t.Error(d)
		}
	}
}

func TestEmptyBuffersReadAsZero(t *testing.T) {
	p := compile(t, strings.Replace(saxpy, "ge %i, %n", "lt %i, %n", 1)) // go on where outside
	run(t, p, interp.Launch{Buffers: [][]byte{nil, nil, nil}})
}

// TestWarningsStopNothing reads more memory that nothing wrote than is reported, and
// looks for what is stored after that.
func TestWarningsStopNothing(t *testing.T) {
	var body strings.Builder
	for i := range 40 {
		fmt.Fprintf(&body, "  %%v%d = load %%q : u32\n", i)
	}
	p := compile(t, `
var @y : ptr<storage, array<u32>, read_write> [group 0, binding 0]
var @tile : ptr<workgroup, array<u32, 4u>>
kernel @k() [workgroup 1u, 1u, 1u] {
  %q = access @tile, 0u : ptr<workgroup, u32>
`+body.String()+`  %p = access @y, 0u : ptr<storage, u32, read_write>
  store %p, 7u
  return
}`)
	buffer := bytesOf(make([]uint32, 1))
	items := checked(t, p, interp.Launch{Buffers: [][]byte{buffer}})
	if len(items) != 20 || items[0].Severity != diag.Warning {
		t.Errorf("%d reports, want 20 warnings", len(items))
	}
	if buffer[0] != 7 {
		t.Error("the kernel did not come to its end")
	}
}
