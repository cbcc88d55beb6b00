; LLVM IR written by gpuc for gfx1100
target triple = "amdgcn-amd-amdhsa"

define protected amdgpu_kernel void @main(ptr addrspace(1) noalias align 16 %binding_0, ptr addrspace(1) noalias align 16 %binding_1, i32 %length_0, i32 %length_1) #0 {
begin:
	br label %b1

b1:
	%r1 = call i32 @llvm.amdgcn.workgroup.id.x()
	%r2 = mul i32 %r1, 2
	%r3 = call i32 @llvm.amdgcn.workitem.id.x()
	%r4 = add i32 %r2, %r3
	%r5 = add i32 %length_1, 0
	%d1 = getelementptr i8, ptr addrspace(1) %binding_0, i64 0
	%r6 = add i32 %length_0, 0
	%d8 = getelementptr i8, ptr addrspace(1) %binding_1, i64 0
	%p1 = icmp eq i32 %r4, 0
	br i1 %p1, label %b4, label %b3

b4:
	%t1 = getelementptr i8, ptr addrspace(1) %d1, i64 12
	store i32 %r6, ptr addrspace(1) %t1, align 4
	br label %b3

b3:
	%p2 = icmp uge i32 %r4, %r6
	br i1 %p2, label %b7, label %b6

b7:
	ret void

b6:
	%r7 = urem i32 %r4, 3
	%r8 = lshr i32 %r4, 1
	%r9 = and i32 %r8, 1
	%t2 = zext i32 %r4 to i64
	%t3 = zext i32 224 to i64
	%d2 = mul i64 %t2, %t3
	%t4 = zext i32 %r7 to i64
	%t5 = zext i32 64 to i64
	%d3 = mul i64 %t4, %t5
	%d4 = add i64 %d2, %d3
	%t6 = zext i32 %r9 to i64
	%t7 = zext i32 32 to i64
	%d5 = mul i64 %t6, %t7
	%d6 = add i64 %d4, %d5
	%t8 = getelementptr i8, ptr addrspace(1) %d1, i64 %d6
	%t9 = getelementptr i8, ptr addrspace(1) %t8, i64 32
	%r10 = load float, ptr addrspace(1) %t9, align 16
	%t10 = getelementptr i8, ptr addrspace(1) %d1, i64 %d6
	%t11 = getelementptr i8, ptr addrspace(1) %t10, i64 48
	%t12 = load <2 x i32>, ptr addrspace(1) %t11, align 16
	%r11 = extractelement <2 x i32> %t12, i32 0
	%r12 = extractelement <2 x i32> %t12, i32 1
	%t13 = getelementptr i8, ptr addrspace(1) %d1, i64 %d6
	%t14 = getelementptr i8, ptr addrspace(1) %t13, i64 56
	%r13 = load i32, ptr addrspace(1) %t14, align 8
	%t15 = call i32 @llvm.fptoui.sat.i32.f32(float %r10)
	%r14 = call i32 @llvm.umin.i32(i32 %t15, i32 -256)
	%p3 = icmp ult i32 %r4, %r5
	br i1 %p3, label %b10, label %b9

b10:
	%t16 = zext i32 %r4 to i64
	%t17 = zext i32 16 to i64
	%d7 = mul i64 %t16, %t17
	%t18 = getelementptr i8, ptr addrspace(1) %d8, i64 %d7
	%t19 = insertelement <4 x i32> poison, i32 %r11, i32 0
	%t20 = insertelement <4 x i32> %t19, i32 %r12, i32 1
	%t21 = insertelement <4 x i32> %t20, i32 %r13, i32 2
	%t22 = insertelement <4 x i32> %t21, i32 %r14, i32 3
	store <4 x i32> %t22, ptr addrspace(1) %t18, align 16
	br label %b9

