package kernelcache

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/gpuc/gpuc/internal/testmode"
)

var label = Label{"cuda", "NVIDIA H200", "saxpy"}

// codeOf returns different code for each number.
func codeOf(n, size int) []byte {
	code := make([]byte, size)
	r := rand.New(rand.NewPCG(uint64(n), 1))
	for i := range code {
		code[i] = byte(r.Uint32())
	}
	return code
}

func keyOf(n int) Key { return KeyOf([]byte(strconv.Itoa(n))) }

// expectStats compares what a cache has done.
func expectStats(t *testing.T, what string, c *Cache, want Stats) {
	t.Helper()
	got := c.Stats()
	got.Folder, want.Err, got.Err = "", nil, nil
	if got != want {
		t.Errorf("%s: %+v, want %+v", what, got, want)
	}
}

// TestCache: what is stored is found again, by another process, too, and nothing else is.
func TestCache(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "a", "b")
	c := New(folder, DefaultLimit)
	if c.Load(keyOf(1)) != nil {
		t.Error("there is something in a new cache")
	}
	for n, size := range []int{1, 63, 64, 4000, 100000} {
		c.Store(keyOf(n), label, codeOf(n, size))
	}
	other := New(folder, DefaultLimit)
	for n, size := range []int{1, 63, 64, 4000, 100000} {
		if got := other.Load(keyOf(n)); !bytes.Equal(got, codeOf(n, size)) {
			t.Errorf("%d bytes: %d bytes that differ", size, len(got))
		}
	}
	if other.Load(keyOf(5)) != nil {
		t.Error("it finds what was not stored")
	}
	c.Store(keyOf(6), label, nil)
	expectStats(t, "the first", c, Stats{Misses: 1, Stored: 5})
	expectStats(t, "the second", other, Stats{Hits: 5, Misses: 1})
	if err := c.Stats().Err; err != nil {
		t.Error(err)
	}
	l, err := other.List()
	if err != nil || len(l.Entries) != 5 || l.Entries[0].Label != label || l.Entries[0].Damaged || l.Folder != folder || l.Limit != DefaultLimit {
		t.Errorf("%+v, %v", l, err)
	}
	sum := int64(0)
	for _, e := range l.Entries {
		sum += e.Bytes
	}
	if sum != l.Bytes || sum < 104128 || sum > 104128+5*256 {
		t.Errorf("%d bytes, and %d of entries", l.Bytes, sum)
	}
	if kernels, bytes, err := c.Clear(); kernels != 5 || bytes != sum || err != nil {
		t.Errorf("%d kernels of %d bytes are removed: %v", kernels, bytes, err)
	}
	if other.Load(keyOf(3)) != nil {
		t.Error("an entry is left")
	}
}

// TestAlignment: binaries begin at multiples of 64 bytes in the file, and so in memory.
func TestAlignment(t *testing.T) {
	for n := range 200 {
		text := encode(keyOf(n), Label{Kernel: strings.Repeat("k", n)}, []byte("code"))
		if at := len(text) - 4; at%alignment != 0 || string(text[at:]) != "code" {
			t.Errorf("with a name of %d bytes, code begins at %d", n, at)
		}
	}
}

// TestKey: every part and every bound counts.
func TestKey(t *testing.T) {
	seen := map[Key][]string{}
	for _, parts := range [][]string{{}, {""}, {"", ""}, {"a"}, {"a", ""}, {"", "a"}, {"ab"}, {"a", "b"}, {"b", "a"}} {
		var list [][]byte
		for _, p := range parts {
			list = append(list, []byte(p))
		}
		k := KeyOf(list...)
		if other, found := seen[k]; found {
			t.Errorf("%q has the key of %q", parts, other)
		}
		seen[k] = parts
	}
}

