package exectest

// Floating-point builtins. Where WGSL's table of accuracy (§15.7.4) gives a
// bound, the reference is computed in float64 and rounded, which may add half
// an ULP; the bounds here count that in.

import "math"

// signless lets +0 and -0 pass for each other and nothing else: WGSL leaves the
// sign of a zero open, and no two normal numbers are this close.
const signless = 0x1p-149

func floats32(v ...float64) []float32 {
	return apply(v, func(x float64) float32 { return float32(x) })
}

// toBool32 is 1 for true.
func toBool32(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

func floatRounding() Case {
	data := []float32{0, 0.5, 1.5, 2.5, 3.5, -0.5, -1.5, -2.5, -3.5, 1, -1, 2, -2, 2.25, 0.75, -0.75,
		8388609, -8388609, 1e10, -3e20, 4194304.5, -4194305.5}
	data = append(data, randomF32(110, 30, -4, 4)...)
	n := len(data)
	return Case{
		Name: "float_rounding",
		Doc:  "float builtins with one right answer, and comparisons",
		Buffers: []Buffer{
			content("data", data),
			content("results", make([]float32, 14*n)).absolute(signless),
			content("orders", make([]uint32, n)),
		},
		Dispatches: once("main", groups(n, 16), 1, 1),
		Reference: func(buffers [][]byte) {
			var results []float32
			var orders []uint32
			for i := range n {
				x, y := float64(data[i]), float64(data[(i*7+3)%n])
				sign := 0.0
				if x != 0 {
					sign = math.Copysign(1, x)
				}
				step := float64(toBool32(y <= x))
				results = append(results, floats32(math.Floor(x), math.Ceil(x), math.Trunc(x),
					math.RoundToEven(x), x-math.Floor(x), sign, math.Abs(x), math.Min(x, y), math.Max(x, y),
					min(max(x, -2), 2.5), min(max(x, 0), 1), step, -x, math.Max(x, y))...)
				less, greater := toBool32(x < y), toBool32(x > y)
				orders = append(orders, less+2*greater+4*(1-less-greater)+8*(less+greater)+16*(1-less)+32*(1-greater))
			}
			store(buffers[1], results)
			store(buffers[2], orders)
		},
	}
}

func floatArithmetic() Case {
	const n = 50
	data := randomF32(111, 4*n, 0.5, 6)
	return Case{
		Name: "float_arithmetic",
		Doc:  "division, remainder, fma, mix, smoothstep, degrees, radians",
		Buffers: []Buffer{
			content("data", data),
			content("quotients", make([]float32, 4*n)).ulps(3),
			// Terms below 64 of at most a few roundings each.
			content("blends", make([]float32, 4*n)).absolute(1e-4),
			content("angles", make([]float32, 2*n)).ulps(3),
		},
		Dispatches: once("main", groups(n, 16), 1, 1),
		Reference: func(buffers [][]byte) {
			var quotients, blends, angles []float32
			for i := range n {
				x, y, z, w := float64(data[4*i]), float64(data[4*i+1]), float64(data[4*i+2]), float64(data[4*i+3])
				quotients = append(quotients, floats32(x/y, 1/z, w/z, x/z)...)
				mix := func(a, b, t float64) float64 { return a + (b-a)*t }
				t := min(max((y-0.25)/5.75, 0), 1)
				blends = append(blends, floats32(
					3-(x*y+z+2*mix(x, y, 0.25)), 3-(mix(x, y, w/8)+2*mix(y, z, 0.25)),
					3-(t*t*(3-2*t)+2*mix(z, w, 0.25)), 3-(math.Mod(8*x, 2.75)+2*mix(w, x, 0.25)))...)
				angles = append(angles, floats32(x*180/math.Pi, y/2*math.Pi)...)
			}
			store(buffers[1], quotients)
			store(buffers[2], blends)
			store(buffers[3], angles)
		},
	}
}

func floatParts() Case {
	data := []float32{0, 1, -1, 0.5, 2, 3, -3, 7.75, -7.75, 0.375, 1024, 65535, -100000, 1e6, -1e-3, 0.0625}
	data = append(data, randomF32(112, 34, 1, 30000)...)
	n := len(data)
	return Case{
		Name: "float_parts",
		Doc:  "frexp, modf, ldexp and rounding to f16",
		Buffers: []Buffer{
			content("data", data),
			content("results", make([]float32, 7*n)).absolute(signless),
			content("exponents", make([]int32, 2*n)),
			content("rounded", make([]float32, n)).ulps(1 << 13), // one of f16
		},
		Dispatches: once("main", groups(n, 16), 1, 1),
		Reference: func(buffers [][]byte) {
			var results, rounded []float32
			var exponents []int32
			for _, f := range data {
				x := float64(f)
				fraction, exponent := math.Frexp(x)
				half, halfExponent := math.Frexp(x / 2)
				integer, fractional := math.Modf(x)
				_, quarter := math.Modf(x / 4)
				exponents = append(exponents, int32(exponent), int32(halfExponent*100+2))
				results = append(results, floats32(fraction, half+0.75, fractional, integer,
					quarter-2-0.5, x, x*8)...)
				rounded = append(rounded, float32(toHalf(min(max(x, -60000), 60000)).float64()))
			}
			store(buffers[1], results)
			store(buffers[2], exponents)
			store(buffers[3], rounded)
		},
	}
}

func floatTrigonometry() Case {
	const n = 100
	angles := randomF32(113, n, -3.125, 3.125)
	copy(angles, []float32{0, 3.1415925, -3.1415925, 1.5707964, -1.5707964, 0.001, -0.001})
	return Case{
		Name: "float_trigonometry",
		Doc:  "sin, cos, tan and their inverses within WGSL's bounds",
		Buffers: []Buffer{
			content("angles", angles),
			content("waves", make([]float32, 2*n)).absolute(0x1p-11),
			// A quotient of two of the above, the divisor at least 1/√2.
			content("slopes", make([]float32, n)).absolute(0x1p-9),
			// Inherited from atan2: 4096 ULP of at most π.
			content("arcs", make([]float32, 2*n)).absolute(0x1p-10),
			content("quadrants", make([]float32, 2*n)).ulps(4096),
		},
		Dispatches: once("main", groups(n, 32), 1, 1),
		Reference: func(buffers [][]byte) {
			var waves, slopes, arcs, quadrants []float32
			for _, f := range angles {
				x := float64(f)
				waves = append(waves, floats32(math.Sin(x), math.Cos(x))...)
				slopes = append(slopes, float32(math.Tan(x/4)))
				arcs = append(arcs, floats32(math.Asin(x/3.25), math.Acos(x/3.25))...)
				quadrants = append(quadrants, floats32(math.Atan(3*x), math.Atan2(x, 1.5-math.Abs(x)))...)
			}
			store(buffers[1], waves)
			store(buffers[2], slopes)
			store(buffers[3], arcs)
			store(buffers[4], quadrants)
		},
	}
}

func floatExponential() Case {
	const n = 100
	data := randomF32(114, n, 0.0625, 8)
	copy(data, []float32{0.0625, 0.5, 1, 2, 4, 7.999})
	return Case{
		Name: "float_exponential",
		Doc:  "exponentials, logarithms, powers, roots, hyperbolic functions",
		Buffers: []Buffer{
			content("data", data),
			content("powers", make([]float32, 4*n)).ulps(20), // 3 + 2|x|
			// 3 ULP outside [0.5, 2] and 2^-21 inside.
			content("logarithms", make([]float32, 2*n)).ulps(4).absolute(0x1p-20),
			content("roots", make([]float32, 2*n)).ulps(5), // 1 / inverseSqrt, which has 2
			// exp2(y·log2(x)): an error of y·3 ULP of 3 in the exponent, then 3 + 2·7.5.
			content("raised", make([]float32, 2*n)).ulps(64),
			// Of exp as above; for small arguments what is left when 1 cancels.
			content("hyperbolic", make([]float32, 4*n)).ulps(24).absolute(1e-5),
			content("inverses", make([]float32, 4*n)).absolute(1e-5),
		},
		Dispatches: once("main", groups(n, 32), 1, 1),
		Reference: func(buffers [][]byte) {
			results := make([][]float32, len(buffers))
			add := func(buffer int, v ...float64) { results[buffer] = append(results[buffer], floats32(v...)...) }
			for _, f := range data {
				x := float64(f)
				add(1, math.Exp(x), math.Exp2(x), math.Exp2(-x), math.Exp(-x))
				add(2, math.Log(x), math.Log2(x))
				add(3, math.Sqrt(x), 1/math.Sqrt(x))
				add(4, math.Pow(x, 2.5), math.Pow(x, -0.5))
				add(5, math.Sinh(x/2), math.Cosh(x/2), math.Tanh(x), math.Tanh(-x/4))
				add(6, math.Asinh(x), math.Acosh(x+1), math.Atanh(x/16), math.Atanh(-x*0.125*0.875))
			}
			for i := 1; i < len(buffers); i++ {
				store(buffers[i], results[i])
			}
		},
	}
}

func geometry() Case {
	const n = 50
	rays, normals := randomF32(115, 4*n, -2, 2), randomF32(116, 4*n, -2, 2)
	for i := range n {
		rays[4*i+3] = rays[4*i+3]*0.25 + 1 // the ratio: 0.5 to 1.5
	}
	vector := func(v []float32) point { return point{float64(v[0]), float64(v[1]), float64(v[2])} }
	return Case{
		Name: "geometry",
		Doc:  "length, distance, normalize, cross, reflect, refract, faceForward",
		Buffers: []Buffer{
			content("rays", rays), content("normals", normals),
			content("measures", make([]float32, 4*n)).absolute(1e-5),
			content("bounced", make([]float32, 4*n)).absolute(1e-5),
			// The root in refract enlarges the error where it is nearly zero.
			content("bent", make([]float32, 4*n)).absolute(2e-4),
		},
		Dispatches: once("main", groups(n, 16), 1, 1),
		Reference: func(buffers [][]byte) {
			var measures, bounced, bent []float32
			for i := range n {
				direction, normal := vector(rays[4*i:]), vector(normals[4*i:])
				ratio := float64(rays[4*i+3])
				d, n := direction.unit(), normal.unit()
				difference := direction.plus(normal, -1)
				cosine := d.dot(n)
				measures = append(measures, floats32(math.Hypot(direction[0], direction[1]),
					math.Sqrt(difference.dot(difference)), cosine, math.Sqrt(1-cosine*cosine))...)
				mirrored := d.plus(n, -2*cosine)
				bounced = append(bounced, floats32(mirrored[0], mirrored[1], mirrored[2], ratio)...)
				// Snell's law: the sine is scaled, the tangential direction kept.
				if cosine > 0 {
					n = point{}.plus(n, -1)
				}
				tangential := point{}.plus(d.plus(n, math.Abs(cosine)), ratio)
				var refracted point
				if rest := 1 - tangential.dot(tangential); rest >= 0 {
					refracted = tangential.plus(n, -math.Sqrt(rest))
				}
				bent = append(bent, floats32(refracted[0], refracted[1], refracted[2], -math.Abs(cosine))...)
			}
			store(buffers[2], measures)
			store(buffers[3], bounced)
			store(buffers[4], bent)
		},
	}
}
