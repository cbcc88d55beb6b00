// Package suppress reads the comments that silence warnings in WGSL and in Go:
//
//	let old = x; // gpuc:allow unused-variable
//
//	// gpuc:allow float-equality, unreachable-code the sentinel is stored as it is
//	if a * b == sentinel {
//
// A comment after code applies to its line; a comment on its own line applies to the next line that
// does not begin with a comment. The text after the codes is free.
package suppress

import (
	"slices"
	"strconv"
	"strings"

	"github.com/gpuc/gpuc/frontend/wgsl/suggest"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

// mark begins the text of such a comment.
const mark = "gpuc:allow"

// Comment returns the comment that silences a warning, as a line, and the position at which to
// insert it: before the line of the warning.
func Comment(file *source.File, d *diag.Diagnostic) (at source.Pos, comment string) {
	line := file.LineOf(d.Span.Start)
	text := file.Line(line)
	indent := text[:len(text)-len(strings.TrimLeft(text, " \t"))]
	return file.LineStart(line), indent + "// " + mark + " " + d.Code.String() + "\n"
}

// allowed is a code in a comment.
type allowed struct {
	line int // to which it applies
	name string
	code diag.Code   // None for an unknown code
	span source.Span // of the code, or of the mark without one
	// comment is the comment, with its line if that has nothing else. It is invalid if the comment
	// has several codes.
	comment source.Span
	used    bool
}

// Comments are the suppression comments of a file.
type Comments struct {
	file *source.File
	list []allowed
	at   map[int][]int // by line: indices in list
}

// Read reads the comments of a file. isComment reports whether a comment begins at a byte offset of
// the file, for languages in which slashes occur in strings. If it is nil, the first two slashes of
// a line begin a comment.
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
		if from < len(text) && !strings.ContainsRune(" \t\r\n", rune(text[from])) {
			continue // another word, such as gpuc:allowed
		}
		line := file.LineOf(file.Base + source.Pos(k))
		start := int(file.LineStart(line) - file.Base)
		code, found := strings.CutSuffix(strings.TrimRight(text[start:k], " \t"), "//")
		if !found || isComment == nil && strings.Contains(code, "//") || isComment != nil && !isComment(start+len(code)) {
			continue
		}
		end, first := start+len(file.Line(line)), len(c.list)
		c.parse(from, end)
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

// next returns the first line after line that does not begin with a comment.
func (c *Comments) next(line int) int {
	last := c.file.LineOf(c.file.Base + source.Pos(len(c.file.Text)))
	for line++; line < last && strings.HasPrefix(strings.TrimLeft(c.file.Line(line), " \t"), "//"); line++ {
	}
	return line
}

// parse reads the codes after a mark, text[from:to], which are separated by commas. If there are
// none, it adds an entry without a code for the mark, of which Unused warns.
func (c *Comments) parse(from, to int) {
	text, markEnd, first := c.file.Text, from, len(c.list)
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
		c.list = append(c.list, allowed{name: text[start:from], code: code, span: c.file.Span(start, from)})
		more = from < to && text[from] == ','
		from++
	}
	if len(c.list) == first {
		c.list = append(c.list, allowed{span: c.file.Span(markEnd-len(mark), markEnd)})
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

// Unused adds warnings about comments that silenced nothing. Comments with the codes unsought are
// left out, since their warnings were not computed.
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
			d.Notes = []diag.Note{{Message: "the code is in the brackets of a warning: // gpuc:allow unused-variable"}}
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
