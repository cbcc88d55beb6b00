package difftest

// The family "strides" is of accesses whose indices follow from where an invocation is in the grid,
// from how large the grid is, from immediates and lengths of arrays, and from what loops count by
// steps. Compilers leave out the checks of such accesses where tests before a loop say that they
// are in bounds (opt.UnrollPartly), or comparisons at the launch do. So arrays are as long as the
// greatest index asks for, or one element shorter or longer, which is found out by executing the
// program once, before its arrays have their lengths. No invocation writes what another one reads
// or writes; numbers are integers that wrap around, and floats are small whole numbers.

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
)

const (
	strideLoops = 6
	strideCells = 4    // words of workgroup memory
	strideTurns = 4000 // of all loops in all invocations
	strideMost  = 6000 // the greatest index that an array is made longer for
	strideGrid  = 160  // invocations
)

// strider is an invocation while its statements run.
type strider struct {
	number               int
	global, group, local [3]uint32
	index                uint32 // in its workgroup
	sum, floats          uint32
	counters             [strideLoops]uint32
	cells                []uint32 // of its workgroup
	m                    *strideMaker
}

// strideArray is a runtime-sized array in a buffer.
type strideArray struct {
	name, scalar string // of u32, i32 or f32
	width        int    // components of an element
	writable     bool
	measured     bool     // the program asks for its length
	spare        int      // words behind the last element, too few for one
	words        []uint32 // whole numbers, those of f32, too
	// writers and readers are as in itemMemory.
	writers, readers []int
	accesses         []*strideAccess
}

// strideAccess is a place in the program that reads or writes elements of an array.
type strideAccess struct {
	array *strideArray
	at    strideNumber
	// greatest is the greatest index that was asked for, and used says that there was one.
	greatest uint32
	used     bool
	counted  bool // it reads at the place of a loop's counter, or in its row
}

func (a *strideArray) length() uint32 { return uint32(len(a.words) / a.width) }

// typed is the type of an element.
func (a *strideArray) typed() string {
	if a.width == 1 {
		return a.scalar
	}
	return fmt.Sprintf("vec%d<%s>", a.width, a.scalar)
}

// strideMaker makes one program of the family and runs it.
type strideMaker struct {
	r            *rand.Rand
	size, groups [3]uint32
	dimensions   int
	arrays       [4]strideArray
	places       []strideNumber // of the invocation, by dimension
	flat         strideNumber   // its number in the grid
	across, all  strideNumber   // how many there are in a row, and in the grid
	fields       []strideField
	immediate    bool // the fields are immediates, or else in a uniform buffer
	structured   bool // the fields are members
	atomic       *strideAtomic
	inside       bool // accesses are to lie inside of their arrays
	loops        int
	open         []strideNumber // counters in scope
	head         strings.Builder
	turns        int
	// a word is written by one invocation and touched by another; an access lies outside of its
	// array
	shared, beyond bool
}

// strideFields are the names of the numbers that a host gives, of which there are this many at
// most.
const strideFields = "nwsk"

// strideField is a number that the host gives.
type strideField struct {
	name   string
	signed bool
	value  uint32
}

// strideAtomic is what all invocations of a workgroup do with its cells, in any order.
type strideAtomic struct {
	name string
	of   func(old, by uint32) uint32
}

var strideAtomics = []strideAtomic{
	{"atomicAdd", func(old, by uint32) uint32 { return old + by }},
	{"atomicMax", func(old, by uint32) uint32 { return max(old, by) }},
	{"atomicXor", func(old, by uint32) uint32 { return old ^ by }},
	{"atomicOr", func(old, by uint32) uint32 { return old | by }},
}

// strideShapes are the sizes of workgroups by the number of dimensions.
var strideShapes = [][][3]uint32{
	{{1, 1, 1}, {3, 1, 1}, {4, 1, 1}, {8, 1, 1}, {32, 1, 1}, {33, 1, 1}, {64, 1, 1}},
	{{4, 2, 1}, {3, 3, 1}, {2, 5, 1}, {8, 4, 1}, {1, 8, 1}, {16, 2, 1}},
	{{2, 2, 2}, {1, 4, 3}, {4, 1, 2}, {3, 2, 1}},
}

