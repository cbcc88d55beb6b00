package spirv

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestOperations executes single operations and compares the words of the result's components with
// those computed by hand. Halves are bit patterns, and of 64 bits the low word comes first.
func TestOperations(t *testing.T) {
	const inf, nan = "0x7F800000", "0x7FC00000"
	for _, test := range []struct {
		operation string // a result's type in front, operands after
		want      []uint32
	}{
		{"OpIAdd %u32 u:0xFFFFFFFF u:2", []uint32{1}},
		{"OpIAdd %i32 i:-5 u:3", []uint32{0xFFFFFFFE}},
		{"OpIAdd %u64 U:0xFFFFFFFF U:1", []uint32{0, 1}},
		{"OpISub %u32 u:1 u:2", []uint32{0xFFFFFFFF}},
		{"OpISub %u64 U:0 U:1", []uint32{0xFFFFFFFF, 0xFFFFFFFF}},
		{"OpIMul %u32 u:0x10001 u:0x10001", []uint32{0x00020001}},
		{"OpIMul %i64 I:-3 I:0x100000000", []uint32{0, 0xFFFFFFFD}},
		{"OpSNegate %i32 i:7", []uint32{0xFFFFFFF9}},
		{"OpSNegate %i64 I:1", []uint32{0xFFFFFFFF, 0xFFFFFFFF}},
		{"OpUDiv %u32 u:0xFFFFFFFF u:16", []uint32{0x0FFFFFFF}},
		{"OpSDiv %i32 i:-7 i:2", []uint32{0xFFFFFFFD}},
		{"OpSDiv %i64 I:-7 I:2", []uint32{0xFFFFFFFD, 0xFFFFFFFF}},
		{"OpUMod %u32 u:17 u:5", []uint32{2}},
		{"OpSRem %i32 i:-7 i:3", []uint32{0xFFFFFFFF}},
		{"OpSMod %i32 i:-7 i:3", []uint32{2}},
		{"OpSMod %i32 i:7 i:-3", []uint32{0xFFFFFFFE}},
		{"OpShiftLeftLogical %u32 u:0x80000001 u:31", []uint32{0x80000000}},
		{"OpShiftLeftLogical %u64 U:1 u:63", []uint32{0, 0x80000000}},
		{"OpShiftRightLogical %u32 u:0x80000000 u:31", []uint32{1}},
		{"OpShiftRightArithmetic %i32 i:-8 u:1", []uint32{0xFFFFFFFC}},
		{"OpShiftRightArithmetic %i64 I:-8 u:33", []uint32{0xFFFFFFFF, 0xFFFFFFFF}},
		{"OpBitwiseAnd %u32 u:12 u:10", []uint32{8}},
		{"OpBitwiseOr %u32 u:12 u:10", []uint32{14}},
		{"OpBitwiseXor %u32 u:12 u:10", []uint32{6}},
		{"OpNot %u32 u:0", []uint32{0xFFFFFFFF}},
		{"OpNot %u64 U:0", []uint32{0xFFFFFFFF, 0xFFFFFFFF}},
		{"OpBitReverse %u32 u:0x80000002", []uint32{0x40000001}},
		{"OpBitCount %u32 u:0xF00F", []uint32{8}},
		{"OpBitFieldInsert %u32 u:0xFFFFFFFF u:0 u:4 u:8", []uint32{0xFFFFF00F}},
		{"OpBitFieldInsert %u32 u:1 u:2 u:0 u:32", []uint32{2}},
		{"OpBitFieldInsert %u32 u:1 u:2 u:32 u:0", []uint32{1}},
		{"OpBitFieldUExtract %u32 u:0xABCD u:4 u:8", []uint32{0xBC}},
		{"OpBitFieldSExtract %i32 i:0xABCD u:4 u:8", []uint32{0xFFFFFFBC}},
		{"OpBitFieldSExtract %i32 i:-1 u:0 u:0", []uint32{0}},
		{"OpBitFieldSExtract %i32 i:-2 u:0 u:32", []uint32{0xFFFFFFFE}},

		{"OpIEqual %bool u:1 i:1", []uint32{1}},
		{"OpINotEqual %bool u:1 u:1", []uint32{0}},
		{"OpUGreaterThan %bool u:0xFFFFFFFF u:1", []uint32{1}},
		{"OpSGreaterThan %bool u:0xFFFFFFFF u:1", []uint32{0}},
		{"OpULessThan %bool u:1 u:1", []uint32{0}},
		{"OpSLessThan %bool i:-1 i:1", []uint32{1}},
		{"OpUGreaterThanEqual %bool u:1 u:1", []uint32{1}},
		{"OpSGreaterThanEqual %bool i:-2 i:-1", []uint32{0}},
		{"OpULessThanEqual %bool u:1 u:1", []uint32{1}},
		{"OpSLessThanEqual %bool I:-1 I:-1", []uint32{1}},
		{"OpSLessThan %bool I:-1 I:0x7FFFFFFFFFFFFFFF", []uint32{1}},
		{"OpLogicalAnd %bool %true %false", []uint32{0}},
		{"OpLogicalOr %bool %true %false", []uint32{1}},
		{"OpLogicalEqual %bool %false %false", []uint32{1}},
		{"OpLogicalNotEqual %bool %true %false", []uint32{1}},
		{"OpLogicalNot %bool %true", []uint32{0}},
		{"OpSelect %u32 %true u:3 u:4", []uint32{3}},
		{"OpSelect %f32 %false f:3 f:4", []uint32{0x40800000}},
		{"OpAny %bool %ft", []uint32{1}},
		{"OpAll %bool %ft", []uint32{0}},
		{"OpSelect %u2 %ft %u12 %u34", []uint32{3, 2}},

		{"OpFAdd %f32 f:0x4B800000 f:1", []uint32{0x4B800000}}, // 2^24+1: a tie, to even
		{"OpFAdd %f32 f:0x4B800001 f:1", []uint32{0x4B800002}}, // 2^24+2+1
		{"OpFAdd %f32 f:0x00000001 f:0x00000001", []uint32{2}}, // subnormal
		{"OpFSub %f32 f:1 f:0x3F800001", []uint32{0xB4000000}},
		{"OpFMul %f32 f:0x3F800001 f:0x3F800001", []uint32{0x3F800002}},
		{"OpFMul %f32 f:0x7F000000 f:4", []uint32{0x7F800000}},
		{"OpFDiv %f32 f:1 f:3", []uint32{0x3EAAAAAB}},
		{"OpFDiv %f32 f:-1 f:0", []uint32{0xFF800000}},
		{"OpFRem %f32 f:-7 f:3", []uint32{0xBF800000}},
		{"OpFNegate %f32 f:0x7FC01234", []uint32{0xFFC01234}},
		{"OpFNegate %f16 h:0", []uint32{0x8000}},
		{"OpFAdd %f16 h:2048 h:1", []uint32{0x6800}}, // a tie, to even
		{"OpFAdd %f16 h:2048 h:3", []uint32{0x6802}}, // 2051 lies between 2050 and 2052: to even
		{"OpFMul %f16 h:0x0001 h:0.5", []uint32{0}},
		{"OpFMul %f16 h:0x0003 h:0.5", []uint32{2}},
		{"OpFDiv %f16 h:1 h:3", []uint32{0x3555}},
		{"OpFMul %f16 h:65504 h:2", []uint32{0x7C00}},
		{"OpDot %f32 %f123 %f123", []uint32{0x41600000}},
		{"OpFOrdEqual %bool f:0 f:-0", []uint32{1}},
		{"OpFOrdEqual %bool f:" + nan + " f:" + nan, []uint32{0}},
		{"OpFUnordEqual %bool f:" + nan + " f:1", []uint32{1}},
		{"OpFOrdNotEqual %bool f:" + nan + " f:1", []uint32{0}},
		{"OpFUnordNotEqual %bool f:" + nan + " f:1", []uint32{1}},
		{"OpFOrdLessThan %bool f:1 f:2", []uint32{1}},
		{"OpFOrdLessThan %bool f:" + nan + " f:2", []uint32{0}},
		{"OpFUnordLessThan %bool f:" + nan + " f:2", []uint32{1}},
		{"OpFOrdGreaterThan %bool f:" + inf + " f:2", []uint32{1}},
		{"OpFUnordGreaterThan %bool f:1 f:2", []uint32{0}},
		{"OpFOrdLessThanEqual %bool h:2 h:2", []uint32{1}},
		{"OpFUnordLessThanEqual %bool h:3 h:2", []uint32{0}},
		{"OpFOrdGreaterThanEqual %bool f:2 f:2", []uint32{1}},
		{"OpFUnordGreaterThanEqual %bool f:1 f:2", []uint32{0}},
		{"OpIsNan %bool f:" + nan, []uint32{1}},
		{"OpIsInf %bool f:" + inf, []uint32{1}},

		{"OpConvertFToU %u32 f:4294967040", []uint32{4294967040}},
		{"OpConvertFToU %u32 f:-0.5", []uint32{0}},
		{"OpConvertFToS %i32 f:-2147483648", []uint32{0x80000000}},
		{"OpConvertFToS %i32 f:-1.75", []uint32{0xFFFFFFFF}},
		{"OpConvertFToS %i64 f:-4294967296", []uint32{0, 0xFFFFFFFF}},
		{"OpConvertSToF %f32 i:-1", []uint32{0xBF800000}},
		{"OpConvertUToF %f32 u:0xFFFFFFFF", []uint32{0x4F800000}},
		// a double in between would round to even
		{"OpConvertUToF %f32 U:0x8000008000000001", []uint32{0x5F000001}},
		{"OpConvertUToF %f16 u:65520", []uint32{0x7C00}},
		{"OpUConvert %u64 u:0xFFFFFFFF", []uint32{0xFFFFFFFF, 0}},
		{"OpUConvert %u32 U:0x500000007", []uint32{7}},
		{"OpSConvert %i64 i:-2", []uint32{0xFFFFFFFE, 0xFFFFFFFF}},
		{"OpSConvert %i32 I:0x5FFFFFFFF", []uint32{0xFFFFFFFF}},
		{"OpFConvert %f16 f:0x477FF000", []uint32{0x7C00}}, // 65520
		{"OpFConvert %f16 f:0x477FEFFF", []uint32{0x7BFF}},
		{"OpFConvert %f16 f:0x33000000", []uint32{0}}, // 2^-25: half of the smallest, to even
		{"OpFConvert %f16 f:0x33000001", []uint32{1}},
		// between subnormal and normal: the carry
		{"OpFConvert %f16 f:0x387FE000", []uint32{0x0400}},
		{"OpFConvert %f32 h:0x0001", []uint32{0x33800000}},
		{"OpQuantizeToF16 %f32 f:0x3F801000", []uint32{0x3F800000}},
		{"OpQuantizeToF16 %f32 f:65536", []uint32{0x7F800000}},
		{"OpQuantizeToF16 %f32 f:0xB8000000", []uint32{0x80000000}}, // -2^-15
		{"OpBitcast %f32 u:0x3F800000", []uint32{0x3F800000}},
		{"OpBitcast %u64 %u12", []uint32{1, 2}},
		{"OpBitcast %u2 U:0x200000001", []uint32{1, 2}},
		{"OpBitcast %u32 %h12", []uint32{0x40003C00}},

		{"OpExtInst %f32 %glsl RoundEven f:2.5", []uint32{0x40000000}},
		{"OpExtInst %f32 %glsl RoundEven f:-0.5", []uint32{0x80000000}},
		{"OpExtInst %f32 %glsl Trunc f:-1.5", []uint32{0xBF800000}},
		{"OpExtInst %f32 %glsl FAbs f:0xFFC00001", []uint32{0x7FC00001}},
		{"OpExtInst %f16 %glsl FAbs h:-1", []uint32{0x3C00}},
		{"OpExtInst %i32 %glsl SAbs i:-3", []uint32{3}},
		{"OpExtInst %i32 %glsl SAbs i:-2147483648", []uint32{0x80000000}},
		{"OpExtInst %f32 %glsl FSign f:-3", []uint32{0xBF800000}},
		{"OpExtInst %i64 %glsl SSign I:-3", []uint32{0xFFFFFFFF, 0xFFFFFFFF}},
		{"OpExtInst %i32 %glsl SSign i:0", []uint32{0}},
		{"OpExtInst %f32 %glsl Floor f:-1.5", []uint32{0xC0000000}},
		{"OpExtInst %f32 %glsl Ceil f:1.5", []uint32{0x40000000}},
		{"OpExtInst %f32 %glsl Fract f:-1.75", []uint32{0x3E800000}},
		{"OpExtInst %f32 %glsl Sin f:0", []uint32{0}},
		{"OpExtInst %f32 %glsl Cos f:0", []uint32{0x3F800000}},
		{"OpExtInst %f32 %glsl Tan f:0", []uint32{0}},
		{"OpExtInst %f32 %glsl Asin f:1", []uint32{0x3FC90FDB}},
		{"OpExtInst %f32 %glsl Acos f:-1", []uint32{0x40490FDB}},
		{"OpExtInst %f32 %glsl Atan f:1", []uint32{0x3F490FDB}},
		{"OpExtInst %f32 %glsl Atan2 f:1 f:-1", []uint32{0x4016CBE4}},
		{"OpExtInst %f32 %glsl Sinh f:0", []uint32{0}},
		{"OpExtInst %f32 %glsl Cosh f:0", []uint32{0x3F800000}},
		{"OpExtInst %f32 %glsl Tanh f:100", []uint32{0x3F800000}},
		{"OpExtInst %f32 %glsl Asinh f:0", []uint32{0}},
		{"OpExtInst %f32 %glsl Acosh f:1", []uint32{0}},
		{"OpExtInst %f32 %glsl Atanh f:0", []uint32{0}},
		{"OpExtInst %f32 %glsl Pow f:2 f:10", []uint32{0x44800000}},
		{"OpExtInst %f32 %glsl Exp f:1", []uint32{0x402DF854}},
		{"OpExtInst %f32 %glsl Log f:1", []uint32{0}},
		{"OpExtInst %f32 %glsl Exp2 f:-1", []uint32{0x3F000000}},
		{"OpExtInst %f32 %glsl Log2 f:8", []uint32{0x40400000}},
		{"OpExtInst %f32 %glsl Sqrt f:2", []uint32{0x3FB504F3}},
		{"OpExtInst %f32 %glsl InverseSqrt f:4", []uint32{0x3F000000}},
		{"OpExtInst %f32 %glsl FMin f:" + nan + " f:1", []uint32{0x3F800000}},
		{"OpExtInst %f32 %glsl FMin f:0 f:-0", []uint32{0x80000000}},
		{"OpExtInst %f32 %glsl FMax f:1 f:" + nan, []uint32{0x3F800000}},
		{"OpExtInst %f32 %glsl FMax f:1 f:2", []uint32{0x40000000}},
		{"OpExtInst %u32 %glsl UMin u:0xFFFFFFFF u:1", []uint32{1}},
		{"OpExtInst %i32 %glsl SMin i:-1 i:1", []uint32{0xFFFFFFFF}},
		{"OpExtInst %u32 %glsl UMax u:0xFFFFFFFF u:1", []uint32{0xFFFFFFFF}},
		{"OpExtInst %i32 %glsl SMax i:-1 i:1", []uint32{1}},
		// (1+2^-23)² - (1+2^-22) is 2^-46, which no sum of a rounded product has.
		{"OpExtInst %f32 %glsl Fma f:0x3F800001 f:0x3F800001 f:0xBF800002", []uint32{0x28800000}},
		// A tie of 24 bits that only a bit far below the 53rd breaks.
		{"OpExtInst %f32 %glsl Fma f:0x3F800001 f:0x3F000000 f:0x0D800000", []uint32{0x3F000001}},
		{"OpExtInst %f32 %glsl Fma f:0x4B800001 f:1 f:1", []uint32{0x4B800002}},
		{"OpExtInst %f32 %glsl Fma f:0x4B800000 f:0x3F800000 f:0x3F800001", []uint32{0x4B800001}},
		{"OpExtInst %i32 %glsl FindILsb u:0x50", []uint32{4}},
		{"OpExtInst %i32 %glsl FindILsb u:0", []uint32{0xFFFFFFFF}},
		{"OpExtInst %i32 %glsl FindSMsb i:-1", []uint32{0xFFFFFFFF}},
		{"OpExtInst %i32 %glsl FindSMsb i:-5", []uint32{2}},
		{"OpExtInst %i32 %glsl FindUMsb u:0x50", []uint32{6}},
		{"OpExtInst %i32 %glsl FindUMsb u:0", []uint32{0xFFFFFFFF}},
		{"OpExtInst %u32 %glsl PackHalf2x16 %f12", []uint32{0x40003C00}},
		{"OpExtInst %f2 %glsl UnpackHalf2x16 u:0x40003C00", []uint32{0x3F800000, 0x40000000}},

		{"OpCompositeConstruct %u3 %u12 u:7", []uint32{1, 2, 7}},
		{"OpCompositeExtract %u32 %u34 1", []uint32{4}},
		{"OpCompositeInsert %u2 u:9 %u34 0", []uint32{9, 4}},
		{"OpVectorShuffle %u3 %u12 %u34 3 0 2", []uint32{4, 1, 3}},
		{"OpVectorExtractDynamic %u32 %u34 u:1", []uint32{4}},
		{"OpVectorInsertDynamic %u2 %u34 u:8 i:1", []uint32{3, 8}},
		{"OpCopyObject %u2 %u34", []uint32{3, 4}},
		{"OpIAdd %u2 %u12 %u34", []uint32{4, 6}},
		{"OpFMul %f3 %f123 %f123", []uint32{0x3F800000, 0x40800000, 0x41100000}},
	} {
		t.Run(test.operation, func(t *testing.T) {
			text := kernel(`%u12 = OpConstantComposite %u2 u:1 u:2
%u34 = OpConstantComposite %u2 u:3 u:4
%f12 = OpConstantComposite %f2 f:1 f:2
%f123 = OpConstantComposite %f3 f:1 f:2 f:3
%h12 = OpConstantComposite %h2 h:1 h:2
%ft = OpConstantComposite %b2 %false %true`, only("%r = "+test.operation+"\n"+storeResult(strings.Fields(test.operation)[1], len(test.want))))
			validate(t, text)
			got, err := runKernel(t, text, 1, make([]uint32, len(test.want)))
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("expected %#x, found %#x", test.want, got)
			}
		})
	}
}

