package outfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/usage"
)

// This file is where commands write files. Everything that a command is going to
// write is planned before it works, so that nothing is computed for a file that
// cannot be written, and so that what is there is not lost: neither an input, nor a
// file of another kind or another program, nor anything when the disk is full.

// Plan are the files that a command is going to write.
type Plan struct {
	Inputs []Input
	Files  []*File
	// leftOver are files that are removed once all others are staged.
	LeftOver []string
}

// Input is a file that the command reads. Use says what for: "the source".
type Input struct{ Path, Use string }

// File is one file to be written.
type File struct {
	Path   string      // as messages name it
	target string      // the path with links followed
	Use    string      // what is written: "the code", "-out y"
	mode   fs.FileMode // permissions
	// direct says that it is a device or a pipe, which takes bytes and has none to lose.
	Direct bool
	staged string // the temporary file that will take its name, or ""
}

// Kind says what an existing file must be for another of its kind to replace it.
type Kind struct {
	// recognise reports whether contents are of the kind; nil takes any.
	Recognise func(contents []byte) bool
	Foreign   string // what to say of others, behind "it is there and"
}

// BeginsWith recognises files by their first bytes.
func BeginsWith(magic string) func([]byte) bool {
	return func(contents []byte) bool { return bytes.HasPrefix(contents, []byte(magic)) }
}

// ManifestStart is how manifests begin.
const ManifestStart = "{\n  \"gpuc\": \""

// Reads notes that the command reads a file, which then is never written over.
func (o *Plan) Reads(path, use string) {
	if path != "-" {
		o.Inputs = append(o.Inputs, Input{path, use})
	}
}

// Add checks that a file can be written and that nothing is lost by it.
func (o *Plan) Add(path, use string, kind Kind) (*File, error) {
	f := &File{Path: path, target: filepath.Clean(path), Use: use, mode: 0o644}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, err := os.Lstat(path); err == nil {
			return nil, fmt.Errorf("cannot write %s: it is a link to a file that is not there; remove the link or name another file", path)
		}
	case err != nil:
		return nil, CannotWrite(path, err)
	default:
		if err := f.over(info, kind, o.Inputs); err != nil {
			return nil, err
		}
	}
	if f.Direct {
		o.Files = append(o.Files, f)
		return f, nil
	}
	for _, other := range o.Files {
		if sameFile(other.target, f.target) {
			return nil, usage.Errorf("%s is to be written twice, as %s and as %s; give each a file of its own", path, other.Use, use)
		}
	}
	if err := f.probe(); err != nil {
		return nil, err
	}
	o.Files = append(o.Files, f)
	return f, nil
}

// over checks whether the file may take the place of one that is there.
func (f *File) over(info fs.FileInfo, kind Kind, inputs []Input) error {
	for _, in := range inputs {
		if from, err := os.Stat(in.Path); err == nil && os.SameFile(from, info) {
			return usage.Errorf("cannot write %s: it is %s; name another file", f.Path, in.Use)
		}
	}
	switch {
	case info.IsDir():
		return fmt.Errorf("cannot write %s: it is a folder; name a file in it", f.Path)
	case !info.Mode().IsRegular():
		f.Direct = true
		return nil
	case info.Mode().Perm()&0o200 == 0:
		return fmt.Errorf("cannot write %s: it is write-protected; allow writing or name another file", f.Path)
	}
	var err error
	if f.target, err = filepath.EvalSymlinks(f.Path); err != nil {
		return CannotWrite(f.Path, err)
	}
	f.mode = info.Mode().Perm()
	if kind.Recognise == nil || info.Size() == 0 {
		return nil
	}
	contents, err := os.ReadFile(f.target)
	if err != nil {
		return CannotWrite(f.Path, err)
	}
	if !kind.Recognise(contents) {
		return fmt.Errorf("cannot write %s: it is there and %s; move it away or name another file", f.Path, kind.Foreign)
	}
	return nil
}

// probe makes sure that the folder is there and takes files.
func (f *File) probe() error {
	t, err := f.temporary()
	if err != nil {
		return err
	}
	return errors.Join(t.Close(), os.Remove(t.Name()))
}

// temporary makes a file beside the target.
func (f *File) temporary() (*os.File, error) {
	folder := filepath.Dir(f.target)
	t, err := os.CreateTemp(folder, ".gpuc-*")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("cannot write %s: there is no folder %s; make it first", f.Path, folder)
	}
	if err != nil {
		return nil, CannotWrite(f.Path, err)
	}
	return t, nil
}

// Write writes the file so that it appears whole or not at all.
func (f *File) Write(contents []byte) error {
	err := f.stage(contents)
	if err == nil {
		err = f.publish()
	}
	f.discard()
	return err
}

// stage writes the contents to a temporary file beside the target.
func (f *File) stage(contents []byte) error {
	if f.Direct {
		return CannotWrite(f.Path, pour(f.target, contents))
	}
	t, err := f.temporary()
	if err != nil {
		return err
	}
	f.staged = t.Name()
	_, err = t.Write(contents)
	if closeErr := t.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Chmod(f.staged, f.mode)
	}
	return CannotWrite(f.Path, err)
}

// pour gives bytes to a device or a pipe.
func pour(name string, contents []byte) error {
	w, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = io.Copy(w, bytes.NewReader(contents))
	return errors.Join(err, w.Close())
}

// publish gives what was staged its name.
func (f *File) publish() error {
	if f.staged == "" {
		return nil
	}
	if err := os.Rename(f.staged, f.target); err != nil {
		return CannotWrite(f.Path, err)
	}
	f.staged = ""
	return nil
}

// discard removes what was staged and not published.
func (f *File) discard() {
	if f.staged != "" {
		_ = os.Remove(f.staged) // it says nothing to anybody
		f.staged = ""
	}
}

// Write writes contents to all planned files, in their order: to all or, unless
// renaming fails, to none.
func (o *Plan) Write(contents [][]byte) error {
	defer func() {
		for _, f := range o.Files {
			f.discard()
		}
	}()
	for n, f := range o.Files {
		if err := f.stage(contents[n]); err != nil {
			return err
		}
	}
	for _, path := range o.LeftOver {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("cannot remove %s: %w", path, errors.Unwrap(err))
		}
	}
	for _, f := range o.Files {
		if err := f.publish(); err != nil {
			return err
		}
	}
	return nil
}

// CannotWrite words an error of the system, if there is one.
func CannotWrite(path string, err error) error {
	var at *fs.PathError
	var link *os.LinkError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &at):
		err = at.Err
	case errors.As(err, &link):
		err = link.Err
	}
	return fmt.Errorf("cannot write %s: %w", path, err)
}

// sameFile reports whether two paths of regular files lead to one place, whether or
// not there is a file.
func sameFile(a, b string) bool {
	if x, err := os.Stat(a); err == nil {
		y, err := os.Stat(b)
		return err == nil && os.SameFile(x, y)
	}
	return absolute(a) == absolute(b)
}

// absolute is a path from the root, with the links in its folder followed.
func absolute(path string) string {
	folder, file := filepath.Split(path)
	if resolved, err := filepath.EvalSymlinks(filepath.Clean(folder + ".")); err == nil {
		folder = resolved
	}
	whole, err := filepath.Abs(filepath.Join(folder, file))
	if err != nil {
		return path
	}
	return whole
}
