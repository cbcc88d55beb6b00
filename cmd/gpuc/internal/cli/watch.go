package cli

import (
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"time"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/usage"
	"github.com/gpuc/gpuc/ir/diag"
)

// This file is -watch: the command runs again whenever a file that it reads has changed. Files are
// polled. The notification services of systems differ from each other, do not work on all file
// systems, and lose a file that an editor replaces by renaming another.

// pollInterval is the time between two looks at the files.
const pollInterval = 200 * time.Millisecond

// watchFlag is the name of the flag, which takes no value.
const watchFlag = "watch"

// watcher keeps what a run of a command has read.
type watcher struct {
	watching    bool // -watch is given
	unwatchable bool // the command reads standard input, which does not change
	watched     []watchedFile
}

// watchedFile is a file and its state before it was read.
type watchedFile struct {
	path  string
	state fileState
}

// fileState changes when a file is written. The zero value is that of a file that does not exist.
type fileState struct {
	exists   bool
	modified time.Time
	size     int64
	mode     fs.FileMode
}

func stateOf(path string) fileState {
	info, err := os.Stat(path)
	if err != nil {
		return fileState{}
	}
	return fileState{true, info.ModTime(), info.Size(), info.Mode()}
}

// Reads notes that the command is about to read a file, or the Go files of a folder.
func (w *watcher) Reads(path string) {
	if !w.watching || slices.ContainsFunc(w.watched, func(f watchedFile) bool { return f.path == path }) {
		return
	}
	w.watched = append(w.watched, watchedFile{path, stateOf(path)})
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		// the only error is that of a bad pattern
		names, _ := filepath.Glob(filepath.Join(path, "*.go"))
		for _, name := range names {
			w.Reads(name)
		}
	}
}

// ReadsGo notes the files of the Go package that a file or folder belongs to.
func (w *watcher) ReadsGo(name string) {
	if info, err := os.Stat(name); err == nil && !info.IsDir() {
		name = filepath.Dir(name)
	}
	w.Reads(name)
}

// ReadsStdin notes that the command reads standard input, which -watch does not allow.
func (w *watcher) ReadsStdin() error {
	if !w.watching {
		return nil
	}
	w.unwatchable = true
	return usage.Errorf("-watch waits for files to change, and standard input is none")
}

// changed returns the path of a file that has changed, or "".
func (w *watcher) changed() string {
	for _, f := range w.watched {
		if stateOf(f.path) != f.state {
			return f.path
		}
	}
	return ""
}

// watch runs the command until Ctrl-C, again whenever a file has changed. It returns at once if the
// command reads no file.
func (e *Env) watch(args []string) int {
	e.watching = true
	for round := 1; ; round++ {
		e.watched = e.watched[:0]
		if e.Terminal {
			// move the cursor to the corner, erase the screen and the scrollback
			fmt.Fprint(e.Stderr, "\x1b[H\x1b[2J\x1b[3J")
		}
		code := e.once(args)
		if len(e.watched) == 0 || e.unwatchable {
			return code
		}
		if !hasFlag(args, jsonFlag) {
			fmt.Fprintf(e.Stderr, "gpuc %s: round %d ended with exit status %d; waiting for a change of %s\n", e.command.Name, round, code, watchedNames(e.watched))
		}
		if !e.waitForChange() {
			return ExitInterrupted
		}
	}
}

// waitForChange returns true when a file has changed, and false after Ctrl-C.
func (e *Env) waitForChange() bool {
	interrupts, stop := e.CatchInterrupts()
	defer stop()
	ticker := time.NewTicker(pollInterval)
	defer ticker.Stop()
	for {
		select {
		case <-interrupts:
			return false
		case <-ticker.C:
			if e.changed() != "" {
				return true
			}
		}
	}
}

// CatchInterrupts returns a channel that receives Ctrl-C. Until stop is called, Ctrl-C does not end
// the process.
func (e *Env) CatchInterrupts() (interrupts <-chan os.Signal, stop func()) {
	if e.Interrupts != nil {
		return e.Interrupts, func() {}
	}
	c := make(chan os.Signal, 1)
	signal.Notify(c, os.Interrupt)
	return c, func() { signal.Stop(c) }
}

// watchedNames names the first file, and says how many others there are.
func watchedNames(files []watchedFile) string {
	if n := len(files) - 1; n > 0 {
		return files[0].path + " and " + diag.Plural(n, "other file")
	}
	return files[0].path
}
