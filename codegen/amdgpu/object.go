package amdgpu

import (
	"errors"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/codeobject"
)

// makeObject makes a code object from LLVM IR. A compilation does not call it and so needs no tool;
// a build that writes files does, and a runtime that is given the text.
func makeObject(a *abi.Artefact) ([]byte, error) {
	made, err := codeobject.Make(a)
	if errors.Is(err, codeobject.ErrNoTool) {
		return nil, codegen.MissingTool(err.Error())
	}
	return made, err
}
