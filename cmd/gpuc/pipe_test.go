package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/cli"
)

// TestPipeArray: -bind x=- reads a NumPy array, and -out x=- writes one with the same bytes as
// NumPy.
func TestPipeArray(t *testing.T) {
	array := func(numbers ...uint32) []byte {
		header := fmt.Sprintf("{'descr': '<u4', 'fortran_order': False, 'shape': (%d,), }", len(numbers))
		header += strings.Repeat(" ", 128-10-len(header)-1) + "\n"
		file := append([]byte("\x93NUMPY\x01\x00"), byte(len(header)), 0)
		file = append(file, header...)
		for _, x := range numbers {
			file = binary.LittleEndian.AppendUint32(file, x)
		}
		return file
	}
	t.Chdir(t.TempDir())
	write(t, "k.wgsl", `@group(0) @binding(0) var<storage, read_write> x: array<u32>;
@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) id: vec3u) { x[id.x] *= 3u; }
`)
	for _, spec := range []string{"x=-", "x=-:npy"} {
		var stdout, stderr bytes.Buffer
		e := &cli.Env{Stdin: bytes.NewReader(array(1, 20, 300)), Stdout: &stdout, Stderr: &stderr}
		code := gpuc.Execute(e, []string{"run", "-device", "cpu", "-bind", spec, "-extent", "3", "-out", spec, "k.wgsl"})
		if code != 0 || !bytes.Equal(stdout.Bytes(), array(3, 60, 900)) {
			t.Errorf("%s ends with %d, and %q\n%s", spec, code, stdout.String(), stderr.String())
		}
		if !strings.HasSuffix(stderr.String(), "wrote standard output, (3,)\n") {
			t.Errorf("%s says %s", spec, stderr.String())
		}
	}
	var stdout, stderr bytes.Buffer
	e := &cli.Env{Stdin: bytes.NewReader(array(1)), Stdout: &stdout, Stderr: &stderr}
	if code := gpuc.Execute(e, []string{"run", "-device", "cpu", "-bind", "x=-:bin", "-extent", "1", "k.wgsl"}); code != 0 ||
		// a header of 128 bytes and a u32
		!strings.Contains(stdout.String(), "x        u32[33]") {
		t.Errorf("raw, it is %s%s", stdout.String(), stderr.String())
	}
}
