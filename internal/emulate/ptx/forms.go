package ptx

import (
	"math"
	"strings"
)

// The table of instructions. Each row has names with all their modifiers in order, alternatives in
// braces, and the operands. A name that no row has is refused, so that no modifier is overlooked.
// The table has only what the compiler emits.
//
// An operand is a type: a type's name, T for the last type of the instruction's name, U for the one
// before it, W for twice the width of T. The prefix < marks a result, which is a register. A source
// with the prefix % must be a register, and one with # a constant. Other sources are registers or
// constants; predicates and f16 have no constants. The operand [ is an address, and { is the vector
// of scalars that the instruction moves.

// evaluation computes an instruction's result from the bits of its sources, which are
// zero-extended. The result is truncated to its width.
type evaluation func(x *instruction, a, b, c uint64) uint64

// action executes an instruction that an evaluation cannot express.
type action func(t *thread, x *instruction)

// exchange computes the result of a lane, and its state, of an instruction that the lanes of a mask
// execute together.
type exchange func(t *thread, x *instruction, l *lanes, mask uint32) (uint64, byte)

// waitScope is the set of invocations for which an instruction waits.
type waitScope uint8

const (
	nobody waitScope = iota
	workgroup
	members   // the lanes in the mask that is the last operand
	converged // the lanes of the warp that reach it together
	wholeWarp
	wholeWarpgroup
	completion // of a phase of a barrier in workgroup memory
)

// row describes the instructions of a pattern of names.
type row struct {
	names    string
	operands string
	evaluate evaluation
	// determined reports whether the ISA specifies the result; nil means always.
	determined func(x *instruction, a, b uint64) bool
	execute    action
	// read parses the operands if operands cannot describe them, and evaluateFor returns the
	// evaluation for the types of a form.
	read        func(p *parser, x *instruction, f *form)
	evaluateFor func(f *form) evaluation
	// waitsFor is the set of invocations for which the instruction waits, and receive computes the
	// result of each.
	waitsFor waitScope
	receive  exchange
	// together executes the instruction for the invocations of a warp or warpgroup.
	together func(threads []thread, x *instruction)
	// only is the one target that has the instruction; "" is all.
	only string
	// since is the first compute capability that has the instruction, times 10; 0 is all.
	since int
	// last says that the instruction is a terminator unless it has a guard.
	last bool
	// absorbing is the absorbing element, if there is one: a source of this value alone determines
	// the result.
	absorbing uint8
}

const (
	zeroAbsorbs = 1 // all bits 0
	onesAbsorb  = 2 // all bits 1
)

// form is an instruction: a row and the types that its name ends with.
type form struct {
	*row
	name string
	t, u kind
}

// kind is an instruction type: s32.
type kind struct {
	letter byte // u s b f, or p of a predicate
	bits   int
}

var kinds = map[string]kind{
	"pred": {'p', 1}, "b8": {'b', 8}, "b16": {'b', 16}, "f16": {'f', 16},
	"u32": {'u', 32}, "s32": {'s', 32}, "b32": {'b', 32}, "f32": {'f', 32},
	"u64": {'u', 64}, "s64": {'s', 64}, "b64": {'b', 64}, "f64": {'f', 64},
}

// mask returns the bits of a kind.
func (k kind) mask() uint64 { return 1<<k.bits - 1 }

func (k kind) float() bool { return k.letter == 'f' }

const (
	integers = "{u32,s32,u64,s64}"
	signed   = "{s32,s64}"
	unsigned = "{u32,u64}"
	untyped  = "{pred,b16,b32,b64}"
	words    = "{b32,b64}"
	vectors  = "{b8,b16,b32,b64,v2.b8,v2.b16,v2.b32,v2.b64,v4.b8,v4.b16,v4.b32}"
	channels = "{f32,s32,u32}"
	texels   = "{b8,b16,b32,v2.b32,v4.b32}"
	atomics  = ".relaxed.{gpu.global,cta.shared}."
)

