package exectest_test

import (
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/frontend/gokernel"
	"github.com/gpuc/gpuc/internal/exectest"
	"github.com/gpuc/gpuc/internal/exectest/ondevice"
	"github.com/gpuc/gpuc/internal/gokernels"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/jit"
)

// goName is what the kernel in Go is called that does what an entry point of a case does: saxpy's
// main is Saxpy, matmul_tiled's other entry point is MatmulTiledOther.
func goName(c *exectest.Case, entry string) (name string) {
	words := strings.Split(c.Name, "_")
	if entry != "main" {
		words = append(words, strings.Split(entry, "_")...)
	}
	for _, w := range words {
		name += strings.ToUpper(w[:1]) + w[1:]
	}
	return name
}

// goParameter is what a parameter in Go is called that corresponds to a variable in WGSL:
// signed_results is signedResults.
func goParameter(variable string) (name string) {
	for n, w := range strings.Split(variable, "_") {
		if n > 0 {
			w = strings.ToUpper(w[:1]) + w[1:]
		}
		name += w
	}
	return name
}

// Reasons that several cases share.
const (
	noHalf             = "the dialect has no vectors and matrices of f16, and no f16 by value"
	noTextures         = "the dialect has no textures"
	noViews            = "the dialect has no views of buffers as other types"
	noTiles            = "kernels with tiles are in WGSL here"
	noSubgroupMatrices = "Go has tiles of a workgroup, and no matrices of a subgroup"
)

// without says of cases that have no kernels in Go why.
var without = map[string]string{
	"f16_uniform":              noHalf,
	"f16_vectors":              noHalf,
	"immediates_f16":           noHalf,
	"index_products":           "accesses leave their variables, where Go panics",
	"language_overrides":       "one kernel runs with several values of its overrides, which are constants in Go",
	"layout_nested":            "a buffer in Go is a slice, which nothing precedes",
	"subgroup_matrix_blocks":   noSubgroupMatrices,
	"subgroup_matrix_bytes":    noSubgroupMatrices,
	"subgroup_matrix_half":     noSubgroupMatrices,
	"subgroup_matrix_outside":  noSubgroupMatrices,
	"subgroup_matrix_products": noSubgroupMatrices,
	"subgroup_matrix_views":    noSubgroupMatrices,
	"texture_addressing":       noTextures,
	"texture_arguments":        noTextures,
	"texture_array":            noTextures,
	"texture_blur":             noTextures,
	"texture_cube":             noTextures,
	"texture_formats":          noTextures,
	"texture_gather":           noTextures,
	"texture_gradient":         noTextures,
	"texture_integers":         noTextures,
	"texture_lut":              noTextures,
	"texture_mip_chain":        noTextures,
	"texture_multisampled":     noTextures,
	"texture_queries":          noTextures,
	"texture_resize":           noTextures,
	"texture_row_scan":         noTextures,
	"texture_shadow":           noTextures,
	"texture_shapes":           noTextures,
	"texture_sobel":            noTextures,
	"texture_storage_formats":  noTextures,
	"texture_store_outside":    noTextures,
	"texture_trilinear":        noTextures,
	"tile_control":             noTiles,
	"tile_gemm":                noTiles,
	"tile_gemm_f16":            noTiles,
	"tile_map":                 noTiles,
	"tile_softmax":             noTiles,
	"tile_transpose":           noTiles,
	"view_halves":              noViews,
	"view_messages":            noViews,
	"view_phases":              noViews,
}

var goText = flag.String("go", "", "where there is no Go: a folder with package gokernels as IR, wgsl.ir and strict.ir; with -go-write, it is written")

var goWrite = flag.Bool("go-write", false, "write the IR of package gokernels into the folder of -go")

