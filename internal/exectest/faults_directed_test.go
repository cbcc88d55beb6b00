package exectest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/internal/exectest"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// This file names the kinds of access and the ways to guard one. In each program
// the index i is 9, which is outside of everything.

const faultHead = `
struct Rec { v: vec4<u32> }
@group(0) @binding(0) var<storage, read> given: array<u32, 2>;
@group(0) @binding(1) var<storage, read_write> out: array<u32, 1>;
@group(0) @binding(2) var<storage, read_write> rt: array<u32>;
@group(0) @binding(3) var<storage, read_write> rec: array<Rec, 3>;
@group(0) @binding(4) var<storage, read_write> at: array<atomic<u32>, 4>;
@group(0) @binding(5) var<storage, read> ro: array<array<u32, 3>, 2>;
@group(0) @binding(6) var<uniform> un: array<vec4<u32>, 3>;
var<workgroup> wg: array<u32, 7>;
var<private> pr: array<u32, 4>;
var<private> pv: vec3<u32>;
const ct = array<u32, 6>(1, 2, 3, 4, 5, 6);
fn through(p: ptr<function, u32>) -> u32 { return *p; }
fn into(p: ptr<private, array<u32, 4>>, k: u32) -> u32 { return (*p)[k]; }
@compute @workgroup_size(1) fn main() {
  let i = given[0];
  var acc = 0u;
  var fa = array<u32, 5>(1, 2, 3, 4, 5);
  var fm = mat2x3<f32>();
  let la = fa;
  let lv = vec4<u32>(i, 2, 3, 4);
  let lm = mat2x3<f32>(1, 2, 3, 4, 5, f32(i));
  for (var n = 0u; n < 7; n++) { wg[n] = n; }
`

// faultyAccesses are expressions of type u32, the part of them that is reported, and the report.
var faultyAccesses = []struct {
	text, position string
	fault          exectest.Fault
}{
	{"rt[i]", "rt[i]", exectest.Fault{Name: "rt", Elements: 6}},
	{"rec[i].v.x", "rec[i].v.x", exectest.Fault{Name: "rec", Elements: 3}},
	{"rec[1].v[i]", "rec[1].v[i]", exectest.Fault{Name: "rec", Elements: 4}},
	{"rec[i].v[i]", "rec[i].v[i]", exectest.Fault{Name: "rec", Elements: 3}},
	{"atomicLoad(&at[i])", "at[i]", exectest.Fault{Name: "at", Elements: 4}},
	{"atomicAdd(&at[i], 1u)", "at[i]", exectest.Fault{Name: "at", Elements: 4}},
	{"atomicCompareExchangeWeak(&at[i], 0u, 1u).old_value", "at[i]", exectest.Fault{Name: "at", Elements: 4}},
	{"ro[1][i]", "ro[1][i]", exectest.Fault{Name: "ro", Elements: 3}},
	{"un[1][i]", "un[1][i]", exectest.Fault{Name: "un", Elements: 4}},
	{"wg[i]", "wg[i]", exectest.Fault{Name: "wg", Elements: 7}},
	{"pr[i]", "pr[i]", exectest.Fault{Name: "pr", Elements: 4}},
	{"pv[i]", "pv[i]", exectest.Fault{Elements: 3}},
	{"fa[i]", "fa[i]", exectest.Fault{Name: "fa", Elements: 5}},
	{"u32(fm[i].x)", "fm[i].x", exectest.Fault{Name: "fm", Elements: 2}},
	{"la[i]", "la[i]", exectest.Fault{Elements: 5}},
	{"lv[i]", "lv[i]", exectest.Fault{Elements: 4}},
	{"u32(lm[i].x)", "lm[i]", exectest.Fault{Elements: 2}},
	{"u32(lm[1][i])", "lm[1][i]", exectest.Fault{Elements: 3}},
	{"ct[i]", "ct[i]", exectest.Fault{Elements: 6}},
	{"through(&fa[i])", "fa[i]", exectest.Fault{Name: "fa", Elements: 5}},
	{"into(&pr, i)", "(*p)[k]", exectest.Fault{Name: "pr", Elements: 4}},
	{"dot(rec[i].v, vec4<u32>(1))", "rec[i].v", exectest.Fault{Name: "rec", Elements: 3}},
}

