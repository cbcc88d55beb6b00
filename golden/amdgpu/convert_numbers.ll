; LLVM IR written by gpuc for gfx1100
target triple = "amdgcn-amd-amdhsa"

define protected amdgpu_kernel void @main(ptr addrspace(1) noalias readonly align 16 %binding_0, ptr addrspace(1) noalias readonly align 16 %binding_1, ptr addrspace(1) noalias align 16 %binding_2, ptr addrspace(1) noalias align 16 %binding_3, ptr addrspace(1) noalias align 16 %binding_4, i32 %length_0, i32 %length_1, i32 %length_2, i32 %length_3, i32 %length_4) #0 {
begin:
	br label %b1

b1:
	%r1 = call i32 @llvm.amdgcn.workgroup.id.x()
	%r2 = mul i32 %r1, 16
	%r3 = call i32 @llvm.amdgcn.workitem.id.x()
	%r4 = add i32 %r2, %r3
	%r5 = add i32 %length_1, 0
	%r7 = add i32 %length_4, 0
	%r8 = add i32 %length_3, 0
	%r9 = add i32 %length_2, 0
	%r10 = add i32 %length_0, 0
	%d2 = getelementptr i8, ptr addrspace(1) %binding_0, i64 0
	%d4 = getelementptr i8, ptr addrspace(1) %binding_1, i64 0
	%d6 = getelementptr i8, ptr addrspace(1) %binding_2, i64 0
	%d8 = getelementptr i8, ptr addrspace(1) %binding_3, i64 0
	%d10 = getelementptr i8, ptr addrspace(1) %binding_4, i64 0
	%r6 = sub i32 %r5, 1
	%p1 = icmp uge i32 %r4, %r10
	br i1 %p1, label %b4, label %b3

b4:
	ret void

b3:
	%t1 = zext i32 %r4 to i64
	%t2 = zext i32 4 to i64
	%d1 = mul i64 %t1, %t2
	%t3 = getelementptr i8, ptr addrspace(1) %d2, i64 %d1
	%r11 = load float, ptr addrspace(1) %t3, align 4, !invariant.load !1
	%r12 = call i32 @llvm.umin.i32(i32 %r4, i32 %r6)
	%t4 = zext i32 %r12 to i64
	%t5 = zext i32 4 to i64
	%d3 = mul i64 %t4, %t5
	%t6 = getelementptr i8, ptr addrspace(1) %d4, i64 %d3
	%r13 = load i32, ptr addrspace(1) %t6, align 4, !invariant.load !1
	%t7 = call i32 @llvm.fptosi.sat.i32.f32(float %r11)
	%r14 = call i32 @llvm.smin.i32(i32 %t7, i32 2147483520)
	%r15 = fneg float %r11
	%r16 = fmul float %r11, 0x3FE0000000000000
	%t8 = call i32 @llvm.fptosi.sat.i32.f32(float %r15)
	%r17 = call i32 @llvm.smin.i32(i32 %t8, i32 2147483520)
	%t9 = call i32 @llvm.fptosi.sat.i32.f32(float %r16)
	%r18 = call i32 @llvm.smin.i32(i32 %t9, i32 2147483520)
	%p2 = icmp ult i32 %r4, %r9
	br i1 %p2, label %b7, label %b6

b7:
	%t10 = zext i32 %r4 to i64
	%t11 = zext i32 16 to i64
	%d5 = mul i64 %t10, %t11
	%t12 = getelementptr i8, ptr addrspace(1) %d6, i64 %d5
	%t13 = insertelement <4 x i32> poison, i32 %r14, i32 0
	%t14 = insertelement <4 x i32> %t13, i32 %r13, i32 1
	%t15 = insertelement <4 x i32> %t14, i32 %r17, i32 2
	%t16 = insertelement <4 x i32> %t15, i32 %r18, i32 3
	store <4 x i32> %t16, ptr addrspace(1) %t12, align 16
	br label %b6

