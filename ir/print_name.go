package ir

import (
	"slices"
	"strconv"

	"github.com/gpuc/gpuc/ir/lex"
	"github.com/gpuc/gpuc/ir/op"
)

// This file gives what the text form names unique names.

// unique returns the names with duplicates, and empty ones, made different by a
// dot and a number, as are reserved ones. Names that are no identifiers are dropped.
func unique(names []string, reserved map[string]bool) []string {
	out := make([]string, len(names))
	taken := make(map[string]bool, len(names))
	for i, name := range names {
		if !isName(name) || taken[name] || reserved[name] {
			continue
		}
		taken[name] = true
		out[i] = name
	}
	next := map[string]int{}
	for i, name := range names {
		if out[i] != "" {
			continue
		}
		if !isName(name) {
			name = ""
		}
		for {
			candidate := name + "." + strconv.Itoa(next[name])
			next[name]++
			if !taken[candidate] {
				taken[candidate] = true
				out[i] = candidate
				break
			}
		}
	}
	return out
}

// isName reports whether the text form can spell a name without quoting. Names
// in other scripts are fine; only what the lexer would split is not.
func isName(s string) bool {
	if s == "" || s[0] >= '0' && s[0] <= '9' {
		return false
	}
	for i := range len(s) {
		if !lex.IsNameByte(s[i]) {
			return false
		}
	}
	return true
}

// nameModule gives overrides, variables and functions unique names.
func (p *printer) nameModule() {
	m := p.m
	if p.globals != nil {
		return
	}
	names := make([]string, 0, len(m.Overrides)+len(m.Globals)+len(m.Funcs))
	for _, o := range m.Overrides {
		names = append(names, o.Name)
	}
	for _, g := range m.Globals {
		names = append(names, g.Name)
	}
	for _, f := range m.Funcs {
		names = append(names, f.Name)
	}
	p.globals = unique(names, nil)
}

// ofAbstract reports whether a structure has abstract numbers: results of const-expressions,
// as of modf(1.25), which no instruction makes and the text has no word for.
func (m *Module) ofAbstract(t Type) bool {
	return slices.ContainsFunc(m.Members(t), func(x Member) bool { return m.ScalarOf(x.Type).IsAbstract() })
}

// nameStructs gives structures unique names, which are none that types have already.
func (p *printer) nameStructs() {
	if p.structs != nil {
		return
	}
	names := make([]string, len(p.m.structs))
	for i, s := range p.m.structs {
		names[i] = s.name
	}
	p.structs = unique(names, typeWords())
}

// name gives every local value and label of a function a unique name.
func (p *printer) name(f *Func) {
	p.nameModule()
	p.f = f
	hints := make([]string, len(f.values))
	copy(hints, f.names)
	order := make([]string, 0, len(hints))
	where := make([]Value, 0, len(hints))
	labels := make([]string, 0, 8)
	owners := make([]Inst, 0, 8)
	add := func(v Value) {
		order, where = append(order, hints[v]), append(where, v)
	}
	var walk func(b Block)
	walk = func(b Block) {
		for _, v := range f.Params(b) {
			add(v)
		}
		for i := f.First(b); i != 0; i = f.Next(i) {
			if !f.Op(i).Is(op.Control) {
				if r := f.Result(i); r != 0 {
					add(r)
				}
				continue
			}
			for _, r := range f.Results(i) {
				add(r)
			}
			labels, owners = append(labels, f.LabelName(i)), append(owners, i)
			for _, b := range f.Blocks(i) {
				walk(Block(b))
			}
		}
	}
	walk(f.Entry)
	p.names = make([]string, len(f.values))
	for n, name := range unique(order, nil) {
		p.names[where[n]] = name
	}
	p.labels = make([]string, len(f.insts))
	for n, name := range unique(labels, nil) {
		p.labels[owners[n]] = name
	}
}
