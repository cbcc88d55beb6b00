// Package rulegen reads the rewrite rules of opt/simplify.rules and writes them as tables in Go.
// The rules are data for the tests too, which evaluate both sides of each with random operands.
package rulegen

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// Rule is one rewrite rule; simplify.rules describes the parts.
type Rule struct {
	Name            string
	Text            string // as in the file
	Group           string
	Classes         map[string]string
	Pattern, Result *Node
	Conditions      []Condition
	Relaxed, Fast   bool
}

// Condition is a function of the simplify pass on bound variables.
type Condition struct {
	Name      string
	Variables []string
}

// Kind is what a node is.
type Kind int

// The kinds of node. A function computes a constant from constants.
const (
	Variable Kind = iota
	Constant
	Number
	Operation
	Function
)

// Node is a pattern or a result.
type Node struct {
	Kind  Kind
	Name  string // of a variable, constant or function
	Op    op.Op  // of an operation, and what the function fold evaluates
	Value float64
	Args  []*Node
}

// functions are the names of constant functions besides fold.
var functions = map[string]bool{"log2": true, "reciprocal": true}

// Classes say which scalar kinds the variables of a class have.
var Classes = map[string]func(k scalar.Kind) bool{
	"int":    scalar.Kind.IsInteger,
	"uint":   func(k scalar.Kind) bool { return k.IsInteger() && !k.IsSigned() },
	"sint":   func(k scalar.Kind) bool { return k.IsInteger() && k.IsSigned() },
	"float":  scalar.Kind.IsFloat,
	"bool":   func(k scalar.Kind) bool { return k == scalar.Bool },
	"bits":   func(k scalar.Kind) bool { return k == scalar.Bool || k.IsInteger() },
	"number": scalar.Kind.IsNumeric,
	"u32":    func(k scalar.Kind) bool { return k == scalar.U32 },
}

// Parse reads a rules file.
func Parse(text string) (rules []Rule, err error) {
	defer func() {
		if r := recover(); r != nil {
			message, ok := r.(parseError)
			if !ok {
				panic(r)
			}
			err = fmt.Errorf("%s", string(message))
		}
	}()
	names := map[string]bool{}
	p := &parser{text: text}
	group := ""
	for {
		p.space()
		if p.at == len(p.text) {
			return rules, nil
		}
		start := p.at
		tree := p.tree()
		if tree.head() == "group" && len(tree.list) == 2 {
			group = tree.list[1].atom
			continue
		}
		r := newRule(tree)
		r.Text, r.Group = p.text[start:p.at], group
		if names[r.Name] {
			fail("rule %s occurs twice", r.Name)
		}
		names[r.Name] = true
		rules = append(rules, r)
	}
}

type parseError string

func fail(format string, args ...any) { panic(parseError(fmt.Sprintf(format, args...))) }

type parser struct {
	text string
	at   int
}

// tree is an S-expression: an atom or a list.
type tree struct {
	atom string
	list []tree
}

func (p *parser) space() {
	for p.at < len(p.text) {
		switch c := p.text[p.at]; {
		case c == ' ' || c == '\n' || c == '\t':
			p.at++
		case c == ';':
			end := strings.IndexByte(p.text[p.at:], '\n')
			if end < 0 {
				end = len(p.text) - p.at
			}
			p.at += end
		default:
			return
		}
	}
}

func (p *parser) tree() tree {
	p.space()
	if p.at == len(p.text) {
		fail("the file ends inside of a rule")
	}
	if p.text[p.at] != '(' {
		start := p.at
		for p.at < len(p.text) && !strings.ContainsRune(" \n\t();", rune(p.text[p.at])) {
			p.at++
		}
		if start == p.at {
			fail("unexpected %q", p.text[p.at:p.at+1])
		}
		return tree{atom: p.text[start:p.at]}
	}
	p.at++
	t := tree{list: []tree{}}
	for {
		p.space()
		if p.at < len(p.text) && p.text[p.at] == ')' {
			p.at++
			return t
		}
		t.list = append(t.list, p.tree())
	}
}

