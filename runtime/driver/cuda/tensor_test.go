package cuda

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/gpuc/gpuc/internal/drivertest"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/driver"
)

// Each workgroup copies a box of boxSize by boxSize elements of a matrix of f16 to its part of a
// buffer. The variant copies the box to dynamic workgroup memory by a tensor map, and from there.
// The kernel itself only marks its part.
const (
	boxSize  = 64
	boxBytes = 2 * boxSize * boxSize
	// boxMemory is the dynamic workgroup memory. It has the box at its start and the barrier in its
	// last 16 bytes, and is more than code may declare.
	boxMemory = 64 << 10
	boxMark   = 0xabcd
)

const markText = `
.version 6.0
.target sm_70
.address_size 64

.visible .entry mark(.param .u64 out)
.reqntid 32, 1, 1
{
	.reg .u32 row, column, across, box;
	.reg .u64 to, offset;

	ld.param.u64 to, [out];
	cvta.to.global.u64 to, to;
	mov.u32 column, %ctaid.x;
	mov.u32 row, %ctaid.y;
	mov.u32 across, %nctaid.x;
	mad.lo.u32 box, row, across, column;
	mul.wide.u32 offset, box, 8192;
	add.u64 to, to, offset;
	st.global.u16 [to], 0xabcd;
	ret;
}
`

const boxText = `
.version 8.0
.target sm_90
.address_size 64

.extern .shared .align 1024 .b8 memory[];

.visible .entry box(
	.param .align 64 .b8 map[128],
	.param .u64 out)
.reqntid 128, 1, 1
{
	.reg .pred other, done, more;
	.reg .u32 thread, row, column, across, box, at, barrier, value, count;
	.reg .u64 from, to, offset, state;

	mov.u32 thread, %tid.x;
	setp.ne.u32 other, thread, 0;
	mov.u32 at, memory;
	add.u32 barrier, at, 65520;
	mov.u32 column, %ctaid.x;
	mov.u32 row, %ctaid.y;
	mov.u32 across, %nctaid.x;
	mad.lo.u32 box, row, across, column;
	shl.b32 column, column, 6;
	shl.b32 row, row, 6;

	@other bra ready;
	mbarrier.init.shared::cta.b64 [barrier], 1;
	fence.proxy.async.shared::cta;
ready:
	bar.sync 0;
	@other bra wait;
	mov.u64 from, map;
	cvta.param.u64 from, from;
	mbarrier.arrive.expect_tx.shared::cta.b64 state, [barrier], 8192;
	cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [at], [from, {column, row}], [barrier];
wait:
	mbarrier.try_wait.parity.shared::cta.b64 done, [barrier], 0;
	@!done bra wait;

	ld.param.u64 to, [out];
	cvta.to.global.u64 to, to;
	mul.wide.u32 offset, box, 8192;
	add.u64 to, to, offset;
	mul.wide.u32 offset, thread, 4;
	add.u64 to, to, offset;
	shl.b32 value, thread, 2;
	add.u32 at, at, value;
	mov.u32 count, 0;
next:
	ld.shared.u32 value, [at];
	st.global.u32 [to], value;
	add.u32 at, at, 512;
	add.u64 to, to, 512;
	add.u32 count, count, 1;
	setp.lt.u32 more, count, 16;
	@more bra next;
	ret;
}
`

// boxArtefact is the kernel with its variant. The immediates have the layout of the matrix.
func boxArtefact(swizzle uint32) *abi.Artefact {
	a := &abi.Artefact{Target: abi.PTX, Code: []byte(markText), Kernel: abi.Kernel{
		Name: "mark", Workgroup: [3]uint32{32, 1, 1}, Parameters: []abi.Parameter{{Kind: abi.AddressParameter, Binding: 1}},
		Bindings:   []abi.Binding{{Name: "matrix", Access: abi.Read, Stride: 2}, {Name: "out", Binding: 1, Access: abi.ReadWrite, Stride: 2}},
		Immediates: &abi.Immediates{Name: "layout", Size: abi.MatrixLayoutBytes},
	}}
	v := &abi.Artefact{Target: abi.PTX, Code: []byte(boxText), Kernel: a.Kernel}
	v.Kernel.Name, v.Kernel.Profile, v.Kernel.Workgroup = "box", "sm_90", [3]uint32{128, 1, 1}
	v.Kernel.WorkgroupBytes, v.Kernel.DynamicBytes = boxMemory, boxMemory
	v.Kernel.Parameters = []abi.Parameter{{Kind: abi.TensorMapParameter}, {Kind: abi.AddressParameter, Binding: 1}}
	a.Tensor = &abi.Tensor{Artefact: v, Maps: []abi.TensorMap{
		{Binding: 0, Layout: abi.ValueAt{Binding: -1}, Element: "f16", Box: [2]uint32{boxSize, boxSize}, Swizzle: swizzle}}}
	return a
}

