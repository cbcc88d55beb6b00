package tuning

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gpuc/gpuc/runtime/kernelcache"
)

// Kept is a file in the user's folder with what a program has measured: beside the cache of
// compiled kernels, and off with it (kernelcache.Variable).
type Kept struct {
	// Path is the file, or "" if nothing is kept, for the reason Why.
	Path, Why string
}

// KeptFor returns the file about a subject, such as a package.
func KeptFor(subject string) Kept {
	cache := kernelcache.FromEnvironment()
	if cache == nil {
		return Kept{Why: fmt.Sprintf("nothing is kept, since the environment variable %s is %s", kernelcache.Variable, kernelcache.Off)}
	}
	s := cache.Stats()
	if s.Folder == "" {
		return Kept{Why: fmt.Sprintf("nothing is kept: %v", s.Err)}
	}
	return KeptIn(s.Folder, subject)
}

// KeptIn is KeptFor for a folder of compiled kernels.
func KeptIn(folder, subject string) Kept {
	// people know a file by its beginning
	word := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' {
			return r
		}
		return '-'
	}, subject[strings.LastIndexByte(subject, '/')+1:])
	sum := sha256.Sum256([]byte(subject))
	return Kept{Path: filepath.Join(folder, "tuning", word[:min(len(word), 40)]+"-"+hex.EncodeToString(sum[:6])+".jsonl")}
}

// Read returns the text of the file, which is empty if there is none. The note says why it cannot
// be read, or is "".
func (k Kept) Read() (text, note string) {
	if k.Path == "" {
		return "", k.Why
	}
	data, err := os.ReadFile(k.Path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Sprintf("what was kept cannot be read: %v", err)
	}
	return string(data), ""
}

// Write replaces the file. It is written under another name and renamed, so that nothing reads half
// of it. The note says why nothing was written, or is "".
func (k Kept) Write(text []byte) (note string) {
	if k.Path == "" {
		return k.Why
	}
	if err := replace(k.Path, text); err != nil {
		return fmt.Sprintf("it is not kept: %v", err)
	}
	return ""
}

func replace(path string, text []byte) error {
	folder := filepath.Dir(path)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	temporary, err := os.CreateTemp(folder, "new-*")
	if err != nil {
		return err
	}
	_, err = temporary.Write(text)
	if err = errors.Join(err, temporary.Close()); err == nil {
		err = os.Rename(temporary.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(temporary.Name()))
	}
	return nil
}
