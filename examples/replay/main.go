// Replay answers requests on a GPU, or on the processor if there is none:
//
//	go run ./examples/replay
//
// A request is many small kernels. They are captured once, and each request replays them.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"slices"
	"time"

	"github.com/gpuc/gpuc/runtime/gpu"
)

func main() {
	device, err := gpu.Open(gpu.AllowCPU())
	if err != nil {
		log.Fatal(err)
	}
	defer device.Close()
	if err := serve(os.Stdout, device, 4096, 200); err != nil {
		log.Fatal(err)
	}
}

// layers is how often a request runs both kernels.
const layers = 50

// network is what a request runs, with its buffers.
type network struct {
	stream        *gpu.Stream
	input, output *gpu.Buffer[float32]
}

// run enqueues the kernels of a request. The buffer between them is one of the stream: in a capture
// the recording keeps its memory.
func (n *network) run(factor float32) error {
	between, err := gpu.Alloc[float32](n.stream, n.input.Len())
	if err != nil {
		return err
	}
	defer between.Close()
	grid := gpu.Items1(n.input.Len())
	if err := gpu.Copy(n.stream, between, n.input); err != nil {
		return err
	}
	for range layers {
		if err := errors.Join(LaunchRelu(n.stream, grid, between, n.output), LaunchScale(n.stream, grid, factor, n.output), gpu.Copy(n.stream, between, n.output)); err != nil {
			return err
		}
	}
	return nil
}

// answer uploads a request, has the kernels run, and reads the result: one wait in all.
func (n *network) answer(run func() error, request, result []float32) error {
	return errors.Join(n.input.Write(n.stream, request), run(), n.output.Read(context.Background(), n.stream, result))
}

// serve answers requests of some numbers, by launches and by replays, and prints how long one
// takes.
func serve(w io.Writer, device *gpu.Device, numbers, requests int) error {
	stream, err1 := device.NewStream()
	input, err2 := gpu.Alloc[float32](device, numbers)
	output, err3 := gpu.Alloc[float32](device, numbers)
	if err := errors.Join(err1, err2, err3); err != nil {
		return err // closing the device frees what was allocated
	}
	n := &network{stream, input, output}
	const factor = 1.01
	launches := func() error { return n.run(factor) }
	recording, err := stream.Capture(launches) // nothing runs yet
	if err != nil {
		return err
	}
	defer recording.Close()
	replay := func() error { return recording.Replay(stream) }

	request, launched, replayed := make([]float32, numbers), make([]float32, numbers), make([]float32, numbers)
	for i := range request {
		request[i] = float32(i%7 - 3)
	}
	measure := func(run func() error, result []float32) (time.Duration, error) {
		if err := n.answer(run, request, result); err != nil { // which also loads the kernels
			return 0, err
		}
		start := time.Now()
		for range requests {
			if err := n.answer(run, request, result); err != nil {
				return 0, err
			}
		}
		return time.Since(start) / time.Duration(requests), nil
	}
	byLaunches, err1 := measure(launches, launched)
	byReplays, err2 := measure(replay, replayed)
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	if !slices.Equal(launched, replayed) {
		return fmt.Errorf("launches and replays disagree")
	}
	info := device.Info()
	fmt.Fprintf(w, "%s (%s): a request of %d kernels takes %v by launches, and %v by a replay\n",
		info.Name, info.ID(), 2*layers, byLaunches, byReplays)
	fmt.Fprintf(w, "%v becomes %.4f\n", request[6], replayed[6])
	return nil
}
