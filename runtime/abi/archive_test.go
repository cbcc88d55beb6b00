package abi

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
)

// archiveOf returns an archive with one kernel for two targets, and its index.
func archiveOf(t testing.TB) (string, *ArchiveIndex, map[Target]*Artefact) {
	artefact := func(target Target, code string) *Artefact {
		return &Artefact{Target: target, Code: []byte(code), Kernel: Kernel{Name: "Ärmel", Workgroup: [3]uint32{64, 1, 1}, Bindings: []Binding{{Name: "x", Type: "array<f32>"}}}}
	}
	artefacts := map[Target]*Artefact{PTX: artefact(PTX, "ptx"), CPU: artefact(CPU, "")}
	artefacts[PTX].ByValue = &ByValue{[]byte("by value"), []Parameter{{Kind: ValueParameter, Binding: 2}}}
	variant := artefact(PTX, "coarse")
	variant.ByValue = &ByValue{[]byte("coarse by value"), []Parameter{}}
	artefacts[PTX].Coarse = &Coarse{[3]uint32{4, 1, 1}, MinCoarse, []BoundsCheck{{Binding: 1}}, variant}
	copying := artefact(PTX, "tensor")
	copying.Kernel.DynamicBytes = 1 << 10
	copying.ByValue = &ByValue{[]byte("tensor by value"), []Parameter{{Kind: TensorMapParameter}}}
	artefacts[PTX].Tensor = &Tensor{[]TensorMap{{Layout: ValueAt{Binding: -1, Offset: 8}, Element: "f16", Box: [2]uint32{128, 64}, Swizzle: 128}}, copying}
	index := &ArchiveIndex{Gpuc: "v1", Package: "example.com/p", Math: "wgsl", Bounds: "off", Targets: []string{"ptx", "cpu"}, Kernels: []ArchiveKernel{{Name: "Ärmel", Digest: "12"}}}
	var a Archive
	for target, extension := range map[Target]string{PTX: ".ptx", CPU: ".ir"} {
		if err := a.Add(&index.Kernels[0], extension, artefacts[target]); err != nil {
			t.Fatal(err)
		}
	}
	data, err := a.Marshal(index)
	if err != nil {
		t.Fatal(err)
	}
	return string(data), index, artefacts
}

// TestArchive reads what was written.
func TestArchive(t *testing.T) {
	file, index, artefacts := archiveOf(t)
	a, err := OpenArchive(file)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := a.Index(); err != nil || !reflect.DeepEqual(got, index) {
		t.Errorf("got the index %+v, %v, want %+v", got, err, index)
	}
	for target, want := range artefacts {
		if got, err := a.Artefact("Ärmel", target); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, %v, want %+v", target, got, err, want)
		}
	}
	if _, err := a.Artefact("Ärmel", SPIRV); !errors.Is(err, ErrNoTarget) || !strings.Contains(err.Error(), "gpuc gen -target ptx,cpu,spirv makes it") {
		t.Errorf("without code for a target: %v", err)
	}
	for _, name := range []string{"Ärmel.tensor.ptx", "Ärmel.tensor.values.ptx"} {
		if _, err := a.Read(name); err != nil {
			t.Error(err)
		}
	}
	if _, err := a.Artefact("ärmel", CPU); !errors.Is(err, ErrNoKernel) {
		t.Errorf("without a kernel: %v", err)
	}
}

// TestArchiveReadsOneTarget: damage in what belongs to another target is not noticed, and in the
// target's own is.
func TestArchiveReadsOneTarget(t *testing.T) {
	file, _, _ := archiveOf(t)
	a, err := OpenArchive(strings.Replace(file, "coarse by value", "course by value", 1))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Artefact("Ärmel", CPU); err != nil {
		t.Error(err)
	}
	if _, err := a.Artefact("Ärmel", PTX); err == nil || !strings.Contains(err.Error(), "Ärmel.coarse.values.ptx is damaged; gpuc gen makes it anew") {
		t.Errorf("damaged code: %v", err)
	}
}

