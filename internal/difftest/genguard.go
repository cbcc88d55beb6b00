package difftest

// Accesses that are indexed by values which wrap, under conditions on them: where a compiler may
// take away a check that is needed.

// carry makes a loop whose variable takes values that wrap, and indexes with it.
func (g *generator) carry(depth int) []*Stmt {
	if depth <= 0 {
		return nil
	}
	mark := len(g.sources)
	t := g.integer()
	v := &Var{Name: g.name("k"), Kind: MemoryVar, Type: t, Init: g.literal(t), Untyped: true}
	if g.chance(50) {
		v.Init = literalOf(t, uint32(g.r.IntN(12)))
	}
	g.addSource(g.varExpr(v), false)
	ops := []string{"*", "*", "*", "+", "-", "^", "<<", ">>", "/", "%", "|", "&"}
	op := ops[g.r.IntN(len(ops))]
	by := literalOf(t, edgeInts[g.r.IntN(len(edgeInts))])
	if g.chance(30) {
		by = literalOf(t, g.r.Uint32()|1)
	}
	if op == "/" || op == "%" {
		by.Bits |= 1
	}
	if op == "<<" || op == ">>" {
		by = literalOf(u32Type, uint32(1+g.r.IntN(5)))
	}
	step := &Stmt{Kind: StmtAssign, Target: g.varExpr(v), Name: op, Value: by}
	g.loops++
	switches, continuing := g.switches, g.continuing
	g.switches, g.continuing = 0, false
	was := g.uniform
	g.uniform = false
	body := g.guardOf(g.varExpr(v))
	if g.chance(40) {
		body = append(body, g.block(depth-1, 1)...)
	}
	g.uniform = was
	g.loops--
	g.switches, g.continuing = switches, continuing
	s := &Stmt{Kind: StmtLoop, Fuel: 2 + g.r.IntN(6)}
	if g.chance(50) && !ends(body) {
		s.Body = append(body, step)
	} else {
		s.Body, s.Else = body, one(step)
	}
	if g.chance(30) {
		s.Value = g.binary([]string{"==", ">", ">="}[g.r.IntN(3)], g.varExpr(v), g.literal(t))
	} else if s.Else == nil {
		s.Value = g.binary("==", g.varExpr(v), g.literal(t))
	}
	g.sources = g.sources[:mark]
	return []*Stmt{{Kind: StmtBlock, Body: []*Stmt{{Kind: StmtDeclare, Var: v}, s}}}
}

// guard makes accesses under conditions that a range analysis may draw conclusions from.
func (g *generator) guard() []*Stmt {
	t := g.integer()
	mark := len(g.sources)
	v := &Var{Name: g.name("x"), Kind: LetVar, Type: t, Init: g.expr(t, 3), Untyped: true}
	if g.chance(40) {
		v.Kind = MemoryVar
	}
	g.addSource(g.varExpr(v), v.Kind == MemoryVar)
	list := append([]*Stmt{{Kind: StmtDeclare, Var: v}}, g.guardOf(g.varExpr(v))...)
	g.sources = g.sources[:mark]
	return one(&Stmt{Kind: StmtBlock, Body: list})
}

// bent makes an index from a value by operations that wrap, clamp or cast.
func (g *generator) bent(x *Expr) *Expr {
	for range g.r.IntN(3) {
		t := x.Type
		edge := literalOf(t, edgeInts[g.r.IntN(len(edgeInts))])
		small := literalOf(t, uint32(1+g.r.IntN(9)))
		switch g.r.IntN(12) {
		case 0:
			x = g.binary("*", x, edge)
		case 1:
			x = g.binary("+", x, edge)
		case 2:
			x = g.binary("-", x, small)
		case 3:
			x = g.binary("-", small, x)
		case 4:
			x = g.binary("<<", x, literalOf(u32Type, uint32(g.r.IntN(32))))
		case 5:
			x = g.binary(">>", x, literalOf(u32Type, uint32(g.r.IntN(32))))
		case 6:
			x = g.call([]string{"min", "max"}[g.r.IntN(2)], t, x, small)
		case 7:
			x = g.call("abs", t, x)
		case 8:
			if t == i32Type {
				x = &Expr{Op: OpUnary, Name: "-", Type: t, Args: []*Expr{x}}
			} else {
				x = &Expr{Op: OpUnary, Name: "~", Type: t, Args: []*Expr{x}}
			}
		case 9:
			other := i32Type
			if t == i32Type {
				other = u32Type
			}
			x = g.construct(other, x)
		case 10:
			x = g.binary([]string{"/", "%"}[g.r.IntN(2)], x, small)
		case 11:
			x = g.binary([]string{"&", "|", "^"}[g.r.IntN(3)], x, small)
		}
	}
	return x
}

