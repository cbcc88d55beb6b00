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
  %t3 = zext i32 %r7 to i64
  %t4 = zext i32 32 to i64
  %d1 = mul i64 %t3, %t4
  %t5 = getelementptr i8, ptr addrspace(1) %d2, i64 %d1
  %t6 = getelementptr i8, ptr addrspace(1) %t5, i64 16
  %t7 = load <2 x float>, ptr addrspace(1) %t6, align 16, !invariant.load !1
  %r8 = extractelement <2 x float> %t7, i32 0
  %r9 = extractelement <2 x float> %t7, i32 1
  %t8 = getelementptr i8, ptr addrspace(1) %d2, i64 %d1
  %t9 = getelementptr i8, ptr addrspace(1) %t8, i64 24
  %r10 = load float, ptr addrspace(1) %t9, align 8, !invariant.load !1
  %t10 = getelementptr i8, ptr addrspace(1) %d2, i64 %d1
  %t11 = getelementptr i8, ptr addrspace(1) %t10, i64 28
  %r11 = load float, ptr addrspace(1) %t11, align 4, !invariant.load !1
  %t12 = getelementptr i8, ptr addrspace(1) %d2, i64 %d1
  %t13 = getelementptr i8, ptr addrspace(1) %t12, i64 44
  %r12 = load i32, ptr addrspace(1) %t13, align 4, !invariant.load !1
  %p2 = icmp eq i32 %r7, 1
  %r13 = select i1 %p2, float %r9, float %r10
  %p3 = icmp eq i32 %r7, 0
  %r14 = select i1 %p3, float %r8, float %r13
  %r15 = sub i32 2, %r7
  %t14 = zext i32 %r15 to i64
  %t15 = zext i32 32 to i64
  %d3 = mul i64 %t14, %t15
  %t16 = getelementptr i8, ptr addrspace(1) %d2, i64 %d3
  %t17 = getelementptr i8, ptr addrspace(1) %t16, i64 36
  %r16 = load float, ptr addrspace(1) %t17, align 4, !invariant.load !1
  %r17 = and i32 %r4, 3
  %r18 = lshr i32 %r4, 1
  %r19 = and i32 %r18, 3
  %t18 = zext i32 %r17 to i64
  %t19 = zext i32 16 to i64
  %d4 = mul i64 %t18, %t19
  %t20 = zext i32 %r19 to i64
  %t21 = zext i32 4 to i64
  %d5 = mul i64 %t20, %t21
  %d6 = add i64 %d4, %d5
  %t22 = getelementptr i8, ptr addrspace(1) %d2, i64 %d6
  %t23 = getelementptr i8, ptr addrspace(1) %t22, i64 112
  %r20 = load float, ptr addrspace(1) %t23, align 4, !invariant.load !1
  %t24 = zext i32 %r7 to i64
  %t25 = zext i32 16 to i64
  %d7 = mul i64 %t24, %t25
  %t26 = getelementptr i8, ptr addrspace(1) %d2, i64 %d7
  %t27 = getelementptr i8, ptr addrspace(1) %t26, i64 184
  %r21 = load float, ptr addrspace(1) %t27, align 4, !invariant.load !1
  %t28 = getelementptr i8, ptr addrspace(1) %d2, i64 176
  %t29 = load <2 x float>, ptr addrspace(1) %t28, align 16, !invariant.load !1
  %r22 = extractelement <2 x float> %t29, i32 0
  %r23 = extractelement <2 x float> %t29, i32 1
  %t30 = getelementptr i8, ptr addrspace(1) %d2, i64 184
  %r24 = load float, ptr addrspace(1) %t30, align 8, !invariant.load !1
  %t31 = getelementptr i8, ptr addrspace(1) %d2, i64 192
  %t32 = load <2 x float>, ptr addrspace(1) %t31, align 16, !invariant.load !1
  %r25 = extractelement <2 x float> %t32, i32 0
  %r26 = extractelement <2 x float> %t32, i32 1
  %t33 = getelementptr i8, ptr addrspace(1) %d2, i64 200
  %r27 = load float, ptr addrspace(1) %t33, align 8, !invariant.load !1
  %t34 = getelementptr i8, ptr addrspace(1) %d2, i64 208
  %t35 = load <2 x float>, ptr addrspace(1) %t34, align 16, !invariant.load !1
  %r28 = extractelement <2 x float> %t35, i32 0
  %r29 = extractelement <2 x float> %t35, i32 1
  %t36 = getelementptr i8, ptr addrspace(1) %d2, i64 216
  %r30 = load float, ptr addrspace(1) %t36, align 8, !invariant.load !1
  %r31 = fmul float %r8, %r22
  %r32 = call float @llvm.fma.f32(float %r25, float %r9, float %r31)
  %r33 = call float @llvm.fma.f32(float %r28, float %r10, float %r32)
  %t37 = getelementptr i8, ptr addrspace(1) %d2, i64 224
  %t38 = load <4 x float>, ptr addrspace(1) %t37, align 16, !invariant.load !1
  %r34 = extractelement <4 x float> %t38, i32 0
  %r35 = extractelement <4 x float> %t38, i32 1
  %r36 = extractelement <4 x float> %t38, i32 2
  %r37 = extractelement <4 x float> %t38, i32 3
  %t39 = getelementptr i8, ptr addrspace(1) %d2, i64 240
  %t40 = load <4 x float>, ptr addrspace(1) %t39, align 16, !invariant.load !1
  %r38 = extractelement <4 x float> %t40, i32 0
  %r39 = extractelement <4 x float> %t40, i32 1
  %r40 = extractelement <4 x float> %t40, i32 2
  %r41 = extractelement <4 x float> %t40, i32 3
  %t41 = getelementptr i8, ptr addrspace(1) %d2, i64 %d4
  %t42 = getelementptr i8, ptr addrspace(1) %t41, i64 112
  %t43 = load <4 x float>, ptr addrspace(1) %t42, align 16, !invariant.load !1
  %r42 = extractelement <4 x float> %t43, i32 0
  %r43 = extractelement <4 x float> %t43, i32 1
  %r44 = extractelement <4 x float> %t43, i32 2
  %r45 = extractelement <4 x float> %t43, i32 3
  %r46 = fmul float %r42, %r35
  %r47 = call float @llvm.fma.f32(float %r37, float %r43, float %r46)
  %r48 = call float @llvm.fma.f32(float %r39, float %r44, float %r47)
  %r49 = call float @llvm.fma.f32(float %r41, float %r45, float %r48)
  %t44 = zext i32 %r7 to i64
  %t45 = zext i32 4 to i64
  %d8 = mul i64 %t44, %t45
  %t46 = getelementptr i8, ptr addrspace(1) %d9, i64 %d8
  %r50 = load float, ptr addrspace(1) %t46, align 4, !invariant.load !1
  %p4 = icmp ult i32 %r4, %r5
  br i1 %p4, label %b7, label %b6
