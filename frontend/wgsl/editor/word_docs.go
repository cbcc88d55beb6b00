package editor

// This file describes types and their template arguments, attributes, builtin values, extensions
// and keywords.

// predeclared are the types, address spaces and access modes.
var predeclared = []chapter{
	{"WGSL §6.2", []word{
		{"array", "An array: array<element, count> of fixed size, array<element> at the end of a storage buffer, of as many as it holds."},
		{"atomic", "An i32 or u32 in workgroup or storage memory that invocations may change at once: atomicLoad, atomicAdd and others."},
		{"bool", "True or false. It has no layout in memory that is shared with the host."},
		{"f16", "A floating-point number of 16 bits (IEEE binary16), with the extension f16."},
		{"f32", "A floating-point number of 32 bits (IEEE binary32)."},
		{"i32", "A signed integer of 32 bits in two's complement. Its arithmetic wraps around."},
		{"u32", "An unsigned integer of 32 bits. Its arithmetic wraps around."},
	}},
	{"WGSL §6.4", []word{
		{"ptr", "A pointer: ptr<address space, type of the memory>, and an access mode for storage."},
	}},
	{"WGSL §6.5", []word{
		{"sampler", "How a texture is sampled: filtering, and what lies outside of it."},
		{"sampler_comparison", "How a depth texture is sampled and compared."},
		{"texture_1d", "A sampled texture of one dimension."},
		{"texture_2d", "A sampled texture of two dimensions."},
		{"texture_2d_array", "Sampled textures of two dimensions, with an index."},
		{"texture_3d", "A sampled texture of three dimensions."},
		{"texture_cube", "Six sampled faces of a cube, sampled by a direction."},
		{"texture_cube_array", "Sampled cubes, with an index."},
		{"texture_depth_2d", "A depth texture of two dimensions."},
		{"texture_depth_2d_array", "Depth textures of two dimensions, with an index."},
		{"texture_depth_cube", "Six depth textures that are the faces of a cube."},
		{"texture_depth_cube_array", "Cubes of depth textures, with an index."},
		{"texture_depth_multisampled_2d", "A depth texture with several samples for each texel."},
		{"texture_external", "A frame of a video or the like, which is sampled and cannot be written."},
		{"texture_multisampled_2d", "A texture with several samples for each texel."},
		{"texture_storage_1d", "A texture of one dimension whose texels are read or written by their coordinates."},
		{"texture_storage_2d", "A texture of two dimensions whose texels are read or written by their coordinates."},
		{"texture_storage_2d_array", "Textures of two dimensions, with an index, whose texels are read or written by their coordinates."},
		{"texture_storage_3d", "A texture of three dimensions whose texels are read or written by their coordinates."},
	}},
	{"WGSL extension buffer_view", []word{
		{"buffer", "A buffer whose bytes have no type: bufferView and bufferArrayView look at them as one."},
	}},
	{"WGSL extension chromium_experimental_subgroup_matrix", []word{
		{"col_major", "The columns of a matrix in memory are a stride apart."},
		{"i8", "A signed integer of 8 bits, as the component type of a subgroup matrix."},
		{"row_major", "The rows of a matrix in memory are a stride apart."},
		{"subgroup_matrix_left", "The first operand of a product: subgroup_matrix_left<component, columns, rows>."},
		{"subgroup_matrix_result", "The sum of products: subgroup_matrix_result<component, columns, rows>."},
		{"subgroup_matrix_right", "The second operand of a product: subgroup_matrix_right<component, columns, rows>."},
		{"u8", "An unsigned integer of 8 bits, as the component type of a subgroup matrix."},
	}},
	{"gpuc's extension gpuc_tile", []word{
		{"tile", "A matrix that the invocations of a workgroup hold together: tile<element, rows, columns>. tile<f32, 64, 32>() is zero."},
		{"tile_view", "Where a matrix is in an array: element (r, c) at offset + r * row_stride + c * column_stride, for r < rows and c < columns."},
	}},
	{"WGSL §7.1", []word{
		{"function", "The address space of variables in functions: one for each call."},
		{"immediate", "The address space of a few bytes that come with each launch."},
		{"private", "The address space of variables that each invocation has for itself."},
		{"read", "The access mode of memory that is only read."},
		{"read_write", "The access mode of memory that is read and written."},
		{"storage", "The address space of storage buffers, which are read, and written with the access mode read_write."},
		{"uniform", "The address space of uniform buffers, which are read only."},
		{"workgroup", "The address space of variables that the invocations of a workgroup share."},
		{"write", "The access mode of storage textures that are only written."},
	}},
}

