package difftest

// Statements by which invocations work together: atomics, workgroup memory and storage buffers with
// barriers, and subgroup operations whose result holds for any size of subgroups.

// atomicNames are the operations whose effects commute, by how an atomic is used: each atomic has
// one of them in a program.
var (
	atomicNames   = []string{"atomicAdd", "atomicAnd", "atomicOr", "atomicXor", "atomicMin", "atomicMax"}
	exchangeNames = []string{"+", "&", "|", "^", "min", "max"}
)

func addressOf(reference *Expr) *Expr {
	root := rootOf(reference)
	space, access := root.Space, root.Access
	if root.Type.Kind == Pointer {
		space, access = root.Type.Space, root.Type.Access
	}
	return &Expr{Op: OpAddress, Type: pointerTo(reference.Type, space, access), Args: []*Expr{reference}}
}

// atomic makes an operation on an atomic that any invocation may change, or on one of the
// invocation's own.
func (g *generator) atomic() []*Stmt {
	if len(g.cells) > 0 && (len(g.atomics) == 0 || g.chance(40)) {
		return g.ownAtomic()
	}
	k := g.r.IntN(len(g.atomics))
	a := &g.atomics[k]
	kind := (k*7 + int(g.p.Seed)) % len(atomicNames)
	reference := index(clone(a.expr), g.index(a.t.Count, 2))
	t := a.t.Elem.Elem
	value := g.expr(t, 2)
	if g.chance(25) {
		reference.Args[1] = literalOf(u32Type, uint32(g.r.IntN(a.t.Count)))
		return one(&Stmt{Kind: StmtExchange, Name: exchangeNames[kind], Target: reference, Value: value, Style: g.style()})
	}
	name := atomicNames[kind]
	if name == "atomicAdd" && g.chance(30) {
		name = "atomicSub"
	}
	return one(&Stmt{Kind: StmtCall, Value: g.call(name, t, addressOf(reference), value)})
}

// ownAtomic makes an operation on an atomic that no other invocation uses: its result is known.
func (g *generator) ownAtomic() []*Stmt {
	v := g.cells[g.r.IntN(len(g.cells))]
	reference := g.cell(v)
	t := reference.Type.Elem
	if g.chance(15) {
		names := append([]string{"*", "-"}, exchangeNames...)
		return one(&Stmt{Kind: StmtExchange, Name: names[g.r.IntN(len(names))], Target: reference, Value: g.expr(t, 2), Style: g.style()})
	}
	names := append([]string{"atomicLoad", "atomicSub", "atomicExchange", "atomicStore"}, atomicNames...)
	name := names[g.r.IntN(len(names))]
	e := g.call(name, t, addressOf(reference))
	if name != "atomicLoad" {
		e.Args = append(e.Args, g.expr(t, 2))
	}
	if name == "atomicStore" {
		e.Type = nil
		return one(&Stmt{Kind: StmtCall, Value: e})
	}
	switch g.r.IntN(3) {
	case 0:
		s := g.output(1)
		s.Value = g.word(e)
		return one(s)
	case 1:
		return one(&Stmt{Kind: StmtPhony, Value: e})
	}
	old := &Var{Name: g.name("old"), Kind: LetVar, Type: t, Init: e, Untyped: true}
	g.addSource(g.varExpr(old), false)
	return one(&Stmt{Kind: StmtDeclare, Var: old})
}

func barrier(name string) *Stmt {
	return &Stmt{Kind: StmtCall, Value: &Expr{Op: OpBuiltin, Name: name}}
}

// uniformExpr makes a scalar of type u32 that is the same in all invocations of a workgroup.
func (g *generator) uniformExpr(depth int) *Expr {
	if depth <= 0 || g.chance(30) {
		if g.chance(60) {
			return clone(g.uniforms[g.r.IntN(len(g.uniforms))])
		}
		return literalOf(u32Type, uint32(g.r.IntN(5)))
	}
	op := []string{"+", "*", "^", "%", "-", "&", "|"}[g.r.IntN(7)]
	return g.binary(op, g.uniformExpr(depth-1), g.uniformExpr(depth-1))
}

// uniformCondition makes a condition that is the same in all invocations of a workgroup.
func (g *generator) uniformCondition() *Expr {
	return g.binary([]string{"==", "!=", "<", ">="}[g.r.IntN(4)], g.uniformExpr(2), g.uniformExpr(1))
}

