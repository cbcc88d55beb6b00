package check

import (
	"github.com/gpuc/gpuc/frontend/wgsl/semantics"
	"github.com/gpuc/gpuc/frontend/wgsl/syntax"
	"github.com/gpuc/gpuc/frontend/wgsl/types"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
)

// This file reads the attributes that make a function an entry point (WGSL §13): stages,
// workgroup sizes and subgroup sizes.

// stage reads the stage attributes of a function.
func (c *Checker) stage(index int32, n *syntax.DeclNode, s attributeSet) {
	stage := semantics.NoStage
	failed := false
	for _, k := range [...]struct {
		a attribute
		s semantics.Stage
	}{{attributeCompute, semantics.Compute}, {attributeVertex, semantics.Vertex}, {attributeFragment, semantics.Fragment}} {
		failed = failed || s.failed[k.a]
		if s.at[k.a] == nil {
			continue
		}
		if stage != semantics.NoStage {
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
	case size != nil && stage != semantics.Compute:
		c.error(diag.InvalidAttribute, size.Span, "@workgroup_size belongs on compute entry points")
		return
	case stage == semantics.Compute && !s.tried(attributeWorkgroupSize):
		c.error(diag.InvalidEntryPoint, n.NameSpan, "a compute entry point needs @workgroup_size(…)")
		return
	}
	if a := s.at[attributeSubgroupSize]; a != nil {
		if stage != semantics.Compute {
			c.error(diag.InvalidAttribute, a.Span, "@subgroup_size belongs on compute entry points")
		}
		c.subgroupSize(index, a)
	}
	if size != nil {
		c.workgroupSize(index, size)
	}
}

// subgroupSize checks @subgroup_size: a power of two. That it divides the
// workgroup's first dimension is checked when overrides have values.
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

// workgroupSize evaluates @workgroup_size: constants or overrides of one type.
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
