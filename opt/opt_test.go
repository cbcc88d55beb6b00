package opt_test

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/gpuc/gpuc/internal/irtest"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt"
)

var update = flag.Bool("update", false, "write the results of passes to testdata")

func passNamed(t testing.TB, name string) opt.Pass {
	for _, p := range opt.Passes {
		if p.Name == name {
			return *p
		}
	}
	t.Fatalf("no pass is called %s", name)
	return opt.Pass{}
}

// TestReplaces expects a panic in the verifying mode from a pass that leaves an operation that it
// says it replaces. The message names both.
func TestReplaces(t *testing.T) {
	m := irtest.Parse(t, "kernel @main(%x: u32 [local_invocation_index]) [workgroup 1u, 1u, 1u] {\n  %y = add %x, %x : u32\n  return\n}\n")
	run := func(o op.Op) (said any) {
		defer func() { said = recover() }()
		c := &opt.Context{List: new(diag.List), Verify: true}
		c.Run(m.Clone(), []opt.Pass{{Name: "idle", Replaces: op.SetOf(o), Run: func(*opt.Context, *ir.Module) {}}}, 0)
		return nil
	}
	if said := run(op.Mul); said != nil {
		t.Error(said)
	}
	if said := run(op.Add); said != "after pass idle: add is there, which it replaces" {
		t.Error(said)
	}
}

// TestPasses holds each pass against testdata/opt/<pass>: the text of a module,
// and what the pass makes of it. Both are interpreted and must agree.
func TestPasses(t *testing.T) {
	for _, p := range opt.Passes {
		files, err := filepath.Glob("../testdata/opt/" + p.Name + "/*.txt")
		if err != nil || len(files) == 0 {
			t.Errorf("pass %s has no tests", p.Name)
		}
		for _, file := range files {
			t.Run(p.Name+"/"+strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
				_, texts := irtest.Sections(t, file)
				m := irtest.Parse(t, texts["in.ir"])
				before := m.Clone()
				c := &opt.Context{List: new(diag.List), Verify: true}
				switch strings.TrimSpace(texts["flags"]) {
				case "":
				case "strict":
					c.Math = opt.MathStrict
				case "unchecked":
					c.Bounds = opt.BoundsOff
				default:
					t.Fatalf("unknown flags %q", texts["flags"])
				}
				c.Run(m, []opt.Pass{passNamed(t, p.Name)}, p.Needs)
				if *update {
					irtest.WriteSection(t, file, "out.ir", m.Text())
				} else if diff := cmp.Diff(texts["out.ir"], m.Text()); diff != "" {
					t.Errorf("another result (-want +got):\n%s", diff)
				}
				compareRuns(t, before, m, 1)

				again := before.Clone()
				c.Run(again, []opt.Pass{passNamed(t, p.Name)}, p.Needs)
				if again.Text() != m.Text() {
					t.Error("a second run with the same context gives another result")
				}
			})
		}
	}
}

// TestEveryPassIsListed looks for passes in the source that are neither in Passes nor in a target's
// list, which nothing runs, and for folders of tests that are no pass's.
func TestEveryPassIsListed(t *testing.T) {
	sources := func(pattern string) (all string) {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("no files are called %s", pattern)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			all += string(text)
		}
		return all
	}
	own, targets := sources("*.go"), sources("../codegen/*/*.go")
	list := own[strings.Index(own, "var Passes = "):]
	list, _, _ = strings.Cut(list, "\n")
	found := 0
	for _, m := range regexp.MustCompile(`(?m)^var (\w+) = Pass\{`).FindAllStringSubmatch(own, -1) {
		found++
		if !strings.Contains(list, "&"+m[1]+",") && !strings.Contains(list, "&"+m[1]+"}") && !regexp.MustCompile(`\bopt\.`+m[1]+`\b`).MatchString(targets) {
			t.Errorf("pass %s is neither in Passes nor in a target's list", m[1])
		}
	}
	// the linker keeps what initialises a variable, in each program that runs any pass
	for _, held := range regexp.MustCompile(`(?m)^var .* = (?:\[\]Pass\{|\w+\().*`).FindAllString(own, -1) {
		t.Errorf("a variable holds copies of passes, which all programs link then; make it a function: %s", held)
	}
	if found < len(opt.Passes) {
		t.Errorf("found %d passes in the source, and %d are listed", found, len(opt.Passes))
	}
	folders, err := filepath.Glob("../testdata/opt/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range folders {
		if !slices.ContainsFunc(opt.Passes, func(p *opt.Pass) bool { return p.Name == filepath.Base(folder) }) {
			t.Errorf("%s has tests of no pass", folder)
		}
	}
}

// TestPipelines proves that every pass of a pipeline is listed and finds what it needs.
func TestPipelines(t *testing.T) {
	for name, pipeline := range map[string][]opt.Pass{"standard": opt.Standard(), "minimal": opt.Minimal()} {
		holds := ir.Initial
		for _, p := range pipeline {
			if missing := p.Needs &^ holds; missing != 0 {
				t.Errorf("%s: pass %s needs %s", name, p.Name, missing)
			}
			if !slices.ContainsFunc(opt.Passes, func(listed *opt.Pass) bool { return listed.Name == p.Name }) {
				t.Errorf("%s: pass %s is not in Passes, so no test runs it alone", name, p.Name)
			}
			holds = p.After(holds)
		}
		if name == "standard" && holds&ir.Promoted == 0 {
			t.Errorf("%s: variables may remain", name)
		}
	}
	for _, p := range opt.Passes {
		if p.Name == "" || p.Doc == "" || (p.Run == nil) == (p.Transform == nil) {
			t.Errorf("pass %q is not described", p.Name)
		}
	}
}
