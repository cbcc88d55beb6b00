package gentest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// TestGenTen makes the launchers of ten kernels and runs the package's own test. That runs each
// kernel as plain Go, on the CPU device, and on a Vulkan device if there is one.
func TestGenTen(t *testing.T) {
	testmode.Quick(t, "it builds Go packages")
	t.Parallel()
	folder := module(t, "ten")
	if got, want := gen(t, folder, "."), ".  10 kernels, 2 files written\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	checkByValue(t, folder)
	devices := []string{gpu.CPU}
	if d, err := gpu.Open(gpu.Named(gpu.Vulkan)); err == nil {
		devices = append(devices, gpu.Vulkan)
		d.Close()
	}
	for _, device := range devices {
		if text, err := goCommand(t, folder, []string{"TEN_DEVICE=" + device}, "test", "."); err != nil {
			t.Errorf("go test on %s: %v\n%s", device, err, text)
		}
	}
	text, err := goCommand(t, folder, nil, "list", "-deps", ".")
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, text)
	}
	// the CPU device has what makes code of the IR that is its artefacts
	for path := range strings.FieldsSeq(text) {
		if inner, ours := strings.CutPrefix(path, "github.com/gpuc/gpuc/"); ours && !strings.HasPrefix(inner, "runtime/") && !strings.HasPrefix(inner, "ir") &&
			inner != "codegen/mir" && !strings.HasPrefix(inner, "codegen/cpu/") && !strings.HasPrefix(inner, "opt") ||
			strings.HasPrefix(path, "golang.org/x/tools") || path == "github.com/gpuc/gpuc/runtime/jit" {
			t.Errorf("the package links %s, a part of the compiler that no device needs", path)
		}
	}
	// The package imports no more of this module than what programs do.
	text, err = goCommand(t, folder, nil, "list", "-f", "{{join .Imports \"\\n\"}}", ".")
	if err != nil {
		t.Fatal(err)
	}
	for path := range strings.FieldsSeq(text) {
		if strings.HasPrefix(path, "github.com/gpuc/") && path != "github.com/gpuc/gpuc/runtime/gpu" && path != "github.com/gpuc/gpuc/runtime/gpu/gen" && path != "github.com/gpuc/gpuc/runtime/abi" {
			t.Errorf("the package imports %s", path)
		}
	}
	if text, err := exec.Command("gofmt", "-l", folder).CombinedOutput(); err != nil || len(text) > 0 {
		t.Errorf("gofmt: %v %s", err, text)
	}
}

// checkByValue expects one kernel with code that takes uniform buffers by value: the one whose
// parameters are in a uniform buffer. Choose has an array in its parameters, which its items index.
func checkByValue(t *testing.T, folder string) {
	t.Helper()
	archive := open(t, folder)
	index, err := archive.Index()
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, k := range index.Kernels {
		a, err := archive.Artefact(k.Name, abi.PTX)
		if err != nil {
			t.Fatal(err)
		}
		var last abi.Binding
		if n := len(a.Kernel.Bindings); n > 0 {
			last = a.Kernel.Bindings[n-1]
		}
		if (a.ByValue != nil) != (last.Access == abi.Uniform && k.Name != "Choose") {
			t.Errorf("%s: by value %+v, its last binding %+v", k.Name, a.ByValue, last)
		}
		if a.ByValue == nil {
			continue
		}
		found++
		value := abi.Parameter{Kind: abi.ValueParameter, Binding: len(a.Kernel.Bindings) - 1}
		if !slices.Contains(a.ByValue.Parameters, value) || slices.Contains(a.Kernel.Parameters, value) {
			t.Errorf("%s has the parameters %v, and by value %v", k.Name, a.Kernel.Parameters, a.ByValue.Parameters)
		}
		declared := fmt.Sprintf(".param .align 16 .b8 value_%d[%d]", value.Binding, last.Size)
		if !strings.Contains(string(a.ByValue.Code), declared) || strings.Contains(string(a.Code), declared) {
			t.Errorf("the code by value of %s, and not the other, should have %s", k.Name, declared)
		}
	}
	if found != 1 {
		t.Errorf("%d kernels take uniform buffers by value, want 1", found)
	}
}

