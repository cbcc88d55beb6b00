// Fractal draws the Mandelbrot set on a GPU, or on the processor if there is none:
//
//	go run ./examples/fractal
//
// and writes fractal.png.
package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"image"
	"image/png"
	"io"
	"log"
	"os"
	"time"

	"github.com/gpuc/gpuc/runtime/gpu"
)

func main() {
	device, err := gpu.Open(gpu.AllowCPU())
	if err != nil {
		log.Fatal(err)
	}
	defer device.Close()
	picture, err := draw(os.Stdout, device, 768, 512)
	if err != nil {
		log.Fatal(err)
	}
	file, err := os.Create("fractal.png")
	if err != nil {
		log.Fatal(err)
	}
	if err := png.Encode(file, picture); err != nil {
		log.Fatal(err)
	}
	if err := file.Close(); err != nil {
		log.Fatal(err)
	}
	fmt.Println("look at", file.Name())
}

// draw draws a picture on the device and as plain Go, and prints the times.
func draw(w io.Writer, device *gpu.Device, width, height int) (image.Image, error) {
	view := View{X: -0.75, Width: 3.3, Steps: 200}
	pixels := make([]uint32, width*height)
	// Enough workgroups of 8 by 8 pixels for the picture.
	grid := gpu.D2(uint32(width+7)/8, uint32(height+7)/8)
	start := time.Now()
	if err := RunMandelbrot(context.Background(), device, grid, view, width, pixels); err != nil {
		return nil, err
	}
	onDevice := time.Since(start)

	plain := make([]uint32, len(pixels))
	start = time.Now()
	GoMandelbrot(grid, view, width, plain)
	asGo := time.Since(start)

	// Devices may round differently from Go, so a point near the border may need another iteration.
	different := 0
	for i := range pixels {
		if pixels[i] != plain[i] {
			different++
		}
	}
	info := device.Info()
	fmt.Fprintf(w, "%s (%s) drew %d by %d pixels in %v, plain Go in %v; %d pixels differ\n",
		info.Name, info.ID(), width, height, onDevice, asGo, different)

	picture := image.NewNRGBA(image.Rect(0, 0, width, height))
	for i, p := range pixels {
		binary.LittleEndian.PutUint32(picture.Pix[4*i:], p)
	}
	return picture, nil
}
