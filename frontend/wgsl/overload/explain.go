package overload

import (
	"strconv"
	"strings"

	"github.com/gpuc/gpuc/frontend/wgsl/sem"
	"github.com/gpuc/gpuc/frontend/wgsl/syntax"
	"github.com/gpuc/gpuc/frontend/wgsl/types"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/ir/source"
)

// This file explains why operands or arguments match no overload: which of them is wrong and how to
// convert it, and which overloads come closest. It runs only after an error.

// maxFixText is the length in bytes up to which a fix repeats source text.
const maxFixText = 60

// ConvertFix adds a fix that converts an expression to a scalar kind, with its shape. A fractional
// literal is not converted to an integer.
func (r *Resolver) ConvertFix(d *diag.Diagnostic, e syntax.Expr, from View, to scalar.Kind) {
	if from.scalar == scalar.AbstractFloat && to.IsInteger() {
		return
	}
	t := ir.Type(to)
	if from.kind == ir.VectorType {
		t = r.module.VectorOf(t, int(from.columns))
	}
	span := r.tree.Expr(e).Span
	text := r.tree.Source(r.tree.Expr(r.tree.Unparen(e)).Span)
	if len(text) < maxFixText {
		text = r.types.Name(t) + "(" + text + ")"
		d.Fixes = append(d.Fixes, diag.Fix{Kind: diag.FixConvert, Span: span, Text: text, Message: "convert it: " + text})
	}
}

// WrapFix adds a fix that writes text before and after an expression.
func (r *Resolver) WrapFix(d *diag.Diagnostic, kind diag.FixKind, span source.Span, before, behind string) {
	if text := r.tree.Source(span); len(text) < maxFixText {
		text = before + text + behind
		d.Fixes = append(d.Fixes, diag.Fix{Kind: kind, Span: span, Text: text, Message: "write " + text})
	}
}

func (v *View) shaped() bool { return v.kind == ir.ScalarType || v.kind == ir.VectorType }

func noteOf(message string) diag.Note { return diag.Note{Message: message} }

// operatorSpan returns the span of the operator between two operands.
func (r *Resolver) operatorSpan(whole source.Span, op syntax.Token, left, right syntax.Expr) source.Span {
	gap := source.Span{Start: r.tree.Expr(left).Span.End, End: r.tree.Expr(right).Span.Start}
	if at := strings.Index(r.tree.Source(gap), op.String()); at >= 0 && !strings.Contains(r.tree.Source(gap), "/") {
		start := gap.Start + source.Pos(at)
		return source.Span{Start: start, End: start + source.Pos(len(op.String()))}
	}
	return whole
}

// ExplainBinary explains why a binary operator does not accept its operands. In a compound
// assignment (assigns) the left one is memory, which cannot be converted.
func (r *Resolver) ExplainBinary(d *diag.Diagnostic, op syntax.Token, operands [2]syntax.Expr, views []View, assigns bool) {
	d.Span = r.operatorSpan(d.Span, op, operands[0], operands[1])
	a, b := &views[0], &views[1]
	for i := range views {
		d.Notes = append(d.Notes, diag.Note{Span: r.tree.Expr(operands[i]).Span, Message: r.types.Name(views[i].Type)})
	}
	for i := range views {
		if r.explainOperand(d, operands[i], &views[i]) {
			return
		}
	}
	switch {
	case op == syntax.AndAnd || op == syntax.OrOr:
		d.Notes = append(d.Notes, noteOf("`"+op.String()+"` takes bools; x != 0 makes one of a number"))
	case op == syntax.ShiftLeft || op == syntax.ShiftRight:
		if a.shaped() && b.shaped() && a.scalar.IsInteger() && a.columns == b.columns {
			d.Notes = append(d.Notes, noteOf("a shift is by a u32, or by a vector of them"))
			r.ConvertFix(d, operands[1], *b, scalar.U32)
		}
	case a.kind == ir.MatrixType && b.kind == ir.VectorType && op == syntax.Star:
		d.Notes = append(d.Notes, noteOf("a matrix of "+diag.Plural(int(a.columns), "column")+" multiplies a vector of "+diag.Plural(int(a.columns), "component")))
	case a.kind == ir.VectorType && b.kind == ir.MatrixType && op == syntax.Star:
		d.Notes = append(d.Notes, noteOf("a vector multiplies a matrix of "+diag.Plural(int(a.columns), "row")))
	case !a.shaped() || !b.shaped():
	case a.kind == ir.VectorType && b.kind == ir.VectorType && a.columns != b.columns:
		d.Notes = append(d.Notes, noteOf("vectors must be of one size; a swizzle such as .xy takes some of the components"))
	case bitwiseOperators[op] && (a.scalar.IsFloat() || b.scalar.IsFloat()):
		d.Notes = append(d.Notes, noteOf("`"+op.String()+"` takes integers and bools"))
	case a.scalar == b.scalar:
		if a.scalar == scalar.Bool {
			d.Notes = append(d.Notes, noteOf("`"+op.String()+"` takes numbers; select(0, 1, b) makes one of a bool"))
		}
	default:
		r.explainKinds(d, operands, views, assigns)
	}
}

