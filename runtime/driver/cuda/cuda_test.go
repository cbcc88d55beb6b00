package cuda

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"unsafe"

	"github.com/gpuc/gpuc/internal/drivertest"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/driver"
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

// TestArguments checks the block that cuLaunchKernel gets: what the description lists,
// or without a list everything.
func TestArguments(t *testing.T) {
	description := drivertest.AxpyPTX().Kernel
	description.Immediates = &abi.Immediates{Size: 12}
	bindings := make([]driver.Slice, 3)
	for i := range bindings {
		m := &memory{address: uint64(i+1) << 32, bytes: 1 << 40}
		bindings[i] = driver.Slice{Memory: m, Offset: 256, Bytes: uint64(100 * (i + 1))}
	}
	bindings[1].Bytes = 1 << 33 // past what a u32 holds
	immediates := []byte{1, 0, 0, 0, 0, 0, 0, 0x80, 2, 0, 0, 0}
	for _, test := range []struct {
		listed []abi.Parameter
		want   []uint64
	}{
		{nil, []uint64{1<<32 + 256, 2<<32 + 256, 3<<32 + 256, 100, 1<<32 - 1, 300, 25, 1 << 31, 1<<63 | 1, 2}},
		{[]abi.Parameter{{Kind: abi.AddressParameter, Binding: 1}, {Kind: abi.AddressParameter, Binding: 2},
			{Kind: abi.LengthParameter, Binding: 1}, {Kind: abi.ImmediatesParameter}}, []uint64{2<<32 + 256, 3<<32 + 256, 1 << 31, 1<<63 | 1, 2}},
		{[]abi.Parameter{{Kind: abi.LengthParameter, Binding: 0}}, []uint64{25, 0}},
		{[]abi.Parameter{}, []uint64{0}},
	} {
		description.Parameters = test.listed
		parameters, err := parametersOf(&abi.Artefact{Kernel: description})
		if err != nil {
			t.Fatal(err)
		}
		var a arguments
		a.set(&kernel{parameters: parameters, bindings: description.Bindings}, bindings, immediates)
		for i, w := range test.want {
			if a.slots[i] != w {
				t.Errorf("%v: parameter %d: got %d, want %d", test.listed, i, a.slots[i], w)
			}
			if a.pointers[i] != unsafe.Pointer(&a.slots[i]) {
				t.Errorf("pointer %d does not point to its slot", i)
			}
		}
	}
}

// TestParametersOf refuses a description that lists other parameters than the code
// has, as that of another target does, which has no list.
func TestParametersOf(t *testing.T) {
	const text = ".func f(.param .b32 a) {}\n.visible .entry axpy2(.param .u64 a) {}\n.visible .entry axpy(\n\t.param .u64 .ptr .global .align 16 x,\n\t.param .align 16 .b8 i[8]\n)\n{}"
	a := drivertest.AxpyPTX()
	if _, err := parametersOf(a); err != nil {
		t.Error(err)
	}
	a.Code = []byte(text)
	if _, err := parametersOf(a); !errors.Is(err, driver.ErrUnsupported) || !strings.Contains(err.Error(), "the code has 2 parameters and its description 8") {
		t.Error(err)
	}
	a.Kernel.Parameters = []abi.Parameter{{Kind: abi.AddressParameter}, {Kind: abi.LengthParameter}}
	if _, err := parametersOf(a); err != nil {
		t.Error(err)
	}
	a.Kernel.Parameters[1].Binding = 2 // which is no array
	if _, err := parametersOf(a); !errors.Is(err, driver.ErrUnsupported) {
		t.Error(err)
	}
	for entry, want := range map[string]int{"axpy": 2, "axpy2": 1, "f": -1} {
		if got := declaredParameters([]byte(text), entry); got != want {
			t.Errorf("%s has %d parameters, want %d", entry, got, want)
		}
	}
}
