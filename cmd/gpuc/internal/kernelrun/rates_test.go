package kernelrun

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/cli"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// TestSummarize compares statistics with values found by hand.
func TestSummarize(t *testing.T) {
	hundred := make([]time.Duration, 100)
	for n := range hundred {
		hundred[n] = time.Duration((n*37)%100 + 1) // a permutation of 1 to 100
	}
	for _, test := range []struct {
		times []time.Duration
		want  statistics
	}{
		{[]time.Duration{7}, statistics{7, 7, 7, 7}},
		{[]time.Duration{3, 1, 2}, statistics{1, 2, 3, 3}},
		{[]time.Duration{4, 1, 3, 2}, statistics{1, 3, 4, 4}},
		{hundred[:20], statistics{hundred[0], 51, 95, 99}},
		{hundred, statistics{1, 51, 95, 100}},
	} {
		before := fmt.Sprint(test.times)
		// 1, 38, 75, 12, 49, 86, 23, 60, 97, 34, 71, 8, 45, 82, 19, 56, 93, 30, 67, 4: the 11th,
		// the 19th and the 20th by size
		if len(test.times) == 20 {
			test.want = statistics{1, 49, 93, 97}
		}
		if got := summarize(test.times); got != test.want {
			t.Errorf("%v: got %v, want %v", test.times, got, test.want)
		}
		if fmt.Sprint(test.times) != before {
			t.Error("the order of the runs is lost")
		}
	}
}

// TestProgressLine compares lines of progress with those expected.
func TestProgressLine(t *testing.T) {
	for _, test := range []struct {
		elapsed     time.Duration
		run, runs   int
		done, total uint64
		want        string
	}{
		{12 * time.Second, 0, 1, 250, 1000, " 25 % of 1000 workgroups, 12s of about 48s"},
		{10 * time.Second, 1, 4, 500, 1000, " 37 % of 1000 workgroups, run 2 of 4, 10s of about 27s"},
		{90 * time.Second, 3, 6, 0, 0, " 50 %, run 4 of 6, 1m30s of about 3m0s"},
		{2 * time.Second, 0, 1, 0, 1000, "  0 % of 1000 workgroups, 2s"},
	} {
		if got := progressLine(test.elapsed, test.run, test.runs, test.done, test.total); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}

// TestProgressIsForTerminals: progress is written to terminals only, and erased.
func TestProgressIsForTerminals(t *testing.T) {
	device, err := gpu.Open(gpu.Named(gpu.CPU))
	if err != nil {
		t.Fatal(err)
	}
	defer device.Close()
	for terminal, want := range map[bool]string{false: "", true: "\r\033[K\033[?7l 50 %, run 2 of 2, 2s of about 4s\033[?7h\r\033[K"} {
		var stderr bytes.Buffer
		p := showProgress((&cli.Env{Stderr: &stderr, Terminal: terminal}), device, 2)
		p.began = p.began.Add(-2 * time.Second)
		p.finish()
		p.stop(device)
		if stderr.String() != want {
			t.Errorf("terminal %v: %q, want %q", terminal, stderr.String(), want)
		}
	}
}
