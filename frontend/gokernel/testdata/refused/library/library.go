// Package library has calls of Go's own packages that devices do not have.
package library

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log"
	"maps"
	"math"
	"math/cmplx"
	"math/rand"
	"os"
	"reflect"
	"runtime"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode"
	"unsafe"

	"github.com/gpuc/gpuc/runtime/gpu"
)

//gpuc:kernel workgroup=64
func Math(it gpu.Item, x []float32) {
	x[0] = float32(math.Gamma(float64(x[0])))                // want "kernels do not call math\.Gamma"
	x[1] = float32(math.Hypot(float64(x[0]), float64(x[1]))) // want "kernels do not call math\.Hypot"
	x[2] = float32(math.Sqrt(float64(x[2])) * 2)             // "kernels have no values of type float64"
	y := math.Sin(float64(x[3]))                             // want "kernels do not compute math\.Sin of a float64"
	x[3] = float32(y)
	x[4] = float32(math.Inf(1))    // want "kernels do not call math\.Inf"
	x[5] = float32(math.NaN())     // want "kernels do not call math\.NaN"
	if math.IsNaN(float64(x[6])) { // want "kernels do not call math\.IsNaN"
		x[6] = 0
	}
	x[7] = float32(math.Mod(float64(x[7]), 2)) // want "kernels do not call math\.Mod"
	x[8] = float32(math.Round(float64(x[8])))  // want "kernels do not call math\.Round"
	s, c := math.Sincos(float64(x[9]))         // want "kernels do not call math\.Sincos"
	x[9] = float32(s + c)
	x[10] = float32(math.Log10(float64(x[10])))            // want "kernels do not call math\.Log10"
	x[11] = float32(math.Cbrt(float64(x[11])))             // want "kernels do not call math\.Cbrt"
	x[12] = float32(math.Copysign(float64(x[12]), -1))     // want "kernels do not call math\.Copysign"
	x[13] = float32(math.Pow(math.Abs(float64(x[13])), 2)) // want "kernels do not compute math\.Pow of a float64"
	x[14] = float32(cmplx.Abs(1i))                         // want "kernels do not call cmplx\.Abs"
	x[15] = float32(math.Float64bits(float64(x[15])))
	x[16] = float32(math.Max(float64(x[16]), math.Inf(-1))) // want "kernels do not call math\.Inf"
	z := math.Pi                                            // want "z is a float64, as a constant with a point makes one"
	x[17] = float32(z)
}

//gpuc:kernel workgroup=64
func Random(it gpu.Item, x []uint32) {
	x[5] = uint32(rand.Intn(10)) // want "kernels do not call rand\.Intn"
}

//gpuc:kernel workgroup=64
func Host(it gpu.Item, x []float32) {
	fmt.Println(x[0])            // want "kernels do not call fmt\.Println"
	log.Printf("x is %v", x[0])  // want "kernels do not call log\.Printf"
	s := fmt.Sprintf("%v", x[1]) // want "kernels do not call fmt\.Sprintf"
	n, err := strconv.Atoi(s)    // want "kernels do not call strconv\.Atoi"
	if err != nil {
		return
	}
	x[0] = float32(n)
	t := time.Now()                         // want "kernels do not call time\.Now"
	x[1] = float32(time.Since(t).Seconds()) // want "kernels do not call time.Since"
	time.Sleep(5)                           // want "kernels do not call time\.Sleep"
	if os.Getenv("DEBUG") != "" {           // want "kernels do not call os\.Getenv"
		x[2] = 1
	}
	x[3] = float32(len(os.Args)) // want "os\.Args is a variable of the package, which kernels read only if it is a table of constants"
	os.Exit(1)                   // want "kernels do not call os\.Exit"
	x[4] = rand.Float32()        // want "kernels do not call rand\.Float32"
	e := errors.New("bad")       // want "kernels do not call errors\.New"
	if errors.Is(e, nil) {       // want "kernels do not call errors\.Is"
		x[5] = 1
	}
	if strings.Contains("abc", "b") { // want "kernels do not call strings\.Contains"
		x[6] = 1
	}
	if unicode.IsDigit('5') { // want "kernels do not call unicode\.IsDigit"
		x[7] = 1
	}
	runtime.Gosched()           // want "kernels do not call runtime\.Gosched"
	ctx := context.Background() // want "kernels do not call context\.Background"
	<-ctx.Done()
	k := reflect.TypeOf(x) // want "kernels do not call reflect\.TypeOf"
	x[8] = float32(k.Size())
	x[9] = float32(runtime.NumCPU()) // want "kernels do not call runtime\.NumCPU"
}

//gpuc:kernel workgroup=64
func Collections(it gpu.Item, x []float32) {
	x[0] = slices.Max(x)                                      // want "kernels do not call slices\.Max"
	slices.Sort(x)                                            // want "kernels do not call slices\.Sort"
	sort.Slice(x, func(i, j int) bool { return x[i] < x[j] }) // want "kernels do not call sort\.Slice"
	i, found := slices.BinarySearch(x, 3)                     // want "kernels do not call slices\.BinarySearch"
	if found {
		x[i] = 1
	}
	for i, v := range slices.Backward(x) { // want "kernels range over integers, slices and arrays, and this is a function"
		x[i] = v
	}
	if slices.Contains(x, 2) { // want "kernels do not call slices\.Contains"
		x[1] = 1
	}
	x[2] = float32(cmp.Compare(x[1], x[2]))   // want "kernels do not call cmp\.Compare"
	for k := range maps.Keys(map[int]int{}) { // want "kernels range over integers, slices and arrays, and this is a function"
		x[k] = 1
	}
	for n := range count(3) {
		x[n] = 1
	}
	b := unsafe.Slice(&x[0], 4) // want "kernels do not call unsafe\.Slice"
	x[4] = b[0]
	p := unsafe.SliceData(x) // want "kernels do not call unsafe\.SliceData"
	*p = 1
}

func count(n int) func(func(int) bool) { // want "kernels have no values of type func\(func\(int\) bool\)"
	return nil
}

type counter struct {
	hits atomic.Int32
	mu   sync.Mutex
}

//gpuc:kernel workgroup=64
func Sync(it gpu.Item, shared *counter, x []int32, wide *[4]int32) {
	shared.hits.Add(1)        // want "kernels do not call \(\*atomic\.Int32\)\.Add"
	x[0] = shared.hits.Load() // want "kernels do not call \(\*atomic\.Int32\)\.Load"
	shared.mu.Lock()          // want "kernels do not call \(\*sync\.Mutex\)\.Lock"
	var once sync.Once
	once.Do(func() {}) // want "kernels do not call \(\*sync\.Once\)\.Do"
	var wait sync.WaitGroup
	wait.Wait() // want "kernels do not call \(\*sync\.WaitGroup\)\.Wait"
	var big atomic.Int64
	big.Add(1) // want "kernels do not call \(\*atomic\.Int64\)\.Add"
	var n int64
	atomic.AddInt64(&n, 1)
	var v atomic.Value // want "kernels have no values of type any, which the field v has"
	v.Store(1)
	runtime.KeepAlive(x) // want "kernels do not call runtime\.KeepAlive"
}
