package check

import (
	"slices"
	"strings"

	"github.com/gpuc/gpuc/frontend/wgsl/callgraph"
	"github.com/gpuc/gpuc/frontend/wgsl/sem"
	"github.com/gpuc/gpuc/frontend/wgsl/suggest"
	"github.com/gpuc/gpuc/frontend/wgsl/syntax"
	"github.com/gpuc/gpuc/frontend/wgsl/types"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

// This file reads the attributes of entry points (WGSL §13): stages, workgroup and subgroup sizes,
// inputs and outputs.

// stage reads the stage attributes of a function.
func (c *Checker) stage(index int32, n *syntax.DeclNode, s attributeSet) {
	stage := sem.NoStage
	failed := false
	for _, k := range [...]struct {
		a attribute
		s sem.Stage
	}{{attributeCompute, sem.Compute}, {attributeVertex, sem.Vertex}, {attributeFragment, sem.Fragment}} {
		failed = failed || s.failed[k.a]
		if s.at[k.a] == nil {
			continue
		}
		if stage != sem.NoStage {
			c.error(diag.InvalidEntryPoint, s.span(k.a), "a function has one stage")
			failed = true
		}
		stage = k.s
	}
	if failed {
		return
	}
	c.info.Functions[index].Stage = stage
	size := s.at[attributeWorkgroupSize]
	switch {
	case size != nil && stage != sem.Compute:
		c.error(diag.InvalidAttribute, size.Span, "@workgroup_size belongs on compute entry points")
		return
	case stage == sem.Compute && !s.tried(attributeWorkgroupSize):
		c.error(diag.InvalidEntryPoint, n.NameSpan, "a compute entry point needs @workgroup_size(…)",
			diag.Note{Message: "@workgroup_size(64), say, makes groups of 64 invocations"})
		return
	}
	if a := s.at[attributeSubgroupSize]; a != nil {
		if stage != sem.Compute {
			c.error(diag.InvalidAttribute, a.Span, "@subgroup_size belongs on compute entry points")
		}
		c.subgroupSize(index, a)
	}
	if size != nil {
		c.workgroupSize(index, size)
	}
}

// subgroupSize checks that @subgroup_size is a power of two. That it divides the workgroup's first
// dimension is checked when overrides have values.
func (c *Checker) subgroupSize(index int32, a *syntax.Attribute) {
	e := c.tree.ExprList(a.Arguments)[0]
	t := c.value(e)
	if t == ir.Void {
		return
	}
	span := c.tree.Expr(e).Span
	if !types.IsInteger(t) {
		c.error(diag.InvalidAttribute, span, "a subgroup size is an i32 or u32, found "+c.types.Name(t))
		return
	}
	c.concretize(e)
	v := c.info.Exprs[e].Value
	c.info.Functions[index].SubgroupSize, c.info.Functions[index].SubgroupSpan = v, a.Span
	if v == 0 {
		c.notConstant(e, "a subgroup size", true)
	} else if x, ok := c.module.ConstUint(v); v.IsConst() && (!ok || x == 0 || x&(x-1) != 0) {
		c.error(diag.InvalidAttribute, span, "a subgroup size is a positive power of two, found "+c.constText(v))
	}
}

// workgroupSize checks @workgroup_size: constants or overrides of one type.
func (c *Checker) workgroupSize(index int32, a *syntax.Attribute) {
	m := c.module
	arguments := c.tree.ExprList(a.Arguments)
	common := ir.AbstractInt
	ok := true
	for _, e := range arguments {
		t := c.value(e)
		switch {
		case t == ir.Void:
			ok = false
		case !types.IsInteger(t):
			c.error(diag.InvalidAttribute, c.tree.Expr(e).Span, "a workgroup size is an i32 or u32, found "+c.types.Name(t))
			ok = false
		case common == ir.AbstractInt:
			common = t
		case t != ir.AbstractInt && t != common:
			c.error(diag.InvalidAttribute, c.tree.Expr(e).Span, "the workgroup sizes have different types: "+c.types.Name(common)+" and "+c.types.Name(t))
			ok = false
		}
	}
	if !ok {
		return
	}
	limits := [3]uint32{c.limits.WorkgroupSizeX, c.limits.WorkgroupSizeY, c.limits.WorkgroupSizeZ}
	product := uint64(1)
	size := [3]ir.Value{m.ConstU32(1), m.ConstU32(1), m.ConstU32(1)}
	common = c.types.Concrete(common)
	for i, e := range arguments {
		c.convert(e, common)
		v := c.info.Exprs[e].Value
		span := c.tree.Expr(e).Span
		switch {
		case v == 0:
			c.notConstant(e, "a workgroup size", true)
		case v.IsConst():
			x, valid := m.ConstUint(v)
			if !valid || x == 0 {
				c.error(diag.InvalidAttribute, span, "a workgroup size is at least 1, found "+c.constText(v))
				return
			}
			if x > uint64(limits[i]) {
				c.list.Add(diag.Diagnostic{Code: diag.LimitExceeded, Severity: diag.Warning, Span: span,
					Message: "the workgroup size " + itoa(x) + " is beyond " + itoa(uint64(limits[i])) + ", which is what every device supports in this dimension"})
			}
			product *= x
			size[i] = m.ConstU32(uint32(x))
		default:
			size[i] = v
		}
	}
	if product > uint64(c.limits.Invocations) {
		c.list.Add(diag.Diagnostic{Code: diag.LimitExceeded, Severity: diag.Warning, Span: a.Span,
			Message: "the workgroup has " + itoa(product) + " invocations, and every device supports " + itoa(uint64(c.limits.Invocations))})
	}
	c.info.Functions[index].Workgroup = size
}

// ioAttributes reads the interface attributes of a syntax element.
func (c *Checker) ioAttributes(s *attributeSet, list syntax.List) (io callgraph.Attributes) {
	if list.Len == 0 {
		return io
	}
	all := c.tree.AttributeList(list)
	io.Span = all[0].Span.To(all[len(all)-1].Span)
	set := *s // evaluating arguments must not overwrite it
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
	if io.Invariant && (io.Builtin == 0 || callgraph.BuiltinValues[io.Builtin-1].Name != "position") {
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
	case builtin != 0 && callgraph.BuiltinValues[builtin-1].Name != "frag_depth":
		c.error(diag.InvalidAttribute, span, "only @builtin(frag_depth) has a second argument, its depth mode")
	case word != "less" && word != "greater":
		c.error(diag.InvalidAttribute, span, "the depth mode is less or greater, found `"+word+"`")
	}
}

func (c *Checker) builtinValue(name string, span source.Span) uint8 {
	for i := range callgraph.BuiltinValues {
		v := &callgraph.BuiltinValues[i]
		if v.Name != name {
			continue
		}
		if v.Extension != "" && !c.isEnabled(v.Extension) {
			c.error(diag.MissingExtension, span, "the builtin value "+name+" needs the extension "+v.Extension)
		}
		return uint8(i + 1)
	}
	d := diag.Diagnostic{Code: diag.InvalidAttribute, Span: span, Message: "there is no builtin value `" + name + "`"}
	suggest.Best(name, len(callgraph.BuiltinValues), func(i int) string { return callgraph.BuiltinValues[i].Name }).AddTo(&d)
	if !c.foreign(&d) {
		c.list.Add(d)
	}
	return 0
}

// samplings are the interpolation types with their samplings.
var samplings = [...]struct {
	kind    string
	allowed []string
}{
	{"perspective", []string{"center", "centroid", "sample"}}, {"linear", []string{"center", "centroid", "sample"}},
	{"flat", []string{"first", "either"}},
}

// interpolation checks @interpolate and reports whether it is flat.
func (c *Checker) interpolation(a *syntax.Attribute) (flat bool) {
	kind, span, ok := c.attributeWord(a, 0)
	if !ok {
		return false
	}
	var allowed []string
	for _, row := range samplings {
		if row.kind == kind {
			allowed = row.allowed
		}
	}
	if allowed == nil {
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
	if !slices.Contains(allowed, sampling) {
		c.error(diag.InvalidAttribute, span, "with "+kind+", expected "+strings.Join(allowed, " or ")+", found `"+sampling+"`")
	}
	return flat
}
