package difftest

import (
	"fmt"
	"strings"
)

const (
	boundsReach = 6000 // the greatest index that an array is made long enough for
	boundsGrid  = 160  // invocations
)

// boundsArray is a runtime-sized array in a buffer.
type boundsArray struct {
	name, scalar string // of u32, i32 or f32
	width        int    // components of an element
	length       uint32
	measured     bool // the program reads its length
	spare        int  // words after the last element, too few for one
}

// typed is the type of an element.
func (a *boundsArray) typed() string {
	if a.width == 1 {
		return a.scalar
	}
	return fmt.Sprintf("vec%d<%s>", a.width, a.scalar)
}

// bytes are what the buffer holds: small values, so that sums of floats are exact.
func (a *boundsArray) bytes(length uint32) []byte {
	words := make([]uint32, int(length)*a.width+a.spare)
	for n := range words {
		v := uint32(n+1) * 2654435761 >> 9
		if a.name == "b" {
			v = ^v
		}
		if words[n] = v; a.scalar == "f32" {
			words[n] = word(float32(v & 0xff))
		}
	}
	return bytesOf(words)
}

// bounder makes kernels whose accesses compilers prove to be in bounds.
type bounder struct {
	*draft
	dimensions  int
	arrays      [4]boundsArray
	coordinates []term // the invocation's coordinates
	flat        term   // its index in the grid
	across, all term   // how many invocations there are in a row, and in the grid
	fields      []boundsField
	immediate   bool   // the fields are immediates, or else in a uniform buffer
	atomic      string // what all invocations of a workgroup do with its cells
	inside      bool   // accesses are to lie inside of their arrays
	loops       int
	counters    []term
}

// boundsField is a value that the host gives.
type boundsField struct {
	name   string
	signed bool
	value  uint32
}

// boundsChecks makes accesses whose indices follow from the invocation's coordinates, the size of
// the grid, immediates, lengths of arrays and the counters of loops. Compilers leave out the checks
// of such accesses where guards, loop bounds or comparisons at the launch prove them. So arrays are
// as long as the greatest index, or one element shorter or longer. A first run with long arrays
// finds the greatest index of each access. No invocation writes what another reads.
func boundsChecks(d *draft) {
	r := d.r
	m := &bounder{draft: d, inside: d.chance(2), immediate: !d.chance(4)}
	d.robust = !m.inside
	m.dimensions = pick(r, []int{1, 1, 1, 2, 2, 3})
	d.size = pick(r, [][][3]int{
		{{1, 1, 1}, {3, 1, 1}, {4, 1, 1}, {8, 1, 1}, {32, 1, 1}, {33, 1, 1}, {64, 1, 1}},
		{{4, 2, 1}, {3, 3, 1}, {2, 5, 1}, {8, 4, 1}, {1, 8, 1}, {16, 2, 1}},
		{{2, 2, 2}, {1, 4, 3}, {4, 1, 2}, {3, 2, 1}},
	}[m.dimensions-1])
	for d.groups = [3]int{9, 9, 9}; m.invocations() > boundsGrid; {
		d.groups = [3]int{1, 1, 1}
		for k := range m.dimensions {
			d.groups[k] = 1 + r.IntN(4)
		}
	}
	m.give(m.given())
	for n := range m.arrays {
		a := &m.arrays[n]
		a.name, a.width, a.length = "aboq"[n:n+1], pick(r, []int{1, 1, 1, 1, 2, 4}), min(max(m.given(), 1), 300)
		if a.scalar = "u32"; a.width == 1 {
			a.scalar = pick(r, []string{"u32", "u32", "i32", "f32"})
		} else if d.chance(3) {
			a.spare = 1 + r.IntN(a.width-1)
		}
	}
	if d.chance(5) {
		m.atomic = pick(r, []string{"atomicAdd", "atomicMax", "atomicXor", "atomicOr"})
	}
	m.nameCoordinates()
	d.line("var sum = 0u;\nvar floats = 0f;")
	m.accesses()
	m.declarations()
	d.adjust = m.resize
}

