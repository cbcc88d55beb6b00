package wgsl_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/wgsl"
	"github.com/gpuc/gpuc/frontend/gokernel"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/jit"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// shown are exec kernels whose code golden/wgsl has, beside those that it has of all targets
// (TestGolden of codegen/all). Entries of one name with options are the same kernel compiled in
// another way.
var shown = []struct {
	name, kernel, entry string
	options             codegen.Options
}{
	{"saxpy", "saxpy", "", codegen.Options{}},
	{"saxpy_trap", "saxpy", "", codegen.Options{Bounds: opt.BoundsTrap}},
}

// TestGolden compares the WGSL of some kernels with the golden files, which show how it reads.
func TestGolden(t *testing.T) {
	for _, k := range shown {
		t.Run(k.name, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join("..", "..", "testdata", "exec", k.kernel+".wgsl"))
			if err != nil {
				t.Fatal(err)
			}
			p, err := jit.Parse(k.kernel+".wgsl", string(text), k.options)
			if err != nil {
				t.Fatal(err)
			}
			entry := p.Module().Kernels()[0].Name
			a, err := p.Compile(abi.WGSL, entry)
			if err != nil {
				t.Fatal(err)
			}
			compare(t, k.name, a.Code)
			if again, err := p.Compile(abi.WGSL, entry); err != nil || string(again.Code) != string(a.Code) {
				t.Error("a second compilation gives other bytes")
			}
		})
	}
}

// shownGo are kernels written in Go of which golden/wgsl has the code.
var shownGo = []string{"Saxpy", "VectorAdd", "MatmulTiled"}

// TestGoldenGo does it for kernels written in Go.
func TestGoldenGo(t *testing.T) {
	testmode.Quick(t, "it loads a Go package")
	set, list := new(source.Set), new(diag.List)
	m, err := gokernel.Load(set, gokernel.Options{Folder: filepath.Join("..", "..", "internal", "gokernels")}, list, ".")
	if err != nil || m == nil {
		t.Fatalf("%v %+v", err, list.Items())
	}
	for _, name := range shownGo {
		a := codegen.Compile(m, name, &wgsl.Target, &codegen.Options{Context: &opt.Context{Verify: true}}, list)
		if a == nil {
			t.Fatalf("%+v", list.Items())
		}
		compare(t, "go_"+name, a.Code)
	}
}

func compare(t *testing.T, name string, code []byte) {
	t.Helper()
	if _, err := jit.Parse(name+".wgsl", string(code), codegen.Options{}); err != nil {
		t.Errorf("it is not accepted: %v", err)
	}
	golden := filepath.Join("..", "..", "golden", "wgsl", name+".wgsl")
	if *update {
		if err := os.WriteFile(golden, code, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), string(code)); d != "" {
		t.Errorf("%s changed (-update accepts it; -want +got):\n%s", name, d)
	}
}

// refused are modules that WGSL cannot express, with the messages of the target.
var refused = []struct{ text, message string }{
	{`
var @x : ptr<storage, array<u64>, read_write> [group 0, binding 0]
kernel @main() [workgroup 1u, 1u, 1u] {
  %p = access @x, 0u : ptr<storage, u64, read_write>
  store %p, 5lu
  return
}`, "target wgsl has no values of type u64"},
	{`
var @x : ptr<storage, array<f32, stride 16>> [group 0, binding 0]
kernel @main() [workgroup 1u, 1u, 1u] {
  %n = array_length @x : u32
  return
}`, "target wgsl cannot express this: parts of array<f32, stride 16> lie 16 bytes apart, and WGSL has them 4 apart"},
	{`
struct S [size 12, align 4] { a: f32 [offset 0], v: vec2<f32> [offset 4] }
var @x : ptr<storage, array<S>> [group 0, binding 0]
kernel @main() [workgroup 1u, 1u, 1u] {
  %n = array_length @x : u32
  return
}`, "target wgsl cannot express this: S is aligned to 4 bytes, and WGSL aligns it to 8"},
	{`
kernel @main() [workgroup 1u, 1u, 1u] {
  barrier [subgroup]
  return
}`, "target wgsl cannot express this: WGSL has no barrier of a subgroup"},
}

func TestRefused(t *testing.T) {
	for _, r := range refused {
		m, _, items := ir.ParseString(r.text)
		if m == nil {
			t.Fatalf("%+v", items)
		}
		var list diag.List
		if a := codegen.Compile(m, "", &wgsl.Target, &codegen.Options{}, &list); a != nil {
			t.Errorf("%s\nis written:\n%s", r.text, a.Code)
		} else if got := list.Items()[0].Message; got != r.message {
			t.Errorf("got  %s\nwant %s", got, r.message)
		}
	}
}

// TestLayouts reads back a structure whose members lie where attributes put them.
func TestLayouts(t *testing.T) {
	m, _, items := ir.ParseString(`
struct S [size 64, align 32] { a: f32 [offset 0], b: u32 [offset 12], c: vec2<f32> [offset 16], d: array<u32, 3u> [offset 24] }
var @x : ptr<storage, array<S>> [group 0, binding 0]
kernel @main() [workgroup 1u, 1u, 1u] {
  %n = array_length @x : u32
  return
}`)
	if m == nil {
		t.Fatalf("%+v", items)
	}
	var list diag.List
	a := codegen.Compile(m, "", &wgsl.Target, &codegen.Options{}, &list)
	if a == nil {
		t.Fatalf("%+v", list.Items())
	}
	read, err := jit.Parse("read.wgsl", string(a.Code), codegen.Options{})
	if err != nil {
		t.Fatalf("%v\n%s", err, a.Code)
	}
	g := &read.Module().Globals[0]
	s := read.Module().Element(read.Module().Element(g.Type))
	if size, align := read.Module().Size(s), read.Module().Align(s); size != 64 || align != 32 {
		t.Errorf("S has %d bytes, aligned to %d\n%s", size, align, a.Code)
	}
	for n, want := range []uint32{0, 12, 16, 24} {
		if got := read.Module().Members(s)[n].Offset; got != want {
			t.Errorf("member %d is at %d, want %d\n%s", n, got, want, a.Code)
		}
	}
}

// TestReadBack: the code of small programs that were refused once is accepted.
func TestReadBack(t *testing.T) {
	const head = "@group(0) @binding(0) var<storage, read_write> o: array<i32>;\n@compute @workgroup_size(1) fn main() {\n"
	for _, body := range []string{
		"o[0] = 1i % vec4i()[o[1] & 3];", // a part of a vector of zeros is no constant zero
		"o[0] = vec2i(5)[o[1] & 1] * 715989875i;",
	} {
		p, err := jit.Parse("small.wgsl", head+body+"\n}\n", codegen.Options{})
		if err != nil {
			t.Fatal(err)
		}
		a, err := p.Compile(abi.WGSL, "main")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := jit.Parse("small.out.wgsl", string(a.Code), codegen.Options{}); err != nil {
			t.Errorf("%s\n%v", a.Code, err)
		}
	}
}
