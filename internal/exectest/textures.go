package exectest

// Textures without samplers: loads, stores, formats, queries. The data of
// textures are made and read here as bytes, channel by channel.

import (
	"math"
	"slices"

	"github.com/gpuc/gpuc/ir/texture"
)

// image describes a texture of two dimensions with one level.
func image(format texture.Format, width, height uint32) texture.Description {
	return texture.Description{Dimension: texture.D2, Format: format, Width: width, Height: height, Depth: 1, Layers: 1, Levels: 1, Samples: 1}
}

// array describes a texture of several layers.
func array(format texture.Format, width, height, layers uint32) texture.Description {
	d := image(format, width, height)
	d.Layers = layers
	return d
}

// line and volume describe textures of one and of three dimensions.
func line(format texture.Format, width uint32) texture.Description {
	d := image(format, width, 1)
	d.Dimension = texture.D1
	return d
}

func volume(format texture.Format, width, height, depth uint32) texture.Description {
	d := image(format, width, height)
	d.Dimension, d.Depth = texture.D3, depth
	return d
}

// levels returns the description with several levels.
func levels(d texture.Description, n uint32) texture.Description {
	d.Levels = n
	return d
}

// filled makes a texture of its levels' texels.
func filled(name string, d texture.Description, levels ...[]byte) Texture {
	return Texture{Name: name, Description: d, Levels: levels}
}

// steps returns the texture with a bound for integers that encode fractions.
func (t Texture) steps(n uint32) Texture {
	t.Steps = n
	return t
}

// absolute returns the texture with an absolute bound for floats.
func (t Texture) absolute(bound float64) Texture {
	t.Absolute = bound
	return t
}

// randomBytes returns n random bytes.
func randomBytes(seed uint64, n int) []byte {
	r := source(seed)
	return build(n, func(int) byte { return byte(r.Uint32()) })
}

// unorm rounds a number from 0 to 1 to eight bits.
func unorm(x float64) byte { return byte(math.Round(255 * max(0, min(x, 1)))) }

func textureBlur() Case {
	const width, height = 37, 29
	pixels := randomBytes(160, 4*width*height)
	return Case{
		Name: "texture_blur",
		Doc:  "a blur of texels that are loaded from clamped coordinates",
		Textures: []Texture{
			filled("source", image(texture.RGBA8Unorm, width, height), pixels),
			// A sum that is halfway between two steps may be rounded either way.
			filled("blurred", image(texture.RGBA8Unorm, width, height)).steps(1),
		},
		Dispatches: once("main", groups(width, 8), groups(height, 8), 1),
		Reference: func(contents [][]byte) {
			at := func(x, y, channel int) int {
				return int(pixels[4*(clampInt(y, 0, height-1)*width+clampInt(x, 0, width-1))+channel])
			}
			for i := range contents[1] {
				x, y, c := i/4%width, i/4/width, i%4
				rows := [3]int{} // (1 2 1) twice is the kernel
				for dy := range rows {
					rows[dy] = at(x-1, y+dy-1, c) + 2*at(x, y+dy-1, c) + at(x+1, y+dy-1, c)
				}
				contents[1][i] = byte((rows[0] + 2*rows[1] + rows[2] + 8) / 16)
			}
		},
	}
}

func textureSobel() Case {
	const width, height = 43, 31
	pixels := randomBytes(161, 4*width*height)
	for i := range pixels[:2*width*height] { // a smooth part beside the noisy one
		pixels[i] = byte(i/4%width*2 + i/4/width*3 + i%4)
	}
	return Case{
		Name: "texture_sobel",
		Doc:  "edges from a sampled texture to a storage texture",
		Textures: []Texture{
			filled("picture", image(texture.RGBA8Unorm, width, height), pixels),
			filled("edges", image(texture.RGBA8Unorm, width, height)).steps(1),
		},
		Dispatches: once("main", groups(width, 8), groups(height, 4), 1),
		Reference: func(contents [][]byte) {
			luma := func(x, y int) float64 {
				p := pixels[4*(clampInt(y, 0, height-1)*width+clampInt(x, 0, width-1)):]
				return (0.2126*float64(p[0]) + 0.7152*float64(p[1]) + 0.0722*float64(p[2])) / 255
			}
			kernel := [9]float64{-1, 0, 1, -2, 0, 2, -1, 0, 1}
			for i := range width * height {
				gx, gy := 0.0, 0.0
				for k, weight := range kernel {
					gx += weight * luma(i%width+k%3-1, i/width+k/3-1)
					gy += weight * luma(i%width+k/3-1, i/width+k%3-1)
				}
				edge := unorm(math.Hypot(gx, gy))
				copy(contents[1][4*i:], []byte{edge, edge, edge, 255})
			}
		},
	}
}

