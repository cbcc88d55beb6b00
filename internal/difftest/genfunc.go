package difftest

// The generator's functions, their calls, and entry points.

// effects are the module-scope variables that a function and those that it calls access.
type effects struct {
	vars     map[*Var]bool
	barriers bool
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
		if s := &g.sources[i]; isReference(s.expr) && s.t.leaves() <= 100 {
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

func (g *generator) makeFunction() {
	f := &Func{Name: g.name("fn")}
	if g.chance(75) {
		f.Result = g.valueType(1)
	}
	mark, textures := len(g.sources), len(g.textures)
	if textures > 0 && g.chance(50) {
		v := g.textureParameter()
		f.Params = append(f.Params, v)
		g.textures = append(g.textures, handle{expr: g.varExpr(v)})
	}
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
	if g.chance(15+g.profile.calls) && !g.large {
		g.budget += 6 + g.r.IntN(20)
	}
	g.depth = 3
	f.Body = g.block(3, 0)
	g.budget = budget
	if f.Result != nil {
		f.Body = append(f.Body, &Stmt{Kind: StmtReturn, Value: g.expr(f.Result, 3)})
	}
	g.sources, g.textures = g.sources[:mark], g.textures[:textures]
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
		if p.Type.Kind == Texture {
			// the one that the parameter is for
			h, _ := g.texture(func(t *Type) bool { return same(t, p.Type) })
			e.Args = append(e.Args, h.expr)
			continue
		}
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

// pointer makes a pointer of type t to a part of an allowed variable, or returns nil.
func (g *generator) pointer(t *Type, allowed func(*Var) bool) *Expr {
	var fit []*source
	for i := range g.sources {
		s := &g.sources[i]
		if !isReference(s.expr) || !g.hasPart(s.t, t.Elem) {
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
	e := g.descendReference(clone(fit[g.r.IntN(len(fit))].expr), t.Elem)
	if e.Op == OpDeref && g.chance(80) {
		return e.Args[0]
	}
	return &Expr{Op: OpAddress, Type: t, Args: []*Expr{e}, Style: g.style()}
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

func (g *generator) descendReference(e *Expr, t *Type) *Expr {
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
	g.many = false
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
	f.Body = []*Stmt{{Kind: StmtAssign, Target: g.varExpr(g.lane), Value: lane}}
	for _, v := range g.shares {
		g.addSource(index(g.varExpr(v), g.varExpr(g.localIndex)), true)
	}
	g.uniforms = []*Expr{part("num_workgroups", "x"), part("workgroup_id", "y")}
	if g.width != nil {
		g.uniforms = append(g.uniforms, g.varExpr(g.width))
	}
	g.uniform = true
	// After a return that not all invocations take there may be no barrier.
	g.noReturn = len(g.shares) > 0
	if g.chance(70) {
		for _, v := range g.shares {
			reference := index(g.varExpr(v), g.varExpr(g.localIndex))
			f.Body = append(f.Body, &Stmt{Kind: StmtAssign, Target: reference, Value: g.expr(v.Type.Elem, 1)})
		}
	}
	if g.depth = 4; g.large && !g.noReturn {
		g.uniform = false
		if g.chance(70) {
			f.Body = append(f.Body, g.dying())
		}
	}
	if g.p.Lanes > 0 {
		f.Body = append(f.Body, g.lanesStatements()...)
	}
	f.Body = append(f.Body, g.block(4, 0)...)
	g.uniform, g.noReturn = false, false
	f.Body = append(f.Body, g.output(3))
	g.sources = g.sources[:mark]
	g.p.Funcs = append(g.p.Funcs, f)
	g.effects[f] = g.effectsOf(f)
}

// pointerCount is how many parameters are pointers.
func pointerCount(f *Func) int {
	n := 0
	for _, p := range f.Params {
		if p.Type.Kind == Pointer {
			n++
		}
	}
	return n
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
	if g.chance(8+g.profile.calls/4) && g.f.Entry && !g.many && !g.large {
		// So often that no inliner takes all of them; better a function with pointers.
		g.many = true
		for _, o := range fit {
			if pointerCount(o) > pointerCount(f) {
				f = o
			}
		}
		times = 10 + g.r.IntN(50)
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
