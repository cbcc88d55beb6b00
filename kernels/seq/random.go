package seq

import (
	"fmt"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// Random is a sequence of random numbers, of which there are 2⁶⁴ for each seed. The numbers depend
// on these two alone, and are the same on every device.
//
// They are those of Philox4x32-10 (Salmon, Moraes, Dror and Shaw, "Parallel Random Numbers: As Easy
// as 1, 2, 3", 2011). The key is the seed, the low word first. The counter of block k has the words
// k, 0, and the sequence, the low word first. Word i of a sequence is word i%4 of block i/4.
type Random struct{ Seed, Sequence uint64 }

// Uint32 writes the words of the sequence to x, from the first one on.
func (r Random) Uint32(s *gpu.Stream, x *gpu.Buffer[uint32]) error {
	return writeNumbers("seq.Random.Uint32", s, r, "writeRandom_anyWord_uint32", 4, 0, 0, x)
}

// Uniform writes numbers from 0 on, and less than 1, to x. A float32 is a word's upper 24 bits,
// times 2⁻²⁴. A float64 has two words, the low one first, of which the upper 53 bits count, times
// 2⁻⁵³.
func Uniform[T Float](s *gpu.Stream, r Random, x *gpu.Buffer[T]) error {
	if kindOf[T]() == isFloat32 {
		return writeNumbers("seq.Uniform", s, r, "writeRandom_uniform32_float32", 4, 0, 0, x)
	}
	return writeNumbers("seq.Uniform", s, r, "writeRandom_uniform64_float64", 2, 0, 0, x)
}

// Normal writes normally distributed numbers with a mean and a standard deviation to x (Box and
// Muller 1958). Numbers 2i and 2i+1 are mean + deviation·√(-2·ln u)·cos(2π·v), and the same with
// the sine. Here v is a uniform number, and u the one before it, plus the distance of uniform
// numbers, so that it is not 0. The largest distance from the mean is 5.8 deviations for float32,
// and 8.6 for float64.
//
// Logarithms and sines are the package's own, of sums, products, quotients and roots, so that the
// bits are the same on every device.
func Normal[T Float](s *gpu.Stream, r Random, mean, deviation T, x *gpu.Buffer[T]) error {
	if kindOf[T]() == isFloat32 {
		return writeNumbers("seq.Normal", s, r, "writeRandom_normal32_float32", 4, mean, deviation, x)
	}
	return writeNumbers("seq.Normal", s, r, "writeRandom_normal64_float64", 2, mean, deviation, x)
}

// Permutation writes the numbers from 0 to len(x)-1 to x, in a random order: that of random keys of
// 64 bits. Number i has words 2i and 2i+1 of the sequence, the low one first, as its key.
func Permutation(s *gpu.Stream, r Random, x *gpu.Buffer[uint32]) error {
	const operation = "seq.Permutation"
	if err := checkBuffers(operation, s, 1, named{"x", x}); err != nil {
		return err
	}
	if x.Len() == 0 {
		return nil
	}
	c := begin(operation, s)
	defer c.end()
	return permute(c, r, x.Len(), x)
}

// Shuffle moves the elements of x to the positions that Permutation has: element i becomes the one
// at its number i. An element has four or eight bytes, otherwise it is a *gpu.ShapeError.
func Shuffle[T any](s *gpu.Stream, r Random, x *gpu.Buffer[T]) error {
	const operation = "seq.Shuffle"
	if err := checkBuffers(operation, s, 1, named{"x", x}); err != nil {
		return err
	}
	n, size := x.Len(), bytesEach[T]()
	if size != 4 && size != 8 {
		return wrongShape(operation, "x", "elements of 4 or 8 bytes", fmt.Sprintf("elements of %d bytes", size))
	}
	if n < 2 {
		return nil
	}
	c := begin(operation, s)
	defer c.end()
	indices, err := c.scratch(slotIndices, 4*n)
	if err != nil {
		return err
	}
	if err := permute(c, r, n, indices); err != nil {
		return err
	}
	return gatherInto(c, n, size, bytesOf(c, 0, x), indices)
}

// permute enqueues a permutation of at least one number.
func permute(c *call, r Random, n int, indices gpu.Bound) error {
	if n == 1 {
		return fill(c, indices, 1, uint32(0))
	}
	keys, err := c.scratch(slotFlags, 8*n)
	if err != nil {
		return err
	}
	r.values(c.values.with(uint32(n)))
	if err := c.launch("writeKeys", gpu.Items1(ceil(n, 2)), keys); err != nil {
		return err
	}
	return sortWords(c, 8, 64, n, withValues|indexValues, keys, indices, c.way())
}

// values appends the generator to the values of a launch.
func (r Random) values(w *words) *words {
	for _, v := range [...]uint64{r.Seed, r.Sequence} {
		put(w, uint32(v))
		put(w, uint32(v>>32))
	}
	return w
}

// writeNumbers has a kernel write numbers, of which a block has some.
func writeNumbers[T Number](operation string, s *gpu.Stream, r Random, kernel string, perBlock int, mean, deviation T, x *gpu.Buffer[T]) error {
	if err := checkBuffers(operation, s, 1, named{"x", x}); err != nil {
		return err
	}
	n := x.Len()
	if n == 0 {
		return nil
	}
	c := begin(operation, s)
	defer c.end()
	w := r.values(c.values.with(uint32(n)))
	put(w, mean)
	put(w, deviation)
	return c.launch(kernel, gpu.Items1(ceil(n, perBlock)), x)
}
