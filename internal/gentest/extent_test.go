package gentest

import (
	"testing"

	"github.com/gpuc/gpuc/internal/testmode"
)

// TestGenExtent runs kernels over extents that fill no workgroups, in the package's own test. They
// run on all devices and as plain Go, with every treatment of out-of-bounds accesses.
func TestGenExtent(t *testing.T) {
	testmode.Long(t)
	t.Parallel()
	for _, bounds := range []string{"robust", "trap"} {
		folder := module(t, "extent")
		gen(t, folder, "-target", "spirv,ptx,cpu,checked", "-bounds", bounds, ".")
		if text, err := goCommand(t, folder, nil, "test", "."); err != nil {
			t.Errorf("%s: go test: %v\n%s", bounds, err, text)
		}
	}
}
