package difftest

// Statements by which invocations work together: atomics, and workgroup memory with barriers.

// atomicNames are the operations whose effects commute, by how an atomic is used: each atomic has
// one of them in a program.
var atomicNames = []string{"atomicAdd", "atomicAnd", "atomicOr", "atomicXor", "atomicMin", "atomicMax"}
var exchangeNames = []string{"+", "&", "|", "^", "min", "max"}

// atomic makes an operation on an atomic that any invocation may change.
func (g *generator) atomic() *Stmt {
	k := g.r.IntN(len(g.atomics))
	a := &g.atomics[k]
	kind := (k*7 + int(g.p.Seed)) % len(atomicNames)
	place := clone(a.expr)
	t := a.t.Elem
	value := g.expr(t, 2)
	if g.chance(25) {
		return &Stmt{Kind: StmtExchange, Name: exchangeNames[kind], Place: place, Value: value, Style: g.style()}
	}
	name := atomicNames[kind]
	if name == "atomicAdd" && g.chance(30) {
		name = "atomicSub"
	}
	root := rootOf(place)
	pointer := &Expr{Op: OpAddress, Type: pointerTo(place.Type, root.Space, root.Access), Args: []*Expr{place}}
	e := g.call(name, t, pointer, value)
	e.Style &= 0x0f
	return &Stmt{Kind: StmtCall, Value: e}
}

func barrier(name string) *Stmt {
	return &Stmt{Kind: StmtCall, Value: &Expr{Op: OpBuiltin, Name: name}}
}

// share makes an exchange of values between the invocations of a workgroup.
func (g *generator) share() []*Stmt {
	v := g.shares[g.r.IntN(len(g.shares))]
	mine := index(g.varExpr(v), g.varExpr(g.localIndex))
	write := &Stmt{Kind: StmtAssign, Place: mine, Value: g.expr(v.Type.Elem, 3)}
	other := g.binary("%", g.binary("+", g.varExpr(g.localIndex), literalOf(u32Type, uint32(g.r.IntN(2*g.group)))), literalOf(u32Type, uint32(g.group)))
	if g.chance(30) {
		other = g.binary("%", g.expr(u32Type, 2), literalOf(u32Type, uint32(g.group)))
	}
	got := &Var{Name: g.name("got"), Kind: LetVar, Type: v.Type.Elem, Untyped: true, Init: index(g.varExpr(v), other)}
	list := []*Stmt{write, barrier("workgroupBarrier"), {Kind: StmtDeclare, Var: got}}
	if g.chance(20) {
		// All take the value of one.
		at := literalOf(u32Type, uint32(g.r.IntN(g.group)))
		place := index(g.varExpr(v), at)
		got.Init = g.call("workgroupUniformLoad", v.Type.Elem, &Expr{Op: OpAddress, Type: pointerTo(v.Type.Elem, WorkgroupSpace, ReadWrite), Args: []*Expr{place}})
		g.addSource(g.varExpr(got), false)
		return []*Stmt{write, {Kind: StmtDeclare, Var: got}}
	}
	list = append(list, barrier("workgroupBarrier"))
	g.addSource(g.varExpr(got), false)
	return list
}
