package main

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
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
	{"f64", "<f8"}, {"u8", "|u1"}, {"i8", "|i1"}, {"u16", "<u2"}, {"i16", "<i2"},
}

// npyArray is a file's array.
type npyArray struct {
	descr    string // of the elements, such as "<f4"
	item     uint64 // bytes of an element
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
	if length > len(data)-start {
		return nil, fmt.Errorf("%s is cut off", name)
	}
	header := string(data[start : start+length])
	if strings.Contains(dictionaryValue(header, "fortran_order"), "True") {
		return nil, fmt.Errorf("%s is in Fortran order; save numpy.ascontiguousarray(a)", name)
	}
	a := &npyArray{descr: strings.Trim(dictionaryValue(header, "descr"), "'"), shape: headerShape(header), contents: data[start+length:]}
	return a, a.check(name)
}

// check compares the contents with the shape, if the elements are numbers of a known size.
func (a *npyArray) check(name string) error {
	if len(a.descr) != 3 || a.descr[2] < '1' || a.descr[2] > '8' {
		return nil // of a type that nobody takes
	}
	a.item = uint64(a.descr[2] - '0')
	need, have := a.item, uint64(len(a.contents))
	for _, n := range a.shape {
		high, low := bits.Mul64(need, n)
		if need = low; high != 0 {
			need = math.MaxUint64
			break
		}
	}
	switch {
	case have < need:
		return fmt.Errorf("%s is cut off: its shape %s needs %d bytes, it has %d; save it again", name, shapeText(a.shape), need, have)
	case have > need:
		return fmt.Errorf("%s is damaged: its shape %s needs %d bytes, it has %d; save it again", name, shapeText(a.shape), need, have)
	}
	return nil
}

// headerShape returns the numbers of the header's tuple.
func headerShape(header string) (shape []uint64) {
	_, rest, _ := strings.Cut(header, "'shape':")
	_, rest, _ = strings.Cut(rest, "(")
	tuple, _, _ := strings.Cut(rest, ")")
	for part := range strings.SplitSeq(tuple, ",") {
		if n, err := strconv.ParseUint(strings.TrimSpace(part), 10, 63); err == nil {
			shape = append(shape, n)
		}
	}
	return shape
}

// shapeText writes a shape as Python does.
func shapeText(shape []uint64) string {
	text := strings.Trim(strings.ReplaceAll(fmt.Sprint(shape), " ", ", "), "[]")
	if len(shape) == 1 {
		text += ","
	}
	return "(" + text + ")"
}

// readNPY reads an array whose element type must be the binding's.
func readNPY(name string, b *abi.Binding) (*npyArray, error) {
	a, err := openNPY(name)
	if err != nil {
		return nil, err
	}
	return a, a.suits(name, b)
}

// suits reports whether an array's elements are of the binding's type.
func (a *npyArray) suits(name string, b *abi.Binding) error {
	for _, t := range npyTypes {
		if t.descr != a.descr {
			continue
		}
		if b.Element != "" && t.element != b.Element {
			return fmt.Errorf("%s holds %s (%s), but `%s` consists of %s", name, t.element, t.descr, b.Name, b.Element)
		}
		return nil
	}
	return fmt.Errorf("%s has elements of type '%s'; gpuc reads floats of 16, 32 and 64 bits and integers of 8 to 64", name, a.descr)
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

// bufferNPY makes a one-dimensional array of the binding's scalars, or of bytes
// where it mixes scalars.
func bufferNPY(b *abi.Binding, contents []byte) (file []byte, form string) {
	descr, size := "|u1", 1
	for _, t := range npyTypes {
		if t.element == b.Element {
			descr = t.descr
			size = int(t.descr[2] - '0')
		}
	}
	axes := []uint64{uint64(len(contents) / size)}
	return encodeNPY(descr, axes, contents), shapeText(axes)
}

// encodeNPY makes a file of an array in C order.
func encodeNPY(descr string, shape []uint64, contents []byte) []byte {
	header := "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shapeText(shape) + ", }"
	for (len(npyMagic)+4+len(header)+1)%64 != 0 {
		header += " "
	}
	header += "\n"
	out := append([]byte(npyMagic), 1, 0)
	out = binary.LittleEndian.AppendUint16(out, uint16(len(header)))
	out = append(out, header...)
	return append(out, contents...)
}
