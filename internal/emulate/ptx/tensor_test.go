package ptx_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/internal/emulate"
	"github.com/gpuc/gpuc/internal/emulate/ptx"
	"github.com/gpuc/gpuc/runtime/abi"
)

// Tests of copies by tensor maps and of products of warpgroups.

// tensorHead begins a kernel of one warpgroup: the maps are of matrices a, b and c with rows of 128
// bytes. %r1 is the address of workgroup memory, %r2 the invocation's index, %p1 whether that is 0,
// and %r3 the address of a barrier object. %d3 is the address of the sums.
const tensorHead = `.version 8.0
.target sm_90a
.address_size 64
.extern .shared .align 1024 .b8 memory[];
.visible .entry main(
	.param .align 64 .b8 map_0[128],
	.param .align 64 .b8 map_1[128],
	.param .align 64 .b8 map_2[128],
	.param .u64 .ptr .global .align 16 binding_3
)
.reqntid 128, 1, 1
{
	.reg .pred %p<9>;
	.reg .b16 %h<65>;
	.reg .b32 %r<40>;
	.reg .b64 %d<9>;
	.reg .b32 %s0_<128>;
	mov.b32 %r1, memory;
	mov.u32 %r2, %tid.x;
	setp.eq.u32 %p1, %r2, 0;
	add.u32 %r3, %r1, 32768;
	ld.param.b64 %d3, [binding_3];
	cvta.to.global.u64 %d3, %d3;
`

// initialised makes the barrier object.
const initialised = `	@!%p1 bra $L1;
	mbarrier.init.shared::cta.b64 [%r3], 1;
	fence.mbarrier_init.release.cluster;
$L1:
	bar.sync 0;
`

// loadOf copies a box to an offset in workgroup memory.
func loadOf(n, at int, coordinates string) string {
	return fmt.Sprintf(`	{
	.reg .b64 %%m;
	.reg .b32 %%a;
	mov.b64 %%m, map_%d;
	cvta.param.u64 %%m, %%m;
	add.u32 %%a, %%r1, %d;
	cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%%a], [%%m, {%s}], [%%r3];
	}
`, n, at, coordinates)
}

// loaded copies a and b, and waits.
var loaded = `	@!%p1 bra $L2;
	mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3], 16384;
` + loadOf(0, 0, "0, 0") + loadOf(1, 8192, "0, 0") + `$L2:
$wait1:
	mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r3], 0;
	@!%p2 bra $wait1;
`

// registersOf lists registers.
func registersOf(name string, count int) string {
	var list []string
	for n := range count {
		list = append(list, fmt.Sprintf("%s%d", name, n))
	}
	return strings.Join(list, ", ")
}

// descriptor is that of a matrix at an offset: eight rows have 1024 bytes.
func descriptor(at int) uint64 { return 1<<62 | 64<<32 | uint64(at)>>4 }

// multiplied has four products, and waits for them. The operands of the next one are step bytes
// further. more are the last operands.
func multiplied(types string, columns, step int, more string) string {
	var b strings.Builder
	for n := range columns / 2 {
		fmt.Fprintf(&b, "\tmov.b32 %%s0_%d, 0;\n", n)
	}
	b.WriteString("\tmov.pred %p3, 1;\n\twgmma.fence.sync.aligned;\n")
	for k := range 4 {
		fmt.Fprintf(&b, "\tmov.b64 %%d1, %d;\n\tmov.b64 %%d2, %d;\n", descriptor(k*step), descriptor(8192+k*step))
		fmt.Fprintf(&b, "\twgmma.mma_async.sync.aligned.m64n%d%s {%s}, %%d1, %%d2, %%p3%s;\n", columns, types, registersOf("%s0_", columns/2), more)
	}
	b.WriteString("\twgmma.commit_group.sync.aligned;\n\twgmma.wait_group.sync.aligned 0;\n")
	return b.String()
}

// written writes the sums to binding_3, 32 for each invocation.
func written(columns int) string {
	var b strings.Builder
	b.WriteString("\tmul.wide.u32 %d4, %r2, 128;\n\tadd.s64 %d4, %d3, %d4;\n")
	for n := range columns / 2 {
		fmt.Fprintf(&b, "\tst.global.b32 [%%d4+%d], %%s0_%d;\n", 4*n, n)
	}
	return b.String()
}

