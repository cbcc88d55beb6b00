package exectest

// Images and signals: neighbourhoods, filters, sampling, rays, spectra.

import (
	"math"
	"math/cmplx"
)

func clampInt(x, low, high int) int { return max(low, min(x, high)) }

func sobel() Case {
	const width, height = 53, 39
	pixels := randomU32(60, width*height, 0)
	for i := range pixels[:width*height/2] { // a smooth part beside the noisy one
		level := uint32(i%width + i/width)
		pixels[i] = 0xFF000000 | level*0x010101
	}
	return Case{
		Name: "sobel",
		Doc:  "edges of an image in packed RGBA",
		Buffers: []Buffer{
			content("image", []uint32{width, height}),
			content("pixels", pixels), content("edges", make([]uint32, width*height)),
		},
		Dispatches: once("main", groups(width, 8), groups(height, 8), 1),
		Reference: func(buffers [][]byte) {
			kernel := [9]int{-1, 0, 1, -2, 0, 2, -1, 0, 1}
			store(buffers[2], build(width*height, func(i int) uint32 {
				gx, gy := 0, 0
				for k := range 9 {
					dx, dy := k%3-1, k/3-1
					p := pixels[clampInt(i/width+dy, 0, height-1)*width+clampInt(i%width+dx, 0, width-1)]
					luma := int((p&255)*54+(p>>8&255)*183+(p>>16&255)*19) >> 8
					gx += kernel[k] * luma
					gy += kernel[(k%3)*3+k/3] * luma
				}
				magnitude := uint32(min(math.Sqrt(float64(gx*gx+gy*gy)), 255))
				return pixels[i]&0xFF000000 | magnitude<<16 | magnitude<<8 | magnitude
			}))
		},
	}
}

func gaussianBlur() Case {
	const width, height = 45, 33
	pixels := randomU32(61, width*height, 0)
	weights := [7]float64{0.03125, 0.109375, 0.21875, 0.28125, 0.21875, 0.109375, 0.03125}
	// A sum of seven parts, each with the error of unpack4x8unorm (3 ULP).
	const bound = 0x1p-20
	return Case{
		Name: "gaussian_blur",
		Doc:  "a separable filter in two entry points",
		Buffers: []Buffer{
			content("pixels", pixels),
			content("rows", make([]float32, 4*width*height)).absolute(bound),
			content("blurred", make([]float32, 4*width*height)).absolute(bound),
		},
		Dispatches: append(once("horizontal", groups(width, 16), groups(height, 4), 1),
			once("vertical", groups(width, 4), groups(height, 16), 1)...),
		Reference: func(buffers [][]byte) {
			// As one filter of 7×7 and, for the rows, of 7×1.
			filter := func(i, rows int) float32 {
				x, y, channel := i/4%width, i/4/width, i%4
				sum := 0.0
				for dy := -rows; dy <= rows; dy++ {
					weight := 1.0
					if rows > 0 {
						weight = weights[dy+3]
					}
					for dx := -3; dx <= 3; dx++ {
						p := pixels[clampInt(y+dy, 0, height-1)*width+clampInt(x+dx, 0, width-1)]
						sum += weight * weights[dx+3] * float64(p>>(8*channel)&255) / 255
					}
				}
				return float32(sum)
			}
			store(buffers[1], build(4*width*height, func(i int) float32 { return filter(i, 0) }))
			store(buffers[2], build(4*width*height, func(i int) float32 { return filter(i, 3) }))
		},
	}
}

func resizeBilinear() Case {
	const width, height, across, down = 19, 14, 45, 37
	scale := [2]float32{float32(width) / across, float32(height) / down}
	image := randomF32(62, 2*width*height, 0, 1)
	return Case{
		Name: "resize_bilinear",
		Doc:  "bilinear resizing with floor, fract and mix",
		Buffers: []Buffer{
			mixed("sizes", pack(uint32(width), height, across, down), pack(scale[:]...)),
			content("image", image),
			// A coordinate below 20 has an error of some 2^-19, and so has a weight.
			content("resized", make([]float32, 2*across*down)).absolute(0x1p-17),
		},
		Dispatches: once("main", groups(across, 8), groups(down, 8), 1),
		Reference: func(buffers [][]byte) {
			// Each source pixel weighs by its distance: a tent in each direction.
			// Borders repeat, which the clamped index says.
			store(buffers[2], build(2*across*down, func(i int) float32 {
				channel := i % 2
				x := (float64(i/2%across)+0.5)*float64(scale[0]) - 0.5
				y := (float64(i/2/across)+0.5)*float64(scale[1]) - 0.5
				sum := 0.0
				for v := -1; v <= height; v++ {
					for u := -1; u <= width; u++ {
						weight := max(0, 1-math.Abs(x-float64(u))) * max(0, 1-math.Abs(y-float64(v)))
						if weight > 0 {
							at := clampInt(v, 0, height-1)*width + clampInt(u, 0, width-1)
							sum += weight * float64(image[2*at+channel])
						}
					}
				}
				return float32(sum)
			}))
		},
	}
}

func convolution() Case {
	const n, radius, scale = 300, 5, 0.125
	signal := randomSteps(63, n, 100, 0)
	weights := append(randomSteps(64, 2*radius+1, 10, 1), scale)
	return Case{
		Name: "convolution_1d",
		Doc:  "a filter from a uniform array over a window in workgroup memory",
		Buffers: []Buffer{
			content("weights", weights), content("signal", signal), content("filtered", make([]float32, n)),
		},
		Dispatches: once("main", groups(n, 64), 1, 1),
		Reference: func(buffers [][]byte) {
			filtered := make([]float32, n)
			for i, x := range signal {
				for k := range 2*radius + 1 {
					if at := i + radius - k; at >= 0 && at < n {
						filtered[at] += x * weights[k] * scale
					}
				}
			}
			store(buffers[2], filtered)
		},
	}
}

func fft() Case {
	const points, count = 256, 3
	signal := randomF32(65, 2*points*count, -1, 1)
	return Case{
		Name: "fft_256",
		Doc:  "256-point Fourier transforms in workgroup memory",
		Buffers: []Buffer{
			content("signal", signal),
			// WGSL allows sin and cos an error of 2^-11, and eight stages add that
			// of values below 16. A wrong factor would be off by ten times as much.
			content("spectrum", make([]float32, 2*points*count)).absolute(0x1p-4),
		},
		Dispatches: once("main", count, 1, 1),
		Reference: func(buffers [][]byte) {
			var spectrum []float32
			for s := range count {
				for k := range points { // the definition, without the fast transform
					var sum complex128
					for i := range points {
						x := complex(float64(signal[2*(s*points+i)]), float64(signal[2*(s*points+i)+1]))
						sum += x * cmplx.Rect(1, -2*math.Pi*float64(i*k%points)/points)
					}
					spectrum = append(spectrum, float32(real(sum)), float32(imag(sum)))
				}
			}
			store(buffers[1], spectrum)
		},
	}
}
