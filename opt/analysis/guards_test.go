package analysis

import (
	"math/big"
	"testing"

	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/ir/op"
)

// Guards of accesses to runtime-sized arrays in random programs (programs_test.go).

// TestGuardClaims runs random programs of guards.
func TestGuardClaims(t *testing.T) {
	programs := uint64(testmode.Count(500, 3000, 3000))
	if exhaustive() {
		programs = 200_000
	}
	guarded := 0
	for seed := range programs {
		p := newProgram(seed)
		for range 1 + seed%2 {
			p.operate(&p.body, 'u', nil)
			p.guards(&p.body)
		}
		c := p.run(t, 3000, p.body)
		if c.failed {
			t.Fatalf("seed %d", seed)
		}
		guarded += len(c.guarded)
	}
	t.Logf("%d accesses are in bounds", guarded)
	if uint64(guarded) < min(programs, 3000) {
		t.Errorf("only %d accesses are in bounds", guarded)
	}
}

// access goes to an element.
func (p *program) access(list *[]*statement, index number, array int, count uint32) {
	if count != 0 {
		array = 0
	}
	p.emit(list, &statement{form: access, args: []number{index}, label: p.label(), array: array, count: count})
}

// guards compares indices with lengths in one of many ways, and goes to elements where that holds,
// or, to be found out, where it does not.
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
	if p.chance(4) {
		p.signedGuards(list, index)
	}
	if p.chance(2) {
		p.offsetGuards(list, index, other)
	}
	if p.chance(2) {
		p.choosingLoop(list, index, other)
	}
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
			if p.chance(4) {
				p.guardedLoop(body, at, other)
			}
			s.blocks[n] = append(s.blocks[n], &statement{form: leave, target: s})
		})
	}
	p.emit(list, s)
}

// signedGuards compares products of numbers with a sign, and goes to elements by them.
func (p *program) signedGuards(list *[]*statement, index number) {
	signed := func(v number) number {
		r := p.value('i')
		p.emit(list, &statement{form: cast, args: []number{v}, results: []number{r}})
		return r
	}
	length, x, y := signed(p.scope[lengthOfA+p.random.IntN(3)]), signed(index), p.pick('i')
	if y.id < 0 {
		y = p.scope[signedAnything]
	}
	product := p.compute(list, op.Mul, 'i', x, y)
	row := p.compute(list, op.Mul, 'i', length, y)
	c := p.compute(list, op.Lt, 'b', []number{x, product, length}[p.random.IntN(3)], []number{length, row, y}[p.random.IntN(3)])
	if p.chance(2) {
		c = p.joined(list, c, p.compute(list, []op.Op{op.Ge, op.Gt}[p.random.IntN(2)], 'b', []number{x, y, product}[p.random.IntN(3)], number{id: -1, kind: 'i'}))
	}
	if p.chance(2) {
		c = p.joined(list, c, p.compute(list, op.Le, 'b', []number{row, product, x}[p.random.IntN(3)], []number{length, y}[p.random.IntN(2)]))
	}
	s := &statement{form: branch, label: p.label(), args: []number{c}}
	for n := range s.blocks {
		p.inside(func() {
			for array := range 3 {
				for _, v := range []number{x, product, p.compute(&s.blocks[n], op.Sub, 'i', row, x), p.compute(&s.blocks[n], op.Sub, 'i', length, x)} {
					p.access(&s.blocks[n], v, array, 0)
				}
			}
			s.blocks[n] = append(s.blocks[n], &statement{form: leave, target: s})
		})
	}
	p.emit(list, s)
}

