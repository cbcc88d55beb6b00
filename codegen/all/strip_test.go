package all_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"regexp"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/all"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/runtime/abi"
)

// zebras is a program in which everything has a name that is in no language.
const zebras = `
struct ZebraInner { zebra_inner_member: vec3f, zebra_weight: f32 }
struct ZebraOuter { zebra_member: ZebraInner, zebra_array: array<f32, 4> }
override zebra_override = 3;
const zebra_table = array(3.0, 5.0, 7.0, 11.0);
@group(0) @binding(0) var<storage, read_write> zebra_buffer: array<ZebraOuter>;
@group(0) @binding(1) var<uniform> zebra_uniform: ZebraInner;
var<workgroup> zebra_shared: array<f32, 64>;
var<private> zebra_private: array<f32, 8>;
fn zebra_function(zebra_parameter: f32, zebra_index: u32) -> f32 {
  var zebra_variable = zebra_parameter;
  for (var zebra_counter = 0u; zebra_counter < zebra_index; zebra_counter++) {
    zebra_variable += zebra_table[zebra_counter & 3] * zebra_shared[zebra_counter & 63];
    zebra_private[zebra_counter & 7] += zebra_variable;
  }
  return zebra_variable * f32(zebra_override);
}
@compute @workgroup_size(64)
fn graze(@builtin(local_invocation_index) zebra_id: u32) {
  zebra_shared[zebra_id] = zebra_uniform.zebra_weight;
  workgroupBarrier();
  let zebra_let = zebra_function(zebra_buffer[zebra_id].zebra_member.zebra_weight, zebra_id);
  zebra_buffer[zebra_id].zebra_array[zebra_id & 3] = zebra_let + zebra_private[zebra_id & 7];
  zebra_buffer[zebra_id].zebra_member = zebra_uniform;
}
`

// TestStripLeavesNoNames: stripped code has no name of the source but the entry point's, and no
// source position. The description has all names. Code with lines has some of either, so that the
// test would find them.
func TestStripLeavesNoNames(t *testing.T) {
	m := loaded(t, "zebra.wgsl", zebras)
	for _, target := range all.Targets {
		for _, o := range []codegen.Options{{Strip: true, Lines: true}, {Strip: true, NoOptimize: true}, {Strip: true, Bounds: codegen.BoundsTrap}} {
			a := codegen.Compile(m, "graze", target, &o, new(diag.List))
			if a == nil {
				t.Fatalf("%s does not compile", target.Name)
			}
			if at := bytes.Index(bytes.ToLower(a.Code), []byte("zebra")); at >= 0 {
				t.Errorf("stripped code for %s has the name %.30s", target.Name, a.Code[at:])
			}
			if !bytes.Contains(a.Code, []byte("graze")) || a.Kernel.Name != "graze" || a.Kernel.Bindings[0].Name != "zebra_buffer" || a.Kernel.Structs[1].Members[0].Name != "zebra_member" {
				t.Errorf("%s: the entry point or the description lost their names: %+v", target.Name, a.Kernel)
			}
		}
		a := codegen.Compile(m, "graze", target, &codegen.Options{Lines: true}, new(diag.List))
		if !bytes.Contains(a.Code, []byte("zebra_")) {
			t.Errorf("code for %s has no names, whatever the options", target.Name)
		}
	}
}

// TestStripChangesNamesAlone compares stripped code of the exec kernels with code that has names.
// SPIR-V is compared word by word without its names, and texts token by token with any name for
// another. The lines of WGSL are wrapped by the length of names, so it is compared by the
// instruction counts of its SPIR-V. Metal's text, from the same printer, is not compared.
func TestStripChangesNamesAlone(t *testing.T) {
	compared := 0
	for n, path := range execKernels(t) {
		if !testmode.Sampled(n, 8) {
			continue
		}
		m := loadedFile(t, path)
		for _, k := range m.Kernels() {
			for _, target := range all.Targets {
				named := codegen.Compile(m, k.Name, target, &codegen.Options{}, new(diag.List))
				if named == nil {
					continue // a texture, or an override without a value
				}
				stripped := codegen.Compile(m, k.Name, target, &codegen.Options{Strip: true}, new(diag.List))
				if stripped == nil {
					t.Errorf("%s for %s cannot be stripped", path, target.Name)
					continue
				}
				difference := ""
				switch target.Name {
				case abi.MSL:
					continue
				case abi.SPIRV:
					if !bytes.Equal(withoutNames(named.Code), stripped.Code) {
						difference = "not the same words"
					}
				case abi.WGSL:
					if x, y := counted(spirvOf(t, named.Code)), counted(spirvOf(t, stripped.Code)); !maps.Equal(x, y) {
						difference = fmt.Sprintf("as SPIR-V, by opcode %v instructions and %v", x, y)
					}
				default:
					difference = otherTokens(string(named.Code), string(stripped.Code))
				}
				if difference != "" {
					t.Errorf("%s for %s is another program: %s", path, target.Name, difference)
				}
				compared++
			}
		}
	}
	t.Logf("%d artefacts", compared)
	if compared < 600 && testmode.IsWhole() {
		t.Errorf("only %d artefacts are compared", compared)
	}
}

// spirvOf compiles the only kernel of WGSL.
func spirvOf(t *testing.T, text []byte) []byte {
	t.Helper()
	list := new(diag.List)
	a := codegen.Compile(loaded(t, "out.wgsl", string(text)), "", all.Lookup("spirv"), &codegen.Options{}, list)
	if a == nil {
		t.Fatal(list.Items())
	}
	return a.Code
}

// counted counts the instructions of a module by opcode, without OpName and OpMemberName.
func counted(code []byte) map[uint32]int {
	counts := map[uint32]int{}
	for rest := withoutNames(code)[20:]; len(rest) > 0; {
		word := binary.LittleEndian.Uint32(rest)
		counts[word&0xffff]++
		rest = rest[4*(word>>16):]
	}
	return counts
}

// withoutNames removes OpName and OpMemberName (SPIR-V, opcodes 5 and 6) from a module.
func withoutNames(code []byte) []byte {
	out := bytes.Clone(code[:20])
	for rest := code[20:]; len(rest) > 0; {
		word := binary.LittleEndian.Uint32(rest)
		n := 4 * int(word>>16)
		if opcode := word & 0xffff; opcode != 5 && opcode != 6 {
			out = append(out, rest[:n]...)
		}
		rest = rest[n:]
	}
	return out
}

// tokens are those of all target's texts, as far as names are concerned, which aName tells.
var (
	tokens = regexp.MustCompile(`[%@$.^]?[\pL_][\pL\pN_.$]*|[%@^.$][\pN_.$]+|\S`)
	aName  = regexp.MustCompile(`^[%@$.^]?[\pL_]|^[%@^.$][\pN]`)
)

// otherTokens returns a difference between two texts other than names, or "".
func otherTokens(a, b string) string {
	x, y := tokens.FindAllString(a, -1), tokens.FindAllString(b, -1)
	for n := range min(len(x), len(y)) {
		if x[n] != y[n] && !(aName.MatchString(x[n]) && aName.MatchString(y[n])) {
			return fmt.Sprintf("token %d is %s and %s behind %v", n, x[n], y[n], x[max(0, n-8):n])
		}
	}
	if len(x) != len(y) {
		return fmt.Sprintf("there are %d tokens and %d", len(x), len(y))
	}
	return ""
}
