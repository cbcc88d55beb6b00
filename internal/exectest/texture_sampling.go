package exectest

// Textures with samplers. The references filter by weighing every texel with its
// distance, so that they share no indexing with a sampler.

import (
	"math"
	"math/rand/v2"

	"github.com/gpuc/gpuc/ir/texture"
)

// fraction bounds what eight bits of fraction in each of n directions do to a
// sample of texels whose neighbours differ by up to the range.
func fraction(directions int, difference float64) float64 {
	return float64(directions)*difference/256 + 0x1p-16
}

// sampler describes a sampler that takes one address mode in all directions.
func sampler(mode texture.AddressMode, filter texture.Filter) texture.Sampler {
	return texture.Sampler{Address: [3]texture.AddressMode{mode, mode, mode},
		Magnify: filter, Minify: filter, Mipmap: filter, HighestLevel: 32}
}

// fold returns the texel of an axis that address mode maps i to.
func fold(mode texture.AddressMode, i, size int) int {
	switch mode {
	case texture.Repeat:
		return (i%size + size) % size
	case texture.MirrorRepeat:
		if i = (i%(2*size) + 2*size) % (2 * size); i >= size {
			i = 2*size - 1 - i
		}
		return i
	}
	return clampInt(i, 0, size-1)
}

// tent samples texels of any number of dimensions: each has a tent of width 2, and
// those around the image are what the address mode says. at is in texels; get
// returns a texel by its numbers.
func tent(at []float64, size []int, mode texture.AddressMode, get func(i []int) float64) float64 {
	number := make([]int, len(at))
	var walk func(axis int, weight float64) float64
	walk = func(axis int, weight float64) float64 {
		if axis == len(at) {
			return weight * get(number)
		}
		sum := 0.0
		low := int(math.Floor(at[axis])) - 1
		for i := low; i < low+4; i++ {
			if w := 1 - math.Abs(float64(i)+0.5-at[axis]); w > 0 {
				number[axis] = fold(mode, i, size[axis])
				sum += walk(axis+1, weight*w)
			}
		}
		return sum
	}
	return walk(0, 1)
}

// bilinear samples one channel of an image of bytes.
func bilinear(pixels []byte, width, height, channel int, u, v float64, mode texture.AddressMode) float64 {
	return tent([]float64{u * float64(width), v * float64(height)}, []int{width, height}, mode, func(i []int) float64 {
		return float64(pixels[4*(i[1]*width+i[0])+channel]) / 255
	})
}

func textureResize() Case {
	const width, height, across, down = 19, 14, 45, 37
	pixels := randomBytes(180, 4*width*height)
	result := make([]float32, 4*across*down)
	return Case{
		Name: "texture_resize",
		Doc:  "bilinear resizing by a sampler, and with clamped coordinates",
		Buffers: []Buffer{
			content("resized", result).absolute(fraction(2, 1)), content("framed", result).absolute(fraction(2, 1)),
		},
		Textures: []Texture{filled("source", image(texture.RGBA8Unorm, width, height), pixels)},
		Samplers: []Sampler{
			{"clamping", sampler(texture.ClampToEdge, texture.Linear)},
			{"repeating", sampler(texture.Repeat, texture.Linear)},
		},
		Dispatches: append(once("main", groups(across, 8), groups(down, 8), 1), once("frame", groups(across, 8), groups(down, 8), 1)...),
		Reference: func(contents [][]byte) {
			for n, frame := range []float64{0, 5} {
				store(contents[n], build(4*across*down, func(i int) float32 {
					u := (float64(i/4%across) + 0.5 - frame) / (across - 2*frame)
					v := (float64(i/4/across) + 0.5 - frame) / (down - 2*frame)
					return float32(bilinear(pixels, width, height, i%4, u, v, texture.ClampToEdge))
				}))
			}
		},
	}
}

