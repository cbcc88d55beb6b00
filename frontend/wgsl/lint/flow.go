package lint

import (
	"slices"
	"sort"

	"github.com/gpuc/gpuc/frontend/wgsl/sem"
	"github.com/gpuc/gpuc/frontend/wgsl/syntax"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

// This file warns of unreachable statements, and of barriers that order no memory.

// unreachable warns of the first unreachable statement of each block (WGSL §9.7). A final return or
// break passes: other compilers require it.
func (l *linter) unreachable() {
	for i := range l.tree.Stmts {
		n := &l.tree.Stmts[i]
		if n.Kind != syntax.BlockStmt {
			continue
		}
		statements := l.tree.StmtList(n.List)
		for k := 0; k+1 < len(statements); k++ {
			if l.info.Behaviours[statements[k]]&sem.NextBehaviour != 0 {
				continue
			}
			next := l.tree.Stmt(statements[k+1])
			if !(k+2 == len(statements) && (next.Kind == syntax.ReturnStmt || next.Kind == syntax.BreakStmt)) {
				l.warn(diag.UnreachableCode, next.Span, "nothing reaches this statement",
					diag.Note{Span: l.tree.Stmt(statements[k]).Span, Message: "control never gets past this one"})
			}
			break
		}
	}
}

// barrier is a kind of barrier, with the memory that it orders and the note if there is none.
type barrier struct {
	name string
	bit  uint8
	none string
}

// The memories that barriers order.
const (
	workgroupMemory = 1 << iota
	storageMemory
	textureMemory
)

// The kinds of barriers (WGSL §17.11).
var barriers = [...]barrier{
	{"workgroupBarrier", workgroupMemory, "no entry point that gets here uses workgroup memory"},
	{"storageBarrier", storageMemory, "no entry point that gets here uses a storage buffer that can be written"},
	{"textureBarrier", textureMemory, "no entry point that gets here uses a storage texture that can be read and written"},
}

// barrierOf returns the index in barriers of a call, or -1.
func (l *linter) barrierOf(e syntax.Expr) int {
	if name := l.builtin(e); name != "" {
		for k := range barriers {
			if barriers[k].name == name {
				return k
			}
		}
	}
	return -1
}

// barriers warns of barriers whose memory no calling entry point uses, unless a barrier for other
// used memory is near.
func (l *linter) barriers() {
	functions := l.info.Functions
	var sites []site
	below := make([]uint8, len(functions)) // by function: the barriers that it reaches
	for e := range l.tree.Exprs {
		if k := l.barrierOf(syntax.Expr(e)); k >= 0 {
			span := l.tree.Exprs[e].Span
			f := l.functionAt(span.Start)
			below[f] |= barriers[k].bit
			sites = append(sites, site{k, f, span})
		}
	}
	if len(sites) == 0 {
		return
	}
	for _, f := range l.info.Order { // callees come first
		for _, g := range functions[f].Calls {
			below[f] |= below[g]
		}
	}
	type surroundings struct {
		memory, others uint8
		reached        bool
	}
	// by function: the memory and barriers of the entry points that reach it
	around := make([]surroundings, len(functions))
	for _, f := range slices.Backward(l.info.Order) {
		a := &around[f]
		if functions[f].Stage == sem.Compute {
			a.memory |= l.memoryOf(f)
			a.others |= below[f]
			a.reached = true
		}
		for _, g := range functions[f].Calls {
			around[g].memory |= a.memory
			around[g].others |= a.others
			around[g].reached = around[g].reached || a.reached
		}
	}
	for _, s := range sites {
		b, a := &barriers[s.kind], &around[s.function]
		if !a.reached || a.memory&b.bit != 0 || a.others&^b.bit&a.memory != 0 {
			continue
		}
		notes := []diag.Note{{Message: b.none}}
		for k := range barriers {
			if a.memory&barriers[k].bit != 0 {
				notes = append(notes, diag.Note{Message: "`" + barriers[k].name + "()` orders what they do share"})
			}
		}
		l.warn(diag.SuspiciousBarrier, s.span, "this `"+b.name+"` orders no memory", notes...)
	}
	l.repeatedBarriers()
}

// site is a call of a barrier.
type site struct {
	kind, function int
	span           source.Span
}

// functionAt returns the function at a position. Functions are in source order.
func (l *linter) functionAt(at source.Pos) int {
	return sort.Search(len(l.info.Functions), func(f int) bool {
		return l.tree.Decl(l.info.Functions[f].Decl).Span.End > at
	})
}

// repeatedBarriers warns of two equal barriers in succession.
func (l *linter) repeatedBarriers() {
	for i := range l.tree.Stmts {
		n := &l.tree.Stmts[i]
		if n.Kind != syntax.BlockStmt {
			continue
		}
		last, at := -1, source.Span{}
		for _, s := range l.tree.StmtList(n.List) {
			n, k := l.tree.Stmt(s), -1
			if n.Kind == syntax.CallStmt {
				k = l.barrierOf(n.A)
			}
			if k >= 0 && k == last {
				l.warn(diag.SuspiciousBarrier, n.Span, "this barrier follows another with nothing between them", diag.Note{Span: at, Message: "the one before"})
			}
			last, at = k, n.Span
		}
	}
}

// memoryOf returns the memories of barriers that a function uses, callees included.
func (l *linter) memoryOf(f int32) (memory uint8) {
	m := l.module
	for _, g := range l.info.Functions[f].Globals {
		switch t := m.Globals[g].Type; m.SpaceOf(t) {
		case ir.Workgroup:
			memory |= workgroupMemory
		case ir.Storage:
			if m.AccessOf(t) != ir.Read {
				memory |= storageMemory
			}
		case ir.Handle:
			if k := m.Element(t); m.IsTexture(k) && m.AccessOf(k) == ir.ReadWrite {
				memory |= textureMemory
			}
		}
	}
	return memory
}
