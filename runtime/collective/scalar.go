// What elements consist of.

package collective

import (
	"fmt"
	"reflect"
	"sync"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// scalar is a type of numbers, with the number that NCCL has for it (ncclDataType_t in nccl.h).
type scalar uint8

const (
	int8Type scalar = iota
	uint8Type
	int32Type
	uint32Type
	int64Type
	uint64Type
	float16Type
	float32Type
	float64Type
	bfloat16Type
	noScalar // structures of several types, and types that are none of these
)

// scalarBytes are the sizes of scalars.
var scalarBytes = [...]int{1, 1, 4, 4, 8, 8, 2, 4, 8, 2}

// scalarKinds are the scalars of Go's kinds.
var scalarKinds = [...]struct {
	kind reflect.Kind
	is   scalar
}{
	{reflect.Int8, int8Type}, {reflect.Uint8, uint8Type}, {reflect.Int32, int32Type}, {reflect.Uint32, uint32Type},
	{reflect.Int64, int64Type}, {reflect.Uint64, uint64Type}, {reflect.Float32, float32Type}, {reflect.Float64, float64Type},
}

// layout is what elements of a type are.
type layout struct {
	bytes  int
	scalar scalar
}

// layouts are those of the types that were used: reflection takes its time.
var layouts sync.Map // of reflect.Type: *layout

func layoutOf(t reflect.Type) *layout {
	if known, ok := layouts.Load(t); ok {
		return known.(*layout)
	}
	known, _ := layouts.LoadOrStore(t, &layout{int(t.Size()), scalarOf(t)})
	return known.(*layout)
}

// scalarOf returns the one scalar that a type consists of.
func scalarOf(t reflect.Type) scalar {
	switch t {
	case reflect.TypeFor[gpu.Float16]():
		return float16Type
	case reflect.TypeFor[gpu.BFloat16]():
		return bfloat16Type
	}
	switch t.Kind() {
	case reflect.Array:
		return scalarOf(t.Elem())
	case reflect.Struct:
		common, bytes := noScalar, 0
		for i := range t.NumField() {
			f := t.Field(i).Type
			is := scalarOf(f)
			if i > 0 && is != common {
				return noScalar
			}
			common = is
			bytes += int(f.Size())
		}
		if bytes != int(t.Size()) { // there is padding
			return noScalar
		}
		return common
	}
	for _, k := range scalarKinds {
		if k.kind == t.Kind() {
			return k.is
		}
	}
	return noScalar
}

// Reduction says how the numbers of ranks become one.
type Reduction uint8

// The reductions. Average is the sum divided by the number of ranks; of integers it is rounded
// towards zero.
const (
	Sum Reduction = iota
	Product
	Max
	Min
	Average
)

// String returns the name.
func (r Reduction) String() string {
	if int(r) >= len(reductionNames) {
		return fmt.Sprintf("Reduction(%d)", uint8(r))
	}
	return reductionNames[r]
}

var reductionNames = [...]string{"sum", "product", "max", "min", "average"}
