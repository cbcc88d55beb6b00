package spirv

import (
	"encoding/binary"
	"errors"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/internal/emulate"
)

// assembler assembles the modules of the tests. Each line of text is an instruction, in the syntax
// of SPIRV-Tools with two differences. Enumerants are numbers, and constants need no declaration. A
// constant is a letter for its type, see constant, and a value, such as u:1 or f:0.5. A value in
// hexadecimal is a bit pattern. TestGrammar compares the operand formats with the vendored grammar.
type assembler struct {
	t         testing.TB
	ids       map[string]uint32
	opcodes   map[string]uint16
	glsl      map[string]uint32
	head      []uint32 // all before the functions
	functions []uint32
}

// prelude declares the types and the buffer that most tests use: the kernel main
// has workgroups of 4 invocations, and %data is an array of u32.
const prelude = `OpCapability 1
OpCapability 9
OpCapability 11
OpCapability 43
OpCapability 44
OpCapability 49
OpCapability 50
OpCapability 61
OpCapability 62
OpCapability 63
OpCapability 64
OpCapability 65
OpCapability 66
OpCapability 68
%glsl = OpExtInstImport "GLSL.std.450"
OpMemoryModel 0 1
OpEntryPoint 5 %main "main" %lane %group
OpExecutionMode %main 17 4 1 1
OpDecorate %words 6 4
OpMemberDecorate %Data 0 35 0
OpDecorate %Data 2
OpDecorate %data 34 0
OpDecorate %data 33 0
OpDecorate %lane 11 29
OpDecorate %group 11 26
%void = OpTypeVoid
%bool = OpTypeBool
%u32 = OpTypeInt 32 0
%i32 = OpTypeInt 32 1
%u64 = OpTypeInt 64 0
%i64 = OpTypeInt 64 1
%f32 = OpTypeFloat 32
%f16 = OpTypeFloat 16
%b2 = OpTypeVector %bool 2
%u2 = OpTypeVector %u32 2
%u3 = OpTypeVector %u32 3
%u4 = OpTypeVector %u32 4
%i2 = OpTypeVector %i32 2
%i3 = OpTypeVector %i32 3
%i4 = OpTypeVector %i32 4
%f2 = OpTypeVector %f32 2
%f3 = OpTypeVector %f32 3
%f4 = OpTypeVector %f32 4
%h2 = OpTypeVector %f16 2
%ul2 = OpTypeVector %u64 2
%true = OpConstantTrue %bool
%false = OpConstantFalse %bool
%words = OpTypeRuntimeArray %u32
%Data = OpTypeStruct %words
%pData = OpTypePointer 12 %Data
%pu32 = OpTypePointer 12 %u32
%fu32 = OpTypePointer 7 %u32
%wu32 = OpTypePointer 4 %u32
%vu32 = OpTypePointer 6 %u32
%iu32 = OpTypePointer 1 %u32
%iu3 = OpTypePointer 1 %u3
%array = OpTypeArray %u32 u:4
%farray = OpTypePointer 7 %array
%warray = OpTypePointer 4 %array
%varray = OpTypePointer 6 %array
%data = OpVariable %pData 12
%lane = OpVariable %iu32 1
%group = OpVariable %iu3 1
%shared = OpVariable %warray 4
%fn = OpTypeFunction %void
`

// kernel is a module whose main has a body; globals come before it. %i is the
// invocation's index in the workgroup.
func kernel(globals, body string) string {
	var variables, code strings.Builder // of the function; the former come first
	for line := range strings.Lines(body) {
		if strings.Contains(line, "= OpVariable ") {
			variables.WriteString(line)
		} else {
			code.WriteString(line)
		}
	}
	var decorations, declarations strings.Builder
	for line := range strings.Lines(globals) {
		if strings.Contains(line, "Decorate ") {
			decorations.WriteString(line)
		} else {
			declarations.WriteString(line)
		}
	}
	head, types, _ := strings.Cut(prelude, "%void")
	return head + decorations.String() + "%void" + types + declarations.String() + "\n%main = OpFunction %void 0 %fn\n%entry = OpLabel\n" + variables.String() +
		"%i = OpLoad %u32 %lane\n" + code.String() + "\nOpReturn\nOpFunctionEnd\n"
}

// put stores a u32 in an element of the buffer.
func put(index, value string) string {
	p := "%element(" + index + "," + value + ")"
	return p + " = OpAccessChain %pu32 %data u:0 " + index + "\nOpStore " + p + " " + value + "\n"
}

func assemble(t testing.TB, text string) []byte {
	t.Helper()
	a := assembler{t: t, ids: map[string]uint32{}, opcodes: map[string]uint16{}, glsl: map[string]uint32{"PackHalf2x16": glslPackHalf, "UnpackHalf2x16": glslUnpackHalf}}
	for opcode, f := range forms {
		a.opcodes[f.name] = opcode
	}
	for opcode, name := range refused {
		a.opcodes[name] = opcode
	}
	for number, o := range extended {
		a.glsl[o.name] = number
	}
	for line := range strings.SplitSeq(text, "\n") {
		if fields := strings.Fields(line); len(fields) > 0 {
			a.line(fields)
		}
	}
	words := append([]uint32{0x07230203, 0x00010300, 0, uint32(len(a.ids) + 1), 0}, a.head...)
	words = append(words, a.functions...)
	code := make([]byte, 4*len(words))
	for n, w := range words {
		binary.LittleEndian.PutUint32(code[4*n:], w)
	}
	return code
}

