package playground_test

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/gpuc/gpuc/internal/playground"
	"github.com/gpuc/gpuc/internal/playground/site"
	"github.com/gpuc/gpuc/ir/texture"
)

// TestExamples checks the examples of the page. Except for the one with mistakes they compile for
// the default targets, and have data for all variables.
func TestExamples(t *testing.T) {
	text, err := site.Examples()
	if err != nil {
		t.Fatal(err)
	}
	var examples []struct {
		Title, Source string
		Debug         bool
		Inputs        map[string]struct{ Count int }
	}
	if err := json.Unmarshal(text, &examples); err != nil {
		t.Fatal(err)
	}
	if len(examples) < 5 {
		t.Errorf("there are %d examples", len(examples))
	}
	for _, x := range examples {
		looked := playground.Look(&playground.Request{Source: x.Source, Debug: x.Debug, Targets: []string{"spirv", "wgsl"}})
		if wrong := strings.Contains(x.Title, "Mistakes"); wrong != (looked.Errors > 0) || !wrong && len(looked.Diagnostics) > 0 {
			t.Errorf("%s: %d errors\n%s", x.Title, looked.Errors, looked.Rendered)
		}
		if formatted, problem := playground.Format(x.Source); problem != "" || formatted != x.Source {
			t.Errorf("%s: is not formatted: %s", x.Title, problem)
		}
		for _, k := range looked.Kernels {
			if k.Refusal != "" {
				t.Errorf("%s: %s", x.Title, k.Refusal)
			}
			for _, b := range k.Buffers {
				if _, ok := x.Inputs[b.Name]; !ok && b.Stride != 0 {
					t.Errorf("%s: nothing is said of %s", x.Title, b.Name)
				}
			}
			for name := range x.Inputs {
				if !strings.Contains(x.Source, "> "+name+":") && !strings.Contains(x.Source, "var "+name+":") {
					t.Errorf("%s: has no variable %s", x.Title, name)
				}
			}
		}
	}
}

// TestUnits compares the offsets of diagnostics with package utf16. The fixes must apply at these
// offsets.
func TestUnits(t *testing.T) {
	source := "// 🦫 ä\nconst colour = 1u; /* 𝕊 */ fn f() -> u32 { return /* é🦫 */ colur; }\n"
	looked := playground.Check(&playground.Request{Source: source})
	if looked.Errors != 1 || len(looked.Diagnostics[0].Fixes) != 1 {
		t.Fatal(looked.Rendered)
	}
	units := utf16.Encode([]rune(source))
	d := looked.Diagnostics[0]
	if got := string(utf16.Decode(units[d.Location.Offset:d.Location.EndOffset])); got != "colur" {
		t.Errorf("the span is %q", got)
	}
	fix := d.Fixes[0]
	fixed := string(utf16.Decode(units[:fix.Location.Offset])) + *fix.Text + string(utf16.Decode(units[fix.Location.EndOffset:]))
	if looked := playground.Check(&playground.Request{Source: fixed}); looked.Errors > 0 {
		t.Errorf("after the fix:\n%s", looked.Rendered)
	}
}

// TestLayout compares offsets with WGSL's rules (WGSL §14.4).
func TestLayout(t *testing.T) {
	looked := playground.Look(&playground.Request{Source: `
struct Point { at: vec3f, weight: f32, pair: array<vec2u, 2> }
struct All { count: u32, m: mat2x2f, points: array<Point> }
@group(0) @binding(0) var<storage, read_write> all: All;
@group(0) @binding(1) var<storage, read_write> fixed: array<vec4f, 3>;
@group(0) @binding(2) var<storage, read_write> one: atomic<i32>;
@compute @workgroup_size(2, 3) fn main() { all.points[0].weight = fixed[0].x; atomicAdd(&one, 1); }`})
	if looked.Errors > 0 || len(looked.Kernels) != 1 || looked.Kernels[0].Workgroup != [3]uint32{2, 3, 1} {
		t.Fatal(looked.Rendered, looked.Kernels)
	}
	var got []string
	for _, b := range looked.Kernels[0].Buffers {
		l := b.Layout
		text, err := json.Marshal([]any{b.Name, l.Fields, l.Rows, l.Count, l.Stride, l.Row})
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, string(text))
	}
	field := func(name string, offset, kind string) string {
		return `{"name":"` + name + `","offset":` + offset + `,"kind":"` + kind + `"}`
	}
	want := []string{
		`["all",[` + field(".count", "0", "u32") + "," + field(".m[0].x", "8", "f32") + "," + field(".m[0].y", "12", "f32") + "," + field(".m[1].x", "16", "f32") + "," + field(".m[1].y", "20", "f32") +
			`],32,0,32,[` + field(".at.x", "0", "f32") + "," + field(".at.y", "4", "f32") + "," + field(".at.z", "8", "f32") + "," + field(".weight", "12", "f32") + "," +
			field(".pair[0].x", "16", "u32") + "," + field(".pair[0].y", "20", "u32") + "," + field(".pair[1].x", "24", "u32") + "," + field(".pair[1].y", "28", "u32") + `]]`,
		`["fixed",null,0,3,16,[` + field(".x", "0", "f32") + "," + field(".y", "4", "f32") + "," + field(".z", "8", "f32") + "," + field(".w", "12", "f32") + `]]`,
		`["one",[` + field("", "0", "i32") + `],0,0,0,null]`,
	}
	for n := range want {
		if got[n] != want[n] {
			t.Errorf("the layout is\n%s, want\n%s", got[n], want[n])
		}
	}
}