// boxMatrix is the layout of a matrix.
type boxMatrix struct{ offset, rows, columns, rowStride, columnStride int }

// boxTest is a device with a matrix and room for the boxes of a grid.
type boxTest struct {
	*drivertest.Fixture
	elements    []uint16
	matrix, out driver.Memory
	grid        [3]uint32
}

// run launches the kernel, and returns what the boxes have.
func (b *boxTest) run(m boxMatrix) []uint16 {
	b.Helper()
	out := make([]uint16, int(b.grid[0]*b.grid[1])*boxSize*boxSize)
	for n := range out {
		out[n] = 0xffff
	}
	b.Check(b.Stream.Write(drivertest.Whole(b.out), drivertest.Bytes(out)))
	var layout []byte
	for _, word := range []int{m.offset, m.rows, m.columns, m.rowStride, m.columnStride} {
		layout = binary.LittleEndian.AppendUint32(layout, uint32(word))
	}
	b.Check(b.Stream.Launch(&driver.Launch{Kernel: b.Kernel, Grid: b.grid, Immediates: layout, Bindings: []driver.Slice{drivertest.Whole(b.matrix), drivertest.Whole(b.out)}}))
	b.Check(b.Stream.Read(drivertest.Bytes(out), drivertest.Whole(b.out)))
	return out
}

// want returns what the boxes have of a matrix: zeros where it has nothing. A swizzle exchanges the
// units of 16 bytes in rows of 128 by the number of the row.
func (b *boxTest) want(m boxMatrix, swizzle uint32) []uint16 {
	var list []uint16
	for box := range int(b.grid[0] * b.grid[1]) {
		firstRow, firstColumn := box/int(b.grid[0])*boxSize, box%int(b.grid[0])*boxSize
		for n := range boxSize * boxSize {
			row, column := n/boxSize, n%boxSize
			if swizzle == 128 {
				column ^= row % 8 * 8
			}
			row, column = firstRow+row, firstColumn+column
			x := uint16(0)
			if row < m.rows && column < m.columns {
				x = b.elements[m.offset+row*m.rowStride+column]
			}
			list = append(list, x)
		}
	}
	return list
}

// TestTensorMap copies boxes by tensor maps, with zeros out of the matrix's range, and launches the
// kernel itself for matrices that no tensor map can have.
func TestTensorMap(t *testing.T) {
	for _, swizzle := range []uint32{0, 128} {
		b := &boxTest{Fixture: drivertest.New(t, &testDriver, boxArtefact(swizzle)), elements: make([]uint16, 12000), grid: [3]uint32{2, 3, 1}}
		switch info := b.Device.Info(); {
		case info.Profile < api.Tensors:
			t.Skipf("skipped: %s has no tensor maps (they need compute capability 9.0)", info.Name)
		case info.CompilerVersion < 12_000_000:
			t.Skipf("skipped: %s has no cuTensorMapEncodeTiled (it needs CUDA 12)", info.Version)
		}
		for n := range b.elements {
			b.elements[n] = uint16(n + 1)
		}
		b.matrix, b.out = b.Alloc(2*len(b.elements)), b.Alloc(int(b.grid[0]*b.grid[1])*boxBytes)
		b.Check(b.Stream.Write(drivertest.Whole(b.matrix), drivertest.Bytes(b.elements)))
		for _, m := range []boxMatrix{
			{0, 100, 90, 96, 1},
			{0, 100, 90, 96, 1},
			{8, 100, 90, 96, 1},
			{16, 60, 128, 136, 1},
			{0, 1, 1, 8, 1},
		} {
			if got, want := b.run(m), b.want(m, swizzle); !slices.Equal(got, want) {
				n := 0
				for got[n] == want[n] {
					n++
				}
				t.Errorf("swizzle %d, %+v: element %d of box %d is %#x, want %#x", swizzle, m, n%(boxSize*boxSize), n/(boxSize*boxSize), got[n], want[n])
			}
		}
		for _, m := range []boxMatrix{{1, 64, 64, 64, 1}, {0, 64, 64, 68, 1}, {0, 64, 64, 1, 64}, {0, 188, 64, 64, 1}} {
			if got := b.run(m); got[0] != boxMark || got[1] != 0xffff {
				t.Errorf("%+v: the variant was launched: %#x", m, got[:2])
			}
		}
	}
}
