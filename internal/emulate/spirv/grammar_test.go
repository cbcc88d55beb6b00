package spirv

import (
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen/spirv/grammar"
)

// TestGrammar holds the evaluator's own tables against the vendored grammar:
// numbers, names and the operands of each instruction.
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

// TestEnumerants holds the enumerants against the grammar.
func TestEnumerants(t *testing.T) {
	check := func(kind grammar.Kind, value uint32, name string) {
		t.Helper()
		if e := kind.Enumerant(value); e == nil || e.Name != name {
			t.Errorf("%s is not %d", name, value)
		}
	}
	for _, list := range []struct {
		kind   grammar.Kind
		values numbered
	}{
		{grammar.Capability, capabilities}, {grammar.Decoration, decorations},
		{grammar.StorageClass, storageClasses}, {grammar.BuiltIn, builtins},
	} {
		for value, name := range list.values {
			check(list.kind, value, name)
		}
	}
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
}
