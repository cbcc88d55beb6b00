; LLVM IR written by gpuc for gfx1100
target triple = "amdgcn-amd-amdhsa"

define protected amdgpu_kernel void @main(ptr addrspace(1) noalias readonly align 16 %binding_0, ptr addrspace(1) noalias align 16 %binding_1, ptr addrspace(1) noalias align 16 %binding_2, ptr addrspace(1) noalias align 16 %binding_3, i32 %length_0, i32 %length_1, i32 %length_2, i32 %length_3) #0 {
begin:
	br label %b1

b1:
	%r1 = call i32 @llvm.amdgcn.workgroup.id.x()
	%r2 = mul i32 %r1, 16
	%r3 = call i32 @llvm.amdgcn.workitem.id.x()
	%r4 = add i32 %r2, %r3
	%r5 = add i32 %length_3, 0
	%r6 = add i32 %length_1, 0
	%r7 = add i32 %length_2, 0
	%r8 = add i32 %length_0, 0
	%d2 = getelementptr i8, ptr addrspace(1) %binding_0, i64 0
	%d4 = getelementptr i8, ptr addrspace(1) %binding_2, i64 0
	%d6 = getelementptr i8, ptr addrspace(1) %binding_1, i64 0
	%d7 = getelementptr i8, ptr addrspace(1) %binding_3, i64 0
	%p1 = icmp uge i32 %r4, %r8
	br i1 %p1, label %b4, label %b3

b4:
	ret void

b3:
	%t1 = zext i32 %r4 to i64
	%t2 = zext i32 4 to i64
	%d1 = mul i64 %t1, %t2
	%t3 = getelementptr i8, ptr addrspace(1) %d2, i64 %d1
	%r9 = load float, ptr addrspace(1) %t3, align 4, !invariant.load !1
	%r10 = call float @llvm.fabs.f32(float %r9)
	%p2 = fcmp olt float %r10, 0x3810000000000000
	%r11 = fmul float %r9, 0x4170000000000000
	%r12 = select i1 %p2, float %r11, float %r9
	%t4 = bitcast float %r12 to i32
	%r13 = and i32 %t4, -2139095041
	%r14 = or i32 %r13, 1056964608
	%t5 = bitcast float %r9 to i32
	%r15 = and i32 %t5, 2147483647
	%r16 = sub i32 %r15, 1
	%p3 = icmp ult i32 %r16, 2139095039
	%t6 = bitcast i32 %r14 to float
	%r17 = select i1 %p3, float %t6, float %r9
	%t7 = bitcast float %r12 to i32
	%r18 = lshr i32 %t7, 23
	%r19 = and i32 %r18, 255
	%r20 = select i1 %p2, i32 150, i32 126
	%r21 = sub i32 %r19, %r20
	%r22 = select i1 %p3, i32 %r21, i32 0
	%r23 = fmul float %r9, 0x3FE0000000000000
	%r24 = call float @llvm.fabs.f32(float %r23)
	%p4 = fcmp olt float %r24, 0x3810000000000000
	%r25 = fmul float %r23, 0x4170000000000000
	%r26 = select i1 %p4, float %r25, float %r23
	%t8 = bitcast float %r26 to i32
	%r27 = and i32 %t8, -2139095041
	%r28 = or i32 %r27, 1056964608
	%t9 = bitcast float %r23 to i32
	%r29 = and i32 %t9, 2147483647
	%r30 = sub i32 %r29, 1
	%p5 = icmp ult i32 %r30, 2139095039
	%t10 = bitcast i32 %r28 to float
	%r31 = select i1 %p5, float %t10, float %r23
	%t11 = bitcast float %r26 to i32
	%r32 = lshr i32 %t11, 23
	%r33 = and i32 %r32, 255
	%r34 = select i1 %p4, i32 150, i32 126
	%r35 = sub i32 %r33, %r34
	%r36 = select i1 %p5, i32 %r35, i32 0
	%r37 = call float @llvm.trunc.f32(float %r9)
	%r38 = fsub float %r9, %r37
	%r39 = fmul float %r9, 0x3FD0000000000000
	%r40 = call float @llvm.trunc.f32(float %r39)
	%r41 = fsub float %r39, %r40
	%r42 = mul i32 %r36, 100
	%r43 = add i32 %r42, 2
	%p6 = icmp ult i32 %r4, %r7
	br i1 %p6, label %b7, label %b6

b7:
	%t12 = zext i32 %r4 to i64
	%t13 = zext i32 8 to i64
	%d3 = mul i64 %t12, %t13
	%t14 = getelementptr i8, ptr addrspace(1) %d4, i64 %d3
	%t15 = insertelement <2 x i32> poison, i32 %r22, i32 0
	%t16 = insertelement <2 x i32> %t15, i32 %r43, i32 1
	store <2 x i32> %t16, ptr addrspace(1) %t14, align 8
	br label %b6

