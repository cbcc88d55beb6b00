package devices

import (
	"encoding/binary"
	"strings"
	"testing"
	"time"

	"github.com/gpuc/gpuc/runtime/driver"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// TestCheckByteOrder: big-endian machines are refused.
func TestCheckByteOrder(t *testing.T) {
	if err := CheckByteOrder(binary.LittleEndian); err != nil {
		t.Error(err)
	}
	if err := CheckByteOrder(binary.BigEndian); err == nil || !strings.Contains(err.Error(), "gpuc build") {
		t.Errorf("got %v", err)
	}
}

// TestSlowNote: the note comes after a long run on the interpreter that -device did not name.
func TestSlowNote(t *testing.T) {
	software := func() ([]gpu.Info, error) {
		return []gpu.Info{{Driver: gpu.CPU, Kind: driver.CPU}, {Driver: gpu.Vulkan, Name: "llvmpipe", Kind: driver.Software}}, nil
	}
	none := func() ([]gpu.Info, error) { return nil, nil }
	on := gpu.Info{Driver: gpu.CPU}
	for _, test := range []struct {
		chosen   string
		on       gpu.Info
		took     time.Duration
		compiles bool
		devices  func() ([]gpu.Info, error)
		said     bool
	}{
		{"auto", on, time.Second, false, software, true},
		{"auto", on, time.Second, true, software, false},
		{"auto", on, time.Second, false, none, false},
		{"auto", on, time.Millisecond, false, software, false},
		{"cpu", on, time.Second, false, software, false},
		{"auto", gpu.Info{Driver: gpu.CUDA}, time.Second, false, software, false},
	} {
		if got := SlowNote(test.chosen, test.on, test.took, test.compiles, test.devices); strings.Contains(got, "-device vulkan:0") != test.said || !test.said && got != "" {
			t.Errorf("%+v: %q", test, got)
		}
	}
}
