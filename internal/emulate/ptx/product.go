package ptx

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Products of a warpgroup (PTX ISA, wgmma.mma_async). They are computed when they are issued. Their
// registers are pending until each warp has waited for their group, and what they read must stay as
// it is until then.

const (
	warpgroupSize = 4 * warpSize
	productRows   = 64
)

// productColumns returns the columns that products have, as alternatives of a name: from 32 on the
// multiples of a step.
func productColumns(step int) string {
	list := "{8,16,24"
	for n := 32; n <= 256; n += step {
		list += "," + strconv.Itoa(n)
	}
	return list + "}"
}

// productType is the type of a product's operand.
type productType struct {
	bytes int
	value func(bits uint64) float64
	// signs and orders say that instructions have operands for the sign of each factor, and for its
	// order in memory.
	signs, orders bool
}

var productTypes = map[string]productType{
	"f16":  {2, halfValue, true, true},
	"bf16": {2, func(a uint64) float64 { return singleValue(a << 16) }, true, true},
	"tf32": {4, func(a uint64) float64 { return singleValue(a &^ 0x1FFF) }, true, false},
	"e4m3": {1, quarterValue(3, false), true, false},
	"e5m2": {1, quarterValue(2, true), true, false},
	"s8":   {1, func(a uint64) float64 { return float64(int8(a)) }, false, false},
	"u8":   {1, func(a uint64) float64 { return float64(a) }, false, false},
}

// quarterValue returns the decoder of floats of 8 bits with so many bits of the fraction. Without
// infinities, only the number whose bits are all ones is none (OCP 8-bit Floating Point
// Specification).
func quarterValue(fraction int, infinities bool) func(a uint64) float64 {
	exponents := 7 - fraction
	bias := 1<<(exponents-1) - 1
	return func(a uint64) float64 {
		exponent, rest := int(a>>fraction)&(1<<exponents-1), int(a)&(1<<fraction-1)
		sign := 1 - 2*float64(a>>7&1)
		last := exponent == 1<<exponents-1
		switch {
		case last && infinities && rest == 0:
			return math.Inf(int(sign))
		case last && (infinities || rest == 1<<fraction-1):
			return math.NaN()
		case exponent == 0:
			return sign * math.Ldexp(float64(rest), 1-bias-fraction)
		}
		return sign * math.Ldexp(float64(rest+1<<fraction), exponent-bias-fraction)
	}
}

// product is a decoded product. Registers and descriptors are slots.
type product struct {
	columns, depth int
	a, b           productType
	integers       bool
	sums           []int32
	registers      []int32 // the first operand, or nil
	first, second  int32   // the descriptors
	adds           int32   // the predicate that the sums are added to
	factor         float64
	transposed     [2]bool // whether the depth of the operands is not contiguous
}

// readProduct parses {sums}, a, b, predicate, and constants.
func readProduct(p *parser, x *instruction, f *form) {
	parts := strings.Split(f.name, ".")
	m := &product{a: productTypes[parts[6]], b: productTypes[parts[7]], integers: parts[5] == "s32", factor: 1}
	fmt.Sscanf(parts[4], "m64n%dk%d", &m.columns, &m.depth)
	word := kinds["b32"]
	m.sums = p.scalars(word, m.columns/2, true)
	p.expect(',')
	if p.punctuation('{') {
		m.registers = p.registerTuple(word, 4)
	} else {
		m.first = p.source(kinds["b64"], true)
	}
	p.expect(',')
	m.second = p.source(kinds["b64"], true)
	p.expect(',')
	m.adds = p.source(kinds["pred"], true)
	if m.a.signs {
		for range 2 {
			p.expect(',')
			if p.accept('-') {
				m.factor = -m.factor
			}
			if p.integer(1) != 1 {
				p.refuse("expected 1 or -1")
			}
		}
	}
	if m.a.orders {
		for n := range m.transposed {
			if n > 0 || m.registers == nil {
				p.expect(',')
				m.transposed[n] = p.integer(1) == 1
			}
		}
	}
	for _, slot := range append(slices.Clone(m.sums), m.registers...) {
		if !slices.Contains(p.f.products, slot) {
			p.f.products = append(p.f.products, slot)
		}
	}
	x.product = m
}

// warpgroup is the state of a warpgroup's products. Groups have numbers from 1.
type warpgroup struct {
	reads     []uint32 // the last group that reads each chunk
	open      []*instruction
	groups    [][]*instruction
	owners    map[int32]owner
	retired   [warpgroupSize / warpSize][]uint32 // when each warp has waited for the groups
	registers uint64                             // that setmaxnreg has set
}

