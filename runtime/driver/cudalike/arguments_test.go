package cudalike

import (
	"errors"
	"strings"
	"testing"
	"unsafe"

	"github.com/gpuc/gpuc/internal/drivertest"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/driver"
	"github.com/gpuc/gpuc/runtime/kernelcache"
)

// TestArguments checks the block that launches pass: what the description lists,
// or without a list everything.
func TestArguments(t *testing.T) {
	api := &API{Declared: func([]byte, string) int { return -1 }, Image: func(*abi.Artefact, *kernelcache.Cache) ([]byte, error) { return nil, nil }}
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
		k := &kernel{device: &device{c: &library{api: api}}, bindings: description.Bindings, immediates: len(immediates)}
		if err := k.prepare(&k.addresses, &abi.Artefact{Kernel: description}); err != nil {
			t.Fatal(err)
		}
		var a arguments
		a.set(nil, k, &k.addresses, bindings, immediates)
		for i, w := range test.want {
			if a.slots[i] != w {
				t.Errorf("%v: parameter %d: got %d, want %d", test.listed, i, a.slots[i], w)
			}
			if i < len(k.addresses.parameters) && a.pointers[i] != unsafe.Pointer(&a.slots[i]) {
				t.Errorf("pointer %d does not point to its slot", i)
			}
		}
	}
}

// TestParametersOf refuses a description that lists other parameters than the code
// has, as that of another target does, which has no list.
func TestParametersOf(t *testing.T) {
	declared := 8 // as many as a description without a list says
	api := &API{Declared: func([]byte, string) int { return declared }}
	a := drivertest.AxpyPTX()
	if _, err := parametersOf(api, a); err != nil {
		t.Error(err)
	}
	declared = 2
	if _, err := parametersOf(api, a); !errors.Is(err, driver.ErrUnsupported) || !strings.Contains(err.Error(), "the code has 2 parameters and its description 8") {
		t.Error(err)
	}
	a.Kernel.Parameters = []abi.Parameter{{Kind: abi.AddressParameter}, {Kind: abi.LengthParameter}}
	if _, err := parametersOf(api, a); err != nil {
		t.Error(err)
	}
	a.Kernel.Parameters[1].Binding = 2 // which is no array
	if _, err := parametersOf(api, a); !errors.Is(err, driver.ErrUnsupported) {
		t.Error(err)
	}
}
