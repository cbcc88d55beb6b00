package spec

import "github.com/gpuc/gpuc/runtime/gpu"

type list [5]uint32

type span struct {
	part []uint32
	left int
}

func (s *span) next() {
	s.left--
	s.part = s.part[1:2]
}

func (l *list) at(n int) uint32 { return l[n%len(l)] }

func (l *list) tail() []uint32 { return l[2:] }

var (
	primes  = [8]uint32{2, 3, 5, 7, 11, 13, 17, 19}
	matrix  = [3][4]uint32{{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}}
	records = [...]Cell{{1, [4]uint32{1, 2, 3, 4}}, {N: 7}, {9, [4]uint32{3: 8}}}
	lengths = list{5, 4, 3, 2, 1}
	passed  = [4]uint32{10, 20, 30, 40}
)

// total is of the host. It reads the tables that kernels do.
func total() (sum uint32) {
	s := primes[1:]
	for _, x := range s {
		sum += x
	}
	var copied [4]uint32
	copy(copied[:], passed[:])
	for _, c := range records[:] {
		sum += sumOf(&c.A)
	}
	return sum + copied[3] + uint32(len(matrix[:]))
}

func row(n int) []uint32 { return matrix[n%3][:] }

func cellAt(n int) *Cell { return &records[n%len(records)] }

func largest(s []uint32) (m uint32) {
	if len(s) == 1 {
		return s[0]
	}
	return max(s[0], largestOf(s[1:]))
}

func largestOf(s []uint32) (m uint32) {
	for k := range s {
		m = max(m, s[k])
	}
	return m
}

//gpuc:kernel workgroup=4
func TableSlices(it gpu.Item, tile *Tile, n int, in []uint32, cells []Cell, out [][Results]uint32) {
	i := it.Index()
	o := &out[i]
	o[0] = measure(primes[:]) + measure(primes[i:]) + measure(primes[2:4][:5])
	o[1] = measure(primes[i : i+1 : i+1])
	for k, x := range &primes {
		o[2] = o[2]*3 + x*uint32(k)
	}
	for k := range &matrix {
		for _, x := range &matrix[k] {
			o[3] = o[3]*3 + x
		}
	}
	o[4] = sumOf(&matrix[i%3]) + sumOf(&passed)
	o[5] = measure(row(i)) + measure(row(1)[1:3])
	o[6] = cellAt(i).A[i%4] + cellAt(i+1).N
	o[7] = lengths.at(i) + measure(lengths.tail())
	p := &primes[3]
	if i%2 == 0 {
		p = &primes[i]
	}
	o[8] = *p
	s := primes[:2]
	if i > 3 {
		s = primes[i-2:]
	}
	o[9] = measure(s) + uint32(cap(s))
	o[10] = largest(primes[i:]) + largestOf(records[i%3].A[:])
	r := records[1:]
	o[11] = r[i%2].N + measure(r[1].A[i%4:])
	o[12] = sum(primes[:i]...)
	var best []uint32
	for k := range matrix {
		if part := matrix[k][i%4:]; part[0]%3 == 0 {
			best = part
		}
	}
	o[13] = measure(best)
	q := &records
	o[14] = q[i%3].A[1] + uint32(len(q))
	w := span{primes[1:5], i}
	w.next()
	o[15] = measure(w.part) + uint32(w.left)
}

// Total is what the tables add up to.
var Total = total()
