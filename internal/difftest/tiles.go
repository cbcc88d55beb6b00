package difftest

// The family "tiles" is of kernels whose workgroups fill variables in workgroup memory in each turn
// of a loop, wait, work with what is there and wait again. Compilers load what the next turn needs
// ahead (opt.Prefetch) and write out the loops in which invocations share a tile's elements
// (opt.FromZero). What differs from program to program is how the loop counts and where it ends,
// which elements an invocation fills, from where, and what the work reads; places outside of the
// buffer are read, too, where robust access clamps them.

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// tile is an invocation where a number of a program of the family is asked for.
type tile struct {
	group, index uint32 // of the workgroup, and in it
	k, e         uint32 // the turn, and the element of the tile
}

// tileNumber is a number of such a program, with what it is.
type tileNumber struct {
	text string
	of   func(*tile) uint32
}

type tileMaker struct {
	r            *rand.Rand
	size, groups uint32
	count        uint32 // elements of a tile
	columns      uint32 // of the tile, if it has rows; else 0
	d            []uint32
	u            [4]uint32
	outside      bool
}

const tileTurns = 6 // at most

func (m *tileMaker) chance(n int) bool { return m.r.IntN(n) == 0 }

// constant is a number that all invocations have in common: of the program or of the uniform
// buffer.
func (m *tileMaker) constant(v uint32) tileNumber {
	if m.chance(3) {
		for n, x := range m.u {
			if x == v {
				return tileNumber{"u." + "xyzw"[n:n+1], func(*tile) uint32 { return v }}
			}
		}
	}
	return tileNumber{fmt.Sprintf("%du", v), func(*tile) uint32 { return v }}
}

// number is made of the names that are in scope.
func (m *tileMaker) number(depth int, scope []tileNumber) tileNumber {
	if depth == 0 || m.chance(4) {
		if m.chance(3) {
			v := uint32(m.r.IntN(9))
			if m.chance(12) {
				v = edge(m.r)
			}
			return m.constant(v)
		}
		return pick(m.r, scope)
	}
	a := m.number(depth-1, scope)
	if m.chance(4) { // a part of it
		c := pick(m.r, []uint32{2, 3, 4, 8, m.size, m.count})
		if m.chance(2) {
			return tileNumber{fmt.Sprintf("(%s / %du)", a.text, c), func(t *tile) uint32 { return a.of(t) / c }}
		}
		return tileNumber{fmt.Sprintf("(%s %% %du)", a.text, c), func(t *tile) uint32 { return a.of(t) % c }}
	}
	b := m.number(depth-1, scope)
	switch m.r.IntN(5) {
	case 0:
		return tileNumber{fmt.Sprintf("(%s * %s)", a.text, b.text), func(t *tile) uint32 { return a.of(t) * b.of(t) }}
	case 1:
		return tileNumber{fmt.Sprintf("(%s ^ %s)", a.text, b.text), func(t *tile) uint32 { return a.of(t) ^ b.of(t) }}
	}
	// constants are not added to each other, whose sum might not be a number of the type
	return tileNumber{fmt.Sprintf("(%s + u.w + %s)", a.text, b.text), func(t *tile) uint32 { return a.of(t) + m.u[3] + b.of(t) }}
}

// load reads d: its last word if there is none at the place.
func (m *tileMaker) load(at uint32) uint32 {
	if last := uint32(len(m.d) - 1); at > last {
		m.outside = true
		at = last
	}
	return m.d[at]
}

// place writes where an element of a tile lies.
func (m *tileMaker) place(name, e string) string {
	if m.columns == 0 {
		return fmt.Sprintf("%s[%s]", name, e)
	}
	return fmt.Sprintf("%s[%s / %du][%s %% %du]", name, e, m.columns, e, m.columns)
}

// fill is what is put into an element of a tile: a word of d at a place, or what is made of it.
type fill struct {
	at    tileNumber
	add   uint32
	guard bool // whether places outside are not read
}

func (m *tileMaker) fill(scope []tileNumber) (f fill) {
	f.at, f.guard = m.number(3, scope), m.chance(4)
	if m.chance(3) {
		f.add = edge(m.r)
	}
	return f
}

func (m *tileMaker) value(f *fill, t *tile) uint32 {
	at := f.at.of(t)
	if f.guard && at >= uint32(len(m.d)) {
		return f.add
	}
	return m.load(at) ^ f.add
}

func (f *fill) write(b *strings.Builder, to string) {
	text := fmt.Sprintf("d[%s]", f.at.text)
	if f.guard {
		fmt.Fprintf(b, "      let at = %s;\n      var x = 0u;\n      if at < arrayLength(&d) { x = d[at]; }\n", f.at.text)
		text = "x"
	}
	if f.add != 0 {
		text += fmt.Sprintf(" ^ %du", f.add)
	}
	fmt.Fprintf(b, "      %s = %s;\n", to, text)
}

