package gokernels

import (
	"strings"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// Kernel is a kernel as plain Go.
type Kernel struct {
	Function   any
	Workgroup  gpu.Int3
	Parameters []string // the names, the item's first
}

// Kernels are those of the package, by name.
var Kernels = map[string]Kernel{
	"AesSbox":                         of(AesSbox, gpu.Int3{X: 8, Y: 1, Z: 1}, "it inverse blocks substituted restored"),
	"AtomicCompareExchange":           of(AtomicCompareExchange, gpu.Int3{X: 32, Y: 1, Z: 1}, "it data greatest product head links"),
	"AtomicCompareExchangeClear":      of(AtomicCompareExchangeClear, gpu.Int3{X: 32, Y: 1, Z: 1}, "it head links"),
	"AtomicCompareExchangeWalk":       of(AtomicCompareExchangeWalk, gpu.Int3{X: 1, Y: 1, Z: 1}, "it head links totals"),
	"Atomics":                         of(Atomics, gpu.Int3{X: 32, Y: 1, Z: 1}, "it sum least parity most data counters seen perGroup"),
	"AtomicsFinish":                   of(AtomicsFinish, gpu.Int3{X: 1, Y: 1, Z: 1}, "it counters"),
	"BitBuiltins":                     of(BitBuiltins, gpu.Int3{X: 16, Y: 1, Z: 1}, "it data unsignedResults signedResults"),
	"Cholesky":                        of(Cholesky, gpu.Int3{X: 8, Y: 1, Z: 1}, "it matrices factors"),
	"Collatz":                         of(Collatz, gpu.Int3{X: 64, Y: 1, Z: 1}, "it data"),
	"CompactionClear":                 of(CompactionClear, gpu.Int3{X: compactionSize, Y: 1, Z: 1}, "it unordered"),
	"CompactionCompact":               of(CompactionCompact, gpu.Int3{X: compactionSize, Y: 1, Z: 1}, "it data kept unordered ordered"),
	"CompactionSort":                  of(CompactionSort, gpu.Int3{X: compactionSize, Y: 1, Z: 1}, "it kept unordered sorted"),
	"ConvertNumbers":                  of(ConvertNumbers, gpu.Int3{X: 16, Y: 1, Z: 1}, "it floats words integers unsignedIntegers converted"),
	"Convolution1d":                   of(Convolution1d, gpu.Int3{X: convolutionSize, Y: 1, Z: 1}, "it window weights signal filtered"),
	"Crc32":                           of(Crc32, gpu.Int3{X: crcSize, Y: 1, Z: 1}, "it table text lengths checksums"),
	"DotProducts":                     of(DotProducts, gpu.Int3{X: 16, Y: 1, Z: 1}, "it data results"),
	"Fft256":                          of(Fft256, gpu.Int3{X: fftSize, Y: 1, Z: 1}, "it values signal spectrum"),
	"FloatArithmetic":                 of(FloatArithmetic, gpu.Int3{X: 16, Y: 1, Z: 1}, "it data quotients blends angles"),
	"FloatExponential":                of(FloatExponential, gpu.Int3{X: 32, Y: 1, Z: 1}, "it data powers logarithms roots raised hyperbolic inverses"),
	"FloatParts":                      of(FloatParts, gpu.Int3{X: 16, Y: 1, Z: 1}, "it data results exponents rounded"),
	"FloatRounding":                   of(FloatRounding, gpu.Int3{X: 16, Y: 1, Z: 1}, "it data results orders"),
	"FloatTrigonometry":               of(FloatTrigonometry, gpu.Int3{X: 32, Y: 1, Z: 1}, "it angles waves slopes arcs quadrants"),
	"FloydWarshallAdvance":            of(FloydWarshallAdvance, gpu.Int3{X: 1, Y: 1, Z: 1}, "it through"),
	"FloydWarshallRelax":              of(FloydWarshallRelax, gpu.Int3{X: 8, Y: 8, Z: 1}, "it distanceOf through"),
	"GameOfLifeEvenToOdd":             of(GameOfLifeEvenToOdd, gpu.Int3{X: 8, Y: 8, Z: 1}, "it even odd"),
	"GameOfLifeOddToEven":             of(GameOfLifeOddToEven, gpu.Int3{X: 8, Y: 8, Z: 1}, "it odd even"),
	"GaussianBlurHorizontal":          of(GaussianBlurHorizontal, gpu.Int3{X: 16, Y: 4, Z: 1}, "it pixels rows"),
	"GaussianBlurVertical":            of(GaussianBlurVertical, gpu.Int3{X: 4, Y: 16, Z: 1}, "it rows blurred"),
	"Geometry":                        of(Geometry, gpu.Int3{X: 16, Y: 1, Z: 1}, "it rays normals measures bounced bent"),
	"Histogram":                       of(Histogram, gpu.Int3{X: histogramSize, Y: 1, Z: 1}, "it mine samples counts"),
	"Immediates":                      of(Immediates, gpu.Int3{X: 8, Y: 1, Z: 1}, "it parameters results sums"),
	"ImmediatesWeigh":                 of(ImmediatesWeigh, gpu.Int3{X: 8, Y: 1, Z: 1}, "it weights sums"),
	"IntegerArithmetic":               of(IntegerArithmetic, gpu.Int3{X: 16, Y: 1, Z: 1}, "it data unsignedResults signedResults"),
	"IntegerDivision":                 of(IntegerDivision, gpu.Int3{X: 32, Y: 1, Z: 1}, "it dividends divisors signedResults unsignedResults vectorResults"),
	"IntegerWraps":                    of(IntegerWraps, gpu.Int3{X: 8, Y: 1, Z: 1}, "it data results"),
	"Jacobi":                          of(Jacobi, gpu.Int3{X: jacobiTile, Y: jacobiTile, Z: 1}, "it cells temperature next"),
	"LanguageAggregates":              of(LanguageAggregates, gpu.Int3{X: 8, Y: 1, Z: 1}, "it results"),
	"LanguageArrays":                  of(LanguageArrays, gpu.Int3{X: 8, Y: 1, Z: 1}, "it data results"),
	"LanguageBooleans":                of(LanguageBooleans, gpu.Int3{X: 8, Y: 1, Z: 1}, "it data results"),
	"LanguageConstants":               of(LanguageConstants, gpu.Int3{X: 4, Y: 1, Z: 1}, "it data results floats"),
	"LanguageDeadCode":                of(LanguageDeadCode, gpu.Int3{X: 8, Y: 1, Z: 1}, "it data results ignored"),
	"LanguageEarlyReturn":             of(LanguageEarlyReturn, gpu.Int3{X: 16, Y: 1, Z: 1}, "it data results"),
	"LanguageEntryPointsByParameters": of(LanguageEntryPointsByParameters, gpu.Int3{X: 5, Y: 1, Z: 1}, "it places counts"),
	"LanguageEntryPointsByStruct":     of(LanguageEntryPointsByStruct, gpu.Int3{X: 3, Y: 2, Z: 4}, "it ids counts"),
	"LanguageEvaluationOrder":         of(LanguageEvaluationOrder, gpu.Int3{X: 8, Y: 1, Z: 1}, "it results accumulators"),
	"LanguageLoops":                   of(LanguageLoops, gpu.Int3{X: 8, Y: 1, Z: 1}, "it results"),
	"LanguagePointers":                of(LanguagePointers, gpu.Int3{X: 8, Y: 1, Z: 1}, "it shared cells results"),
	"LanguageScopes":                  of(LanguageScopes, gpu.Int3{X: 8, Y: 1, Z: 1}, "it results"),
	"LanguageShortCircuit":            of(LanguageShortCircuit, gpu.Int3{X: 8, Y: 1, Z: 1}, "it traces results"),
	"LanguageSwitch":                  of(LanguageSwitch, gpu.Int3{X: 16, Y: 1, Z: 1}, "it data kinds walks"),
	"LanguageSwitchEmpty":             of(LanguageSwitchEmpty, gpu.Int3{X: 16, Y: 1, Z: 1}, "it results"),
	"LanguageVectorComponents":        of(LanguageVectorComponents, gpu.Int3{X: 8, Y: 1, Z: 1}, "it quads triples swizzled"),
	"LayoutStorage":                   of(LayoutStorage, gpu.Int3{X: 1, Y: 1, Z: 1}, "it given plain stored"),
	"LayoutUniform":                   of(LayoutUniform, gpu.Int3{X: 4, Y: 1, Z: 1}, "it block offset floats integers"),
	"Levenshtein":                     of(Levenshtein, gpu.Int3{X: 16, Y: 1, Z: 1}, "it text jobs distances"),
	"Mandelbrot":                      of(Mandelbrot, gpu.Int3{X: 8, Y: 8, Z: 1}, "it counts"),
	"MatmulNaive":                     of(MatmulNaive, gpu.Int3{X: 8, Y: 4, Z: 1}, "it shape a b c"),
	"MatmulTiled":                     of(MatmulTiled, gpu.Int3{X: matmulTile, Y: matmulTile, Z: 1}, "it shared shape a b c"),
	"MatrixInverse":                   of(MatrixInverse, gpu.Int3{X: 4, Y: 1, Z: 1}, "it matrices inverses products determinants"),
	"MatrixProducts":                  of(MatrixProducts, gpu.Int3{X: 4, Y: 1, Z: 1}, "it data results determinants"),
	"MemoryReadBesideWrite":           of(MemoryReadBesideWrite, gpu.Int3{X: 8, Y: 1, Z: 1}, "it steps counts sums"),
	"Nbody":                           of(Nbody, gpu.Int3{X: nbodySize, Y: 1, Z: 1}, "it tile settings bodies velocities moved"),
	"PackUnpack":                      of(PackUnpack, gpu.Int3{X: 16, Y: 1, Z: 1}, "it floats words packed unpacked integers"),
	"PrimeSieveStrike":                of(PrimeSieveStrike, gpu.Int3{X: 16, Y: 1, Z: 1}, "it composite"),
	"PrimeSieveTally":                 of(PrimeSieveTally, gpu.Int3{X: 32, Y: 1, Z: 1}, "it composite primes"),
	"PrivateLarge":                    of(PrivateLarge, gpu.Int3{X: 8, Y: 1, Z: 1}, "it passedOn input results"),
	"Quaternion":                      of(Quaternion, gpu.Int3{X: 16, Y: 1, Z: 1}, "it rotations points byQuaternion byMatrix"),
	"RandomPcg":                       of(RandomPcg, gpu.Int3{X: 16, Y: 1, Z: 1}, "it seeds numbers"),
	"RandomXoshiro":                   of(RandomXoshiro, gpu.Int3{X: 32, Y: 1, Z: 1}, "it seeds numbers states"),
	"RayTracer":                       of(RayTracer, gpu.Int3{X: 8, Y: 8, Z: 1}, "it scene colours hits"),
	"ReduceTreeFinish":                of(ReduceTreeFinish, gpu.Int3{X: reduceSize, Y: 1, Z: 1}, "it scratch partial total"),
	"ReduceTreeReduce":                of(ReduceTreeReduce, gpu.Int3{X: reduceSize, Y: 1, Z: 1}, "it scratch data partial"),
	"ResizeBilinear":                  of(ResizeBilinear, gpu.Int3{X: 8, Y: 8, Z: 1}, "it sizes image resized"),
	"Saxpy":                           of(Saxpy, gpu.Int3{X: 64, Y: 1, Z: 1}, "it parameters x y"),
	"ScanInclusiveAddTotals":          of(ScanInclusiveAddTotals, gpu.Int3{X: scanSize, Y: 1, Z: 1}, "it offset data totals"),
	"ScanInclusiveScan":               of(ScanInclusiveScan, gpu.Int3{X: scanSize, Y: 1, Z: 1}, "it sums data totals"),
	"Sha256":                          of(Sha256, gpu.Int3{X: 16, Y: 1, Z: 1}, "it text messages digests"),
	"Sobel":                           of(Sobel, gpu.Int3{X: 8, Y: 8, Z: 1}, "it image pixels edges"),
	"Softmax":                         of(Softmax, gpu.Int3{X: softmaxSize, Y: 1, Z: 1}, "it scratch rows"),
	"SortBitonic":                     of(SortBitonic, gpu.Int3{X: bitonicSize, Y: 1, Z: 1}, "it keys data"),
	"SortBitonicGlobalAdvance":        of(SortBitonicGlobalAdvance, gpu.Int3{X: 1, Y: 1, Z: 1}, "it stage"),
	"SortBitonicGlobalCompare":        of(SortBitonicGlobalCompare, gpu.Int3{X: 32, Y: 1, Z: 1}, "it data stage"),
	"SortRadixCount":                  of(SortRadixCount, gpu.Int3{X: radixSize, Y: 1, Z: 1}, "it counts keys places"),
	"SortRadixPlace":                  of(SortRadixPlace, gpu.Int3{X: 1, Y: 1, Z: 1}, "it places"),
	"SortRadixScatter":                of(SortRadixScatter, gpu.Int3{X: radixSize, Y: 1, Z: 1}, "it digits keys sorted places"),
	"SparseProduct":                   of(SparseProduct, gpu.Int3{X: 16, Y: 1, Z: 1}, "it rowStarts columns weights x y"),
	"SubgroupExchange":                of(SubgroupExchange, gpu.Int3{X: 64, Y: 1, Z: 1}, "it data mistakes echoed"),
	"SubgroupReduce":                  of(SubgroupReduce, gpu.Int3{X: subgroupReduceSize, Y: 1, Z: 1}, "it total lowest highest oddTotal mistakes data results"),
	"Transpose":                       of(Transpose, gpu.Int3{X: 8, Y: 8, Z: 1}, "it tile original transposed"),
	"VectorAdd":                       of(VectorAdd, gpu.Int3{X: 32, Y: 1, Z: 1}, "it a b c"),
	"WorkgroupMemory":                 of(WorkgroupMemory, gpu.Int3{X: workgroupMemorySize, Y: 1, Z: 1}, "it shared first exchange results"),
	"WorkgroupUniformLoad":            of(WorkgroupUniformLoad, gpu.Int3{X: 32, Y: 1, Z: 1}, "it current running found scratch data results"),
}

func of(function any, workgroup gpu.Int3, parameters string) Kernel {
	return Kernel{function, workgroup, strings.Fields(parameters)}
}
