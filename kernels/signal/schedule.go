package signal

import (
	"math"
	"slices"
)

// This file chooses the stages of composite transforms, and where their numbers are in workgroup
// memory.

// stageCost is about how many instructions a transform of a radix takes, without what every
// number of a stage takes: numberCost, for the exchange and the twiddle factor.
var stageCost = [17]int{
	1: 60, 2: 64, 3: 76, 4: 76, 5: 108, 6: 104, 7: 156, 8: 120, 9: 180, 10: 176, 11: 300, 12: 172, 13: 400, 14: 280, 15: 284, 16: 228,
}

const numberCost = 19

// compositeRadices returns the radices of a transform of n numbers that takes the fewest
// instructions, and that cost for a number. Radices are most or less. Odd ones come first, so that
// items write the results of the first stage to different banks.
func compositeRadices(n, most int) (list []int, cost float64) {
	if n == 1 {
		return nil, 0
	}
	cost = math.Inf(1)
	for r := min(n, most); r > 1; r-- {
		if n%r != 0 {
			continue
		}
		rest, other := compositeRadices(n/r, r)
		other += numberCost + float64(stageCost[r])/float64(r)
		if other < cost {
			list, cost = append([]int{r}, rest...), other
		}
	}
	slices.SortFunc(list, func(a, b int) int {
		if a%2 != b%2 {
			return b%2 - a%2
		}
		return b - a
	})
	return list, cost
}

// arrangement is where numbers are in workgroup memory. Rows are pitch apart, and numbers of a row
// apart. Gaps are those after the blocks that each stage but the last one writes.
type arrangement struct {
	pitch, apart int
	gaps         []int
}

// arrange chooses gaps for which few items have the same bank at once, and which leave room for as
// many rows as there were without them. Banks are as wide as a number.
func arrange(radices []int, room, banks int) (a arrangement) {
	n := 1
	for _, r := range radices {
		n *= r
	}
	a.pitch, a.apart = n, 1
	limit := room / (room / n)
	span := 1
	for s, r := range radices[:len(radices)-1] {
		block, best, least := span*r, 0, math.MaxInt
		for gap := 0; gap < banks && n+n/block*gap <= limit; gap++ {
			// items write result 0 of their transforms, and read number 0 of theirs
			c := conflicts(n/r, banks, func(k int) int { return k/span*(block+gap) + k%span }) +
				conflicts(n/radices[s+1], banks, func(k int) int { return k + k/block*gap })
			if c < least {
				best, least = gap, c
			}
		}
		a.gaps = append(a.gaps, best)
		a.pitch = max(a.pitch, n+n/block*best)
		span = block
	}
	return a
}

// conflicts returns how many accesses it takes for all items: those of as many items as there are
// banks take one each time that they have the same bank.
func conflicts(count, banks int, at func(k int) int) (sum int) {
	for first := 0; first < min(count, 8*banks); first += banks {
		var uses [16]int
		for k := first; k < min(count, first+banks); k++ {
			uses[at(k)%banks]++
		}
		sum += slices.Max(uses[:])
	}
	return sum
}

// scheduleOf returns the schedule of these radices.
func scheduleOf(radices []int, a arrangement) (list []uint32) {
	n := 1
	for _, r := range radices {
		n *= r
	}
	span, gap, factor := 1, 0, 0
	for s, r := range radices {
		count := n / r
		words := [12]uint32{
			wordRadix: uint32(r), wordCount: uint32(count), wordByCount: reciprocal(count), wordSpan: uint32(span), wordBySpan: reciprocal(span),
			wordFactors: uint32(factor), wordGap: uint32(gap), wordStep: uint32((count + count/span*gap) * a.apart), wordPitch: uint32(a.pitch), wordApart: uint32(a.apart), wordFar: uint32(span * a.apart),
		}
		factor += (r - 1) * span
		span *= r
		gap = 0
		if s < len(a.gaps) {
			gap = a.gaps[s]
		}
		words[wordOutBlock] = uint32(span + gap)
		list = append(list, words[:]...)
	}
	return append(list, make([]uint32, 12*stagesAtMost-len(list))...)
}

// reciprocal is 1/d as kernels divide by it.
func reciprocal(d int) uint32 { return uint32((1<<quotientBits + d - 1) / d) }
