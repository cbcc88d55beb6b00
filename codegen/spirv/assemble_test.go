package spirv

import (
	"testing"

	"github.com/gpuc/gpuc/ir/scalar"
)

// TestNonFinite writes what lies beyond the finite numbers as SPIRV-Tools do: the
// fraction's bits after the point, from the left, and the exponent after the highest.
func TestNonFinite(t *testing.T) {
	for _, k := range []struct {
		kind scalar.Kind
		bits uint64
		want string
	}{
		{scalar.F32, 0x7f800000, "0x1p+128"},
		{scalar.F32, 0xff800000, "-0x1p+128"},
		{scalar.F32, 0x7fc12345, "0x1.82468ap+128"},
		{scalar.F32, 0x7f800001, "0x1.000002p+128"},
		{scalar.F32, 0xffffffff, "-0x1.fffffep+128"},
		{scalar.F16, 0x7c00, "0x1p+16"},
		{scalar.F16, 0xfe03, "-0x1.80cp+16"},
	} {
		if got := nonFinite(k.kind, k.bits); got != k.want {
			t.Errorf("%s %#x: %s, expected %s", k.kind, k.bits, got, k.want)
		}
	}
}
