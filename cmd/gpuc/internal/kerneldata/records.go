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

// recordCopy copies a NumPy record array into a variable of structures. Fields are found by name,
// and offsets come from the types of both, so that the layouts need not be the same.
type recordCopy struct {
	m        *ir.Module
	file     string // for messages
	variable string
	from     []byte
	to       *[]byte
	notes    []string
}

// note adds a note, once.
func (c *recordCopy) note(text string) {
	if !slices.Contains(c.notes, text) {
		c.notes = append(c.notes, text)
	}
}

// array copies an array at offset from to a variable's member of type t at offset to. Path names
// the member in messages.
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
		case shape[0] != n && !(k == ir.VectorType && n == 3 && shape[0] == 4): // vec3
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
	// an array of one element is taken for a scalar
	if len(shape) == 1 && shape[0] == 1 {
		shape = nil
	}
	switch {
	case len(shape) != 0 || (k == ir.StructType) != a.IsRecord():
		return c.wrong(a, shape, t, path)
	case k == ir.StructType:
		return c.structure(a, from, t, to, path)
	}
	return c.scalar(a, from, m.ScalarOf(t), to, path)
}

// scalar copies a scalar, and converts it if convertible says so.
func (c *recordCopy) scalar(a *npy.Type, from uint64, k scalar.Kind, to uint64, path string) error {
	source := npy.KindOf(a.Descr)
	if source != k && !convertible(source, k) {
		return usage.Errorf("%s holds %s in %s, and `%s` has %s there; save it as %s", c.file, npy.TypeName(a.Descr), path, c.variable, k, npy.TypeName(npy.DescrOf(k)))
	}
	if source != k {
		c.note(conversionNote(c.file+" (in "+path+")", c.variable, source, k))
	}
	bits := scalartext.Read(source, c.from[from:], 0)
	converted, ok := convertScalar(bits, source, k)
	if !ok {
		return usage.Errorf("%s has %s in %s, which %s does not hold: that is %s", c.file, scalartext.Format(source, bits), path, k, k.Range())
	}
	extend(c.to, to+uint64(k.Bytes()))
	scalartext.Put((*c.to)[to:], k, converted)
	return nil
}

// structure copies a record.
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

// wrong is the error that an array does not fit a member.
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

// fieldNames lists the names of a record's fields.
func fieldNames(a *npy.Type) string {
	var names []string
	for i := range a.Fields {
		names = append(names, a.Fields[i].Name)
	}
	return strings.Join(names, ", ")
}

// join returns the path of a member.
func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// extend makes bytes at least n long, with zeros at the end.
func extend(bytes *[]byte, n uint64) {
	if have := uint64(len(*bytes)); have < n {
		*bytes = append(*bytes, make([]byte, n-have)...)
	}
}

// records returns the contents of a variable of type t that a record array from a file is bound to.
func (in *Inputs) records(variable, file string, t ir.Type, a *npy.Array) (bytes []byte, err error) {
	shape := a.Shape
	// an array with several axes of records is one list of records
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

// bufferNPY returns a .npy file with a buffer's contents, and its shape as text. The shape is that
// of the array that was bound to the buffer, if it has as many elements, or that of the buffer's
// type.
func (in *Inputs) bufferNPY(i int, contents []byte) (file []byte, shape string) {
	f := formOf(in.module, in.layouts[i].t, uint64(len(contents)))
	if kept := in.Buffers[i].shape; kept != nil {
		have, _ := npy.Product(f.shape, 1)
		if n, ok := npy.Product(kept, 1); ok && n == have {
			f.shape = kept
		}
	}
	return npy.Encode(f.descr, f.shape, contents), npy.ShapeText(f.shape)
}

// npyForm is the dtype and the shape that NumPy has for a type.
type npyForm struct {
	descr string // the dtype as in the header of a .npy file
	shape []uint64
}

// formOf returns the form of a type of the given number of bytes. A runtime-sized array at its end
// has as many elements as fit. Padding after a vector becomes an element more, padding in a
// structure a field without a name.
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

// recordForm returns the dtype of a structure: the list of its fields, with padding.
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

// innerShape returns the third part of a field's tuple.
func innerShape(shape []uint64) string {
	if len(shape) == 0 {
		return ""
	}
	return ", " + npy.ShapeText(shape)
}
