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

// A disk that becomes full as a result is written loses neither what was there nor anything beside
// it. The process's limit on the size of files stands in for the disk: writing ends in an error
// after some bytes in the same way. The limit is that of a process of its own: in this one it would
// hold for what the go command has tests note, too.
func TestFullDisk(t *testing.T) {
	const apart = "GPUC_TEST_FULL_DISK"
	if os.Getenv(apart) == "" {
		c := exec.Command(os.Args[0], "-test.run=^TestFullDisk$", "-test.v")
		c.Env = append(os.Environ(), apart+"=1")
		out, err := c.CombinedOutput()
		if err != nil || !bytes.Contains(out, []byte("--- PASS: TestFullDisk")) {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	t.Chdir(t.TempDir())
	mustWrite(t, "k.wgsl", "@group(0) @binding(0) var<storage, read_write> x: array<u32>;\n"+
		"@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) { x[id.x] = id.x; }\n", 0o644)
	mustWrite(t, "x.bin", "old", 0o644)
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
	var stdout, stderr bytes.Buffer
	code := gpuc.Execute(&cli.Env{Stdout: &stdout, Stderr: &stderr},
		[]string{"run", "k.wgsl", "-device", "cpu", "-bind", "x=zeros(4096)", "-extent", "4096", "-out", "x=x.bin"})
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	if code != cli.ExitDiagnostics || !strings.Contains(stderr.String(), "cannot write x.bin: ") {
		t.Errorf("exit code %d: %s", code, stderr.String())
	}
	if !strings.Contains(stdout.String(), "checksum") {
		t.Error("the results are not shown, though the kernel has run")
	}
	source, err := os.ReadFile("k.wgsl")
	if err != nil {
		t.Fatal(err)
	}
	holds(t, map[string]string{"k.wgsl": string(source), "x.bin": "old"})
}

// What is no regular file takes bytes and stays what it is. It is a pipe here: a mistake
// that replaces a device would do so with that of the machine.
func TestWritesToPipes(t *testing.T) {
	t.Chdir(t.TempDir())
	const source = "@compute @workgroup_size(1) fn main() {}"
	mustWrite(t, "k.wgsl", source, 0o644)
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
	var stdout, stderr bytes.Buffer
	if code := gpuc.Execute(&cli.Env{Stdout: &stdout, Stderr: &stderr}, []string{"build", "-o", "k.spv", "k.wgsl"}); code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr.String())
	}
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
