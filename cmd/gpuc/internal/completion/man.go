package completion

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/cli"
)

// Man is gpuc man.
var Man = cli.Command{
	Name:    "man",
	Run:     runMan,
	Summary: "print the manual page",
	Help: `
Prints the manual page, in man's format: the -h of all commands.

  gpuc man > /usr/local/share/man/man1/gpuc.1
  gpuc man | man -l -                            to read it at once
`,
}

func runMan(e *cli.Env, args []string) error {
	if err := e.ParseFlags(e.NewFlags(), args); err != nil {
		return err
	}
	_, err := io.WriteString(e.Stdout, manualPage(e.App))
	return err
}

// manualPage returns the manual page of gpuc for man(1): what the -h of all commands say.
func manualPage(a *cli.App) string {
	var overview bytes.Buffer
	a.List(&overview)
	var b strings.Builder
	b.WriteString(".TH GPUC 1\n.SH NAME\ngpuc \\- compile GPU kernels: one source, every GPU\n.SH OVERVIEW\n")
	preformatted(&b, overview.String())
	for _, c := range a.Commands {
		fmt.Fprintf(&b, ".SH GPUC %s\n", strings.ToUpper(c.Name))
		preformatted(&b, c.HelpText())
	}
	fmt.Fprintf(&b, ".SH EXIT STATUS\n%d if all is well, %d if the program, its input or the device is at fault, %d if the command line is, %d if gpuc is; %d if Ctrl-C ended -watch.\n",
		cli.ExitOK, cli.ExitDiagnostics, cli.ExitUsage, cli.ExitInternal, cli.ExitInterrupted)
	return b.String()
}

// preformatted writes text verbatim. It escapes what has a meaning in roff: dots and apostrophes at
// the beginning of a line, backslashes and hyphens, and characters beyond ASCII.
func preformatted(b *strings.Builder, text string) {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", "\\(ga").Replace(strings.TrimSpace(text))
	b.WriteString(".nf\n")
	for line := range strings.Lines(text + "\n") {
		if strings.HasPrefix(line, ".") {
			line = `\&` + line
		}
		for _, r := range line {
			if r < utf8.RuneSelf {
				b.WriteRune(r)
			} else {
				fmt.Fprintf(b, "\\[u%04X]", r)
			}
		}
	}
	b.WriteString(".fi\n")
}