// offsetGuards compares sums and products that may wrap with lengths. It does so before or after
// comparisons that say that they do not, each on the right side of an && and again inside.
func (p *program) offsetGuards(list *[]*statement, index, other number) {
	var makers []func(list *[]*statement) number
	for range 2 {
		k, o := p.small(), []op.Op{op.Add, op.Add, op.Sub, op.Mul, op.Shl}[p.random.IntN(5)]
		by, to := p.small(), []number{index, other}[p.random.IntN(2)]
		switch p.random.IntN(5) {
		case 0: // index·k + by
			makers = append(makers, func(list *[]*statement) number {
				return p.compute(list, op.Add, 'u', p.compute(list, op.Mul, 'u', index, k), by)
			})
		case 1: // other·k + index, in any order
			makers = append(makers, func(list *[]*statement) number {
				x, y := p.compute(list, op.Mul, 'u', other, p.scope[anything]), index
				if p.chance(2) {
					x, y = y, x
				}
				return p.compute(list, op.Add, 'u', x, y)
			})
		case 2:
			makers = append(makers, func(list *[]*statement) number { return p.compute(list, op.Add, 'u', to, p.scope[anything]) })
		default:
			makers = append(makers, func(list *[]*statement) number { return p.compute(list, o, 'u', index, k) })
		}
	}
	itself := func(*[]*statement) number { return index }
	makers = append(makers, itself, itself)
	compared := func(list *[]*statement) number {
		x, y := makers[p.random.IntN(len(makers))](list), p.scope[lengthOfA+p.random.IntN(3)]
		switch p.random.IntN(8) {
		case 0:
			y = p.bound(list)
		case 1:
			return p.compute(list, op.Ge, 'b', index, p.small())
		}
		if p.chance(3) {
			return p.compute(list, op.Gt, 'b', y, x)
		}
		return p.compute(list, []op.Op{op.Lt, op.Lt, op.Le}[p.random.IntN(3)], 'b', x, y)
	}
	condition := compared(list)
	nested, visible := p.chance(3), len(p.scope)
	inner, no := list, number{id: -1, kind: 'b'}
	var around []*statement
	for range 1 + p.random.IntN(3) {
		s := &statement{form: branch, label: p.label(), args: []number{condition}}
		if nested { // if x { if y { … } }
			s.blocks[1] = []*statement{{form: leave, target: s}}
			p.emit(inner, s)
			inner, around = &s.blocks[0], append(around, s)
			condition = compared(inner)
			continue
		}
		s.results = []number{p.value('b')}
		p.inside(func() {
			y := compared(&s.blocks[0])
			s.blocks[0] = append(s.blocks[0], &statement{form: leave, target: s, args: []number{y}})
		})
		s.blocks[1] = []*statement{{form: leave, target: s, args: []number{no}}}
		condition = p.emit(inner, s).results[0]
	}
	s := &statement{form: branch, label: p.label(), args: []number{condition}}
	for n := range s.blocks {
		p.inside(func() {
			body := &s.blocks[n]
			for _, made := range makers[:3] {
				for array := range 3 {
					p.access(body, made(body), array, 0)
				}
			}
			p.access(body, p.compute(body, op.Sub, 'u', index, p.small()), p.random.IntN(3), 0)
			s.blocks[n] = append(s.blocks[n], &statement{form: leave, target: s})
		})
	}
	p.emit(inner, s)
	for _, s := range around {
		s.blocks[0] = append(s.blocks[0], &statement{form: leave, target: s})
	}
	p.scope = p.scope[:visible]
}

// choosingLoop has parameters whose next values a branch or an operation chooses, as rings and
// binary searches have. They index arrays in the loop and after it.
func (p *program) choosingLoop(list *[]*statement, start, other number) {
	zero, length := number{id: -1, kind: 'u'}, p.scope[lengthOfA+p.random.IntN(3)]
	pick := func(of ...number) number { return of[p.random.IntN(len(of))] }
	s := &statement{form: cycleOf, label: p.label(), args: []number{pick(zero, zero, start, p.small()), pick(zero, length, length, start, other)},
		params: [2][]number{{p.value('u'), p.value('u')}, {p.value('u'), p.value('u')}}, results: []number{p.value('u')}}
	low, high := s.params[0][0], s.params[0][1]
	p.inside(func() {
		p.scope = append(p.scope, low, high)
		body := &s.blocks[0]
		x, y := low, pick(high, high, length, p.bound(body))
		c := p.compute(body, []op.Op{op.Lt, op.Lt, op.Lt, op.Le, op.Ne}[p.random.IntN(5)], 'b', x, y)
		test := &statement{form: branch, label: p.label(), args: []number{c}}
		test.blocks[0] = []*statement{{form: leave, target: test}}
		test.blocks[1] = []*statement{{form: leave, target: s, args: []number{pick(low, high, high, start)}}}
		p.emit(body, test)
		middle := p.compute(body, op.Shr, 'u', p.compute(body, op.Add, 'u', low, high), number{id: -1, kind: 'u', bits: 1})
		if p.chance(2) {
			middle = p.compute(body, op.Add, 'u', low, p.compute(body, op.Div, 'u', p.compute(body, op.Sub, 'u', high, low), p.small()))
		}
		for array := range 3 {
			for _, i := range []number{low, high, middle} {
				p.access(body, i, array, 0)
			}
		}
		up := p.compute(body, op.Add, 'u', pick(middle, low), number{id: -1, kind: 'u', bits: 1})
		chosen := &statement{form: branch, label: p.label(), args: []number{p.pick('b')}, results: []number{p.value('u'), p.value('u')}}
		next := p.compute(body, []op.Op{op.Rem, op.Min, op.And}[p.random.IntN(3)], 'u', up, pick(length, p.compute(body, op.Sub, 'u', length, p.small())))
		for n := range chosen.blocks {
			chosen.blocks[n] = []*statement{{form: leave, target: chosen, args: []number{pick(low, up, up, middle), pick(high, high, middle, low, next, up)}}}
		}
		p.emit(body, chosen)
		*body = append(*body, &statement{form: carryOn, target: s, args: []number{pick(up, chosen.results[0]), pick(chosen.results[1], chosen.results[1], next)}})
		s.blocks[1] = []*statement{{form: endRound, target: s, args: s.params[1]}}
	})
	p.emit(list, s)
	for array := range 3 {
		p.access(list, s.results[0], array, 0)
		p.access(list, p.compute(list, op.Sub, 'u', s.results[0], p.small()), array, 0)
	}
}

