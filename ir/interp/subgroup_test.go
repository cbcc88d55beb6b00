package interp_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/gpuc/gpuc/ir/interp"
)

// subgroupText completes the body of a kernel that stores %r for each of the
// invocations.
func subgroupText(workgroup int, body string) string {
	head, body := splitDeclarations(body)
	return fmt.Sprintf(`
var @y : ptr<storage, array<u32>, read_write> [group 0, binding 0]
%s
kernel @k(%%l: u32 [local_invocation_index], %%lane: u32 [subgroup_invocation_id], %%g: u32 [global_invocation_index]) [workgroup %du, 1u, 1u] {
%s
  %%q = access @y, %%g : ptr<storage, u32, read_write>
  store %%q, %%r
  return
}`, head, workgroup, body)
}

func TestDivergentSubgroups(t *testing.T) {
	for _, c := range []struct {
		name, body string
		// want is the result of a lane among the lanes of its subgroup.
		want func(lane, lanes int) int
	}{
		{"only the lanes of a branch take part, and all reconverge behind it", `
  %c = lt %lane, 3u : bool
  %v = if ^i %c : u32 {
    %s = subgroup_add 1u : u32
    exit ^i(%s)
  } else {
    %t = subgroup_add 100u : u32
    exit ^i(%t)
  }
  %all = subgroup_add 10000u : u32
  %r = add %v, %all : u32`, func(lane, lanes int) int {
			if lane < 3 {
				return min(3, lanes) + 10000*lanes
			}
			return 100*(lanes-3) + 10000*lanes
		}},
		{"iterations of a divergent loop do not mix", `
  %v = loop ^l(%i: u32 = 0u, %sum: u32 = 0u) : u32 {
    %n = subgroup_add 1u : u32
    %s = add %sum, %n : u32
    %end = ge %i, %lane : bool
    if ^b %end {
      exit ^l(%s)
    } else {
      exit ^b()
    }
    continue ^l(%s)
  } continuing(%s2: u32) {
    %j = add %i, 1u : u32
    next ^l(%j, %s2)
  }
  %all = subgroup_add 10000u : u32
  %r = add %v, %all : u32`, func(lane, lanes int) int {
			sum := 0
			for i := 0; i <= lane; i++ {
				sum += lanes - i
			}
			return sum + 10000*lanes
		}},
		{"a subgroup operation before leaving a loop", `
  %v = loop ^l(%i: u32 = 0u) : u32 {
    %half = shr %lane, 1u : u32
    %end = eq %i, %half : bool
    if ^b %end {
      %n = subgroup_add 1u : u32
      exit ^l(%n)
    } else {
      exit ^b()
    }
    continue ^l()
  } continuing {
    %j = add %i, 1u : u32
    next ^l(%j)
  }
  %all = subgroup_add 10000u : u32
  %r = add %v, %all : u32`, func(lane, lanes int) int { return min(2, lanes-lane&^1) + 10000*lanes }},
		{"a function called at two sites", `
fn @count(%k: u32) : u32 {
  %n = subgroup_add %k : u32
  return %n
}
----
  %c = lt %lane, 2u : bool
  %v = if ^i %c : u32 {
    %s = call @count, 1u : u32
    exit ^i(%s)
  } else {
    %t = call @count, 1u : u32
    exit ^i(%t)
  }
  %all = call @count, 100u : u32
  %r = add %v, %all : u32`, func(lane, lanes int) int {
			if lane < 2 {
				return min(2, lanes) + 100*lanes
			}
			return lanes - 2 + 100*lanes
		}},
		{"an inactive source leaves the own value", `
  %c = ne %lane, 0u : bool
  %v = if ^i %c : u32 {
    %k = mul %lane, 7u : u32
    %s = subgroup_shuffle_xor %k, 1u : u32
    exit ^i(%s)
  } else {
    exit ^i(0u)
  }
  %r = add %v, 0u : u32`, func(lane, lanes int) int {
			switch {
			case lane == 0:
				return 0
			case lane == 1, lane^1 >= lanes:
				return 7 * lane
			}
			return 7 * (lane ^ 1)
		}},
		{"the first of the active lanes is elected", `
  %c = gt %lane, 1u : bool
  %v = if ^i %c : u32 {
    %e = subgroup_elect : bool
    %b = subgroup_broadcast_first %lane : u32
    %u = convert %e : u32
    %k = mul %u, 100u : u32
    %s = add %k, %b : u32
    exit ^i(%s)
  } else {
    exit ^i(0u)
  }
  %r = add %v, 0u : u32`, func(lane, lanes int) int {
			switch {
			case lane < 2:
				return 0
			case lane == 2:
				return 102
			}
			return 2
		}},
		{"a subgroup barrier", `
var @w : ptr<workgroup, array<u32, 256u>>
----
  %p = access @w, %l : ptr<workgroup, u32>
  store %p, %l
  barrier [workgroup, subgroup]
  %v = load %p : u32
  %z = sub %v, %l : u32
  %n = subgroup_max %lane : u32
  %r = add %z, %n : u32`, func(lane, lanes int) int { return lanes - 1 }},
	} {
		for _, size := range []int{4, 8, 32, 64} {
			for _, workgroup := range []int{1, 7, 64, 100} {
				t.Run(fmt.Sprintf("%s/%d of %d", c.name, size, workgroup), func(t *testing.T) {
					p := compile(t, subgroupText(workgroup, c.body))
					got, want := make([]uint32, 2*workgroup), make([]uint32, 2*workgroup)
					for i := range want {
						local := i % workgroup
						lanes := min(size, workgroup-local/size*size)
						want[i] = uint32(c.want(local%size, lanes))
					}
					runBoth(t, p, interp.Launch{Buffers: [][]byte{bytesOf(got)}, Grid: [3]uint32{2, 1, 1}, SubgroupSize: size})
					if d := cmp.Diff(want, got); d != "" {
						t.Error(d)
					}
				})
			}
		}
	}
}