b6:
	%t17 = call i32 @llvm.fptoui.sat.i32.f32(float %r11)
	%r19 = call i32 @llvm.umin.i32(i32 %t17, i32 -256)
	%r20 = and i32 %r13, 8
	%p3 = icmp ne i32 %r20, 0
	%r21 = zext i1 %p3 to i32
	%p4 = fcmp une float %r11, 0.0
	%r22 = zext i1 %p4 to i32
	%r23 = shl i32 %r22, 1
	%r24 = or i32 %r21, %r23
	%t18 = call i32 @llvm.fptoui.sat.i32.f32(float %r15)
	%r25 = call i32 @llvm.umin.i32(i32 %t18, i32 -256)
	%p5 = icmp ult i32 %r4, %r8
	br i1 %p5, label %b10, label %b9

b10:
	%t19 = zext i32 %r4 to i64
	%t20 = zext i32 16 to i64
	%d7 = mul i64 %t19, %t20
	%t21 = getelementptr i8, ptr addrspace(1) %d8, i64 %d7
	%t22 = insertelement <4 x i32> poison, i32 %r19, i32 0
	%t23 = bitcast float %r11 to i32
	%t24 = insertelement <4 x i32> %t22, i32 %t23, i32 1
	%t25 = insertelement <4 x i32> %t24, i32 %r24, i32 2
	%t26 = insertelement <4 x i32> %t25, i32 %r25, i32 3
	store <4 x i32> %t26, ptr addrspace(1) %t21, align 16
	br label %b9

b9:
	%r26 = uitofp i32 %r13 to float
	%r27 = sitofp i32 %r13 to float
	%r28 = and i32 %r13, 1
	%p6 = icmp eq i32 %r28, 1
	%r29 = uitofp i1 %p6 to float
	%r30 = and i32 %r13, -1082130433
	%p7 = icmp ult i32 %r4, %r7
	br i1 %p7, label %b13, label %b12

b13:
	%t27 = zext i32 %r4 to i64
	%t28 = zext i32 16 to i64
	%d9 = mul i64 %t27, %t28
	%t29 = getelementptr i8, ptr addrspace(1) %d10, i64 %d9
	%t30 = insertelement <4 x float> poison, float %r26, i32 0
	%t31 = insertelement <4 x float> %t30, float %r27, i32 1
	%t32 = insertelement <4 x float> %t31, float %r29, i32 2
	%t33 = bitcast i32 %r30 to float
	%t34 = insertelement <4 x float> %t32, float %t33, i32 3
	store <4 x float> %t34, ptr addrspace(1) %t29, align 16
	br label %b12

b12:
	ret void
}

declare i32 @llvm.amdgcn.workgroup.id.x()

declare i32 @llvm.amdgcn.workitem.id.x()

declare i32 @llvm.umin.i32(i32 %0, i32 %1)

declare i32 @llvm.fptosi.sat.i32.f32(float %0)

declare i32 @llvm.smin.i32(i32 %0, i32 %1)

declare i32 @llvm.fptoui.sat.i32.f32(float %0)

attributes #0 = { norecurse nounwind "target-cpu"="gfx1100" "target-features"="+wavefrontsize32" "amdgpu-flat-work-group-size"="16,16" "uniform-work-group-size"="true" "amdgpu-no-workitem-id-y" "amdgpu-no-workgroup-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-workgroup-id-z" "amdgpu-no-implicitarg-ptr" "amdgpu-no-dispatch-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-queue-ptr" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-lds-kernel-id" }
attributes #1 = { norecurse nounwind "target-cpu"="gfx1100" "target-features"="+wavefrontsize32" "amdgpu-no-workitem-id-x" "amdgpu-no-workgroup-id-x" "amdgpu-no-workitem-id-y" "amdgpu-no-workgroup-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-workgroup-id-z" "amdgpu-no-implicitarg-ptr" "amdgpu-no-dispatch-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-queue-ptr" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-lds-kernel-id" }

!llvm.ident = !{!3}
!llvm.module.flags = !{!0}

!0 = !{i32 1, !"amdhsa_code_object_version", i32 500}
!1 = !{}
!2 = !{float 2.5}
!3 = !{!"gpuc's LLVM IR"}
