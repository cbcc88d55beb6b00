package main

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/gpu/gputest"
)

// scanned returns the prefix sums of numbers, computed on the device.
func scanned(t *testing.T, device *gpu.Device, numbers []uint32) []uint32 {
	t.Helper()
	ctx := context.Background()
	buffer, err := gpu.Upload(ctx, device, numbers)
	if err != nil {
		t.Fatal(err)
	}
	defer buffer.Close()
	stream, err := device.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	if err := scan(device, stream, buffer); err != nil {
		t.Fatal(err)
	}
	sums := make([]uint32, len(numbers))
	if err := buffer.Read(ctx, stream, sums); err != nil {
		t.Fatal(err)
	}
	return sums
}

// scanGo is scan with the kernels as plain Go.
func scanGo(numbers []uint32) {
	n := blocks(len(numbers))
	totals := make([]uint32, n)
	GoScanBlocks(gpu.D1(uint32(n)), numbers, totals)
	if n > 1 {
		scanGo(totals)
		GoAddTotals(gpu.D1(uint32(n)), totals, numbers)
	}
}

// pickGo is pick with the kernels as plain Go.
func pickGo(readings []uint32, limit uint32) []uint32 {
	grid := gpu.D1(uint32(blocks(len(readings))))
	sums, kept := make([]uint32, len(readings)), make([]uint32, len(readings))
	GoMark(grid, limit, readings, sums)
	scanGo(sums)
	GoKeep(grid, limit, readings, sums, kept)
	return kept[:sums[len(sums)-1]]
}

// TestScan tests lengths around those of one, two and three levels of blocks, and sums that wrap
// around.
func TestScan(t *testing.T) {
	device := gputest.Open(t, gpu.Named(gpu.CPU))
	r := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{0, 1, 2, 255, 256, 257, 1000, 65535, 65536, 65537, 65536 + 300} {
		numbers, want := make([]uint32, n), make([]uint32, n)
		sum, wraps := uint32(0), 0
		for i := range numbers {
			numbers[i] = r.Uint32()
			if sum+numbers[i] < sum {
				wraps++
			}
			sum += numbers[i]
			want[i] = sum
		}
		if n > 200 && wraps == 0 {
			t.Errorf("no sum of %d numbers wraps", n)
		}
		asGo := slices.Clone(numbers)
		scanGo(asGo)
		for way, got := range map[string][]uint32{"the device": scanned(t, device, numbers), "plain Go": asGo} {
			for i := range got {
				if got[i] != want[i] {
					t.Errorf("%d numbers, %s: sum %d is %d, not %d", n, way, i, got[i], want[i])
					break
				}
			}
		}
	}
}

// TestPick selects some, all and no readings, across blocks.
func TestPick(t *testing.T) {
	device := gputest.Open(t, gpu.Named(gpu.CPU))
	for _, test := range []struct {
		readings []uint32
		limit    uint32
		want     []uint32
		says     string
	}{
		{[]uint32{5, 1, 7, 7, 2, 9}, 4, []uint32{5, 7, 7, 9}, "picked 4 of 6 readings"},
		{[]uint32{5, 1, 7}, 0, []uint32{5, 1, 7}, "picked 3 of 3 readings"},
		{[]uint32{5, 1, 7}, 7, nil, "picked 0 of 3 readings"},
	} {
		var text strings.Builder
		picked, err := pick(&text, device, test.readings, test.limit)
		if err != nil {
			t.Errorf("%d above %d: %v", test.readings, test.limit, err)
			continue
		}
		if !slices.Equal(picked, test.want) || !strings.Contains(text.String(), test.says) {
			t.Errorf("%d above %d: got %d, and it says %q", test.readings, test.limit, picked, text.String())
		}
		if asGo := pickGo(test.readings, test.limit); !slices.Equal(asGo, test.want) {
			t.Errorf("%d above %d: plain Go got %d", test.readings, test.limit, asGo)
		}
	}
	readings := random(5*Block + 7)
	picked, err := pick(&strings.Builder{}, device, readings, 499) // which compares with a loop
	if err != nil {
		t.Fatal(err)
	}
	if asGo := pickGo(readings, 499); !slices.Equal(asGo, picked) {
		t.Errorf("plain Go got %d, the device %d", asGo, picked)
	}
}
