package abi

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// ArchiveFile is the file of a Go package with its compiled kernels. `gpuc gen` writes it and the
// package embeds it: one zip file for all kernels and targets.
// ArchiveIndexFile is the member that lists the kernels.
//
//	index.json              options, and for each kernel its descriptions by target
//	MatMul.spv.json         description of the code for one target, in all its variants
//	MatMul.spv              code that every launch can use
//	MatMul.coarse.spv       large-launch variant (see Coarse)
//	MatMul.tensor.ptx       variant that copies tiles by tensor maps (see Tensor)
//	MatMul.values.ptx       variant that takes uniform buffers by value (see ByValue)
//
// Who loads a kernel reads the index, one description and its code, and nothing of other targets.
const (
	ArchiveFile      = "gpuc_gen.zip"
	ArchiveIndexFile = "index.json"
)

// The parts of a member's name between the kernel's name and the extension of the code.
const (
	coarseSuffix  = ".coarse"
	tensorSuffix  = ".tensor"
	byValueSuffix = ".values"
)

// Archive holds the compiled kernels of a Go package.
type Archive struct {
	// Members are the files of the archive, the index first.
	Members []ArchiveMember

	index func() (*ArchiveIndex, error) // Index, once; nil in an archive that was not opened
}

// ArchiveIndex lists the kernels of an archive.
type ArchiveIndex struct {
	// Gpuc is the version that compiled the kernels.
	Gpuc string `json:"gpuc"`
	// Package is the import path of the package.
	Package string `json:"package"`
	// Math, Bounds, Debug, Native and Targets are the options, spelled as flags of `gpuc gen`.
	Math    string   `json:"math"`
	Bounds  string   `json:"bounds"`
	Debug   bool     `json:"debug,omitempty"`
	Native  bool     `json:"native,omitempty"`
	Targets []string `json:"targets"`
	// Kernels are sorted by name.
	Kernels []ArchiveKernel `json:"kernels"`
}

// ArchiveKernel is a kernel of an archive.
type ArchiveKernel struct {
	Name string `json:"name"`
	// Digest is the SHA-256, in hexadecimal, of what the code depends on: gpuc's version, the
	// options, and the kernel with all that it calls, as IR without source positions.
	Digest string `json:"digest"`
	// Code lists the targets that there is code for.
	Code []ArchiveCode `json:"code"`
}

// ArchiveCode says which member describes the code of a kernel for a target.
type ArchiveCode struct {
	Target      Target `json:"target"`
	Description string `json:"description"`
}

// archiveDescription describes an artefact whose code is in members of the archive.
type archiveDescription struct {
	Code    string          `json:"code"`
	Kernel  Kernel          `json:"kernel"`
	ByValue *archiveByValue `json:"byValue,omitempty"`
	Coarse  *archiveCoarse  `json:"coarse,omitempty"`
	Tensor  *archiveTensor  `json:"tensor,omitempty"`
}

type archiveByValue struct {
	Code       string      `json:"code"`
	Parameters []Parameter `json:"parameters"`
}

type archiveCoarse struct {
	Factor         [3]uint32     `json:"factor"`
	MinInvocations uint64        `json:"least"`
	Checks         []BoundsCheck `json:"checks,omitempty"`
	archiveDescription
}

type archiveTensor struct {
	Maps []TensorMap `json:"maps"`
	archiveDescription
}

// Add adds a kernel's code for a target to an archive that is being made and to its index, which
// has the kernel. Extension is that of the code's file, as ".spv".
func (a *Archive) Add(k *ArchiveKernel, extension string, code *Artefact) error {
	if a == nil || k == nil || code == nil {
		return errNone("archive, its kernel or the artefact")
	}
	text, err := marshalLine(a.add(k.Name, extension, code))
	if err != nil {
		return err
	}
	name := k.Name + extension + descriptionExtension
	k.Code = append(k.Code, ArchiveCode{code.Target, name})
	a.Members = append(a.Members, ArchiveMember{Name: name, Data: text})
	return nil
}

// add adds the code of an artefact and of its variants, and describes it.
func (a *Archive) add(name, extension string, code *Artefact) archiveDescription {
	member := func(name string, code []byte) string {
		a.Members = append(a.Members, ArchiveMember{Name: name + extension, Data: string(code)})
		return name + extension
	}
	d := archiveDescription{Code: member(name, code.Code), Kernel: code.Kernel}
	if v := code.ByValue; v != nil {
		d.ByValue = &archiveByValue{member(name+byValueSuffix, v.Code), v.Parameters}
	}
	if v := code.Coarse; v != nil {
		d.Coarse = &archiveCoarse{v.Factor, v.MinInvocations, v.Checks, a.add(name+coarseSuffix, extension, v.Artefact)}
	}
	if v := code.Tensor; v != nil {
		d.Tensor = &archiveTensor{v.Maps, a.add(name+tensorSuffix, extension, v.Artefact)}
	}
	return d
}

