// Benchmarks that compare gpuc with its peers live in a module of their own, so
// that no peer is a dependency of gpuc.
module github.com/gpuc/gpuc/testdata/benchmarks/compile

go 1.26

replace github.com/gpuc/gpuc => ../../..

require github.com/gogpu/naga v0.18.0 // indirect
