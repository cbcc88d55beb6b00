package seq

// A folder says what a reduction computes of elements E: a state S of some of them, which becomes
// that of more. Kernels are generic over it.
type folder[E, S any] interface {
	// start is the state of no elements.
	start() S
	// begin is the state to add elements to, of which v at an index is one; v is added, too.
	begin(v E, at int) S
	// add returns the state with one more element, which is at an index along the axis. Indices
	// only grow from call to call.
	add(s S, v E, at int, options uint32) S
	// merge returns the state of the elements of both.
	merge(a, b S, options uint32) S
	// value and index are what the reduction writes. The divisor is Mean's and Variance's.
	value(s S, divisor E) E
	index(s S) int32
}

// Options of the kernels that fold, as bits.
const (
	wantLargest uint32 = 1 << iota // and not the smallest
	toPartial                      // states go to the partial results
	toValues
	toIndices
	lanesFirst // neighbouring items are lanes of one output
)

// total is the sum of the elements.
type total[T Number] struct{}

func (total[T]) start() T                        { return 0 }
func (total[T]) begin(T, int) T                  { return 0 }
func (total[T]) add(s T, v T, _ int, _ uint32) T { return s + v }
func (total[T]) merge(a, b T, _ uint32) T        { return a + b }
func (total[T]) value(s T, divisor T) T          { return s / divisor }
func (total[T]) index(T) int32                   { return 0 }

// nowhere is the index of an element that there is not.
const nowhere = -1

// best is the smallest or largest element, and its index along the axis.
type best[T Number] struct {
	V  T
	At int32
}

// finder finds the best element: the first NaN if there is one, otherwise the first of the
// smallest or largest.
type finder[T Number] struct{}

func (finder[T]) start() best[T]            { return best[T]{At: nowhere} }
func (finder[T]) begin(v T, at int) best[T] { return best[T]{v, int32(at)} }

func (finder[T]) add(s best[T], v T, at int, options uint32) best[T] {
	if isBetter(v, s.V, options) {
		s = best[T]{v, int32(at)}
	}
	return s
}

func (finder[T]) merge(a, b best[T], options uint32) best[T] {
	if b.At == nowhere {
		return a
	}
	if a.At == nowhere || isBetter(b.V, a.V, options) {
		return b
	}
	if b.At < a.At && !isBetter(a.V, b.V, options) {
		return b
	}
	return a
}

func (finder[T]) value(s best[T], _ T) T { return s.V }
func (finder[T]) index(s best[T]) int32  { return s.At }

// isBetter reports whether a comes before b: a NaN before all others, then by size.
func isBetter[T Number](a, b T, options uint32) bool {
	worse := a >= b // or equal; no NaN is
	if options&wantLargest != 0 {
		worse = a <= b
	}
	return !worse && b == b
}

// moments are the number of elements, their mean, and the sum of the squares of the differences
// from it.
type moments[T Float] struct {
	Mean, Squares T
	Count         int32
}

// spread computes moments. An element is added as by Welford, "Note on a Method for Calculating
// Corrected Sums of Squares and Products" (1962). Two sets are merged as by Chan, Golub and
// LeVeque, "Updating Formulae and a Pairwise Algorithm for Computing Sample Variances" (1979).
type spread[T Float] struct{}

func (spread[T]) start() moments[T]       { return moments[T]{} }
func (spread[T]) begin(T, int) moments[T] { return moments[T]{} }

func (spread[T]) add(s moments[T], v T, _ int, _ uint32) moments[T] {
	s.Count++
	difference := v - s.Mean
	s.Mean += difference / T(s.Count)
	s.Squares += difference * (v - s.Mean)
	return s
}

func (spread[T]) merge(a, b moments[T], _ uint32) moments[T] {
	if b.Count == 0 {
		return a
	}
	if a.Count == 0 {
		return b
	}
	count := a.Count + b.Count
	difference := b.Mean - a.Mean
	share := T(b.Count) / T(count)
	return moments[T]{
		Mean:    a.Mean + difference*share,
		Squares: a.Squares + b.Squares + difference*difference*(T(a.Count)*share),
		Count:   count,
	}
}

func (spread[T]) value(s moments[T], divisor T) T { return s.Squares / divisor }
func (spread[T]) index(s moments[T]) int32        { return s.Count }
