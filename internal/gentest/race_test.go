package gentest

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// reversed is a kernel whose items read what others have written to workgroup memory, with a barrier between or
// without one, and a test that runs it as plain Go.
const reversed = `package reversed

import (
	"testing"

	"github.com/gpuc/gpuc/runtime/gpu"
)

//gpuc:kernel workgroup=64
func Reverse(it gpu.Item, shared *[64]int32, x []int32) {
	shared[it.LocalIndex()] = x[it.Index()]
	BARRIER
	x[it.Index()] = shared[63-it.LocalIndex()]
}

func TestReverse(t *testing.T) {
	t.Parallel()
	x := make([]int32, 128)
	for n := range x {
		x[n] = int32(n)
	}
	gpu.EachGroup(gpu.Grid{X: 2, Y: 1, Z: 1}, gpu.Int3{X: 64, Y: 1, Z: 1}, func() func(gpu.Item) {
		shared := new([64]int32)
		return func(it gpu.Item) { Reverse(it, shared, x) }
	})
	if x[0] != 63 || x[64] != 127 {
		t.Logf("not reversed: %v", x)
	}
}
`

// TestRemovedBarrier: the race detector finds a barrier that is missing, and shows the line that writes and
// the line that reads.
func TestRemovedBarrier(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("skipped: go test -race needs gcc (Debian: gcc and libc6-dev)")
	}
	run := func(barrier string) (string, error) {
		folder := t.TempDir()
		makeModule(t, folder, "reversed")
		put(t, filepath.Join(folder, "reversed_test.go"), strings.Replace(reversed, "BARRIER", barrier, 1))
		return goCommand(t, folder, []string{"CGO_ENABLED=1"}, "test", "-race", "-count=1", ".")
	}
	if text, err := run("it.Barrier()"); err != nil {
		t.Errorf("with the barrier: %v\n%s", err, text)
	}
	text, err := run("")
	if err == nil {
		t.Fatalf("without the barrier nothing is reported:\n%s", text)
	}
	for what, line := range map[string]string{"a race": `WARNING: DATA RACE`, "the write": `reversed_test\.go:11\b`, "the read": `reversed_test\.go:13\b`} {
		if !regexp.MustCompile(line).MatchString(text) {
			t.Errorf("without the barrier %s is not shown:\n%s", what, text)
		}
	}
}
