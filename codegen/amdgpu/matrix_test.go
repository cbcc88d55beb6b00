package amdgpu_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/amdgpu"
	bench "github.com/gpuc/gpuc/internal/emulate/amdgpu"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt"
)

// matrixTypes are the types of the letters of an intrinsic.
var matrixTypes = map[byte]string{'u': "u32", 'f': "f32", 'd': "f64"}

// matrixKernel returns a kernel that has an intrinsic. Its operands are elements of a buffer in
// order, and constants are 3.
func matrixKernel(id op.IntrinsicID) string {
	var head, body strings.Builder
	declared := map[byte]bool{}
	access := func(letter byte, n int) string {
		t := matrixTypes[letter]
		if !declared[letter] {
			declared[letter] = true
			fmt.Fprintf(&head, "var @%s : ptr<storage, array<%s>, read_write> [group 0, binding %d]\n", t, t, len(declared)-1)
		}
		p := fmt.Sprintf("%%p%d", n)
		fmt.Fprintf(&body, "  %%n%d = add %%i, %du : u32\n  %s = access @%s, %%n%d : ptr<storage, %s, read_write>\n", n, 64*n, p, t, n, t)
		return p
	}
	row := id.Info()
	var operands []string
	for n := range len(row.Operands) {
		if row.Operands[n] == 'c' {
			operands = append(operands, "3u")
			continue
		}
		p := access(row.Operands[n], n)
		fmt.Fprintf(&body, "  %%x%d = load %s : %s\n", n, p, matrixTypes[row.Operands[n]])
		operands = append(operands, fmt.Sprintf("%%x%d", n))
	}
	count, t := len(row.Results), matrixTypes[row.Results[0]]
	result := fmt.Sprintf("vec%d<%s>", count, t)
	if count > 4 {
		result = fmt.Sprintf("array<%s, %du>", t, count)
	}
	fmt.Fprintf(&body, "  %%r = intrinsic %s [%s] : %s\n", strings.Join(operands, ", "), id, result)
	for n := range count {
		p := access(row.Results[0], len(row.Operands)+n)
		fmt.Fprintf(&body, "  %%e%d = extract %%r, %du : %s\n  store %s, %%e%d\n", n, n, t, p, n)
	}
	return head.String() + "\nkernel @product(%i: u32 [local_invocation_index]) [workgroup 64u, 1u, 1u] {\n" + body.String() + "  return\n}\n"
}

// compileMatrix compiles the kernel of an intrinsic, or returns nil and the first diagnostic.
func compileMatrix(t *testing.T, id op.IntrinsicID, target *codegen.Target, profile string, o codegen.Options) (*bench.Program, string) {
	t.Helper()
	text := matrixKernel(id)
	m, _, items := ir.ParseString(text)
	if m == nil {
		t.Fatalf("does not parse: %v\n%s", items, text)
	}
	var list diag.List
	if ir.Verify(m, &list); list.Errors() > 0 {
		t.Fatalf("does not verify: %v\n%s", list.Items(), text)
	}
	target, err := target.With(profile)
	if err != nil {
		t.Fatal(err)
	}
	o.Context = &opt.Context{Verify: true}
	a := codegen.Compile(m, "", target, &o, &list)
	if a == nil {
		return nil, list.Items()[0].Message
	}
	return &bench.Program{Code: a.Code, Kernel: &a.Kernel}, ""
}

// intrinsicText finds an instruction's mnemonic in the text about an intrinsic.
var intrinsicText = regexp.MustCompile(`^v_\w+`)

// matrixText matches the instruction of a product, with registers as operands.
var matrixText = regexp.MustCompile(`(v_(?:mfma|wmma)_\w+) ([av][\[\d:\]]+), (v[\[\d:\]]+), (v[\[\d:\]]+), ([av][\[\d:\]]+)(.*)`)

