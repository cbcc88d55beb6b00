package ptx_test

import (
	"context"
	"testing"

	"github.com/gpuc/gpuc/internal/devicetest"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// TestOnDevice compares the expectations of the other tests with devices.
func TestOnDevice(t *testing.T) {
	for _, device := range devicetest.Devices(t, abi.PTX) {
		for _, test := range works {
			words := runOn(t, device, test.invocations, test.groups, variables, test.body)
			for n, want := range test.want {
				if words[n] != want {
					t.Errorf("%s: word %d is %#x, want %#x", test.name, n, words[n], want)
				}
			}
		}
		for _, x := range instructions {
			words := runOn(t, device, 1, 1, "", x.body())
			if got := uint64(words[1])<<32 | uint64(words[0]); got != x.want {
				t.Errorf("%s of %#x, %#x, %#x: %#x, want %#x", x.text, x.a, x.b, x.c, got, x.want)
			}
		}
	}
}

// runOn is run on a device.
func runOn(t *testing.T, device *gpu.Device, invocations, groups uint32, variables, body string) []uint32 {
	t.Helper()
	k, err := device.Load(&abi.Artefact{Target: abi.PTX, Code: []byte(module(invocations, variables, body)), Kernel: *kernel(invocations, 0)})
	if err != nil {
		t.Fatalf("%v\n%s", err, body)
	}
	defer k.Close()
	words := make([]uint32, 64)
	for n := range words {
		words[n] = uint32(100 + n)
	}
	buffer, err := gpu.Upload(context.Background(), device, words)
	if err != nil {
		t.Fatal(err)
	}
	defer buffer.Close()
	stream, err := device.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	if err := stream.Run(k, gpu.D1(groups), buffer); err != nil {
		t.Fatal(err)
	}
	if err := buffer.Read(context.Background(), stream, words); err != nil {
		t.Fatal(err)
	}
	return words
}
