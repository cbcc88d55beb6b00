package gokernels

//lint:file-ignore SA4000,SA4016,SA4006,SA4022 a kernel tests code that does not matter

import (
	"math/bits"
	"sync/atomic"

	"github.com/gpuc/gpuc/runtime/gpu"
)

type pair struct {
	key    uint32
	values [3]uint32
}

type nest struct {
	pairs [2]pair
	extra [3]uint32
}

func makePair(key uint32) pair { return pair{key, [3]uint32{key * 2, key * 3, key * 5}} }

func rotated(values [3]uint32) [3]uint32 { return [3]uint32{values[1], values[2], values[0]} }

// changed modifies its copy.
func (p pair) changed() pair {
	p.key += 1000
	p.values = rotated(p.values)
	return p
}

func (p pair) sum() uint32 {
	return p.key + p.values[0]*2 + p.values[1]*4 + p.values[2]*8
}

func makeNest(i uint32) (n nest) {
	n.pairs[i&1] = makePair(i)
	n.extra = [3]uint32{i, n.pairs[0].key, n.pairs[1].key}
	return n
}

func decimals(v [3]uint32) uint32 { return v[0] + v[1]*100 + v[2]*10000 }

//gpuc:kernel workgroup=8
func LanguageAggregates(it gpu.Item, results [][10]uint32) {
	n := it.Index()
	if n >= len(results) {
		return
	}
	i := uint32(n)
	original := makePair(i)
	other := original.changed()
	a := original
	b := a
	b.values[i%3] = 77
	a.key = 5
	one := makeNest(i)
	two := one
	two.pairs = [2]pair{one.pairs[1], one.pairs[0]}
	two.extra[i%3]++
	results[n] = [10]uint32{
		original.sum(), other.sum(), a.sum(), b.sum(),
		one.pairs[0].sum(), two.pairs[0].sum(),
		decimals(one.extra), decimals(two.extra),
		rotated(rotated(original.values))[i%3],
		makePair(i + 1).values[1],
	}
}

type arrayItem struct {
	key  uint32
	pair [2]uint32
	list [3]uint32
}

func pick(values [5]uint32, at uint32) uint32 { return values[at%5] }

func rowsOf(n uint32) uint32 {
	var rows [4][3]uint32
	for k := range uint32(12) {
		rows[k/3][k%3] = (n >> k) % 10
	}
	rows[n%4] = rows[(n+1)%4]
	row := rows[n/4%4]
	sum := uint32(0)
	for k := range 12 {
		sum = sum*3 + rows[k%4][k/4]
	}
	return sum + row[n%3]
}

func itemsOf(n uint32) uint32 {
	var items [4]arrayItem
	items[n%4] = arrayItem{n, [2]uint32{n, 5}, [3]uint32{1, 2, 3}}
	items[(n+1)%4].pair[n%2] = 8
	items[(n+2)%4].list[n%3] = 6
	items[3] = items[n%3]
	total := uint32(0)
	for k, x := range items {
		total = total*5 + x.key + x.pair[0] + x.pair[1]*2 + x.list[k%3]
	}
	return total
}

func vectorsOf(n uint32) uint32 {
	var vectors [3][3]uint32
	for k := range uint32(9) {
		vectors[k%3][k/3] += n + k
	}
	doubled := &vectors[n%3]
	for k := range doubled {
		doubled[k] *= 2
	}
	a, b, c := vectors[0], vectors[1], vectors[2]
	return (a[0]+b[2])*c[0] + (a[1]+b[0])*c[1] + (a[2]+b[1])*c[2]
}

func matrixOf(n uint32) uint32 {
	m := [3][2]float32{{1, 2}, {3, 4}, {5, 6}}
	m[n%3] = [2]float32{float32(n % 16), 0.5}
	m[(n+1)%3][n%2] *= 4
	sum, scale := float32(0), float32(4)
	for _, column := range m {
		sum += scale * (2*column[0] + 4*column[1])
		scale *= 4
	}
	return uint32(sum)
}

