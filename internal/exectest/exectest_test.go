package exectest

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/ir/texture"
)

const folder = "../../testdata/exec"

func readSource(t *testing.T, c *Case) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("../..", c.File()))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestEveryFileIsListedOnceAndInOrder(t *testing.T) {
	var listed []string
	for _, c := range Cases() {
		listed = append(listed, filepath.Join(folder, c.Name+".wgsl"))
	}
	if !slices.IsSorted(listed) {
		t.Errorf("cases are not in the order of their names: %v", listed)
	}
	found, err := filepath.Glob(filepath.Join(folder, "*.wgsl"))
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(found)
	for _, f := range found {
		if !slices.Contains(listed, f) {
			t.Errorf("%s is not listed", f)
		}
	}
	for _, f := range listed {
		if !slices.Contains(found, f) {
			t.Errorf("%s is listed but missing", f)
		}
	}
	if n := len(slices.Compact(slices.Clone(listed))); n != len(listed) {
		t.Errorf("%d names for %d cases", n, len(listed))
	}
}

func TestSourcesSayWhatTheyTest(t *testing.T) {
	for _, c := range Cases() {
		if text := readSource(t, &c); !strings.HasPrefix(text, "// ") {
			t.Errorf("%s does not start with a comment", c.Name)
		}
		if c.Doc == "" {
			t.Errorf("%s has no description", c.Name)
		}
	}
}

var resource = regexp.MustCompile(`@group\((\d+)\) @binding\((\d+)\) var<([^>]*)> (\w+)`)

func TestBuffersMatchTheDeclaredResources(t *testing.T) {
	for _, c := range Cases() {
		declared := resource.FindAllStringSubmatch(readSource(t, &c), -1)
		if len(declared) != len(c.Buffers) {
			t.Errorf("%s declares %d resources and has %d buffers", c.Name, len(declared), len(c.Buffers))
			continue
		}
		previous := -1
		for i, d := range declared {
			group, _ := strconv.Atoi(d[1])
			binding, _ := strconv.Atoi(d[2])
			if position := group<<16 | binding; position <= previous {
				t.Errorf("%s: %s is out of the order of group and binding", c.Name, d[4])
			} else {
				previous = position
			}
			if b := c.Buffers[i]; b.Name != d[4] {
				t.Errorf("%s: buffer %d is %q, the resource %q", c.Name, i, b.Name, d[4])
			} else if len(b.Data) == 0 || len(b.Data)%4 != 0 {
				t.Errorf("%s: buffer %s has %d bytes", c.Name, b.Name, len(b.Data))
			}
		}
	}
}

var handle = regexp.MustCompile(`@group\(\d+\) @binding\(\d+\) var (\w+): (texture|sampler)`)

// Every texture and sampler that a file declares is there, and no other. A variable is there by its
// name, or as a view in each dispatch of an entry point that uses it.
func TestHandlesMatchTheDeclaredResources(t *testing.T) {
	for _, c := range Cases() {
		declared := map[string]string{}
		for _, d := range handle.FindAllStringSubmatch(readSource(t, &c), -1) {
			declared[d[1]] = d[2]
		}
		bound := map[string]string{}
		used := map[int]bool{}
		for i := range c.Textures {
			if _, ok := declared[c.Textures[i].Name]; ok {
				bound[c.Textures[i].Name] = "texture"
				used[i] = true
			}
		}
		for _, d := range c.Dispatches {
			for _, v := range d.Views {
				index, _ := c.View(&d, v.Variable)
				if index < 0 || v.Level+max(v.Levels, 1) > c.Textures[index].Description.Levels {
					t.Errorf("%s: view %s shows no level %d of %s", c.Name, v.Variable, v.Level, v.Texture)
				}
				bound[v.Variable] = "texture"
				used[index] = true
			}
		}
		for _, s := range c.Samplers {
			bound[s.Name] = "sampler"
		}
		if !maps.Equal(bound, declared) {
			t.Errorf("%s: declared are %v, and bound %v", c.Name, declared, bound)
		}
		for i := range c.Textures {
			if err := c.Textures[i].Description.Check(); err != nil {
				t.Errorf("%s: texture %s: %v", c.Name, c.Textures[i].Name, err)
			}
			for level, data := range c.Textures[i].Levels {
				if n := c.Textures[i].Description.LevelBytes(uint32(level)); data != nil && uint64(len(data)) != n {
					t.Errorf("%s: level %d of texture %s has %d bytes, expected %d", c.Name, level, c.Textures[i].Name, len(data), n)
				}
			}
			if !used[i] {
				t.Errorf("%s: texture %s is never bound", c.Name, c.Textures[i].Name)
			}
		}
	}
}

