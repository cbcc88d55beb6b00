package spirv

import (
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/internal/emulate"
)

// TestUndefinedBehaviour executes what SPIR-V leaves undefined, whose error names the instruction.
func TestUndefinedBehaviour(t *testing.T) {
	local := "%v = OpVariable %fu32 7\n"
	for _, test := range []struct {
		name, globals, body string
		groups              uint32
		want                string
	}{
		{name: "unsigned division by zero", body: "%z = OpUDiv %u32 u:1 %i", want: "OpUDiv|division by zero"},
		{name: "remainder by zero", body: "%z = OpUMod %u32 u:1 %i", want: "OpUMod|division by zero"},
		{name: "signed division by zero", body: "%z = OpSDiv %i32 i:1 i:0", want: "OpSDiv|division by zero"},
		{name: "quotient out of range", body: "%z = OpSDiv %i32 i:-2147483648 i:-1", want: "OpSDiv|smallest integer by -1"},
		{name: "wide quotient out of range", body: "%z = OpSDiv %i64 I:0x8000000000000000 I:-1", want: "OpSDiv|smallest integer by -1"},
		{name: "signed remainder out of range", body: "%z = OpSRem %i32 i:-2147483648 i:-1", want: "OpSRem|smallest integer by -1"},
		{name: "signed modulo by zero", body: "%z = OpSMod %i32 i:1 i:0", want: "OpSMod|division by zero"},
		{name: "shift by the width", body: "%z = OpShiftLeftLogical %u32 u:1 u:32", want: "OpShiftLeftLogical|shift of 32 bits by 32"},
		{name: "negative shift", body: "%z = OpShiftRightArithmetic %i32 i:1 i:-1", want: "OpShiftRightArithmetic|shift"},
		{name: "wide shift", body: "%z = OpShiftRightLogical %u64 U:1 u:64", want: "shift of 64 bits by 64"},
		{name: "field beyond the width", body: "%z = OpBitFieldUExtract %u32 u:1 u:30 u:3", want: "OpBitFieldUExtract|3 bits at bit 30"},
		{name: "field inserted beyond the width", body: "%z = OpBitFieldInsert %u32 u:1 u:1 u:33 u:0", want: "OpBitFieldInsert|0 bits at bit 33"},
		{name: "signed field", body: "%z = OpBitFieldSExtract %i32 i:1 u:1 u:0xFFFFFFFF", want: "OpBitFieldSExtract"},
		{name: "float above the integers", body: "%z = OpConvertFToU %u32 f:4294967296", want: "OpConvertFToU|out of the range"},
		{name: "float below the integers", body: "%z = OpConvertFToU %u32 f:-1", want: "OpConvertFToU|out of the range"},
		{name: "float above the signed", body: "%z = OpConvertFToS %i32 f:2147483648", want: "OpConvertFToS|out of the range"},
		{name: "NaN to an integer", body: "%z = OpConvertFToS %i64 f:0x7FC00000", want: "OpConvertFToS|out of the range"},

		{name: "index outside of an array", body: local + "%a = OpVariable %farray 7\n%n = OpIAdd %u32 %i u:4\n%p = OpAccessChain %fu32 %a %n\n%x = OpLoad %u32 %p", want: "OpAccessChain|index 4 is outside of a composite of 4"},
		{name: "constant index outside of an array", body: "%a = OpVariable %farray 7\n%p = OpAccessChain %fu32 %a u:4\n%x = OpLoad %u32 %p", want: "OpAccessChain|index 4 is outside"},
		{name: "negative index", body: "%n = OpBitcast %i32 u:0xFFFFFFFF\n%p = OpAccessChain %wu32 %shared %n\nOpStore %p u:1", want: "OpAccessChain|index -1"},
		{name: "index outside of a buffer", body: "%n = OpIAdd %u32 %i u:8\n%p = OpAccessChain %pu32 %data u:0 %n\n%x = OpLoad %u32 %p", want: "OpAccessChain|index 8 is outside of a composite of 8"},
		{name: "component outside of a vector", body: "%g = OpLoad %u3 %group\n%n = OpIAdd %u32 %i u:3\n%x = OpVectorExtractDynamic %u32 %g %n", want: "OpVectorExtractDynamic|index 3"},
		{name: "inserted outside of a vector", body: "%g = OpLoad %u3 %group\n%n = OpIAdd %u32 %i u:3\n%x = OpVectorInsertDynamic %u3 %g %i %n", want: "OpVectorInsertDynamic|index 3"},
		{name: "beyond a buffer", globals: big, body: "%p = OpAccessChain %pb %second u:0\n%x = OpLoad %big %p", want: "OpLoad|bytes 0 to 36 of a buffer of 16 bytes"},

		{name: "condition on memory without a value", body: local + "%x = OpLoad %u32 %v\n%c = OpIEqual %bool %x u:0\nOpSelectionMerge %m 0\nOpBranchConditional %c %m2 %m\n%m2 = OpLabel\nOpBranch %m\n%m = OpLabel", want: "OpBranchConditional|the condition is undefined"},
		{name: "undefined selector", body: local + "%x = OpLoad %u32 %v\nOpSelectionMerge %m 0\nOpSwitch %x %m\n%m = OpLabel", want: "OpSwitch|the selector is undefined"},
		{name: "undefined index", body: local + "%x = OpLoad %u32 %v\n%p = OpAccessChain %wu32 %shared %x", want: "OpAccessChain|an index is undefined"},
		{name: "undefined value in a buffer", body: "%x = OpUndef %u32\n%y = OpIAdd %u32 %x u:1\n" + put("%i", "%y"), want: "OpStore|undefined"},
		{name: "workgroup memory without a value", body: "%s = OpAccessChain %wu32 %shared %i\n%x = OpLoad %u32 %s\n" + put("%i", "%x"), want: "OpStore|undefined"},
		{name: "private memory without a value", globals: "%private = OpVariable %vu32 6", body: "%x = OpLoad %u32 %private\n" + put("%i", "%x"), want: "OpStore|undefined"},
		{name: "undefined part", body: "%a = OpVariable %farray 7\n%p = OpAccessChain %fu32 %a u:1\nOpStore %p u:1\n%x = OpLoad %array %a\n%y = OpCompositeExtract %u32 %x 1\n%z = OpCompositeExtract %u32 %x 2\n" +
			put("%i", "%y") + put("%i", "%z"), want: "OpStore|undefined"},
		{name: "undefined by a phi", body: "%u = OpUndef %u32\nOpBranch %l\n%l = OpLabel\n%x = OpPhi %u32 %u %entry\n" + put("%i", "%x"), want: "OpStore|undefined"},
		{name: "undefined by a call", globals: "%ft = OpTypeFunction %u32 %u32", body: "%u = OpUndef %u32\n%x = OpFunctionCall %u32 %f %u\n" + put("%i", "%x") +
			"OpReturn\nOpFunctionEnd\n%f = OpFunction %u32 0 %ft\n%a = OpFunctionParameter %u32\n%fl = OpLabel\n%b = OpIAdd %u32 %a %a\nOpReturnValue %b\nOpFunctionEnd\n%g = OpFunction %void 0 %fn\n%gl = OpLabel", want: "OpStore|undefined"},
		{name: "undefined by a store", body: local + "%u = OpUndef %u32\nOpStore %v u:1\nOpStore %v %u\n%x = OpLoad %u32 %v\n" + put("%i", "%x"), want: "OpStore|undefined"},
		{name: "division by an undefined value", body: "%u = OpUndef %u32\n%x = OpUDiv %u32 u:1 %u", want: "OpUDiv|undefined"},
		{name: "undefined operand of an atomic", body: "%u = OpUndef %u32\n%p = OpAccessChain %pu32 %data u:0 u:0\n%x = OpAtomicIAdd %u32 %p u:1 u:0 %u", want: "OpAtomicIAdd|undefined"},
		{name: "atomic on memory without a value", body: "%p = OpAccessChain %wu32 %shared u:0\n%x = OpAtomicIAdd %u32 %p u:2 u:0 u:1", want: "OpAtomicIAdd|not initialised"},
		{name: "undefined operand of a subgroup", body: "%u = OpUndef %u32\n%x = OpGroupNonUniformIAdd %u32 u:3 0 %u\n" + put("%i", "%x"), want: "OpStore|undefined"},
		{name: "undefined value of another lane", body: "%u = OpUndef %u32\n%c = OpIEqual %bool %i u:0\n%v = OpSelect %u32 %c %u %i\n%x = OpGroupNonUniformShuffleXor %u32 u:3 %v u:1\n" + put("%i", "%x"), want: "OpStore|invocation [1 0 0]|undefined"},
		{name: "undefined lane", body: "%u = OpUndef %u32\n%x = OpGroupNonUniformShuffle %u32 u:3 %i %u", want: "OpGroupNonUniformShuffle|the lane is undefined"},
		{name: "value of a lane that is not there", body: "%x = OpGroupNonUniformShuffleDown %u32 u:3 %i u:1\n" + put("%i", "%x"), want: "OpStore|invocation [3 0 0]|undefined"},
		{name: "value of a lane elsewhere", body: "%c = OpIEqual %bool %i u:0\nOpSelectionMerge %m 0\nOpBranchConditional %c %y %m\n%y = OpLabel\n%x = OpGroupNonUniformShuffleXor %u32 u:3 %i u:1\n" + put("u:0", "%x") + "OpBranch %m\n%m = OpLabel", want: "OpStore|undefined"},

		{name: "race of writes", body: put("u:0", "%i"), want: "OpStore|invocation [1 0 0]|a race: the invocation writes what invocation number 0 of the launch writes"},
		{name: "race of a read", body: "%s = OpAccessChain %wu32 %shared %i\nOpStore %s %i\n%o = OpAccessChain %wu32 %shared u:0\n%x = OpLoad %u32 %o", want: "OpLoad|a race: the invocation reads"},
		{name: "race of a write with a read", body: "%j = OpIAdd %u32 %i u:1\n%p = OpAccessChain %pu32 %data u:0 %j\n%x = OpLoad %u32 %p\n" + put("%i", "%x"), want: "OpStore|writes what invocation number 0 of the launch reads"},
		{name: "a barrier that orders other memory", body: put("%i", "%i") + "OpControlBarrier u:2 u:2 u:0x108\n%j = OpBitwiseXor %u32 %i u:1\n%p = OpAccessChain %pu32 %data u:0 %j\n%x = OpLoad %u32 %p", want: "OpLoad|a race"},
		{name: "race between workgroups", body: "%c = OpIEqual %bool %i u:0\nOpSelectionMerge %m 0\nOpBranchConditional %c %y %m\n%y = OpLabel\n" + put("u:0", "%i") + "OpBranch %m\n%m = OpLabel", groups: 2, want: "OpStore|invocation [4 0 0]|a race"},
		{name: "atomic with a write", body: "%p = OpAccessChain %pu32 %data u:0 u:0\n%x = OpAtomicIAdd %u32 %p u:1 u:0 u:1\n%j = OpBitwiseXor %u32 %i u:1\n" + put("%j", "%i"), want: "a race: the invocation writes what invocation number 0 of the launch accesses with an atomic instruction|OpStore"},
		{name: "write with an atomic", body: "%p = OpAccessChain %pu32 %data u:0 u:0\n%x = OpAtomicIAdd %u32 %p u:1 u:0 u:1\n%y = OpLoad %u32 %p", want: "OpAtomicIAdd|writes with an atomic instruction what invocation number 0 of the launch reads"},

		{name: "barrier that some do not reach", body: "%c = OpIEqual %bool %i u:0\nOpSelectionMerge %m 0\nOpBranchConditional %c %y %m\n%y = OpLabel\nOpControlBarrier u:2 u:2 u:0x108\nOpBranch %m\n%m = OpLabel", want: "OpControlBarrier|invocation [1 0 0] does not reach"},
		{name: "two barriers", body: "%c = OpIEqual %bool %i u:0\nOpSelectionMerge %m 0\nOpBranchConditional %c %y %n\n%y = OpLabel\nOpControlBarrier u:2 u:2 u:0x108\nOpBranch %m\n%n = OpLabel\nOpControlBarrier u:2 u:2 u:0x108\nOpBranch %m\n%m = OpLabel", want: "OpControlBarrier|not all invocations"},
		{name: "another iteration", body: loop("%n", "u:4", "", "%c = OpULessThan %bool %n %i\nOpSelectionMerge %m 0\nOpBranchConditional %c %m %y\n%y = OpLabel\nOpControlBarrier u:2 u:2 u:0x108\nOpBranch %m\n%m = OpLabel\n"), want: "OpControlBarrier|not all invocations"},
		{name: "barrier of a part of a subgroup", body: "%c = OpIEqual %bool %i u:0\nOpSelectionMerge %m 0\nOpBranchConditional %c %y %m\n%y = OpLabel\nOpControlBarrier u:3 u:3 u:0x108\nOpBranch %m\n%m = OpLabel", want: "OpControlBarrier|a barrier of the subgroup"},
		{name: "the unreachable", body: "%c = OpIEqual %bool %i u:2\nOpSelectionMerge %m 0\nOpBranchConditional %c %y %m\n%y = OpLabel\nOpUnreachable\n%m = OpLabel", want: "OpUnreachable|invocation [2 0 0]"},
		{name: "no end", body: "OpBranch %h\n%h = OpLabel\nOpLoopMerge %m %c 0\nOpBranch %b\n%b = OpLabel\n%yes = OpIEqual %bool %i %i\nOpBranchConditional %yes %c %m\n%c = OpLabel\nOpBranch %h\n%m = OpLabel", want: "more instructions than its limit"},
	} {
		t.Run(test.name, func(t *testing.T) {
			text := kernel(test.globals, test.body)
			validate(t, text)
			_, err := runKernel(t, text, max(test.groups, 1), make([]uint32, 8))
			expect(t, err, test.want)
		})
	}
}