func textureAddressing() Case {
	const width, height, across, down = 5, 3, 24, 16
	tile := randomF32(181, width*height, -10, 10)
	turning := sampler(texture.Repeat, texture.Nearest)
	turning.Address[1] = texture.MirrorRepeat
	return Case{
		Name:     "texture_addressing",
		Doc:      "address modes around an image",
		Buffers:  []Buffer{content("found", make([]float32, 4*across*down))},
		Textures: []Texture{filled("tile", image(texture.R32Float, width, height), pack(tile...))},
		Samplers: []Sampler{
			{"clamping", sampler(texture.ClampToEdge, texture.Nearest)},
			{"repeating", sampler(texture.Repeat, texture.Nearest)},
			{"mirroring", sampler(texture.MirrorRepeat, texture.Nearest)},
			{"turning", turning},
		},
		Dispatches: once("main", across/8, down/8, 1),
		Reference: func(contents [][]byte) {
			var found []float32
			for i := range across * down {
				x, y := i%across-11, i/across-7
				for _, modes := range [][2]texture.AddressMode{
					{texture.ClampToEdge, texture.ClampToEdge}, {texture.Repeat, texture.Repeat},
					{texture.MirrorRepeat, texture.MirrorRepeat}, {texture.Repeat, texture.MirrorRepeat},
				} {
					found = append(found, tile[fold(modes[1], y, height)*width+fold(modes[0], x, width)])
				}
			}
			store(contents[0], found)
		},
	}
}

func textureTrilinear() Case {
	const width, height, count, n = 16, 8, 5, 200
	d := levels(image(texture.RGBA8Unorm, width, height), count)
	pyramid := filled("pyramid", d)
	for level := range uint32(count) {
		pyramid.Levels = append(pyramid.Levels, randomBytes(182+uint64(level), int(d.LevelBytes(level))))
	}
	r := source(187)
	positions := build(4*n, func(i int) float32 {
		if i%4 == 2 {
			return float32(r.IntN(6*32)-16) / 32 // the level
		}
		return float32(r.IntN(300)-100) / 97
	})
	some := sampler(texture.Repeat, texture.Linear)
	some.LowestLevel, some.HighestLevel = 1, 2.5
	return Case{
		Name: "texture_trilinear",
		Doc:  "samples between mip levels",
		Buffers: []Buffer{
			content("places", positions), content("found", make([]float32, 8*n)).absolute(fraction(3, 1)),
		},
		Textures:   []Texture{pyramid},
		Samplers:   []Sampler{{"all_levels", sampler(texture.Repeat, texture.Linear)}, {"some_levels", some}},
		Dispatches: once("main", groups(n, 32), 1, 1),
		Reference: func(contents [][]byte) {
			store(contents[1], build(8*n, func(i int) float32 {
				position := positions[i/8*4:]
				detail := max(0, min(float64(position[2]), count-1))
				if i%8 >= 4 {
					detail = max(1, min(float64(position[2]), 2.5))
				}
				sum := 0.0
				for level, pixels := range pyramid.Levels {
					if weight := 1 - math.Abs(float64(level)-detail); weight > 0 {
						sum += weight * bilinear(pixels, max(width>>level, 1), max(height>>level, 1), i%4,
							float64(position[0]), float64(position[1]), texture.Repeat)
					}
				}
				return float32(sum)
			}))
		},
	}
}

