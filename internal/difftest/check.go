package difftest

// Static rules of valid programs: scopes, behaviours (WGSL §9.7), aliases of pointers (§10.4), and
// uniform control flow at barriers (§15.2). The last rule is stricter than WGSL's.

// checkStatic finds what breaks a rule, or returns nil.
func (p *Program) checkStatic() *Fault {
	k := &checker{scope: map[*Var]bool{}, uses: map[*Func]*usage{}, names: map[string][]named{}}
	for _, v := range p.Globals {
		if v.Init != nil {
			k.expr(v.Init)
		}
		if (v.Kind == OverrideVar || v.Kind == MemoryVar) && v.Init != nil && stageOf(v.Init) == runStage {
			k.fail(v.Init, nil, "a module-scope initialiser is known only at run time")
		}
		k.scope[v] = true
		k.name(v)
	}
	for _, f := range p.Funcs {
		k.function(f)
	}
	if k.uses[p.Entry] == nil {
		k.fail(nil, nil, "no entry point")
	}
	return k.fault
}

type checker struct {
	fault *Fault
	scope map[*Var]bool
	added []*Var
	names map[string][]named // what each name means, innermost last
	depth int
	uses  map[*Func]*usage
	u     *usage
	f     *Func
}

// named is a declaration, and how deep the scope is nested that has it.
type named struct {
	v     *Var
	depth int
}

// usage is what callers have to know of a function.
type usage struct {
	reads, writes map[*Var]bool // variables at module scope and parameters that are pointers
	barrier       bool
}

func (k *checker) fail(e *Expr, s *Stmt, what string) {
	if k.fault == nil {
		k.fault = &Fault{FaultStatic, e, s, what}
	}
}

func (k *checker) declare(v *Var) {
	k.scope[v] = true
	k.added = append(k.added, v)
	k.name(v)
}

func (k *checker) name(v *Var) {
	list := k.names[v.Name]
	if n := len(list); n > 0 && list[n-1].depth == k.depth {
		k.fail(nil, nil, v.Name+" is declared twice in a scope")
	}
	k.names[v.Name] = append(list, named{v, k.depth})
}

// use fails where a name is not in scope or means something else.
func (k *checker) use(e *Expr) {
	v := e.Var
	if list := k.names[v.Name]; !k.scope[v] || len(list) == 0 || list[len(list)-1].v != v {
		k.fail(e, nil, v.Name+" is not in scope")
	}
}

// leave ends the scope of what was declared since there were mark declarations.
func (k *checker) leave(mark int) {
	for _, v := range k.added[mark:] {
		delete(k.scope, v)
		list := k.names[v.Name]
		k.names[v.Name] = list[:len(list)-1]
	}
	k.added = k.added[:mark]
}

func (k *checker) function(f *Func) {
	k.u = &usage{reads: map[*Var]bool{}, writes: map[*Var]bool{}}
	k.f = f
	for _, e := range f.Workgroup {
		if e != nil {
			k.expr(e)
		}
	}
	// Parameters and the body's declarations are in one scope.
	k.depth++
	for _, v := range f.Params {
		k.declare(v)
	}
	b := k.open(f.Body)
	k.leave(0)
	k.depth--
	switch {
	case f.Result != nil && b != behavesReturn:
		k.fail(nil, nil, f.Name+" does not return on all paths")
	case b&^(behavesNext|behavesReturn) != 0 || b == 0:
		k.fail(nil, nil, f.Name+" has an impossible behaviour")
	}
	k.uses[f] = k.u
	if k.u.barrier && k.fault == nil {
		k.uniformity(f)
	}
}

// behaviour is a set of ways in which a statement ends.
type behaviour uint8

const (
	behavesNext behaviour = 1 << iota
	behavesBreak
	behavesContinue
	behavesReturn
)

// list checks the statements of a block, with a scope of their own.
func (k *checker) list(list []*Stmt) behaviour {
	mark := len(k.added)
	k.depth++
	b := k.open(list)
	k.leave(mark)
	k.depth--
	return b
}

