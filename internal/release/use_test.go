package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"flag"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

var elsewhere = flag.String("elsewhere", "", "comma-separated `systems`, such as linux/arm64, whose commands TestElsewhere builds and uses: under qemu, or in node")

// useFiles are test kernels: a valid one, one with a barrier, and one with an error.
var useFiles = map[string]string{
	"double.wgsl": `@group(0) @binding(0) var<storage, read_write> x: array<f32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
  if id.x < arrayLength(&x) { x[id.x] = 2.0 * x[id.x] + 1.0; }
}
`,
	"sum.wgsl": `@group(0) @binding(0) var<storage, read_write> x: array<f32>;
var<workgroup> part: array<f32, 64>;
@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {
  part[i] = x[i];
  for (var n = 32u; n > 0u; n /= 2u) {
    workgroupBarrier();
    if i < n { part[i] += part[i + n]; }
  }
  x[i] = part[0];
}
`,
	"wrong.wgsl": "fn f() -> f32 { return 1u; }\n",
}

// use runs a command as a user does who has only the archive: in a folder with three files, and
// without environment variables. It returns the SPIR-V of one of them.
func use(t *testing.T, s system, program string, runner ...string) []byte {
	t.Helper()
	folder := t.TempDir()
	for name, text := range useFiles {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	gpuc := func(arguments ...string) (string, int) {
		line := slices.Concat(runner, []string{program}, arguments)
		c := exec.Command(line[0], line[1:]...)
		c.Dir, c.Env = folder, []string{}
		said, err := c.CombinedOutput()
		if c.ProcessState == nil {
			t.Fatal(err)
		}
		return string(said), c.ProcessState.ExitCode()
	}
	if said, code := gpuc("version"); code != 0 || !strings.Contains(said, runtime.Version()+" "+s.String()) {
		t.Errorf("version ends with %d: %s", code, said)
	}
	if said, code := gpuc("check", "wrong.wgsl"); code != 1 || !strings.HasPrefix(said, "wrong.wgsl:1:24: error: ") {
		t.Errorf("check ends with %d: %s", code, said)
	}
	// of the last element
	for kernel, want := range map[string]float32{"double": 2*63 + 1, "sum": 63 * 64 / 2} {
		said, code := gpuc("run", kernel+".wgsl", "-device", "cpu", "-bind", "x=range(64)", "-grid", "1", "-out", "x="+kernel+".bin")
		// whose files and memory have the other order of bytes
		if s.arch == "s390x" || s.arch == "ppc64" {
			if code != 1 || !strings.Contains(said, "order") {
				t.Errorf("run %s ends with %d: %s", kernel, code, said)
			}
			continue
		}
		data, err := os.ReadFile(filepath.Join(folder, kernel+".bin"))
		if code != 0 || err != nil || len(data) != 4*64 {
			t.Errorf("run %s ends with %d: %s (%v)", kernel, code, said, err)
		} else if got := math.Float32frombits(binary.LittleEndian.Uint32(data[4*63:])); got != want {
			t.Errorf("the last element of %s is %v, want %v", kernel, got, want)
		}
	}
	if said, code := gpuc("build", "sum.wgsl"); code != 0 {
		t.Errorf("build ends with %d: %s", code, said)
	}
	code, err := os.ReadFile(filepath.Join(folder, "sum.spv"))
	if err != nil {
		t.Error(err)
	}
	return code
}

// unpack writes the command in an archive into a folder and returns its path.
func unpack(t *testing.T, archive []byte) string {
	t.Helper()
	unzipped, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		t.Fatal(err)
	}
	r := tar.NewReader(unzipped)
	h, err := r.Next()
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(r)
	path := filepath.Join(t.TempDir(), filepath.Base(h.Name))
	if err == nil {
		err = os.WriteFile(path, data, h.FileInfo().Mode())
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// runnerOf returns the emulator for programs of a system, or "" and what is missing.
func runnerOf(t *testing.T, s system) (runner []string, missing string) {
	t.Helper()
	switch {
	case s.os == runtime.GOOS && (s.arch == runtime.GOARCH || s.arch == "386" && runtime.GOARCH == "amd64"):
		return nil, ""
	case s.arch == "wasm":
		node, err := exec.LookPath("node")
		if err != nil {
			return nil, "node"
		}
		if s.os == "js" {
			root, err := exec.Command("go", "env", "GOROOT").Output()
			if err != nil {
				return nil, "the go command"
			}
			return []string{node, filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec_node.js")}, ""
		}
		return []string{node, "--no-warnings", mustAbs(t, "testdata/wasi.mjs")}, ""
	case s.os != "linux" || runtime.GOOS != "linux":
		return nil, s.os
	}
	name := s.arch
	if name == "arm64" {
		name = "aarch64"
	}
	path, err := exec.LookPath("qemu-" + name + "-static")
	if err != nil {
		return nil, "qemu-" + name + "-static (Debian: qemu-user-static)"
	}
	return []string{path}, ""
}

// TestElsewhere builds commands for other systems and uses them. They write the same SPIR-V as this
// one's.
//
//	go test ./internal/release -run TestElsewhere -v -elsewhere linux/arm64,linux/386,wasip1/wasm
func TestElsewhere(t *testing.T) {
	if *elsewhere == "" {
		t.Skip("skipped: -elsewhere names no systems; a command for another one takes a minute to build")
	}
	here := system{os: runtime.GOOS, arch: runtime.GOARCH}
	own, err := build(t.TempDir(), here, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	want := use(t, here, own)
	chosen, err := choose(*elsewhere)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range chosen {
		t.Run(s.String(), func(t *testing.T) {
			runner, missing := runnerOf(t, s)
			if missing != "" {
				t.Skip("skipped: there is no " + missing)
			}
			var more []string
			// a command with drivers is started by the C library's loader, which is not here
			if s.drivers {
				more = []string{"GOFLAGS=-tags=nodrivers"}
			}
			program, err := build(t.TempDir(), s, "", more)
			if err != nil {
				t.Fatal(err)
			}
			if got := use(t, s, program, runner...); !bytes.Equal(got, want) {
				t.Errorf("its SPIR-V is another than %v writes", here)
			}
		})
	}
}
