package scalar

import "testing"

func TestDistance(t *testing.T) {
	tests := []struct {
		kind Kind
		a, b uint64
		want uint64
	}{
		{F32, 0x3F800000, 0x3F800000, 0},
		{F32, 0x3F800000, 0x3F7FFFFF, 1},
		{F32, 0x80000001, 0x00000001, 2},
		{F32, 0x7F7FFFFF, 0x7F800000, 1}, // the largest number and infinity
		{F16, 0xBC00, 0x3C00, 2 * 0x3C00},
	}
	for _, test := range tests {
		if got := Distance(test.kind, test.a, test.b); got != test.want {
			t.Errorf("%v: distance of %#x and %#x is %d, expected %d", test.kind, test.a, test.b, got, test.want)
		}
	}
}
