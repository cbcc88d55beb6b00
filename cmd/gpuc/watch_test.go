package main

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/cli"
)

// watched is a command with -watch that runs in another goroutine. Tests wait for its output.
type watched struct {
	t              *testing.T
	stdout, stderr *bufio.Reader
	interrupts     chan os.Signal
	code           chan int
}

// startWatching starts a command.
func startWatching(t *testing.T, terminal bool, args ...string) *watched {
	outReader, outWriter := io.Pipe()
	errReader, errWriter := io.Pipe()
	w := &watched{t, bufio.NewReader(outReader), bufio.NewReader(errReader), make(chan os.Signal), make(chan int, 1)}
	e := &cli.Env{Stdin: strings.NewReader(""), Stdout: outWriter, Stderr: errWriter, Terminal: terminal, Interrupts: w.interrupts}
	go func() {
		w.code <- gpuc.Execute(e, args)
		outWriter.Close()
		errWriter.Close()
	}()
	return w
}

// next returns the lines up to the first that contains a text.
func (w *watched) next(from *bufio.Reader, contains string) (lines string) {
	w.t.Helper()
	for {
		line, err := from.ReadString('\n')
		lines += line
		if err != nil {
			w.t.Fatalf("it ends after %q, without %q", lines, contains)
		}
		if strings.Contains(line, contains) {
			return lines
		}
	}
}

// stop presses Ctrl-C.
func (w *watched) stop() {
	w.t.Helper()
	w.interrupts <- os.Interrupt
	if code := <-w.code; code != cli.ExitInterrupted {
		w.t.Errorf("it ends with %d", code)
	}
}

// TestWatchCheck: a file that becomes wrong, is removed, and is right again. Each round ends with a
// line, and without a terminal the screen is not erased.
func TestWatchCheck(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "a.wgsl", "fn f() {}\n")
	w := startWatching(t, false, "check", "a.wgsl", "-watch")
	if got := w.next(w.stderr, "round"); got != "gpuc check: round 1 ended with exit status 0; waiting for a change of a.wgsl\n" {
		t.Errorf("first it says %q", got)
	}
	write(t, "a.wgsl", "fn f() { return 1; }\n")
	if got := w.next(w.stderr, "round 2"); !strings.Contains(got, "[type-mismatch]") || !strings.Contains(got, "exit status 1;") {
		t.Errorf("then it says %q", got)
	}
	if err := os.Rename("a.wgsl", "b.wgsl"); err != nil {
		t.Fatal(err)
	}
	if got := w.next(w.stderr, "round 3"); !strings.HasPrefix(got, "gpuc check: cannot read a.wgsl: ") {
		t.Errorf("without the file it says %q", got)
	}
	write(t, "c.wgsl", "fn f() -> u32 { return 1; }\n")
	if err := os.Rename("c.wgsl", "a.wgsl"); err != nil { // as editors write
		t.Fatal(err)
	}
	if got := w.next(w.stderr, "round 4"); !strings.HasPrefix(got, "gpuc check: round 4 ended with exit status 0") {
		t.Errorf("at last it says %q", got)
	}
	w.stop()
}

// TestWatchTerminal: on a terminal the screen is erased before each round.
func TestWatchTerminal(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "a.wgsl", "fn f() {}\n")
	write(t, "b.wgsl", "fn f() {}\n")
	w := startWatching(t, true, "check", "-watch", "a.wgsl", "b.wgsl")
	const want = "\x1b[H\x1b[2J\x1b[3Jgpuc check: round 1 ended with exit status 0; waiting for a change of a.wgsl and 1 other file\n"
	if got := w.next(w.stderr, "round"); got != want {
		t.Errorf("it says %q", got)
	}
	write(t, "b.wgsl", "fn g() { }\n")
	if got := w.next(w.stderr, "round 2"); !strings.HasPrefix(got, "\x1b[H\x1b[2J\x1b[3Jgpuc check: round 2") {
		t.Errorf("it says %q", got)
	}
	w.stop()
}

// TestWatchRun: a kernel runs again when its data has changed, and -json writes a line for each
// round.
func TestWatchRun(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "k.wgsl", `@group(0) @binding(0) var<storage, read_write> x: array<u32>;
@compute @workgroup_size(1) fn main() { x[0] += 1u; }
`)
	write(t, "x.bin", "\x01\x00\x00\x00")
	w := startWatching(t, false, "run", "-json", "-watch", "-device", "cpu", "-bind", "x=x.bin", "-grid", "1", "k.wgsl")
	first := func() string {
		var line struct {
			Results struct{ Buffers []struct{ First []string } }
		}
		if err := json.Unmarshal([]byte(w.next(w.stdout, "\n")), &line); err != nil || len(line.Results.Buffers) != 1 {
			t.Fatal(err, line)
		}
		return strings.Join(line.Results.Buffers[0].First, " ")
	}
	if got := first(); got != "2" {
		t.Errorf("first x is %s", got)
	}
	write(t, "x.bin", "\x05\x00\x00\x00\x07\x00\x00\x00")
	if got := first(); got != "6 7" {
		t.Errorf("then x is %s", got)
	}
	w.stop()
}

// TestWatchEnds: a command that reads no file, or standard input, ends at once.
func TestWatchEnds(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "a.wgsl", "fn f() {}\n")
	for _, args := range [][]string{{"check", "-watch"}, {"check", "-watch", "-"}, {"check", "a.wgsl", "-", "-watch"}, {"build", "-watch", "-target", "x", "a.wgsl"}} {
		var out strings.Builder
		e := &cli.Env{Stdin: strings.NewReader("fn f() {}"), Stdout: &out, Stderr: &out}
		if code := gpuc.Execute(e, args); code != cli.ExitUsage && code != cli.ExitDiagnostics {
			t.Errorf("%v ends with %d: %s", args, code, out.String())
		}
	}
}
