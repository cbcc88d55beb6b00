package analysis

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/internal/irtest"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// Random programs of integers, conditions and loops, which a small evaluator of the generator's own
// tree runs. Every value must lie in the interval that the analysis has for it. Every claim must be
// true whenever the instruction is executed. The analysis sees the tree as IR text. The two share
// nothing: what operations mean is interval_test.go's.

// number is an operand: the id-th value, or a constant if id is -1. The kind is u,
// i or b, for u32, i32 and bool.
type number struct {
	id   int
	kind byte
	bits uint32
}

func (v number) String() string {
	switch {
	case v.id >= 0:
		return fmt.Sprintf("%%v%d", v.id)
	case v.kind == 'u':
		return fmt.Sprintf("%du", v.bits)
	case v.kind == 'i':
		return fmt.Sprintf("%di", int32(v.bits))
	}
	return fmt.Sprint(v.bits != 0)
}

func kindName(kind byte) string {
	return map[byte]string{'u': "u32", 'i': "i32", 'b': "bool"}[kind]
}

// form is what a statement is.
type form uint8

const (
	compute form = iota // results[0] = o(args)
	cast                // results[0] = args[0] as the other integer type
	// element args[0] of an array of count elements, 0 for the runtime-sized one that array names
	access
	branch  // on args[0] to one of the blocks
	cycleOf // a loop: params start as args; blocks are its body and what continues it
	leave   // to behind target, with args as its results
	carryOn // to what continues target, with args as its params
	// of target: args are the params of the next; unless until holds, which leaves with results
	endRound
)

// statement is a node of the tree.
type statement struct {
	form     form
	o        op.Op
	args     []number
	results  []number
	count    uint32
	array    int
	label    int
	blocks   [2][]*statement
	params   [2][]number // of a loop's blocks
	target   *statement
	until    *number
	untilHas []number // what until leaves with
}

// program generates the tree and its text.
type program struct {
	random *rand.Rand
	kinds  []byte // by id
	labels int
	text   strings.Builder
	// scope are the values that are visible, around the loops and branches one is in.
	scope []number
	loops []*statement
	body  []*statement
	// large says that arrays may have any number of elements.
	large bool
	// compared are two values that were compared.
	compared [2]number
}

// The values that a program begins with: the kernel's builtins, a number of which nothing is known,
// and that as an i32, and the lengths of runtime-sized arrays.
const (
	localIndex = iota
	localX
	anything
	signedAnything
	lengthOfA
	lengthOfB
	lengthOfC
	inputs
)

var arrayCounts = []uint32{0, 1, 2, 4, 8, 10, 16, 20, 100, 256}

func newProgram(seed uint64) *program {
	p := &program{random: rand.New(rand.NewPCG(seed, 7)), large: seed%4 == 3}
	for _, kind := range "uuuiuuu" {
		p.scope = append(p.scope, p.value(byte(kind)))
	}
	return p
}

func (p *program) value(kind byte) number {
	p.kinds = append(p.kinds, kind)
	return number{id: len(p.kinds) - 1, kind: kind}
}

func (p *program) label() int { p.labels++; return p.labels }

func (p *program) chance(n int) bool { return p.random.IntN(n) == 0 }

func (p *program) constant(kind byte) number {
	v := number{id: -1, kind: kind}
	switch {
	case kind == 'b':
		v.bits = uint32(p.random.IntN(2))
	case p.chance(3):
		v.bits = edges32[p.random.IntN(len(edges32))]
	default:
		v.bits = uint32(p.random.IntN(24))
		if kind == 'i' && p.chance(4) {
			v.bits = -v.bits
		}
	}
	return v
}

// pick returns a value of a kind, the latest more often than others, or a constant.
func (p *program) pick(kind byte) number {
	for range 6 {
		n := len(p.scope)
		at := p.random.IntN(n)
		if p.chance(2) {
			at = max(n-1-p.random.IntN(5), 0)
		}
		if p.scope[at].kind == kind {
			return p.scope[at]
		}
	}
	return p.constant(kind)
}

