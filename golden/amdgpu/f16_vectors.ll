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
	%t1 = zext i32 %r4 to i64
	%t2 = zext i32 40 to i64
	%d1 = mul i64 %t1, %t2
	%t3 = getelementptr i8, ptr addrspace(1) %d2, i64 %d1
	%t4 = load <2 x half>, ptr addrspace(1) %t3, align 8, !invariant.load !1
	%h1 = extractelement <2 x half> %t4, i32 0
	%h2 = extractelement <2 x half> %t4, i32 1
	%t5 = getelementptr i8, ptr addrspace(1) %d2, i64 %d1
	%t6 = getelementptr i8, ptr addrspace(1) %t5, i64 8
	%t7 = load <4 x half>, ptr addrspace(1) %t6, align 8, !invariant.load !1
	%h3 = extractelement <4 x half> %t7, i32 0
	%h4 = extractelement <4 x half> %t7, i32 1
	%h5 = extractelement <4 x half> %t7, i32 2
	%h6 = extractelement <4 x half> %t7, i32 3
	%t8 = getelementptr i8, ptr addrspace(1) %d2, i64 %d1
	%t9 = getelementptr i8, ptr addrspace(1) %t8, i64 16
	%t10 = load <2 x half>, ptr addrspace(1) %t9, align 8, !invariant.load !1
	%h7 = extractelement <2 x half> %t10, i32 0
	%h8 = extractelement <2 x half> %t10, i32 1
	%t11 = getelementptr i8, ptr addrspace(1) %d2, i64 %d1
	%t12 = getelementptr i8, ptr addrspace(1) %t11, i64 20
	%r9 = load float, ptr addrspace(1) %t12, align 4, !invariant.load !1
	%t13 = getelementptr i8, ptr addrspace(1) %d2, i64 %d1
	%t14 = getelementptr i8, ptr addrspace(1) %t13, i64 24
	%t15 = load <4 x half>, ptr addrspace(1) %t14, align 8, !invariant.load !1
	%h9 = extractelement <4 x half> %t15, i32 0
	%h10 = extractelement <4 x half> %t15, i32 1
	%h11 = extractelement <4 x half> %t15, i32 2
	%h12 = extractelement <4 x half> %t15, i32 3
	%t16 = getelementptr i8, ptr addrspace(1) %d2, i64 %d1
	%t17 = getelementptr i8, ptr addrspace(1) %t16, i64 32
	%t18 = load <2 x half>, ptr addrspace(1) %t17, align 8, !invariant.load !1
	%h13 = extractelement <2 x half> %t18, i32 0
	%h14 = extractelement <2 x half> %t18, i32 1
	%t19 = getelementptr i8, ptr addrspace(1) %d2, i64 %d1
	%t20 = getelementptr i8, ptr addrspace(1) %t19, i64 36
	%h15 = load half, ptr addrspace(1) %t20, align 4, !invariant.load !1
	%p2 = icmp ult i32 %r4, %r7
	br i1 %p2, label %b7, label %b6

b7:
	%t21 = getelementptr i8, ptr addrspace(1) %d3, i64 %d1
	store half %h2, ptr addrspace(1) %t21, align 2
	br label %b6

b6:
	%t22 = load <4 x half>, ptr addrspace(1) %d4, align 16, !invariant.load !1
	%h16 = extractelement <4 x half> %t22, i32 0
	%h17 = extractelement <4 x half> %t22, i32 1
	%h18 = extractelement <4 x half> %t22, i32 2
	%h19 = extractelement <4 x half> %t22, i32 3
	%h20 = fmul half %h16, %h3
	%h21 = fmul half %h17, %h4
	%h22 = fmul half %h18, %h5
	br i1 %p2, label %b10, label %b9

b10:
	%t23 = getelementptr i8, ptr addrspace(1) %d3, i64 %d1
	%t24 = getelementptr i8, ptr addrspace(1) %t23, i64 8
	%t25 = insertelement <2 x half> poison, half %h20, i32 0
	%t26 = insertelement <2 x half> %t25, half %h21, i32 1
	store <2 x half> %t26, ptr addrspace(1) %t24, align 8
	%t27 = getelementptr i8, ptr addrspace(1) %d3, i64 %d1
	%t28 = getelementptr i8, ptr addrspace(1) %t27, i64 12
	store half %h22, ptr addrspace(1) %t28, align 4
	br label %b9

b9:
	%h23 = fadd half %h1, %h6
	br i1 %p2, label %b13, label %b12

b13:
	%t29 = getelementptr i8, ptr addrspace(1) %d3, i64 %d1
	%t30 = getelementptr i8, ptr addrspace(1) %t29, i64 18
	store half %h23, ptr addrspace(1) %t30, align 2
	br label %b12

b12:
	br i1 %p2, label %b16, label %b15

b16:
	%t31 = getelementptr i8, ptr addrspace(1) %d3, i64 %d1
	%t32 = getelementptr i8, ptr addrspace(1) %t31, i64 24
	%t33 = insertelement <4 x half> poison, half %h11, i32 0
	%t34 = insertelement <4 x half> %t33, half %h12, i32 1
	%t35 = insertelement <4 x half> %t34, half %h7, i32 2
	%t36 = insertelement <4 x half> %t35, half %h8, i32 3
	store <4 x half> %t36, ptr addrspace(1) %t32, align 8
	br label %b15

b15:
	%r10 = urem i32 %r4, 3
	%h24 = fptrunc float %r9 to half
	br i1 %p2, label %b19, label %b18