func (a *assembler) id(name string) uint32 {
	if a.ids[name] == 0 {
		a.ids[name] = uint32(len(a.ids) + 1)
	}
	return a.ids[name]
}

func (a *assembler) line(fields []string) {
	result := ""
	if len(fields) > 2 && fields[1] == "=" {
		result, fields = fields[0], fields[2:]
	}
	opcode, ok := a.opcodes[fields[0]]
	if !ok {
		a.t.Fatalf("no instruction %s", fields[0])
	}
	operands := fields[1:]
	var words []uint32
	if strings.HasPrefix(forms[opcode].operands, "t") {
		words, operands = append(words, a.id(operands[0])), operands[1:]
	}
	if result != "" {
		words = append(words, a.id(result))
	}
	for _, o := range operands {
		words = append(words, a.operand(o)...)
	}
	words = append([]uint32{uint32(len(words)+1)<<16 | uint32(opcode)}, words...)
	if opcode == opFunction || len(a.functions) > 0 {
		a.functions = append(a.functions, words...)
	} else {
		a.head = append(a.head, words...)
	}
}

func (a *assembler) operand(o string) []uint32 {
	if o[0] == '"' {
		text := append([]byte(o[1:len(o)-1]), 0, 0, 0, 0)
		var words []uint32
		for n := 0; n+4 <= len(text); n += 4 {
			words = append(words, binary.LittleEndian.Uint32(text[n:]))
		}
		return words
	}
	if o[0] == '%' {
		return []uint32{a.id(o)}
	}
	if n, ok := a.glsl[o]; ok {
		return []uint32{n}
	}
	if len(o) > 2 && o[1] == ':' {
		return []uint32{a.constant(o)}
	}
	n, err := strconv.ParseInt(o, 0, 64)
	if err != nil {
		a.t.Fatalf("what is the operand %s?", o)
	}
	return []uint32{uint32(n)}
}

// constant returns the id of a constant, which it declares at its first use.
func (a *assembler) constant(o string) uint32 {
	if id := a.ids[o]; id != 0 {
		return id
	}
	types := map[byte]string{'u': "%u32", 'i': "%i32", 'f': "%f32", 'h': "%f16", 'U': "%u64", 'I': "%i64",
		'b': "%u8", 'B': "%i8", 's': "%u16", 'S': "%i16", 'd': "%f64"}
	var bits uint64
	var err error
	number := o[2:]
	switch {
	case strings.HasPrefix(number, "0x"):
		bits, err = strconv.ParseUint(number, 0, 64)
	case o[0] == 'f' || o[0] == 'h' || o[0] == 'd':
		var f float64
		f, err = strconv.ParseFloat(number, 64)
		switch bits = uint64(math.Float32bits(float32(f))); o[0] {
		case 'h':
			bits = doubleToHalf(f)
		case 'd':
			bits = math.Float64bits(f)
		}
	default:
		var n int64
		n, err = strconv.ParseInt(number, 0, 64)
		bits = uint64(n)
	}
	if err != nil {
		a.t.Fatalf("what is the constant %s?", o)
	}
	words := []uint32{0, a.id(types[o[0]]), a.id(o), uint32(bits)}
	if o[0] == 'U' || o[0] == 'I' || o[0] == 'd' {
		words = append(words, uint32(bits>>32))
	}
	words[0] = uint32(len(words))<<16 | opConstant
	a.head = append(a.head, words...)
	return a.ids[o]
}

// runKernel executes a module on one workgroup (or as many as groups says) with
// data in its buffer, which it returns, and with images.
func runKernel(t *testing.T, text string, groups uint32, data []uint32, images ...emulate.Image) ([]uint32, error) {
	t.Helper()
	bytes := make([]byte, 4*len(data))
	for n, x := range data {
		binary.LittleEndian.PutUint32(bytes[4*n:], x)
	}
	err := Run(assemble(t, text), &emulate.Launch{
		Entry: "main", Grid: [3]uint32{groups, 1, 1}, Subgroup: 4, Steps: 100000,
		Buffers: []emulate.Buffer{{Group: 0, Binding: 0, Data: bytes}, {Group: 0, Binding: 1, Data: make([]byte, 16)}},
		Images:  images,
	})
	out := make([]uint32, len(data))
	for n := range out {
		out[n] = binary.LittleEndian.Uint32(bytes[4*n:])
	}
	return out, err
}

// validate runs spirv-val on a module if it is installed: the modules of the tests should be valid.
func validate(t *testing.T, text string) {
	t.Helper()
	tool, err := exec.LookPath("spirv-val")
	if errors.Is(err, exec.ErrNotFound) {
		return
	}
	file := filepath.Join(t.TempDir(), "module.spv")
	if err := os.WriteFile(file, assemble(t, text), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(tool, "--target-env", "vulkan1.1", file).CombinedOutput(); err != nil {
		t.Errorf("spirv-val: %v %s", err, out)
	}
}
