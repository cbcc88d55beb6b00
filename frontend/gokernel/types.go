package gokernel

import (
	"go/constant"
	"go/types"
	"slices"

	"golang.org/x/tools/go/types/typeutil"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/scalar"
)

// gpuPath is the path of the package that kernels import.
const gpuPath = "github.com/gpuc/gpuc/runtime/gpu"

// basics are the IR types of the basic types that kernels have. Types whose size Go leaves to the
// platform have 32 bits on devices.
var basics = [types.UntypedNil + 1]ir.Type{
	types.Bool:         ir.Bool,
	types.Int:          ir.I32,
	types.Int8:         ir.I8,
	types.Int16:        ir.I16,
	types.Int32:        ir.I32,
	types.Int64:        ir.I64,
	types.Uint:         ir.U32,
	types.Uint8:        ir.U8,
	types.Uint16:       ir.U16,
	types.Uint32:       ir.U32,
	types.Uint64:       ir.U64,
	types.Float32:      ir.F32,
	types.Float64:      ir.F64,
	types.UntypedBool:  ir.Bool,
	types.UntypedInt:   ir.I32,
	types.UntypedRune:  ir.I32,
	types.UntypedFloat: ir.F32,
}

// scalarOf returns the IR type of a type whose values are scalars on devices, or ir.Void. These are
// the basic types, and gpu.Float16. That is a structure in Go, so that no operator takes its bits
// for an integer.
func scalarOf(t types.Type) ir.Type {
	if isNamed(t, "Float16") {
		return ir.F16
	}
	if b, ok := t.Underlying().(*types.Basic); ok {
		return basics[b.Kind()]
	}
	return ir.Void
}

// isItem reports whether a type is gpu.Item.
func isItem(t types.Type) bool { return isNamed(t, "Item") }

func isNamed(t types.Type, name string) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Name() == name && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == gpuPath
}

// unsupported returns the part of a type that values of kernels cannot have, or nil.
func unsupported(t types.Type) types.Type {
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		return unsupportedVariable(u.Elem())
	case *types.Tuple:
		for v := range u.Variables() {
			if bad := unsupported(v.Type()); bad != nil {
				return bad
			}
		}
		return nil
	}
	return unsupportedVariable(t)
}

// unsupportedVariable is unsupported for variables of an item, which may be structures that contain
// items, slices and pointers.
func unsupportedVariable(t types.Type) types.Type {
	if isItem(t) {
		return nil
	}
	if isTile(t) {
		return nil
	}
	switch u := t.Underlying().(type) {
	case *types.Slice:
		return unsupportedInMemory(u.Elem())
	case *types.Pointer:
		return unsupportedInMemory(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if bad := unsupportedVariable(f.Type()); bad != nil {
				return bad
			}
		}
		return nil
	}
	return unsupportedInMemory(t)
}

// unsupportedInMemory is unsupported for values in memory. It does not follow slices and pointers,
// by which types may be recursive; hasReference finds them.
func unsupportedInMemory(t types.Type) types.Type {
	return part(t, func(t types.Type) bool {
		switch u := t.Underlying().(type) {
		case *types.Basic:
			return basics[u.Kind()] == ir.Void
		case *types.Array, *types.Struct, *types.Slice, *types.Pointer:
			return isItem(t) || isTile(t)
		}
		return true
	})
}

// part returns the first part of a type that a predicate holds for, in depth-first order, or nil.
// Parts are the type itself and those of an array's elements and a structure's fields.
func part(t types.Type, is func(types.Type) bool) types.Type {
	if is(t) {
		return t
	}
	if scalarOf(t) != ir.Void || isTile(t) {
		return nil
	}
	switch u := t.Underlying().(type) {
	case *types.Array:
		return part(u.Elem(), is)
	case *types.Struct:
		for f := range u.Fields() {
			if p := part(f.Type(), is); p != nil {
				return p
			}
		}
	}
	return nil
}

// isReference reports whether a type is a slice or a pointer.
func isReference(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Slice, *types.Pointer:
		return true
	}
	return false
}

// hasReference returns the slice or pointer within a type, or nil.
func hasReference(t types.Type) types.Type { return part(t, isReference) }

// arrayOfReferences returns an array within a type that contains slices or pointers, or nil.
func arrayOfReferences(t types.Type) types.Type {
	return part(t, func(t types.Type) bool {
		array, ok := t.Underlying().(*types.Array)
		return ok && hasReference(array.Elem()) != nil
	})
}

// platformDependent returns the part of a type whose size Go leaves to the platform, or nil. A host
// and a device cannot share it.
func platformDependent(t types.Type) types.Type {
	if isSizeless(t) {
		return nil
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch u.Kind() {
		case types.Int, types.Uint, types.Bool:
			return t
		}
	case *types.Array:
		return platformDependent(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if bad := platformDependent(f.Type()); bad != nil {
				return bad
			}
		}
	}
	return nil
}

// valuesName is the name of the structure of all parameters that are values, if there are several.
const valuesName = "parameters"

// typeTable maps Go's types to a module's.
type typeTable struct {
	m *ir.Module
	// structs are the structures, by their fields: structures that are convertible to each other
	// are one.
	structs typeutil.Map
}

