package npy

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"
)

// Type is the type of an array's elements (NumPy's dtype).
type Type struct {
	Descr     string  // the dtype string of a scalar, such as "<f4"; "" for a record
	Fields    []Field // of a record, without padding
	ItemBytes uint64  // size of an element; 0 for a scalar of unknown size
}

// Field is a field of a record. It is an array if Shape is not empty.
type Field struct {
	Name   string
	Offset uint64
	Type
	Shape []uint64
}

// IsRecord reports whether the elements are records.
func (t *Type) IsRecord() bool { return t.Descr == "" }

// dictionary is the Python dictionary in a header.
type dictionary map[string]any

// readHeader parses a header.
func readHeader(text string) (d dictionary, err error) {
	p := literals{text: text}
	v, err := p.value()
	d, ok := v.(dictionary)
	if err == nil && (!ok || strings.TrimSpace(p.text) != "") {
		err = errHeader
	}
	return d, err
}

var errHeader = errors.New("its header is no dictionary of Python")

// literals parses Python literals: dictionaries, lists, tuples, strings, integers, True, False and
// None.
type literals struct {
	text  string
	depth int
}

// maxNesting limits the nesting of values, and so the depth of recursion.
const maxNesting = 32

func (p *literals) space() { p.text = strings.TrimLeft(p.text, " \t\r\n") }

// take consumes the next character, after white space, if it is c.
func (p *literals) take(c byte) bool {
	p.space()
	if p.text == "" || p.text[0] != c {
		return false
	}
	p.text = p.text[1:]
	return true
}

// value parses a value.
func (p *literals) value() (any, error) {
	if p.depth++; p.depth > maxNesting {
		return nil, errHeader
	}
	defer func() { p.depth-- }()
	p.space()
	switch {
	case p.take('{'):
		d := dictionary{}
		for !p.take('}') {
			key, err := p.value()
			name, ok := key.(string)
			if err != nil || !ok || !p.take(':') {
				return nil, errHeader
			}
			if d[name], err = p.value(); err != nil {
				return nil, err
			}
			if !p.take(',') && (p.text == "" || p.text[0] != '}') {
				return nil, errHeader
			}
		}
		return d, nil
	case p.take('['):
		return p.list(']')
	case p.take('('):
		return p.list(')')
	case p.text != "" && (p.text[0] == '\'' || p.text[0] == '"'):
		text, rest, found := strings.Cut(p.text[1:], p.text[:1])
		if !found || strings.Contains(text, `\`) {
			return nil, errHeader
		}
		p.text = rest
		return text, nil
	}
	end := strings.IndexAny(p.text, ",:)]} \n")
	if end <= 0 {
		return nil, errHeader
	}
	word := p.text[:end]
	p.text = p.text[end:]
	switch word {
	case "True", "False":
		return word == "True", nil
	case "None":
		return nil, nil
	}
	n, err := strconv.ParseUint(strings.TrimSuffix(word, "L"), 10, 63)
	if err != nil {
		return nil, errHeader
	}
	return n, nil
}

// list parses the values of a list or tuple up to the closing bracket. The result is []any.
func (p *literals) list(closing byte) (any, error) {
	values := []any{}
	for !p.take(closing) {
		v, err := p.value()
		if err != nil {
			return nil, err
		}
		values = append(values, v)
		if !p.take(',') && (p.text == "" || p.text[0] != closing) {
			return nil, errHeader
		}
	}
	return values, nil
}

// readShape reads a shape: a tuple of integers, or an integer for a shape of one axis.
func readShape(v any) (shape []uint64, err error) {
	if n, ok := v.(uint64); ok {
		return []uint64{n}, nil
	}
	list, ok := v.([]any)
	for _, x := range list {
		n, whole := x.(uint64)
		ok = ok && whole
		shape = append(shape, n)
	}
	if !ok {
		return nil, errors.New("its shape is no tuple of numbers")
	}
	return shape, nil
}

// readType reads the value of 'descr': a dtype string, or a list of fields.
func readType(v any) (t Type, err error) {
	switch d := v.(type) {
	case string:
		t.Descr = d
		if len(d) == 3 && strings.IndexByte("fiubc", d[1]) >= 0 && d[2] >= '1' && d[2] <= '8' {
			t.ItemBytes = uint64(d[2] - '0')
		} else if kind, size, ok := strings.Cut(d, "V"); ok && kind == "|" { // raw bytes
			t.ItemBytes, _ = strconv.ParseUint(size, 10, 32)
		}
		return t, nil
	case []any:
		for _, x := range d {
			f, err := readField(x, t.ItemBytes)
			if err != nil {
				return t, err
			}
			count, ok := Product(f.Shape, f.ItemBytes)
			if t.ItemBytes += count; !ok || t.ItemBytes > math.MaxInt32 {
				return t, errors.New("its records are too large")
			}
			if f.Name != "" {
				t.Fields = append(t.Fields, f)
			}
		}
		if len(t.Fields) == 0 {
			return t, errors.New("its records have no parts")
		}
		return t, nil
	}
	return t, errors.New("its 'descr' is neither a type nor a list of fields")
}

// readField reads a field: (name, type) or (name, type, shape). The name may be (title, name).
func readField(v any, offset uint64) (f Field, err error) {
	parts, ok := v.([]any)
	if !ok || len(parts) < 2 || len(parts) > 3 {
		return f, errors.New("a part of its records is no tuple of a name, a type and a shape")
	}
	if titled, ok := parts[0].([]any); ok && len(titled) == 2 {
		parts[0] = titled[1]
	}
	if f.Name, ok = parts[0].(string); !ok {
		return f, errors.New("a part of its records has no name")
	}
	if f.Type, err = readType(parts[1]); err != nil {
		return f, err
	}
	if f.ItemBytes == 0 {
		return f, fmt.Errorf("its field %s is of type '%s', which gpuc does not read", f.Name, f.Descr)
	}
	if len(parts) == 3 {
		f.Shape, err = readShape(parts[2])
	}
	f.Offset = offset
	return f, err
}

// Product returns item times all sizes of a shape; ok is false if that overflows.
func Product(shape []uint64, item uint64) (n uint64, ok bool) {
	n = item
	for _, axis := range shape {
		high, low := bits.Mul64(n, axis)
		if high != 0 {
			return math.MaxUint64, false
		}
		n = low
	}
	return n, true
}