// faultGuards are statements whose access is not executed.
var faultGuards = []string{
	"if (i < 2u) { acc += ACCESS; }",
	"if (i >= 2u) { } else { acc += ACCESS; }",
	"if (i < 2u && ACCESS > 0u) { acc += 1u; }",
	"if (i >= 2u || ACCESS > 0u) { acc += 1u; }",
	"while (i < 2u) { acc += ACCESS; break; }",
	"for (var n = 0u; i < 2u && n < 2u; n++) { acc += ACCESS; }",
	"for (var n = 0u; n < given[1]; n++) { acc += ACCESS; }",
	"for (var n = 0u; n < 3u; n++) { if (i >= 2u) { continue; } acc += ACCESS; }",
	"loop { if (i >= 2u) { break; } acc += ACCESS; break; }",
	"loop { acc += 1u; if (acc > 2u) { break; } continuing { if (i < 2u) { acc += ACCESS; } } }",
	"switch i { case 0u, 1u: { acc += ACCESS; } default: { } }",
	"switch i { default: { } case 9u: { break; } case 1u: { acc += ACCESS; } }",
	"if (i >= 2u) { return; } acc += ACCESS;",
	"for (var n = 0u; n < 2u; n++) { if (n == 1u) { if (i >= 2u) { return; } acc += ACCESS; } }",
	"let guarded = i < 2u; if (guarded) { if (given[1] == 0u) { acc += ACCESS; } }",
}

// faultUses are statements whose access is executed.
var faultUses = []string{
	"acc += ACCESS;",
	"let unused = ACCESS;",
	"_ = ACCESS;",
	"acc += ACCESS * 0u;",
	"acc += select(0u, ACCESS, i > 2u);",
	"acc += select(ACCESS, 1u, i < 2u);",
	"acc += select(0u, select(2u, ACCESS, i > 2u), i > 3u);",
	"let x = ACCESS; acc += x + select(0u, x, i < 2u);",
	"var x = ACCESS; acc += select(0u, x, i < 2u);",
	"if ((i > 2u) & (ACCESS < 99u)) { acc += 1u; }",
	"if ((i < 2u) | (ACCESS < 99u)) { acc += 1u; }",
	"if (ACCESS > 99u) { acc += 1u; }",
	"if (i > 2u) { acc += ACCESS; }",
	"if (i >= 2u && ACCESS > 0u) { }",
	"for (var n = 0u; n < 3u; n++) { acc += ACCESS; }",
	"loop { if (ACCESS >= 0u) { break; } }",
	"loop { acc += 1u; continuing { break if ACCESS + acc > 1u; } }",
	"switch ACCESS { case 0u: { acc += 1u; } default: { } }",
	"switch i { case 9u: { acc += ACCESS; } default: { } }",
}

// faultDrops are statements whose access is executed, and whose value a select, & or | drops.
var faultDrops = []string{
	"acc += select(0u, ACCESS, i < 2u);",
	"acc += select(ACCESS, 1u, i > 2u);",
	"acc += select(0u, ACCESS * 3u + 1u, i < 2u);",
	"let x = ACCESS; let y = x + 1u; acc += select(0u, y, i < 2u);",
	"acc += select(0u, select(2u, ACCESS, i > 2u), i < 2u);",
	"acc += select(0u, select(2u, ACCESS, i < 2u), i > 2u);",
	"acc += select(vec2<u32>(), vec2<u32>(ACCESS), vec2<bool>(i < 2u, i < 1u)).y;",
	"if ((i < 2u) & (ACCESS < 99u)) { acc += 1u; }",
	"if ((i >= 2u) | (ACCESS < 99u)) { acc += 1u; }",
	"let x = ACCESS; if (i > 3u) { acc += select(0u, x, i < 2u); }",
	"for (var n = 0u; n < 3u; n++) { acc += select(0u, ACCESS, i < n); }",
}

