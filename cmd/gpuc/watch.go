package main

import (
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
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
	path  string
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

// reads notes that a command is about to read a file. Of a folder its Go files are meant, too.
func (e *environment) reads(path string) {
	if !e.watching || slices.ContainsFunc(e.watched, func(w watchedFile) bool { return w.path == path }) {
		return
	}
	e.watched = append(e.watched, watchedFile{path, stateOf(path)})
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		names, _ := filepath.Glob(filepath.Join(path, "*.go")) // the pattern is a right one
		for _, name := range names {
			e.reads(name)
		}
	}
}

// readsGo notes the files of a package that the command line names.
func (e *environment) readsGo(name string) {
	if info, err := os.Stat(name); err == nil && !info.IsDir() {
		name = filepath.Dir(name)
	}
	e.reads(name)
}

// changedFile returns the path of a file whose state is another, or "".
func changedFile(files []watchedFile) string {
	for _, w := range files {
		if stateOf(w.path) != w.state {
			return w.path
		}
	}
	return ""
}

// watch runs the command in rounds until it is interrupted. A command line that reads no file ends
// it, since nothing can change what it does.
func (e *environment) watch(args []string) int {
	e.watching = true
	for round := 1; ; round++ {
		e.watched = e.watched[:0]
		if e.terminal {
			// to the corner; clear the screen, and what was scrolled out of it
			fmt.Fprint(e.stderr, "\x1b[H\x1b[2J\x1b[3J")
		}
		code := e.once(args)
		if len(e.watched) == 0 || e.unwatchable {
			return code
		}
		if !hasFlag(args, jsonFlag) {
			fmt.Fprintf(e.stderr, "gpuc %s: round %d ended with exit status %d; waiting for a change of %s\n", e.command.name, round, code, watchedNames(e.watched))
		}
		if !e.waitForChange() {
			return exitInterrupted
		}
	}
}

// waitForChange returns when a file has changed, or with false when Ctrl-C was pressed. Between two
// waits Ctrl-C ends the process as it does any other.
func (e *environment) waitForChange() bool {
	interrupts, stop := e.takeInterrupts()
	defer stop()
	ticker := time.NewTicker(pollInterval)
	defer ticker.Stop()
	for {
		select {
		case <-interrupts:
			return false
		case <-ticker.C:
			if changedFile(e.watched) != "" {
				return true
			}
		}
	}
}

// takeInterrupts returns what tells of Ctrl-C, which ends the process no more until stop is called.
func (e *environment) takeInterrupts() (interrupts <-chan os.Signal, stop func()) {
	if e.interrupts != nil {
		return e.interrupts, func() {}
	}
	c := make(chan os.Signal, 1)
	signal.Notify(c, os.Interrupt)
	return c, func() { signal.Stop(c) }
}

// watchedNames names a file, and how many others there are.
func watchedNames(files []watchedFile) string {
	if n := len(files) - 1; n > 0 {
		return files[0].path + " and " + diag.Plural(n, "other file")
	}
	return files[0].path
}

// readsData notes the files that -bind takes data from.
func (e *environment) readsData(binds []string) {
	for _, text := range binds {
		_, spec, _ := strings.Cut(text, "=")
		paths, _ := cutOptions(spec)
		for path := range strings.SplitSeq(paths, ",") {
			switch strings.ToLower(filepath.Ext(path)) {
			case ".npy", ".bin", ".json", ".png", ".jpg", ".jpeg":
				e.reads(path)
			}
		}
	}
}
