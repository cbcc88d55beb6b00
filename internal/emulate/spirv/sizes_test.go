package spirv

import (
	"slices"
	"strings"
	"testing"
)

// sizeHead and sizeTypes declare scalars of 8, 16 and 64 bits. The other tests do without them,
// since race detection has a finer granularity in modules with narrow types.
const (
	sizeHead = `OpCapability 10
OpCapability 12
OpCapability 22
OpCapability 39
OpCapability 4433
OpCapability 4448
OpExtension "SPV_KHR_8bit_storage"
`
	sizeTypes = `%u8 = OpTypeInt 8 0
%i8 = OpTypeInt 8 1
%u16 = OpTypeInt 16 0
%i16 = OpTypeInt 16 1
%f64 = OpTypeFloat 64
%c2 = OpTypeVector %u8 2
%d2 = OpTypeVector %f64 2
`
)

// ofSizes returns a kernel in a module that declares scalars of all sizes.
func ofSizes(globals, body string) string {
	text := strings.Replace(kernel(globals, body), "%glsl = ", sizeHead+"%glsl = ", 1)
	return strings.Replace(text, "%b2 = OpTypeVector", sizeTypes+"%b2 = OpTypeVector", 1)
}

// holding replaces the element type of a kernel's buffer.
func holding(text, element, stride string) string {
	text = strings.Replace(text, "OpDecorate %words 6 4", "OpDecorate %words 6 "+stride, 1)
	text = strings.Replace(text, "%words = OpTypeRuntimeArray %u32", "%words = OpTypeRuntimeArray "+element, 1)
	return strings.Replace(text, "%pData =", "%pElement = OpTypePointer 12 "+element+"\n%pData =", 1)
}

// storeSize stores %r as storeResult does.
func storeSize(t string, words int) string {
	switch t {
	case "%u8", "%u16":
		return "%w = OpUConvert %u32 %r\n" + put("u:0", "%w")
	case "%i8", "%i16":
		return "%v = OpSConvert %i32 %r\n%w = OpBitcast %u32 %v\n" + put("u:0", "%w")
	case "%f64":
		t = "%u64"
	}
	return storeResult(t, words)
}

