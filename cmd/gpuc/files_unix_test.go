//go:build unix

package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/builder"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/cli"
)

// TestFullDisk: when the disk is full, the old file and those beside it stay as they were. The disk
// is simulated by the limit on the size of files, in its own process.
func TestFullDisk(t *testing.T) {
	const variable = "GPUC_TEST_FULL_DISK"
	if os.Getenv(variable) == "" {
		c := exec.Command(os.Args[0], "-test.run=^TestFullDisk$", "-test.v")
		c.Env = append(os.Environ(), variable+"=1")
		out, err := c.CombinedOutput()
		if err != nil || !bytes.Contains(out, []byte("--- PASS: TestFullDisk")) {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	t.Chdir(t.TempDir())
	const source = "@group(0) @binding(0) var<storage, read_write> x: array<u32>;\n" +
		"@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) { x[id.x] = id.x; }\n"
	write(t, "k.wgsl", source)
	write(t, "x.bin", "old")
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	signal.Ignore(syscall.SIGXFSZ)
	defer signal.Reset(syscall.SIGXFSZ)
	small := limit
	small.Cur = 1 << 12
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &small); err != nil {
		t.Fatal(err)
	}
	stdout, stderr, code := execute("run", "k.wgsl", "-device", "cpu", "-bind", "x=zeros(4096)", "-extent", "4096", "-out", "x=x.bin")
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	if code != cli.ExitDiagnostics || !strings.Contains(stderr, "cannot write x.bin: ") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	if !strings.Contains(stdout, "checksum") {
		t.Error("the results are not shown, though the kernel has run")
	}
	if entries, err := os.ReadDir("."); err != nil || len(entries) != 2 || read(t, "k.wgsl") != source || read(t, "x.bin") != "old" {
		t.Errorf("the folder has %v (%v), or the files have changed", entries, err)
	}
}

// TestWritesToPipes: a pipe gets the bytes, and is not replaced by a file.
func TestWritesToPipes(t *testing.T) {
	t.Chdir(t.TempDir())
	const source = "@compute @workgroup_size(1) fn main() {}"
	write(t, "k.wgsl", source)
	if err := syscall.Mkfifo("k.spv", 0o600); err != nil {
		t.Skip("skipped: the system makes no named pipes in the temporary folder: ", err)
	}
	type result struct {
		data []byte
		err  error
	}
	read := make(chan result)
	go func() {
		r, err := os.Open("k.spv")
		if err != nil {
			read <- result{nil, err}
			return
		}
		data, err := io.ReadAll(r)
		r.Close()
		read <- result{data, err}
	}()
	succeed(t, "build", "-o", "k.spv", "k.wgsl")
	if got := <-read; got.err != nil || !builder.RecogniseCode(got.data) {
		t.Errorf("the pipe gave %d bytes and %v", len(got.data), got.err)
	}
	if info, err := os.Lstat("k.spv"); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		t.Errorf("the pipe is %v (%v) now", info, err)
	}
	if _, err := os.Lstat("k.json"); err == nil {
		t.Error("there is a description beside it")
	}
}