var bitwiseOperators = map[syntax.Token]bool{syntax.And: true, syntax.Or: true, syntax.Xor: true}

// explainKinds adds fixes that give two operands one scalar kind: that of the float, or else of the
// left operand.
func (r *Resolver) explainKinds(d *diag.Diagnostic, operands [2]syntax.Expr, views []View, assigns bool) {
	a, b := views[0].scalar, views[1].scalar
	to := a
	if concrete := !b.IsAbstract(); !assigns && (b.IsFloat() && concrete && !(a.IsFloat() && !a.IsAbstract()) || a == scalar.Bool || a == scalar.AbstractInt && concrete) {
		to = b
	}
	if !assigns && !to.IsFloat() && (a == scalar.AbstractFloat || b == scalar.AbstractFloat) {
		to = scalar.F32
	}
	switch to {
	case scalar.AbstractInt:
		to = scalar.I32
	case scalar.AbstractFloat:
		to = scalar.F32
	}
	d.Notes = append(d.Notes, noteOf("both must be of one type; WGSL converts only numbers without a suffix by itself"))
	for i := range views {
		if types.ConversionRank(views[i].scalar, to) == types.Infeasible {
			r.ConvertFix(d, operands[i], views[i], to)
		}
	}
}

// explainOperand explains an operand that no operator accepts, and reports whether it is one.
func (r *Resolver) explainOperand(d *diag.Diagnostic, e syntax.Expr, v *View) bool {
	span := r.tree.Expr(e).Span
	switch v.kind {
	case ir.AtomicType:
		d.Notes = append(d.Notes, noteOf("an atomic is read with atomicLoad"))
		r.WrapFix(d, diag.FixAtomicLoad, span, "atomicLoad(&", ")")
	case ir.PointerType:
		d.Notes = append(d.Notes, noteOf("an operator takes what a pointer points to"))
		r.WrapFix(d, diag.FixDereference, span, "*", "")
	case ir.ArrayType, ir.StructType:
		d.Notes = append(d.Notes, noteOf("operators take scalars, vectors and matrices"))
	case ir.TileType:
		d.Notes = append(d.Notes, noteOf("tileMap calls a function for the elements of one or several tiles, and tileMulAdd multiplies matrices"))
	default:
		return false
	}
	return true
}

// ExplainUnary explains why a unary operator does not accept its operand.
func (r *Resolver) ExplainUnary(d *diag.Diagnostic, op syntax.Token, operand syntax.Expr, v *View) {
	d.Notes = append(d.Notes, diag.Note{Span: r.tree.Expr(operand).Span, Message: r.types.Name(v.Type)})
	if r.explainOperand(d, operand, v) || !v.shaped() {
		return
	}
	d.Span.End = d.Span.Start + source.Pos(len(op.String()))
	switch {
	case op == syntax.Minus && v.scalar == scalar.U32:
		d.Notes = append(d.Notes, noteOf("u32 has no negative values"))
		r.ConvertFix(d, operand, *v, scalar.I32)
	case op == syntax.Not && v.scalar.IsInteger():
		d.Notes = append(d.Notes, noteOf("`!` negates a bool; `~` flips the bits of an integer, and x == 0 compares it"))
	case op == syntax.Tilde && v.scalar == scalar.Bool:
		d.Notes = append(d.Notes, noteOf("`!` negates a bool"))
	case op == syntax.Tilde:
		d.Notes = append(d.Notes, noteOf("`~` takes integers"))
	}
}

