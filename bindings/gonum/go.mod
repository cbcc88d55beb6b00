module github.com/gpuc/gpuc/bindings/gonum

go 1.26.0

require github.com/gpuc/gpuc v0.0.0

require (
	github.com/ebitengine/purego v0.11.3 // indirect
	gonum.org/v1/gonum v0.17.0
)

replace github.com/gpuc/gpuc => ../..
