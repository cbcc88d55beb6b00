package callgraph

import (
	"github.com/gpuc/gpuc/frontend/wgsl/sem"
	"github.com/gpuc/gpuc/frontend/wgsl/syntax"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/source"
)

// This file checks the functions that tileMap calls for the elements of tiles. Which invocation
// calls such a function for an element shows nowhere, and several may. So its result must depend on
// its arguments and on shared memory alone, and it must have no effect.

// elementCall is the naming of a function in a call of tileMap.
type elementCall struct {
	span   source.Span
	callee int32
}

// CallForElements records a call of tileMap with a function.
func (r *Recorder) CallForElements(span source.Span, callee int32) {
	if r.Function < 0 {
		return
	}
	r.Call(span, callee, make([]syntax.Expr, len(r.info.Functions[callee].Parameters)))
	r.elements = append(r.elements, elementCall{span, callee})
}

// useEffect records a builtin that the invocations must call together or that writes memory.
func (r *Recorder) useEffect(b *sem.Builtin, span source.Span) {
	if r.Function < 0 || b.Flags&sem.Uniform == 0 && b.Op != op.TextureStore {
		return
	}
	if f := &r.functions[r.Function]; f.effect.name == "" {
		f.effect = restriction{span, b.Name}
	}
}

// checkElements checks the functions that are called for elements.
func (r *Recorder) checkElements() {
	for _, e := range r.elements {
		facts, f := &r.functions[e.callee], &r.info.Functions[e.callee]
		name := "`" + r.tree.Text(r.object(f.Object).Name) + "`"
		report := func(why string, at diag.Note, out string) {
			r.error(diag.InvalidAccess, e.span, "tileMap calls "+name+" for single elements, and it must not "+why, at, diag.Note{Message: out})
		}
		if facts.effect.name != "" {
			report("use `"+facts.effect.name+"`", diag.Note{Span: facts.effect.span, Message: "`" + facts.effect.name + "` is called here"},
				"it may compute its result from its arguments and read memory; the rest is done before or after tileMap")
			continue
		}
		for _, o := range facts.writes {
			report("write `"+r.tree.Text(r.object(o).Name)+"`", r.info.DeclaredHere(o), "it returns the new element; tileStore writes the tile to memory")
			break
		}
		for _, g := range f.Globals {
			if x := &r.module.Globals[g]; r.module.SpaceOf(x.Type) == ir.Private && len(facts.writes) == 0 {
				report("use private memory, of which each invocation has its own", diag.Note{Span: x.Span, Message: "`" + x.Name + "` is declared here"},
					"pass a value that is the same for all invocations, as a further argument of tileMap")
				break
			}
		}
	}
}