var rows = []row{
	// Integer arithmetic
	{names: "add." + integers, operands: "<T T T", evaluate: func(_ *instruction, a, b, _ uint64) uint64 { return a + b }},
	{names: "sub." + integers, operands: "<T T T", evaluate: func(_ *instruction, a, b, _ uint64) uint64 { return a - b }},
	{names: "mul.lo." + integers, operands: "<T T T", evaluate: func(_ *instruction, a, b, _ uint64) uint64 { return a * b }},
	{names: "mul.hi." + unsigned, operands: "<T T T", evaluate: highUnsigned},
	{names: "mul.hi." + signed, operands: "<T T T", evaluate: highSigned},
	{names: "mul.wide.u32", operands: "<W T T", evaluate: func(_ *instruction, a, b, _ uint64) uint64 { return a * b }},
	{names: "mul.wide.s32", operands: "<W T T", evaluate: func(x *instruction, a, b, _ uint64) uint64 { return uint64(x.signed(a) * x.signed(b)) }},
	{names: "mad.lo." + integers, operands: "<T T T T", evaluate: func(_ *instruction, a, b, c uint64) uint64 { return a*b + c }},
	{names: "mad.wide.u32", operands: "<W T T W", evaluate: func(_ *instruction, a, b, c uint64) uint64 { return a*b + c }},
	{names: "mad.wide.s32", operands: "<W T T W", evaluate: func(x *instruction, a, b, c uint64) uint64 { return uint64(x.signed(a)*x.signed(b)) + c }},
	{names: "div." + unsigned, operands: "<T T T", evaluate: divideUnsigned, determined: dividesUnsigned},
	{names: "div." + signed, operands: "<T T T", evaluate: divideSigned, determined: dividesSigned},
	{names: "rem." + unsigned, operands: "<T T T", evaluate: remainderUnsigned, determined: dividesUnsigned},
	{names: "rem." + signed, operands: "<T T T", evaluate: remainderSigned, determined: dividesSigned},
	{names: "min." + unsigned, operands: "<T T T", evaluate: func(_ *instruction, a, b, _ uint64) uint64 { return min(a, b) }},
	{names: "max." + unsigned, operands: "<T T T", evaluate: func(_ *instruction, a, b, _ uint64) uint64 { return max(a, b) }},
	{names: "min." + signed, operands: "<T T T", evaluate: func(x *instruction, a, b, _ uint64) uint64 { return uint64(min(x.signed(a), x.signed(b))) }},
	{names: "max." + signed, operands: "<T T T", evaluate: func(x *instruction, a, b, _ uint64) uint64 { return uint64(max(x.signed(a), x.signed(b))) }},
	{names: "neg." + signed, operands: "<T T", evaluate: func(_ *instruction, a, _, _ uint64) uint64 { return -a }},
	{names: "abs." + signed, operands: "<T T", evaluate: func(x *instruction, a, _, _ uint64) uint64 { return uint64(max(x.signed(a), -x.signed(a))) }},
	{names: "dp4a.u32.u32", operands: "<u32 T U u32", evaluate: dotUnsigned},
	{names: "dp4a.s32.s32", operands: "<s32 T U s32", evaluate: dotSigned},

	// Bits
	{names: "and." + untyped, operands: "<T T T", evaluate: func(_ *instruction, a, b, _ uint64) uint64 { return a & b }, absorbing: zeroAbsorbs},
	{names: "or." + untyped, operands: "<T T T", evaluate: func(_ *instruction, a, b, _ uint64) uint64 { return a | b }, absorbing: onesAbsorb},
	{names: "xor." + untyped, operands: "<T T T", evaluate: func(_ *instruction, a, b, _ uint64) uint64 { return a ^ b }},
	{names: "not." + untyped, operands: "<T T", evaluate: func(_ *instruction, a, _, _ uint64) uint64 { return ^a }},
	{names: "shl." + words, operands: "<T T u32", evaluate: func(_ *instruction, a, b, _ uint64) uint64 { return a << b }},
	{names: "shr." + words, operands: "<T T u32", evaluate: func(_ *instruction, a, b, _ uint64) uint64 { return a >> b }},
	{names: "shr." + unsigned, operands: "<T T u32", evaluate: func(_ *instruction, a, b, _ uint64) uint64 { return a >> b }},
	{names: "shr." + signed, operands: "<T T u32", evaluate: func(x *instruction, a, b, _ uint64) uint64 { return uint64(x.signed(a) >> b) }},
	{names: "popc." + words, operands: "<u32 T", evaluate: countOnes},
	{names: "clz." + words, operands: "<u32 T", evaluate: countLeadingZeros},
	{names: "brev." + words, operands: "<T T", evaluate: reverseBits},
	{names: "bfind." + integers, operands: "<u32 T", evaluateFor: func(f *form) evaluation { return findBit(f, false) }},
	{names: "bfind.shiftamt." + integers, operands: "<u32 T", evaluateFor: func(f *form) evaluation { return findBit(f, true) }},
	{names: "bfe." + unsigned, operands: "<T T u32 u32", evaluate: extractUnsigned},
	{names: "bfe." + signed, operands: "<T T u32 u32", evaluate: extractSigned},
	{names: "bfi." + words, operands: "<T T T u32 u32", execute: insertField},
	{names: "lop3.b32", operands: "<T T T T #u32", execute: lookUp},
	{names: "shf.r.wrap.b32", operands: "<T T T u32", evaluate: func(_ *instruction, a, b, c uint64) uint64 { return (b<<32 | a) >> (c & 31) }},
	{names: "prmt.b32", operands: "<T T T T", evaluate: permute},

	// Comparison and selection
	{names: "setp.{eq,ne}." + words, operands: "<pred T T", evaluateFor: compareIntegers},
	{names: "setp.{eq,ne,lt,le,gt,ge}." + integers, operands: "<pred T T", evaluateFor: compareIntegers},
	{names: "setp.{eq,ne,lt,le,gt,ge,equ,neu,ltu,leu,gtu,geu,num,nan}.{f16,f32,f64}", operands: "<pred T T", evaluateFor: compareFloats},
	{names: "setp.{eq,ne,lt,le,gt,ge}.{and,or}." + integers, operands: "<pred T T pred", evaluateFor: joined(compareIntegers)},
	{names: "setp.{eq,ne,lt,le,gt,ge,equ,neu,ltu,leu,gtu,geu,num,nan}.{and,or}.{f16,f32,f64}", operands: "<pred T T pred", evaluateFor: joined(compareFloats)},
	{names: "selp.{b16,b32,b64,u32,s32,u64,s64,f32,f64}", operands: "<T T T pred", execute: selectValue},

	// Floating point
	{names: "add.rn.f32", operands: "<T T T", evaluate: ofSingles(func(a, b float32) float32 { return a + b })},
	{names: "sub.rn.f32", operands: "<T T T", evaluate: ofSingles(func(a, b float32) float32 { return a - b })},
	{names: "mul.rn.f32", operands: "<T T T", evaluate: ofSingles(func(a, b float32) float32 { return a * b })},
	{names: "add.rn.f16", operands: "<T T T", evaluate: ofHalves(func(a, b float64) float64 { return a + b })},
	{names: "sub.rn.f16", operands: "<T T T", evaluate: ofHalves(func(a, b float64) float64 { return a - b })},
	{names: "mul.rn.f16", operands: "<T T T", evaluate: ofHalves(func(a, b float64) float64 { return a * b })},
	{names: "fma.rn.f32", operands: "<T T T T", evaluate: fusedSingle},
	{names: "fma.rm.f32", operands: "<T T T T", evaluate: fusedSingleDown},
	{names: "fma.rn.f16", operands: "<T T T T", evaluate: fusedHalf},
	{names: "div.{rn,full}.f32", operands: "<T T T", evaluate: ofSingles(func(a, b float32) float32 { return a / b })},
	{names: "div.approx.ftz.f32", operands: "<T T T", evaluate: flushed(approximateQuotient)},
	{names: "rcp.rn.f32", operands: "<T T", evaluate: ofSingle(func(a float64) float64 { return 1 / a })},
	{names: "rcp.approx.ftz.f32", operands: "<T T", evaluate: flushed(ofSingle(func(a float64) float64 { return 1 / a }))},
	{names: "sqrt.{rn,approx}.f32", operands: "<T T", evaluate: ofSingle(math.Sqrt)},
	{names: "sqrt.approx.ftz.f32", operands: "<T T", evaluate: flushed(ofSingle(math.Sqrt))},
	{names: "rsqrt.approx.f32", operands: "<T T", evaluate: ofSingle(inverseSquareRoot)},
	{names: "rsqrt.approx.ftz.f32", operands: "<T T", evaluate: flushed(ofSingle(inverseSquareRoot))},
	{names: "sin.approx.f32", operands: "<T T", evaluate: ofSingle(math.Sin)},
	{names: "sin.approx.ftz.f32", operands: "<T T", evaluate: flushed(ofSingle(math.Sin))},
	{names: "cos.approx.f32", operands: "<T T", evaluate: ofSingle(math.Cos)},
	{names: "cos.approx.ftz.f32", operands: "<T T", evaluate: flushed(ofSingle(math.Cos))},
	{names: "ex2.approx.f32", operands: "<T T", evaluate: ofSingle(math.Exp2)},
	{names: "ex2.approx.ftz.f32", operands: "<T T", evaluate: flushed(ofSingle(math.Exp2))},
	{names: "lg2.approx.f32", operands: "<T T", evaluate: ofSingle(math.Log2)},
	{names: "lg2.approx.ftz.f32", operands: "<T T", evaluate: flushed(ofSingle(math.Log2))},
	{names: "min.f32", operands: "<T T T", evaluate: canonical(minimum(singleValue, singleSign))},
	{names: "max.f32", operands: "<T T T", evaluate: canonical(maximum(singleValue, singleSign))},
	{names: "neg.f32", operands: "<T T", evaluate: func(_ *instruction, a, _, _ uint64) uint64 { return a ^ singleSign }},
	{names: "abs.f32", operands: "<T T", evaluate: func(_ *instruction, a, _, _ uint64) uint64 { return a &^ singleSign }},
	{names: "copysign.f32", operands: "<T T T", evaluate: func(_ *instruction, a, b, _ uint64) uint64 { return a&singleSign | b&^singleSign }},

	{names: "add.rn.f64", operands: "<T T T", evaluate: ofDoubles(func(a, b float64) float64 { return a + b })},
	{names: "sub.rn.f64", operands: "<T T T", evaluate: ofDoubles(func(a, b float64) float64 { return a - b })},
	{names: "mul.rn.f64", operands: "<T T T", evaluate: ofDoubles(func(a, b float64) float64 { return a * b })},
	{names: "div.rn.f64", operands: "<T T T", evaluate: ofDoubles(func(a, b float64) float64 { return a / b })},
	{names: "fma.rn.f64", operands: "<T T T T", evaluate: fusedDouble},
	{names: "sqrt.rn.f64", operands: "<T T", evaluate: ofDouble(math.Sqrt)},
	{names: "min.f64", operands: "<T T T", evaluate: minimum(doubleValue, doubleSign)},
	{names: "max.f64", operands: "<T T T", evaluate: maximum(doubleValue, doubleSign)},
	{names: "neg.f64", operands: "<T T", evaluate: func(_ *instruction, a, _, _ uint64) uint64 { return a ^ doubleSign }},
	{names: "abs.f64", operands: "<T T", evaluate: func(_ *instruction, a, _, _ uint64) uint64 { return a &^ doubleSign }},

	// Conversion
	{names: "cvt." + integers + "." + integers, operands: "<U T", evaluateFor: convertIntegers},
	{names: "cvt.u16.u32", operands: "<b16 u32", evaluate: func(_ *instruction, a, _, _ uint64) uint64 { return a & 0xFFFF }},
	{names: "cvt.{rni,rzi,rmi,rpi}." + integers + ".{f16,f32,f64}", operands: "<U T", evaluateFor: convertToInteger},
	{names: "cvt.{rni,rzi,rmi,rpi}.{f16.f16,f32.f32,f64.f64}", operands: "<U T", evaluateFor: roundToInteger},
	{names: "cvt.rn.{f16,f32,f64}." + integers, operands: "<U T", evaluateFor: convertFromInteger},
	{names: "cvt.rn.f16.f32", operands: "<U T", evaluate: func(_ *instruction, a, _, _ uint64) uint64 { return halfBits(singleValue(a)) }},
	{names: "cvt.f32.f16", operands: "<U T", evaluate: func(_ *instruction, a, _, _ uint64) uint64 { return singleBits(halfValue(a)) }},
	{names: "cvt.rn.f16.f64", operands: "<U T", evaluate: func(_ *instruction, a, _, _ uint64) uint64 { return halfBits(doubleValue(a)) }},
	{names: "cvt.rn.f32.f64", operands: "<U T", evaluate: func(_ *instruction, a, _, _ uint64) uint64 { return singleBits(doubleValue(a)) }},
	{names: "cvt.f64.f16", operands: "<U T", evaluate: func(_ *instruction, a, _, _ uint64) uint64 { return doubleBits(halfValue(a)) }},
	{names: "cvt.f64.f32", operands: "<U T", evaluate: func(_ *instruction, a, _, _ uint64) uint64 { return doubleBits(singleValue(a)) }},
	{names: "cvt.rn.bf16x2.f32", since: 80, operands: "<b32 T T", evaluate: func(_ *instruction, a, b, _ uint64) uint64 { return brainBits(a)<<16 | brainBits(b) }},
	{names: "cvta.to.global.u64", operands: "<T %T", evaluate: toGlobal},
	{names: "cvta.param.u64", since: 70, operands: "<T %T", evaluate: fromParameter},

	// Movement
	{names: "mov." + untyped, read: readMove, evaluate: func(_ *instruction, a, _, _ uint64) uint64 { return a }},
	{names: "mov.u32", read: readSpecial, evaluate: func(_ *instruction, a, _, _ uint64) uint64 { return a }},
	{names: "ld.{global,shared,local,const,param}." + vectors, operands: "<{ [", execute: load},
	{names: "ld.global.nc." + vectors, operands: "<{ [", execute: load},
	{names: "ld" + atomics + "{b16,b32,b64}", operands: "<{ [", execute: load},
	{names: "st.{global,shared,local,param}." + vectors, operands: "[ {", execute: store},
	{names: "st" + atomics + "{b16,b32,b64}", operands: "[ {", execute: store},
	{names: "atom" + atomics + "{add.{u32,s32,u64,f32,f64,noftz.f16},min." + integers + ",max." + integers + "}", operands: "<T [ T", evaluateFor: readModifyWrite},
	{names: "atom" + atomics + "{and,or,xor,exch}." + words, operands: "<T [ T", evaluateFor: readModifyWrite},
	{names: "atom" + atomics + "cas." + words, operands: "<T [ T T", evaluateFor: readModifyWrite},
	{names: "red" + atomics + "{add.{u32,s32,u64,f32,f64,noftz.f16},min." + integers + ",max." + integers + "}", operands: "[ T", evaluateFor: readModifyWrite},
	{names: "red" + atomics + "{and,or,xor}." + words, operands: "[ T", evaluateFor: readModifyWrite},

	// Textures and surfaces
	{names: "tex.level.{a2d,3d}.v4." + channels + ".s32", read: readTexture, execute: fetch},
	{names: "tex.2dms.v4." + channels + ".s32", read: readTexture, execute: fetch},
	{names: "tex.level.{a2d,3d,cube,acube}.v4." + channels + ".f32", read: readTexture, execute: sample},
	{names: "tld4.{r,g,b,a}.{a2d,cube,acube}.v4." + channels + ".f32", read: readTexture, execute: gather},
	{names: "suld.b.{a2d,3d}.cv." + texels + ".zero", read: readSurfaceLoad, execute: loadSurface},
	{names: "sust.b.{a2d,3d}." + texels + ".zero", read: readSurfaceStore, execute: storeSurface},
	// invocations run one after another and see each other's writes at once
	{names: "membar.cta", execute: func(*thread, *instruction) {}},

	// Asynchronous copies, and barriers in workgroup memory
	{names: "mbarrier.init.shared::cta.b64", since: 80, read: readBarrierObject("[ u32"), execute: initialise},
	{names: "mbarrier.arrive.shared::cta.b64", since: 80, read: readBarrierObject("_ ["), execute: arrive},
	{names: "mbarrier.arrive.expect_tx.shared::cta.b64", since: 90, read: readBarrierObject("_ [ u32"), execute: arrive},
	{names: "mbarrier.try_wait.parity.shared::cta.b64", since: 90, read: readBarrierObject("< [ u32"), execute: tryWait, waitsFor: completion},
	{names: "fence.mbarrier_init.release.cluster", since: 90, execute: fenceBarriers},
	{names: "fence.proxy.async.shared::cta", since: 90, execute: fenceProxy},
	{names: "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes", since: 90, read: readTensorLoad, execute: loadBox},
	{names: "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes", since: 90, read: readWindowsLoad, execute: loadBox},
	{names: "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group", since: 90, read: readTensorStore, execute: storeBox},
	{names: "cp.async.bulk.commit_group", since: 90, execute: commitStores},
	{names: "cp.async.bulk.wait_group.read", since: 90, read: readGroups, execute: waitStores},
	{names: "cp.async.bulk.wait_group", since: 90, read: readGroups, execute: finishStores},

	// Products of a warpgroup
	{names: "wgmma.fence.sync.aligned", only: "sm_90a", execute: wait, waitsFor: wholeWarpgroup, together: fenceProducts},
	{names: "wgmma.commit_group.sync.aligned", only: "sm_90a", execute: wait, waitsFor: wholeWarpgroup, together: commitProducts},
	{names: "wgmma.wait_group.sync.aligned", only: "sm_90a", read: readGroups, execute: wait, waitsFor: wholeWarp, together: waitProducts},
	{names: "wgmma.mma_async.sync.aligned.m64n" + productColumns(8) + "{k16.f32.{f16.f16,bf16.bf16},k8.f32.tf32.tf32,k32.f32.{e4m3,e5m2}.{e4m3,e5m2}}", only: "sm_90a",
		read: readProduct, execute: wait, waitsFor: wholeWarpgroup, together: issueProduct},
	{names: "wgmma.mma_async.sync.aligned.m64n" + productColumns(16) + "k32.s32.{s8.s8,u8.u8}", only: "sm_90a",
		read: readProduct, execute: wait, waitsFor: wholeWarpgroup, together: issueProduct},
	{names: "setmaxnreg.{dec,inc}.sync.aligned.u32", only: "sm_90a", read: readRegisterCount, execute: wait, waitsFor: wholeWarpgroup, together: setRegisters},
	{names: "stmatrix.sync.aligned.m8n8.x4.shared.b16", since: 90, read: readStoreMatrix, execute: wait, waitsFor: wholeWarp, together: storeMatrix},

	// Products and loads of a warp
	{names: "mma.sync.aligned.{m16n8k16.row.col.{f32.f16.f16.f32,f16.f16.f16.f16,f32.bf16.bf16.f32},m16n8k32.row.col.s32.{s8,u8}.{s8,u8}.s32}", since: 80,
		read: readMatrixProduct, execute: wait, waitsFor: wholeWarp, together: multiplyMatrices},
	{names: "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64", since: 80, read: readMatrixProduct, execute: wait, waitsFor: wholeWarp, together: multiplyMatrices},
	{names: "mma.sync.aligned.{m16n8k4,m16n8k8,m16n8k16}.row.col.f64.f64.f64.f64", since: 90, read: readMatrixProduct, execute: wait, waitsFor: wholeWarp, together: multiplyMatrices},
	{names: "ldmatrix.sync.aligned.m8n8.x4{,.trans}.shared.b16", since: 75, read: readLoadMatrix, execute: wait, waitsFor: wholeWarp, together: loadMatrix},

	// Copies
	{names: "cp.async.cg.shared.global", since: 80, read: readCopy, execute: startCopy},
	{names: "cp.async.commit_group", since: 80, execute: commitCopies},
	{names: "cp.async.wait_group", since: 80, read: readGroups, execute: waitCopies},

	// Control
	{names: "bra", read: readBranch, execute: branch, last: true},
	{names: "brx.idx", read: readIndexedBranch, execute: branchIndexed, last: true},
	{names: "call", read: readCall, execute: call},
	{names: "ret", execute: leave, last: true},
	{names: "trap", execute: func(*thread, *instruction) { fail("trap is executed") }, last: true},
	// performance events are not counted
	{names: "pmevent", read: readEvent, execute: func(*thread, *instruction) {}},

	// Barriers and exchanges between the lanes of a warp
	{names: "bar.sync", read: readBarrier, execute: wait, waitsFor: workgroup},
	{names: "bar.arrive", read: readArrival, execute: signal},
	{names: "bar.warp.sync", operands: "b32", execute: wait, waitsFor: members},
	{names: "activemask.b32", operands: "<T", execute: wait, waitsFor: converged},
	{names: "vote.sync.all.pred", operands: "<T T b32", execute: wait, waitsFor: members,
		receive: vote(func(ballot, mask uint32) uint64 { return truth(ballot == mask) })},
	{names: "vote.sync.any.pred", operands: "<T T b32", execute: wait, waitsFor: members,
		receive: vote(func(ballot, _ uint32) uint64 { return truth(ballot != 0) })},
	{names: "vote.sync.uni.pred", operands: "<T T b32", execute: wait, waitsFor: members,
		receive: vote(func(ballot, mask uint32) uint64 { return truth(ballot == 0 || ballot == mask) })},
	{names: "vote.sync.ballot.b32", operands: "<T pred b32", execute: wait, waitsFor: members,
		receive: vote(func(ballot, _ uint32) uint64 { return uint64(ballot) })},
	{names: "shfl.sync.up.b32", operands: "<T %T b32 b32 b32", execute: wait, waitsFor: members,
		receive: shuffle(func(lane, b, _, limit int) (int, bool) { return lane - b, lane-b >= limit })},
	{names: "shfl.sync.down.b32", operands: "<T %T b32 b32 b32", execute: wait, waitsFor: members,
		receive: shuffle(func(lane, b, _, limit int) (int, bool) { return lane + b, lane+b <= limit })},
	{names: "shfl.sync.bfly.b32", operands: "<T %T b32 b32 b32", execute: wait, waitsFor: members,
		receive: shuffle(func(lane, b, _, limit int) (int, bool) { return lane ^ b, lane^b <= limit })},
	{names: "shfl.sync.idx.b32", operands: "<T %T b32 b32 b32", execute: wait, waitsFor: members,
		receive: shuffle(func(lane, b, segment, limit int) (int, bool) {
			from := lane&segment | b&^segment
			return from, from <= limit
		})},
	{names: "redux.sync.add.{u32,s32}", since: 80, operands: "<T T b32", execute: wait, waitsFor: members,
		receive: reduce(func(a, b uint32) uint32 { return a + b })},
	{names: "redux.sync.min.u32", since: 80, operands: "<T T b32", execute: wait, waitsFor: members,
		receive: reduce(func(a, b uint32) uint32 { return min(a, b) })},
	{names: "redux.sync.max.u32", since: 80, operands: "<T T b32", execute: wait, waitsFor: members,
		receive: reduce(func(a, b uint32) uint32 { return max(a, b) })},
	{names: "redux.sync.min.s32", since: 80, operands: "<T T b32", execute: wait, waitsFor: members,
		receive: reduce(func(a, b uint32) uint32 { return uint32(min(int32(a), int32(b))) })},
	{names: "redux.sync.max.s32", since: 80, operands: "<T T b32", execute: wait, waitsFor: members,
		receive: reduce(func(a, b uint32) uint32 { return uint32(max(int32(a), int32(b))) })},
	{names: "redux.sync.and.b32", since: 80, operands: "<T T b32", execute: wait, waitsFor: members,
		receive: reduce(func(a, b uint32) uint32 { return a & b })},
	{names: "redux.sync.or.b32", since: 80, operands: "<T T b32", execute: wait, waitsFor: members,
		receive: reduce(func(a, b uint32) uint32 { return a | b })},
	{names: "redux.sync.xor.b32", since: 80, operands: "<T T b32", execute: wait, waitsFor: members,
		receive: reduce(func(a, b uint32) uint32 { return a ^ b })},
	{names: "match.any.sync." + words, operands: "<b32 %T b32", execute: wait, waitsFor: members, receive: match},
}