b6:
	%r44 = fadd float %r31, 0x3FE8000000000000
	%r45 = fadd float %r41, 0xC000000000000000
	%r46 = fadd float %r45, 0xBFE0000000000000
	%p7 = icmp slt i32 %r22, -126
	%r47 = select i1 %p7, i32 -102, i32 0
	%p8 = icmp sgt i32 %r22, 127
	%r48 = select i1 %p8, i32 127, i32 %r47
	%r49 = add i32 %r48, 127
	%r50 = shl i32 %r49, 23
	%t17 = bitcast i32 %r50 to float
	%r51 = fmul float %r17, %t17
	%r52 = sub i32 %r22, %r48
	%p9 = icmp slt i32 %r52, -126
	%r53 = select i1 %p9, i32 -102, i32 0
	%p10 = icmp sgt i32 %r52, 127
	%r54 = select i1 %p10, i32 127, i32 %r53
	%r55 = add i32 %r54, 127
	%r56 = shl i32 %r55, 23
	%t18 = bitcast i32 %r56 to float
	%r57 = fmul float %r51, %t18
	%r58 = sub i32 %r52, %r54
	%t19 = call i32 @llvm.smax.i32(i32 %r58, i32 -126)
	%r59 = call i32 @llvm.smin.i32(i32 %t19, i32 127)
	%r60 = add i32 %r59, 127
	%r61 = shl i32 %r60, 23
	%t20 = bitcast i32 %r61 to float
	%r62 = fmul float %r57, %t20
	%r63 = fmul float %r9, 0x3FF0000000000000
	%r64 = fmul float %r63, 0x3FF0000000000000
	%r65 = fmul float %r64, 0x4020000000000000
	%p11 = icmp ult i32 %r4, %r6
	br i1 %p11, label %b10, label %b9

b10:
	%t21 = zext i32 %r4 to i64
	%t22 = zext i32 28 to i64
	%d5 = mul i64 %t21, %t22
	%t23 = getelementptr i8, ptr addrspace(1) %d6, i64 %d5
	store float %r17, ptr addrspace(1) %t23, align 4
	%t24 = getelementptr i8, ptr addrspace(1) %d6, i64 %d5
	%t25 = getelementptr i8, ptr addrspace(1) %t24, i64 4
	store float %r44, ptr addrspace(1) %t25, align 4
	%t26 = getelementptr i8, ptr addrspace(1) %d6, i64 %d5
	%t27 = getelementptr i8, ptr addrspace(1) %t26, i64 8
	store float %r38, ptr addrspace(1) %t27, align 4
	%t28 = getelementptr i8, ptr addrspace(1) %d6, i64 %d5
	%t29 = getelementptr i8, ptr addrspace(1) %t28, i64 12
	store float %r37, ptr addrspace(1) %t29, align 4
	%t30 = getelementptr i8, ptr addrspace(1) %d6, i64 %d5
	%t31 = getelementptr i8, ptr addrspace(1) %t30, i64 16
	store float %r46, ptr addrspace(1) %t31, align 4
	%t32 = getelementptr i8, ptr addrspace(1) %d6, i64 %d5
	%t33 = getelementptr i8, ptr addrspace(1) %t32, i64 20
	store float %r62, ptr addrspace(1) %t33, align 4
	%t34 = getelementptr i8, ptr addrspace(1) %d6, i64 %d5
	%t35 = getelementptr i8, ptr addrspace(1) %t34, i64 24
	store float %r65, ptr addrspace(1) %t35, align 4
	br label %b9

b9:
	%t36 = call float @llvm.maxnum.f32(float %r9, float 0xC0ED4C0000000000)
	%r66 = call float @llvm.minnum.f32(float %t36, float 0x40ED4C0000000000)
	%t37 = fptrunc float %r66 to half
	%r67 = fpext half %t37 to float
	%p12 = icmp ult i32 %r4, %r5
	br i1 %p12, label %b13, label %b12

b13:
	%t38 = getelementptr i8, ptr addrspace(1) %d7, i64 %d1
	store float %r67, ptr addrspace(1) %t38, align 4
	br label %b12

b12:
	ret void
}

declare i32 @llvm.amdgcn.workgroup.id.x()

declare i32 @llvm.amdgcn.workitem.id.x()

declare float @llvm.fabs.f32(float %0)

declare float @llvm.trunc.f32(float %0)

declare i32 @llvm.smax.i32(i32 %0, i32 %1)

declare i32 @llvm.smin.i32(i32 %0, i32 %1)

declare float @llvm.maxnum.f32(float %0, float %1)

declare float @llvm.minnum.f32(float %0, float %1)

attributes #0 = { norecurse nounwind "target-cpu"="gfx1100" "target-features"="+wavefrontsize32" "amdgpu-flat-work-group-size"="16,16" "uniform-work-group-size"="true" "amdgpu-no-workitem-id-y" "amdgpu-no-workgroup-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-workgroup-id-z" "amdgpu-no-implicitarg-ptr" "amdgpu-no-dispatch-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-queue-ptr" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-lds-kernel-id" }
attributes #1 = { norecurse nounwind "target-cpu"="gfx1100" "target-features"="+wavefrontsize32" "amdgpu-no-workitem-id-x" "amdgpu-no-workgroup-id-x" "amdgpu-no-workitem-id-y" "amdgpu-no-workgroup-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-workgroup-id-z" "amdgpu-no-implicitarg-ptr" "amdgpu-no-dispatch-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-queue-ptr" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-lds-kernel-id" }

!llvm.ident = !{!3}
!llvm.module.flags = !{!0}

!0 = !{i32 1, !"amdhsa_code_object_version", i32 500}
!1 = !{}
!2 = !{float 2.5}
!3 = !{!"gpuc's LLVM IR"}
