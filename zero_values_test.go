package gpuc

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/all"
	"github.com/gpuc/gpuc/frontend"
	"github.com/gpuc/gpuc/frontend/gokernel"
	"github.com/gpuc/gpuc/frontend/wgsl"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
	"github.com/gpuc/gpuc/kernels/image"
	"github.com/gpuc/gpuc/kernels/signal"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/codeobject"
	"github.com/gpuc/gpuc/runtime/collective"
	"github.com/gpuc/gpuc/runtime/execmem"
	"github.com/gpuc/gpuc/runtime/gpu/expr"
	"github.com/gpuc/gpuc/runtime/jit"
)

// This file calls what packages beside runtime/gpu export (which has its own such test) with nil,
// and on nil and zero values. Nothing may end the program but with a sentence, and what returns an
// error or takes a list of diagnostics says that it was given nothing. What is exported is read
// from the sources, so that nothing is forgotten.

// exported are the packages that programs import, by folder, with their types that have methods,
// and their functions. Package ir's Module, Func and Builder are not among them, and neither is
// what reads its text beneath Parse. Passes are written with those, for each instruction, and they
// have no errors to return. TestNoModule of package ir tests what is called of a module as a whole.
var exported = []struct {
	folder string
	types  []reflect.Type
	// functions are by name; nil for those that take nothing that could be missing.
	functions map[string]any
	left      []string // types and functions that are left out
}{
	{"runtime/abi", []reflect.Type{
		reflect.TypeFor[abi.Archive](), reflect.TypeFor[abi.ArchiveIndex](), reflect.TypeFor[abi.Artefact](), reflect.TypeFor[abi.Binding](), reflect.TypeFor[abi.Coarse](), reflect.TypeFor[abi.CodeFile](), reflect.TypeFor[abi.Description](), reflect.TypeFor[abi.Fault](), reflect.TypeFor[abi.InMemory](),
		reflect.TypeFor[abi.Kernel](), reflect.TypeFor[abi.Manifest](), reflect.TypeFor[abi.ManifestArtefact](), reflect.TypeFor[abi.ManifestKernel](), reflect.TypeFor[abi.MessageRecord](),
		reflect.TypeFor[abi.Messages](), reflect.TypeFor[abi.Provided](), reflect.TypeFor[abi.Scratch](), reflect.TypeFor[abi.Tensor](), reflect.TypeFor[abi.TensorMap](), reflect.TypeFor[abi.Texture](), reflect.TypeFor[abi.Missing](), reflect.TypeFor[abi.Override](), reflect.TypeFor[abi.Site](),
	}, map[string]any{"CodeFileOf": abi.CodeFileOf, "CompareParameters": abi.CompareParameters, "Compared": abi.Compared, "DemandsOf": abi.DemandsOf, "FilterOf": abi.FilterOf, "ArrayFormat": abi.ArrayFormat,
		"Load": abi.Load, "MessagesUsed": abi.MessagesUsed, "NewInMemory": abi.NewInMemory, "OpenArchive": abi.OpenArchive, "Processor": abi.Processor, "ProcessorRuns": abi.ProcessorRuns, "Unmarshal": abi.Unmarshal,
		"UnmarshalDescription": abi.UnmarshalDescription, "UnmarshalManifest": abi.UnmarshalManifest}, nil},
	{"frontend", nil, map[string]any{"Load": frontend.Load, "Recycle": frontend.Recycle}, nil},
	{"frontend/wgsl", []reflect.Type{reflect.TypeFor[wgsl.Compiler]()}, map[string]any{"Load": wgsl.Load, "NewCompiler": wgsl.NewCompiler, "Recycle": wgsl.Recycle}, nil},
	{"frontend/gokernel", []reflect.Type{reflect.TypeFor[gokernel.Unit](), reflect.TypeFor[gokernel.Signature]()}, map[string]any{"FieldOf": gokernel.FieldOf, "Layout": gokernel.Layout, "Load": gokernel.Load,
		"LoadPackages": gokernel.LoadPackages, "NamesOf": gokernel.NamesOf, "DisplayPath": gokernel.DisplayPath, "ViewElement": gokernel.ViewElement, "ViewLayout": gokernel.ViewLayout}, nil},
	{"codegen", []reflect.Type{reflect.TypeFor[codegen.Target](), reflect.TypeFor[codegen.Constraint](), reflect.TypeFor[codegen.Usage](), reflect.TypeFor[codegen.Part](), reflect.TypeFor[codegen.MissingTool](), reflect.TypeFor[codegen.Shortage]()},
		map[string]any{"Compile": codegen.Compile, "ConstraintsOn": codegen.ConstraintsOn, "Kernel": codegen.Kernel, "Overrides": codegen.Overrides, "Prepare": codegen.Prepare, "WorkgroupMemory": codegen.WorkgroupMemory}, []string{"Emission"}},
	{"codegen/all", nil, map[string]any{"Direct": all.Direct, "Find": all.Find, "For": all.For, "Lookup": all.Lookup, "Names": all.Names}, nil},
	{"ir", []reflect.Type{reflect.TypeFor[ir.Extractor](), reflect.TypeFor[ir.FragmentInstruction](), reflect.TypeFor[ir.FragmentLayout](), reflect.TypeFor[ir.FragmentTable]()}, map[string]any{"BindOverrides": ir.BindOverrides, "BuiltinNamed": ir.BuiltinNamed, "CheckProperties": ir.CheckProperties, "DefaultAccess": ir.DefaultAccess, "GlobalValue": ir.GlobalValue,
		"IntrinsicOperand": ir.IntrinsicOperand, "Isolate": ir.Isolate, "IsFragmentElement": ir.IsFragmentElement, "IsTileElement": ir.IsTileElement, "IsTileLoad": ir.IsTileLoad, "NewEvaluator": ir.NewEvaluator, "NewModule": ir.NewModule, "OverrideValue": ir.OverrideValue, "OverridesOf": ir.OverridesOf, "Parse": ir.Parse,
		"ParseString": ir.ParseString, "ReachOf": ir.ReachOf, "SpaceNamed": ir.SpaceNamed, "TileProduct": ir.TileProduct, "UseNamed": ir.UseNamed, "Verify": ir.Verify}, []string{"Module", "Func", "Builder", "NewBuilder", "ParseScalar", "Zeroed"}},
	{"ir/diag", []reflect.Type{reflect.TypeFor[diag.List](), reflect.TypeFor[diag.InternalError]()}, map[string]any{"AppendForms": diag.AppendForms, "Caught": diag.Caught, "Codes": diag.Codes, "Lookup": diag.Lookup, "LocationOf": diag.LocationOf, "Plural": diag.Plural,
		"Recover": diag.Recover, "RecoverError": diag.RecoverError, "Some": diag.Some, "Write": diag.Write, "WriteStyled": diag.WriteStyled}, nil},
	{"ir/source", []reflect.Type{reflect.TypeFor[source.File](), reflect.TypeFor[source.Position](), reflect.TypeFor[source.Set](), reflect.TypeFor[source.Span]()}, nil, nil},
	{"kernels/signal", []reflect.Type{
		reflect.TypeFor[signal.Convolution[float32]](), reflect.TypeFor[signal.DCT[float32]](), reflect.TypeFor[signal.FFT[complex64]](), reflect.TypeFor[signal.RealFFT[float32, complex64]](), reflect.TypeFor[signal.STFT[float32, complex64]](),
	}, map[string]any{
		"ApplyWindow": signal.ApplyWindow[float32], "Bartlett": signal.Bartlett, "Blackman": signal.Blackman, "BlackmanHarris": signal.BlackmanHarris, "By": signal.By, "Distances": signal.Distances, "FIR": signal.FIR[float32], "FlatTop": signal.FlatTop,
		"Gaussian": signal.Gaussian, "Hamming": signal.Hamming, "Hann": signal.Hann, "Kaiser": signal.Kaiser, "Normalize": signal.Normalize, "Nuttall": signal.Nuttall, "Periodic": signal.Periodic, "Strict": signal.Strict, "PlanConvolution": signal.PlanConvolution[float32],
		"PlanDCT": signal.PlanDCT[float32], "PlanFFT": signal.PlanFFT[complex64], "PlanRealFFT": signal.PlanRealFFT[float32, complex64], "PlanSTFT": signal.PlanSTFT[float32, complex64], "Rectangular": signal.Rectangular,
		"Sections": signal.Sections[float32], "Sine": signal.Sine, "Tukey": signal.Tukey,
	}, nil},
	{"runtime/gpu/expr", []reflect.Type{reflect.TypeFor[expr.Context](), reflect.TypeFor[expr.Tensor]()}, map[string]any{
		"Buffer": expr.Buffer[float32], "From": expr.From[float32], "Math": expr.Math, "New": expr.New, "Of": expr.Of[float32], "On": expr.On, "Read": expr.Read[float32]}, nil},
	{"kernels/image", []reflect.Type{reflect.TypeFor[image.Border](), reflect.TypeFor[image.Image[uint8]](), reflect.TypeFor[image.Interpolation](), reflect.TypeFor[image.Projection](), reflect.TypeFor[image.ResizePlan]()}, map[string]any{
		"Affine": image.Affine, "Bilateral": image.Bilateral[uint8], "BoxBlur": image.BoxBlur[uint8], "Canny": image.Canny[uint8], "CloseGaps": image.CloseGaps[uint8], "Combine": image.Combine[uint8], "Constant": image.Constant, "Convert": image.Convert[uint8, uint8],
		"ConvertLinear": image.ConvertLinear[uint8, uint8], "Cross": image.Cross, "Dilate": image.Dilate[uint8], "ElementOf": image.ElementOf, "Ellipse": image.Ellipse, "Equalize": image.Equalize, "EqualizeRegions": image.EqualizeRegions, "Erode": image.Erode[uint8], "Filter2D": image.Filter2D[uint8, uint8],
		"FromGray": image.FromGray[uint8], "FromHSL": image.FromHSL[uint8], "FromHSV": image.FromHSV[uint8], "FromLab": image.FromLab[uint8], "FromLinear": image.FromLinear[uint8], "FromYCbCr": image.FromYCbCr[uint8], "GaussianBlur": image.GaussianBlur[uint8],
		"GaussianWeights": image.GaussianWeights, "Histogram": image.Histogram[uint8], "Laplacian": image.Laplacian[uint8], "Lookup": image.Lookup, "Magnitude": image.Magnitude, "Median": image.Median[uint8], "MixChannels": image.MixChannels[uint8], "New": image.New[uint8],
		"NewUninitialized": image.NewUninitialized[uint8], "Of": image.Of[uint8], "Open": image.Open[uint8], "Otsu": image.Otsu, "Percentile": image.Percentile[uint8], "PlanResize": image.PlanResize, "PlanResizeWindow": image.PlanResizeWindow, "Quadrilateral": image.Quadrilateral, "ReadGo": image.ReadGo[uint8],
		"Rectangle": image.Rectangle, "Remap": image.Remap[uint8], "Resize": image.Resize[uint8], "ResizeBy": image.ResizeBy[uint8], "Rotation": image.Rotation, "Scale": image.Scale[uint8, uint8], "Scharr": image.Scharr[uint8], "SeparableFilter": image.SeparableFilter[uint8], "Sobel": image.Sobel[uint8],
		"Threshold": image.Threshold[uint8], "ToGray": image.ToGray[uint8], "ToHSL": image.ToHSL[uint8], "ToHSV": image.ToHSV[uint8], "ToLab": image.ToLab[uint8], "ToLinear": image.ToLinear[uint8], "ToYCbCr": image.ToYCbCr[uint8], "Upload": image.Upload[uint8],
		"UploadGo": image.UploadGo[uint8], "Warp": image.Warp[uint8]}, nil},
	{"runtime/jit", []reflect.Type{reflect.TypeFor[jit.CompileError](), reflect.TypeFor[jit.Program]()}, map[string]any{"Parse": jit.Parse}, nil},
	{"runtime/codeobject", nil, map[string]any{"Comgr": codeobject.Comgr, "Is": codeobject.Is, "Make": codeobject.Make, "MakeCached": codeobject.MakeCached}, nil},
	{"runtime/collective", []reflect.Type{reflect.TypeFor[collective.Communicator](), reflect.TypeFor[collective.LibraryError](), reflect.TypeFor[collective.Root]()}, map[string]any{
		"AllGather": collective.AllGather[float32], "AllReduce": collective.AllReduce[float32], "Blocking": collective.Blocking, "Broadcast": collective.Broadcast[float32], "Group": collective.Group, "Join": collective.Join, "Listen": collective.Listen, "Meet": collective.Meet,
		"NewRoot": collective.NewRoot, "Open": collective.Open, "Recv": collective.Recv[float32], "ReduceScatter": collective.ReduceScatter[float32], "Send": collective.Send[float32], "SendRecv": collective.SendRecv[float32], "Use": collective.Use}, nil},
	{"runtime/execmem", []reflect.Type{reflect.TypeFor[execmem.Code](), reflect.TypeFor[execmem.Linked]()}, map[string]any{"AnyRegistered": execmem.AnyRegistered, "Available": execmem.Available, "Load": execmem.Load,
		"HasAVX512": execmem.HasAVX512, "Registered": execmem.Registered}, nil},
}

