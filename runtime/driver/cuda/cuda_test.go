package cuda

import (
	"bytes"
	"strings"
	"testing"
	"unsafe"

	"github.com/gpuc/gpuc/runtime/driver"
	"github.com/gpuc/gpuc/runtime/driver/drivertest"
)

// testDriver is shared, because the library is loaded once per process.
var testDriver Driver

func TestDriver(t *testing.T)      { drivertest.Run(t, &testDriver, drivertest.AxpyPTX()) }
func BenchmarkDriver(b *testing.B) { drivertest.Bench(b, &testDriver, drivertest.AxpyPTX()) }

// TestCompilerLog expects the place of a mistake in the error.
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

// BenchmarkTransferPaths compares the two ways for large copies where both apply, so
// that the limit between them can be judged.
func BenchmarkTransferPaths(b *testing.B) {
	const size = 128 << 20
	f := drivertest.New(b, &testDriver, drivertest.AxpyPTX())
	s := f.Stream.(*stream)
	m := f.Alloc(size)
	host := make([]byte, size)
	part := drivertest.Whole(m)
	b.Run("write staged", func(b *testing.B) {
		b.SetBytes(size)
		for b.Loop() {
			f.Check(s.begin())
			f.Check(s.writeStaged(address(&part), host))
			f.Check(s.Wait(b.Context()))
			s.device.leave()
		}
	})
	b.Run("write registered", func(b *testing.B) {
		b.SetBytes(size)
		for b.Loop() {
			f.Check(s.Write(part, host))
		}
	})
	b.Run("read staged", func(b *testing.B) {
		b.SetBytes(size)
		for b.Loop() {
			f.Check(s.begin())
			f.Check(s.readStaged(host, address(&part)))
			s.device.leave()
		}
	})
	b.Run("read registered", func(b *testing.B) {
		b.SetBytes(size)
		for b.Loop() {
			f.Check(s.Read(host, part))
		}
	})
}

// TestArguments checks the block that cuLaunchKernel gets against the order of
// parameters in kernel.go.
func TestArguments(t *testing.T) {
	k := &kernel{parameters: 8, bindings: drivertest.AxpyPTX().Kernel.Bindings}
	bindings := make([]driver.Slice, 3)
	for i := range bindings {
		m := &memory{address: uint64(i+1) << 32, bytes: 1 << 40}
		bindings[i] = driver.Slice{Memory: m, Offset: 256, Bytes: uint64(100 * (i + 1))}
	}
	bindings[1].Bytes = 1 << 33 // past what a u32 holds
	var a arguments
	immediates := []byte{1, 0, 0, 0, 0, 0, 0, 0x80, 2, 0, 0, 0}
	a.set(k, bindings, immediates)
	want := []uint64{1<<32 + 256, 2<<32 + 256, 3<<32 + 256, 100, 1<<32 - 1, 300, 25, 1 << 31, 1<<63 | 1, 2}
	for i, w := range want {
		if a.slots[i] != w {
			t.Errorf("parameter %d: got %d, want %d", i, a.slots[i], w)
		}
		if a.pointers[i] != unsafe.Pointer(&a.slots[i]) {
			t.Errorf("pointer %d does not point to its slot", i)
		}
	}
}
