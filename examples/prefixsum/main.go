// Prefixsum picks some numbers out of a million on a GPU, or on the processor if there is none:
//
//	go run ./examples/prefixsum
//
// Where each of them goes depends on how many come before it: that is what prefix sums tell.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
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
	if _, err := pick(os.Stdout, device, random(1<<20), 989); err != nil {
		log.Fatal(err)
	}
}

// random returns n readings below 1000.
func random(n int) []uint32 {
	r := rand.New(rand.NewPCG(1, 2))
	readings := make([]uint32, n)
	for i := range readings {
		readings[i] = r.Uint32N(1000)
	}
	return readings
}

// blocks returns how many workgroups n numbers take.
func blocks(n int) int { return (n + Block - 1) / Block }

// scan enqueues what turns numbers into their prefix sums. Their blocks are scanned each by itself,
// then their totals as numbers of their own, of which there are 256 times fewer. It ends when there
// is one block.
func scan(device *gpu.Device, stream *gpu.Stream, numbers *gpu.Buffer[uint32]) error {
	n := blocks(numbers.Len())
	if n == 0 {
		return nil
	}
	totals, err := gpu.Alloc[uint32](device, n)
	if err != nil {
		return err
	}
	defer totals.Close() // the memory stays until the launches that use it are done
	grid := gpu.D1(uint32(n))
	if err := LaunchScanBlocks(stream, grid, numbers, totals); err != nil || n == 1 {
		return err
	}
	if err := scan(device, stream, totals); err != nil {
		return err
	}
	return LaunchAddTotals(stream, grid, totals, numbers)
}

// pick picks those of some readings that are above a limit, on the device and as plain Go, prints
// how long that took, and returns them.
func pick(w io.Writer, device *gpu.Device, host []uint32, limit uint32) ([]uint32, error) {
	ctx := context.Background()
	readings, err1 := gpu.Upload(ctx, device, host)
	sums, err2 := gpu.Alloc[uint32](device, len(host))
	kept, err3 := gpu.Alloc[uint32](device, len(host)) // there may be as many
	stream, err4 := device.NewStream()
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return nil, err // what there is ends with the device
	}
	defer readings.Close()
	defer sums.Close()
	defer kept.Close()
	defer stream.Close()

	// The launches are queued, and run one after the other. The first ones load the kernels, so it
	// is the second time that is measured.
	var onDevice time.Duration
	grid := gpu.D1(uint32(blocks(len(host))))
	for range 2 {
		start := time.Now()
		if err := errors.Join(
			LaunchMark(stream, grid, limit, readings, sums),
			scan(device, stream, sums),
			LaunchKeep(stream, grid, limit, readings, sums, kept),
			stream.Wait(ctx),
		); err != nil {
			return nil, err
		}
		onDevice = time.Since(start)
	}

	// The last sum is how many there are.
	var count [1]uint32
	last, err := sums.Slice(len(host)-1, len(host))
	if err != nil {
		return nil, err
	}
	if err := last.Read(ctx, stream, count[:]); err != nil {
		return nil, err
	}
	first, err := kept.Slice(0, int(count[0]))
	if err != nil {
		return nil, err
	}
	picked := make([]uint32, count[0])
	if err := first.Read(ctx, stream, picked); err != nil {
		return nil, err
	}

	// A processor needs no prefix sums for that, as a loop knows how many it has seen.
	start := time.Now()
	var plain []uint32
	for _, r := range host {
		if r > limit {
			plain = append(plain, r)
		}
	}
	asGo := time.Since(start)

	if !slices.Equal(picked, plain) {
		return nil, fmt.Errorf("the device and plain Go disagree")
	}
	info := device.Info()
	fmt.Fprintf(w, "%s (%s) picked %d of %d readings in %v, a loop in plain Go in %v\nthe first ones: %d\n",
		info.Name, info.ID(), len(picked), len(host), onDevice, asGo, picked[:min(10, len(picked))])
	return picked, nil
}