// The rest of the file compares random structured programs with a model that
// executes them in lockstep with sets of lanes, which is what reconvergence
// means. Every operation mixes the ballot of the lanes that execute it
// together into each lane's value, so that any difference in who met shows.

type lanes uint64

type statement struct {
	kind     byte // 'm'ix, 'i'f, 'l'oop, 's'witch, 'b'reak, 'c'ontinue, 'r'eturn
	number   uint32
	branches [][]statement
}

type generator struct {
	*rand.Rand
	next uint32
}

func (g *generator) block(depth, loops int) []statement {
	var all []statement
	for range 1 + g.IntN(3) {
		g.next++
		s := statement{number: g.next, kind: 'm'}
		switch k := g.IntN(10); {
		case depth == 0 || k < 3:
		case k < 6:
			s.kind, s.branches = 'i', [][]statement{g.block(depth-1, loops), g.block(depth-1, loops)}
		case k < 7:
			s.kind, s.branches = 's', [][]statement{g.block(depth-1, loops), g.block(depth-1, loops), g.block(depth-1, loops)}
		case k < 9 && loops < 3:
			s.kind, s.branches = 'l', [][]statement{g.block(depth-1, loops+1)}
		}
		all = append(all, s)
	}
	if g.IntN(3) == 0 {
		switch {
		case loops > 0 && g.IntN(2) == 0:
			all = append(all, statement{kind: 'b'})
		case loops > 0 && g.IntN(2) == 0:
			all = append(all, statement{kind: 'c'})
		case g.IntN(4) == 0:
			all = append(all, statement{kind: 'r'})
		}
	}
	return all
}

// model executes statements for a set of lanes.
type model struct {
	values [64]uint32
	// left are the lanes on their way out of each loop around, and those on their
	// way to its continuing block.
	broken, continued []lanes
}

func (m *model) block(all []statement, active lanes) lanes {
	for _, s := range all {
		if active == 0 {
			return 0
		}
		active = m.statement(s, active)
	}
	return active
}

// selected returns the lanes whose value modulo n is k.
func (m *model) selected(active lanes, number uint32, n, k uint32) (found lanes) {
	for lane := range m.values {
		if active>>lane&1 == 1 && (m.values[lane]>>(number%11))%n == k {
			found |= 1 << lane
		}
	}
	return found
}

func (m *model) statement(s statement, active lanes) lanes {
	last := len(m.broken) - 1
	switch s.kind {
	case 'm':
		for lane := range m.values {
			if active>>lane&1 == 1 {
				m.values[lane] = (m.values[lane]^uint32(active)^s.number)*2654435761 + uint32(active>>32)
			}
		}
		return active
	case 'i', 's':
		chosen := make([]lanes, len(s.branches)) // before the branches change the values
		for k := range chosen {
			chosen[k] = m.selected(active, s.number, uint32(len(chosen)), uint32(k))
		}
		out := lanes(0)
		for k, branch := range s.branches {
			out |= m.block(branch, chosen[k])
		}
		return out
	case 'l':
		m.broken, m.continued = append(m.broken, 0), append(m.continued, 0)
		out := lanes(0)
		for range tripCount(s.number) {
			m.broken[last+1], m.continued[last+1] = 0, 0
			active = m.block(s.branches[0], active) | m.continued[last+1]
			out |= m.broken[last+1]
		}
		m.broken, m.continued = m.broken[:last+1], m.continued[:last+1]
		return out | active
	case 'b':
		m.broken[last] |= active
	case 'c':
		m.continued[last] |= active
	}
	return 0
}

