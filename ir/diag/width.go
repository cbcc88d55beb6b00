package diag

import "unicode"

// This file knows how wide terminals show characters, so that marks are below what they mark.

// wide are the characters that take two cells (Unicode Standard Annex 11, East_Asian_Width W and
// F), in ranges that also have what is not assigned.
var wide = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x1100, Hi: 0x115F, Stride: 1}, {Lo: 0x2E80, Hi: 0x303E, Stride: 1}, {Lo: 0x3041, Hi: 0xA4CF, Stride: 1}, {Lo: 0xA960, Hi: 0xA97F, Stride: 1},
		{Lo: 0xAC00, Hi: 0xD7A3, Stride: 1}, {Lo: 0xF900, Hi: 0xFAFF, Stride: 1}, {Lo: 0xFE30, Hi: 0xFE6F, Stride: 1}, {Lo: 0xFF01, Hi: 0xFF60, Stride: 1},
		{Lo: 0xFFE0, Hi: 0xFFE6, Stride: 1},
	},
	R32: []unicode.Range32{{Lo: 0x1F300, Hi: 0x1F64F, Stride: 1}, {Lo: 0x1F680, Hi: 0x1F6FF, Stride: 1}, {Lo: 0x1F900, Hi: 0x1FAFF, Stride: 1}, {Lo: 0x20000, Hi: 0x3FFFD, Stride: 1}},
}

// cells is how many columns a character takes as printable leaves it: none if it is combined with
// the one before, or two.
func cells(r rune) int {
	switch {
	case isCommand(r):
		return 1 // as its replacement
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case unicode.Is(wide, r):
		return 2
	}
	return 1
}

// isCommand reports whether a character could command a terminal: control characters but for tabs,
// and those that change the direction of text. By the latter a line can be made to look like
// another one.
func isCommand(r rune) bool {
	return r != '\t' && unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)
}

// columns is how many columns a text without tabs takes.
func columns(s string) (n int) {
	for _, r := range s {
		n += cells(r)
	}
	return n
}
