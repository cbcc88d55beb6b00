package lower

import (
	"fmt"

	"github.com/gpuc/gpuc/frontend/wgsl/syntax"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file lowers references. A chain of members and indices becomes one access from its root.

// address returns the address of a reference expression.
func (l *Lowerer) address(e syntax.Expr) ir.Value {
	mark := len(l.indices)
	root := l.path(e)
	l.b.Span = l.tree.Expr(e).Span
	return l.access(root, mark)
}

// access returns the part of root at the indices since mark, and pops these.
func (l *Lowerer) access(root ir.Value, mark int) ir.Value {
	if len(l.indices) > mark {
		root = l.b.Access(root, l.indices[mark:]...)
		l.indices = l.indices[:mark]
	}
	return root
}

// path evaluates a reference expression from its root on, pushes its indices and returns the root's
// address.
func (l *Lowerer) path(e syntax.Expr) ir.Value {
	e = l.tree.Unparen(e)
	n := l.tree.Expr(e)
	switch n.Kind {
	case syntax.IdentExpr:
		o := l.info.Exprs[e].Object
		if v := l.values[o]; v != 0 {
			return v
		}
		return l.info.Objects[o].Value
	case syntax.UnaryExpr: // *p
		return l.value(n.A)
	case syntax.IndexExpr:
		root := l.base(n.A)
		index := l.index(n.B, l.m.Element(l.info.Exprs[n.A].Type))
		l.indices = append(l.indices, index)
		return root
	case syntax.MemberExpr:
		root := l.base(n.A)
		l.indices = append(l.indices, l.m.ConstU32(l.part(e)))
		return root
	}
	panic("lowering a reference that no expression yields")
}

// part returns the index of the structure member or vector component of a member expression.
func (l *Lowerer) part(e syntax.Expr) uint32 {
	x := &l.info.Exprs[e]
	if x.SwizzleCount > 0 {
		return op.SwizzleComponent(uint32(x.Swizzle), 0)
	}
	return uint32(x.Member)
}

// base evaluates the base of an access that yields a reference: itself one, or a pointer (WGSL
// §8.5).
func (l *Lowerer) base(e syntax.Expr) ir.Value {
	if l.info.Exprs[e].Reference {
		return l.path(e)
	}
	return l.value(e)
}

// index evaluates an index into type t. Constants become u32, so that equal accesses look equal. A
// constant that is out of bounds, after a let, is a warning and a fault at run time.
func (l *Lowerer) index(e syntax.Expr, t ir.Type) ir.Value {
	v := l.value(e)
	n, known := l.m.Count(t)
	k, ok := l.m.ConstUint(v)
	if ok && (!known || k < uint64(n)) {
		return l.m.ConstU32(uint32(k))
	}
	if known && v.IsConst() {
		l.list.Add(diag.Diagnostic{Code: diag.InvalidIndex, Severity: diag.Warning, Span: l.tree.Expr(e).Span,
			Message: fmt.Sprintf("index %d is outside of %s, which has %d parts",
				scalar.ToInt64(l.m.ScalarOf(l.m.TypeOf(v)), l.m.ConstBits(v)), l.m.TypeString(t), n)})
	}
	return v
}

// read returns the value of a reference expression. A component of a vector in private memory is
// extracted from the whole vector, which then can become one value; so is one of an immediate. From
// other memory only the component is loaded.
func (l *Lowerer) read(e syntax.Expr) ir.Value {
	e = l.tree.Unparen(e)
	n := l.tree.Expr(e)
	mark := len(l.indices)
	root := l.path(e)
	l.b.Span = n.Span
	if n.Kind == syntax.IndexExpr || n.Kind == syntax.MemberExpr {
		base := l.info.Exprs[n.A].Type
		space := l.m.SpaceOf(base)
		if l.m.IsVector(l.m.Element(base)) && (space == ir.Function || space == ir.Private || space == ir.Immediate) {
			last := len(l.indices) - 1
			component := l.indices[last]
			l.indices = l.indices[:last]
			vector := l.b.Load(l.access(root, mark))
			return l.extract(vector, component)
		}
	}
	return l.b.Load(l.access(root, mark))
}

// extract returns part i, which may be dynamic, of a value.
func (l *Lowerer) extract(v, i ir.Value) ir.Value {
	k, _ := l.m.ConstUint(i)
	return l.b.Emit(op.Extract, l.m.PartType(l.f.TypeOf(v), uint32(k)), 0, v, i)
}
