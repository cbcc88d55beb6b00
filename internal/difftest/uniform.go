package difftest

// Uniformity: whether all invocations of a workgroup reach a function's barriers together. The
// analysis knows less than WGSL's: a local variable is uniform everywhere or nowhere, and a call
// gives no uniform value.

type uniformity struct {
	k       *checker
	f       *Func
	varying map[*Var]bool
	loops   map[*Stmt]bool // loops that invocations leave at different times
	changed bool
	report  bool
	// What has happened since the start of the function, the loop's body, or the switch.
	left jumpsTaken
}

// jumpsTaken says which jumps were taken by some invocations only.
type jumpsTaken struct {
	function, loop, body, choice bool
}

func (k *checker) uniformity(f *Func) {
	u := &uniformity{k: k, f: f, varying: map[*Var]bool{}, loops: map[*Stmt]bool{}}
	for u.changed = true; u.changed; {
		u.changed, u.left = false, jumpsTaken{}
		u.list(f.Body, true)
	}
	u.report, u.left = true, jumpsTaken{}
	u.list(f.Body, true)
}

func (u *uniformity) mark(v *Var) {
	if !u.varying[v] {
		u.varying[v] = true
		u.changed = true
	}
}

// now says whether control flow is uniform at a block that was entered uniformly.
func (u *uniformity) now(entered bool) bool {
	l := u.left
	return entered && !l.function && !l.loop && !l.body && !l.choice
}

func (u *uniformity) list(list []*Stmt, flow bool) {
	for _, s := range list {
		u.stmt(s, u.now(flow))
	}
}

func (u *uniformity) stmt(s *Stmt, flow bool) {
	switch s.Kind {
	case StmtDeclare:
		if s.Var.Init != nil && !u.expr(s.Var.Init, flow) || !flow {
			u.mark(s.Var)
		}
	case StmtAssign, StmtStep, StmtExchange:
		same := u.expr(s.Target, flow)
		if s.Value != nil {
			same = u.expr(s.Value, flow) && same
		}
		if root := aliasRoot(rootOf(s.Target)); !same || !flow {
			u.mark(root)
		}
	case StmtIf:
		inside := u.expr(s.Value, flow) && flow
		u.list(s.Body, inside)
		u.list(s.Else, inside)
	case StmtSwitch:
		inside := u.expr(s.Value, flow) && flow
		outer := u.left.choice
		for _, c := range s.Cases {
			u.left.choice = outer
			u.cases(c.Body, inside)
		}
		u.left.choice = outer
	case StmtLoop, StmtFor, StmtWhile:
		u.loop(s, flow)
	case StmtBlock:
		u.list(s.Body, flow)
	case StmtBreak:
		if !flow {
			u.left.loop = true
		}
	case StmtContinue:
		if !flow {
			u.left.body = true
		}
	case StmtReturn:
		if s.Value != nil {
			u.expr(s.Value, flow)
		}
		if !flow {
			u.left.function = true
		}
	case StmtCall, StmtPhony:
		u.expr(s.Value, flow)
	}
}

// cases checks a clause: a break in it leaves the switch only.
func (u *uniformity) cases(list []*Stmt, flow bool) {
	outer := u.left.loop
	u.list(list, flow)
	u.left.loop = outer
}

func (u *uniformity) loop(s *Stmt, flow bool) {
	if s.Init != nil {
		u.stmt(s.Init, flow)
	}
	outer := u.left
	inside := flow && !u.loops[s]
	vary := func() {
		if !u.loops[s] {
			u.loops[s] = true
			u.changed = true
		}
	}
	if s.Value != nil && s.Kind != StmtLoop && !u.expr(s.Value, inside) {
		vary()
	}
	u.list(s.Body, inside)
	if u.left.loop || u.left.body || u.left.function {
		vary()
	}
	inside = inside && !u.loops[s]
	u.list(s.Else, inside)
	if s.Kind == StmtLoop && s.Value != nil && !u.expr(s.Value, inside) {
		vary()
	}
	if s.Update != nil {
		u.stmt(s.Update, inside)
	}
	function := u.left.function
	u.left = outer
	u.left.function = u.left.function || function
}

// expr says whether an expression has the same value in all invocations.
func (u *uniformity) expr(e *Expr, flow bool) bool {
	same := true
	for i, a := range e.Args {
		inside := flow
		if i == 1 && e.Op == OpBinary && (e.Name == "&&" || e.Name == "||") {
			inside = flow && same
		}
		same = u.expr(a, inside) && same
	}
	switch e.Op {
	case OpVar:
		v := aliasRoot(e.Var)
		switch v.Kind {
		case ConstVar, OverrideVar:
			return true
		case BuiltinVar:
			return v.Builtin == "workgroup_id" || v.Builtin == "num_workgroups"
		case ParamVar:
			return false
		case MemoryVar:
			switch v.Space {
			case PrivateSpace, WorkgroupSpace:
				return false
			case StorageSpace:
				return v.Access == Read
			}
		}
		return !u.varying[v]
	case OpCall:
		if u.k.uses[e.Func].barrier {
			u.demand(e, flow)
		}
		for i, a := range e.Args {
			if e.Func.Params[i].Type.Kind == Pointer {
				u.mark(aliasRoot(rootOf(a)))
			}
		}
		return false
	case OpBuiltin:
		switch {
		case e.Name == "workgroupBarrier" || e.Name == "storageBarrier":
			u.demand(e, flow)
			return false
		case e.Name == "workgroupUniformLoad":
			u.demand(e, flow)
			return true
		case e.Name == "arrayLength":
			return true
		case isSubgroup(e.Name):
			u.demand(e, flow)
			return false
		case !isConstBuiltin(e.Name):
			return false
		}
	}
	return same
}

func (u *uniformity) demand(e *Expr, flow bool) {
	if u.report && !flow {
		u.k.fail(e, nil, "a barrier that not all invocations need reach")
	}
}
