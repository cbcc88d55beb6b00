package seq

import (
	"fmt"

	"github.com/gpuc/gpuc/runtime/driver"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// Option changes what a function does, where its comment says so.
type Option func(options) options

type options struct{ descending, ascending bool }

// Descending sorts from the largest to the smallest, and is stable, too.
func Descending() Option { return descend }

// Ascending sorts from the smallest to the largest, which is what functions do but TopK.
func Ascending() Option { return ascend }

func descend(options) options { return options{descending: true} }
func ascend(options) options  { return options{ascending: true} }

// optionsOf returns the options as bits of kernels.
func optionsOf(operation string, list []Option) (bits uint32, err error) {
	var o options
	for _, option := range list {
		if option == nil {
			return 0, wrongShape(operation, "options", "functions of this package", "nil")
		}
		o = option(o)
	}
	if o.descending {
		bits |= descending
	}
	if o.ascending {
		bits |= ascending
	}
	return bits, nil
}

// Sort sorts keys. Floats are in the total order of IEEE 754: NaNs with a sign, -Inf, …, -0, +0, …,
// +Inf, NaNs without a sign; their bits do not change. Descending reverses the order.
//
// Up to 2048 keys are sorted in one launch. More are sorted by digits of eight bits from the lowest
// to the highest (radix sort), with as much scratch memory as there are keys. On CUDA, a digit is
// one pass over the keys (Adinets and Merrill, "Onesweep", 2022). Elsewhere it is three. Keys of 8
// and 16 bits are widened meanwhile.
func Sort[K Key](s *gpu.Stream, keys *gpu.Buffer[K], o ...Option) error {
	const operation = "seq.Sort"
	bits, err := optionsOf(operation, o)
	if err != nil {
		return err
	}
	if err := checkBuffers(operation, s, 1, named{"keys", keys}); err != nil {
		return err
	}
	if keys.Len() < 2 {
		return nil
	}
	c := begin(operation, s)
	defer c.end()
	return sortKeys(c, keyOf[K](), keys.Len(), bits, bytesOf(c, 0, keys), nil)
}

// SortPairs sorts keys as Sort does, and moves values with them, of which there are as many. Values
// whose keys are equal stay in their order. A value has four or eight bytes, otherwise it is a
// *gpu.ShapeError.
func SortPairs[K Key, V any](s *gpu.Stream, keys *gpu.Buffer[K], values *gpu.Buffer[V], o ...Option) error {
	const operation = "seq.SortPairs"
	bits, err := optionsOf(operation, o)
	if err != nil {
		return err
	}
	if err := checkBuffers(operation, s, 2, named{"keys", keys}, named{"values", values}); err != nil {
		return err
	}
	if err := wrongLength(operation, "values", keys.Len(), values.Len()); err != nil {
		return err
	}
	size := bytesEach[V]()
	if size != 4 && size != 8 {
		return wrongShape(operation, "values", "elements of 4 or 8 bytes", fmt.Sprintf("elements of %d bytes", size))
	}
	n := keys.Len()
	if n < 2 {
		return nil
	}
	c := begin(operation, s)
	defer c.end()
	byKeys, byValues := bytesOf(c, 0, keys), bytesOf(c, 1, values)
	if size == 4 {
		return sortKeys(c, keyOf[K](), n, bits|withValues, byKeys, byValues)
	}
	// Indices are sorted, and long values then move once.
	indices, err := c.scratch(slotIndices, 4*n)
	if err != nil {
		return err
	}
	if err := sortKeys(c, keyOf[K](), n, bits|withValues|indexValues, byKeys, indices); err != nil {
		return err
	}
	return gatherInto(c, n, size, byValues, indices)
}

// gatherInto replaces the values by those at the indices.
func gatherInto(c *call, n, size int, values, indices gpu.Bound) error {
	moved, err := c.scratch(slotValues2, size*n)
	if err != nil {
		return err
	}
	words := size / 4
	c.values.with(uint32(n), uint32(words))
	if err := c.launch("gatherWords", gpu.Items1(n*words), values, indices, moved); err != nil {
		return err
	}
	c.values.with(uint32(n * words))
	return c.launch("copyWords", gpu.Items1(n*words), moved, values)
}

// SortRows sorts each of rows rows of n keys, which follow each other, as Sort does. A row has up
// to 2048 keys, otherwise it is a *gpu.ShapeError, and is sorted by one workgroup (Batcher 1968).
func SortRows[K Key](s *gpu.Stream, keys *gpu.Buffer[K], rows, n int, o ...Option) error {
	const operation = "seq.SortRows"
	bits, err := optionsOf(operation, o)
	if err != nil {
		return err
	}
	if err := checkBuffers(operation, s, 1, named{"keys", keys}); err != nil {
		return err
	}
	if product(rows, n) < 0 || n > sortRowMost {
		return wrongShape(operation, "n", fmt.Sprintf("rows of at most %d keys", sortRowMost), fmt.Sprintf("%d rows of %d", rows, n))
	}
	if err := wrongLength(operation, "keys", rows*n, keys.Len()); err != nil {
		return err
	}
	if keys.Len() == 0 || n < 2 {
		return nil
	}
	c := begin(operation, s)
	defer c.end()
	k, byKeys := keyOf[K](), bytesOf(c, 0, keys)
	if k.bytes >= 4 {
		unused, err := c.scratch(slotNothing, 4)
		if err != nil {
			return err
		}
		return sortRows(c, k, rows, n, bits|k.options, byKeys, unused)
	}
	wide, err := c.scratch(slotKeys, 4*rows*n)
	if err != nil {
		return err
	}
	return c.widened(k, rows*n, bits, byKeys, wide, func() error {
		unused, err := c.scratch(slotNothing, 4)
		if err != nil {
			return err
		}
		return sortRows(c, keyKind{bytes: 4}, rows, n, 0, wide, unused)
	})
}

// keyKind is what kernels have to know of a type of keys.
type keyKind struct {
	bytes   int
	options uint32
}

func keyOf[K Key]() keyKind {
	k := keyKind{bytes: bytesEach[K]()}
	switch any(*new(K)).(type) {
	case int8, int16, int32, int64:
		k.options = signedKeys
	case float32, float64, gpu.Float16:
		k.options = floatKeys
	}
	return k
}

// sortRows enqueues the sort of rows of words. Values is not used without options for it.
func sortRows(c *call, k keyKind, rows, n int, options uint32, keys, values gpu.Bound) error {
	kernel := "sortRowsOf_uint32"
	if k.bytes == 8 {
		kernel = "sortRowsOf_uint64"
	}
	c.values.with(uint32(n), uint32(powerOf2(n)), options)
	return c.launch(kernel, gpu.D1(uint32(rows)), keys, values)
}

// widened makes words of short keys, calls f, and makes short keys of the words.
func (c *call) widened(k keyKind, n int, options uint32, keys, wide gpu.Bound, f func() error) error {
	widen, narrow := "widenKeys_uint8", "narrowKeys_uint8"
	if k.bytes == 2 {
		widen, narrow = "widenKeys_uint16", "narrowKeys_uint16"
	}
	c.values.with(options&descending | k.options)
	if err := c.launch(widen, gpu.Items1(n), keys, wide); err != nil {
		return err
	}
	if err := f(); err != nil {
		return err
	}
	c.values.with(options&descending | k.options)
	return c.launch(narrow, gpu.Items1(n), wide, keys)
}

// sortKeys enqueues the sort of n keys, at least two. Values are words, or nil without withValues.
func sortKeys(c *call, k keyKind, n int, options uint32, keys, values gpu.Bound) error {
	if values == nil {
		unused, err := c.scratch(slotNothing, 4)
		if err != nil {
			return err
		}
		values = unused
	}
	if k.bytes >= 4 {
		return sortWords(c, k.bytes, 8*k.bytes, n, options|k.options, keys, values, c.way())
	}
	wide, err := c.scratch(slotFlags, 4*n)
	if err != nil {
		return err
	}
	// An even number of digits brings the keys back to where they were.
	return c.widened(k, n, options, keys, wide, func() error {
		return sortWords(c, 4, 16, n, options&^descending, wide, values, c.way())
	})
}

// A sortWay is how a digit is sorted.
type sortWay uint8

const (
	byTiles   sortWay = iota // tiles are counted, and then sorted
	byChained                // one pass, in which tiles wait for others
	byRuns                   // as byTiles, without tiles, for processors and small workgroups
	sortWays
)

// way returns the one for the stream's device.
func (c *call) way() sortWay {
	switch info := c.stream.Device().Info(); {
	case info.Kind == driver.CPU || info.MaxInvocations < sortItems:
		return byRuns
	case c.waits():
		return byChained
	}
	return byTiles
}

// sortKernels are those of words of 32 and of 64 bits: of all digits, and by way one that counts
// and one that moves keys.
var sortKernels = [2]struct {
	all   string
	count [sortWays]string
	move  [sortWays]string
	each  int // keys of an item in a tile
}{
	{"radixCount_uint32_1024_uint32", [sortWays]string{byTiles: "radixTiles_uint32", byRuns: "countRuns_uint32"},
		[sortWays]string{"radixScatter_uint32_4096_uint32", "radixChained_uint32_4096_uint32", "scatterRuns_uint32"}, sortMost},
	{"radixCount_uint64_2048_uint32", [sortWays]string{byTiles: "radixTiles_uint64", byRuns: "countRuns_uint64"},
		[sortWays]string{"radixScatter_uint64_2048_uint64", "radixChained_uint64_2048_uint64", "scatterRuns_uint64"}, sortMost / 2},
}

// sortWords sorts keys that are words of 32 or 64 bits, by their lowest bits.
func sortWords(c *call, bytes, bits, n int, options uint32, keys, values gpu.Bound, way sortWay) error {
	if n <= sortRowMost {
		if options&indexValues != 0 {
			options = options&^withValues | withIndices
		}
		return sortRows(c, keyKind{bytes: bytes}, 1, n, options, keys, values)
	}
	otherKeys, err := c.scratch(slotKeys2, bytes*n)
	if err != nil {
		return err
	}
	size := 4
	if options&withValues != 0 {
		size = 4 * n
	}
	otherValues, err := c.scratch(slotValues, size)
	if err != nil {
		return err
	}
	d := digits{kernels: bytes/4 - 1, n: n, way: way}
	k := &sortKernels[d.kernels]
	d.each = k.each
	d.tiles = ceil(n, d.each*sortItems)
	d.counted = radix * d.tiles
	switch way {
	case byChained:
		d.counted = radix * bits / 8
	case byRuns:
		d.each = max(powerOf2(ceil(n, 1024)), 64)
		d.tiles = ceil(n, d.each*runItems)
		d.counted = radix * runItems * d.tiles
	}
	if d.counts, err = c.scratch(slotCounts, 4*d.counted); err != nil {
		return err
	}
	if d.offsets = d.counts; way != byChained {
		if d.offsets, err = c.scratch(slotKeys, 4*d.counted); err != nil {
			return err
		}
	} else if err := d.countAll(c, k.all, options, keys); err != nil {
		return err
	}
	from, to, valuesFrom, valuesTo := keys, gpu.Bound(otherKeys), values, gpu.Bound(otherValues)
	options |= encodeKeys
	for shift := 0; shift < bits; shift += 8 {
		if shift == bits-8 {
			options |= decodeKeys
		}
		if err := d.sort(c, uint32(shift), options, from, valuesFrom, to, valuesTo); err != nil {
			return err
		}
		from, to, valuesFrom, valuesTo = to, from, valuesTo, valuesFrom
		options &^= indexValues | encodeKeys
	}
	return nil
}

// digits is a sort of words while it is being enqueued.
type digits struct {
	kernels         int // index in sortKernels
	way             sortWay
	n, each, tiles  int // each is how many keys an item has
	counted         int // how many counts there are
	counts, offsets *gpu.Buffer[byte]
}

// countAll counts the digits of all positions, and computes where they begin.
func (d *digits) countAll(c *call, kernel string, options uint32, keys gpu.Bound) error {
	if err := fill(c, d.counts, d.counted, uint32(0)); err != nil {
		return err
	}
	positions := uint32(d.counted / radix)
	c.values.with(uint32(d.n), uint32(d.n/4), positions, options)
	if err := c.launch(kernel, gpu.D1(uint32(min(ceil(d.n, 4*binLoads*radix), 1024))), keys, keys, d.counts); err != nil {
		return err
	}
	c.values.with()
	return c.launch("radixBases", gpu.D1(positions), d.counts)
}

// sort enqueues the sort by one digit.
func (d *digits) sort(c *call, shift, options uint32, from, valuesFrom, to, valuesTo gpu.Bound) error {
	k, grid := &sortKernels[d.kernels], gpu.D1(uint32(d.tiles))
	tiles := from
	if d.n < d.each*sortItems { // of which there has to be one
		var err error
		if tiles, err = c.scratch(slotNothing3, leastBytes); err != nil {
			return err
		}
	}
	if d.way == byChained {
		status, epoch, base, err := c.chain(d.tiles, radix/2*d.tiles)
		if err != nil {
			return err
		}
		c.values.with(uint32(d.n), shift, options, epoch, base)
		return c.launch(k.move[d.way], grid, tiles, from, valuesFrom, d.offsets, status, to, valuesTo)
	}
	c.values.with(uint32(d.n), uint32(d.each), shift, options)
	if err := c.launch(k.count[d.way], grid, from, d.counts); err != nil {
		return err
	}
	if err := scan(c, isUint32, uint32(0), d.counted, wantSum|exclusive, d.counts, d.offsets, c.waits()); err != nil {
		return err
	}
	if d.way == byRuns {
		c.values.with(uint32(d.n), uint32(d.each), shift, options)
		return c.launch(k.move[d.way], grid, from, valuesFrom, d.offsets, to, valuesTo)
	}
	c.values.with(uint32(d.n), shift, options)
	return c.launch(k.move[d.way], grid, tiles, from, valuesFrom, d.offsets, to, valuesTo)
}