// strideElements are what arrays are made of.
var strideElements = []struct {
	scalar string
	width  int
}{{"u32", 1}, {"u32", 1}, {"u32", 1}, {"i32", 1}, {"f32", 1}, {"u32", 2}, {"u32", 4}}

func (m *strideMaker) chance(of int) bool { return m.r.IntN(of) == 0 }

// array gives an array a number of elements.
func (a *strideArray) resize(elements uint32) {
	a.words = make([]uint32, int(elements)*a.width)
	for n := range a.words {
		a.words[n] = a.word(n)
	}
	a.writers, a.readers = make([]int, len(a.words)), make([]int, len(a.words))
}

// word is what an array holds at first, at most 255 for the sake of floats: neighbours differ.
func (a *strideArray) word(n int) uint32 {
	v := uint32(n+1) * 2654435761 >> 9
	if a.name == "b" {
		v = ^v
	}
	if a.scalar == "f32" {
		return v & 0xff
	}
	return v
}

// place says where the component of an element lies that an invocation asks for: that of the last
// one if there is none.
func (t *strider) place(p *strideAccess, component int) (n uint32, ok bool) {
	at, last := p.at.of(t), p.array.length()-1
	p.greatest, p.used = max(p.greatest, at), true
	if ok = at <= last; !ok {
		t.m.beyond = true
	}
	return min(at, last)*uint32(p.array.width) + uint32(component), ok
}

func (t *strider) load(p *strideAccess, component int) uint32 {
	n, _ := t.place(p, component)
	t.m.shared = t.m.shared || touchedByOthers(p.array.writers, n, t.number)
	touch(p.array.readers, n, t.number)
	return p.array.words[n]
}

func (t *strider) store(p *strideAccess, component int, value uint32) {
	a := p.array
	n, ok := t.place(p, component)
	if !ok {
		return
	}
	t.m.shared = t.m.shared || touchedByOthers(a.writers, n, t.number) || touchedByOthers(a.readers, n, t.number)
	touch(a.writers, n, t.number)
	if a.scalar == "f32" {
		value &= 0xff
	}
	a.words[n] = value
}

// strides makes such a program. Those in which invocations would depend on each other, or that run
// too long, are made again.
func strides(seed uint64) *Case {
	inside := rand.New(rand.NewPCG(seed, 0x57e)).IntN(2) == 0
	for again := uint64(0); ; again++ {
		m := &strideMaker{r: rand.New(rand.NewPCG(seed, 0x57e0+again)), inside: inside}
		if c := m.program(seed); c != nil {
			return c
		}
	}
}

// extent is how many invocations there are in a dimension.
func (m *strideMaker) extent(d int) uint32 { return m.size[d] * m.groups[d] }

func (m *strideMaker) invocations() uint32 { return m.extent(0) * m.extent(1) * m.extent(2) }

// begin chooses the launch, what the host gives, and the arrays.
func (m *strideMaker) begin() {
	m.dimensions = pick(m.r, []int{1, 1, 1, 2, 2, 3})
	m.size = pick(m.r, strideShapes[m.dimensions-1])
	for {
		m.groups = [3]uint32{1, 1, 1}
		for d := range m.dimensions {
			m.groups[d] = uint32(1 + m.r.IntN(4))
		}
		if m.invocations() <= strideGrid {
			break
		}
	}
	m.structured, m.immediate = !m.chance(4), !m.chance(4)
	for n := range 1 + m.r.IntN(2) {
		if n > 0 && !m.structured {
			break
		}
		m.give(m.given())
		if f := &m.fields[n]; f.signed && m.chance(4) {
			f.value = -uint32(m.r.IntN(9))
		}
	}
	for n := range m.arrays {
		a := &m.arrays[n]
		e := pick(m.r, strideElements)
		a.name, a.scalar, a.width, a.writable = "aboq"[n:n+1], e.scalar, e.width, n >= 2
		if a.width > 1 && m.chance(3) {
			a.spare = 1 + m.r.IntN(a.width-1)
		}
		a.resize(min(max(m.given(), 1), 300))
	}
	if m.chance(5) {
		m.atomic = &strideAtomics[m.r.IntN(len(strideAtomics))]
	}
	m.name()
}

