package uniform_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/frontend/wgsl/check"
	"github.com/gpuc/gpuc/frontend/wgsl/sem"
	"github.com/gpuc/gpuc/frontend/wgsl/syntax"
	"github.com/gpuc/gpuc/frontend/wgsl/uniform"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

// This file bounds the memory of the uniformity analysis by the length of the text, for programs
// with many variables and many joins of control flow.

// copies repeats a text, replacing # by the number of the copy.
func copies(text string, count int) string {
	var b strings.Builder
	for i := range count {
		b.WriteString(strings.ReplaceAll(text, "#", fmt.Sprint(i)))
	}
	return b.String()
}

// TestUniformityMemory checks programs whose variables times joins are a few millions, and counts
// the bytes of the analysis. Few joins assign each variable, so that each may cost a few nodes and
// no more.
func TestUniformityMemory(t *testing.T) {
	const many = 2000
	variables, assignments := copies("var v#=0;", many), copies("v#=1;", many)
	programs := []struct{ name, body string }{
		{"loops", variables + copies("loop{break;}", many)},
		{"loops with values from before", variables + "loop{" + assignments + "break;}" + copies("loop{break;}", many)},
		{"loops that assign one each", variables + copies("loop{v#=1;if c{break;}}", many)},
		{"for and while", variables + copies("for(var i=0;i<2;i++){}while c{v#++;}", many)},
		{"switches", variables + copies("switch 0{default{}}", many)},
		{"clauses", variables + "switch 0{default{}" + copies("case #+1{v#=1;}", many) + "}"},
		{"breaks", variables + "loop{" + assignments + copies("if c{break;}", many) + "break;}"},
		{"continues", "loop{" + variables + copies("if c{continue;}", many) + assignments + "break;continuing{v0=1;}}"},
		{"ifs", variables + copies("if c{}", many)},
		{"ifs that assign one each", variables + copies("if c{v#=1;}", many)},
		{"else clauses", variables + "if c{}" + copies("else if c{}", many) + "else{" + assignments + "}"},
		{"nested ifs", variables + strings.Repeat("if c{", 400) + assignments + strings.Repeat("}", 400)},
		{"calls", variables + copies("loop{f(&v#);if c{break;}}", many)},
	}
	for _, p := range programs {
		t.Run(p.name, func(t *testing.T) {
			text := "fn f(p:ptr<function,i32>){*p=1;}\n" +
				"@compute @workgroup_size(1) fn main(@builtin(workgroup_id) id:vec3u){let c=id.x>1;workgroupBarrier();" + p.body + "}"
			set, list := &source.Set{}, &diag.List{}
			file, err := set.Add("many.wgsl", text)
			if err != nil {
				t.Fatal(err)
			}
			info := new(check.Checker).Check(syntax.NewParser(sem.Vocabulary()).Parse(file, list), ir.NewModule(set), check.Options{}, list)
			if list.Errors() > 0 {
				t.Fatal(list.Items()[0].Message)
			}
			analyzer := &uniform.Analyzer{}
			analyzer.Analyze(info, list)
			bytes, nodes := analyzer.Memory()
			if nodes < 5 {
				t.Fatal("the program was not analysed")
			}
			// a node with its edges is some forty bytes, and so is the text that asks for a few
			if most := 20 * len(text); bytes > most {
				t.Errorf("the analysis of %d bytes of text holds %d, more than %d: %d nodes", len(text), bytes, most, nodes)
			}
			t.Logf("%d bytes for each of text", bytes/len(text))
		})
	}
}
