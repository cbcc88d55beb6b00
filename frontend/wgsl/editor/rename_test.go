package editor_test

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/spirv"
	"github.com/gpuc/gpuc/frontend/wgsl"
	"github.com/gpuc/gpuc/frontend/wgsl/editor"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

// apply makes edits, which are in order.
func apply(text string, edits []editor.Edit) string {
	var b strings.Builder
	end := 0
	for _, e := range edits {
		b.WriteString(text[end:e.Start] + e.Text)
		end = e.End
	}
	return b.String() + text[end:]
}

// nameless returns the SPIR-V of all kernels of a program without the instructions and strings that
// hold names.
func nameless(t *testing.T, name, text string) (all [][]byte) {
	t.Helper()
	var set source.Set
	var list diag.List
	file, err := set.Add(name, text)
	if err != nil {
		t.Fatal(err)
	}
	m := wgsl.Load(&set, file, wgsl.Options{}, &list)
	if m == nil {
		t.Fatalf("%s: %s\n%s", name, list.Items()[0].Message, text)
	}
	options := codegen.Options{}
	for i := range m.Overrides {
		if o := &m.Overrides[i]; o.Name != "" {
			options.Settings = append(options.Settings, codegen.Setting{Key: o.Name, Value: 4})
		}
	}
	for _, k := range m.Kernels() {
		a := codegen.Compile(m, k.Name, &spirv.Target, &options, &list)
		if a == nil {
			t.Fatalf("%s: %s", name, list.Items()[0].Message)
		}
		all = append(all, withoutNames(a.Code))
	}
	return all
}

// withoutNames removes OpName (5) and OpMemberName (6) from a module, and the literal from
// OpEntryPoint (15) (SPIR-V §3.52).
func withoutNames(code []byte) []byte {
	out := slices.Clone(code[:20])
	for at := 20; at < len(code); {
		word := binary.LittleEndian.Uint32(code[at:])
		end := at + 4*int(word>>16)
		switch word & 0xffff {
		case 5, 6:
		case 15:
			literal := code[at+12 : end]
			length := bytes.IndexByte(literal, 0)/4*4 + 4
			out = append(append(out, code[at+4:at+12]...), literal[length:]...)
		default:
			out = append(out, code[at:end]...)
		}
		at = end
	}
	return out
}

// TestRename gives every declaration of all exec kernels another name, one at a time, and compiles
// the result: but for names it is the same code. Declarations are found by the resolver of the
// tests.
func TestRename(t *testing.T) {
	names, texts := kernels(t)
	renames := 0
	for n, name := range names {
		if testing.Short() && n%8 != 0 && !strings.HasPrefix(name, "scopes") {
			continue
		}
		text := texts[name]
		before := nameless(t, name, text)
		d := editor.NewDocument(name, text)
		for _, id := range resolve(text) {
			if !slices.Equal(id.declared, []int{id.start}) {
				continue
			}
			edits, err := d.Rename(id.start, "renamed_é")
			if err != nil {
				t.Errorf("%s: %s: %v", name, id.text, err)
				continue
			}
			renamed := apply(text, edits)
			if strings.Count(renamed, "renamed_é") != len(edits) || len(edits) == 0 {
				t.Errorf("%s: %s: %d edits", name, id.text, len(edits))
			}
			if after := nameless(t, name, renamed); !slices.EqualFunc(before, after, bytes.Equal) {
				t.Errorf("%s: with another name for %s the code is another", name, id.text)
			}
			renames++
		}
	}
	t.Logf("%d renames", renames)
	if !testing.Short() && renames < 1900 {
		t.Errorf("%d renames: too few", renames)
	}
}

// TestRenameRefused tests the errors for renames that would change the meaning of the program.
func TestRenameRefused(t *testing.T) {
	for _, c := range []struct{ text, to, want string }{
		{"const ‸a = 1; fn f(b: u32) { let c = b + a; }", "b", "`a` cannot be called `b`: `b` in line 1 would mean something else"},
		{"const a = 1; fn f(‸b: u32) { let c = b + a; }", "a", "`b` cannot be called `a`: `a` in line 1 would mean something else"},
		{"const a = 1; const ‸b = 2;", "a", "`b` cannot be called `a`: line 1: `a` is declared twice in this scope"},
		{"fn ‸f() { let a = max(1, 2); }", "max", "`f` cannot be called `max`: line 1: `max` takes 0 arguments, found 2 arguments"},
		{"struct S { ‸a: u32, b: u32 }", "b", "`a` cannot be called `b`: line 1: the structure has two members `b`"},
		{"const ‸a = 1;", "fn", "`fn` is no name: it is a keyword"},
		{"const ‸a = 1;", "", "`` is no name: it is one word of letters, digits and underscores"},
		{"const ‸a = 1;", "__b", "`__b` is no name: the name `__b` begins with two underscores, which is not allowed"},
		{"const ‸a = 1;", "b c", "`b c` is no name: it is one word of letters, digits and underscores"},
		{"const ‸a = 1;", "b/**/", "`b/**/` is no name: it is one word of letters, digits and underscores"},
		{"fn f() { let a = ‸max(1, 2); }", "b", "`max` is declared by WGSL and cannot be renamed"},
		{"fn f() { let a = ‸zzz; }", "b", "`zzz` is not declared in this file"},
		{"fn f() { let a = vec2u().‸x; }", "b", "`x` is not declared in this file"},
		{"‸ fn f() { }", "b", "there is no name here that could be renamed"},
		{"const ‸a = 1;\nfn f() { let b = ; }", "c", "a.wgsl has to parse before anything is renamed, so that no use is missed: line 2: expected an expression, found `;`"},
		{"struct S { ‸a: u32 }\nfn f() { let b = zzz.a; }", "c", "what `a` means in line 2 is hidden by an error there; fix that first"},
	} {
		text, at := cut(t, c.text)
		d := editor.NewDocument("a.wgsl", text)
		edits, err := d.Rename(at, c.to)
		if err == nil {
			t.Errorf("%s: renamed to %q: %v, want %s", c.text, c.to, edits, c.want)
		} else if err.Error() != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.text, err, c.want)
		}
	}
	text, at := cut(t, "struct S { ‸a: u32 } fn f(s: S) { let b = s.a; let a = b; }")
	edits, err := editor.NewDocument("a.wgsl", text).Rename(at, "b")
	if got := apply(text, edits); err != nil || got != "struct S { b: u32 } fn f(s: S) { let b = s.b; let a = b; }" {
		t.Errorf("%v: %s", err, got)
	}
}

// cut returns a text without its mark, and the mark's offset.
func cut(t *testing.T, marked string) (text string, at int) {
	t.Helper()
	before, behind, found := strings.Cut(marked, "‸")
	if !found {
		t.Fatalf("no mark in %q", marked)
	}
	return before + behind, len(before)
}
