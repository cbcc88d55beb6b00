package difftest

// The family "items" is of kernels in which each invocation does one item of what there is to do,
// in one dimension or two: it asks whether its item is one, reads at the item's place and beside
// it, and writes at that place. Compilers make of such kernels ones in which an invocation does
// several items (opt.Coarsen): which parts they go through together, what they have in common, and
// where the last of them lies is what differs from program to program. No item writes what another
// one reads or writes, so that their order does not matter; numbers are integers that wrap around.

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

const (
	itemVariables = 3
	itemLoops     = 8
	itemMost      = 400   // items of a program
	itemLimit     = 30000 // of statements that all items of a program execute
)

// item is an invocation while its statements run.
type item struct {
	number               int
	global, group, local [2]uint32
	index                uint32 // in its workgroup
	variables            [itemVariables]uint32
	counters             [itemLoops]uint32
	memory               *itemMemory
}

// The buffers of a program: what items write, what they only read, and what they write, too.
const (
	itemsO = iota
	itemsD
	itemsQ
)

// itemMemory is what the items of a program share.
type itemMemory struct {
	words [3][]uint32
	// writers and readers are the items that touched a word: 0 for none, one more than the item's
	// number, or severalItems.
	writers, readers [3][]int
	steps            int
	// a word is written by one item and touched by another; an access lies outside of its buffer
	shared, outside bool
}

const severalItems = -1

// touch notes that an item touches a word.
func touch(list []int, at uint32, item int) {
	if list[at] == 0 {
		list[at] = item + 1
	} else if list[at] != item+1 {
		list[at] = severalItems
	}
}

// touchedByOthers reports whether an item other than this one touched a word.
func touchedByOthers(list []int, at uint32, item int) bool {
	return list[at] != 0 && list[at] != item+1
}

// load reads a word: the last one if there is none at the place.
func (t *item) load(buffer int, at uint32) uint32 {
	m := t.memory
	if last := uint32(len(m.words[buffer]) - 1); at > last {
		at, m.outside = last, true
	}
	m.shared = m.shared || touchedByOthers(m.writers[buffer], at, t.number)
	touch(m.readers[buffer], at, t.number)
	return m.words[buffer][at]
}

// store writes a word if there is one at the place.
func (t *item) store(buffer int, at, value uint32) {
	m := t.memory
	if at >= uint32(len(m.words[buffer])) {
		m.outside = true
		return
	}
	m.shared = m.shared || touchedByOthers(m.writers[buffer], at, t.number) || touchedByOthers(m.readers[buffer], at, t.number)
	touch(m.writers[buffer], at, t.number)
	m.words[buffer][at] = value
}

type itemMaker struct {
	r            *rand.Rand
	signed       bool
	typed        string // u32 or i32, the type of all numbers
	size, groups [2]uint32
	// items are how many there are in each dimension, and flat says that there is one dimension.
	items  [2]uint32
	flat   bool
	memory itemMemory
	// places are the numbers of the item, by dimension, and limits what they are held against.
	places, limits []itemNumber
	common         []itemNumber // numbers that are the same for all items
	own            itemNumber   // the place that an item writes at, if it has stride words there
	stride         uint32
	initial        [itemVariables]itemNumber
	uniform        [4]uint32 // the limits, and two numbers more
	given          bool      // limits are immediates
	head           strings.Builder
	inside         bool // accesses are to lie inside of their buffers
	torn           bool // items may leave loops at different times
	left           bool // some items have returned
	loops          int
	open, steady   []itemNumber // counters in scope, and those that all items count alike
}

// itemShapes are the sizes of workgroups in two dimensions, and itemSizes those in one.
var (
	itemShapes = [][2]uint32{{4, 2}, {3, 3}, {16, 1}, {2, 5}}
	itemSizes  = []uint32{1, 3, 8, 32, 33}
)

// itemWords are the words of d that hold limits and numbers that all items have in common; behind
// them is what is read by place, too.
const itemWords = 6

// items makes such a program. Those in which items would depend on each other, or that run too
// long, are made again.
func items(seed uint64) *Case {
	traits := rand.New(rand.NewPCG(seed, 0x17e))
	flat, inside, torn := traits.IntN(2) == 0, traits.IntN(3) == 0, traits.IntN(4) == 0
	for again := uint64(0); ; again++ {
		m := &itemMaker{r: rand.New(rand.NewPCG(seed, 0x17e0+again)), flat: flat, inside: inside, torn: torn, typed: "u32"}
		if m.signed = m.chance(2); m.signed {
			m.typed = "i32"
		}
		if c := m.program(seed); c != nil && !(inside && c.Robust) {
			return c
		}
	}
}

