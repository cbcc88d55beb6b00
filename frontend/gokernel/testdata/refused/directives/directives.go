// Package directives has directives that make no kernel.
package directives

import "github.com/gpuc/gpuc/runtime/gpu"

const (
	tile  = 16
	none  = 0
	ratio = 1.5
	words = "64"
)

var size = 64

// want+2 "a kernel needs the size of its workgroups"
//
//gpuc:kernel
func Bare(it gpu.Item, x []float32) {}

// want+2 "the size of a workgroup is a constant from 1 to 1024, and this is 0"
//
//gpuc:kernel workgroup=0
func Zero(it gpu.Item, x []float32) {}

// want+2 "the size of a workgroup is a constant from 1 to 1024, and this is -1"
//
//gpuc:kernel workgroup=-1
func Negative(it gpu.Item, x []float32) {}

// want+2 "the size of a workgroup is a constant from 1 to 1024, and this is 2000"
//
//gpuc:kernel workgroup=2000
func Large(it gpu.Item, x []float32) {}

// want+2 "a workgroup has 1024 items at most, and 64,64 makes 4096"
//
//gpuc:kernel workgroup=64,64
func Product(it gpu.Item, x []float32) {}

// want+2 "a workgroup has 3 dimensions at most, found 4"
//
//gpuc:kernel workgroup=2,2,2,2
func FourDimensions(it gpu.Item, x []float32) {}

// want+2 "the size of a workgroup is a constant from 1 to 1024, and size is no constant"
//
//gpuc:kernel workgroup=size
func Variable(it gpu.Item, x []float32) {}

// want+2 "the size of a workgroup is a constant from 1 to 1024, and missing is not known here"
//
//gpuc:kernel workgroup=missing
func Missing(it gpu.Item, x []float32) {}

// want+2 "the size of a workgroup is a constant from 1 to 1024, and none is 0"
//
//gpuc:kernel workgroup=none
func None(it gpu.Item, x []float32) {}

// want+2 "the size of a workgroup is a constant from 1 to 1024, and ratio is no whole number"
//
//gpuc:kernel workgroup=ratio
func Ratio(it gpu.Item, x []float32) {}

// want+2 "the size of a workgroup is a constant from 1 to 1024, and words is no whole number"
//
//gpuc:kernel workgroup=words
func Words(it gpu.Item, x []float32) {}

// want+2 "the size of a workgroup is a constant from 1 to 1024, and there is none"
//
//gpuc:kernel workgroup=
func Empty(it gpu.Item, x []float32) {}

// want+2 "the options of //gpuc:kernel are workgroup=SIZE, types=TYPES and resident=COUNT, found workgroup"
//
//gpuc:kernel workgroup
func NoSize(it gpu.Item, x []float32) {}

// want+2 "the size of a workgroup is a constant from 1 to 1024, and there is none"
//
//gpuc:kernel workgroup=8,
func Comma(it gpu.Item, x []float32) {}

// want+2 "the size of a workgroup is a constant from 1 to 1024, and there is none"
//
//gpuc:kernel workgroup=8, 8
func Space(it gpu.Item, x []float32) {}

// want+2 "the options of //gpuc:kernel are workgroup=SIZE, types=TYPES and resident=COUNT, found workgroup"
//
//gpuc:kernel workgroup = 64
func Spaces(it gpu.Item, x []float32) {}

// want+2 "the options of //gpuc:kernel are workgroup=SIZE, types=TYPES and resident=COUNT, found 64"
//
//gpuc:kernel 64
func Number(it gpu.Item, x []float32) {}

// want+2 "the options of //gpuc:kernel are workgroup=SIZE, types=TYPES and resident=COUNT, found size=64"
//
//gpuc:kernel size=64
func Option(it gpu.Item, x []float32) {}

// want+2 "the options of //gpuc:kernel are workgroup=SIZE, types=TYPES and resident=COUNT, found unroll=4"
//
//gpuc:kernel workgroup=64 unroll=4
func Unroll(it gpu.Item, x []float32) {}

// want+2 "resident is a constant from 1 to 32, and this is 33"
//
//gpuc:kernel workgroup=64 resident=33
func Resident(it gpu.Item, x []float32) {}

// want+2 "resident is a constant from 1 to 32, and many is not known here"
//
//gpuc:kernel workgroup=64 resident=many
func ResidentUnknown(it gpu.Item, x []float32) {}

// want+2 "workgroup is given twice"
//
//gpuc:kernel workgroup=64 workgroup=32
func Twice(it gpu.Item, x []float32) {}

// want+3 "TwoDirectives is a kernel already by the directive above"
//
//gpuc:kernel workgroup=64
//gpuc:kernel workgroup=32
func TwoDirectives(it gpu.Item, x []float32) {}

// want+1 "the directive of kernels is //gpuc:kernel"
// gpuc:kernel workgroup=64
func SpaceBefore(it gpu.Item, x []float32) {}

// want+2 "the directive of kernels is //gpuc:kernel"
//
//gpuc:kernal workgroup=64
func Misspelt(it gpu.Item, x []float32) {}

// want+1 "the directive of kernels is //gpuc:kernel"
// gpuc:Kernel workgroup=64
func Capital(it gpu.Item, x []float32) {}

// want+2 "//gpuc:kernel is above no function"
//
//gpuc:kernel workgroup=64

func Apart(it gpu.Item, x []float32) {}

// want+2 "//gpuc:kernel is above no function"
//
//gpuc:kernel workgroup=64
type kind struct{}

// want+2 "//gpuc:kernel is above no function"
//
//gpuc:kernel workgroup=64
var variable = tile

func inside() {
	// want+1 "//gpuc:kernel is above no function"
	//gpuc:kernel workgroup=64
	_ = kind{}
}

//gpuc:kernel workgroup=len(words),tile*tile/4
func Products(it gpu.Item, x []float32) {}

// want+2 "the size of a workgroup is a constant from 1 to 1024, and tile\*tile\*tile is 4096"
//
//gpuc:kernel workgroup=tile*tile*tile
func Cube(it gpu.Item, x []float32) {}

// want+2 "the size of a workgroup is a constant from 1 to 1024, and 1<<70 is 1180591620717411303424"
//
//gpuc:kernel workgroup=1<<70
func Enormous(it gpu.Item, x []float32) {}
