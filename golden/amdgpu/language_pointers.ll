; LLVM IR written by gpuc for gfx1100
target triple = "amdgcn-amd-amdhsa"

@.shared_2_shared_cells = internal addrspace(3) global [160 x i8] undef, align 16

define protected amdgpu_kernel void @main(ptr addrspace(1) noalias align 16 %binding_0, ptr addrspace(1) noalias align 16 %binding_1, i32 %length_0, i32 %length_1) #0 {
begin:
	%local_110 = alloca [40 x i8], align 16, addrspace(5)
	br label %b1

b1:
	%r1 = call i32 @llvm.amdgcn.workgroup.id.x()
	%r2 = mul i32 %r1, 8
	%r3 = call i32 @llvm.amdgcn.workitem.id.x()
	%r4 = add i32 %r2, %r3
	%r5 = add i32 %length_1, 0
	%r42 = add i32 %length_0, 0
	%d2 = getelementptr i8, ptr addrspace(1) %binding_0, i64 0
	%d8 = getelementptr i8, ptr addrspace(1) %binding_1, i64 0
	%t1 = insertelement <4 x i32> poison, i32 0, i32 0
	%t2 = insertelement <4 x i32> %t1, i32 0, i32 1
	%t3 = insertelement <4 x i32> %t2, i32 0, i32 2
	%t4 = insertelement <4 x i32> %t3, i32 0, i32 3
	store <4 x i32> %t4, ptr addrspace(5) %local_110, align 16
	%t5 = getelementptr i8, ptr addrspace(5) %local_110, i32 16
	%t6 = insertelement <4 x i32> poison, i32 0, i32 0
	%t7 = insertelement <4 x i32> %t6, i32 0, i32 1
	%t8 = insertelement <4 x i32> %t7, i32 0, i32 2
	%t9 = insertelement <4 x i32> %t8, i32 0, i32 3
	store <4 x i32> %t9, ptr addrspace(5) %t5, align 16
	%t10 = getelementptr i8, ptr addrspace(5) %local_110, i32 32
	%t11 = insertelement <2 x i32> poison, i32 0, i32 0
	%t12 = insertelement <2 x i32> %t11, i32 0, i32 1
	store <2 x i32> %t12, ptr addrspace(5) %t10, align 16
	%r6 = and i32 %r4, 1
	%r7 = shl i32 %r4, 1
	%r8 = mul i32 %r6, 20
	br label %b4

b4:
	%r9 = phi i32 [ 0, %b1 ], [ %r17, %b6 ]
	%r10 = phi i32 [ 0, %b1 ], [ %r20, %b6 ]
	%p1 = icmp ult i32 %r10, 4
	br i1 %p1, label %b6, label %b3

b6:
	%r11 = mul i32 %r10, 4
	%r12 = add i32 %r8, %r11
	%r13 = add i32 %r7, %r10
	%t13 = getelementptr i8, ptr addrspace(5) %local_110, i32 %r12
	store i32 %r13, ptr addrspace(5) %t13, align 4
	%r14 = add i32 %r13, %r10
	%t14 = getelementptr i8, ptr addrspace(5) %local_110, i32 %r12
	store i32 %r14, ptr addrspace(5) %t14, align 4
	%r15 = mul i32 %r10, 10
	%r16 = add i32 %r14, %r15
	%t15 = getelementptr i8, ptr addrspace(5) %local_110, i32 %r12
	store i32 %r16, ptr addrspace(5) %t15, align 4
	%r17 = add i32 %r9, 1
	%t16 = getelementptr i8, ptr addrspace(5) %local_110, i32 %r8
	%t17 = getelementptr i8, ptr addrspace(5) %t16, i32 16
	%r18 = load i32, ptr addrspace(5) %t17, align 4
	%r19 = add i32 %r16, %r18
	%t18 = getelementptr i8, ptr addrspace(5) %local_110, i32 %r8
	%t19 = getelementptr i8, ptr addrspace(5) %t18, i32 16
	store i32 %r19, ptr addrspace(5) %t19, align 4
	%r20 = add i32 %r10, 1
	br label %b4

b3:
	br label %b10

