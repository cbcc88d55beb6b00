package ptx

import "github.com/gpuc/gpuc/codegen"

// profiles are the devices that PTX can be written for, by compute capability. Each has the version
// of PTX that first supports it (PTX ISA, release notes; ten times the version). It also has the
// workgroup memory that it grants (CUDA Programming Guide, compute capabilities: the most shared
// memory of a thread block).
var profiles = []codegen.Profile{
	{Name: "sm_70", Doc: "Volta: V100", Version: 63, Machine: 70, WorkgroupBytes: 96 << 10},
	{Name: "sm_75", Doc: "Turing: T4, RTX 20", Version: 63, Machine: 75, WorkgroupBytes: 64 << 10},
	{Name: "sm_80", Doc: "Ampere: A100", Version: 70, Machine: 80, WorkgroupBytes: 163 << 10, Fragments: fragmentProducts, FragmentTable: &fragmentTable, Copies: true},
	{Name: "sm_86", Doc: "Ampere: A10, A40, RTX 30", Version: 71, Machine: 86, WorkgroupBytes: 99 << 10, Fragments: fragmentProducts, FragmentTable: &fragmentTable, Copies: true},
	{Name: "sm_89", Doc: "Ada: L4, L40, RTX 40", Version: 78, Machine: 89, WorkgroupBytes: 99 << 10, Fragments: fragmentProducts, FragmentTable: &fragmentTable, Copies: true},
	{Name: "sm_90", Doc: "Hopper: H100, H200", Version: 78, Machine: 90, WorkgroupBytes: 227 << 10, Fragments: wideProducts, FragmentTable: &wideTable, Copies: true},
	{Name: "sm_90a", Doc: "Hopper alone, with what later devices do not have", Version: 80, Machine: 90, Exact: true, WorkgroupBytes: 227 << 10, Fragments: wideProducts, FragmentTable: &wideTable, Copies: true},
	{Name: "sm_100", Doc: "Blackwell: B100, B200", Version: 86, Machine: 100, WorkgroupBytes: 227 << 10, Fragments: wideProducts, FragmentTable: &wideTable, Copies: true},
	{Name: "sm_100a", Doc: "this Blackwell alone", Version: 86, Machine: 100, Exact: true, WorkgroupBytes: 227 << 10, Fragments: wideProducts, FragmentTable: &wideTable, Copies: true},
	{Name: "sm_120", Doc: "Blackwell: RTX 50", Version: 87, Machine: 120, WorkgroupBytes: 99 << 10, Fragments: wideProducts, FragmentTable: &wideTable, Copies: true},
}

// reducing is the compute capability that has redux.sync (PTX ISA, redux.sync).
const reducing = 80
