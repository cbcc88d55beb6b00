package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/all"
	"github.com/gpuc/gpuc/codegen/cpu/amd64"
	"github.com/gpuc/gpuc/frontend/gokernel/launch"
)

// This file is where commands write files. Everything that a command is going to
// write is planned before it works, so that nothing is computed for a file that
// cannot be written, and so that what is there is not lost: neither an input, nor a
// file of another kind or another program, nor anything when the disk is full.

// outputs are the files that a command is going to write.
type outputs struct {
	inputs []input
	files  []*outputFile
	// leftOver are files that are removed once all others are staged.
	leftOver []string
}

// input is a file that the command reads. Use says what for: "the source".
type input struct{ path, use string }

// outputFile is one file to be written.
type outputFile struct {
	path   string      // as messages name it
	target string      // the path with links followed
	use    string      // what is written: "the code", "-out y"
	mode   fs.FileMode // permissions
	// direct says that it is a device or a pipe, which takes bytes and has none to lose.
	direct bool
	staged string // the temporary file that will take its name, or ""
}

// fileKind says what an existing file must be for another of its kind to replace it.
type fileKind struct {
	// recognise reports whether contents are of the kind; nil takes any.
	recognise func(contents []byte) bool
	foreign   string // what to say of others, behind "it is there and"
}

// The kinds of files that commands write.
var (
	codeFile        = fileKind{recogniseCode, "gpuc did not make it"}
	descriptionFile = fileKind{recogniseDescription, "is no description that gpuc made"}
	pngFile         = fileKind{beginsWith("\x89PNG\r\n\x1a\n"), "is no PNG image"}
	npyFile         = fileKind{beginsWith(npyMagic), "is no NumPy array"}
	launchersFile   = fileKind{beginsWith(launch.Header), "gpuc gen did not make it"}
	assemblyFile    = fileKind{beginsWith(amd64.Plan9Head), "gpuc gen did not make it"}
	archiveFile     = fileKind{recogniseArchive, "gpuc gen did not make it"}
	headerFile      = fileKind{beginsWith(headerStart), "gpuc build did not make it"}
	binFile         = fileKind{} // any bytes may be raw bytes

	buildManifestFile = fileKind{beginsWith("{\n  \"gpuc\": \""), "gpuc build did not make it"}
)

func beginsWith(magic string) func([]byte) bool {
	return func(contents []byte) bool { return bytes.HasPrefix(contents, []byte(magic)) }
}

// recogniseCode reports whether a file holds code that gpuc wrote, for any target.
func recogniseCode(contents []byte) bool {
	return slices.ContainsFunc(all.Targets, func(t *codegen.Target) bool { return t.Recognise(contents) })
}

// recogniseDescription reports whether a file holds a description of a kernel: a JSON
// object with what every description has.
func recogniseDescription(contents []byte) bool {
	var d struct {
		Name           string
		Workgroup      []uint32
		Bindings       *[]json.RawMessage
		WorkgroupBytes *uint32
	}
	return json.Unmarshal(contents, &d) == nil && d.Name != "" && len(d.Workgroup) == 3 && d.Bindings != nil && d.WorkgroupBytes != nil
}

// reads notes that the command reads a file, which then is never written over.
func (o *outputs) reads(path, use string) {
	if path != "-" {
		o.inputs = append(o.inputs, input{path, use})
	}
}

// plan checks that a file can be written and that nothing is lost by it.
func (o *outputs) plan(path, use string, kind fileKind) (*outputFile, error) {
	f := &outputFile{path: path, target: filepath.Clean(path), use: use, mode: 0o644}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, err := os.Lstat(path); err == nil {
			return nil, fmt.Errorf("cannot write %s: it is a link to a file that is not there; remove the link or name another file", path)
		}
	case err != nil:
		return nil, cannotWrite(path, err)
	default:
		if err := f.over(info, kind, o.inputs); err != nil {
			return nil, err
		}
	}
	if f.direct {
		o.files = append(o.files, f)
		return f, nil
	}
	for _, other := range o.files {
		if sameFile(other.target, f.target) {
			return nil, usagef("%s is to be written twice, as %s and as %s; give each a file of its own", path, other.use, use)
		}
	}
	if err := f.probe(); err != nil {
		return nil, err
	}
	o.files = append(o.files, f)
	return f, nil
}

