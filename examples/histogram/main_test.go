package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/gpu/gputest"
)

// TestCount compares the device and plain Go with a loop, for data with fewer and with more
// elements than the grid has items. Kernels add to the previous counts.
func TestCount(t *testing.T) {
	device := gputest.Open(t, gpu.Named(gpu.CPU))
	same := make([]uint32, 1000)
	for i := range same {
		same[i] = 77
	}
	data := map[string][]uint32{"all the same": same, "edges": {0, 255, 255, 256, 1 << 31}}
	for _, n := range []int{0, 1, 255, 256, 1000, 100003} {
		data[fmt.Sprint(n)] = bell(n)
	}
	for name, brightness := range data {
		t.Run(name, func(t *testing.T) {
			want := make([]uint32, Levels)
			for _, b := range brightness {
				if b > 255 {
					b = 255
				}
				want[b]++
			}
			counts, err := count(io.Discard, device, brightness)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(counts, want) {
				t.Errorf("counted %v, not %v", counts, want)
			}
			for _, groups := range []uint32{1, 3} {
				counts, plain := make([]uint32, Levels), make([]uint32, Levels)
				GoCount(gpu.D1(groups), brightness, plain)
				if !slices.Equal(plain, want) {
					t.Errorf("%d workgroups as plain Go counted %v, not %v", groups, plain, want)
				}
				if len(brightness) == 0 {
					continue // a buffer cannot be empty
				}
				if err := RunCount(context.Background(), device, gpu.D1(groups), brightness, counts); err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(counts, want) {
					t.Errorf("%d workgroups on the device counted %v, not %v", groups, counts, want)
				}
				total := 0
				for _, n := range counts {
					total += int(n)
				}
				if total != len(brightness) {
					t.Errorf("%d workgroups counted %d of %d", groups, total, len(brightness))
				}
				if err := RunCount(context.Background(), device, gpu.D1(groups), brightness, counts); err != nil {
					t.Fatal(err)
				}
				for level, n := range counts {
					if n != 2*want[level] {
						t.Errorf("brightness %d: %d after counting twice, not %d", level, n, 2*want[level])
					}
				}
			}
		})
	}
}

// TestBell checks that most values are in the middle and few near the ends.
func TestBell(t *testing.T) {
	var text strings.Builder
	const n = 20000
	counts, err := count(&text, gputest.Open(t, gpu.Named(gpu.CPU)), bell(n))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text.String(), "counted 20000 brightnesses") {
		t.Errorf("it says %q", text.String())
	}
	between := func(first, end int) (sum uint32) {
		for _, c := range counts[first:end] {
			sum += c
		}
		return sum
	}
	if all := between(0, Levels); all != n {
		t.Errorf("%d of %d are counted", all, n)
	}
	if middle := between(96, 160); middle < n/2 {
		t.Errorf("only %d are in the middle", middle)
	}
	if ends := between(0, 32) + between(224, Levels); ends > n/100 {
		t.Errorf("%d are at the ends", ends)
	}
}

// TestChart checks that a row is the sum of eight brightness values, and the lengths of bars. The
// largest count has 50 blocks, half of it 25, and any count at least one.
func TestChart(t *testing.T) {
	counts := make([]uint32, Levels)
	counts[0], counts[7] = 150, 50 // one row
	counts[8] = 100
	counts[255] = 1
	var text strings.Builder
	if err := chart(&text, counts); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(text.String(), "\n")
	if len(lines) != 33 || lines[32] != "" {
		t.Fatalf("%d lines:\n%s", len(lines), text.String())
	}
	for line, want := range map[int]string{
		0:  "  0 to   7 ██████████████████████████████████████████████████ 200",
		1:  "  8 to  15 █████████████████████████                          100",
		2:  " 16 to  23                                                    0",
		31: "248 to 255 █                                                  1",
	} {
		if lines[line] != want {
			t.Errorf("line %d is\n%q, not\n%q", line, lines[line], want)
		}
	}
	text.Reset()
	if err := chart(&text, make([]uint32, Levels)); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(text.String(), "█") {
		t.Errorf("nothing has bars:\n%s", text.String())
	}
}
