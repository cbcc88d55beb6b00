// Benchmarks that compare gpuc with its peers live in a module of their own, so
// that no peer is a dependency of gpuc.
module github.com/gpuc/gpuc/testdata/benchmarks/compile

go 1.26.0

replace github.com/gpuc/gpuc => ../../..

require (
	github.com/gogpu/naga v0.18.0
	github.com/gpuc/gpuc v0.0.0-00010101000000-000000000000
)
