package execmem

import (
	"bytes"
	"errors"
	"os"
	"runtime"
	"testing"
	"unsafe"
)

// needCode skips a test where machine code cannot be run.
func needCode(t testing.TB) {
	t.Helper()
	if err := Available(); err != nil {
		t.Skipf("skipped: %v", err)
	}
}

// mustLoad loads code for the time of a test.
func mustLoad(t testing.TB, code []byte) *Code {
	t.Helper()
	needCode(t)
	c, err := Load(t.Name(), code)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// TestAvailable: where this is known to be possible, it is.
func TestAvailable(t *testing.T) {
	err := Available()
	if err != nil && !errors.Is(err, ErrUnavailable) {
		t.Errorf("%v is no ErrUnavailable", err)
	}
	if runtime.GOOS == "linux" && runtime.GOARCH == "arm64" && err != nil {
		t.Error(err)
	}
	if text, readable := os.ReadFile("/proc/cpuinfo"); readable == nil && runtime.GOARCH == "amd64" {
		if said := bytes.Contains(text, []byte(" avx2 ")) && bytes.Contains(text, []byte(" bmi2 ")); said != (callable() == nil) {
			t.Errorf("the kernel says of the processor that it can: %v; here it is said: %v", said, callable())
		}
	}
}

// TestCall: the argument arrives and the status returns, from goroutines whose stacks are small,
// too.
func TestCall(t *testing.T) {
	c := mustLoad(t, probe)
	results := make(chan uint64, 1000)
	for n := range uint64(1000) {
		go func() { results <- c.Call(0, unsafe.Pointer(&n)) }()
	}
	sum := uint64(0)
	for range 1000 {
		sum += <-results
	}
	if sum != 999*1000/2 {
		t.Errorf("the sum is %d", sum)
	}
	if status := c.Call(-1, nil); status != Closed {
		t.Errorf("a call before the beginning returns %#x", status)
	}
	if status := c.Call(1<<20, nil); status != Closed {
		t.Errorf("a call behind the end returns %#x", status)
	}
}

// TestManyCalls makes ten million calls.
func TestManyCalls(t *testing.T) {
	c := mustLoad(t, probe)
	var n uint64
	for n = range 10_000_000 {
		if got := c.Call(0, unsafe.Pointer(&n)); got != n {
			t.Fatalf("call %d returns %d", n, got)
		}
	}
}

// TestNoAllocation: a call allocates nothing, and its argument may lie on the stack.
func TestNoAllocation(t *testing.T) {
	c := mustLoad(t, probe)
	if n := testing.AllocsPerRun(100, func() {
		argument := uint64(5)
		if c.Call(0, unsafe.Pointer(&argument)) != 5 {
			t.Error("the argument does not arrive")
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkCall(b *testing.B) {
	c := mustLoad(b, probe)
	argument := uint64(5)
	for b.Loop() {
		c.Call(0, unsafe.Pointer(&argument))
	}
}

func BenchmarkLoad(b *testing.B) {
	needCode(b)
	code := make([]byte, 500)
	for b.Loop() {
		c, err := Load("benchmark", code)
		if err != nil {
			b.Fatal(err)
		}
		c.Close()
	}
}
