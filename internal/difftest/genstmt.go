package difftest

// The generator's statements.

// block makes statements until the budget is spent or chance ends it. Names that they declare
// go out of scope with it.
func (g *generator) block(depth, least int) []*Stmt {
	mark := len(g.sources)
	list := g.statements(depth, least)
	g.sources = g.sources[:mark]
	return list
}

func (g *generator) statements(depth, least int) []*Stmt {
	var list []*Stmt
	outer := depth >= g.depth
	for n := 0; g.budget > 0 && (outer || n < least || g.chance(72)); n++ {
		g.budget--
		if s := g.statement(depth); s != nil {
			list = append(list, s...)
			last := s[len(s)-1].Kind
			if last == StmtReturn || last == StmtBreak || last == StmtContinue {
				break
			}
		}
	}
	return list
}

func one(s *Stmt) []*Stmt { return []*Stmt{s} }

// statementWeights returns how often each kind of statement is chosen at a depth, 0 for those that
// may not be there.
func (g *generator) statementWeights(depth int) []int {
	w := g.weights
	if depth <= 0 {
		w[wIf], w[wSwitch], w[wLoop], w[wFor], w[wWhile], w[wBlock], w[wShare], w[wLive] = 0, 0, 0, 0, 0, 0, 0, 0
	}
	if !g.uniform || len(g.shares) == 0 && !g.p.Subgroups {
		w[wShare] = 0
	}
	// A return after a condition would make control flow non-uniform for what follows.
	if depth >= g.depth || g.noReturn {
		w[wReturn] = 0
	}
	if g.loops == 0 && g.switches == 0 || depth >= g.depth {
		w[wJump] = 0
	}
	if len(g.atomics)+len(g.cells) == 0 {
		w[wAtomic] = 0
	}
	return w[:]
}

func (g *generator) statement(depth int) []*Stmt {
	switch kind := weight(g.pick(g.statementWeights(depth))); kind {
	case wDeclare:
		return one(g.declare())
	case wAssign, wCompound, wStep, wSwizzle:
		return g.assign(kind)
	case wIf:
		return one(g.conditional(depth))
	case wSwitch:
		return one(g.choose(depth))
	case wLoop, wFor, wWhile:
		return one(g.loop(kind, depth))
	case wBlock:
		return one(&Stmt{Kind: StmtBlock, Body: g.nested(depth, 1)})
	case wCall:
		return g.callStatement()
	case wReturn:
		s := &Stmt{Kind: StmtReturn}
		if g.f.Result != nil {
			s.Value = g.expr(g.f.Result, 2)
		}
		return one(s)
	case wJump:
		return g.jump()
	case wOut:
		return one(g.output(3))
	case wPointer:
		return g.letPointer()
	case wAtomic:
		return g.atomic()
	case wShare:
		return g.share(depth)
	case wGuard:
		return g.guard()
	case wPhony:
		return one(&Stmt{Kind: StmtPhony, Value: g.expr(g.valueType(0), 3)})
	case wCarry:
		return g.carry(depth)
	case wSwap:
		return g.swapTargets()
	case wTexel:
		return g.writeTexel()
	case wLive:
		return one(g.parted(depth))
	}
	return nil
}

// nested makes the statements of a block in the one being made, which not all invocations need
// execute.
func (g *generator) nested(depth, least int) []*Stmt {
	was := g.uniform
	g.uniform = false
	list := g.block(depth-1, least)
	g.uniform = was
	return list
}

func (g *generator) declare() *Stmt {
	v := &Var{Name: g.name("v"), Type: g.valueType(1), Untyped: g.chance(50)}
	v.Kind = LetVar
	switch k := g.r.IntN(10); {
	case k < 5:
		v.Kind = MemoryVar
		if g.chance(25) {
			v.Untyped = false
			break
		}
		v.Init = g.expr(v.Type, 3)
	case k == 5:
		v.Kind = ConstVar
		v.Init = g.constant(v.Type, 2)
	default:
		v.Init = g.expr(v.Type, 3)
	}
	g.addSource(g.varExpr(v), v.Kind == MemoryVar)
	return &Stmt{Kind: StmtDeclare, Var: v}
}

