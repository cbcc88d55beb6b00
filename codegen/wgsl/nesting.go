package wgsl

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/gpuc/gpuc/ir/diag"
)

// WGSL promises 127 levels of braces (§2.4). Other readers count what they parse. Tint counts two
// levels for a statement with a condition or a loop, three for a switch or loop with a clause, and
// accepts 126. naga counts braces, and accepts 127.
const (
	tintNesting = 126
	nagaNesting = 127
)

// nesting returns how deep statements of a text are nested, as Tint and naga count.
func nesting(text []byte) (tint, naga int) {
	var open []int // by brace
	depth := 0
	for line := range bytes.Lines(text) {
		words := strings.TrimSpace(string(line))
		if strings.HasPrefix(words, "}") {
			if len(open) > 0 {
				depth -= open[len(open)-1]
				open = open[:len(open)-1]
			}
			words = strings.TrimSpace(words[1:])
		}
		if !strings.HasSuffix(words, "{") {
			continue
		}
		level := 1
		switch word, _, _ := strings.Cut(words, " "); word {
		case "if", "else", "for", "while", "loop", "switch":
			level = 2
		}
		open = append(open, level)
		depth += level
		tint, naga = max(tint, depth), max(naga, len(open))
	}
	return tint, naga
}

// warnNesting warns of the readers for which a text is nested too deeply.
func (w *emitter) warnNesting(text []byte) {
	tint, naga := nesting(text)
	readers := ""
	switch {
	case naga > nagaNesting:
		readers = "Tint and naga refuse"
	case tint > tintNesting:
		readers = "Tint refuses"
	default:
		return
	}
	w.e.Context.List.Add(diag.Diagnostic{Code: diag.LimitExceeded, Severity: diag.Warning, Span: w.e.Kernel.Span,
		Message: fmt.Sprintf("the WGSL that is written has statements nested %d deep, which %s; move inner ones to a function", naga-1, readers)})
}
