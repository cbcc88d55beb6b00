package kerneldata

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/npy"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/scalartext"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/structs"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/usage"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file is the structures of NumPy: it puts records into the structures of buffers by the names
// of their parts, and says what records the structures are. Both know where a number lies from the
// module's types, so that a host's padding and that of the device need not be the same.

// recordCopy copies the records of an array into a variable.
type recordCopy struct {
	m        *ir.Module
	file     string // for messages
	variable string
	from     []byte
	to       *[]byte
	notes    []string
}

// note remembers what is said once, however often it is found.
func (c *recordCopy) note(text string) {
	if !slices.Contains(c.notes, text) {
		c.notes = append(c.notes, text)
	}
}

// array copies the array whose bytes begin at from to a place of type t. Path names the place in
// messages.
func (c *recordCopy) array(a *npy.Type, shape []uint64, from uint64, t ir.Type, to uint64, path string) error {
	m := c.m
	k := m.KindOf(t)
	if k == ir.ArrayType && !m.IsRuntimeArray(t) || k == ir.MatrixType || k == ir.VectorType || m.IsRuntimeArray(t) {
		n, known := uint64(m.Components(t)), true
		stride, element := uint64(0), ir.Type(m.ScalarOf(t))
		if k == ir.VectorType {
			stride = uint64(m.Size(element))
		} else {
			var count uint32
			count, known = m.Count(t)
			n, stride, element = uint64(count), uint64(m.Stride(t)), m.Element(t)
			known = known && !m.IsRuntimeArray(t)
		}
		switch {
		case len(shape) == 0:
			return c.wrong(a, shape, t, path)
		case !known:
			n = shape[0]
			extend(c.to, to+n*stride)
		case shape[0] != n && !(k == ir.VectorType && n == 3 && shape[0] == 4): // the fourth is padding, which readers leave out
			return c.wrong(a, shape, t, path)
		}
		step, _ := npy.Product(shape[1:], a.ItemBytes)
		for i := range n {
			if err := c.array(a, shape[1:], from+i*step, element, to+i*stride, path); err != nil {
				return err
			}
		}
		return nil
	}
	// of one element, which people make where there is to be none
	if len(shape) == 1 && shape[0] == 1 {
		shape = nil
	}
	switch {
	case len(shape) != 0 || (k == ir.StructType) != a.IsRecord():
		return c.wrong(a, shape, t, path)
	case k == ir.StructType:
		return c.structure(a, from, t, to, path)
	}
	return c.number(a, from, m.ScalarOf(t), to, path)
}

// number copies one number.
func (c *recordCopy) number(a *npy.Type, from uint64, k scalar.Kind, to uint64, path string) error {
	source := npy.KindOf(a.Descr)
	if source != k && !converts(source, k) {
		return usage.Errorf("%s holds %s in %s, and `%s` has %s there; save it as %s", c.file, npy.TypeName(a.Descr), path, c.variable, k, npy.TypeName(npy.DescrOf(k)))
	}
	if source != k {
		c.note(conversionNote(c.file+" (in "+path+")", c.variable, source, k))
	}
	bits := scalartext.Read(source, c.from[from:], 0)
	converted, ok := convertNumber(bits, source, k)
	if !ok {
		return usage.Errorf("%s has %s in %s, which %s does not hold: that is %s", c.file, scalartext.Format(source, bits), path, k, k.Range())
	}
	extend(c.to, to+uint64(k.Bytes()))
	scalartext.Put((*c.to)[to:], k, converted)
	return nil
}

// structure copies a record, whose parts are found by name.
func (c *recordCopy) structure(a *npy.Type, from uint64, t ir.Type, to uint64, path string) error {
	members := c.m.Members(t)
	for i := range members {
		member := &members[i]
		n := slices.IndexFunc(a.Fields, func(f npy.Field) bool { return f.Name == member.Name })
		if n < 0 {
			return usage.Errorf("%s has no field `%s`, which %s has; its fields are %s", c.file, join(path, member.Name), c.m.StructName(t), fieldNames(a))
		}
		f := &a.Fields[n]
		if err := c.array(&f.Type, f.Shape, from+f.Offset, member.Type, to+uint64(member.Offset), join(path, member.Name)); err != nil {
			return err
		}
	}
	for i := range a.Fields {
		name := a.Fields[i].Name
		if !slices.ContainsFunc(members, func(m ir.Member) bool { return m.Name == name }) {
			c.note(fmt.Sprintf("%s has a field `%s`, which %s does not have and the kernel does not get", c.file, join(path, name), c.m.StructName(t)))
		}
	}
	extend(c.to, to+uint64(c.m.Size(t)))
	return nil
}

