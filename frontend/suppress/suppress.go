// Package suppress reads the comments that silence warnings, which kernels in WGSL and in Go have
// alike:
//
//	let old = x; // gpuc:allow unused-variable
//
//	// gpuc:allow float-equality, unreachable-code the sentinel is stored as it is
//	if a * b == sentinel {
//
// Behind other text a comment is about its own line, alone on a line about the next one that
// does not begin with a comment. What stands behind the codes is for people.
package suppress

import (
	"slices"
	"strconv"
	"strings"

	"github.com/gpuc/gpuc/frontend/wgsl/suggest"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

// mark begins such a comment.
const mark = "gpuc:allow"

// Comment returns the comment that silences a warning, a line of its own, and where it is to be
// inserted: before the line that the warning is about.
func Comment(file *source.File, d *diag.Diagnostic) (at source.Pos, comment string) {
	line := file.LineOf(d.Span.Start)
	text := file.Line(line)
	indent := text[:len(text)-len(strings.TrimLeft(text, " \t"))]
	return file.LineStart(line), indent + "// " + mark + " " + d.Code.String() + "\n"
}

// allowed is a code that a comment silences on a line.
type allowed struct {
	line int
	name string
	code diag.Code   // None if there is no such code
	span source.Span // of the code, or of the mark if there is none
	// comment is the whole comment, with its line if that has nothing else. It is no span if the
	// comment has other codes.
	comment source.Span
	used    bool
}

// Comments are the comments of a file that silence warnings.
type Comments struct {
	file *source.File
	list []allowed
	at   map[int][]int // by line: indices in list
}

// Read reads the comments of a file. In a language with strings, two slashes may stand elsewhere
// than in front of a comment: isComment says whether one begins at an offset. If it is nil, the
// first two slashes of a line begin one.
func Read(file *source.File, isComment func(offset int) bool) *Comments {
	c := &Comments{file: file, at: map[int][]int{}}
	text := file.Text
	for from := 0; ; {
		k := strings.Index(text[from:], mark)
		if k < 0 {
			break
		}
		k += from
		from = k + len(mark)
		line := file.LineOf(file.Base + source.Pos(k))
		start := int(file.LineStart(line) - file.Base)
		code, found := strings.CutSuffix(strings.TrimRight(text[start:k], " \t"), "//")
		if !found || isComment == nil && strings.Contains(code, "//") || isComment != nil && !isComment(start+len(code)) {
			continue
		}
		end, first := start+len(file.Line(line)), len(c.list)
		c.parse(from, end, line)
		from = end
		about, comment := line, file.Span(start+len(strings.TrimRight(code, " \t")), end)
		if strings.TrimSpace(code) == "" {
			about, comment = c.next(line), file.Span(start, min(end+1, len(text)))
		}
		for n := first; n < len(c.list); n++ {
			c.list[n].line = about
			c.at[about] = append(c.at[about], n)
			if len(c.list) == first+1 {
				c.list[n].comment = comment
			}
		}
	}
	return c
}

// next returns the first line behind one that does not begin with a comment.
func (c *Comments) next(line int) int {
	last := c.file.LineOf(c.file.Base + source.Pos(len(c.file.Text)))
	for line++; line < last && strings.HasPrefix(strings.TrimLeft(c.file.Line(line), " \t"), "//"); line++ {
	}
	return line
}

// parse reads the codes behind a mark, text[from:to]: words with commas between them.
func (c *Comments) parse(from, to, line int) {
	text, behind, before := c.file.Text, from, len(c.list)
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
		c.list = append(c.list, allowed{line: line, name: text[start:from], code: code, span: c.file.Span(start, from)})
		more = from < to && text[from] == ','
		from++
	}
	if len(c.list) == before {
		c.list = append(c.list, allowed{line: line, span: c.file.Span(behind-len(mark), behind)})
	}
}

// Silence reports whether a comment silences a warning.
func (c *Comments) Silence(d *diag.Diagnostic) bool {
	if len(c.list) == 0 || !d.Span.Valid() {
		return false
	}
	silenced := false
	for _, n := range c.at[c.file.LineOf(d.Span.Start)] {
		if c.list[n].code == d.Code && d.Code != diag.None {
			c.list[n].used, silenced = true, true
		}
	}
	return silenced
}

// Unused warns of comments that silence nothing. Those for codes that have not been looked for
// pass.
func (c *Comments) Unused(list *diag.List, unsought ...diag.Code) {
	for n := range c.list {
		w := &c.list[n]
		if w.used || w.code != diag.None && slices.Contains(unsought, w.code) {
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
			if w.comment.Valid() {
				d.Fixes = []diag.Fix{{Kind: diag.FixAllow, Span: w.comment, Message: "remove the comment"}}
			}
		}
		list.Add(d)
	}
}