func (t tree) head() string {
	if len(t.list) == 0 {
		return ""
	}
	return t.list[0].atom
}

func newRule(t tree) Rule {
	if t.head() != "rule" || len(t.list) < 4 {
		fail("expected (rule NAME … PATTERN RESULT …)")
	}
	r := Rule{Name: t.list[1].atom, Classes: map[string]string{}}
	rest := t.list[2:]
	for len(rest) > 2 && len(rest[0].list) == 2 && Classes[rest[0].list[1].atom] != nil {
		r.Classes[rest[0].head()] = rest[0].list[1].atom
		rest = rest[1:]
	}
	if len(rest) < 2 {
		fail("rule %s has no result", r.Name)
	}
	bound := map[string]bool{"i": true}
	r.Pattern = pattern(rest[0], bound)
	if r.Pattern.Kind != Operation {
		fail("rule %s does not match an operation", r.Name)
	}
	r.Result = result(rest[1], bound)
	for v := range r.Classes {
		if !bound[v] {
			fail("rule %s: %s is not in the pattern", r.Name, v)
		}
	}
	for _, guard := range rest[2:] {
		switch guard.head() {
		case "relaxed":
			r.Relaxed = true
		case "fast":
			r.Fast = true
		case "if":
			c := Condition{Name: guard.list[1].head()}
			for _, v := range guard.list[1].list[1:] {
				if !bound[v.atom] {
					fail("rule %s: %s is not in the pattern", r.Name, v.atom)
				}
				c.Variables = append(c.Variables, v.atom)
			}
			r.Conditions = append(r.Conditions, c)
		default:
			fail("rule %s: unknown guard %q", r.Name, guard.head())
		}
	}
	return r
}

// leaf reads a number, or the name of a variable.
func leaf(atom string) *Node {
	switch atom {
	case "true":
		return &Node{Kind: Number, Value: 1}
	case "false":
		return &Node{Kind: Number, Value: 0}
	case "-0":
		return &Node{Kind: Number, Value: math.Copysign(0, -1)}
	}
	if x, err := strconv.ParseFloat(atom, 64); err == nil {
		return &Node{Kind: Number, Value: x}
	}
	return &Node{Kind: Variable, Name: atom}
}

func pattern(t tree, bound map[string]bool) *Node {
	if t.list == nil {
		n := leaf(t.atom)
		if n.Kind == Variable {
			bound[n.Name] = true
		}
		return n
	}
	if t.head() == "const" {
		bound[t.list[1].atom] = true
		return &Node{Kind: Constant, Name: t.list[1].atom}
	}
	n := operation(t)
	for _, a := range t.list[1:] {
		n.Args = append(n.Args, pattern(a, bound))
	}
	if n.Op.Info().Commutative && n.Args[0].Kind != Variable && n.Args[0].Kind != Operation {
		fail("(%s …): the constant must be the right operand", n.Op)
	}
	return n
}

func operation(t tree) *Node {
	o, ok := op.Lookup(t.head())
	if !ok {
		fail("no operation is called %q", t.head())
	}
	want := op.SignatureOf(o).Count
	if o == op.Select {
		want = 3
	}
	if got := len(t.list) - 1; got != want {
		fail("(%s …) has %d operands, want %d", o, got, want)
	}
	return &Node{Kind: Operation, Op: o}
}

func result(t tree, bound map[string]bool) *Node {
	if t.list == nil {
		n := leaf(t.atom)
		if n.Kind == Variable && !bound[n.Name] {
			fail("%s is not in the pattern", n.Name)
		}
		return n
	}
	var n *Node
	args := t.list[1:]
	switch {
	case t.head() == "fold":
		o, ok := op.Lookup(t.list[1].atom)
		if !ok {
			fail("no operation is called %q", t.list[1].atom)
		}
		n = &Node{Kind: Function, Name: "fold", Op: o}
		args = args[1:]
	case functions[t.head()]:
		n = &Node{Kind: Function, Name: t.head()}
	default:
		n = operation(t)
	}
	for _, a := range args {
		n.Args = append(n.Args, result(a, bound))
	}
	return n
}
