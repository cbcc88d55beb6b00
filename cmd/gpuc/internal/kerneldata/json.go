package kerneldata

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/npy"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/scalartext"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/structs"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/usage"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/runtime/abi"
)

// bindArray fills a buffer with an array from a file. Records are copied field by field into
// structures, and scalars as they lie in memory.
func (in *Inputs) bindArray(d *Buffer, a *npy.Array, b *abi.Binding, l *layout, file string) (err error) {
	d.shape = a.Shape
	if a.IsRecord() {
		d.Bytes, err = in.records(b.Name, file, l.t, a)
		return err
	}
	note, err := convertElements(a, file, b)
	if err != nil {
		return err
	}
	if note != "" {
		in.note("%s", note)
	}
	d.array, d.Bytes, d.packed = a, a.Contents, len(a.Shape) < 2
	return nil
}

// isJSON reports whether a SPEC is a JSON object or list.
func isJSON(spec string) bool { return strings.HasPrefix(spec, "{") || strings.HasPrefix(spec, "[") }

// bindJSONFile is bindJSON for a file of JSON.
func (in *Inputs) bindJSONFile(d *Buffer, b *abi.Binding, l *layout, path, file string) error {
	data, err := usage.ReadFile(file)
	if err != nil {
		return err
	}
	if err = in.bindJSON(d, b, l, path, string(data)); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}

// member is a -bind of a member or element of a variable: path is like .lights[2].color.
type member struct{ path, spec string }

// cutMember splits a NAME of the command line into the variable's name and the path of a member.
// The path is "" if there is none.
func cutMember(name string) (variable, path string) {
	if at := strings.IndexAny(name, ".["); at > 0 {
		return name[:at], name[at:]
	}
	return name, ""
}

// bindMembers writes the values of members into a variable, over the data that the variable was
// given as a whole, or over zeros.
func (in *Inputs) bindMembers(d *Buffer, b *abi.Binding, l *layout, members []member) error {
	bound := d.set
	for n, m := range members {
		if slices.ContainsFunc(members[:n], func(other member) bool { return other.path == m.path }) {
			return usage.Errorf("-bind %s%s is there twice; leave out one of them", b.Name, m.path)
		}
		bind := in.bindJSON
		if strings.ToLower(filepath.Ext(m.spec)) == ".json" {
			in.reads(b.Name, m.spec)
			bind = in.bindJSONFile
		}
		if err := bind(d, b, l, m.path, m.spec); err != nil {
			return err
		}
	}
	in.noteMissing(d, b.Name, members)
	if !bound && len(members) > 0 {
		in.noteUnbound(b.Name, "", l.t, members)
	}
	return nil
}

// noteUnbound notes the members of a structure, at a path in a variable, that get no value.
func (in *Inputs) noteUnbound(variable, path string, t ir.Type, members []member) {
	if in.module.KindOf(t) != ir.StructType {
		return
	}
	for _, part := range in.module.Members(t) {
		at := path + "." + part.Name
		switch {
		case in.module.IsRuntimeArray(part.Type): // it is empty
		case slices.ContainsFunc(members, func(m member) bool { return within(at, m.path) }):
		case slices.ContainsFunc(members, func(m member) bool { return within(m.path, at) }):
			in.noteUnbound(variable, at, part.Type, members)
		default:
			in.note("nothing is bound to `%s%s` (%s), so it is zero", variable, at, structs.TypeString(in.module, part.Type))
		}
	}
}

// bindJSON writes a value into a variable at a path. The value is JSON, or numbers separated by
// commas.
func (in *Inputs) bindJSON(d *Buffer, b *abi.Binding, l *layout, path, spec string) error {
	f := filler{m: in.module, to: &d.Bytes}
	t, at, err := f.find(l.t, b.Name, path)
	if err != nil {
		return err
	}
	d.set = true
	extend(&d.Bytes, uint64(b.Size))
	name := b.Name + path
	if !isJSON(strings.TrimSpace(spec)) {
		return f.numbers(t, at, name, strings.Split(spec, ","))
	}
	decoder := json.NewDecoder(strings.NewReader(spec))
	decoder.UseNumber()
	var value any
	if err := decodeAll(decoder, &value); err != nil {
		return usage.Errorf("what `%s` gets is no JSON: %v; objects are written {\"name\": value}", name, err)
	}
	if err := f.fill(t, at, name, value); err != nil {
		return err
	}
	d.missing = append(d.missing, f.missing...)
	return nil
}

