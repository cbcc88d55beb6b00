package abi

import (
	"encoding"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// This file writes descriptions as JSON. Package encoding/json writes the same, but prepares
// itself for each type first, in a tenth of a millisecond for a Kernel: more than compiling a
// small kernel takes, in a process that writes one. This walks the same tags once.

// Marshal returns the JSON form of the kernel's description: that of json.MarshalIndent with
// an indent of two spaces.
func (k *Kernel) Marshal() ([]byte, error) {
	return appendValue(make([]byte, 0, 1<<10), reflect.ValueOf(k).Elem(), "\n")
}

// appendValue appends a value; line is the line break with the indent that it stands at.
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
	case reflect.Int:
		return strconv.AppendInt(to, v.Int(), 10), nil
	case reflect.Uint32, reflect.Uint64:
		return strconv.AppendUint(to, v.Uint(), 10), nil
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

func appendFields(to []byte, v reflect.Value, line string) (_ []byte, err error) {
	to = append(to, '{')
	empty := true
	for n := range v.NumField() {
		name, omit, _ := strings.Cut(v.Type().Field(n).Tag.Get("json"), ",")
		field := v.Field(n)
		switch {
		case omit == "omitzero" && field.IsZero():
			continue
		case omit == "omitempty" && (field.IsZero() || field.Kind() == reflect.Slice && field.Len() == 0):
			continue
		}
		if !empty {
			to = append(to, ',')
		}
		empty = false
		to = append(append(append(append(to, line...), `  "`...), name...), `": `...)
		if to, err = appendValue(to, field, line+"  "); err != nil {
			return nil, err
		}
	}
	if !empty {
		to = append(to, line...)
	}
	return append(to, '}'), nil
}

// appendString appends a string, in which <, > and & are escaped: types have them. What else
// needs care, if it is there, encoding/json takes care of.
func appendString(to []byte, s string) ([]byte, error) {
	start := len(to)
	to = append(to, '"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '<' || c == '>' || c == '&':
			to = append(append(to, `\u00`...), "0123456789abcdef"[c>>4], "0123456789abcdef"[c&15])
		case c < ' ' || c >= 0x7F || c == '"' || c == '\\':
			quoted, err := json.Marshal(s)
			return append(to[:start], quoted...), err
		default:
			to = append(to, c)
		}
	}
	return append(to, '"'), nil
}
