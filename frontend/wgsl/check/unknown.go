package check

import (
	"slices"
	"strings"

	"github.com/gpuc/gpuc/frontend/wgsl/sem"
	"github.com/gpuc/gpuc/frontend/wgsl/suggest"
	"github.com/gpuc/gpuc/frontend/wgsl/syntax"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

// This file reports undeclared names, with suggestions. It runs only after an error.

// expectation is the kind of name that is expected.
type expectation uint8

const (
	wantValue expectation = iota
	wantType
	wantFunction
	wantTarget // of an assignment
)

// maxCompared is the number of names that are compared with unknown ones, so that a program with
// thousands of unknown names does not take quadratic time.
const maxCompared = 1 << 20

// unknownName reports an undeclared name at the start of a span; arguments is the number of
// arguments of its call.
func (c *Checker) unknownName(s syntax.Symbol, span source.Span, want expectation, arguments int) {
	if c.lost(s) {
		c.poison(s, span)
		return
	}
	name := c.tree.Text(s)
	span.End = span.Start + source.Pos(len(name)) // without template arguments
	kinds := [...]string{wantValue: "value", wantType: "type", wantFunction: "function or type", wantTarget: "variable"}
	d := diag.Diagnostic{Code: diag.UnknownName, Span: span, Message: "there is no " + kinds[want] + " named `" + name + "`"}
	best := c.suggestion(s, want)
	if !suggest.Foreign(&d, name) {
		best.AddTo(&d)
		switch {
		case best.Word() != "":
		case want == wantTarget:
			d.Notes = append(d.Notes, diag.Note{Message: "variables are declared before they are used: var " + name + " = …"})
		case want != wantValue:
			suggest.NearForeign(&d, name)
		}
	} else if arguments == 1 && len(d.Fixes) > 0 && strings.HasPrefix(d.Fixes[0].Text, "mat") {
		d.Notes = append(d.Notes, diag.Note{Message: "a matrix is made of its columns or of all of its components, not of one number"})
		d.Fixes = nil
	}
	if want != wantType && want != wantFunction || !c.foreign(&d) {
		c.list.Add(d)
	}
	c.poison(s, span)
}

// suggestion finds the declared or predeclared name that an unknown one resembles.
func (c *Checker) suggestion(s syntax.Symbol, want expectation) suggest.Suggestion {
	best := suggest.Suggestion{Name: c.tree.Text(s)}
	candidates := c.current
	if c.compared += len(candidates); c.compared > maxCompared {
		candidates = nil
	}
	for other, o := range candidates {
		if o == 0 || syntax.Symbol(other) == s {
			continue
		}
		info := c.object(o)
		if info.Kind == sem.BadObject && c.facts[o].depth == ^uint16(0) {
			continue // also unknown
		}
		isType := info.Kind == sem.StructObject || info.Kind == sem.AliasObject
		isFunction := info.Kind == sem.FunctionObject
		if want == wantType && !isType || (want == wantValue || want == wantTarget) && (isType || isFunction) || want == wantFunction && !isType && !isFunction {
			continue
		}
		if best.Consider(c.tree.Text(syntax.Symbol(other))) {
			best.Span = info.Span
		}
	}
	switch want {
	case wantTarget:
	case wantValue:
		best.Consider("true")
		best.Consider("false")
	default:
		for i, word := range sem.Words() {
			k := sem.Lookup(syntax.Symbol(i + 1)).Kind
			if k == sem.FunctionName && want == wantFunction || k.IsType() {
				best.Consider(word)
			}
		}
	}
	return best
}

// foreign reports whether an error is about a name that may belong to an unknown extension, which
// has been reported: it resembles nothing known.
func (c *Checker) foreign(d *diag.Diagnostic) bool { return c.unknownExtension && len(d.Notes) == 0 }

// undeclared reports whether an expression is an undeclared name.
func (c *Checker) undeclared(n *syntax.ExprNode) bool {
	return n.Kind == syntax.IdentExpr && c.current[n.Name] == 0 && sem.Lookup(n.Name).Kind == sem.NotPredeclared
}

// lost reports whether a name may be declared in a part that the parser did not understand.
func (c *Checker) lost(s syntax.Symbol) bool { return slices.Contains(c.tree.Lost, s) }

// poison declares an unknown name, so that it is reported once.
func (c *Checker) poison(s syntax.Symbol, span source.Span) {
	if c.depth > 0 {
		c.hidden = append(c.hidden, hiding{s, 0})
	}
	c.current[s] = c.newObject(sem.ObjectInfo{Kind: sem.BadObject, Name: s, Span: span, Function: -1})
	c.facts[c.current[s]].depth = ^uint16(0)
}