// writable makes a reference of a type that fits, or returns nil.
func (g *generator) writable(t *Type) *Expr {
	var fit []*source
	for i := range g.sources {
		if s := &g.sources[i]; s.write && (t == nil || reaches(s.t, t)) {
			fit = append(fit, s)
		}
	}
	if len(fit) == 0 {
		return nil
	}
	k := max(g.r.IntN(len(fit)), g.r.IntN(len(fit)))
	e := clone(fit[k].expr)
	if t != nil {
		return g.descend(e, t, 2)
	}
	for e.Type.Kind == Array && e.Type.Count == 0 || !e.Type.isConstructible() || !e.Type.isScalar() && g.chance(60) {
		if e.Type.Kind == Struct {
			e = member(e, g.r.IntN(len(e.Type.Members)))
			continue
		}
		if e.Type.Kind == Vector && g.chance(60) {
			e = g.component(e)
			continue
		}
		n := e.Type.Count
		if n == 0 {
			n = 1 + g.r.IntN(8)
		}
		e = &Expr{Op: OpIndex, Type: e.Type.Elem, Args: []*Expr{e, g.index(n, 2)}, Style: g.style()}
	}
	return e
}

func (g *generator) assign(kind weight) []*Stmt {
	var p *Expr
	switch kind {
	case wStep:
		p = g.writable(g.integer())
	case wSwizzle:
		p = g.writable(vectorOf(g.scalar(), 2+g.r.IntN(3)))
	default:
		p = g.writable(nil)
	}
	if p == nil {
		return nil
	}
	s := &Stmt{Kind: StmtAssign, Target: p, Style: g.style()}
	t := p.Type
	switch {
	case kind == wStep:
		s.Kind, s.Name = StmtStep, []string{"++", "--"}[g.r.IntN(2)]
		return one(s)
	case kind == wSwizzle:
		letters := g.r.Perm(t.Count)[:2+g.r.IntN(t.Count-1)]
		name := ""
		for _, k := range letters {
			name += "xyzw"[k:][:1]
		}
		s.Target = &Expr{Op: OpSwizzle, Type: vectorOf(t.Elem, len(name)), Name: name, Args: []*Expr{p}, Style: g.style()}
		t = s.Target.Type
		if g.chance(60) {
			break
		}
		fallthrough
	case kind == wCompound:
		s.Name = g.compoundOperator(t)
	}
	switch {
	case s.Name == "<<" || s.Name == ">>":
		s.Value = g.expr(vectorOf(u32Type, t.width()), 2)
	case s.Name == "*" && t.Kind == Matrix && g.chance(60):
		s.Value = g.expr(t.scalar(), 2)
	case s.Name == "*" && t.Kind == Matrix:
		s.Value = g.expr(matrixOf(t.scalar(), t.Count, t.Count), 1)
	case s.Name != "" && t.Kind == Vector && g.chance(30) && len(s.Name) == 1 && t.Elem != boolType && s.Name != "&" && s.Name != "|" && s.Name != "^":
		s.Value = g.expr(t.Elem, 3)
	default:
		s.Value = g.expr(t, 3)
	}
	return one(s)
}

// swapTargets returns a block that swaps two references of one type through a temporary. Of
// integers it may add, subtract or xor instead.
func (g *generator) swapTargets() []*Stmt {
	p := g.writable(nil)
	if p == nil {
		return nil
	}
	q := g.writable(p.Type)
	v := &Var{Name: g.name("t"), Kind: LetVar, Type: p.Type, Untyped: true, Init: clone(p)}
	list := []*Stmt{
		{Kind: StmtDeclare, Var: v},
		{Kind: StmtAssign, Target: p, Value: clone(q)},
		{Kind: StmtAssign, Target: q, Value: g.varExpr(v)},
	}
	if g.chance(30) && p.Type.isInteger() {
		list[1].Name = []string{"+", "^", "-"}[g.r.IntN(3)]
	}
	return one(&Stmt{Kind: StmtBlock, Body: list})
}

func (g *generator) compoundOperator(t *Type) string {
	var names []string
	switch {
	case t.Kind == Array || t.Kind == Struct:
		return ""
	case t.Kind == Matrix:
		names = []string{"+", "-", "*"}
	case t.scalar() == boolType:
		names = []string{"&", "|"}
	case t.isFloat():
		names = []string{"+", "-", "*"}
	default:
		names = []string{"+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"}
	}
	return names[g.r.IntN(len(names))]
}

// output mixes a value into a cell of the invocation.
func (g *generator) output(depth int) *Stmt {
	at := g.binary("+", g.binary("*", g.varExpr(g.lane), literalOf(u32Type, uint32(g.outs))), literalOf(u32Type, uint32(g.r.IntN(g.outs))))
	reference := index(g.varExpr(g.out), at)
	t := g.scalar()
	value := g.word(g.expr(t, depth))
	s := &Stmt{Kind: StmtAssign, Target: reference, Value: value}
	switch g.r.IntN(4) {
	case 0:
	case 1:
		s.Name = "^"
	case 2:
		s.Name = "+"
	default:
		s.Value = g.binary("+", g.binary("*", clone(reference), literalOf(u32Type, 31)), value)
	}
	return s
}