//gpuc:kernel workgroup=8
func LanguageArrays(it gpu.Item, data []uint32, results [][6]uint32) {
	i := it.Index()
	if i >= len(results) {
		return
	}
	n := data[i]
	squares := [...]uint32{0, 1, 4, 9, n}
	v := [4]uint32{1, 2, 3, 4}
	for k := range uint32(4) {
		v[(n+k)%4] = v[k]*3 + v[(k+1)%4]
	}
	results[i] = [...]uint32{
		squares[n%5] + pick(squares, n/5),
		rowsOf(n), itemsOf(n), vectorsOf(n), matrixOf(n),
		v[0] + v[1]*7 + v[2]*49 + v[3]*343,
	}
}

const (
	big      = 1 << 40 // a constant has as many bits as it needs
	shiftedN = big>>36 + 3
	ratio    = 1.0 / 3 * 3
)

var constantRows = [3][4]int32{{1, 2, 3, 4}, {-1, -2, -3, -4}}

// constantEntry is a row of a table.
type constantEntry struct {
	name    uint32
	weights [3]float32
}

var constantEntries = [...]constantEntry{
	{10, [3]float32{0.5, 1, 2}},
	{weights: [3]float32{0.25 * 3, 0.25 * 3, 0.25 * 3}, name: 20},
	2: {30, [3]float32{4, 5, 6}},
}

// firstLeadingBit is the position of the highest bit that differs from the sign.
func firstLeadingBit(x int32) int32 { return int32(bits.Len32(uint32(x^x>>31))) - 1 }

//gpuc:kernel workgroup=4
func LanguageConstants(it gpu.Item, data []int32, results [][8]int32, floats []Vec4f) {
	i := it.Index()
	if i >= len(results) {
		return
	}
	n, zero := data[i], data[0]
	entry := constantEntries[n%3]
	// The difference of constant folding and evaluation on the device must be zero.
	results[i] = [8]int32{
		constantRows[n%3][n/3%4],
		int32(entry.name) + constantRows[1][2],
		shiftedN + n,
		-7/2 - (zero-7)/(zero+2),
		-7%4 - (zero-7)%(zero+4),
		0xdeadbeef>>8&0xfff - int32((0xdeadbeef+uint32(zero))>>8&0xfff),
		firstLeadingBit(-300) - firstLeadingBit(zero-300),
		(0x7fffffff ^ 0x12345678) - ((zero + 0x7fffffff) ^ 0x12345678),
	}
	floats[i] = gpu.V4f(
		entry.weights[n%3],
		gpu.Round(2.5)-gpu.Round(2.5+float32(zero)),
		ratio+2*5,
		gpu.Round(gpu.Sqrt(3*3+4*4)*16),
	)
}

// noted counts the arguments of its method.
type noted struct{ effects uint32 }

func (n *noted) effect(x uint32) uint32 {
	n.effects ^= x << 1
	return x
}

func deadSlot(i uint32) uint32 {
	slots := [4]uint32{1, 2, 3, 4}
	slots[1] = 99 // not read if i is not 1
	slots[i%4] = 5
	slots[1]++
	return slots[i%4]*100 + slots[1]
}

const deadDebug = false

//gpuc:kernel workgroup=8
func LanguageDeadCode(it gpu.Item, data []uint32, results []Vec4u, ignored []uint32) {
	_ = ignored[0]
	n := it.Index()
	if n >= len(results) {
		return
	}
	var note noted
	i := uint32(n)
	zero := data[0] & 0
	x := data[n]
	r := gpu.V4[uint32](7, 7, 7, 7)
	r = gpu.V4[uint32](x, x, x, x)
	for k := i; k < zero; k++ {
		r.X = 12345
	}
	for false {
		r.Y += note.effect(100)
	}
	for {
		r.Y++
		if true {
			break
		}
		r.Y = 0
	}
	if deadDebug {
		r.Z = 1
	} else if x*0 == 1 {
		r.Z = 2
	}
	if i%2 == 0 {
		r.Z += 3
	} else {
		r.Z += 3
	}
	_ = note.effect(i)
	note.effect(3)
	both := x - x + (x ^ x) + x&^x
	r.W = deadSlot(i) + both + note.effects*0x10000
	results[n] = r
	results[n].X = results[n].X + 1 // the load must see the store before it
}

// visits sums the arguments of its method.
type visits uint32