// ExplainCall explains which argument of a builtin does not match the closest row.
func (r *Resolver) ExplainCall(d *diag.Diagnostic, rows sem.Rows, arguments []syntax.Expr, views []View) {
	if r.explainOrder(d, rows, arguments, views) {
		return
	}
	s := signatureOf(r.closest(rows, views)[0].row)
	if int(s.arity) != len(views) {
		d.Notes = append(d.Notes, noteOf("the closest candidate takes "+diag.Plural(int(s.arity), "argument")+", found "+strconv.Itoa(len(views))))
		return
	}
	var b Binding
	for i := range views {
		p := &s.parameters[i]
		before := b
		if r.matchOne(p, &views[i], &b) {
			continue
		}
		r.blame(d, arguments[i], &views[i])
		switch p.form {
		case scalarForm, shapedForm, vectorForm:
			r.explainArgument(d, s, &before, i, arguments, views)
		case tileForm:
			r.explainTile(d, s, &before, i, &views[i])
		case textureForm:
			r.explainAccess(d, p, arguments[i], &views[i])
		case texelForm:
			d.Notes = append(d.Notes, noteOf("a texel of "+r.module.FormatOf(b.texture).String()+" is a vec4<"+r.texelKind(b.texture).String()+">"))
		default:
			r.explainMemory(d, p, arguments[i], &views[i])
		}
		return
	}
	for i := range views {
		p := &s.parameters[i]
		if p.kind != scalar.None || p.variable >= s.count || !views[i].shaped() && p.form != tileForm {
			continue
		}
		class := s.variables[p.variable].kinds
		if types.Cheapest(views[i].scalar, class, false) != scalar.None {
			continue
		}
		r.blame(d, arguments[i], &views[i])
		if p.form == tileForm {
			d.Notes = append(d.Notes, noteOf("tileConvert<f32>(…) gives a tile of f32 with these values"))
			return
		}
		for _, to := range []scalar.Kind{scalar.F32, scalar.I32, scalar.U32} {
			if class>>to&1 != 0 && views[i].scalar != scalar.Bool {
				r.ConvertFix(d, arguments[i], views[i], to)
				break
			}
		}
		return
	}
}

// blame moves a diagnostic to the wrong argument.
func (r *Resolver) blame(d *diag.Diagnostic, e syntax.Expr, v *View) {
	d.Span, d.Label = r.tree.Expr(e).Span, r.types.Name(v.Type)
}

// explainOrder looks for two arguments that match when exchanged.
func (r *Resolver) explainOrder(d *diag.Diagnostic, rows sem.Rows, arguments []syntax.Expr, views []View) bool {
	var b Binding
	for j := range views {
		for i := range j {
			views[i], views[j] = views[j], views[i]
			row := r.Resolve(rows, views, false, &b)
			views[i], views[j] = views[j], views[i]
			if row == 0 {
				continue
			}
			first, last := r.tree.Expr(arguments[i]).Span, r.tree.Expr(arguments[j]).Span
			between := r.tree.Source(source.Span{Start: first.End, End: last.Start})
			text := r.tree.Source(last) + between + r.tree.Source(first)
			d.Notes = append(d.Notes, noteOf("arguments "+strconv.Itoa(i+1)+" and "+strconv.Itoa(j+1)+" are in the wrong order"))
			if len(text) < maxFixText {
				d.Fixes = append(d.Fixes, diag.Fix{Kind: diag.FixOrder, Span: first.To(last), Text: text, Message: "exchange them: " + text})
			}
			d.Span = first.To(last)
			return true
		}
	}
	return false
}

