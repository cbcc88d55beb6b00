package exectest

// Values that are not plain numbers: bools, constants, matrices.

import "math/bits"

func languageBooleans() Case {
	const n = 30
	data := apply(randomU32(140, 4*(n+1), 9), func(x uint32) int32 { return int32(x) - 4 })
	mask := func(f func(k int) bool) uint32 {
		r := uint32(0)
		for k := range 4 {
			r |= toBool32(f(k)) << k
		}
		return r
	}
	return Case{
		Name:       "language_booleans",
		Doc:        "vectors of bool, select, any, all, bools in memory",
		Buffers:    []Buffer{content("data", data), content("results", make([]uint32, 7*n))},
		Dispatches: once("main", groups(n, 8), 1, 1),
		Reference: func(buffers [][]byte) {
			var results []uint32
			for i := range n {
				a, b := data[4*i:][:4], data[4*i+4:][:4]
				less := mask(func(k int) bool { return a[k] < b[k] })
				odd := mask(func(k int) bool { return a[k]&1 == 1 })
				chosen := uint32(0)
				for k := range 4 {
					chosen ^= uint32(max(a[k], b[k]))
				}
				seen := uint32(1) << (a[0] & 3)
				if position := uint32(1) << (b[0] & 3); seen&2 == 0 {
					seen |= position
				} else {
					seen &^= position
				}
				results = append(results, less,
					less&^odd*16+(less|odd), (^(less^odd)&15)*16+(less^odd),
					toBool32(less == 15)+2*toBool32(less != 0)+4*toBool32(odd&3 == 3)+
						8*toBool32(odd>>2 != 3)+16*(less&1),
					chosen, seen,
					((less|odd)^4)*16+mask(func(k int) bool { return a[k] >= b[k] })+
						256*mask(func(k int) bool { return a[k]&2 != 0 }))
			}
			store(buffers[1], results)
		},
	}
}

func languageConstants() Case {
	const n = 15
	return Case{
		Name: "language_constants",
		Doc:  "const-evaluation against the same at run time, const tables",
		Buffers: []Buffer{
			content("data", build(n, func(i int) int32 { return int32(i) })),
			content("results", make([]int32, 8*n)), content("floats", make([]float32, 4*n)).absolute(signless),
		},
		Dispatches: once("main", groups(n, 4), 1, 1),
		Reference: func(buffers [][]byte) {
			weights := [9]float32{0.5, 1, 2, 0.75, 0.75, 0.75, 4, 5, 6}
			var results []int32
			var floats []float32
			for i := range int32(n) {
				row := []int32{1, -1, 0}[i%3] * (i/3%4 + 1)
				results = append(results, row, (i%3+1)*10-3, 19+i, 0, 0, 0, 0, 0)
				floats = append(floats, weights[i%3*4], 0, 11, 80)
			}
			store(buffers[1], results)
			store(buffers[2], floats)
		},
	}
}

// grid is a matrix of small whole numbers by columns.
type grid struct {
	columns, rows int
	v             []float32
}

func (m grid) at(column, row int) float32 { return m.v[column*m.rows+row] }

func (m grid) column(i int) []float32 { return m.v[i*m.rows:][:m.rows] }

func (m grid) times(n grid) grid {
	r := grid{n.columns, m.rows, make([]float32, n.columns*m.rows)}
	for c := range r.columns {
		for k := range m.columns {
			for i := range r.rows {
				r.v[c*r.rows+i] += float32(m.at(k, i) * n.at(c, k))
			}
		}
	}
	return r
}

func (m grid) transposed() grid {
	return grid{m.rows, m.columns, build(len(m.v), func(i int) float32 { return m.at(i%m.columns, i/m.columns) })}
}

func (m grid) plus(n grid, scale float32) grid {
	return grid{m.columns, m.rows, build(len(m.v), func(i int) float32 { return m.v[i] + float32(scale*n.v[i]) })}
}

// determinant is Leibniz' sum over all permutations.
func (m grid) determinant() float32 {
	var sum func(row int, used uint, odd int) float32
	sum = func(row int, used uint, odd int) float32 {
		if row == m.rows {
			return float32(1 - 2*(odd&1))
		}
		total := float32(0)
		for c := range m.columns {
			if used>>c&1 == 0 { // inversions: the columns beyond c already taken
				total += m.at(c, row) * sum(row+1, used|1<<c, odd+bits.OnesCount(used>>(c+1)))
			}
		}
		return total
	}
	return sum(0, 0, 0)
}

func matrixProducts() Case {
	const n = 14
	data := randomSteps(141, 4*(n+2), 4, 0)
	columns := func(parts ...[]float32) grid {
		m := grid{columns: len(parts), rows: len(parts[0])}
		for _, p := range parts {
			m.v = append(m.v, p...)
		}
		return m
	}
	return Case{
		Name: "matrix_products",
		Doc:  "products of all shapes of matrices and vectors, exact",
		Buffers: []Buffer{
			content("data", data),
			content("results", make([]float32, 48*n)).absolute(signless),
			content("determinants", make([]float32, 4*n)).absolute(1e-3),
		},
		Dispatches: once("main", groups(n, 4), 1, 1),
		Reference: func(buffers [][]byte) {
			var results, determinants []float32
			add := func(parts ...[]float32) {
				for _, p := range parts {
					results = append(results, p...)
				}
			}
			for i := range n {
				a, b, c := data[4*i:][:4], data[4*i+4:][:4], data[4*i+8:][:4]
				m22, m32 := columns(a[:2], b[2:]), columns(a[:2], b[:2], c[:2])
				m23, m24 := columns(a[:3], b[1:]), columns(b, c)
				m42 := columns(a[:2], a[2:], b[:2], b[2:])
				m33, m34 := columns(a[:3], b[:3], c[:3]), columns(a, b, c)
				m43 := columns(a[:3], b[1:], c[:3], []float32{a[3], a[2], a[1]})
				m44 := columns(a, b, c, []float32{1, 2, 3, 4})
				// A vector on the left is a product with the transpose.
				left := func(v []float32, m grid) []float32 { return m.transposed().times(columns(v)).v }
				right := func(m grid, v []float32) []float32 { return m.times(columns(v)).v }
				square := m22.times(m22)
				add(right(m22, a[:2]), left(b[:2], m22))
				row := m23.times(m32).transposed().column(0)
				add(right(m32, c[:3]), []float32{a[0] * row[0], a[1] * row[1]})
				add(columns(right(m44, a)).plus(columns(left(b, m44)), -1).v)
				add(right(m43, b), []float32{m22.at(0, 1)})
				add(left(a, m34), []float32{a[1]})
				add(m34.times(m43).column(2))
				add(m43.times(m34).column(1), []float32{b[i%4]})
				add(m24.times(m42).column(3))
				add(columns(m44.transposed().column(i%4)).plus(columns([]float32{1, 2, 3, 4}), 1).v)
				add(m22.plus(square, 1).column(1), m42.times(m24).column(0))
				p := m33.times(m33)
				for k := range 3 {
					p.v[3+k] += p.v[k]
				}
				for k := range p.v {
					p.v[k] *= 0.5
				}
				add(p.column(1), []float32{p.at(i%3, 2)})
				add(left(a[:3], p), []float32{-c[0]})
				determinants = append(determinants, m22.determinant(), m33.determinant(), m44.determinant(),
					m33.determinant())
			}
			store(buffers[1], results)
			store(buffers[2], determinants)
		},
	}
}