// only has a body executed by the first invocation.
func only(body string) string {
	return `%first = OpIEqual %bool %i u:0
OpSelectionMerge %after 0
OpBranchConditional %first %inside %after
%inside = OpLabel
` + body + `OpBranch %after
%after = OpLabel`
}

// storeResult stores the words of %r, which has a type.
func storeResult(t string, words int) string {
	switch t {
	case "%u32":
		return put("u:0", "%r")
	case "%i32", "%f32":
		return "%w = OpBitcast %u32 %r\n" + put("u:0", "%w")
	case "%bool":
		return "%w = OpSelect %u32 %r u:1 u:0\n" + put("u:0", "%w")
	case "%u64", "%i64":
		return "%w = OpBitcast %u2 %r\n%w0 = OpCompositeExtract %u32 %w 0\n%w1 = OpCompositeExtract %u32 %w 1\n" + put("u:0", "%w0") + put("u:1", "%w1")
	case "%f16":
		return "%v = OpCompositeConstruct %h2 %r h:0\n%w = OpBitcast %u32 %v\n" + put("u:0", "%w")
	}
	var b strings.Builder
	scalar := map[byte]string{'u': "%u32", 'i': "%i32", 'f': "%f32"}[t[1]]
	for n := range words {
		fmt.Fprintf(&b, "%%w%d = OpCompositeExtract %s %%r %d\n%%x%d = ", n, scalar, n, n)
		if scalar == "%u32" {
			fmt.Fprintf(&b, "OpCopyObject %%u32 %%w%d\n", n)
		} else {
			fmt.Fprintf(&b, "OpBitcast %%u32 %%w%d\n", n)
		}
		b.WriteString(put(fmt.Sprintf("u:%d", n), fmt.Sprintf("%%x%d", n)))
	}
	return b.String()
}