// share makes statements in which the invocations of a workgroup wait for each other.
func (g *generator) share(depth int) []*Stmt {
	if g.p.Lanes > 0 && g.chance(65) {
		return g.lanesStatements()
	}
	if g.p.Subgroups && g.p.Lanes == 0 && (len(g.shares) == 0 || g.chance(25)) {
		return one(g.subgroup())
	}
	switch g.r.IntN(12) {
	case 0:
		return g.uniformLoad()
	case 1:
		if len(g.owns) > 0 {
			return g.shareBuffer()
		}
	case 2:
		if s := g.reduction(); s != nil {
			return s
		}
	case 3, 4:
		if depth > 1 {
			return one(g.uniformBranch(depth))
		}
	case 5, 6:
		if depth > 1 {
			return one(g.uniformLoop(depth))
		}
	case 7:
		return g.tally()
	case 8, 9:
		if len(g.swaps) > 0 {
			f := g.swaps[g.r.IntN(len(g.swaps))]
			e := &Expr{Op: OpCall, Func: f, Type: f.Result, Args: []*Expr{g.expr(f.Result, 2), g.varExpr(g.localIndex)}}
			got := &Var{Name: g.name("got"), Kind: LetVar, Type: f.Result, Untyped: true, Init: e}
			g.addSource(g.varExpr(got), false)
			return one(&Stmt{Kind: StmtDeclare, Var: got})
		}
	}
	v := g.shares[g.r.IntN(len(g.shares))]
	list, got := g.swap(v, g.expr(v.Type.Elem, 3), g.varExpr(g.localIndex))
	g.addSource(g.varExpr(got), false)
	return list
}

// neighbour is the number of another invocation of the workgroup, or of the same one.
func (g *generator) neighbour(me *Expr) *Expr {
	n := literalOf(u32Type, uint32(g.group))
	by := literalOf(u32Type, uint32(g.r.IntN(2*g.group)))
	switch g.r.IntN(4) {
	case 0:
		return g.binary("%", g.expr(u32Type, 2), n)
	case 1:
		return g.binary("-", literalOf(u32Type, uint32(g.group-1)), me)
	}
	return g.binary("%", g.binary("+", me, by), n)
}

// swap makes each invocation store a value to its cell and load another one's.
func (g *generator) swap(v *Var, value, me *Expr) ([]*Stmt, *Var) {
	got := &Var{Name: g.name("got"), Kind: LetVar, Type: v.Type.Elem, Untyped: true, Init: index(g.varExpr(v), g.neighbour(clone(me)))}
	return []*Stmt{
		{Kind: StmtAssign, Target: index(g.varExpr(v), me), Value: value},
		barrier("workgroupBarrier"),
		{Kind: StmtDeclare, Var: got},
		barrier("workgroupBarrier"),
	}, got
}

// makeSwap makes a function with barriers.
func (g *generator) makeSwap() {
	v := g.shares[g.r.IntN(len(g.shares))]
	f := &Func{Name: g.name("swap"), Result: v.Type.Elem}
	value := &Var{Name: g.name("p"), Kind: ParamVar, Type: v.Type.Elem}
	me := &Var{Name: g.name("me"), Kind: ParamVar, Type: u32Type}
	f.Params = []*Var{value, me}
	mark := len(g.sources)
	g.f = f
	g.noReturn, g.depth = true, 2
	g.addSource(g.varExpr(value), false)
	budget := g.budget
	g.budget = g.r.IntN(4)
	before := g.block(2, 0)
	list, got := g.swap(v, g.varExpr(value), g.varExpr(me))
	f.Body = append(before, list...)
	f.Body = append(f.Body, &Stmt{Kind: StmtReturn, Value: g.varExpr(got)})
	g.budget = budget
	g.noReturn = false
	g.sources = g.sources[:mark]
	g.p.Funcs = append(g.p.Funcs, f)
	g.swaps = append(g.swaps, f)
	g.effects[f] = g.effectsOf(f)
}