// named makes a number that the program gives a name.
func (m *itemMaker) named(name, value string, of func(*item) uint32) itemNumber {
	fmt.Fprintf(&m.head, "let %s = %s(%s);\n", name, m.typed, value)
	return itemNumber{name, of, false}
}

// shape chooses the launch and how items know their places.
func (m *itemMaker) shape() {
	for m.items[0] == 0 || m.items[0]*m.items[1] > itemMost {
		m.groups = [2]uint32{uint32(1 + m.r.IntN(9)), uint32(1 + m.r.IntN(9))}
		if m.size = pick(m.r, itemShapes); m.flat {
			m.size, m.groups[1] = [2]uint32{pick(m.r, itemSizes), 1}, pick(m.r, []uint32{1, 1, 1, 3})
		}
		m.items = [2]uint32{m.size[0] * m.groups[0], m.size[1] * m.groups[1]}
	}
	if !m.flat {
		for n, name := range []string{"x", "y"} {
			value := "id." + name
			if m.chance(8) {
				value = fmt.Sprintf("group.%s * %du + local.%s", name, m.size[n], name)
			}
			m.places = append(m.places, m.named(name, value, func(t *item) uint32 { return t.global[n] }))
		}
		return
	}
	value := "id.x"
	switch k := m.r.IntN(4); {
	case m.groups[1] > 1:
		value = fmt.Sprintf("(group.y * groups.x + group.x) * %du + index", m.size[0])
	case k == 0:
		value = fmt.Sprintf("group.x * %du + local.x", m.size[0])
	case k == 1:
		value = fmt.Sprintf("group.x * %du + index", m.size[0])
	}
	m.items = [2]uint32{m.items[0] * m.items[1], 1}
	row := m.groups[0]
	i := m.named("i", value, func(t *item) uint32 { return (t.group[1]*row+t.group[0])*m.size[0] + t.index })
	if !m.chance(4) {
		m.places = append(m.places, i)
		return
	}
	m.flat = false // the items lie in rows
	columns := uint32(2 + m.r.IntN(9))
	c := m.constant(columns).text
	m.places = append(m.places, m.named("x", "i % "+c, func(t *item) uint32 { return i.of(t) % columns }))
	m.places = append(m.places, m.named("y", "i / "+c, func(t *item) uint32 { return i.of(t) / columns }))
	m.items = [2]uint32{columns, (m.items[0] + columns - 1) / columns}
}

// bound makes what the items of a dimension are held against, which lies in a buffer, in
// immediates, or in the program.
func (m *itemMaker) bound(n int) (itemNumber, uint32) {
	v := m.items[n] - uint32(m.r.IntN(int(min(m.items[n], 4))))
	switch m.r.IntN(9) {
	case 0, 1:
		v = m.items[n] + uint32(m.r.IntN(9))
	case 2:
		v = uint32(m.r.IntN(int(m.items[n]) + 1))
	case 3:
		if !m.inside {
			v = edge(m.r)
		}
	}
	of := func(*item) uint32 { return v }
	m.memory.words[itemsD][n], m.uniform[n] = v, v
	sources := []string{fmt.Sprintf("d[%d]", n), "u." + "xy"[n:n+1], "given." + "xy"[n:n+1], ""}
	source := pick(m.r, sources)
	m.given = m.given || source == sources[2]
	name := [...]string{"w", "h"}[n]
	switch {
	case source == "":
		fmt.Fprintf(&m.head, "let %s = %s;\n", name, numeral(m.signed, v))
	case m.chance(4):
		return itemNumber{m.typed + "(" + source + ")", of, false}, v
	default:
		return m.named(name, source, of), v
	}
	return itemNumber{name, of, false}, v
}

