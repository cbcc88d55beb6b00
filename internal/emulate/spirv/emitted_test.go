package spirv_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	target "github.com/gpuc/gpuc/codegen/spirv"
	"github.com/gpuc/gpuc/internal/emulate"
	"github.com/gpuc/gpuc/internal/emulate/spirv"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/opt"
)

// TestEmitted executes the modules of the emitter's golden files, which together have everything
// that it emits. The emulator must refuse none of them except those with textures. Failures of
// execution are ignored: some of these kernels race or do not terminate.
func TestEmitted(t *testing.T) {
	files, err := filepath.Glob("../../../codegen/spirv/testdata/*.ir")
	if err != nil || len(files) == 0 {
		t.Fatalf("no modules: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			m, _, items := ir.ParseString(string(text))
			if m == nil {
				t.Fatalf("does not parse: %+v", items)
			}
			for _, plain := range []bool{false, true} {
				var list diag.List
				a := codegen.Compile(m, m.Kernels()[0].Name, &target.Target, &codegen.Options{NoOptimize: plain, Bounds: opt.BoundsRobust}, &list)
				if a == nil {
					t.Fatalf("does not compile: %v", list.Items())
				}
				l := &emulate.Launch{Entry: a.Kernel.Name, Grid: [3]uint32{1, 1, 1}, Immediates: make([]byte, a.Kernel.ImmediateBytes()), Steps: 1 << 22}
				for _, b := range a.Kernel.Bindings {
					l.Buffers = append(l.Buffers, emulate.Buffer{Group: b.Group, Binding: b.Binding, Data: make([]byte, b.Size+128*b.Stride)})
				}
				err := spirv.Run(a.Code, l)
				var e *spirv.Error
				switch refused := errors.As(err, &e) && e.Invocation == nil; {
				case len(a.Kernel.Handles) > 0 && !(refused && strings.HasPrefix(e.Message, "not supported: ")):
					t.Errorf("plain %v: expected textures to be refused, found %v", plain, err)
				case len(a.Kernel.Handles) == 0 && refused:
					t.Errorf("plain %v: %v", plain, err)
				}
			}
		})
	}
}