func (c *recordCopy) wrong(a *npy.Type, shape []uint64, t ir.Type, path string) error {
	what := npy.TypeName(a.Descr)
	if a.IsRecord() {
		what = "records of " + fieldNames(a)
	}
	if len(shape) > 0 {
		what += " with the shape " + npy.ShapeText(shape)
	}
	if path == "" {
		path = "`" + c.variable + "`"
	}
	return usage.Errorf("%s has %s for %s, which is %s", c.file, what, path, structs.TypeString(c.m, t))
}

func fieldNames(a *npy.Type) string {
	var names []string
	for i := range a.Fields {
		names = append(names, a.Fields[i].Name)
	}
	return strings.Join(names, ", ")
}

// join is the path of a member.
func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// extend makes bytes at least n long. What comes is zero.
func extend(bytes *[]byte, n uint64) {
	if have := uint64(len(*bytes)); have < n {
		*bytes = append(*bytes, make([]byte, n-have)...)
	}
}

// records fills a variable of structures with an array of records.
func (in *Inputs) records(variable, file string, t ir.Type, a *npy.Array) (bytes []byte, err error) {
	shape := a.Shape
	// rows of records are records one behind the other
	if in.module.KindOf(t) == ir.ArrayType && len(shape) > 1 {
		n, _ := npy.Product(shape, 1)
		shape = []uint64{n}
	}
	c := recordCopy{m: in.module, file: file, variable: variable, from: a.Contents, to: &bytes}
	if err := c.array(&a.Type, shape, 0, t, 0, ""); err != nil {
		return nil, err
	}
	for _, text := range c.notes {
		in.note("%s", text)
	}
	return bytes, nil
}

// bufferNPY makes an array of a buffer's contents: of the shape that the data had which was bound
// to it, if it had one of numbers of this type, and else of the type's.
func (in *Inputs) bufferNPY(i int, contents []byte) (file []byte, form string) {
	f := formOf(in.module, in.layouts[i].t, uint64(len(contents)))
	if kept := in.Buffers[i].shape; kept != nil {
		have, _ := npy.Product(f.shape, 1)
		if n, ok := npy.Product(kept, 1); ok && n == have {
			f.shape = kept
		}
	}
	return npy.Encode(f.descr, f.shape, contents), npy.ShapeText(f.shape)
}

// npyForm is how NumPy sees the bytes of a type: as an array of numbers or records.
type npyForm struct {
	descr string // as a header has it
	shape []uint64
}

// formOf returns the form of a type that has some bytes, of which a runtime-sized array at its end
// takes what is left. What is padding between rows of numbers is a number there; what is padding in
// records is a part without a name.
func formOf(m *ir.Module, t ir.Type, bytes uint64) npyForm {
	switch m.KindOf(t) {
	case ir.ArrayType, ir.MatrixType:
		element, stride := m.Element(t), uint64(m.Stride(t))
		count, known := m.Count(t)
		n := uint64(count)
		if !known || m.IsRuntimeArray(t) {
			n = bytes / stride
		}
		inner := formOf(m, element, uint64(m.Size(element)))
		if last := len(inner.shape) - 1; last >= 0 && stride > uint64(m.Size(element)) && m.KindOf(element) == ir.VectorType {
			inner.shape = append(inner.shape[:last:last], stride/uint64(m.ScalarOf(element).Bytes()))
		}
		return npyForm{inner.descr, append([]uint64{n}, inner.shape...)}
	case ir.VectorType:
		return npyForm{npy.Quote(npy.DescrOf(m.ScalarOf(t))), []uint64{uint64(m.Components(t))}}
	case ir.StructType:
		return npyForm{recordForm(m, t, bytes), nil}
	case ir.BufferType:
		return npyForm{npy.Quote("|u1"), []uint64{bytes}}
	}
	return npyForm{npy.Quote(npy.DescrOf(m.ScalarOf(t))), nil}
}

// recordForm is the list of a structure's parts, with what fills the space between them.
func recordForm(m *ir.Module, t ir.Type, bytes uint64) string {
	var b strings.Builder
	at := uint64(0)
	gap := func(to uint64) {
		if to > at {
			fmt.Fprintf(&b, "('', '|V%d'), ", to-at)
		}
	}
	members := m.Members(t)
	for i := range members {
		member := &members[i]
		from := uint64(member.Offset)
		gap(from)
		size := uint64(m.Size(member.Type))
		if m.IsRuntimeArray(member.Type) {
			stride := uint64(m.Stride(member.Type))
			size = (bytes - from) / stride * stride
		}
		form := formOf(m, member.Type, size)
		fmt.Fprintf(&b, "('%s', %s%s), ", member.Name, form.descr, innerShape(form.shape))
		at = from + size
	}
	gap(bytes)
	return "[" + strings.TrimSuffix(b.String(), ", ") + "]"
}

// innerShape is the third part of a field's tuple.
func innerShape(shape []uint64) string {
	if len(shape) == 0 {
		return ""
	}
	return ", " + npy.ShapeText(shape)
}
