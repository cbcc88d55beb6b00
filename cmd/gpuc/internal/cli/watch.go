package cli

import (
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"time"

	"github.com/gpuc/gpuc/ir/diag"
)

// This file is -watch, which check, build and run have: the command again whenever a file that it
// reads has changed. Files are looked at from time to time rather than by the system's means, which
// differ between systems, do not work on all file systems, and miss editors that write another file
// and rename it.

// pollInterval is how often files are looked at: it is not felt, and takes no time.
const pollInterval = 200 * time.Millisecond

// watchFlag is the flag, which stands for itself: it has no value.
const watchFlag = "watch"

// watchedFile is a file that a command reads, and its state before it was read.
type watchedFile struct {
	Path  string
	state fileState
}

// fileState is what changes when somebody writes a file; the zero state is that of none.
type fileState struct {
	there    bool
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

// Reads notes that a command is about to read a file. Of a folder its Go files are meant, too.
func (e *Env) Reads(path string) {
	if !e.Watching || slices.ContainsFunc(e.Watched, func(w watchedFile) bool { return w.Path == path }) {
		return
	}
	e.Watched = append(e.Watched, watchedFile{path, stateOf(path)})
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		names, _ := filepath.Glob(filepath.Join(path, "*.go")) // the pattern is a right one
		for _, name := range names {
			e.Reads(name)
		}
	}
}

// ReadsGo notes the files of a package that the command line names.
func (e *Env) ReadsGo(name string) {
	if info, err := os.Stat(name); err == nil && !info.IsDir() {
		name = filepath.Dir(name)
	}
	e.Reads(name)
}

// ChangedFile returns the path of a file whose state is another, or "".
func ChangedFile(files []watchedFile) string {
	for _, w := range files {
		if stateOf(w.Path) != w.state {
			return w.Path
		}
	}
	return ""
}

// watch runs the command in rounds until it is interrupted. A command line that reads no file ends
// it, since nothing can change what it does.
func (e *Env) watch(args []string) int {
	e.Watching = true
	for round := 1; ; round++ {
		e.Watched = e.Watched[:0]
		if e.Terminal {
			// to the corner; clear the screen, and what was scrolled out of it
			fmt.Fprint(e.Stderr, "\x1b[H\x1b[2J\x1b[3J")
		}
		code := e.once(args)
		if len(e.Watched) == 0 || e.Unwatchable {
			return code
		}
		if !hasFlag(args, jsonFlag) {
			fmt.Fprintf(e.Stderr, "gpuc %s: round %d ended with exit status %d; waiting for a change of %s\n", e.command.Name, round, code, watchedNames(e.Watched))
		}
		if !e.waitForChange() {
			return ExitInterrupted
		}
	}
}

// waitForChange returns when a file has changed, or with false when Ctrl-C was pressed. Between two
// waits Ctrl-C ends the process as it does any other.
func (e *Env) waitForChange() bool {
	interrupts, stop := e.TakeInterrupts()
	defer stop()
	ticker := time.NewTicker(pollInterval)
	defer ticker.Stop()
	for {
		select {
		case <-interrupts:
			return false
		case <-ticker.C:
			if ChangedFile(e.Watched) != "" {
				return true
			}
		}
	}
}

// TakeInterrupts returns what tells of Ctrl-C, which ends the process no more until stop is called.
func (e *Env) TakeInterrupts() (interrupts <-chan os.Signal, stop func()) {
	if e.Interrupts != nil {
		return e.Interrupts, func() {}
	}
	c := make(chan os.Signal, 1)
	signal.Notify(c, os.Interrupt)
	return c, func() { signal.Stop(c) }
}

// watchedNames names a file, and how many others there are.
func watchedNames(files []watchedFile) string {
	if n := len(files) - 1; n > 0 {
		return files[0].Path + " and " + diag.Plural(n, "other file")
	}
	return files[0].Path
}
