package usage

import (
	"fmt"

	"github.com/gpuc/gpuc/frontend/wgsl/suggest"
)

// Error is a mistake on the command line: exit 2, and a hint at -h.
type Error struct{ message string }

func (e *Error) Error() string { return e.message }

func Errorf(format string, args ...any) error { return &Error{fmt.Sprintf(format, args...)} }

// This file finds what was meant by a name on the command line that is none: of a command, a
// flag, a file, a target, an entry point. A message that only says what is wrong leaves the
// rest to its reader.

// Nearest returns the candidate that slips may have made name of, or "". There are few of
// them, so two slips are allowed in short names, too.
func Nearest(name string, candidates []string) string {
	best := suggest.Suggestion{Name: name, Limit: max(2, len(name)/3)}
	for _, c := range candidates {
		best.Consider(c)
	}
	return best.Word()
}

// DidYouMean is the end of a message about a name that is none of the candidates: "; did you
// mean `x`?", or what instead says if none is near.
func DidYouMean(name string, candidates []string, instead string) string {
	if near := Nearest(name, candidates); near != "" {
		return "; did you mean `" + near + "`?"
	}
	return instead
}
