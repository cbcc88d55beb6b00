; LLVM IR written by gpuc for gfx1100
target triple = "amdgcn-amd-amdhsa"

define protected amdgpu_kernel void @main(ptr addrspace(1) noalias readonly align 16 %binding_0, ptr addrspace(1) noalias readonly align 16 %binding_1, ptr addrspace(1) noalias align 16 %binding_2, ptr addrspace(1) noalias align 16 %binding_3, ptr addrspace(1) noalias align 16 %binding_4, i32 %length_1, i32 %length_2, i32 %length_3, i32 %length_4) #0 {
begin:
  br label %b1
b1:
  %r1 = call i32 @llvm.amdgcn.workgroup.id.x()
  %r2 = mul i32 %r1, 4
  %r3 = call i32 @llvm.amdgcn.workitem.id.x()
  %r4 = add i32 %r2, %r3
  %r5 = add i32 %length_4, 0
  %r6 = add i32 %length_3, 0
  %r7 = add i32 %length_2, 0
  %r8 = add i32 %length_1, 0
  %d2 = getelementptr i8, ptr addrspace(1) %binding_1, i64 0
  %d3 = getelementptr i8, ptr addrspace(1) %binding_2, i64 0
  %d4 = getelementptr i8, ptr addrspace(1) %binding_0, i64 0
  %d8 = getelementptr i8, ptr addrspace(1) %binding_3, i64 0
  %d10 = getelementptr i8, ptr addrspace(1) %binding_4, i64 0
  %p1 = icmp uge i32 %r4, %r8
  br i1 %p1, label %b4, label %b3
b4:
  ret void
b3:
  %t3 = zext i32 %r4 to i64
  %t4 = zext i32 40 to i64
  %d1 = mul i64 %t3, %t4
  %t5 = getelementptr i8, ptr addrspace(1) %d2, i64 %d1
  %t6 = load <2 x half>, ptr addrspace(1) %t5, align 8, !invariant.load !1
  %h1 = extractelement <2 x half> %t6, i32 0
  %h2 = extractelement <2 x half> %t6, i32 1
  %t7 = getelementptr i8, ptr addrspace(1) %d2, i64 %d1
  %t8 = getelementptr i8, ptr addrspace(1) %t7, i64 8
  %t9 = load <4 x half>, ptr addrspace(1) %t8, align 8, !invariant.load !1
  %h3 = extractelement <4 x half> %t9, i32 0
  %h4 = extractelement <4 x half> %t9, i32 1
  %h5 = extractelement <4 x half> %t9, i32 2
  %h6 = extractelement <4 x half> %t9, i32 3
  %t10 = getelementptr i8, ptr addrspace(1) %d2, i64 %d1
  %t11 = getelementptr i8, ptr addrspace(1) %t10, i64 16
  %t12 = load <2 x half>, ptr addrspace(1) %t11, align 8, !invariant.load !1
  %h7 = extractelement <2 x half> %t12, i32 0
  %h8 = extractelement <2 x half> %t12, i32 1
  %t13 = getelementptr i8, ptr addrspace(1) %d2, i64 %d1
  %t14 = getelementptr i8, ptr addrspace(1) %t13, i64 20
  %r9 = load float, ptr addrspace(1) %t14, align 4, !invariant.load !1
  %t15 = getelementptr i8, ptr addrspace(1) %d2, i64 %d1
  %t16 = getelementptr i8, ptr addrspace(1) %t15, i64 24
  %t17 = load <4 x half>, ptr addrspace(1) %t16, align 8, !invariant.load !1
  %h9 = extractelement <4 x half> %t17, i32 0
  %h10 = extractelement <4 x half> %t17, i32 1
  %h11 = extractelement <4 x half> %t17, i32 2
  %h12 = extractelement <4 x half> %t17, i32 3
  %t18 = getelementptr i8, ptr addrspace(1) %d2, i64 %d1
  %t19 = getelementptr i8, ptr addrspace(1) %t18, i64 32
  %t20 = load <2 x half>, ptr addrspace(1) %t19, align 8, !invariant.load !1
  %h13 = extractelement <2 x half> %t20, i32 0
  %h14 = extractelement <2 x half> %t20, i32 1
  %t21 = getelementptr i8, ptr addrspace(1) %d2, i64 %d1
  %t22 = getelementptr i8, ptr addrspace(1) %t21, i64 36
  %h15 = load half, ptr addrspace(1) %t22, align 4, !invariant.load !1
  %p2 = icmp ult i32 %r4, %r7
  br i1 %p2, label %b7, label %b6
