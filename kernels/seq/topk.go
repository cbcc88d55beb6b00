package seq

import (
	"fmt"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// Wide is the type of keys of 32 and 64 bits.
type Wide interface {
	int32 | uint32 | int64 | uint64 | float32 | float64
}

// TopK writes the k largest keys of each of rows rows of n keys to values, from the largest on, and
// their indices in the row to indices. Of equal keys, the one with the smaller index comes first.
// Keys have Sort's order. With Ascending they are the smallest ones, from the smallest on.
//
// Values and indices have rows × k elements. K is at most n and 2048, otherwise it is a
// *gpu.ShapeError. A workgroup has a row, and reads it once for each digit of eight bits, and once
// more (Alabi et al. 2012).
func TopK[K Wide](s *gpu.Stream, keys *gpu.Buffer[K], rows, n, k int, values *gpu.Buffer[K], indices *gpu.Buffer[int32], o ...Option) error {
	const operation = "seq.TopK"
	bits, err := optionsOf(operation, o)
	if err != nil {
		return err
	}
	if bits&ascending == 0 {
		bits |= descending
	}
	bits &^= ascending
	if err := checkBuffers(operation, s, 2, named{"values", values}, named{"indices", indices}, named{"keys", keys}); err != nil {
		return err
	}
	if product(rows, n) < 0 {
		return wrongShape(operation, "rows and n", fmt.Sprintf("at most %d keys", most), fmt.Sprintf("%d × %d", rows, n))
	}
	if k < 0 || k > n || k > sortRowMost {
		return wrongShape(operation, "k", fmt.Sprintf("at most %d", min(n, sortRowMost)), fmt.Sprint(k))
	}
	if err := wrongLength(operation, "keys", rows*n, keys.Len()); err != nil {
		return err
	}
	if err := wrongLength(operation, "values", rows*k, values.Len()); err != nil {
		return err
	}
	if err := wrongLength(operation, "indices", rows*k, indices.Len()); err != nil {
		return err
	}
	if rows*k == 0 {
		return nil
	}
	c := begin(operation, s)
	defer c.end()
	key := keyOf[K]()
	kernel := "topRows_uint32_4_uint8"
	if key.bytes == 8 {
		kernel = "topRows_uint64_8_uint8"
	}
	c.values.with(uint32(n), uint32(k), uint32(powerOf2(k)), bits|key.options)
	return c.launch(kernel, gpu.D1(uint32(rows)), bytesOf(c, 0, keys), bytesOf(c, 1, values), bytesOf(c, 2, indices))
}
