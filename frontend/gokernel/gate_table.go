package gokernel

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"sync"
)

// This file lists the constructs and functions that kernels do and do not have, and what to write
// instead.

const (
	noChannels   = "items exchange values through workgroup memory and buffers"
	noInterfaces = "a type parameter does what an interface does where the types are known"
	noMemory     = "the memory of kernels is slices and arrays"
	hostOnly     = "this stays with the host, which launches the kernel"
)

// refused returns the message about a construct that kernels do not have, and a hint. If it is
// about the value of an expression, that is of: its type may have been reported already.
func refused(n ast.Node, info *types.Info) (what, hint string, of ast.Expr) {
	switch n := n.(type) {
	case *ast.GoStmt:
		return "kernels start no goroutines", "the items of a launch run at the same time already", nil
	case *ast.DeferStmt:
		return "kernels defer no calls", "call the function where the kernel ends", nil
	case *ast.SelectStmt:
		return "kernels have no select", noChannels, nil
	case *ast.SendStmt:
		return "kernels have no channels", noChannels, n.Chan
	case *ast.FuncLit:
		return "kernels have no function literals", "declare a function; instead of passing one, use a method of a type parameter", nil
	case *ast.TypeSwitchStmt:
		return "kernels have no switches on types", noInterfaces, nil
	case *ast.TypeAssertExpr:
		return "kernels have no type assertions", noInterfaces, n.X
	case *ast.BranchStmt:
		if n.Tok == token.GOTO {
			return "kernels have no goto", "a loop does it; break and continue take labels", nil
		}
	case *ast.UnaryExpr:
		if n.Op == token.ARROW {
			return "kernels have no channels", noChannels, n.X
		}
	case *ast.IndexExpr:
		if isString(info.TypeOf(n.X)) {
			return "kernels have no values of type string", "text stays with the host; a number says which of several it is", n.X
		}
	case *ast.RangeStmt:
		const what = "kernels range over integers, slices and arrays, and this is "
		switch u := info.TypeOf(n.X).Underlying().(type) {
		case *types.Map:
			return what + "a map", noMemory, n.X
		case *types.Chan:
			return what + "a channel", noChannels, n.X
		case *types.Signature:
			return what + "a function", "write the loop that it makes", n.X
		case *types.Basic:
			if u.Info()&types.IsString != 0 {
				return what + "a string", "text stays with the host", n.X
			}
		}
	case *ast.CompositeLit:
		t := info.TypeOf(n)
		switch t.Underlying().(type) {
		case *types.Slice:
			return "kernels make no slices", "an array, [...]float32{…}, is a variable of each item, and a[:] is a slice of it", nil
		case *types.Map:
			return "kernels have no maps", noMemory, nil
		}
		if isItem(t) {
			return "kernels make no items", "use the kernel's first parameter", nil
		}
	}
	return "", "", nil
}

// typeHint says what to write instead of a type.
func typeHint(t types.Type) string {
	switch t.String() {
	case "error":
		return "return a bool or a number, or write to a slice what went wrong"
	case "time.Duration", "time.Time", "reflect.Type", "reflect.Value", "context.Context", "*math/rand.Rand":
		return hostOnly
	}
	if isItem(t) {
		return "pass the gpu.Item as a parameter of its own"
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case u.Kind() == types.Uintptr || u.Kind() == types.UnsafePointer:
			return "kernels do not see addresses; math.Float32bits gives the bits of a number"
		case u.Info()&types.IsComplex != 0:
			return "write a structure of two float32 and its methods"
		case u.Info()&types.IsString != 0:
			return "text stays with the host; a number says which of several it is"
		}
	case *types.Map, *types.Slice:
		return noMemory
	case *types.Chan:
		return noChannels
	case *types.Interface:
		return noInterfaces
	case *types.Signature:
		return "call a function by its name, or a method of a type parameter"
	}
	return ""
}

func isString(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

// The kinds of calls in an expression: none, pure functions of numbers, or functions that may have
// effects.
const (
	noCall = iota
	pureCall
	effectCall
)

func calls(x ast.Expr, info *types.Info) (most int) {
	ast.Inspect(x, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok {
			if called := info.Types[c.Fun]; !called.IsType() && !called.IsBuiltin() {
				most = max(most, pureCall)
				if !isPure(c, info) {
					most = effectCall
				}
			}
		}
		return most < effectCall
	})
	return most
}

// isPure reports whether the effect of a call depends on its numbers only. It has no access to
// memory that it could write or see change, and no item with which it could wait at a barrier.
func isPure(c *ast.CallExpr, info *types.Info) bool {
	takes := func(t types.Type) bool { return hasTypeParameter(t) || isItem(t) || hasReference(t) != nil }
	if s, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr); ok && info.Selections[s] != nil {
		f, ok := info.Selections[s].Obj().(*types.Func)
		if !ok || takes(receiver(f)) && !isPosition(f) {
			return false
		}
	}
	return !slices.ContainsFunc(c.Args, func(x ast.Expr) bool { return takes(info.TypeOf(x)) })
}

// allowedBuiltin reports whether kernels have a builtin function.
func allowedBuiltin(name string) bool {
	return name == "len" || name == "cap" || name == "min" || name == "max"
}

