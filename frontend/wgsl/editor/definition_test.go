package editor_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/frontend/wgsl/editor"
)

// kernels returns the exec kernels by name, and one that hides names in all ways there are.
func kernels(t testing.TB) (names []string, texts map[string]string) {
	t.Helper()
	files, err := filepath.Glob("../../../testdata/exec/*.wgsl")
	if err != nil || len(files) < 100 {
		t.Fatal(len(files), err)
	}
	files = append(files, "testdata/scopes.wgsl")
	texts = map[string]string{}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		name = filepath.Base(name)
		names, texts[name] = append(names, name), string(text)
	}
	return names, texts
}

// TestDefinitions asks for the definition of every identifier of all exec kernels. It compares the
// answers with a resolver that shares nothing with the front end. That one derives WGSL's scopes
// (§5) from braces and semicolons and knows nothing of types, so that a member's name resolves to
// all members of that name.
func TestDefinitions(t *testing.T) {
	names, texts := kernels(t)
	identifiers, members, declared := 0, 0, 0
	for _, name := range names {
		text := texts[name]
		d := editor.NewDocument(name, text)
		for _, id := range resolve(text) {
			identifiers++
			got, ok := d.Definition(id.start)
			line := 1 + strings.Count(text[:id.start], "\n")
			switch {
			case !ok && len(id.declared) > 0:
				t.Errorf("%s:%d: %s is declared at %v, and no definition was found", name, line, id.text, id.declared)
			case ok && !slices.Contains(id.declared, got.Start):
				t.Errorf("%s:%d: the definition of %s was found at %d, and is at %v", name, line, id.text, got.Start, id.declared)
			case ok && text[got.Start:got.End] != id.text:
				t.Errorf("%s:%d: the definition of %s is %q", name, line, id.text, text[got.Start:got.End])
			}
			if behind, ok := d.Definition(id.start + len(id.text)); ok && behind != got {
				t.Errorf("%s:%d: behind %s the definition is another", name, line, id.text)
			}
			if id.member {
				members++
			}
			if ok {
				declared++
			}
		}
	}
	t.Logf("%d identifiers, %d of them members, %d declared in their file", identifiers, members, declared)
	if identifiers < 11000 || declared < 7000 {
		t.Errorf("%d identifiers, %d declared in their file: too few", identifiers, declared)
	}
}

// identifier is an identifier and the offsets where what it denotes may be declared: none, one or,
// for a member, several.
type identifier struct {
	text     string
	start    int
	declared []int
	member   bool
}

var lexical = regexp.MustCompile(`//[^\n]*|/\*|[\pL_][\pL\pN_]*|(?:0[xX][0-9a-fA-F.]+(?:[pP][+-]?[0-9]+)?|[0-9]+\.?[0-9]*(?:[eE][+-]?[0-9]+)?|\.[0-9]+(?:[eE][+-]?[0-9]+)?)[iufh]?|"[^"]*"|->|[-+*/%&|^<>=!]=|\S`)

// token is a token of the resolver's.
type token struct {
	text  string
	start int
}

func (k token) name() bool {
	return k.text[0] == '_' && len(k.text) > 1 || k.text[0] >= 'a' && k.text[0] <= 'z' || k.text[0] >= 'A' && k.text[0] <= 'Z'
}

func scan(text string) (tokens []token) {
	for at := 0; at < len(text); {
		found := lexical.FindStringIndex(text[at:])
		if found == nil {
			break
		}
		start, end := at+found[0], at+found[1]
		at = end
		switch word := text[start:end]; {
		case strings.HasPrefix(word, "//"):
		case word == "/*":
			for depth := 1; depth > 0; at++ {
				switch text[at : at+2] {
				case "/*":
					depth, at = depth+1, at+1
				case "*/":
					depth, at = depth-1, at+1
				}
			}
		default:
			tokens = append(tokens, token{word, start})
		}
	}
	return tokens
}

var keywords = strings.Fields("alias break case const const_assert continue continuing default diagnostic discard else enable false fn for if let loop override requires return struct switch true var while")

// block is a scope with its names; pending is what will be declared at the next semicolon.
type block struct {
	names map[string]int
	// header says that it began with a for, whose body ends it, too.
	header bool
}

// resolver resolves the identifiers of a program without errors.
type resolver struct {
	tokens   []token
	module   map[string]int   // offsets of declarations at module scope
	members  map[string][]int // offsets of the members of structures
	scopes   []block
	declared map[int]bool // tokens that are names in declarations
	// pending is the token that the current declaration declares, or -1. It is visible after the
	// declaration.
	pending        int
	parens, braces int
	inFunction     bool
	// skip ends an attribute or directive whose words are no identifiers, if it is not "".
	skip string
}

