package fast

import "github.com/gpuc/gpuc/runtime/gpu"

// The kernels of columns, and of rows that become columns, by their length: 512 numbers, and 1024.
var (
	TallColumnsKernels = [...]gpu.Embedded{
		{Archive: gpucArchive, Name: "TallColumns_N512"},
		{Archive: gpucArchive, Name: "TallColumns_N1024"},
	}
	TurnedRowsKernels = [...]gpu.Embedded{
		{Archive: gpucArchive, Name: "TurnedRows_N512"},
		{Archive: gpucArchive, Name: "TurnedRows_N1024"},
	}
)

// LongRowsKernels are those of rows, by their length: 8192 numbers, and 16384.
var LongRowsKernels = [...]gpu.Embedded{
	{Archive: gpucArchive, Name: "LongRows"},
	{Archive: gpucArchive, Name: "LongestRows"},
}
