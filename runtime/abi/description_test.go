package abi

import (
	"errors"
	"io/fs"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// scaled is code with its description, as files. The digest is what sha256sum says of the code.
func scaled() fstest.MapFS {
	return fstest.MapFS{
		"out/k.cpu": {Data: []byte("kernel @main\n")},
		"out/k.json": {Data: []byte(`{"version": 2, "gpuc": "v1.2.3", "target": "cpu",
			"code": {"file": "k.cpu", "bytes": 13, "sha256": "ec53337d742e9dd3153e528f2c4d63cf3a6f28030fc7e6dd6a022c11b863a1da"},
			"overrides": [{"name": "size", "id": 7, "type": "u32", "value": 64}],
			"name": "main", "workgroup": [64, 1, 1], "bindings": [], "workgroupBytes": 16, "parameters": [], "alignment": 4, "later": true}`)},
	}
}

// TestLoad reads code and description by one name.
func TestLoad(t *testing.T) {
	for _, name := range []string{"out/k", "out/k.json"} {
		a, err := Load(scaled(), name)
		if err != nil {
			t.Fatal(err)
		}
		if a.Target != CPU || string(a.Code) != "kernel @main\n" || a.Kernel.Name != "main" || a.Kernel.Workgroup != [3]uint32{64, 1, 1} ||
			a.Kernel.WorkgroupBytes != 16 || a.Kernel.Parameters == nil {
			t.Errorf("got %+v", a)
		}
	}
	folder := t.TempDir()
	if err := os.CopyFS(folder, scaled()); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(os.DirFS(folder), "out/k"); err != nil {
		t.Error(err)
	}
}

// TestLoadRefused: each mistake is one error that says which file, why, and what to do.
func TestLoadRefused(t *testing.T) {
	version1, err := os.ReadFile("testdata/version1.json")
	if err != nil {
		t.Fatal(err)
	}
	edit := func(name, from, to string) func(fstest.MapFS) {
		return func(files fstest.MapFS) {
			text := string(files[name].Data)
			if !strings.Contains(text, from) {
				t.Fatalf("%s has no %s", name, from)
			}
			files[name].Data = []byte(strings.Replace(text, from, to, 1))
		}
	}
	for _, test := range []struct {
		name, want string
		change     func(fstest.MapFS)
	}{
		{"", "load a kernel: the name is empty; it is that of a description, as saxpy of saxpy.json", nil},
		{"k", "load k: cannot read k.json, the description, which gpuc build writes beside the code: file does not exist", nil},
		{"out/k", "load out/k: cannot read out/k.cpu, the code that out/k.json describes: file does not exist", func(f fstest.MapFS) { delete(f, "out/k.cpu") }},
		{"out/k", "load out/k: k.cpu is not the code that is described: it has 13 bytes with the SHA-256 " +
			"bd217c10ad4fc3e6c8a4c0a35f4cef6ee2c4c9b3dc0f1f2b5b6ec3ff9c1e3d0f", edit("out/k.cpu", "main", "mien")},
		{"out/k", "load out/k: out/k.json is of version 1, which does not say which code it describes; build it anew, or read it with abi.Unmarshal",
			func(f fstest.MapFS) { f["out/k.json"].Data = version1 }},
		{"out/k", "load out/k: out/k.json: description of a kernel: it is of version 3, and this gpuc reads versions up to 2; read it with a newer gpuc", edit("out/k.json", `"version": 2`, `"version": 3`)},
		{"out/k", "load out/k: out/k.json: description of a kernel: version 2 has to say target, and this one does not; build it anew", edit("out/k.json", `"target": "cpu",`, "")},
		{"out/k", "has to say code.sha256", edit("out/k.json", `"sha256"`, `"digest"`)},
		{"out/k", "has to say code.file", edit("out/k.json", `"file"`, `"path"`)},
		{"out/k", "has to say workgroup", edit("out/k.json", `[64, 1, 1]`, `[64, 1]`)},
		{"out/k", "has to say name", edit("out/k.json", `"name": "main"`, `"name": ""`)},
		{"out/k", "has to say bindings", edit("out/k.json", `"bindings": []`, `"bindings": null`)},
		{"out/k", `"../k.cpu" is no name of a file in its folder`, edit("out/k.json", `"k.cpu"`, `"../k.cpu"`)},
		{"out/k", "description of a kernel: unexpected end of JSON input", func(f fstest.MapFS) { f["out/k.json"].Data = []byte("{") }},
	} {
		files := scaled()
		if test.change != nil {
			test.change(files)
		}
		// the digest of other code is not written down
		want, _, _ := strings.Cut(test.want, "bd217c")
		if _, err := Load(files, test.name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if _, err := Load(nil, "k"); err == nil || !strings.Contains(err.Error(), "the file system is nil; pass an embed.FS") {
		t.Error(err)
	}
	if _, err := Load(scaled(), "k"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v is no fs.ErrNotExist", err)
	}
}

// TestVersion1 reads a description that gpuc wrote when they had no version.
func TestVersion1(t *testing.T) {
	data, err := os.ReadFile("testdata/version1.json")
	if err != nil {
		t.Fatal(err)
	}
	d, err := UnmarshalDescription(data)
	if err != nil {
		t.Fatal(err)
	}
	want := []Parameter{{AddressParameter, 1, 0}, {LengthParameter, 0, 0}}
	if d.Version != 1 || d.Target != "" || d.Name != "main" || len(d.Bindings) != 2 || d.Bindings[0].Type != "array<f32>" || !slices.Equal(d.Kernel.Parameters, want) {
		t.Errorf("got %+v", d)
	}
	k, err := Unmarshal(data)
	if err != nil || !reflect.DeepEqual(k, &d.Kernel) {
		t.Errorf("got %+v, %v", k, err)
	}
}

// TestDescription: what is written is read again.
func TestDescription(t *testing.T) {
	k := textured()
	k.Parameters = []Parameter{{AddressParameter, 0, 0}, {LengthParameter, 0, 0}, {TextureParameter, 0, 0}, {WidthParameter, 0, 0}, {ImmediatesParameter, 0, 0}}
	d := &Description{Version: DescriptionVersion, Gpuc: "v1.2.3", Target: PTX, Code: CodeFileOf("k.ptx", []byte("code")), Kernel: *k,
		Parameters: k.ArgumentsOf(k.Parameters), Demands: DemandsOf(PTX, k)}
	data, err := d.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	again, err := UnmarshalDescription(data)
	if err != nil || !reflect.DeepEqual(again, d) {
		t.Errorf("%v:\n%+v\n%+v", err, again, d)
	}
	if strings.Count(string(data), `"parameters"`) != 1 {
		t.Errorf("the parameters are written twice:\n%s", data)
	}
}

// TestArguments lays out parameters by hand: an address, a length, the handle of a texture after a
// gap, and immediates at a multiple of 16.
func TestArguments(t *testing.T) {
	k := textured()
	got := k.ArgumentsOf([]Parameter{{AddressParameter, 0, 0}, {LengthParameter, 0, 0}, {TextureParameter, 0, 0}, {WidthParameter, 0, 0}, {SampledParameter, 0, 1}, {ComparedParameter, 0, 1}, {ImmediatesParameter, 0, 0}})
	want := [][2]uint32{{0, 8}, {8, 4}, {16, 8}, {24, 4}, {32, 8}, {40, 4}, {48, 8}}
	for n, a := range got {
		if a.Offset != want[n][0] || a.Bytes != want[n][1] {
			t.Errorf("%s lies at %d with %d bytes, want %v", a.Kind, a.Offset, a.Bytes, want[n])
		}
	}
	if got := k.ArgumentsOf(nil); got != nil {
		t.Errorf("no list becomes %v", got)
	}
}

// TestDemands works out by hand what a kernel with all that there can be demands.
func TestDemands(t *testing.T) {
	k := &Kernel{Name: "main", Workgroup: [3]uint32{64, 1, 1}, WorkgroupBytes: 49153,
		Bindings: []Binding{{Access: Uniform}, {Access: ReadWrite}, {Access: Read}, {Access: ReadWrite}, {Access: ReadWrite}, {Access: ReadWrite}, {Access: Read}},
		Handles:  []Handle{{Texture: &Texture{Access: Read}}, {}, {Texture: &Texture{Access: Write}}, {Texture: &Texture{Access: ReadWrite}}},
		Messages: new(Messages), Fault: new(Fault), Scratch: &Scratch{Stride: 16}, Tables: make([]byte, 512)}
	want := Demands{Alignment: 16, Exclusive: []int{1, 3, 4, 5}, ExclusiveHandles: []int{2, 3}, DynamicWorkgroupBytes: 49153,
		Provided: []Provided{{3, MessagesRole, 0}, {4, FaultRole, 32}, {5, ScratchRole, 0}, {6, TablesRole, 512}}}
	if got := DemandsOf(PTX, k); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	want.DynamicWorkgroupBytes = 0
	// whose code declares all of its memory
	if got := DemandsOf(AMDGPU, k); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	want.Alignment = 4
	if got := DemandsOf(SPIRV, k); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	k.WorkgroupBytes--
	if got := DemandsOf(PTX, k); got.DynamicWorkgroupBytes != 0 {
		t.Errorf("%d bytes are asked for, and the code declares them", got.DynamicWorkgroupBytes)
	}
}
