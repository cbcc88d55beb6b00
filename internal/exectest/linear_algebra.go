package exectest

// Matrices: products, factorisations, inverses, rotations, and the graph
// problem that is a matrix product in another algebra.

import "math"

// multiply is the product in float64, of which every case takes its own view.
func multiply(a, b []float32, rows, columns, inner int) []float64 {
	return build(rows*columns, func(i int) float64 {
		sum := 0.0
		for k := range inner {
			sum += float64(a[i/columns*inner+k]) * float64(b[k*columns+i%columns])
		}
		return sum
	})
}

func matmulNaive() Case {
	const rows, columns, inner = 13, 19, 23
	a, b := randomF32(10, rows*inner, -1, 1), randomF32(11, inner*columns, -1, 1)
	return Case{
		Name:   "matmul_naive",
		Doc:    "one strictly ordered dot product per invocation, bit exact",
		Strict: true,
		Buffers: []Buffer{
			content("shape", []uint32{rows, columns, inner}),
			content("a", a), content("b", b), content("c", make([]float32, rows*columns)),
		},
		Dispatches: once("main", groups(columns, 8), groups(rows, 4), 1),
		Reference: func(buffers [][]byte) {
			// Rank-one updates: the same sums in the same order, found the other
			// way round.
			c := make([]float32, rows*columns)
			for k := range inner {
				for i := range c {
					c[i] += float32(a[i/columns*inner+k] * b[k*columns+i%columns])
				}
			}
			store(buffers[3], c)
		},
	}
}

func matmulTiled() Case {
	const rows, columns, inner = 35, 41, 37
	a, b := randomF32(12, rows*inner, -1, 1), randomF32(13, inner*columns, -1, 1)
	return Case{
		Name: "matmul_tiled",
		Doc:  "16×16 tiles in workgroup memory with partial tiles on every side",
		Buffers: []Buffer{
			content("shape", []uint32{rows, columns, inner}),
			content("a", a), content("b", b),
			// 37 products below 1 and their sums, each rounded once.
			content("c", make([]float32, rows*columns)).absolute(inner * 8 * 0x1p-24),
		},
		Dispatches: once("main", groups(columns, 16), groups(rows, 16), 1),
		Reference: func(buffers [][]byte) {
			exact := multiply(a, b, rows, columns, inner)
			store(buffers[3], apply(exact, func(x float64) float32 { return float32(x) }))
		},
	}
}

func floydWarshall() Case {
	const nodes, none = 21, math.MaxUint32
	edges := build(nodes*nodes, func(i int) uint32 {
		if i/nodes == i%nodes {
			return 0
		}
		return none
	})
	r := source(14)
	for range 3 * nodes {
		edges[r.IntN(nodes)*nodes+r.IntN(nodes-1)] = 1 + r.Uint32N(1000)
	}
	for i := range nodes {
		edges[i*nodes+i] = 0
	}
	var dispatches []Dispatch
	for range nodes {
		dispatches = append(dispatches, once("relax", 3, 3, 1)...)
		dispatches = append(dispatches, once("advance", 1, 1, 1)...)
	}
	return Case{
		Name:       "floyd_warshall",
		Doc:        "shortest paths in place over 42 dependent dispatches",
		Buffers:    []Buffer{content("distance_of", edges), content("through", []uint32{0})},
		Dispatches: dispatches,
		Reference: func(buffers [][]byte) {
			// Bellman–Ford from every node.
			var all []uint32
			for from := range nodes {
				d := build(nodes, func(i int) uint64 { return math.MaxUint64 })
				d[from] = 0
				for range nodes {
					for e, w := range edges {
						if u := d[e/nodes]; u != math.MaxUint64 && w != none && u+uint64(w) < d[e%nodes] {
							d[e%nodes] = u + uint64(w)
						}
					}
				}
				all = append(all, apply(d, func(x uint64) uint32 { return uint32(min(x, none)) })...)
			}
			store(buffers[0], all)
			store(buffers[1], []uint32{nodes})
		},
	}
}

// wellConditioned returns count matrices of the given order: random numbers in
// [-1, 1] with order added to the diagonal.
func wellConditioned(seed uint64, count, order int) []float32 {
	v := randomF32(seed, count*order*order, -1, 1)
	for i := range v {
		if at := i % (order * order); at/order == at%order {
			v[i] += float32(order)
		}
	}
	return v
}