// TestDamaged: a file with any byte changed, cut at any length, continued, empty, of another
// key, or of something else is dropped, and replaced by the next store.
func TestDamaged(t *testing.T) {
	folder := t.TempDir()
	c := New(folder, DefaultLimit)
	code := codeOf(1, 300)
	good := encode(keyOf(1), label, code)
	path := c.path(keyOf(1))
	cases := 0
	damaged := func(what string, text []byte) {
		t.Helper()
		if cases++; os.WriteFile(path, text, 0o600) != nil {
			t.Fatal("cannot write")
		}
		before := c.Stats().Dropped
		if got := c.Load(keyOf(1)); got != nil {
			t.Errorf("%s: it is loaded", what)
		}
		if _, err := os.Stat(path); !os.IsNotExist(err) || c.Stats().Dropped != before+1 {
			t.Errorf("%s: it is not dropped", what)
		}
	}
	for n := range good {
		for _, bit := range []byte{0x01, 0x80} {
			text := bytes.Clone(good)
			text[n] ^= bit
			damaged(fmt.Sprintf("byte %d with bit %#x changed", n, bit), text)
		}
		damaged(fmt.Sprintf("%d bytes", n), good[:n])
	}
	damaged("a byte more", append(bytes.Clone(good), 0))
	damaged("twice", append(bytes.Clone(good), good...))
	damaged("zeros", make([]byte, len(good)))
	damaged("another's key", encode(keyOf(2), label, code))
	damaged("something else", []byte("#!/bin/sh\necho no kernel\n"))
	if c.Store(keyOf(1), label, code); !bytes.Equal(c.Load(keyOf(1)), code) {
		t.Error("it is not stored again")
	}
	expectStats(t, "the cache", c, Stats{Hits: 1, Misses: cases, Stored: 1, Dropped: cases})
	if err := c.Stats().Err; err != nil {
		t.Error(err)
	}
	// as it was not damaged, it is as if the driver's code had another version
	if c.Drop(keyOf(1)); c.Load(keyOf(1)) != nil {
		t.Error("what the driver refuses is not dropped")
	}
	expectStats(t, "then", c, Stats{Misses: cases + 2, Stored: 1, Dropped: cases + 1})
}

// TestLengths: sizes in the file that do not fit it are noticed before they are used.
func TestLengths(t *testing.T) {
	good := encode(keyOf(1), label, codeOf(1, 300))
	for _, at := range []int{12, 13, 14, 15, 16, 18, 20, 22, 23} {
		text := bytes.Clone(good)
		text[at] ^= 0x80
		sum := checksum(text)
		copy(text[checksumAt:], sum[:])
		if _, err := decode(text); err != errDamaged {
			t.Errorf("byte %d: %v", at, err)
		}
	}
}

// TestNotAFile: a folder or a link to nothing in an entry's stead is no failure.
func TestNotAFile(t *testing.T) {
	c := New(t.TempDir(), DefaultLimit)
	if err := os.MkdirAll(filepath.Join(c.path(keyOf(1)), "full"), 0o700); err != nil {
		t.Fatal(err)
	}
	if c.Load(keyOf(1)) != nil || c.Stats().Err == nil {
		t.Errorf("a folder: %+v", c.Stats())
	}
	if c.Store(keyOf(1), label, []byte("code")); c.Stats().Stored != 0 {
		t.Errorf("a folder is replaced: %+v", c.Stats())
	}
	if err := os.Symlink("nowhere", c.path(keyOf(2))); err != nil {
		t.Skipf("skipped: this system or user makes no links: %v", err)
	}
	if c.Load(keyOf(2)) != nil {
		t.Error("a link to nothing is loaded")
	}
	if c.Store(keyOf(2), label, []byte("code")); string(c.Load(keyOf(2))) != "code" {
		t.Error("a link to nothing is not replaced")
	}
}