// open opens the archive of a package.
func open(t *testing.T, folder string) *abi.Archive {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(folder, abi.ArchiveFile))
	if err != nil {
		t.Fatal(err)
	}
	archive, err := abi.OpenArchive(string(data))
	if err != nil {
		t.Fatal(err)
	}
	return archive
}

// TestGenExtract lists the files of an archive, and extracts them.
func TestGenExtract(t *testing.T) {
	t.Parallel()
	folder := module(t, "ten")
	gen(t, folder, "-target", "spirv", ".")
	list := gen(t, folder, "-list", ".")
	gen(t, folder, "-extract", "out", ".")
	out := files(t, filepath.Join(folder, "out"))
	archive := open(t, folder)
	members := archive.Members
	if strings.Count(list, "\n") != len(members) || len(out) != len(members) {
		t.Fatalf("%d files in the archive, %d extracted, and this list:\n%s", len(members), len(out), list)
	}
	for _, m := range members {
		want, err := archive.Read(m.Name)
		if err != nil || out[m.Name] != want || !strings.Contains(list, fmt.Sprintf("%8d  %s\n", len(want), m.Name)) {
			t.Errorf("%s is not listed, or not the same: %v", m.Name, err)
		}
	}
	if code, _, stderr := gpuc(t, folder, "gen", "-list", "units"); code != 1 || !strings.Contains(stderr, "cannot read the archive of units") {
		t.Errorf("a folder without an archive: code %d, %s", code, stderr)
	}
}

// TestGenPlatforms: what is generated is right for other platforms than this one: each system and
// each processor.
func TestGenPlatforms(t *testing.T) {
	testmode.LongPart(t, 3)
	t.Parallel()
	folder := module(t, "ten")
	gen(t, folder, ".")
	for _, platform := range [][]string{{"GOOS=linux", "GOARCH=arm64"}, {"GOOS=darwin", "GOARCH=arm64"}, {"GOOS=windows", "GOARCH=amd64"}} {
		if text, err := goCommand(t, folder, platform, "vet", "."); err != nil { // it compiles, too
			t.Errorf("%v: %v\n%s", platform, err, text)
		}
	}
}

// TestGenTyped: wrong calls of launchers do not compile. What the compiler says of a line is in its
// comment.
func TestGenTyped(t *testing.T) {
	t.Parallel()
	folder := module(t, "ten")
	gen(t, folder, ".")
	const wrong = `package ten

import (
	"context"

	"github.com/gpuc/gpuc/runtime/gpu"
)

func wrong(ctx context.Context, d *gpu.Device, s *gpu.Stream, g gpu.Grid, f *gpu.Buffer[float32], i *gpu.Buffer[int32], x []float32) {
	_ = LaunchScale(s, g, 2, f)
	_ = LaunchScale(s, g, 2, i)           // cannot use i
	_ = LaunchScale(s, g, f)              // not enough arguments
	_ = LaunchScale(s, g, "2", f)         // cannot use "2"
	_ = LaunchScale(s, g, 2, x)           // cannot use x
	_ = LaunchScale(s, g, 2, f, f)        // too many arguments
	_ = LaunchScale(s, 64, 2, f)          // cannot use 64
	_ = LaunchAdd(s, g, f, f, i)          // cannot use i
	_ = LaunchMatMul(s, g, 1.5, f, f, f)  // cannot use 1.5
	_ = RunScale(ctx, d, g, 2, f)         // cannot use f
	_ = RunCount(ctx, d, g, 2, nil, x)    // cannot use x
	GoScale(g, 2, []int32{})              // cannot use []int32{}
	GoReverse(g, new([Width]int32), nil)  // too many arguments
}
`
	checkWrong(t, folder, wrong)
}

// checkWrong compiles a file of a package, which fails in lines with comments, and only there, as
// these say.
func checkWrong(t *testing.T, folder, wrong string) {
	t.Helper()
	put(t, filepath.Join(folder, "wrong.go"), wrong)
	text, err := goCommand(t, folder, nil, "build", "-gcflags=-e", ".")
	if err == nil {
		t.Fatal("it compiles")
	}
	said := map[int]string{}
	for _, m := range regexp.MustCompile(`(?m)^\S*wrong\.go:(\d+):\d+: (.*)$`).FindAllStringSubmatch(text, -1) {
		var n int
		fmt.Sscan(m[1], &n)
		said[n] += m[2] + "\n"
	}
	for n, line := range strings.Split(wrong, "\n") {
		_, want, expected := strings.Cut(line, "// ")
		got := said[n+1]
		if expected != (got != "") || !strings.Contains(got, want) {
			t.Errorf("line %d, %s: the compiler says %q", n+1, strings.TrimSpace(line), got)
		}
	}
}

