package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/gpuc/gpuc/runtime/abi"
)

// This file is `-` for data of gpuc run: one array from standard input, and one to standard output.

// pipe is standard input, which one user reads.
type pipe struct {
	e    *environment
	user string // who has it, or ""
}

// read reads all that comes, up to a number of bytes and one more, for a user that messages name.
func (p *pipe) read(user string, most uint64) ([]byte, error) {
	switch {
	case p.user != "":
		return nil, usagef("standard input is read once, and %s and %s take it; give one of them a file", p.user, user)
	case p.e.watching:
		p.e.unwatchable = true
		return nil, usagef("-watch waits for files to change, and standard input is none")
	}
	p.user = user
	data, err := io.ReadAll(io.LimitReader(p.e.stdin, int64(most+1)))
	if err != nil {
		return nil, fmt.Errorf("cannot read standard input: %w", err)
	}
	return data, nil
}

// pipeSpec reads `-`, `-:npy` and `-:bin`, in a place where a file can stand too: ok says that it
// is one of them, and the extension is "" where no format is named.
func pipeSpec(text string) (extension string, ok bool, err error) {
	if text == "-" {
		return "", true, nil
	}
	format, ok := strings.CutPrefix(text, "-:")
	if ok && format != "npy" && format != "bin" {
		return "", true, usagef("`%s` has no format that a pipe takes: write -:npy or -:bin", text)
	}
	return "." + format, ok, nil
}

// bindPipe gives a buffer what comes from standard input: a NumPy array, or raw bytes, which what
// it begins with tells apart where the format is not named.
func (in *inputs) bindPipe(b *abi.Binding, l *layout, spec, extension string, r *room) (bound, error) {
	const shown = "standard input"
	d := bound{set: true, spec: spec}
	data, err := in.stdin.read("`"+b.Name+"`", r.left)
	if err == nil {
		err = r.take(shown, uint64(len(data)), 1)
	}
	if err != nil {
		return d, err
	}
	if extension == "" && strings.HasPrefix(string(data[:min(len(data), len(npyMagic))]), npyMagic) {
		extension = ".npy"
	}
	if extension != ".npy" {
		d.bytes = data
		return d, nil
	}
	a, err := parseNPY(shown, data)
	if err != nil {
		return d, err
	}
	return d, in.bindArray(&d, a, b, l, shown)
}