// uniformLoad makes all invocations take the value of one.
func (g *generator) uniformLoad() []*Stmt {
	v := g.shares[g.r.IntN(len(g.shares))]
	write := &Stmt{Kind: StmtAssign, Target: index(g.varExpr(v), g.varExpr(g.localIndex)), Value: g.expr(v.Type.Elem, 3)}
	reference := index(g.varExpr(v), literalOf(u32Type, uint32(g.r.IntN(g.group))))
	if g.chance(40) {
		reference.Args[1] = g.binary("%", g.uniformExpr(2), literalOf(u32Type, uint32(g.group)))
	}
	got := &Var{Name: g.name("got"), Kind: LetVar, Type: v.Type.Elem, Untyped: true}
	got.Init = g.call("workgroupUniformLoad", v.Type.Elem, addressOf(reference))
	g.addSource(g.varExpr(got), false)
	if g.uniform && got.Type == u32Type {
		g.uniforms = append(g.uniforms, g.varExpr(got))
	}
	return []*Stmt{write, {Kind: StmtDeclare, Var: got}}
}

// shareBuffer makes an exchange through a storage buffer.
func (g *generator) shareBuffer() []*Stmt {
	v := g.owns[g.r.IntN(len(g.owns))]
	first := g.binary("-", g.varExpr(g.lane), g.varExpr(g.localIndex))
	other := g.binary("+", first, g.neighbour(g.varExpr(g.localIndex)))
	got := &Var{Name: g.name("got"), Kind: LetVar, Type: v.Type.Elem, Untyped: true, Init: index(g.varExpr(v), other)}
	list := []*Stmt{
		{Kind: StmtAssign, Target: g.cell(v), Value: g.expr(v.Type.Elem, 2)},
		barrier("storageBarrier"),
		{Kind: StmtDeclare, Var: got},
		barrier("storageBarrier"),
	}
	g.addSource(g.varExpr(got), false)
	return list
}

// reduction makes a tree of sums over a workgroup whose size is a power of two.
func (g *generator) reduction() []*Stmt {
	var v *Var
	for _, s := range g.shares {
		if s.Type.Elem.isInteger() && (s.Type.Elem.isScalar() || s.Type.Elem.Kind == Vector) {
			v = s
		}
	}
	if v == nil || g.group < 2 || g.group&(g.group-1) != 0 {
		return nil
	}
	t := v.Type.Elem
	s := &Var{Name: g.name("s"), Kind: MemoryVar, Type: u32Type, Init: literalOf(u32Type, uint32(g.group/2)), Untyped: true}
	me := g.varExpr(g.localIndex)
	op := []string{"+", "*", "^", "|"}[g.r.IntN(4)]
	step := &Stmt{Kind: StmtAssign, Name: op, Target: index(g.varExpr(v), me),
		Value: index(g.varExpr(v), g.binary("+", clone(me), g.varExpr(s)))}
	loop := &Stmt{
		Kind: StmtFor, Init: &Stmt{Kind: StmtDeclare, Var: s}, Value: g.binary(">", g.varExpr(s), literalOf(u32Type, 0)),
		Update: &Stmt{Kind: StmtAssign, Name: ">>", Target: g.varExpr(s), Value: literalOf(u32Type, 1)},
		Body: []*Stmt{
			{Kind: StmtIf, Value: g.binary("<", clone(me), g.varExpr(s)), Body: one(step)},
			barrier("workgroupBarrier"),
		},
	}
	got := &Var{Name: g.name("sum"), Kind: LetVar, Type: t, Untyped: true, Init: index(g.varExpr(v), literalOf(u32Type, 0))}
	list := []*Stmt{
		{Kind: StmtAssign, Target: index(g.varExpr(v), clone(me)), Value: g.expr(t, 2)},
		barrier("workgroupBarrier"), loop,
		{Kind: StmtDeclare, Var: got},
		barrier("workgroupBarrier"),
	}
	g.addSource(g.varExpr(got), false)
	return list
}

// together makes the statements of a block that all invocations execute alike.
func (g *generator) together(depth int) []*Stmt {
	mark := len(g.sources)
	uniforms := len(g.uniforms)
	list := g.share(depth - 1)
	list = append(list, g.statements(depth-1, 0)...)
	g.sources, g.uniforms = g.sources[:mark], g.uniforms[:uniforms]
	return list
}

// uniformBranch makes a branch with barriers in it.
func (g *generator) uniformBranch(depth int) *Stmt {
	if g.chance(70) {
		s := &Stmt{Kind: StmtIf, Value: g.uniformCondition(), Body: g.together(depth), Style: g.style()}
		if g.chance(40) {
			s.Else = g.together(depth)
		}
		return s
	}
	s := &Stmt{Kind: StmtSwitch, Value: g.binary("%", g.uniformExpr(1), literalOf(u32Type, 3)), Style: g.style()}
	jumps := g.weights[wJump]
	g.weights[wJump] = 0
	for i := range uint32(2) {
		s.Cases = append(s.Cases, &SwitchCase{Selectors: []*Expr{literalOf(u32Type, i)}, Body: g.together(depth)})
	}
	s.Cases = append(s.Cases, &SwitchCase{Default: true})
	g.weights[wJump] = jumps
	return s
}

