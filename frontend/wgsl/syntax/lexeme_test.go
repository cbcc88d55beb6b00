package syntax

import (
	"strings"
	"testing"

	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

// TestLexemes tests that tokens are as the grammar classifies them, and cover all of the text but
// blankspace and comments.
func TestLexemes(t *testing.T) {
	for text, want := range map[string]string{
		"const a = b--c;":                            "const a = b - - c ;",
		"const a = b---c;":                           "const a = b - - - c ;",
		"const a = b- -c - --d;":                     "const a = b - - c - - - d ;",
		"const a = --b/**/--/**/c;":                  "const a = - - b - - c ;",
		"const a = &&b;":                             "const a = & & b ;",
		"fn f() { a--; b/* - */--; *&&c = 1; }":      "fn f ( ) { a -- ; b -- ; * & & c = 1 ; }",
		"const a = b<c>(d) < e && f > g>>h;":         "const a = b ‹ c › ( d ) < e && f > g >> h ;",
		"const a = b<c<d>>(1); // >\n/* < */":        "const a = b ‹ c ‹ d › › ( 1 ) ;",
		"":                                           "",
		"@must_use fn f(a: b,) -> c { return d.e; }": "@ must_use fn f ( a : b , ) -> c { return d . e ; }",
	} {
		var set source.Set
		var list diag.List
		file, err := set.Add("lexemes", text)
		if err != nil {
			t.Fatal(err)
		}
		p := NewParser(NewVocabulary(nil))
		p.Parse(file, &list)
		if list.Errors() > 0 {
			t.Fatalf("%q: %v", text, list.Items()[0])
		}
		lexemes := p.Lexemes(nil)
		last := lexemes[len(lexemes)-1]
		if last.Kind != EndOfFile || int(last.Start) != len(text) {
			t.Errorf("%q ends with %v", text, last)
		}
		var got []string
		for _, l := range lexemes[:len(lexemes)-1] {
			word := text[l.Start:l.End]
			switch l.Kind {
			case TemplateStart:
				word = "‹"
			case TemplateEnd:
				word = "›"
			case Ident, IntLiteral:
			default:
				if word != l.Kind.String() {
					t.Errorf("%q has %q as `%v`", text, word, l.Kind)
				}
			}
			got = append(got, word)
		}
		if joined := strings.Join(got, " "); joined != want {
			t.Errorf("%q has the tokens %q, not %q", text, joined, want)
		}
	}
}
