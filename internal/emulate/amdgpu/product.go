package amdgpu

import (
	"fmt"
	"strings"
)

// This file has products of matrices on the host. Vectors are passed in memory, since the functions
// of hooks.h are compiled by another compiler than their callers.

// product is an intrinsic that multiplies matrices: its types, and what amdgcn_product is told.
type product struct {
	name, operand, sums string
	depth               int
	element, form       string // enumerators of hooks.h
}

var products = []product{
	{"mfma.f32.16x16x16f16", "<4 x half>", "<4 x float>", 16, "half_element", "quarters"},
	{"mfma.f32.16x16x16bf16.1k", "<4 x i16>", "<4 x float>", 16, "brain_element", "quarters"},
	{"mfma.i32.16x16x32.i8", "i64", "<4 x i32>", 32, "byte_element", "quarters"},
	{"mfma.i32.16x16x16i8", "i32", "<4 x i32>", 16, "byte_element", "quarters"},
	{"mfma.f32.16x16x4f32", "float", "<4 x float>", 4, "single_element", "quarters"},
	{"mfma.f64.16x16x4f64", "double", "<4 x double>", 4, "double_element", "quarters"},
	{"wmma.f32.16x16x16.f16.v8f32.v16f16", "<16 x half>", "<8 x float>", 16, "half_element", "repeated"},
	{"wmma.f32.16x16x16.bf16.v8f32.v16i16", "<16 x i16>", "<8 x float>", 16, "brain_element", "repeated"},
	{"wmma.i32.16x16x16.iu8.v8i32.v4i32", "<4 x i32>", "<8 x i32>", 16, "byte_element", "repeated"},
	{"wmma.f32.16x16x16.f16.v8f32.v8f16", "<8 x half>", "<8 x float>", 16, "half_element", "halves"},
	{"wmma.f32.16x16x16.bf16.v8f32.v8i16", "<8 x i16>", "<8 x float>", 16, "brain_element", "halves"},
	{"wmma.i32.16x16x16.iu8.v8i32.v2i32", "<2 x i32>", "<8 x i32>", 16, "byte_element", "halves"},
}

// enumerators are those of hooks.h, whose values are their indices.
var enumerators = []string{"half_element", "brain_element", "byte_element", "single_element", "double_element", "quarters", "repeated", "halves"}

// isProduct reports whether an intrinsic multiplies matrices.
func isProduct(name string) bool {
	for n := range products {
		if products[n].name == name {
			return true
		}
	}
	return false
}

// define returns the function for the intrinsic, whose first argument is a line.
func (p *product) define() string {
	number := func(name string) int {
		for n := range enumerators {
			if enumerators[n] == name {
				return n
			}
		}
		panic("no enumerator " + name)
	}
	parameters, signs := fmt.Sprintf("%[1]s %%a, %[1]s %%b, %[2]s %%c, i32, i32, i32", p.operand, p.sums), "i32 1, i32 1"
	switch {
	case strings.Contains(p.name, ".iu8."):
		parameters, signs = fmt.Sprintf("i1 %%sa, %[1]s %%a, i1 %%sb, %[1]s %%b, %[2]s %%c, i1", p.operand, p.sums), "i32 %ea, i32 %eb"
	case p.form != "quarters":
		parameters = fmt.Sprintf("%[1]s %%a, %[1]s %%b, %[2]s %%c", p.operand, p.sums)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "define internal %s @amdgcn_%s(i32 %%line, %s) #8 {\n", p.sums, strings.ReplaceAll(p.name, ".", "_"), parameters)
	if strings.Contains(signs, "%") {
		b.WriteString("  %ea = zext i1 %sa to i32\n  %eb = zext i1 %sb to i32\n")
	}
	for _, x := range []struct{ name, t string }{{"a", p.operand}, {"b", p.operand}, {"c", p.sums}} {
		fmt.Fprintf(&b, "  %%p%[1]s = alloca %[2]s\n  store %[2]s %%%[1]s, ptr %%p%[1]s\n", x.name, x.t)
	}
	fmt.Fprintf(&b, "  call void @amdgcn_product(i32 %%line, i32 %d, i32 %d, i32 %d, %s, ptr %%pa, ptr %%pb, ptr %%pc)\n",
		p.depth, number(p.element), number(p.form), signs)
	fmt.Fprintf(&b, "  %%d = load %[1]s, ptr %%pc\n  ret %[1]s %%d\n}\n", p.sums)
	return b.String()
}

// definitions returns the functions for the products in a program.
func definitions(code string) string {
	var b strings.Builder
	for n := range products {
		if strings.Contains(code, "@llvm.amdgcn."+products[n].name+"(") {
			b.WriteString(products[n].define())
		}
	}
	return b.String()
}
