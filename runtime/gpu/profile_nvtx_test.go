//go:build !nodrivers && linux && (amd64 || arm64)

package gpu

import (
	"errors"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/internal/standin"
	"github.com/gpuc/gpuc/runtime/dl"
)

// TestProfileNVTX has an imitation of NVIDIA's library see launches, waits and ranges, each ended
// on the thread that has begun it.
func TestProfileNVTX(t *testing.T) {
	var m marks
	if err := m.load(true, []string{"libnone.so"}); !errors.Is(err, ErrUnsupported) {
		t.Errorf("without the library: got %v, want ErrUnsupported", err)
	}
	if err := m.load(false, []string{"libnone.so"}); err != nil || m.ranges != nil {
		t.Errorf("without the library, unasked: %v", err)
	}
	if standin.Compiler() == "" || !dl.Supported {
		t.Skip("skipped: the test needs " + standin.Missing + ", and a build that loads libraries")
	}
	var functions struct {
		Notes uintptr `c:"nvtxNotes"`
	}
	name, err := standin.Load("testdata/nvtx.c", &functions)
	check(t, err)
	p := start(t, ProfileOptions{})
	check(t, p.marks.load(true, []string{name}))
	x := newClocked(t)
	step := StartRange(background, "step")
	check(t, x.stream.Launch(x.args[0], D1(1)))
	check(t, x.stream.Launch(x.args[1], D1(1)))
	check(t, x.stream.Wait(background))
	step.End()
	notes := string(dl.Bytes(dl.Call(functions.Notes), 1<<16))
	notes, _, _ = strings.Cut(notes, "\x00")
	if want := "step short pop long pop Stream.Wait pop pop "; !strings.HasSuffix(notes, want) {
		t.Errorf("got %q, want %q", notes, want)
	}
}
