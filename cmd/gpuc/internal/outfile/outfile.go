// Package outfile writes the files of a command so that no data is lost. A command plans all of its
// files before it does its work. So nothing is computed for a file that cannot be written. Neither
// an input nor a file of another kind is replaced, and a full disk leaves the old files as they
// were.
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

// Plan is the set of files that a command is going to write. The zero value is an empty plan.
type Plan struct {
	Inputs []Input
	Files  []*File
	Remove []string // files that Commit removes, once the new ones are on the disk
}

// Input is a file that the command reads, and that it must not overwrite.
type Input struct {
	Path string
	Use  string // for messages: "the source"
}

// File is a file to be written.
type File struct {
	Path     string // as messages name it
	Use      string // what is written: "the code", "-out y"
	Contents []byte // for Commit
	// Direct says that the path is a device or a pipe. These are written directly.
	Direct bool

	target string      // Path without symbolic links
	mode   fs.FileMode // permissions
	staged string      // the temporary file that will be renamed to target, or ""
}

// Kind is a kind of file. A file that exists is replaced only by one of its kind.
// The zero value takes any file.
type Kind struct {
	Magic     string                     // how files of the kind begin, or ""
	Recognise func(contents []byte) bool // reports whether contents are of the kind, or nil
	Foreign   string                     // says of other files what they are not: "is no PNG image"
}

// Has reports whether contents are of the kind.
func (k *Kind) Has(contents []byte) bool {
	return bytes.HasPrefix(contents, []byte(k.Magic)) && (k.Recognise == nil || k.Recognise(contents))
}

// Written describes a file that was written, for -json.
type Written struct {
	File  string `json:"file"`
	Bytes int    `json:"bytes"`
	Holds string `json:"holds"`
}

// Written lists the files of the plan. The list is never nil.
func (p *Plan) Written() []Written {
	list := []Written{}
	for _, f := range p.Files {
		list = append(list, Written{f.Path, len(f.Contents), f.Use})
	}
	return list
}

// Reads notes that the command reads a file.
func (p *Plan) Reads(path, use string) {
	if path != "-" {
		p.Inputs = append(p.Inputs, Input{path, use})
	}
}

// Add plans a file. It is an error if the file cannot be written or if data would be lost.
func (p *Plan) Add(path, use string, kind Kind) (*File, error) {
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
		if err := f.replaces(info, kind, p.Inputs); err != nil {
			return nil, err
		}
	}
	if !f.Direct {
		for _, other := range p.Files {
			if sameFile(other.target, f.target) {
				return nil, usage.Errorf("%s is to be written twice, as %s and as %s; give each a file of its own", path, other.Use, use)
			}
		}
		if err := f.probe(); err != nil {
			return nil, err
		}
	}
	p.Files = append(p.Files, f)
	return f, nil
}

// AddRegular plans a file that must not be a device or a pipe.
func (p *Plan) AddRegular(path, use string, kind Kind) (*File, error) {
	f, err := p.Add(path, use, kind)
	if err == nil && f.Direct {
		err = fmt.Errorf("cannot write %s: it is no regular file", path)
	}
	return f, err
}

// replaces checks whether the file may replace one that exists.
func (f *File) replaces(info fs.FileInfo, kind Kind, inputs []Input) error {
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
	if kind.Recognise == nil && kind.Magic == "" || info.Size() == 0 {
		return nil
	}
	contents, err := os.ReadFile(f.target)
	if err != nil {
		return CannotWrite(f.Path, err)
	}
	if !kind.Has(contents) {
		return fmt.Errorf("cannot write %s: it is there and %s; move it away or name another file", f.Path, kind.Foreign)
	}
	return nil
}

// probe checks that the folder exists and can be written to.
func (f *File) probe() error {
	t, err := f.temporary()
	if err != nil {
		return err
	}
	return errors.Join(t.Close(), os.Remove(t.Name()))
}

// temporary creates a temporary file in the target's folder.
func (f *File) temporary() (*os.File, error) {
	folder := filepath.Dir(f.target)
	t, err := os.CreateTemp(folder, ".gpuc-*")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("cannot write %s: there is no folder %s; make it first", f.Path, folder)
	}
	return t, CannotWrite(f.Path, err)
}

// Write writes one file of a plan: all of it, or nothing.
func (f *File) Write(contents []byte) error {
	f.Contents = contents
	return (&Plan{Files: []*File{f}}).Commit()
}

// Commit writes all files, in the order of the plan. If an error occurs before the last step, which
// renames temporary files, no file has changed.
func (p *Plan) Commit() error {
	defer func() {
		for _, f := range p.Files {
			if f.staged != "" {
				_ = os.Remove(f.staged) // the error that matters is returned already
			}
		}
	}()
	for _, f := range p.Files {
		if err := f.stage(); err != nil {
			return err
		}
	}
	for _, path := range p.Remove {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("cannot remove %s: %w", path, errors.Unwrap(err))
		}
	}
	for _, f := range p.Files {
		if f.staged == "" {
			continue
		}
		if err := os.Rename(f.staged, f.target); err != nil {
			return CannotWrite(f.Path, err)
		}
		f.staged = ""
	}
	return nil
}

// stage writes the contents to a temporary file, or to the device or pipe.
func (f *File) stage() error {
	var w *os.File
	var err error
	if f.Direct {
		w, err = os.OpenFile(f.target, os.O_WRONLY, 0)
		err = CannotWrite(f.Path, err)
	} else if w, err = f.temporary(); err == nil {
		f.staged = w.Name()
	}
	if err != nil {
		return err
	}
	_, err = io.Copy(w, bytes.NewReader(f.Contents))
	if closeErr := w.Close(); err == nil {
		err = closeErr
	}
	if err == nil && !f.Direct {
		err = os.Chmod(f.staged, f.mode)
	}
	return CannotWrite(f.Path, err)
}

// CannotWrite turns an error of the system about a file into a message; nil stays nil.
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

// sameFile reports whether two paths lead to the same regular file, which need not exist.
func sameFile(a, b string) bool {
	if x, err := os.Stat(a); err == nil {
		y, err := os.Stat(b)
		return err == nil && os.SameFile(x, y)
	}
	return absolute(a) == absolute(b)
}

// absolute returns an absolute path, without symbolic links in its folder.
func absolute(path string) string {
	folder, file := filepath.Split(path)
	if resolved, err := filepath.EvalSymlinks(filepath.Clean(folder + ".")); err == nil {
		folder = resolved
	}
	if full, err := filepath.Abs(filepath.Join(folder, file)); err == nil {
		return full
	}
	return path
}