// over checks whether the file may take the place of one that is there.
func (f *outputFile) over(info fs.FileInfo, kind fileKind, inputs []input) error {
	for _, in := range inputs {
		if from, err := os.Stat(in.path); err == nil && os.SameFile(from, info) {
			return usagef("cannot write %s: it is %s; name another file", f.path, in.use)
		}
	}
	switch {
	case info.IsDir():
		return fmt.Errorf("cannot write %s: it is a folder; name a file in it", f.path)
	case !info.Mode().IsRegular():
		f.direct = true
		return nil
	case info.Mode().Perm()&0o200 == 0:
		return fmt.Errorf("cannot write %s: it is write-protected; allow writing or name another file", f.path)
	}
	var err error
	if f.target, err = filepath.EvalSymlinks(f.path); err != nil {
		return cannotWrite(f.path, err)
	}
	f.mode = info.Mode().Perm()
	if kind.recognise == nil || info.Size() == 0 {
		return nil
	}
	contents, err := os.ReadFile(f.target)
	if err != nil {
		return cannotWrite(f.path, err)
	}
	if !kind.recognise(contents) {
		return fmt.Errorf("cannot write %s: it is there and %s; move it away or name another file", f.path, kind.foreign)
	}
	return nil
}

// probe makes sure that the folder is there and takes files.
func (f *outputFile) probe() error {
	t, err := f.temporary()
	if err != nil {
		return err
	}
	return errors.Join(t.Close(), os.Remove(t.Name()))
}

// temporary makes a file beside the target.
func (f *outputFile) temporary() (*os.File, error) {
	folder := filepath.Dir(f.target)
	t, err := os.CreateTemp(folder, ".gpuc-*")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("cannot write %s: there is no folder %s; make it first", f.path, folder)
	}
	if err != nil {
		return nil, cannotWrite(f.path, err)
	}
	return t, nil
}

// write writes the file so that it appears whole or not at all.
func (f *outputFile) write(contents []byte) error {
	err := f.stage(contents)
	if err == nil {
		err = f.publish()
	}
	f.discard()
	return err
}

// stage writes the contents to a temporary file beside the target.
func (f *outputFile) stage(contents []byte) error {
	if f.direct {
		return cannotWrite(f.path, pour(f.target, contents))
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
	return cannotWrite(f.path, err)
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
func (f *outputFile) publish() error {
	if f.staged == "" {
		return nil
	}
	if err := os.Rename(f.staged, f.target); err != nil {
		return cannotWrite(f.path, err)
	}
	f.staged = ""
	return nil
}

// discard removes what was staged and not published.
func (f *outputFile) discard() {
	if f.staged != "" {
		_ = os.Remove(f.staged) // it says nothing to anybody
		f.staged = ""
	}
}

// writeAll writes contents to all planned files, in their order: to all or, unless
// renaming fails, to none.
func (o *outputs) writeAll(contents [][]byte) error {
	defer func() {
		for _, f := range o.files {
			f.discard()
		}
	}()
	for n, f := range o.files {
		if err := f.stage(contents[n]); err != nil {
			return err
		}
	}
	for _, path := range o.leftOver {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("cannot remove %s: %w", path, errors.Unwrap(err))
		}
	}
	for _, f := range o.files {
		if err := f.publish(); err != nil {
			return err
		}
	}
	return nil
}

// cannotWrite words an error of the system, if there is one.
func cannotWrite(path string, err error) error {
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

// misnamed returns an error if a file's extension says that it holds something else
// than what is written to it, which is what's extension belongs to.
func misnamed(path, extension, what string) error {
	got := strings.ToLower(filepath.Ext(path))
	if got == "" || got == filepath.Ext(extension) {
		return nil
	}
	for _, known := range knownExtensions() {
		if got == known.extension {
			return usagef("%s has the name of %s, but %s is written to it; write -o %s%s", path, known.what, what,
				strings.TrimSuffix(path, filepath.Ext(path)), extension)
		}
	}
	return nil
}

// assemblySuffix is behind the extension of code in that of its assembly.
const assemblySuffix = "asm"

func codeOf(t *codegen.Target) string     { return fmt.Sprintf("code for target %s", t.Name) }
func assemblyOf(t *codegen.Target) string { return fmt.Sprintf("assembly of target %s", t.Name) }

// namedContents is what files with an extension hold.
type namedContents struct{ extension, what string }

func knownExtensions() []namedContents {
	known := []namedContents{{".wgsl", "a source"}, {".json", "a description"}}
	for _, t := range all.Targets {
		known = append(known, namedContents{filepath.Ext(t.Extension), codeOf(t)})
		if t.Object != nil {
			known = append(known, namedContents{t.ObjectExtension, "a code object of target " + string(t.Name)})
		}
		if t.Assemble != nil {
			known = append(known, namedContents{t.Extension + assemblySuffix, assemblyOf(t)})
		}
	}
	return known
}
