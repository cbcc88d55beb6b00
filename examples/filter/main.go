// Filter blurs a picture and finds its edges on a GPU, or on the processor if there is none:
//
//	go run ./examples/filter
//	go run ./examples/filter photo.jpg
//
// and writes blurred.png and edges.png. Without a picture (PNG or JPEG) it draws one.
package main

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	_ "image/jpeg"
	"image/png"
	"io"
	"log"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"github.com/gpuc/gpuc/runtime/gpu"
)

func main() {
	device, err := gpu.Open(gpu.AllowCPU())
	if err != nil {
		log.Fatal(err)
	}
	defer device.Close()
	if err := run(os.Stdout, device, os.Args[1:]); err != nil {
		log.Fatal(err)
	}
}

// run filters the picture that the argument names, or its own, and writes the results.
func run(w io.Writer, device *gpu.Device, arguments []string) error {
	const blurredPath, edgesPath = "blurred.png", "edges.png"
	var photo picture
	switch len(arguments) {
	case 0:
		photo = scene(480, 320)
	case 1:
		for _, path := range []string{blurredPath, edgesPath} {
			if same(arguments[0], path) {
				return fmt.Errorf("%s would be overwritten: give it another name", arguments[0])
			}
		}
		var err error
		if photo, err = read(arguments[0]); err != nil {
			return err
		}
	default:
		return fmt.Errorf("expected one picture, found %d arguments", len(arguments))
	}
	blurred, edges, err := filter(w, device, photo)
	if err != nil {
		return err
	}
	if err := write(w, blurredPath, blurred.image()); err != nil {
		return err
	}
	return write(w, edgesPath, edges.image())
}

// picture is a picture as kernels have it: pixels row by row, with red, green and blue from 0 to 1
// as in the file.
type picture struct {
	width  int
	pixels []gpu.Vec3f
}

// outline is the edges of a picture, row by row.
type outline struct {
	width int
	edges []float32
}

// gauss returns the weights of a Gaussian filter, which are nearly zero at the radius. Their sum is
// 1, so that the brightness does not change.
func gauss() (weights Weights) {
	const deviation = Radius / 3.0
	var bell [Radius + 1]float64
	sum := 0.0
	for d := range bell {
		bell[d] = math.Exp(-float64(d*d) / (2 * deviation * deviation))
		sum += bell[d]
		if d > 0 {
			sum += bell[d] // there are two at this distance
		}
	}
	for d := range bell {
		weights[d] = float32(bell[d] / sum)
	}
	return weights
}

// filter blurs a picture and finds the edges of the result, on the device and as plain Go, and
// prints the times. Without the blur, noise would have edges everywhere.
func filter(w io.Writer, device *gpu.Device, photo picture) (blurred picture, edges outline, err error) {
	ctx := context.Background()
	width, height, n := photo.width, len(photo.pixels)/photo.width, len(photo.pixels)
	source, err1 := gpu.Upload(ctx, device, photo.pixels)
	rows, err2 := gpu.Alloc[gpu.Vec3f](device, n)
	both, err3 := gpu.Alloc[gpu.Vec3f](device, n)
	found, err4 := gpu.Alloc[float32](device, n)
	stream, err5 := device.NewStream()
	if err := errors.Join(err1, err2, err3, err4, err5); err != nil {
		return picture{}, outline{}, err // closing the device frees what was allocated
	}
	defer source.Close()
	defer rows.Close()
	defer both.Close()
	defer found.Close()
	defer stream.Close()

	// Launches run one after the other, so each reads what the previous one wrote. The intermediate
	// pictures stay on the device. The first round also loads the kernels, so the second is
	// measured.
	grid, weights := cover(width, height), gauss()
	var onDevice time.Duration
	for range 2 {
		start := time.Now()
		if err := errors.Join(
			LaunchBlur(stream, grid, false, width, weights, source, rows),
			LaunchBlur(stream, grid, true, width, weights, rows, both),
			LaunchEdges(stream, grid, width, both, found),
			stream.Wait(ctx),
		); err != nil {
			return picture{}, outline{}, err
		}
		onDevice = time.Since(start)
	}
	blurred = picture{width, make([]gpu.Vec3f, n)}
	edges = outline{width, make([]float32, n)}
	if err := errors.Join(both.Read(ctx, stream, blurred.pixels), found.Read(ctx, stream, edges.edges)); err != nil {
		return picture{}, outline{}, err
	}

	start := time.Now()
	plainBlurred, plainEdges := plain(photo)
	asGo := time.Since(start)

	// Devices may round differently from Go, but the difference is invisible in a file with 256
	// levels.
	var apart float32
	for i := range n {
		apart = max(apart, gpu.Distance(blurred.pixels[i], plainBlurred.pixels[i]), gpu.Abs(edges.edges[i]-plainEdges.edges[i]))
	}
	info := device.Info()
	_, err = fmt.Fprintf(w, "%s (%s) filtered %d by %d pixels in %v, plain Go in %v; they are at most %.1g apart\n",
		info.Name, info.ID(), width, height, onDevice, asGo, apart)
	return blurred, edges, err
}

// plain filters a picture with the kernels as plain Go.
func plain(photo picture) (blurred picture, edges outline) {
	width, n := photo.width, len(photo.pixels)
	rows := make([]gpu.Vec3f, n)
	blurred = picture{width, make([]gpu.Vec3f, n)}
	edges = outline{width, make([]float32, n)}
	grid, weights := cover(width, n/width), gauss()
	GoBlur(grid, false, width, weights, photo.pixels, rows)
	GoBlur(grid, true, width, weights, rows, blurred.pixels)
	GoEdges(grid, width, blurred.pixels, edges.edges)
	return blurred, edges
}

