// Photograph makes a drawing of a photograph, on a GPU or on the processor if there is
// none:
//
//	go run ./examples/photograph
//	go run ./examples/photograph photo.jpg
//
// and writes photograph.png. Without a picture, PNG or JPEG, it draws one. The steps are a change
// of size, a smoothing that keeps edges, the edges themselves, and a view from the side.
package main

import (
	"context"
	"errors"
	"fmt"
	goimage "image"
	"image/color"
	_ "image/jpeg"
	"image/png"
	"io"
	"log"
	"math"
	"os"

	"github.com/gpuc/gpuc/kernels/image"
	"github.com/gpuc/gpuc/runtime/gpu"
)

func main() {
	if err := run(os.Stdout, os.Args[1:]); err != nil {
		log.Fatal(err)
	}
}

// width and height are those of the drawing and of the table.
const width, height = 640, 480

// run draws the picture that the argument names, or one of its own, and writes photograph.png.
func run(w io.Writer, args []string) error {
	picture := goimage.Image(landscape(1000, 750))
	if len(args) > 0 {
		file, err := os.Open(args[0])
		if err != nil {
			return err
		}
		defer file.Close()
		if picture, _, err = goimage.Decode(file); err != nil {
			return fmt.Errorf("%s: %w", args[0], err)
		}
	}
	device, err := gpu.Open(gpu.AllowCPU())
	if err != nil {
		return err
	}
	defer device.Close()
	result, err := draw(context.Background(), device, picture)
	if err != nil {
		return err
	}
	file, err := os.Create("photograph.png")
	if err != nil {
		return err
	}
	if err := png.Encode(file, result); err != nil {
		return err
	}
	info := device.Info()
	fmt.Fprintf(w, "%s (%s) wrote photograph.png, %d by %d pixels\n", info.Name, info.ID(), width, height)
	return file.Close()
}

// draw enqueues all steps, and waits once, to read the result.
func draw(ctx context.Context, device *gpu.Device, picture goimage.Image) (*goimage.NRGBA, error) {
	s, err := device.NewStream()
	if err != nil {
		return nil, err
	}
	defer s.Close()
	photo, err := image.UploadGo[uint8](ctx, s, picture)
	if err != nil {
		return nil, err
	}
	rgb, err1 := image.New[uint8](s, photo.Width, photo.Height, 3)
	small, err2 := image.New[uint8](s, width, height, 3)
	smooth, err3 := image.New[uint8](s, width, height, 3)
	gray, err4 := image.New[uint8](s, width, height, 1)
	edges, err5 := image.New[uint8](s, width, height, 1)
	lines, err6 := image.New[uint8](s, width, height, 1)
	mask, err7 := image.New[uint8](s, width, height, 3)
	table, err8 := image.New[uint8](s, width, height, 3)
	if err := errors.Join(err1, err2, err3, err4, err5, err6, err7, err8); err != nil {
		return nil, err
	}
	// Closing the device frees the images.

	if photo.Channels < 3 {
		err = image.FromGray(s, rgb, photo)
	} else {
		// Without alpha.
		err = image.MixChannels(s, rgb, photo, [3][4]float32{{1}, {0, 1}, {0, 0, 1}})
	}
	view, _ := image.Quadrilateral(
		[4][2]float64{{0, 0}, {width, 0}, {width, height}, {0, height}},
		[4][2]float64{{150, 60}, {600, 90}, {560, 440}, {40, 380}})
	if err := errors.Join(err,
		image.Resize(s, small, rgb, image.Lanczos3, true),
		image.Bilateral(s, smooth, small, 4, 3, 0.12, image.Mirror),
		image.ToGray(s, gray, smooth, image.BT709),
		image.GaussianBlur(s, lines, gray, 1, image.Mirror),
		image.Canny(s, edges, lines, 25, 80, true),
		image.Dilate(s, lines, edges, image.Cross(3, 3), image.Clamp),
		image.FromGray(s, mask, lines),
		image.Combine(s, small, smooth, mask, 1, -1, 0),
		image.Warp(s, table, small, view, image.Bicubic, image.Constant(92, 64, 44)),
	); err != nil {
		return nil, err
	}
	result := goimage.NewNRGBA(goimage.Rect(0, 0, width, height))
	return result, image.ReadGo(ctx, s, result, table)
}

// landscape draws hills, a sun and a house.
func landscape(width, height int) *goimage.NRGBA {
	p := goimage.NewNRGBA(goimage.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			u, v := float64(x)/float64(width), float64(y)/float64(height)
			c := color.NRGBA{uint8(110 + 90*v), uint8(160 + 60*v), 240, 255}
			if math.Hypot(u-0.75, (v-0.22)*0.75) < 0.07 {
				c = color.NRGBA{255, 230, 120, 255}
			}
			for i, hill := range []float64{0.52 + 0.06*math.Sin(9*u), 0.64 + 0.08*math.Sin(5*u+2)} {
				if v > hill {
					c = color.NRGBA{uint8(60 + 30*i), uint8(140 - 40*i), uint8(70 - 20*i), 255}
				}
			}
			switch {
			case u > 0.2 && u < 0.4 && v > 0.55 && v < 0.8:
				c = color.NRGBA{225, 215, 195, 255}
				if u > 0.27 && u < 0.33 && v > 0.65 {
					c = color.NRGBA{120, 70, 40, 255}
				}
			case v > 0.4 && v <= 0.55 && math.Abs(u-0.3) < (v-0.4)*0.85:
				c = color.NRGBA{170, 60, 50, 255}
			}
			p.SetNRGBA(x, y, c)
		}
	}
	return p
}
