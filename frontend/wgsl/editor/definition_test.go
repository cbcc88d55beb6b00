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

// resolve resolves the identifiers of a program that is right.
func resolve(text string) (ids []identifier) {
	tokens := scan(text)
	at := func(i int) string {
		if i < 0 || i >= len(tokens) {
			return ""
		}
		return tokens[i].text
	}
	module, members := map[string]int{}, map[string][]int{}
	// declares returns the index of the name that a declaration's keyword declares.
	declares := func(i int) int {
		n := i + 1
		if at(n) == "<" {
			for at(n) != ">" {
				n++
			}
			n++
		}
		return n
	}
	depth, structure := 0, false
	for i, k := range tokens {
		switch k.text {
		case "{":
			depth++
			structure = depth == 1 && at(i-2) == "struct"
		case "}":
			depth--
			structure = false
		case "fn", "struct", "alias", "var", "const", "override":
			if depth == 0 && at(i-1) != "@" {
				n := tokens[declares(i)]
				module[n.text] = n.start
			}
		case ":":
			if structure && depth == 1 {
				members[at(i-1)] = append(members[at(i-1)], tokens[i-1].start)
			}
		}
	}
	var scopes []block
	lookup := func(name string) []int {
		for i := len(scopes) - 1; i >= 0; i-- {
			if start, ok := scopes[i].names[name]; ok {
				return []int{start}
			}
		}
		if start, ok := module[name]; ok {
			return []int{start}
		}
		return nil
	}
	parens, braces := 0, 0
	pending := -1 // the token that the declaration being read declares
	inFunction, skip := false, ""
	declared := map[int]bool{} // tokens that are names in declarations
	for i, k := range tokens {
		if skip != "" { // an attribute or directive whose words are no identifiers
			if k.text == skip {
				skip = ""
			}
			continue
		}
		switch k.text {
		case "enable", "requires", "diagnostic":
			if braces == 0 && at(i-1) != "@" {
				skip = ";"
				continue
			}
		case "fn":
			scopes = []block{{names: map[string]int{}}}
			inFunction = true
			declared[i+1] = true
		case "struct", "alias", "override":
			declared[i+1] = true
		case "var", "let", "const":
			n := declares(i)
			declared[n] = true
			if inFunction {
				pending = n
			}
		case "for":
			scopes = append(scopes, block{names: map[string]int{}, header: true})
		case "(":
			parens++
		case ")":
			parens--
		case "{":
			braces++
			if inFunction {
				scopes = append(scopes, block{names: map[string]int{}})
			}
		case "}":
			braces--
			if inFunction {
				scopes = scopes[:len(scopes)-1]
				for len(scopes) > 0 && scopes[len(scopes)-1].header {
					scopes = scopes[:len(scopes)-1]
				}
				if braces == 0 {
					inFunction, scopes = false, nil
				}
			}
		case ";":
			if pending >= 0 {
				scopes[len(scopes)-1].names[tokens[pending].text] = tokens[pending].start
				pending = -1
			}
		}
		if !k.name() || slices.Contains(keywords, k.text) {
			continue
		}
		if at(i-1) == "@" {
			switch k.text {
			case "builtin", "interpolate", "diagnostic":
				skip = ")"
			}
			continue
		}
		id := identifier{text: k.text, start: k.start}
		switch {
		case declared[i]:
			id.declared = []int{k.start}
		case inFunction && braces == 0 && at(i+1) == ":" && parens == 1: // a parameter
			scopes[0].names[k.text] = k.start
			id.declared = []int{k.start}
		case !inFunction && braces == 1 && at(i+1) == ":":
			id.declared = []int{k.start}
		case at(i-1) == ".":
			id.declared, id.member = members[k.text], true
		default:
			id.declared = lookup(k.text)
		}
		ids = append(ids, id)
	}
	return ids
}
