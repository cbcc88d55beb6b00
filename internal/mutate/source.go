package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// This file reads the packages that are mutated. Types are needed to write
// mutations that compile; those of imported packages come from the build cache.

// pack is a package that is mutated.
type pack struct {
	path, folder string
	files        []*file
	generated    []*ast.File
	set          *token.FileSet
	imported     types.Importer
	types        *types.Package
	info         *types.Info
}

// file is one of its files; generated ones are left alone.
type file struct {
	pack   *pack
	name   string // without folder
	text   []byte
	syntax *ast.File
	at     *token.File
}

// listed is what is read of go list's answer.
type listed struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
	DepOnly                 bool
}

// load reads packages by the patterns of the go command, seen from a folder.
func load(folder string, patterns []string) ([]*pack, error) {
	list := exec.Command("go", append([]string{"list", "-deps", "-export", "-json=ImportPath,Dir,Export,GoFiles,DepOnly", mutantPath}, patterns...)...)
	list.Dir = folder
	list.Stderr = os.Stderr
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	exports := map[string]string{}
	var roots []listed
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var l listed
		if err := d.Decode(&l); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		exports[l.ImportPath] = l.Export
		if !l.DepOnly && l.ImportPath != mutantPath {
			roots = append(roots, l)
		}
	}
	set := token.NewFileSet()
	imported := importer.ForCompiler(set, "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(exports[path])
	})
	var packs []*pack
	for _, l := range roots {
		p := &pack{path: l.ImportPath, folder: l.Dir, set: set, imported: imported}
		if err := p.read(l.GoFiles); err != nil {
			return nil, err
		}
		packs = append(packs, p)
	}
	return packs, nil
}

func (p *pack) read(names []string) error {
	var all []*ast.File
	for _, name := range names {
		path := filepath.Join(p.folder, name)
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		syntax, err := parser.ParseFile(p.set, path, text, parser.ParseComments)
		if err != nil {
			return err
		}
		all = append(all, syntax)
		if ast.IsGenerated(syntax) {
			p.generated = append(p.generated, syntax)
		} else {
			p.files = append(p.files, &file{p, name, text, syntax, p.set.File(syntax.FileStart)})
		}
	}
	p.info = &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	var err error
	p.types, err = (&types.Config{Importer: p.imported}).Check(p.path, p.set, all, p.info)
	return err
}

// source returns the text of a part of a file.
func (f *file) source(from, to int) string { return string(f.text[from:to]) }

// span returns where a node's text begins and ends.
func (f *file) span(n ast.Node) (from, to int) { return f.at.Offset(n.Pos()), f.at.Offset(n.End()) }