// begin chooses what the items work on.
func (m *itemMaker) begin() {
	m.shape()
	m.stride = pick(m.r, []uint32{1, 1, 1, 2})
	m.memory.words[itemsD] = make([]uint32, itemWords)
	product := uint32(1)
	for n := range m.places {
		x, v := m.bound(n)
		m.limits = append(m.limits, x)
		product *= v
	}
	needed := int(m.items[0] * m.items[1] * m.stride)
	length := func() int {
		switch k := m.r.IntN(6); {
		case k == 0 && !m.inside:
			return 1 + m.r.IntN(needed)
		case k == 1 && product > 0 && product < 2000 && (!m.inside || int(product) > needed):
			return int(product)
		case k == 2:
			return needed + m.r.IntN(9)
		}
		return needed
	}
	word := func() uint32 {
		if m.chance(8) {
			return edge(m.r)
		}
		return uint32(m.r.IntN(20))
	}
	for n := range m.memory.words {
		list := &m.memory.words[n]
		given := len(*list)
		for count := length(); len(*list) < count; {
			*list = append(*list, word())
		}
		for k := 2; n == itemsD && k < given; k++ {
			(*list)[k] = word()
		}
		m.memory.writers[n], m.memory.readers[n] = make([]int, len(*list)), make([]int, len(*list))
	}
	m.common = append(m.common, m.limits...)
	for k := range itemWords {
		m.common = append(m.common, itemNumber{fmt.Sprintf("%s(d[%d])", m.typed, k), func(t *item) uint32 { return t.memory.words[itemsD][k] }, false})
	}
	for k := range m.uniform[:2] {
		c := word()
		m.uniform[2+k] = c
		m.common = append(m.common, itemNumber{fmt.Sprintf("%s(u.%c)", m.typed, "zw"[k]), func(*item) uint32 { return c }, false})
		m.common = append(m.common, itemNumber{fmt.Sprintf("%s(groups.%c)", m.typed, "xy"[k]), func(*item) uint32 { return m.groups[k] }, false})
	}
	m.common = append(m.common, m.length())
	m.own = m.place()
	for n := range m.initial {
		if m.initial[n] = m.constant(0); m.chance(2) {
			m.initial[n] = pick(m.r, m.places)
		}
	}
}

// length makes the number of words that o has.
func (m *itemMaker) length() itemNumber {
	return itemNumber{m.typed + "(arrayLength(&o))", func(t *item) uint32 { return uint32(len(t.memory.words[itemsO])) }, false}
}

// place makes where an item writes.
func (m *itemMaker) place() itemNumber {
	k := m.r.IntN(8)
	if m.inside {
		k = min(k, 5)
	}
	row := m.constant(m.items[0])
	switch {
	case m.flat && k == 4:
		return m.minus(m.constant(m.items[0]-1), m.places[0])
	case m.flat && k == 6:
		return m.plus(m.places[0], m.constant(uint32(m.r.IntN(9)-4)))
	case m.flat && k == 7:
		return m.times(m.places[0], m.constant(edge(m.r)|1))
	case m.flat:
		return m.places[0]
	case k == 4:
		return m.plus(m.times(m.places[0], m.limits[1]), m.places[1])
	case k == 5:
		return m.plus(m.times(m.places[1], row), m.places[0])
	}
	return m.row(m.places...)
}

// guard puts what items do behind a test of which of them there are.
func (m *itemMaker) guard(body func() itemStatement) itemStatement {
	limits := m.limits
	if m.flat && m.chance(3) {
		limits = []itemNumber{m.length()}
	}
	in, out := m.compare(m.places[0], "<", limits[0]), m.compare(m.places[0], ">=", limits[0])
	for n := 1; n < len(limits); n++ {
		in, out = both(in, m.compare(m.places[n], "<", limits[n])), either(out, m.compare(m.places[n], ">=", limits[n]))
	}
	if !m.flat && m.chance(4) {
		form := fmt.Sprintf("(vec2<%s>(%s, %s) %%s vec2<%s>(%s, %s))", m.typed, m.places[0].text, m.places[1].text, m.typed, limits[0].text, limits[1].text)
		in.text, out.text = "all"+fmt.Sprintf(form, "<"), "any"+fmt.Sprintf(form, ">=")
	}
	end := itemStatement{"return;\n", func(*item) flow { return returns }}
	leave := itemIf(out, end)
	behind := func() itemStatement { // what items do that a second test has parted
		m.left = !m.chance(5)
		return body()
	}
	switch m.r.IntN(13) {
	case 0:
		return body()
	case 8:
		return itemsInOrder(itemIf(in, behind()), m.write(1))
	case 9: // one in the other
		first := m.compare(m.places[0], "<", m.limits[0])
		if m.flat {
			return itemIf(first, itemIf(m.test(false), behind()))
		}
		return itemIf(first, itemIf(m.compare(m.places[1], "<", m.limits[1]), body()))
	case 10: // numbers that are far above what they are held against if they are negative
		return itemIf(m.unsigned(m.places[0], limits[0]), itemsInOrder(leave, behind()))
	case 1, 2:
		return itemIf(in, body())
	case 3:
		return itemElse(in, body(), m.write(1))
	case 4:
		return itemElse(out, m.write(1), body())
	case 5:
		return itemsInOrder(leave, itemIf(m.test(m.chance(2)), end), behind())
	case 6:
		return itemsInOrder(itemIf(out, itemsInOrder(m.write(1), end)), body())
	case 7: // those at the edges do something else
		edges := out
		for n, p := range m.places {
			edges = either(edges, either(m.compare(p, "==", m.constant(0)), m.compare(p, ">=", m.minus(m.limits[n], m.constant(1)))))
		}
		return itemsInOrder(leave, itemIf(edges, itemsInOrder(m.write(1), end)), behind())
	}
	return itemsInOrder(leave, body())
}