// attributes are the attributes, without their `@`.
var attributes = []chapter{
	{"WGSL §12", []word{
		{"align", "The member's offset is a multiple of this number of bytes, a power of two."},
		{"binding", "The number of the resource in its group."},
		{"blend_src", "Which of two sources of a blend an output is (extension dual_source_blending)."},
		{"builtin", "The parameter, member or result is a builtin value."},
		{"compute", "The function is the entry point of a compute shader. It needs @workgroup_size."},
		{"const", "The function can be evaluated when the shader is created. Only WGSL's own can have it."},
		{"diagnostic", "Gives a diagnostic rule another severity here."},
		{"fragment", "The function is the entry point of a fragment shader."},
		{"group", "The number of the bind group that the resource is in."},
		{"id", "The number by which the pipeline gives the override its value, instead of by its name."},
		{"interpolate", "How the value is interpolated between vertices."},
		{"invariant", "The position is the same for the same computation in different shaders."},
		{"location", "The number of the input or output."},
		{"must_use", "A call whose result is dropped is an error."},
		{"size", "The member takes this number of bytes, at least those that its type needs."},
		{"subgroup_size", "How many invocations a subgroup has (extension subgroup_size_control)."},
		{"vertex", "The function is the entry point of a vertex shader."},
		{"workgroup_size", "How many invocations a workgroup has in x, y and z, as constants or overrides; y and z are 1 if left out."},
	}},
}

// builtinValues are the arguments of @builtin.
var builtinValues = []chapter{
	{"WGSL §13.3.1.1", []word{
		{"clip_distances", "The distances to planes that primitives are clipped by (extension clip_distances)."},
		{"frag_depth", "The depth that the fragment is to have."},
		{"front_facing", "Whether the fragment is of a primitive that faces the viewer."},
		{"global_invocation_id", "The invocation's position in the grid: vec3<u32>."},
		{"global_invocation_index", "The invocation's number in the grid: u32."},
		{"instance_index", "The number of the instance that is drawn: u32."},
		{"local_invocation_id", "The invocation's position in its workgroup: vec3<u32>."},
		{"local_invocation_index", "The invocation's number in its workgroup: u32."},
		{"num_subgroups", "How many subgroups the workgroup has: u32 (extension subgroups)."},
		{"num_workgroups", "How many workgroups were dispatched in x, y and z: vec3<u32>."},
		{"position", "The position of the vertex, or of the fragment in the frame: vec4<f32>."},
		{"primitive_index", "The number of the primitive that the fragment is of: u32 (extension primitive_index)."},
		{"sample_index", "The number of the sample: u32."},
		{"sample_mask", "A bit for each sample that the primitive covers, or is to be written: u32."},
		{"subgroup_id", "The number of the subgroup in its workgroup: u32 (extension subgroups)."},
		{"subgroup_invocation_id", "The invocation's number in its subgroup: u32 (extension subgroups)."},
		{"subgroup_size", "How many invocations the subgroup has: u32 (extension subgroups)."},
		{"vertex_index", "The number of the vertex: u32."},
		{"workgroup_id", "The workgroup's position among the workgroups: vec3<u32>."},
		{"workgroup_index", "The workgroup's number among the workgroups: u32."},
	}},
}

// extensions are what `enable` turns on.
var extensions = []chapter{
	{"WGSL §4.1.1", []word{
		{"atomic_vec2u_min_max", "Atomics of 64 bits, as vec2<u32>, with atomicStoreMax and atomicStoreMin."},
		{"chromium_experimental_subgroup_matrix", "Matrices that the invocations of a subgroup hold together, and their products."},
		{"clip_distances", "The builtin value clip_distances of vertex shaders."},
		{"dual_source_blending", "The attribute blend_src of fragment shaders."},
		{"f16", "The type f16, and literals that end in h."},
		{"gpuc_debug", "printf and assert in kernels, which gpuc -debug shows. It is no WGSL."},
		{"gpuc_tile", "Tiles: matrices that a workgroup computes with. It is no WGSL."},
		{"primitive_index", "The builtin value primitive_index of fragment shaders."},
		{"subgroup_size_control", "The attribute subgroup_size."},
		{"subgroups", "The builtin functions and values of subgroups."},
	}},
}

// globalWords and statementWords are the keywords that begin a declaration at module scope and a
// statement.
var (
	globalWords = []word{
		{"alias", "Another name for a type."}, {"const", "A value that is known when the shader is created."},
		{"const_assert", "A condition that must hold when the shader is created."}, {"diagnostic", "Gives a diagnostic rule another severity in the file."},
		{"enable", "Turns on an extension."}, {"fn", "A function."}, {"override", "A value that the pipeline can give."},
		{"requires", "Says that the file needs a language extension."}, {"struct", "A structure."}, {"var", "A variable at module scope, with its address space."},
	}
	statementWords = []word{
		{"break", "Leaves a loop or switch."}, {"const", "A value that is known when the shader is created."}, {"const_assert", "A condition that must hold when the shader is created."},
		{"continue", "Begins the next iteration of a loop."}, {"continuing", "What a loop does before its next iteration."}, {"discard", "Throws the fragment away."},
		{"for", "A loop with a head."}, {"if", "A condition."}, {"let", "A value with a name."}, {"loop", "A loop that a break ends."}, {"return", "Leaves the function."},
		{"switch", "A choice by an integer."}, {"var", "A variable of this function."}, {"while", "A loop with a condition."},
	}
	valueWords = []word{{"false", "A bool."}, {"true", "A bool."}}
)
