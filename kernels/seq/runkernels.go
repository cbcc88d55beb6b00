package seq

import "github.com/gpuc/gpuc/runtime/gpu"

// runItems is the size of workgroups that sort runs. Processors have few lanes, which need neither
// subgroups nor tiles: an item sorts consecutive keys one after the other.
const runItems = 16

// keyAt loads a key, encoded.
func keyAt[K uint32 | uint64](keys []K, i int, options uint32) K {
	k := keys[i]
	if options&encodeKeys != 0 {
		k = encode(k, options)
	}
	return k
}

// countRuns counts the digits of each item's keys, which are each consecutive ones: first of all
// items for digit 0, and so on.
//
//gpuc:kernel workgroup=runItems types=uint32,uint64
func countRuns[K uint32 | uint64](it gpu.Item, counters *[radix * runItems]uint32, n, each int, shift, options uint32, keys []K, counts []uint32) {
	l, first := it.LocalIndex(), it.Index()*each
	for i := first; i < min(first+each, n); i++ {
		counters[int(digitOf(keyAt(keys, i, options), shift))*runItems+l]++
	}
	items := it.Groups().X * runItems
	for d := range radix {
		counts[d*items+it.Index()] = counters[d*runItems+l]
	}
}

// scatterRuns moves each item's keys, and the values behind them, to where their digits are.
// Offsets are countRuns' counts after an exclusive scan.
//
//gpuc:kernel workgroup=runItems types=uint32,uint64
func scatterRuns[K uint32 | uint64](it gpu.Item, next *[radix * runItems]uint32, n, each int, shift, options uint32, keys []K, values, offsets []uint32, keysOut []K, valuesOut []uint32) {
	l, first := it.LocalIndex(), it.Index()*each
	items := it.Groups().X * runItems
	for d := range radix {
		next[d*runItems+l] = offsets[d*items+it.Index()]
	}
	for i := first; i < min(first+each, n); i++ {
		key := keyAt(keys, i, options)
		at := int(digitOf(key, shift))*runItems + l
		to := int(next[at])
		next[at]++
		if options&decodeKeys != 0 {
			key = decode(key, options)
		}
		if to < len(keysOut) {
			keysOut[to] = key
		}
		if options&withValues != 0 && to < len(valuesOut) {
			value := uint32(i)
			if options&indexValues == 0 {
				value = values[i]
			}
			valuesOut[to] = value
		}
	}
}
