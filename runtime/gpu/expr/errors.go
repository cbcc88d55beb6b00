package expr

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// This file has the errors of calls that make tensors.

// own begins the names of this package's functions.
const own = "github.com/gpuc/gpuc/runtime/gpu/expr."

// caller returns the file and line of the call into this package, as "main.go:12".
func caller() string {
	var counters [16]uintptr
	frames := runtime.CallersFrames(counters[:runtime.Callers(2, counters[:])])
	for {
		f, more := frames.Next()
		if !strings.HasPrefix(f.Function, own) || !more {
			return fmt.Sprintf("%s:%d", filepath.Base(f.File), f.Line)
		}
	}
}

// wrong returns a tensor with an error of a call: its kind, and a text.
func wrong(c *Context, call string, kind error, format string, values ...any) *Tensor {
	return &Tensor{context: c, err: fmt.Errorf("expr: %s at %s: %w: %s", call, caller(), kind, fmt.Sprintf(format, values...))}
}

// shapeText returns a shape as "(2, 3)".
func shapeText(shape []int) string {
	return "(" + strings.Trim(strings.ReplaceAll(fmt.Sprint(shape), " ", ", "), "[]") + ")"
}

// refused returns the tensor for a call whose operands are missing, wrong themselves, or of several
// contexts, and nil if they are right.
func refused(call string, operands ...*Tensor) *Tensor {
	var c *Context
	for n, t := range operands {
		switch {
		case t == nil || t.context == nil && t.err == nil:
			return wrong(c, call, gpu.ErrShape, "tensor %d of %d is nil or none that this package made", n+1, len(operands))
		case t.err != nil:
			return t
		case c != nil && t.context != c:
			return wrong(c, call, gpu.ErrShape, "the tensors belong to different contexts")
		}
		c = t.context
	}
	return nil
}