// goProgram compiles package gokernels, or reads the IR that it became elsewhere.
func goProgram(t *testing.T, options codegen.Options) *jit.Program {
	t.Helper()
	text := ""
	file := filepath.Join(*goText, map[opt.Math]string{opt.MathWGSL: "wgsl.ir", opt.MathStrict: "strict.ir"}[options.Math])
	if *goText == "" || *goWrite {
		text = goModuleText(t, options.Math)
	} else if data, err := os.ReadFile(file); err != nil {
		t.Fatal(err)
	} else {
		text = string(data)
	}
	if *goWrite {
		if err := os.MkdirAll(*goText, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p, err := jit.Parse("gokernels.ir", text, options)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// goTexts keeps the IR of package gokernels for each mode of arithmetic: loading a package is slow.
var goTexts = map[opt.Math]string{}

func goModuleText(t *testing.T, math opt.Math) string {
	t.Helper()
	if goTexts[math] == "" {
		goTexts[math] = goModule(t, math).Text()
	}
	return goTexts[math]
}

// goModule is package gokernels as the front end makes it.
func goModule(t *testing.T, math opt.Math) *ir.Module {
	t.Helper()
	var set source.Set
	var list diag.List
	m, err := gokernel.Load(&set, gokernel.Options{Folder: filepath.Join("..", "gokernels"), Math: math}, &list, ".")
	if err == nil && m == nil {
		var text strings.Builder
		diag.Write(&text, &set, list.Items())
		err = errors.New(text.String())
	}
	if err != nil {
		t.Fatal(err)
	}
	if ir.Verify(m, &list); list.Errors() > 0 {
		var text strings.Builder
		diag.Write(&text, &set, list.Items())
		t.Error(text.String())
	}
	return m
}

// goWays are the ways that run kernels in Go, for strict arithmetic or not: the checked
// interpreter, each device, and on the CPU also what the target wgsl writes.
func goWays(t *testing.T, strict bool) []way {
	ways := []way{{"checked", within(interpret)}}
	infos, _ := gpu.Devices() // TestKernels reports failures
	for _, info := range infos {
		if !isChosen(info.ID()) {
			continue
		}
		device, err := gpu.Open(gpu.Named(info.ID()))
		if err != nil {
			continue
		}
		t.Cleanup(func() { device.Close() })
		ways = append(ways, way{info.ID(), func(c *exectest.Case, p compiler) ([][]byte, error) { return onDevice(c, p, device) }})
		if info.Target == abi.CPU {
			o := codegen.Options{Math: mathOf(strict)}
			ways = append(ways, way{"through WGSL", func(c *exectest.Case, p compiler) ([][]byte, error) {
				return onDevice(c, throughWGSL{p.(*jit.Program), o}, device)
			}})
		}
	}
	return ways
}

func mathOf(strict bool) opt.Math {
	if strict {
		return opt.MathStrict
	}
	return opt.MathWGSL
}

// goCase is a case as kernels in Go have it: with other names, and constants instead of overrides.
func goCase(c exectest.Case) exectest.Case {
	c.Dispatches, c.Buffers = slices.Clone(c.Dispatches), slices.Clone(c.Buffers)
	for b := range c.Buffers {
		c.Buffers[b].Name = goParameter(c.Buffers[b].Name)
	}
	for d := range c.Dispatches {
		c.Dispatches[d].Entry = goName(&c, c.Dispatches[d].Entry)
		c.Dispatches[d].Overrides = nil
	}
	return c
}

// TestGoKernels runs the kernels of package gokernels on all devices and as plain Go. It compares
// the results with the references of the corresponding kernels in WGSL.
func TestGoKernels(t *testing.T) {
	testmode.Quick(t, "it loads a Go package")
	ways, programs := map[bool][]way{}, map[bool][]*jit.Program{}
	for _, strict := range []bool{false, true} {
		ways[strict] = goWays(t, strict)
		for _, plain := range []bool{false, true} {
			programs[strict] = append(programs[strict], goProgram(t, codegen.Options{Math: mathOf(strict), NoOptimize: plain}))
		}
	}
	module := programs[false][0].Module()
	used, reasons, ran := map[string]bool{}, map[string]int{}, 0
	for _, c := range exectest.Cases() {
		c = goCase(c)
		has := !slices.ContainsFunc(c.Dispatches, func(d exectest.Dispatch) bool { return module.Func(d.Entry) == nil })
		reason, hasReason := without[c.Name]
		switch {
		case !has && !hasReason:
			t.Errorf("%s has neither a kernel in Go nor a reason for that", c.Name)
		case has && hasReason:
			t.Errorf("%s has a kernel in Go, and a reason not to: %s", c.Name, reason)
		case hasReason:
			reasons[reason]++
		}
		if !has {
			continue
		}
		for d := range c.Dispatches {
			used[c.Dispatches[d].Entry] = true
		}
		ran++
		t.Run(c.Name, func(t *testing.T) { runGoCase(t, &c, ways[c.Strict], programs[c.Strict]) })
	}
	for _, k := range module.Kernels() {
		size := gokernels.Kernels[k.Name].Workgroup
		for n, want := range []int{size.X, size.Y, size.Z} {
			if got, _ := module.ConstUint(k.Workgroup[n]); got != uint64(want) {
				t.Errorf("kernel %s has workgroups of size %d in dimension %d, and %d in gokernels.Kernels", k.Name, got, n, want)
			}
		}
		if !used[k.Name] {
			t.Errorf("kernel %s belongs to no case", k.Name)
		}
	}
	t.Logf("%d cases have kernels in Go", ran)
	for _, reason := range slices.Sorted(maps.Keys(reasons)) {
		t.Logf("%3d have none: %s", reasons[reason], reason)
	}
}

// runGoCase runs a case as plain Go, in subgroups of several sizes if it has any, and in ways with
// two programs: optimised, and at -O0.
func runGoCase(t *testing.T, c *exectest.Case, ways []way, programs []*jit.Program) {
	expected := c.Expected()
	compare := func(name string, got [][]byte, err error) {
		if err == nil {
			err = exectest.Compare(c, expected, got)
		}
		if err != nil && !errors.Is(err, errSkipped) {
			t.Errorf("%s: %v", name, err)
		}
	}
	sizes := []int{32}
	if c.NeedsSubgroups {
		sizes = []int{1, 4, 8, 32, 128}
	}
	for _, lanes := range sizes {
		got, err := asGo(c, lanes)
		compare(fmt.Sprintf("plain Go, subgroups of %d", lanes), got, err)
	}
	for _, w := range ways {
		for n, name := range []string{w.name, w.name + " -O0"} {
			got, err := w.run(c, programs[n])
			compare(name, got, err)
		}
	}
}

// asGo runs a case as plain Go, in subgroups of a size.
func asGo(c *exectest.Case, lanes int) ([][]byte, error) {
	contents := c.Contents()
	for n := range c.Dispatches {
		d := &c.Dispatches[n]
		k, ok := gokernels.Kernels[d.Entry]
		if !ok {
			return nil, fmt.Errorf("%s is missing in gokernels.Kernels", d.Entry)
		}
		if err := call(c, n, k, lanes, contents); err != nil {
			return nil, err
		}
	}
	return contents, nil
}

// call launches a kernel as plain Go on the contents of buffers, of which its parameters bear the
// names.
func call(c *exectest.Case, dispatch int, k gokernels.Kernel, lanes int, contents [][]byte) error {
	d := &c.Dispatches[dispatch]
	f := reflect.ValueOf(k.Function)
	arguments := make([]reflect.Value, f.Type().NumIn())
	shared := map[int]reflect.Type{}
	for n := 1; n < len(arguments); n++ {
		typ := f.Type().In(n)
		switch typ.Kind() {
		case reflect.Pointer:
			shared[n] = typ.Elem()
		case reflect.Slice:
			data := contents[ondevice.BufferIndex(c, k.Parameters[n])]
			count := len(data) / int(typ.Elem().Size())
			slice := reflect.MakeSlice(typ, count, count)
			copy(memoryOf(slice), data)
			arguments[n] = slice
		default:
			value, data := reflect.New(typ), c.ImmediatesOf(dispatch)
			if c.Immediates == nil {
				data = contents[ondevice.BufferIndex(c, k.Parameters[n])]
			}
			if _, err := binary.Decode(data, binary.LittleEndian, value.Interface()); err != nil {
				return err
			}
			arguments[n] = value.Elem()
		}
	}
	gpu.EachGroupWithSubgroups(gpu.Grid{X: d.Grid[0], Y: d.Grid[1], Z: d.Grid[2]}, k.Workgroup, lanes, func() func(gpu.Item) {
		own := slices.Clone(arguments)
		for n, t := range shared {
			own[n] = reflect.New(t)
		}
		return func(it gpu.Item) {
			own := slices.Clone(own)
			own[0] = reflect.ValueOf(it)
			f.Call(own)
		}
	})
	for n := range arguments {
		if n > 0 && arguments[n].Kind() == reflect.Slice {
			copy(contents[ondevice.BufferIndex(c, k.Parameters[n])], memoryOf(arguments[n]))
		}
	}
	return nil
}

// memoryOf views the elements of a slice as bytes.
func memoryOf(slice reflect.Value) []byte {
	return unsafe.Slice((*byte)(slice.UnsafePointer()), slice.Len()*int(slice.Type().Elem().Size()))
}
