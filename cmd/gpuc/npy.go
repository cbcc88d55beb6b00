package main

import (
	"encoding/binary"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/gpuc/gpuc/runtime/abi"
)

// This file reads and writes NumPy's .npy files, format version 1.0 (NumPy
// Enhancement Proposal 1): a magic string, the length of a header, a Python
// dictionary literal, and the elements.

const npyMagic = "\x93NUMPY"

// npyTypes maps scalars to NumPy's little-endian type strings.
var npyTypes = []struct{ element, descr string }{
	{"f32", "<f4"}, {"u32", "<u4"}, {"i32", "<i4"}, {"f16", "<f2"}, {"u64", "<u8"}, {"i64", "<i8"},
}

// readNPY reads an array whose element type must be the binding's.
func readNPY(name string, b *abi.Binding) ([]byte, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	if len(data) < 10 || string(data[:6]) != npyMagic {
		return nil, fmt.Errorf("%s is no .npy file", name)
	}
	length, start := int(binary.LittleEndian.Uint16(data[8:])), 10
	if data[6] >= 2 { // later versions have a longer length
		if len(data) < 12 {
			return nil, fmt.Errorf("%s is cut off", name)
		}
		length, start = int(binary.LittleEndian.Uint32(data[8:])), 12
	}
	if length > len(data)-start {
		return nil, fmt.Errorf("%s is cut off", name)
	}
	header := string(data[start : start+length])
	descr := dictionaryValue(header, "descr")
	if strings.Contains(dictionaryValue(header, "fortran_order"), "True") {
		return nil, fmt.Errorf("%s is in Fortran order; save numpy.ascontiguousarray(a)", name)
	}
	for _, t := range npyTypes {
		if "'"+t.descr+"'" != descr {
			continue
		}
		if b.Element != "" && t.element != b.Element {
			return nil, fmt.Errorf("%s holds %s (%s), but `%s` consists of %s", name, t.element, t.descr, b.Name, b.Element)
		}
		return data[start+length:], nil
	}
	return nil, fmt.Errorf("%s has elements of type %s; gpuc reads float32, float16, int32, uint32, int64 and uint64", name, descr)
}

// dictionaryValue returns the text of a key's value in the header.
func dictionaryValue(header, key string) string {
	_, rest, found := strings.Cut(header, "'"+key+"':")
	if !found {
		return ""
	}
	value, _, _ := strings.Cut(rest, ",")
	return strings.TrimSpace(value)
}

// encodeNPY makes a one-dimensional array of the binding's scalars, or of bytes
// where it mixes scalars.
func encodeNPY(b *abi.Binding, contents []byte) []byte {
	descr, size := "|u1", 1
	for _, t := range npyTypes {
		if t.element == b.Element {
			descr = t.descr
			size = int(t.descr[2] - '0')
		}
	}
	header := "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (" + strconv.Itoa(len(contents)/size) + ",), }"
	for (len(npyMagic)+4+len(header)+1)%64 != 0 {
		header += " "
	}
	header += "\n"
	out := append([]byte(npyMagic), 1, 0)
	out = binary.LittleEndian.AppendUint16(out, uint16(len(header)))
	out = append(out, header...)
	return append(out, contents...)
}