func TestFeaturesMatchTheDirectives(t *testing.T) {
	for _, c := range Cases() {
		text := readSource(t, &c)
		if got := strings.Contains(text, "enable f16;"); got != c.NeedsF16 {
			t.Errorf("%s: enables f16: %v, NeedsF16: %v", c.Name, got, c.NeedsF16)
		}
		if got := strings.Contains(text, "enable subgroups;"); got != c.NeedsSubgroups {
			t.Errorf("%s: enables subgroups: %v, NeedsSubgroups: %v", c.Name, got, c.NeedsSubgroups)
		}
	}
}

func TestDispatchesNameEntryPoints(t *testing.T) {
	for _, c := range Cases() {
		text, most := readSource(t, &c), uint32(0)
		for _, d := range c.Dispatches {
			if !strings.Contains(text, "fn "+d.Entry+"(") {
				t.Errorf("%s has no function %s", c.Name, d.Entry)
			}
			for _, o := range d.Overrides {
				if !strings.Contains(text, "override "+o.Name) && !strings.Contains(text, "@id("+o.Name+")") {
					t.Errorf("%s has no override %s", c.Name, o.Name)
				}
			}
			most = max(most, d.Grid[0]*d.Grid[1]*d.Grid[2])
		}
		if most < 3 {
			t.Errorf("%s runs in %d workgroups, fewer than 3", c.Name, most)
		}
	}
}

func TestReferencesAreDeterministicAndChangeSomething(t *testing.T) {
	again := Cases()
	for i, c := range Cases() {
		initial, first, second := c.Contents(), c.Expected(), c.Expected()
		other := again[i].Expected()
		changed := false
		for b := range initial {
			if !bytes.Equal(first[b], second[b]) || !bytes.Equal(first[b], other[b]) {
				t.Errorf("%s: two references of content %d differ", c.Name, b)
			}
			if len(first[b]) != len(initial[b]) {
				t.Errorf("%s: the reference changes the length of content %d", c.Name, b)
			}
			changed = changed || !bytes.Equal(first[b], initial[b])
		}
		if !changed {
			t.Errorf("%s: the reference changes nothing", c.Name)
		}
	}
}

// A reference must not write what the kernel cannot, and a case in which
// nothing happens must fail.
func TestReferencesLeaveReadOnlyBuffersAlone(t *testing.T) {
	for _, c := range Cases() {
		expected := c.Expected()
		for i, d := range resource.FindAllStringSubmatch(readSource(t, &c), -1) {
			if d[3] != "storage, read_write" && !bytes.Equal(expected[i], c.Buffers[i].Data) {
				t.Errorf("%s: the reference changes %s, which is %s", c.Name, d[4], d[3])
			}
		}
		if Compare(&c, expected, c.Contents()) == nil {
			t.Errorf("%s: the initial contents pass as results", c.Name)
		}
	}
}

