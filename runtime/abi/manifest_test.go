package abi

import (
	"reflect"
	"strings"
	"testing"
)

// TestManifest reads what was written, and finds kernels and their descriptions.
func TestManifest(t *testing.T) {
	other := Kernel{Name: "Scale", Bindings: []Binding{}, Tables: []byte{1}}
	m := &Manifest{Gpuc: "v1.2.3", Source: "scale.wgsl", Math: "wgsl", Bounds: "off", Targets: []string{"ptx", "cpu"},
		Kernels: []ManifestKernel{{Kernel: Kernel{Name: "Scale", Bindings: []Binding{}},
			Artefacts: []ManifestArtefact{{Target: PTX, CodeFile: CodeFile{File: "Scale.ptx"}}, {Target: CPU, CodeFile: CodeFile{File: "Scale.ir"}, Kernel: &other}}}}}
	data, err := m.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	again, err := UnmarshalManifest(data)
	if err != nil || !reflect.DeepEqual(again, m) {
		t.Fatalf("got %+v, %v", again, err)
	}
	k := again.Find("Scale")
	if k == nil || again.Find("scale") != nil {
		t.Fatal("Find finds by another name")
	}
	for target, want := range map[Target]string{PTX: "Scale.ptx", CPU: "Scale.ir"} {
		if a, d := k.For(target); a == nil || a.File != want || (d.Tables != nil) != (target == CPU) {
			t.Errorf("for %s: %+v, %+v", target, a, d)
		}
	}
	if a, _ := k.For(SPIRV); a != nil {
		t.Errorf("for a target without code: %+v", a)
	}
}

// TestManifestRefused: names of files lead nowhere else.
func TestManifestRefused(t *testing.T) {
	for _, name := range []string{"", ".", "..", "../a.go", "a/b.spv", `a\\b.spv`, "/etc/passwd", "c:a.spv", ".hidden"} {
		text := `{"kernels": [{"artefacts": [{"target": "cpu", "file": "` + name + `"}]}]}`
		if _, err := UnmarshalManifest([]byte(text)); err == nil || !strings.Contains(err.Error(), "no name of a file in its folder") {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := UnmarshalManifest([]byte("{")); err == nil {
		t.Error("half a manifest is one")
	}
}
