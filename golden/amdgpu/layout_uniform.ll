; LLVM IR written by gpuc for gfx1100
target triple = "amdgcn-amd-amdhsa"

define protected amdgpu_kernel void @main(ptr addrspace(1) noalias readonly align 16 %binding_0, ptr addrspace(1) noalias readonly align 16 %binding_1, ptr addrspace(1) noalias align 16 %binding_2, ptr addrspace(1) noalias align 16 %binding_3, i32 %length_2, i32 %length_3) #0 {
begin:
	br label %b1

b1:
	%r1 = call i32 @llvm.amdgcn.workgroup.id.x()
	%r2 = mul i32 %r1, 4
	%r3 = call i32 @llvm.amdgcn.workitem.id.x()
	%r4 = add i32 %r2, %r3
	%r5 = add i32 %length_2, 0
	%r6 = add i32 %length_3, 0
	%d2 = getelementptr i8, ptr addrspace(1) %binding_0, i64 0
	%d9 = getelementptr i8, ptr addrspace(1) %binding_1, i64 0
	%d11 = getelementptr i8, ptr addrspace(1) %binding_2, i64 0
	%d13 = getelementptr i8, ptr addrspace(1) %binding_3, i64 0
	%p1 = icmp uge i32 %r4, %r6
	br i1 %p1, label %b4, label %b3

b4:
	ret void

