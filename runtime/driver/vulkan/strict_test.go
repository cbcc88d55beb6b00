package vulkan

import (
	"reflect"
	"testing"

	"github.com/gpuc/gpuc/runtime/abi"
)

// TestFit takes out of a module what a device lacks of the modes for floats, and nothing else.
func TestFit(t *testing.T) {
	op := func(opcode uint32, operands ...uint32) []uint32 {
		return append([]uint32{uint32(len(operands)+1)<<16 | opcode}, operands...)
	}
	module := func(parts ...[]uint32) (words []uint32) {
		words = []uint32{0x07230203, 0x10300, 0, 9, 0}
		for _, p := range parts {
			words = append(words, p...)
		}
		return append(words, op(opFunction, 1, 2, 0, 3)...)
	}
	shader, extension := op(opCapability, 1), op(opExtension, 0x5f565053, 0x5f52484b, floa, 0x6f635f74, 0x6f72746e, 0x736c)
	bytes := op(opExtension, 0x5f565053, 0x5f52484b, 0x74696238, 0x6f74735f, 0x65676172, 0)
	local := op(opExecutionMode, 1, 17, 64, 1, 1)
	constant := op(opDecorate, 5, specID, abi.FusedConstant)
	preserve, zero := op(opCapability, 4464), op(opCapability, 4466)
	preserve32, preserve64, zero32 := op(opExecutionMode, 1, 4459, 32), op(opExecutionMode, 1, 4459, 64), op(opExecutionMode, 1, 4461, 32)
	whole := module(shader, preserve, zero, bytes, extension, local, preserve32, preserve64, zero32, constant)
	for _, test := range []struct {
		name   string
		device candidate
		want   []uint32
	}{
		{"all", candidate{controls: floatControlsProperties{signedZeroInfNan: [3]uint32{0, 1, 0}, denormPreserve: [3]uint32{0, 1, 1}}}, whole},
		{"one width", candidate{controls: floatControlsProperties{signedZeroInfNan: [3]uint32{0, 1, 0}, denormPreserve: [3]uint32{1, 0, 1}}},
			module(shader, preserve, zero, bytes, extension, local, preserve64, zero32, constant)},
		{"one mode", candidate{controls: floatControlsProperties{signedZeroInfNan: [3]uint32{0, 1, 0}}},
			module(shader, zero, bytes, extension, local, zero32, constant)},
		{"none", candidate{}, module(shader, bytes, local, constant)},
		{"unreported and asked for", candidate{driver: 4}, module(shader, preserve, bytes, extension, local, preserve32, constant)},
		{"unreported and always there", candidate{driver: 13}, module(shader, bytes, local, constant)},
	} {
		got, fused := test.device.fit(whole)
		if !reflect.DeepEqual(got, test.want) || !fused {
			t.Errorf("%s: %x, %v, want %x", test.name, got, fused, test.want)
		}
	}
	plain := module(shader, local)
	if got, fused := new(candidate).fit(plain); !reflect.DeepEqual(got, plain) || fused {
		t.Errorf("a module without modes becomes %x, %v", got, fused)
	}
}

func TestInexact(t *testing.T) {
	c := candidate{controls: floatControlsProperties{signedZeroInfNan: [3]uint32{0, 1, 0}, toEven: [3]uint32{1, 1, 1}}}
	c.enabled.core.features[featureFloat64] = 1
	want := []string{"f32, f64: subnormal numbers may become 0", "f64: the sign of 0, infinities and NaN may be lost"}
	if got := c.inexact(); !reflect.DeepEqual(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
