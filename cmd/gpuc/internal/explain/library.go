package explain

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// libraryData is the documentation of the packages of kernels, of which there are no sources where
// gpuc runs. TestLibrary writes it from these, and from pages of docs.
//
//go:embed library.json.gz
var libraryData []byte

// libraryPackage is a package of kernels.
type libraryPackage struct {
	Name, Path string
	Doc        string // what it is, in a sentence
	Entries    []libraryEntry
}

// libraryEntry is an exported function, type, constant or variable.
type libraryEntry struct {
	Name      string
	Kind      string
	Signature string
	Doc       string
	// Judges are what tests compare with, and within which bounds. Speed is how fast it is next to
	// a library of NVIDIA on an H200: that one's time divided by gpuc's.
	Judges, Speed []string `json:",omitempty"`
}

// library reads the documentation.
func library() (list []libraryPackage) {
	text, err := gzip.NewReader(bytes.NewReader(libraryData))
	if err == nil {
		err = json.NewDecoder(text).Decode(&list)
	}
	if err != nil {
		panic("the documentation in the program: " + err.Error()) // tests read all of it
	}
	return list
}

// librarySubject returns the subject of a package of kernels.
func librarySubject(name, doc string) subject {
	pkg := func() libraryPackage {
		for _, p := range library() {
			if p.Name == name {
				return p
			}
		}
		return libraryPackage{Name: name}
	}
	return subject{
		name: name, doc: doc,
		names:   func() []string { return pkg().names() },
		explain: func(w io.Writer, s string) bool { return pkg().explain(w, s) },
		list:    func(w io.Writer) { pkg().list(w) },
	}
}

// names are those with the package, and without.
func (p libraryPackage) names() (names []string) {
	for _, e := range p.Entries {
		names = append(names, p.Name+"."+e.Name, e.Name)
	}
	return names
}

// list prints each name with the first sentence of its documentation.
func (p libraryPackage) list(w io.Writer) {
	fmt.Fprintf(w, "package %s (%s)\n%s\n", p.Name, p.Path, indented(p.Doc))
	width := 0
	for _, e := range p.Entries {
		width = max(width, len(e.Name))
	}
	for _, e := range p.Entries {
		fmt.Fprintf(w, "  %-*s  %s\n", width, e.Name, e.sentence())
	}
}

// longest is how many characters of a sentence a list has.
const longest = 90

// sentence is the first sentence, without the name that it begins with, or its beginning.
func (e libraryEntry) sentence() string {
	text := strings.Join(strings.Fields(e.Doc), " ")
	if n := strings.Index(text, ". "); n >= 0 {
		text = text[:n+1]
	}
	text = strings.TrimPrefix(strings.TrimPrefix(text, e.Name+" "), "is ")
	text = strings.TrimSuffix(strings.TrimSuffix(text, "."), ":")
	if letters := []rune(text); len(letters) > longest {
		text = string(letters[:longest])
		text = text[:strings.LastIndexByte(text, ' ')] + " …"
	}
	return text
}

// explain prints what there is about a name, with or without the package.
func (p libraryPackage) explain(w io.Writer, name string) bool {
	name = strings.TrimPrefix(name, p.Name+".")
	for _, e := range p.Entries {
		if e.Name != name {
			continue
		}
		fmt.Fprintf(w, "%s %s.%s (%s)\n%s\n%s", e.Kind, p.Name, e.Name, p.Path, indented(e.Signature), indented(e.Doc))
		for n, list := range [][]string{e.Judges, e.Speed} {
			if len(list) > 0 {
				fmt.Fprintf(w, "  %s:\n", [2]string{"tests compare it with", "NVIDIA's time divided by gpuc's on an H200 (docs/benchmarks.md)"}[n])
				fmt.Fprintf(w, "    %s\n", strings.Join(list, "\n    "))
			}
		}
		return true
	}
	return false
}

// indented moves lines that are not empty, and ends with a line break.
func indented(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if line = strings.TrimSuffix(line, "\n"); line != "" {
			line = "  " + line
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}
