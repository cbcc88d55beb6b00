package object

import (
	"encoding/binary"
	"errors"
)

// This file reads the part of MessagePack (github.com/msgpack/msgpack, spec.md) that code objects
// use: maps with strings as keys, arrays, strings, integers, booleans and nil. The input is not
// trusted: each length is checked against the bytes that are left, nesting is bounded, and memory
// is allocated for what was read, not for a length.

// maxNesting bounds the nesting of values. Metadata has a depth of five: a map, kernels, a kernel,
// its arguments, an argument.
const maxNesting = 16

var (
	errShort    = errors.New("the metadata ends too early")
	errDeep     = errors.New("the metadata is nested too deep")
	errForeign  = errors.New("the metadata has a value of a kind that metadata does not have")
	errNoString = errors.New("the metadata has a key that is no string")
)

// packed is MessagePack that is left to read.
type packed []byte

// take returns the next bytes.
func (p *packed) take(n uint64) ([]byte, error) {
	if n > uint64(len(*p)) {
		return nil, errShort
	}
	head := (*p)[:n]
	*p = (*p)[n:]
	return head, nil
}

// number reads a big-endian integer of 1, 2, 4 or 8 bytes.
func (p *packed) number(bytes uint64) (uint64, error) {
	b, err := p.take(bytes)
	if err != nil {
		return 0, err
	}
	var word [8]byte
	copy(word[8-bytes:], b)
	return binary.BigEndian.Uint64(word[:]), nil
}

// value reads a value: a map[string]any, a []any, a string, a uint64, an int64, a bool or nil.
func (p *packed) value(depth int) (any, error) {
	if depth == maxNesting {
		return nil, errDeep
	}
	b, err := p.take(1)
	if err != nil {
		return nil, err
	}
	switch head := b[0]; {
	case head < 0x80:
		return uint64(head), nil
	case head < 0x90:
		return p.entries(uint64(head&0x0F), depth)
	case head < 0xA0:
		return p.elements(uint64(head&0x0F), depth)
	case head < 0xC0:
		return p.text(uint64(head & 0x1F))
	case head == 0xC0:
		return nil, nil
	case head == 0xC2, head == 0xC3:
		return head == 0xC3, nil
	case head >= 0xCC && head <= 0xCF:
		return p.number(1 << (head - 0xCC))
	case head >= 0xD0 && head <= 0xD3:
		bytes := uint64(1) << (head - 0xD0)
		n, err := p.number(bytes)
		shift := 64 - 8*bytes
		return int64(n<<shift) >> shift, err
	case head >= 0xD9 && head <= 0xDF:
		// the length has 1, 2 or 4 bytes for strings, 2 or 4 for arrays and maps
		form := [...]struct {
			bytes uint64
			read  func(p *packed, n uint64, depth int) (any, error)
		}{
			{1, (*packed).textValue}, {2, (*packed).textValue}, {4, (*packed).textValue},
			{2, (*packed).elements}, {4, (*packed).elements}, {2, (*packed).entries}, {4, (*packed).entries},
		}[head-0xD9]
		n, err := p.number(form.bytes)
		if err != nil {
			return nil, err
		}
		return form.read(p, n, depth)
	case head >= 0xE0:
		return int64(int8(head)), nil
	}
	return nil, errForeign
}

func (p *packed) text(n uint64) (string, error) {
	b, err := p.take(n)
	return string(b), err
}

func (p *packed) textValue(n uint64, _ int) (any, error) { return p.text(n) }

func (p *packed) elements(n uint64, depth int) (any, error) {
	var list []any
	for ; n > 0; n-- {
		v, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, nil
}

func (p *packed) entries(n uint64, depth int) (any, error) {
	entries := map[string]any{}
	for ; n > 0; n-- {
		k, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		key, ok := k.(string)
		if !ok {
			return nil, errNoString
		}
		if entries[key], err = p.value(depth + 1); err != nil {
			return nil, err
		}
	}
	return entries, nil
}
