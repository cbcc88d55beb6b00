package editor_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/frontend/wgsl/editor"
)

// TestBroken removes brackets, semicolons and operands from functions of exec kernels, one at a
// time, as they are missing while somebody types. Every identifier of all other functions must have
// the definition that it had; of the function itself most still have theirs. Only where a `{` is
// missing, so that the function ends too early, may constants at module scope be taken for some of
// its statements.
func TestBroken(t *testing.T) {
	names, texts := kernels(t)
	broken, elsewhere, lost, inside, kept := 0, 0, 0, 0, 0
	for n, name := range names {
		text := texts[name]
		if n%6 != 0 && !strings.HasPrefix(name, "scopes") || strings.Contains(text, "/*") {
			continue
		}
		ids := resolve(text)
		d := editor.NewDocument(name, text)
		var want []editor.Range
		for _, id := range ids {
			r, _ := d.Definition(id.start)
			want = append(want, r)
		}
		tokens := scan(text)
		depth, function := 0, -1 // the token that begins the function
		for i, k := range tokens {
			switch k.text {
			case "fn":
				function = i
			case "{":
				depth++
			case "}":
				if depth--; depth == 0 {
					function = -1
				}
			}
			if function < 0 || depth == 0 || !slices.Contains([]string{")", "}", "]", ";", "(", "{"}, k.text) && i%5 != 0 {
				continue
			}
			end := blockEnd(tokens, i+1, depth, len(text))
			size := len(k.text)
			d.SetText(text[:k.start] + text[k.start+size:])
			broken++
			moved := func(at int) int {
				if at > k.start {
					return at - size
				}
				return at
			}
			for j, id := range ids {
				if id.start == k.start {
					continue
				}
				got, ok := d.Definition(moved(id.start))
				same := ok == (want[j].End > 0) && (!ok || got.Start == moved(want[j].Start))
				if id.start >= tokens[function].start && id.start <= end {
					inside++
					if same {
						kept++
					}
					continue
				}
				elsewhere++
				switch {
				case same:
				case k.text == "{":
					lost++
				default:
					t.Errorf("%s: without the %q at %d (line %d), %s at %d has another definition", name, k.text, k.start, 1+strings.Count(text[:k.start], "\n"), id.text, id.start)
				}
			}
		}
	}
	t.Logf("%d broken texts; %d identifiers elsewhere, %d lost for want of a brace; of %d in the broken function %d as before", broken, elsewhere, lost, inside, kept)
	if broken < 1000 || elsewhere < 80000 || lost*1000 > elsewhere || kept*10 < inside*9 {
		t.Error("too few, or too many lost")
	}
}

// blockEnd returns the offset of the `}` that closes the function around token i, at a depth of
// braces, or size if there is none.
func blockEnd(tokens []token, i, depth, size int) int {
	for ; i < len(tokens); i++ {
		switch tokens[i].text {
		case "{":
			depth++
		case "}":
			if depth--; depth == 0 {
				return tokens[i].start
			}
		}
	}
	return size
}