// explainArgument explains an argument of the wrong shape or kind, mostly because of an earlier
// one.
func (r *Resolver) explainArgument(d *diag.Diagnostic, s *signature, b *Binding, i int, arguments []syntax.Expr, views []View) {
	p, v := &s.parameters[i], &views[i]
	if !v.shaped() {
		r.explainOperand(d, arguments[i], v)
		return
	}
	for j := range i {
		q, w := &s.parameters[j], &views[j]
		if !w.shaped() || q.form != p.form || p.kind != scalar.None && p.form != shapedForm {
			continue
		}
		span := r.tree.Expr(arguments[j]).Span
		if w.columns != v.columns {
			d.Notes = append(d.Notes, diag.Note{Span: span, Message: r.types.Name(w.Type) + ": both must be of one size"})
			return
		}
		if p.kind == scalar.None && q.variable == p.variable {
			d.Notes = append(d.Notes, diag.Note{Span: span, Message: r.types.Name(w.Type) + ": both must be of one type"})
		}
	}
	to := p.kind
	if to == scalar.None && p.variable < s.count {
		to = b.Kinds[p.variable]
	}
	if to != scalar.None && !to.IsAbstract() && v.scalar != scalar.Bool && types.ConversionRank(v.scalar, to) == types.Infeasible {
		r.ConvertFix(d, arguments[i], *v, to)
	}
}

// explainTile explains an argument that is no tile, or one that does not fit the tiles before it.
func (r *Resolver) explainTile(d *diag.Diagnostic, s *signature, b *Binding, i int, v *View) {
	if v.kind != ir.TileType {
		d.Notes = append(d.Notes, noteOf("it needs a tile"))
		return
	}
	p := &s.parameters[i]
	side := func(pattern uint8, letter string) string {
		if n := b.size(pattern); n > 0 {
			return strconv.Itoa(n)
		}
		return letter
	}
	element := p.kind
	if element == scalar.None && p.variable < s.count {
		element = b.Kinds[p.variable]
	}
	d.Notes = append(d.Notes, noteOf("it must be tile<"+element.String()+", "+side(p.rows, "R")+", "+side(p.columns, "C")+"> here"))
}

// explainAccess explains the access mode that a storage texture needs.
func (r *Resolver) explainAccess(d *diag.Diagnostic, p *pattern, e syntax.Expr, v *View) {
	if v.kind != ir.TextureType || p.textures>>v.shape&1 == 0 || !p.needsAccess {
		return
	}
	access := r.module.AccessOf(v.Type)
	note := noteOf("its access mode is " + access.String() + "; to be loaded from, a texture must be declared with read or read_write")
	if p.access == ir.Write {
		note = noteOf("its access mode is read; to be stored to, a texture must be declared with write or read_write")
	}
	if root := r.info.RootOf(e); root != 0 {
		note.Span = r.info.Objects[root].Span
	}
	d.Notes = append(d.Notes, note)
}

