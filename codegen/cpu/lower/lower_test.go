package lower_test

import (
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/cpu"
	"github.com/gpuc/gpuc/codegen/cpu/lower"
	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/frontend"
	"github.com/gpuc/gpuc/internal/irtest"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/source"
)

const header = `
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<storage, read> in: array<u32>;
@group(0) @binding(2) var<uniform> limit: u32;
var<workgroup> tile: array<u32, 64>;
@compute @workgroup_size(16, 4)
fn main(@builtin(local_invocation_id) local: vec3u, @builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3u) {
`

// cases are bodies of that kernel. Of what each stores to out, in the order of the text, it says
// for which scopes it is uniform. The letter g is a workgroup in lockstep, b a block of eight
// lanes, and a a workgroup always. All worked out by hand.
var cases = []struct{ name, body, want string }{
	{"values", `
  out[lane] = group.x + limit;
  out[lane] = lane;
  out[lane] = local.y * 3u;
  out[lane] = local.x;
`, "gba --- -b- ---"},
	{"memory", `
  out[lane] = in[group.x];
  tile[lane] = limit;
  workgroupBarrier();
  out[lane] = tile[group.x & 63u];
  out[lane] = in[lane];
  out[lane] = in[local.y];
`, "gba gb- --- -b-"},
	{"a choice by what varies", `
  var x = 1u;
  if in[lane] > 3u { x = limit; }
  out[lane] = x;
  var y = 1u;
  if in[group.x] > 3u { y = limit; }
  out[lane] = y;
`, "--- gba"},
	{"a loop that all leave together", `
  var sum = 0u;
  for (var i = 0u; i < limit; i++) { sum += in[i]; out[lane] = i; }
  out[lane] = sum;
`, "gba gba"},
	{"a loop that lanes leave at different times", `
  var i = 0u;
  loop { if i >= in[lane] { break; } out[lane] = i; i++; }
  out[lane] = i;
  var k = 0u;
  loop { if k >= in[lane] { break; } out[lane] = k; k++; }
  out[lane] = limit;
`, "gba --- gba gba"},
	{"a loop in what a part executes", `
  if in[lane] > 3u {
    for (var i = 0u; i < limit; i++) { out[lane] = i; }
  }
  out[lane] = limit;
`, "gba gba"},
	{"an iteration that some lanes enter early", `
  for (var i = 0u; i < limit; i++) {
    var x = i;
    if in[lane + i] > 3u { if in[lane] == 1u { continue; } x = 7u; }
    out[lane] = x;
    out[lane] = i;
  }
`, "--- gba"},
	{"an inner loop that lanes leave at different times", `
  for (var i = 0u; i < limit; i++) {
    var k = 0u;
    loop { if k >= in[lane] { break; } k++; }
    out[lane] = k;
    out[lane] = i;
  }
`, "--- gba"},
	{"a return of a part", `
  if in[lane] > 3u { return; }
  out[lane] = limit;
  var i = 0u;
  loop { i++; if in[lane + i] == 0u { return; } if i >= limit { break; } }
  out[lane] = i;
`, "gba ---"},
}

// build compiles a WGSL text for the target and makes its program.
func build(t *testing.T, text string) *lower.Program {
	t.Helper()
	var set source.Set
	var list diag.List
	file, err := set.Add("k.wgsl", text)
	if err != nil {
		t.Fatal(err)
	}
	m, err := frontend.Load(&set, file, frontend.Options{}, &list)
	if err != nil || m == nil {
		t.Fatalf("%v, %+v", err, list.Items())
	}
	artefact := codegen.Compile(m, "main", &cpu.Target, &codegen.Options{}, &list)
	if artefact == nil {
		t.Fatalf("%+v", list.Items())
	}
	again := irtest.Parse(t, string(artefact.Code))
	p, err := lower.Build(again, again.Func("main"))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestUniform compares what stores write with what was worked out.
func TestUniform(t *testing.T) {
	for _, c := range cases {
		p := build(t, header+c.body+"}\n")
		var found []string
		for _, b := range p.F.Order {
			for i := p.F.First(b); i != 0; i = p.F.Next(i) {
				if p.F.Op(i) != mir.Op(op.Store) || p.F.Memory(i).Base.Class() != mir.Long {
					continue
				}
				letters := []byte("---")
				for scope, letter := range "gba" {
					if !p.Uniform[scope].Varies(p.F.Arg(i, 0)) {
						letters[scope] = byte(letter)
					}
				}
				found = append(found, string(letters))
			}
		}
		if got := strings.Join(found, " "); got != c.want {
			t.Errorf("%s: %s, expected %s\n%s", c.name, got, c.want, p.F.Text())
		}
	}
}
