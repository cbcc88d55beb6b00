package ptx

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// exampleOperands are operands of the forms with their own parser.
var exampleOperands = map[string][]string{
	"mov.pred":   {"%p1, %p2", "%p1, 1"},
	"mov.b16":    {"%h1, %h2", "%h1, 0x3C00"},
	"mov.b32":    {"%r1, %r2", "%r1, -5", "%r1, words", "%r1, mine", "%r1, {%h1, %h2}", "{%h1, %h2}, %r1", "%r1, constants"},
	"mov.b64":    {"%d1, %d2", "%d1, 7", "%d1, {%r1, %r2}", "{%r1, %r2}, %d1", "%d1, {%h1, %h2, %h3, %h4}", "{%h1, %h2, %h3, %h4}, %d1", "%d1, table", "%d1, stored"},
	"mov.u32":    {"%r1, %r2", "%r1, 3", "%r1, %laneid", "%r1, %tid.z", "%r1, %ntid.y", "%r1, %ctaid.x", "%r1, %nctaid.z"},
	"bra":        {"$L1"},
	"brx.idx":    {"%r1, $T1"},
	"call":       {"(answer), f, (argument)", "g"},
	"bar.arrive": {"1, 64", "%r1, %r2", "%r1, 128"},
	"bar.sync":   {"0", "15", "1, 64", "%r1, %r2", "%r1, 128"},
	"ret":        {""},
	"trap":       {""},
	"pmevent":    {"0", "15"},

	"membar.cta": {""},

	"mbarrier.init.shared::cta.b64":                  {"[%r1], 4", "[words+8], %r2"},
	"mbarrier.arrive.shared::cta.b64":                {"_, [%r1]"},
	"mbarrier.arrive.expect_tx.shared::cta.b64":      {"_, [%r1], 16384", "_, [%r1+8], %r2"},
	"mbarrier.try_wait.parity.shared::cta.b64":       {"%p2, [%r1], %r2", "%p2, [%r1], 1"},
	"fence.mbarrier_init.release.cluster":            {""},
	"fence.proxy.async.shared::cta":                  {""},
	"cp.async.bulk.commit_group":                     {""},
	"cp.async.bulk.wait_group.read":                  {"0", "3"},
	"cp.async.bulk.wait_group":                       {"0"},
	"cp.async.cg.shared.global":                      {"[%r1+16], [%d1+32], 16, %r2", "[words], [stored], 16, 0"},
	"cp.async.commit_group":                          {""},
	"cp.async.wait_group":                            {"0", "7"},
	"wgmma.fence.sync.aligned":                       {""},
	"wgmma.commit_group.sync.aligned":                {""},
	"wgmma.wait_group.sync.aligned":                  {"0", "7"},
	"setmaxnreg.dec.sync.aligned.u32":                {"24"},
	"setmaxnreg.inc.sync.aligned.u32":                {"240"},
	"ldmatrix.sync.aligned.m8n8.x4.shared.b16":       {"{%r1, %r2, %r3, %r4}, [%r1+16]", "{%r1, %r2, %r3, %r4}, [words]"},
	"ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16": {"{%r1, %r2, %r3, %r4}, [%r5]"},
	"stmatrix.sync.aligned.m8n8.x4.shared.b16":       {"[%r1+16], {%r2, %r3, %r2, %r4}"},
	tensorLoad:  {"[%r1], [%d1, {%r2, %r3}], [%r4]", "[%r1+128], [%d1, {-5, 8}], [%r4]"},
	windowsLoad: {"[%r1], [%d1, {%r2, %r3, -1, 0}], [%r4], {%h1, %h2}"},
	tensorStore: {"[%d1, {%r2, 0}], [%r1]"},
}

const (
	tensorLoad  = "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
	windowsLoad = "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes"
	tensorStore = "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group"
)

// exampleColumns are the products that the assembler gets, which is slow. Products of other columns
// have only more or fewer registers.
var exampleColumns = regexp.MustCompile(`m64n(8|24|256)k`)

// productExamples returns products with a first operand in memory and in registers.
func productExamples(f *form) []string {
	parts := strings.Split(f.name, ".")
	columns, depth := 0, 0
	fmt.Sscanf(parts[4], "m64n%dk%d", &columns, &depth)
	var sums []string
	for n := range columns / 2 {
		sums = append(sums, fmt.Sprintf("%%s1_%d", n))
	}
	list := f.name + " {" + strings.Join(sums, ", ") + "}, "
	switch {
	case depth == 16:
		return []string{list + "%d1, %d2, %p1, 1, -1, 0, 1", list + "{%r1, %r2, %r3, %r4}, %d2, %p1, 1, 1, 1"}
	case parts[5] == "s32":
		return []string{list + "%d1, %d2, %p1", list + "{%r1, %r2, %r3, %r4}, %d2, %p1"}
	}
	return []string{list + "%d1, %d2, %p1, 1, 1", list + "{%r1, %r2, %r3, %r4}, %d2, %p1, -1, 1"}
}