// noteMissing notes the members that JSON objects have no value for, unless another -bind has one.
func (in *Inputs) noteMissing(d *Buffer, variable string, members []member) {
	for _, missing := range d.missing {
		covers := func(m member) bool { return within(missing, variable+m.path) || within(variable+m.path, missing) }
		if !slices.ContainsFunc(members, covers) {
			in.note("the JSON has no `%s`, so it is zero", missing)
		}
	}
}

// within reports whether a path leads to what another one leads to, or to a member of that.
func within(path, outer string) bool {
	inner, found := strings.CutPrefix(path, outer)
	return found && (inner == "" || inner[0] == '.' || inner[0] == '[')
}

// decodeAll decodes a JSON text that is one value.
func decodeAll(d *json.Decoder, value *any) error {
	if err := d.Decode(value); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return errors.New("it ends too early")
		}
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is more behind its value")
	}
	return nil
}

// filler writes values into the memory of a variable, which grows as needed.
type filler struct {
	m       *ir.Module
	to      *[]byte
	missing []string // members that JSON objects have no value for
}

// find returns the type and the offset of the member at a path of a type. Name is the variable, for
// messages.
func (f *filler) find(t ir.Type, name, path string) (member ir.Type, offset uint64, err error) {
	at := uint64(0)
	m := f.m
	for path != "" {
		if inner, ok := strings.CutPrefix(path, "["); ok {
			number, rest, closed := strings.Cut(inner, "]")
			n, err := strconv.ParseUint(number, 10, 31)
			if err != nil || !closed {
				return 0, 0, usage.Errorf("`[%s` is no index; write %s[0], say", inner, name)
			}
			element, stride, count := f.elements(t)
			if stride == 0 {
				return 0, 0, usage.Errorf("`%s` (%s) has no elements", name, structs.TypeString(m, t))
			}
			if n >= count {
				return 0, 0, usage.Errorf("`%s` (%s) has the elements 0 to %d, and no %d", name, structs.TypeString(m, t), count-1, n)
			}
			t, at, path, name = element, at+n*stride, rest, name+"["+number+"]"
			continue
		}
		word, rest := cutMember(path[1:])
		if m.KindOf(t) != ir.StructType {
			return 0, 0, usage.Errorf("`%s` (%s) has no members, and so no `%s`", name, structs.TypeString(m, t), word)
		}
		n, err := f.member(t, name, word)
		if err != nil {
			return 0, 0, err
		}
		member := m.Members(t)[n]
		t, at, path, name = member.Type, at+uint64(member.Offset), rest, name+"."+word
	}
	return t, at, nil
}

// member returns the index of a structure's member by its name.
func (f *filler) member(t ir.Type, name, word string) (int, error) {
	var names []string
	for n, member := range f.m.Members(t) {
		if member.Name == word {
			return n, nil
		}
		names = append(names, member.Name)
	}
	return 0, usage.Errorf("`%s` (%s) has no member `%s`%s", name, f.m.StructName(t), word,
		usage.DidYouMean(word, names, "; it has "+strings.Join(names, ", ")))
}

// elements returns the element type, the stride and the count of a vector, matrix or array. The
// stride is 0 for other types. The count of a runtime-sized array is the largest possible.
func (f *filler) elements(t ir.Type) (element ir.Type, stride, count uint64) {
	m := f.m
	switch m.KindOf(t) {
	case ir.VectorType:
		element = ir.Type(m.ScalarOf(t))
		return element, uint64(m.Size(element)), uint64(m.Components(t))
	case ir.MatrixType, ir.ArrayType:
		n, known := m.Count(t)
		count = uint64(n)
		if !known || m.IsRuntimeArray(t) {
			count = 1 << 31
		}
		return m.Element(t), uint64(m.Stride(t)), count
	}
	return 0, 0, 0
}