func (p *program) integerKind() byte { return "uui"[p.random.IntN(3)] }

// emit adds a statement and makes its results visible.
func (p *program) emit(list *[]*statement, s *statement) *statement {
	*list = append(*list, s)
	p.scope = append(p.scope, s.results...)
	return s
}

func (p *program) compute(list *[]*statement, o op.Op, kind byte, args ...number) number {
	r := p.value(kind)
	p.emit(list, &statement{form: compute, o: o, args: args, results: []number{r}})
	return r
}

// arithmetic are the operations that programs compute with.
var arithmetic = slices.Concat(provedOps[1], provedOps[2], provedOps[2], provedOps[2], provedOps[3])

// operate computes with an operation, of first if that is given.
func (p *program) operate(list *[]*statement, kind byte, first *number) number {
	o := arithmetic[p.random.IntN(len(arithmetic))]
	for kind == 'u' && (o == op.Neg || o == op.Sign) {
		o = arithmetic[p.random.IntN(len(arithmetic))]
	}
	args := make([]number, op.SignatureOf(o).Count)
	for n := range args {
		k := kind
		if n > 0 && (o == op.Shl || o == op.Shr || o == op.ExtractBits) {
			k = 'u'
		}
		switch {
		case n == 0 && first != nil:
			args[n] = *first
		case p.chance(2):
			args[n] = p.constant(k)
		default:
			args[n] = p.pick(k)
		}
	}
	if len(args) == 2 && args[0].kind == args[1].kind && p.chance(8) {
		args[0], args[1] = args[1], args[0]
	}
	return p.compute(list, o, kind, args...)
}

// block generates statements, without one that ends the block.
func (p *program) block(depth int) (list []*statement) {
	for range 2 + p.random.IntN(5) {
		switch n := p.random.IntN(12); {
		case n < 1:
			p.difference(&list)
		case n < 4:
			p.operate(&list, p.integerKind(), nil)
		case n < 5: // a copy: what is known of the value here
			kind := p.integerKind()
			p.compute(&list, op.Or, kind, p.pick(kind), number{id: -1, kind: kind})
		case n < 6:
			kind := p.integerKind()
			other := byte('u' + 'i' - kind)
			p.emit(&list, &statement{form: cast, args: []number{p.pick(kind)}, results: []number{p.value(other)}})
		case n < 9:
			index := p.pick(p.integerKind())
			if v := p.compared[p.random.IntN(2)]; slices.Contains(p.scope, v) && p.chance(4) {
				index = v
			}
			if index.id < 0 { // the verifier knows of these
				index = p.scope[localX]
			}
			p.access(&list, index, p.random.IntN(3), arrayCounts[p.random.IntN(len(arrayCounts))])
		case depth > 0 && n < 10:
			p.branch(&list, depth-1)
		case depth > 0 && n < 11:
			p.guards(&list)
		case depth > 0:
			p.loop(&list, depth-1)
		}
	}
	return list
}

// inside generates a block whose values are not visible behind it.
func (p *program) inside(generate func()) {
	n := len(p.scope)
	generate()
	p.scope = p.scope[:n]
}

// picks returns values of the kinds of others.
func (p *program) picks(like []number) []number {
	var list []number
	for _, v := range like {
		list = append(list, p.pick(v.kind))
	}
	return list
}

func (p *program) branch(list *[]*statement, depth int) {
	s := &statement{form: branch, label: p.label(), args: []number{p.condition(list)}}
	for range p.random.IntN(3) {
		s.results = append(s.results, p.value(p.integerKind()))
	}
	away := p.random.IntN(8) // which block does not come to the end of the branch
	for n := range s.blocks {
		p.inside(func() {
			s.blocks[n] = p.block(depth)
			end := &statement{form: leave, target: s, args: p.picks(s.results)}
			if len(p.loops) > 0 && n == away {
				target := p.loops[p.random.IntN(len(p.loops))]
				end = &statement{form: leave, target: target, args: p.picks(target.results)}
				if p.chance(2) {
					target = p.loops[len(p.loops)-1]
					end = &statement{form: carryOn, target: target, args: p.picks(target.params[1])}
				}
			}
			s.blocks[n] = append(s.blocks[n], end)
		})
	}
	p.emit(list, s)
}

