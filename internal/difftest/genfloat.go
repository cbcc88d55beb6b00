package difftest

// Expressions of floats, matrices and abstract integers.

func (g *generator) float(t *Type, depth int) *Expr {
	sub := func(s *Type) *Expr { return g.expr(s, depth-1) }
	n, half := t.width(), t.scalar() == f16Type
	switch g.r.IntN(16) {
	case 0, 1, 2, 3:
		return g.binary([]string{"+", "-", "*"}[g.r.IntN(3)], sub(t), sub(t))
	case 4:
		return &Expr{Op: OpUnary, Name: "-", Type: t, Args: []*Expr{sub(t)}, Style: g.style()}
	case 5, 6:
		names := []string{"abs", "floor", "ceil", "trunc", "round", "sign", "saturate", "fract"}
		return g.call(names[g.r.IntN(len(names))], t, sub(t))
	case 7:
		return g.call([]string{"min", "max", "step"}[g.r.IntN(3)], t, sub(t), sub(t))
	case 8:
		low, high := g.literal(t.scalar()), g.literal(t.scalar())
		if f32(low.Bits) > f32(high.Bits) {
			low, high = high, low
		}
		if n > 1 {
			low, high = g.construct(t, low), g.construct(t, high)
		}
		return g.call("clamp", t, sub(t), low, high)
	case 9:
		return g.choice(t, depth)
	case 10:
		return g.call([]string{"fma", "mix"}[g.r.IntN(2)], t, sub(t), sub(t), sub(t))
	case 11:
		if n == 1 {
			v := vectorOf(t, 2+g.r.IntN(3))
			return g.call("dot", t, sub(v), sub(v))
		}
		if n == 3 && g.chance(50) {
			return g.call("cross", t, sub(t), sub(t))
		}
		return g.product(t, depth)
	case 12:
		by := literalOf(i32Type, uint32(g.r.IntN(7)-3))
		if n > 1 {
			return g.call("ldexp", t, sub(t), g.construct(vectorOf(i32Type, n), by))
		}
		return g.call("ldexp", t, sub(t), by)
	case 13:
		if n == 1 {
			names := []string{"whole", "fract"}
			return &Expr{Op: OpResult, Name: names[g.r.IntN(2)], Type: t, Args: []*Expr{g.call("modf", nil, sub(t))}}
		}
	case 14:
		if t == f32Type && g.chance(50) {
			bits := g.binary("|", g.binary("&", sub(u32Type), literalOf(u32Type, 0x7ffff8)), literalOf(u32Type, 0x3f800000))
			return &Expr{Op: OpBitcast, Type: t, Args: []*Expr{bits}, Style: g.style()}
		}
		if t.scalar() == f32Type && g.chance(30) {
			return g.call("quantizeToF16", t, sub(t))
		}
		if half && n == 2 {
			bits := g.binary("|", g.binary("&", sub(u32Type), literalOf(u32Type, 0x01f001f0)), literalOf(u32Type, 0x40003c00))
			return &Expr{Op: OpBitcast, Type: t, Args: []*Expr{bits}, Style: g.style()}
		}
	}
	from := g.scalar()
	if from == t.scalar() {
		from = i32Type
	}
	x := sub(vectorOf(from, n))
	if from.isInteger() {
		mask := literalOf(from, uint32(15+g.r.IntN(2)*16))
		if n > 1 {
			x = g.binary("&", x, g.construct(x.Type, mask))
		} else {
			x = g.binary("&", x, mask)
		}
	}
	return g.construct(t, x)
}

// product is a vector from a matrix and a vector.
func (g *generator) product(t *Type, depth int) *Expr {
	k := 2 + g.r.IntN(3)
	v := g.expr(vectorOf(t.Elem, k), depth-1)
	if g.chance(50) {
		return &Expr{Op: OpBinary, Name: "*", Type: t, Args: []*Expr{g.expr(matrixOf(t.Elem, k, t.Count), depth-1), v}, Style: g.style()}
	}
	return &Expr{Op: OpBinary, Name: "*", Type: t, Args: []*Expr{v, g.expr(matrixOf(t.Elem, t.Count, k), depth-1)}, Style: g.style()}
}

func (g *generator) matrix(t *Type, depth int) *Expr {
	sub := func(s *Type) *Expr { return g.expr(s, depth-1) }
	s, columns, rows := t.scalar(), t.Count, t.Elem.Count
	op := func(x, y *Expr, name string) *Expr {
		return &Expr{Op: OpBinary, Name: name, Type: t, Args: []*Expr{x, y}, Style: g.style()}
	}
	switch g.r.IntN(8) {
	case 0:
		return op(sub(t), sub(t), []string{"+", "-"}[g.r.IntN(2)])
	case 1:
		if g.chance(50) {
			return op(sub(s), sub(t), "*")
		}
		return op(sub(t), sub(s), "*")
	case 2:
		k := 2 + g.r.IntN(3)
		return op(sub(matrixOf(s, k, rows)), sub(matrixOf(s, columns, k)), "*")
	case 3:
		return g.call("transpose", t, sub(matrixOf(s, rows, columns)))
	case 4:
		if g.p.Half && g.chance(40) {
			other := f16Type
			if s == f16Type {
				other = f32Type
			}
			return g.construct(t, sub(matrixOf(other, columns, rows)))
		}
	case 5, 6:
		if e := g.read(t, depth-1); e != nil {
			return e
		}
	}
	return g.compose(t, sub)
}

// wideVar is an abstract integer constant that is in scope, or nil.
func (g *generator) wideVar() *Expr {
	for _, v := range g.p.Globals {
		if v.Type == wideType && g.chance(50) {
			return g.varExpr(v)
		}
	}
	return nil
}

// wideExpr makes an abstract integer.
func (g *generator) wideExpr(depth int) *Expr {
	e := &Expr{Op: OpLiteral, Type: wideType, Style: g.style()}
	if depth == 0 || g.chance(30) {
		if v := g.wideVar(); v != nil && g.chance(30) {
			return v
		}
		e.Wide = int64(g.r.IntN(1000))
		if g.chance(20) {
			e.Wide = int64(g.r.Uint32())
		}
		return e
	}
	op := []string{"+", "-", "*", "/", "%", "&", "|", "^"}[g.r.IntN(8)]
	return &Expr{Op: OpBinary, Name: op, Type: wideType, Args: []*Expr{g.wideExpr(depth - 1), g.wideExpr(depth - 1)}, Style: g.style()}
}
