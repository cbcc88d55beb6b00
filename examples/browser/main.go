// Browser is a program that runs in browsers, through WebGPU, and elsewhere. Its index.html shows
// what it prints:
//
//	cd examples/browser
//	GOOS=js GOARCH=wasm go build -o main.wasm .
//	cp "$(go env GOROOT)/lib/wasm/wasm_exec.js" .
//	python3 -m http.server
//
// A device may be named: go run ./examples/browser cpu, or http://localhost:8000/?device=webgpu.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/gpuc/gpuc/runtime/gpu"
)

func main() {
	option := gpu.AllowCPU()
	if len(os.Args) > 1 {
		option = gpu.Named(os.Args[1])
	}
	device, err := gpu.Open(option)
	if err != nil {
		log.Fatal(err)
	}
	defer device.Close()
	if err := longest(os.Stdout, device, 10000); err != nil {
		log.Fatal(err)
	}
}

// longest prints which of the numbers up to n has most steps.
func longest(w io.Writer, device *gpu.Device, n int) error {
	steps := make([]uint32, n)
	if err := RunCollatz(context.Background(), device, gpu.D1(uint32(n+63)/64), steps); err != nil {
		return err
	}
	best := 0
	for i := range steps {
		if steps[i] > steps[best] {
			best = i
		}
	}
	_, err := fmt.Fprintf(w, "%d has %d steps, by %s\n", best+1, steps[best], device.Info().ID())
	return err
}
