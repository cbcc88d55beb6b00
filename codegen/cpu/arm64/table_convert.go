package arm64

// This file has the rows of vectors whose elements change their kind or width.

// convertRows convert between integers and floats, and make elements wider or narrower.
var convertRows = []row{
	{VSCvtF, "scvtf", 0x0E21D800, floats, qFloat, of{vd, vn}, 0},
	{VFCvtZS, "fcvtzs", 0x0EA1B800, floats, qFloat, of{vd, vn}, 0},
	{VFCvtL, "fcvtl", 0x0E217800, halves | words, qFloatNamed, of{vdLong, vn}, 0},
	{VFCvtN, "fcvtn", 0x0E216800, halves | words, qFloatNamed, of{vdNarrow, vnLong}, 0},
	{VXtn, "xtn", 0x0E212800, toWords, qSizeNamed, of{vdNarrow, vnLong}, 0},
	{VSQXtn, "sqxtn", 0x0E214800, toWords, qSizeNamed, of{vdNarrow, vnLong}, 0},
	{VSQXtun, "sqxtun", 0x2E212800, toWords, qSizeNamed, of{vdNarrow, vnLong}, 0},
	{VSShll, "sshll", 0x0F00A400, toWords, qNamed, of{vdLong, vn, left}, 0},
	{VUShll, "ushll", 0x2F00A400, toWords, qNamed, of{vdLong, vn, left}, 0},
	{VSMulL, "smull", 0x0E20C000, toWords, qSizeNamed, of{vdLong, vn, vm}, 0},
	{VUMulL, "umull", 0x2E20C000, toWords, qSizeNamed, of{vdLong, vn, vm}, 0},
}