// explainMemory explains what a pointer parameter needs.
func (r *Resolver) explainMemory(d *diag.Diagnostic, p *pattern, e syntax.Expr, v *View) {
	m, span := r.module, r.tree.Expr(e).Span
	pointee := v.Type
	if v.kind == ir.PointerType {
		pointee = v.pointee
	}
	switch {
	case p.form == atomicForm && m.KindOf(pointee) != ir.AtomicType:
		message := "it needs a pointer to an atomic"
		if root := r.info.RootOf(e); m.IsScalar(pointee) && m.ScalarOf(pointee).IsFloat() {
			d.Notes = append(d.Notes, noteOf(message+", and atomics hold i32 or u32"))
		} else if root != 0 && r.info.Objects[root].Kind == sem.GlobalObject && r.info.Objects[root].Type != pointee {
			d.Notes = append(d.Notes, diag.Note{Span: r.info.Objects[root].Span, Message: message + "; " + r.types.Name(pointee) + " would have to be atomic<" + r.types.Name(pointee) + "> in this"})
		} else if root != 0 && r.info.Objects[root].Kind == sem.GlobalObject && m.IsScalar(pointee) {
			d.Notes = append(d.Notes, diag.Note{Span: r.info.Objects[root].Span, Message: message + "; declare this as atomic<" + r.types.Name(pointee) + ">"})
		} else {
			d.Notes = append(d.Notes, noteOf(message))
		}
	case p.form == runtimeForm && !m.IsRuntimeArray(pointee):
		message := "it needs a pointer to an array without a size, in storage memory"
		if n, ok := m.Count(pointee); ok && m.KindOf(pointee) == ir.ArrayType {
			message += "; this one has " + diag.Plural(int(n), "element")
		}
		d.Notes = append(d.Notes, noteOf(message))
	case p.form == tileViewForm:
		d.Notes = append(d.Notes, noteOf("it needs the place of the matrix in the array: tile_view(offset, rows, columns, row_stride, column_stride)"))
	case p.form == sharedForm && v.kind == ir.PointerType:
		d.Notes = append(d.Notes, noteOf("it needs a pointer to an array"))
	case p.form == bufferForm && v.kind == ir.PointerType:
		d.Notes = append(d.Notes, noteOf("it needs a pointer to a buffer"))
	case p.form == elementsForm && v.kind == ir.PointerType:
		d.Notes = append(d.Notes, noteOf("it needs a pointer to an array in workgroup or storage memory, whose elements are those that the matrix is computed with"))
	case p.form == wordsForm && v.kind == ir.PointerType:
		d.Notes = append(d.Notes, noteOf("it needs a pointer to an array of numbers or vectors in workgroup or storage memory"))
	case (p.form == atomicForm || p.form == runtimeForm || p.form == bufferForm || p.form == workgroupForm || p.form == sharedForm || p.form == elementsForm || p.form == wordsForm) && v.kind != ir.PointerType:
		if r.info.Exprs[e].Reference {
			d.Notes = append(d.Notes, noteOf("it needs a pointer"))
			r.WrapFix(d, diag.FixReference, span, "&", "")
		}
	case p.form == atomicForm && m.AccessOf(v.Type) != ir.ReadWrite:
		d.Notes = append(d.Notes, noteOf("the atomic must be in memory with read_write access"))
	}
}

// maxCandidates is the greatest number of overloads in a diagnostic.
const maxCandidates = 4

// Candidates returns notes with the rows that come closest to matching.
func (r *Resolver) Candidates(rows sem.Rows, arguments []View) []diag.Note {
	best := r.closest(rows, arguments)
	var notes []diag.Note
	for i, b := range best {
		if b.score+3 < best[0].score {
			break // not closer than the next ones
		}
		if i == maxCandidates {
			notes = append(notes, diag.Note{Message: "and " + strconv.Itoa(len(best)-i) + " more"})
			break
		}
		notes = append(notes, diag.Note{Message: "candidate: " + Describe(&sem.Builtins[b.row])})
	}
	return notes
}

// scored is a row and how well it fits.
type scored struct {
	row   uint16
	score int
}

// closest returns the rows by how well the arguments match, the best first.
func (r *Resolver) closest(rows sem.Rows, arguments []View) []scored {
	var best []scored
	for i := rows.First; i < rows.First+rows.Count; i++ {
		s := signatureOf(i)
		var b Binding
		score := 0
		for j := range arguments {
			if j >= int(s.arity) {
				continue
			}
			p, a := &s.parameters[j], &arguments[j]
			if p.form == textureForm && a.kind == ir.TextureType && p.textures>>a.shape&1 != 0 {
				score += 7 // the shape decides what the other arguments are
			}
			if r.matchOne(p, a, &b) {
				score += 4
			} else if formKinds[p.form]>>a.kind&1 != 0 {
				score++ // the right kind of type at least
			}
		}
		if int(s.arity) == len(arguments) {
			score += 6
		}
		at := len(best)
		for at > 0 && best[at-1].score < score {
			at--
		}
		best = append(best, scored{})
		copy(best[at+1:], best[at:])
		best[at] = scored{i, score}
	}
	return best
}