// stored copies 64 columns of sums to c, as f16.
func stored() string {
	var b strings.Builder
	b.WriteString(`	and.b32 %r5, %r2, 15;
	shr.u32 %r6, %r2, 5;
	shl.b32 %r6, %r6, 4;
	add.u32 %r5, %r5, %r6;
	shl.b32 %r6, %r5, 7;
	add.u32 %r6, %r6, %r1;
	bfe.u32 %r7, %r2, 4, 1;
	and.b32 %r8, %r5, 7;
`)
	for n := range 32 {
		fmt.Fprintf(&b, "\tcvt.rn.f16.f32 %%h%d, %%s0_%d;\n", n, n)
	}
	for q := range 4 {
		fmt.Fprintf(&b, "\tadd.u32 %%r9, %%r7, %d;\n\txor.b32 %%r9, %%r9, %%r8;\n\tshl.b32 %%r9, %%r9, 4;\n\tadd.u32 %%r9, %%r9, %%r6;\n", 2*q)
		for n := range 4 {
			fmt.Fprintf(&b, "\tmov.b32 %%r%d, {%%h%d, %%h%d};\n", 10+n, 8*q+2*n, 8*q+2*n+1)
		}
		b.WriteString("\tstmatrix.sync.aligned.m8n8.x4.shared.b16 [%r9+16384], {%r10, %r11, %r12, %r13};\n")
	}
	b.WriteString(`	fence.proxy.async.shared::cta;
	bar.sync 1, 128;
	@!%p1 bra $L3;
	{
	.reg .b64 %m;
	mov.b64 %m, map_2;
	cvta.param.u64 %m, %m;
	add.u32 %r14, %r1, 16384;
	cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%m, {0, 0}], [%r14];
	}
	cp.async.bulk.commit_group;
	cp.async.bulk.wait_group.read 0;
$L3:
`)
	return b.String()
}

const tensorTail = "\tret;\n}\n"

// tensorRun executes a module with matrices of some rows of 128 bytes, and returns c and the words
// that each invocation has written.
func tensorRun(text, element string, rows int, a, b []byte) (c, words []byte, err error) {
	size := map[string]int{"f16": 2, "u8": 1}[element]
	c, words = make([]byte, 128*64), make([]byte, 128*128)
	k := abi.Kernel{Name: "main", Workgroup: [3]uint32{128, 1, 1}, WorkgroupBytes: 32768 + 64, DynamicBytes: 32768 + 64,
		Immediates: &abi.Immediates{Size: 60}, Parameters: []abi.Parameter{}}
	t := &abi.Tensor{Artefact: &abi.Artefact{}}
	l := &emulate.Launch{Entry: "main", Grid: [3]uint32{1, 1, 1}, Steps: 1 << 24}
	for n, data := range [][]byte{a, b, c, words} {
		access := abi.ReadWrite
		if n < 2 {
			access = abi.Read
		}
		k.Bindings = append(k.Bindings, abi.Binding{Name: string(rune('a' + n)), Binding: uint32(n), Access: access, Stride: 4})
		l.Buffers = append(l.Buffers, emulate.Buffer{Binding: uint32(n), Data: data})
		if n == 3 {
			break
		}
		k.Parameters = append(k.Parameters, abi.Parameter{Kind: abi.TensorMapParameter, Binding: n})
		t.Maps = append(t.Maps, abi.TensorMap{Binding: n, Layout: abi.ValueAt{Binding: -1, Offset: uint32(20 * n)}, Element: element,
			Box: [2]uint32{64, uint32(128 / size)}, Swizzle: 128})
		for _, v := range []int{0, len(data) / 128, 128 / size, 128 / size, 1} {
			l.Immediates = binary.LittleEndian.AppendUint32(l.Immediates, uint32(v))
		}
	}
	k.Parameters = append(k.Parameters, abi.Parameter{Kind: abi.AddressParameter, Binding: 3})
	t.Artefact.Kernel = k
	m, err := ptx.Parse([]byte(text))
	if err != nil {
		return c, words, err
	}
	ran, err := m.RunTensor(t, l)
	if err == nil && !ran {
		err = fmt.Errorf("the launch has no tensor maps")
	}
	return c, words, err
}