// TestGenDeterministic: the same files are made again, from another folder, and of a module that
// lies elsewhere. Nothing of the folder is in them, nor in the positions that -bounds=trap records.
func TestGenDeterministic(t *testing.T) {
	testmode.Long(t)
	t.Parallel()
	for _, flags := range [][]string{nil, {"-bounds", "trap", "-target", "ptx,cpu,ptx:sm_90"}} {
		here, there := module(t, "ten"), module(t, "ten")
		gen(t, here, append(slices.Clone(flags), ".")...)
		first := files(t, here)
		if got, want := gen(t, here, append(slices.Clone(flags), ".")...), ".  10 kernels, up to date\n"; got != want {
			t.Errorf("again: got %q, want %q", got, want)
		}
		if err := os.Remove(filepath.Join(here, abi.ArchiveFile)); err != nil {
			t.Fatal(err)
		}
		gen(t, here, append(slices.Clone(flags), "./...")...)
		if diff := cmp.Diff(first, files(t, here)); diff != "" {
			t.Errorf("%q, again (-first +second):\n%s", flags, diff)
		}
		gen(t, filepath.Join(there, "units"), append(slices.Clone(flags), "..")...)
		if diff := cmp.Diff(first, files(t, there)); diff != "" {
			t.Errorf("%q, elsewhere (-here +there):\n%s", flags, diff)
		}
		for name, text := range first {
			for _, path := range []string{here, filepath.Dir(here), "../"} {
				if strings.HasPrefix(name, "gpuc") && strings.Contains(text, path) {
					t.Errorf("%q: %s has %s", flags, name, path)
				}
			}
		}
	}
}