b3:
	%r7 = urem i32 %r4, 3
	%t1 = zext i32 %r7 to i64
	%t2 = zext i32 32 to i64
	%d1 = mul i64 %t1, %t2
	%t3 = getelementptr i8, ptr addrspace(1) %d2, i64 %d1
	%t4 = getelementptr i8, ptr addrspace(1) %t3, i64 16
	%t5 = load <2 x float>, ptr addrspace(1) %t4, align 16, !invariant.load !1
	%r8 = extractelement <2 x float> %t5, i32 0
	%r9 = extractelement <2 x float> %t5, i32 1
	%t6 = getelementptr i8, ptr addrspace(1) %d2, i64 %d1
	%t7 = getelementptr i8, ptr addrspace(1) %t6, i64 24
	%r10 = load float, ptr addrspace(1) %t7, align 8, !invariant.load !1
	%t8 = getelementptr i8, ptr addrspace(1) %d2, i64 %d1
	%t9 = getelementptr i8, ptr addrspace(1) %t8, i64 28
	%r11 = load float, ptr addrspace(1) %t9, align 4, !invariant.load !1
	%t10 = getelementptr i8, ptr addrspace(1) %d2, i64 %d1
	%t11 = getelementptr i8, ptr addrspace(1) %t10, i64 44
	%r12 = load i32, ptr addrspace(1) %t11, align 4, !invariant.load !1
	%p2 = icmp eq i32 %r7, 1
	%r13 = select i1 %p2, float %r9, float %r10
	%p3 = icmp eq i32 %r7, 0
	%r14 = select i1 %p3, float %r8, float %r13
	%r15 = sub i32 2, %r7
	%t12 = zext i32 %r15 to i64
	%t13 = zext i32 32 to i64
	%d3 = mul i64 %t12, %t13
	%t14 = getelementptr i8, ptr addrspace(1) %d2, i64 %d3
	%t15 = getelementptr i8, ptr addrspace(1) %t14, i64 36
	%r16 = load float, ptr addrspace(1) %t15, align 4, !invariant.load !1
	%r17 = and i32 %r4, 3
	%r18 = lshr i32 %r4, 1
	%r19 = and i32 %r18, 3
	%t16 = zext i32 %r17 to i64
	%t17 = zext i32 16 to i64
	%d4 = mul i64 %t16, %t17
	%t18 = zext i32 %r19 to i64
	%t19 = zext i32 4 to i64
	%d5 = mul i64 %t18, %t19
	%d6 = add i64 %d4, %d5
	%t20 = getelementptr i8, ptr addrspace(1) %d2, i64 %d6
	%t21 = getelementptr i8, ptr addrspace(1) %t20, i64 112
	%r20 = load float, ptr addrspace(1) %t21, align 4, !invariant.load !1
	%t22 = zext i32 %r7 to i64
	%t23 = zext i32 16 to i64
	%d7 = mul i64 %t22, %t23
	%t24 = getelementptr i8, ptr addrspace(1) %d2, i64 %d7
	%t25 = getelementptr i8, ptr addrspace(1) %t24, i64 184
	%r21 = load float, ptr addrspace(1) %t25, align 4, !invariant.load !1
	%t26 = getelementptr i8, ptr addrspace(1) %d2, i64 176
	%t27 = load <2 x float>, ptr addrspace(1) %t26, align 16, !invariant.load !1
	%r22 = extractelement <2 x float> %t27, i32 0
	%r23 = extractelement <2 x float> %t27, i32 1
	%t28 = getelementptr i8, ptr addrspace(1) %d2, i64 184
	%r24 = load float, ptr addrspace(1) %t28, align 8, !invariant.load !1
	%t29 = getelementptr i8, ptr addrspace(1) %d2, i64 192
	%t30 = load <2 x float>, ptr addrspace(1) %t29, align 16, !invariant.load !1
	%r25 = extractelement <2 x float> %t30, i32 0
	%r26 = extractelement <2 x float> %t30, i32 1
	%t31 = getelementptr i8, ptr addrspace(1) %d2, i64 200
	%r27 = load float, ptr addrspace(1) %t31, align 8, !invariant.load !1
	%t32 = getelementptr i8, ptr addrspace(1) %d2, i64 208
	%t33 = load <2 x float>, ptr addrspace(1) %t32, align 16, !invariant.load !1
	%r28 = extractelement <2 x float> %t33, i32 0
	%r29 = extractelement <2 x float> %t33, i32 1
	%t34 = getelementptr i8, ptr addrspace(1) %d2, i64 216
	%r30 = load float, ptr addrspace(1) %t34, align 8, !invariant.load !1
	%r31 = fmul float %r8, %r22
	%r32 = call float @llvm.fma.f32(float %r25, float %r9, float %r31)
	%r33 = call float @llvm.fma.f32(float %r28, float %r10, float %r32)
	%t35 = getelementptr i8, ptr addrspace(1) %d2, i64 224
	%t36 = load <4 x float>, ptr addrspace(1) %t35, align 16, !invariant.load !1
	%r34 = extractelement <4 x float> %t36, i32 0
	%r35 = extractelement <4 x float> %t36, i32 1
	%r36 = extractelement <4 x float> %t36, i32 2
	%r37 = extractelement <4 x float> %t36, i32 3
	%t37 = getelementptr i8, ptr addrspace(1) %d2, i64 240
	%t38 = load <4 x float>, ptr addrspace(1) %t37, align 16, !invariant.load !1
	%r38 = extractelement <4 x float> %t38, i32 0
	%r39 = extractelement <4 x float> %t38, i32 1
	%r40 = extractelement <4 x float> %t38, i32 2
	%r41 = extractelement <4 x float> %t38, i32 3
	%t39 = getelementptr i8, ptr addrspace(1) %d2, i64 %d4
	%t40 = getelementptr i8, ptr addrspace(1) %t39, i64 112
	%t41 = load <4 x float>, ptr addrspace(1) %t40, align 16, !invariant.load !1
	%r42 = extractelement <4 x float> %t41, i32 0
	%r43 = extractelement <4 x float> %t41, i32 1
	%r44 = extractelement <4 x float> %t41, i32 2
	%r45 = extractelement <4 x float> %t41, i32 3
	%r46 = fmul float %r42, %r35
	%r47 = call float @llvm.fma.f32(float %r37, float %r43, float %r46)
	%r48 = call float @llvm.fma.f32(float %r39, float %r44, float %r47)
	%r49 = call float @llvm.fma.f32(float %r41, float %r45, float %r48)
	%t42 = zext i32 %r7 to i64
	%t43 = zext i32 4 to i64
	%d8 = mul i64 %t42, %t43
	%t44 = getelementptr i8, ptr addrspace(1) %d9, i64 %d8
	%r50 = load float, ptr addrspace(1) %t44, align 4, !invariant.load !1
	%p4 = icmp ult i32 %r4, %r5
	br i1 %p4, label %b7, label %b6