func (m *bounder) extent(k int) uint32 { return uint32(m.size[k] * m.groups[k]) }

func (m *bounder) invocations() uint32 { return m.extent(0) * m.extent(1) * m.extent(2) }

// declarations declares the resources, when all fields are known.
func (m *bounder) declarations() {
	var values []uint32
	m.module.WriteString("struct Given { ")
	for _, f := range m.fields {
		fmt.Fprintf(&m.module, "%s: %s, ", f.name, map[bool]string{false: "u32", true: "i32"}[f.signed])
		values = append(values, f.value)
	}
	m.module.WriteString("}\n")
	for n := range m.arrays {
		a := &m.arrays[n]
		fmt.Fprintf(&m.module, "@group(0) @binding(%d) var<storage, %s> %s: array<%s>;\n", n, [...]string{"read", "read", "read_write", "read_write"}[n], a.name, a.typed())
	}
	if m.immediate {
		m.immediates = bytesOf(values)
		m.module.WriteString("var<immediate> given: Given;\n")
	} else {
		m.data["given"] = bytesOf(values)
		m.module.WriteString("@group(0) @binding(4) var<uniform> given: Given;\n")
	}
	if m.atomic != "" {
		m.module.WriteString("var<workgroup> cells: array<atomic<u32>, 4>;\n")
	}
}

// given makes a value that a host may give: a size of the launch, a number of iterations, or a
// minimum or maximum.
func (m *bounder) given() uint32 {
	near := uint32(m.r.IntN(3)) - 1
	switch m.r.IntN(16) {
	case 0, 1:
		return m.extent(0) + near
	case 2:
		return m.invocations() + near
	case 3, 4, 5:
		return 8*uint32(1+m.r.IntN(4)) + near
	case 6:
		return 0
	case 7:
		return edge(m.r)
	case 8:
		return m.wrapping()
	case 9:
		return m.invocations()*uint32(2+m.r.IntN(8)) + near
	}
	return 1 + uint32(m.r.IntN(30))
}

// wrapping makes a step of which seven or three wrap around to a small value.
func (m *bounder) wrapping() uint32 {
	others := pick(m.r, []uint64{3, 7})
	return uint32(((1+uint64(m.r.IntN(int(others)-1)))<<32 + uint64(m.r.IntN(40))) / others)
}

// resize gives the arrays the lengths that their accesses reach. If accesses may lie outside, it is
// mostly the one of a random access that does.
func (m *bounder) resize(p *Program) {
	arrays := map[*Var]*boundsArray{}
	for _, v := range p.Globals {
		for n := range m.arrays {
			if a := &m.arrays[n]; a.name == v.Name {
				arrays[v] = a
				v.Data = a.bytes(boundsReach)
				if a.measured {
					v.Data = a.bytes(a.length)
				}
			}
		}
	}
	p.Robust = true
	reached := p.reached()
	p.Robust = !m.inside
	needed := map[*Var]uint32{}
	var near []access
	for _, x := range reached {
		if x.greatest < boundsReach {
			needed[x.v] = max(needed[x.v], x.greatest+1)
			near = append(near, x)
		}
	}
	var victim access
	if !m.inside && len(near) > 0 && !m.chance(5) {
		victim = pick(m.r, near)
	}
	for _, v := range p.Globals {
		a := arrays[v]
		if a == nil {
			continue
		}
		short := !m.inside && victim.v == nil
		n := max(needed[v], 1)
		if victim.v == v {
			n, short = max(victim.greatest+1, 1), true
		}
		length := n
		switch k := m.r.IntN(12); {
		case a.measured && m.chance(2):
			length = a.length
		case k == 0:
			length = n + 1
		case k == 1:
			length = n + uint32(2+m.r.IntN(100))
		case !short || k < 4:
		case k == 4:
			length = 1
		case k == 5:
			length = (n + 1) / 2
		default:
			length = max(n-1, 1)
		}
		v.Data = a.bytes(length)
	}
}