func TestCompare(t *testing.T) {
	floats := func(v ...float32) Buffer { return content("v", v) }
	tests := []struct {
		name     string
		buffer   Buffer
		expected []byte
		got      []byte
		want     string // part of the error, "" for none
	}{
		{"equal", floats(), pack[float32](1, 2), pack[float32](1, 2), ""},
		{"exact", floats(), pack[float32](1, 2), pack[float32](1, 2.0000002),
			"buffer v, element 1 of 2: expected 2 (0x40000000), found 2.000000238418579 (0x40000001), off by 1 ULP"},
		{"zeros differ in their bits", floats(), pack[uint32](0), pack[uint32](1 << 31), "found -0"},
		{"zeros are one number", floats().ulps(1), pack[uint32](0), pack[uint32](1 << 31), ""},
		{"within ULP", floats().ulps(3), pack[float32](1), pack(uint32(0x3F800003)), ""},
		{"beyond ULP", floats().ulps(3), pack[float32](1), pack(uint32(0x3F800004)), "off by 4 ULP"},
		{"across zero", floats().ulps(2), pack(uint32(1)), pack(uint32(1<<31 | 1)), ""},
		{"within absolute", floats().absolute(0.5), pack[float32](1), pack[float32](1.5), ""},
		{"beyond absolute", floats().absolute(0.5), pack[float32](1), pack[float32](1.75), "off by"},
		{"either bound", floats().ulps(1).absolute(0.5), pack[float32](1), pack[float32](1.25), ""},
		{"not a number", floats().ulps(100), pack[float32](1), pack(uint32(0x7FC00000)), "NaN"},
		{"half", content("v", []half{0}), pack[half](0x3C00, 0x3C00), pack[half](0x3C00, 0x3C01), "element 1 of 2"},
		{"integers", content("v", []int32{0}).ulps(9), pack[int32](-1), pack[int32](-2), "expected -1, found -2; 1 elements"},
		{"length", floats(), pack[float32](1), pack[float32](1, 2), "expected 4 bytes, found 8"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := Case{Name: "case", Buffers: []Buffer{test.buffer}}
			compareOne(t, &c, test.expected, test.got, test.want)
		})
	}
}

// compareOne compares contents of a case's only resource; want is part of the error,
// or "" for none.
func compareOne(t *testing.T, c *Case, expected, got []byte, want string) {
	t.Helper()
	err := Compare(c, [][]byte{expected}, [][]byte{got})
	switch {
	case want == "" && err != nil:
		t.Errorf("unexpected: %v", err)
	case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
		t.Errorf("expected an error with %q, found %v", want, err)
	}
}

func TestCompareTextures(t *testing.T) {
	tests := []struct {
		name          string
		texture       Texture
		expected, got []byte
		want          string // part of the error, "" for none
	}{
		{"equal", filled("t", image(texture.RG8Unorm, 2, 1)), []byte{1, 2, 3, 4}, []byte{1, 2, 3, 4}, ""},
		{"exact", filled("t", image(texture.RG8Unorm, 2, 1)), []byte{1, 2, 3, 4}, []byte{1, 2, 3, 5},
			"texture t, level 0, texel (1, 0, 0), channel 1: expected 4 (0x4), found 5 (0x5); 1 channels"},
		{"a step", filled("t", image(texture.RG8Unorm, 2, 1)).steps(1), []byte{1, 2, 3, 4}, []byte{1, 2, 4, 3}, ""},
		{"two steps", filled("t", image(texture.R8Unorm, 1, 1)).steps(1), []byte{255}, []byte{253}, "expected 255"},
		{"no wrap", filled("t", image(texture.R8Unorm, 1, 1)).steps(1), []byte{255}, []byte{0}, "expected 255"},
		{"signed", filled("t", image(texture.R8Snorm, 1, 1)), []byte{0x81}, []byte{0x7F}, "expected -127, found 127"},
		{"signed steps", filled("t", image(texture.R8Snorm, 1, 1)).steps(1), []byte{0xFF}, []byte{0}, ""},
		{"wide integers have no steps", filled("t", image(texture.R32Uint, 1, 1)).steps(1), pack[uint32](1), pack[uint32](2), "found 2"},
		{"halves", filled("t", image(texture.R16Float, 1, 2)), pack[half](0x3C00, 0x3C00), pack[half](0x3C00, 0x3C01), "texel (0, 1, 0)"},
		{"floats", filled("t", image(texture.R32Float, 1, 1)).absolute(0.5), pack[float32](1), pack[float32](1.5), ""},
		{"beyond", filled("t", image(texture.R32Float, 1, 1)).absolute(0.5), pack[float32](1), pack[float32](1.75), "off by"},
		{"layers and depth", filled("t", volume(texture.R16Sint, 1, 1, 2)), pack[half](1, 2), pack[half](1, 3), "texel (0, 0, 1)"},
		{"packed", filled("t", image(texture.RGB10A2Unorm, 1, 1)), pack[uint32](7), pack[uint32](8), "channel 0: expected 7"},
		{"length", filled("t", image(texture.R8Uint, 1, 2)), []byte{1, 2}, []byte{1}, "expected 2 bytes, found 1"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := Case{Name: "case", Textures: []Texture{test.texture}}
			compareOne(t, &c, test.expected, test.got, test.want)
		})
	}
}
