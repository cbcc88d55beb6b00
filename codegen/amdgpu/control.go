package amdgpu

import (
	"github.com/gpuc/gpuc/codegen/mir"
)

// This file prints blocks, what they pass to each other, how they end, and functions that are
// called. The parameters of a block are phis, which name the blocks that lead there. What an edge
// passes in another type than the parameter has is cast before the edge's branch, by a name that
// the phi knows ahead: it is made of the block, the edge and the parameter.

// arrival is an edge that leads to a block.
type arrival struct {
	from mir.Block
	edge uint32 // of its terminator
	next uint32 // in preds, from 1
}

// arrive notes for each block which edges lead there, in the order of the text.
func (e *emitter) arrive() {
	f := e.f
	e.predStart = grown(e.predStart, f.Blocks())
	e.preds = append(e.preds[:0], arrival{})
	for n := len(f.Order) - 1; n >= 0; n-- {
		b := f.Order[n]
		edges := f.Edges(f.Last(b))
		if e.merged(edges) {
			edges = edges[:1]
		}
		for k := len(edges) - 1; k >= 0; k-- {
			to := edges[k].To
			e.preds = append(e.preds, arrival{b, uint32(k), e.predStart[to]})
			e.predStart[to] = uint32(len(e.preds) - 1)
		}
	}
}

// merged reports whether both edges of a branch lead to one block, which LLVM lets pass one value
// only.
func (e *emitter) merged(edges []mir.Edge) bool {
	return len(edges) == 2 && edges[0].To == edges[1].To
}

func (e *emitter) label(b mir.Block) {
	e.text("%b")
	e.number(int64(b))
}

// passedName prints the name of what is cast for an edge.
func (e *emitter) passedName(from mir.Block, edge uint32, n int) {
	e.text("%e")
	e.number(int64(from))
	e.text("_")
	e.number(int64(edge))
	e.text("_")
	e.number(int64(n))
}

// blocks prints the blocks of a function.
func (e *emitter) blocks() {
	f := e.f
	e.arrive()
	for _, b := range f.Order {
		e.text("b")
		e.number(int64(b))
		e.text(":\n")
		e.phis(b)
		for i := f.First(b); i != f.Last(b); i = f.Next(i) {
			e.location(i)
			e.instruction(i)
		}
		e.terminator(b, f.Last(b))
	}
}

// phis prints a block's parameters.
func (e *emitter) phis(b mir.Block) {
	f := e.f
	for n, p := range f.BlockParams(b) {
		to := e.formOf(p)
		e.text("  ")
		e.name(p)
		e.text(" = phi ", formTypes[to], " ")
		for at := e.predStart[b]; at != 0; at = e.preds[at].next {
			x := e.preds[at]
			edges := f.Edges(f.Last(x.from))
			o := f.EdgeArgs(edges[x.edge])[n]
			if at != e.predStart[b] {
				e.text(", ")
			}
			e.text("[ ")
			if e.castsFor(edges, o, to) {
				e.passedName(x.from, x.edge, n)
			} else {
				e.print(value{o: o}, to)
			}
			e.text(", ")
			e.label(x.from)
			e.text(" ]")
		}
		e.text("\n")
	}
}

// castsFor reports whether what an edge passes has a name of its own.
func (e *emitter) castsFor(edges []mir.Edge, o mir.Operand, to form) bool {
	return e.merged(edges) || !o.IsConst() && e.formOf(o) != to
}

// pass prints the casts of what an edge passes.
func (e *emitter) pass(from mir.Block, edges []mir.Edge, edge uint32) {
	f := e.f
	args := f.EdgeArgs(edges[edge])
	for n, p := range f.BlockParams(edges[edge].To) {
		if to := e.formOf(p); e.castsFor(edges, args[n], to) {
			e.text("  ")
			e.passedName(from, edge, n)
			e.castTo(value{o: args[n]}, e.formOf(args[n]), to)
		}
	}
}

// terminator prints the end of a block.
func (e *emitter) terminator(b mir.Block, i mir.Inst) {
	f := e.f
	e.location(i)
	edges := f.Edges(i)
	switch f.Op(i) {
	case mir.Jump:
		e.pass(b, edges, 0)
		e.text("  br label ")
		e.label(edges[0].To)
		e.text("\n")
	case mir.Branch:
		if e.merged(edges) {
			e.chooseEdge(b, i)
			return
		}
		e.pass(b, edges, 0)
		e.pass(b, edges, 1)
		e.text("  br i1 ")
		e.print(value{o: f.Arg(i, 0)}, predicate)
		e.text(", label ")
		e.label(edges[0].To)
		e.text(", label ")
		e.label(edges[1].To)
		e.text("\n")
	case mir.Return:
		e.leave(i)
	case mir.Trap:
		e.text("  unreachable\n")
	}
}

