package editor

import (
	"strings"

	"github.com/gpuc/gpuc/frontend/wgsl/sem"
	"github.com/gpuc/gpuc/frontend/wgsl/syntax"
)

// This file finds the names that are visible at a position (WGSL §5).

// scope collects the declarations of a function that are visible at an offset.
type scope struct {
	*reading
	at      int
	objects []sem.Object
}

// visible returns the declared objects that are visible at an offset: those of the module, and
// those of the function around it, the innermost last. A later object hides an earlier one of its
// name.
func (r *reading) visible(at int) (module, local []sem.Object, inFunction bool) {
	for _, d := range r.tree.Globals {
		n := r.tree.Decl(d)
		// A declaration cannot use itself. Spans of values end before the semicolon.
		around, closed := r.rangeOf(n.Span), n.Kind == syntax.FunctionDecl || n.Kind == syntax.StructDecl
		if around.Start < at && (at < around.End || !closed && strings.TrimSpace(r.text[around.End:at]) == "") {
			continue
		}
		if o := r.info.DeclObjects[d]; o != 0 {
			module = append(module, o)
		}
	}
	s := scope{reading: r, at: at}
	for i := range r.info.Functions {
		f := &r.info.Functions[i]
		n := r.tree.Decl(f.Decl)
		if n.Body == 0 || !s.inside(n.Body) {
			continue
		}
		s.objects = append(s.objects, f.Parameters...)
		s.block(n.Body)
		return module, s.objects, true
	}
	return module, nil, false
}

// inside reports whether the offset is within a statement.
func (s *scope) inside(x syntax.Stmt) bool {
	at := s.rangeOf(s.tree.Stmt(x).Span)
	return at.Start < s.at && s.at <= at.End
}

// block adds the declarations of a block before the offset.
func (s *scope) block(block syntax.Stmt) {
	for _, x := range s.tree.StmtList(s.tree.Stmt(block).List) {
		s.statement(x)
	}
}

// statement adds the declarations of a statement that are visible at the offset.
func (s *scope) statement(x syntax.Stmt) {
	if x == 0 {
		return
	}
	n := s.tree.Stmt(x)
	if n.Kind == syntax.DeclStmt {
		if o := s.info.DeclObjects[n.Decl]; o != 0 && s.rangeOf(n.Span).End <= s.at {
			s.objects = append(s.objects, o)
		}
		return
	}
	if !s.inside(x) {
		return
	}
	switch n.Kind {
	case syntax.BlockStmt:
		s.block(x)
	case syntax.IfStmt:
		s.statement(n.Body)
		s.statement(n.Else)
	case syntax.ForStmt:
		s.statement(n.Init)
		s.statement(n.Body)
	case syntax.WhileStmt:
		s.statement(n.Body)
	case syntax.LoopStmt:
		// The continuing block and `break if` see what the body declares (WGSL §9.4.3).
		s.block(n.Body)
		s.statement(n.Else)
	case syntax.SwitchStmt:
		for _, clause := range s.tree.ClauseList(n.Clauses) {
			s.statement(clause.Body)
		}
	}
}