// cover returns the grid for a picture: enough workgroups of 8 by 8 pixels.
func cover(width, height int) gpu.Grid {
	return gpu.D2(uint32(width+7)/8, uint32(height+7)/8)
}

// same reports whether two paths name the same existing file.
func same(a, b string) bool {
	first, err1 := os.Stat(a)
	second, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(first, second)
}

// read reads a picture from a file. Transparent parts are blended with black.
func read(path string) (picture, error) {
	file, err := os.Open(path)
	if err != nil {
		return picture{}, err
	}
	defer file.Close()
	decoded, _, err := image.Decode(file)
	if err != nil {
		return picture{}, fmt.Errorf("cannot read %s: %w", path, err)
	}
	bounds := decoded.Bounds()
	if bounds.Empty() {
		return picture{}, fmt.Errorf("%s has no pixels", path)
	}
	photo := picture{bounds.Dx(), make([]gpu.Vec3f, 0, bounds.Dx()*bounds.Dy())}
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			red, green, blue, _ := decoded.At(x, y).RGBA()
			photo.pixels = append(photo.pixels, gpu.V3f(float32(red), float32(green), float32(blue)).Scale(1.0/0xffff))
		}
	}
	return photo, nil
}

// scene draws a picture with the features of a photograph: gradients, hard and soft edges, and
// noise.
func scene(width, height int) picture {
	r := rand.New(rand.NewPCG(1, 2))
	photo := picture{width, make([]gpu.Vec3f, 0, width*height)}
	for row := range height {
		for column := range width {
			// y is from 0 to 1, and x is 0 in the middle
			x := (float32(column) - float32(width)/2) / float32(height)
			y := float32(row) / float32(height)
			colour := gpu.Mix(gpu.V3f(0.25, 0.45, 0.75), gpu.V3f(0.85, 0.8, 0.75), y) // the sky
			sun := gpu.Distance(gpu.V2(x, y), gpu.V2f(0.4, 0.25))
			// with a soft edge
			colour = gpu.Mix(gpu.V3f(1, 0.95, 0.7), colour, step(0.06, 0.16, sun))
			if y > 0.55+0.08*gpu.Sin(4*x) {
				colour = gpu.V3f(0.45, 0.55, 0.6) // far hills
			}
			if y > 0.75-0.05*gpu.Sin(3*x+1) {
				// a meadow
				colour = gpu.Mix(gpu.V3f(0.35, 0.5, 0.2), gpu.V3f(0.15, 0.25, 0.1), 3*(y-0.7))
			}
			if roof := y - 0.4; roof > 0 && roof < 0.15 && gpu.Abs(x+0.3) < 0.05+roof {
				colour = gpu.V3f(0.6, 0.2, 0.15)
			}
			if gpu.Abs(x+0.3) < 0.16 && y >= 0.55 && y < 0.8 {
				colour = gpu.V3f(0.9, 0.87, 0.8) // a house
				if u := gpu.Fract((x + 0.46) / 0.08); u > 0.3 && u < 0.7 && y > 0.6 && y < 0.67 {
					colour = gpu.V3f(0.15, 0.2, 0.3) // its windows
				}
			}
			shadow := gpu.Distance(gpu.V2(x, 4*y), gpu.V2f(0.35, 3.6))
			colour = colour.Scale(0.4 + 0.6*step(0.1, 0.4, shadow)) // of a tree
			if gpu.Distance(gpu.V2(x, y), gpu.V2f(0.35, 0.62)) < 0.12 || gpu.Abs(x-0.35) < 0.015 && y > 0.6 && y < 0.9 {
				colour = gpu.V3f(0.12, 0.25, 0.1) // the tree
			}
			noise := float32(r.NormFloat64()) * 0.03
			photo.pixels = append(photo.pixels, colour.Add(gpu.V3(noise, noise, noise)))
		}
	}
	return photo
}

// step interpolates smoothly from 0 at low to 1 at high.
func step(low, high, x float32) float32 {
	t := min(max((x-low)/(high-low), 0), 1)
	return t * t * (3 - 2*t)
}

// image converts a picture to package image.
func (p picture) image() image.Image {
	m := image.NewNRGBA(image.Rect(0, 0, p.width, len(p.pixels)/p.width))
	for i, c := range p.pixels {
		m.SetNRGBA(i%p.width, i/p.width, color.NRGBA{level(c.X), level(c.Y), level(c.Z), 255})
	}
	return m
}

// image returns edges as white lines on black. Edges of photographs are seldom strong, so they are
// scaled.
func (o outline) image() image.Image {
	const brighter = 4
	m := image.NewGray(image.Rect(0, 0, o.width, len(o.edges)/o.width))
	for i, e := range o.edges {
		m.SetGray(i%o.width, i/o.width, color.Gray{level(brighter * e)})
	}
	return m
}

// level converts a channel from 0 to 1 to a byte.
func level(x float32) uint8 { return uint8(min(max(x, 0), 1)*255 + 0.5) }

// write writes a picture to a file and prints its name. It renames a temporary file, so that other
// programs never see an incomplete picture.
func write(w io.Writer, path string, m image.Image) error {
	file, err := os.CreateTemp(filepath.Dir(path), ".filter-*")
	if err != nil {
		return err
	}
	// only its owner can read a temporary file
	err = errors.Join(png.Encode(file, m), file.Chmod(0o644), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	_, err = fmt.Fprintf(w, "wrote %s, %d by %d pixels\n", path, m.Bounds().Dx(), m.Bounds().Dy())
	return err
}
