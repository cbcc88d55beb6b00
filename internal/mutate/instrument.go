package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// This file chooses mutations and writes the instrumented files: all mutations are
// compiled at once, each behind a question for its number.

// draw chooses count mutations, of each package in proportion to its sites. The choice is by a hash
// of the mutation and not of its position, so that it mostly survives edits of the source.
func draw(packs []*pack, count int, seed uint64) []*site {
	sites := make([][]*site, len(packs))
	total := 0
	for n, p := range packs {
		for _, f := range p.files {
			sites[n] = append(sites[n], find(f)...)
		}
		total += len(sites[n])
	}
	count = min(count, total)
	var chosen []*site
	before := 0
	for _, list := range sites {
		rank := make(map[*site]uint64, len(list))
		for _, s := range list {
			rank[s] = s.hash(seed)
		}
		slices.SortStableFunc(list, func(a, b *site) int { return cmp.Compare(rank[a], rank[b]) })
		// rounded such that the shares add up
		share := (before+len(list))*count/total - before*count/total
		before += len(list)
		chosen = append(chosen, list[:share]...)
	}
	order(chosen)
	return chosen
}

// hash is what a mutation is drawn by.
func (s *site) hash(seed uint64) uint64 {
	h := fnv.New64a()
	fmt.Fprintln(h, s.file.pack.path, s.file.name, s.function, s.operator, s.mutation(), s.occurrence)
	// FNV leaves similar texts near each other; the finalizer of splitmix64 does not
	x := h.Sum64() ^ seed*0x9E3779B97F4A7C15
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	return x ^ x>>31
}

// order sorts mutations by package, file and position, outer ones first.
func order(sites []*site) {
	slices.SortStableFunc(sites, func(a, b *site) int {
		return cmp.Or(strings.Compare(a.file.pack.path, b.file.pack.path), strings.Compare(a.file.name, b.file.name),
			cmp.Compare(a.from, b.from), cmp.Compare(b.to, a.to))
	})
}

// numbered is a mutation of a file with its number.
type numbered struct {
	*site
	number int
}

func number(sites []*site) []numbered {
	list := make([]numbered, len(sites))
	for n, s := range sites {
		list[n] = numbered{s, n + 1}
	}
	return list
}

// instrument writes the instrumented forms of the files that mutations are in, and
// the file that tells the go command of them, whose path it returns. The n-th
// mutation has the number n+1.
func instrument(sites []*site, folder string) (overlay string, err error) {
	byFile := map[*file][]numbered{}
	var files []*file
	for _, s := range number(sites) {
		if byFile[s.file] == nil {
			files = append(files, s.file)
		}
		byFile[s.file] = append(byFile[s.file], s)
	}
	replace := map[string]string{}
	for n, f := range files {
		path := filepath.Join(folder, strconv.Itoa(n)+"-"+f.name)
		if err := os.WriteFile(path, f.instrumented(byFile[f]), 0o644); err != nil {
			return "", err
		}
		replace[filepath.Join(f.pack.folder, f.name)] = path
	}
	data, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	overlay = filepath.Join(folder, "overlay.json")
	return overlay, os.WriteFile(overlay, data, 0o644)
}

// instrumented returns a file's text with its mutations, which are in order. Lines
// keep their numbers.
func (f *file) instrumented(sites []numbered) []byte {
	w := writer{file: f, sites: sites}
	name := f.at.Offset(f.syntax.Name.End())
	w.write(0, name, 0)
	fmt.Fprintf(&w.out, "; import mutant %q", mutantPath)
	w.write(name, len(f.text), 0)
	return []byte(w.out.String())
}

// mutantPath is the package that instrumented files ask.
const mutantPath = "github.com/gpuc/gpuc/internal/mutate/mutant"

type writer struct {
	file  *file
	sites []numbered
	out   strings.Builder
}

// write writes a part of the file with the mutations in it, from the n-th on.
func (w *writer) write(from, to, n int) {
	for ; n < len(w.sites); n++ {
		s := w.sites[n]
		if s.from < from || s.to > to || s.from >= to {
			continue
		}
		w.out.WriteString(w.file.source(from, s.from))
		for _, p := range s.pieces {
			if p.text != "" {
				w.out.WriteString(strings.ReplaceAll(p.text, mark, strconv.Itoa(s.number)))
			} else {
				w.write(p.from, p.to, n+1)
			}
		}
		from = s.to
	}
	w.out.WriteString(w.file.source(from, to))
}
