package main

import (
	"github.com/gpuc/gpuc/cmd/gpuc/internal/cli"
	"github.com/gpuc/gpuc/frontend/wgsl/lsp"
)

var lspCommand = cli.Command{
	Name:     "lsp",
	Run:      runLSP,
	Summary:  "serve editors: the language server for WGSL",
	Protocol: true,
	Help: `
Speaks the Language Server Protocol on standard input and output. Editors start it: it reports
errors as you type, with fixes; shows types, layouts and values; finds definitions and
references; renames, completes and formats. docs/guide/editors.md has the settings for each
editor, such as

  Neovim      vim.lsp.config('gpuc', {cmd={'gpuc', 'lsp'}, filetypes={'wgsl'}})
  Helix       [language-server.gpuc]  command = "gpuc"  args = ["lsp"]
  Emacs       (add-to-list 'eglot-server-programs '(wgsl-mode "gpuc" "lsp"))
  VS Code     any extension that starts a language server: command gpuc, argument lsp

The exit status is 0 if the editor shut the server down by the protocol, else 1.
`,
}

func runLSP(e *cli.Env, args []string) error {
	f := e.NewFlags()
	f.Bool("stdio", true, "use standard input and output, which is the default; some editors give this flag")
	if err := e.ParseFlags(f, args); err != nil {
		return err
	}
	e.Awaits("an editor")
	version, _ := cli.Version()
	return lsp.Serve(e.Stdin, e.Stdout, version)
}
