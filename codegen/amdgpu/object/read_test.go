package object

import (
	"encoding/binary"
	"reflect"
	"strings"
	"testing"
)

// This file reads code objects that are built byte by byte, so that it needs no LLVM and can
// truncate them at each offset. TestOccupancy reads those of LLVM.

// TestUnpack reads values in the formats of MessagePack's specification.
func TestUnpack(t *testing.T) {
	long := strings.Repeat("x", 300)
	for _, test := range []struct {
		bytes string
		want  any
	}{
		{"\x00", uint64(0)}, {"\x7f", uint64(127)}, {"\xff", int64(-1)}, {"\xe0", int64(-32)},
		{"\xcc\xff", uint64(255)}, {"\xcd\x01\x02", uint64(258)}, {"\xce\x00\x01\x00\x00", uint64(65536)}, {"\xcf\xff\xff\xff\xff\xff\xff\xff\xff", uint64(1<<64 - 1)},
		{"\xd0\x80", int64(-128)}, {"\xd1\xff\x00", int64(-256)}, {"\xd2\xff\xff\x00\x00", int64(-65536)}, {"\xd3\x80\x00\x00\x00\x00\x00\x00\x00", int64(-1 << 63)},
		{"\xc0", nil}, {"\xc2", false}, {"\xc3", true},
		{"\xa3abc", "abc"}, {"\xd9\x03abc", "abc"}, {"\xda\x01\x2c" + long, long}, {"\xdb\x00\x00\x01\x2c" + long, long},
		{"\x92\x01\xa1a", []any{uint64(1), "a"}}, {"\xdc\x00\x01\x05", []any{uint64(5)}}, {"\xdd\x00\x00\x00\x01\x05", []any{uint64(5)}},
		{"\x81\xa1a\x05", map[string]any{"a": uint64(5)}}, {"\xde\x00\x01\xa1a\x05", map[string]any{"a": uint64(5)}},
		{"\xdf\x00\x00\x00\x01\xa1a\x90", map[string]any{"a": []any(nil)}},
	} {
		p := packed(test.bytes)
		if got, err := p.value(0); err != nil || !reflect.DeepEqual(got, test.want) || len(p) != 0 {
			t.Errorf("%x: got %#v, %v with %d bytes left, want %#v", test.bytes, got, err, len(p), test.want)
		}
		for n := range len(test.bytes) { // truncated
			p := packed(test.bytes[:n])
			if got, err := p.value(0); err != errShort {
				t.Errorf("%x: got %#v, %v, want an error", test.bytes[:n], got, err)
			}
		}
	}
	for bytes, want := range map[string]error{
		"\xc1": errForeign, "\xc4\x00": errForeign, "\xca\x00\x00\x00\x00": errForeign, "\xd4\x00\x00": errForeign,
		"\x81\x05\x05": errNoString, strings.Repeat("\x91", 40) + "\x05": errDeep,
		"\xdd\xff\xff\xff\xff\x05": errShort, "\xdb\xff\xff\xff\xffx": errShort, // lengths of 4 GiB
	} {
		p := packed(bytes)
		if got, err := p.value(0); err != want {
			t.Errorf("%x: got %#v, %v, want %v", bytes, got, err, want)
		}
	}
}

// fields are the metadata of a kernel.
var fields = []struct {
	key  string
	text string
}{
	{".name", "\xa1k"}, {".vgpr_count", "\x18"}, {".sgpr_count", "\x12"}, {".vgpr_spill_count", "\x02"}, {".sgpr_spill_count", "\x03"},
	{".group_segment_fixed_size", "\xcd\x08\x00"}, {".private_segment_fixed_size", "\xcd\x04\x00"},
	{".wavefront_size", "\x20"}, {".max_flat_workgroup_size", "\xcd\x01\x00"}, {".uses_dynamic_stack", "\xc3"},
}

// noteOf packs a kernel without one of the fields.
func noteOf(without string) string {
	kernel, n := "", 0
	for _, f := range fields {
		if f.key != without {
			kernel += string([]byte{0xD9, byte(len(f.key))}) + f.key + f.text
			n++
		}
	}
	return "\x82\xaeamdhsa.version\x92\x01\x02\xaeamdhsa.kernels\x91" + string([]byte{0x80 | byte(n)}) + kernel
}