func textureGradient() Case {
	const size, count = 64, 7
	one := filled("levels", levels(image(texture.R32Float, size, size), count))
	two := filled("layers", levels(array(texture.R32Float, size, size, 2), count))
	for level := range count {
		texels := (size >> level) * (size >> level)
		one.Levels = append(one.Levels, pack(build(texels, func(int) float32 { return float32(level) })...))
		two.Levels = append(two.Levels, pack(build(2*texels, func(i int) float32 { return float32(10*(i/texels+1) + level) })...))
	}
	// Lengths 2^0.3 longer or shorter than a power of two, and others no longer.
	var steps []float32
	var wanted [][2]int // the levels of both components, and of the first alone
	for level := range count + 1 {
		for _, off := range []float64{-0.3, 0, 0.3} {
			long := math.Exp2(float64(level) + off)
			for _, short := range []float64{0, long / 3, long} {
				steps = append(steps, float32(long), float32(short), float32(short), float32(long))
				wanted = append(wanted, [2]int{level, level}, [2]int{level, shortLevel(short)})
			}
		}
	}
	// What the shorter one selects is as far from the middle only for some.
	clear := func(x float64) bool {
		detail := math.Log2(max(x, 1))
		return math.Abs(detail-math.Floor(detail)-0.5) > 0.1
	}
	var kept []float32
	var levelsOf [][2]int
	for i := range wanted {
		if clear(float64(steps[2*i])) {
			kept, levelsOf = append(kept, steps[2*i:2*i+2]...), append(levelsOf, wanted[i])
		}
	}
	return Case{
		Name:       "texture_gradient",
		Doc:        "levels of detail from derivatives",
		Buffers:    []Buffer{content("steps", kept), content("found", make([]float32, 2*len(kept)))},
		Textures:   []Texture{one, two},
		Samplers:   []Sampler{{"nearest", sampler(texture.Repeat, texture.Nearest)}},
		Dispatches: once("main", groups(len(levelsOf), 16), 1, 1),
		Reference: func(contents [][]byte) {
			var found []float32
			for _, l := range levelsOf {
				both, first := float32(min(l[0], count-1)), float32(min(l[1], count-1))
				found = append(found, both, both, 20+both, 10+first)
			}
			store(contents[1], found)
		},
	}
}

// shortLevel returns the level nearest to that of a length in texels.
func shortLevel(length float64) int { return int(math.Round(math.Log2(max(length, 1)))) }

func textureLUT() Case {
	const entries, n = 9, 300
	table := randomBytes(190, 4*entries*entries*entries)
	pixels := randomU32(191, n, 0)
	return Case{
		Name: "texture_lut",
		Doc:  "colour grading by a table of three dimensions",
		Buffers: []Buffer{
			content("pixels", pixels), content("graded", make([]float32, 4*n)).absolute(fraction(3, 1)),
		},
		Textures:   []Texture{filled("table", volume(texture.RGBA8Unorm, entries, entries, entries), table)},
		Samplers:   []Sampler{{"smooth_table", sampler(texture.ClampToEdge, texture.Linear)}},
		Dispatches: once("main", groups(n, 64), 1, 1),
		Reference: func(contents [][]byte) {
			store(contents[1], build(4*n, func(i int) float32 {
				p := pixels[i/4]
				if i%4 == 3 {
					return float32(p>>24) / 255
				}
				at := make([]float64, 3)
				for axis := range at {
					at[axis] = float64(p>>(8*axis)&255)/255*(entries-1) + 0.5
				}
				return float32(tent(at, []int{entries, entries, entries}, texture.ClampToEdge, func(k []int) float64 {
					return float64(table[4*((k[2]*entries+k[1])*entries+k[0])+i%4]) / 255
				}))
			}))
		},
	}
}

func textureArray() Case {
	const size, layers, n = 8, 5, 100
	fine, coarse := randomBytes(192, 4*layers*size*size), randomBytes(193, 4*layers*size*size/4)
	r := source(194)
	hits := build(4*n, func(i int) float32 {
		if i%4 == 2 {
			return float32(r.IntN(layers))
		}
		return float32(r.IntN(500)-150) / 101
	})
	return Case{
		Name: "texture_array",
		Doc:  "materials in the layers of an array",
		Buffers: []Buffer{
			content("hits", hits), content("colours", make([]float32, 4*n)).absolute(fraction(2, 1)),
			content("texels", make([]float32, 4*n)).absolute(0x1p-20),
		},
		Textures:   []Texture{filled("materials", levels(array(texture.RGBA8Unorm, size, size, layers), 2), fine, coarse)},
		Samplers:   []Sampler{{"repeating", sampler(texture.Repeat, texture.Linear)}},
		Dispatches: once("main", groups(n, 32), 1, 1),
		Reference: func(contents [][]byte) {
			store(contents[1], build(4*n, func(i int) float32 {
				hit := hits[i/4*4:]
				u, v := float64(hit[0]), float64(hit[1])
				if i/4%2 == 1 {
					u, v = u-1.0/size, v+2.0/size
				}
				return float32(bilinear(fine[4*size*size*int(hit[2]):], size, size, i%4, u, v, texture.Repeat))
			}))
			store(contents[2], build(4*n, func(i int) float32 {
				const texels = size * size / 4
				return float32(coarse[4*(texels*int(hits[i/4*4+2])+i/4%texels)+i%4]) / 255
			}))
		},
	}
}