// field is a value that the host gives.
func (m *bounder) field(f boundsField) term { return term{text: "given." + f.name, signed: f.signed} }

// give has the host give another value.
func (m *bounder) give(v uint32) term {
	f := boundsField{fmt.Sprintf("g%d", len(m.fields)), m.chance(3), v}
	if m.fields = append(m.fields, f); len(m.fields) > 3 {
		m.fields = m.fields[:3]
		return lit(false, v)
	}
	return m.field(f)
}

func (m *bounder) small(low, limit int) term { return lit(false, uint32(low+m.r.IntN(limit-low))) }

// nameCoordinates names where an invocation is, in one of several ways.
func (m *bounder) nameCoordinates() {
	named := func(name string, x term) term {
		fmt.Fprintf(&m.head, "let %s = %s;\n", name, x.text)
		return unsigned(name)
	}
	for k, axis := range []string{"x", "y", "z"}[:m.dimensions] {
		value := "id." + axis
		if m.chance(4) {
			value = fmt.Sprintf("group.%s * %du + %s", axis, m.size[k], pick(m.r, []string{"local." + axis, map[bool]string{true: "lane", false: "local." + axis}[m.dimensions == 1]}))
		}
		m.coordinates = append(m.coordinates, named(axis, unsigned(value)))
	}
	width := func(k int) term {
		if m.chance(3) {
			return lit(false, m.extent(k))
		}
		for _, f := range m.fields {
			if f.value == m.extent(k) && m.chance(2) {
				return m.field(f)
			}
		}
		return unsigned(fmt.Sprintf("(groups.%s * %du)", "xyz"[k:k+1], m.size[k]))
	}
	m.across, m.all, m.flat = width(0), width(0), m.coordinates[m.dimensions-1]
	for k := m.dimensions - 2; k >= 0; k-- {
		m.flat = plus(times(m.flat, width(k)), m.coordinates[k])
	}
	for k := 1; k < m.dimensions; k++ {
		m.all = times(unsigned(fmt.Sprintf("(groups.%s * %du)", "xyz"[k:k+1], m.size[k])), m.all)
	}
	if m.dimensions > 1 || m.chance(4) {
		m.flat = named("flat", m.flat)
	}
}

// exactly makes a term that has a value: a constant, what the host gives, or an array's length.
func (m *bounder) exactly(v uint32) term {
	a := &m.arrays[m.r.IntN(len(m.arrays))]
	switch {
	case m.chance(4) && v > 0 && v < boundsReach && !a.measured:
		a.length = v
		return m.lengthOf(a)
	case m.chance(3):
		return lit(false, v)
	}
	for _, f := range m.fields {
		if f.value == v {
			return m.field(f)
		}
	}
	return m.give(v)
}

func (m *bounder) lengthOf(a *boundsArray) term {
	a.measured = true
	return unsigned("arrayLength(&" + a.name + ")")
}

// shared makes a term that is the same in all invocations.
func (m *bounder) shared() term {
	switch k := m.r.IntN(13); {
	case k < 3:
		return m.small(0, 34)
	case k < 7:
		return m.field(pick(m.r, m.fields))
	case k == 7:
		return m.exactly(m.extent(m.r.IntN(m.dimensions)) + uint32(m.r.IntN(3)) - 1)
	case k < 10:
		return m.lengthOf(&m.arrays[m.r.IntN(len(m.arrays))])
	case k == 10:
		return unsigned("groups." + "xyz"[:m.dimensions][m.r.IntN(m.dimensions):][:1])
	case k == 11:
		return m.all
	}
	return m.across
}

// limit makes what indices are compared with.
func (m *bounder) limit() term {
	x := m.shared()
	switch m.r.IntN(12) {
	case 0:
		return join("min(%s, %s)", x, m.shared())
	case 1:
		return join("min(%s, %s)", x, m.small(1, 50))
	case 2:
		return choose(x, m.shared(), relation(m.shared(), "<", m.small(1, 30)))
	case 3:
		return minus(x, m.small(1, 4))
	case 4:
		return plus(x, m.small(1, 4))
	case 5:
		return by(pick(m.r, byOperators), x, uint32(1+m.r.IntN(3)))
	}
	return x
}

