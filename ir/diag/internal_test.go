package diag_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

// TestInternalErrors: a panic becomes a diagnostic or an error that says that gpuc
// is at fault and how to see where, or where.
func TestInternalErrors(t *testing.T) {
	fails := func(list *diag.List, then func()) {
		defer diag.Recover(list, source.Span{}, "testing", then)
		panic("no seven")
	}
	failsWith := func() (err error) {
		defer diag.RecoverError(&err, "testing")
		panic(errors.New("no seven"))
	}
	for _, set := range []string{"", "0", "1"} {
		t.Setenv(diag.StackVariable, set)
		var list diag.List
		forgotten := false
		fails(&list, func() { forgotten = true })
		fails(&list, nil)
		if list.Errors() != 2 || !forgotten {
			t.Fatalf("%d errors, forgotten: %v", list.Errors(), forgotten)
		}
		d := list.Items()[0]
		if d.Code != diag.Internal || d.Message != "internal error while testing: no seven" || len(d.Notes) != 2 {
			t.Errorf("the diagnostic is %+v", d)
		}
		var internal *diag.InternalError
		err := failsWith()
		if !errors.As(err, &internal) {
			t.Fatalf("the error is %v", err)
		}
		for _, text := range []string{d.Notes[1].Message, err.Error()} {
			hint, stack := strings.Contains(text, "GPUC_STACK=1"), strings.Contains(text, "internal_test.go")
			if hint == (set == "1") || stack != (set == "1") {
				t.Errorf("with GPUC_STACK=%q: %s", set, text)
			}
		}
	}
	var list diag.List
	func() { defer diag.Recover(&list, source.Span{}, "testing", func() { t.Error("nothing failed") }) }()
	if list.Errors() > 0 {
		t.Error("an error without a panic")
	}
}