// of returns the IR type of a type.
func (t *typeTable) of(x types.Type) ir.Type {
	if isSizeless(x) {
		return ir.U32
	}
	if isTile(x) {
		return t.tile(x)
	}
	if s := scalarOf(x); s != ir.Void {
		return s
	}
	switch u := x.Underlying().(type) {
	case *types.Array:
		return t.m.ArrayOf(t.of(u.Elem()), t.m.ConstU32(uint32(u.Len())))
	case *types.Struct:
		if made, ok := t.structs.At(u).(ir.Type); ok {
			return made
		}
		made := t.structure(x, u)
		t.structs.Set(u, made)
		return made
	}
	panic("no value of a kernel has the type " + x.String())
}

// structure returns a structure with Go's layout, in which int, uint and bool have 32 bits.
func (t *typeTable) structure(x types.Type, u *types.Struct) ir.Type {
	name := "Parameters"
	if n, ok := types.Unalias(x).(*types.Named); ok {
		name = n.Obj().Name()
	}
	members, offset, align := make([]ir.Member, 0, u.NumFields()), uint32(0), uint32(1)
	for f := range u.Fields() {
		if isSizeless(f.Type()) {
			_, own := Layout(f.Type())
			align, offset = max(align, uint32(own)), roundUp(offset, uint32(own))
			continue
		}
		made := t.of(f.Type())
		align = max(align, t.m.Align(made))
		offset = roundUp(offset, t.m.Align(made))
		members = append(members, ir.Member{Name: f.Name(), Type: made, Offset: offset})
		offset += t.m.Size(made)
	}
	if isSizeless(u.Field(u.NumFields() - 1).Type()) {
		offset++ // as Go does, so that a pointer to the last field is inside
	}
	return t.m.NewStruct(name, members, roundUp(offset, align), align)
}

func roundUp(n, align uint32) uint32 { return (n + align - 1) / align * align }

// zero returns the zero value of a type.
func (t *typeTable) zero(x types.Type) ir.Value { return t.m.Zero(t.of(x)) }

// constant returns a constant of Go. It reports whether the value fits: int has 32 bits on devices.
func (t *typeTable) constant(x types.Type, v constant.Value) (ir.Value, bool) {
	made := t.of(x)
	k := t.m.ScalarOf(made)
	switch {
	case v == nil:
		return t.m.Zero(made), true
	case k == scalar.Bool:
		return t.m.ConstBool(constant.BoolVal(v)), true
	case k == scalar.F32: // rounded once
		f, _ := constant.Float32Val(v)
		return t.m.ConstF32(f), true
	case k.IsFloat():
		f, _ := constant.Float64Val(v)
		return t.m.ConstScalar(made, scalar.FromFloat64(k, f)), true
	case k.IsSigned():
		n, ok := constant.Int64Val(constant.ToInt(v))
		bits := scalar.FromInt64(k, n)
		return t.m.ConstScalar(made, bits), ok && n == scalar.ToInt64(k, bits)
	}
	n, ok := constant.Uint64Val(constant.ToInt(v))
	return t.m.ConstScalar(made, n&k.Mask()), ok && n == n&k.Mask()
}

// Layout returns the size and the alignment of a type's values on devices, in bytes. They are those
// of Go on 64-bit hosts, except that int, uint and bool have four bytes. Sizes are at most 2^40.
func Layout(t types.Type) (size, align int64) {
	if t == nil {
		return 0, 1
	}
	if isTile(t) {
		return 4, 4 // of which each item holds a part
	}
	const all = 1 << 40
	switch u := t.Underlying().(type) {
	case *types.Basic:
		n := max(int64(scalar.Kind(basics[u.Kind()]).Bytes()), 1)
		return n, n
	case *types.Array:
		each, align := Layout(u.Elem())
		if each > 0 && u.Len() > all/each {
			return all, align
		}
		return u.Len() * each, align
	case *types.Struct:
		align = 1
		for f := range u.Fields() {
			each, own := Layout(f.Type())
			size, align = min((size+own-1)/own*own+each, all), max(align, own)
		}
		if n := u.NumFields(); size > 0 && isSizeless(u.Field(n-1).Type()) {
			size++ // as Go does, so that a pointer to the last field is inside
		}
		return min((size+align-1)/align*align, all), align
	}
	return 4, 4
}

// smallFloat returns the first float of 8 or 16 bits in a type, or nil.
func smallFloat(t types.Type) types.Type {
	return part(t, func(t types.Type) bool {
		n, ok := types.Unalias(t).(*types.Named)
		return ok && isNamed(t, n.Obj().Name()) && slices.Contains(smallFloats, n.Obj().Name())
	})
}

// smallFloats are the floats of 8 and 16 bits of package gpu. Their fields are no numbers.
var smallFloats = []string{"Float16", "BFloat16", "Float8E4M3", "Float8E5M2"}

// hasNarrow reports whether a type is or contains integers of 8 or 16 bits.
func hasNarrow(t types.Type) bool { return narrowPart(t) != nil }

// narrowPart returns the first integer of 8 or 16 bits in a type, or nil.
func narrowPart(t types.Type) types.Type {
	return part(t, func(t types.Type) bool {
		return scalar.Kind(scalarOf(t)).IsNarrow()
	})
}
