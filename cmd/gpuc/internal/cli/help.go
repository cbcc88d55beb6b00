package cli

import (
	"bytes"
	"flag"
	"io"
	"strings"
)

// HelpText returns what -h prints.
func (c *Command) HelpText() string {
	text, _ := c.help()
	return text
}

// help returns what -h prints, and the flags.
func (c *Command) help() (string, *flag.FlagSet) {
	var text bytes.Buffer
	e := &Env{command: c, Stdin: strings.NewReader(""), Stdout: &text, Stderr: io.Discard}
	_ = c.Run(e, []string{"-h"})
	return text.String(), e.flags
}

// FlagHelp describes a flag.
type FlagHelp struct {
	Name, Doc string
	HasValue  bool
}

// Flags lists a command's flags.
func (c *Command) Flags() (list []FlagHelp) {
	_, flags := c.help()
	flags.VisitAll(func(f *flag.Flag) {
		value, doc := flag.UnquoteUsage(f)
		list = append(list, FlagHelp{f.Name, doc, value != ""})
	})
	return list
}