// resolve resolves the identifiers of a program without errors.
func resolve(text string) (ids []identifier) {
	r := &resolver{tokens: scan(text), module: map[string]int{}, members: map[string][]int{}, declared: map[int]bool{}, pending: -1}
	r.findModuleNames()
	for i, k := range r.tokens {
		if r.skip != "" {
			if k.text == r.skip {
				r.skip = ""
			}
			continue
		}
		switch k.text {
		case "enable", "requires", "diagnostic":
			if r.braces == 0 && r.at(i-1) != "@" {
				r.skip = ";"
				continue
			}
		}
		r.declare(i)
		r.nest(k.text)
		if !k.name() || slices.Contains(keywords, k.text) {
			continue
		}
		if r.at(i-1) == "@" {
			switch k.text {
			case "builtin", "interpolate", "diagnostic":
				r.skip = ")"
			}
			continue
		}
		ids = append(ids, r.identifier(i))
	}
	return ids
}

// at returns the text of a token, or "" outside.
func (r *resolver) at(i int) string {
	if i < 0 || i >= len(r.tokens) {
		return ""
	}
	return r.tokens[i].text
}

// name returns the index of the name that the keyword at i declares, after its template list.
func (r *resolver) name(i int) int {
	n := i + 1
	if r.at(n) == "<" {
		for r.at(n) != ">" {
			n++
		}
		n++
	}
	return n
}

// findModuleNames finds the declarations at module scope and the members of structures.
func (r *resolver) findModuleNames() {
	depth, structure := 0, false
	for i, k := range r.tokens {
		switch k.text {
		case "{":
			depth++
			structure = depth == 1 && r.at(i-2) == "struct"
		case "}":
			depth--
			structure = false
		case "fn", "struct", "alias", "var", "const", "override":
			if depth == 0 && r.at(i-1) != "@" {
				n := r.tokens[r.name(i)]
				r.module[n.text] = n.start
			}
		case ":":
			if structure && depth == 1 {
				r.members[r.at(i-1)] = append(r.members[r.at(i-1)], r.tokens[i-1].start)
			}
		}
	}
}

// declare notes which name the keyword at i declares, if it is one.
func (r *resolver) declare(i int) {
	switch r.tokens[i].text {
	case "fn":
		r.scopes = []block{{names: map[string]int{}}}
		r.inFunction = true
		r.declared[i+1] = true
	case "struct", "alias", "override":
		r.declared[i+1] = true
	case "var", "let", "const":
		n := r.name(i)
		r.declared[n] = true
		if r.inFunction {
			r.pending = n
		}
	}
}

// nest opens and closes scopes.
func (r *resolver) nest(text string) {
	switch text {
	case "for":
		r.scopes = append(r.scopes, block{names: map[string]int{}, header: true})
	case "(":
		r.parens++
	case ")":
		r.parens--
	case "{":
		r.braces++
		if r.inFunction {
			r.scopes = append(r.scopes, block{names: map[string]int{}})
		}
	case "}":
		r.braces--
		if !r.inFunction {
			return
		}
		r.scopes = r.scopes[:len(r.scopes)-1]
		for len(r.scopes) > 0 && r.scopes[len(r.scopes)-1].header {
			r.scopes = r.scopes[:len(r.scopes)-1]
		}
		if r.braces == 0 {
			r.inFunction, r.scopes = false, nil
		}
	case ";":
		if r.pending >= 0 {
			r.scopes[len(r.scopes)-1].names[r.tokens[r.pending].text] = r.tokens[r.pending].start
			r.pending = -1
		}
	}
}

// identifier resolves the identifier at i.
func (r *resolver) identifier(i int) identifier {
	k := r.tokens[i]
	id := identifier{text: k.text, start: k.start}
	switch {
	case r.declared[i]:
		id.declared = []int{k.start}
	case r.inFunction && r.braces == 0 && r.at(i+1) == ":" && r.parens == 1: // a parameter
		r.scopes[0].names[k.text] = k.start
		id.declared = []int{k.start}
	case !r.inFunction && r.braces == 1 && r.at(i+1) == ":":
		id.declared = []int{k.start}
	case r.at(i-1) == ".":
		id.declared, id.member = r.members[k.text], true
	default:
		id.declared = r.lookup(k.text)
	}
	return id
}

func (r *resolver) lookup(name string) []int {
	for i := len(r.scopes) - 1; i >= 0; i-- {
		if start, ok := r.scopes[i].names[name]; ok {
			return []int{start}
		}
	}
	if start, ok := r.module[name]; ok {
		return []int{start}
	}
	return nil
}