// TestBound: the files that were not used for longest go, and all the others stay.
func TestBound(t *testing.T) {
	folder := t.TempDir()
	const size = 1000
	full := int64(len(encode(keyOf(0), label, codeOf(0, size))))
	limit := 40 * full
	c := New(folder, limit)
	old := time.Now().Add(-100 * time.Hour)
	for n := range 40 {
		c.Store(keyOf(n), label, codeOf(n, size))
		at := old.Add(time.Duration(n) * time.Minute)
		if err := os.Chtimes(c.path(keyOf(n)), at, at); err != nil {
			t.Fatal(err)
		}
	}
	if c.Load(keyOf(3)) == nil || c.Load(keyOf(5)) == nil { // used today
		t.Fatal("they are gone")
	}
	foreign := []string{filepath.Join(folder, "notes.txt"), filepath.Join(folder, "fade"+extension)}
	for _, name := range foreign {
		if err := os.WriteFile(name, make([]byte, 100*size), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(name, old, old); err != nil {
			t.Fatal(err)
		}
	}
	other := New(folder, limit) // another process
	other.Store(keyOf(40), label, codeOf(40, size))
	l, err := c.List()
	if err != nil || l.Bytes > limit-limit/8 || l.Bytes < limit-limit/8-full {
		t.Errorf("%d bytes with a limit of %d, %v", l.Bytes, limit, err)
	}
	gone := 0
	for n := range 41 {
		_, err := os.Stat(c.path(keyOf(n)))
		isGone := os.IsNotExist(err)
		if isGone {
			gone++
		}
		if want := n < 8 && n != 3 && n != 5; isGone != want {
			t.Errorf("entry %d is gone: %t", n, isGone)
		}
	}
	limit = 42 * full
	other = New(folder, limit)
	for n := range 200 { // and it stays bounded
		other.Store(keyOf(100+n), label, codeOf(n, size))
		entries, _, err := list(folder)
		bytes := int64(0)
		for _, e := range entries {
			bytes += e.bytes
		}
		if err != nil || bytes > limit {
			t.Fatalf("%d bytes with a limit of %d, %v", bytes, limit, err)
		}
	}
	for _, name := range foreign {
		if _, err := os.Stat(name); err != nil {
			t.Errorf("another's file: %v", err)
		}
	}
	if other.Store(keyOf(999), label, make([]byte, limit)); other.Load(keyOf(999)) != nil {
		t.Error("an entry above the limit is stored")
	}
}

// TestUnfinished: what a process has left behind is removed, and what another is writing is not.
func TestUnfinished(t *testing.T) {
	folder := t.TempDir()
	left, writing := filepath.Join(folder, temporary+"123"), filepath.Join(folder, temporary+"456")
	theirs := filepath.Join(folder, temporary+"year.txt")
	for _, name := range []string{left, writing, theirs} {
		if err := os.WriteFile(name, []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	long := time.Now().Add(-2 * abandonedAfter)
	for _, name := range []string{left, theirs} {
		if err := os.Chtimes(name, long, long); err != nil {
			t.Fatal(err)
		}
	}
	c := New(folder, DefaultLimit)
	c.Store(keyOf(1), label, []byte("code"))
	for name, want := range map[string]bool{left: false, writing: true, theirs: true} {
		if _, err := os.Stat(name); (err == nil) != want {
			t.Errorf("%s: %v", filepath.Base(name), err)
		}
	}
	if _, _, err := c.Clear(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(c.path(keyOf(1))); !os.IsNotExist(err) {
		t.Errorf("after clearing: %v", err)
	}
	for _, name := range []string{writing, theirs} {
		if _, err := os.Stat(name); err != nil {
			t.Errorf("after clearing: %v", err)
		}
	}
}

// fullDisk is a file on a disk with room for so many bytes, or one that fails when it is closed.
type fullDisk struct {
	*os.File
	room    int
	closing error
}

func (f *fullDisk) Write(p []byte) (int, error) {
	if n := min(f.room, len(p)); n < len(p) {
		f.room -= n
		n, _ = f.File.Write(p[:n])
		return n, &os.PathError{Op: "write", Path: f.Name(), Err: syscall.ENOSPC}
	}
	f.room -= len(p)
	return f.File.Write(p)
}

func (f *fullDisk) Close() error { return errors.Join(f.File.Close(), f.closing) }

// TestFullDisk: a full disk is said, leaves nothing behind, and the cache works again once there
// is room.
func TestFullDisk(t *testing.T) {
	folder := t.TempDir()
	c := New(folder, DefaultLimit)
	plain := c.create
	for what, f := range map[string]fullDisk{
		"no room":            {},
		"room for a part":    {room: 100},
		"no room at the end": {room: 1 << 20, closing: syscall.ENOSPC},
	} {
		c.create = func(folder, pattern string) (file, error) {
			made, err := plain(folder, pattern)
			if err != nil {
				return nil, err
			}
			f.File = made.(*os.File)
			return &f, nil
		}
		c.Store(keyOf(1), label, codeOf(1, 300))
		s := c.Stats()
		if !errors.Is(s.Err, syscall.ENOSPC) || !strings.Contains(s.Err.Error(), "store in the kernel cache") || s.Stored != 0 {
			t.Errorf("%s: %+v", what, s)
		}
		if files, _ := os.ReadDir(folder); len(files) != 0 {
			t.Errorf("%s: %v is left", what, files)
		}
		if c.Load(keyOf(1)) != nil {
			t.Errorf("%s: a part is loaded", what)
		}
	}
	c.create = func(folder, pattern string) (file, error) { return nil, syscall.ENOSPC }
	if c.Store(keyOf(1), label, codeOf(1, 300)); c.Stats().Stored != 0 {
		t.Error("it is stored without a file")
	}
	c.create = plain
	if c.Store(keyOf(1), label, codeOf(1, 300)); !bytes.Equal(c.Load(keyOf(1)), codeOf(1, 300)) {
		t.Errorf("with room: %+v", c.Stats())
	}
}

// TestReadOnly: a folder where nothing can be written is used for reading.
func TestReadOnly(t *testing.T) {
	folder := t.TempDir()
	New(folder, DefaultLimit).Store(keyOf(1), label, []byte("code"))
	if err := os.Chmod(folder, 0o500); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(folder, 0o700) })
	c := New(folder, DefaultLimit)
	if string(c.Load(keyOf(1))) != "code" {
		t.Error("nothing is read")
	}
	if probe, err := os.CreateTemp(folder, "probe"); err == nil { // as root can
		probe.Close()
		os.Remove(probe.Name())
		c.create = func(string, string) (file, error) { return nil, syscall.EROFS }
	}
	if c.Store(keyOf(2), label, []byte("code")); c.Stats().Stored != 0 || c.Stats().Err == nil {
		t.Errorf("%+v", c.Stats())
	}
}

// TestNoFolder: a folder that cannot be made turns the cache off, and Stats says why.
func TestNoFolder(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{name, filepath.Join(name, "below")} {
		c := New(folder, DefaultLimit)
		c.Store(keyOf(1), label, []byte("code"))
		if c.Load(keyOf(1)) != nil || c.On() || c.Stats().Err == nil || c.Stats().Folder != folder {
			t.Errorf("%s: %+v", folder, c.Stats())
		}
	}
}

// TestOthers: a folder or a file that others can write is not used.
func TestOthers(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("skipped: permissions of Windows say nothing of others")
	}
	folder := t.TempDir()
	c := New(folder, DefaultLimit)
	c.Store(keyOf(1), label, []byte("code"))
	if info, err := os.Stat(c.path(keyOf(1))); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("a file has %v, %v", info.Mode(), err)
	}
	if err := os.Chmod(c.path(keyOf(1)), 0o620); err != nil {
		t.Fatal(err)
	}
	if c.Load(keyOf(1)) != nil || c.Stats().Dropped != 1 {
		t.Errorf("a file that others can write: %+v", c.Stats())
	}
	for mode, private := range map[os.FileMode]string{0o777: "0700", 0o775: "0700", 0o702: "0700"} {
		if err := os.Chmod(folder, mode); err != nil {
			t.Fatal(err)
		}
		c := New(folder, DefaultLimit)
		want := fmt.Sprintf("the kernel cache is not used: %s can be written by others (permissions %04o); chmod %s makes it private", folder, mode, private)
		if c.On() || c.Stats().Err == nil || c.Stats().Err.Error() != want {
			t.Errorf("got %v, want %s", c.Stats().Err, want)
		}
		if _, err := c.List(); err == nil {
			t.Error("it is listed")
		}
	}
	made := filepath.Join(folder, "made")
	if New(made, DefaultLimit).On(); true {
		if info, err := os.Stat(made); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("the folder has %v, %v", info.Mode(), err)
		}
	}
}