b10:
	%r21 = phi i32 [ %r9, %b3 ], [ %r28, %b12 ]
	%r22 = phi i32 [ 0, %b3 ], [ %r31, %b12 ]
	%p2 = icmp ult i32 %r22, 4
	br i1 %p2, label %b12, label %b9

b12:
	%r23 = mul i32 %r22, 4
	%r24 = add i32 %r22, 50
	%t20 = getelementptr i8, ptr addrspace(5) %local_110, i32 %r23
	%t21 = getelementptr i8, ptr addrspace(5) %t20, i32 20
	store i32 %r24, ptr addrspace(5) %t21, align 4
	%r25 = add i32 %r24, %r22
	%t22 = getelementptr i8, ptr addrspace(5) %local_110, i32 %r23
	%t23 = getelementptr i8, ptr addrspace(5) %t22, i32 20
	store i32 %r25, ptr addrspace(5) %t23, align 4
	%r26 = mul i32 %r22, 10
	%r27 = add i32 %r25, %r26
	%t24 = getelementptr i8, ptr addrspace(5) %local_110, i32 %r23
	%t25 = getelementptr i8, ptr addrspace(5) %t24, i32 20
	store i32 %r27, ptr addrspace(5) %t25, align 4
	%r28 = add i32 %r21, 1
	%t26 = getelementptr i8, ptr addrspace(5) %local_110, i32 36
	%r29 = load i32, ptr addrspace(5) %t26, align 4
	%r30 = add i32 %r27, %r29
	%t27 = getelementptr i8, ptr addrspace(5) %local_110, i32 36
	store i32 %r30, ptr addrspace(5) %t27, align 4
	%r31 = add i32 %r22, 1
	br label %b10

b9:
	%r32 = add i32 %r4, 7
	%r33 = load i32, ptr addrspace(5) %local_110, align 4
	store i32 %r32, ptr addrspace(5) %local_110, align 4
	%t28 = getelementptr i8, ptr addrspace(5) %local_110, i32 32
	store i32 %r33, ptr addrspace(5) %t28, align 4
	%r34 = mul i32 %r3, 20
	%t29 = getelementptr i8, ptr addrspace(5) %local_110, i32 20
	%r35 = load i32, ptr addrspace(5) %t29, align 4
	%t30 = getelementptr i8, ptr addrspace(5) %local_110, i32 24
	%r36 = load i32, ptr addrspace(5) %t30, align 4
	%t31 = getelementptr i8, ptr addrspace(5) %local_110, i32 28
	%r37 = load i32, ptr addrspace(5) %t31, align 4
	%t32 = getelementptr i8, ptr addrspace(5) %local_110, i32 32
	%r38 = load i32, ptr addrspace(5) %t32, align 4
	%t33 = getelementptr i8, ptr addrspace(5) %local_110, i32 36
	%r39 = load i32, ptr addrspace(5) %t33, align 4
	%t34 = getelementptr i8, ptr addrspace(3) @.shared_2_shared_cells, i32 %r34
	store i32 %r35, ptr addrspace(3) %t34, align 4
	%t35 = getelementptr i8, ptr addrspace(3) @.shared_2_shared_cells, i32 %r34
	%t36 = getelementptr i8, ptr addrspace(3) %t35, i32 4
	store i32 %r36, ptr addrspace(3) %t36, align 4
	%t37 = getelementptr i8, ptr addrspace(3) @.shared_2_shared_cells, i32 %r34
	%t38 = getelementptr i8, ptr addrspace(3) %t37, i32 8
	store i32 %r37, ptr addrspace(3) %t38, align 4
	%t39 = getelementptr i8, ptr addrspace(3) @.shared_2_shared_cells, i32 %r34
	%t40 = getelementptr i8, ptr addrspace(3) %t39, i32 12
	store i32 %r38, ptr addrspace(3) %t40, align 4
	%t41 = getelementptr i8, ptr addrspace(3) @.shared_2_shared_cells, i32 %r34
	%t42 = getelementptr i8, ptr addrspace(3) %t41, i32 16
	store i32 %r39, ptr addrspace(3) %t42, align 4
	fence syncscope("workgroup") release
	call void @llvm.amdgcn.s.barrier()
	fence syncscope("workgroup") acquire
	%r40 = add i32 %r3, 1
	%r41 = and i32 %r40, 7
	%p3 = icmp ult i32 %r4, %r42
	br i1 %p3, label %b16, label %b15

