package lower_test

import (
	"strings"
	"testing"

	"github.com/gpuc/gpuc/frontend/wgsl/lower"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
)

// TestBufferOverrides checks sizes of buffers, and offsets and sizes of views, that depend on
// overrides. WGSL has them checked when the pipeline is created (WGSL §6.3, §17.14).
func TestBufferOverrides(t *testing.T) {
	const declarations = `requires buffer_view;
struct Tail { head: vec4f, rest: array<vec2u> }
override n: u32 = 64;
override i: i32 = 16;
@group(0) @binding(0) var<storage, read_write> page: buffer<64>;
@group(0) @binding(1) var<storage, read_write> all: buffer;
var<workgroup> by_u32: buffer<n>;
var<workgroup> by_i32: buffer<i>;
var<workgroup> by_sum: buffer<n + 2>;
fn read(p: ptr<workgroup, buffer<n>>) -> u32 { return *bufferView<u32>(p, 60); }
`
	const fits = ""
	for _, test := range []struct {
		body string
		key  string
		x    float64
		want string // part of an error's message
	}{
		{"_ = bufferLength(&by_u32);", "n", 64, fits},
		{"_ = bufferLength(&by_u32);", "n", 4, fits},
		{"_ = bufferLength(&by_u32);", "n", 0, "this is 0 and must be greater than 0"},
		{"_ = bufferLength(&by_u32);", "n", 66, "this is 66 and must be a multiple of 4"},
		{"_ = bufferLength(&by_i32);", "i", 4, fits},
		{"_ = bufferLength(&by_i32);", "i", -4, "this is -4 and must be greater than 0"},
		{"_ = bufferLength(&by_i32);", "i", 6, "this is 6 and must be a multiple of 4"},
		{"_ = bufferLength(&by_sum);", "n", 2, fits},
		{"_ = bufferLength(&by_sum);", "n", 4, "this is 6 and must be a multiple of 4"},
		{"_ = bufferLength(&page);", "n", 66, fits}, // nothing uses the variable
		{"_ = read(&by_u32);", "n", 64, fits},
		{"_ = read(&by_u32);", "n", 60, "this is 60 and must be below 57"},

		{"_ = bufferView<u32>(&all, i);", "i", 4096, fits},
		{"_ = bufferView<u32>(&all, i);", "i", -4, "this is -4 and must be at least 0"},
		{"_ = bufferView<u32>(&all, i);", "i", 2, "this is 2 and must be a multiple of 4"},
		{"_ = bufferView<vec4u>(&all, i);", "i", 8, "this is 8 and must be a multiple of 16"},
		{"_ = bufferView<vec4u>(&all, n + 8);", "n", 8, fits},
		{"_ = bufferView<vec4u>(&page, i);", "i", 48, fits},
		{"_ = bufferView<vec4u>(&page, i);", "i", 64, "this is 64 and must be below 49"},
		{"_ = bufferView<Tail>(&page, n);", "n", 32, fits},
		{"_ = bufferView<Tail>(&page, n);", "n", 48, "this is 48 and must be below 41"},
		{"_ = bufferView<array<vec4u, 4>>(&by_u32, 0);", "n", 64, fits},
		{"_ = bufferView<array<vec4u, 4>>(&by_u32, 0);", "n", 60, "this is 60 and must be at least 64"},
		{"let o = 16u; _ = bufferView<array<vec4u, 4>>(&by_u32, o);", "n", 60, "this is 60 and must be at least 64"},
		{"let o = 16u; _ = bufferView<array<vec4u, 4>>(&by_u32, o);", "n", 64, fits},
		{"_ = bufferView<vec4u>(&by_u32, 16);", "n", 32, fits},
		{"_ = bufferView<vec4u>(&by_u32, 16);", "n", 28, "this is 16 and must be below 13"},

		{"_ = bufferArrayView<array<vec2u>>(&all, 0, i);", "i", 24, fits},
		{"_ = bufferArrayView<array<vec2u>>(&all, 0, i);", "i", -8, "this is -8 and must be at least 0"},
		{"_ = bufferArrayView<array<vec2u>>(&all, 0, i);", "i", 4, "this is 4 and must be at least 8"},
		{"_ = bufferArrayView<array<vec2u>>(&all, 0, i);", "i", 20, "this is 20 and must be a multiple of 8"},
		{"_ = bufferArrayView<Tail>(&all, 0, n);", "n", 24, fits},
		{"_ = bufferArrayView<Tail>(&all, 0, n);", "n", 16, "this is 16 and must be at least 24"},
		{"_ = bufferArrayView<Tail>(&all, 0, n);", "n", 28, "this is 28 and must be 16 plus a multiple of 8"},
		{"_ = bufferArrayView<array<vec2u>>(&page, 32, n);", "n", 32, fits},
		{"_ = bufferArrayView<array<vec2u>>(&page, 32, n);", "n", 40, "this is 32 and must be below 25"},
		{"let o = 8u; _ = bufferArrayView<array<vec2u>>(&page, o, n);", "n", 64, fits},
		{"let o = 8u; _ = bufferArrayView<array<vec2u>>(&page, o, n);", "n", 72, "this is 72 and must be at most 64"},
		{"let s = 8u; _ = bufferArrayView<array<vec2u>>(&page, n, s);", "n", 64, fits},
		{"let s = 8u; _ = bufferArrayView<array<vec2u>>(&page, n, s);", "n", 72, "this is 72 and must be below 65"},
		// what a short circuit decides is not evaluated
		{"if i > 0 && *bufferView<u32>(&page, i) > 0 { return; }", "i", -4, fits},
	} {
		text := declarations + "@compute @workgroup_size(1) fn main() { " + test.body + " }\n"
		m := load(t, "buffers.wgsl", text, lower.Options{})
		var list diag.List
		ir.BindOverrides(m, []ir.Setting{{Key: test.key, Value: test.x}}, &list)
		if test.want == fits {
			if len(list.Items()) > 0 {
				t.Errorf("%s with %s = %v: %v", test.body, test.key, test.x, list.Items())
			}
			continue
		}
		found := false
		for _, d := range list.Items() {
			found = found || d.Code == diag.InvalidOverride && strings.Contains(d.Message, test.want)
		}
		if !found {
			t.Errorf("%s with %s = %v: got %v, want %q", test.body, test.key, test.x, list.Items(), test.want)
		}
	}
}
