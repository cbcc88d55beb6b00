; LLVM IR written by gpuc for gfx1100
target triple = "amdgcn-amd-amdhsa"

@.shared_4_tile_a = internal addrspace(3) global [1024 x i8] undef, align 16
@.shared_5_tile_b = internal addrspace(3) global [1024 x i8] undef, align 16

define protected amdgpu_kernel void @main(ptr addrspace(1) noalias readonly align 16 %binding_0, ptr addrspace(1) noalias readonly align 16 %binding_1, ptr addrspace(1) noalias readonly align 16 %binding_2, ptr addrspace(1) noalias align 16 %binding_3, i32 %length_1, i32 %length_2, i32 %length_3) #0 {
begin:
	br label %b1

b1:
	%r1 = call i32 @llvm.amdgcn.workgroup.id.x()
	%r2 = call i32 @llvm.amdgcn.workgroup.id.y()
	%r3 = call i32 @llvm.amdgcn.workitem.id.x()
	%r4 = call i32 @llvm.amdgcn.workitem.id.y()
	%r5 = add i32 %length_1, 0
	%r7 = add i32 %length_2, 0
	%r9 = add i32 %length_3, 0
	%d1 = getelementptr i8, ptr addrspace(1) %binding_0, i64 0
	%d3 = getelementptr i8, ptr addrspace(1) %binding_1, i64 0
	%d5 = getelementptr i8, ptr addrspace(1) %binding_2, i64 0
	%d7 = getelementptr i8, ptr addrspace(1) %binding_3, i64 0
	%r6 = sub i32 %r5, 1
	%r8 = sub i32 %r7, 1
	%r10 = shl i32 %r2, 4
	%r11 = add i32 %r10, %r4
	%r12 = shl i32 %r1, 4
	%r13 = add i32 %r12, %r3
	%t1 = getelementptr i8, ptr addrspace(1) %d1, i64 8
	%r14 = load i32, ptr addrspace(1) %t1, align 4, !invariant.load !1
	%r15 = mul i32 %r4, 64
	%r16 = mul i32 %r3, 4
	%r17 = add i32 %r15, %r16
	%r18 = load i32, ptr addrspace(1) %d1, align 4, !invariant.load !1
	%p1 = icmp ult i32 %r11, %r18
	%r19 = mul i32 %r11, %r14
	%t2 = getelementptr i8, ptr addrspace(1) %d1, i64 4
	%r20 = load i32, ptr addrspace(1) %t2, align 4, !invariant.load !1
	%p2 = icmp ult i32 %r13, %r20
	br label %b4

b4:
	%r21 = phi float [ 0x0000000000000000, %b1 ], [ %r32, %b15 ]
	%r22 = phi i32 [ 0, %b1 ], [ %r42, %b15 ]
	%p3 = icmp ult i32 %r22, %r14
	br i1 %p3, label %b6, label %b3

b6:
	%r23 = add i32 %r3, %r22
	%t3 = getelementptr i8, ptr addrspace(3) @.shared_4_tile_a, i32 %r17
	store float 0x0000000000000000, ptr addrspace(3) %t3, align 4
	%p4 = icmp ult i32 %r23, %r14
	%p5 = and i1 %p1, %p4
	br i1 %p5, label %b10, label %b9

b10:
	%r24 = add i32 %r23, %r19
	%r25 = call i32 @llvm.umin.i32(i32 %r24, i32 %r6)
	%t4 = zext i32 %r25 to i64
	%t5 = zext i32 4 to i64
	%d2 = mul i64 %t4, %t5
	%t6 = getelementptr i8, ptr addrspace(1) %d3, i64 %d2
	%r26 = load float, ptr addrspace(1) %t6, align 4, !invariant.load !1
	%t7 = getelementptr i8, ptr addrspace(3) @.shared_4_tile_a, i32 %r17
	store float %r26, ptr addrspace(3) %t7, align 4
	br label %b9

b9:
	%r27 = add i32 %r4, %r22
	%t8 = getelementptr i8, ptr addrspace(3) @.shared_5_tile_b, i32 %r17
	store float 0x0000000000000000, ptr addrspace(3) %t8, align 4
	%p6 = icmp ult i32 %r27, %r14
	%p7 = and i1 %p6, %p2
	br i1 %p7, label %b13, label %b12

