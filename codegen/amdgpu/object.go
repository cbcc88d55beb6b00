package amdgpu

import (
	"errors"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/codeobject"
)

// makeObject makes a code object of the text. It is no part of a compilation, which needs no tool,
// but of a build that writes files; a runtime that is given the text does the same.
func makeObject(a *abi.Artefact) ([]byte, error) {
	made, err := codeobject.Make(a)
	if errors.Is(err, codeobject.ErrNoTool) {
		return nil, codegen.MissingTool(err.Error())
	}
	return made, err
}
