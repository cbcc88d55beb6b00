package amdgpu

import (
	"bytes"
	"slices"
)

// This file declares the intrinsics that a module calls. LLVM since 17 takes them undeclared; comgr
// of ROCm before 6, which is older, does not. What calls one is text that a template gave, so the
// module's text says which there are, and of which types.

var (
	callWord       = []byte("call ")
	intrinsicStart = []byte(" @llvm.")
)

// declarations appends a declaration of each intrinsic to the module, in the order of their first
// calls.
func (e *emitter) declarations() {
	e.declared = e.declared[:0]
	for at, end := 0, len(e.out); ; {
		next := bytes.Index(e.out[at:end], intrinsicStart)
		if next < 0 {
			return
		}
		at += next + 1
		open := at + bytes.IndexByte(e.out[at:end], '(')
		name := e.out[at:open]
		if !slices.ContainsFunc(e.declared, func(d span) bool { return bytes.Equal(e.out[d.start:d.end], name) }) {
			e.declared = append(e.declared, span{at, open})
			e.declareIntrinsic(at, open)
		}
		at = open
	}
}

// span is a part of the module's text.
type span struct{ start, end int }

// declareIntrinsic appends the declaration of the intrinsic whose name lies between two places,
// behind which its arguments are.
func (e *emitter) declareIntrinsic(at, open int) {
	line := bytes.LastIndexByte(e.out[:at], '\n') + 1
	result := bytes.TrimSpace(e.out[line+bytes.Index(e.out[line:at], callWord)+len(callWord) : at])
	// flags of arithmetic stand before the type, which is one word unless it is a pointer
	if !bytes.HasPrefix(result, pointerWord) {
		result = result[bytes.LastIndexByte(result, ' ')+1:]
	}
	e.write("declare ")
	e.out = append(e.out, result...)
	e.write(" ")
	e.out = append(e.out, e.out[at:open+1]...)
	depth, start := 0, open+1
	for n := open + 1; ; n++ {
		switch c := e.out[n]; {
		case c == '(':
			depth++
		case c == ')' && depth > 0:
			depth--
		case c == ',' || c == ')':
			// the value is the last word
			if end := bytes.LastIndexByte(e.out[start:n], ' '); end >= 0 {
				e.out = append(e.out, e.out[start:start+end]...)
			}
			e.out = append(e.out, c)
			start = n + 1
			if c == ')' {
				e.write("\n")
				return
			}
		}
	}
}

var pointerWord = []byte("ptr ")