// formKinds are the type kinds that a form accepts, as bits.
var formKinds = [...]uint32{
	scalarForm: 1 << ir.ScalarType, shapedForm: 1<<ir.ScalarType | 1<<ir.VectorType, vectorForm: 1 << ir.VectorType,
	matrixForm: 1 << ir.MatrixType, atomicForm: 1 << ir.PointerType, runtimeForm: 1 << ir.PointerType, bufferForm: 1 << ir.PointerType,
	workgroupForm: 1 << ir.PointerType, textureForm: 1 << ir.TextureType, texelForm: 1 << ir.VectorType,
	samplerForm: 1 << ir.SamplerType, comparisonForm: 1 << ir.SamplerType,
	tileForm: 1 << ir.TileType, tileViewForm: 1 << ir.StructType, sharedForm: 1 << ir.PointerType,
	elementsForm: 1 << ir.PointerType, wordsForm: 1 << ir.PointerType, matrixUseForm: 1 << ir.FragmentType, anyMatrixForm: 1 << ir.FragmentType,
}

// Describe formats a row of the table of builtins: `max(T, T) -> T, T: number, or a vector of it`.
func Describe(b *sem.Builtin) string {
	head, rest, found := strings.Cut(b.Signature, ";")
	if !found {
		head, rest = "", b.Signature
	}
	parameters, result, _ := strings.Cut(rest, "->")
	parameters, result = strings.TrimSpace(parameters), strings.TrimSpace(result)
	parameters, sized := describeParameters(parameters)
	name := b.Name
	if strings.Contains(result, "template") || strings.HasSuffix(result, "view") {
		name += "<T>"
	}
	text := name + "(" + parameters + ")"
	if b.Flags&sem.Operator != 0 {
		parts := splitOutside(parameters)
		if operator, unary := strings.CutPrefix(b.Name, "unary "); unary {
			text = operator + parts[0]
		} else {
			text = parts[0] + " " + b.Name + " " + parts[1]
		}
	}
	if result != "" {
		result, _ = describeParameters(result)
		text += " -> " + result
	}
	for part := range strings.SplitSeq(head, ",") {
		name, class, ok := strings.Cut(strings.TrimSpace(part), ": ")
		if !ok {
			continue
		}
		class, vector := strings.CutSuffix(class, "*")
		text += ", " + name + ": " + strings.ReplaceAll(class, "|", " or ")
		switch {
		case vector && sized:
			text += ", or vectors of one size"
		case vector:
			text += ", or a vector of it"
		}
	}
	return text
}

// describeParameters formats the patterns of a signature as types: pointers in full, and u32(T), a
// u32 for each component of T, as u32. sized reports whether there was such a pattern.
func describeParameters(text string) (shown string, sized bool) {
	text = strings.ReplaceAll(text, "atomic<", "ptr<_, atomic<")
	if at := strings.Index(text, "ptr<_, atomic<"); at >= 0 {
		end := at + strings.Index(text[at:], ">") + 1
		text = text[:end] + ", read_write>" + text[end:]
	}
	for _, pattern := range [...]string{"shared<", "words<"} {
		if element, rest, found := strings.Cut(text, ">"); found && strings.HasPrefix(text, pattern) {
			text = "ptr<_, array<" + strings.TrimPrefix(element, pattern) + ">>" + rest
		}
	}
	if strings.HasPrefix(text, "runtime") {
		text = "ptr<storage, array<_>>" + strings.TrimPrefix(text, "runtime")
	}
	text = strings.ReplaceAll(strings.ReplaceAll(text, "template", "T"), "shared", "ptr<_, array<_>>")
	switch {
	case strings.HasPrefix(text, "callback"):
		text = "f" + strings.TrimPrefix(text, "callback") + ", …"
	case text == "view":
		text = "ptr<_, T>"
	case strings.HasPrefix(text, "buffer"):
		text = "ptr<_, buffer>" + strings.TrimPrefix(text, "buffer")
	}
	for _, r := range resultForms {
		if text == r.name+"(T)" {
			return r.shown, false
		}
	}
	if text == "element(T)" {
		return "a component of T", false
	}
	shown = strings.ReplaceAll(text, "(T)", "")
	return shown, shown != text
}