// word makes an u32 of a scalar. Zeros of either sign give the same.
func (g *generator) word(e *Expr) *Expr {
	switch {
	case e.Type == u32Type:
		return e
	case e.Type == f32Type && g.chance(60):
		e = g.binary("*", e, literalOf(f32Type, word(16)))
		fallthrough
	case e.Type.isFloat():
		e = g.construct(i32Type, e)
	}
	return g.construct(u32Type, e)
}

func (g *generator) conditional(depth int) *Stmt {
	s := &Stmt{Kind: StmtIf, Value: g.expr(boolType, 3), Style: g.style()}
	s.Body = g.nested(depth, 1)
	switch g.r.IntN(5) {
	case 0, 1:
		s.Else = g.nested(depth, 1)
	case 2:
		s.Else = one(g.conditional(depth - 1))
	}
	return s
}

func (g *generator) choose(depth int) *Stmt {
	t := g.integer()
	value := g.expr(t, 2)
	if g.chance(60) {
		if t == u32Type {
			value = g.binary([]string{"%", "&"}[g.r.IntN(2)], value, literalOf(t, uint32(3+g.r.IntN(6))))
		} else {
			value = g.binary([]string{"%", "&"}[g.r.IntN(2)], value, literalOf(t, uint32(3+g.r.IntN(6))))
		}
	}
	s := &Stmt{Kind: StmtSwitch, Value: value, Style: g.style()}
	n := 1 + g.r.IntN(5)
	if g.chance(8) {
		n += g.r.IntN(20)
	}
	other := g.r.IntN(n + 1)
	seen := map[uint32]bool{}
	g.switches++
	for i := range n + 1 {
		c := &SwitchCase{At: g.r.IntN(4)}
		for range g.r.IntN(3) {
			v := uint32(g.r.IntN(6 + 2*n))
			switch g.r.IntN(8) {
			case 0:
				v = edgeInts[g.r.IntN(len(edgeInts))]
			case 1:
				v = -v
			}
			if !seen[v] {
				seen[v] = true
				e := literalOf(t, v)
				e.Style = g.style() &^ 1
				c.Selectors = append(c.Selectors, e)
			}
		}
		c.Default = i == other
		if !c.Default && len(c.Selectors) == 0 {
			continue
		}
		if !g.chance(25) {
			c.Body = g.nested(depth, 0)
			if g.chance(15) && len(c.Body) > 0 && !ends(c.Body) {
				c.Body = append(c.Body, &Stmt{Kind: StmtBreak})
			}
		}
		s.Cases = append(s.Cases, c)
	}
	g.switches--
	return s
}

// ends says whether control never leaves a list at its end.
func ends(list []*Stmt) bool {
	if len(list) == 0 {
		return false
	}
	switch list[len(list)-1].Kind {
	case StmtReturn, StmtBreak, StmtContinue:
		return true
	}
	return false
}

func (g *generator) jump() []*Stmt {
	s := &Stmt{Kind: StmtBreak}
	if g.loops > 0 && g.chance(50) && !g.continuing {
		s.Kind = StmtContinue
	}
	if s.Kind == StmtBreak && g.continuing && g.switches == 0 {
		return nil
	}
	if g.chance(65) {
		return one(&Stmt{Kind: StmtIf, Value: g.expr(boolType, 2), Body: one(s), Style: g.style()})
	}
	return one(s)
}

func (g *generator) loop(kind weight, depth int) *Stmt {
	mark := len(g.sources)
	switches := g.switches
	continuing := g.continuing
	g.loops++
	g.switches, g.continuing = 0, false
	defer func() {
		g.loops--
		g.switches, g.continuing = switches, continuing
		g.sources = g.sources[:mark]
	}()
	s := &Stmt{Style: g.style()}
	switch kind {
	case wFor:
		s.Kind = StmtFor
		g.forHead(s)
		s.Body = g.nested(depth, 1)
	case wWhile:
		s.Kind = StmtWhile
		s.Value = g.expr(boolType, 2)
		s.Fuel = 1 + g.r.IntN(8)
		s.Body = g.nested(depth, 1)
	default:
		s.Kind = StmtLoop
		was := g.uniform
		g.uniform = false
		inner := len(g.sources)
		s.Body = g.statements(depth-1, 1)
		if jumps(s.Body) {
			// A continue may pass over declarations of the body.
			g.sources = g.sources[:inner]
		}
		exits := leaves(s.Body)
		if g.chance(70) || !exits {
			noReturn := g.noReturn
			g.continuing, g.noReturn = true, true
			s.Else = g.block(min(depth-1, 1), 0)
			g.continuing, g.noReturn = false, noReturn
			s.Else = dropJumps(s.Else)
			if !exits || g.chance(50) {
				s.Value = g.expr(boolType, 2)
			}
		}
		g.uniform = was
		s.Fuel = 1 + g.r.IntN(8)
	}
	return s
}

