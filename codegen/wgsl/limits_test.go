package wgsl_test

import (
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/ir/interp"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/jit"
)

const limitsHead = "@group(0) @binding(0) var<storage, read_write> o: array<u32>;\n"

// repeated writes a unit n times, in which § is the index.
func repeated(n int, unit string) string {
	var b strings.Builder
	for k := range n {
		b.WriteString(strings.ReplaceAll(unit, "§", fmt.Sprint(k)))
	}
	return b.String()
}

func inMain(body string) string {
	return "@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) id: u32) {\nlet i = o[id];\nvar v = 0u;\n" + body + "o[id] = v;\n}\n"
}

// limits are programs at the limits that WGSL promises (§2.4), or that readers have, and programs
// with filters of diagnostics. tint and naga say why these readers refuse the source, too.
var limits = []struct {
	name, text string
	depth      int // how deep braces may be nested in what is written
	tint, naga string
}{
	{"diagnostic directive", "diagnostic(off, subgroup_uniformity);\nenable subgroups;\n" + limitsHead + inMain("if i > 3 { v = subgroupAdd(i); }\n"), 2, "", "subgroups"},
	{"diagnostic attribute of a function", "enable subgroups;\n" + limitsHead + "@diagnostic(off, subgroup_uniformity) " + inMain("if i > 3 { v = subgroupAdd(i); }\n"), 2, "", "subgroups"},
	{"diagnostic attribute of a statement", "enable subgroups;\n" + limitsHead + inMain("@diagnostic(off, subgroup_uniformity) if i > 3 { v = subgroupAdd(i); }\n"), 2, "", "subgroups"},
	{"diagnostic attribute of a called function", "enable subgroups;\n" + limitsHead + "@diagnostic(off, subgroup_uniformity) fn f(i: u32) -> u32 { if i > 3 { return subgroupAdd(i); } return 1; }\n" + inMain("v = f(i);\n"), 3, "", "subgroups"},
	{"diagnostic of a severity", "diagnostic(info, subgroup_uniformity);\nenable subgroups;\n" + limitsHead + inMain("if i > 3 { v = quadBroadcast(i, 1); }\n"), 2, "", "subgroups"},
	{"else-ifs", limitsHead + inMain("if i == 5000 {}\n"+repeated(100, "else if i == § { v += § * 7; }\n")), 3, "", ""},
	{"else-ifs that call", limitsHead + "fn f(x: u32) -> u32 { return x * x; }\n" + inMain("if i == 5000 {}\n"+repeated(100, "else if f(i) == § { v += § * 7; }\n")), 4, "", ""},
	{"else-ifs of two results", limitsHead + inMain("var w = 1u;\nif i == 5000 {}\n"+repeated(100, "else if i == § { v += § * 7; w *= § + 2; }\n")+"v += w;\n"), 3, "", ""},
	{"else-ifs that return", limitsHead + inMain("if i == 5000 {}\n"+repeated(100, "else if i == § { o[id] = §; return; }\n")), 3, "", ""},
	{"else-ifs in a loop", limitsHead + inMain("for (var k = 0u; k < i % 128; k++) {\nif k == 5000 {}\n"+repeated(100, "else if k == § { v += § * 7; }\n")+"}\n"), 5, "", ""},
	{"more else-ifs than Tint reads", limitsHead + inMain("if i == 5000 {}\n"+repeated(1000, "else if i == § { v += § * 7; }\n")), 3, "", ""},
	{"a function that is else-ifs", limitsHead + "fn f(i: u32) -> u32 { if i == 5000 { return 1; }\n" + repeated(300, "else if i == § { return § * 3; }\n") + "else { return 7; } }\n" +
		inMain("v = f(i);\n"), 5, "", ""},
	{"many else-ifs in a loop", limitsHead + inMain("for (var k = 0u; k < i % 300; k++) {\nif k == 5000 {}\n"+repeated(290, "else if k == § { if i == § + 3 { continue; } if i == § * 2 { break; } v += § * 7; }\n")+"v ^= k; }\n"), 7, "", ""},
	{"many else-ifs that call and return", limitsHead + "fn f(x: u32) -> u32 { o[x % 64 + 64] = 3; return x * x; }\n" +
		inMain("if i == 5000 {}\n"+repeated(300, "else if f(i) == § { o[id] = §; return; }\n")+"else { v = 3; }\n"), 4, "", ""},
	{"nested ifs", limitsHead + inMain(repeated(55, "if i > § { v++;\n")+strings.Repeat("}", 55)), 57, "", ""},
	{"nested loops", limitsHead + inMain(repeated(20, "for (var k§ = 0u; k§ < min(i, 1); k§++) { v++;\n")+strings.Repeat("}", 20)), 42, "", ""},
	{"nested expressions", limitsHead + inMain("v = "+strings.Repeat("(i + ", 110)+"1"+strings.Repeat(")", 110)+";\n"), 1, "", ""},
	{"nested calls", limitsHead + inMain("v = "+strings.Repeat("min(77, ", 110)+"i"+strings.Repeat(")", 110)+";\n"), 1, "", ""},
	{"conditions behind &&, in parentheses", limitsHead + inMain("if o[id] < 9999"+repeated(99, " && (o[id + §] != § + 2")+strings.Repeat(")", 99)+" { v = 3; }\n"), 2, "", ""},
	{"conditions behind ||, in parentheses", limitsHead + inMain("if o[id] > 9999"+repeated(99, " || (o[id + §] == § * 7 || i == §")+strings.Repeat(")", 99)+" { v = 3; }\n"), 2, "", ""},
	{"a long sum", limitsHead + inMain("v = i"+repeated(3000, " + i * §")+";\n"), 1, "a chain of 512 operators is its most", ""},
	{"nested arrays", limitsHead + "var<private> p: " + strings.Repeat("array<", 15) + "u32" + strings.Repeat(", 2>", 15) + ";\n" + inMain("p"+strings.Repeat("[i]", 15)+" = 3;\nv = p"+strings.Repeat("[v]", 15)+";\n"), 1, "", ""},
	{"members of a structure", limitsHead + "struct S { " + repeated(1023, "m§: u32,\n") + "}\nvar<private> p: S;\n" + inMain("p.m1022 = i;\nv = p.m1022 + p.m7;\n"), 1, "", ""},
	{"parameters of a function", limitsHead + "fn f(" + repeated(255, "p§: u32, ") + ") -> u32 { return p0 + p254; }\n" + inMain("v = f("+repeated(255, "o[§], ")+");\n"), 1, "", ""},
	{"selectors of a case", limitsHead + inMain("switch i { case "+repeated(1023, "§, ")+": { v = 3; } default: { v = i; } }\n"), 3, "", ""},
	{"cases of a switch", limitsHead + inMain("switch i { "+repeated(1023, "case §: { v = § ^ 7; }\n")+"default: { v = i; } }\n"), 3, "", ""},
	{"the largest numbers", limitsHead + inMain("var a = 0x1.fffffep+127f;\nvar b = -a;\nfor (var k = 0u; k < 4; k++) { a = min(a, f32(i + k)); b = max(b, f32(i * k)); }\nv = u32(a) + u32(b);\n"), 3, "", ""},
	{"elements of a constant", limitsHead + "const c = array<u32, 2047>(" + repeated(2047, "§ ^ 5, ") + ");\n" + inMain("v = c[i];\n"), 1, "", ""},
	{"variables of the most bytes", limitsHead + "var<private> p: array<u32, 2048>;\nvar<workgroup> w: array<u32, 4096>;\n" +
		inMain("var f: array<u32, 2048>;\np[i] = 1;\nw[i] = 2;\nf[i] = 3;\nv = p[v] + w[v] + f[v];\n"), 1, "", ""},
}

