package sizetest

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/internal/testmode"
)

var update = flag.Bool("update", false, "write the table of docs/reference/kernels.md")

const (
	root = "../.."
	page = root + "/docs/reference/kernels.md"
	// module is the path of the packages.
	module = "github.com/gpuc/gpuc/kernels/"
)

// opening is a program that opens a device, with room for an import and for a call.
const opening = `package main

import (
	"log"

	%s
	"github.com/gpuc/gpuc/runtime/gpu"
)

func main() {
	device, err := gpu.Open(gpu.AllowCPU())
	if err != nil {
		log.Fatal(err)
	}
	defer device.Close()
	s, err := device.NewStream()
	if err != nil {
		log.Fatal(err)
	}
	x, err := gpu.Alloc[float32](device, 16)
	if err != nil {
		log.Fatal(err)
	}
	%s
	if err := s.Close(); err != nil {
		log.Fatal(err)
	}
	_ = x
}
`

// programs call one function of each package.
var programs = []struct{ pkg, name, call string }{
	{"", "opens a device", ""},
	{"linalg", "`linalg.Gemm`", "err = linalg.Gemm(s, 1, gpu.MatrixOf(x, 4, 4), gpu.MatrixOf(x, 4, 4), 0, gpu.MatrixOf(x, 4, 4))"},
	{"seq", "`seq.Sort`", "err = seq.Sort(s, x)"},
	{"signal", "`signal.FIR`", "err = signal.FIR(s, x, x, x, 1, 1)"},
	{"image", "`image.Resize`", "err = image.Resize(s, image.Of(x, 4, 4, 1), image.Of(x, 4, 4, 1), image.Bilinear, true)"},
}

// command returns the go command in the repository.
func command(t *testing.T, arguments ...string) *exec.Cmd {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("skipped: there is no go command: ", err)
	}
	c := exec.Command("go", arguments...)
	c.Dir = root
	return c
}

// TestSizes compares the table of docs/reference/kernels.md with programs, which may be a quarter
// larger, or a fifth smaller. With -update it writes the table.
func TestSizes(t *testing.T) {
	if !*update {
		testmode.Long(t)
	}
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("skipped: the table is for linux/amd64")
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	base := 0
	var table strings.Builder
	for n, p := range programs {
		imported := ""
		if p.pkg != "" {
			imported = `"` + module + p.pkg + `"`
		}
		source, program := filepath.Join(folder, fmt.Sprintf("main%d.go", n)), filepath.Join(folder, "program")
		if err := os.WriteFile(source, fmt.Appendf(nil, opening, imported, p.call), 0o644); err != nil {
			t.Fatal(err)
		}
		build := command(t, "build", "-p", "1", "-trimpath", "-ldflags=-s -w", "-o", program, source)
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", p.name, err, out)
		}
		info, err := os.Stat(program)
		if err != nil {
			t.Fatal(err)
		}
		size := int(info.Size())
		row := fmt.Sprintf("|%s|%.1f MB||", p.name, float64(size)/1e6)
		if base != 0 {
			row = fmt.Sprintf("|%s|%.1f MB|%.1f MB|", p.name, float64(size)/1e6, float64(size-base)/1e6)
		} else {
			base = size
		}
		fmt.Fprintln(&table, row)
		_, rest, found := strings.Cut(string(text), "|"+p.name+"|")
		var was float64
		if _, err := fmt.Sscanf(rest, "%f MB", &was); !*update && (!found || err != nil || float64(size)/1e6 > 1.25*was || float64(size)/1e6 < 0.8*was) {
			t.Errorf("docs/reference/kernels.md: the row is %s; -update writes it", row)
		}
	}
	if *update {
		const heading = "|program|size|adds|\n|---|---|---|\n"
		before, rest, found := strings.Cut(string(text), heading)
		if !found {
			t.Fatalf("docs/reference/kernels.md has no line %q", heading)
		}
		for strings.HasPrefix(rest, "|") {
			_, rest, _ = strings.Cut(rest, "\n")
		}
		if err := os.WriteFile(page, []byte(before+heading+table.String()+rest), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestApart: a program that imports one of the packages links none of the others.
func TestApart(t *testing.T) {
	for _, pkg := range []string{"linalg", "seq", "signal", "image"} {
		out, err := command(t, "list", "-deps", module+pkg).Output()
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for path := range strings.FieldsSeq(string(out)) {
			name, ours := strings.CutPrefix(path, module)
			if !ours {
				continue
			}
			found = found || name == pkg
			if name != pkg && !strings.HasPrefix(name, pkg+"/internal/") && !strings.HasPrefix(name, "internal/") {
				t.Errorf("%s imports %s", pkg, path)
			}
		}
		if !found {
			t.Errorf("%s is not in its own list: %s", pkg, out)
		}
	}
}