// test adds a branch that leaves a loop unless a comparison holds.
func (p *program) test(list *[]*statement, loop *statement, o op.Op, x, bound number) {
	c := p.compute(list, o, 'b', x, bound)
	s := &statement{form: branch, label: p.label(), args: []number{c}}
	stay := p.random.IntN(2)
	if stay == 1 {
		for o := range op.Count {
			if Negated[o] == (*list)[len(*list)-1].o {
				(*list)[len(*list)-1].o = o
				break
			}
		}
	}
	s.blocks[stay] = []*statement{{form: leave, target: s}}
	s.blocks[1-stay] = []*statement{{form: leave, target: loop, args: p.picks(loop.results)}}
	p.emit(list, s)
}

func (p *program) loop(list *[]*statement, depth int) {
	s := &statement{form: cycleOf, label: p.label()}
	for range p.random.IntN(2) {
		s.results = append(s.results, p.value(p.integerKind()))
	}
	for range 1 + p.random.IntN(3) {
		v := p.value(p.integerKind())
		s.params[0] = append(s.params[0], v)
		if start := p.constant(v.kind); p.chance(3) {
			s.args = append(s.args, p.pick(v.kind))
		} else {
			s.args = append(s.args, start)
		}
		if p.chance(2) {
			s.params[1] = append(s.params[1], p.value(v.kind))
		}
	}
	p.loops = append(p.loops, s)
	p.inside(func() {
		p.scope = append(p.scope, s.params[0]...)
		body := &s.blocks[0]
		v := s.params[0][p.random.IntN(len(s.params[0]))]
		if !p.chance(3) {
			bound := p.constant(v.kind)
			if p.chance(3) {
				bound = p.pick(v.kind)
			}
			p.test(body, s, comparisons[p.random.IntN(len(comparisons))].o, v, bound)
		}
		if p.chance(2) {
			*body = append(*body, p.block(depth)...)
		}
		var steps []number
		for _, u := range s.params[1] {
			from := p.pick(u.kind)
			if v.kind == u.kind && p.chance(2) {
				from = v
			}
			steps = append(steps, p.operate(body, u.kind, &from))
		}
		*body = append(*body, &statement{form: carryOn, target: s, args: steps})
	})
	p.inside(func() {
		p.scope = append(append(p.scope, s.params[0]...), s.params[1]...)
		p.loops = p.loops[:len(p.loops)-1]
		end := &statement{form: endRound, target: s}
		for n, v := range s.params[0] {
			switch {
			case n < len(s.params[1]) && s.params[1][n].kind == v.kind:
				end.args = append(end.args, s.params[1][n])
			case p.chance(5):
				end.args = append(end.args, p.pick(v.kind))
			default:
				end.args = append(end.args, p.operate(&s.blocks[1], v.kind, &v))
			}
		}
		if p.chance(2) {
			v := end.args[p.random.IntN(len(end.args))]
			c := p.compute(&s.blocks[1], comparisons[p.random.IntN(len(comparisons))].o, 'b', v, p.constant(v.kind))
			end.until, end.untilHas = &c, p.picks(s.results)
		}
		s.blocks[1] = append(s.blocks[1], end)
	})
	p.emit(list, s)
}