// cubeDirection returns the direction to a point on a face of a cube (WebGPU, texture view
// creation), each coordinate from -1 to 1, right and down.
func cubeDirection(face int, right, down float64) [3]float64 {
	return [6][3]float64{
		{1, -down, -right}, {-1, -down, right}, {right, 1, down},
		{right, -1, -down}, {right, -down, 1}, {-right, -down, -1},
	}[face]
}

// dot is the inner product.
func dot(a, b [3]float64) float64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }

// cubePlace is the opposite of cubeDirection.
func cubePoint(d [3]float64) (face int, right, down float64) {
	longest := max(math.Abs(d[0]), math.Abs(d[1]), math.Abs(d[2]))
	for dot(cubeDirection(face, 0, 0), d) < longest {
		face++
	}
	centre := cubeDirection(face, 0, 0)
	along := func(to [3]float64) float64 { return (dot(to, d) - dot(centre, d)) / longest }
	return face, along(cubeDirection(face, 1, 0)), along(cubeDirection(face, 0, 1))
}

// cubeSample returns a sample of cubes of bytes: of the four texels around, those
// beyond an edge are the ones that one finds around the edge.
func cubeSample(pixels []byte, size int, d [3]float64, channel int) float64 {
	face, right, down := cubePoint(d)
	centre := func(i int) float64 { return (2*float64(i)+1)/float64(size) - 1 }
	at := func(i int, position float64) float64 { // the weight of texels along one axis
		return max(0, 1-math.Abs(centre(i)-position)*float64(size)/2)
	}
	sum := 0.0
	for y := -1; y <= size; y++ {
		for x := -1; x <= size; x++ {
			weight := at(x, right) * at(y, down)
			if weight == 0 {
				continue
			}
			middle := cubeDirection(face, 0, 0)
			p := cubeDirection(face, max(-1, min(centre(x), 1)), max(-1, min(centre(y), 1)))
			over := max(math.Abs(centre(x)), math.Abs(centre(y)), 1) - 1
			for axis := range p {
				p[axis] -= over * middle[axis]
			}
			f, r, d := cubePoint(p)
			i, j := int((r+1)/2*float64(size)), int((d+1)/2*float64(size))
			sum += weight * float64(pixels[4*((f*size+j)*size+i)+channel]) / 255
		}
	}
	return sum
}

func textureCube() Case {
	const size, probes, n = 8, 3, 400
	const bytes = 6 * size * size * 4
	sky, all := randomBytes(200, bytes), randomBytes(201, probes*bytes)
	r := source(195)
	var directions []float32
	for len(directions) < 4*n {
		// Two thirds close to an edge between faces. At the corners, where three
		// texels meet, devices differ.
		d := [3]float64{r.Float64()*2 - 1, r.Float64()*2 - 1, r.Float64()*2 - 1}
		i := len(directions) / 4
		if i%3 > 0 {
			d[i/3%3] = math.Copysign(1, d[i/3%3])
			d[(i/3+i%3)%3] = math.Copysign(1+0.1*r.Float64(), d[(i/3+i%3)%3])
		}
		if _, right, down := cubePoint(d); min(math.Abs(right), math.Abs(down)) > 1-1.0/size {
			continue
		}
		length := 0.25 + 4*r.Float64()
		for axis := range d {
			directions = append(directions, float32(d[axis]*length))
		}
		directions = append(directions, float32(i%probes))
	}
	return Case{
		Name: "texture_cube",
		Doc:  "a cube and an array of cubes, across the edges of faces",
		Buffers: []Buffer{
			content("directions", directions), content("light", make([]float32, 8*n)).absolute(fraction(2, 1)),
		},
		Textures: []Texture{
			filled("sky", array(texture.RGBA8Unorm, size, size, 6), sky),
			filled("probes", array(texture.RGBA8Unorm, size, size, 6*probes), all),
		},
		Samplers:   []Sampler{{"smooth_edges", sampler(texture.ClampToEdge, texture.Linear)}},
		Dispatches: once("main", groups(n, 64), 1, 1),
		Reference: func(contents [][]byte) {
			store(contents[1], build(8*n, func(i int) float32 {
				d, pixels := directions[i/8*4:], sky
				if i%8 >= 4 {
					pixels = all[int(d[3])*bytes:]
				}
				return float32(cubeSample(pixels, size, [3]float64{float64(d[0]), float64(d[1]), float64(d[2])}, i%4))
			}))
		},
	}
}