// disassembledMatrix returns the match of the instruction of an intrinsic in the disassembly of a
// code object, or nil after an error.
func disassembledMatrix(t *testing.T, id op.IntrinsicID, processor string, object []byte) []string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "kernel.hsaco")
	if err := os.WriteFile(file, object, 0o600); err != nil {
		t.Fatal(err)
	}
	text, err := exec.Command("llvm-objdump-19", "-d", "--mcpu="+processor, file).Output()
	if err != nil {
		t.Fatal(err)
	}
	row := id.Info()
	// names of gfx90a have fewer
	letters := func(s string) string { return strings.ReplaceAll(s, "_", "") }
	found := matrixText.FindStringSubmatch(string(text))
	if found == nil || !strings.HasPrefix(letters(found[1]), letters(intrinsicText.FindString(row.Doc))) {
		t.Errorf("%s for %s: there is no %s", id, processor, row.Doc)
		return nil
	}
	if signed := row.Operands[0] == 'c'; signed != strings.Contains(found[6], "neg_lo:[1,1,0]") {
		t.Errorf("%s for %s: the signs are missing: %s", id, processor, found[0])
	}
	return found
}

// registersOf returns how many registers an operand has.
func registersOf(t *testing.T, text string) int {
	t.Helper()
	from, to, wide := strings.Cut(strings.Trim(text[1:], "[]"), ":")
	if !wide {
		return 1
	}
	a, err := strconv.Atoi(from)
	if err != nil {
		t.Fatal(err)
	}
	b, err := strconv.Atoi(to)
	if err != nil {
		t.Fatal(err)
	}
	return b - a + 1
}

// TestMatrixIntrinsics compiles each intrinsic for each processor. LLVM makes the instruction that
// the table names, with as many registers as words. Processors without it refuse it.
func TestMatrixIntrinsics(t *testing.T) {
	if missing := bench.MissingTools(); missing != "" {
		t.Skip("skipped: there is no " + missing)
	}
	made := map[op.IntrinsicID]int{}
	for n := range amdgpu.Target.Profiles {
		name := amdgpu.Target.Profiles[n].Name
		for id := range op.IntrinsicCount {
			if id.Owner() != op.OfAMD {
				continue
			}
			p, message := compileMatrix(t, id, &amdgpu.Target, name, codegen.Options{})
			if p == nil {
				if !strings.Contains(message, "the processor does not have it") {
					t.Errorf("%s for %s: %s", id, name, message)
				}
				continue
			}
			made[id]++
			assembled, err := bench.Assemble(name, []bench.Program{*p})
			if err != nil {
				t.Errorf("%s for %s: %v", id, name, err)
				continue
			}
			row := id.Info()
			found := disassembledMatrix(t, id, name, assembled.Data)
			if found == nil {
				continue
			}
			letters, size := strings.TrimPrefix(row.Operands, "c"), 1
			if letters[0] == 'd' {
				size = 2
			}
			sums := size * len(row.Results)
			words := (size*len(letters) - sums) / 2
			for k, want := range []int{sums, words, words, sums} {
				if got := registersOf(t, found[2+k]); got != want {
					t.Errorf("%s for %s: operand %d has %d registers, not %d: %s", id, name, k, got, want, found[0])
				}
			}
		}
	}
	for id := range op.IntrinsicCount {
		if id.Owner() == op.OfAMD && made[id] == 0 {
			t.Errorf("no processor has %s", id)
		}
	}
}

// TestMatrixOfOthers: intrinsics of NVIDIA are refused.
func TestMatrixOfOthers(t *testing.T) {
	if reason := amdgpu.Target.Intrinsic(op.WarpBarrier, &amdgpu.Target.Profiles[0]); reason != codegen.NoIntrinsics {
		t.Errorf("a barrier of a warp is refused by %q", reason)
	}
}

// TestDirectMatrix compiles the intrinsics without LLVM, whose disassembler reads the instructions.
// Those of gfx1100, which nothing runs, are tested only here.
func TestDirectMatrix(t *testing.T) {
	if _, err := exec.LookPath("llvm-objdump-19"); err != nil {
		t.Skip("skipped: there is no llvm-objdump-19 (Debian: llvm-19)")
	}
	for _, processor := range []string{"gfx942", "gfx1100"} {
		count := 0
		for id := range op.IntrinsicCount {
			if id.Owner() != op.OfAMD {
				continue
			}
			p, message := compileMatrix(t, id, amdgpu.Direct(), processor, codegen.Options{})
			if p == nil {
				if !strings.Contains(message, "the processor does not have it") {
					t.Errorf("%s for %s: %s", id, processor, message)
				}
				continue
			}
			count++
			disassembledMatrix(t, id, processor, p.Code)
		}
		if want := map[string]int{"gfx942": 5, "gfx1100": 3}[processor]; count != want {
			t.Errorf("%s has %d products, not %d", processor, count, want)
		}
	}
}
