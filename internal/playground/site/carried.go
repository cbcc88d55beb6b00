//go:build playground

package site

import "embed"

// made has the compiler for browsers and the script that loads it, if the program is built with the
// tag playground. The files are not in the repository: such a build adds them (Overlay).
//
//go:embed gpuc.wasm.gz wasm_exec.js
var made embed.FS

// carried returns the compiler and the script.
func carried() (wasm, script []byte, err error) {
	if wasm, err = made.ReadFile(compiler); err == nil {
		script, err = made.ReadFile(loader)
	}
	return wasm, script, err
}
