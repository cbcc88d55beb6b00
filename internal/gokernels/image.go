package gokernels

import "github.com/gpuc/gpuc/runtime/gpu"

const (
	convolutionSize   = 64
	convolutionRadius = 5
)

// Weights are the weights of a filter, followed by a scale.
type Weights [3][4]float32

//gpuc:kernel workgroup=convolutionSize
func Convolution1d(it gpu.Item, window *[convolutionSize + 2*convolutionRadius]float32, weights Weights, signal, filtered []float32) {
	base, local := it.Group().X*convolutionSize, it.LocalIndex()
	for i := local; i < len(window); i += convolutionSize {
		window[i] = 0
		if at := base + i - convolutionRadius; at >= 0 && at < len(signal) {
			window[i] = signal[at]
		}
	}
	it.Barrier()
	i := it.Index()
	if i >= len(filtered) {
		return
	}
	sum := float32(0)
	for k := range 2*convolutionRadius + 1 {
		sum += weights[k/4][k%4] * window[local+k]
	}
	filtered[i] = sum * weights[2][3]
}

const (
	blurWidth  = 45
	blurHeight = 33
)

var taps = [4]float32{0.28125, 0.21875, 0.109375, 0.03125} // they sum to 1

// colour returns a pixel's channels, from 0 to 1.
func colour(pixel uint32) Vec4f {
	return gpu.V4f(
		float32(pixel&255), float32(pixel>>8&255), float32(pixel>>16&255), float32(pixel>>24),
	).Scale(1.0 / 255)
}

//gpuc:kernel workgroup=16,4
func GaussianBlurHorizontal(it gpu.Item, pixels []uint32, rows []Vec4f) {
	at := it.Global()
	if at.X >= blurWidth || at.Y >= blurHeight {
		return
	}
	row := pixels[at.Y*blurWidth:][:blurWidth]
	var sum Vec4f
	for i := -3; i <= 3; i++ {
		x := gpu.Clamp(at.X+i, 0, blurWidth-1)
		sum = sum.Add(colour(row[x]).Scale(taps[max(i, -i)]))
	}
	rows[at.Y*blurWidth+at.X] = sum
}

//gpuc:kernel workgroup=4,16
func GaussianBlurVertical(it gpu.Item, rows, blurred []Vec4f) {
	at := it.Global()
	if at.X >= blurWidth || at.Y >= blurHeight {
		return
	}
	sum := rows[at.Y*blurWidth+at.X].Scale(taps[0])
	for i := 1; i < len(taps); i++ {
		above := rows[max(at.Y-i, 0)*blurWidth+at.X]
		below := rows[min(at.Y+i, blurHeight-1)*blurWidth+at.X]
		sum = sum.Add(above.Add(below).Scale(taps[i]))
	}
	blurred[at.Y*blurWidth+at.X] = sum
}

type Sizes struct {
	Source, Result Vec2u
	Scale          Vec2f // source pixels per result pixel
}

// bitmap is an image by rows.
type bitmap struct {
	pixels        []Vec2f
	width, height int
}

// at returns a pixel, with coordinates clamped to the image.
func (b *bitmap) at(x, y int) Vec2f {
	return b.pixels[gpu.Clamp(y, 0, b.height-1)*b.width+gpu.Clamp(x, 0, b.width-1)]
}

//gpuc:kernel workgroup=8,8
func ResizeBilinear(it gpu.Item, sizes Sizes, image, resized []Vec2f) {
	at := it.Global()
	if at.X >= int(sizes.Result.X) || at.Y >= int(sizes.Result.Y) {
		return
	}
	source := bitmap{image, int(sizes.Source.X), int(sizes.Source.Y)}
	px, py := (float32(at.X)+0.5)*sizes.Scale.X-0.5, (float32(at.Y)+0.5)*sizes.Scale.Y-0.5
	x, y := int(gpu.Floor(px)), int(gpu.Floor(py))
	wx, wy := gpu.Fract(px), gpu.Fract(py)
	top := gpu.Mix(source.at(x, y), source.at(x+1, y), wx)
	bottom := gpu.Mix(source.at(x, y+1), source.at(x+1, y+1), wx)
	resized[at.Y*int(sizes.Result.X)+at.X] = gpu.Mix(top, bottom, wy)
}

type ImageSize struct{ Width, Height uint32 }

// lumaImage is an image of which only the luma is read.
type lumaImage struct {
	pixels        []uint32
	width, height int
}

// at returns the luma of a pixel, with coordinates clamped to the image.
func (m lumaImage) at(x, y int) int {
	p := m.pixels[gpu.Clamp(y, 0, m.height-1)*m.width+gpu.Clamp(x, 0, m.width-1)]
	return int((p&255*54 + p>>8&255*183 + p>>16&255*19) >> 8)
}

//gpuc:kernel workgroup=8,8
func Sobel(it gpu.Item, image ImageSize, pixels, edges []uint32) {
	at := it.Global()
	m := lumaImage{pixels, int(image.Width), int(image.Height)}
	if at.X >= m.width || at.Y >= m.height {
		return
	}
	x, y := at.X, at.Y
	gx := m.at(x+1, y-1) + 2*m.at(x+1, y) + m.at(x+1, y+1) - m.at(x-1, y-1) - 2*m.at(x-1, y) - m.at(x-1, y+1)
	gy := m.at(x-1, y+1) + 2*m.at(x, y+1) + m.at(x+1, y+1) - m.at(x-1, y-1) - 2*m.at(x, y-1) - m.at(x+1, y-1)
	// Roots of squares below 256² become whole numbers whatever their last bits are, and no other
	// root is within 1/512 below a whole number.
	magnitude := min(uint32(gpu.Sqrt(float32(gx*gx+gy*gy))+0.0001), 255)
	here := y*m.width + x
	edges[here] = pixels[here]&0xff000000 | magnitude*0x010101
}
