package lint

import (
	"go/ast"
	"go/token"
	"slices"

	"golang.org/x/tools/go/cfg"

	"github.com/gpuc/gpuc/ir/diag"
)

// This file finds unreachable statements, and barriers that order no memory.

// unreachable warns of the first unreachable statement of each block, and of the post statement of
// a loop without a second iteration. A last return or break is ignored: Go requires it where its
// rules see less.
func (l *linter) unreachable() {
	graph := cfg.New(l.Declaration.Body, func(*ast.CallExpr) bool { return true })
	var live, dead []token.Pos
	for _, b := range graph.Blocks {
		to := &dead
		if b.Live {
			to = &live
		}
		for _, n := range b.Nodes {
			*to = append(*to, n.Pos())
		}
	}
	if len(dead) == 0 {
		return
	}
	slices.Sort(live)
	slices.Sort(dead)
	// isDead reports whether a statement has parts, none of which is reachable.
	isDead := func(n ast.Node) bool { return holds(n, dead) && !holds(n, live) }
	ast.Inspect(l.Declaration.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt:
			l.unreached(n.List, isDead)
		case *ast.CaseClause:
			l.unreached(n.Body, isDead)
		case *ast.ForStmt:
			if n.Post != nil && !isDead(n) && isDead(n.Post) {
				l.warn(diag.UnreachableCode, n.Post, "nothing reaches this statement", diag.Note{Span: l.node(n.Body), Message: "the loop is left before its first iteration ends"})
			}
		}
		s, ok := n.(ast.Stmt)
		return !ok || !isDead(s)
	})
}

// holds reports whether a node contains one of the sorted positions.
func holds(n ast.Node, positions []token.Pos) bool {
	k, _ := slices.BinarySearch(positions, n.Pos())
	return k < len(positions) && positions[k] < n.End()
}

// unreached warns of the first statement of a list that is dead after one that is not.
func (l *linter) unreached(list []ast.Stmt, isDead func(ast.Node) bool) {
	for k := 1; k < len(list); k++ {
		if !isDead(list[k]) {
			continue
		}
		if isDead(list[k-1]) {
			return
		}
		_, isReturn := list[k].(*ast.ReturnStmt)
		if k+1 < len(list) || !isReturn {
			l.warn(diag.UnreachableCode, list[k], "nothing reaches this statement", diag.Note{Span: l.node(list[k-1]), Message: "control never gets past this one"})
		}
		return
	}
}

// barrier warns of a barrier that orders no memory.
func (l *linter) barrierOf(s ast.Stmt) *ast.CallExpr {
	if x, ok := s.(*ast.ExprStmt); ok {
		if call, ok := ast.Unparen(x.X).(*ast.CallExpr); ok && l.isBarrier(call) {
			return call
		}
	}
	return nil
}

func (l *linter) isBarrier(n *ast.CallExpr) bool {
	f := l.callee(n)
	return f != nil && f.Signature().Recv() != nil && l.runtime(n) == "Barrier"
}

// barrier warns of a barrier around which there is nothing to order.
func (l *linter) barrier(n *ast.CallExpr) {
	if l.isBarrier(n) && l.Idle(n.Lparen) {
		l.warn(diag.SuspiciousBarrier, n, "this barrier orders no memory",
			diag.Note{Message: "no kernel that gets here has workgroup memory, which a parameter like shared *[64]float32 is, or reads a buffer that it writes"})
	}
}

// isCommented reports whether a comment begins between two positions.
func (l *linter) isCommented(from, to token.Pos) bool {
	return slices.ContainsFunc(l.File.Comments, func(g *ast.CommentGroup) bool { return from <= g.Pos() && g.Pos() < to })
}

// repeatedBarriers warns of a barrier that directly follows another.
func (l *linter) repeatedBarriers() {
	ast.Inspect(l.Declaration.Body, func(n ast.Node) bool {
		var list []ast.Stmt
		switch n := n.(type) {
		case *ast.BlockStmt:
			list = n.List
		case *ast.CaseClause:
			list = n.Body
		}
		for k := 1; k < len(list); k++ {
			before, at := l.barrierOf(list[k-1]), l.barrierOf(list[k])
			if before == nil || at == nil {
				continue
			}
			d := l.warn(diag.SuspiciousBarrier, at, "this barrier follows another with nothing between them", diag.Note{Span: l.node(before), Message: "the one before"})
			if from, to := before.End(), at.End(); !l.isCommented(from, to) {
				d.Fixes = []diag.Fix{{Kind: diag.FixBarrier, Span: l.Span(from, to), Message: "remove the second"}}
			}
		}
		return true
	})
}
