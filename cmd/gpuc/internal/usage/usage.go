// Package usage has the errors about what a user typed, with the way out. Commands that fail with
// an Error exit with status 2 and point at -h.
package usage

import (
	"fmt"

	"github.com/gpuc/gpuc/frontend/wgsl/suggest"
)

// Error is a mistake on the command line.
type Error struct{ message string }

func (e *Error) Error() string { return e.message }

// Errorf returns an *Error.
func Errorf(format string, args ...any) error { return &Error{fmt.Sprintf(format, args...)} }

// Nearest returns the candidate that name is a misspelling of, or "". As there are few candidates,
// two typing errors are allowed in short names, too.
func Nearest(name string, candidates []string) string {
	best := suggest.Suggestion{Name: name, Limit: max(2, len(name)/3)}
	for _, c := range candidates {
		best.Consider(c)
	}
	return best.Word()
}

// DidYouMean returns the end of a message about an unknown name: "; did you mean `x`?", or
// otherwise if no candidate is near.
func DidYouMean(name string, candidates []string, otherwise string) string {
	if near := Nearest(name, candidates); near != "" {
		return "; did you mean `" + near + "`?"
	}
	return otherwise
}