b19:
	%t37 = zext i32 %r10 to i64
	%t38 = zext i32 2 to i64
	%d5 = mul i64 %t37, %t38
	%d6 = add i64 %d1, %d5
	%t39 = getelementptr i8, ptr addrspace(1) %d3, i64 %d6
	%t40 = getelementptr i8, ptr addrspace(1) %t39, i64 32
	store half %h24, ptr addrspace(1) %t40, align 2
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
	%t41 = zext i32 %r4 to i64
	%t42 = zext i32 32 to i64
	%d7 = mul i64 %t41, %t42
	%t43 = getelementptr i8, ptr addrspace(1) %d8, i64 %d7
	%t44 = insertelement <4 x float> poison, float %r11, i32 0
	%t45 = insertelement <4 x float> %t44, float %r12, i32 1
	%t46 = insertelement <4 x float> %t45, float %r13, i32 2
	%t47 = insertelement <4 x float> %t46, float %r14, i32 3
	store <4 x float> %t47, ptr addrspace(1) %t43, align 16
	%t48 = getelementptr i8, ptr addrspace(1) %d8, i64 %d7
	%t49 = getelementptr i8, ptr addrspace(1) %t48, i64 16
	%t50 = insertelement <4 x float> poison, float %r15, i32 0
	%t51 = insertelement <4 x float> %t50, float %r16, i32 1
	%t52 = insertelement <4 x float> %t51, float %r17, i32 2
	%t53 = insertelement <4 x float> %t52, float %r18, i32 3
	store <4 x float> %t53, ptr addrspace(1) %t49, align 16
	br label %b21

b21:
	%t54 = bitcast half %h7 to i16
	%t55 = zext i16 %t54 to i32
	%t56 = bitcast half %h8 to i16
	%t57 = zext i16 %t56 to i32
	%t58 = shl i32 %t57, 16
	%r19 = or i32 %t55, %t58
	%h27 = call half @llvm.fabs.f16(half %h1)
	%t59 = call i32 @llvm.fptoui.sat.i32.f16(half %h27)
	%r20 = call i32 @llvm.umin.i32(i32 %t59, i32 65504)
	%r21 = add i32 %r20, 3
	%h28 = call half @llvm.trunc.f16(half %h2)
	%t60 = call i32 @llvm.fptosi.sat.i32.f16(half %h28)
	%t61 = call i32 @llvm.smin.i32(i32 %t60, i32 65504)
	%r22 = call i32 @llvm.smax.i32(i32 %t61, i32 -65504)
	%r23 = shl i32 %r22, 1
	%r24 = fpext half %h3 to float
	%r25 = fpext half %h4 to float
	%t62 = fptrunc float %r24 to half
	%t63 = fptrunc float %r25 to half
	%t64 = bitcast half %t62 to i16
	%t65 = bitcast half %t63 to i16
	%t66 = zext i16 %t64 to i32
	%t67 = zext i16 %t65 to i32
	%t68 = shl i32 %t67, 16
	%r26 = or i32 %t66, %t68
	%p5 = icmp ult i32 %r4, %r5
	br i1 %p5, label %b25, label %b24

b25:
	%t69 = zext i32 %r4 to i64
	%t70 = zext i32 16 to i64
	%d9 = mul i64 %t69, %t70
	%t71 = getelementptr i8, ptr addrspace(1) %d10, i64 %d9
	%t72 = insertelement <4 x i32> poison, i32 %r19, i32 0
	%t73 = insertelement <4 x i32> %t72, i32 %r21, i32 1
	%t74 = insertelement <4 x i32> %t73, i32 %r23, i32 2
	%t75 = insertelement <4 x i32> %t74, i32 %r26, i32 3
	store <4 x i32> %t75, ptr addrspace(1) %t71, align 16
	br label %b24

b24:
	ret void
}

declare i32 @llvm.amdgcn.workgroup.id.x()

declare i32 @llvm.amdgcn.workitem.id.x()

declare half @llvm.maxnum.f16(half %0, half %1)

declare half @llvm.fabs.f16(half %0)

declare i32 @llvm.fptoui.sat.i32.f16(half %0)

declare i32 @llvm.umin.i32(i32 %0, i32 %1)

declare half @llvm.trunc.f16(half %0)

declare i32 @llvm.fptosi.sat.i32.f16(half %0)

declare i32 @llvm.smin.i32(i32 %0, i32 %1)

declare i32 @llvm.smax.i32(i32 %0, i32 %1)

attributes #0 = { norecurse nounwind "target-cpu"="gfx1100" "target-features"="+wavefrontsize32" "amdgpu-flat-work-group-size"="4,4" "uniform-work-group-size"="true" "amdgpu-no-workitem-id-y" "amdgpu-no-workgroup-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-workgroup-id-z" "amdgpu-no-implicitarg-ptr" "amdgpu-no-dispatch-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-queue-ptr" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-lds-kernel-id" }
attributes #1 = { norecurse nounwind "target-cpu"="gfx1100" "target-features"="+wavefrontsize32" "amdgpu-no-workitem-id-x" "amdgpu-no-workgroup-id-x" "amdgpu-no-workitem-id-y" "amdgpu-no-workgroup-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-workgroup-id-z" "amdgpu-no-implicitarg-ptr" "amdgpu-no-dispatch-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-queue-ptr" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-lds-kernel-id" }

!llvm.ident = !{!3}
!llvm.module.flags = !{!0}

!0 = !{i32 1, !"amdhsa_code_object_version", i32 500}
!1 = !{}
!2 = !{float 2.5}
!3 = !{!"gpuc's LLVM IR"}