// open checks statements and leaves what they declare in scope.
func (k *checker) open(list []*Stmt) behaviour {
	b := behavesNext
	for _, s := range list {
		one := k.stmt(s)
		if b&behavesNext != 0 {
			b = b&^behavesNext | one
		}
	}
	return b
}

func (k *checker) stmt(s *Stmt) behaviour {
	switch s.Kind {
	case StmtDeclare:
		if s.Var.Init != nil {
			k.expr(s.Var.Init)
			if s.Var.Kind == ConstVar && stageOf(s.Var.Init) != constStage {
				k.fail(s.Var.Init, s, "the initialiser of a const is not const")
			}
		}
		k.declare(s.Var)
	case StmtAssign, StmtStep, StmtExchange:
		k.expr(s.Target)
		k.access(s.Target, true)
		if s.Name != "" {
			k.access(s.Target, false)
		}
		if s.Value != nil {
			k.expr(s.Value)
		}
	case StmtIf:
		k.expr(s.Value)
		return k.list(s.Body) | k.list(s.Else)
	case StmtSwitch:
		return k.choice(s)
	case StmtLoop, StmtFor, StmtWhile:
		return k.loop(s)
	case StmtBlock:
		return k.list(s.Body)
	case StmtBreak:
		return behavesBreak
	case StmtContinue:
		return behavesContinue
	case StmtReturn:
		if (s.Value == nil) != (k.f.Result == nil) {
			k.fail(nil, s, "a return without the function's result")
		}
		if s.Value != nil {
			k.expr(s.Value)
		}
		return behavesReturn
	case StmtCall, StmtPhony:
		k.expr(s.Value)
	}
	return behavesNext
}

func (k *checker) choice(s *Stmt) behaviour {
	k.expr(s.Value)
	b, defaults := behaviour(0), 0
	for _, c := range s.Cases {
		for _, e := range c.Selectors {
			k.expr(e)
			if stageOf(e) != constStage {
				k.fail(e, s, "a selector that is not const")
			}
		}
		if c.Default {
			defaults++
		} else if len(c.Selectors) == 0 {
			k.fail(nil, s, "a clause without selectors")
		}
		b |= k.list(c.Body)
	}
	if defaults != 1 {
		k.fail(nil, s, "a switch without its one default")
	}
	if b&behavesBreak != 0 {
		b = b&^behavesBreak | behavesNext
	}
	return b
}

func (k *checker) loop(s *Stmt) behaviour {
	mark := len(k.added)
	k.depth += 2
	defer func() {
		k.leave(mark)
		k.depth -= 2
	}()
	if s.Init != nil {
		k.depth--
		k.stmt(s.Init)
		k.depth++
	}
	if s.Kind != StmtLoop && s.Value != nil {
		k.expr(s.Value)
	}
	inner := len(k.added)
	b := k.open(s.Body)
	if s.Kind == StmtLoop {
		if b&behavesContinue != 0 || jumps(s.Body) {
			k.bypass(s, inner)
		}
		k.depth++ // the continuing block is a scope in the body's
		last := k.open(s.Else)
		k.depth--
		if last&^behavesNext != 0 || hasReturn(s.Else) {
			k.fail(nil, s, "a jump out of a continuing block")
		}
		if s.Value != nil {
			k.expr(s.Value)
			b |= behavesBreak
		}
	} else {
		if s.Value != nil {
			b |= behavesBreak
		}
		k.leave(inner)
		if s.Update != nil {
			k.stmt(s.Update)
		}
	}
	if s.Fuel > 0 {
		b |= behavesBreak
	}
	switch {
	case b == behavesReturn:
	case b&behavesBreak == 0:
		b &^= behavesContinue | behavesNext
	default:
		b = (b | behavesNext) &^ (behavesBreak | behavesContinue)
	}
	if b == 0 {
		k.fail(nil, s, "a loop without an end")
	}
	return b
}