func (v *visits) visit(counts *[4]uint32, kind uint32) uint32 {
	*v += visits(kind)
	atomic.AddUint32(&counts[kind], uint32(*v))
	return uint32(*v)
}

func flatten(at, extent gpu.Int3) int { return (at.Z*extent.Y+at.Y)*extent.X + at.X }

//gpuc:kernel workgroup=3,2,4
func LanguageEntryPointsByStruct(it gpu.Item, ids []Vec4u, counts [][4]uint32) {
	var v visits
	at, local, group, groups, size := it.Global(), it.Local(), it.Group(), it.Groups(), it.Size()
	extent := gpu.Int3{X: size.X * groups.X, Y: size.Y * groups.Y, Z: size.Z * groups.Z}
	ids[flatten(at, extent)] = gpu.V4[uint32](
		uint32(at.X), uint32(at.Y), uint32(at.Z),
		uint32(flatten(local, size)*100+it.LocalIndex())+v.visit(&counts[0], 1),
	)
	if at == (gpu.Int3{X: group.X*size.X + local.X, Y: group.Y*size.Y + local.Y, Z: group.Z*size.Z + local.Z}) {
		v.visit(&counts[0], 2)
	}
}

//gpuc:kernel workgroup=5
func LanguageEntryPointsByParameters(it gpu.Item, places []Vec4u, counts [][4]uint32) {
	var v visits
	group := it.Group()
	places[group.Y*20+it.Index()] = gpu.V4[uint32](
		uint32(group.X), uint32(group.Y), uint32(group.Z), v.visit(&counts[0], 3)+uint32(it.LocalIndex()),
	)
}

// PointerInner and PointerOuter are what language_pointers keeps in memory.
type PointerInner struct {
	Values [4]uint32
	Sum    uint32
}

type PointerOuter struct {
	Head  uint32
	Inner [2]PointerInner
}

func add(target *uint32, amount uint32) { *target += amount }

func addTwice(target *uint32, amount uint32, counter *uint32) {
	add(target, amount)
	add(target, amount*10)
	count(counter)
}

func count(c *uint32) { *c++ }

func (p *PointerInner) fill(start uint32, counter *uint32) {
	for i := range p.Values {
		value := &p.Values[i]
		*value = start + uint32(i)
		addTwice(value, uint32(i), counter)
		p.Sum += *value
	}
}

func exchange(a, b *uint32) { *a, *b = *b, *a }

func (p *PointerInner) bump(at int) {
	add(&p.Values[at], 100)
	add(&p.Sum, 100)
}

//gpuc:kernel workgroup=8
func LanguagePointers(it gpu.Item, shared *[8]PointerInner, cells []PointerOuter, results []Vec4u) {
	i, local := it.Index(), it.LocalIndex()
	n := uint32(i)
	var outer PointerOuter
	var counter uint32
	add(&outer.Head, n)
	outer.Inner[i&1].fill(n*2, &counter)
	outer.Inner[1].fill(50, &counter)
	p := &outer.Inner[0]
	// The pointers may alias in Go. They are swapped through a third variable, as in WGSL, where
	// they must not.
	spare := n + 7
	exchange(&p.Values[0], &spare)
	exchange(&spare, &outer.Inner[1].Values[3])
	shared[local] = outer.Inner[1]
	it.Barrier()
	neighbour := &shared[(local+1)%8]
	if i < len(cells) {
		cells[i] = outer
		cells[i].Inner[i%2].bump(i % 4)
		results[i] = gpu.V4[uint32](counter, neighbour.Sum, neighbour.Values[3], outer.Inner[0].Values[0])
	}
}

const base = 5

// scopes is the state that the functions of LanguageScopes share.
type scopes struct{ calls, seed uint32 }

// bump has a parameter that hides a constant.
func (s *scopes) bump(base uint32) uint32 {
	s.calls++
	s.seed = s.seed*3 + base
	return s.seed
}

func shadows(x uint32) uint32 {
	y := x + base
	r := y
	{
		y := y * 2
		const base = 100
		r += y + base
		{
			y := y + 1
			y *= 2
			r += y
		}
		r += y
	}
	for x := range uint32(3) {
		y := x
		r += y
	}
	if x > 2 {
		r := uint32(7)
		return r + x
	}
	return r + y
}

