package abi

import (
	"bytes"
	"encoding"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// This file writes descriptions as JSON. The output is that of package encoding/json, which first
// prepares itself for each type. That takes a tenth of a millisecond for a Kernel, more than
// compiling a small kernel. This code walks the same tags once. Neither escapes < and >, which
// types are full of; descriptions are not embedded in HTML.

// Marshal returns the JSON form of a kernel, with an indent of two spaces.
func (k *Kernel) Marshal() ([]byte, error) {
	if k == nil {
		return nil, errNone("kernel")
	}
	return appendValue(make([]byte, 0, 1<<10), reflect.ValueOf(k).Elem(), "\n")
}

// errNone is the error of a call on a nil record.
func errNone(what string) error { return errors.New("abi: the " + what + " is nil") }

// marshalIndented is for types that are not worth a walk: it calls encoding/json.
func marshalIndented(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// appendValue appends a value; line is a line break with the current indent.
func appendValue(to []byte, v reflect.Value, line string) ([]byte, error) {
	if v.NumMethod() > 0 && v.Kind() != reflect.Pointer {
		if t, ok := v.Interface().(encoding.TextMarshaler); ok {
			text, err := t.MarshalText()
			if err != nil {
				return nil, err
			}
			return appendString(to, string(text))
		}
	}
	switch v.Kind() {
	case reflect.String:
		return appendString(to, v.String())
	case reflect.Bool:
		return strconv.AppendBool(to, v.Bool()), nil
	case reflect.Int, reflect.Int32:
		return strconv.AppendInt(to, v.Int(), 10), nil
	case reflect.Uint32, reflect.Uint64:
		return strconv.AppendUint(to, v.Uint(), 10), nil
	case reflect.Float64:
		number, err := json.Marshal(v.Float())
		return append(to, number...), err
	case reflect.Pointer, reflect.Slice:
		if v.IsNil() {
			return append(to, "null"...), nil
		}
	}
	switch v.Kind() {
	case reflect.Pointer:
		return appendValue(to, v.Elem(), line)
	case reflect.Struct:
		return appendFields(to, v, line)
	case reflect.Slice, reflect.Array:
		if v.Type().Elem().Kind() == reflect.Uint8 && v.Kind() == reflect.Slice {
			return append(base64.StdEncoding.AppendEncode(append(to, '"'), v.Bytes()), '"'), nil
		}
		return appendElements(to, v, line)
	}
	return nil, fmt.Errorf("kernel description: %s has no form", v.Type())
}

func appendElements(to []byte, v reflect.Value, line string) (_ []byte, err error) {
	to = append(to, '[')
	for n := range v.Len() {
		if n > 0 {
			to = append(to, ',')
		}
		to = append(append(to, line...), "  "...)
		if to, err = appendValue(to, v.Index(n), line+"  "); err != nil {
			return nil, err
		}
	}
	if v.Len() > 0 {
		to = append(to, line...)
	}
	return append(to, ']'), nil
}

func appendFields(to []byte, v reflect.Value, line string) ([]byte, error) {
	start := len(to) + 1
	to, err := appendMembers(append(to, '{'), start, v, nil, line)
	if err != nil {
		return nil, err
	}
	if len(to) > start {
		to = append(to, line...)
	}
	return append(to, '}'), nil
}

// appendMembers appends the members of an object that begins at start. Members of an embedded
// structure belong to the structure around it, outer, unless outer has the name itself.
func appendMembers(to []byte, start int, v reflect.Value, outer reflect.Type, line string) (_ []byte, err error) {
	for n := range v.NumField() {
		f, field := v.Type().Field(n), v.Field(n)
		if f.Anonymous {
			if to, err = appendMembers(to, start, field, v.Type(), line); err != nil {
				return nil, err
			}
			continue
		}
		name, omit, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case outer != nil && hasMember(outer, name):
			continue
		case omit == "omitzero" && field.IsZero():
			continue
		case omit == "omitempty" && (field.IsZero() || field.Kind() == reflect.Slice && field.Len() == 0):
			continue
		}
		if len(to) > start {
			to = append(to, ',')
		}
		to = append(append(append(append(to, line...), `  "`...), name...), `": `...)
		if to, err = appendValue(to, field, line+"  "); err != nil {
			return nil, err
		}
	}
	return to, nil
}

// hasMember reports whether a structure itself has a member with this JSON name.
func hasMember(t reflect.Type, name string) bool {
	for n := range t.NumField() {
		if own, _, _ := strings.Cut(t.Field(n).Tag.Get("json"), ","); own == name && !t.Field(n).Anonymous {
			return true
		}
	}
	return false
}

// appendString appends a string. Strings that need escapes are left to encoding/json.
func appendString(to []byte, s string) ([]byte, error) {
	start := len(to)
	to = append(to, '"')
	for i := range len(s) {
		switch c := s[i]; {
		case c < ' ' || c >= 0x7F || c == '"' || c == '\\':
			quoted, err := marshalIndented(s)
			return append(to[:start], quoted...), err
		default:
			to = append(to, c)
		}
	}
	return append(to, '"'), nil
}
