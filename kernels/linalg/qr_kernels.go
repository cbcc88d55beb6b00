package linalg

// The kernels of QR factorisations by Householder's reflections (Golub and Van Loan, "Matrix
// Computations", §5.1 and §5.2). A reflection is I − tau·v·vᵀ, where v has zeros above the diagonal
// and a one on it. The bodies are in qr_body.go.

import (
	"github.com/gpuc/gpuc/runtime/gpu"
)

const (
	// reflected is how many columns a panel has at most.
	reflected = 64
	// own is how many rows of a column an item has in registers.
	own = 32
	// stagedCols is how many columns go through workgroup memory at a time.
	stagedCols = 8
	// blockRows and blockItems are the rows of a block of a panel, and the items that have it.
	blockRows  = 128
	blockItems = blockRows / own * reflected
)

// quad is 16 bytes, which devices load from workgroup memory at once.
type quad[T Real] interface{ [4]T | [2]T }

// spread says how items share a block of a panel: item l has own rows, from l/cols·own on, of
// column l%cols. It is constant in a kernel.
type spread struct{ cols, chunks int }

func (s spread) rows() int  { return s.chunks * own }
func (s spread) items() int { return s.cols * s.chunks }

// What the items of a workgroup share, for blocks of 128, 64 and 32 rows. V and Tops are twice the
// column that makes a reflection, and the row of the diagonal. Sums and Joined have its products
// with the other columns, by chunks and by blocks. Square is that of its norm. Staged are columns
// on their way between memory and registers.
type (
	reflecting[T Real, Q quad[T]] struct {
		V            [blockRows]Q
		Sums, Joined [blockItems]T
		Tops         [2 * reflected]T
		Made         made[T]
		Staged       [stagedCols * (blockRows + 1)]T
	}
	reflecting64[T Real, Q quad[T]] struct {
		V            [64]Q
		Sums, Joined [2 * 64]T
		Tops         [2 * 64]T
		Made         made[T]
		Staged       [stagedCols * (64 + 1)]T
	}
	reflecting32[T Real, Q quad[T]] struct {
		V            [32]Q
		Sums, Joined [32]T
		Tops         [2 * 32]T
		Made         made[T]
		Staged       [stagedCols * (32 + 1)]T
	}
)

// qrBatch32 factors each of count matrices of up to 32 rows and columns, whose distance is stride.
// The upper triangle becomes R, and columns below it those of v. A matrix has as many elements of
// tau as columns, or as rows if these are fewer. If along is not 0, columns are contiguous.
//
//gpuc:kernel workgroup=32 types=float32/[4]float32,float64/[2]float64
func qrBatch32[T Real, Q quad[T]](it gpu.Item, shared *reflecting32[T, Q], count int, a gpu.Matrix[T], stride, along int, tau []T) {
	p := parts[T, Q]{shared.V[:], shared.Sums[:], shared.Joined[:], shared.Tops[:], shared.Staged[:], &shared.Made}
	factorBatch[T, Q](it, p, spread{32, 1}, count, a, stride, along, tau)
}

// qrBatch64 is qrBatch32 for up to 64 rows and columns.
//
//gpuc:kernel workgroup=128 types=float32/[4]float32,float64/[2]float64
func qrBatch64[T Real, Q quad[T]](it gpu.Item, shared *reflecting64[T, Q], count int, a gpu.Matrix[T], stride, along int, tau []T) {
	p := parts[T, Q]{shared.V[:], shared.Sums[:], shared.Joined[:], shared.Tops[:], shared.Staged[:], &shared.Made}
	factorBatch[T, Q](it, p, spread{64, 2}, count, a, stride, along, tau)
}

// qrPanel factors a panel a, which has up to 64 columns, and at least as many rows. It does what
// qrBatch32 does, with tau behind base others. It writes the vectors v of its reflections, too,
// with the zeros and the ones, and to g the products of each with those before.
//
//gpuc:kernel workgroup=blockItems types=float32/[4]float32,float64/[2]float64
func qrPanel[T Real, Q quad[T]](it gpu.Item, shared *reflecting[T, Q], a gpu.Matrix[T], along int, tau []T, base int, v, g gpu.Matrix[T]) {
	p := parts[T, Q]{shared.V[:], shared.Sums[:], shared.Joined[:], shared.Tops[:], shared.Staged[:], &shared.Made}
	factorPanel[T, Q](it, p, alone[T, Q]{}, it.Group().X, it.Groups().X, a, along, tau, base, v, g)
}

// qrPanelOnce is qrPanel for several workgroups, which wait for each other: all of them run at the
// same time. Epochs begin behind number, and there are as many as columns, times rounds.
//
//gpuc:kernel workgroup=blockItems types=float32/[4]float32/number32,float64/[2]float64/number64
func qrPanelOnce[T Real, Q quad[T], W words[T]](it gpu.Item, shared *reflecting[T, Q], a gpu.Matrix[T], along int, tau []T, base int, v, g gpu.Matrix[T], number uint32, status []uint64) {
	p := parts[T, Q]{shared.V[:], shared.Sums[:], shared.Joined[:], shared.Tops[:], shared.Staged[:], &shared.Made}
	factorPanel[T, Q](it, p, among[T, Q, W]{status, number}, it.Group().X, it.Groups().X, a, along, tau, base, v, g)
}

// joinItems is how many items a workgroup of joinReflections has, and joinParts how many of them
// share a row.
const (
	joinParts = 8
	joinItems = joinParts * reflected
)

// joining is what the items of joinReflections share: the triangle, column by column, and parts of
// a column. Columns that are not finished have products still.
type joining[T Real] struct {
	T     [reflected * (reflected + 1) / 2]T
	Parts [joinItems]T
}

// joinReflections makes the triangle t of n reflections, whose product is I − v·t·vᵀ (Schreiber and
// Van Loan, "A Storage-Efficient WY Representation for Products of Householder Transformations",
// 1989). It takes the products g = vᵀ·v above the diagonal, and their tau behind base others.
//
//gpuc:kernel workgroup=joinItems types=float32,float64
func joinReflections[T Real](it gpu.Item, shared *joining[T], n int, g gpu.Matrix[T], tau []T, base int, t gpu.Matrix[T]) {
	i, part := it.LocalIndex()%reflected, it.LocalIndex()/reflected
	for k := part; k < n; k += joinParts {
		if i < k {
			shared.T[k*(k+1)/2+i] = g.At(i, k)
		}
		if i == k {
			shared.T[k*(k+1)/2+i] = tau[base+k]
		}
	}
	for k := range n {
		it.Barrier()
		var sum T
		for c := i + part; c < k; c += joinParts {
			sum += shared.T[c*(c+1)/2+i] * shared.T[k*(k+1)/2+c]
		}
		shared.Parts[it.LocalIndex()] = sum
		it.Barrier()
		if part == 0 && i < k {
			var v T
			for c := range joinParts {
				v -= shared.Parts[c*reflected+i]
			}
			shared.T[k*(k+1)/2+i] = v * shared.T[k*(k+1)/2+k]
		}
	}
	it.Barrier()
	for k := part; k < n; k += joinParts {
		if i < n {
			var v T
			if i <= k {
				v = shared.T[k*(k+1)/2+i]
			}
			t.Set(i, k, v)
		}
	}
}