func fresh(n uint32) uint32 {
	sum := uint32(0)
	for i := range n {
		var counter uint32 // zero in every iteration
		counter += i
		sum = sum*2 + counter
	}
	return sum
}

//gpuc:kernel workgroup=8
func LanguageScopes(it gpu.Item, results [][8]uint32) {
	i := it.Index()
	if i >= len(results) {
		return
	}
	s := scopes{seed: base * 2}
	table := [...]uint32{3, 1, 4, 1}
	_ = s.bump(uint32(i))
	first := s.bump(base)
	table[i%4] += s.bump(1)
	len := uint32(3) // a builtin's name is not reserved
	len += uint32(i)
	results[i] = [8]uint32{
		s.calls, first, s.seed, table[0] + table[1]*2 + table[2]*3 + table[3]*4,
		shadows(uint32(i)), fresh(uint32(i) % 7), len, base,
	}
}

//gpuc:kernel workgroup=8
func LanguageVectorComponents(it gpu.Item, quads, triples, swizzled [][4]uint32) {
	i := it.Index()
	if i >= len(quads) {
		return
	}
	v, c := uint32(i), i/2%4
	quad, triple := &quads[i], &triples[i]
	switch c {
	case 0:
		quad[0] = v * 3
		triple[2] += 7
	case 1:
		quad[c] += 1000
		triple[1] = 5
	case 2:
		quad[2] ^= 0xff
		triple[0]--
	default:
		quad[c] = v
		triple[i%3] <<= 1
	}
	local := [4]uint32{v, 10, 20, 30}
	local[i%4] += 5
	local[3] = local[0] + local[1]
	local[0], local[1] = local[1], local[0]
	local[2] += v
	local[0]++
	local[1]++
	triple[2] ^= 1
	triple[0] ^= 2
	quad[3], quad[2] = quad[2], v
	s := [4]uint32{local[3], local[2], local[1], local[0]}
	x := s[i%4]
	swizzled[i] = [4]uint32{s[0] + x, s[1] + x*local[0], local[1] + x*local[1], local[1] + x*local[2]}
}

// evaluation records the order of the calls of its method.
type evaluation uint32

func (e *evaluation) note(n uint32) uint32 {
	*e = *e*7 + evaluation(n)
	return n
}

func three(a, b, c uint32) uint32 { return a*100 + b*10 + c }

func bump(p *uint32) uint32 {
	*p += 10
	return *p
}

//gpuc:kernel workgroup=8
func LanguageEvaluationOrder(it gpu.Item, results [][12]uint32, accumulators [][10]uint32) {
	i := it.Index()
	if i >= len(results) {
		return
	}
	n := uint32(i)
	e := evaluation(n)
	var r [12]uint32
	r[0] = e.note(1) - e.note(2)*e.note(3)
	r[1] = uint32(e)
	r[2] = three(e.note(3), e.note(1), e.note(2))
	r[2] += uint32(e)
	a := [4]uint32{10, 20, 30, 40}
	a[e.note(2)] += e.note(5)
	r[3] = a[2] + uint32(e)
	a[e.note(1)]++
	r[4] = a[1] + uint32(e)
	at, sum := e.note(3), e.note(4)
	a[at] = sum + uint32(e)
	r[5] = a[3]
	x := n
	before := x
	r[6] = before + bump(&x)
	r[7] = bump(&x)
	r[7] += x
	before = x
	x = before + bump(&x)
	r[8] = x
	v := [3]uint32{e.note(4), e.note(5), e.note(6)}
	r[9] = v[e.note(2)]
	r[9] += uint32(e)
	y, z := x, n
	y, z = z, y // both are read before either is written
	r[10] = y*1000 + z
	last := uint32(e)
	e.note(1)
	r[11] = last*7 + 1 - uint32(e)
	results[i] = r

	s := &accumulators[i]
	s[0] += n
	s[1] -= n
	s[2] *= n + 1
	s[3] /= n + 1
	s[4] %= n + 3
	s[5] &= n * 5
	s[6] |= n * 5
	s[7] ^= n * 5
	s[8] <<= n % 8
	s[9] >>= n % 8
}
