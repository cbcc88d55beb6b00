package usage

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// CannotRead turns an error of the system about a file into a message. If the file does not exist,
// the message offers a file in the same folder with the same extension and a similar name.
func CannotRead(path string, err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	near := ""
	if errors.Is(err, fs.ErrNotExist) {
		if to, no := os.Readlink(path); no == nil {
			return fmt.Errorf("cannot read %s: it is a link to %s: %w", path, to, err)
		}
		near = nearFile(path)
	}
	return fmt.Errorf("cannot read %s: %w%s", path, err, near)
}

// ReadFile is os.ReadFile with the errors of CannotRead.
func ReadFile(path string) ([]byte, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		err = CannotRead(path, err)
	}
	return data, err
}

// nearFile returns the end of a message about a file that does not exist.
func nearFile(path string) string {
	folder, name := filepath.Split(path)
	entries, err := os.ReadDir(filepath.Clean(folder + "."))
	if err != nil {
		return ""
	}
	var names []string
	for _, e := range entries {
		if filepath.Ext(e.Name()) == filepath.Ext(name) {
			names = append(names, e.Name())
		}
	}
	if near := Nearest(name, names); near != "" {
		return "; did you mean " + folder + near + "?"
	}
	return ""
}
