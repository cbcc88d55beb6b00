package difftest

// The generator's functions and statements.

// effects are the module-scope variables that a function and those that it calls access.
type effects struct {
	vars     map[*Var]bool
	barriers bool
}

// walkExpr visits an expression and its parts.
func walkExpr(e *Expr, visit func(*Expr)) {
	if e == nil {
		return
	}
	visit(e)
	for _, a := range e.Args {
		walkExpr(a, visit)
	}
}

// walkStmts visits statements, those in them, and their expressions.
func walkStmts(list []*Stmt, stmt func(*Stmt), expr func(*Expr)) {
	for _, s := range list {
		walkStmt(s, stmt, expr)
	}
}

func walkStmt(s *Stmt, stmt func(*Stmt), expr func(*Expr)) {
	if s == nil {
		return
	}
	stmt(s)
	if s.Var != nil {
		walkExpr(s.Var.Init, expr)
	}
	walkExpr(s.Place, expr)
	walkExpr(s.Value, expr)
	walkStmt(s.Init, stmt, expr)
	walkStmt(s.Update, stmt, expr)
	walkStmts(s.Body, stmt, expr)
	walkStmts(s.Else, stmt, expr)
	for _, c := range s.Cases {
		for _, e := range c.Selectors {
			walkExpr(e, expr)
		}
		walkStmts(c.Body, stmt, expr)
	}
}

// effectsOf finds what a function accesses; its callees are known already.
func (g *generator) effectsOf(f *Func) *effects {
	out := &effects{vars: map[*Var]bool{}}
	walkStmts(f.Body, func(*Stmt) {}, func(e *Expr) {
		switch e.Op {
		case OpVar:
			if v := e.Var; v.Kind == MemoryVar && v.Space != FunctionSpace {
				out.vars[v] = true
			}
		case OpCall:
			callee := g.effects[e.Func]
			for v := range callee.vars {
				out.vars[v] = true
			}
			out.barriers = out.barriers || callee.barriers
		case OpBuiltin:
			out.barriers = out.barriers || e.Name == "workgroupBarrier" || e.Name == "storageBarrier" || e.Name == "workgroupUniformLoad"
		}
	})
	return out
}

// spaces that pointer parameters point into.
func (g *generator) pointerType() *Type {
	if len(g.shares) > 0 && g.chance(25) {
		return pointerTo(g.shares[g.r.IntN(len(g.shares))].Type.Elem, WorkgroupSpace, ReadWrite)
	}
	var fit []*source
	for i := range g.sources {
		if s := &g.sources[i]; isPlace(s.expr) && s.t.leaves() <= 100 {
			fit = append(fit, s)
		}
	}
	if len(fit) == 0 || g.chance(50) {
		return pointerTo(g.valueType(1), FunctionSpace, ReadWrite)
	}
	s := fit[g.r.IntN(len(fit))]
	root := rootOf(s.expr)
	t := s.t
	// A part of it, often.
	for g.chance(50) {
		switch {
		case t.Kind == Struct:
			t = t.Members[g.r.IntN(len(t.Members))].Type
		case t.Kind == Array || t.Kind == Matrix:
			t = t.Elem
		}
	}
	if root.Type.Kind == Pointer {
		return pointerTo(t, root.Type.Space, root.Type.Access)
	}
	return pointerTo(t, root.Space, root.Access)
}

// rootOf is the variable that a place is a part of, as far as it is named.
func rootOf(e *Expr) *Var {
	for e.Op != OpVar {
		e = e.Args[0]
	}
	return e.Var
}

