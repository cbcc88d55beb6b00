package gpu

// This file has what kernels written in Go print with. As plain Go they print at once, so that
// output is up to date in a debugger or an endless loop. On devices messages are printed when the
// stream is waited for.

import (
	"fmt"
	"io"
	"os"
	"reflect"
	"runtime"
	"strings"
	"sync"

	"github.com/gpuc/gpuc/ir/printf"
)

// Printf prints a line that begins with the source position and the item's index:
//
//	kernel.go:12: [3 0 0] x = 4.5
//
// The format is a constant with the verbs %v, %t, %d, %x, %X, %o, %b, %c, %e, %f and %g of package
// fmt, their flags, and constant widths and precisions. The values are numbers, bools and vectors
// of this package, which look like slices.
//
// On devices kernels print only if they were compiled for debugging. Otherwise nothing is left of
// the call, except side effects of its arguments. Device.SetMessages says where they print. The
// lines of a launch are sorted by item, and those of an item are in its order.
func (it Item) Printf(format string, args ...any) {
	if false {
		_ = fmt.Sprintf(format, args...) // so that vet checks the calls
	}
	it.say(false, format, args)
}

// Assert prints a message as Printf does if a condition does not hold. On a device the item goes
// on, and the Wait after the launch returns a *KernelError; as plain Go it panics with one.
func (it Item) Assert(condition bool, format string, args ...any) {
	if false {
		_ = fmt.Sprintf(format, args...) // so that vet checks the calls
	}
	if condition {
		return
	}
	m := it.say(true, format, args)
	panic(&KernelError{Assertion: true, Text: m.Text, Failures: 1, File: m.File, Line: m.Line, Invocation: m.Invocation, Kernel: kernelName()})
}

// kernelName is the function that calls Assert, without its package: the name of the kernel.
func kernelName() string {
	var pc [1]uintptr
	runtime.Callers(3, pc[:])
	frame, _ := runtime.CallersFrames(pc[:]).Next()
	name, _, _ := strings.Cut(frame.Function, "[") // the type arguments of a generic one
	return name[strings.LastIndexByte(name, '.')+1:]
}

var (
	plainPrinting sync.Mutex
	plainOutput   io.Writer = os.Stderr
)

// SetPlainOutput sets where kernels that run as plain Go print, os.Stderr at first, and returns the
// previous writer.
func SetPlainOutput(to io.Writer) (before io.Writer) {
	plainPrinting.Lock()
	defer plainPrinting.Unlock()
	before, plainOutput = plainOutput, to
	return before
}

// say prints a message, and returns it if it is an assertion. The kernel called the caller.
func (it Item) say(failed bool, format string, args []any) Message {
	at := it.Global()
	m := Message{Invocation: [3]uint32{uint32(at.X), uint32(at.Y), uint32(at.Z)}, Failed: failed}
	_, m.File, m.Line, _ = runtime.Caller(2)
	print := func() {
		values := make([]any, len(args))
		for n, a := range args {
			values[n] = printable(reflect.ValueOf(a))
		}
		m.Text = printf.Text(format, values)
		plainPrinting.Lock()
		defer plainPrinting.Unlock()
		_, _ = io.WriteString(plainOutput, m.String()+"\n")
	}
	if failed {
		print()
		return m
	}
	aside(print) // locks order those who take them, and on a device printing orders nothing
	return Message{}
}

// printable returns a value as devices print it: without the methods of its type, int and uint with
// 32 bits, and vectors as slices.
func printable(v reflect.Value) any {
	switch v.Kind() {
	case reflect.Bool:
		return v.Bool()
	case reflect.Int, reflect.Int32:
		return int32(v.Int())
	case reflect.Int8:
		return int8(v.Int())
	case reflect.Int16:
		return int16(v.Int())
	case reflect.Int64:
		return v.Int()
	case reflect.Uint, reflect.Uint32:
		return uint32(v.Uint())
	case reflect.Uint8:
		return uint8(v.Uint())
	case reflect.Uint16:
		return uint16(v.Uint())
	case reflect.Uint64:
		return v.Uint()
	case reflect.Float32:
		return float32(v.Float())
	case reflect.Float64:
		return v.Float()
	case reflect.Struct:
		list := make([]any, v.NumField())
		for n := range list {
			list[n] = printable(v.Field(n))
		}
		return list
	}
	return v.Interface() // which no kernel prints
}