// lineOf returns the line of a group's first product.
func (w *warpgroup) lineOf(number uint32) int {
	if int(number) > len(w.groups) {
		return w.open[0].line
	}
	return w.groups[number-1][0].line
}

// owner is the last product that has a register.
type owner struct {
	product *instruction
	group   uint32
}

// snapshot are the registers of products as the last fence found them.
type snapshot struct {
	frame  *frame
	values []uint64
}

func (g *group) warpgroupOf(threads []thread) *warpgroup {
	return &g.asynchronous.warpgroups[threads[0].index/warpgroupSize]
}

// fenceProducts executes wgmma.fence.
func fenceProducts(threads []thread, _ *instruction) {
	for n := range threads {
		t := &threads[n]
		t.snapshot.frame, t.snapshot.values = t.frame, t.snapshot.values[:0]
		for _, slot := range t.frame.products {
			t.snapshot.values = append(t.snapshot.values, t.frame.values[slot])
		}
	}
}

// checkFenced fails if a register was written behind the last fence.
func (t *thread) checkFenced(slot int32) {
	n := slices.Index(t.frame.products, slot)
	if t.snapshot.frame != t.frame || t.snapshot.values[n] != t.frame.values[slot] {
		fail("register " + t.frame.registerName(slot) + " of a product is written without wgmma.fence behind it")
	}
}

// issueProduct executes wgmma.mma_async.
func issueProduct(threads []thread, x *instruction) {
	g := threads[0].group
	w, m := g.warpgroupOf(threads), x.product
	if w.owners == nil {
		w.owners = map[int32]owner{}
	}
	number := uint32(len(w.groups) + 1)
	for n := range threads {
		t := &threads[n]
		g.running = t
		for _, slot := range []int32{m.second, m.adds, m.first} {
			t.need(slot)
			if v, first := t.frame.values[slot], threads[0].frame.values[slot]; v != first {
				fail(fmt.Sprintf("register %s is %#x here and %#x in the first invocation", t.frame.registerName(slot), v, first))
			}
		}
	}
	for _, slot := range m.sums {
		o := w.owners[slot]
		continues := o.product != nil && o.product.form == x.form && slices.Equal(o.product.product.sums, m.sums)
		for n := range threads {
			t := &threads[n]
			g.running = t
			switch {
			case t.frame.states[slot] != pending:
				if t.frame.values[m.adds] != 0 {
					t.need(slot)
				}
				t.checkFenced(slot)
			case !continues:
				fail("register " + t.frame.registerName(slot) + " is a sum of another product under way")
			}
		}
	}
	for _, slot := range m.registers {
		o := w.owners[slot]
		shared := o.product != nil && slices.Contains(o.product.product.registers, slot)
		for n := range threads {
			t := &threads[n]
			if g.running = t; t.frame.states[slot] != pending || !shared {
				t.need(slot)
				t.checkFenced(slot)
			}
		}
	}
	g.running = &threads[0]
	m.compute(threads, w, number)
	for _, slot := range append(slices.Clone(m.sums), m.registers...) {
		w.owners[slot] = owner{x, number}
		for n := range threads {
			threads[n].frame.states[slot] = pending
		}
	}
	w.open = append(w.open, x)
}

// commitProducts executes wgmma.commit_group.
func commitProducts(threads []thread, _ *instruction) {
	w := threads[0].group.warpgroupOf(threads)
	w.groups, w.open = append(w.groups, w.open), nil
}

// waitProducts executes wgmma.wait_group for a warp.
func waitProducts(threads []thread, x *instruction) {
	t := &threads[0]
	g := t.group
	w := g.warpgroupOf(threads)
	warp := t.warp % len(w.retired)
	for number := len(w.retired[warp]) + 1; number <= len(w.groups)-int(t.frame.values[x.a]); number++ {
		ended := map[int32]bool{}
		for _, p := range w.groups[number-1] {
			for _, slot := range append(slices.Clone(p.product.sums), p.product.registers...) {
				if w.owners[slot].group == uint32(number) && !ended[slot] {
					retire(threads, slot)
					ended[slot] = true
				}
			}
		}
		w.retired[warp] = append(w.retired[warp], g.clock)
	}
}

// retire ends the use of a register by a product.
func retire(threads []thread, slot int32) {
	for n := range threads {
		t := &threads[n]
		f := t.frame
		if f.states[slot] != pending {
			t.group.running = t
			fail("register " + f.registerName(slot) + " is written while a product is under way that has it")
		}
		f.states[slot] = defined
		t.snapshot.values[slices.Index(f.products, slot)] = f.values[slot]
	}
}

