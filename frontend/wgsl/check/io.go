package check

import (
	"github.com/gpuc/gpuc/frontend/wgsl/program"
	"github.com/gpuc/gpuc/frontend/wgsl/suggest"
	"github.com/gpuc/gpuc/frontend/wgsl/syntax"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

// This file checks the attributes of what goes into and out of entry points.

// ioAttributes reads the attributes of the interface.
func (c *Checker) ioAttributes(s *attributeSet, list syntax.List) (io program.Attributes) {
	if list.Len == 0 {
		return io
	}
	all := c.tree.AttributeList(list)
	io.Span = all[0].Span.To(all[len(all)-1].Span)
	set := *s // evaluating arguments reads no attributes, but keep what we have
	if a := set.at[attributeBuiltin]; a != nil {
		if word, span, ok := c.attributeWord(a, 0); ok {
			io.Builtin = c.builtinValue(word, span)
		}
		c.depthMode(a, io.Builtin)
		io.Failed = io.Builtin == 0
	}
	if a := set.at[attributeLocation]; a != nil {
		io.Location, _ = c.attributeInteger(a, 0)
		io.Located = true
	}
	if a := set.at[attributeBlendSource]; a != nil {
		v, ok := c.attributeInteger(a, 0)
		if ok && v > 1 {
			c.error(diag.InvalidAttribute, a.Span, "@blend_src is 0 or 1, found "+itoa(uint64(v)))
		}
		io.Blended, io.BlendSource = true, v
		if !io.Located {
			c.error(diag.InvalidAttribute, a.Span, "@blend_src needs @location")
		} else if io.Location != 0 {
			c.error(diag.InvalidAttribute, a.Span, "@blend_src needs @location(0)")
		}
	}
	io.Invariant = set.has(attributeInvariant)
	if a := set.at[attributeInterpolate]; a != nil {
		io.Interpolate = true
		io.Flat = c.interpolation(a)
		if !io.Located {
			c.error(diag.InvalidAttribute, a.Span, "@interpolate needs @location")
		}
	}
	if io.Invariant && (io.Builtin == 0 || program.BuiltinValues[io.Builtin-1].Name != "position") {
		c.error(diag.InvalidAttribute, set.span(attributeInvariant), "@invariant belongs on @builtin(position)")
	}
	if io.Builtin != 0 && io.Located {
		c.error(diag.InvalidAttribute, io.Span, "@builtin and @location exclude each other")
	}
	return io
}

// depthMode checks the second argument of @builtin(frag_depth, less).
func (c *Checker) depthMode(a *syntax.Attribute, builtin uint8) {
	arguments := c.tree.ExprList(a.Arguments)
	if len(arguments) < 2 {
		return
	}
	word, span, ok := c.attributeWord(a, 1)
	switch {
	case !ok:
	case builtin != 0 && program.BuiltinValues[builtin-1].Name != "frag_depth":
		c.error(diag.InvalidAttribute, span, "only @builtin(frag_depth) has a second argument, its depth mode")
	case word != "less" && word != "greater":
		c.error(diag.InvalidAttribute, span, "the depth mode is less or greater, found `"+word+"`")
	}
}

func (c *Checker) builtinValue(name string, span source.Span) uint8 {
	for i := range program.BuiltinValues {
		v := &program.BuiltinValues[i]
		if v.Name != name {
			continue
		}
		if v.Extension != "" && !c.isEnabled(v.Extension) {
			c.error(diag.MissingExtension, span, "the builtin value "+name+" needs the extension "+v.Extension)
		}
		return uint8(i + 1)
	}
	d := diag.Diagnostic{Code: diag.InvalidAttribute, Span: span, Message: "there is no builtin value `" + name + "`"}
	best := suggest.Suggestion{Name: name}
	for i := range program.BuiltinValues {
		best.Consider(program.BuiltinValues[i].Name)
	}
	best.AddTo(&d)
	c.list.Add(d)
	return 0
}

// samplings lists the interpolation samplings that go with each type.
var samplings = map[string][]string{
	"perspective": {"center", "centroid", "sample"}, "linear": {"center", "centroid", "sample"}, "flat": {"first", "either"},
}

// interpolation checks @interpolate and reports whether it is flat.
func (c *Checker) interpolation(a *syntax.Attribute) (flat bool) {
	kind, span, ok := c.attributeWord(a, 0)
	if !ok {
		return false
	}
	allowed, known := samplings[kind]
	if !known {
		c.error(diag.InvalidAttribute, span, "expected perspective, linear or flat, found `"+kind+"`")
		return false
	}
	flat = kind == "flat"
	if a.Arguments.Len < 2 {
		return flat
	}
	sampling, span, ok := c.attributeWord(a, 1)
	if !ok {
		return flat
	}
	for _, s := range allowed {
		if s == sampling {
			return flat
		}
	}
	text := ""
	for n, s := range allowed {
		if n > 0 {
			text += " or "
		}
		text += s
	}
	c.error(diag.InvalidAttribute, span, "with "+kind+", expected "+text+", found `"+sampling+"`")
	return flat
}
