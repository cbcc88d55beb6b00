package difftest

// Names that hide others: declarations take the names of what is declared outside of their scope
// and not used in it.

// predeclared are builtins that programs may hide. Those that repairs use are not among them.
var predeclared = []string{"abs", "dot", "countOneBits", "saturate", "step", "mix", "cross", "insertBits", "pack4xU8", "sign", "fma", "sin", "normalize"}

func (g *generator) hideNames() {
	for _, f := range g.p.Funcs {
		var outer []string
		for _, v := range g.p.Globals {
			outer = append(outer, v.Name)
		}
		for _, o := range g.funcs {
			if o != f {
				outer = append(outer, o.Name)
			}
		}
		outer = append(outer, predeclared...)
		taken := map[string]bool{}
		for _, p := range f.Params {
			taken[p.Name] = true
		}
		g.hideIn(f.Body, nil, outer, taken)
	}
}

// hideIn renames declarations of a list of statements; after belongs to the same scope. taken
// are the names that the scope has already.
func (g *generator) hideIn(list, behind []*Stmt, outer []string, taken map[string]bool) {
	inner := outer
	for i, s := range list {
		if s.Kind == StmtDeclare {
			rest := append(append([]*Stmt(nil), list[i+1:]...), behind...)
			g.rename(s.Var, rest, outer, taken)
			inner = append(inner[:len(inner):len(inner)], s.Var.Name)
		}
	}
	for _, s := range list {
		loop := inner
		if s.Init != nil && s.Init.Kind == StmtDeclare {
			head := &Stmt{Kind: StmtPhony, Value: s.Value}
			rest := append([]*Stmt{head}, s.Body...)
			if s.Update != nil {
				rest = append(rest, s.Update)
			}
			g.rename(s.Init.Var, rest, inner, map[string]bool{})
			loop = append(inner[:len(inner):len(inner)], s.Init.Var.Name)
		}
		last := s.Else
		if s.Kind == StmtLoop && s.Value != nil {
			last = append(append([]*Stmt(nil), s.Else...), &Stmt{Kind: StmtPhony, Value: s.Value})
		}
		if s.Kind == StmtLoop {
			g.hideIn(s.Body, last, loop, map[string]bool{})
		} else {
			g.hideIn(s.Body, nil, loop, map[string]bool{})
			g.hideIn(s.Else, nil, loop, map[string]bool{})
		}
		for _, c := range s.Cases {
			g.hideIn(c.Body, nil, loop, map[string]bool{})
		}
	}
}

// rename gives a variable the name of something outside that the rest of its scope does not use.
func (g *generator) rename(v *Var, rest []*Stmt, outer []string, taken map[string]bool) {
	if len(outer) > 0 && g.chance(10) {
		name := outer[g.r.IntN(len(outer))]
		if !taken[name] && !mentions(rest, name) {
			v.Name = name
		}
	}
	taken[v.Name] = true
}

// mentions says whether statements use a name, by whatever it means there, or declare it.
func mentions(list []*Stmt, name string) bool {
	found := false
	walkStmts(list, func(s *Stmt) {
		found = found || s.Var != nil && s.Var.Name == name
	}, func(e *Expr) {
		switch e.Op {
		case OpVar:
			found = found || e.Var.Name == name
		case OpBuiltin:
			found = found || e.Name == name
		case OpCall:
			found = found || e.Func.Name == name
		}
	})
	return found
}