// own are methods that a type has itself although what is embedded in it has them, too. Others of
// an embedded value Go looks for in a nil pointer, before any of ours is called.
var own = map[string]bool{"abi.Description.Marshal": true}

func isPromoted(kind reflect.Type, method string) bool {
	if kind.Kind() != reflect.Struct || own[kind.String()+"."+method] {
		return false
	}
	for n := range kind.NumField() {
		if f := kind.Field(n); f.Anonymous {
			if _, has := reflect.PointerTo(f.Type).MethodByName(method); has {
				return true
			}
		}
	}
	return false
}

// sentences are the calls that cannot return what is wrong, and panic with it.
var sentences = map[string]bool{"ir/diag.List.Add of nil": true}

// arguments are what calls are given that is not missing.
type arguments struct {
	set    *source.Set
	file   *source.File
	module *ir.Module
	list   *diag.List
}

func makeArguments(t *testing.T) *arguments {
	t.Helper()
	x := &arguments{set: new(source.Set), list: new(diag.List)}
	var err error
	if x.file, err = x.set.Add("a.wgsl", "override n = 1u; @group(0) @binding(0) var<storage, read_write> x: array<u32>; @compute @workgroup_size(1) fn main() { x[0] = n; }"); err != nil {
		t.Fatal(err)
	}
	if x.module, err = frontend.Load(x.set, x.file, frontend.Options{}, x.list); err != nil || x.module == nil {
		t.Fatal(err, x.list.Items())
	}
	return x
}