// guardOf makes accesses that are indexed by x under conditions on x.
func (g *generator) guardOf(x *Expr) []*Stmt {
	at := g.bent(clone(x))
	n := 1 + g.r.IntN(12)
	// An array to index, if there is one.
	var fit []*source
	for i := range g.sources {
		if s := &g.sources[i]; s.t.Kind == Array && s.t.Elem.isConstructible() {
			fit = append(fit, s)
		}
	}
	var access *Stmt
	if len(fit) > 0 {
		s := fit[g.r.IntN(len(fit))]
		if n = s.t.Count; n == 0 {
			n = 1 + g.r.IntN(8)
		}
		element := &Expr{Op: OpIndex, Type: s.t.Elem, Args: []*Expr{clone(s.expr), at}, Style: g.style()}
		if s.write && g.chance(50) {
			access = &Stmt{Kind: StmtAssign, Target: element, Value: g.expr(element.Type, 2)}
		} else {
			access = g.output(1)
			for !element.Type.isScalar() {
				switch element.Type.Kind {
				case Struct:
					element = member(element, g.r.IntN(len(element.Type.Members)))
				default:
					element = index(element, g.index(element.Type.Count, 1))
				}
			}
			access.Value = g.word(element)
		}
	} else {
		access = g.output(2)
		access.Value = g.word(at)
	}
	if g.chance(25) {
		return one(access)
	}
	condition := func() *Expr {
		subject := clone(at)
		if g.chance(40) {
			subject = clone(x)
		}
		limit := literalOf(subject.Type, uint32(n+g.r.IntN(3)-1))
		if g.chance(25) {
			limit = g.literal(subject.Type)
		}
		return g.binary([]string{"<", "<=", ">", ">=", "==", "!="}[g.pick([]int{6, 4, 2, 2, 1, 1})], subject, limit)
	}
	cond := condition()
	if g.chance(40) {
		cond = g.binary([]string{"&&", "||"}[g.pick([]int{3, 1})], cond, condition())
	}
	body := one(access)
	if x.Op == OpVar && x.Var.Kind == MemoryVar && x.Var.Name[0] == 'x' && g.chance(25) {
		// What the condition said of x does not hold any more.
		edge := literalOf(x.Type, edgeInts[g.r.IntN(len(edgeInts))])
		body = []*Stmt{{Kind: StmtAssign, Name: []string{"+", "*", "-"}[g.r.IntN(3)], Target: clone(x), Value: edge}, access}
	}
	not := &Expr{Op: OpUnary, Name: "!", Type: boolType, Args: []*Expr{cond}}
	switch g.r.IntN(6) {
	case 0:
		return one(&Stmt{Kind: StmtIf, Value: not, Else: body, Style: g.style()})
	case 1:
		if g.loops > 0 && g.switches == 0 && !g.continuing {
			jump := []StmtKind{StmtBreak, StmtContinue}[g.r.IntN(2)]
			leave := &Stmt{Kind: StmtIf, Value: not, Body: one(&Stmt{Kind: jump}), Style: g.style()}
			return append(one(leave), body...)
		}
	}
	return one(&Stmt{Kind: StmtIf, Value: cond, Body: body, Style: g.style()})
}
