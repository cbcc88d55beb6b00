package analysis

import (
	"slices"

	"github.com/gpuc/gpuc/ir/op"
)

// Comparisons in random programs (programs_test.go), and differences of compared values.

// comparison compares two values, or one with a constant.
func (p *program) comparison(list *[]*statement) number {
	kind := p.integerKind()
	x, y := p.pick(kind), p.constant(kind)
	if p.chance(3) {
		y = p.pick(kind)
		p.compared = [2]number{x, y}
	} else if v := p.compared[p.random.IntN(2)]; v.kind == 'u' && slices.Contains(p.scope, v) && p.chance(4) {
		x, y = v, p.scope[lengthOfA+p.random.IntN(3)]
	}
	if p.chance(4) {
		x, y = y, x
	}
	return p.compute(list, comparisons[p.random.IntN(len(comparisons))].o, 'b', x, y)
}

// condition makes a bool of comparisons.
func (p *program) condition(list *[]*statement) number {
	switch c := p.comparison(list); p.random.IntN(6) {
	case 0:
		return p.compute(list, []op.Op{op.And, op.Or}[p.random.IntN(2)], 'b', c, p.comparison(list))
	case 1:
		return p.compute(list, op.Not, 'b', c)
	case 2: // && or ||, whose other side is computed where it matters
		s := &statement{form: branch, label: p.label(), args: []number{c}, results: []number{p.value('b')}}
		for n := range s.blocks {
			p.inside(func() {
				side := number{id: -1, kind: 'b', bits: uint32(p.random.IntN(2))}
				if p.chance(2) {
					side = p.comparison(&s.blocks[n])
				}
				s.blocks[n] = append(s.blocks[n], &statement{form: leave, target: s, args: []number{side}})
			})
		}
		return p.emit(list, s).results[0]
	default:
		return c
	}
}

// difference subtracts two values that were compared, if they are visible.
func (p *program) difference(list *[]*statement) {
	x, y := p.compared[0], p.compared[1]
	if slices.Contains(p.scope, x) && slices.Contains(p.scope, y) {
		if p.chance(2) {
			x, y = y, x
		}
		p.compute(list, op.Sub, x.kind, x, y)
	}
}