// braces returns how deep braces are nested in a text.
func braces(text []byte) (deepest int) {
	depth := 0
	for _, c := range text {
		switch c {
		case '{':
			depth++
			deepest = max(deepest, depth)
		case '}':
			depth--
		}
	}
	return deepest
}

// interpreted runs a program without passes, on values some of which are large.
func interpreted(t *testing.T, program *jit.Program) []uint32 {
	t.Helper()
	m := program.Module()
	p, err := interp.Compile(m, m.Kernels()[0])
	if err != nil {
		t.Fatal(err)
	}
	const count = 1280
	data := make([]byte, 4*count)
	for n := range uint32(count) {
		binary.LittleEndian.PutUint32(data[4*n:], n*n%1021)
	}
	if items, err := p.Run(&interp.Launch{Buffers: [][]byte{data}, Grid: [3]uint32{1, 1, 1}, Workers: 1}); err != nil || len(items) > 0 {
		t.Fatal(err, items)
	}
	out := make([]uint32, 64)
	for n := range out {
		out[n] = binary.LittleEndian.Uint32(data[4*n:])
	}
	return out
}

// TestLimits writes programs at the limits that WGSL guarantees, with and without passes. gpuc, and
// the readers that the environment names, accept the code, and it has the results of the source.
func TestLimits(t *testing.T) {
	folder := t.TempDir()
	in, out := filepath.Join(folder, "written.wgsl"), filepath.Join(folder, "read")
	for _, l := range limits {
		for _, options := range []codegen.Options{{}, {NoOptimize: true}} {
			p, err := jit.Parse("source.wgsl", l.text, options)
			if err != nil {
				t.Fatalf("%s: %v", l.name, err)
			}
			a, err := p.Compile(abi.WGSL, "main")
			if err != nil {
				t.Errorf("%s: %v", l.name, err)
				continue
			}
			if w, err := jit.Parse("written.wgsl", string(a.Code), codegen.Options{}); err != nil {
				t.Errorf("%s, without passes: %v: gpuc refuses what it has written: %v", l.name, options.NoOptimize, err)
			} else if want, got := interpreted(t, p), interpreted(t, w); !slices.Equal(got, want) {
				t.Errorf("%s, without passes: %v: what is written leaves %v, the source %v", l.name, options.NoOptimize, got, want)
			}
			if depth := braces(a.Code); depth > l.depth {
				t.Errorf("%s, without passes: %v: braces are nested %d deep, want %d", l.name, options.NoOptimize, depth, l.depth)
			}
			for _, r := range readers {
				lacks := map[string]string{"GPUC_TINT": l.tint, "GPUC_NAGA": l.naga}[r.variable]
				program := os.Getenv(r.variable)
				if program == "" || lacks != "" {
					continue
				}
				if err := os.WriteFile(in, a.Code, 0o666); err != nil {
					t.Fatal(err)
				}
				if message, err := exec.Command(program, r.arguments(in, out)...).CombinedOutput(); err != nil {
					t.Errorf("%s, without passes: %v: %s: %v\n%.1000s", l.name, options.NoOptimize, r.variable, err, message)
				}
			}
		}
	}
}