func textureMipChain() Case {
	const width, height, count = 32, 16, 6
	r := source(162)
	base := build(width*height, func(int) float32 { return float32(r.IntN(256)) })
	chain := Texture{Name: "chain", Description: levels(image(texture.R32Float, width, height), count), Levels: [][]byte{pack(base...)}}
	c := Case{
		Name:     "texture_mip_chain",
		Doc:      "mip levels made one from the other",
		Textures: []Texture{chain},
		Reference: func(contents [][]byte) {
			// Each texel is the mean of all texels of level 0 below it; where only a
			// row is left, columns go on being halved.
			for level := 1; level < count; level++ {
				w, h := max(width>>level, 1), max(height>>level, 1)
				store(contents[level], build(w*h, func(i int) float32 {
					across, down := width/w, height/h
					sum := 0.0
					for k := range across * down {
						sum += float64(base[(i/w*down+k/across)*width+i%w*across+k%across])
					}
					return float32(sum / float64(across*down))
				}))
			}
		},
	}
	for level := uint32(1); level < count; level++ {
		c.Dispatches = append(c.Dispatches, Dispatch{Entry: "main", Grid: [3]uint32{groups(max(width>>level, 1), 4), groups(max(height>>level, 1), 4), 1},
			Views: []View{{"finer", "chain", level - 1, 1}, {"coarser", "chain", level, 1}}})
	}
	return c
}

func textureRowScan() Case {
	const width, height = 64, 5
	values := randomU32(163, width*height, 1000)
	return Case{
		Name:       "texture_row_scan",
		Doc:        "prefix sums in a storage texture between barriers",
		Textures:   []Texture{filled("rows", image(texture.R32Uint, width, height), pack(values...))},
		Dispatches: once("main", height, 1, 1),
		Reference: func(contents [][]byte) {
			sums := slices.Clone(values)
			for i := range sums {
				if i%width > 0 {
					sums[i] += sums[i-1]
				}
			}
			store(contents[0], sums)
		},
	}
}

func textureIntegers() Case {
	const width, height = 19, 13
	indices := randomBytes(164, 4*width*height)
	corrections := build(256, func(i int) int32 { return int32(i*i*1000) * int32(1-i%2*2) })
	wide := randomU32(165, 2*width*height, 0)
	return Case{
		Name: "texture_integers",
		Doc:  "signed and unsigned integers of 8 and 32 bits in textures",
		Buffers: []Buffer{
			content("corrected", make([]int32, 4*width*height)), content("sums", make([]uint32, 4*width*height)),
		},
		Textures: []Texture{
			filled("indices", image(texture.RGBA8Uint, width, height), indices),
			filled("corrections", line(texture.R32Sint, 256), pack(corrections...)),
			filled("wide", image(texture.RG32Uint, width, height), pack(wide...)),
		},
		Dispatches: once("main", groups(width, 8), groups(height, 8), 1),
		Reference: func(contents [][]byte) {
			corrected, sums := make([]int32, 0, 4*width*height), make([]uint32, 0, 4*width*height)
			for i := range width * height {
				sum := int32(0)
				for _, k := range indices[4*i : 4*i+4] {
					sum += corrections[k]
				}
				corrected = append(corrected, sum, 0, 0, 4)
				pair := func(i int) uint64 { return uint64(wide[2*i]) | uint64(wide[2*i+1])<<32 }
				total := pair(i) + pair(max(i%width, 1)-1+i/width*width)
				sums = append(sums, uint32(total), uint32(total>>32), 0, 1)
			}
			store(contents[0], corrected)
			store(contents[1], sums)
		},
	}
}