// given makes a number that a host may give: one that has to do with the launch, that is the number
// of a loop's turns, or extreme.
func (m *strideMaker) given() uint32 {
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
		return m.far()
	case 9:
		return m.invocations()*uint32(2+m.r.IntN(8)) + near
	}
	return 1 + uint32(m.r.IntN(30))
}

// far makes a step of which seven or three wrap around to a small number.
func (m *strideMaker) far() uint32 {
	others := pick(m.r, []uint64{3, 7})
	times := 1 + uint64(m.r.IntN(int(others)-1))
	return uint32((times<<32 + uint64(m.r.IntN(40))) / others)
}

// resize gives the arrays lengths that all their accesses ask for, and says whether it could. If
// accesses may lie outside, it is mostly one of them that does, so that tests of several depend on
// that one.
func (m *strideMaker) resize() bool {
	var victim *strideAccess
	several := !m.inside && m.chance(5)
	if !m.inside && !several {
		victim = m.victim()
	}
	for n := range m.arrays {
		a := &m.arrays[n]
		needed, far := a.needed()
		if far && m.inside {
			return false
		}
		kept, short := needed == 0 || a.measured && m.chance(2), several
		if victim != nil && victim.array == a {
			needed, short, kept = victim.greatest+1, true, kept && m.chance(2)
		}
		length := needed
		switch k := m.r.IntN(12); {
		case kept:
			length = a.length()
		case k == 0:
			length = needed + 1
		case k == 1:
			length = needed + uint32(2+m.r.IntN(100))
		case !short || k < 4:
		case k == 4:
			length = 1
		case k == 5:
			length = (needed + 1) / 2
		default:
			length = max(needed-1, 1)
		}
		a.resize(length)
	}
	return true
}

// needed is how many elements an array's accesses ask for, but for those that ask for too many; far
// says that there are any.
func (a *strideArray) needed() (elements uint32, far bool) {
	for _, p := range a.accesses {
		if p.used && p.greatest >= strideMost {
			far = true
		} else if p.used {
			elements = max(elements, p.greatest+1)
		}
	}
	return elements, far
}

// victim returns an access that may lie outside, mostly one of those whose place is that of a
// counter or in its row.
func (m *strideMaker) victim() *strideAccess {
	counted := !m.chance(4)
	for range 2 {
		var list []*strideAccess
		for n := range m.arrays {
			for _, p := range m.arrays[n].accesses {
				if p.used && p.greatest < strideMost && (p.counted || !counted) {
					list = append(list, p)
				}
			}
		}
		if len(list) > 0 {
			return pick(m.r, list)
		}
		counted = false
	}
	return nil
}

// program makes a program, and returns nil if its invocations depend on each other or take too
// long.
func (m *strideMaker) program(seed uint64) *Case {
	m.begin()
	body, tail := m.body(), m.tail()
	if m.run(body, tail); m.turns > strideTurns || m.shared || !m.resize() {
		return nil
	}
	initial := make([][]byte, len(m.arrays))
	for n := range m.arrays {
		initial[n] = m.arrays[n].bytes()
	}
	m.beyond = false
	if m.run(body, tail); m.turns > strideTurns || m.shared || m.beyond && m.inside {
		return nil
	}
	c := &Case{Name: fmt.Sprintf("strides-%d", seed), Entry: "main", Robust: m.beyond, Code: m.code(body.text + tail.text)}
	for d, n := range m.groups {
		c.Dispatch[d] = int(n)
	}
	for n := range m.arrays {
		a := &m.arrays[n]
		kind := "read-only-storage"
		if a.writable {
			kind = "storage"
		}
		c.Bindings = append(c.Bindings, Binding{Binding: n, Name: a.name, Kind: kind, Data: initial[n], Want: a.bytes()})
	}
	var values []uint32
	for _, f := range m.fields {
		values = append(values, f.value)
	}
	if given := bytesOf(values); m.immediate {
		c.Immediates = given
	} else {
		c.Bindings = append(c.Bindings, Binding{Binding: len(m.arrays), Name: m.source(), Kind: "uniform", Data: given, Want: given})
	}
	return c
}

