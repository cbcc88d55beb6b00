package lint

import (
	"strconv"
	"strings"

	"github.com/gpuc/gpuc/frontend/wgsl/suggest"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

// This file reads the comments that silence warnings:
//
//	let old = x; // gpuc:allow unused-variable
//
//	// gpuc:allow float-equality, unreachable-code the sentinel is stored as it is
//	if a * b == sentinel {
//
// Behind other text a comment is about its own line, alone on a line about the next one that
// is not such a comment as well. What stands behind the codes is for people.

// allowMark begins such a comment.
const allowMark = "gpuc:allow"

// Allow returns the comment that silences a warning, a line of its own, and where it is to be inserted: before the
// line that the warning is about.
func Allow(file *source.File, d *diag.Diagnostic) (at source.Pos, comment string) {
	line := file.LineOf(d.Span.Start)
	text := file.Line(line)
	indent := text[:len(text)-len(strings.TrimLeft(text, " \t"))]
	return file.LineStart(line), indent + "// " + allowMark + " " + d.Code.String() + "\n"
}

// allow is a code that a comment silences on a line.
type allow struct {
	line int
	name string
	code diag.Code // None if there is no such code
	span source.Span
	used bool
}

// allowances are the comments of a file.
type allowances struct {
	file *source.File
	list []allow
	at   map[int][]int // by line: indices in list
}

// allows reads the comments of the program's text.
func (l *linter) allows() *allowances {
	a := &allowances{file: l.tree.File, at: map[int][]int{}}
	text := a.file.Text
	alone := map[int]bool{} // lines with nothing but such a comment
	for from := 0; ; {
		k := strings.Index(text[from:], allowMark)
		if k < 0 {
			break
		}
		k += from
		from = k + len(allowMark)
		line := a.file.LineOf(a.file.Base + source.Pos(k))
		start := int(a.file.LineStart(line) - a.file.Base)
		code, found := strings.CutSuffix(strings.TrimRight(text[start:k], " \t"), "//")
		if !found || strings.Contains(code, "//") {
			continue
		}
		alone[line] = strings.TrimSpace(code) == ""
		from = a.parse(from, start+len(a.file.Line(line)), line)
	}
	about := map[int]int{} // by line with a comment alone: which line it is about
	for n := len(a.list) - 1; n >= 0; n-- {
		w := &a.list[n]
		if line := w.line; alone[line] {
			w.line++
			if next, ok := about[w.line]; ok {
				w.line = next
			}
			about[line] = w.line
		}
		a.at[w.line] = append(a.at[w.line], n)
	}
	return a
}

// parse reads the codes behind a mark, text[from:to]: words with commas between them. It
// returns to.
func (a *allowances) parse(from, to, line int) int {
	text, mark, before := a.file.Text, from, len(a.list)
	for more := true; more; {
		for from < to && (text[from] == ' ' || text[from] == '\t') {
			from++
		}
		start := from
		for from < to && (text[from] == '-' || 'a' <= text[from] && text[from] <= 'z' || '0' <= text[from] && text[from] <= '9') {
			from++
		}
		if start == from {
			break
		}
		code, _ := diag.Lookup(text[start:from])
		a.list = append(a.list, allow{line, text[start:from], code, a.file.Span(start, from), false})
		more = from < to && text[from] == ','
		from++
	}
	if len(a.list) == before {
		a.list = append(a.list, allow{line: line, span: a.file.Span(mark-len(allowMark), mark)})
	}
	return to
}

// silence reports whether a comment silences a warning.
func (a *allowances) silence(d *diag.Diagnostic) bool {
	if len(a.list) == 0 || !d.Span.Valid() {
		return false
	}
	silenced := false
	for _, n := range a.at[a.file.LineOf(d.Span.Start)] {
		if a.list[n].code == d.Code && d.Code != diag.None {
			a.list[n].used, silenced = true, true
		}
	}
	return silenced
}

// unused warns of comments that silence nothing.
func (a *allowances) unused(list *diag.List) {
	for n := range a.list {
		w := &a.list[n]
		if w.used {
			continue
		}
		d := diag.Diagnostic{Code: diag.UnusedAllow, Severity: diag.Warning, Span: w.span}
		switch {
		case w.name == "":
			d.Message = "this comment names no code, and so allows nothing"
			d.Notes = []diag.Note{{Message: "the code is what a warning has in brackets: // gpuc:allow unused-variable"}}
		case w.code == diag.None:
			d.Message = "there is no diagnostic `" + w.name + "` to allow"
			codes := diag.Codes()
			if near := suggest.Best(w.name, len(codes), func(i int) string { return codes[i].String() }).Word(); near != "" {
				d.Notes = []diag.Note{{Message: "did you mean `" + near + "`?"}}
			}
		default:
			d.Message = "nothing warns of `" + w.name + "` on line " + strconv.Itoa(w.line)
			d.Notes = []diag.Note{{Message: "remove the comment; it is about its own line, or alone on a line about the next one"}}
		}
		list.Add(d)
	}
}