b16:
	%t43 = zext i32 %r4 to i64
	%t44 = zext i32 44 to i64
	%d1 = mul i64 %t43, %t44
	%t45 = load <4 x i32>, ptr addrspace(5) %local_110, align 16
	%r43 = extractelement <4 x i32> %t45, i32 0
	%r44 = extractelement <4 x i32> %t45, i32 1
	%r45 = extractelement <4 x i32> %t45, i32 2
	%r46 = extractelement <4 x i32> %t45, i32 3
	%t46 = getelementptr i8, ptr addrspace(5) %local_110, i32 16
	%t47 = load <4 x i32>, ptr addrspace(5) %t46, align 16
	%r47 = extractelement <4 x i32> %t47, i32 0
	%r48 = extractelement <4 x i32> %t47, i32 1
	%r49 = extractelement <4 x i32> %t47, i32 2
	%r50 = extractelement <4 x i32> %t47, i32 3
	%t48 = getelementptr i8, ptr addrspace(5) %local_110, i32 32
	%t49 = load <2 x i32>, ptr addrspace(5) %t48, align 16
	%r51 = extractelement <2 x i32> %t49, i32 0
	%r52 = extractelement <2 x i32> %t49, i32 1
	%t50 = getelementptr i8, ptr addrspace(1) %d2, i64 %d1
	store i32 %r4, ptr addrspace(1) %t50, align 4
	%t51 = getelementptr i8, ptr addrspace(1) %d2, i64 %d1
	%t52 = getelementptr i8, ptr addrspace(1) %t51, i64 4
	store i32 %r43, ptr addrspace(1) %t52, align 4
	%t53 = getelementptr i8, ptr addrspace(1) %d2, i64 %d1
	%t54 = getelementptr i8, ptr addrspace(1) %t53, i64 8
	store i32 %r44, ptr addrspace(1) %t54, align 4
	%t55 = getelementptr i8, ptr addrspace(1) %d2, i64 %d1
	%t56 = getelementptr i8, ptr addrspace(1) %t55, i64 12
	store i32 %r45, ptr addrspace(1) %t56, align 4
	%t57 = getelementptr i8, ptr addrspace(1) %d2, i64 %d1
	%t58 = getelementptr i8, ptr addrspace(1) %t57, i64 16
	store i32 %r46, ptr addrspace(1) %t58, align 4
	%t59 = getelementptr i8, ptr addrspace(1) %d2, i64 %d1
	%t60 = getelementptr i8, ptr addrspace(1) %t59, i64 20
	store i32 %r47, ptr addrspace(1) %t60, align 4
	%t61 = getelementptr i8, ptr addrspace(1) %d2, i64 %d1
	%t62 = getelementptr i8, ptr addrspace(1) %t61, i64 24
	store i32 %r48, ptr addrspace(1) %t62, align 4
	%t63 = getelementptr i8, ptr addrspace(1) %d2, i64 %d1
	%t64 = getelementptr i8, ptr addrspace(1) %t63, i64 28
	store i32 %r49, ptr addrspace(1) %t64, align 4
	%t65 = getelementptr i8, ptr addrspace(1) %d2, i64 %d1
	%t66 = getelementptr i8, ptr addrspace(1) %t65, i64 32
	store i32 %r50, ptr addrspace(1) %t66, align 4
	%t67 = getelementptr i8, ptr addrspace(1) %d2, i64 %d1
	%t68 = getelementptr i8, ptr addrspace(1) %t67, i64 36
	store i32 %r51, ptr addrspace(1) %t68, align 4
	%t69 = getelementptr i8, ptr addrspace(1) %d2, i64 %d1
	%t70 = getelementptr i8, ptr addrspace(1) %t69, i64 40
	store i32 %r52, ptr addrspace(1) %t70, align 4
	%r53 = and i32 %r4, 3
	%t71 = zext i32 %r6 to i64
	%t72 = zext i32 20 to i64
	%d3 = mul i64 %t71, %t72
	%d4 = add i64 %d1, %d3
	%t73 = zext i32 %r53 to i64
	%t74 = zext i32 4 to i64
	%d5 = mul i64 %t73, %t74
	%d6 = add i64 %d4, %d5
	%t75 = getelementptr i8, ptr addrspace(1) %d2, i64 %d6
	%t76 = getelementptr i8, ptr addrspace(1) %t75, i64 4
	%r54 = load i32, ptr addrspace(1) %t76, align 4
	%r55 = add i32 %r54, 100
	%t77 = getelementptr i8, ptr addrspace(1) %d2, i64 %d6
	%t78 = getelementptr i8, ptr addrspace(1) %t77, i64 4
	store i32 %r55, ptr addrspace(1) %t78, align 4
	%t79 = getelementptr i8, ptr addrspace(1) %d2, i64 %d4
	%t80 = getelementptr i8, ptr addrspace(1) %t79, i64 20
	%r56 = load i32, ptr addrspace(1) %t80, align 4
	%r57 = add i32 %r56, 100
	%t81 = getelementptr i8, ptr addrspace(1) %d2, i64 %d4
	%t82 = getelementptr i8, ptr addrspace(1) %t81, i64 20
	store i32 %r57, ptr addrspace(1) %t82, align 4
	%r58 = mul i32 %r41, 20
	%t83 = getelementptr i8, ptr addrspace(3) @.shared_2_shared_cells, i32 %r58
	%t84 = getelementptr i8, ptr addrspace(3) %t83, i32 16
	%r59 = load i32, ptr addrspace(3) %t84, align 4
	%t85 = getelementptr i8, ptr addrspace(3) @.shared_2_shared_cells, i32 %r58
	%t86 = getelementptr i8, ptr addrspace(3) %t85, i32 12
	%r60 = load i32, ptr addrspace(3) %t86, align 4
	%r61 = load i32, ptr addrspace(5) %local_110, align 4
	%p4 = icmp ult i32 %r4, %r5
	br i1 %p4, label %b19, label %b15