// Assignments to a reference, and uses of a pointer to it, guarded and not.
var (
	guardedStores   = []string{"if (i < 2u) { REFERENCE = VALUE; }", "for (var n = 0u; n < given[1]; n++) { REFERENCE = VALUE; }"}
	executedStores  = []string{"REFERENCE = VALUE;", "for (var n = 0u; n < 3u; n++) { REFERENCE = VALUE; }"}
	guardedPointers = []string{"let p = &REFERENCE; if (i < 2u) { *p = VALUE; }", "let p = &REFERENCE;"}
	usedPointers    = []string{"let p = &REFERENCE; if (i > 2u) { *p = VALUE; }", "let p = &REFERENCE; let q = *p;"}
)

// faultyStores are references; components of vectors have no pointers.
var faultyStores = []struct {
	position, value string
	component       bool
	fault           exectest.Fault
}{
	{"rt[i]", "3u", false, exectest.Fault{Name: "rt", Elements: 6}},
	{"rec[i]", "Rec()", false, exectest.Fault{Name: "rec", Elements: 3}},
	{"rec[1].v[i]", "3u", true, exectest.Fault{Name: "rec", Elements: 4}},
	{"wg[i]", "3u", false, exectest.Fault{Name: "wg", Elements: 7}},
	{"pr[i]", "3u", false, exectest.Fault{Name: "pr", Elements: 4}},
	{"pv[i]", "3u", true, exectest.Fault{Name: "pv", Elements: 3}},
	{"fa[i]", "3u", false, exectest.Fault{Name: "fa", Elements: 5}},
	{"fm[i]", "vec3<f32>()", false, exectest.Fault{Name: "fm", Elements: 2}},
	{"fm[1][i]", "1.0", true, exectest.Fault{Name: "fm", Elements: 3}},
}

// directedFault makes the program of a statement. The reported part is found in the text: in the
// statement, or before it if it is in a function.
func directedFault(statement, position string, fault exectest.Fault, does effect) *exectest.FaultProgram {
	f := &exectest.FaultProgram{Source: faultHead + "  " + statement + "\n  out[0] = acc;\n}\n"}
	sizes := map[string]int{"given": 2, "out": 1, "rt": 6, "rec": 12, "at": 4, "ro": 6, "un": 12}
	for _, name := range []string{"given", "out", "rt", "rec", "at", "ro", "un"} {
		b := exectest.Buffer{Name: name, Data: make([]byte, 4*sizes[name])}
		if name == "given" {
			b.Data[0] = 9
		}
		f.Buffers = append(f.Buffers, b)
	}
	if does != nothing {
		at := strings.Index(f.Source[len(faultHead):], position)
		if at >= 0 {
			at += len(faultHead)
		} else { // of a function
			at = strings.Index(f.Source, position)
		}
		before := f.Source[:at]
		fault.SourceRange = exectest.SourceRange{Line: 1 + strings.Count(before, "\n"), Column: at - strings.LastIndex(before, "\n"), Length: len(position)}
		fault.Index = 9
		if does == faults {
			f.Faults = []exectest.Fault{fault}
		} else {
			f.Discarded = []exectest.Fault{fault}
		}
	}
	return f
}

// effect is what a statement does with the access in it.
type effect int

const (
	nothing effect = iota // it is not executed
	faults                // its value is used, or it writes
	drops                 // it is a read whose value is not used
)

