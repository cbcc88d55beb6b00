; LLVM IR written by gpuc for gfx1100
target triple = "amdgcn-amd-amdhsa"

define protected amdgpu_kernel void @main(ptr addrspace(1) noalias readonly align 16 %binding_0, ptr addrspace(1) noalias readonly align 16 %binding_1, ptr addrspace(1) noalias align 16 %binding_2, ptr addrspace(1) noalias align 16 %binding_3, ptr addrspace(1) noalias align 16 %binding_4, i32 %length_0, i32 %length_1, i32 %length_2, i32 %length_3, i32 %length_4) #0 {
begin:
	br label %b1

b1:
	%r1 = call i32 @llvm.amdgcn.workgroup.id.x()
	%r2 = mul i32 %r1, 32
	%r3 = call i32 @llvm.amdgcn.workitem.id.x()
	%r4 = add i32 %r2, %r3
	%r5 = add i32 %length_4, 0
	%r6 = add i32 %length_3, 0
	%r7 = add i32 %length_2, 0
	%r8 = add i32 %length_1, 0
	%r11 = add i32 %length_0, 0
	%d2 = getelementptr i8, ptr addrspace(1) %binding_0, i64 0
	%d4 = getelementptr i8, ptr addrspace(1) %binding_1, i64 0
	%d6 = getelementptr i8, ptr addrspace(1) %binding_2, i64 0
	%d8 = getelementptr i8, ptr addrspace(1) %binding_3, i64 0
	%d10 = getelementptr i8, ptr addrspace(1) %binding_4, i64 0
	%r9 = udiv i32 %r4, %r8
	%r10 = urem i32 %r4, %r8
	%p1 = icmp uge i32 %r9, %r11
	br i1 %p1, label %b4, label %b3

b4:
	ret void

b3:
	%t1 = zext i32 %r9 to i64
	%t2 = zext i32 4 to i64
	%d1 = mul i64 %t1, %t2
	%t3 = getelementptr i8, ptr addrspace(1) %d2, i64 %d1
	%r12 = load i32, ptr addrspace(1) %t3, align 4, !invariant.load !1
	%t4 = zext i32 %r10 to i64
	%t5 = zext i32 4 to i64
	%d3 = mul i64 %t4, %t5
	%t6 = getelementptr i8, ptr addrspace(1) %d4, i64 %d3
	%r13 = load i32, ptr addrspace(1) %t6, align 4, !invariant.load !1
	%p2 = icmp eq i32 %r13, 0
	%p3 = icmp eq i32 %r12, -2147483648
	%p4 = icmp eq i32 %r13, -1
	%p5 = and i1 %p3, %p4
	%p6 = or i1 %p2, %p5
	%r14 = select i1 %p6, i32 1, i32 %r13
	%r15 = sdiv i32 %r12, %r14
	%r16 = srem i32 %r12, %r14
	%p7 = icmp ult i32 %r4, %r7
	br i1 %p7, label %b7, label %b6

b7:
	%t7 = zext i32 %r4 to i64
	%t8 = zext i32 8 to i64
	%d5 = mul i64 %t7, %t8
	%t9 = getelementptr i8, ptr addrspace(1) %d6, i64 %d5
	%t10 = insertelement <2 x i32> poison, i32 %r15, i32 0
	%t11 = insertelement <2 x i32> %t10, i32 %r16, i32 1
	store <2 x i32> %t11, ptr addrspace(1) %t9, align 8
	br label %b6

b6:
	%p8 = icmp eq i32 %r13, 0
	%r17 = select i1 %p8, i32 1, i32 %r13
	%r18 = udiv i32 %r12, %r17
	%r19 = urem i32 %r12, %r17
	%p9 = icmp ult i32 %r4, %r6
	br i1 %p9, label %b10, label %b9

b10:
	%t12 = zext i32 %r4 to i64
	%t13 = zext i32 8 to i64
	%d7 = mul i64 %t12, %t13
	%t14 = getelementptr i8, ptr addrspace(1) %d8, i64 %d7
	%t15 = insertelement <2 x i32> poison, i32 %r18, i32 0
	%t16 = insertelement <2 x i32> %t15, i32 %r19, i32 1
	store <2 x i32> %t16, ptr addrspace(1) %t14, align 8
	br label %b9

b9:
	%r20 = select i1 %p2, i32 1, i32 %r13
	%r21 = sdiv i32 7, %r20
	%r22 = sdiv i32 %r12, 3
	%r23 = sub i32 0, %r12
	%r24 = srem i32 %r15, 1000
	%p10 = icmp eq i32 %r21, -2147483648
	%p11 = and i1 %p4, %p10
	%p12 = or i1 %p2, %p11
	%r25 = select i1 %p12, i32 1, i32 %r13
	%r26 = srem i32 %r21, %r25
	%r27 = srem i32 %r22, 17
	%r28 = srem i32 %r23, 9
	%r29 = add i32 %r16, %r24
	%r30 = add i32 %r16, %r26
	%r31 = add i32 %r16, %r27
	%r32 = add i32 %r16, %r28
	%r33 = sdiv i32 %r12, 16
	%r34 = sub i32 %r32, %r33
	%p13 = icmp ult i32 %r4, %r5
	br i1 %p13, label %b13, label %b12

b13:
	%t17 = zext i32 %r4 to i64
	%t18 = zext i32 16 to i64
	%d9 = mul i64 %t17, %t18
	%t19 = getelementptr i8, ptr addrspace(1) %d10, i64 %d9
	%t20 = insertelement <4 x i32> poison, i32 %r29, i32 0
	%t21 = insertelement <4 x i32> %t20, i32 %r30, i32 1
	%t22 = insertelement <4 x i32> %t21, i32 %r31, i32 2
	%t23 = insertelement <4 x i32> %t22, i32 %r34, i32 3
	store <4 x i32> %t23, ptr addrspace(1) %t19, align 16
	br label %b12

b12:
	ret void
}

declare i32 @llvm.amdgcn.workgroup.id.x()

declare i32 @llvm.amdgcn.workitem.id.x()

attributes #0 = { norecurse nounwind "target-cpu"="gfx1100" "target-features"="+wavefrontsize32" "amdgpu-flat-work-group-size"="32,32" "uniform-work-group-size"="true" "amdgpu-no-workitem-id-y" "amdgpu-no-workgroup-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-workgroup-id-z" "amdgpu-no-implicitarg-ptr" "amdgpu-no-dispatch-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-queue-ptr" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-lds-kernel-id" }
attributes #1 = { norecurse nounwind "target-cpu"="gfx1100" "target-features"="+wavefrontsize32" "amdgpu-no-workitem-id-x" "amdgpu-no-workgroup-id-x" "amdgpu-no-workitem-id-y" "amdgpu-no-workgroup-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-workgroup-id-z" "amdgpu-no-implicitarg-ptr" "amdgpu-no-dispatch-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-queue-ptr" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-lds-kernel-id" }

!llvm.ident = !{!3}
!llvm.module.flags = !{!0}

!0 = !{i32 1, !"amdhsa_code_object_version", i32 500}
!1 = !{}
!2 = !{float 2.5}
!3 = !{!"gpuc's LLVM IR"}