func (g *generator) makeFunction() {
	f := &Func{Name: g.name("fn")}
	if g.chance(75) {
		f.Result = g.valueType(1)
	}
	mark := len(g.sources)
	for range g.r.IntN(4) {
		v := &Var{Name: g.name("p"), Kind: ParamVar}
		if g.chance(30 + g.profile.calls/2) {
			v.Type = g.pointerType()
			f.Params = append(f.Params, v)
			write := v.Type.Access == ReadWrite && v.Type.Space != UniformSpace
			g.addSource(&Expr{Op: OpDeref, Type: v.Type.Elem, Args: []*Expr{g.varExpr(v)}, Style: g.style()}, write)
			continue
		}
		v.Type = g.valueType(1)
		f.Params = append(f.Params, v)
		g.addSource(g.varExpr(v), false)
	}
	g.f = f
	budget := g.budget
	g.budget = 2 + g.r.IntN(8)
	if g.chance(15) {
		g.budget += 20
	}
	g.depth = 3
	f.Body = g.block(3, 0)
	g.budget = budget
	if f.Result != nil {
		f.Body = append(f.Body, &Stmt{Kind: StmtReturn, Value: g.expr(f.Result, 3)})
	}
	g.sources = g.sources[:mark]
	g.p.Funcs = append(g.p.Funcs, f)
	g.funcs = append(g.funcs, f)
	g.effects[f] = g.effectsOf(f)
}

// callOf makes a call that gives a value of type t, or nil.
func (g *generator) callOf(t *Type, depth int) *Expr {
	var fit []*Func
	for _, f := range g.funcs {
		if f.Result != nil && reaches(f.Result, t) && !g.effects[f].barriers {
			fit = append(fit, f)
		}
	}
	if len(fit) == 0 {
		return nil
	}
	e := g.callTo(fit[g.r.IntN(len(fit))], depth)
	if e == nil {
		return nil
	}
	return g.descend(e, t, 0)
}

// callTo makes a call, or nil if there is nothing to point to.
func (g *generator) callTo(f *Func, depth int) *Expr {
	e := &Expr{Op: OpCall, Func: f, Type: f.Result, Style: g.style()}
	used := map[*Var]bool{}
	for _, p := range f.Params {
		if p.Type.Kind != Pointer {
			e.Args = append(e.Args, g.expr(p.Type, depth))
			continue
		}
		a := g.pointer(p.Type, func(root *Var) bool { return !used[root] && !g.effects[f].vars[root] })
		if a == nil {
			return nil
		}
		used[rootOf(a)] = true
		e.Args = append(e.Args, a)
	}
	return e
}

// pointer makes a pointer of type t to a place whose root is allowed, or nil.
func (g *generator) pointer(t *Type, allowed func(*Var) bool) *Expr {
	var fit []*source
	for i := range g.sources {
		s := &g.sources[i]
		if !isPlace(s.expr) || !g.hasPart(s.t, t.Elem) {
			continue
		}
		root := rootOf(s.expr)
		space, access := root.Space, root.Access
		if root.Type.Kind == Pointer {
			space, access = root.Type.Space, root.Type.Access
		}
		if space == t.Space && access == t.Access && allowed(aliasRoot(root)) {
			fit = append(fit, s)
		}
	}
	if len(fit) == 0 {
		return nil
	}
	e := g.descendPlace(clone(fit[g.r.IntN(len(fit))].expr), t.Elem)
	if e.Op == OpDeref && g.chance(80) {
		return e.Args[0]
	}
	return &Expr{Op: OpAddress, Type: t, Args: []*Expr{e}, Style: g.style()}
}

// aliasRoot is the variable or parameter that a pointer declared by let comes from.
func aliasRoot(v *Var) *Var {
	for v.Kind == LetVar && v.Type.Kind == Pointer {
		v = rootOf(v.Init)
	}
	return v
}

// hasPart is reaches without components of vectors, of which there are no pointers.
func (g *generator) hasPart(from, to *Type) bool {
	if same(from, to) {
		return true
	}
	switch from.Kind {
	case Matrix, Array:
		return g.hasPart(from.Elem, to)
	case Struct:
		for _, m := range from.Members {
			if g.hasPart(m.Type, to) {
				return true
			}
		}
	}
	return false
}