// module writes the program as IR and parses that.
func (p *program) module(t *testing.T) *ir.Module {
	p.text.Reset()
	w := &p.text
	for n := range 3 {
		fmt.Fprintf(w, "var @%c0 : ptr<storage, array<u32>> [group 0, binding %d]\n", 'a'+n, n)
	}
	w.WriteString("var @any : ptr<uniform, u32> [group 0, binding 3]\n")
	for _, n := range arrayCounts[1:] {
		fmt.Fprintf(w, "var @a%d : ptr<workgroup, array<u32, %du>>\n", n, n)
	}
	fmt.Fprintf(w, "kernel @main(%%v%d: u32 [local_invocation_index], %%id: vec3<u32> [local_invocation_id]) [workgroup 16u, 4u, 1u] {\n", localIndex)
	fmt.Fprintf(w, "%%v%d = extract %%id, 0u : u32\n%%v%d = load @any : u32\n%%v%d = bitcast %%v%d : i32\n", localX, anything, signedAnything, anything)
	for n := range 3 {
		fmt.Fprintf(w, "%%v%d = array_length @%c0 : u32\n", lengthOfA+n, 'a'+n)
	}
	p.write(p.body)
	w.WriteString("return\n}\n")
	m := irtest.Parse(t, w.String())
	if !p.large {
		m.MaxBytes = 1 << 32
	}
	return m
}

func list(values []number) string {
	var parts []string
	for _, v := range values {
		parts = append(parts, v.String())
	}
	return strings.Join(parts, ", ")
}

func declarations(values, starts []number) string {
	var parts []string
	for n, v := range values {
		part := fmt.Sprintf("%v: %s", v, kindName(v.kind))
		if starts != nil {
			part += " = " + starts[n].String()
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ", ")
}

func (p *program) write(block []*statement) {
	w := &p.text
	for _, s := range block {
		if (s.form == branch || s.form == cycleOf) && len(s.results) > 0 {
			fmt.Fprintf(w, "%s = ", list(s.results))
		}
		types := ""
		for n, v := range s.results {
			types += []string{" : ", ", "}[min(n, 1)] + kindName(v.kind)
		}
		switch s.form {
		case compute, cast:
			name := s.o.String()
			if s.form == cast {
				name = []string{"bitcast", "convert"}[s.results[0].id%2]
			}
			fmt.Fprintf(w, "%v = %s %s : %s\n", s.results[0], name, list(s.args), kindName(s.results[0].kind))
		case access:
			space := "workgroup"
			if s.count == 0 {
				space = "storage"
			}
			fmt.Fprintf(w, "%%p%d = access @%c%d, %v : ptr<%s, u32>\n", s.label, 'a'+s.array, s.count, s.args[0], space)
		case branch:
			fmt.Fprintf(w, "if ^l%d %v%s {\n", s.label, s.args[0], types)
			p.write(s.blocks[0])
			w.WriteString("} else {\n")
			p.write(s.blocks[1])
			w.WriteString("}\n")
		case cycleOf:
			fmt.Fprintf(w, "loop ^l%d(%s)%s {\n", s.label, declarations(s.params[0], s.args), types)
			p.write(s.blocks[0])
			w.WriteString("} continuing")
			if len(s.params[1]) > 0 {
				fmt.Fprintf(w, "(%s)", declarations(s.params[1], nil))
			}
			w.WriteString(" {\n")
			p.write(s.blocks[1])
			w.WriteString("}\n")
		case leave:
			fmt.Fprintf(w, "exit ^l%d(%s)\n", s.target.label, list(s.args))
		case carryOn:
			fmt.Fprintf(w, "continue ^l%d(%s)\n", s.target.label, list(s.args))
		case endRound:
			fmt.Fprintf(w, "next ^l%d(%s)", s.target.label, list(s.args))
			if s.until != nil {
				fmt.Fprintf(w, " break_if %v(%s)", *s.until, list(s.untilHas))
			}
			w.WriteString("\n")
		}
	}
}

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
// until it has taken so many steps. A part uses no value of another.
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

func (c *claimant) setAll(places, values []number) {
	var bits [8]uint32
	for n, v := range values {
		bits[n] = uint32(c.of(v))
	}
	for n, p := range places {
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