// around returns the texels around the corner (x, y) of texels, in the order of
// gathering: from below left against the clock.
func around(x, y, width, height int) [4]int {
	at := func(x, y int) int { return clampInt(y, 0, height-1)*width + clampInt(x, 0, width-1) }
	return [4]int{at(x-1, y), at(x, y), at(x, y-1), at(x-1, y-1)}
}

func textureGather() Case {
	const width, height, across, down = 7, 5, 8, 6
	counts := randomBytes(196, 4*width*height)
	heights := randomF32(197, 2*width*height, 0, 1000)
	return Case{
		Name: "texture_gather",
		Doc:  "four texels at once",
		Buffers: []Buffer{
			content("gathered", make([]uint32, 4*5*across*down)), content("highest", make([]float32, 2*across*down)),
		},
		Textures: []Texture{
			filled("counts", image(texture.RGBA8Uint, width, height), counts),
			filled("heights", array(texture.R32Float, width, height, 2), pack(heights...)),
		},
		Samplers:   []Sampler{{"nearest", sampler(texture.ClampToEdge, texture.Nearest)}},
		Dispatches: once("main", across/4, down/3, 1),
		Reference: func(contents [][]byte) {
			var gathered []uint32
			var highest []float32
			for i := range across * down {
				x, y := i%across, i/across
				for channel := range 4 {
					for _, k := range around(x, y, width, height) {
						gathered = append(gathered, uint32(counts[4*k+channel]))
					}
				}
				for _, k := range around(x+1, y-2, width, height) {
					gathered = append(gathered, uint32(counts[4*k+1]))
				}
				for layer := range 2 {
					most := float32(0)
					for _, k := range around(x, y, width, height) {
						most = max(most, heights[layer*width*height+k])
					}
					highest = append(highest, most)
				}
			}
			store(contents[0], gathered)
			store(contents[1], highest)
		},
	}
}

