package gokernel_test

import (
	"strings"
	"testing"

	"github.com/gpuc/gpuc/frontend/gokernel"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/source"
)

// TestStoresApart looks which stores of tiles in loops order memory: those of all kernels of
// testdata/apart but the ones named Apart.
func TestStoresApart(t *testing.T) {
	testmode.Quick(t, "it loads a Go package")
	var set source.Set
	var list diag.List
	m, err := gokernel.Load(&set, gokernel.Options{Folder: "testdata/apart"}, &list, ".")
	if err != nil || m == nil {
		t.Fatal(err, list.Items())
	}
	for _, f := range m.Kernels() {
		stores := 0
		for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
			if f.Op(i) != op.TileStore {
				continue
			}
			stores++
			if ordered := op.Memory(f.Aux(i)) == op.StorageMemory; ordered == strings.HasPrefix(f.Name, "Apart") {
				t.Errorf("%s: stores are ordered: %v", f.Name, ordered)
			}
		}
		if stores != 1 {
			t.Errorf("%s has %d stores, want one", f.Name, stores)
		}
	}
}
