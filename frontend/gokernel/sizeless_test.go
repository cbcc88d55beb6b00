package gokernel_test

import (
	"go/types"
	"path/filepath"
	"testing"

	"github.com/gpuc/gpuc/frontend/gokernel"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

// TestSizeless tests that structures with fields of size zero have the layout of Go's compiler.
func TestSizeless(t *testing.T) {
	var set source.Set
	var list diag.List
	loaded, err := gokernel.LoadPackages(&set, gokernel.Options{Folder: filepath.Join("testdata", "sizeless")}, &list, ".")
	if err != nil || list.Errors() > 0 || len(loaded) != 1 {
		t.Fatal(loaded, err, list.Items())
	}
	k := loaded[0].Kernels[0]
	m := k.Module
	gc := types.SizesFor("gc", "amd64")
	for n, p := range k.Parameters[:7] {
		s := p.Type.Underlying().(*types.Slice).Elem()
		size, align := gokernel.Layout(s)
		if size != gc.Sizeof(s) || align != gc.Alignof(s) {
			t.Errorf("%v has size %d and alignment %d, want %d and %d", s, size, align, gc.Sizeof(s), gc.Alignof(s))
		}
		made := m.Element(m.Element(m.Global(m.Func(k.Name).Interface[n]).Type))
		if got := m.Size(made); int64(got) != gc.Sizeof(s) {
			t.Errorf("%v has size %d on devices, want %d", s, got, gc.Sizeof(s))
		}
		u := s.Underlying().(*types.Struct)
		var fields []*types.Var
		for f := range u.Fields() {
			fields = append(fields, f)
		}
		offsets := gc.Offsetsof(fields)
		for _, member := range m.Members(made) {
			for k, f := range fields {
				if f.Name() == member.Name && int64(member.Offset) != offsets[k] {
					t.Errorf("%v: %s is at %d on devices, want %d", s, f.Name(), member.Offset, offsets[k])
				}
			}
		}
	}
}