func tripCount(number uint32) uint32 { return 1 + number%3 }

// write appends a block's IR, ended by a terminator where it falls through.
func write(b *strings.Builder, all []statement, loop uint32, end string) {
	for _, s := range all {
		n := s.number
		switch s.kind {
		case 'm':
			fmt.Fprintf(b, "%%b%d = subgroup_ballot true : vec4<u32>\n%%o%d = load %%v : u32\n", n, n)
			fmt.Fprintf(b, "%%bl%d = extract %%b%d, 0u : u32\n%%bh%d = extract %%b%d, 1u : u32\n", n, n, n, n)
			fmt.Fprintf(b, "%%x%d = xor %%o%d, %%bl%d : u32\n%%y%d = xor %%x%d, %du : u32\n", n, n, n, n, n, n)
			fmt.Fprintf(b, "%%m%d = mul %%y%d, 2654435761u : u32\n%%a%d = add %%m%d, %%bh%d : u32\nstore %%v, %%a%d\n", n, n, n, n, n, n)
		case 'i', 's':
			fmt.Fprintf(b, "%%o%d = load %%v : u32\n%%h%d = shr %%o%d, %du : u32\n%%c%d = rem %%h%d, %du : u32\n", n, n, n, n%11, n, n, len(s.branches))
			exit := fmt.Sprintf("exit ^s%d()", n)
			if s.kind == 'i' {
				fmt.Fprintf(b, "%%z%d = eq %%c%d, 0u : bool\nif ^s%d %%z%d {\n", n, n, n, n)
				write(b, s.branches[0], loop, exit)
				b.WriteString("} else {\n")
				write(b, s.branches[1], loop, exit)
			} else {
				fmt.Fprintf(b, "switch ^s%d %%c%d {\ncase 0u {\n", n, n)
				write(b, s.branches[0], loop, exit)
				b.WriteString("}\ncase 1u {\n")
				write(b, s.branches[1], loop, exit)
				b.WriteString("}\ndefault {\n")
				write(b, s.branches[2], loop, exit)
				b.WriteString("}\n")
			}
			b.WriteString("}\n")
		case 'l':
			fmt.Fprintf(b, "loop ^l%d(%%i%d: u32 = 0u) {\n", n, n)
			write(b, s.branches[0], n, fmt.Sprintf("continue ^l%d()", n))
			fmt.Fprintf(b, "} continuing {\n%%n%d = add %%i%d, 1u : u32\n%%e%d = eq %%n%d, %du : bool\nnext ^l%d(%%n%d) break_if %%e%d()\n}\n",
				n, n, n, n, tripCount(n), n, n, n)
		case 'b':
			end = fmt.Sprintf("exit ^l%d()", loop)
		case 'c':
			end = fmt.Sprintf("continue ^l%d()", loop)
		case 'r':
			end = "return"
		}
	}
	b.WriteString(end + "\n")
}

func TestRandomDivergenceIsThatOfLockstep(t *testing.T) {
	for seed := range uint64(400) {
		g := &generator{Rand: rand.New(rand.NewPCG(seed, 5))}
		program := g.block(4, 0)
		size := []int{4, 8, 32, 64}[seed%4]
		const workgroup = 64
		var b strings.Builder
		b.WriteString("var @y : ptr<storage, array<u32>, read_write> [group 0, binding 0]\n" +
			"fn @f(%v: ptr<function, u32>) {\n")
		write(&b, program, 0, "return")
		b.WriteString("}\nkernel @k(%l: u32 [local_invocation_index]) [workgroup 64u, 1u, 1u] {\n" +
			"%v = var : ptr<function, u32>\n%h = mul %l, 2246822519u : u32\nstore %v, %h\ncall @f, %v\n" +
			"%r = load %v : u32\n%q = access @y, %l : ptr<storage, u32, read_write>\nstore %q, %r\nreturn\n}\n")
		want, got := make([]uint32, workgroup), make([]uint32, workgroup)
		for first := 0; first < workgroup; first += size {
			var m model
			for lane := range size {
				m.values[lane] = uint32(first+lane) * 2246822519
			}
			m.block(program, lanes(1)<<size-1)
			copy(want[first:], m.values[:size])
		}
		runBoth(t, compile(t, b.String()), interp.Launch{Buffers: [][]byte{bytesOf(got)}, SubgroupSize: size})
		if d := cmp.Diff(want, got); d != "" {
			t.Fatalf("seed %d, %d lanes: %s\n%s", seed, size, d, b.String())
		}
	}
}
