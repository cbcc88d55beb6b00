// Package kernelcache keeps on disk what drivers have compiled, so that a program's next start does
// not compile its kernels again. Programs need not call it: runtime/gpu gives each device a cache,
// and drivers use it when they load kernels.
//
//	kernelcache.go  the cache: loading, storing, statistics
//	key.go          the name of an entry
//	entry.go        the file of an entry
//	folder.go       the folder: whom it belongs to, its size, its list
//
// A cache is a folder with one file for each kernel. Several processes may use it at once: a file
// is written under another name and renamed, so it is there completely or not at all. Every file
// has its key and a checksum, and one that does not fit is removed.
//
// No function fails because of the disk. What cannot be read is compiled, what cannot be written
// is compiled again next time, and Stats says what went wrong.
//
// Drivers execute what the files hold. So the folder must belong to the user, and nobody else may
// write in it. It is made with the permissions 0700, and files with 0600; another is not used.
package kernelcache

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// Variable is the environment variable that names the folder, or turns the cache off.
const Variable = "GPUC_CACHE"

// Off is the value of Variable without a cache.
const Off = "off"

// DefaultLimit is the size in bytes up to which a cache grows.
const DefaultLimit = 256 << 20

// Cache is a cache of compiled kernels. New and FromEnvironment make it. All methods may be called
// by several goroutines at once. A nil Cache is one that is off.
type Cache struct {
	folder string
	limit  int64
	// create makes a file with a name that no other has. Tests replace it by one that fails.
	create func(folder, pattern string) (file, error)

	mutex    sync.Mutex
	stats    Stats
	prepared bool
	refused  error // why the folder is not used
	// bytes is the size of all files, as far as this process knows: what it found when it last
	// looked, and what it has stored since. recent is the latter.
	bytes, recent int64
	measured      bool
}

// file is what storing needs of an *os.File.
type file interface {
	io.WriteCloser
	Name() string
}

// Stats counts what a cache has done since it was made.
type Stats struct {
	Folder  string // "" if the cache is off
	Hits    int    // kernels that were found
	Misses  int    // kernels that were not
	Stored  int    // kernels that were added
	Dropped int    // files that were damaged, or that the driver refused
	// Err is the last error of the disk, or the reason why the cache is not used. It does not keep
	// kernels from being loaded.
	Err error
}

// FromEnvironment returns the cache that GPUC_CACHE names (Named).
func FromEnvironment() *Cache {
	c := Named(os.Getenv(Variable))
	if c != nil && c.refused != nil {
		c.refused = fmt.Errorf("%w (the environment variable %s)", c.refused, Variable)
	}
	return c
}

// Named returns the cache in a folder, an absolute path, with the default limit. Without a name it
// is in gpuc of the user's cache folder (os.UserCacheDir). It is nil if the name is Off.
func Named(folder string) *Cache {
	switch {
	case folder == Off:
		return nil
	case folder == "":
		base, err := os.UserCacheDir()
		if err != nil {
			return &Cache{prepared: true, refused: fmt.Errorf("there is no folder for the kernel cache: %w", err)}
		}
		folder = filepath.Join(base, "gpuc")
	case !filepath.IsAbs(folder):
		return &Cache{prepared: true, refused: fmt.Errorf("the kernel cache is not used: its folder is %q, which is neither %s nor an absolute path", folder, Off)}
	}
	return New(folder, DefaultLimit)
}

// New returns a cache in a folder, which is made when it is first needed. Its files have at most
// limit bytes in all. Without a folder the cache is off.
func New(folder string, limit int64) *Cache {
	if folder == "" {
		return nil
	}
	return &Cache{folder: folder, limit: limit, create: func(folder, pattern string) (file, error) {
		f, err := os.CreateTemp(folder, pattern) // with the permissions 0600
		if err != nil {
			return nil, err
		}
		return f, nil
	}}
}

// Stats returns what the cache has done, and the zero value if it is off.
func (c *Cache) Stats() Stats {
	if c == nil {
		return Stats{}
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	s := c.stats
	s.Folder = c.folder
	if c.refused != nil {
		s.Err = c.refused
	}
	return s
}

// On reports whether there is a folder that can be used.
func (c *Cache) On() bool {
	if c == nil {
		return false
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if !c.prepared {
		c.prepared = true
		c.refused = prepare(c.folder)
	}
	return c.refused == nil
}

// Note keeps an error for Stats, such as why a driver does not use the cache.
func (c *Cache) Note(err error) {
	if c == nil {
		return
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.stats.Err = err
}

// count adds to the statistics.
func (c *Cache) count(add func(s *Stats)) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	add(&c.stats)
}

// path returns the name of an entry's file.
func (c *Cache) path(key Key) string { return filepath.Join(c.folder, key.String()+extension) }

// The time of modification of a file is that of its last use, give or take a day: uses are noted
// from this age on.
const refresh = 24 * time.Hour

// Load returns what was stored under a key, or nil if there is nothing.
func (c *Cache) Load(key Key) []byte {
	if !c.On() {
		return nil
	}
	path := c.path(key)
	e, used, err := readEntry(path)
	if err == nil && e.key != key {
		err = errDamaged
	}
	switch {
	case os.IsNotExist(err):
		c.count(func(s *Stats) { s.Misses++ })
		return nil
	case err == errDamaged:
		c.count(func(s *Stats) { s.Misses++ })
		c.drop(path)
		return nil
	case err != nil:
		c.count(func(s *Stats) { s.Misses++; s.Err = fmt.Errorf("read the kernel cache: %w", err) })
		return nil
	}
	if age := time.Since(used); age > refresh || age < -refresh {
		now := time.Now()
		_ = os.Chtimes(path, now, now) // or else it is removed earlier than others
	}
	c.count(func(s *Stats) { s.Hits++ })
	return e.code
}

// Drop removes an entry that Load returned and that the driver refuses.
func (c *Cache) Drop(key Key) {
	if c.On() {
		c.count(func(s *Stats) { s.Hits--; s.Misses++ })
		c.drop(c.path(key))
	}
}

func (c *Cache) drop(path string) {
	c.count(func(s *Stats) { s.Dropped++ })
	if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
		c.Note(fmt.Errorf("drop a damaged file of the kernel cache: %w", err))
	}
}

// Store adds an entry, or replaces one.
func (c *Cache) Store(key Key, label Label, code []byte) {
	if !c.On() || len(code) == 0 {
		return
	}
	text := encode(key, label, code)
	if int64(len(text)) > c.limit {
		return
	}
	if err := c.write(c.path(key), text); err != nil {
		c.Note(fmt.Errorf("store in the kernel cache: %w", err))
		return
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.stats.Stored++
	c.bytes += int64(len(text))
	c.recent += int64(len(text))
	// Other processes store, too, so the folder is measured again from time to time.
	if c.measured && c.bytes <= c.limit && c.recent < c.limit/16 {
		return
	}
	c.measured, c.recent = true, 0
	var err error
	if c.bytes, err = trim(c.folder, c.limit); err != nil {
		c.stats.Err = fmt.Errorf("bound the kernel cache: %w", err)
	}
}

// write writes a file under another name and renames it, so that others see all of it or nothing.
func (c *Cache) write(path string, text []byte) error {
	f, err := c.create(c.folder, temporary+"*")
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // or else trim does, in an hour
	}
	return err
}
