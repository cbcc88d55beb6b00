package cli

import (
	"bytes"
	"io"
	"regexp"
	"strings"
)

// HelpText returns what -h prints.
func (c *Command) HelpText() string {
	var text bytes.Buffer
	_ = c.Run(&Env{command: c, Stdin: strings.NewReader(""), Stdout: &text, Stderr: io.Discard}, []string{"-h"})
	return text.String()
}

// FlagHelp describes a flag.
type FlagHelp struct {
	Name, Doc string
	HasValue  bool
}

// Flags lists a command's flags.
func (c *Command) Flags() (flags []FlagHelp) {
	_, text, _ := strings.Cut(c.HelpText(), "\nFlags:\n")
	// package flag prints the name, the kind of value, and on the same line or the next the
	// description
	flagLine := regexp.MustCompile(`(?m)^  -(\S+)( \S+)?(?:\n   )? {4,}(.+)$`)
	for _, m := range flagLine.FindAllStringSubmatch(text, -1) {
		flags = append(flags, FlagHelp{m[1], m[3], m[2] != ""})
	}
	return flags
}