// big declares a second buffer that is larger than the bound one.
const big = `OpDecorate %second 34 0
OpDecorate %second 33 1
OpDecorate %Big 2
OpMemberDecorate %Big 0 35 0
OpDecorate %big 6 4
%big = OpTypeArray %u32 u:9
%Big = OpTypeStruct %big
%pBig = OpTypePointer 12 %Big
%pb = OpTypePointer 12 %big
%second = OpVariable %pBig 12`

// expect checks that an error contains parts of a text, which are separated by |.
func expect(t *testing.T, err error, parts string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, expected one with %s", parts)
	}
	var e *Error
	if !errors.As(err, &e) {
		t.Errorf("%v is not an *Error", err)
	}
	for part := range strings.SplitSeq(parts, "|") {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("expected %q in %v", part, err)
		}
	}
}

// TestRefused reads invalid modules and modules with something that the emulator does not support.
func TestRefused(t *testing.T) {
	for _, test := range []struct{ name, old, replacement, body, want string }{
		{name: "an unknown instruction", body: "%x = OpTranspose %u32 %i", want: "not supported: OpTranspose"},
		{name: "the scope of a fence", body: "OpMemoryBarrier u:2 u:0x108", want: "OpMemoryBarrier|not supported: scope 2"},
		{name: "the semantics of a fence", body: "OpMemoryBarrier u:4 u:0x110", want: "OpMemoryBarrier|not supported: memory semantics 0x110"},
		{name: "a fence that orders nothing", body: "OpMemoryBarrier u:4 u:0", want: "OpMemoryBarrier|a memory barrier orders nothing"},
		{name: "a capability", old: "OpCapability 9\n", replacement: "OpCapability 4\n", want: "OpCapability|not supported: capability 4"},
		{name: "a decoration", old: "OpDecorate %lane 11 29", replacement: "OpDecorate %lane 11 29\nOpDecorate %data 21", want: "OpDecorate|not supported: decoration 21"},
		{name: "a decoration of a member", old: "OpMemberDecorate %Data 0 35 0", replacement: "OpMemberDecorate %Data 0 35 0\nOpMemberDecorate %Data 0 24", want: "not supported: decoration 24 of a member"},
		{name: "an extended instruction", body: "%x = OpExtInst %f32 %glsl 53 f:1 i:1", want: "OpExtInst|not supported: GLSL.std.450 instruction 53"},
		{name: "a builtin", old: "%lane 11 29", replacement: "%lane 11 25", want: "not supported: builtin 25"},
		{name: "a storage class", old: "%vu32 = OpTypePointer 6 %u32", replacement: "%vu32 = OpTypePointer 5 %u32", want: "not supported: storage class 5"},
		{name: "an execution mode", old: "17 4 1 1", replacement: "18 4 1 1", want: "not supported: execution mode 18"},
		{name: "memory operands", body: "%x = OpLoad %u32 %lane 1", want: "OpLoad|not supported: memory operands 0x1"},
		{name: "the scope of an atomic", body: "%p = OpAccessChain %pu32 %data u:0 %i\n%x = OpAtomicLoad %u32 %p u:2 u:0", want: "OpAtomicLoad|not supported: scope 2"},
		{name: "the semantics of an atomic", body: "%p = OpAccessChain %pu32 %data u:0 %i\n%x = OpAtomicLoad %u32 %p u:1 u:2", want: "not supported: memory semantics 0x2"},
		{name: "the semantics of a barrier", body: "OpControlBarrier u:2 u:2 u:0x110", want: "not supported: memory semantics 0x110"},
		{name: "a barrier that does not order", body: "OpControlBarrier u:2 u:2 u:0x100", want: "not supported: memory semantics 0x100"},
		{name: "the scope of a barrier", body: "OpControlBarrier u:1 u:2 u:0x108", want: "not supported: scope 1"},
		{name: "integers of 8 bits", old: "%f16 =", replacement: "%u8 = OpTypeInt 8 0\n%f16 =", want: "lacks the capability Int8"},
		{name: "floats of 64 bits", old: "%f16 =", replacement: "%f64 = OpTypeFloat 64\n%f16 =", want: "lacks the capability Float64"},
		{name: "loop control", body: "OpBranch %h\n%h = OpLabel\nOpLoopMerge %m %c 1\nOpBranch %m\n%c = OpLabel\nOpBranch %h\n%m = OpLabel", want: "OpLoopMerge|not supported: control 0x1"},
		{name: "a group operation", body: "%x = OpGroupNonUniformUMin %u32 u:3 1 %i", want: "not supported: group operation 1"},
		{name: "an undefined pointer", body: "%p = OpUndef %fu32\nOpStore %p u:1", want: "OpUndef|not supported: an undefined value of type"},
		{name: "wide bits", body: "%x = OpBitCount %u64 U:1", want: "OpBitCount|not supported: operands of 64 bits"},

		{name: "no entry point", old: `"main"`, replacement: `"other"`, want: `no entry point "main"`},
		{name: "no size", old: "OpExecutionMode %main 17 4 1 1\n", want: "LocalSize"},
		{name: "no capability", old: "OpCapability 1\n", want: "lacks the capability Shader"},
		{name: "no stride", old: "OpDecorate %words 6 4\n", body: "%p = OpAccessChain %pu32 %data u:0 %i", want: "no ArrayStride"},
		{name: "a stride within an element", old: "OpDecorate %words 6 4\n", replacement: "OpDecorate %words 6 2\n", body: "%p = OpAccessChain %pu32 %data u:0 %i", want: "stride of 2 bytes"},
		{name: "no offset", old: "OpMemberDecorate %Data 0 35 0\n", body: "%p = OpAccessChain %pu32 %data u:0 %i", want: "no Offset"},
		{name: "no block", old: "OpDecorate %Data 2\n", want: "Block"},
		{name: "no binding", old: "OpDecorate %data 33 0\n", want: "lacks DescriptorSet or Binding"},
		{name: "no builtin", old: "OpDecorate %lane 11 29\n", want: "builtin"},

		{name: "an input that is not named", old: `"main" %lane %group`, replacement: `"main" %group`, want: "OpLoad|the entry point does not name the variable"},

		{name: "operands of two widths", body: "%x = OpIAdd %u32 %i U:1", want: "OpIAdd|mismatch of types: operand 1"},
		{name: "operands of two classes", body: "%x = OpFAdd %f32 f:1 %i", want: "OpFAdd|mismatch of types: operand 1"},
		{name: "a result of another class", body: "%x = OpIAdd %f32 %i %i", want: "OpIAdd|mismatch of types: the result"},
		{name: "components", body: "%v = OpCompositeConstruct %u2 %i %i\n%x = OpIAdd %u2 %v %i", want: "mismatch of types: operand 1"},
		{name: "what is stored", body: put("%i", "f:1"), want: "OpStore|mismatch of types"},
		{name: "what is loaded", body: "%x = OpLoad %f32 %lane", want: "OpLoad|mismatch of types"},
		{name: "what is constructed", body: "%x = OpCompositeConstruct %u3 %i %i", want: "OpCompositeConstruct|mismatch of types"},
		{name: "what is extracted", body: "%v = OpCompositeConstruct %u2 %i %i\n%x = OpCompositeExtract %u32 %v 2", want: "OpCompositeExtract|index 2 is outside"},
		{name: "a condition", body: "OpSelectionMerge %m 0\nOpBranchConditional %i %m %m\n%m = OpLabel", want: "OpBranchConditional|no bool"},
		{name: "a chain", body: "%p = OpAccessChain %pu32 %data u:0", want: "OpAccessChain|mismatch of types: the result"},
		{name: "a member", body: "%p = OpAccessChain %pu32 %data u:1 %i", want: "index %"},
		{name: "an argument", body: "%x = OpFunctionCall %void %main %i", want: "OpFunctionCall|mismatch of types"},

		{name: "a use before the definition", body: "%x = OpIAdd %u32 %y %i\n%y = OpIAdd %u32 %i %i", want: "used where it may not be defined"},
		{name: "a use beside the definition", body: "%c = OpIEqual %bool %i u:0\nOpSelectionMerge %m 0\nOpBranchConditional %c %y %m\n%y = OpLabel\n%x = OpIAdd %u32 %i %i\nOpBranch %m\n%m = OpLabel\n%z = OpIAdd %u32 %x %x", want: "used where it may not be defined"},
		{name: "a phi without an operand", body: "OpBranch %m\n%m = OpLabel\n%x = OpPhi %u32", want: "OpPhi|has no operand"},
		{name: "an id twice", body: "%x = OpIAdd %u32 %i %i\n%x = OpIAdd %u32 %i %i", want: "defined twice"},
		{name: "recursion", body: "%x = OpFunctionCall %void %main", want: "calls itself"},
		{name: "a read-only buffer", old: "OpDecorate %data 33 0", replacement: "OpDecorate %data 33 0\nOpDecorate %data 24", body: put("%i", "%i"), want: "OpStore|NonWritable"},
		{name: "an input", body: "OpStore %lane u:1", want: "OpStore|storage class Input cannot be written"},
	} {
		t.Run(test.name, func(t *testing.T) {
			text := kernel("", test.body)
			if test.old != "" {
				if !strings.Contains(text, test.old) {
					t.Fatalf("the module does not have %s", test.old)
				}
				text = strings.Replace(text, test.old, test.replacement, 1)
			}
			_, err := runKernel(t, text, 1, make([]uint32, 8))
			expect(t, err, test.want)
		})
	}
}

