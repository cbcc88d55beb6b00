package analysis

import "github.com/gpuc/gpuc/ir/op"

// What random programs (claims_test.go) ask before they go to elements of runtime-sized arrays.

// access goes to an element.
func (p *program) access(list *[]*statement, index number, array int, count uint32) {
	if count != 0 {
		array = 0
	}
	p.emit(list, &statement{form: access, args: []number{index}, label: p.label(), array: array, count: count})
}

// guards compares indices with lengths in one of many ways, and goes to elements where that holds, or,
// to be found out, where it does not.
func (p *program) guards(list *[]*statement) {
	index := p.pick('u')
	if index.id < 0 || p.chance(3) {
		index = p.scope[localIndex]
	}
	other := p.scope[localX]
	if p.chance(2) {
		if v := p.pick('u'); v.id >= 0 {
			other = v
		}
	}
	indices := p.indices(list, index, other)
	at := indices[p.random.IntN(len(indices))]
	var condition number
	for n := range 1 + p.random.IntN(3) {
		x, y := at, p.bound(list)
		switch p.random.IntN(8) {
		case 0:
			x = other
		case 1:
			x = index
		case 2:
			x, y = y, p.bound(list)
		case 3:
			x, y = p.compute(list, op.Mul, 'u', y, other), p.bound(list)
		}
		c := p.compute(list, comparisons[p.random.IntN(4)].o, 'b', x, y)
		if p.chance(2) {
			c = p.compute(list, op.Lt, 'b', x, y)
		}
		if n == 0 {
			condition = c
			continue
		}
		condition = p.joined(list, condition, c)
	}
	s := &statement{form: branch, label: p.label(), args: []number{condition}}
	for n := range s.blocks {
		p.inside(func() {
			body := &s.blocks[n]
			for range 3 {
				for _, i := range p.indices(body, index, other) {
					p.access(body, i, p.random.IntN(3), 0)
				}
			}
			for array := range 3 {
				p.access(body, at, array, 0)
			}
			s.blocks[n] = append(s.blocks[n], &statement{form: leave, target: s})
		})
	}
	p.emit(list, s)
}

// joined makes one condition of two.
func (p *program) joined(list *[]*statement, x, y number) number {
	no, yes := number{id: -1, kind: 'b'}, number{id: -1, kind: 'b', bits: 1}
	switch p.random.IntN(4) {
	case 0: // !(!x || !y)
		return p.compute(list, op.Not, 'b', p.compute(list, op.Or, 'b', p.compute(list, op.Not, 'b', x), p.compute(list, op.Not, 'b', y)))
	case 1:
		return p.compute(list, []op.Op{op.And, op.Or}[p.random.IntN(2)], 'b', x, y)
	default: // x && y
		s := &statement{form: branch, label: p.label(), args: []number{x}, results: []number{p.value('b')}}
		s.blocks[0] = []*statement{{form: leave, target: s, args: []number{y}}}
		s.blocks[1] = []*statement{{form: leave, target: s, args: []number{no}}}
		if p.chance(4) { // x || y
			s.blocks[0][0].args[0], s.blocks[1][0].args[0] = yes, y
		}
		return p.emit(list, s).results[0]
	}
}

// small is a constant that indices have to do with.
func (p *program) small() number {
	return number{id: -1, kind: 'u', bits: uint32(1 + p.random.IntN(4))}
}

// bound is a number that has to do with lengths.
func (p *program) bound(list *[]*statement) number {
	length := func() number { return p.scope[lengthOfA+p.random.IntN(3)] }
	switch p.random.IntN(12) {
	case 0, 1:
		return p.compute(list, op.Min, 'u', length(), length())
	case 2:
		return p.compute(list, op.Sub, 'u', length(), p.small())
	case 3:
		return p.compute(list, op.Div, 'u', length(), p.small())
	case 4:
		return p.compute(list, op.Min, 'u', length(), p.scope[anything])
	case 5:
		return p.compute(list, op.Max, 'u', length(), length())
	case 6:
		return p.compute(list, op.Mul, 'u', length(), p.small())
	case 7:
		return p.pick('u')
	case 8:
		return p.compute(list, op.Shr, 'u', length(), number{id: -1, kind: 'u', bits: uint32(p.random.IntN(3))})
	default:
		return length()
	}
}

// indices are numbers that are computed of two others.
func (p *program) indices(list *[]*statement, x, y number) (made []number) {
	made = append(made, x)
	switch p.random.IntN(10) {
	case 0:
		made = append(made, p.compute(list, op.Add, 'u', x, p.small()))
	case 1:
		made = append(made, p.compute(list, op.Sub, 'u', x, p.small()))
	case 2:
		k := p.small()
		made = append(made, p.compute(list, op.Add, 'u', p.compute(list, op.Mul, 'u', x, k), number{id: -1, kind: 'u', bits: uint32(p.random.IntN(int(k.bits)))}))
	case 3:
		made = append(made, p.compute(list, op.Div, 'u', x, p.small()))
	case 4:
		made = append(made, p.compute(list, op.Rem, 'u', x, p.scope[lengthOfA+p.random.IntN(3)]))
	case 5:
		made = append(made, p.compute(list, op.Sub, 'u', p.scope[lengthOfA+p.random.IntN(3)], x))
	case 6:
		made = append(made, p.compute(list, op.Add, 'u', p.compute(list, op.Mul, 'u', x, p.scope[anything]), y))
	case 7:
		made = append(made, p.compute(list, op.Min, 'u', x, y), p.compute(list, op.Max, 'u', x, y))
	case 8:
		made = append(made, p.compute(list, op.Sub, 'u', x, y), p.compute(list, op.Add, 'u', x, y))
	case 9:
		made = append(made, p.compute(list, op.And, 'u', x, y))
	}
	return made
}
