package check

import (
	"github.com/gpuc/gpuc/frontend/wgsl/semantics"
	"github.com/gpuc/gpuc/frontend/wgsl/suggest"
	"github.com/gpuc/gpuc/frontend/wgsl/syntax"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

// This file checks the attributes of what goes into and out of entry points.

// interpolation is the type and sampling of @interpolate.
type interpolation struct {
	kind, sampling string
}

// ioAttributes is what a parameter, result or structure member says about its
// place in a stage's interface.
type ioAttributes struct {
	span          source.Span // of the attributes
	builtin       uint8       // 1 + row in builtinValues
	located       bool
	location      uint32
	blended       bool
	blendSource   uint32
	invariant     bool
	interpolate   bool
	failed        bool // in error, as was reported
	interpolation interpolation
}

func (a *ioAttributes) any() bool {
	return a.builtin != 0 || a.located || a.blended || a.invariant || a.interpolate
}

// builtinUse is where a builtin value can be used.
type builtinUse struct {
	stage  semantics.Stage
	output bool
}

// builtinValues is the table of builtin values (WGSL §13.3.1.1). A type of
// ir.Void is a rule of its own.
var builtinValues = []struct {
	name      string
	typ       ir.Type // of the scalar
	size      int
	uses      []builtinUse
	extension extension
	value     ir.Builtin
}{
	{name: "vertex_index", typ: ir.U32, size: 1, uses: []builtinUse{{semantics.Vertex, false}}},
	{name: "instance_index", typ: ir.U32, size: 1, uses: []builtinUse{{semantics.Vertex, false}}},
	{name: "clip_distances", uses: []builtinUse{{semantics.Vertex, true}}, extension: extensionClipDistances},
	{name: "position", typ: ir.F32, size: 4, uses: []builtinUse{{semantics.Vertex, true}, {semantics.Fragment, false}}},
	{name: "front_facing", typ: ir.Bool, size: 1, uses: []builtinUse{{semantics.Fragment, false}}},
	{name: "frag_depth", typ: ir.F32, size: 1, uses: []builtinUse{{semantics.Fragment, true}}},
	{name: "primitive_index", typ: ir.U32, size: 1, uses: []builtinUse{{semantics.Fragment, false}}, extension: extensionPrimitiveIndex},
	{name: "sample_index", typ: ir.U32, size: 1, uses: []builtinUse{{semantics.Fragment, false}}},
	{name: "sample_mask", typ: ir.U32, size: 1, uses: []builtinUse{{semantics.Fragment, false}, {semantics.Fragment, true}}},
	{name: "local_invocation_id", typ: ir.U32, size: 3, uses: []builtinUse{{semantics.Compute, false}}, value: ir.LocalInvocationID},
	{name: "local_invocation_index", typ: ir.U32, size: 1, uses: []builtinUse{{semantics.Compute, false}}, value: ir.LocalInvocationIndex},
	{name: "global_invocation_id", typ: ir.U32, size: 3, uses: []builtinUse{{semantics.Compute, false}}, value: ir.GlobalInvocationID},
	{name: "global_invocation_index", typ: ir.U32, size: 1, uses: []builtinUse{{semantics.Compute, false}}, value: ir.GlobalInvocationIndex},
	{name: "workgroup_id", typ: ir.U32, size: 3, uses: []builtinUse{{semantics.Compute, false}}, value: ir.WorkgroupID},
	{name: "workgroup_index", typ: ir.U32, size: 1, uses: []builtinUse{{semantics.Compute, false}}, value: ir.WorkgroupIndex},
	{name: "num_workgroups", typ: ir.U32, size: 3, uses: []builtinUse{{semantics.Compute, false}}, value: ir.NumWorkgroups},
	{name: "subgroup_invocation_id", typ: ir.U32, size: 1, uses: []builtinUse{{semantics.Compute, false}, {semantics.Fragment, false}}, extension: extensionSubgroups, value: ir.SubgroupInvocationID},
	{name: "subgroup_size", typ: ir.U32, size: 1, uses: []builtinUse{{semantics.Compute, false}, {semantics.Fragment, false}}, extension: extensionSubgroups, value: ir.SubgroupSize},
	{name: "subgroup_id", typ: ir.U32, size: 1, uses: []builtinUse{{semantics.Compute, false}}, extension: extensionSubgroups, value: ir.SubgroupID},
	{name: "num_subgroups", typ: ir.U32, size: 1, uses: []builtinUse{{semantics.Compute, false}}, extension: extensionSubgroups, value: ir.NumSubgroups},
}

// ioAttributes reads the attributes of the interface.
func (c *Checker) ioAttributes(s *attributeSet, list syntax.List) (io ioAttributes) {
	if list.Len == 0 {
		return io
	}
	all := c.tree.AttributeList(list)
	io.span = all[0].Span.To(all[len(all)-1].Span)
	set := *s // evaluating arguments reads no attributes, but keep what we have
	if a := set.at[attributeBuiltin]; a != nil {
		if word, span, ok := c.attributeWord(a, 0); ok {
			io.builtin = c.builtinValue(word, span)
		}
		c.depthMode(a, io.builtin)
		io.failed = io.builtin == 0
	}
	if a := set.at[attributeLocation]; a != nil {
		io.location, _ = c.attributeInteger(a, 0)
		io.located = true
	}
	if a := set.at[attributeBlendSource]; a != nil {
		v, ok := c.attributeInteger(a, 0)
		if ok && v > 1 {
			c.error(diag.InvalidAttribute, a.Span, "@blend_src is 0 or 1, found "+itoa(uint64(v)))
		}
		io.blended, io.blendSource = true, v
		if !io.located {
			c.error(diag.InvalidAttribute, a.Span, "@blend_src needs @location")
		} else if io.location != 0 {
			c.error(diag.InvalidAttribute, a.Span, "@blend_src needs @location(0)")
		}
	}
	io.invariant = set.has(attributeInvariant)
	if a := set.at[attributeInterpolate]; a != nil {
		io.interpolate = true
		io.interpolation = c.interpolation(a)
		if !io.located {
			c.error(diag.InvalidAttribute, a.Span, "@interpolate needs @location")
		}
	}
	if io.invariant && (io.builtin == 0 || builtinValues[io.builtin-1].name != "position") {
		c.error(diag.InvalidAttribute, set.span(attributeInvariant), "@invariant belongs on @builtin(position)")
	}
	if io.builtin != 0 && io.located {
		c.error(diag.InvalidAttribute, io.span, "@builtin and @location exclude each other")
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
	case builtin != 0 && builtinValues[builtin-1].name != "frag_depth":
		c.error(diag.InvalidAttribute, span, "only @builtin(frag_depth) has a second argument, its depth mode")
	case word != "less" && word != "greater":
		c.error(diag.InvalidAttribute, span, "the depth mode is less or greater, found `"+word+"`")
	}
}

func (c *Checker) builtinValue(name string, span source.Span) uint8 {
	for i := range builtinValues {
		v := &builtinValues[i]
		if v.name != name {
			continue
		}
		if v.extension&^c.enabled != 0 {
			for _, row := range extensionRows {
				if row.bits == v.extension {
					c.error(diag.MissingExtension, span, "the builtin value "+name+" needs the extension "+row.name)
				}
			}
		}
		return uint8(i + 1)
	}
	d := diag.Diagnostic{Code: diag.InvalidAttribute, Span: span, Message: "there is no builtin value `" + name + "`"}
	best := suggest.Suggestion{Name: name}
	for i := range builtinValues {
		best.Consider(builtinValues[i].name)
	}
	best.AddTo(&d)
	c.list.Add(d)
	return 0
}

// samplings lists the interpolation samplings that go with each type.
var samplings = map[string][]string{
	"perspective": {"center", "centroid", "sample"}, "linear": {"center", "centroid", "sample"}, "flat": {"first", "either"},
}

func (c *Checker) interpolation(a *syntax.Attribute) (i interpolation) {
	kind, span, ok := c.attributeWord(a, 0)
	if !ok {
		return i
	}
	allowed, known := samplings[kind]
	if !known {
		c.error(diag.InvalidAttribute, span, "expected perspective, linear or flat, found `"+kind+"`")
		return i
	}
	i.kind = kind
	if a.Arguments.Len < 2 {
		return i
	}
	sampling, span, ok := c.attributeWord(a, 1)
	if !ok {
		return i
	}
	for _, s := range allowed {
		if s == sampling {
			i.sampling = s
			return i
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
	return i
}