func (g *generator) descendPlace(e *Expr, t *Type) *Expr {
	for !same(e.Type, t) {
		if e.Type.Kind == Struct {
			fit := []int{}
			for i, m := range e.Type.Members {
				if g.hasPart(m.Type, t) {
					fit = append(fit, i)
				}
			}
			e = member(e, fit[g.r.IntN(len(fit))])
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

func (g *generator) makeEntry() {
	f := &Func{Name: g.name("main"), Entry: true}
	for i, n := range g.size {
		if i > 0 && n == 1 && i == 2 {
			break
		}
		f.Workgroup[i] = literalOf(u32Type, uint32(n))
	}
	if g.width != nil {
		f.Workgroup[0] = g.varExpr(g.width)
	}
	mark := len(g.sources)
	inputs := map[string]*Var{}
	input := func(name string, t *Type) {
		v := &Var{Name: g.name(map[string]string{"local_invocation_index": "li", "workgroup_id": "wg", "num_workgroups": "nw", "global_invocation_id": "gi", "local_invocation_id": "lo"}[name]), Kind: BuiltinVar, Builtin: name, Type: t}
		f.Params = append(f.Params, v)
		inputs[name] = v
		g.addSource(g.varExpr(v), false)
	}
	vec3u := vectorOf(u32Type, 3)
	input("local_invocation_index", u32Type)
	input("workgroup_id", vec3u)
	input("num_workgroups", vec3u)
	if g.chance(40) {
		input("global_invocation_id", vec3u)
	}
	if g.chance(40) {
		input("local_invocation_id", vec3u)
	}
	g.f = f
	g.localIndex = inputs["local_invocation_index"]
	part := func(name, letter string) *Expr {
		return &Expr{Op: OpSwizzle, Type: u32Type, Name: letter, Args: []*Expr{g.varExpr(inputs[name])}}
	}
	group := g.binary("+", part("workgroup_id", "x"), g.binary("*", part("num_workgroups", "x"),
		g.binary("+", part("workgroup_id", "y"), g.binary("*", part("num_workgroups", "y"), part("workgroup_id", "z")))))
	lane := g.binary("+", g.binary("*", group, g.groupSize()), g.varExpr(g.localIndex))
	f.Body = []*Stmt{{Kind: StmtAssign, Place: g.varExpr(g.lane), Value: lane}}
	for _, v := range g.shares {
		g.addSource(index(g.varExpr(v), g.varExpr(g.localIndex)), true)
	}
	g.uniforms = []*Expr{part("num_workgroups", "x"), part("workgroup_id", "y")}
	if g.width != nil {
		g.uniforms = append(g.uniforms, g.varExpr(g.width))
	}
	g.uniform = true
	// Behind a return that not all invocations take there may be no barrier.
	g.noReturn = len(g.shares) > 0
	g.depth = 4
	f.Body = append(f.Body, g.block(4, 0)...)
	g.uniform, g.noReturn = false, false
	f.Body = append(f.Body, g.output(3))
	g.sources = g.sources[:mark]
	g.p.Funcs = append(g.p.Funcs, f)
	g.effects[f] = g.effectsOf(f)
}

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

func (g *generator) statement(depth int) []*Stmt {
	w := g.weights
	if depth <= 0 {
		w[wIf], w[wSwitch], w[wLoop], w[wFor], w[wWhile], w[wBlock], w[wShare] = 0, 0, 0, 0, 0, 0, 0
	}
	if !g.uniform || len(g.shares) == 0 && !g.p.Subgroups {
		w[wShare] = 0
	}
	// A return behind a condition would make control flow non-uniform for what follows.
	if depth >= g.depth || g.noReturn {
		w[wReturn] = 0
	}
	if g.loops == 0 && g.switches == 0 || depth >= g.depth {
		w[wJump] = 0
	}
	if len(g.atomics)+len(g.cells) == 0 {
		w[wAtomic] = 0
	}
	kind := weight(g.pick(w[:]))
	switch kind {
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
		return g.exchangePlaces()
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

// writable makes a place of a type that fits, or nil.
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
	s := &Stmt{Kind: StmtAssign, Place: p, Style: g.style()}
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
		s.Place = &Expr{Op: OpSwizzle, Type: vectorOf(t.Elem, len(name)), Name: name, Args: []*Expr{p}, Style: g.style()}
		t = s.Place.Type
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

// exchangePlaces makes two variables of a type take each other's values.
func (g *generator) exchangePlaces() []*Stmt {
	p := g.writable(nil)
	if p == nil {
		return nil
	}
	q := g.writable(p.Type)
	v := &Var{Name: g.name("t"), Kind: LetVar, Type: p.Type, Untyped: true, Init: clone(p)}
	list := []*Stmt{
		{Kind: StmtDeclare, Var: v},
		{Kind: StmtAssign, Place: p, Value: clone(q)},
		{Kind: StmtAssign, Place: q, Value: g.varExpr(v)},
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
	place := index(g.varExpr(g.out), at)
	t := g.scalar()
	value := g.word(g.expr(t, depth))
	s := &Stmt{Kind: StmtAssign, Place: place, Value: value}
	switch g.r.IntN(4) {
	case 0:
	case 1:
		s.Name = "^"
	case 2:
		s.Name = "+"
	default:
		s.Value = g.binary("+", g.binary("*", clone(place), literalOf(u32Type, 31)), value)
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
			v := uint32(g.r.IntN(8))
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
	place := g.varExpr(v)
	op := []string{"<", "<=", "!=", "<"}[g.r.IntN(4)]
	limit := literalOf(t, uint32(1+g.r.IntN(7)))
	s.Update = &Stmt{Kind: StmtStep, Place: clone(place), Name: "++"}
	switch g.r.IntN(6) {
	case 0: // downwards, through zero for u32
		v.Init = literalOf(t, uint32(3+g.r.IntN(5)))
		op, limit = []string{">", ">=", "!="}[g.r.IntN(3)], literalOf(t, uint32(g.r.IntN(3)))
		s.Update = &Stmt{Kind: StmtStep, Place: clone(place), Name: "--"}
	case 1:
		s.Update = &Stmt{Kind: StmtAssign, Place: clone(place), Name: "+", Value: literalOf(t, uint32(1+g.r.IntN(3)))}
	case 2:
		ops := []string{"*", "<<", "^", "-", ">>"}
		name := ops[g.r.IntN(len(ops))]
		by := literalOf(t, edgeInts[g.r.IntN(len(edgeInts))])
		if name == "<<" || name == ">>" {
			by = literalOf(u32Type, uint32(1+g.r.IntN(3)))
		}
		s.Update = &Stmt{Kind: StmtAssign, Place: clone(place), Name: name, Value: by}
		s.Fuel = 2 + g.r.IntN(6)
	case 3:
		v.Init = g.expr(t, 2)
	}
	s.Init = &Stmt{Kind: StmtDeclare, Var: v}
	s.Value = g.binary(op, place, limit)
	if g.chance(20) {
		s.Value = g.binary([]string{"&&", "||"}[g.r.IntN(2)], s.Value, g.expr(boolType, 2))
	}
	switch g.r.IntN(12) {
	case 0:
		s.Value, s.Fuel = nil, 1+g.r.IntN(6)
	case 1:
		s.Update, s.Fuel = nil, 1+g.r.IntN(6)
	}
	g.addSource(place, g.chance(15))
}

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
	step := &Stmt{Kind: StmtAssign, Place: g.varExpr(v), Name: op, Value: by}
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
			access = &Stmt{Kind: StmtAssign, Place: element, Value: g.expr(element.Type, 2)}
		} else {
			access = g.output(1)
			for element.Type.isScalar() == false {
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
		body = []*Stmt{{Kind: StmtAssign, Name: []string{"+", "*", "-"}[g.r.IntN(3)], Place: clone(x), Value: edge}, access}
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

func (g *generator) callStatement() []*Stmt {
	var fit []*Func
	for _, f := range g.funcs {
		if !g.effects[f].barriers {
			fit = append(fit, f)
		}
	}
	if len(fit) == 0 {
		return nil
	}
	f := fit[g.r.IntN(len(fit))]
	times := 1
	if g.chance(8) {
		times = 2 + g.r.IntN(58)
	}
	var list []*Stmt
	for range times {
		e := g.callTo(f, 2)
		if e == nil {
			return list
		}
		s := &Stmt{Kind: StmtCall, Value: e}
		if f.Result != nil {
			if g.chance(30) {
				s.Kind = StmtPhony
			} else if reaches(f.Result, u32Type) {
				s = g.output(1)
				s.Value = g.descend(e, u32Type, 1)
			}
		}
		list = append(list, s)
	}
	return list
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
