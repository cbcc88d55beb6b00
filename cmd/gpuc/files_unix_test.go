//go:build unix

package main

import (
	"bytes"
	"io"
	"os"
	"syscall"
	"testing"
)

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
	if code := execute(&environment{stdout: &stdout, stderr: &stderr}, []string{"build", "-o", "k.spv", "k.wgsl"}); code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr.String())
	}
	if got := <-read; got.err != nil || !recogniseCode(got.data) {
		t.Errorf("the pipe gave %d bytes and %v", len(got.data), got.err)
	}
	if info, err := os.Lstat("k.spv"); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		t.Errorf("the pipe is %v (%v) now", info, err)
	}
	if _, err := os.Lstat("k.json"); err == nil {
		t.Error("there is a description beside it")
	}
}