// objectOf returns a file with a note after another one, with the fields that a reader of notes
// uses.
func objectOf(note string) []byte {
	le := binary.LittleEndian
	pad := func(b []byte) []byte { return append(b, make([]byte, -len(b)&3)...) }
	var notes []byte
	for _, n := range []struct {
		owner, text string
		kind        uint32
	}{{"GNU\x00", "12345", 3}, {noteOwner, note, noteMetadata}} {
		notes = le.AppendUint32(le.AppendUint32(le.AppendUint32(notes, uint32(len(n.owner))), uint32(len(n.text))), n.kind)
		notes = pad(append(pad(append(notes, n.owner...)), n.text...))
	}
	file := make([]byte, elfHeaderBytes+2*entryBytes)
	copy(file, "\x7fELF\x02\x01\x01\x40")
	le.PutUint16(file[elfMachine:], machineAMDGPU)
	le.PutUint64(file[elfProgramHeaders:], elfHeaderBytes)
	le.PutUint16(file[elfEntryBytes:], entryBytes)
	le.PutUint16(file[elfEntryCount:], 2)
	le.PutUint32(file[elfHeaderBytes:], 1) // another kind
	second := file[elfHeaderBytes+entryBytes:]
	le.PutUint32(second, noteSegment)
	le.PutUint64(second[entryOffset:], uint64(len(file)))
	le.PutUint64(second[entryFileSize:], uint64(len(notes)))
	return append(file, notes...)
}

// TestMetadata reads a file that was built by hand, and checks the errors for malformed ones.
func TestMetadata(t *testing.T) {
	good := objectOf(noteOf(""))
	m, err := MetadataOf(good, "k")
	if want := (Metadata{VGPRs: 24, SGPRs: 18, VGPRSpills: 2, SGPRSpills: 3, Shared: 2048, Scratch: 1024, Wave: 32, Workgroup: 256, DynamicStack: true}); err != nil || *m != want {
		t.Fatalf("got %+v, %v, want %+v", m, err, want)
	}
	if _, err := MetadataOf(good, "other"); err == nil || err.Error() != "the metadata has no kernel other" {
		t.Error(err)
	}
	for _, f := range fields[1:9] {
		if _, err := MetadataOf(objectOf(noteOf(f.key)), "k"); err == nil || !strings.Contains(err.Error(), f.key) {
			t.Errorf("without %s: %v", f.key, err)
		}
	}
	for n := range good { // each prefix is an error, except at padding at the end
		if m, err := MetadataOf(good[:n], "k"); err == nil && n < len(good)-3 {
			t.Errorf("%d of %d bytes are enough for %+v", n, len(good), m)
		}
	}
	for _, change := range []struct {
		at    int
		value byte
	}{{elfMachine, 3}, {4, 1}, {elfEntryCount, 1}, {elfProgramHeaders + 7, 0xFF}, {elfHeaderBytes + entryBytes + entryOffset + 7, 0xFF}} {
		broken := append([]byte(nil), good...)
		broken[change.at] = change.value
		if m, err := MetadataOf(broken, "k"); err == nil {
			t.Errorf("with %d at %d: %+v", change.value, change.at, m)
		}
	}
}

// FuzzMetadata checks that reading any file ends without a panic, and that all counts are within
// bounds.
func FuzzMetadata(f *testing.F) {
	f.Add(objectOf(noteOf("")))
	f.Add(objectOf("\xdd\xff\xff\xff\xff\x91\x91"))
	f.Add(objectOf(""))
	same := objectOf(strings.Repeat("\x00", 1<<12)) // 65535 overlapping segments
	binary.LittleEndian.PutUint64(same[elfProgramHeaders:], elfHeaderBytes+entryBytes)
	binary.LittleEndian.PutUint16(same[elfEntryBytes:], 0)
	binary.LittleEndian.PutUint16(same[elfEntryCount:], 1<<16-1)
	f.Add(same)
	f.Fuzz(func(t *testing.T, file []byte) {
		m, err := MetadataOf(file, "k")
		if err != nil {
			return
		}
		for _, n := range []uint64{m.VGPRs, m.SGPRs, m.VGPRSpills, m.SGPRSpills, m.Shared, m.Scratch, m.Wave, m.Workgroup} {
			if n > maxCount {
				t.Errorf("%+v", m)
			}
		}
	})
}