// marshalLine returns the JSON form of a value in one line.
func marshalLine(v any) (string, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return b.String(), err
}

// Marshal returns the archive with an index, as a zip file. Equal archives make equal files.
func (a *Archive) Marshal(index *ArchiveIndex) ([]byte, error) {
	if a == nil || index == nil {
		return nil, errNone("archive or its index")
	}
	text, err := marshalLine(index)
	if err != nil {
		return nil, err
	}
	return zipFile(append([]ArchiveMember{{Name: ArchiveIndexFile, Data: text}}, a.Members...))
}

// OpenArchive opens an archive that Archive.Marshal made. It reads the directory alone. Members are
// decompressed, and compared with their checksums, when they are used.
func OpenArchive(file string) (*Archive, error) {
	members, err := zipMembers(file)
	if err != nil {
		return nil, fmt.Errorf("archive of kernels: %w; gpuc gen makes it anew", err)
	}
	for _, m := range members {
		if !isFileName(m.Name) {
			return nil, fmt.Errorf("archive of kernels: %q is no name of a file in a folder", m.Name)
		}
	}
	a := &Archive{Members: members}
	a.index = sync.OnceValues(a.Index)
	return a, nil
}

// Read returns the contents of a member of an archive that was opened. It fails if there is no
// member of this name, or if it is damaged.
func (a *Archive) Read(name string) (string, error) {
	if a == nil {
		return "", errNone("archive")
	}
	n := slices.IndexFunc(a.Members, func(m ArchiveMember) bool { return m.Name == name })
	if n < 0 {
		return "", fmt.Errorf("archive of kernels: it has no file %s; gpuc gen makes it anew", name)
	}
	data, err := a.Members[n].contents()
	if err != nil {
		return "", fmt.Errorf("archive of kernels: %w; gpuc gen makes it anew", err)
	}
	return data, nil
}

// readJSON reads a member that is JSON.
func (a *Archive) readJSON(name string, to any) error {
	text, err := a.Read(name)
	if err != nil {
		return err
	}
	if err := json.Unmarshal([]byte(text), to); err != nil {
		return fmt.Errorf("archive of kernels: %s: %w", name, err)
	}
	return nil
}

// Index reads the index.
func (a *Archive) Index() (*ArchiveIndex, error) {
	index := new(ArchiveIndex)
	return index, a.readJSON(ArchiveIndexFile, index)
}

// The errors of Archive.Artefact about what there is not.
var (
	ErrNoKernel = errors.New("the archive has no such kernel; gpuc gen makes it anew")
	ErrNoTarget = errors.New("there is no code for the target")
)

// Artefact reads the code of a kernel for a target. It is ErrNoKernel if there is no kernel of that
// name, and ErrNoTarget if it has no code for the target.
func (a *Archive) Artefact(kernel string, target Target) (*Artefact, error) {
	if a == nil {
		return nil, errNone("archive")
	}
	read := a.index
	if read == nil {
		read = a.Index
	}
	index, err := read()
	if err != nil {
		return nil, err
	}
	k := index.Find(kernel)
	if k == nil {
		return nil, ErrNoKernel
	}
	n := slices.IndexFunc(k.Code, func(c ArchiveCode) bool { return c.Target == target })
	if n < 0 {
		return nil, fmt.Errorf("%w %s; gpuc gen -target %s makes it", ErrNoTarget, target, strings.Join(append(index.Targets, string(target)), ","))
	}
	var d archiveDescription
	if err := a.readJSON(k.Code[n].Description, &d); err != nil {
		return nil, err
	}
	return a.artefact(&d, target)
}

// artefact reads the code that is described.
func (a *Archive) artefact(d *archiveDescription, target Target) (*Artefact, error) {
	code, err := a.Read(d.Code)
	if err != nil {
		return nil, err
	}
	made := &Artefact{Target: target, Code: []byte(code), Kernel: d.Kernel}
	if v := d.ByValue; v != nil {
		if code, err = a.Read(v.Code); err != nil {
			return nil, err
		}
		made.ByValue = &ByValue{[]byte(code), v.Parameters}
	}
	if v := d.Coarse; v != nil {
		variant, err := a.artefact(&v.archiveDescription, target)
		if err != nil {
			return nil, err
		}
		made.Coarse = &Coarse{v.Factor, v.MinInvocations, v.Checks, variant}
	}
	if v := d.Tensor; v != nil {
		variant, err := a.artefact(&v.archiveDescription, target)
		if err != nil {
			return nil, err
		}
		made.Tensor = &Tensor{v.Maps, variant}
	}
	return made, nil
}

// Find returns the kernel with this name, or nil.
func (x *ArchiveIndex) Find(name string) *ArchiveKernel {
	if x == nil {
		return nil
	}
	if n := slices.IndexFunc(x.Kernels, func(k ArchiveKernel) bool { return k.Name == name }); n >= 0 {
		return &x.Kernels[n]
	}
	return nil
}
