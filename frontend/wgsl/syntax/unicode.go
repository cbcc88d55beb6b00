package syntax

import "unicode"

// This file decides which code points form identifiers: XID_Start and XID_Continue of Unicode
// Standard Annex #31, to which WGSL §3.7 refers. They are derived from properties in Go's tables
// (UAX #44, DerivedCoreProperties, and UAX #31 §5.1 for the X in XID). The tables of the Go release
// may be newer than WGSL's Unicode 14; later versions only add code points.

func inStart(r rune) bool { return unicode.In(r, unicode.L, unicode.Nl, unicode.Other_ID_Start) }

func inContinue(r rune) bool {
	return unicode.In(r, unicode.Mn, unicode.Mc, unicode.Nd, unicode.Pc, unicode.Other_ID_Continue)
}

func inPattern(r rune) bool {
	return unicode.In(r, unicode.Pattern_Syntax, unicode.Pattern_White_Space)
}

// notClosed are the code points in ID_Start but not in XID_Start, because their compatibility
// decomposition begins with something else. startOnly are those of them in XID_Continue.
var (
	notClosed = &unicode.RangeTable{R16: []unicode.Range16{
		{Lo: 0x037A, Hi: 0x037A, Stride: 1}, {Lo: 0x309B, Hi: 0x309C, Stride: 1},
		{Lo: 0xFC5E, Hi: 0xFC63, Stride: 1}, {Lo: 0xFDFA, Hi: 0xFDFB, Stride: 1},
		{Lo: 0xFE70, Hi: 0xFE7E, Stride: 2},
	}}
	startOnly = &unicode.RangeTable{R16: []unicode.Range16{
		{Lo: 0x0E33, Hi: 0x0E33, Stride: 1}, {Lo: 0x0EB3, Hi: 0x0EB3, Stride: 1},
		{Lo: 0xFF9E, Hi: 0xFF9F, Stride: 1},
	}}
)

// isStart reports whether r, which is not ASCII, begins an identifier.
func isStart(r rune) bool {
	return inStart(r) && !inPattern(r) && !unicode.Is(notClosed, r) && !unicode.Is(startOnly, r)
}

// isContinue reports whether r, which is not ASCII, continues an identifier.
func isContinue(r rune) bool {
	return (inStart(r) || inContinue(r)) && !inPattern(r) && !unicode.Is(notClosed, r)
}

// isBlank reports whether r, which is not ASCII, is blankspace (WGSL §3.2).
func isBlank(r rune) bool {
	return r == 0x85 || r == 0x200E || r == 0x200F || r == 0x2028 || r == 0x2029
}
