package lex

import (
	"fmt"
	"testing"

	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

// tokens lists the tokens of a text, the first of each line with a bar before it, and what was
// wrong.
func tokens(text string) (all string) {
	var set source.Set
	var list diag.List
	file, err := set.Add("t", text)
	if err != nil {
		return err.Error()
	}
	l := Lexer{File: file, List: &list}
	defer func() {
		if Caught(recover()) {
			d := list.Items()[0]
			all += fmt.Sprintf("%v: %s", set.Position(d.Span.Start), d.Message)
		}
	}()
	for l.Next(); l.Token.Kind != End; l.Next() {
		if l.First {
			all += "|"
		}
		all += l.Text(l.Token) + " "
	}
	return all
}

func TestTokens(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"", ""},
		{"%a = load.u32 [b-8+%c]\n\n // to the end\n5e-3f -1i", "|% a = load.u32 [ b -8 + % c ] |5e-3f -1i "},
		{`"a \" b" é -`, `|"a \" b" é - `},
		{"a\n \"b", "|a t:2:2: the string does not end"},
	} {
		if got := tokens(test.text); got != test.want {
			t.Errorf("%q: %s, expected %s", test.text, got, test.want)
		}
	}
}
