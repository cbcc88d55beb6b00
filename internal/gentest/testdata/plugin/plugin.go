// Package kernels lets golangci-lint check GPU kernels written in Go.
package kernels

import (
	"github.com/golangci/plugin-module-register/register"
	"github.com/gpuc/gpuc/frontend/gokernel/kernelcheck"
	"golang.org/x/tools/go/analysis"
)

func init() {
	register.Plugin("gpuc", func(any) (register.LinterPlugin, error) { return plugin{}, nil })
}

type plugin struct{}

func (plugin) BuildAnalyzers() ([]*analysis.Analyzer, error) {
	return []*analysis.Analyzer{kernelcheck.Analyzer}, nil
}

func (plugin) GetLoadMode() string { return register.LoadModeTypesInfo }