func textureStorageFormats() Case {
	const size = 16
	formats := []struct {
		name   string
		format texture.Format
		texel  func(x int) []byte
	}{
		{"a", texture.RGBA8Unorm, func(x int) []byte {
			return []byte{byte(x), byte(255 - x), byte(clampInt(2*x-100, 0, 255)), byte(min(300-x, 255))}
		}},
		{"b", texture.RGBA8Snorm, func(x int) []byte {
			return []byte{byte(max(x-128, -127)), byte(max(127-x, -127)), byte(min(2*x, 127)), 0x81}
		}},
		{"c", texture.RGBA16Float, func(x int) []byte {
			return pack(toHalf(float64(x)/256), toHalf(float64(-1-x)), toHalf(math.Ldexp(1, -(x/32))), toHalf(60000))
		}},
		{"d", texture.R32Float, func(x int) []byte { return pack(float32(x*x) / 3) }},
		{"e", texture.RG32Float, func(x int) []byte { return pack(float32(x), float32(-1-x)) }},
		{"f", texture.RGBA32Float, func(x int) []byte {
			return pack(float32(x)/64, float32(-1-x)*65536, 1e30, -0.5)
		}},
		{"g", texture.RGBA32Uint, func(x int) []byte {
			return pack(uint32(x), ^uint32(x), uint32(x)<<24, uint32(x)*0x01010101)
		}},
		{"h", texture.RGBA32Sint, func(x int) []byte {
			return pack(int32(x), -int32(x), int32(uint32(x)<<24), int32(uint32(x)*0x01010101))
		}},
		{"i", texture.RGBA8Uint, func(x int) []byte { return []byte{byte(x), byte(255 - x), byte(x / 2), 255} }},
		{"j", texture.RGBA16Uint, func(x int) []byte { return pack(half(x*257), half(65535-x), half(x), half(0)) }},
		{"k", texture.R32Uint, func(x int) []byte { return pack(uint32(x) * 0x01010101) }},
		{"l", texture.RG32Uint, func(x int) []byte { return pack(^uint32(x), uint32(x)<<23) }},
		{"m", texture.RGBA8Sint, func(x int) []byte { return []byte{byte(x - 128), byte(127 - x), 255, byte(x / 2)} }},
		{"n", texture.RGBA16Sint, func(x int) []byte {
			return pack(half(x*256-32768), half(32767-x), half(-x), half(1))
		}},
		{"o", texture.R32Sint, func(x int) []byte { return pack(-(uint32(x) * 0x01010101)) }},
		{"p", texture.RG32Sint, func(x int) []byte { return pack(int32(^x), int32(uint32(x)<<23)) }},
	}
	c := Case{
		Name: "texture_storage_formats",
		Doc:  "all formats that storage textures have everywhere",
		Reference: func(contents [][]byte) {
			for n := range formats {
				for x := range size * size {
					copy(contents[n][x*formats[n].format.Bytes():], formats[n].texel(x))
				}
			}
		},
	}
	for _, f := range formats {
		t := filled(f.name, image(f.format, size, size))
		t.ULP = 3 // a division by 3; the halves are exact
		if f.format == texture.RGBA16Float {
			t.ULP = 0
		}
		c.Textures = append(c.Textures, t)
	}
	for _, entry := range []string{"small", "large", "unsigned", "signed"} {
		c.Dispatches = append(c.Dispatches, Dispatch{Entry: entry, Grid: [3]uint32{size / 4, size / 4, 1}})
	}
	return c
}

func textureFormats() Case {
	const size = 16
	one, two := randomBytes(166, size*size), randomBytes(167, 2*size*size)
	reversed := randomBytes(168, 4*size*size)
	curved := build(4*size*size, func(i int) byte { return byte(i/4 + i%4*64) })
	tens := randomU32(169, size*size, 0)
	// Numbers whose smallest exponents stay away from what may be flushed to zero.
	elevens := apply(randomU32(170, size*size, 0), func(x uint32) uint32 {
		return x&0x3BF<<22 | x>>3&0x77F<<11 | x&0x77F | 1<<27 | 1<<17 | 1<<6
	})
	shared := randomU32(171, size*size, 0)
	halfs := apply(randomSteps(172, 2*size*size, 200, 3), func(x float32) half { return toHalf(float64(x)) })
	return Case{
		Name: "texture_formats",
		Doc:  "formats that only sampled textures have",
		Buffers: []Buffer{
			content("exact", make([]float32, 3*4*size*size)),
			// a division by a constant
			content("near", make([]float32, 4*4*size*size)).absolute(0x1p-20),
			// half a step of a byte, at the curve's steepest
			content("light", make([]float32, 4*size*size)).absolute(0.5 / 255 * 2.3),
		},
		Textures: []Texture{
			filled("one", image(texture.R8Unorm, size, size), one),
			filled("two", image(texture.RG8Snorm, size, size), two),
			filled("reversed", image(texture.BGRA8Unorm, size, size), reversed),
			filled("curved", image(texture.RGBA8UnormSRGB, size, size), curved),
			filled("tens", image(texture.RGB10A2Unorm, size, size), pack(tens...)),
			filled("elevens", image(texture.RG11B10Ufloat, size, size), pack(elevens...)),
			filled("shared_exponent", image(texture.RGB9E5Ufloat, size, size), pack(shared...)),
			filled("half", image(texture.RG16Float, size, size), pack(halfs...)),
		},
		Dispatches: once("main", size/8, size/8, 1),
		Reference: func(contents [][]byte) {
			var exact, near, light []float32
			for i := range size * size {
				// A float of e exponent and m mantissa bits, without sign.
				small := func(bits uint32, m int) float32 {
					return float32(math.Ldexp(1+float64(bits&(1<<m-1))/float64(int(1)<<m), int(bits>>m)-15))
				}
				e, s := elevens[i], shared[i]
				exact = append(exact, small(e&0x7FF, 6), small(e>>11&0x7FF, 6), small(e>>22, 5), 1)
				for channel := range 3 {
					exact = append(exact, float32(math.Ldexp(float64(s>>(9*channel)&511), int(s>>27)-15-9)))
				}
				exact = append(exact, 1, float32(halfs[2*i].float64()), float32(halfs[2*i+1].float64()), 0, 1)
				signed := func(b byte) float32 { return max(float32(int8(b))/127, -1) }
				near = append(near, float32(one[i])/255, 0, 0, 1, signed(two[2*i]), signed(two[2*i+1]), 0, 1)
				p, t := reversed[4*i:], tens[i]
				near = append(near, float32(p[2])/255, float32(p[1])/255, float32(p[0])/255, float32(p[3])/255)
				near = append(near, float32(t&1023)/1023, float32(t>>10&1023)/1023, float32(t>>20&1023)/1023, float32(t>>30)/3)
				for channel := range 3 {
					light = append(light, float32(linearLight(float64(curved[4*i+channel])/255)))
				}
				light = append(light, float32(curved[4*i+3])/255)
			}
			store(contents[0], exact)
			store(contents[1], near)
			store(contents[2], light)
		},
	}
}

