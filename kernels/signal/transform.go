package signal

import (
	"math/bits"
	"slices"

	"github.com/gpuc/gpuc/kernels/signal/internal/fast"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// location is a buffer of a call and how many numbers the beginnings of its batches are apart.
type location struct {
	role     role
	distance int
}

// axis is a dimension to transform: n numbers, inner apart.
type axis struct{ n, inner int }

// transform is a complex transform that an engine makes steps of.
type transform struct {
	size, batch int // numbers of a batch, batches
	axes        []axis
	from, to    location
	spare       role // scratch memory
	inverse     bool
	scale       float64
}

// unit is a part of a transform that reads one buffer and writes another one: a pass over
// memory, or Bluestein's algorithm.
type unit struct {
	axis
	length int  // of the pass's transforms; 0 means Bluestein's algorithm
	done   int  // the product of the lengths of the axis's earlier passes
	alone  bool // output may be input: each workgroup writes what it reads
	turned bool // of two units: from columns to columns, and then from rows to columns
}

// unitsOf divides a transform into units.
func (e *engine) unitsOf(t *transform) (list []unit) {
	for _, a := range t.axes {
		if a.n == 1 {
			continue
		}
		lengths := e.lengthsOf(a)
		if lengths == nil {
			list = append(list, unit{axis: a, alone: true})
			continue
		}
		// Rows are read in order, and the results of a few of them make columns. Source: Bailey,
		// "FFTs in external or hierarchical memory", 1990.
		turned := len(lengths) == 2 && a.inner == 1 && a.n&(a.n-1) == 0 && a.n >= 64*512 && e.isTall(512)
		if turned {
			lengths = []int{a.n / 512, 512}
			if a.n >= 512*1024 {
				lengths = []int{a.n / 1024, 1024}
			}
		}
		done := 1
		for k, n := range lengths {
			last := k == len(lengths)-1
			list = append(list, unit{axis: a, length: n, done: done, alone: last != turned, turned: turned})
			done *= n
		}
	}
	if len(list) == 0 {
		list = append(list, unit{axis: axis{1, 1}, length: 1, done: 1, alone: true}) // a copy
	}
	return list
}

// lengthsOf divides an axis into the lengths of passes. Where numbers are not adjacent in
// memory, a workgroup has several columns, so that it reads 32 bytes at a time.
func (e *engine) lengthsOf(a axis) []int {
	if a.inner == 1 && (a.n <= e.compositeRoom() || e.isBinary(a.n) || e.isLong(a.n)) && isSmooth(a.n) {
		return []int{a.n}
	}
	if a.n&(a.n-1) == 0 && !e.double && (a.inner == 1 || a.inner%8 == 0) { // 64 to 2048 each
		left := bits.Len(uint(a.n)) - 1
		most := 11
		if left > 21 { // three passes take less time than two of 2048
			most = 10
		}
		var list []int
		for count := (left + most - 1) / most; count > 0; count-- {
			n := (left + count - 1) / count
			list = append(list, 1<<n)
			left -= n
		}
		return list
	}
	return divide(a.n, e.most())
}

// route chooses the buffer that each unit writes. A unit that may stay where its input is does, but
// for one if that is what it takes to end at to.
func route(units []unit, from, to, spare role) []role {
	moves := 0
	for _, u := range units {
		if !u.alone {
			moves++
		}
	}
	another := from == to && moves%2 == 1 // one more has to move
	list, at := make([]role, len(units)), to
	for n := len(units) - 1; n >= 0; n-- {
		list[n] = at
		if units[n].alone && !another {
			continue
		}
		if units[n].alone {
			another = false
		}
		at = to + spare - at
	}
	return list
}

// steps returns the launches of a transform, and makes their tables.
func (e *engine) steps(t transform) (list []step, err error) {
	if t.size == 0 || t.batch == 0 {
		return nil, nil
	}
	units := e.unitsOf(&t)
	roles := route(units, t.from.role, t.to.role, t.spare)
	from := t.from
	for n, u := range units {
		to := location{roles[n], t.size}
		if roles[n] == t.to.role {
			to.distance = t.to.distance
		} else if roles[n] == t.from.role {
			to.distance = t.from.distance
		}
		if to.role >= scratchA {
			e.need(to.role, t.size*t.batch)
		}
		l := leg{size: t.size, batch: t.batch, from: from, to: to, scale: 1}
		if t.inverse && n == 0 {
			l.flags |= conjugateIn
		}
		if n == len(units)-1 {
			l.scale = t.scale
			if t.inverse {
				l.flags |= conjugateOut
			}
		}
		if u.length == 0 {
			list, err = e.bluestein(list, u, l)
		} else {
			list, err = e.pass(list, u, l)
		}
		if err != nil {
			return nil, err
		}
		from = to
	}
	return list, nil
}

// leg is what a unit reads and writes.
type leg struct {
	size, batch int
	from, to    location
	flags       uint32
	scale       float64
}

// layout returns where the numbers of a pass are, how many outer indices there are, and how many
// launches it takes. Where batches are not adjacent and have several rows each, that is one for
// each batch.
func (u *unit) layout(l *leg) (p pass, outers, launches int) {
	dense := l.batch == 1 || l.from.distance == l.size && l.to.distance == l.size
	from, to := uint32(l.from.distance), uint32(l.to.distance)
	p = pass{N: uint32(u.length), Flags: l.flags, Span: 1, Inner: 1, InElement: 1}
	if u.inner == 1 && u.length == u.n {
		p.Flags |= rowsIn | rowsOut
		p.InColumn, p.OutBlock = p.N, p.N
		switch {
		case dense:
			p.Columns = uint32(l.batch * l.size / u.n)
		case l.size == u.n:
			p.Columns, p.InColumn, p.OutBlock = uint32(l.batch), from, to
		default:
			p.Columns, p.InOuter, p.OutOuter = uint32(l.size/u.n), from, to
			return p, l.batch, 1
		}
		return p, 1, 1
	}
	numbers := u.n * u.inner
	p.Columns = uint32(numbers / u.length)
	p.InColumn, p.InElement = 1, p.Columns
	p.Inner, p.Span = uint32(u.inner), uint32(u.done*u.inner)
	switch {
	case u.turned && u.done == 1:
		p.Span = p.Columns
	case u.turned:
		p.Flags |= rowsIn
		p.InColumn, p.InElement = p.N, 1
	}
	p.OutBlock = p.Span * p.N
	if p.Span == 1 {
		p.Flags |= rowsOut
	}
	if u.done > 1 {
		p.Flags |= twiddled
	}
	p.InOuter, p.OutOuter = uint32(numbers), uint32(numbers)
	switch outers = l.size / numbers; {
	case dense:
		return p, outers * l.batch, 1
	case outers == 1:
		p.InOuter, p.OutOuter = from, to
		return p, l.batch, 1
	}
	return p, outers, l.batch
}

// The names of the tables of kernels for powers of two, which have one size.
const (
	binaryStages = "binary stages"
	tallStages   = "tall stages"
	longStages   = "long stages"
)

// compositeStages names those of composite rows, which have a schedule too.
const compositeStages = "composite stages"

// divided chooses the kernel of a pass, and how workgroups divide its columns. It returns the
// name of the kernel's table and the radices of its stages.
func (e *engine) divided(p *pass, outers int) (kernel *gpu.Embedded, name string, radices []int) {
	length, rows, turned := int(p.N), p.Flags&(rowsIn|rowsOut) == rowsIn|rowsOut, p.Flags&(rowsIn|rowsOut) == rowsIn
	most := uint32(e.room() / length)
	switch {
	case rows && e.isLong(length):
		p.Batch = 1
		name, radices = longStages, []int{16, length / 512}
		kernel = &fast.LongRowsKernels[bits.Len(uint(length))-bits.Len(8192)]
	case rows && e.isBinary(length):
		p.Batch = uint32(binaryRoom / length)
		name, radices = binaryStages, []int{16, 16, length / 256}
		if length == 512 || length == 1024 {
			p.Batch = uint32(shortRoom / length)
			name, radices = tallStages, []int{32, length / 32}
		}
		kernel = &binaryRowsKernels[bits.Len(uint(length))-bits.Len(256)]
	case e.isTall(length) && (turned || p.Flags&(rowsOut|twiddled) == 0 && p.Span%8 == 0):
		p.Batch = uint32(fast.TallNumbers / length)
		name, radices = tallStages, []int{32, length / 32}
		kernel = &fast.TallColumnsKernels[length/1024]
		if turned {
			kernel = &fast.TurnedRowsKernels[length/1024]
		}
	case !rows && e.isBinaryColumn(length) && (p.Span == 1 || p.Span%8 == 0):
		name, radices = binaryStages, []int{16, 16, length / 256}
		if length < 256 {
			radices = []int{16, length / 16}
		}
		p.Batch = uint32(binaryRoom / length)
		kernel = &binaryColumnsKernels[bits.Len(uint(length))-bits.Len(64)]
		if info := e.stream.Device().Info(); length >= 1024 && info.WorkgroupBytes >= 4*wideGaps && info.MaxInvocations >= 2*items {
			p.Batch = uint32(wideRoom / length)
			kernel = &wideColumnsKernels[bits.Len(uint(length))-bits.Len(1024)]
		}
	case rows:
		radices, _ = compositeRadices(length, 16)
		if length == 1 {
			radices = []int{1}
		}
		p.Stages = uint32(len(radices))
		room := e.roomOf(length)
		kernel, name = compositeKernel.of(e), compositeStages
		if room > e.room() {
			kernel = &wideCompositeKernel
		}
		p.Batch = min(uint32(room/max(length, 2)), p.Columns)
	default:
		radices, _ = compositeRadices(length, 16)
		p.Stages = uint32(len(radices))
		for p.Batch, p.Bits = 8, 3; 2*p.Batch <= min(most, items) && p.Batch < p.Columns; p.Bits++ {
			p.Batch *= 2
		}
		kernel, name = compositeKernel.of(e), compositeStages
	}
	p.Blocks = (p.Columns + p.Batch - 1) / p.Batch
	p.Groups = p.Blocks * uint32(outers)
	return kernel, name, radices
}

// pass appends the launches of a pass.
func (e *engine) pass(list []step, u unit, l leg) ([]step, error) {
	p, outers, launches := u.layout(&l)
	kernel, name, radices := e.divided(&p, outers)
	stages, err := e.table(tableKey{name, u.length, 0}, func() []complex128 {
		table := stageTable(radices)
		if name == compositeStages {
			return table
		}
		if name == longStages {
			table = append(table, longTable(u.length)...)
		}
		return append(table, make([]complex128, len(factorTable[float32]{})-len(table))...)
	})
	if err != nil {
		return nil, err
	}
	factors := stages
	if p.Flags&twiddled != 0 {
		n := u.done * u.length
		p.Shift = passShift(n)
		if factors, err = e.table(tableKey{"pass", n, 0}, func() []complex128 { return passTable(n) }); err != nil {
			return nil, err
		}
	}
	tables, roles := []gpu.Bound{stages, factors}, []role{l.from.role, l.to.role}
	switch {
	case name == compositeStages:
		schedule, err := e.schedule(&p, radices)
		if err != nil {
			return nil, err
		}
		tables = []gpu.Bound{schedule, stages, factors}
	case p.Flags&(rowsIn|rowsOut) == rowsIn|rowsOut || name == tallStages && p.Flags&twiddled == 0:
		tables = tables[:1]
	}
	if l.from.role == l.to.role {
		p.Flags |= inPlace
		// x is any buffer that is not written
		tables, roles = append(slices.Clip(tables), stages), roles[1:]
	}
	for n := range launches {
		p.InBase, p.OutBase = uint32(n*l.from.distance), uint32(n*l.to.distance)
		list = append(list, step{kernel: kernel, grid: gridOf(int(p.Groups)), values: e.withScale(p.Words(), l.scale), tables: tables, roles: roles})
	}
	return list, nil
}

// bluestein appends the launches of a unit by Bluestein's algorithm.
func (e *engine) bluestein(list []step, u unit, l leg) ([]step, error) {
	count := l.size / u.n * l.batch
	m := e.smoothAtLeast(2*u.n - 1)
	if err := e.fits(count, m); err != nil {
		return nil, err
	}
	chirp, err := e.table(tableKey{"chirp", u.n, 0}, func() []complex128 { return chirpOf(u.n) })
	if err != nil {
		return nil, err
	}
	factors, err := e.table(tableKey{"chirp factors", u.n, m}, func() []complex128 { return chirpFactors(u.n, m) })
	if err != nil {
		return nil, err
	}
	e.need(scratchC, count*m)
	r := rows{
		Count: uint32(count), Length: uint32(m), PerBatch: uint32(l.size / u.n), InDistance: uint32(l.from.distance), OutDistance: uint32(l.to.distance),
		InLength: uint32(u.n), OutLength: uint32(u.n), N: uint32(u.n), M: uint32(m), Inner: uint32(u.inner), Flags: l.flags,
	}
	list = append(list, e.rowsStep(chirpInKernel.of(e), r, nil, []gpu.Bound{chirp}, l.from.role, scratchC))
	for inverse := range 2 {
		t := transform{size: m, batch: count, axes: []axis{{m, 1}}, from: location{scratchC, m}, to: location{scratchC, m}, spare: scratchD, inverse: inverse == 1, scale: 1}
		steps, err := e.steps(t)
		if err != nil {
			return nil, err
		}
		list = append(list, steps...)
		if inverse == 0 {
			list = append(list, e.rowsStep(multiplyKernel.of(e), r, nil, []gpu.Bound{factors}, scratchC))
		}
	}
	r.Length = uint32(u.n)
	scale := l.scale / float64(m)
	return append(list, e.rowsStep(chirpOutKernel.of(e), r, &scale, []gpu.Bound{chirp}, scratchC, l.to.role)), nil
}

// schedule returns the buffer of the schedule of a pass with composite transforms.
func (e *engine) schedule(p *pass, radices []int) (gpu.Bound, error) {
	n, half, banks := int(p.N), e.room(), 16 // of 8 bytes
	if e.double {
		banks = 8
	}
	var a arrangement
	if p.Flags&rowsIn != 0 {
		a = arrange(radices, e.roomOf(n), banks)
	} else {
		a = arrangement{pitch: 1, apart: int(p.Batch), gaps: make([]int, len(radices)-1)}
		if p.Flags&rowsOut != 0 && (a.apart+1)*n <= half {
			a.apart++ // the last stage reads numbers of a column together
		}
	}
	key := tableKey{"schedule", n, a.apart}
	if b := e.tables[key]; b != nil {
		return b, nil
	}
	b, err := kept(e, scheduleOf(radices, a))
	if err != nil {
		return nil, err
	}
	e.tables[key] = b
	return b, nil
}

// isBinary reports whether rows of this length have a kernel of their own.
func (e *engine) isBinary(length int) bool {
	return !e.double && length >= 256 && length <= binaryRoom && length&(length-1) == 0
}

// isLong is isBinary for rows that have a workgroup each, where devices have the memory.
func (e *engine) isLong(length int) bool {
	if e.double || e.strict || length != 8192 && length != 16384 {
		return false
	}
	info := e.stream.Device().Info()
	return int(info.WorkgroupBytes) >= 4*max(length, fast.LongRoom) && int(info.MaxInvocations) >= length/32
}

// isTall is isBinaryColumn for columns that have a faster kernel where devices have the memory.
func (e *engine) isTall(length int) bool {
	return !e.double && !e.strict && (length == 512 || length == 1024) && e.stream.Device().Info().WorkgroupBytes >= 4*fast.TallRoom
}

// isBinaryColumn is isBinary for columns.
func (e *engine) isBinaryColumn(length int) bool {
	return !e.double && length >= 64 && length <= 2048 && length&(length-1) == 0
}

// rowsStep is the launch of a kernel that has rows as its first parameter, and scale as its
// second if there is one.
func (e *engine) rowsStep(kernel *gpu.Embedded, r rows, scale *float64, tables []gpu.Bound, roles ...role) step {
	s := step{kernel: kernel, grid: gridOf((int(r.Count)*int(r.Length) + items - 1) / items), tables: tables, roles: roles}
	s.values = r.words()
	if scale != nil {
		s.values = e.withScale(s.values, *scale)
	}
	return s
}
