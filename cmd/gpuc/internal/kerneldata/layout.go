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

// This file compares data with the memory of the buffer that it is for: the size, the
// number of elements, and the distance of one from the next. It is the one place that
// does, whatever the data comes from.

// layout is how the numbers of a buffer lie in memory: in units, one behind the other,
// at whose end there may be padding.
type layout struct {
	t ir.Type // of the variable
	// stride is the distance of the elements of an array without a size, or 0.
	stride uint64
	// unit is the distance of the innermost scalars, vectors, columns of matrices or
	// structures, and used how many bytes of it hold numbers. Both are 0 where the
	// buffer does not consist of one kind of unit.
	unit, used uint64
}

func (l *layout) padded() bool { return l.used < l.unit }

// layoutOf returns the layout of a buffer's type.
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

// layoutNamed returns the layout of a variable of a kernel. In a Go package each kernel has
// variables of its own, whatever they are called.
func layoutNamed(m *ir.Module, kernel, name string) layout {
	reach := ir.ReachOf(m, codegen.Kernel(m, kernel, new(diag.List)))
	for _, v := range slices.Concat(reach.Resources, reach.Immediate) {
		if g := m.Global(v); g.Name == name {
			return layoutOf(m, m.Element(g.Type))
		}
	}
	return layout{}
}

// steps describes the units of a layout.
func (l *layout) steps() string {
	text := fmt.Sprintf("in steps of %d bytes", l.unit)
	if l.padded() {
		text += fmt.Sprintf(", %d of them padding", l.unit-l.used)
	}
	return text
}

// fits compares a binding's data with its memory. The note, if there is one, says what
// is allowed and yet hardly meant.
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
	case l.padded() && d.inARow:
		return fmt.Sprintf("`%s` (%s) lies in memory %s, so %s gives some of its numbers to the padding, which no kernel reads",
			b.Name, b.Type, l.steps(), d.spec), nil
	}
	return "", nil
}

// amount is a number of bytes and, where a binding has one kind of them, of scalars.
func amount(b *abi.Binding, bytes uint64) string {
	text := fmt.Sprintf("%d bytes", bytes)
	if k, err := ScalarOf(b); err == nil && bytes%uint64(k.Bytes()) == 0 {
		text += fmt.Sprintf(" (%d %s)", bytes/uint64(k.Bytes()), k)
	}
	return text
}

// holds reports whether units begin where rows of an array do: whole units make a row,
// or whole rows a unit. An array of one axis has no rows that say otherwise.
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

// remedy says how to make an array fit.
func (l *layout) remedy(a *npy.Array) string {
	row, axes := a.RowBytes(), len(a.Shape)
	if row != l.used || !l.padded() {
		return "give a row as many numbers as whole steps take"
	}
	return fmt.Sprintf("save numpy.pad(a, (%s(0, %d)))", strings.Repeat("(0, 0), ", axes-1), (l.unit-row)/a.ItemBytes)
}
