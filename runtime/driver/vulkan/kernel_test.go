package vulkan

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/driver"
)

// TestExplain names the variable when a pipeline fails for a reason that the driver
// keeps to itself, and not where there is a reason already.
func TestExplain(t *testing.T) {
	unknown := errors.New("VK_ERROR_UNKNOWN")
	large := &abi.Private{Bytes: 16400, Name: "t", NameBytes: 16384}
	err := explain(unknown, large)
	if !errors.Is(err, unknown) || !errors.Is(err, driver.ErrUnsupported) || !strings.Contains(err.Error(), "have 16400 bytes in all, of which `t` has 16384") {
		t.Error(err)
	}
	if err := explain(unknown, nil); err != unknown {
		t.Error(err)
	}
	for _, known := range []error{nil, fmt.Errorf("no: %w", driver.ErrOutOfMemory), fmt.Errorf("no: %w", driver.ErrDeviceLost)} {
		if err := explain(known, large); err != known {
			t.Error(err)
		}
	}
}