// linearLight undoes the sRGB curve.
func linearLight(x float64) float64 {
	if x <= 0.04045 {
		return x / 12.92
	}
	return math.Pow((x+0.055)/1.055, 2.4)
}

func textureQueries() Case {
	const count = 3 // levels that are asked about, from the first on
	all := []Texture{
		filled("line", line(texture.RGBA8Unorm, 77)),
		filled("flat", levels(image(texture.RGBA8Unorm, 60, 34), 4)),
		filled("flats", levels(array(texture.R32Sint, 17, 90, 3), 5)),
		filled("volume", levels(volume(texture.RGBA8Uint, 9, 22, 13), 3)),
		filled("cube", levels(array(texture.RGBA16Float, 48, 48, 6), 6)),
		filled("cubes", levels(array(texture.RGBA8Unorm, 20, 20, 12), 3)),
		filled("video", image(texture.RGBA8Unorm, 31, 7)),
		filled("depth", levels(image(texture.Depth32Float, 40, 13), 4)),
		filled("depths", levels(array(texture.Depth32Float, 11, 25, 2), 3)),
		filled("depth_cube", levels(array(texture.Depth32Float, 16, 16, 6), 5)),
		filled("depth_cubes", levels(array(texture.Depth32Float, 28, 28, 18), 3)),
		filled("store_line", line(texture.R32Uint, 55)),
		filled("store", image(texture.RGBA8Unorm, 14, 3)),
		filled("stores", array(texture.R32Float, 6, 8, 4)),
		filled("store_volume", volume(texture.RGBA16Float, 2, 3, 5)),
	}
	// w, h and z are a texture's size at a level.
	w := func(t, level uint32) uint32 { return max(all[t].Description.Width>>level, 1) }
	h := func(t, level uint32) uint32 { return max(all[t].Description.Height>>level, 1) }
	z := func(t, level uint32) uint32 { return max(all[t].Description.Depth>>level, 1) }
	n := func(t int) uint32 { return all[t].Description.Levels }
	return Case{
		Name:       "texture_queries",
		Doc:        "sizes, levels and layers of textures of all shapes",
		Buffers:    []Buffer{content("sampled", make([]uint32, 4*(6+3*count))), content("others", make([]uint32, 4*(6+2*count)))},
		Textures:   all,
		Dispatches: append(once("main", count, 1, 1), once("rest", count, 1, 1)...),
		Reference: func(contents [][]byte) {
			sampled := []uint32{
				77, 1, 60, 34,
				n(1), n(2), 17, 90,
				3, 9, 22, 13,
				n(3), n(4), 48, 48,
				2, n(5), 20, 20,
				31, 7, 77, 0,
			}
			others := []uint32{
				40, 13, n(7), n(8),
				11, 25, 2, n(9),
				16, 16, 28, 28,
				3, n(10), 14, 3,
				55, 6, 8, 4,
				2, 3, 5, 0,
			}
			for level := range uint32(count) {
				sampled = append(sampled, w(1, level), h(1, level), w(2, level), h(2, level),
					w(3, level), h(3, level), z(3, level), level,
					w(4, level), h(4, level), w(5, level), h(5, level))
				others = append(others, w(7, level), h(7, level), w(8, level), h(8, level),
					w(9, level), h(9, level), w(10, level), h(10, level))
			}
			store(contents[0], sampled)
			store(contents[1], others)
		},
	}
}

