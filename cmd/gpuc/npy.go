package main

import (
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/gpuc/gpuc/ir/scalar"
)

// This file reads and writes NumPy's .npy files, format version 1.0 (NumPy
// Enhancement Proposal 1): a magic string, the length of a header, a Python
// dictionary literal, and the elements. What records are is in npy_record.go.

const npyMagic = "\x93NUMPY"

// npyTypes maps scalars to NumPy's little-endian type strings.
var npyTypes = []struct{ element, descr, name string }{
	{"f32", "<f4", "float32"}, {"u32", "<u4", "uint32"}, {"i32", "<i4", "int32"}, {"f16", "<f2", "float16"},
	{"u64", "<u8", "uint64"}, {"i64", "<i8", "int64"}, {"f64", "<f8", "float64"},
	{"u8", "|u1", "uint8"}, {"i8", "|i1", "int8"}, {"u16", "<u2", "uint16"}, {"i16", "<i2", "int16"},
}

// npyKind returns the scalar of a type string, or None.
func npyKind(descr string) scalar.Kind {
	for _, t := range npyTypes {
		if t.descr == descr {
			return scalar.Named(t.element)
		}
	}
	return scalar.None
}

// npyDescrOf returns the type string of a scalar.
func npyDescrOf(k scalar.Kind) string {
	for _, t := range npyTypes {
		if t.element == k.String() {
			return t.descr
		}
	}
	return "|u1"
}

// npyName is what people call a type: float64, or '<c8' where it has no name here.
func npyName(descr string) string {
	for _, t := range npyTypes {
		if t.descr == descr {
			return t.name
		}
	}
	return "'" + descr + "'"
}

// npyArray is a file's array.
type npyArray struct {
	npyType
	shape    []uint64
	contents []byte
}

// rowBytes is the size of what differs in the last index only.
func (a *npyArray) rowBytes() uint64 { return a.item * a.shape[len(a.shape)-1] }

// openNPY reads the array of a file.
func openNPY(name string) (*npyArray, error) {
	data, err := readFile(name)
	if err != nil {
		return nil, err
	}
	return parseNPY(name, data)
}

// parseNPY reads an array in C order from the bytes of a file. What it keeps of them is not copied.
func parseNPY(name string, data []byte) (*npyArray, error) {
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
	if length > len(data)-start || length < 0 {
		return nil, fmt.Errorf("%s is cut off", name)
	}
	header, err := readHeader(string(data[start : start+length]))
	if err != nil {
		return nil, fmt.Errorf("%s is damaged: %w; save it again", name, err)
	}
	a := &npyArray{contents: data[start+length:]}
	if a.shape, err = readShape(header["shape"]); err == nil {
		a.npyType, err = readType(header["descr"])
	}
	if err != nil {
		return nil, fmt.Errorf("%s is no array that gpuc reads: %w", name, err)
	}
	if header["fortran_order"] == true && len(a.shape) > 1 {
		return nil, fmt.Errorf("%s is in Fortran order; save numpy.ascontiguousarray(a)", name)
	}
	return a, a.check(name)
}

// check compares the contents with the shape, if the elements are of a known size.
func (a *npyArray) check(name string) error {
	if a.item == 0 {
		return nil // of a type that nobody takes
	}
	need, _ := product(a.shape, a.item)
	switch have := uint64(len(a.contents)); {
	case have < need:
		return fmt.Errorf("%s is cut off: its shape %s needs %d bytes, it has %d; save it again", name, shapeText(a.shape), need, have)
	case have > need:
		return fmt.Errorf("%s is damaged: its shape %s needs %d bytes, it has %d; save it again", name, shapeText(a.shape), need, have)
	}
	return nil
}

// shapeText writes a shape as Python does.
func shapeText(shape []uint64) string {
	text := strings.Trim(strings.ReplaceAll(fmt.Sprint(shape), " ", ", "), "[]")
	if len(shape) == 1 {
		text += ","
	}
	return "(" + text + ")"
}

// encodeNPY makes a file of an array in C order. Descr is a type in quotes, or a list of fields.
func encodeNPY(descr string, shape []uint64, contents []byte) []byte {
	header := "{'descr': " + descr + ", 'fortran_order': False, 'shape': " + shapeText(shape) + ", }"
	for (len(npyMagic)+4+len(header)+1)%64 != 0 {
		header += " "
	}
	header += "\n"
	out := append([]byte(npyMagic), 1, 0)
	if len(header) >= 1<<16 { // which version 2.0 is for
		out = append([]byte(npyMagic), 2, 0)
		out = binary.LittleEndian.AppendUint32(out, uint32(len(header)))
	} else {
		out = binary.LittleEndian.AppendUint16(out, uint16(len(header)))
	}
	out = append(out, header...)
	return append(out, contents...)
}

// inQuotes is a type string as a header has it.
func inQuotes(descr string) string { return "'" + descr + "'" }