// bypass fails if the continuing block uses what the body declares while the body has a
// continue, which might pass over the declaration.
func (k *checker) bypass(s *Stmt, inner int) {
	local := map[*Var]bool{}
	for _, v := range k.added[inner:] {
		local[v] = true
	}
	look := func(e *Expr) {
		if e.Op == OpVar && local[e.Var] {
			k.fail(e, s, "a continue may pass over a declaration that the continuing block uses")
		}
	}
	walkStmts(s.Else, func(*Stmt) {}, look)
	walkExpr(s.Value, look)
}

func hasReturn(list []*Stmt) bool {
	found := false
	walkStmts(list, func(s *Stmt) { found = found || s.Kind == StmtReturn }, func(*Expr) {})
	return found
}

// expr checks an expression whose value is used, or a reference whose parts are evaluated.
func (k *checker) expr(e *Expr) {
	switch e.Op {
	case OpVar:
		k.use(e)
		if e.Var.Kind == MemoryVar {
			k.access(e, false)
		}
		return
	case OpCall:
		k.callee(e)
		return
	case OpAddress:
		k.indices(e.Args[0])
		return
	case OpBuiltin:
		if len(k.names[e.Name]) > 0 {
			k.fail(e, nil, "the builtin "+e.Name+" is hidden by a variable")
		}
		switch {
		case isAtomic(e.Name):
			k.access(e.Args[0], true)
			k.access(e.Args[0], false)
		case isSubgroup(e.Name):
			k.u.barrier = true
		case e.Name == "workgroupBarrier", e.Name == "storageBarrier", e.Name == "workgroupUniformLoad":
			k.u.barrier = true
			for _, a := range e.Args {
				k.access(a, false)
			}
		}
	case OpDeref:
		k.access(e, false)
	}
	for _, a := range e.Args {
		k.expr(a)
	}
}

// indices checks a reference that is not accessed.
func (k *checker) indices(e *Expr) {
	for i, a := range e.Args {
		if i == 0 && e.Op != OpDeref {
			k.indices(a)
		} else {
			k.expr(a)
		}
	}
	if e.Op == OpVar {
		k.use(e)
	}
}

// access notes that memory is read or written through a reference or pointer.
func (k *checker) access(e *Expr, write bool) {
	root := aliasRoot(rootOf(e))
	if root.Kind == MemoryVar && root.Space == FunctionSpace || k.u == nil {
		return
	}
	if write {
		k.u.writes[root] = true
	} else {
		k.u.reads[root] = true
	}
}

func (k *checker) callee(e *Expr) {
	u := k.uses[e.Func]
	if len(k.names[e.Func.Name]) > 0 {
		k.fail(e, nil, e.Func.Name+" is hidden by a variable")
	}
	if u == nil || e.Func.Entry {
		k.fail(e, nil, "a call of "+e.Func.Name+", which is not declared before")
		return
	}
	if len(e.Args) != len(e.Func.Params) {
		k.fail(e, nil, "wrong number of arguments")
		return
	}
	k.u.barrier = k.u.barrier || u.barrier
	read, written := map[*Var]bool{}, map[*Var]bool{}
	for i, a := range e.Args {
		p := e.Func.Params[i]
		if p.Type.Kind != Pointer {
			k.expr(a)
			continue
		}
		k.expr(a)
		root := aliasRoot(rootOf(a))
		if u.writes[p] && (read[root] || written[root]) || u.reads[p] && written[root] {
			k.fail(e, nil, "two pointers to the same variable, one of which is written through")
		}
		if root.Space != FunctionSpace || root.Kind != MemoryVar {
			if u.writes[p] && (u.reads[root] || u.writes[root]) || u.reads[p] && u.writes[root] {
				k.fail(e, nil, "a pointer to a variable that the called function accesses")
			}
		}
		if u.reads[p] {
			read[root] = true
			k.access(a, false)
		}
		if u.writes[p] {
			written[root] = true
			k.access(a, true)
		}
	}
	for v := range u.reads {
		if v.Kind == MemoryVar {
			k.u.reads[v] = true
		}
	}
	for v := range u.writes {
		if v.Kind == MemoryVar {
			k.u.writes[v] = true
		}
	}
}
