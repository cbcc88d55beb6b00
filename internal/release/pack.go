package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Archives of the command. Files have the time of the commit, no owner, and a fixed order, so that
// the archive is reproducible.

// beside are the files of the repository's root that are packed with the command.
var beside = []string{"LICENSE", "README.md", "CHANGELOG.md", "SECURITY.md"}

// packed is a file of an archive.
type packed struct {
	name string
	data []byte
	mode fs.FileMode
}

// pack returns an archive in the usual format of a system. All files are in one folder.
func pack(binary, folder string, s system, made time.Time) (archive []byte, extension string, err error) {
	root, err := run(nil, "git", "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, "", err
	}
	var files []packed
	data, err := os.ReadFile(binary)
	if err != nil {
		return nil, "", err
	}
	files = append(files, packed{folder + "/" + filepath.Base(binary), data, 0o755})
	for _, name := range beside {
		data, err := os.ReadFile(filepath.Join(string(bytes.TrimSpace(root)), name))
		if err != nil {
			return nil, "", err
		}
		files = append(files, packed{folder + "/" + name, data, 0o644})
	}
	if s.os == "windows" {
		archive, err = zipped(files, made)
		return archive, ".zip", err
	}
	archive, err = tarred(files, made)
	return archive, ".tar.gz", err
}

func zipped(files []packed, made time.Time) ([]byte, error) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range files {
		header := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: made}
		header.SetMode(f.mode)
		to, err := w.CreateHeader(header)
		if err != nil {
			return nil, err
		}
		if _, err := to.Write(f.data); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return b.Bytes(), err
}

func tarred(files []packed, made time.Time) ([]byte, error) {
	var b bytes.Buffer
	compressed := gzip.NewWriter(&b) // whose header has neither a name nor a time
	w := tar.NewWriter(compressed)
	for _, f := range files {
		header := &tar.Header{Typeflag: tar.TypeReg, Name: f.name, Size: int64(len(f.data)), Mode: int64(f.mode), ModTime: made, Format: tar.FormatPAX}
		if err := w.WriteHeader(header); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.data); err != nil {
			return nil, err
		}
	}
	err := errors.Join(w.Close(), compressed.Close())
	return b.Bytes(), err
}
