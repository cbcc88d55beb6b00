package format

import "strings"

// This file scans the gap between two tokens, which the lexer has found to be blankspace and
// comments.

// comment is a comment in a gap.
type comment struct {
	// text is the comment as it is printed: without trailing blanks for a line comment, with LF for
	// CRLF in a block comment.
	text string
	line bool // a line comment
	// breaks is the number of line breaks before it.
	breaks int
}

// scanGap appends the comments of a gap, and returns the number of line breaks after the last of
// them.
func scanGap(gap string, comments []comment) (_ []comment, breaks int) {
	for i := 0; i < len(gap); {
		switch c := gap[i]; {
		case c == ' ' || c == '\t':
			i++
		case c == '/':
			c := comment{line: gap[i+1] == '/', breaks: breaks}
			length := 0
			if c.line {
				length = lineLength(gap[i:])
				c.text = strings.TrimRight(gap[i:i+length], " \t")
			} else {
				length = blockLength(gap[i:])
				c.text = gap[i : i+length]
				if strings.IndexByte(c.text, '\r') >= 0 {
					c.text = strings.ReplaceAll(c.text, "\r\n", "\n")
				}
			}
			comments, breaks = append(comments, c), 0
			i += length
		default:
			if length := breakLength(gap[i:]); length > 0 {
				breaks++
				i += length
			} else {
				i++ // a byte of other blankspace
			}
		}
	}
	return comments, breaks
}

// breakLength returns the length in bytes of the line break (WGSL §3.4) at the start of text, or 0.
func breakLength(text string) int {
	switch c := text[0]; {
	case c == '\r' && len(text) > 1 && text[1] == '\n':
		return 2
	case c >= '\n' && c <= '\r':
		return 1
	case c == 0xC2 && strings.HasPrefix(text, "\u0085"):
		return 2
	case c == 0xE2 && (strings.HasPrefix(text, "\u2028") || strings.HasPrefix(text, "\u2029")):
		return 3
	}
	return 0
}

// lineLength returns the length in bytes of the first line.
func lineLength(text string) int {
	for i := range len(text) {
		if c := text[i]; (c < ' ' || c == 0xC2 || c == 0xE2) && breakLength(text[i:]) > 0 {
			return i
		}
	}
	return len(text)
}

// blockLength returns the length in bytes of the block comment at the start of text; they nest.
func blockLength(text string) int {
	depth := 1
	for i := 2; i+1 < len(text); i++ {
		switch text[i : i+2] {
		case "/*":
			depth++
			i++
		case "*/":
			depth--
			i++
			if depth == 0 {
				return i + 1
			}
		}
	}
	panic("a block comment does not end")
}

// sameComments reports whether two gaps have the same comments, whatever their layout.
func sameComments(a, b []comment) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].text != b[i].text {
			return false
		}
	}
	return true
}