// TestVersions: since SPIR-V 1.4 an entry point names its buffers, too.
func TestVersions(t *testing.T) {
	text := kernel("", put("%i", "%i"))
	named := strings.Replace(text, "%lane %group", "%lane %group %data", 1)
	for _, test := range []struct {
		version uint32
		text    string
		want    string
	}{
		{0x10200, text, "not supported: version 1.2"}, {0x10300, text, ""},
		{0x10400, text, "OpAccessChain|the entry point does not name the variable"}, {0x10400, named, ""},
		{0x10600, text, "OpAccessChain|the entry point does not name the variable"}, {0x10600, named, ""},
		{0x10601, named, "not supported: version"}, {0x10700, named, "not supported: version 1.7"},
	} {
		code := assemble(t, test.text)
		binary.LittleEndian.PutUint32(code[4:], test.version)
		err := Run(code, &emulate.Launch{Entry: "main", Grid: [3]uint32{1, 1, 1}, Subgroup: 4, Steps: 1000,
			Buffers: []emulate.Buffer{{Data: make([]byte, 32)}}})
		if test.want == "" && err == nil {
			continue
		}
		if test.want == "" {
			t.Errorf("version %#x: %v", test.version, err)
			continue
		}
		expect(t, err, test.want)
	}
}

// TestLaunch tests launches that do not fit the module, and words that are no module.
func TestLaunch(t *testing.T) {
	good := assemble(t, kernel("", ""))
	l := emulate.Launch{Entry: "main", Grid: [3]uint32{1, 1, 1}, Buffers: []emulate.Buffer{{Data: make([]byte, 16)}}}
	if err := Run(good, &l); err != nil {
		t.Fatal(err)
	}
	with := func(word int, value uint32) []byte {
		code := append([]byte(nil), good...)
		binary.LittleEndian.PutUint32(code[4*word:], value)
		return code
	}
	for _, test := range []struct {
		name string
		code []byte
		l    emulate.Launch
		want string
	}{
		{"no buffer", good, emulate.Launch{Entry: "main", Grid: l.Grid}, "group 0, binding 0"},
		{"subgroups of three", good, emulate.Launch{Entry: "main", Grid: l.Grid, Buffers: l.Buffers, Subgroup: 3}, "power of two"},
		{"subgroups of 256", good, emulate.Launch{Entry: "main", Grid: l.Grid, Buffers: l.Buffers, Subgroup: 256}, "power of two"},
		{"steps", good, emulate.Launch{Entry: "main", Grid: l.Grid, Buffers: l.Buffers, Steps: 7}, "more instructions than its limit"},
		{"nothing", nil, l, "not a header"},
		{"half a word", good[:len(good)-2], l, "not a header"},
		{"magic number", with(0, 1), l, "magic number"},
		{"version", with(1, 0x00010700), l, "not supported: version 1.7"},
		{"bound", with(3, 2), l, "outside of the bound"},
		{"length", with(5, 0x7FFF0011), l, "longer than the module"},
		{"opcode", with(5, 0x0002FFFF), l, "not supported: opcode 65535"},
		{"operands", with(5, 0x00010011), l, "lacks an operand"},
		{"cut", good[:len(good)-4], l, "does not end"},
	} {
		t.Run(test.name, func(t *testing.T) { expect(t, Run(test.code, &test.l), test.want) })
	}
}

