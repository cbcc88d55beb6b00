package wgsl

import "github.com/gpuc/gpuc/frontend/wgsl/syntax"

// Broken returns a compiler whose first stage fails: its parser knows no words.
func Broken() *Compiler { return &Compiler{parser: new(syntax.Parser)} }