// chooseEdge prints a branch whose edges lead to one block: choices of what they pass, and a jump.
func (e *emitter) chooseEdge(b mir.Block, i mir.Inst) {
	f := e.f
	edges := f.Edges(i)
	xs, ys := f.EdgeArgs(edges[0]), f.EdgeArgs(edges[1])
	for n, p := range f.BlockParams(edges[0].To) {
		to := e.formOf(p)
		x, y := e.cast(xs[n], to), e.cast(ys[n], to)
		e.text("  ")
		e.passedName(b, 0, n)
		e.text(" = select i1 ")
		e.print(value{o: f.Arg(i, 0)}, predicate)
		e.text(", ", formTypes[to], " ")
		e.print(x, to)
		e.text(", ", formTypes[to], " ")
		e.print(y, to)
		e.text("\n")
	}
	e.text("  br label ")
	e.label(edges[0].To)
	e.text("\n")
}

// sign notes the forms of a function's parameters and results. Results are integers and f16.
func (e *emitter) sign(n int) {
	s := signatureOf{first: uint32(len(e.shapes)), params: uint32(len(e.f.Params))}
	for _, p := range e.f.Params {
		e.shapes = append(e.shapes, e.formOf(p))
	}
	for _, b := range e.f.Order {
		if last := e.f.Last(b); e.f.Op(last) == mir.Return {
			for _, o := range e.f.Args(last) {
				e.shapes = append(e.shapes, plain[mir.ClassOf(e.f.KindOf(o))])
			}
			break
		}
	}
	s.results = uint32(len(e.shapes)) - s.first - s.params
	e.signatures[n] = s
}

// paramForms and resultForms are what sign noted.
func (e *emitter) paramForms(n int) []form {
	s := e.signatures[n]
	return e.shapes[s.first:][:s.params]
}

func (e *emitter) resultForms(n int) []form {
	s := e.signatures[n]
	return e.shapes[s.first+s.params:][:s.results]
}

// appendResult appends the type of a function's results, of several a structure.
func appendResult(b []byte, results []form) []byte {
	switch len(results) {
	case 0:
		return append(b, "void"...)
	case 1:
		return append(b, formTypes[results[0]]...)
	}
	for n, f := range results {
		separator := ", "
		if n == 0 {
			separator = "{ "
		}
		b = append(append(b, separator...), formTypes[f]...)
	}
	return append(b, " }"...)
}

// functionHead writes a function's name and parameters.
func (e *emitter) functionHead(n int) {
	e.write("\ndefine internal ")
	e.out = appendResult(e.out, e.resultForms(n))
	e.write(" ")
	e.out = e.appendFunctionName(e.out, n)
	e.write("(")
	for k, f := range e.paramForms(n) {
		if k > 0 {
			e.write(", ")
		}
		e.write(formTypes[f], " %")
		r := e.f.Params[k]
		e.out = append(e.out, letters[r.Class()])
		e.writeNumber(uint64(r.Number()))
	}
	e.write(") #1 {\n")
}

// leave prints a return.
func (e *emitter) leave(i mir.Inst) {
	args := e.f.Args(i)
	if len(args) == 0 {
		e.text("  ret void\n")
		return
	}
	var results []form
	for _, o := range args {
		results = append(results, plain[mir.ClassOf(e.f.KindOf(o))])
	}
	if len(args) == 1 {
		v := e.cast(args[0], results[0])
		e.text("  ret ", formTypes[results[0]], " ")
		e.print(v, results[0])
		e.text("\n")
		return
	}
	whole := uint32(0)
	for n, o := range args {
		v := e.cast(o, results[n])
		t := e.temporary()
		e.text("  ")
		e.printTemporary(t)
		e.text(" = insertvalue ")
		e.body = appendResult(e.body, results)
		if e.text(" "); whole == 0 {
			e.text("poison")
		} else {
			e.printTemporary(whole)
		}
		e.text(", ", formTypes[results[n]], " ")
		e.print(v, results[n])
		e.text(", ")
		e.number(int64(n))
		e.text("\n")
		whole = t
	}
	e.text("  ret ")
	e.body = appendResult(e.body, results)
	e.text(" ")
	e.printTemporary(whole)
	e.text("\n")
}

// call prints a call.
func (e *emitter) call(i mir.Inst) {
	callee := int(e.f.Aux(i))
	params, results := e.paramForms(callee), e.resultForms(callee)
	args := make([]value, len(params))
	for n, o := range e.f.Args(i) {
		args[n] = e.cast(o, params[n])
	}
	out := e.f.Results(i)
	whole := uint32(0)
	e.text("  ")
	switch {
	case len(results) == 1 && len(out) == 1:
		e.name(out[0])
		e.text(" = ")
	case len(results) > 0:
		whole = e.temporary()
		e.printTemporary(whole)
		e.text(" = ")
	}
	e.text("call ")
	e.body = appendResult(e.body, results)
	e.text(" ")
	e.body = e.appendFunctionName(e.body, callee)
	e.text("(")
	for n, v := range args {
		if n > 0 {
			e.text(", ")
		}
		e.text(formTypes[params[n]], " ")
		e.print(v, params[n])
	}
	e.text(")\n")
	if len(out) < 2 {
		return
	}
	for n, r := range out {
		e.text("  ")
		e.name(r)
		e.text(" = extractvalue ")
		e.body = appendResult(e.body, results)
		e.text(" ")
		e.printTemporary(whole)
		e.text(", ")
		e.number(int64(n))
		e.text("\n")
	}
}