func cholesky() Case {
	const order, count = 6, 27
	const size = order * order
	lower := wellConditioned(15, count, order)
	var matrices []float32
	for m := range count {
		l := lower[m*size:][:size]
		for i := range size {
			if i%order > i/order {
				l[i] = 0
			}
		}
		for i := range size {
			sum := 0.0
			for k := range order {
				sum += float64(l[i/order*order+k]) * float64(l[i%order*order+k])
			}
			matrices = append(matrices, float32(sum))
		}
	}
	return Case{
		Name: "cholesky",
		Doc:  "a factorisation per invocation in a dynamically indexed array",
		Buffers: []Buffer{
			content("matrices", matrices),
			content("factors", make([]float32, count*size)).absolute(1e-4),
		},
		Dispatches: once("main", groups(count, 8), 1, 1),
		// The matrices were made from their factors.
		Reference: func(buffers [][]byte) { store(buffers[1], lower) },
	}
}

// invert is Gauss–Jordan elimination with pivoting on a column-major 4×4
// matrix; it returns the inverse and the determinant.
func invert(m []float32) (inverse [16]float64, determinant float64) {
	var a [4][8]float64 // rows, the identity beside
	for i := range 4 {
		for j := range 4 {
			a[i][j] = float64(m[j*4+i])
		}
		a[i][4+i] = 1
	}
	determinant = 1
	for j := range 4 {
		pivot := j
		for i := j + 1; i < 4; i++ {
			if math.Abs(a[i][j]) > math.Abs(a[pivot][j]) {
				pivot = i
			}
		}
		if pivot != j {
			a[pivot], a[j] = a[j], a[pivot]
			determinant = -determinant
		}
		determinant *= a[j][j]
		for k := 7; k >= j; k-- {
			a[j][k] /= a[j][j]
		}
		for i := range 4 {
			if i == j {
				continue
			}
			factor := a[i][j]
			for k := range 8 {
				a[i][k] -= factor * a[j][k]
			}
		}
	}
	for i := range 16 {
		inverse[i] = a[i%4][4+i/4]
	}
	return inverse, determinant
}

func matrixInverse() Case {
	const count = 18
	matrices := wellConditioned(16, count, 4)
	return Case{
		Name: "matrix_inverse",
		Doc:  "4×4 inverses by cofactors, with determinant and transpose",
		Buffers: []Buffer{
			content("matrices", matrices),
			content("inverses", make([]float32, 16*count)).absolute(1e-5),
			content("products", make([]float32, 16*count)).absolute(1e-4),
			content("determinants", make([]float32, count)).absolute(2e-3),
		},
		Dispatches: once("main", groups(count, 4), 1, 1),
		Reference: func(buffers [][]byte) {
			var inverses, products, determinants []float32
			identity := []float32{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}
			for m := range count {
				inverse, determinant := invert(matrices[16*m:][:16])
				for _, x := range inverse {
					inverses = append(inverses, float32(x))
				}
				products = append(products, identity...)
				determinants = append(determinants, float32(determinant))
			}
			store(buffers[1], inverses)
			store(buffers[2], products)
			store(buffers[3], determinants)
		},
	}
}

func quaternion() Case {
	const n = 50
	rotations := randomF32(17, 4*n, 0.5, 2)
	points := randomF32(18, 4*n, -4, 4)
	return Case{
		Name: "quaternion",
		Doc:  "rotation by quaternion and by matrix with cross, dot and normalize",
		Buffers: []Buffer{
			content("rotations", rotations), content("points", points),
			content("by_quaternion", make([]float32, 4*n)).absolute(2e-5),
			content("by_matrix", make([]float32, 4*n)).absolute(2e-5),
		},
		Dispatches: once("main", groups(n, 16), 1, 1),
		Reference: func(buffers [][]byte) {
			quaternions, matrices := make([]float32, 4*n), make([]float32, 4*n)
			for i := range n {
				v := rotateByAngle(rotations[4*i:][:4], points[4*i:][:3])
				for k, x := range v {
					quaternions[4*i+k], matrices[4*i+k] = float32(x), float32(x)
				}
				quaternions[4*i+3] = 1
				matrices[4*i+3] = float32(math.Sqrt(v[0]*v[0] + v[1]*v[1] + v[2]*v[2]))
			}
			store(buffers[2], quaternions)
			store(buffers[3], matrices)
		},
	}
}

// rotateByAngle rotates through the axis and the angle of the quaternion (x, y, z, w), by
// Rodrigues' formula.
func rotateByAngle(q, v []float32) [3]float64 {
	x, y, z := float64(q[0]), float64(q[1]), float64(q[2])
	axis := math.Sqrt(x*x + y*y + z*z)
	sin, cos := math.Sincos(2 * math.Atan2(axis, float64(q[3])))
	k := [3]float64{x / axis, y / axis, z / axis}
	p := [3]float64{float64(v[0]), float64(v[1]), float64(v[2])}
	along := k[0]*p[0] + k[1]*p[1] + k[2]*p[2]
	var r [3]float64
	for i := range r {
		j, l := (i+1)%3, (i+2)%3
		r[i] = p[i]*cos + (k[j]*p[l]-k[l]*p[j])*sin + k[i]*along*(1-cos)
	}
	return r
}