// TestGenBroken: the launchers are made although the file that has them is missing, stale or
// broken, and the package calls them.
func TestGenBroken(t *testing.T) {
	testmode.LongPart(t, 2)
	t.Parallel()
	folder := module(t, "ten")
	gen(t, folder, ".")
	want := files(t, folder)
	generated, archive := filepath.Join(folder, "gpuc_gen.go"), filepath.Join(folder, abi.ArchiveFile)
	text, archived := want["gpuc_gen.go"], want[abi.ArchiveFile]
	header, _, _ := strings.Cut(text, "\n")
	for name, breaks := range map[string]func(){
		"nothing is there": func() { os.Remove(archive); os.Remove(generated) },
		"no archive":       func() { os.Remove(archive) },
		"half an archive":  func() { put(t, archive, archived[:len(archived)/2]) },
		"no launchers":     func() { os.Remove(generated) },
		"empty":            func() { put(t, generated, "") },
		"a header":         func() { put(t, generated, header+"\n") },
		"half":             func() { put(t, generated, text[:len(text)/2]) },
		"another package":  func() { put(t, generated, strings.Replace(text, "package ten", "package eleven", 1)) },
		"no package":       func() { put(t, generated, strings.Replace(text, "package ten", "packet ten", 1)) },
		"no types":         func() { put(t, generated, strings.ReplaceAll(text, "float32", "float31")) },
		"other launchers":  func() { put(t, generated, strings.ReplaceAll(text, "LaunchScale", "LaunchScala")) },
		"a conflict":       func() { put(t, generated, strings.Replace(text, "\nvar", "\n<<<<<<< ours\nvar", 1)) },
		"other code":       func() { put(t, archive, strings.Replace(archived, "kernel @Add", "kernel @Bad", 1)) },
	} {
		breaks()
		if code, _, stderr := gpuc(t, folder, "gen", "-check", "."); code != 1 || !strings.Contains(stderr, "run `gpuc gen .`") {
			t.Errorf("%s: -check: code %d\n%s", name, code, stderr)
		}
		if code, _, stderr := gpuc(t, folder, "gen", "."); code != 0 {
			t.Errorf("%s: code %d\n%s", name, code, stderr)
		}
		if diff := cmp.Diff(want, files(t, folder)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestGenCheck: -check names what is stale, writes nothing, and takes the options of what is there.
func TestGenCheck(t *testing.T) {
	testmode.Quick(t, "it builds Go packages")
	t.Parallel()
	folder := module(t, "ten")
	gen(t, folder, "-math", "fast", "-target", "cpu", ".")
	if code, stdout, stderr := gpuc(t, folder, "gen", "-check", "./..."); code != 0 || stdout+stderr != "" {
		t.Errorf("just made: code %d\n%s%s", code, stdout, stderr)
	}
	// as git writes text on Windows
	generated := filepath.Join(folder, "gpuc_gen.go")
	data, err := os.ReadFile(generated)
	if err != nil {
		t.Fatal(err)
	}
	put(t, generated, strings.ReplaceAll(string(data), "\n", "\r\n"))
	if code, stdout, stderr := gpuc(t, folder, "gen", "-check", "./..."); code != 0 || stdout+stderr != "" {
		t.Errorf("with other ends of lines: code %d\n%s%s", code, stdout, stderr)
	}
	source := filepath.Join(folder, "kernels.go")
	if data, err = os.ReadFile(source); err != nil {
		t.Fatal(err)
	}
	const run = "; run `gpuc gen .`, or `go generate` there\n"
	for _, test := range []struct{ what, from, to, want string }{
		{"a comment in a kernel", "x[i] *= factor", "x[i] *= factor // 1", ""},
		{"a kernel's own comment", "Scale has one value", "Scale\n// has one value", "gpuc_gen.go is stale" + run},
		{"a constant of another kernel's helper", "b.Low[axis] <= at", "b.Low[axis] < at", "gpuc_gen.zip is stale (Clip.ir)" + run},
		{"a parameter's name", "factor", "by", "gpuc_gen.zip is stale (Scale.ir, Scale.ir.json)" + run + "gpuc_gen.go is stale" + run},
		{"a kernel's name", "Nothing", "Void", "gpuc_gen.zip is stale (Void.ir, Void.ir.json, Nothing.ir, and 1 more)" + run + "gpuc_gen.go is stale" + run},
	} {
		path, text := source, string(data)
		if !strings.Contains(text, test.from) {
			path = filepath.Join(folder, "units", "units.go")
			other, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			text = string(other)
		}
		put(t, path, strings.ReplaceAll(text, test.from, test.to))
		before := files(t, folder)
		code, stdout, stderr := gpuc(t, folder, "gen", "-check", "./...")
		if stdout+stderr != test.want || code != min(len(test.want), 1) {
			t.Errorf("%s: code %d\n%s%s", test.what, code, stdout, stderr)
		}
		if diff := cmp.Diff(before, files(t, folder)); diff != "" {
			t.Errorf("%s: -check has written (-before +after):\n%s", test.what, diff)
		}
		put(t, path, text)
	}
}

// TestGenRemoved: generated files that are no longer made go, and no others; neither do those that
// gpuc made in a folder before there were archives.
func TestGenRemoved(t *testing.T) {
	t.Parallel()
	folder := module(t, "ten")
	old := filepath.Join(folder, "gpuc")
	if err := os.Mkdir(old, 0o755); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(old, "manifest.json"), "{\n  \"gpuc\": \"v0\", \"package\": \"example.com/ten\", \"kernels\": [{\"kernel\": {\"name\": \"Scale\"}}, {\"kernel\": {\"name\": \"../units/units\"}}]\n}\n")
	put(t, filepath.Join(old, "Scale.spv"), "\x03\x02\x23\x07"+strings.Repeat("\x00", 16))
	put(t, filepath.Join(old, "Scale.txt"), "mine")
	if got, want := gen(t, folder, "-target", "cpu", "."), ".  10 kernels, 2 files written, 2 files removed\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	source := filepath.Join(folder, "kernels.go")
	// no kernels, though the package calls launchers
	put(t, source, "package ten\n\nvar _ = LaunchScale\n")
	if got, want := gen(t, folder, "."), ".  0 kernels, 2 files removed\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	left := files(t, folder)
	for name := range left {
		if strings.HasPrefix(name, "gpuc") && name != "gpuc/Scale.txt" {
			t.Errorf("%s is left", name)
		}
	}
	if left["gpuc/Scale.txt"] == "" || left["units/units.go"] == "" {
		t.Error("a file is gone that gpuc did not make")
	}
}

// TestGenForeign: files that gpuc did not make stay, and nothing is written then.
func TestGenForeign(t *testing.T) {
	t.Parallel()
	folder := module(t, "ten")
	for _, name := range []string{"gpuc_gen.go", "gpuc_gen.zip"} {
		path := filepath.Join(folder, name)
		put(t, path, "package ten // mine\n")
		before := files(t, folder)
		code, stdout, stderr := gpuc(t, folder, "gen", ".")
		if code != 1 || stdout != "" || !strings.Contains(stderr, name) || !strings.Contains(stderr, "did not make it") {
			t.Errorf("%s: code %d\n%s%s", name, code, stdout, stderr)
		}
		if diff := cmp.Diff(before, files(t, folder)); diff != "" {
			t.Errorf("%s (-before +after):\n%s", name, diff)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}

// TestExamplesAreFresh: what is generated for the packages of this repository is not stale. With
// -update it is generated, as it has to be when gpuc makes other code.
func TestExamplesAreFresh(t *testing.T) {
	t.Parallel()
	if *update {
		gen(t, repository, "./examples/...")
		// as its go:generate says
		gen(t, repository, "-target", "spirv,ptx,cpu,checked", "./examples/nbody")
		gen(t, repository, "-target", "spirv,ptx,cpu", "-math", "strict", "./kernels/seq", "./kernels/signal", "./kernels/image", "./kernels/linalg/internal/strict", "./kernels/linalg/internal/jacobi", "./kernels/linalg/internal/columns", "./kernels/linalg/internal/pairs", "./kernels/linalg/internal/sparse", "./kernels/linalg")
		gen(t, repository, "./kernels/linalg/internal/fast", "./kernels/linalg/internal/jacobi/fast", "./kernels/linalg/internal/columns/fast", "./kernels/linalg/internal/skinny", "./kernels/linalg/internal/small", "./kernels/signal/internal/fast")
	}
	if code, _, stderr := gpuc(t, repository, "gen", "-check", "./examples/...", "./kernels/..."); code != 0 {
		t.Errorf("code %d\n%s", code, stderr)
	}
}

// TestGenAsTool: a module that has gpuc as a tool, and no go.work, makes its launchers with go
// generate and builds with them, without network.
func TestGenAsTool(t *testing.T) {
	testmode.Long(t)
	t.Parallel()
	folder := module(t, "ten")
	if err := os.Remove(filepath.Join(folder, "go.work")); err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(repository, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(folder, "go.sum"), string(sums))
	put(t, filepath.Join(folder, "go.mod"), "module example.com/ten\n\ngo 1.26.0\n\nrequire github.com/gpuc/gpuc v0.0.0\n\nreplace github.com/gpuc/gpuc => "+
		filepath.ToSlash(repository)+"\n\ntool github.com/gpuc/gpuc/cmd/gpuc\n")
	for _, line := range []string{"mod tidy", "generate .", "vet .", "tool gpuc gen -check ./..."} {
		if text, err := goCommand(t, folder, []string{"GOFLAGS=-mod=mod", "GOWORK=off"}, strings.Fields(line)...); err != nil {
			t.Fatalf("go %s: %v\n%s", line, err, text)
		}
	}
}

// TestGenNames: whatever a package and its kernels' parameters are called, launchers compile.
func TestGenNames(t *testing.T) {
	t.Parallel()
	folder := module(t, "names")
	gen(t, folder, ".")
	if text, err := goCommand(t, folder, nil, "vet", "."); err != nil {
		t.Errorf("go vet: %v\n%s", err, text)
	}
}

// TestGenEmptyCache: what is imported may be read from sources or from the go command's cache.
func TestGenEmptyCache(t *testing.T) {
	testmode.Long(t)
	t.Parallel()
	here, there := module(t, "ten"), module(t, "ten")
	gen(t, here, ".")
	if code, _, stderr := gpucIn(t, there, []string{"GOCACHE=" + t.TempDir()}, "gen", "."); code != 0 || stderr != "" {
		t.Fatalf("code %d\n%s", code, stderr)
	}
	if diff := cmp.Diff(files(t, here), files(t, there)); diff != "" {
		t.Errorf("with an empty cache (-full +empty):\n%s", diff)
	}
}