b7:
  %t23 = getelementptr i8, ptr addrspace(1) %d3, i64 %d1
  store half %h2, ptr addrspace(1) %t23, align 2
  br label %b6
b6:
  %t24 = load <4 x half>, ptr addrspace(1) %d4, align 16, !invariant.load !1
  %h16 = extractelement <4 x half> %t24, i32 0
  %h17 = extractelement <4 x half> %t24, i32 1
  %h18 = extractelement <4 x half> %t24, i32 2
  %h19 = extractelement <4 x half> %t24, i32 3
  %h20 = fmul half %h16, %h3
  %h21 = fmul half %h17, %h4
  %h22 = fmul half %h18, %h5
  br i1 %p2, label %b10, label %b9
b10:
  %t25 = getelementptr i8, ptr addrspace(1) %d3, i64 %d1
  %t26 = getelementptr i8, ptr addrspace(1) %t25, i64 8
  %t27 = insertelement <2 x half> poison, half %h20, i32 0
  %t28 = insertelement <2 x half> %t27, half %h21, i32 1
  store <2 x half> %t28, ptr addrspace(1) %t26, align 8
  %t29 = getelementptr i8, ptr addrspace(1) %d3, i64 %d1
  %t30 = getelementptr i8, ptr addrspace(1) %t29, i64 12
  store half %h22, ptr addrspace(1) %t30, align 4
  br label %b9
b9:
  %h23 = fadd half %h1, %h6
  br i1 %p2, label %b13, label %b12
b13:
  %t31 = getelementptr i8, ptr addrspace(1) %d3, i64 %d1
  %t32 = getelementptr i8, ptr addrspace(1) %t31, i64 18
  store half %h23, ptr addrspace(1) %t32, align 2
  br label %b12
b12:
  br i1 %p2, label %b16, label %b15
b16:
  %t33 = getelementptr i8, ptr addrspace(1) %d3, i64 %d1
  %t34 = getelementptr i8, ptr addrspace(1) %t33, i64 24
  %t35 = insertelement <4 x half> poison, half %h11, i32 0
  %t36 = insertelement <4 x half> %t35, half %h12, i32 1
  %t37 = insertelement <4 x half> %t36, half %h7, i32 2
  %t38 = insertelement <4 x half> %t37, half %h8, i32 3
  store <4 x half> %t38, ptr addrspace(1) %t34, align 8
  br label %b15
b15:
  %r10 = urem i32 %r4, 3
  %h24 = fptrunc float %r9 to half
  br i1 %p2, label %b19, label %b18
b19:
  %t39 = zext i32 %r10 to i64
  %t40 = zext i32 2 to i64
  %d5 = mul i64 %t39, %t40
  %d6 = add i64 %d1, %d5
  %t41 = getelementptr i8, ptr addrspace(1) %d3, i64 %d6
  %t42 = getelementptr i8, ptr addrspace(1) %t41, i64 32
  store half %h24, ptr addrspace(1) %t42, align 2
  br label %b18
b18:
  %r11 = fpext half %h1 to float
  %r12 = fpext half %h5 to float
  %r13 = fpext half %h6 to float
  %r14 = fpext half %h11 to float
  %r15 = fpext half %h15 to float
  %h25 = fadd half %h7, 0xH4800
  %r16 = fpext half %h25 to float
  %h26 = call half @llvm.maxnum.f16(half %h2, half %h1)
  %r17 = fpext half %h26 to float
  %p3 = fcmp olt half %h1, %h2
  %r18 = uitofp i1 %p3 to float
  %p4 = icmp ult i32 %r4, %r6
  br i1 %p4, label %b22, label %b21
b22:
  %t43 = zext i32 %r4 to i64
  %t44 = zext i32 32 to i64
  %d7 = mul i64 %t43, %t44
  %t45 = getelementptr i8, ptr addrspace(1) %d8, i64 %d7
  %t46 = insertelement <4 x float> poison, float %r11, i32 0
  %t47 = insertelement <4 x float> %t46, float %r12, i32 1
  %t48 = insertelement <4 x float> %t47, float %r13, i32 2
  %t49 = insertelement <4 x float> %t48, float %r14, i32 3
  store <4 x float> %t49, ptr addrspace(1) %t45, align 16
  %t50 = getelementptr i8, ptr addrspace(1) %d8, i64 %d7
  %t51 = getelementptr i8, ptr addrspace(1) %t50, i64 16
  %t52 = insertelement <4 x float> poison, float %r15, i32 0
  %t53 = insertelement <4 x float> %t52, float %r16, i32 1
  %t54 = insertelement <4 x float> %t53, float %r17, i32 2
  %t55 = insertelement <4 x float> %t54, float %r18, i32 3
  store <4 x float> %t55, ptr addrspace(1) %t51, align 16
  br label %b21