// tiles makes such a program.
func tiles(seed uint64) *Case {
	r := rand.New(rand.NewPCG(seed, 0x711e))
	m := &tileMaker{r: r, size: pick(r, []uint32{4, 8, 12, 32}), groups: uint32(1 + r.IntN(3))}
	m.count = m.size * uint32(1+r.IntN(4))
	if m.chance(4) { // some invocations fill one more than others
		m.count -= uint32(r.IntN(int(m.size)))
	}
	if c := pick(r, []uint32{2, 4, m.size}); m.count%c == 0 && m.chance(2) {
		m.columns = c
	}
	for range 1 + r.IntN(200) {
		m.d = append(m.d, r.Uint32()%1000)
	}
	start, step, turns := uint32(r.IntN(3)), pick(r, []uint32{1, 1, 2, 4}), uint32(r.IntN(tileTurns+1))
	end := start + turns*step
	m.u = [4]uint32{start, end, pick(r, []uint32{start + step, edge(r)}), uint32(r.IntN(4))}
	left := m.chance(8) // the loop is left in its middle, at u.z

	k := tileNumber{"k", func(t *tile) uint32 { return t.k }}
	e := tileNumber{"e", func(t *tile) uint32 { return t.e }}
	scope := []tileNumber{k, k, e, e, {"group.x", func(t *tile) uint32 { return t.group }}, {"index", func(t *tile) uint32 { return t.index }}}
	fills := []fill{m.fill(scope)}
	if m.chance(2) {
		fills = append(fills, m.fill(scope))
	}
	stride := pick(r, []uint32{1, 3, m.size - 1})
	reads := uint32(1 + r.IntN(48))
	own := m.chance(3) // the work reads d, too
	atEnd := m.chance(8) && turns > 0

	// the program
	var b strings.Builder
	b.WriteString("  var sum = 0u;\n")
	if atEnd {
		fmt.Fprintf(&b, "  var k = %s;\n  loop {\n", m.constant(start).text)
	} else {
		fmt.Fprintf(&b, "  for (var k = %s; k < %s; k += %du) {\n", m.constant(start).text, m.constant(end).text, step)
	}
	first := "index"
	if m.chance(3) {
		first = fmt.Sprintf("(%du - index)", m.size-1)
	}
	fmt.Fprintf(&b, "    for (var e = %s; e < %du; e += %du) {\n", first, m.count, m.size)
	names := []string{"a", "b"}
	for n := range fills {
		b.WriteString("      {\n")
		fills[n].write(&b, m.place(names[n], "e"))
		b.WriteString("      }\n")
	}
	fmt.Fprintf(&b, "    }\n    workgroupBarrier();\n    for (var m = 0u; m < %du; m++) {\n      let e = (index * %du + m) %% %du;\n      sum = sum * 31u + %s;\n", reads, stride, m.count, m.place("a", "e"))
	if len(fills) > 1 {
		fmt.Fprintf(&b, "      sum += %s * m;\n", m.place("b", "e"))
	}
	b.WriteString("    }\n")
	if own {
		b.WriteString("    sum ^= d[k];\n")
	}
	if left {
		b.WriteString("    if k == u.z { break; }\n")
	}
	b.WriteString("    workgroupBarrier();\n")
	if atEnd {
		fmt.Fprintf(&b, "    continuing { k += %du; break if k >= %s; }\n", step, m.constant(end).text)
	}
	fmt.Fprintf(&b, "  }\n  o[group.x * %du + index] = sum;\n", m.size)

	// what it leaves
	o := make([]uint32, m.size*m.groups)
	for g := range m.groups {
		for k := start; k < end; k += step {
			var filled [2][]uint32
			for n := range fills {
				filled[n] = make([]uint32, m.count)
				for e := range m.count {
					index := e % m.size
					if first != "index" {
						index = m.size - 1 - index
					}
					filled[n][e] = m.value(&fills[n], &tile{g, index, k, e})
				}
			}
			for index := range m.size {
				sum := &o[g*m.size+index]
				for n := range reads {
					e := (index*stride + n) % m.count
					*sum = *sum*31 + filled[0][e]
					if len(fills) > 1 {
						*sum += filled[1][e] * n
					}
				}
				if own {
					*sum ^= m.load(k)
				}
			}
			if left && k == m.u[2] {
				break
			}
		}
	}
	declared := fmt.Sprintf("array<u32, %d>", m.count)
	if m.columns != 0 {
		declared = fmt.Sprintf("array<array<u32, %d>, %d>", m.columns, m.count/m.columns)
	}
	code := "@group(0) @binding(0) var<storage, read_write> o: array<u32>;\n@group(0) @binding(1) var<storage, read> d: array<u32>;\n" +
		"@group(0) @binding(2) var<uniform> u: vec4u;\n" + fmt.Sprintf("var<workgroup> a: %s;\nvar<workgroup> b: %s;\n", declared, declared) +
		fmt.Sprintf("@compute @workgroup_size(%d)\n", m.size) +
		"fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) index: u32) {\n" + b.String() + "}\n"
	return &Case{Name: fmt.Sprintf("tiles-%d", seed), Code: code, Entry: "main", Dispatch: [3]int{int(m.groups), 1, 1}, Robust: m.outside,
		Bindings: []Binding{
			{Name: "o", Kind: "storage", Data: make([]byte, 4*len(o)), Want: bytesOf(o)},
			{Binding: 1, Name: "d", Kind: "read-only-storage", Data: bytesOf(m.d), Want: bytesOf(m.d)},
			{Binding: 2, Name: "u", Kind: "uniform", Data: bytesOf(m.u[:]), Want: bytesOf(m.u[:])},
		}}
}
