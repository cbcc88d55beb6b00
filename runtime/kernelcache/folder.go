package kernelcache

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// prepare makes the folder, and tells whether it can be trusted.
func prepare(folder string) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return fmt.Errorf("make the folder of the kernel cache: %w", err)
	}
	info, err := os.Stat(folder)
	if err != nil {
		return fmt.Errorf("look for the folder of the kernel cache: %w", err)
	}
	if err := checkOwner(info); err != nil {
		return fmt.Errorf("the kernel cache is not used: %s %w", folder, err)
	}
	return nil
}

// listed is a file of a folder.
type listed struct {
	path  string
	bytes int64
	used  time.Time
}

// abandonedAfter is the age of a file that nobody writes any more.
const abandonedAfter = time.Hour

func (l *listed) abandoned() bool { return time.Since(l.used) > abandonedAfter }

// list returns the entries of a folder, and the files that are being written or were left behind.
// Files with other names are not the cache's.
func list(folder string) (entries, unfinished []listed, err error) {
	files, err := os.ReadDir(folder)
	if err != nil {
		return nil, nil, err
	}
	for _, f := range files {
		name, isEntry := strings.CutSuffix(f.Name(), extension)
		isEntry = isEntry && len(name) == 2*len(Key{}) && strings.Trim(name, "0123456789abcdef") == ""
		isNew := strings.HasPrefix(f.Name(), temporary) && strings.Trim(f.Name()[len(temporary):], "0123456789") == ""
		if !isEntry && !isNew {
			continue
		}
		info, err := f.Info()
		if err != nil || !info.Mode().IsRegular() {
			continue // another process has removed it
		}
		l := listed{filepath.Join(folder, f.Name()), info.Size(), info.ModTime()}
		if isEntry {
			entries = append(entries, l)
		} else {
			unfinished = append(unfinished, l)
		}
	}
	return entries, unfinished, nil
}

// trim removes the files that were not used for longest if all of them exceed the limit in bytes.
// It goes an eighth below the limit, so that this is rare. It also removes what a process has left
// unfinished, and returns the size of what stays.
func trim(folder string, limit int64) (bytes int64, err error) {
	entries, unfinished, err := list(folder)
	if err != nil {
		return 0, err
	}
	var failures []error
	remove := func(l listed) {
		if err := os.Remove(l.path); err == nil || errors.Is(err, fs.ErrNotExist) {
			bytes -= l.bytes
		} else {
			failures = append(failures, err)
		}
	}
	for _, l := range unfinished {
		if bytes += l.bytes; l.abandoned() {
			remove(l)
		}
	}
	for _, l := range entries {
		bytes += l.bytes
	}
	if bytes > limit {
		slices.SortFunc(entries, func(a, b listed) int { return a.used.Compare(b.used) })
		for _, l := range entries {
			if bytes <= limit-limit/8 {
				break
			}
			remove(l)
		}
	}
	return bytes, errors.Join(failures...)
}

// Entry is a kernel in a cache, for people.
type Entry struct {
	Label
	Bytes   int64     // of the file
	Used    time.Time // the last use, give or take a day
	Damaged bool      // the file is not what was stored; the next use drops it
}

// Listing is what a folder holds.
type Listing struct {
	Folder  string
	Limit   int64   // bytes up to which it grows
	Bytes   int64   // of all files
	Entries []Entry // the last used first
}

// List returns what the cache holds. Without a folder it is empty. The error is that of reading the
// folder, or the reason why it is not used.
func (c *Cache) List() (Listing, error) {
	if c == nil {
		return Listing{}, nil
	}
	l := Listing{Folder: c.folder, Limit: c.limit}
	entries, unfinished, err := c.files()
	for _, f := range unfinished {
		l.Bytes += f.bytes
	}
	for _, f := range entries {
		e, _, err := readEntry(f.path)
		if errors.Is(err, fs.ErrNotExist) {
			continue // another process has removed it
		}
		l.Bytes += f.bytes
		damaged := err != nil || filepath.Base(f.path) != e.key.String()+extension
		if damaged {
			e.label = Label{}
		}
		l.Entries = append(l.Entries, Entry{e.label, f.bytes, f.used, damaged})
	}
	slices.SortStableFunc(l.Entries, func(a, b Entry) int { return b.Used.Compare(a.Used) })
	return l, err
}

// Clear removes all kernels, and returns how many there were and their bytes. Processes that are
// running may add others; what they are writing stays.
func (c *Cache) Clear() (kernels int, bytes int64, err error) {
	if c == nil {
		return 0, 0, nil
	}
	entries, unfinished, err := c.files()
	failures := []error{err}
	remove := func(l listed) bool {
		err := os.Remove(l.path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			failures = append(failures, err)
		}
		return err == nil
	}
	for _, l := range entries {
		if remove(l) {
			kernels, bytes = kernels+1, bytes+l.bytes
		}
	}
	for _, l := range unfinished {
		if l.abandoned() {
			remove(l)
		}
	}
	return kernels, bytes, errors.Join(failures...)
}

// files lists the folder, without making one.
func (c *Cache) files() (entries, unfinished []listed, err error) {
	if c.folder == "" {
		return nil, nil, c.refused
	}
	if _, err := os.Stat(c.folder); errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err := prepare(c.folder); err != nil {
		return nil, nil, err
	}
	return list(c.folder)
}