// bytes are what the buffer of an array holds.
func (a *strideArray) bytes() (b []byte) {
	for _, v := range a.words {
		if a.scalar == "f32" {
			v = math.Float32bits(float32(v))
		}
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	for range a.spare {
		b = binary.LittleEndian.AppendUint32(b, 0x5a5a5a5a)
	}
	return b
}

// run executes a program for all invocations, workgroup by workgroup: its body, and what is behind
// the barrier.
func (m *strideMaker) run(body, tail strideStatement) {
	m.turns = 0
	number := 0
	for g := range m.groups[0] * m.groups[1] * m.groups[2] {
		cells := make([]uint32, strideCells)
		var list []*strider
		for n := range m.size[0] * m.size[1] * m.size[2] {
			t := &strider{number: number, index: n, cells: cells, m: m}
			number++
			t.group, t.local = unfold(g, m.groups), unfold(n, m.size)
			for d := range t.global {
				t.global[d] = t.group[d]*m.size[d] + t.local[d]
			}
			if body.run(t) {
				list = append(list, t)
			}
		}
		for _, t := range list {
			tail.run(t)
		}
	}
}

// unfold returns the place of the n-th element of a block.
func unfold(n uint32, size [3]uint32) [3]uint32 {
	return [3]uint32{n % size[0], n / size[0] % size[1], n / size[0] / size[1]}
}

// source is the name of what the host gives.
func (m *strideMaker) source() string {
	if m.structured {
		return "given"
	}
	return m.fields[0].name
}

// code writes the program around a body.
func (m *strideMaker) code(body string) string {
	var b strings.Builder
	typed := map[bool]string{false: "u32", true: "i32"}
	given := typed[m.fields[0].signed]
	if m.immediate {
		b.WriteString("requires immediate_address_space;\n")
	}
	if m.structured {
		given = "Given"
		b.WriteString("struct Given {\n")
		for _, f := range m.fields {
			fmt.Fprintf(&b, "%s: %s,\n", f.name, typed[f.signed])
		}
		b.WriteString("}\n")
	}
	for n := range m.arrays {
		a := &m.arrays[n]
		access := "read"
		if a.writable {
			access = "read_write"
		}
		fmt.Fprintf(&b, "@group(0) @binding(%d) var<storage, %s> %s: array<%s>;\n", n, access, a.name, a.typed())
	}
	if m.immediate {
		fmt.Fprintf(&b, "var<immediate> %s: %s;\n", m.source(), given)
	} else {
		fmt.Fprintf(&b, "@group(0) @binding(%d) var<uniform> %s: %s;\n", len(m.arrays), m.source(), given)
	}
	if m.atomic != nil {
		fmt.Fprintf(&b, "var<workgroup> cells: array<atomic<u32>, %d>;\n", strideCells)
	}
	fmt.Fprintf(&b, "@compute @workgroup_size(%d, %d, %d)\n", m.size[0], m.size[1], m.size[2])
	b.WriteString("fn main(@builtin(global_invocation_id) id: vec3u, @builtin(workgroup_id) group: vec3u, @builtin(local_invocation_id) local: vec3u,\n" +
		"  @builtin(local_invocation_index) index: u32, @builtin(num_workgroups) groups: vec3u) {\n")
	return b.String() + m.head.String() + "var sum = 0u;\nvar floats = 0f;\n" + body + "}\n"
}