// TestSizes executes single operations on values of 8, 16 and 64 bits.
func TestSizes(t *testing.T) {
	const nan = "0x7FF8000000000000"
	for _, test := range []struct {
		operation string
		want      []uint32
	}{
		{"OpUConvert %u8 u:0x1FF", []uint32{0xFF}},
		{"OpUConvert %u32 b:200", []uint32{200}},
		{"OpUConvert %u16 U:0x123456789", []uint32{0x6789}},
		{"OpUConvert %u64 s:0xFFFF", []uint32{0xFFFF, 0}},
		{"OpUConvert %u16 B:-1", []uint32{0xFF}},
		{"OpSConvert %i32 B:-2", []uint32{0xFFFFFFFE}},
		{"OpSConvert %i32 b:0xFE", []uint32{0xFFFFFFFE}},
		{"OpSConvert %i8 i:0x17F", []uint32{0x7F}},
		{"OpSConvert %i8 i:0x80", []uint32{0xFFFFFF80}},
		{"OpSConvert %i16 B:-1", []uint32{0xFFFFFFFF}},
		{"OpSConvert %i64 S:-2", []uint32{0xFFFFFFFE, 0xFFFFFFFF}},
		{"OpBitcast %i8 b:0xFF", []uint32{0xFFFFFFFF}},
		{"OpBitcast %u16 S:-32768", []uint32{0x8000}},
		{"OpConvertSToF %f32 B:-128", []uint32{0xC3000000}},
		{"OpConvertSToF %f64 S:-32768", []uint32{0, 0xC0E00000}},
		{"OpConvertUToF %f64 b:255", []uint32{0, 0x406FE000}},
		{"OpConvertUToF %f16 s:65535", []uint32{0x7C00}},
		{"OpConvertFToU %u8 f:255.5", []uint32{255}},
		{"OpConvertFToS %i16 d:-32768.9", []uint32{0xFFFF8000}},
		{"OpConvertFToS %i8 h:-128", []uint32{0xFFFFFF80}},
		{"OpINotEqual %bool b:0 b:0", []uint32{0}},
		{"OpINotEqual %bool S:-1 S:0", []uint32{1}},
		{"OpSelect %u8 %true b:3 b:4", []uint32{3}},
		{"OpSelect %i16 %false S:3 S:-4", []uint32{0xFFFFFFFC}},
		{"OpCompositeExtract %u8 %c78 1", []uint32{8}},
		{"OpVectorExtractDynamic %u8 %c78 u:0", []uint32{7}},
		{"OpCopyObject %i16 S:-5", []uint32{0xFFFFFFFB}},

		{"OpFAdd %f64 d:0x4340000000000000 d:1", []uint32{0, 0x43400000}}, // 2^53+1: a tie, to even
		{"OpFAdd %f64 d:0x4340000000000001 d:1", []uint32{2, 0x43400000}}, // 2^53+2+1
		{"OpFSub %f64 d:0x0010000000000000 d:0x0000000000000001", []uint32{0xFFFFFFFF, 0x000FFFFF}},
		{"OpFMul %f64 d:0x3FF0000000000001 d:0x3FF0000000000001", []uint32{2, 0x3FF00000}},
		{"OpFDiv %f64 d:1 d:3", []uint32{0x55555555, 0x3FD55555}},
		{"OpFDiv %f64 d:-1 d:0", []uint32{0, 0xFFF00000}},
		{"OpFRem %f64 d:-7 d:3", []uint32{0, 0xBFF00000}},
		{"OpFNegate %f64 d:0x7FF8000000001234", []uint32{0x1234, 0xFFF80000}},
		{"OpDot %f64 %d12 %d12", []uint32{0, 0x40140000}},
		{"OpFOrdEqual %bool d:0 d:-0", []uint32{1}},
		{"OpFOrdEqual %bool d:" + nan + " d:" + nan, []uint32{0}},
		{"OpFUnordNotEqual %bool d:" + nan + " d:1", []uint32{1}},
		// which floats of 32 bits do not tell apart
		{"OpFOrdLessThan %bool d:1 d:0x3FF0000000000001", []uint32{1}},
		{"OpFOrdGreaterThanEqual %bool d:" + nan + " d:1", []uint32{0}},
		{"OpIsNan %bool d:" + nan, []uint32{1}},
		{"OpIsInf %bool d:0xFFF0000000000000", []uint32{1}},
		{"OpSelect %f64 %false d:3 d:4", []uint32{0, 0x40100000}},
		{"OpBitcast %f64 %u12", []uint32{1, 2}},
		{"OpBitcast %u2 d:0x200000001", []uint32{1, 2}},

		{"OpFConvert %f64 f:0x00000001", []uint32{0, 0x36A00000}}, // 2^-149
		{"OpFConvert %f64 h:0x0001", []uint32{0, 0x3E700000}},     // 2^-24
		{"OpFConvert %f32 d:0x3FF0000010000000", []uint32{0x3F800000}},
		{"OpFConvert %f32 d:0x3FF0000010000001", []uint32{0x3F800001}},
		{"OpFConvert %f16 d:0x3FF0020000000000", []uint32{0x3C00}},
		// a float of 32 bits between would be halfway
		{"OpFConvert %f16 d:0x3FF0020000000001", []uint32{0x3C01}},
		{"OpConvertFToS %i32 d:-2147483648.9", []uint32{0x80000000}},
		{"OpConvertFToU %u64 d:0x43E0000000000001", []uint32{0x800, 0x80000000}},
		{"OpConvertSToF %f64 I:-1", []uint32{0, 0xBFF00000}},
		{"OpConvertUToF %f64 U:0x8000000000000400", []uint32{0, 0x43E00000}}, // halfway, to even
		{"OpConvertUToF %f64 U:0x8000000000000401", []uint32{1, 0x43E00000}},

		{"OpExtInst %f64 %glsl RoundEven d:2.5", []uint32{0, 0x40000000}},
		{"OpExtInst %f64 %glsl Trunc d:-1.75", []uint32{0, 0xBFF00000}},
		{"OpExtInst %f64 %glsl FAbs d:0xFFF8000000000001", []uint32{1, 0x7FF80000}},
		{"OpExtInst %f64 %glsl FSign d:-0x1p-1074", []uint32{0, 0xBFF00000}},
		{"OpExtInst %f64 %glsl Floor d:-0.5", []uint32{0, 0xBFF00000}},
		{"OpExtInst %f64 %glsl Ceil d:-0.5", []uint32{0, 0x80000000}},
		{"OpExtInst %f64 %glsl Fract d:-1.75", []uint32{0, 0x3FD00000}},
		{"OpExtInst %f64 %glsl Sqrt d:2", []uint32{0x667F3BCD, 0x3FF6A09E}},
		{"OpExtInst %f64 %glsl InverseSqrt d:4", []uint32{0, 0x3FE00000}},
		{"OpExtInst %f64 %glsl FMin d:" + nan + " d:1", []uint32{0, 0x3FF00000}},
		{"OpExtInst %f64 %glsl FMin d:0 d:-0", []uint32{0, 0x80000000}},
		{"OpExtInst %f64 %glsl FMax d:1 d:0x3FF0000000000001", []uint32{1, 0x3FF00000}},
		// 2^-104
		{"OpExtInst %f64 %glsl Fma d:0x3FF0000000000001 d:0x3FF0000000000001 d:0xBFF0000000000002", []uint32{0, 0x39700000}},
	} {
		t.Run(test.operation, func(t *testing.T) {
			text := ofSizes(`%u12 = OpConstantComposite %u2 u:1 u:2
%c78 = OpConstantComposite %c2 b:7 b:8
%d12 = OpConstantComposite %d2 d:1 d:2`, only("%r = "+test.operation+"\n"+storeSize(strings.Fields(test.operation)[1], len(test.want))))
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

// element is a pointer to the invocation's element of a buffer that holding made.
const element = "%p = OpAccessChain %pElement %data u:0 %i\n"

// TestSizesInMemory loads and stores values of all sizes in all storage classes.
func TestSizesInMemory(t *testing.T) {
	for _, test := range []struct {
		name, element, stride string
		globals, body         string
		data, want            []uint32
		err                   string
	}{
		{name: "bytes", element: "%u8", stride: "1", body: element + `%old = OpLoad %u8 %p
%x = OpUConvert %u32 %old
%y = OpIMul %u32 %x u:2
%z = OpUConvert %u8 %y
OpStore %p %z`, data: []uint32{0x81020304, 5}, want: []uint32{0x02040608, 5}},
		{name: "halves", element: "%i16", stride: "2", body: element + `%old = OpLoad %i16 %p
%x = OpSConvert %i32 %old
%y = OpIMul %i32 %x i:3
%z = OpSConvert %i16 %y
OpStore %p %z`, data: []uint32{0x0001FFFF, 0x40000002, 9}, want: []uint32{0x0003FFFD, 0xC0000006, 9}},
		{name: "doubles", element: "%f64", stride: "8", body: element + `%x = OpLoad %f64 %p
%y = OpFMul %f64 %x d:0.5
OpStore %p %y`, data: []uint32{0, 0x40000000, 1, 0x40000000, 2, 0, 0, 0xC0080000}, want: []uint32{0, 0x3FF00000, 1, 0x3FF00000, 1, 0, 0, 0xBFF80000}},
		{name: "a structure of all sizes", element: "%Mixed", stride: "16", globals: `OpMemberDecorate %Mixed 0 35 1
OpMemberDecorate %Mixed 1 35 2
OpMemberDecorate %Mixed 2 35 8
%Mixed = OpTypeStruct %u8 %i16 %f64`, body: only(element + `%q = OpAccessChain %pElement %data u:0 u:1
%v = OpLoad %Mixed %p
%d = OpCompositeExtract %f64 %v 2
%d3 = OpFAdd %f64 %d %d
%w = OpCompositeInsert %Mixed %d3 %v 2
OpStore %q %w
OpCopyMemory %p %q
`), data: []uint32{0xFFFE8077, 6, 0, 0x3FF00000, 0, 7, 0, 0}, want: []uint32{0xFFFE8077, 6, 0, 0x40000000, 0xFFFE8000, 7, 0, 0x40000000}},
		{name: "bytes of workgroup memory", element: "%u8", stride: "1", globals: `%four = OpTypeArray %u8 u:4
%pfour = OpTypePointer 4 %four
%pw = OpTypePointer 4 %u8
%pf = OpTypePointer 7 %i16
%own = OpVariable %pfour 4`, body: element + `%local = OpVariable %pf 7
%s = OpAccessChain %pw %own %i
%x = OpUConvert %u8 %i
OpStore %s %x
OpControlBarrier u:2 u:2 u:0x108
%j = OpBitwiseXor %u32 %i u:3
%o = OpAccessChain %pw %own %j
%v = OpLoad %u8 %o
%n = OpSConvert %i16 %v
OpStore %local %n
%n2 = OpLoad %i16 %local
%y = OpUConvert %u8 %n2
OpStore %p %y`, data: []uint32{0}, want: []uint32{0x00010203}},
		{name: "a race of bytes", element: "%u8", stride: "1", body: "%p = OpAccessChain %pElement %data u:0 u:3\nOpStore %p b:1", data: []uint32{0}, err: "OpStore|a race: the invocation writes what"},
		{name: "a race of a byte in a vector", element: "%c2", stride: "2", globals: "%pByte = OpTypePointer 12 %u8", body: `%k = OpBitwiseAnd %u32 %i u:2
%second = OpAccessChain %pByte %data u:0 %k u:1
OpStore %second b:1`, data: []uint32{0, 0}, err: "OpStore|a race"},
		{name: "no race of neighbours", element: "%c2", stride: "2", globals: "%pByte = OpTypePointer 12 %u8", body: `%k = OpBitwiseAnd %u32 %i u:1
%e = OpShiftRightLogical %u32 %i u:1
%part = OpAccessChain %pByte %data u:0 %e %k
OpStore %part b:9`, data: []uint32{0, 1}, want: []uint32{0x09090909, 1}},
		{name: "a double beyond the buffer", element: "%f64", stride: "8", body: "%p = OpAccessChain %pElement %data u:0 u:1\n%x = OpLoad %f64 %p", data: []uint32{0, 0, 0}, err: "OpAccessChain|index 1 is outside"},
		{name: "an undefined byte", element: "%u8", stride: "1", body: element + "%u = OpUndef %u8\nOpStore %p %u", data: []uint32{0}, err: "OpStore|what is stored in a buffer is undefined"},
		{name: "an undefined double", element: "%f64", stride: "8", body: element + "%u = OpUndef %f64\n%x = OpFAdd %f64 %u d:1\nOpStore %p %x", data: make([]uint32, 8), err: "OpStore|undefined"},
		{name: "a decision of an undefined double", element: "%f64", stride: "8", body: "%u = OpUndef %f64\n%c = OpFOrdLessThan %bool %u d:1\nOpSelectionMerge %m 0\nOpBranchConditional %c %y %m\n%y = OpLabel\nOpBranch %m\n%m = OpLabel", data: make([]uint32, 8), err: "OpBranchConditional|the condition is undefined"},
		{name: "an undefined value that is converted", element: "%u8", stride: "1", body: "%u = OpUndef %f64\n%c = OpConvertFToS %i8 %u", data: []uint32{0}, err: "OpConvertFToS|what is converted is undefined"},
		{name: "a float above the bytes", element: "%u8", stride: "1", body: "%c = OpConvertFToU %u8 f:256", data: []uint32{0}, err: "OpConvertFToU|256 is out of the range of 8 bits"},
		{name: "a double below the signed bytes", element: "%u8", stride: "1", body: "%c = OpConvertFToS %i8 d:-129", data: []uint32{0}, err: "OpConvertFToS|-129 is out of the range of 8 bits with a sign"},
		{name: "a NaN of 64 bits", element: "%u8", stride: "1", body: "%c = OpConvertFToU %u32 d:0x7FF8000000000000", data: []uint32{0}, err: "OpConvertFToU|out of the range"},
		{name: "scans of doubles", element: "%f64", stride: "8", body: element + `%n = OpConvertUToF %f64 %i
%n1 = OpFAdd %f64 %n d:1
%a = OpGroupNonUniformFAdd %f64 u:3 2 %n1
%b = OpGroupNonUniformFMul %f64 u:3 2 %n1
%c = OpGroupNonUniformFMax %f64 u:3 0 %n1
%s = OpFMul %f64 %b d:16
%s2 = OpFAdd %f64 %s %a
%s3 = OpFAdd %f64 %s2 %c
OpStore %p %s3`, data: make([]uint32, 8), want: []uint32{0, 0x40340000, 0, 0x40350000, 0, 0x40438000, 0, 0x405A8000}},
		{name: "atomics of 64 bits", element: "%u64", stride: "8", globals: "%wlong = OpTypePointer 4 %u64\n%sum = OpVariable %wlong 4", body: `%p0 = OpAccessChain %pElement %data u:0 u:0
%p1 = OpAccessChain %pElement %data u:0 u:1
%p2 = OpAccessChain %pElement %data u:0 u:2
%p3 = OpAccessChain %pElement %data u:0 u:3
%p4 = OpAccessChain %pElement %data u:0 u:4
%a = OpAtomicIAdd %u64 %p0 u:1 u:0 U:0x80000000
%b = OpAtomicSMin %u64 %p1 u:1 u:0 U:-2
%c = OpAtomicUMax %u64 %p2 u:1 u:0 U:0x100000000
%d = OpAtomicISub %u64 %p3 u:1 u:0 U:1
%e = OpAtomicCompareExchange %u64 %p4 u:1 u:0 u:0 U:0x700000007 U:5
OpAtomicStore %sum u:2 u:0 U:0x100000000
OpControlBarrier u:2 u:2 u:0x108
%f = OpAtomicOr %u64 %sum u:2 u:0 U:1
OpControlBarrier u:2 u:2 u:0x108
%g = OpAtomicLoad %u64 %sum u:2 u:0
%p5 = OpAccessChain %pElement %data u:0 u:5
%h = OpAtomicXor %u64 %p5 u:1 u:0 %g`, data: []uint32{1, 0, 5, 0, 9, 0, 2, 0, 5, 0, 0, 0}, want: []uint32{1, 2, 0xFFFFFFFE, 0xFFFFFFFF, 0, 1, 0xFFFFFFFE, 0xFFFFFFFF, 7, 7, 0, 0}},
		{name: "an atomic of 64 bits with a write", element: "%u64", stride: "8", body: "%p0 = OpAccessChain %pElement %data u:0 u:0\n%a = OpAtomicIAdd %u64 %p0 u:1 u:0 U:1\n%j = OpBitwiseXor %u32 %i u:1\n%p1 = OpAccessChain %pElement %data u:0 %j\nOpStore %p1 U:1", data: make([]uint32, 8), err: "a race"},
	} {
		t.Run(test.name, func(t *testing.T) {
			text := holding(ofSizes(test.globals, test.body), test.element, test.stride)
			if test.globals != "" { // the element's type comes before the buffer's
				declared := strings.Split(test.globals, "\n")
				last := declared[len(declared)-1]
				if strings.HasPrefix(last, "%Mixed = ") {
					text = strings.Replace(strings.Replace(text, last, "", 1), "%words =", last+"\n%words =", 1)
				}
			}
			validate(t, text)
			got, err := runKernel(t, text, 1, test.data)
			if test.err != "" {
				expect(t, err, test.err)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("expected %#x, found %#x", test.want, got)
			}
		})
	}
}

// TestSizesRefused reads instructions on values of these sizes that are invalid or not supported.
func TestSizesRefused(t *testing.T) {
	uniform := `OpDecorate %second 34 0
OpDecorate %second 33 1
OpDecorate %Second 2
OpMemberDecorate %Second 0 35 0
%Second = OpTypeStruct %part
%pSecond = OpTypePointer %class %Second
%second = OpVariable %pSecond %class`
	bound := func(part, class string) string {
		return strings.NewReplacer("%part", part, "%class", class).Replace(uniform)
	}
	for _, test := range []struct{ name, globals, body, old, replacement, want string }{
		{name: "a sum of bytes", body: "%x = OpIAdd %u8 b:1 b:2", want: "OpIAdd|not supported: operands of 8 bits"},
		{name: "a sum of halves", body: "%x = OpIAdd %i16 S:1 S:2", want: "OpIAdd|not supported: operands of 16 bits"},
		{name: "a negated byte", body: "%x = OpSNegate %i8 B:1", want: "OpSNegate|not supported: operands of 8 bits"},
		{name: "bits of bytes", body: "%x = OpBitwiseAnd %u8 b:1 b:3", want: "OpBitwiseAnd|not supported: operands of 8 bits"},
		{name: "counted bits of bytes", body: "%x = OpBitCount %u8 b:1", want: "OpBitCount|not supported: operands of 8 bits"},
		{name: "a field of a byte", body: "%x = OpBitFieldUExtract %u8 b:1 u:1 u:1", want: "OpBitFieldUExtract|not supported: operands of 8 bits"},
		{name: "equal bytes", body: "%x = OpIEqual %bool b:1 b:2", want: "OpIEqual|not supported: operands of 8 bits"},
		{name: "lesser halves", body: "%x = OpSLessThan %bool S:1 S:2", want: "OpSLessThan|not supported: operands of 16 bits"},
		{name: "the lesser half", body: "%x = OpExtInst %u16 %glsl UMin s:1 s:2", want: "UMin|not supported: operands of 16 bits"},
		{name: "a shifted byte", body: "%x = OpShiftLeftLogical %u8 b:1 u:2", want: "OpShiftLeftLogical|not supported: operands of 8 bits"},
		{name: "a shift by a byte", body: "%x = OpShiftLeftLogical %u32 u:1 b:2", want: "OpShiftLeftLogical|not supported: a shift by an integer of 8 bits"},
		{name: "operands of two widths", body: "%x = OpINotEqual %bool b:1 s:2", want: "OpINotEqual|mismatch of types: operand 1"},
		{name: "doubles and floats", body: "%x = OpFAdd %f64 d:1 f:1", want: "OpFAdd|mismatch of types: operand 1"},
		{name: "an index of 8 bits", body: "%p = OpAccessChain %pu32 %data u:0 b:1", want: "OpAccessChain|not supported: an index of 8 bits"},
		{name: "a byte of a subgroup", body: "%x = OpGroupNonUniformBroadcast %u8 u:3 b:1 u:0", want: "OpGroupNonUniformBroadcast|not supported: values of 8 bits"},
		{name: "a sum of a subgroup's halves", body: "%x = OpGroupNonUniformIAdd %i16 u:3 0 S:1", want: "OpGroupNonUniformIAdd|not supported: values of 16 bits"},
		{name: "a selector of 8 bits", body: "OpSelectionMerge %m 0\nOpSwitch b:1 %m\n%m = OpLabel", want: "OpSwitch|the selector is no integer of 32 bits"},
		{name: "the sine of a double", body: "%x = OpExtInst %f64 %glsl Sin d:1", want: "Sin|not supported: operands of 64 bits"},
		{name: "a power of doubles", body: "%x = OpExtInst %f64 %glsl Pow d:1 d:2", want: "Pow|not supported: operands of 64 bits"},
		{name: "a logarithm of a double", body: "%x = OpExtInst %f64 %glsl Log2 d:1", want: "Log2|not supported: operands of 64 bits"},
		{name: "a quantized double", body: "%x = OpQuantizeToF16 %f64 d:1", want: "OpQuantizeToF16|not supported: operands of 64 bits"},
		{name: "a sign above an unsigned byte", body: "%x = OpUConvert %u32 b:-1", want: "OpConstant|a number of 8 bits with other bits above them"},
		{name: "no sign above a signed byte", body: "%x = OpSConvert %i32 B:0x80", want: "OpConstant|a number of 8 bits with other bits above them"},
		{name: "other bits above a signed half", body: "%x = OpSConvert %i32 S:0x18000", want: "OpConstant|a number of 16 bits with other bits above them"},
		{name: "bits above a half", body: "%x = OpFAdd %f16 h:0xFFFF8000 h:1", want: "OpConstant|a number of 16 bits with other bits above them"},
		{name: "a length of 8 bits", globals: "%long = OpTypeArray %u32 B:-1", want: "OpTypeArray|the length of an array is no positive constant"},
		{name: "integers of 24 bits", globals: "%u24 = OpTypeInt 24 0", want: "not supported: integers of 24 bits"},
		{name: "floats of 8 bits", globals: "%f8 = OpTypeFloat 8", want: "not supported: floats of 8 bits"},
		{name: "no Int8", old: "OpCapability 39\n", want: "OpTypeInt|lacks the capability Int8"},
		{name: "no Int16", old: "OpCapability 22\n", want: "OpTypeInt|lacks the capability Int16"},
		{name: "no Float64", old: "OpCapability 10\n", want: "OpTypeFloat|lacks the capability Float64"},
		{name: "no Int64", old: "OpCapability 11\n", want: "OpTypeInt|lacks the capability Int64"},
		{name: "no Float16", old: "OpCapability 9\n", want: "OpTypeFloat|lacks the capability Float16"},
		{name: "no bytes in buffers", old: "OpCapability 4448\n", globals: bound("%u8", "12"), want: "OpVariable|lacks the capability StorageBuffer8BitAccess"},
		{name: "no halves in buffers", old: "OpCapability 4433\n", globals: bound("%i16", "12"), want: "OpVariable|lacks the capability StorageBuffer16BitAccess"},
		{name: "no halves in an array", old: "OpCapability 4433\n", globals: "OpDecorate %list 6 2\n%list = OpTypeRuntimeArray %f16\n" + bound("%list", "12"), want: "OpVariable|lacks the capability StorageBuffer16BitAccess"},
		{name: "no halves in uniform buffers", globals: bound("%f16", "2"), want: "OpVariable|lacks the capability UniformAndStorageBuffer16BitAccess"},
		{name: "bytes in a uniform buffer", globals: bound("%u8", "2"), want: "OpVariable|not supported: scalars of 8 bits in storage class Uniform"},
		{name: "halves in immediates", globals: bound("%u16", "9"), want: "OpVariable|not supported: scalars of 16 bits in storage class PushConstant"},
		{name: "no extension", old: "OpExtension \"SPV_KHR_8bit_storage\"\n", want: "has the capability StorageBuffer8BitAccess and lacks the extension SPV_KHR_8bit_storage"},
		{name: "another extension", old: "SPV_KHR_8bit_storage", replacement: "SPV_KHR_ray_query", want: "OpExtension|not supported: extension \"SPV_KHR_ray_query\""},
		{name: "a half at an odd byte", globals: strings.Replace(bound("%u8 %u16", "12"), "OpMemberDecorate", "OpMemberDecorate %Second 1 35 1\nOpMemberDecorate", 1) + "\n%ps = OpTypePointer 12 %Second", body: "%x = OpLoad %Second %second", want: "OpLoad|a scalar of 16 bits lies at byte 1"},
		{name: "overlapping members", globals: strings.Replace(bound("%f64 %u8", "12"), "OpMemberDecorate", "OpMemberDecorate %Second 1 35 7\nOpMemberDecorate", 1), body: "%x = OpLoad %Second %second", want: "OpLoad|overlaps"},
		{name: "no Int64Atomics", old: "OpCapability 12\n", globals: "%wlong = OpTypePointer 4 %u64\n%long = OpVariable %wlong 4", body: "%x = OpAtomicIAdd %u64 %long u:2 u:0 U:1", want: "OpAtomicIAdd|lacks the capability Int64Atomics"},
		{name: "an atomic of 16 bits", globals: "%wshort = OpTypePointer 4 %u16\n%short = OpVariable %wshort 4", body: "%x = OpAtomicIAdd %u16 %short u:2 u:0 s:1", want: "OpAtomicIAdd|type has no atomics"},
		{name: "an atomic of a double", globals: "%wdouble = OpTypePointer 4 %f64\n%double = OpVariable %wdouble 4", body: "%x = OpAtomicExchange %f64 %double u:2 u:0 d:1", want: "OpAtomicExchange|type has no atomics"},
	} {
		t.Run(test.name, func(t *testing.T) {
			text := ofSizes(test.globals, test.body)
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
