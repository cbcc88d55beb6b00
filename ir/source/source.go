// Package source holds source files and positions in them.
//
// All files of one compilation live in a Set, which gives every byte of every file its own range of
// positions, as go/token does. A Span is then two 32-bit integers: small enough to keep with every
// instruction, and meaningful without knowing which file it came from.
package source

import (
	"fmt"
	"sort"
	"strings"
	"sync"
	"unicode/utf8"
)

// Pos is a byte position within a Set. The zero Pos means "no position".
type Pos uint32

// Span is a half-open range of positions [Start, End) within one file.
// The zero Span means "no position".
type Span struct{ Start, End Pos }

// Valid reports whether the span names a location.
func (s Span) Valid() bool { return s.Start != 0 }

// To returns the span from the start of s to the end of t. An invalid span
// yields the other one.
func (s Span) To(t Span) Span {
	if !s.Valid() {
		return t
	}
	if !t.Valid() {
		return s
	}
	return Span{s.Start, t.End}
}

// File is one source text. Its bytes have the positions Base to Base+len(Text).
type File struct {
	Name string
	Text string
	Base Pos

	indexed sync.Once // when a position is first looked up: most programs have no errors
	lines   []uint32  // offset of the first byte of each line
	marks   []mark    // positions inside of long lines, in order
}

// mark says how many code points of its line are before a byte. With one every
// few hundred bytes, a column is counted quickly however long the line is: a
// generated program may be one line.
type mark struct{ offset, before uint32 }

const markDistance = 512

// Span returns the span of the bytes [start, end) of the file.
func (f *File) Span(start, end int) Span {
	if f == nil {
		return Span{}
	}
	return Span{f.Base + Pos(start), f.Base + Pos(end)}
}

// Position is a position as people read it. Line and Column count from one; Column counts code
// points, so that a caret is printed under what it points at.
type Position struct {
	File         string
	Line, Column int
}

// String returns "file:line:column".
func (p Position) String() string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

// Set is the files of one compilation. The zero Set is empty and ready to use.
// Adding is not safe for concurrent use; reading is.
type Set struct{ files []*File }

// MaxBytes is how much source text one Set can number.
const MaxBytes = 1 << 30

// Add appends a file to the set. It reports an error when the texts together
// would exceed MaxBytes.
func (s *Set) Add(name, text string) (*File, error) {
	if s == nil {
		return nil, fmt.Errorf("%s: there is no set to add the file to: it is nil; new(source.Set) makes one", name)
	}
	base := Pos(1)
	if n := len(s.files); n > 0 {
		last := s.files[n-1]
		base = last.Base + Pos(len(last.Text)) + 1
	}
	if len(text) > MaxBytes-int(base) {
		return nil, fmt.Errorf("%s: source text is larger than %d bytes", name, MaxBytes)
	}
	f := &File{Name: name, Text: text, Base: base}
	s.files = append(s.files, f)
	return f, nil
}

// Files returns the files in the order they were added.
func (s *Set) Files() []*File {
	if s == nil {
		return nil
	}
	return s.files
}

// File returns the file that contains p, or nil.
func (s *Set) File(p Pos) *File {
	if s == nil || p == 0 {
		return nil
	}
	i := sort.Search(len(s.files), func(i int) bool { return s.files[i].Base > p }) - 1
	if i < 0 {
		return nil
	}
	return s.files[i]
}

// Position resolves p. The zero Position answers a Pos outside the set.
func (s *Set) Position(p Pos) Position {
	f := s.File(p)
	if f == nil {
		return Position{}
	}
	f.indexed.Do(f.index)
	offset := min(int(p-f.Base), len(f.Text))
	line := f.line(offset)
	start, column := int(f.lines[line]), 1
	if offset-start > markDistance {
		if n := sort.Search(len(f.marks), func(i int) bool { return int(f.marks[i].offset) > offset }); n > 0 && int(f.marks[n-1].offset) >= start {
			start, column = int(f.marks[n-1].offset), 1+int(f.marks[n-1].before)
		}
	}
	return Position{f.Name, line + 1, column + utf8.RuneCountInString(f.Text[start:offset])}
}

// Text returns the source text of a span, or "" outside the set.
func (s *Set) Text(span Span) string {
	f := s.File(span.Start)
	if f == nil {
		return ""
	}
	start, end := int(span.Start-f.Base), int(span.End-f.Base)
	if start > end || end > len(f.Text) {
		return ""
	}
	return f.Text[start:end]
}

// index records where lines start. WGSL's line breaks (WGSL §3.2) are LF, VT, FF, CR, CR LF, NEL,
// LS and PS; all languages gpuc reads agree on the first ones. The others are harmless elsewhere.
func (f *File) index() {
	f.lines = append(make([]uint32, 0, strings.Count(f.Text, "\n")+1), 0)
	for i := 0; i < len(f.Text); {
		c := f.Text[i]
		if c > '\r' && c < 0xC2 { // nearly all text
			i++
			continue
		}
		switch {
		case c == '\r' && i+1 < len(f.Text) && f.Text[i+1] == '\n':
			i += 2
		case c >= '\n' && c <= '\r':
			i++
		case c == 0xC2 && strings.HasPrefix(f.Text[i:], "\u0085"):
			i += 2
		case c == 0xE2 && (strings.HasPrefix(f.Text[i:], "\u2028") || strings.HasPrefix(f.Text[i:], "\u2029")):
			i += 3
		default:
			i++
			continue
		}
		f.mark(int(f.lines[len(f.lines)-1]), i)
		f.lines = append(f.lines, uint32(i))
	}
	f.mark(int(f.lines[len(f.lines)-1]), len(f.Text))
}

// mark sets the marks of a line.
func (f *File) mark(start, end int) {
	if end-start <= markDistance {
		return
	}
	next, before := start+markDistance, uint32(0)
	for i := range f.Text[start:end] {
		if start+i >= next {
			f.marks = append(f.marks, mark{uint32(start + i), before})
			next = start + i + markDistance
		}
		before++
	}
}

// line returns the zero-based line that contains the byte offset.
func (f *File) line(offset int) int {
	return sort.Search(len(f.lines), func(i int) bool { return int(f.lines[i]) > offset }) - 1
}

// Line returns the text of the one-based line, without its line break.
func (f *File) Line(line int) string {
	if f == nil {
		return ""
	}
	f.indexed.Do(f.index)
	if line < 1 || line > len(f.lines) {
		return ""
	}
	start, end := int(f.lines[line-1]), len(f.Text)
	if line < len(f.lines) {
		end = int(f.lines[line])
	}
	return strings.TrimRight(f.Text[start:end], "\n\v\f\r\u0085\u2028\u2029")
}

// LineOf returns the one-based line of a position in the file.
func (f *File) LineOf(p Pos) int {
	if f == nil {
		return 0
	}
	f.indexed.Do(f.index)
	return f.line(int(p-f.Base)) + 1
}

// LineStart returns the position of the first byte of the one-based line.
func (f *File) LineStart(line int) Pos {
	if f == nil {
		return 0
	}
	f.indexed.Do(f.index)
	if line < 1 || line > len(f.lines) {
		return 0
	}
	return f.Base + Pos(f.lines[line-1])
}
