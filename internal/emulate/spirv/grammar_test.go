package spirv

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen/spirv/grammar"
)

// TestGrammar compares the emulator's tables with the vendored grammar: opcodes, names and operand
// formats.
func TestGrammar(t *testing.T) {
	for opcode, f := range forms {
		g := grammar.Lookup(uint32(opcode))
		if g == nil || g.Name != f.name {
			t.Errorf("%s has another number than %d", f.name, opcode)
			continue
		}
		if want := strings.ReplaceAll(f.operands, "x", ""); want != letters(g.Operands) {
			t.Errorf("%s: the grammar has the operands %s, the table %s", f.name, letters(g.Operands), f.operands)
		}
	}
	for opcode, name := range refused {
		if g := grammar.Lookup(uint32(opcode)); g == nil || g.Name != name {
			t.Errorf("%s has another number than %d", name, opcode)
		}
	}
	for number, o := range extended {
		if g := grammar.GLSL(number); g == nil || g.Name != o.name {
			t.Errorf("%s has another number than %d", o.name, number)
		}
	}
	for number, name := range map[uint32]string{glslPackHalf: "PackHalf2x16", glslUnpackHalf: "UnpackHalf2x16"} {
		if g := grammar.GLSL(number); g == nil || g.Name != name {
			t.Errorf("%s has another number than %d", name, number)
		}
	}
}

// letters writes operands as the tables do.
func letters(operands []grammar.Operand) string {
	var b strings.Builder
	for _, o := range operands {
		letter, ok := map[grammar.Kind]string{
			grammar.IdResultType: "t", grammar.IdResult: "r", grammar.IdRef: "i", grammar.IdScope: "i", grammar.IdMemorySemantics: "i",
			grammar.LiteralString: "s", grammar.LiteralInteger: "l", grammar.LiteralExtInstInteger: "l",
			grammar.LiteralContextDependentNumber: "c", grammar.PairIdRefIdRef: "p", grammar.PairLiteralIntegerIdRef: "q",
		}[o.Kind]
		if !ok {
			letter = "e"
		}
		b.WriteString(letter + map[grammar.Quantifier]string{grammar.One: "", grammar.Optional: "?", grammar.Repeated: "*"}[o.Quantifier])
	}
	return b.String()
}

// TestImageCapabilities compares the capabilities that images need with the grammar.
func TestImageCapabilities(t *testing.T) {
	text, err := os.ReadFile("../../../codegen/spirv/grammar/spirv.core.grammar.json")
	if err != nil {
		t.Fatal(err)
	}
	var core struct {
		Kinds []struct {
			Kind       string
			Enumerants []struct {
				Enumerant    string
				Capabilities []string
			}
		} `json:"operand_kinds"`
	}
	if err := json.Unmarshal(text, &core); err != nil {
		t.Fatal(err)
	}
	needed := map[string][]string{}
	for _, k := range core.Kinds {
		if k.Kind == "ImageFormat" || k.Kind == "Dim" {
			for _, e := range k.Enumerants {
				needed[k.Kind+e.Enumerant] = e.Capabilities
			}
		}
	}
	for _, f := range texelFormats {
		if got := needed["ImageFormat"+f.name]; slices.Contains(got, "StorageImageExtendedFormats") != f.extended || len(got) != 1 {
			t.Errorf("%s needs %v", f.name, got)
		}
	}
	for _, d := range dimensions {
		for _, c := range slices.Concat(d.sampled, d.storage) {
			if got := needed["Dim"+d.name]; !slices.Contains(got, capabilities[c]) {
				t.Errorf("images of dimension %s need %v, which %s is not one of", d.name, got, capabilities[c])
			}
		}
	}
}

// TestEnumerants compares the enumerants with the grammar.
func TestEnumerants(t *testing.T) {
	check := func(kind grammar.Kind, value uint32, name string) {
		t.Helper()
		if e := kind.Enumerant(value); e == nil || e.Name != name {
			t.Errorf("%s is not %d", name, value)
		}
	}
	for _, list := range []struct {
		kind   grammar.Kind
		values enumerants
	}{
		{grammar.Capability, capabilities}, {grammar.Decoration, decorations},
		{grammar.StorageClass, storageClasses}, {grammar.BuiltIn, builtins},
	} {
		for value, name := range list.values {
			check(list.kind, value, name)
		}
	}
	for value, f := range texelFormats {
		check(grammar.ImageFormat, value, f.name)
	}
	for value, d := range dimensions {
		check(grammar.Dim, value, d.name)
	}
	check(grammar.ImageOperands, imageOperandsLod, "Lod")
	check(grammar.ExecutionModel, executionModelGLCompute, "GLCompute")
	check(grammar.ExecutionMode, executionModeLocalSize, "LocalSize")
	check(grammar.AddressingModel, addressingLogical, "Logical")
	check(grammar.MemoryModel, memoryModelGLSL450, "GLSL450")
	for value, name := range map[uint32]string{semanticsAcquireRelease: "AcquireRelease", semanticsUniform: "UniformMemory",
		semanticsWorkgroup: "WorkgroupMemory", semanticsImage: "ImageMemory"} {
		check(grammar.MemorySemantics, value, name)
	}
	for value, name := range map[uint32]string{groupReduce: "Reduce", groupInclusiveScan: "InclusiveScan", groupExclusiveScan: "ExclusiveScan"} {
		check(grammar.GroupOperation, value, name)
	}
	check(grammar.Scope, scopeDevice, "Device")
	check(grammar.Scope, scopeWorkgroup, "Workgroup")
	check(grammar.Scope, scopeSubgroup, "Subgroup")
	check(grammar.Scope, scopeInvocation, "Invocation")
}
