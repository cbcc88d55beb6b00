//go:build playground

package site

import "embed"

// The compiler for browsers and the script that loads it, in a command that was built with the tag
// playground. They are in no repository: who builds such a command lays them here (Overlay), as
// internal/release does.
//
//go:embed gpuc.wasm.gz wasm_exec.js
var made embed.FS

func carried() (wasm, script []byte, err error) {
	if wasm, err = made.ReadFile(compiler); err == nil {
		script, err = made.ReadFile(loader)
	}
	return wasm, script, err
}