// of returns the value of a type, or the zero value of what is not among the arguments.
func (x *arguments) of(t *testing.T, kind reflect.Type) reflect.Value {
	for _, v := range []any{x.set, x.file, x.module, x.module.Kernels()[0], x.list, all.Lookup("spirv"), new(codegen.Options), new(codegen.Limits), new(abi.Kernel), new(abi.Artefact), new(diag.Palette)} {
		if reflect.TypeOf(v) == kind {
			return reflect.ValueOf(v)
		}
	}
	switch kind {
	case reflect.TypeFor[string]():
		return reflect.ValueOf("main")
	case reflect.TypeFor[[]byte]():
		return reflect.ValueOf(make([]byte, 64))
	case reflect.TypeFor[io.Writer]():
		return reflect.ValueOf(io.Discard)
	case reflect.TypeFor[fs.FS]():
		return reflect.ValueOf(os.DirFS(t.TempDir()))
	}
	if kind.Kind() == reflect.Func {
		return reflect.MakeFunc(kind, func([]reflect.Value) (results []reflect.Value) {
			for n := range kind.NumOut() {
				results = append(results, reflect.Zero(kind.Out(n)))
			}
			return results
		})
	}
	return reflect.Zero(kind)
}

// canBeNil reports whether a value of a type can be nil.
func canBeNil(kind reflect.Type) bool {
	switch kind.Kind() {
	case reflect.Pointer, reflect.Interface, reflect.Func, reflect.Slice, reflect.Map:
		return true
	}
	return false
}