// fill writes a decoded JSON value of type t at an offset.
func (f *filler) fill(t ir.Type, at uint64, name string, value any) error {
	m := f.m
	if m.KindOf(t) == ir.StructType {
		object, ok := value.(map[string]any)
		if !ok {
			return usage.Errorf("`%s` is %s and takes an object, {%s: …}", name, m.StructName(t), strconv.Quote(m.Members(t)[0].Name))
		}
		for _, word := range slices.Sorted(maps.Keys(object)) {
			if _, err := f.member(t, name, word); err != nil {
				return err
			}
		}
		extend(f.to, at+uint64(m.Size(t)))
		for _, member := range m.Members(t) {
			v, given := object[member.Name]
			if !given {
				f.missing = append(f.missing, name+"."+member.Name)
				continue
			}
			if err := f.fill(member.Type, at+uint64(member.Offset), name+"."+member.Name, v); err != nil {
				return err
			}
		}
		return nil
	}
	if element, stride, count := f.elements(t); stride != 0 {
		list, ok := value.([]any)
		if !ok {
			return usage.Errorf("`%s` is %s and takes a list, [ … ]", name, structs.TypeString(m, t))
		}
		if !m.IsRuntimeArray(t) && uint64(len(list)) != count {
			return usage.Errorf("`%s` is %s and takes %d values, not %d", name, structs.TypeString(m, t), count, len(list))
		}
		extend(f.to, at+uint64(len(list))*stride)
		for n, v := range list {
			if err := f.fill(element, at+uint64(n)*stride, fmt.Sprintf("%s[%d]", name, n), v); err != nil {
				return err
			}
		}
		return nil
	}
	k := m.ScalarOf(t)
	switch v := value.(type) {
	case json.Number:
		if k != scalar.None {
			return f.number(k, at, name, v.String())
		}
	case bool:
		if k == scalar.Bool {
			return f.number(k, at, name, strconv.FormatBool(v))
		}
	}
	takes := "a number"
	if k == scalar.Bool {
		takes = "true or false"
	}
	return usage.Errorf("`%s` is %s and takes %s", name, structs.TypeString(m, t), takes)
}

// number writes a scalar.
func (f *filler) number(k scalar.Kind, at uint64, name, text string) error {
	bits, err := scalartext.Parse(strings.TrimSpace(text), k)
	if err != nil {
		return usage.Errorf("`%s`: %v", name, err)
	}
	extend(f.to, at+uint64(k.Bytes()))
	scalartext.Put((*f.to)[at:], k, bits)
	return nil
}

// numbers writes values in order to the scalars of a vector, matrix or array.
func (f *filler) numbers(t ir.Type, at uint64, name string, texts []string) error {
	element, stride, count := f.elements(t)
	if stride == 0 {
		if k := f.m.ScalarOf(t); k != scalar.None && len(texts) == 1 {
			return f.number(k, at, name, texts[0])
		} else if k != scalar.None {
			return usage.Errorf("`%s` is %s and takes one number, not %d", name, structs.TypeString(f.m, t), len(texts))
		}
		return usage.Errorf("`%s` is %s, which takes JSON: {\"name\": value, …}", name, structs.TypeString(f.m, t))
	}
	each := f.scalars(element)
	if each == 0 {
		return usage.Errorf("`%s` is %s, which takes JSON: [{\"name\": value, …}, …]", name, structs.TypeString(f.m, t))
	}
	if f.m.IsRuntimeArray(t) {
		count = (uint64(len(texts)) + each - 1) / each
	}
	if uint64(len(texts)) != count*each {
		return usage.Errorf("`%s` is %s and takes %d numbers, not %d", name, structs.TypeString(f.m, t), count*each, len(texts))
	}
	extend(f.to, at+count*stride)
	for n := range count {
		if err := f.numbers(element, at+n*stride, fmt.Sprintf("%s[%d]", name, n), texts[n*each:][:each]); err != nil {
			return err
		}
	}
	return nil
}

// scalars is the number of scalars in a type. It is 0 for types with structures.
func (f *filler) scalars(t ir.Type) uint64 {
	if f.m.ScalarOf(t) != scalar.None && f.m.KindOf(t) != ir.VectorType && f.m.KindOf(t) != ir.MatrixType {
		return 1
	}
	element, stride, count := f.elements(t)
	if stride == 0 {
		return 0
	}
	return count * f.scalars(element)
}