// TestArbitraryWords replaces the words of modules; the emulator must not panic.
func TestArbitraryWords(t *testing.T) {
	exchange := kernel("", "%s = OpAccessChain %wu32 %shared %i\nOpStore %s %i\nOpControlBarrier u:2 u:2 u:0x108\n"+
		loop("%n", "%i", "", "%a = OpGroupNonUniformIAdd %u32 u:3 0 %n\n"+put("%i", "%a")))
	sizes := ofSizes("%wbyte = OpTypePointer 4 %u8\n%byte = OpVariable %wbyte 4", only(`%b = OpUConvert %u8 %i
OpStore %byte %b
%c = OpLoad %u8 %byte
%is = OpINotEqual %bool %c b:0
%d = OpConvertUToF %f64 %c
%e = OpExtInst %f64 %glsl Fma %d d:2 %d
%s = OpSelect %f64 %is %e %d
%n = OpConvertFToS %i16 %s
%k = OpSConvert %i32 %n
%l = OpBitcast %u32 %k
`+put("u:0", "%l")))
	arbitraryWords(t, assemble(t, exchange))
	arbitraryWords(t, assemble(t, sizes))
}

// arbitraryWords executes a module with each word replaced by others.
func arbitraryWords(t *testing.T, good []byte) {
	l := emulate.Launch{Entry: "main", Grid: [3]uint32{1, 1, 1}, Buffers: []emulate.Buffer{{Data: make([]byte, 16)}}}
	if err := Run(good, &l); err != nil {
		t.Fatal(err)
	}
	for at := 5; at < len(good)/4; at++ {
		for _, value := range []uint32{0, 1, 2, 3, 7, 35, 60, 1 << 31, ^uint32(0)} {
			code := append([]byte(nil), good...)
			for _, w := range []uint32{value, binary.LittleEndian.Uint32(good[4*at:]) + value} {
				binary.LittleEndian.PutUint32(code[4*at:], w)
				l := emulate.Launch{Entry: "main", Grid: [3]uint32{1, 1, 1}, Steps: 2000, Buffers: []emulate.Buffer{{Data: make([]byte, 16)}}}
				_ = Run(code, &l)
			}
		}
	}
}