// halves encodes small integers as f16.
func halves(count int, value func(n int) int) (data []byte) {
	for n := range count {
		data = binary.LittleEndian.AppendUint16(data, uint16(emulate.HalfBits(float64(value(n)), 0x7E00)))
	}
	return data
}

func leftValue(n int) int  { return (n/64*3+n%64*5)%7 - 3 }
func rightValue(n int) int { return (n/64*5+n%64*n/64)%5 - 2 }

// tensorProgram multiplies a by the transposed b: all is as it should be.
func tensorProgram() string {
	return tensorHead + initialised + loaded + multiplied("k16.f32.f16.f16", 64, 32, ", 1, 1, 0, 0") + stored() + written(64) + tensorTail
}

// fragment returns the row and the column of a sum (PTX ISA, Register Fragments for wgmma).
func fragment(invocation, n int) (row, column int) {
	warp, lane := invocation/32, invocation%32
	return 16*warp + lane>>2 + n>>1&1<<3, n>>2<<3 + lane&3<<1 + n&1
}

// TestTensor executes the program, and with fewer rows than the boxes have.
func TestTensor(t *testing.T) {
	for _, rows := range []int{64, 40} {
		a, b := halves(64*rows, leftValue), halves(64*64, rightValue)
		c, words, err := tensorRun(tensorProgram(), "f16", rows, a, b)
		if err != nil {
			t.Fatal(err)
		}
		for n := range 128 * 32 {
			row, column := fragment(n/32, n%32)
			want := 0
			for k := range 64 {
				if row < rows {
					want += leftValue(row*64+k) * rightValue(column*64+k)
				}
			}
			if got := math.Float32frombits(binary.LittleEndian.Uint32(words[4*n:])); got != float32(want) {
				t.Fatalf("%d rows: sum %d of invocation %d is %v, want %d", rows, n%32, n/32, got, want)
			}
			if got := emulate.HalfValue(uint64(binary.LittleEndian.Uint16(c[2*(row*64+column):]))); got != float64(want) {
				t.Fatalf("%d rows: row %d, column %d is %v, want %d", rows, row, column, got, want)
			}
		}
	}
}

