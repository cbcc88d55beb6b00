package overload

import (
	"strconv"
	"strings"

	"github.com/gpuc/gpuc/frontend/wgsl/semantics"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
)

// This file finds the overloads that come closest to fitting arguments, and shows them.
// It runs only when there is an error.

// maxCandidates is how many overloads a diagnostic lists.
const maxCandidates = 4

// Candidates lists the rows that come closest to fitting the arguments.
func (r *Resolver) Candidates(rows semantics.Rows, arguments []View) []diag.Note {
	best := r.closest(rows, arguments)
	var notes []diag.Note
	for i, b := range best {
		if b.score+3 < best[0].score {
			break // as far off as those behind it
		}
		if i == maxCandidates {
			notes = append(notes, diag.Note{Message: "and " + strconv.Itoa(len(best)-i) + " more"})
			break
		}
		notes = append(notes, diag.Note{Message: "candidate: " + describeRow(&semantics.Builtins[b.row])})
	}
	return notes
}

// scored is a row and how well it fits.
type scored struct {
	row   uint16
	score int
}

// closest sorts rows by how well the arguments fit them, the best first.
func (r *Resolver) closest(rows semantics.Rows, arguments []View) []scored {
	var best []scored
	for i := rows.First; i < rows.First+rows.Count; i++ {
		s := &signatures[i]
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

// formKinds are the kinds of type that a form is made for, as bits.
var formKinds = [...]uint32{
	scalarForm: 1 << ir.ScalarType, shapedForm: 1<<ir.ScalarType | 1<<ir.VectorType, vectorForm: 1 << ir.VectorType,
	matrixForm: 1 << ir.MatrixType, atomicForm: 1 << ir.PointerType, runtimeForm: 1 << ir.PointerType, bufferForm: 1 << ir.PointerType,
	workgroupForm: 1 << ir.PointerType, textureForm: 1 << ir.TextureType, texelForm: 1 << ir.VectorType,
	samplerForm: 1 << ir.SamplerType, comparisonForm: 1 << ir.SamplerType,
}

// describeRow shows a row: `max(T, T) -> T, T: number, or a vector of it`.
func describeRow(b *semantics.Builtin) string {
	head, rest, found := strings.Cut(b.Signature, ";")
	if !found {
		head, rest = "", b.Signature
	}
	parameters, result, _ := strings.Cut(rest, "->")
	parameters, result = strings.TrimSpace(parameters), strings.TrimSpace(result)
	parameters, sized := describeParameters(parameters)
	name := b.Name
	if strings.HasSuffix(result, "template") || strings.HasSuffix(result, "view") {
		name += "<T>"
	}
	text := name + "(" + parameters + ")"
	if b.Flags&semantics.Operator != 0 {
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

// describeParameters shows the patterns of a signature as types: u32(T), which
// means a u32 for each component of T, as u32, and pointers in full. It reports
// whether there was such a u32(T).
func describeParameters(text string) (shown string, sized bool) {
	text = strings.ReplaceAll(text, "atomic<", "ptr<_, atomic<")
	if at := strings.Index(text, "ptr<_, atomic<"); at >= 0 {
		end := at + strings.Index(text[at:], ">") + 1
		text = text[:end] + ", read_write>" + text[end:]
	}
	if strings.HasPrefix(text, "runtime") {
		text = "ptr<storage, array<_>>" + strings.TrimPrefix(text, "runtime")
	}
	switch {
	case text == "template":
		text = "T"
	case text == "view":
		text = "ptr<_, T>"
	case strings.HasPrefix(text, "buffer"):
		text = "ptr<_, buffer>" + strings.TrimPrefix(text, "buffer")
	}
	shown = strings.ReplaceAll(text, "(T)", "")
	return shown, shown != text
}
