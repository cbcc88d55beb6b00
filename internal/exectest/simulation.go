package exectest

// Steps of simulations and searches: neighbourhoods, all pairs, and loops whose
// length depends on the data.

import (
	"math"
	"math/bits"
)

func mandelbrot() Case {
	const width, height, limit = 61, 45, 80
	return Case{
		Name:       "mandelbrot",
		Doc:        "iteration counts that one contracted operation would change",
		Strict:     true,
		Buffers:    []Buffer{content("counts", make([]uint32, width*height))},
		Dispatches: []Dispatch{{"main", [3]uint32{groups(width, 8), groups(height, 8), 1}, []Override{{"limit", limit}}, nil}},
		Reference: func(buffers [][]byte) {
			store(buffers[0], build(width*height, func(i int) uint32 {
				cx := float32(i%width)*0.046875 - 2
				cy := float32(i/width)*0.046875 - 1.03125
				var x, y float32
				for n := range uint32(limit) {
					xx, yy := float32(x*x), float32(y*y)
					if xx+yy > 4 {
						return n
					}
					x, y = float32(xx-yy)+cx, float32(float32(2*x)*y)+cy
				}
				return limit
			}))
		},
	}
}

func gameOfLife() Case {
	const width, height = 50, 37
	board := randomU32(40, width*height, 2)
	grid := [3]uint32{groups(width, 8), groups(height, 8), 1}
	return Case{
		Name:       "game_of_life",
		Doc:        "three generations on a torus through pointers to storage",
		Buffers:    []Buffer{content("even", board), content("odd", make([]uint32, width*height))},
		Dispatches: []Dispatch{{"even_to_odd", grid, nil, nil}, {"odd_to_even", grid, nil, nil}, {"even_to_odd", grid, nil, nil}},
		Reference: func(buffers [][]byte) {
			// By spreading: every living cell counts itself in at its neighbours.
			next := func(board []uint32) []uint32 {
				near := make([]int, len(board))
				for i, alive := range board {
					for _, dy := range []int{-1, 0, 1} {
						for _, dx := range []int{-1, 0, 1} {
							x, y := (i%width+dx+width)%width, (i/width+dy+height)%height
							near[y*width+x] += int(alive)
						}
					}
				}
				return build(len(board), func(i int) uint32 { // near counts the cell too
					if near[i] == 3 || near[i] == 4 && board[i] == 1 {
						return 1
					}
					return 0
				})
			}
			second := next(next(board))
			store(buffers[0], second)
			store(buffers[1], next(second))
		},
	}
}

func nbody() Case {
	const n, step, softening = 100, 0.0078125, 0.0625
	bodies := randomF32(41, 4*n, -1, 1)
	for i := range n {
		bodies[4*i+3] = float32(math.Abs(float64(bodies[4*i+3]))) / 16
	}
	velocities := randomF32(42, 4*n, -1, 1)
	return Case{
		Name: "nbody",
		Doc:  "all pairs through tiles, inverseSqrt and vec4 loads",
		Buffers: []Buffer{
			content("settings", []float32{step, softening}),
			content("bodies", bodies),
			content("velocities", velocities).absolute(1e-5),
			content("moved", make([]float32, 4*n)).absolute(1e-6),
		},
		Dispatches: once("main", groups(n, 32), 1, 1),
		Reference: func(buffers [][]byte) {
			moved := make([]float32, 4*n)
			speeds := make([]float32, 4*n)
			for i := range n {
				square := 0.0
				for k := range 3 {
					pull := 0.0
					for j := range n {
						distance := softening
						for l := range 3 {
							distance += math.Pow(float64(bodies[4*j+l])-float64(bodies[4*i+l]), 2)
						}
						pull += float64(bodies[4*j+3]) * (float64(bodies[4*j+k]) - float64(bodies[4*i+k])) * math.Pow(distance, -1.5)
					}
					v := float64(velocities[4*i+k]) + pull*step
					square += v * v
					speeds[4*i+k] = float32(v)
					moved[4*i+k] = float32(float64(bodies[4*i+k]) + v*step)
				}
				speeds[4*i+3] = float32(math.Sqrt(square))
				moved[4*i+3] = bodies[4*i+3]
			}
			store(buffers[2], speeds)
			store(buffers[3], moved)
		},
	}
}

func jacobi() Case {
	const width, height = 43, 35
	cells := randomF32(43, width*height, 0, 100)
	return Case{
		Name:   "jacobi",
		Doc:    "heat conduction with a halo in workgroup memory, bit exact",
		Strict: true,
		Buffers: []Buffer{
			content("temperature", cells),
			content("next", make([]float32, width*height)),
		},
		Dispatches: once("main", groups(width, 8), groups(height, 8), 1),
		Reference: func(buffers [][]byte) {
			store(buffers[1], build(width*height, func(i int) float32 {
				if x, y := i%width, i/width; x == 0 || y == 0 || x == width-1 || y == height-1 {
					return cells[i]
				}
				return ((cells[i-1] + cells[i+1]) + (cells[i-width] + cells[i+width])) * 0.25
			}))
		},
	}
}

func collatz() Case {
	starts := append(build(300, func(i int) uint32 { return uint32(i) }),
		113383, 159487, 0xFFFFFFFF, 0x55555555, 1<<31, 837799)
	return Case{
		Name:       "collatz",
		Doc:        "an unpredictable loop with returns out of it",
		Buffers:    []Buffer{content("data", starts)},
		Dispatches: once("main", groups(len(starts), 64), 1, 1),
		Reference: func(buffers [][]byte) {
			store(buffers[0], apply(starts, func(start uint32) uint32 {
				steps := 0
				for n := uint64(start); n > 1; {
					zeros := bits.TrailingZeros64(n)
					n, steps = n>>zeros, steps+zeros
					if n == 1 {
						break
					}
					if n, steps = 3*n+1, steps+1; n > math.MaxUint32 {
						return math.MaxUint32
					}
				}
				return uint32(steps)
			}))
		},
	}
}

func primeSieve() Case {
	const limit = 3000
	return Case{
		Name: "prime_sieve",
		Doc:  "bits struck out with atomicOr and counted",
		Buffers: []Buffer{
			content("composite", make([]uint32, (limit+31)/32)),
			content("primes", []uint32{0}),
		},
		Dispatches: append(once("strike", 4, 1, 1), once("tally", groups((limit+31)/32, 32), 1, 1)...),
		Reference: func(buffers [][]byte) {
			// Trial division.
			words, primes := make([]uint32, (limit+31)/32), uint32(0)
			for n := 2; n < limit; n++ {
				prime := true
				for d := 2; d*d <= n; d++ {
					prime = prime && n%d != 0
				}
				if prime {
					primes++
				} else {
					words[n/32] |= 1 << (n % 32)
				}
			}
			store(buffers[0], words)
			store(buffers[1], []uint32{primes})
		},
	}
}