b13:
	%r28 = mul i32 %r27, %r20
	%r29 = add i32 %r13, %r28
	%r30 = call i32 @llvm.umin.i32(i32 %r29, i32 %r8)
	%t9 = zext i32 %r30 to i64
	%t10 = zext i32 4 to i64
	%d4 = mul i64 %t9, %t10
	%t11 = getelementptr i8, ptr addrspace(1) %d5, i64 %d4
	%r31 = load float, ptr addrspace(1) %t11, align 4, !invariant.load !1
	%t12 = getelementptr i8, ptr addrspace(3) @.shared_5_tile_b, i32 %r17
	store float %r31, ptr addrspace(3) %t12, align 4
	br label %b12

b12:
	fence syncscope("workgroup") release
	call void @llvm.amdgcn.s.barrier()
	fence syncscope("workgroup") acquire
	br label %b16

b16:
	%r32 = phi float [ %r21, %b12 ], [ %r40, %b18 ]
	%r33 = phi i32 [ 0, %b12 ], [ %r41, %b18 ]
	%p8 = icmp ult i32 %r33, 16
	br i1 %p8, label %b18, label %b15

b18:
	%r34 = mul i32 %r33, 4
	%r35 = add i32 %r15, %r34
	%t13 = getelementptr i8, ptr addrspace(3) @.shared_4_tile_a, i32 %r35
	%r36 = load float, ptr addrspace(3) %t13, align 4
	%r37 = mul i32 %r33, 64
	%r38 = add i32 %r16, %r37
	%t14 = getelementptr i8, ptr addrspace(3) @.shared_5_tile_b, i32 %r38
	%r39 = load float, ptr addrspace(3) %t14, align 4
	%r40 = call float @llvm.fma.f32(float %r36, float %r39, float %r32)
	%r41 = add i32 %r33, 1
	br label %b16

b15:
	fence syncscope("workgroup") release
	call void @llvm.amdgcn.s.barrier()
	fence syncscope("workgroup") acquire
	%r42 = add i32 %r22, 16
	br label %b4

b3:
	%p9 = and i1 %p1, %p2
	br i1 %p9, label %b22, label %b21

b22:
	%r43 = mul i32 %r11, %r20
	%r44 = add i32 %r13, %r43
	%p10 = icmp ult i32 %r44, %r9
	br i1 %p10, label %b25, label %b21

b25:
	%t15 = zext i32 %r44 to i64
	%t16 = zext i32 4 to i64
	%d6 = mul i64 %t15, %t16
	%t17 = getelementptr i8, ptr addrspace(1) %d7, i64 %d6
	store float %r21, ptr addrspace(1) %t17, align 4
	br label %b21

b21:
	ret void
}

declare i32 @llvm.amdgcn.workgroup.id.x()

declare i32 @llvm.amdgcn.workgroup.id.y()

declare i32 @llvm.amdgcn.workitem.id.x()

declare i32 @llvm.amdgcn.workitem.id.y()

declare i32 @llvm.umin.i32(i32 %0, i32 %1)

declare void @llvm.amdgcn.s.barrier()

declare float @llvm.fma.f32(float %0, float %1, float %2)

attributes #0 = { norecurse nounwind "target-cpu"="gfx1100" "target-features"="+wavefrontsize32" "amdgpu-flat-work-group-size"="256,256" "uniform-work-group-size"="true" "amdgpu-no-workitem-id-z" "amdgpu-no-workgroup-id-z" "amdgpu-no-implicitarg-ptr" "amdgpu-no-dispatch-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-queue-ptr" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-lds-kernel-id" }
attributes #1 = { norecurse nounwind "target-cpu"="gfx1100" "target-features"="+wavefrontsize32" "amdgpu-no-workitem-id-x" "amdgpu-no-workgroup-id-x" "amdgpu-no-workitem-id-y" "amdgpu-no-workgroup-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-workgroup-id-z" "amdgpu-no-implicitarg-ptr" "amdgpu-no-dispatch-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-queue-ptr" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-lds-kernel-id" }

!llvm.ident = !{!3}
!llvm.module.flags = !{!0}

!0 = !{i32 1, !"amdhsa_code_object_version", i32 500}
!1 = !{}
!2 = !{float 2.5}
!3 = !{!"gpuc's LLVM IR"}