// guardedLoop counts up or down from a number, and goes to elements on the way.
func (p *program) guardedLoop(list *[]*statement, start, bound number) {
	s := &statement{form: cycleOf, label: p.label(), args: []number{start}, params: [2][]number{{p.value('u')}}}
	p.inside(func() {
		v := s.params[0][0]
		p.scope = append(p.scope, v)
		body := &s.blocks[0]
		if p.chance(2) {
			bound = p.bound(body)
		} else if p.chance(2) {
			bound = p.small()
		}
		p.test(body, s, comparisons[p.random.IntN(len(comparisons))].o, v, bound)
		for _, i := range append(p.indices(body, v, start), v, p.compute(body, op.Sub, 'u', start, v), p.compute(body, op.Sub, 'u', v, start)) {
			for array := range 3 {
				p.access(body, i, array, 0)
			}
		}
		*body = append(*body, &statement{form: carryOn, target: s})
		o := []op.Op{op.Add, op.Sub, op.Shr, op.Div, op.Mul}[p.random.IntN(5)]
		s.blocks[1] = append(s.blocks[1], &statement{form: endRound, target: s, args: []number{p.compute(&s.blocks[1], o, 'u', v, p.small())}})
	})
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
	switch p.random.IntN(13) {
	case 10:
		made = append(made, p.compute(list, op.Add, 'u', x, number{id: -1, kind: 'u', bits: -uint32(1 + p.random.IntN(20))}))
	case 11:
		made = append(made, p.compute(list, op.Add, 'u', p.compute(list, op.Rem, 'u', x, p.bound(list)), p.small()))
	case 12:
		made = append(made, p.compute(list, []op.Op{op.Rem, op.Div}[p.random.IntN(2)], 'u', x, p.scope[anything]))
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

// TestFactorsWithSigns: y <= h says that w·y <= w·h if w is positive, and not if it may be
// negative.
func TestFactorsWithSigns(t *testing.T) {
	for low, want := range map[string]bool{"1i": true, "-5i": false} {
		m := rangeKernel(t, `
  %w = clamp %s, `+low+`, 5i : i32
  %i = bitcast %li : i32
  %far = sub %i, 100i : i32
  %h = clamp %s, -100i, 100i : i32
  %c = le %far, %h : bool
  %wh = mul %w, %h : i32
  %wy = mul %w, %far : i32
  %bound = bitcast %length : i32
  %d = lt %wh, %bound : bool
  %e = ge %wy, 0i : bool
  %cd = and %c, %d : bool
  %all = and %cd, %e : bool
  if ^a %all {
    %p = access @x, %wy : ptr<storage, f32>
    exit ^a()
  } else {
    exit ^a()
  }
`)
		f := m.Kernels()[0]
		a := Ranges{Indices: true}
		a.Analyse(f)
		for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
			if f.Op(i) == op.Access && a.Proves(i, 0) != want {
				t.Errorf("from %s on: that the access is in bounds is %v, want %v", low, !want, want)
			}
		}
	}
}

// unwrapped reports whether a sum, a product or the like is that of the numbers.
func unwrapped(o op.Op, signed bool, x [3]int64) bool {
	a, b := big.NewInt(x[0]), big.NewInt(x[1])
	switch o {
	case op.Add:
		a.Add(a, b)
	case op.Sub:
		a.Sub(a, b)
	case op.Mul:
		a.Mul(a, b)
	case op.Neg:
		a.Neg(a)
	case op.Shl:
		a.Lsh(a, uint(x[1]%32))
	}
	return a.IsInt64() && wrapTo(32, signed, a.Int64()) == a.Int64()
}