// dropJumps removes what may not end a continuing block.
func dropJumps(list []*Stmt) []*Stmt {
	for ends(list) {
		list = list[:len(list)-1]
	}
	return list
}

// jumps says whether statements have a continue of the loop whose body they are.
func jumps(list []*Stmt) bool {
	found := false
	var visit func([]*Stmt)
	visit = func(list []*Stmt) {
		for _, s := range list {
			switch s.Kind {
			case StmtContinue:
				found = true
			case StmtLoop, StmtFor, StmtWhile:
			default:
				visit(s.Body)
				visit(s.Else)
				for _, c := range s.Cases {
					visit(c.Body)
				}
			}
		}
	}
	visit(list)
	return found
}

// leaves says whether statements have a break of the loop whose body they are.
func leaves(list []*Stmt) bool {
	for _, s := range list {
		switch s.Kind {
		case StmtBreak:
			return true
		case StmtIf, StmtBlock:
			if leaves(s.Body) || leaves(s.Else) {
				return true
			}
		}
	}
	return false
}

// forHead makes the three parts of a for statement, of which any may be missing.
func (g *generator) forHead(s *Stmt) {
	t := g.integer()
	v := &Var{Name: g.name("at"), Kind: MemoryVar, Type: t, Init: literalOf(t, uint32(g.r.IntN(4))), Untyped: g.chance(60)}
	reference := g.varExpr(v)
	op := []string{"<", "<=", "!=", "<"}[g.r.IntN(4)]
	limit := literalOf(t, uint32(1+g.r.IntN(7)))
	s.Update = &Stmt{Kind: StmtStep, Target: clone(reference), Name: "++"}
	switch g.r.IntN(6) {
	case 0: // downwards, through zero for u32
		v.Init = literalOf(t, uint32(3+g.r.IntN(5)))
		op, limit = []string{">", ">=", "!="}[g.r.IntN(3)], literalOf(t, uint32(g.r.IntN(3)))
		s.Update = &Stmt{Kind: StmtStep, Target: clone(reference), Name: "--"}
	case 1:
		s.Update = &Stmt{Kind: StmtAssign, Target: clone(reference), Name: "+", Value: literalOf(t, uint32(1+g.r.IntN(3)))}
	case 2:
		ops := []string{"*", "<<", "^", "-", ">>"}
		name := ops[g.r.IntN(len(ops))]
		by := literalOf(t, edgeInts[g.r.IntN(len(edgeInts))])
		if name == "<<" || name == ">>" {
			by = literalOf(u32Type, uint32(1+g.r.IntN(3)))
		}
		s.Update = &Stmt{Kind: StmtAssign, Target: clone(reference), Name: name, Value: by}
		s.Fuel = 2 + g.r.IntN(6)
	case 3:
		v.Init = g.expr(t, 2)
	}
	s.Init = &Stmt{Kind: StmtDeclare, Var: v}
	s.Value = g.binary(op, reference, limit)
	if g.chance(20) {
		s.Value = g.binary([]string{"&&", "||"}[g.r.IntN(2)], s.Value, g.expr(boolType, 2))
	}
	switch g.r.IntN(12) {
	case 0:
		s.Value, s.Fuel = nil, 1+g.r.IntN(6)
	case 1:
		s.Update, s.Fuel = nil, 1+g.r.IntN(6)
	}
	g.addSource(reference, g.chance(15))
}

func (g *generator) letPointer() []*Stmt {
	p := g.writable(nil)
	if p == nil || p.Op == OpSwizzle || p.Op == OpIndex && p.Args[0].Type.Kind == Vector {
		return nil
	}
	root := rootOf(p)
	space, access := root.Space, root.Access
	if root.Type.Kind == Pointer {
		space, access = root.Type.Space, root.Type.Access
	}
	t := pointerTo(p.Type, space, access)
	v := &Var{Name: g.name("ptr"), Kind: LetVar, Type: t, Untyped: g.chance(70)}
	v.Init = &Expr{Op: OpAddress, Type: t, Args: []*Expr{p}}
	if p.Op == OpDeref {
		v.Init = p.Args[0]
	}
	g.addSource(&Expr{Op: OpDeref, Type: p.Type, Args: []*Expr{g.varExpr(v)}, Style: g.style()}, true)
	return one(&Stmt{Kind: StmtDeclare, Var: v})
}