// callEach calls a function with all of its arguments, and with each in turn missing that can be.
// The first is the receiver, if there is one.
func callEach(t *testing.T, name string, f reflect.Value, receiver ...reflect.Value) (calls int) {
	t.Helper()
	kind := f.Type()
	for missing := len(receiver) - 1; missing < kind.NumIn(); missing++ {
		if missing >= len(receiver) && !canBeNil(kind.In(missing)) {
			continue
		}
		x := makeArguments(t)
		given := slices.Clone(receiver)
		for n := len(receiver); n < kind.NumIn(); n++ {
			if n == missing {
				given = append(given, reflect.Zero(kind.In(n)))
			} else {
				given = append(given, x.of(t, kind.In(n)))
			}
		}
		what := name
		if missing >= len(receiver) {
			what += fmt.Sprintf(", argument %d nil", missing)
		}
		calls++
		results, panicked := guarded(f, given)
		if said, isText := panicked.(string); panicked != nil && !(sentences[name] && isText && strings.Contains(said, "nil; ")) {
			t.Errorf("%s ends the program: %v", what, panicked)
			continue
		}
		if len(results) == 0 || results[0].Kind() != reflect.Pointer || !results[0].IsNil() {
			continue
		}
		takesList := slices.ContainsFunc(given, func(v reflect.Value) bool { return v.Type() == reflect.TypeFor[*diag.List]() && !v.IsNil() })
		last := results[len(results)-1]
		isError := last.Type() == reflect.TypeFor[error]()
		if len(results) > 1 && isError && last.IsNil() && !takesList || len(results) == 1 && takesList && x.list.Errors() == 0 {
			t.Errorf("%s returns nothing, and does not say so", what)
		}
	}
	return calls
}

