package explain

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/doc"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write library.json.gz")

// root is the top of the repository.
const root = "../../../.."

// TestLibrary compares the documentation in the program with the sources, and with the pages that
// have the judges of functions and their speed. With -update it writes it.
func TestLibrary(t *testing.T) {
	judges, speeds := readJudges(t), readSpeeds(t)
	var want []libraryPackage
	for _, name := range []string{"linalg", "seq", "signal", "image"} {
		p := readPackage(t, name)
		for i := range p.Entries {
			e := &p.Entries[i]
			qualified := name + "." + e.Name
			e.Judges, e.Speed = judges[qualified], speeds[name+"."+strings.TrimPrefix(e.Name, "Plan")]
			delete(judges, qualified)
		}
		want = append(want, p)
	}
	for name := range judges {
		t.Errorf("docs/reference/kernels.md has %s, which is not there", name)
	}
	if *update {
		var b bytes.Buffer
		w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.NewEncoder(w).Encode(want); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile("library.json.gz", b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(library(), want); diff != "" {
		t.Errorf("library.json.gz is stale: go test ./cmd/gpuc/internal/explain -update (-file +sources):\n%s", diff)
	}
}

// helpers are functions that only say how another is called, or compute on the host.
var helpers = []string{
	"linalg.BandOf", "linalg.BatchOf", "linalg.VectorOf", "linalg.Epilogue", "linalg.Split", "linalg.Strict", "linalg.TF32", "linalg.Plain", "linalg.Adjoint",
	"seq.AxisOf", "seq.Ascending", "seq.Descending",
	"signal.By", "signal.Distances", "signal.Normalize", "signal.Strict",
	"image.Constant", "image.Cross", "image.ElementOf", "image.Ellipse", "image.Rectangle", "image.Of", "image.New", "image.NewUninitialized", "image.Upload",
	"image.Scale", "image.GaussianWeights", "image.Affine", "image.Rotation", "image.Quadrilateral",
}

// TestJudged: each function is compared with something, and the page says with what.
func TestJudged(t *testing.T) {
	if *update {
		return // the program has the documentation that was
	}
	for _, p := range library() {
		for _, e := range p.Entries {
			name := p.Name + "." + e.Name
			if e.Kind == "function" && len(e.Judges) == 0 && !slices.Contains(helpers, name) {
				t.Errorf("docs/reference/kernels.md does not say what %s is compared with", name)
			}
			if e.Doc == "" {
				t.Errorf("%s has no documentation", name)
			}
		}
	}
}

// readPackage reads the exported names of a package of kernels.
func readPackage(t *testing.T, name string) libraryPackage {
	t.Helper()
	folder := filepath.Join(root, "kernels", name)
	list, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	files := token.NewFileSet()
	var parsed []*ast.File
	for _, f := range list {
		if name := f.Name(); strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") && name != "gpuc_gen.go" {
			file, err := parser.ParseFile(files, filepath.Join(folder, name), nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			parsed = append(parsed, file)
		}
	}
	path := "github.com/gpuc/gpuc/kernels/" + name
	d, err := doc.NewFromFiles(files, parsed, path)
	if err != nil {
		t.Fatal(err)
	}
	text := func(s string) string {
		p := d.Printer()
		p.TextWidth = 76
		return strings.TrimSuffix(string(p.Text(d.Parser().Parse(s))), "\n") + "\n"
	}
	source := func(node any) string {
		var b bytes.Buffer
		if err := format.Node(&b, files, node); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	about, _, _ := strings.Cut(d.Doc, "\n\n")
	p := libraryPackage{Name: name, Path: path, Doc: text(strings.TrimRight(about, ":.") + ".")}
	functions := func(list []*doc.Func) {
		for _, f := range list {
			f.Decl.Body, f.Decl.Doc = nil, nil
			p.Entries = append(p.Entries, libraryEntry{Name: f.Name, Kind: "function", Signature: source(f.Decl), Doc: text(f.Doc)})
		}
	}
	values := func(kind string, list []*doc.Value) {
		for _, v := range list {
			for _, spec := range v.Decl.Specs {
				s := spec.(*ast.ValueSpec)
				about := v.Doc
				if s.Doc != nil {
					about = s.Doc.Text()
				} else if s.Comment != nil {
					about = s.Comment.Text()
				}
				for _, n := range s.Names {
					if n.IsExported() {
						p.Entries = append(p.Entries, libraryEntry{Name: n.Name, Kind: kind, Signature: kind + " " + n.Name, Doc: text(about)})
					}
				}
			}
		}
	}
	functions(d.Funcs)
	values("const", d.Consts)
	values("var", d.Vars)
	for _, typ := range d.Types {
		functions(typ.Funcs)
		typ.Decl.Doc = nil
		signature := source(typ.Decl)
		for _, list := range [][]*doc.Value{typ.Consts, typ.Vars} {
			for _, v := range list {
				v.Decl.Doc = nil
				signature += "\n" + source(v.Decl)
			}
		}
		about := text(typ.Doc)
		for _, m := range typ.Methods {
			m.Decl.Body, m.Decl.Doc = nil, nil
			signature += "\n" + source(m.Decl)
			about += "\n" + text(m.Doc)
		}
		p.Entries = append(p.Entries, libraryEntry{Name: typ.Name, Kind: "type", Signature: signature, Doc: about})
	}
	slices.SortFunc(p.Entries, func(a, b libraryEntry) int { return strings.Compare(a.Name, b.Name) })
	return p
}

var codeSpan = regexp.MustCompile("`([^`]*)`")

// rows returns the cells of the tables of a page, beneath a heading.
func rows(t *testing.T, page, heading string) (list [][]string) {
	t.Helper()
	data, err := fs.ReadFile(os.DirFS(root), page)
	if err != nil {
		t.Fatal(err)
	}
	_, text, found := strings.Cut(string(data), heading+"\n")
	if !found {
		t.Fatalf("%s has no %q", page, heading)
	}
	if end := strings.Index(text, "\n## "); end >= 0 {
		text = text[:end]
	}
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "|") {
			list = append(list, strings.Split(line[1:len(line)-1], "|"))
		}
	}
	if len(list) < 3 {
		t.Fatalf("%s: no table beneath %q", page, heading)
	}
	return list[2:]
}

// readJudges reads docs/reference/kernels.md. The bounds have the order of the comparisons.
func readJudges(t *testing.T) map[string][]string {
	t.Helper()
	judges := map[string][]string{}
	for _, cells := range rows(t, "docs/reference/kernels.md", "# Whose results the standard kernels have") {
		references, bounds := strings.Split(cells[2], "; "), strings.Split(cells[3], "; ")
		if cells[3] == "" {
			bounds = make([]string, len(references))
		}
		if len(bounds) != len(references) {
			t.Errorf("docs/reference/kernels.md: %d comparisons and %d bounds in %q", len(references), len(bounds), cells)
			continue
		}
		var list []string
		for i, r := range references {
			switch b := bounds[i]; b {
			case "", "equal":
				list = append(list, r+": equal")
			default:
				list = append(list, r+": within "+b)
			}
		}
		for _, name := range codeSpan.FindAllStringSubmatch(cells[1], -1) {
			judges[cells[0]+"."+name[1]] = list
		}
	}
	return judges
}

// readSpeeds reads the table of docs/benchmarks.md. A row has a ratio for each function, or for
// each size. A function without a package is one of linalg, or of the package before it in the row.
func readSpeeds(t *testing.T) map[string][]string {
	t.Helper()
	speeds := map[string][]string{}
	var names []string
	what := ""
	for _, cells := range rows(t, "docs/benchmarks.md", "## Standard kernels on an H200") {
		if spans := codeSpan.FindAllStringSubmatch(cells[0], -1); spans != nil {
			names = nil
			pkg := "linalg"
			for _, s := range spans {
				if p, name, found := strings.Cut(s[1], "."); found {
					pkg, s[1] = p, name
				}
				names = append(names, pkg+"."+s[1])
			}
			what = strings.TrimPrefix(strings.TrimSpace(codeSpan.ReplaceAllString(cells[0], "")), ", ")
		}
		sizes, ratios := strings.Split(cells[1], ", "), strings.Split(cells[2], ", ")
		prefix := ""
		if what != "" {
			prefix = what + ": "
		}
		for i, name := range names {
			line := fmt.Sprintf("%s%s at %s", prefix, cells[2], cells[1])
			switch {
			case len(names) == len(ratios) && len(sizes) == 1:
				line = fmt.Sprintf("%s%s at %s", prefix, ratios[i], cells[1])
			case len(sizes) == len(ratios):
				pairs := make([]string, len(sizes))
				for k := range sizes {
					pairs[k] = ratios[k] + " at " + sizes[k]
				}
				line = prefix + strings.Join(pairs, ", ")
			}
			speeds[name] = append(speeds[name], line)
		}
	}
	return speeds
}
