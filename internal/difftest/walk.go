package difftest

// Visiting the nodes of a tree.

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
	walkExpr(s.Target, expr)
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

// rootOf is the variable that a reference names a part of.
func rootOf(e *Expr) *Var {
	for e.Op != OpVar {
		e = e.Args[0]
	}
	return e.Var
}

// aliasRoot is the variable or parameter that a pointer declared by let comes from.
func aliasRoot(v *Var) *Var {
	for v.Kind == LetVar && v.Type.Kind == Pointer {
		v = rootOf(v.Init)
	}
	return v
}