// guarded calls a function and catches its panic.
func guarded(f reflect.Value, given []reflect.Value) (results []reflect.Value, panicked any) {
	defer func() { panicked = recover() }()
	if f.Type().IsVariadic() {
		return f.CallSlice(given), nil
	}
	return f.Call(given), nil
}

// TestNothing calls everything on nil and zero values, and with one argument after the other
// missing.
func TestNothing(t *testing.T) {
	calls := 0
	for n := range exported {
		p := &exported[n]
		for _, name := range slices.Sorted(maps.Keys(p.functions)) {
			calls += callEach(t, p.folder+"."+name, reflect.ValueOf(p.functions[name]))
		}
		for _, kind := range p.types {
			for m := range reflect.PointerTo(kind).NumMethod() {
				method := reflect.PointerTo(kind).Method(m)
				name := p.folder + "." + kind.Name() + "." + method.Name
				calls += callEach(t, name+" of a zero value", method.Func, reflect.New(kind))
				if _, byValue := kind.MethodByName(method.Name); !byValue && !isPromoted(kind, method.Name) {
					calls += callEach(t, name+" of nil", method.Func, reflect.Zero(reflect.PointerTo(kind)))
				}
			}
		}
	}
	t.Logf("%d calls", calls)
	if calls < 300 {
		t.Errorf("only %d calls", calls)
	}
}

// TestNothingIsForgotten holds the lists against the sources: structures with methods, and
// functions.
func TestNothingIsForgotten(t *testing.T) {
	for n := range exported {
		p := &exported[n]
		known := func(name string) bool {
			_, function := p.functions[name]
			return function || slices.Contains(p.left, name) || slices.ContainsFunc(p.types, func(kind reflect.Type) bool {
				base, _, _ := strings.Cut(kind.Name(), "[") // of a generic type
				return base == name
			})
		}
		names, err := filepath.Glob(p.folder + "/*.go")
		if err != nil || len(names) == 0 {
			t.Fatal(p.folder, err)
		}
		// and what has a method or is a function
		structures, named := map[string]bool{}, map[string]bool{}
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(f, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.TypeSpec:
					if _, is := n.Type.(*ast.StructType); is {
						structures[n.Name.Name] = true
					}
				case *ast.FuncDecl:
					if !n.Name.IsExported() {
						return false
					}
					if n.Recv == nil {
						named[n.Name.Name], structures[n.Name.Name] = true, true
						return false
					}
					of := n.Recv.List[0].Type
					if star, ok := of.(*ast.StarExpr); ok {
						of = star.X
					}
					if id, ok := of.(*ast.Ident); ok {
						named[id.Name] = true
					}
					return false
				}
				return true
			})
		}
		for _, name := range slices.Sorted(maps.Keys(named)) {
			if ast.IsExported(name) && structures[name] && !known(name) {
				t.Errorf("%s.%s is not called with nothing", p.folder, name)
			}
		}
	}
}
