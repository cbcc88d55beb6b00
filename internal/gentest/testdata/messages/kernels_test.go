package messages

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/gpu/gputest"
)

// plainly returns what a kernel prints as plain Go.
func plainly(run func()) string {
	var b strings.Builder
	before := gpu.SetPlainOutput(&b)
	defer gpu.SetPlainOutput(before)
	run()
	return b.String()
}

// onDevices calls f with each device, and returns what its launches print.
func onDevices(t *testing.T, f func(t *testing.T, d *gpu.Device, printed func() string)) {
	infos, err := gpu.Devices()
	if err != nil {
		t.Log(err)
	}
	for _, info := range infos {
		t.Run(info.ID(), func(t *testing.T) {
			d := gputest.Open(t, gpu.Named(info.ID()))
			var b strings.Builder
			d.SetMessages(gpu.MessageOptions{To: &b})
			f(t, d, func() string {
				defer b.Reset()
				return b.String()
			})
		})
	}
}

// byItem sorts lines of plain Go, which are in the order in which items take turns, as those of devices are. Those of an item stay in
// their order.
func byItem(text string) string {
	lines := strings.SplitAfter(text, "\n")
	place := func(line string) (s string) {
		_, line, _ = strings.Cut(line, "[")
		line, _, _ = strings.Cut(line, "]")
		for _, n := range slices.Backward(strings.Fields(line)) {
			s += strings.Repeat(" ", 9-len(n)) + n
		}
		return s
	}
	slices.SortStableFunc(lines[:len(lines)-1], func(a, b string) int { return strings.Compare(place(a), place(b)) })
	return strings.Join(lines, "")
}

func TestLine(t *testing.T) {
	x, y, z := make([]float32, 132), make([]int64, 132), make([]uint8, 132)
	for i := range x {
		x[i], y[i], z[i] = float32(i)/8, int64(i-3)<<30, uint8(3*i)
	}
	want := plainly(func() { GoLine(gpu.Items1(132), 0.5, slices.Clone(x), y, z) })
	const two = "kernels.go:17: [2 0 0] 2 of [0 0 0]: 0.25 0.125  0.08\n" +
		"kernels.go:22: [2 0 0] turn 0: -40000000 -2 00000110 a false\n" +
		"kernels.go:22: [2 0 0] turn 1: -40000000 -1 00000110 b false\n" +
		"kernels.go:25: [2 0 0] [0.5 0 2] [2 -1], 100%\n" +
		"kernels.go:17: [3 0 0] 3 of [0 0 0]: 0.375 0.1875  0.12\n"
	if !strings.Contains(want, two) {
		t.Fatalf("plain Go prints\n%swant\n%s", want[:1000], two)
	}
	onDevices(t, func(t *testing.T, d *gpu.Device, printed func() string) {
		if err := RunLine(context.Background(), d, gpu.Items1(132), 0.5, slices.Clone(x), y, z); errors.Is(err, gpu.ErrUnsupported) {
			t.Skip("skipped: ", err)
		} else if err != nil {
			t.Fatal(err)
		}
		if got := printed(); got != want {
			t.Errorf("printed\n%s\nwant\n%s", got, want)
		}
	})
}

func TestSquare(t *testing.T) {
	sums := make([]uint32, 6)
	want := byItem(plainly(func() { GoSquare(gpu.D2(3, 2), sums) }))
	if n := strings.Count(want, "\n"); n != 2*8*6+6 || strings.Count(want, "] sum 140\n") != 6 {
		t.Fatalf("plain Go prints %d lines\n%s", n, want)
	}
	onDevices(t, func(t *testing.T, d *gpu.Device, printed func() string) {
		if err := RunSquare(context.Background(), d, gpu.D2(3, 2), sums); err != nil {
			t.Fatal(err)
		}
		if got := printed(); got != want {
			t.Errorf("printed\n%s\nwant\n%s", got, want)
		}
	})
}

// TestPositive: plain Go panics with the error that devices return.
func TestPositive(t *testing.T) {
	x := []float32{1, 2, 4, 8, -0.5, 1, 0}
	var plain *gpu.KernelError
	want := plainly(func() {
		defer func() { plain, _ = recover().(*gpu.KernelError) }()
		GoPositive(gpu.Items1(7), slices.Clone(x))
	})
	if plain == nil || !errors.Is(plain, gpu.ErrAssertion) || plain.Text != "x[4] is -0.5" || plain.Invocation != [3]uint32{4, 0, 0} {
		t.Fatalf("plain Go panics with %+v", plain)
	}
	if want != "kernels.go:53: [4 0 0] assertion failed: x[4] is -0.5\n" {
		t.Fatalf("plain Go prints %s", want)
	}
	onDevices(t, func(t *testing.T, d *gpu.Device, printed func() string) {
		err := RunPositive(context.Background(), d, gpu.Items1(7), slices.Clone(x))
		var failed *gpu.KernelError
		if !errors.As(err, &failed) || failed.Text != plain.Text || failed.Invocation != plain.Invocation || failed.Failures != 2 ||
			failed.File != "kernels.go" || failed.Line != plain.Line {
			t.Errorf("the launch returns %v", err)
		}
		if got, all := printed(), want+"kernels.go:53: [6 0 0] assertion failed: x[6] is 0\n"; got != all {
			t.Errorf("printed\n%s\nwant\n%s", got, all)
		}
	})
}
