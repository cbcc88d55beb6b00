package syntax

// This file is template list discovery (WGSL §3.9): deciding which `<` and `>` open and close
// template lists. The specification describes a pass over the text before tokenization. Here it is
// part of the lexer, which asks at every `>` and reports the other relevant tokens. It is linear:
// every candidate is pushed once and popped once.
//
// One difference is intended. The specification's text clears the candidates at the `=` of a `<=`
// that follows something other than a name, as in `array<u32, select(1, 2, 3 <= n)>`. Yet its
// assumption 4 says that `<=` is a comparison; here `<=` is one token everywhere.

// candidate is a `<` that may open a template list.
type candidate struct {
	token int32 // index of the token
	depth int32 // nesting of parentheses and brackets around it
}

// templates is the state of the discovery.
type templates struct {
	pending []candidate
	depth   int32
}

// reset drops all candidates: an assignment, `;`, `{` or `:` is not part of an expression.
func (t *templates) reset() { t.pending, t.depth = t.pending[:0], 0 }

// open records a `<` after a name.
func (t *templates) open(token int) {
	t.pending = append(t.pending, candidate{int32(token), t.depth})
}

// close reports whether a `>` closes a template list, and which token opened it.
func (t *templates) close() (token int, ok bool) {
	n := len(t.pending) - 1
	if n < 0 || t.pending[n].depth != t.depth {
		return 0, false
	}
	token = int(t.pending[n].token)
	t.pending = t.pending[:n]
	return token, true
}

// enter records a `(` or `[`.
func (t *templates) enter() { t.depth++ }

// leave records a `)` or `]`.
func (t *templates) leave() {
	t.drop()
	t.depth = max(t.depth-1, 0)
}

// drop rejects the candidates of the current nesting: it was closed, or a `&&` or `||` follows,
// which bind less tightly than comparisons.
func (t *templates) drop() {
	n := len(t.pending)
	for n > 0 && t.pending[n-1].depth >= t.depth {
		n--
	}
	t.pending = t.pending[:n]
}
