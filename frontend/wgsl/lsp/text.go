package lsp

import (
	"sort"
	"strings"
	"unicode/utf8"
)

// This file goes between the protocol's positions and offsets. The protocol's lines end with LF,
// CR LF or CR, whatever WGSL takes for the end of a line, and characters are counted in units of
// UTF-16 or, where the client offers it, of UTF-8 (LSP 3.17, Position).

// encoding is what characters are counted in.
type encoding uint8

const (
	utf16 encoding = iota
	utf8Bytes
)

var encodingNames = [...]string{utf16: "utf-16", utf8Bytes: "utf-8"}

// text is a document's text with the offsets of its lines.
type text struct {
	content string
	lines   []int
}

// set replaces the text.
func (t *text) set(content string) {
	t.content = content
	t.lines = append(t.lines[:0], 0)
	for i := 0; i < len(content); i++ {
		switch c := content[i]; {
		case c == '\n', c == '\r' && !strings.HasPrefix(content[i+1:], "\n"):
			t.lines = append(t.lines, i+1)
		}
	}
}

// line returns the offsets of a line and of its end, without what ends it.
func (t *text) line(n int) (start, end int) {
	start, end = t.lines[n], len(t.content)
	if n+1 < len(t.lines) {
		end = t.lines[n+1]
	}
	return start, start + len(strings.TrimRight(t.content[start:end], "\r\n"))
}

// offset returns the offset of a position. One behind the end of a line or of the text is its end,
// and one within a character the character's beginning.
func (t *text) offset(p Position, e encoding) int {
	if p.Line < 0 || p.Character < 0 {
		return 0
	}
	if p.Line >= len(t.lines) {
		return len(t.content)
	}
	start, end := t.line(p.Line)
	at, units := start, 0
	for at < end {
		c, size := utf8.DecodeRuneInString(t.content[at:end])
		if units += width(c, size, e); units > p.Character {
			break
		}
		at += size
	}
	return at
}

// width is how many units of an encoding a character has.
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
	units := 0
	for rest := t.content[t.lines[n]:offset]; rest != ""; {
		c, size := utf8.DecodeRuneInString(rest)
		units += width(c, size, e)
		rest = rest[size:]
	}
	return Position{n, units}
}