// TestEnvironment: the variable names a folder, or turns the cache off.
func TestEnvironment(t *testing.T) {
	home := t.TempDir()
	// of Linux, macOS and Windows
	for _, name := range []string{"XDG_CACHE_HOME", "HOME", "LocalAppData"} {
		t.Setenv(name, home)
	}
	base, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	for value, want := range map[string]string{"": filepath.Join(base, "gpuc"), folder: folder} {
		t.Setenv(Variable, value)
		if c := FromEnvironment(); c == nil || c.Stats().Folder != want {
			t.Errorf("%q: %+v, want the folder %s", value, c.Stats(), want)
		}
	}
	t.Setenv(Variable, Off)
	if c := FromEnvironment(); c.On() || c.Stats() != (Stats{}) {
		t.Errorf("off: %+v", c.Stats())
	}
	t.Setenv(Variable, "no")
	c := FromEnvironment()
	if want := `the kernel cache is not used: its folder is "no", which is neither off nor an absolute path (the environment variable GPUC_CACHE)`; c.On() || c.Stats().Err == nil || c.Stats().Err.Error() != want {
		t.Errorf("no: %+v", c.Stats())
	}
	if _, err := c.List(); err == nil {
		t.Error("it is listed")
	}
	t.Setenv(Variable, "")
	for _, name := range []string{"XDG_CACHE_HOME", "HOME", "LocalAppData"} {
		t.Setenv(name, "")
	}
	if c := FromEnvironment(); c.On() || c.Stats().Err == nil {
		t.Errorf("no home: %+v", c.Stats())
	}
}