// request returns a request to run a kernel with one buffer.
func request(source, device string) *playground.Request {
	return &playground.Request{Source: "@group(0) @binding(0) var<storage, read_write> x: array<f32>;\noverride factor: f32 = 2.0;\n" + source,
		Settings: map[string]float64{"factor": 3, "other": 1}, Launch: playground.Launch{Entry: "main", Device: device, Grid: [3]uint32{2, 1, 1}}}
}

// TestRun runs kernels on both devices, with and without errors.
func TestRun(t *testing.T) {
	for _, device := range []string{"cpu", "cpu:checked"} {
		data := make([]byte, 16)
		for n := range 4 {
			binary.LittleEndian.PutUint32(data[4*n:], math.Float32bits(float32(n)+0.5))
		}
		ran, results := playground.Run(t.Context(), request("@compute @workgroup_size(2) fn main(@builtin(global_invocation_id) id: vec3u) { x[id.x] *= factor; }", device), [][]byte{data})
		if ran.Problem != "" {
			t.Fatal(ran.Problem)
		}
		for n := range 4 {
			if got, want := math.Float32frombits(binary.LittleEndian.Uint32(results[0][4*n:])), 3*(float32(n)+0.5); got != want {
				t.Errorf("%s: element %d is %v, want %v", device, n, got, want)
			}
		}
	}
	asserting := request("", "cpu")
	asserting.Source = "enable gpuc_debug;\n@group(0) @binding(0) var<storage, read_write> x: array<f32>;\n@compute @workgroup_size(1) fn main() { /* é */ assert(x[0] > 1.0, \"large\"); }"
	asserting.Debug = true
	ran, _ := playground.Run(t.Context(), asserting, [][]byte{make([]byte, 16)})
	if len(ran.Diagnostics) != 1 || ran.Diagnostics[0].Code != "assertion-failed" || ran.Diagnostics[0].Location == nil ||
		ran.Diagnostics[0].Location.Line != 3 || ran.Diagnostics[0].Location.Column != 49 || ran.Diagnostics[0].Location.Offset != 19+62+48 {
		t.Errorf("of an assertion that fails: %+v\n%s", ran.Diagnostics, ran.Problem)
	}
	wrong := []struct{ device, source, want string }{
		{"cpu", "@compute @workgroup_size(2) fn main() { y[0] = 1.0; }", "unknown-name"},
		{"cpu:checked", "@compute @workgroup_size(2) fn main(@builtin(global_invocation_id) id: vec3u) { x[id.x + 2u] = factor; }", "out-of-bounds"},
		{"cpu:checked", "@compute @workgroup_size(2) fn main(@builtin(global_invocation_id) id: vec3u) { x[0] = f32(id.x); }", "data-race"},
		{"gpu", "@compute @workgroup_size(2) fn main() { x[0] = factor; }", "there is no device `gpu` here"},
	}
	for _, w := range wrong {
		ran, _ := playground.Run(t.Context(), request(w.source, w.device), [][]byte{make([]byte, 16)})
		if !strings.Contains(ran.Problem, w.want) {
			t.Errorf("%s: got %q, want %s", w.source, ran.Problem, w.want)
		}
		if w.device != "gpu" && (len(ran.Diagnostics) == 0 || ran.Diagnostics[0].Location == nil || ran.Diagnostics[0].Location.Line != 3) {
			t.Errorf("%s: the diagnostics are %+v", w.source, ran.Diagnostics)
		}
	}
	if ran, _ := playground.Run(t.Context(), request("@compute @workgroup_size(2) fn main() { x[0] = factor; }", "cpu"), [][]byte{make([]byte, 2)}); !strings.Contains(ran.Problem, "at least 4 bytes") {
		t.Errorf("of a buffer that is too small: %q", ran.Problem)
	}
	if ran, _ := playground.Run(t.Context(), request("@compute @workgroup_size(2) fn main() { x[0] = factor; }", "cpu"), nil); ran.Problem == "" {
		t.Error("a launch without buffers goes well")
	}
}

// TestTexture copies an image through textures of several formats.
func TestTexture(t *testing.T) {
	picture := []byte{255, 0, 51, 255, 0, 102, 204, 255, 20, 40, 60, 255, 0, 0, 0, 255, 255, 255, 255, 255, 1, 2, 3, 255}
	for _, format := range []string{"rgba8unorm", "rgba16float", "rgba32float"} {
		r := &playground.Request{Source: `@group(0) @binding(0) var source: texture_2d<f32>;
@group(0) @binding(1) var target_: texture_storage_2d<` + format + `, write>;
@compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3u) { textureStore(target_, id.xy, textureLoad(source, id.xy, 0)); }`,
			Launch: playground.Launch{Entry: "main", Device: "cpu", Grid: [3]uint32{3, 2, 1}, Sizes: [][3]uint32{{3, 2, 1}, {3, 2, 1}}}}
		ran, results := playground.Run(t.Context(), r, [][]byte{picture, nil})
		if ran.Problem != "" || ran.Formats[1] != format || ran.Formats[0] != "" || results[0] != nil {
			t.Fatal(ran, len(results))
		}
		f, ok := texture.FormatNamed(ran.Formats[1])
		if !ok {
			t.Fatal(ran.Formats)
		}
		if got := playground.Picture(f, results[1]); string(got) != string(picture) {
			t.Errorf("%s: the picture is %v, want %v", format, got, picture)
		}
	}
	if got := playground.Picture(texture.R32Float, playground.Texels(texture.R32Float, 1, []byte{102, 0, 0, 255})); string(got) != "\x66\x66\x66\xff" {
		t.Errorf("grey is %v", got)
	}
}
