// Prefixsum selects some of a million numbers on a GPU, or on the processor if there is none:
//
//	go run ./examples/prefixsum
//
// The position of each depends on how many are selected before it, which a prefix sum computes.
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

// blocks returns the number of workgroups for n numbers.
func blocks(n int) int { return (n + Block - 1) / Block }

// scan enqueues the launches that replace numbers by their prefix sums. It scans each block, then
// the totals of the blocks recursively, which are 256 times fewer. The recursion ends with a single
// block.
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

// pick selects the readings above a limit, on the device and as plain Go, prints the times, and
// returns them.
func pick(w io.Writer, device *gpu.Device, host []uint32, limit uint32) ([]uint32, error) {
	ctx := context.Background()
	readings, err1 := gpu.Upload(ctx, device, host)
	sums, err2 := gpu.Alloc[uint32](device, len(host))
	kept, err3 := gpu.Alloc[uint32](device, len(host)) // at most as many
	stream, err4 := device.NewStream()
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return nil, err // closing the device frees what was allocated
	}
	defer readings.Close()
	defer sums.Close()
	defer kept.Close()
	defer stream.Close()

	// The launches are queued and run one after the other. The first ones also load the kernels, so
	// the second round is measured.
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

	// The last sum is the number of selected readings.
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

	// A sequential loop needs no prefix sums.
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
