package all_test

import (
	"fmt"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/spirv"
	"github.com/gpuc/gpuc/frontend"
	"github.com/gpuc/gpuc/internal/peak"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
	"github.com/gpuc/gpuc/opt"
)

// This file bounds the heap of a compilation from text to SPIR-V.

// heapBound is the greatest size of the heap for a source of some bytes.
func heapBound(source int) uint64 { return 8<<20 + 100*uint64(source) }

// mixed joins renamed copies of programs up to a number of lines. All declarations at module scope
// are renamed. Directives come first.
func mixed(texts []string, lines int) string {
	declared := regexp.MustCompile(`(?m)^(?:@[^\n]*?\s)?(?:fn|struct|const|override|alias|var(?:<[^>]*>)?)\s+([A-Za-z_]\w*)|^fn\s+([A-Za-z_]\w*)`)
	word := regexp.MustCompile(`\.?\b[A-Za-z_]\w*`)
	swizzle := regexp.MustCompile(`^\.([xyzw]{1,4}|[rgba]{1,4})$`)
	directives, body := map[string]bool{}, new(strings.Builder)
	for count, n := 0, 0; count < lines; n++ {
		names := map[string]bool{}
		text := texts[n%len(texts)]
		for _, match := range declared.FindAllStringSubmatch(text, -1) {
			names[match[1]+match[2]] = true
		}
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, "enable ") || strings.HasPrefix(line, "requires ") || strings.HasPrefix(line, "diagnostic(") {
				directives[line] = true
				continue
			}
			count++
			body.WriteString(word.ReplaceAllStringFunc(line, func(w string) string {
				if names[strings.TrimPrefix(w, ".")] && !swizzle.MatchString(w) {
					return fmt.Sprintf("%s_%d", w, n)
				}
				return w
			}))
		}
	}
	head := ""
	for line := range directives {
		head += line
	}
	return head + body.String()
}

const kernelHead = `@group(0) @binding(0) var<storage, read_write> o: array<f32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
  var a = array<f32, 64>();
  var x = f32(id.x);
  var n = id.x;
`

// repeatedLines makes one kernel of 4,000 lines of copies of some; %d is the index of the copy.
func repeatedLines(lines string) string {
	var b strings.Builder
	b.WriteString(kernelHead)
	for n := range 4000 / strings.Count(lines, "\n") {
		b.WriteString(strings.ReplaceAll(lines, "%d", fmt.Sprint(n)))
	}
	return b.String() + "  o[id.x] = x + a[0] + f32(n);\n}\n"
}

// inlined is a kernel whose code is many times as large as its source.
func inlined() string {
	text := "fn f(x: f32) -> f32 {\n  var s = x;\n"
	for n := range 12 {
		text += fmt.Sprintf("  if s > %d.0 { s = s * 0.5 + sin(s); } else { s = s - %d.25; }\n", n, n)
	}
	text += "  return s;\n}\nfn g(x: f32) -> f32 { return f(x) + f(x * 2.0) + f(x * 3.0) + f(x * 4.0) + f(x * 5.0) + f(x * 6.0); }\n" + kernelHead
	for range 20 {
		text += "  x = g(x);\n"
	}
	return text + "  o[id.x] = x;\n}\n"
}

// compileKernels compiles a program like the command: one kernel after the other with one context.
func compileKernels(t *testing.T, name, text string) {
	var set source.Set
	var list diag.List
	var context opt.Context
	file, err := set.Add(name, text)
	if err != nil {
		t.Fatal(err)
	}
	m, err := frontend.Load(&set, file, frontend.Options{}, &list)
	if err != nil || m == nil {
		t.Fatal(name, err, list.Items())
	}
	o := codegen.Options{Lines: true, Context: &context, Settings: settingsOf(m)}
	for _, k := range m.Kernels() {
		codegen.Compile(m, k.Name, &spirv.Target, &o, &list)
	}
	for _, d := range list.Items() {
		if d.Code != diag.TargetUnsupported {
			t.Fatal(name, d.Message)
		}
	}
}

// TestPeakHeap bounds the heap of one compilation. The collector runs often, so that the heap is
// close to the live objects, and does not depend on the load of the machine.
func TestPeakHeap(t *testing.T) {
	testmode.Long(t)
	defer debug.SetGCPercent(debug.SetGCPercent(10))
	names := execKernels(t)
	var texts []string
	for n, path := range names {
		texts = append(texts, textOfFile(t, path))
		names[n] = filepath.Base(path)
	}
	large := map[string]string{
		"mixed kernels":   mixed(texts, 4000),
		"loops, branches": repeatedLines("  for (var i = 0u; i < %du; i++) {\n    a[(n + i) % 64u] = x * %d.5 + a[i % 64u];\n    x = x + a[(i * 7u) % 64u];\n  }\n  if x > %d.25 {\n    x = x - o[(n * 3u) % 1024u];\n  } else {\n    n = n + %du;\n  }\n"),
		"variables":       repeatedLines("  var v%d = o[%du] * %d.5; v%d += x; o[%du] = v%d / 3.0; x += v%d;\n"),
		"arithmetic":      repeatedLines("  x=x*%d.5+x/(x-%d.25);\n"),
		"inlined calls":   inlined(),
	}
	for name, text := range large {
		names, texts = append(names, name), append(texts, text)
	}
	for n, name := range names {
		bound := heapBound(len(texts[n]))
		heap := peak.Within(bound, func() { compileKernels(t, "a.wgsl", texts[n]) })
		if large[name] != "" {
			t.Logf("%s: %d bytes of source, %.1f MB of heap, %.0f %% of the bound", name, len(texts[n]), float64(heap)/1e6, 100*float64(heap)/float64(bound))
		}
		if heap > bound {
			t.Errorf("%s: %d bytes of source take %d bytes of heap; the bound is %d", name, len(texts[n]), heap, bound)
		}
	}
}
