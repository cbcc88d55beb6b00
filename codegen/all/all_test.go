package all_test

import (
	"bytes"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/all"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/opt"
)

// artefacts compiles every entry point of a source for every target, the targets in parallel, and
// joins the codes.
func artefacts(t *testing.T, path string) []byte {
	t.Helper()
	m := loadedFile(t, path)
	options := codegen.Options{Lines: true, Settings: settingsOf(m)}
	codes := make([][]byte, len(all.Targets))
	var group sync.WaitGroup
	for n, target := range all.Targets {
		group.Go(func() {
			var list diag.List
			for _, k := range m.Kernels() {
				if a := codegen.Compile(m, k.Name, target, &options, &list); a != nil {
					description, err := a.Kernel.Marshal()
					if err != nil {
						t.Error(err)
					}
					codes[n] = append(append(codes[n], a.Code...), description...)
				}
			}
			for _, d := range list.Items() {
				if d.Code == diag.TargetUnsupported && target.Handles == "" && strings.Contains(d.Message, "has no textures") {
					continue // which ptx says of kernels with textures, and nothing else
				}
				if d.Severity == diag.Error {
					t.Errorf("%s for %s: %s", path, target.Name, d.Message)
				}
			}
		})
	}
	group.Wait()
	return bytes.Join(codes, nil)
}

// TestDeterminism compiles every exec kernel several times, with one and with several processors,
// and compares the bytes. Go randomises the order of maps, so a dependency on it shows here.
func TestDeterminism(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(before)
	for _, path := range execKernels(t) {
		if !testmode.Picked(path) {
			continue
		}
		var first []byte
		for n, processors := range []int{1, 2, 4, 4} {
			runtime.GOMAXPROCS(processors)
			code := artefacts(t, path)
			if n == 0 {
				first = code
			} else if !bytes.Equal(code, first) {
				t.Errorf("%s: compilation %d gives other bytes", path, n+1)
			}
		}
	}
}

// TestContextsAreReused compiles ordered pairs of exec kernels one after the other with one
// context, and each kernel with another context. The code has to be the same: a context may keep
// memory for the next compilation, but no state. In long mode each kernel is compiled behind 24
// others.
func TestContextsAreReused(t *testing.T) {
	var modules []*ir.Module
	for _, path := range execKernels(t) {
		if testmode.Picked(path) {
			modules = append(modules, loadedFile(t, path))
		}
	}
	compile := func(m *ir.Module, target *codegen.Target, c *opt.Context) (code []byte) {
		for _, k := range m.Kernels() {
			if a := codegen.Compile(m, k.Name, target, &codegen.Options{Settings: settingsOf(m), Context: c}, new(diag.List)); a != nil {
				code = append(code, a.Code...)
			}
		}
		return code
	}
	for _, target := range all.Targets {
		t.Run(string(target.Name), func(t *testing.T) {
			t.Parallel()
			var own [][]byte
			for _, m := range modules {
				own = append(own, compile(m, target, new(opt.Context)))
			}
			shared := new(opt.Context)
			for distance := range min(len(modules), testmode.Count(1, 6, 24)) {
				reached := make([]bool, len(modules))
				for start := range modules {
					before := start
					for n := start; !reached[n]; n = (n + distance) % len(modules) {
						reached[n] = true
						if !bytes.Equal(compile(modules[n], target, shared), own[n]) {
							t.Fatalf("%s compiles differently after %s", modules[n].Kernels()[0].Name, modules[before].Kernels()[0].Name)
						}
						before = n
					}
				}
			}
		})
	}
}