b19:
	%t87 = zext i32 %r4 to i64
	%t88 = zext i32 16 to i64
	%d7 = mul i64 %t87, %t88
	%t89 = getelementptr i8, ptr addrspace(1) %d8, i64 %d7
	%t90 = insertelement <4 x i32> poison, i32 %r21, i32 0
	%t91 = insertelement <4 x i32> %t90, i32 %r59, i32 1
	%t92 = insertelement <4 x i32> %t91, i32 %r60, i32 2
	%t93 = insertelement <4 x i32> %t92, i32 %r61, i32 3
	store <4 x i32> %t93, ptr addrspace(1) %t89, align 16
	br label %b15

b15:
	ret void
}

declare i32 @llvm.amdgcn.workgroup.id.x()

declare i32 @llvm.amdgcn.workitem.id.x()

declare void @llvm.amdgcn.s.barrier()

attributes #0 = { norecurse nounwind "target-cpu"="gfx1100" "target-features"="+wavefrontsize32" "amdgpu-flat-work-group-size"="8,8" "uniform-work-group-size"="true" "amdgpu-no-workitem-id-y" "amdgpu-no-workgroup-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-workgroup-id-z" "amdgpu-no-implicitarg-ptr" "amdgpu-no-dispatch-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-queue-ptr" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-lds-kernel-id" }
attributes #1 = { norecurse nounwind "target-cpu"="gfx1100" "target-features"="+wavefrontsize32" "amdgpu-no-workitem-id-x" "amdgpu-no-workgroup-id-x" "amdgpu-no-workitem-id-y" "amdgpu-no-workgroup-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-workgroup-id-z" "amdgpu-no-implicitarg-ptr" "amdgpu-no-dispatch-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-queue-ptr" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-lds-kernel-id" }

!llvm.ident = !{!3}
!llvm.module.flags = !{!0}

!0 = !{i32 1, !"amdhsa_code_object_version", i32 500}
!1 = !{}
!2 = !{float 2.5}
!3 = !{!"gpuc's LLVM IR"}
