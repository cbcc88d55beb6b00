package diag

import (
	"fmt"
	"os"
	"runtime/debug"
	"strings"

	"github.com/gpuc/gpuc/ir/source"
)

// This file reports failed invariants of gpuc. A panic is recovered where a program enters gpuc or
// a goroutine of gpuc begins, and becomes a diagnostic or an error that says what it is. It takes
// nothing else down.

// StackVariable is the environment variable that, set to anything but 0, adds the
// stack to internal errors.
const StackVariable = "GPUC_STACK"

// InternalError is a failed invariant: gpuc is at fault, not the program.
type InternalError struct {
	Doing string // what was being done, such as "compiling kernel `main` for spirv"
	Value any    // what the panic said
	Stack string // where, if it was asked for
}

// Caught makes an error of what recover returned.
func Caught(recovered any, doing string) *InternalError {
	e := &InternalError{Doing: doing, Value: recovered}
	if set := os.Getenv(StackVariable); set != "" && set != "0" {
		e.Stack = strings.TrimSpace(string(debug.Stack()))
	}
	return e
}

// message is the error in one sentence.
func (e *InternalError) message() string {
	if e == nil {
		return "no internal error"
	}
	return fmt.Sprintf("internal error while %s: %v", e.Doing, e.Value)
}

// notes are what else there is to say.
func (e *InternalError) notes() []string {
	if e == nil {
		return nil
	}
	where := "set " + StackVariable + "=1 to see where"
	if e.Stack != "" {
		where = e.Stack
	}
	return []string{"this is a bug in gpuc; please report it with the input", where}
}

// Error says everything, in several lines.
func (e *InternalError) Error() string { return e.message() + "\n" + strings.Join(e.notes(), "\n") }

// Diagnostic makes a diagnostic about a location in the program, which may be none.
func (e *InternalError) Diagnostic(span source.Span) Diagnostic {
	d := Diagnostic{Code: Internal, Span: span, Message: e.message()}
	for _, n := range e.notes() {
		d.Notes = append(d.Notes, Note{Message: n})
	}
	return d
}

// Recover, deferred, converts a panic to a diagnostic. Then, unless nil, is called after one, to
// drop what may have been left in any state.
func Recover(list *List, span source.Span, doing string, then func()) {
	if r := recover(); r != nil {
		list.Add(Caught(r, doing).Diagnostic(span))
		if then != nil {
			then()
		}
	}
}

// RecoverError, deferred, converts a panic to an error.
func RecoverError(err *error, doing string) {
	if r := recover(); r != nil {
		*err = Caught(r, doing)
	}
}
