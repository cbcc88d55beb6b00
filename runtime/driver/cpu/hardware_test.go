package cpu

import (
	"errors"
	"runtime"
	"slices"
	"testing"

	"github.com/gpuc/gpuc/runtime/driver"
)

// TestInstructions reads flags as Linux has them. A flag that begins like another is not that one.
func TestInstructions(t *testing.T) {
	for flags, want := range map[string][]string{
		"":                                nil,
		"fpu sse avx2x":                   nil,
		"fma avx avx2 bmi2":               {"AVX2", "FMA"},
		"avx512_vnni amx_bf16 avx512f":    {"AVX-512", "AVX-512VNNI", "AMX-BF16"},
		" fp asimd evtstrm asimdhp sve ":  {"NEON", "FP16", "SVE"},
		"avx512f\tavx512_fp16  amx_tile ": {"AVX-512", "AVX-512FP16", "AMX"},
	} {
		if got := instructions(flags); !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", flags, got, want)
		}
	}
}

// TestHardware compares what the device tells with the machine.
func TestHardware(t *testing.T) {
	infos, err := new(Driver).Devices()
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range infos {
		if h := i.Hardware; h.Units != uint32(runtime.GOMAXPROCS(0)) || h.UnitName != "core" {
			t.Errorf("%s: %+v", i.ID(), h)
		}
	}
	d, err := new(Driver).Open(Defined)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	free, err := d.(driver.FreeMemory).FreeMemory()
	if memory := d.Info().Memory; memory == 0 {
		if !errors.Is(err, driver.ErrUnsupported) {
			t.Errorf("got %v where the system tells nothing, want ErrUnsupported", err)
		}
	} else if err != nil || free == 0 || free > memory {
		t.Errorf("%d of %d bytes are free, error %v", free, memory, err)
	}
}
