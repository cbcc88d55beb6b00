package exectest

// One operation per element: the kernels that show that data is passed in, indexed and read back.

import "github.com/gpuc/gpuc/ir/scalar"

func saxpy() Case {
	const n = 1000
	x, y := randomF32(1, n, -4, 4), randomF32(2, n, -4, 4)
	return Case{
		Name: "saxpy",
		Doc:  "y = a·x + y with a uniform and a partial last workgroup",
		Buffers: []Buffer{
			mixed("parameters", pack(float32(2.71828)), pack(uint32(n-3))),
			content("x", x),
			// Two roundings of numbers below 16, or one, and that of the reference.
			content("y", y).absolute(0x1p-19),
		},
		Dispatches: once("main", groups(n, 64), 1, 1),
		Reference: func(buffers [][]byte) {
			v := values[float32](buffers[2])
			for i := range v[:n-3] {
				v[i] = float32(float64(float32(2.71828))*float64(x[i]) + float64(y[i]))
			}
			store(buffers[2], v)
		},
	}
}

func vectorAdd() Case {
	const n = 777
	a, b := randomF32(3, n, -100, 100), randomF32(4, n, -1, 1)
	return Case{
		Name:       "vector_add",
		Doc:        "c = a + b in a loop strided by the grid",
		Buffers:    []Buffer{content("a", a), content("b", b), content("c", make([]float32, n))},
		Dispatches: once("main", 6, 1, 1),
		Reference: func(buffers [][]byte) {
			store(buffers[2], build(n, func(i int) float32 { return a[i] + b[i] }))
		},
	}
}

func transpose() Case {
	const width, height = 37, 29
	return Case{
		Name: "transpose",
		Doc:  "a rectangular transpose through a padded workgroup tile",
		Buffers: []Buffer{
			content("original", randomU32(5, width*height, 0)),
			content("transposed", make([]uint32, width*height)),
		},
		Dispatches: once("main", groups(width, 16), groups(height, 8), 1),
		Reference: func(buffers [][]byte) {
			in := values[uint32](buffers[0])
			store(buffers[1], build(width*height, func(i int) uint32 {
				return in[i%height*width+i/height]
			}))
		},
	}
}

func axpyHalf() Case {
	const n, triples = 202, 67
	a := 1.625
	b := [3]float64{0.75, -3.5, 100}
	x := apply(randomF32(6, n, -4, 4), func(v float32) half { return toHalf(float64(v)) })
	y := apply(randomF32(7, n, -4, 4), func(v float32) half { return toHalf(float64(v)) })
	z := apply(randomF32(8, 4*triples, -4, 4), func(v float32) half { return toHalf(float64(v)) })
	axpy := func(x half, y float64) half {
		return toHalf(toHalf(a*x.float64()).float64() + y)
	}
	return Case{
		Name:     "axpy_f16",
		Doc:      "f16 scalars and vec3h, rounded after every operation",
		NeedsF16: true,
		Strict:   true,
		Buffers: []Buffer{
			{
				Name:    "parameters", // the vec3h is aligned to 8 bytes
				Data:    pack(halves([]float64{a, 0, 0, 0, b[0], b[1], b[2], 0})...),
				Element: scalar.F16,
			},
			content("x", x), content("y", y), content("triples", z),
		},
		Dispatches: once("main", groups(n, 32), 1, 1),
		Reference: func(buffers [][]byte) {
			store(buffers[2], build(n, func(i int) half { return axpy(x[i], y[i].float64()) }))
			store(buffers[3], build(4*triples, func(i int) half {
				if i%4 == 3 {
					return z[i] // the padding of a vec3h is nobody's
				}
				return axpy(z[i], b[i%4])
			}))
		},
	}
}
