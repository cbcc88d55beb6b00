package analysis

import (
	"fmt"
	"testing"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// Random programs of integers, conditions and loops, which a small evaluator of the generator's own
// tree runs. Every value must lie in the interval that the analysis has for it. Every claim must be
// true whenever the instruction is executed. The analysis sees the tree as IR text. The two share
// nothing: what operations mean is interval_test.go's.

// claimant runs a program and holds the analysis against it.
type claimant struct {
	t       *testing.T
	p       *program
	bits    []uint32 // by id
	steps   int
	within  []Interval // by id; empty for what is not followed
	lowest  []Residue  // by id
	claims  map[*statement][2]bool
	checked [3]int              // values, claims, lowest bits
	guarded map[*statement]bool // accesses of runtime-sized arrays that are in bounds
	failed  bool
}

// run analyses a program and executes parts of it with several inputs, each part
// until it has executed so many steps. A part uses no value of another.
func (p *program) run(t *testing.T, maxSteps int, parts ...[]*statement) (c *claimant) {
	m := p.module(t)
	f := m.Kernels()[0]
	a := Ranges{Arithmetic: true, Decisions: true, Indices: true}
	a.Analyse(f)
	c = &claimant{t: t, p: p, bits: make([]uint32, len(p.kinds)), within: make([]Interval, len(p.kinds)),
		lowest: make([]Residue, len(p.kinds)), claims: map[*statement][2]bool{}, guarded: map[*statement]bool{}}
	defined := map[string]ir.Value{}
	for v := ir.Value(1); int(v) < f.ValueCount(); v++ {
		defined[f.ValueName(v)] = v
	}
	for id, kind := range p.kinds {
		if kind != 'b' {
			v := defined[fmt.Sprintf("v%d", id)]
			c.within[id], c.lowest[id] = a.Of(v), a.Residue(v)
		}
	}
	var claims func(block []*statement)
	claims = func(block []*statement) {
		for _, s := range block {
			name := fmt.Sprintf("p%d", s.label)
			if s.form == compute {
				name = fmt.Sprintf("v%d", s.results[0].id)
			}
			if s.form == compute || s.form == access {
				i, ok := f.Def(defined[name])
				if !ok {
					t.Fatalf("%%%s is not defined", name)
				}
				c.claims[s] = [2]bool{a.Proves(i, 0), a.Proves(i, 1)}
			}
			claims(s.blocks[0])
			claims(s.blocks[1])
		}
	}
	claims(p.body)
	for _, in := range [][5]uint32{
		{0, 1, 1, 1, 1}, {5, 7, 3, 2, 9}, {63, 16, 16, 40, 4}, {17, 1<<31 - 1, 18, 17, 1 << 30}, {1, 1 << 31, 2, 1, 3}, {40, 1<<31 + 9, 7, 1 << 30, 1 << 29},
		{2, 1<<32 - 1, 1, 1, 2}, {9, 1<<32 - 2, 20, 5, 10}, {3, 4, 4, 16, 15}, {12, 12, 13, 14, 12}, {33, 8, 100, 100, 100},
	} {
		c.set(number{id: localIndex, kind: 'u'}, in[0])
		c.set(number{id: localX, kind: 'u'}, in[0]%16)
		c.set(number{id: anything, kind: 'u'}, in[1])
		c.set(number{id: signedAnything, kind: 'i'}, in[1])
		for n := range 3 {
			length := in[2+n]
			if p.large && length >= 1<<29 {
				length *= 3
			}
			c.set(number{id: lengthOfA + n, kind: 'u'}, length)
		}
		for _, part := range parts {
			c.steps = maxSteps
			c.block(part)
		}
	}
	if c.failed {
		t.Log(p.text.String())
	}
	return c
}

// of returns a value as a number.
func (c *claimant) of(v number) int64 {
	bits := v.bits
	if v.id >= 0 {
		bits = c.bits[v.id]
	}
	if v.kind == 'i' {
		return int64(int32(bits))
	}
	return int64(bits)
}

func (c *claimant) fail(format string, args ...any) {
	if !c.failed {
		c.t.Errorf(format, args...)
	}
	c.failed = true
}

func (c *claimant) set(v number, bits uint32) {
	c.bits[v.id] = bits
	if r := c.within[v.id]; v.kind != 'b' {
		c.checked[0]++
		if x := c.of(v); !r.contains(x) {
			c.fail("%v is %d, outside of [%d, %d)", v, x, r.Low, r.End)
		}
		if r := c.lowest[v.id]; r.Count > 0 {
			c.checked[2]++
			if !r.has(int64(bits)) {
				c.fail("%v is %#x, whose lowest bits are not %v", v, bits, r)
			}
		}
	}
}

func (c *claimant) setAll(targets, values []number) {
	var bits [8]uint32
	for n, v := range values {
		bits[n] = uint32(c.of(v))
	}
	for n, p := range targets {
		c.set(p, bits[n])
	}
}

// block executes statements, and returns the one by which a block is left that
// does not end at its own control statement; nil means that the steps are used up.
func (c *claimant) block(list []*statement) *statement {
	for _, s := range list {
		if c.steps--; c.steps < 0 {
			return nil
		}
		switch s.form {
		case compute:
			c.compute(s)
		case cast:
			c.set(s.results[0], uint32(c.of(s.args[0])))
		case access:
			count := int64(s.count)
			if s.count == 0 {
				count = int64(c.bits[lengthOfA+s.array])
			}
			c.claim(s, 0, c.of(s.args[0]) >= 0 && c.of(s.args[0]) < count)
			if s.count == 0 && c.claims[s][0] {
				c.guarded[s] = true
			}
		case branch:
			end := c.block(s.blocks[1-c.of(s.args[0])])
			if end == nil || end.form != leave || end.target != s {
				return end
			}
			c.setAll(s.results, end.args)
		case cycleOf:
			if end := c.loop(s); end != nil {
				if end.target == s {
					continue
				}
				return end
			}
			return nil
		default:
			return s
		}
	}
	return &statement{} // the end of the program
}

// loop returns how a loop is left; its results are set if it is left by an exit of
// its own.
func (c *claimant) loop(s *statement) *statement {
	c.setAll(s.params[0], s.args)
	for {
		end := c.block(s.blocks[0])
		if end == nil || end.target != s {
			return end
		}
		if end.form == leave {
			c.setAll(s.results, end.args)
			return end
		}
		c.setAll(s.params[1], end.args)
		end = c.block(s.blocks[1])
		if end == nil {
			return nil
		}
		if end.until != nil && c.of(*end.until) == 1 {
			c.setAll(s.results, end.untilHas)
			return end
		}
		c.setAll(s.params[0], end.args)
	}
}

func (c *claimant) compute(s *statement) {
	var x [3]int64
	for n, v := range s.args {
		x[n] = c.of(v)
	}
	r := s.results[0]
	if r.kind == 'b' {
		holds := false
		switch s.o {
		case op.Not:
			holds = x[0] == 0
		case op.And:
			holds = x[0]+x[1] == 2
		case op.Or:
			holds = x[0]+x[1] > 0
		default:
			for _, o := range comparisons {
				if o.o == s.o {
					holds = o.holds(x[0], x[1])
					c.claim(s, First, holds)
					c.claim(s, Second, !holds)
				}
			}
		}
		c.bits[r.id] = 0
		if holds {
			c.bits[r.id] = 1
		}
		return
	}
	made := uint32(computed(s.o, 32, r.kind == 'i', x))
	switch s.o {
	case op.Div, op.Rem:
		c.claim(s, 0, x[1] != 0 && !(r.kind == 'i' && x[1] == -1 && x[0] == -1<<31))
		c.claim(s, Second, x[0] >= 0 && x[1] > 0)
	case op.Min, op.Max, op.And:
		c.claim(s, First, made == uint32(x[0]))
		c.claim(s, Second, made == uint32(x[1]))
	case op.Shl, op.Shr:
		c.claim(s, 0, x[1] < 32)
		c.claim(s, 1, unwrapped(s.o, r.kind == 'i', x))
	default:
		c.claim(s, 1, unwrapped(s.o, r.kind == 'i', x))
	}
	c.set(r, made)
}

// claim checks the n-th claim about a statement.
func (c *claimant) claim(s *statement, n int, holds bool) {
	if !c.claims[s][n] {
		return
	}
	c.checked[1]++
	if !holds {
		c.fail("wrong claim %d about %%p%d or %v: operands %v", n, s.label, s.results, func() (list []int64) {
			for _, v := range s.args {
				list = append(list, c.of(v))
			}
			return list
		}())
	}
}

// TestClaims runs random programs.
func TestClaims(t *testing.T) {
	programs := uint64(1500)
	if exhaustive() {
		programs = 100_000
	}
	var checked [3]int
	guarded := 0
	for seed := range programs {
		p := newProgram(seed)
		p.body = p.block(3)
		p.loop(&p.body, 2)
		c := p.run(t, 1000, p.body)
		if c.failed {
			t.Fatalf("seed %d", seed)
		}
		checked[0] += c.checked[0]
		checked[1] += c.checked[1]
		checked[2] += c.checked[2]
		guarded += len(c.guarded)
	}
	t.Logf("%d values, the lowest bits of %d and %d claims were checked, %d accesses of them by what guards say", checked[0], checked[2], checked[1], guarded)
	if checked[0] < 100_000 || checked[1] < 10_000 || checked[2] < 10_000 || guarded < 500 {
		t.Errorf("only %d values, the lowest bits of %d and %d claims were checked, %d accesses of them by what guards say", checked[0], checked[2], checked[1], guarded)
	}
}

// TestLoopsAt32Bits runs loops of one operation with numbers around which 32-bit
// arithmetic wraps, and the element of an array that the parameter names.
func TestLoopsAt32Bits(t *testing.T) {
	p := newProgram(0)
	claims := 0
	for range 120 {
		p.body = nil
		var parts [][]*statement
		for range 40 {
			kind := p.integerKind()
			edge := func() number { return number{id: -1, kind: kind, bits: edges32[p.random.IntN(len(edges32))]} }
			s := &statement{form: cycleOf, label: p.label(), args: []number{edge()}, params: [2][]number{{p.value(kind)}}}
			v := s.params[0][0]
			test := func() op.Op { return comparisons[p.random.IntN(len(comparisons))].o }
			p.inside(func() {
				bound := edge()
				if p.chance(2) {
					bound.bits = uint32(p.random.IntN(100))
				}
				if p.chance(2) {
					p.test(&s.blocks[0], s, test(), v, bound)
				}
				p.emit(&s.blocks[0], &statement{form: access, args: []number{v}, label: p.label(), count: arrayCounts[1+p.random.IntN(len(arrayCounts)-1)]})
				p.compute(&s.blocks[0], op.Or, kind, v, number{id: -1, kind: kind})
				s.blocks[0] = append(s.blocks[0], &statement{form: carryOn, target: s})
				o := provedOps[2][p.random.IntN(len(provedOps[2]))]
				by := edge()
				if o == op.Shl || o == op.Shr {
					by.kind = 'u'
				}
				end := &statement{form: endRound, target: s, args: []number{p.compute(&s.blocks[1], o, kind, v, by)}}
				if p.chance(2) {
					c := p.compute(&s.blocks[1], test(), 'b', end.args[0], bound)
					end.until = &c
				}
				s.blocks[1] = append(s.blocks[1], end)
			})
			p.body = append(p.body, s)
			parts = append(parts, p.body[len(p.body)-1:])
		}
		c := p.run(t, 200, parts...)
		if c.failed {
			break
		}
		claims += c.checked[1]
	}
	if claims < 1000 {
		t.Errorf("only %d claims were checked", claims)
	}
}