// own makes a term that invocations differ in, or a counter.
func (m *bounder) own() term {
	axis := "xyz"[m.r.IntN(m.dimensions):][:1]
	switch k := m.r.IntN(10); {
	case k < 3 && len(m.counters) > 0:
		return pick(m.r, m.counters)
	case k < 6:
		return pick(m.r, m.coordinates)
	case k < 9:
		return unsigned([...]string{"group." + axis, "lane", "local." + axis}[k-6])
	}
	return m.flat
}

// index makes an index of what invocations differ in.
func (m *bounder) index() term {
	x := m.own()
	if m.chance(4) {
		x = x.as(!x.signed)
	}
	for range 1 + m.r.IntN(2) {
		switch m.r.IntN(14) {
		case 0:
			x = plus(times(x, m.small(2, 6)), m.small(0, 5))
		case 1:
			x = plus(times(x, m.shared()), m.own())
		case 2:
			x = plus(x, m.small(1, 5))
		case 3:
			x = minus(x, m.small(1, 3))
		case 4:
			x = minus(m.shared(), x)
		case 5:
			x = join("min(%s, %s)", x, m.limit())
		case 6:
			x = join("clamp(%s, "+m.small(0, 3).as(x.signed).text+", %s)", x, minus(m.limit(), lit(false, 1)))
		case 7:
			x = join("(%s & %s)", x, m.small(1, 32))
		case 8:
			x = by(pick(m.r, byOperators), x, uint32(1+m.r.IntN(7)))
		case 9:
			x = plus(x, m.shared())
		case 10:
			x = join("max(%s, %s)", x, m.limit())
		case 11:
			x = plus(times(m.own(), m.across), x)
		}
	}
	return x
}

// accesses makes what invocations do before the barrier, if there is one, and the store after it.
func (m *bounder) accesses() {
	body := m.within(func() {
		for range 1 + m.r.IntN(3) {
			if m.loops < 6 && !m.chance(4) {
				m.loop(1)
			} else {
				m.guarded()
			}
		}
	})
	// Those that are too many leave, or what they do is nothing.
	in, out := m.guard()
	switch m.r.IntN(4) {
	case 0:
		body = fmt.Sprintf("if %s { return; }\n%s", out, body)
	case 1:
		body = fmt.Sprintf("if %s {\n%s}\n", in, body)
	}
	if m.atomic != "" {
		body = strings.ReplaceAll(body, "return; ", "sum = 1u; ")
	}
	m.body.WriteString(body)
	if m.atomic != "" {
		m.line("workgroupBarrier();\nsum = sum * 31u + atomicLoad(&cells[lane & 3u]);")
	}
	text := m.within(func() { m.store(&m.arrays[2], m.ownIndex(&m.arrays[2]), "(sum + u32(floats))") })
	if in, _ := m.guard(); m.chance(3) {
		text = fmt.Sprintf("if %s {\n%s}\n", in, text)
	}
	m.body.WriteString(text)
}

// guard makes a test of which invocations there is something to do for, and its opposite.
func (m *bounder) guard() (in, out string) {
	one := func(x term) (in, out string) {
		limit := m.limit()
		if m.chance(6) {
			x = x.as(!x.signed)
		}
		switch c := m.small(1, 4); m.r.IntN(6) {
		case 0:
			return relation(x, "<=", limit), relation(x, ">", limit)
		case 1:
			return relation(plus(x, c), "<", limit), relation(plus(x, c), ">=", limit)
		case 2:
			if !limit.constant {
				return relation(limit, ">", x), relation(limit, "<=", x)
			}
		}
		return relation(x, "<", limit), relation(x, ">=", limit)
	}
	if m.dimensions == 1 || m.chance(3) {
		return one(m.flat)
	}
	in, out = one(m.coordinates[0])
	for _, p := range m.coordinates[1:] {
		a, b := one(p)
		in, out = "("+in+" && "+a+")", "("+out+" || "+b+")"
	}
	return in, out
}