// doubleExamples are the operands of products of f64, by shape.
var doubleExamples = map[string]string{
	"m8n8k4":   "{%d1, %d2}, {%d3}, {%d4}, {%d1, %d2}",
	"m16n8k4":  "{%d1, %d2, %d3, %d4}, {%d5, %d6}, {%d7}, {%d1, %d2, %d3, %d4}",
	"m16n8k8":  "{%d1, %d2, %d3, %d4}, {%d5, %d6, %d7, %d8}, {%d1, %d2}, {%d1, %d2, %d3, %d4}",
	"m16n8k16": "{%d1, %d2, %d3, %d4}, {%d5, %d6, %d7, %d8, %d1, %d2, %d3, %d4}, {%d5, %d6, %d7, %d8}, {%d1, %d2, %d3, %d4}",
}

// examples returns instructions of a form: with registers only, and with constants as the sources
// that may be constants. Loads and stores of 16 bits also have registers of 32 bits.
func examples(f *form) (list []string) {
	if a := imageOf(f.name); a.geometry != "" {
		return imageExamples(f, a)
	}
	if strings.HasPrefix(f.name, "wgmma.mma_async") {
		return productExamples(f)
	}
	if strings.HasPrefix(f.name, "mma.") {
		sums, operand := "{%r1, %r2, %r3, %r4}", "{%r5, %r6, %r7, %r8}, {%r9, %r10}"
		if strings.HasSuffix(f.name, ".f16") {
			sums = "{%r1, %r2}"
		}
		if strings.HasSuffix(f.name, ".f64") {
			return []string{f.name + " " + doubleExamples[strings.Split(f.name, ".")[3]]}
		}
		return []string{f.name + " " + sums + ", " + operand + ", " + sums}
	}
	if f.read != nil || f.row.operands == "" {
		for _, o := range exampleOperands[f.name] {
			list = append(list, strings.TrimSpace(f.name+" "+o))
		}
		return list
	}
	for n := range 4 {
		constants, wide := n&1 != 0, n&2 != 0
		var operands []string
		next := 1
		scalar := func(k kind, constant bool) string {
			letter := map[int]string{1: "p", 8: "r", 16: "h", 32: "r", 64: "d"}[k.bits]
			next++
			switch {
			case !constant || k.letter == 'p' || k == kind{'f', 16}:
				return fmt.Sprintf("%%%s%d", letter, next)
			case k == kind{'f', 64}:
				return "0d3FF0000000000000"
			case k.letter == 'f':
				return "0f3F800000"
			}
			return fmt.Sprint(next)
		}
		for _, o := range strings.Fields(f.row.operands) {
			switch {
			case o == "[":
				a := accessOf(f)
				base := [...]string{global: "%d1", shared: "%r1", local: "%r1", constant: "%d1", parameter: "%r1"}[a.space]
				if constants || a.space == parameter {
					base = [...]string{global: "stored", shared: "words", local: "mine", constant: "table", parameter: "constants"}[a.space]
				}
				if a.space == parameter && f.name[0] == 's' {
					base = "argument"
				}
				operands = append(operands, "["+base+"+16]")
			case o == "{" || o == "<{":
				var parts []string
				held := f.t
				if wide && held.bits < wideRegister {
					held.bits = wideRegister
				}
				for range accessOf(f).count {
					parts = append(parts, scalar(held, constants && o == "{"))
				}
				if len(parts) > 1 {
					parts = []string{"{" + strings.Join(parts, ", ") + "}"}
				}
				operands = append(operands, parts[0])
			case o[0] == '<':
				operands = append(operands, scalar(f.of(o[1:]), false))
			case o[0] == '%':
				operands = append(operands, scalar(f.of(o[1:]), false))
			case o[0] == '#':
				operands = append(operands, scalar(f.of(o[1:]), true))
			default:
				operands = append(operands, scalar(f.of(o), constants))
			}
		}
		if text := f.name + " " + strings.Join(operands, ", "); !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	return list
}

// imageExamples returns instructions on images, with an offset and without.
func imageExamples(f *form, a *imageAccess) []string {
	at := map[string]string{"a2d": "{%r5, %r6, %r7, %r7}", "3d": "{%r5, %r6, %r7, %r7}", "cube": "{%r5, %r6, %r7, %r7}",
		"acube": "{%r5, %r6, %r7, %r8}", "2dms": "{%r5, %r6, %r7, %r7}"}[a.geometry]
	offset := map[string]string{"a2d": ", {1, -2}", "3d": ", {%r9, 2, 7, 0}"}[a.geometry]
	level := ""
	if strings.Contains(f.name, ".level.") {
		level = ", %r9"
	}
	texture := f.name + " {%r1, %r2, %r3, %r4}, [%d1, " + at + "]" + level
	data := map[int]string{1: "%r1", 2: "{%r1, %r2}", 4: "{%r1, %r2, %r3, %r4}"}[surfaceParts(f)]
	if a.held().bits == 16 {
		data = "%h1"
	}
	switch {
	case strings.HasPrefix(f.name, "suld"):
		return []string{f.name + " " + data + ", [%d1, " + at + "]"}
	case strings.HasPrefix(f.name, "sust"):
		return []string{f.name + " [%d1, " + at + "], " + data}
	case offset == "" || !f.t.float():
		return []string{texture}
	}
	return []string{texture, texture + offset}
}

// head begins an entry point for the instructions of an opcode.
const head = `
.visible .entry of_%s(
	.param .align 16 .b8 constants[64]
)
.reqntid 32, 1, 1
{
	.reg .pred %%p<16>;
	.reg .b16 %%h<16>;
	.reg .b32 %%r<16>;
	.reg .b64 %%d<16>;
	.reg .b32 %%s1_<128>;
	.local .align 16 .b8 mine[64];
$T1: .branchtargets $L1, $L1;
	{
	.param .align 16 .b8 argument[64];
	.param .b32 answer;
`

// tail ends an entry point that head began; it is empty for the first opcode.
func tail(opcode string) string {
	if opcode == "" {
		return ""
	}
	return "\t}\n$L1:\n\tret;\n}\n"
}

// TestForms parses examples of every form with the emulator and, if it is installed, with NVIDIA's
// assembler, so that the table has only what PTX has.
func TestForms(t *testing.T) {
	var names []string
	for name := range forms {
		names = append(names, name)
	}
	slices.Sort(names)
	var b strings.Builder
	b.WriteString(`.version 8.0
.target sm_90a
.address_size 64
.shared .align 16 .b8 words[64];
.const .align 16 .b8 table[64] = {1};
.global .align 16 .b8 stored[64];

.func (.param .b32 result) f(.param .align 16 .b8 x[64])
{
	st.param.b32 [result], 7;
	ret;
}

.func g()
{
	ret;
}

`)
	count, opcode := 0, ""
	for _, name := range names {
		if o, _, _ := strings.Cut(name, "."); o != opcode {
			b.WriteString(tail(opcode))
			fmt.Fprintf(&b, head, o)
			opcode = o
		}
		list := examples(forms[name])
		if strings.HasPrefix(name, "wgmma.mma_async") && !exampleColumns.MatchString(name) {
			continue
		}
		if len(list) == 0 {
			t.Errorf("no example of %s", name)
		}
		for _, text := range list {
			// accesses to arguments take no guard, nor do instructions of a whole warp
			if !strings.Contains(text, "[argument") && !strings.Contains(text, ".aligned") {
				text = "@%p1 " + text
			}
			fmt.Fprintf(&b, "\t%s;\n", text)
			count++
		}
	}
	b.WriteString(tail(opcode))
	text := b.String()
	if _, err := Parse([]byte(text)); err != nil {
		t.Fatalf("%v\n%s", err, line(text, err))
	}
	t.Logf("%d forms, %d examples", len(names), count)
	ptxas := os.Getenv("GPUC_PTXAS")
	if ptxas == "" {
		path, err := exec.LookPath("ptxas")
		if err != nil {
			t.Skip("skipped: ptxas is not on the path or in GPUC_PTXAS (NVIDIA's wheel nvidia-cuda-nvcc-cu12 has it)")
		}
		ptxas = path
	}
	file := filepath.Join(t.TempDir(), "module.ptx")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(ptxas, "-O0", "-arch=sm_90a", "-o", file+".cubin", file).CombinedOutput(); err != nil {
		t.Errorf("the assembler: %v\n%s", err, out)
		for n, l := range strings.Split(text, "\n") {
			if strings.Contains(string(out), fmt.Sprintf("line %d;", n+1)) {
				t.Errorf("%d %s", n+1, l)
			}
		}
	}
}

func line(text string, err error) string {
	n := 0
	fmt.Sscanf(err.Error(), "line %d", &n)
	return strings.Split(text, "\n")[max(n-1, 0)]
}