b7:
  %t47 = zext i32 %r4 to i64
  %t48 = zext i32 32 to i64
  %d10 = mul i64 %t47, %t48
  %t49 = getelementptr i8, ptr addrspace(1) %d11, i64 %d10
  %t50 = insertelement <4 x float> poison, float %r14, i32 0
  %t51 = insertelement <4 x float> %t50, float %r11, i32 1
  %t52 = insertelement <4 x float> %t51, float %r16, i32 2
  %t53 = insertelement <4 x float> %t52, float %r20, i32 3
  store <4 x float> %t53, ptr addrspace(1) %t49, align 16
  %t54 = getelementptr i8, ptr addrspace(1) %d11, i64 %d10
  %t55 = getelementptr i8, ptr addrspace(1) %t54, i64 16
  %t56 = insertelement <4 x float> poison, float %r21, i32 0
  %t57 = insertelement <4 x float> %t56, float %r33, i32 1
  %t58 = insertelement <4 x float> %t57, float %r49, i32 2
  %t59 = insertelement <4 x float> %t58, float %r50, i32 3
  store <4 x float> %t59, ptr addrspace(1) %t55, align 16
  br label %b6
b6:
  %t60 = zext i32 %r4 to i64
  %t61 = zext i32 16 to i64
  %d12 = mul i64 %t60, %t61
  %r51 = and i32 %r4, 1
  %t62 = zext i32 %r51 to i64
  %t63 = zext i32 4 to i64
  %d14 = mul i64 %t62, %t63
  %t64 = getelementptr i8, ptr addrspace(1) %d2, i64 %d14
  %r52 = load i32, ptr addrspace(1) %t64, align 4, !invariant.load !1
  %t65 = zext i32 %r51 to i64
  %t66 = zext i32 16 to i64
  %d15 = mul i64 %t65, %t66
  %d16 = add i64 %d1, %d15
  %t67 = zext i32 %r17 to i64
  %t68 = zext i32 4 to i64
  %d17 = mul i64 %t67, %t68
  %d18 = add i64 %d16, %d17
  %t69 = getelementptr i8, ptr addrspace(1) %d2, i64 %d18
  %t70 = getelementptr i8, ptr addrspace(1) %t69, i64 256
  %r53 = load i32, ptr addrspace(1) %t70, align 4, !invariant.load !1
  %t71 = getelementptr i8, ptr addrspace(1) %d2, i64 352
  %r54 = load i32, ptr addrspace(1) %t71, align 4, !invariant.load !1
  %t72 = getelementptr i8, ptr addrspace(1) %d13, i64 %d12
  %t73 = insertelement <4 x i32> poison, i32 %r52, i32 0
  %t74 = insertelement <4 x i32> %t73, i32 %r12, i32 1
  %t75 = insertelement <4 x i32> %t74, i32 %r53, i32 2
  %t76 = insertelement <4 x i32> %t75, i32 %r54, i32 3
  store <4 x i32> %t76, ptr addrspace(1) %t72, align 16
  ret void
}

declare i32 @llvm.amdgcn.workgroup.id.x()
declare i32 @llvm.amdgcn.workitem.id.x()
declare float @llvm.fma.f32(float, float, float)
attributes #0 = { norecurse nounwind "target-cpu"="gfx1100" "target-features"="+wavefrontsize32" "amdgpu-flat-work-group-size"="4,4" "uniform-work-group-size"="true" "amdgpu-no-workitem-id-y" "amdgpu-no-workgroup-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-workgroup-id-z" "amdgpu-no-implicitarg-ptr" "amdgpu-no-dispatch-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-queue-ptr" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-lds-kernel-id" }
attributes #1 = { norecurse nounwind "target-cpu"="gfx1100" "target-features"="+wavefrontsize32" "amdgpu-no-workitem-id-x" "amdgpu-no-workgroup-id-x" "amdgpu-no-workitem-id-y" "amdgpu-no-workgroup-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-workgroup-id-z" "amdgpu-no-implicitarg-ptr" "amdgpu-no-dispatch-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-queue-ptr" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-lds-kernel-id" }

!llvm.module.flags = !{!0}
!0 = !{i32 1, !"amdhsa_code_object_version", i32 500}
!1 = !{}
!2 = !{float 2.5}
!llvm.ident = !{!3}
!3 = !{!"gpuc's LLVM IR"}
