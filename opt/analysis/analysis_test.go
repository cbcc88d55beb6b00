package analysis_test

import (
	"strings"
	"testing"

	"github.com/gpuc/gpuc/internal/irtest"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/opt/analysis"
)

const kernel = `var @out : ptr<storage, array<u32>, read_write> [group 0, binding 0]
var @in : ptr<storage, array<u32>> [group 0, binding 1]
var @tile : ptr<workgroup, array<u32, 4u>>

kernel @main(%group: vec3<u32> [workgroup_id], %lane: u32 [local_invocation_index]) [workgroup 4u, 1u, 1u] {
  %mine = var : ptr<function, u32>
  %g = extract %group, 0u : u32
  %shared = access @in, %g : ptr<storage, u32>
  %u = load %shared : u32
  %own = access @in, %lane : ptr<storage, u32>
  %v = load %own : u32
  %uc = gt %u, 3u : bool
  %vc = gt %v, 3u : bool
  %ur = if ^a %uc : u32 {
    exit ^a(1u)
  } else {
    exit ^a(%u)
  }
  %vr = if ^b %vc : u32 {
    exit ^b(1u)
  } else {
    exit ^b(2u)
  }
  %ul = loop ^c(%uk: u32 = 0u) : u32 {
    store %mine, %uk
    continue ^c()
  } continuing {
    %un = add %uk, 1u : u32
    %ud = ge %un, %u : bool
    next ^c(%un) break_if %ud(%un)
  }
  %vl = loop ^d(%vk: u32 = 0u) : u32 {
    %ve = ge %vk, %v : bool
    if ^e %ve {
      exit ^d(%vk)
    } else {
      exit ^e()
    }
    %vt = access @tile, %g : ptr<workgroup, u32>
    store %vt, 1u
    continue ^d()
  } continuing {
    %vn = add %vk, 1u : u32
    next ^d(%vn)
  }
  %vm = loop ^f(%vi: u32 = 0u) : u32 {
    if ^h %vc {
      continue ^f(1u)
    } else {
      exit ^h()
    }
    continue ^f(2u)
  } continuing(%vq: u32) {
    %vs = add %vi, %vq : u32
    %vz = ge %vs, 9u : bool
    next ^f(%vs) break_if %vz(%vs)
  }
  %p = access @out, %vl : ptr<storage, u32, read_write>
  %vo = load %p : u32
  %ua = array_length @out : u32
  store %p, %ua
  return
}
`

func parse(t *testing.T) (*ir.Func, map[string]ir.Value) {
	m, _, items := ir.ParseString(kernel)
	if m == nil {
		t.Fatalf("does not parse: %+v", items)
	}
	var list diag.List
	if ir.Verify(m, &list); list.Errors() > 0 {
		t.Fatalf("invalid: %+v", list.Items())
	}
	f := m.Funcs[0]
	names := map[string]ir.Value{}
	for v := 1; v < f.ValueCount(); v++ {
		names[f.ValueName(ir.Value(v))] = ir.Value(v)
	}
	return f, names
}

func TestMemory(t *testing.T) {
	f, names := parse(t)
	var m analysis.Memory
	m.Analyse(f)
	if m.Class(names["shared"]) != 0 {
		t.Error("memory that is only read has a class that can change")
	}
	classes := []uint64{m.Class(names["p"]), m.Class(names["vt"]), m.Class(names["mine"])}
	if classes[0]&classes[1]|classes[1]&classes[2]|classes[0]&classes[2] != 0 {
		t.Errorf("classes overlap: %b", classes)
	}
	uniform, varying := loop(f, names["ul"]), loop(f, names["vl"])
	if m.Changes(uniform) != classes[2] || m.Changes(varying) != classes[1] {
		t.Errorf("loops change %b and %b, want %b and %b", m.Changes(uniform), m.Changes(varying), classes[2], classes[1])
	}
	var e analysis.Epochs
	counter := uint32(0)
	e.Change(classes[0], &counter)
	before := e
	e.Change(classes[1], &counter)
	if e.Of(classes[0]) != before.Of(classes[0]) || e.Of(classes[1]) == before.Of(classes[1]) || e.Of(analysis.Everything) == before.Of(analysis.Everything) {
		t.Error("a change must reach the sets that hold its class and no others")
	}
}

// TestMemoryEffects states for each instruction whose memory it changes, by variable.
func TestMemoryEffects(t *testing.T) {
	m := irtest.Parse(t, `var @from : ptr<storage, array<u32, 4u>, read_write> [group 0, binding 0]
var @to : ptr<storage, array<u32, 4u>, read_write> [group 0, binding 1]
var @count : ptr<storage, atomic<u32>, read_write> [group 0, binding 2]
var @tile : ptr<workgroup, array<u32, 4u>>
var @image : ptr<handle, texture_storage_2d<r32float, read_write>> [group 0, binding 3]
fn @other() {
  return
}
kernel @main() [workgroup 4u, 1u, 1u] {
  %own = var : ptr<function, array<u32, 4u>>
  %i = load @image : texture_storage_2d<r32float, read_write>
  copy @to, @from
  copy %own, @tile
  %p = access @tile, 1u : ptr<workgroup, u32>
  store %p, 3u
  %x = load %p : u32
  %y = atomic_load @count : u32
  atomic_store @count, 1u
  %z = atomic_rmw @count, 1u [add] : u32
  %c = texture_read %i, vec2<u32>(0u, 0u) : vec4<f32>
  texture_store %i, vec2<u32>(0u, 0u), %c
  barrier [workgroup]
  barrier [storage]
  barrier [texture]
  barrier [workgroup, storage]
  call @other
  return
}`)
	want := []string{"", "", "to", "own", "", "tile", "", "", "count", "count", "", "image", "tile", "from to count", "image", "tile from to count", "all", ""}
	f := m.Func("main")
	var memory analysis.Memory
	memory.Analyse(f)
	own := f.First(f.Entry)
	classes := map[string]uint64{"own": memory.Class(f.Result(own)), "image": memory.Class(f.Result(f.Next(own))), "all": analysis.Everything}
	for n, g := range m.Globals[:4] {
		classes[g.Name] = memory.Class(ir.GlobalValue(n))
	}
	for i := own; i != 0; i = f.Next(i) {
		changed := uint64(0)
		for name := range strings.FieldsSeq(want[0]) {
			changed |= classes[name]
		}
		if got := memory.Effect(i); got != changed {
			t.Errorf("%s changes %b, expected %b: %s", f.InstText(i), got, changed, want[0])
		}
		want = want[1:]
	}
	if len(want) > 0 || classes["from"]|classes["to"]|classes["tile"]|classes["count"]|classes["own"]|classes["image"] != 1<<6-1 {
		t.Errorf("%d instructions are missing, and the classes are %v", len(want), classes)
	}
}

func loop(f *ir.Func, result ir.Value) ir.Inst {
	i, _ := f.Def(result)
	return i
}
