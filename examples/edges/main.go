// Edges finds the edges of a picture with a kernel in WGSL, on a GPU or on the processor if there
// is none:
//
//	go run ./examples/edges
//	go run ./examples/edges photo.jpg
//
// and writes edges.png. Without a picture, PNG or JPEG, it draws one.
package main

import (
	"context"
	_ "embed"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	_ "image/jpeg"
	"image/png"
	"io"
	"log"
	"os"
	"unsafe"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/jit"
)

//go:embed edges.wgsl
var source string

func main() {
	if err := run(os.Stdout, os.Args[1:]); err != nil {
		log.Fatal(err)
	}
}

// run finds the edges of the picture that the argument names, or of its own, and writes edges.png.
func run(w io.Writer, args []string) error {
	picture := discs(512, 512)
	if len(args) > 0 {
		file, err := os.Open(args[0])
		if err != nil {
			return err
		}
		defer file.Close()
		decoded, _, err := image.Decode(file)
		if err != nil {
			return fmt.Errorf("%s: %w", args[0], err)
		}
		picture = image.NewRGBA(image.Rect(0, 0, decoded.Bounds().Dx(), decoded.Bounds().Dy()))
		draw.Draw(picture, picture.Rect, decoded, decoded.Bounds().Min, draw.Src)
	}
	device, err := gpu.Open(gpu.AllowCPU())
	if err != nil {
		return err
	}
	defer device.Close()
	edges, err := find(context.Background(), device, picture)
	if err != nil {
		return err
	}
	file, err := os.Create("edges.png")
	if err != nil {
		return err
	}
	if err := png.Encode(file, edges); err != nil {
		return err
	}
	info := device.Info()
	fmt.Fprintf(w, "%s (%s) wrote edges.png, %d by %d pixels\n", info.Name, info.ID(), edges.Rect.Dx(), edges.Rect.Dy())
	return file.Close()
}

// find compiles the kernel for the device, runs it once for each pixel, and returns the result.
func find(ctx context.Context, device *gpu.Device, picture *image.RGBA) (*image.RGBA, error) {
	program, err := jit.Parse("edges.wgsl", source, codegen.Options{})
	if err != nil {
		return nil, err // the message shows the lines with errors
	}
	kernel, err := program.Load(device, "main")
	if err != nil {
		return nil, err
	}
	width, height := uint32(picture.Rect.Dx()), uint32(picture.Rect.Dy())
	photo, err := gpu.Upload(ctx, device, pixels(picture))
	if err != nil {
		return nil, err
	}
	size, err := gpu.Upload(ctx, device, [][2]uint32{{width, height}})
	if err != nil {
		return nil, err
	}
	edges, err := gpu.Alloc[uint32](device, int(width*height))
	if err != nil {
		return nil, err
	}
	stream, err := device.NewStream()
	if err != nil {
		return nil, err
	}
	// Cover returns the grid for so many invocations; the buffers are in the order of their
	// bindings.
	if err := stream.Run(kernel, kernel.Cover(width, height, 1), photo, size, edges); err != nil {
		return nil, err
	}
	result := image.NewRGBA(picture.Rect)
	return result, edges.Read(ctx, stream, pixels(result))
}

// pixels returns the memory of a picture as one word for each pixel, as the kernel has it.
func pixels(p *image.RGBA) []uint32 {
	return unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(p.Pix))), len(p.Pix)/4)
}

// discs draws a picture.
func discs(width, height int) *image.RGBA {
	p := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			dx, dy := x%128-64, y%128-64
			shade := uint8(x * 255 / width)
			if dx*dx+dy*dy < 48*48 {
				shade = 255 - uint8(y*255/height)
			}
			p.SetRGBA(x, y, color.RGBA{shade, shade, 255 - shade, 255})
		}
	}
	return p
}