var forms = expandRows()

// expandRows returns the forms by name.
func expandRows() map[string]*form {
	all := make(map[string]*form, 4096)
	for n := range rows {
		for _, name := range spellings(rows[n].names) {
			if all[name] != nil {
				panic("two rows for " + name)
			}
			f := &form{row: &rows[n], name: name}
			parts := strings.Split(name, ".")
			f.t = kinds[parts[len(parts)-1]]
			if len(parts) > 1 {
				f.u = kinds[parts[len(parts)-2]]
			}
			all[name] = f
		}
	}
	return all
}

// spellings expands the alternatives in braces of a pattern.
func spellings(pattern string) []string {
	open := strings.IndexByte(pattern, '{')
	if open < 0 {
		return []string{pattern}
	}
	var middle, all []string
	depth, start, end := 0, open+1, 0
	for n := open; n < len(pattern); n++ {
		switch pattern[n] {
		case '{':
			depth++
		case '}':
			depth--
		}
		if depth == 0 || depth == 1 && pattern[n] == ',' {
			middle = append(middle, spellings(pattern[start:n])...)
			if start = n + 1; depth == 0 {
				end = n + 1
				break
			}
		}
	}
	for _, tail := range spellings(pattern[end:]) {
		for _, m := range middle {
			all = append(all, pattern[:open]+m+tail)
		}
	}
	return all
}

// of returns the type of an operand, see rows.
func (f *form) of(name string) kind {
	switch name {
	case "T":
		return f.t
	case "U":
		return f.u
	case "W":
		return kind{f.t.letter, 2 * f.t.bits}
	}
	return kinds[name]
}