b21:
  %t56 = bitcast half %h7 to i16
  %t57 = zext i16 %t56 to i32
  %t58 = bitcast half %h8 to i16
  %t59 = zext i16 %t58 to i32
  %t60 = shl i32 %t59, 16
  %r19 = or i32 %t57, %t60
  %h27 = call half @llvm.fabs.f16(half %h1)
  %t62 = call i32 @llvm.fptoui.sat.i32.f16(half %h27)
  %r20 = call i32 @llvm.umin.i32(i32 %t62, i32 65504)
  %r21 = add i32 %r20, 3
  %h28 = call half @llvm.trunc.f16(half %h2)
  %t63 = call i32 @llvm.fptosi.sat.i32.f16(half %h28)
  %t64 = call i32 @llvm.smin.i32(i32 %t63, i32 65504)
  %r22 = call i32 @llvm.smax.i32(i32 %t64, i32 -65504)
  %r23 = shl i32 %r22, 1
  %r24 = fpext half %h3 to float
  %r25 = fpext half %h4 to float
  %t65 = fptrunc float %r24 to half
  %t66 = fptrunc float %r25 to half
  %t67 = bitcast half %t65 to i16
  %t68 = bitcast half %t66 to i16
  %t69 = zext i16 %t67 to i32
  %t70 = zext i16 %t68 to i32
  %t71 = shl i32 %t70, 16
  %r26 = or i32 %t69, %t71
  %p5 = icmp ult i32 %r4, %r5
  br i1 %p5, label %b25, label %b24
b25:
  %t72 = zext i32 %r4 to i64
  %t73 = zext i32 16 to i64
  %d9 = mul i64 %t72, %t73
  %t74 = getelementptr i8, ptr addrspace(1) %d10, i64 %d9
  %t75 = insertelement <4 x i32> poison, i32 %r19, i32 0
  %t76 = insertelement <4 x i32> %t75, i32 %r21, i32 1
  %t77 = insertelement <4 x i32> %t76, i32 %r23, i32 2
  %t78 = insertelement <4 x i32> %t77, i32 %r26, i32 3
  store <4 x i32> %t78, ptr addrspace(1) %t74, align 16
  br label %b24
b24:
  ret void
}

declare i32 @llvm.amdgcn.workgroup.id.x()
declare i32 @llvm.amdgcn.workitem.id.x()
declare half @llvm.maxnum.f16(half, half)
declare half @llvm.fabs.f16(half)
declare i32 @llvm.fptoui.sat.i32.f16(half)
declare i32 @llvm.umin.i32(i32, i32)
declare half @llvm.trunc.f16(half)
declare i32 @llvm.fptosi.sat.i32.f16(half)
declare i32 @llvm.smin.i32(i32, i32)
declare i32 @llvm.smax.i32(i32, i32)
attributes #0 = { norecurse nounwind "target-cpu"="gfx1100" "target-features"="+wavefrontsize32" "amdgpu-flat-work-group-size"="4,4" "uniform-work-group-size"="true" "amdgpu-no-workitem-id-y" "amdgpu-no-workgroup-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-workgroup-id-z" "amdgpu-no-implicitarg-ptr" "amdgpu-no-dispatch-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-queue-ptr" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-lds-kernel-id" }
attributes #1 = { norecurse nounwind "target-cpu"="gfx1100" "target-features"="+wavefrontsize32" "amdgpu-no-workitem-id-x" "amdgpu-no-workgroup-id-x" "amdgpu-no-workitem-id-y" "amdgpu-no-workgroup-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-workgroup-id-z" "amdgpu-no-implicitarg-ptr" "amdgpu-no-dispatch-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-queue-ptr" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-lds-kernel-id" }

!llvm.module.flags = !{!0}
!0 = !{i32 1, !"amdhsa_code_object_version", i32 500}
!1 = !{}
!2 = !{float 2.5}
!llvm.ident = !{!3}
!3 = !{!"gpuc's LLVM IR"}