// TestArchiveIsZip compares what package archive/zip reads with the members.
func TestArchiveIsZip(t *testing.T) {
	file, _, _ := archiveOf(t)
	a, err := OpenArchive(file)
	if err != nil {
		t.Fatal(err)
	}
	r, err := zip.NewReader(strings.NewReader(file), int64(len(file)))
	if err != nil || len(r.File) != len(a.Members) {
		t.Fatalf("%d members of %d: %v", len(r.File), len(a.Members), err)
	}
	for n, f := range r.File {
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(in)
		m := a.Members[n]
		if want, readErr := a.Read(m.Name); err != nil || readErr != nil || f.Name != m.Name || string(data) != want || len(data) != m.Size || f.NonUTF8 {
			t.Errorf("%s: got %q, %v; want %s, %q, %v", f.Name, data, err, m.Name, want, readErr)
		}
	}
}

// TestArchiveCut: no part of an archive is one.
func TestArchiveCut(t *testing.T) {
	file, _, _ := archiveOf(t)
	for n := range len(file) {
		if _, err := OpenArchive(file[:n]); err == nil {
			t.Errorf("%d bytes of %d are an archive", n, len(file))
		}
	}
}

// TestArchiveRefused: members that are compressed otherwise, and names that lead elsewhere.
func TestArchiveRefused(t *testing.T) {
	const bzip2 = 12
	for name, method := range map[string]uint16{"a.spv": bzip2, "": zip.Store, ".": zip.Store, "..": zip.Store, "../a.go": zip.Store, "a/b.spv": zip.Store,
		`a\b.spv`: zip.Store, "/etc/passwd": zip.Store, "c:a.spv": zip.Store, ".hidden": zip.Store} {
		var b bytes.Buffer
		w := zip.NewWriter(&b)
		w.RegisterCompressor(bzip2, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, 1) })
		if m, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: method}); err != nil {
			t.Fatal(err)
		} else if _, err := fmt.Fprint(m, strings.Repeat("text", 100)); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		want := map[uint16]string{bzip2: "is compressed in a way", zip.Store: "no name of a file"}[method]
		if _, err := OpenArchive(b.String()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", name, err, want)
		}
	}
}

// FuzzArchive opens anything: what opens can be read without a panic.
func FuzzArchive(f *testing.F) {
	file, _, _ := archiveOf(f)
	f.Add(file)
	f.Fuzz(func(t *testing.T, file string) {
		a, err := OpenArchive(file)
		if err != nil {
			return
		}
		for _, m := range a.Members {
			_, _ = a.Read(m.Name)
		}
		_, _ = a.Artefact("Ärmel", PTX)
	})
}

// TestArchiveCompressed: long members take less room than they are long, and damage in them is
// noticed.
func TestArchiveCompressed(t *testing.T) {
	code := strings.Repeat("fma.rn.f32 %f1, %f2, %f3, %f4;\n", 1000)
	var a Archive
	index := &ArchiveIndex{Targets: []string{"ptx"}, Kernels: []ArchiveKernel{{Name: "K"}}}
	if err := a.Add(&index.Kernels[0], ".ptx", &Artefact{Target: PTX, Code: []byte(code), Kernel: Kernel{Name: "K"}}); err != nil {
		t.Fatal(err)
	}
	data, err := a.Marshal(index)
	if err != nil || len(data) > len(code)/10 {
		t.Fatalf("%d bytes for %d: %v", len(data), len(code), err)
	}
	opened, err := OpenArchive(string(data))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := opened.Read("K.ptx"); err != nil || got != code {
		t.Errorf("%d bytes of %d: %v", len(got), len(code), err)
	}
	opened.Members = opened.Members[1:] // without the index
	if again, err := opened.Marshal(index); err != nil || !bytes.Equal(again, data) {
		t.Errorf("an archive that was opened becomes %d bytes of %d: %v", len(again), len(data), err)
	}
	for _, m := range opened.Members {
		if m.Name != "K.ptx" {
			continue
		}
		for _, size := range []int{m.Size - 1, m.Size + 1, maxRatio * len(m.stored)} {
			wrong := m
			if wrong.Size = size; size == m.Size {
				continue
			}
			if _, err := wrong.contents(); err == nil {
				t.Errorf("%d bytes were read as %d", m.Size, size)
			}
		}
		for n := range len(m.stored) {
			wrong := m
			wrong.stored = m.stored[:n] + string(m.stored[n]^0x10) + m.stored[n+1:]
			if got, err := wrong.contents(); err == nil && got != code {
				t.Errorf("damage in byte %d is not noticed", n)
			}
		}
	}
}