b7:
	%t45 = zext i32 %r4 to i64
	%t46 = zext i32 32 to i64
	%d10 = mul i64 %t45, %t46
	%t47 = getelementptr i8, ptr addrspace(1) %d11, i64 %d10
	%t48 = insertelement <4 x float> poison, float %r14, i32 0
	%t49 = insertelement <4 x float> %t48, float %r11, i32 1
	%t50 = insertelement <4 x float> %t49, float %r16, i32 2
	%t51 = insertelement <4 x float> %t50, float %r20, i32 3
	store <4 x float> %t51, ptr addrspace(1) %t47, align 16
	%t52 = getelementptr i8, ptr addrspace(1) %d11, i64 %d10
	%t53 = getelementptr i8, ptr addrspace(1) %t52, i64 16
	%t54 = insertelement <4 x float> poison, float %r21, i32 0
	%t55 = insertelement <4 x float> %t54, float %r33, i32 1
	%t56 = insertelement <4 x float> %t55, float %r49, i32 2
	%t57 = insertelement <4 x float> %t56, float %r50, i32 3
	store <4 x float> %t57, ptr addrspace(1) %t53, align 16
	br label %b6

b6:
	%t58 = zext i32 %r4 to i64
	%t59 = zext i32 16 to i64
	%d12 = mul i64 %t58, %t59
	%r51 = and i32 %r4, 1
	%t60 = zext i32 %r51 to i64
	%t61 = zext i32 4 to i64
	%d14 = mul i64 %t60, %t61
	%t62 = getelementptr i8, ptr addrspace(1) %d2, i64 %d14
	%r52 = load i32, ptr addrspace(1) %t62, align 4, !invariant.load !1
	%t63 = zext i32 %r51 to i64
	%t64 = zext i32 16 to i64
	%d15 = mul i64 %t63, %t64
	%d16 = add i64 %d1, %d15
	%t65 = zext i32 %r17 to i64
	%t66 = zext i32 4 to i64
	%d17 = mul i64 %t65, %t66
	%d18 = add i64 %d16, %d17
	%t67 = getelementptr i8, ptr addrspace(1) %d2, i64 %d18
	%t68 = getelementptr i8, ptr addrspace(1) %t67, i64 256
	%r53 = load i32, ptr addrspace(1) %t68, align 4, !invariant.load !1
	%t69 = getelementptr i8, ptr addrspace(1) %d2, i64 352
	%r54 = load i32, ptr addrspace(1) %t69, align 4, !invariant.load !1
	%t70 = getelementptr i8, ptr addrspace(1) %d13, i64 %d12
	%t71 = insertelement <4 x i32> poison, i32 %r52, i32 0
	%t72 = insertelement <4 x i32> %t71, i32 %r12, i32 1
	%t73 = insertelement <4 x i32> %t72, i32 %r53, i32 2
	%t74 = insertelement <4 x i32> %t73, i32 %r54, i32 3
	store <4 x i32> %t74, ptr addrspace(1) %t70, align 16
	ret void
}

declare i32 @llvm.amdgcn.workgroup.id.x()

declare i32 @llvm.amdgcn.workitem.id.x()

declare float @llvm.fma.f32(float %0, float %1, float %2)

attributes #0 = { norecurse nounwind "target-cpu"="gfx1100" "target-features"="+wavefrontsize32" "amdgpu-flat-work-group-size"="4,4" "uniform-work-group-size"="true" "amdgpu-no-workitem-id-y" "amdgpu-no-workgroup-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-workgroup-id-z" "amdgpu-no-implicitarg-ptr" "amdgpu-no-dispatch-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-queue-ptr" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-lds-kernel-id" }
attributes #1 = { norecurse nounwind "target-cpu"="gfx1100" "target-features"="+wavefrontsize32" "amdgpu-no-workitem-id-x" "amdgpu-no-workgroup-id-x" "amdgpu-no-workitem-id-y" "amdgpu-no-workgroup-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-workgroup-id-z" "amdgpu-no-implicitarg-ptr" "amdgpu-no-dispatch-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-queue-ptr" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-lds-kernel-id" }

!llvm.ident = !{!3}
!llvm.module.flags = !{!0}

!0 = !{i32 1, !"amdhsa_code_object_version", i32 500}
!1 = !{}
!2 = !{float 2.5}
!3 = !{!"gpuc's LLVM IR"}
