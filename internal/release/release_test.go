package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/gpuc/gpuc/internal/playground/site"
	"github.com/gpuc/gpuc/internal/testmode"
	"golang.org/x/tools/go/packages"
)

// TestOtherSystems type-checks all packages for systems that differ from this one: 32 bits, no
// processes, no files, other system calls. It omits function bodies of other modules.
func TestOtherSystems(t *testing.T) {
	testmode.Long(t)
	for _, name := range []string{"linux/386", "js/wasm", "freebsd/amd64"} {
		t.Run(name, func(t *testing.T) {
			chosen, err := choose(name)
			if err != nil {
				t.Fatal(err)
			}
			s := chosen[0]
			root, err := filepath.Abs("../..")
			if err != nil {
				t.Fatal(err)
			}
			config := packages.Config{
				Mode: packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps | packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo | packages.NeedTypesSizes | packages.NeedModule,
				Dir:  root,
				Env:  append(os.Environ(), "GOOS="+s.os, "GOARCH="+s.arch, "CGO_ENABLED=0"),
				ParseFile: func(set *token.FileSet, name string, text []byte) (*ast.File, error) {
					f, err := parser.ParseFile(set, name, text, parser.SkipObjectResolution)
					if f != nil && !strings.HasPrefix(name, root+string(filepath.Separator)) {
						for _, d := range f.Decls {
							if function, ok := d.(*ast.FuncDecl); ok {
								function.Body = nil
							}
						}
					}
					return f, err
				},
			}
			list, err := packages.Load(&config, "github.com/gpuc/gpuc/cmd/gpuc", "github.com/gpuc/gpuc/runtime/...", "github.com/gpuc/gpuc/frontend/...")
			if err != nil {
				t.Fatal(err)
			}
			ours := 0
			packages.Visit(list, nil, func(p *packages.Package) {
				if !strings.HasPrefix(p.PkgPath, "github.com/gpuc/gpuc") {
					return // where a body is missed, the compiler of that system knows why
				}
				ours++
				for _, e := range p.Errors {
					t.Errorf("%v", e)
				}
			})
			if ours < 60 {
				t.Errorf("only %d packages are looked at", ours)
			}
		})
	}
}

