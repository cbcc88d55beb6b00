package gentest

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/internal/testmode"
)

// reversed is a kernel whose items read what others have written to workgroup memory, with a
// barrier between or without one, and a test that runs it as plain Go.
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

// TestRemovedBarrier: the race detector finds a barrier that is missing, and shows the line that
// writes and the line that reads.
func TestRemovedBarrier(t *testing.T) {
	testmode.LongPart(t, 1)
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

// TestRaces: the detector finds what is wrong in each kernel of testdata/races, in every process,
// and nothing in those that are right.
func TestRaces(t *testing.T) {
	testmode.LongPart(t, 2)
	t.Parallel()
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("skipped: go test -race needs gcc (Debian: gcc and libc6-dev)")
	}
	folder := module(t, "races")
	binary := filepath.Join(t.TempDir(), "races.exe")
	if text, err := goCommand(t, folder, []string{"CGO_ENABLED=1"}, "test", "-race", "-c", "-o", binary, "."); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	text, err := os.ReadFile(filepath.Join(folder, "races_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	right, wrong := 0, 0
	for _, group := range []struct {
		test  string
		names *regexp.Regexp
	}{
		{"TestKernels", regexp.MustCompile(`(?m)^func (\w+)\(it gpu\.Item, m \*memory\)`)},
		{"TestAlone", regexp.MustCompile(`(?m)^\t\t"(\w+)": +func\(it`)},
		{"TestLarge", regexp.MustCompile(`"(\w+)": +(?:true|false)\b`)},
	} {
		for _, m := range group.names.FindAllStringSubmatch(string(text), -1) {
			name := m[1]
			isRight := strings.HasPrefix(name, "Right")
			for range 2 {
				output, err := exec.CommandContext(t.Context(), binary, "-test.v", "-test.run=^"+group.test+"$/^"+name+"$").CombinedOutput()
				switch found := strings.Contains(string(output), "WARNING: DATA RACE"); {
				case !strings.Contains(string(output), "RUN   "+group.test+"/"+name):
					t.Fatalf("%s: %v\n%s", name, err, output)
				case found == isRight:
					t.Errorf("%s: a race is found: %v\n%s", name, found, output)
				}
			}
			if isRight {
				right++
			} else {
				wrong++
			}
		}
	}
	if right < 10 || wrong < 16 {
		t.Errorf("only %d kernels that are right, and %d that are wrong", right, wrong)
	}
}
