package abi

import (
	"encoding/binary"
	"strings"
	"testing"
)

// TestDecodeMessages reads records that are written down by hand, and refuses what is none.
func TestDecodeMessages(t *testing.T) {
	m := &Messages{List: []Message{
		{Format: "x = %v, %t\n", Values: []MessageValue{{Kind: "f32"}, {Kind: "bool"}}},
		{Format: "%x %d of %v", Assert: true, Values: []MessageValue{{Kind: "u64"}, {Kind: "i8"}, {Kind: "u32", Count: 3}}},
		{Format: "100%%"},
	}}
	bytes := func(words ...uint32) (b []byte) {
		for _, w := range words {
			b = binary.LittleEndian.AppendUint32(b, w)
		}
		return b
	}
	first := []uint32{5<<16 | 1, 7, 8, 9, 0x3fc00000, 1}
	second := []uint32{6<<16 | 2, 1, 0, 0, 0x89abcdef, 0x1234567, 0xfffffffe, 4, 5, 4000000000}
	third := []uint32{6<<16 | 3, 1, 0, 0}
	records, err := m.Decode(bytes(append(append(append(first[:6:6], second...), third...), 0, 99, 99)...))
	if err != nil || len(records) != 3 {
		t.Fatal(records, err)
	}
	for n, want := range []string{"x = 1.5, true", "123456789abcdef -2 of [4 5 4000000000]", "100%"} {
		if got := records[n].Text(); got != want {
			t.Errorf("message %d is %q, want %q", n, got, want)
		}
	}
	if r := records[0]; r.Launch != 5 || r.Invocation != [3]uint32{7, 8, 9} || r.Message != &m.List[0] || !records[1].Message.Assert {
		t.Errorf("%+v", r)
	}
	for want, words := range map[string][]uint32{"message 4, and there are 3": {4, 0, 0, 0}, "message 65535": {0xffffffff, 0, 0, 0, 0, 0}, "ends behind": {1, 0, 0, 0, 0}} {
		records, err := m.Decode(bytes(append(third[:4:4], words...)...))
		if err == nil || !strings.Contains(err.Error(), want) || len(records) != 1 {
			t.Errorf("%v: %d records and %v, want %s", words, len(records), err, want)
		}
	}
	for _, want := range []struct {
		used uint32
		size uint64
		read uint64
	}{{0, 1024, 32}, {3, 1024, 44}, {1 << 31, 1024, 1024}, {0xffffffff, 256, 256}} {
		if got := MessagesUsed(bytes(want.used), want.size); got != want.read {
			t.Errorf("of %d bytes with %d words used %d are read, want %d", want.size, want.used, got, want.read)
		}
	}
}