func textureShadow() Case {
	const size, cascades, n = 8, 3, 120
	r := source(198)
	depth := func(n int) []float32 {
		return build(n, func(int) float32 { return float32(r.IntN(17)) / 16 })
	}
	shadow, coarse, stack, faces := depth(size*size), depth(size*size/4), depth(cascades*size*size), build(6*size*size, func(i int) float32 {
		return float32(i/size/size*2+3) / 16
	})
	points := build(4*n, func(i int) float32 {
		switch i % 4 {
		case 2:
			return (float32(r.IntN(16)) + 0.5) / 16 // between two depths
		case 3:
			return float32(r.IntN(cascades))
		}
		return (float32(r.IntN(size)) + awayFromEdges(r)) / size
	})
	return Case{
		Name: "texture_shadow",
		Doc:  "comparisons with depths, gathered and filtered",
		Buffers: []Buffer{
			content("points", points), content("lit", make([]float32, 2*n)).absolute(fraction(2, 1)),
			content("taps", make([]float32, 4*5*n)),
		},
		Textures: []Texture{
			filled("cascades", array(texture.Depth32Float, size, size, cascades), pack(stack...)),
			filled("map", levels(image(texture.Depth32Float, size, size), 2), pack(shadow...), pack(coarse...)),
			filled("around", array(texture.Depth32Float, size, size, 6), pack(faces...)),
		},
		Samplers: []Sampler{
			{"smooth_less", compared(texture.Linear, texture.Less)},
			{"nearest_greater", compared(texture.Nearest, texture.Greater)},
			{"nearest", sampler(texture.ClampToEdge, texture.Nearest)},
		},
		Dispatches: once("main", groups(n, 32), 1, 1),
		Reference: func(contents [][]byte) {
			var lit, taps []float32
			is := func(condition bool) float32 {
				if condition {
					return 1
				}
				return 0
			}
			for i := range n {
				p := points[4*i:]
				u, v, reference, layer := float64(p[0])*size, float64(p[1])*size, p[2], stack[int(p[3])*size*size:]
				part := func(depths []float32, u, v float64) float32 {
					return float32(tent([]float64{u, v}, []int{size, size}, texture.ClampToEdge, func(k []int) float64 {
						return float64(is(reference < depths[k[1]*size+k[0]]))
					}))
				}
				lit = append(lit, part(layer, u, v), part(shadow, u+1, v+1))
				corner := around(int(math.Round(u)), int(math.Round(v)), size, size)
				for _, k := range corner {
					taps = append(taps, is(reference > shadow[k]))
				}
				for _, k := range corner {
					taps = append(taps, is(reference < layer[k]))
				}
				for _, k := range corner {
					taps = append(taps, shadow[k])
				}
				k := int(v)*size + int(u)
				taps = append(taps, shadow[k], shadow[k], is(reference > shadow[k]), layer[k])
				face := float32(i/2%3*2 + i%2)
				taps = append(taps, is(reference > (2*face+3)/16), (2*face+3)/16)
				below := coarse[int(v)/2*(size/2)+int(u)/2]
				taps = append(taps, below, below)
			}
			store(contents[1], lit)
			store(contents[2], taps)
		},
	}
}

// awayFromEdges returns a point in a texel that is clearly in it and clearly on one side of its
// middle.
func awayFromEdges(r *rand.Rand) float32 {
	return []float32{0.125, 0.25, 0.375, 0.625, 0.75, 0.875}[r.IntN(6)]
}

// compared describes a comparison sampler.
func compared(filter texture.Filter, compare texture.Compare) texture.Sampler {
	s := sampler(texture.ClampToEdge, filter)
	s.Compare = compare
	return s
}

func textureArguments() Case {
	const width, height, size = 11, 7, 8
	r := source(199)
	field := func(n int) []float32 { return build(n, func(int) float32 { return float32(r.IntN(60) - 40) }) }
	hills, dunes := field(width*height), field(height*height)
	return Case{
		Name:    "texture_arguments",
		Doc:     "textures and samplers as arguments and lets",
		Buffers: []Buffer{content("met", make([]float32, 4*size*size))},
		Textures: []Texture{
			filled("hills", image(texture.R32Float, width, height), pack(hills...)),
			filled("dunes", image(texture.R32Float, height, height), pack(dunes...)),
		},
		Samplers: []Sampler{
			{"clamping", sampler(texture.ClampToEdge, texture.Nearest)},
			{"repeating", sampler(texture.Repeat, texture.Nearest)},
		},
		Dispatches: once("main", size/4, size/4, 1),
		Reference: func(contents [][]byte) {
			var met []float32
			for i := range size * size {
				walk := func(field []float32, width int, mode texture.AddressMode, level float32) {
					for step := 0; ; step++ {
						if level--; level < -1 {
							met = append(met, float32(step), -1)
							return
						}
						x, y := fold(mode, i%size+step, width), fold(mode, i/size+step, height)
						if h := field[y*width+x]; h >= level {
							met = append(met, float32(step+1), h)
							return
						}
					}
				}
				walk(hills, width, texture.ClampToEdge, 40)
				walk(dunes, height, texture.Repeat, 30)
			}
			store(contents[0], met)
		},
	}
}