// TestNil: a cache that is off does nothing.
func TestNil(t *testing.T) {
	c := New("", DefaultLimit)
	c.Store(keyOf(1), label, []byte("code"))
	c.Drop(keyOf(1))
	c.Note(errDamaged)
	l, err := c.List()
	kernels, size, failure := c.Clear()
	if c != nil || c.Load(keyOf(1)) != nil || err != nil || failure != nil || kernels != 0 || size != 0 || l.Entries != nil {
		t.Errorf("%v %v %v", c, err, failure)
	}
	if l, err := New(filepath.Join(t.TempDir(), "none"), 1).List(); err != nil || l.Entries != nil {
		t.Errorf("a folder that is not there: %+v, %v", l, err)
	}
}

// processVariable tells the test binary that it is one of several processes.
const processVariable = "GPUC_CACHE_TEST"

func TestMain(m *testing.M) {
	flag.Parse() // for testmode
	if folder := os.Getenv(processVariable); folder != "" {
		if err := use(folder, os.Getpid()); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// use loads and stores entries in a small cache that others use at the same time, damages some, and
// fails if anything else is found than what was stored.
func use(folder string, seed int) error {
	const kinds, size = 40, 2000
	c := New(folder, kinds*size/2)
	r := rand.New(rand.NewPCG(uint64(seed), 2))
	for range testmode.Scaled(1500) {
		n := r.IntN(kinds)
		switch got := c.Load(keyOf(n)); {
		case got == nil:
			c.Store(keyOf(n), label, codeOf(n, size))
		case !bytes.Equal(got, codeOf(n, size)):
			return fmt.Errorf("entry %d is not what was stored", n)
		}
		switch r.IntN(50) {
		case 0:
			_ = os.Truncate(c.path(keyOf(n)), int64(r.IntN(size)))
		case 1:
			if f, err := os.OpenFile(c.path(keyOf(n)), os.O_WRONLY, 0); err == nil {
				_, _ = f.WriteAt([]byte{byte(r.Uint32())}, int64(r.IntN(size)))
				f.Close()
			}
		case 2:
			_, _, _ = c.Clear()
		}
	}
	if s := c.Stats(); s.Hits == 0 || s.Err != nil {
		return fmt.Errorf("%+v", s)
	}
	return nil
}

// TestProcesses: several processes use one folder, and this one with several goroutines.
func TestProcesses(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("skipped: Windows does not remove files that another process reads, and the cache tries again later")
	}
	folder := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() {
			command := exec.Command(self)
			command.Env = append(os.Environ(), processVariable+"="+folder)
			if out, err := command.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
	for n := range 2 {
		all.Go(func() {
			if err := use(folder, n); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	_, unfinished, err := list(folder)
	if len(unfinished) != 0 || err != nil {
		t.Errorf("%v is left, %v", unfinished, err)
	}
}

// BenchmarkLoad loads an entry of 50 kB.
func BenchmarkLoad(b *testing.B) {
	c := New(b.TempDir(), DefaultLimit)
	c.Store(keyOf(1), label, codeOf(1, 50_000))
	for b.Loop() {
		if c.Load(keyOf(1)) == nil {
			b.Fatal("it is gone")
		}
	}
}
