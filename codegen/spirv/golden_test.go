package spirv

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/opt"
)

var update = flag.Bool("update", false, "rewrite the golden files")

const goldenDirectory = "../../golden/spirv"

// TestGolden compares the assembly of the kernels in testdata with the golden
// files, which show what changes when the emitter does.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.ir")
	if err != nil || len(files) == 0 {
		t.Fatalf("no modules: %v", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".ir")
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			code := compileText(t, string(text), false)
			got, err := assemble(code)
			if err != nil {
				t.Fatal(err)
			}
			golden := filepath.Join(goldenDirectory, name+".spvasm")
			if *update {
				if err := os.MkdirAll(goldenDirectory, 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(want), got); d != "" {
				t.Errorf("the assembly changed (-update accepts it; -want +got):\n%s", d)
			}
			if again := compileText(t, string(text), false); string(again) != string(code) {
				t.Error("a second compilation gives other bytes")
			}
			validate(t, code)
			validate(t, compileText(t, string(text), true)) // with lines and names
		})
	}
}

// TestAssembly holds our assembly against the assembler of SPIRV-Tools: what it
// makes of the text disassembles to the same text.
func TestAssembly(t *testing.T) {
	assembler, err := exec.LookPath("spirv-as")
	if err != nil {
		t.Skip("skipped: spirv-as is not installed (Debian: spirv-tools)")
	}
	files, err := filepath.Glob(goldenDirectory + "/*.spvasm")
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			binary := filepath.Join(t.TempDir(), "module.spv")
			out, err := exec.Command(assembler, "--target-env", "spv1.3", "--preserve-numeric-ids", file, "-o", binary).CombinedOutput()
			if err != nil {
				t.Fatalf("spirv-as: %v\n%s", err, out)
			}
			code, err := os.ReadFile(binary)
			if err != nil {
				t.Fatal(err)
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got, err := assemble(code)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(shape(string(want)), shape(got)); d != "" {
				t.Errorf("the assembled module disassembles differently (-want +got):\n%s", d)
			}
		})
	}
}

// shape returns text without the ids, whose numbers the assembler chooses.
func shape(text string) string {
	lines := strings.Split(text, "\n")
	for n, line := range lines {
		words := strings.Split(line, " ")
		for k, word := range words {
			if strings.HasPrefix(word, "%") {
				words[k] = "%"
			}
		}
		lines[n] = strings.Join(words, " ")
	}
	return strings.Join(lines[1:], "\n") // the first line has the bound of ids
}

func TestAssembleRefusesOtherBytes(t *testing.T) {
	for _, code := range []string{"", "abc", "\x03\x02\x23\x07", strings.Repeat("\x00", 40)} {
		if text, err := assemble([]byte(code)); err == nil {
			t.Errorf("%q assembles to %q", code, text)
		}
	}
}

// FuzzAssemble feeds the disassembler anything: `gpuc build -S` only shows our
// own modules, but a tool that reads files must not panic.
func FuzzAssemble(f *testing.F) {
	f.Add([]byte("\x03\x02\x23\x07\x00\x03\x01\x00\x00\x00\x00\x00\x09\x00\x00\x00\x00\x00\x00\x00\x11\x00\x02\x00\x01\x00\x00\x00"))
	// a merge without operands
	f.Add([]byte("\x03\x02\x23\x07\x00\x03\x01\x00\x00\x00\x00\x00\x09\x00\x00\x00\x00\x00\x00\x00\xf7\x00\x01\x00"))
	f.Fuzz(func(_ *testing.T, code []byte) { assemble(code) })
}

// TestWholePipeline compiles the same kernels as `gpuc build` does, with the
// passes' promises checked around each.
func TestWholePipeline(t *testing.T) {
	files, err := filepath.Glob("testdata/*.ir")
	if err != nil || len(files) == 0 {
		t.Fatalf("no modules: %v", err)
	}
	for _, file := range files {
		for _, options := range []codegen.Options{{}, {NoOptimize: true}, {Bounds: opt.BoundsTrap}} {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			m, _, items := ir.ParseString(string(text))
			if m == nil {
				t.Fatalf("%s does not parse: %+v", file, items)
			}
			var list diag.List
			options.Lines, options.Context = true, &opt.Context{Verify: true}
			artefact := codegen.Compile(m, "", &Target, &options, &list)
			if artefact == nil {
				t.Errorf("%s: %+v", file, list.Items())
				continue
			}
			validate(t, artefact.Code)
		}
	}
}
