package spirv_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	target "github.com/gpuc/gpuc/codegen/spirv"
	"github.com/gpuc/gpuc/frontend"
	"github.com/gpuc/gpuc/internal/emulate"
	"github.com/gpuc/gpuc/internal/emulate/spirv"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/exectest"
)
