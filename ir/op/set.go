package op

// Set is a set of operations.
type Set [(Count + 63) / 64]uint64

// SetOf returns the set of some operations.
func SetOf(ops ...Op) (s Set) {
	for _, o := range ops {
		s.Add(o)
	}
	return s
}

// Tiles are the operations on tiles. They are in one word of the set, or this does not compile.
// So are Fragments, the operations on fragments.
var (
	Tiles     = Set{TileLoad >> 6: (1<<(TileSet-TileLoad+1) - 1) << (TileLoad & 63)}
	Fragments = Set{FragmentLoad >> 6: (1<<(FragmentSet-FragmentLoad+1) - 1) << (FragmentLoad & 63)}
)

// Add puts an operation into the set.
func (s *Set) Add(o Op) { s[o>>6] |= 1 << (o & 63) }

// Remove takes an operation out of the set.
func (s *Set) Remove(o Op) { s[o>>6] &^= 1 << (o & 63) }

// Has reports whether an operation is in the set.
func (s *Set) Has(o Op) bool { return s[o>>6]>>(o&63)&1 != 0 }

// Meets reports whether two sets have an operation in common.
func (s *Set) Meets(t *Set) bool {
	for n := range s {
		if s[n]&t[n] != 0 {
			return true
		}
	}
	return false
}