b9:
	%r15 = add i32 %r7, 1
	%r16 = urem i32 %r15, 3
	%t23 = zext i32 %r16 to i64
	%t24 = zext i32 64 to i64
	%d9 = mul i64 %t23, %t24
	%d10 = add i64 %d2, %d9
	%d11 = add i64 %d5, %d10
	%t25 = getelementptr i8, ptr addrspace(1) %d1, i64 4
	%r17 = load i32, ptr addrspace(1) %t25, align 4
	%r18 = add i32 %r4, %r17
	%t26 = getelementptr i8, ptr addrspace(1) %d1, i64 %d11
	%t27 = getelementptr i8, ptr addrspace(1) %t26, i64 52
	store i32 %r18, ptr addrspace(1) %t27, align 4
	%r19 = sub i32 1, %r9
	%t28 = zext i32 %r19 to i64
	%t29 = zext i32 32 to i64
	%d12 = mul i64 %t28, %t29
	%d13 = add i64 %d4, %d12
	%r20 = fadd float %r10, 0x3FE0000000000000
	%t30 = getelementptr i8, ptr addrspace(1) %d1, i64 %d13
	%t31 = getelementptr i8, ptr addrspace(1) %t30, i64 32
	store float %r20, ptr addrspace(1) %t31, align 16
	%t32 = getelementptr i8, ptr addrspace(1) %d1, i64 %d13
	%t33 = getelementptr i8, ptr addrspace(1) %t32, i64 48
	%t34 = insertelement <2 x i32> poison, i32 %r13, i32 0
	%t35 = insertelement <2 x i32> %t34, i32 %r12, i32 1
	store <2 x i32> %t35, ptr addrspace(1) %t33, align 16
	%t36 = getelementptr i8, ptr addrspace(1) %d1, i64 %d13
	%t37 = getelementptr i8, ptr addrspace(1) %t36, i64 56
	store i32 %r11, ptr addrspace(1) %t37, align 8
	%t38 = zext i32 %r9 to i64
	%t39 = zext i32 4 to i64
	%d14 = mul i64 %t38, %t39
	%d15 = add i64 %d2, %d14
	%t40 = getelementptr i8, ptr addrspace(1) %d1, i64 %d15
	%t41 = getelementptr i8, ptr addrspace(1) %t40, i64 224
	%r21 = load i32, ptr addrspace(1) %t41, align 4
	%t42 = getelementptr i8, ptr addrspace(1) %d1, i64 %d2
	%t43 = getelementptr i8, ptr addrspace(1) %t42, i64 16
	%r22 = load i32, ptr addrspace(1) %t43, align 4
	%r23 = xor i32 %r21, %r22
	%t44 = getelementptr i8, ptr addrspace(1) %d1, i64 %d15
	%t45 = getelementptr i8, ptr addrspace(1) %t44, i64 224
	store i32 %r23, ptr addrspace(1) %t45, align 4
	ret void
}

declare i32 @llvm.amdgcn.workgroup.id.x()

declare i32 @llvm.amdgcn.workitem.id.x()

declare i32 @llvm.fptoui.sat.i32.f32(float %0)

declare i32 @llvm.umin.i32(i32 %0, i32 %1)

attributes #0 = { norecurse nounwind "target-cpu"="gfx1100" "target-features"="+wavefrontsize32" "amdgpu-flat-work-group-size"="2,2" "uniform-work-group-size"="true" "amdgpu-no-workitem-id-y" "amdgpu-no-workgroup-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-workgroup-id-z" "amdgpu-no-implicitarg-ptr" "amdgpu-no-dispatch-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-queue-ptr" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-lds-kernel-id" }
attributes #1 = { norecurse nounwind "target-cpu"="gfx1100" "target-features"="+wavefrontsize32" "amdgpu-no-workitem-id-x" "amdgpu-no-workgroup-id-x" "amdgpu-no-workitem-id-y" "amdgpu-no-workgroup-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-workgroup-id-z" "amdgpu-no-implicitarg-ptr" "amdgpu-no-dispatch-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-queue-ptr" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-lds-kernel-id" }

!llvm.ident = !{!3}
!llvm.module.flags = !{!0}

!0 = !{i32 1, !"amdhsa_code_object_version", i32 500}
!1 = !{}
!2 = !{float 2.5}
!3 = !{!"gpuc's LLVM IR"}
