package seq

import "github.com/gpuc/gpuc/runtime/gpu"

// fillWords writes the two words of a value alternately; a value of 32 bits has one, twice.
//
//gpuc:kernel workgroup=256
func fillWords(it gpu.Item, first, second uint32, words []uint32) {
	if i := it.Index(); i < len(words) {
		words[i] = first
		if i%2 != 0 {
			words[i] = second
		}
	}
}

// fill makes n elements the same.
func fill[T Number](c *call, to gpu.Bound, n int, v T) error {
	put(c.values.with(), v)
	if c.values.n == 1 {
		put(&c.values, v)
	}
	return c.launch("fillWords", gpu.Items1(n*bytesEach[T]()/4), to)
}
