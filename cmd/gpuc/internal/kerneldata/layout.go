package kerneldata

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/npy"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/structs"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/usage"
	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/runtime/abi"
)

// layout is the memory layout of a buffer: equal units, each with padding at its end.
type layout struct {
	t ir.Type // of the variable
	// stride is that of a runtime-sized array, or 0.
	stride uint64
	// unit is the stride of the innermost scalars, vectors, matrix columns or structures. Used is
	// how many bytes of a unit are not padding. Both are 0 for a buffer with several kinds of
	// units.
	unit, used uint64
}

func (l *layout) padded() bool { return l.used < l.unit }

// layoutOf returns the layout of a type.
func layoutOf(m *ir.Module, t ir.Type) (l layout) {
	l.t = t
	switch {
	case m.IsRuntimeArray(t):
		l.stride = uint64(m.Stride(t))
	case m.KindOf(t) == ir.BufferType:
		return l
	case m.KindOf(t) == ir.StructType:
		members := m.Members(t)
		if last := members[len(members)-1].Type; m.IsRuntimeArray(last) {
			return layout{t: t, stride: uint64(m.Stride(last))}
		}
	}
	l.unit = uint64(m.Size(t))
	for m.KindOf(t) == ir.ArrayType || m.KindOf(t) == ir.MatrixType {
		l.unit, t = uint64(m.Stride(t)), m.Element(t)
	}
	l.used = structs.UsedBytes(m, t)
	return l
}

// layoutNamed returns the layout of a variable that a kernel uses. Kernels in Go have variables of
// the same name with different types.
func layoutNamed(m *ir.Module, kernel, name string) layout {
	reach := ir.ReachOf(m, codegen.Kernel(m, kernel, new(diag.List)))
	for _, v := range slices.Concat(reach.Resources, reach.Immediate) {
		if g := m.Global(v); g.Name == name {
			return layoutOf(m, m.Element(g.Type))
		}
	}
	return layout{}
}

// steps describes the units for messages.
func (l *layout) steps() string {
	text := fmt.Sprintf("in steps of %d bytes", l.unit)
	if l.padded() {
		text += fmt.Sprintf(", %d of them padding", l.unit-l.used)
	}
	return text
}

// fits checks data against the size and the layout of its buffer. The note, if not "", is about
// data that is allowed but probably not meant.
func (l *layout) fits(b *abi.Binding, d *Buffer) (note string, err error) {
	have, need := uint64(len(d.Bytes)), b.MinimumBytes()
	switch {
	case l.unit != 0 && d.array != nil && !l.holds(d.array):
		return "", usage.Errorf("%s has the shape %s, with rows of %d bytes, but `%s` (%s) lies in memory %s: %s",
			d.spec, npy.ShapeText(d.array.Shape), d.array.RowBytes(), b.Name, b.Type, l.steps(), l.remedy(d.array))
	case have < need && b.Stride != 0:
		return "", usage.Errorf("`%s` (%s) needs at least %s, its data has %s", b.Name, b.Type, amount(b, need), amount(b, have))
	case have != need && b.Stride == 0:
		return "", usage.Errorf("`%s` (%s) takes %s, its data has %s: bind exactly as many", b.Name, b.Type, amount(b, need), amount(b, have))
	case l.stride != 0 && (have-uint64(b.Size))%l.stride != 0:
		padding := ""
		if l.padded() && l.unit == l.stride {
			padding = fmt.Sprintf(", %d of them padding", l.unit-l.used)
		}
		return "", usage.Errorf("`%s` (%s) has elements of %d bytes%s, and its data of %s is no whole number of them: add what is missing, or bind less",
			b.Name, b.Type, l.stride, padding, amount(b, have))
	case l.padded() && d.packed:
		return fmt.Sprintf("`%s` (%s) lies in memory %s, so %s gives some of its numbers to the padding, which no kernel reads",
			b.Name, b.Type, l.steps(), d.spec), nil
	}
	return "", nil
}

// amount is a number of bytes and, if the binding has one scalar type, the number of scalars.
func amount(b *abi.Binding, bytes uint64) string {
	text := fmt.Sprintf("%d bytes", bytes)
	if k, err := ScalarOf(b); err == nil && bytes%uint64(k.Bytes()) == 0 {
		text += fmt.Sprintf(" (%d %s)", bytes/uint64(k.Bytes()), k)
	}
	return text
}

// holds reports whether the rows of an array begin where units begin: a row is a number of units,
// or a unit is a number of rows. An array with one axis always fits, unless there is padding.
func (l *layout) holds(a *npy.Array) bool {
	bytes := a.ItemBytes
	for n := len(a.Shape) - 1; n > 0; n-- {
		bytes *= a.Shape[n]
		switch {
		case bytes%l.unit == 0:
			return true
		case l.unit%bytes != 0:
			return false
		}
	}
	return len(a.Shape) < 2 || !l.padded()
}

// remedy says how to make an array that fits.
func (l *layout) remedy(a *npy.Array) string {
	row, axes := a.RowBytes(), len(a.Shape)
	if row != l.used || !l.padded() {
		return "give a row as many numbers as whole steps take"
	}
	return fmt.Sprintf("save numpy.pad(a, (%s(0, %d)))", strings.Repeat("(0, 0), ", axes-1), (l.unit-row)/a.ItemBytes)
}
