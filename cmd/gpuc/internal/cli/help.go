package cli

import (
	"bytes"
	"io"
	"regexp"
	"strings"
)

// HelpText is what -h prints.
func (c *Command) HelpText() string {
	var text bytes.Buffer
	// it ends with errHelp
	c.Run(&Env{command: c, Stdin: strings.NewReader(""), Stdout: &text, Stderr: io.Discard}, []string{"-h"})
	return text.String()
}

// FlagHelp is a flag as -h shows it.
type FlagHelp struct {
	Name, Doc string
	Takes     bool // a value
}

// flagLine is how package flag shows a flag: its name, what it takes, and on the same
// line or the next one what it does.
var flagLine = regexp.MustCompile(`(?m)^  -(\S+)( \S+)?(?:\n   )? {4,}(.+)$`)

// Flags lists a command's flags.
func (c *Command) Flags() (flags []FlagHelp) {
	_, text, _ := strings.Cut(c.HelpText(), "\nFlags:\n")
	for _, m := range flagLine.FindAllStringSubmatch(text, -1) {
		flags = append(flags, FlagHelp{m[1], m[3], m[2] != ""})
	}
	return flags
}
