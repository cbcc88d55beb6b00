package vector

import "unsafe"

// This file chooses the primitives in assembly where the processor has AVX2 and FMA, and the system
// keeps the registers.

// cpuid returns what the instruction of that name does.
//
//go:noescape
func cpuid(leaf, subleaf uint32) (a, b, c, d uint32)

// xgetbv returns the low word of the extended control register 0.
//
//go:noescape
func xgetbv() uint32

// hasVectors reports whether the primitives in assembly run here.
func hasVectors() bool {
	const (
		fma, xsave, avx = 1 << 12, 1 << 27, 1 << 28 // of leaf 1, C
		avx2            = 1 << 5                    // of leaf 7, B
		states          = 1<<1 | 1<<2               // SSE's and AVX's registers
	)
	most, _, _, _ := cpuid(0, 0)
	_, _, c, _ := cpuid(1, 0)
	if most < 7 || c&(fma|xsave|avx) != fma|xsave|avx || xgetbv()&states != states {
		return false
	}
	_, b, _, _ := cpuid(7, 0)
	return b&avx2 != 0
}

// choose puts what is in assembly in the place of what is in Go.
func choose(p *processor) {
	if !hasVectors() {
		return
	}
	for n, assembled := range assembled {
		if assembled != nil {
			p.columns[n] = assembled
		}
	}
	p.columns[fillWord], p.columns[copyWord] = fillWordVector, copyWordVector
	p.columns[blendWord], p.columns[blendFillWord] = blendWordVector, blendFillWordVector
	p.operations = vectorOperations
	p.scatterRow, p.gatherRow = scatterRowVector, gatherRowVector
	p.filters = filters{
		find: func(lanes int, a *axis) {
			if !findVector(lanes, a) { // texels of which some are very far outside
				a.find(lanes)
			}
		},
		read: readVector, corners: cornersVector, around: aroundOf, nearest: nearestVector, blend: blendVector, texels: texelsVector, unorm: unormVector, halves: halves, between: betweenVector, mix: mixVector, mixSome: mixSomeVector,
		unorms: unormsVector, betweenUnorms: betweenUnormsVector, turn: turnVector, compare: compareVector, finest: finestVector,
		slope: slopeVector, levels: levelsVector,
	}
	if hasHalves() {
		p.halves, p.packs[encodeHalves] = halvesVector, packHalvesVector
	}
	p.spot = spotVector
	p.packs[encodeNumbers], p.packs[encodeUnsigned], p.packs[encodeSigned] = packNumbersVector, packUnsignedVector, packSignedVector
	p.pairs = pairsVector
}

// hasHalves reports whether the processor converts halves (F16C).
func hasHalves() bool {
	const f16c = 1 << 29 // of leaf 1, C
	_, _, c, _ := cpuid(1, 0)
	return c&f16c != 0
}

//go:noescape
func scatterRowVector(lanes int, from *[rowWords]unsafe.Pointer, column, mask unsafe.Pointer, w *window) bool

//go:noescape
func gatherRowVector(lanes int, to *[rowWords]unsafe.Pointer, column unsafe.Pointer, w *window) bool

// findVector reports false if numbers of texels are so far outside that some of those it has
// written may be wrong.
//
//go:noescape
func findVector(lanes int, a *axis) bool

//go:noescape
func readVector(lanes int, f *fetch)

//go:noescape
func cornersVector(lanes int, f *fetch)

// aroundOf leaves to Go what has more faces than can be divided by six in assembly.
func aroundOf(lanes int, a *around) {
	if a.most >= mostFaces {
		a.read(lanes)
		return
	}
	aroundVector(lanes, a)
}

// mostFaces is for how many the product of a number with 43691 has 32 bits.
const mostFaces = 1 << 16

//go:noescape
func aroundVector(lanes int, a *around)

//go:noescape
func blendVector(lanes int, b *blending)

//go:noescape
func nearestVector(lanes int, n *nearest) bool

//go:noescape
func texelsVector(lanes int, r *reading)

//go:noescape
func unormVector(lanes int, to, from unsafe.Pointer, f *field)

//go:noescape
func halvesVector(lanes int, to, from unsafe.Pointer, f *field)

//go:noescape
func betweenVector(lanes int, to, four, across, down unsafe.Pointer)

//go:noescape
func betweenUnormsVector(lanes int, to, four, across, down unsafe.Pointer, f *field)

//go:noescape
func turnVector(lanes int, t *turn)

//go:noescape
func compareVector(lanes int, c *comparison)

//go:noescape
func finestVector(lanes int, f *finest) bool

//go:noescape
func slopeVector(lanes int, s *slope)

//go:noescape
func levelsVector(lanes int, v *levelling)

//go:noescape
func spotVector(lanes int, s *spot) bool

//go:noescape
func packNumbersVector(lanes int, words unsafe.Pointer, e *encoding)

//go:noescape
func packHalvesVector(lanes int, words unsafe.Pointer, e *encoding)

//go:noescape
func packUnsignedVector(lanes int, words unsafe.Pointer, e *encoding)

//go:noescape
func packSignedVector(lanes int, words unsafe.Pointer, e *encoding)

//go:noescape
func pairsVector(lanes int, base unsafe.Pointer, from *[2]unsafe.Pointer, places, mask unsafe.Pointer)

//go:noescape
func unormsVector(lanes int, to *[4]unsafe.Pointer, from unsafe.Pointer, f *field)

//go:noescape
func mixSomeVector(lanes int, to, other, weight unsafe.Pointer)

//go:noescape
func mixVector(lanes int, to, other, weight unsafe.Pointer)

//go:noescape
func fillWordVector(n int, d, a, b, c unsafe.Pointer)

//go:noescape
func copyWordVector(n int, d, a, b, c unsafe.Pointer)

//go:noescape
func blendWordVector(n int, d, a, b, c unsafe.Pointer)

//go:noescape
func blendFillWordVector(n int, d, a, b, c unsafe.Pointer)
