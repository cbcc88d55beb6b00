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

// Random programs of integers, conditions and loops, as a tree and as IR text (claims_test.go).

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
	leave   // to after target, with args as its results
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

// inside generates a block whose values are not visible after it.
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
