//go:build !nodrivers && linux && amd64

package rocm

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"testing"

	"github.com/gpuc/gpuc/internal/drivertest"
	"github.com/gpuc/gpuc/runtime/dl"
	"github.com/gpuc/gpuc/runtime/driver"
)

// This file tests with the machine's own HIP.

// hip is the driver with the library that the machine has.
var hip = &Driver{other: &original}

// TestHIP runs the tests of all drivers on a device of AMD's.
func TestHIP(t *testing.T) {
	infos, err := hip.Devices()
	if err != nil {
		t.Fatal(err)
	}
	processor := "gfx90a" // where there is no device
	if len(infos) > 0 {
		processor = fmt.Sprintf("gfx%x", infos[0].Profile)
	}
	drivertest.Run(t, hip, drivertest.Axpy("amdgpu:"+processor))
}

// TestHIPWithoutDevice: HIP says that there is no device, in one of the ways that are known, and
// that is no error.
func TestHIPWithoutDevice(t *testing.T) {
	library, err := dl.Open(dl.LibraryNames(original.Library, runtime.GOOS)...)
	if errors.Is(err, dl.ErrNoLibrary) {
		t.Skip("skipped: there is no libamdhip64 (Debian: libamdhip64-5)")
	}
	infos, err := hip.Devices()
	if err != nil {
		t.Fatal(err)
	}
	if len(infos) > 0 {
		t.Skip("skipped: HIP finds a device here, and this is what happens where it finds none")
	}
	code := uint32(dl.Call(library.Symbol("hipInit"), 0))
	t.Logf("%s: hipInit answers %d", library.Name(), code)
	if !slices.Contains(original.Absent, code) && code != 0 {
		t.Errorf("hipInit answers %d, want one of %v", code, original.Absent)
	}
	if _, err := hip.Open(0); !errors.Is(err, driver.ErrUnsupported) || err.Error() != "rocm: not supported by the device: no device 0, there are 0" {
		t.Errorf("opening one: %v", err)
	}
}
