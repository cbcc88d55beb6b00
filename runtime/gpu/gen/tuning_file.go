// Files that store tuning: one for each kernel, in the user's cache folder, with the measurements
// of each device and configuration. A file that is damaged or of another version of the kernel is
// ignored, and replaced by the next measurement.

package gen

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// cacheFolder is for files that a program can do without; tests have another one.
var cacheFolder = os.UserCacheDir

// memory is the file of a kernel.
type memory struct {
	variants *Variants
	file     string // "" if it cannot be stored, for the reason why
	why      string
	kernel   string
	// digest is that of the code of all variants.
	digest string
}

// tuningFile is what the file holds.
type tuningFile struct {
	Format  int           `json:"format"`
	Kernel  string        `json:"kernel"`
	Digest  string        `json:"digest"`
	Entries []tuningEntry `json:"entries"`
}

// tuningFormat is the version of the files.
const tuningFormat = 1

type tuningEntry struct {
	Device        string         `json:"device"`
	Configuration string         `json:"configuration"`
	At            time.Time      `json:"at"`
	Measured      []gpu.Measured `json:"measured"`
}

// memory returns where the tuning of a kernel is stored. It fails if the kernel's archive cannot be
// read or lacks a variant.
func (v *Variants) memory(target abi.Target) (*memory, error) {
	hash := sha256.New()
	m := &memory{variants: v}
	var index *abi.ArchiveIndex
	for n := range v.List {
		e := v.List[n].Embedded
		if n == 0 || e.Archive != v.List[n-1].Embedded.Archive {
			archive, err := abi.OpenArchive(e.Archive)
			if err == nil {
				index, err = archive.Index()
			}
			if err != nil {
				return nil, fmt.Errorf("tune kernel %s: %w", v.Kernel, err)
			}
		}
		k := index.Find(e.Name)
		if k == nil {
			return nil, fmt.Errorf("tune kernel %s: %w: %s: %w", v.Kernel, gpu.ErrShape, e.Name, abi.ErrNoKernel)
		}
		if n == 0 {
			m.kernel = index.Package + "." + e.Name
		}
		fmt.Fprintln(hash, target, v.named(v.List[n].Values), k.Digest)
	}
	m.digest = hex.EncodeToString(hash.Sum(nil))
	folder, err := cacheFolder()
	if err != nil {
		m.why = fmt.Sprintf("there is no cache folder to remember it in: %v", err)
		return m, nil
	}
	name := sha256.Sum256([]byte(m.kernel + " " + string(target)))
	m.file = filepath.Join(folder, "gpuc", "tuning", m.kernel[strings.LastIndexAny(m.kernel, "./")+1:]+"-"+hex.EncodeToString(name[:8])+".json")
	return m, nil
}

// read reads the file. The note says why it was ignored.
func (m *memory) read() (f tuningFile, note string) {
	if m.file == "" {
		return f, m.why
	}
	data, err := os.ReadFile(m.file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return f, ""
	case err != nil:
		return f, fmt.Sprintf("what was remembered cannot be read: %v", err)
	}
	if err := json.Unmarshal(data, &f); err != nil {
		return tuningFile{}, fmt.Sprintf("%s is damaged and is not believed: %v", m.file, err)
	}
	if f.Format != tuningFormat || f.Kernel != m.kernel || f.Digest != m.digest {
		return tuningFile{}, fmt.Sprintf("%s is about another version of the kernel and is not believed", m.file)
	}
	return f, ""
}

// recall adds what the file has for a device and a configuration.
func (m *memory) recall(t *gpu.Tuning) {
	f, note := m.read()
	t.Note = note
	for _, e := range f.Entries {
		if e.Device != t.Device || e.Configuration != t.Configuration {
			continue
		}
		if why := e.wrong(m.variants); why != "" {
			t.Note = fmt.Sprintf("%s is damaged and is not believed: %s", m.file, why)
			return
		}
		t.Measured, t.Values, t.At, t.Remembered = e.Measured, fastest(e.Measured), e.At, true
	}
}

// wrong says why an entry cannot be what Tune writes, or "".
func (e *tuningEntry) wrong(v *Variants) string {
	works := false
	for _, m := range e.Measured {
		if v.find(m.Values) == nil {
			return "it names a variant that there is not"
		}
		works = works || m.Failure == ""
	}
	if !works {
		return "it names no variant that ran"
	}
	return ""
}

// remember writes a tuning into the file, beside those of other devices and configurations.
func (m *memory) remember(t *gpu.Tuning) {
	f, note := m.read()
	if t.Note = note; m.file == "" {
		return
	}
	if note != "" {
		t.Note += "; it is written anew"
	}
	f.Format, f.Kernel, f.Digest = tuningFormat, m.kernel, m.digest
	f.Entries = slices.DeleteFunc(f.Entries, func(e tuningEntry) bool { return e.Device == t.Device && e.Configuration == t.Configuration })
	f.Entries = append(f.Entries, tuningEntry{t.Device, t.Configuration, t.At, t.Measured})
	if err := m.write(&f); err != nil {
		t.Note = fmt.Sprintf("it is not remembered: %v", err)
	}
}

// write replaces the file atomically, so that nothing reads half of it.
func (m *memory) write(f *tuningFile) error {
	data, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		return err
	}
	folder := filepath.Dir(m.file)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	temporary, err := os.CreateTemp(folder, "new-*")
	if err != nil {
		return err
	}
	_, err = temporary.Write(append(data, '\n'))
	if err := errors.Join(err, temporary.Close()); err != nil {
		return errors.Join(err, os.Remove(temporary.Name()))
	}
	if err := os.Rename(temporary.Name(), m.file); err != nil {
		return errors.Join(err, os.Remove(temporary.Name()))
	}
	return nil
}