// TestFaultsOfViews: an access out of its view is reported with its position, as one into the
// buffer, by both ways of checking.
func TestFaultsOfViews(t *testing.T) {
	checked, plain := openFaultDevice(t, "cpu:checked"), openFaultDevice(t, gpu.CPU)
	for _, use := range []string{"acc += view[i];", "if (i > 2u) { acc += (*view)[i]; }", "let k = 5; acc += view[k];", "view[i] = 2u;"} {
		for _, guard := range []bool{false, true} {
			statement := use
			if guard {
				statement = "if (i < 2u) { " + use + " }"
			}
			f := &exectest.FaultProgram{Source: `requires buffer_view;
@group(0) @binding(0) var<storage, read_write> b: buffer;
@group(0) @binding(1) var<storage, read_write> out: array<u32, 4>;
@compute @workgroup_size(1) fn main() {
  let i = out[0] + 3u;
  let view = bufferView<array<u32, 2>>(&b, 4);
  var acc = 0u;
  ` + statement + `
  out[1] = acc;
}
`, Buffers: []exectest.Buffer{{Name: "b", Data: make([]byte, 16)}, {Name: "out", Data: make([]byte, 16)}}}
			if !guard {
				line := strings.Split(f.Source, "\n")[7]
				at := max(strings.Index(line, "view["), strings.Index(line, "(*view)["))
				position := line[at : strings.Index(line, "]")+1]
				if strings.Contains(line, "= 2u") { // the words of a store have its position
					position = "view[i] = 2u;"
				}
				f.Faults = []exectest.Fault{{SourceRange: exectest.SourceRange{Line: 8, Column: at + 1, Length: len(position)},
					Name: "b", Index: 1 << 31, Elements: 4}}
			}
			for _, o := range levels {
				if err := checkReport(f, checked.run(f, o)); err != nil {
					t.Errorf("%s on cpu:checked: %v", statement, err)
				}
				o.Bounds = opt.BoundsTrap
				if err := checkRecord(f, plain.run(f, o)); err != nil {
					t.Errorf("%s in trap mode: %v", statement, err)
				}
			}
		}
	}
}

// TestFaultsAndGuards: an access is reported if it is executed, whatever guards it,
// on every device, in both ways of checking, with and without passes. Usually every second
// program runs, in short mode every eighth.
func TestFaultsAndGuards(t *testing.T) {
	checked := openFaultDevice(t, "cpu:checked")
	infos, err := gpu.Devices()
	if err != nil {
		t.Error(err)
	}
	var devices []*faultDevice
	for _, info := range infos {
		if isChosen(info.ID()) {
			devices = append(devices, openFaultDevice(t, info.ID()))
		}
	}
	programs := 0
	try := func(statement, position string, fault exectest.Fault, does effect) {
		t.Helper()
		if programs++; programs%testmode.Count(8, 2, 1) != 0 {
			return
		}
		f := directedFault(statement, position, fault, does)
		for _, o := range levels {
			what := fmt.Sprintf("%s\nwith passes %v", statement, !o.NoOptimize)
			if err := checkReport(f, checked.run(f, o)); err != nil {
				t.Errorf("%s on cpu:checked: %v", what, err)
			}
			o.Bounds = opt.BoundsTrap
			for n, d := range devices {
				info := d.Info()
				if info.Driver != "cpu" && programs%16 != n%16 {
					continue // slow to compile for
				}
				if err := checkRecord(f, d.run(f, o)); err != nil {
					t.Errorf("%s on %s in trap mode: %v", what, info.ID(), err)
				}
				if does == drops {
					all, every := *f, o
					all.Faults, every.Bounds = f.Discarded, opt.BoundsTrapAll
					if err := checkRecord(&all, d.run(&all, every)); err != nil {
						t.Errorf("%s on %s in trap mode for all reads: %v", what, info.ID(), err)
					}
				}
			}
		}
	}
	for _, a := range faultyAccesses {
		for _, guard := range faultGuards {
			try(strings.ReplaceAll(guard, "ACCESS", a.text), a.position, a.fault, nothing)
		}
		for _, use := range faultUses {
			try(strings.ReplaceAll(use, "ACCESS", a.text), a.position, a.fault, faults)
		}
		for _, drop := range faultDrops {
			does := drops
			// it writes, too
			if strings.Contains(a.text, "atomic") && !strings.Contains(a.text, "atomicLoad") {
				does = faults
			}
			try(strings.ReplaceAll(drop, "ACCESS", a.text), a.position, a.fault, does)
		}
	}
	for _, s := range faultyStores {
		both := func(guarded, executed []string) {
			r := strings.NewReplacer("REFERENCE", s.position, "VALUE", s.value)
			for _, guard := range guarded {
				try(r.Replace(guard), s.position, s.fault, nothing)
			}
			for _, use := range executed {
				try(r.Replace(use), s.position, s.fault, faults)
			}
		}
		both(guardedStores, executedStores)
		if !s.component {
			both(guardedPointers, usedPointers)
		}
	}
	t.Logf("%d programs on %d devices", programs, len(devices))
}
