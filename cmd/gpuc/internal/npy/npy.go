// Package npy reads and writes NumPy's .npy files, by NumPy Enhancement Proposal 1: a magic string,
// the length of a header, a Python dictionary, and the elements.
package npy

import (
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/usage"
	"github.com/gpuc/gpuc/ir/scalar"
)

// Magic is how .npy files begin.
const Magic = "\x93NUMPY"

// types are the scalar types with the dtype strings for little-endian data, and NumPy's names.
var types = []struct{ element, descr, name string }{
	{"f32", "<f4", "float32"}, {"u32", "<u4", "uint32"}, {"i32", "<i4", "int32"}, {"f16", "<f2", "float16"},
	{"u64", "<u8", "uint64"}, {"i64", "<i8", "int64"}, {"f64", "<f8", "float64"},
	{"u8", "|u1", "uint8"}, {"i8", "|i1", "int8"}, {"u16", "<u2", "uint16"}, {"i16", "<i2", "int16"},
}

// KindOf returns the scalar type of a dtype string, or scalar.None.
func KindOf(descr string) scalar.Kind {
	for _, t := range types {
		if t.descr == descr {
			return scalar.Named(t.element)
		}
	}
	return scalar.None
}

// DescrOf returns the dtype string of a scalar type. It is that of bytes for types that NumPy
// lacks.
func DescrOf(k scalar.Kind) string {
	for _, t := range types {
		if t.element == k.String() {
			return t.descr
		}
	}
	return "|u1"
}

// TypeName returns NumPy's name for a dtype string, such as float64, or the string in quotes.
func TypeName(descr string) string {
	for _, t := range types {
		if t.descr == descr {
			return t.name
		}
	}
	return "'" + descr + "'"
}

// Array is an array in C order.
type Array struct {
	Type
	Shape    []uint64
	Contents []byte // the elements
}

// RowBytes is the size of the elements along the last axis.
func (a *Array) RowBytes() uint64 { return a.ItemBytes * a.Shape[len(a.Shape)-1] }

// Open reads the array in a file.
func Open(name string) (*Array, error) {
	data, err := usage.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return Parse(name, data)
}

// Parse parses the contents of a file. The array refers to data. Name is for messages. An array of
// several axes in Fortran order is an error, and so is one whose size is not that of its shape.
func Parse(name string, data []byte) (*Array, error) {
	if len(data) < 10 || string(data[:6]) != Magic {
		return nil, fmt.Errorf("%s is no .npy file", name)
	}
	length, start := int(binary.LittleEndian.Uint16(data[8:])), 10
	if data[6] >= 2 { // version 2.0 has a length of four bytes
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
	a := &Array{Contents: data[start+length:]}
	if a.Shape, err = readShape(header["shape"]); err == nil {
		a.Type, err = readType(header["descr"])
	}
	if err != nil {
		return nil, fmt.Errorf("%s is no array that gpuc reads: %w", name, err)
	}
	if header["fortran_order"] == true && len(a.Shape) > 1 {
		return nil, fmt.Errorf("%s is in Fortran order; save numpy.ascontiguousarray(a)", name)
	}
	return a, a.check(name)
}

// check compares the size of the contents with the shape, if the size of elements is known.
func (a *Array) check(name string) error {
	if a.ItemBytes == 0 {
		return nil // callers refuse such a type
	}
	need, _ := Product(a.Shape, a.ItemBytes)
	switch have := uint64(len(a.Contents)); {
	case have < need:
		return fmt.Errorf("%s is cut off: its shape %s needs %d bytes, it has %d; save it again", name, ShapeText(a.Shape), need, have)
	case have > need:
		return fmt.Errorf("%s is damaged: its shape %s needs %d bytes, it has %d; save it again", name, ShapeText(a.Shape), need, have)
	}
	return nil
}

// ShapeText returns a shape as Python writes it: (2, 3).
func ShapeText(shape []uint64) string {
	text := strings.Trim(strings.ReplaceAll(fmt.Sprint(shape), " ", ", "), "[]")
	if len(shape) == 1 {
		text += ","
	}
	return "(" + text + ")"
}

// Encode returns a file with an array in C order. Descr is a dtype as in the header: a string in
// quotes, or a list of fields. The version is the lowest that can hold the header: 1.0 for Latin
// text below 64 KiB, 2.0 for longer, 3.0 for UTF-8 (NumPy, numpy.lib.format).
func Encode(descr string, shape []uint64, contents []byte) []byte {
	header := "{'descr': " + descr + ", 'fortran_order': False, 'shape': " + ShapeText(shape) + ", }"
	const alignment = 64 // of the contents
	version, prefix := byte(1), len(Magic)+2+2
	if ascii := strings.IndexFunc(header, func(r rune) bool { return r >= 0x80 }) < 0; !ascii {
		version = 3
	} else if prefix+len(header)+alignment >= 1<<16 {
		version = 2
	}
	if version > 1 {
		prefix += 2
	}
	padding := alignment - 1 - (prefix+len(header))%alignment // a line feed ends the header
	header += strings.Repeat(" ", padding) + "\n"
	out := append([]byte(Magic), version, 0)
	if version == 1 {
		out = binary.LittleEndian.AppendUint16(out, uint16(len(header)))
	} else {
		out = binary.LittleEndian.AppendUint32(out, uint32(len(header)))
	}
	out = append(out, header...)
	return append(out, contents...)
}

// Quote returns a dtype string as a header has it.
func Quote(descr string) string { return "'" + descr + "'" }
