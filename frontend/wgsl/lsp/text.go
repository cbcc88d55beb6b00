package lsp

import (
	"sort"
	"strings"
	"unicode/utf8"
)

// This file converts between the protocol's positions and byte offsets. Lines end with LF, CR LF or
// CR, unlike WGSL's. Characters count UTF-16 code units or, if the client offers it, UTF-8 bytes
// (LSP 3.17, Position).

// encoding is the unit of characters.
type encoding uint8

const (
	utf16 encoding = iota
	utf8Bytes
)

var encodingNames = [...]string{utf16: "utf-16", utf8Bytes: "utf-8"}

// text is a document's text with the offsets of its lines. Long lines, as of generated programs,
// have marks with the number of UTF-16 units before an offset.
type text struct {
	content string
	lines   []int
	marks   []mark
}

type mark struct{ offset, units int }

// markDistance is the approximate distance of marks in bytes.
const markDistance = 1024

// set replaces the text.
func (t *text) set(content string) {
	t.content = content
	t.lines, t.marks = append(t.lines[:0], 0), t.marks[:0]
	for i := 0; i < len(content); i++ {
		switch c := content[i]; {
		case c == '\n', c == '\r' && !strings.HasPrefix(content[i+1:], "\n"):
			t.mark(t.lines[len(t.lines)-1], i)
			t.lines = append(t.lines, i+1)
		}
	}
	t.mark(t.lines[len(t.lines)-1], len(content))
}

// mark adds the marks of a line.
func (t *text) mark(start, end int) {
	if end-start < markDistance {
		return
	}
	next, units := start, 0
	for i, c := range t.content[start:end] {
		if start+i >= next {
			t.marks = append(t.marks, mark{start + i, units})
			next += markDistance
		}
		units += width(c, 0, utf16)
	}
}

// line returns the start and the end of a line, without its line break.
func (t *text) line(n int) (start, end int) {
	start, end = t.lines[n], len(t.content)
	if n+1 < len(t.lines) {
		end = t.lines[n+1]
	}
	return start, start + len(strings.TrimRight(t.content[start:end], "\r\n"))
}

// offset returns the offset of a position, clamped to the line and the text, and to the beginning
// of a character.
func (t *text) offset(p Position, e encoding) int {
	if p.Line < 0 || p.Character < 0 {
		return 0
	}
	if p.Line >= len(t.lines) {
		return len(t.content)
	}
	start, end := t.line(p.Line)
	at, units := start, 0
	switch {
	case e == utf8Bytes: // begin within one character of it
		at += max(0, min(p.Character, end-start)-utf8.UTFMax)
		for at > start && !utf8.RuneStart(t.content[at]) {
			at--
		}
		units = at - start
	default:
		first := sort.Search(len(t.marks), func(i int) bool { return t.marks[i].offset >= start })
		behind := first + sort.Search(len(t.marks)-first, func(i int) bool { return t.marks[first+i].offset > end || t.marks[first+i].units > p.Character })
		if behind > first {
			at, units = t.marks[behind-1].offset, t.marks[behind-1].units
		}
	}
	for at < end {
		c, size := utf8.DecodeRuneInString(t.content[at:end])
		if units += width(c, size, e); units > p.Character {
			break
		}
		at += size
	}
	return at
}

// width returns the units of a character.
func width(c rune, size int, e encoding) int {
	switch {
	case e == utf8Bytes:
		return size
	case c >= 0x10000:
		return 2
	}
	return 1
}

// position returns the position of an offset.
func (t *text) position(offset int, e encoding) Position {
	offset = min(max(offset, 0), len(t.content))
	n := sort.SearchInts(t.lines, offset+1) - 1
	from, units := t.lines[n], 0
	if e == utf8Bytes {
		return Position{n, offset - from}
	}
	if k := sort.Search(len(t.marks), func(i int) bool { return t.marks[i].offset > offset }); k > 0 && t.marks[k-1].offset >= from {
		from, units = t.marks[k-1].offset, t.marks[k-1].units
	}
	for _, c := range t.content[from:offset] {
		units += width(c, 0, e)
	}
	return Position{n, units}
}
