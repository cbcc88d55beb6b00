package signal

import "github.com/gpuc/gpuc/runtime/gpu"

// size says how many numbers a kernel of fixed size transforms.
type size interface {
	n64 | n128 | n256 | n512 | n1024 | n2048 | n4096
}

type (
	n64   [64]byte
	n128  [128]byte
	n256  [256]byte
	n512  [512]byte
	n1024 [1024]byte
	n2048 [2048]byte
	n4096 [4096]byte
)

// binaryRoom is how many numbers a workgroup of binary transforms, 16 each item. Workgroup
// memory has a gap of one number behind each 16, so that numbers 16 apart are in different
// banks. A wide one has twice as many items.
const (
	binaryRoom = 16 * items
	withGaps   = binaryRoom + binaryRoom/16
	wideRoom   = 2 * binaryRoom
	wideGaps   = 2 * withGaps
)

// binaryRows transforms rows of 256 to 4096 numbers, a power of two. n/16 items work on a row,
// and each has 16 numbers in registers, n/16 apart. There are two stages of radix 16, and one of
// the radix that is left. Between stages items exchange first the real parts and then the
// imaginary ones, by workgroup memory.
//
// Eight items with the same Y have what is adjacent: addresses are the sum of what they have in
// common and of their X.
//
//gpuc:kernel workgroup=8,32 types=n256,n512,n1024,n2048,n4096
func binaryRows[N size](it gpu.Item, plane *[withGaps]float32, p pass, scale float32, stages []factorTable[float32], x, y [][2]float32) {
	var length N
	n := uint32(len(length))
	group := groupOf(it)
	if group >= p.Groups {
		return
	}
	lane, block := uint32(it.Local().X), uint32(it.Local().Y)
	factors := &stages[0]
	o := group / p.Blocks
	row := (group-o*p.Blocks)*p.Batch + block/(n/128)
	base := block / (n / 128) * (17 * n / 16) // of the row in memory
	low := block % 2 * 8
	block %= n / 128
	k := block*8 + lane
	v := take(x, y, &p, p.InBase+o*p.InOuter+min(row, p.Columns-1)*p.InColumn+k, n/16)
	conjugate(&v, p.Flags)
	dft16(&v)

	from := base + block/2 + k
	own := reader{at: from, step: 17 * n / 256}
	v = exchange(it, plane, &v, base+17*k, 1, own)
	weigh(&v, factors, secondStage+low+lane, 16)
	dft16(&v)

	if n > 256 {
		to := base + block/2*272 + low + lane
		it.Barrier()
		v = exchange(it, plane, &v, to, 16, own)
		lastStage(&v, n/256, factors, 256, thirdStage+k, n/16)
	}
	if row < p.Columns {
		z := sinkOf(scale, p.Flags)
		z.slots, z.step, z.left = 1, n/16, 1
		z.at = p.OutBase + o*p.OutOuter + row*p.OutBlock + k
		z.storeAll(y, &v)
	}
}