// compute adds the product to the sums.
func (m *product) compute(threads []thread, w *warpgroup, number uint32) {
	g, f := threads[0].group, threads[0].frame
	read := func(descriptor uint64, count int, k productType, transposed bool) []float64 {
		return g.operand(threads, w, number, &operand{descriptor, count, m.depth, k, transposed})
	}
	b := read(f.values[m.second], m.columns, m.b, m.transposed[1])
	var a []float64
	if m.registers == nil {
		a = read(f.values[m.first], productRows, m.a, m.transposed[0])
	} else {
		a = m.fragments(threads)
	}
	for n := range threads {
		t := &threads[n]
		for k, slot := range m.sums {
			row := n/warpSize*16 + t.lane/4 + k/2%2*8
			column := k/4*8 + t.lane%4*2 + k%2
			left, right := a[row*m.depth:][:m.depth], b[column*m.depth:][:m.depth]
			sum := 0.0
			for d, v := range left {
				sum += v * right[d]
			}
			sum *= m.factor
			adds := t.frame.values[m.adds] != 0
			switch old := t.frame.values[slot]; {
			case m.integers && adds:
				t.frame.values[slot] = uint64(uint32(int64(sum) + int64(int32(old))))
			case m.integers:
				t.frame.values[slot] = uint64(uint32(int64(sum)))
			case adds:
				t.frame.values[slot] = singleBits(sum + singleValue(old))
			default:
				t.frame.values[slot] = singleBits(sum)
			}
		}
	}
}

// fragments returns a first operand in registers.
func (m *product) fragments(threads []thread) []float64 {
	a := make([]float64, productRows*m.depth)
	each := 4 / m.a.bytes // elements of a register
	for n := range threads {
		t := &threads[n]
		for k, slot := range m.registers {
			row := n/warpSize*16 + t.lane/4 + k%2*8
			column := t.lane%4*each + k/2*4*each
			word := t.frame.values[slot]
			for e := range each {
				a[row*m.depth+column+e] = m.a.value(word >> (8 * m.a.bytes * e) & (1<<(8*m.a.bytes) - 1))
			}
		}
	}
	return a
}

// operand is a matrix in workgroup memory. Bits 0 to 13 of its descriptor are the address. Bits 16
// to 29 are the distance along the leading dimension, and bits 32 to 45 that along the other one.
// These have units of 16 bytes. Bits 49 to 51 say where the pattern begins, and bits 62 and 63 are
// the swizzle.
type operand struct {
	descriptor   uint64
	count, depth int
	productType
	transposed bool
}

const (
	reservedBits = 3<<14 | 3<<30 | 7<<46 | 0x3FF<<52
	swizzle128   = 1
	patternRows  = 8 // of a swizzle
)

// operand reads a matrix, whose chunks the group of products reads.
func (g *group) operand(threads []thread, w *warpgroup, number uint32, o *operand) []float64 {
	at, leading, other := o.descriptor&0x3FFF*chunkBytes, o.descriptor>>16&0x3FFF*chunkBytes, o.descriptor>>32&0x3FFF*chunkBytes
	switch {
	case o.descriptor&reservedBits != 0:
		fail(fmt.Sprintf("descriptor %#x has bits that are reserved", o.descriptor))
	case o.descriptor>>62 != swizzle128:
		fail(fmt.Sprintf("descriptor %#x has a swizzle that is not emulated", o.descriptor))
	case at/swizzleRow%patternRows != o.descriptor>>49&7:
		fail(fmt.Sprintf("descriptor %#x does not say where its pattern begins", o.descriptor))
	}
	each := chunkBytes / o.bytes
	list := make([]float64, o.count*o.depth)
	read := func(place uint64, to, step int) {
		place = swizzled(place)
		if place+chunkBytes > uint64(len(g.tiles.bytes)) {
			fail(fmt.Sprintf("an operand at %#x in %d bytes of %s", place, len(g.tiles.bytes), g.tiles.name))
		}
		n := place / chunkBytes
		for k := 0; k < len(threads); k += warpSize {
			g.running = &threads[k]
			threads[k].checkProxy(n)
		}
		w.reads[n] = number
		for e := range each {
			list[to+e*step] = o.value(g.tiles.bits(place+uint64(e*o.bytes), uint8(o.bytes)))
		}
	}
	if o.transposed {
		for d := range uint64(o.depth) {
			for c := 0; c < o.count; c += each {
				bytes := uint64(c * o.bytes)
				read(at+bytes/swizzleRow*leading+bytes%swizzleRow+d/patternRows*other+d%patternRows*swizzleRow, c*o.depth+int(d), o.depth)
			}
		}
		return list
	}
	for c := range uint64(o.count) {
		for d := 0; d < o.depth; d += each {
			read(at+c/patternRows*other+c%patternRows*swizzleRow+uint64(d*o.bytes), int(c)*o.depth+d, 1)
		}
	}
	return list
}