// unsigned makes a comparison of numbers as unsigned ones.
func (m *itemMaker) unsigned(x, y itemNumber) itemTest {
	return itemTest{fmt.Sprintf("u32(%s) < u32(%s)", x.text, y.text), func(t *item) bool { return x.of(t) < y.of(t) }}
}

// program makes a program, and returns nil if its items depend on each other or take too long.
func (m *itemMaker) program(seed uint64) *Case {
	m.begin()
	var before itemStatement
	if m.chance(3) {
		before = m.assign()
	}
	body := m.guard(func() itemStatement {
		var list []itemStatement
		for range 1 + m.r.IntN(3) {
			list = append(list, m.statement(itemScope{depth: 2}))
		}
		if m.chance(4) { // so much that an invocation does fewer items
			for range 6 + m.r.IntN(24) {
				list = append(list, m.assign())
			}
		}
		return itemsInOrder(append(list, m.keep())...)
	})
	if before.run != nil {
		body = itemsInOrder(before, body)
	}
	var bindings []Binding
	for n, kind := range []string{"storage", "read-only-storage", "storage"} {
		bindings = append(bindings, Binding{Binding: n, Name: itemNames[n], Kind: kind, Data: bytesOf(m.memory.words[n])})
	}
	bindings = append(bindings, Binding{Binding: 3, Name: "u", Kind: "uniform", Data: bytesOf(m.uniform[:]), Want: bytesOf(m.uniform[:])})
	m.run(body)
	if m.memory.shared || m.memory.steps > itemLimit {
		return nil
	}
	for n := range m.memory.words {
		bindings[n].Want = bytesOf(m.memory.words[n])
	}
	c := &Case{Name: fmt.Sprintf("items-%d", seed), Entry: "main", Dispatch: [3]int{int(m.groups[0]), int(m.groups[1]), 1},
		Bindings: bindings, Robust: m.memory.outside, Code: m.code(body.text)}
	if m.given {
		c.Immediates = bytesOf(m.uniform[:2])
	}
	return c
}

// run executes a body for all items.
func (m *itemMaker) run(body itemStatement) {
	for n := range m.groups[0] * m.groups[1] * m.size[0] * m.size[1] {
		t := &item{number: int(n), memory: &m.memory, index: n % (m.size[0] * m.size[1])}
		group := n / (m.size[0] * m.size[1])
		t.group = [2]uint32{group % m.groups[0], group / m.groups[0]}
		t.local = [2]uint32{t.index % m.size[0], t.index / m.size[0]}
		for d := range t.global {
			t.global[d] = t.group[d]*m.size[d] + t.local[d]
		}
		for v, x := range m.initial {
			t.variables[v] = x.of(t)
		}
		body.run(t)
	}
}

// code writes the program around a body.
func (m *itemMaker) code(body string) string {
	requires, given := "", ""
	if m.given {
		requires, given = "requires immediate_address_space;\n", "var<immediate> given: vec2u;\n"
	}
	variables := ""
	for n, x := range m.initial {
		variables += fmt.Sprintf("var v%d = %s;\n", n, x.text)
	}
	return requires + "@group(0) @binding(0) var<storage, read_write> o: array<u32>;\n" +
		"@group(0) @binding(1) var<storage, read> d: array<u32>;\n" +
		"@group(0) @binding(2) var<storage, read_write> q: array<u32>;\n" +
		"@group(0) @binding(3) var<uniform> u: vec4u;\n" + given +
		fmt.Sprintf("@compute @workgroup_size(%d, %d)\n", m.size[0], m.size[1]) +
		"fn main(@builtin(global_invocation_id) id: vec3u, @builtin(workgroup_id) group: vec3u, @builtin(local_invocation_id) local: vec3u,\n" +
		"  @builtin(local_invocation_index) index: u32, @builtin(num_workgroups) groups: vec3u) {\n" + m.head.String() + variables + body + "}\n"
}