// guarded makes accesses outside of loops, mostly after a test of their index or of what that is
// made of.
func (m *bounder) guarded() {
	x := m.own()
	at := x
	in, out := m.guard()
	switch m.r.IntN(10) {
	case 0: // the one before
		at = minus(x, lit(false, 1))
		in, out = relation(x, ">", lit(false, 0)), relation(x, "<=", lit(false, 0))
	case 1, 2: // a row
		limit := m.limit()
		if m.dimensions > 1 {
			at = plus(times(m.coordinates[1], limit), m.coordinates[0])
		}
		if m.chance(2) {
			in, out = relation(m.coordinates[0], "<", limit), relation(m.coordinates[0], ">=", limit)
		}
	case 3: // the index itself is compared with the length, or the length less one
		at = m.index()
		limit := m.lengthOf(&m.arrays[m.r.IntN(len(m.arrays))])
		if m.chance(3) {
			limit = minus(limit, lit(false, uint32(m.r.IntN(2))))
		}
		in, out = relation(at, "<", limit), relation(at, ">=", limit)
	case 4, 5, 6:
		at = m.index()
	}
	body := m.within(func() {
		for range 1 + m.r.IntN(3) {
			m.read(at)
		}
		if m.chance(4) {
			m.store(&m.arrays[3], m.ownIndex(&m.arrays[3]), "sum")
		}
	})
	switch m.r.IntN(5) {
	case 0:
		m.body.WriteString(body)
	case 1:
		m.line("if %s {\nsum += 3u;\n} else {\n%s}", out, body)
	default:
		m.line("if %s {\n%s}", in, body)
	}
}

// read reads an element, which changes what an invocation has found.
func (m *bounder) read(at term) {
	a := &m.arrays[pick(m.r, []int{0, 0, 0, 1, 1, 3})]
	element := fmt.Sprintf("%s[%s]", a.name, at.text)
	switch {
	case a.width > 1 && m.chance(2): // all components
		v := m.fresh("v")
		m.line("let %s = %s;\nsum += %[1]s.x + %[1]s.y * 2u + %[1]s.%[3]s * 3u;", v, element, "xyzw"[a.width-1:a.width])
		return
	case a.width > 1:
		element += "." + "xyzw"[m.r.IntN(a.width):][:1]
	case a.scalar == "f32" && m.chance(2): // a sum that is exact in any order
		m.line("floats += %s;", element)
		return
	}
	m.line("sum = sum * %du + u32(%s);", pick(m.r, []int{1, 31}), element)
}

// store makes a store of a u32 to one component of an element, or to all of them.
func (m *bounder) store(a *boundsArray, at term, value string) {
	switch a.scalar {
	case "i32":
		value = "i32(" + value + ")"
	case "f32":
		value = "f32(" + value + " & 255u)"
	}
	component := ""
	if a.width > 1 {
		if component = "." + "xyzw"[m.r.IntN(a.width):][:1]; m.chance(2) {
			component, value = "", a.typed()+"("+value+")"
		}
	}
	m.line("%s[%s]%s = %s;", a.name, at.text, component, value)
}

// ownIndex makes an index of a writable array that no other invocation uses, if the array is
// accessed by such indices alone.
func (m *bounder) ownIndex(a *boundsArray) term {
	switch m.r.IntN(8) {
	case 0:
		return minus(minus(m.all, lit(false, 1)), m.flat)
	case 1:
		return plus(m.flat, m.small(1, 4))
	case 2:
		return plus(times(m.flat, m.small(2, 4)), m.small(0, 2))
	case 3:
		return join("min(%s, %s)", m.flat, minus(m.lengthOf(a), lit(false, 1)))
	case 4:
		return m.flat.as(true)
	case 5:
		return minus(m.flat, m.small(1, 3))
	}
	return m.flat
}