// uniformLoop makes a loop with barriers in it.
func (g *generator) uniformLoop(depth int) *Stmt {
	i := &Var{Name: g.name("at"), Kind: MemoryVar, Type: u32Type, Init: literalOf(u32Type, 0), Untyped: true}
	s := &Stmt{
		Kind: StmtFor, Init: &Stmt{Kind: StmtDeclare, Var: i}, Fuel: 1 + g.r.IntN(3),
		Value: g.binary("<", g.varExpr(i), g.uniformExpr(2)), Update: &Stmt{Kind: StmtStep, Name: "++", Target: g.varExpr(i)},
	}
	mark := len(g.sources)
	g.addSource(g.varExpr(i), false)
	uniforms := len(g.uniforms)
	g.uniforms = append(g.uniforms, g.varExpr(i))
	// Jumps out of the loop's body would have to be taken by all.
	jumps := g.weights[wJump]
	g.weights[wJump] = 0
	s.Body = g.together(depth)
	if g.chance(30) {
		jump := &Stmt{Kind: []StmtKind{StmtBreak, StmtContinue}[g.r.IntN(2)]}
		s.Body = append(s.Body, &Stmt{Kind: StmtIf, Value: g.uniformCondition(), Body: one(jump)})
		s.Body = append(s.Body, g.together(depth)...)
	}
	g.weights[wJump] = jumps
	g.sources, g.uniforms = g.sources[:mark], g.uniforms[:uniforms]
	return s
}

// tally reads an atomic of the workgroup between barriers.
func (g *generator) tally() []*Stmt {
	var fit []*source
	for i := range g.atomics {
		if rootOf(g.atomics[i].expr).Space == WorkgroupSpace {
			fit = append(fit, &g.atomics[i])
		}
	}
	if len(fit) == 0 {
		return nil
	}
	a := fit[g.r.IntN(len(fit))]
	t := a.t.Elem.Elem
	got := &Var{Name: g.name("got"), Kind: LetVar, Type: t, Untyped: true}
	got.Init = g.call("atomicLoad", t, addressOf(index(clone(a.expr), literalOf(u32Type, uint32(g.r.IntN(a.t.Count))))))
	g.addSource(g.varExpr(got), false)
	return []*Stmt{barrier("workgroupBarrier"), {Kind: StmtDeclare, Var: got}, barrier("workgroupBarrier")}
}

// subgroup makes a subgroup operation. Beside others its operand is the same in all invocations;
// in a workgroup of one, the subgroup is this invocation.
func (g *generator) subgroup() *Stmt {
	t := []*Type{u32Type, i32Type, vectorOf(u32Type, 2), f32Type, boolType}[g.r.IntN(5)]
	var e *Expr
	if g.group == 1 {
		x := g.expr(t, 2)
		names := []string{"subgroupBroadcastFirst", "subgroupAdd", "subgroupExclusiveAdd", "subgroupInclusiveAdd", "subgroupMul", "subgroupMin", "subgroupMax", "subgroupXor", "subgroupAnd", "subgroupOr"}
		switch {
		case t == boolType:
			names = []string{"subgroupAll", "subgroupAny", "subgroupBallot"}
		case t.isFloat():
			names = names[:7]
		}
		name := names[g.r.IntN(len(names))]
		if name == "subgroupBallot" {
			t = vectorOf(u32Type, 4)
		}
		e = g.call(name, t, x)
	} else {
		x := g.uniformExpr(2)
		names := []string{"subgroupBroadcastFirst", "subgroupMin", "subgroupMax", "subgroupAnd", "subgroupOr"}
		t = u32Type
		if g.chance(25) {
			x, t, names = g.uniformCondition(), boolType, []string{"subgroupAll", "subgroupAny"}
		}
		e = g.call(names[g.r.IntN(len(names))], t, x)
	}
	got := &Var{Name: g.name("got"), Kind: LetVar, Type: t, Untyped: true, Init: e}
	g.addSource(g.varExpr(got), false)
	return &Stmt{Kind: StmtDeclare, Var: got}
}