func textureStoreOutside() Case {
	const width, height = 10, 6 // of level 1
	middle := levels(image(texture.R32Uint, 2*width, 2*height), 3)
	layers := array(texture.R32Sint, 5, 7, 3)
	return Case{
		Name: "texture_store_outside",
		Doc:  "stores outside of a texture",
		Textures: []Texture{
			filled("middle", middle, pack(randomU32(173, 4*width*height, 0)...), nil, pack(randomU32(174, width*height/4, 0)...)),
			filled("layers", layers),
		},
		Dispatches: []Dispatch{{Entry: "main", Grid: [3]uint32{5, 4, 1}, Views: []View{{"middle", "middle", 1, 1}}}},
		Reference: func(contents [][]byte) {
			store(contents[1], build(width*height, func(i int) uint32 {
				return uint32(1000*(i/width+4) + i%width + 4)
			}))
			// The layer is the invocation's index: only that column is written.
			store(contents[3], build(5*7*3, func(i int) int32 {
				if x, layer := i%5, i/35; x == layer+4 {
					return int32(layer + 100)
				}
				return 0
			}))
		},
	}
}

func textureShapes() Case {
	const width, height, depth = 16, 8, 4
	d := volume(texture.RGBA16Float, width, height, depth)
	return Case{
		Name:    "texture_shapes",
		Doc:     "storage textures of one and three dimensions and of layers",
		Buffers: []Buffer{content("sums", make([]float32, width))},
		Textures: []Texture{
			filled("ramp", line(texture.R32Float, width)),
			filled("stack", array(texture.RGBA8Uint, width, height, depth)),
			filled("volume", d),
		},
		Dispatches: []Dispatch{
			{Entry: "fill", Grid: [3]uint32{width / 4, height / 4, depth / 2}},
			{Entry: "add_up", Grid: [3]uint32{width / 8, 1, 1},
				Views: []View{{"written_ramp", "ramp", 0, 0}, {"written_stack", "stack", 0, 0}, {"written_volume", "volume", 0, 0}}},
		},
		Reference: func(contents [][]byte) {
			var stack []byte
			var texels []half
			for i := range width * height * depth {
				x, y, z := i%width, i/width%height, i/width/height
				stack = append(stack, byte(x), byte(y), byte(z), byte(x*y))
				texels = append(texels, toHalf(float64(x)), toHalf(float64(y)), toHalf(float64(z)), toHalf(-0.5))
			}
			store(contents[1], build(width, func(x int) float32 { return float32(x) / 4 }))
			copy(contents[2], stack)
			store(contents[3], texels)
			store(contents[0], build(width, func(x int) float32 {
				// Sums over y and z of x + 10y + 100z - 1/2 + xy, and x/4.
				const n, ys, zs = height * depth, height * (height - 1) / 2 * depth, depth * (depth - 1) / 2 * height
				return float32(n*x+10*ys+100*zs-n/2+x*ys) + float32(x)/4
			}))
		},
	}
}

func textureMultisampled() Case {
	const width, height, samples = 13, 9, 4
	d, depth := image(texture.RGBA8Unorm, width, height), image(texture.Depth32Float, width, height)
	d.Samples, depth.Samples = samples, samples
	texels := randomBytes(175, 4*samples*width*height)
	depths := randomF32(176, samples*width*height, 0, 1)
	return Case{
		Name:    "texture_multisampled",
		Doc:     "samples of multisampled textures",
		Buffers: []Buffer{content("nearest", make([]float32, width*height))},
		Textures: []Texture{
			filled("rendered", d, texels), filled("depth", depth, pack(depths...)),
			filled("resolved", image(texture.RGBA32Float, width, height)).absolute(0x1p-20),
		},
		Dispatches:         once("main", groups(width, 4), groups(height, 4), 1),
		NeedsMultisampling: true,
		Reference: func(contents [][]byte) {
			store(contents[0], build(width*height, func(i int) float32 {
				d := depths[samples*i:]
				return min(d[0], d[1], d[2], d[3])
			}))
			store(contents[3], build(4*width*height, func(i int) float32 {
				sum := 0
				for k := range samples { // a texel's samples are adjacent
					sum += int(texels[4*(samples*(i/4)+k)+i%4])
				}
				return float32(float64(sum) / 255 / samples)
			}))
		},
	}
}