// TestReproducible builds the command for this system twice in different folders, and compares the
// binaries and archives. It uses Go's cache, unlike -verify. The unpacked command must work.
func TestReproducible(t *testing.T) {
	testmode.Long(t)
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("skipped: git is not on the PATH")
	}
	s := system{os: runtime.GOOS, arch: runtime.GOARCH}
	made := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	var binaries, archives, lists [2]string
	carried := []byte("gpuc for browsers, which takes long to build")
	for n := range 2 {
		folder := t.TempDir()
		overlay, err := site.Overlay(t.TempDir(), mustAbs(t, "../.."), carried, []byte("its script"))
		if err != nil {
			t.Fatal(err)
		}
		binary, err := build(folder, s, overlay, nil)
		if err != nil {
			t.Fatal(err)
		}
		archive, _, err := pack(binary, "gpuc", s, made)
		if err != nil {
			t.Fatal(err)
		}
		list, _, err := sbom(binary, made)
		if err != nil {
			t.Fatal(err)
		}
		binaries[n], archives[n], lists[n] = binary, string(archive), string(list)
	}
	if err := same(binaries[0], binaries[1]); err != nil {
		t.Error(err)
	}
	if archives[0] != archives[1] || lists[0] != lists[1] {
		t.Error("the archives or the lists of modules differ")
	}
	data, err := os.ReadFile(binaries[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{filepath.Dir(binaries[0]), mustAbs(t, "../..")} {
		if bytes.Contains(data, []byte(path)) {
			t.Errorf("the command has the path %s in it", path)
		}
	}
	if !bytes.Contains(data, carried) {
		t.Error("the command does not hold gpuc for browsers")
	}
	listsModules(t, binaries[0], lists[0])
	if s.os != "windows" { // where archives are of another kind
		use(t, s, unpack(t, []byte(archives[0])))
	}
	if err := os.WriteFile(binaries[1], append(data, 0), 0o755); err != nil {
		t.Fatal(err)
	}
	if same(binaries[0], binaries[1]) == nil {
		t.Error("a difference is not found")
	}
}

func mustAbs(t *testing.T, path string) string {
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// listsModules compares an SBOM with the output of `go version -m`.
func listsModules(t *testing.T, binary, list string) {
	var b struct {
		BomFormat, SpecVersion, SerialNumber string
		Version                              int
		Metadata                             struct {
			Timestamp string
			Component struct{ Type, Name, Version, Purl string }
		}
		Components []struct{ Type, Name, Version, Purl string }
	}
	if err := json.Unmarshal([]byte(list), &b); err != nil {
		t.Fatal(err)
	}
	if b.BomFormat != "CycloneDX" || b.SpecVersion != "1.6" || b.Version != 1 || len(b.SerialNumber) != len("urn:uuid:")+36 ||
		b.Metadata.Component.Name != "gpuc" || b.Metadata.Component.Type != "application" || b.Metadata.Timestamp != "2026-01-02T03:04:05Z" {
		t.Errorf("the list begins with %+v", b)
	}
	out, err := exec.Command("go", "version", "-m", binary).Output()
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		if len(words) >= 3 && words[0] == "dep" {
			want[words[1]] = words[2]
		}
	}
	if len(want) < 3 {
		t.Errorf("go version -m lists %v", want)
	}
	want["std"] = strings.TrimPrefix(runtime.Version(), "go")
	for _, c := range b.Components {
		if want[c.Name] != c.Version || c.Type != "library" || c.Purl != "pkg:golang/"+c.Name+"@"+c.Version {
			t.Errorf("%+v is listed, want version %q", c, want[c.Name])
		}
		delete(want, c.Name)
	}
	if len(want) > 0 {
		t.Errorf("%v are not listed", want)
	}
}

// TestPack unpacks archives and checks names, permissions and times.
func TestPack(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("skipped: git is not on the PATH")
	}
	made := time.Date(2026, 1, 2, 3, 4, 6, 0, time.UTC)
	binary := filepath.Join(t.TempDir(), "gpuc")
	if err := os.WriteFile(binary, []byte("code"), 0o755); err != nil {
		t.Fatal(err)
	}
	want := "f/gpuc -rwxr-xr-x, f/LICENSE -rw-r--r--, f/README.md -rw-r--r--, f/CHANGELOG.md -rw-r--r--, f/SECURITY.md -rw-r--r--"
	check := func(kind string, got []string, times []time.Time, first string) {
		t.Helper()
		if strings.Join(got, ", ") != want || first != "code" {
			t.Errorf("%s: %v, and the first holds %q", kind, got, first)
		}
		for _, at := range times {
			if !at.Equal(made) {
				t.Errorf("%s: a file is of %v", kind, at)
			}
		}
	}
	archive, extension, err := pack(binary, "f", system{os: "linux"}, made)
	if err != nil || extension != ".tar.gz" {
		t.Fatal(extension, err)
	}
	unzipped, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	var times []time.Time
	first := ""
	for r := tar.NewReader(unzipped); ; {
		h, err := r.Next()
		if err != nil {
			break
		}
		names, times = append(names, h.Name+" "+h.FileInfo().Mode().String()), append(times, h.ModTime)
		if len(names) == 1 {
			data, _ := io.ReadAll(r)
			first = string(data)
		}
	}
	check("tar", names, times, first)
	archive, extension, err = pack(binary, "f", system{os: "windows"}, made)
	if err != nil || extension != ".zip" {
		t.Fatal(extension, err)
	}
	z, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		t.Fatal(err)
	}
	names, times = nil, nil
	for _, f := range z.File {
		names, times = append(names, f.Name+" "+f.Mode().String()), append(times, f.Modified)
	}
	data, err := fs.ReadFile(z, "f/gpuc")
	if err != nil {
		t.Fatal(err)
	}
	check("zip", names, times, string(data))
}
