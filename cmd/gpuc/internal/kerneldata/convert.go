package kerneldata

import (
	"fmt"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/npy"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/scalartext"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/runtime/abi"
)

// convertElements converts the elements of an array from the file name to the scalar type of a
// binding. It converts float64 and int64 only, which are NumPy's defaults: a kernel that takes
// f32 is not meant to refuse numpy.zeros(n). The note says what was converted. A value that the
// binding's type cannot hold is an error, as is any other difference of types.
func convertElements(a *npy.Array, name string, b *abi.Binding) (note string, err error) {
	from := npy.KindOf(a.Descr)
	switch {
	case from == scalar.None && len(a.Descr) > 1 && a.Descr[0] == '>':
		return "", fmt.Errorf("%s has elements of type '%s', whose bytes are in another order; save a.astype('<%s')", name, a.Descr, a.Descr[1:])
	case from == scalar.None:
		return "", fmt.Errorf("%s has elements of type '%s'; gpuc reads floats of 16, 32 and 64 bits and integers of 8 to 64", name, a.Descr)
	case b.Element == "" || b.Element == from.String():
		return "", nil
	}
	to := scalar.Named(b.Element)
	if !convertible(from, to) {
		return "", fmt.Errorf("%s holds %s (%s), but `%s` consists of %s; save a.astype('%s')", name, from, a.Descr, b.Name, b.Element, npy.DescrOf(to))
	}
	size := int(a.ItemBytes)
	out := make([]byte, 0, len(a.Contents)/size*to.Bytes())
	for i := range len(a.Contents) / size {
		bits, ok := convertScalar(scalartext.Read(from, a.Contents, i), from, to)
		if !ok {
			return "", fmt.Errorf("%s holds %s, whose element %d is %s, which %s does not hold: that is %s",
				name, npy.TypeName(a.Descr), i, scalartext.Format(from, scalartext.Read(from, a.Contents, i)), to, to.Range())
		}
		out = scalartext.Append(out, to, bits)
	}
	note = conversionNote(name, b.Name, from, to)
	a.Type = npy.Type{Descr: npy.DescrOf(to), ItemBytes: uint64(to.Bytes())}
	a.Contents = out
	return note, nil
}

// convertible reports whether values are converted from one type to another: float64 to floats, and
// int64 to integers.
func convertible(from, to scalar.Kind) bool {
	switch from {
	case scalar.F64:
		return to == scalar.F32 || to == scalar.F16
	case scalar.I64:
		return to.IsInteger()
	}
	return false
}

// conversionNote is the note that values of a file were converted.
func conversionNote(file, variable string, from, to scalar.Kind) string {
	if to.IsFloat() {
		return fmt.Sprintf("%s holds %s, which `%s` does not: each number is rounded to the nearest %s", file, npy.TypeName(npy.DescrOf(from)), variable, to)
	}
	return fmt.Sprintf("%s holds %s, which `%s` does not: all of its numbers fit into %s", file, npy.TypeName(npy.DescrOf(from)), variable, to)
}

// convertScalar converts a value. Ok is false if it is out of range. Infinities and NaNs are kept.
func convertScalar(bits uint64, from, to scalar.Kind) (converted uint64, ok bool) {
	if from == to {
		return bits, true
	}
	if to.IsFloat() {
		x := scalar.ToFloat64(from, bits)
		converted = scalar.FromFloat64(to, x)
		y := scalar.ToFloat64(to, converted)
		return converted, y-y == 0 || x-x != 0 // a finite value did not become an infinity
	}
	n := scalar.ToInt64(from, bits)
	converted = scalar.FromInt64(to, n)
	return converted, scalar.ToInt64(to, converted) == n && (n >= 0 || to.IsSigned())
}
