module github.com/gpuc/gpuc/internal/emulate/gfx942

go 1.26.0

require (
	github.com/gpuc/gpuc v0.0.0-00010101000000-000000000000
	github.com/sarchlab/akita/v4 v4.9.0
	github.com/sarchlab/mgpusim/v4 v4.2.0
)

require (
	github.com/ebitengine/purego v0.11.3 // indirect
	github.com/llir/llvm v0.3.7-0.20241206180354-f0912dd3bef2 // indirect
	github.com/mewmew/float v0.0.0-20201204173432-505706aa38fa // indirect
	github.com/pkg/errors v0.9.1 // indirect
	github.com/rs/xid v1.6.0 // indirect
	github.com/tebeka/atexit v0.3.0 // indirect
	golang.org/x/mod v0.42.0 // indirect
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/text v0.43.0 // indirect
	golang.org/x/tools v0.52.0 // indirect
)

replace github.com/gpuc/gpuc => ../../..