// builtinHints say what to write instead of the other ones.
var builtinHints = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"append":            "kernels make no slices: the host makes a buffer that is large enough, and atomic.AddInt32 allocates elements of it",
		"make":              "kernels make no slices: an array, var a [64]float32, is a variable of each item, and a[:] is a slice of it",
		"new":               "var x T and &x do it",
		"copy":              "write a loop; arrays are copied by =",
		"clear":             "write a loop; x = [64]float32{} clears an array",
		"delete":            noMemory,
		"close":             noChannels,
		"panic":             "accesses outside of slices are reported with -bounds=trap; write other errors to a slice",
		"recover":           "nothing panics on a device",
		"print":             "it.Printf prints on devices with -debug; or write the values to a slice",
		"println":           "it.Printf prints on devices with -debug; or write the values to a slice",
		"complex":           "write a structure of two float32 and its methods",
		"real":              "write a structure of two float32 and its methods",
		"imag":              "write a structure of two float32 and its methods",
		"unsafe.Add":        "index a slice",
		"unsafe.Slice":      "x[from:to] is a part of a slice",
		"unsafe.SliceData":  "&x[0] is a pointer to the first element",
		"unsafe.String":     "text stays with the host",
		"unsafe.StringData": "text stays with the host",
	}
})

// standardRoots are the first elements of the paths of the standard library's packages. The paths
// of other modules may begin with anything else, with or without a dot.
var standardRoots = []string{
	"archive", "arena", "bufio", "bytes", "cmd", "cmp", "compress", "container", "context", "crypto", "database", "debug", "embed", "encoding",
	"errors", "expvar", "flag", "fmt", "go", "hash", "html", "image", "index", "internal", "io", "iter", "log", "maps", "math", "mime", "net",
	"os", "path", "plugin", "reflect", "regexp", "runtime", "simd", "slices", "sort", "strconv", "strings", "structs", "sync", "syscall",
	"testing", "text", "time", "unicode", "unique", "unsafe", "vendor", "weak",
}

// isStandard reports whether a package belongs to the standard library.
func isStandard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return slices.Contains(standardRoots, first)
}

// libraryHints say what to call instead of the functions of a package; functionHints do for single
// functions.
var libraryHints = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"math":        "package gpu has the functions of float32, and float32(math.F(float64(x))) is understood for them; of float64 devices have math.Sqrt, Abs, Floor, Ceil, Trunc, RoundToEven, FMA, Min and Max",
		"math/cmplx":  "write a structure of two float32 and its methods",
		"math/rand":   "compute a number from it.Index() and a seed, as in x ^= x << 13; x ^= x >> 17; x ^= x << 5",
		"sync":        "it.Barrier() makes the items of a workgroup wait for each other; functions of sync/atomic act on elements of slices",
		"sync/atomic": "atomic.AddInt32, AddUint32, AddInt64, AddUint64 and their like act on &x[i], where x is a slice of such integers",
		"slices":      "write a loop; min and max are builtin",
		"sort":        "write a loop; a bitonic sorting network suits devices",
		"maps":        noMemory,
		"errors":      "return a bool or a number, or write to a slice what went wrong",
		"strings":     "text stays with the host",
		"strconv":     "text stays with the host",
		"unicode":     "text stays with the host; comparisons of runes do it",
		"time":        hostOnly,
		"os":          hostOnly + "; pass the data as a parameter of the kernel",
		"fmt":         "it.Printf prints on devices with -debug; or write the values to a slice",
		"log":         "it.Printf prints on devices with -debug; or write the values to a slice",
		"runtime":     hostOnly,
		"cmp":         "compare with < and >",
		gpuPath:       hostOnly,
	}
})

var functionHints = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"math.Inf":       "math.Float32frombits(0x7f800000) is +Inf, and 0xff800000 is -Inf",
		"math.NaN":       "math.Float32frombits(0x7fc00000) is not a number",
		"math.IsNaN":     "x != x is true only of NaN",
		"math.IsInf":     "compare with math.MaxFloat32",
		"math.Round":     "gpu.Round rounds halves to even; gpu.Floor(x + 0.5) rounds them up",
		"math.Mod":       "x - y*gpu.Trunc(x/y) does it",
		"math.Hypot":     "gpu.Sqrt(x*x + y*y) does it",
		"math.Cbrt":      "gpu.Pow(x, 1.0/3) does it for numbers above zero",
		"math.Log10":     "gpu.Log2(x) * (math.Ln2 / math.Ln10) does it",
		"math.Log1p":     "gpu.Log(1 + x) does it, less exactly near zero",
		"math.Expm1":     "gpu.Exp(x) - 1 does it, less exactly near zero",
		"math.Signbit":   "math.Float32bits(x)>>31 != 0 does it",
		"math.Copysign":  "combine the bits with math.Float32bits and math.Float32frombits",
		"math.Modf":      "gpu.Trunc and gpu.Fract give the two parts",
		"math.Sincos":    "call gpu.Sin and gpu.Cos",
		"math.Pow10":     "gpu.Pow(10, x) does it",
		"errors.New":     libraryHints()["errors"],
		"os.Getenv":      "the host reads it and passes the kernel what follows",
		"time.Now":       "a device has no clock that the host knows; the host measures the launch",
		"time.Sleep":     "it.Barrier() waits for the items of the workgroup; nothing else is to be waited for",
		"sort.Float64s":  libraryHints()["sort"],
		"slices.Sort":    libraryHints()["sort"],
		"math.Dim":       "max(x-y, 0) does it",
		"math.Remainder": "x - y*gpu.Round(x/y) does it",
	}
})

// libraryHint says what to call instead of a function.
func libraryHint(f *types.Func) string {
	if hint := functionHints()[f.FullName()]; hint != "" {
		return hint
	}
	for path := f.Pkg().Path(); ; {
		if hint := libraryHints()[path]; hint != "" {
			return hint
		}
		last := strings.LastIndexByte(path, '/')
		if last < 0 {
			return "the functions of kernels are those whose source gpuc compiles, and what package gpu, sync/atomic and math/bits offer"
		}
		path = path[:last]
	}
}