// TestTensorFaults changes the program.
func TestTensorFaults(t *testing.T) {
	const (
		tryWait  = "\tmbarrier.try_wait.parity.shared::cta.b64 %p2, [%r3], 0;\n\t@!%p2 bra $wait1;\n"
		commit   = "\twgmma.commit_group.sync.aligned;\n"
		waitSums = "\twgmma.wait_group.sync.aligned 0;\n"
		fence    = "\twgmma.fence.sync.aligned;\n"
		proxy    = "\tfence.proxy.async.shared::cta;\n"
		together = "\tbar.sync 1, 128;\n"
		ended    = "\tcp.async.bulk.commit_group;\n\tcp.async.bulk.wait_group.read 0;\n"
		twice    = ended + "\t{\n\t.reg .b64 %m;\n\tmov.b64 %m, map_2;\n\tcvta.param.u64 %m, %m;\n" +
			"\tcp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%m, {0, 0}], [%r14];\n\t}\n" + ended
		arrive = "\tmbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3], 16384;\n"
		other  = "\twgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%s0_0, %s0_1, %s0_2, %s0_3}, %d1, %d2, %p3, 1, 1, 0, 0;\n"
		again  = "\t@!%p1 bra $L4;\n\tmbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3], 8192;\n"
	)
	for _, test := range []struct{ name, from, to, want string }{
		{"no wait", tryWait, "", "is accessed before a wait for the copy"},
		{"one try", "\t@!%p2 bra $wait1;\n", "", "is accessed before a wait for the copy"},
		{"other parity", "[%r3], 0;\n\t@!%p2", "[%r3], 1;\n\t@!%p2", "is accessed before a wait for the copy"},
		{"parity", "[%r3], 0;\n\t@!%p2", "[%r3], 2;\n\t@!%p2", "parity 2"},
		{"load", tryWait, "\tld.shared.b32 %r4, [%r1];\n" + tryWait, "is accessed before a wait for the copy"},
		{"store", tryWait, "\tst.shared.b32 [%r1+64], 0;\n" + tryWait, "is accessed before a wait for the copy"},
		{"missing bytes", arrive, strings.Replace(arrive, "16384", "16400", 1), "phase 0 of the object at 32768 lacks 0 arrivals and 16 bytes"},
		{"each warp", arrive, strings.Replace(arrive, "16384", "16400", 1), "warp 3 at line"},
		{"missing arrival", "[%r3], 1;\n\tfence", "[%r3], 2;\n\tfence", "lacks 1 arrivals and 0 bytes"},
		{"one arrival too many", arrive, arrive + arrive, "more arrivals than the phase has"},
		{"no object", "\tmbarrier.init.shared::cta.b64 [%r3], 1;\n", "", "there is no barrier object at 32768"},
		{"object without a fence", "\tfence.mbarrier_init.release.cluster;\n", "", "is not fenced"},
		{"object without a barrier", "\tfence.mbarrier_init.release.cluster;\n$L1:\n\tbar.sync 0;\n", "\tfence.mbarrier_init.release.cluster;\n$L1:\n", "barrier object"},
		{"access of an object", tryWait, tryWait + "\tld.shared.b32 %r4, [%r3];\n", "an access of a barrier object"},
		{"copy over a copy", loadOf(1, 8192, "0, 0"), loadOf(1, 0, "0, 0"), "overwritten while the copy of line"},
		{"alignment of a box", loadOf(1, 8192, "0, 0"), loadOf(1, 8200, "0, 0"), "is not aligned to 128 bytes"},
		{"no fence of products", fence, "", "without wgmma.fence behind it"},
		{"early fence", fence, fence + "\tmov.b32 %s0_3, 1;\n", "without wgmma.fence behind it"},
		{"no wait for sums", waitSums, "", "register %s0_0 is read while a product is under way"},
		{"wait for all but one", waitSums, strings.Replace(waitSums, "0", "1", 1), "is read while a product is under way"},
		{"no group", commit, "", "is read while a product is under way"},
		{"sum written", waitSums, "\tmov.b32 %s0_5, 0;\n" + waitSums, "register %s0_5 is written while a product is under way"},
		{"sum added to", waitSums, "\tadd.rn.f32 %s0_5, %s0_5, %s0_5;\n" + waitSums, "register %s0_5 is read while a product is under way"},
		{"other shape", commit, other + commit, "is a sum of another product under way"},
		{"copy over an operand", waitSums, again + loadOf(0, 0, "0, 0") + "$L4:\n" + waitSums, "is overwritten while a product of line"},
		{"store to an operand", waitSums, "\tst.shared.b32 [%r1+8192], %r2;\n" + waitSums, "is overwritten while a product of line"},
		{"copy to an operand of another warp", "\tmov.b32 %r10, {%h0, %h1};\n", again + loadOf(0, 0, "0, 0") + "$L4:\n\tmov.b32 %r10, {%h0, %h1};\n", "is overwritten while a product of line"},
		{"descriptor", fmt.Sprint(descriptor(0)) + ";", fmt.Sprint(descriptor(128)) + ";", "does not say where its pattern begins"},
		{"no swizzle", fmt.Sprint(descriptor(0)) + ";", fmt.Sprint(descriptor(0)&^(1<<62)) + ";", "has a swizzle that is not emulated"},
		{"reserved", fmt.Sprint(descriptor(0)) + ";", fmt.Sprint(descriptor(0)|1<<14) + ";", "has bits that are reserved"},
		{"operand outside", fmt.Sprint(descriptor(0)) + ";", fmt.Sprint(descriptor(65536)) + ";", "an operand at"},
		{"operand not written", fmt.Sprint(descriptor(0)) + ";", fmt.Sprint(descriptor(16384)) + ";", "is read before it is written"},
		{"no fence of the proxy", proxy, "", "is stored without a fence of the asynchronous proxy"},
		{"late fence of the proxy", proxy + together, together + proxy, "is stored without a fence of the asynchronous proxy"},
		{"no barrier", together, "", "a race"},
		{"count", together, strings.Replace(together, "128", "64", 1), "128 invocations wait at barrier 1 of 64"},
		{"no warps", together, strings.Replace(together, "128", "72", 1), "which are no whole warps"},
		{"more than there are", together, strings.Replace(together, "128", "256", 1), "it waits for invocations that do not come"},
		{"store under way", ended, "\tcp.async.bulk.commit_group;\n\tst.shared.b32 [%r14], 0;\n\tcp.async.bulk.wait_group.read 0;\n", "is overwritten while the copy of line"},
		{"store again", ended, twice, "that the copy of line"},
		{"store again behind it", ended, strings.Replace(twice, ".read ", " ", 1), ""},
		{"store at the end", ended, "\tcp.async.bulk.commit_group;\n", "the invocation ends while its copies may read"},
		{"load at the end", loaded, strings.Replace(loaded, tryWait, "\tret;\n", 1), "the workgroup ends before the copy"},
		{"registers", tryWait, tryWait + "\tsetmaxnreg.inc.sync.aligned.u32 240;\n\tbar.sync 0;\n", ""},
		{"part of a warpgroup", fence, "\tsetp.lt.u32 %p4, %r2, 64;\n\t@%p4 bra $L5;\n" + fence + "$L5:\n", "it waits for invocations that do not come"},
	} {
		text := strings.Replace(tensorProgram(), test.from, test.to, 1)
		if text == tensorProgram() {
			t.Errorf("%s changes nothing", test.name)
		}
		_, _, err := tensorRun(text, "f16", 64, halves(64*64, leftValue), halves(64*64, rightValue))
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: %v, want an error with %q", test.name, err, test.want)
		}
	}
}

