package arm64

// This file has the rows that move elements of vectors.

// laneRows move elements between lanes, and reduce vectors.
var laneRows = []row{
	{VUzp1, "uzp1", 0x0E001800, integers, qSize, of{vd, vn, vm}, 0},
	{VUzp2, "uzp2", 0x0E005800, integers, qSize, of{vd, vn, vm}, 0},
	{VZip1, "zip1", 0x0E003800, integers, qSize, of{vd, vn, vm}, 0},
	{VZip2, "zip2", 0x0E007800, integers, qSize, of{vd, vn, vm}, 0},
	{VTbl, "tbl", 0x0E000000, bytes, q, of{vd, vnBytes1, vm}, 0},
	{VTbl2, "tbl", 0x0E002000, bytes, q, of{vd, vnBytes2, vm}, 0},
	{VDup, "dup", 0x0E000C00, integers, qCopy, of{vd, gnOfElement}, 0},
	{VDup, "dup", 0x0E000400, integers, qCopy, of{vd, vnLane}, 0},
	{VIns, "ins", 0x4E001C00, elements, element, of{vdrLane, gnOfElement}, 0},
	{VIns, "ins", 0x6E000400, elements, element, of{vdrLane, vnOther}, 0},
	{VUMov, "umov", 0x0E003C00, elements, elementQ, of{gdOfElement, vnLane}, 0},
	{VAddV, "addv", 0x0E31B800, reduced, qSize, of{vdOne, vn}, 0},
	{VSMaxV, "smaxv", 0x0E30A800, reduced, qSize, of{vdOne, vn}, 0},
	{VUMaxV, "umaxv", 0x2E30A800, reduced, qSize, of{vdOne, vn}, 0},
	{VMovI, "movi", 0x0F00E400, bytes, q, of{vd, byteBit}, 0},
	{VMovI, "movi", 0x0F000400, halves | words, q, of{vd, byteBit}, leftByte},
	{VMovI, "movi", 0x6F00E400, 1 << D2, fixed, of{vd, maskBit}, 0},
	{VMvnI, "mvni", 0x2F000400, halves | words, q, of{vd, byteBit}, leftByte},
	{VFMov, "fmov", 0x0F00F400, words, q, of{vd, float8}, 0},
	{VFMov, "fmov", 0x6F00F400, 1 << D2, fixed, of{vd, float8}, 0},
}
