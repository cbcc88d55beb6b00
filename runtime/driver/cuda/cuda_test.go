package cuda

import (
	"bytes"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/internal/drivertest"
)

// testDriver is shared, because the library is loaded once per process.
var testDriver Driver

func TestDriver(t *testing.T)      { drivertest.Run(t, &testDriver, drivertest.AxpyPTX()) }
func BenchmarkDriver(b *testing.B) { drivertest.Bench(b, &testDriver, drivertest.AxpyPTX()) }

// TestCompilerLog expects the line of a mistake in the error.
func TestCompilerLog(t *testing.T) {
	f := drivertest.New(t, &testDriver, drivertest.AxpyPTX())
	a := drivertest.AxpyPTX()
	a.Code = bytes.Replace(a.Code, []byte("mul.wide.u32"), []byte("mul.vast.u32"), 1)
	if _, err := f.Device.Load(a); err == nil || !strings.Contains(err.Error(), "line ") {
		t.Errorf("got %v, want an error that names the line", err)
	}
	a = drivertest.AxpyPTX()
	a.Kernel.Name = "saxpy"
	if _, err := f.Device.Load(a); err == nil || !strings.Contains(err.Error(), "entry point") {
		t.Errorf("got %v, want an error about the entry point", err)
	}
}

// TestDeclared counts the parameters that PTX says an entry point has.
func TestDeclared(t *testing.T) {
	const text = ".func f(.param .b32 a) {}\n.visible .entry axpy2(.param .u64 a) {}\n.visible .entry axpy(\n\t.param .u64 .ptr .global .align 16 x,\n\t.param .align 16 .b8 i[8]\n)\n{}"
	for entry, want := range map[string]int{"axpy": 2, "axpy2": 1, "f": -1} {
		if got := declared([]byte(text), entry); got != want {
			t.Errorf("%s has %d parameters, want %d", entry, got, want)
		}
	}
	if got := declared(drivertest.AxpyPTX().Code, "axpy"); got != 8 {
		t.Errorf("the tests' kernel has %d parameters, want 8", got)
	}
}
