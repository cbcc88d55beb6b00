package abi

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// This file loads what `gpuc build` wrote: code and description by one name.

// descriptionExtension ends the names of descriptions.
const descriptionExtension = ".json"

// Load reads an artefact from files: an embed.FS, or os.DirFS of a folder. The name is that of its
// description, with or without ".json". It is "saxpy" for the output of `gpuc build saxpy.wgsl`,
// and "saxpy.ptx" for a second target. In a folder it is a path with slashes. The description names
// the file of the code, and that of a variant with tensor maps. Their digests are checked.
//
// The errors of files wrap those of the file system, so that errors.Is(err, fs.ErrNotExist) tells
// that one is missing. A description of version 1 does not say which code it belongs to; read it
// with Unmarshal.
func Load(files fs.FS, name string) (*Artefact, error) {
	d, code, err := load(files, name)
	if err != nil {
		return nil, fmt.Errorf("load %s: %w", cmp.Or(name, "a kernel"), err)
	}
	a := &Artefact{Target: d.Target, Code: code, Kernel: d.Kernel}
	if d.Tensor == nil {
		return a, nil
	}
	if code, err = readFile(files, path.Join(path.Dir(name), d.Tensor.Code.File), "the code that its description names"); err == nil {
		a.Tensor, err = d.tensor(code)
	}
	if err != nil {
		return nil, fmt.Errorf("load %s: %w", name, err)
	}
	return a, nil
}

func load(files fs.FS, name string) (*Description, []byte, error) {
	switch {
	case files == nil:
		return nil, nil, errors.New("the file system is nil; pass an embed.FS, or os.DirFS of a folder")
	case name == "":
		return nil, nil, errors.New("the name is empty; it is that of a description, as saxpy of saxpy.json")
	}
	file := strings.TrimSuffix(name, descriptionExtension) + descriptionExtension
	data, err := readFile(files, file, "the description, which gpuc build writes beside the code")
	if err != nil {
		return nil, nil, err
	}
	d, err := UnmarshalDescription(data)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", file, err)
	}
	if d.Version < 2 {
		return nil, nil, fmt.Errorf("%s is of version %d, which does not say which code it describes; build it anew, or read it with abi.Unmarshal and make an abi.Artefact of it and the code", file, d.Version)
	}
	code, err := readFile(files, path.Join(path.Dir(file), d.Code.File), "the code that "+file+" describes")
	if err != nil {
		return nil, nil, err
	}
	return d, code, d.Code.Check(code)
}

// readFile reads a file; what says what it is for.
func readFile(files fs.FS, name, what string) ([]byte, error) {
	data, err := fs.ReadFile(files, name)
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read %s, %s: %w", name, what, err)
	}
	return data, nil
}
