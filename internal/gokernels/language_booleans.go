package gokernels

//lint:file-ignore SA4000,SA4016,SA4006,SA4022 a kernel tests code that does not matter

import "github.com/gpuc/gpuc/runtime/gpu"

// Bools as values: in arrays, structures, results and conditions.

// quad and bools are vectors of four, which Go has no operators for.
type (
	quad  [4]int32
	bools [4]bool
)

func (a quad) less(b quad) bools {
	return bools{a[0] < b[0], a[1] < b[1], a[2] < b[2], a[3] < b[3]}
}

// has reports which integers have a bit.
func (a quad) has(bit int32) bools {
	return bools{a[0]&bit != 0, a[1]&bit != 0, a[2]&bit != 0, a[3]&bit != 0}
}

// notLess compares the numbers as floats.
func (a quad) notLess(b quad) bools {
	return bools{
		float32(a[0]) >= float32(b[0]), float32(a[1]) >= float32(b[1]), float32(a[2]) >= float32(b[2]), float32(a[3]) >= float32(b[3]),
	}
}

func (b bools) not() bools { return bools{!b[0], !b[1], !b[2], !b[3]} }

func (b bools) and(c bools) bools {
	return bools{b[0] && c[0], b[1] && c[1], b[2] && c[2], b[3] && c[3]}
}

func (b bools) or(c bools) bools {
	return bools{b[0] || c[0], b[1] || c[1], b[2] || c[2], b[3] || c[3]}
}

func (b bools) equal(c bools) bools {
	return bools{b[0] == c[0], b[1] == c[1], b[2] == c[2], b[3] == c[3]}
}

func (b bools) bits() uint32 { return bit(b[0], 1) | bit(b[1], 2) | bit(b[2], 4) | bit(b[3], 8) }
func (b bools) any() bool    { return b[0] || b[1] || b[2] || b[3] }
func (b bools) all() bool    { return b[0] && b[1] && b[2] && b[3] }

// bit is n for true and 0 for false.
func bit(b bool, n uint32) uint32 {
	if b {
		return n
	}
	return 0
}

// boolFlags is bools with a name for the first.
type boolFlags struct {
	low  bool
	rest [3]bool
}

//gpuc:kernel workgroup=8
func LanguageBooleans(it gpu.Item, data []quad, results [][7]uint32) {
	i := it.Index()
	if i >= len(results) {
		return
	}
	a, b := data[i], data[i+1]
	less, odd := a.less(b), a.has(1)
	either, same := less.or(odd), less.equal(odd)
	chosen := max(a[0], b[0]) ^ max(a[1], b[1]) ^ max(a[2], b[2]) ^ max(a[3], b[3])
	var seen bools
	seen[a[0]&3] = true
	seen[b[0]&3] = !seen[1]
	f := boolFlags{either[0], [3]bool{either[1], either[2], either[3]}}
	f.rest[1] = !f.rest[1]
	results[i] = [7]uint32{
		less.bits(),
		less.and(odd.not()).bits()*16 + either.bits(),
		same.bits()*16 + same.not().bits(),
		one(less.all()) + 2*one(less.any()) + 4*one(odd[0] && odd[1]) + 8*one(!odd[2] || !odd[3]) + 16*one(less[0]),
		uint32(chosen),
		seen.bits(),
		bools{f.low, f.rest[0], f.rest[1], f.rest[2]}.bits()*16 + a.notLess(b).bits() + 256*a.has(2).bits(),
	}
}