// TestTensorRefused changes the program to texts that are refused.
func TestTensorRefused(t *testing.T) {
	for _, test := range []struct{ from, to, want string }{
		{".version 8.0\n.target sm_90a", ".version 7.8\n.target sm_90", "needs sm_90a"},
		{".version 8.0\n.target sm_90a", ".version 7.0\n.target sm_80", "needs sm_90"},
		{"\t.reg .b64 %m;\n", "", "register %m is not declared"},
		{"\t.reg .b64 %m;\n", "\t.reg .b32 %m;\n", "register %m has 32 bits"},
		{"\t.reg .b64 %m;\n", "\t.reg .b64 %m<2>;\n", "registers in a block"},
		{"\t.reg .pred %p<9>;\n", "\t.reg .pred %p<9>;\n\t.reg .pred %q;\n", `expected "<"`},
		{"mov.b64 %m, map_0", "mov.b64 %m, binding_3", "in 64 bits"},
		{"map_0", "map_4", "variable map_0 is not known"},
		{"wait_group.sync.aligned 0", "wait_group.sync.aligned 8", "expected an integer up to 7"},
		{"%p3, 1, 1, 0, 0;", "%p3, 0, 1, 0, 0;", "expected 1 or -1"},
		{"%p3, 1, 1, 0, 0;", "%p3, 1, 1, 0;", `expected ","`},
		{"%p3, 1, 1, 0, 0;", "%p3, 1, 1, 0, 2;", "expected an integer up to 1"},
		{"%p3, 1, 1, 0, 0;", "%r3, 1, 1, 0, 0;", "register %r3 has 32 bits"},
		{"{%s0_0, %s0_1,", "{%s0_0, %s0_0,", "a register that gets two values"},
		{"{%s0_0, %s0_1,", "{%s0_1,", `expected ","`},
		{"m64n64k16", "m64n65k16", "is not known"},
		{"m64n64k16.f32", "m64n64k16.f16", "is not known"},
		{"[%m, {0, 0}]", "[%m, {0}]", `expected ","`},
		{"_, [%r3]", "%d1, [%r3]", "expected _"},
		{"$wait1:\n", "\tsetmaxnreg.inc.sync.aligned.u32 20;\n$wait1:\n", "20 registers"},
	} {
		text := strings.Replace(tensorProgram(), test.from, test.to, 1)
		if _, err := ptx.Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q instead of %q: %v, want an error with %q", test.to, test.from, err, test.want)
		}
	}
}
