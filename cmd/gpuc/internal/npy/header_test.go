package npy

import (
	"encoding/binary"
	"reflect"
	"strings"
	"testing"
)

// TestReadHeader reads headers of NumPy, and refuses invalid ones.
func TestReadHeader(t *testing.T) {
	for _, test := range []struct {
		header string
		want   Type
		shape  []uint64
	}{
		{"{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", Type{Descr: "<f4", ItemBytes: 4}, []uint64{3}},
		{"{'descr': '|u1', 'fortran_order': False, 'shape': (), }  \n", Type{Descr: "|u1", ItemBytes: 1}, nil},
		{"{'descr': '<c16', 'fortran_order': False, 'shape': (2, 3), }", Type{Descr: "<c16"}, []uint64{2, 3}},
		{"{'descr': [('a', '<f4'), ('', '|V4'), ('b', '<i8', (2, 3))], 'fortran_order': False, 'shape': (5,), }", Type{ItemBytes: 56, Fields: []Field{
			{"a", 0, Type{Descr: "<f4", ItemBytes: 4}, nil}, {"b", 8, Type{Descr: "<i8", ItemBytes: 8}, []uint64{2, 3}}}}, []uint64{5}},
		{"{'descr': [(('a title', 'a'), [('x', '<f2'), ('y', '|u1')], (4,))], 'fortran_order': False, 'shape': (1,), }", Type{ItemBytes: 12, Fields: []Field{
			{"a", 0, Type{ItemBytes: 3, Fields: []Field{{"x", 0, Type{Descr: "<f2", ItemBytes: 2}, nil}, {"y", 2, Type{Descr: "|u1", ItemBytes: 1}, nil}}}, []uint64{4}}}}, []uint64{1}},
	} {
		d, err := readHeader(test.header)
		if err != nil {
			t.Errorf("%s: %v", test.header, err)
			continue
		}
		got, err := readType(d["descr"])
		shape, shapeErr := readShape(d["shape"])
		if err != nil || shapeErr != nil || !reflect.DeepEqual(got, test.want) || !reflect.DeepEqual(shape, test.shape) {
			t.Errorf("%s: got %+v and %v (%v, %v), want %+v and %v", test.header, got, shape, err, shapeErr, test.want, test.shape)
		}
	}
	for _, header := range []string{
		"", "{", "{'descr'", "{'descr': '<f4'", "{'descr': }", "['descr']", "{'a': 1} 2", "{1: 2}", "{'a': '\\x41'}", "{'a': -1}", "{'a': 1e5}",
		strings.Repeat("(", 1<<20), "{'a': [1 2]}",
	} {
		if d, err := readHeader(header); err == nil {
			t.Errorf("%.40q gives %v", header, d)
		}
	}
	for _, descr := range []any{
		nil, true, []any{}, []any{"a"}, []any{[]any{"a"}}, []any{[]any{"a", "<U5"}}, []any{[]any{uint64(1), "<f4"}}, []any{[]any{"", "|V4"}},
		[]any{[]any{"a", "<f8", []any{uint64(1 << 62), uint64(1 << 62)}}}, []any{[]any{"a", "<f8", "b"}},
	} {
		if got, err := readType(descr); err == nil {
			t.Errorf("%v gives %+v", descr, got)
		}
	}
}

// TestEncode reads back what Encode writes: short headers, long ones, and names of members that are
// no Latin text. The contents are aligned to 64 bytes.
func TestEncode(t *testing.T) {
	long := "[" + strings.Repeat("('abcdefgh', '<f4'), ", 4000) + "]"
	for _, test := range []struct {
		descr   string
		version byte
	}{{Quote("<f4"), 1}, {long, 2}, {"[('größe', '<f4'), ('体积', '<f4')]", 3}} {
		contents := []byte{1, 2, 3, 4}
		data := Encode(test.descr, []uint64{1}, contents)
		if data[6] != test.version || (len(data)-len(contents))%64 != 0 {
			t.Errorf("%.20s: version %d, contents at %d", test.descr, data[6], len(data)-len(contents))
		}
		length := int(binary.LittleEndian.Uint32(data[8:]))
		if test.version == 1 {
			length = int(binary.LittleEndian.Uint16(data[8:]))
		}
		if header := string(data[len(data)-len(contents)-length:]); !strings.HasPrefix(header, "{'descr': "+test.descr) {
			t.Errorf("%.20s: the header begins with %.60s", test.descr, header)
		}
	}
}
