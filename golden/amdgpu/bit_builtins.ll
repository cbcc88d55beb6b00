; LLVM IR written by gpuc for gfx1100
target triple = "amdgcn-amd-amdhsa"

define protected amdgpu_kernel void @main(ptr addrspace(1) noalias readonly align 16 %binding_0, ptr addrspace(1) noalias align 16 %binding_1, ptr addrspace(1) noalias align 16 %binding_2, i32 %length_0, i32 %length_1, i32 %length_2) #0 {
begin:
	br label %b1

b1:
	%r1 = call i32 @llvm.amdgcn.workgroup.id.x()
	%r2 = mul i32 %r1, 16
	%r3 = call i32 @llvm.amdgcn.workitem.id.x()
	%r4 = add i32 %r2, %r3
	%r5 = add i32 %length_2, 0
	%r6 = add i32 %length_1, 0
	%r7 = add i32 %length_0, 0
	%d2 = getelementptr i8, ptr addrspace(1) %binding_0, i64 0
	%d4 = getelementptr i8, ptr addrspace(1) %binding_1, i64 0
	%d6 = getelementptr i8, ptr addrspace(1) %binding_2, i64 0
	%p1 = icmp uge i32 %r4, %r7
	br i1 %p1, label %b4, label %b3

b4:
	ret void

b3:
	%t1 = zext i32 %r4 to i64
	%t2 = zext i32 4 to i64
	%d1 = mul i64 %t1, %t2
	%t3 = getelementptr i8, ptr addrspace(1) %d2, i64 %d1
	%r8 = load i32, ptr addrspace(1) %t3, align 4, !invariant.load !1
	%r9 = urem i32 %r4, 37
	%r10 = udiv i32 %r4, 3
	%r11 = urem i32 %r10, 35
	%r12 = call i32 @llvm.ctpop.i32(i32 %r8)
	%r13 = call i32 @llvm.bitreverse.i32(i32 %r8)
	%r14 = call i32 @llvm.ctlz.i32(i32 %r8, i1 false)
	%r15 = call i32 @llvm.cttz.i32(i32 %r8, i1 false)
	%t4 = call i32 @llvm.ctlz.i32(i32 %r8, i1 false)
	%r16 = sub i32 31, %t4
	%t5 = call i32 @llvm.cttz.i32(i32 %r8, i1 true)
	%t6 = icmp eq i32 %r8, 0
	%r17 = select i1 %t6, i32 -1, i32 %t5
	%r18 = call i32 @llvm.umin.i32(i32 %r9, i32 32)
	%r19 = sub i32 32, %r18
	%r20 = call i32 @llvm.umin.i32(i32 %r11, i32 %r19)
	%r21 = sub i32 32, %r20
	%p2 = icmp eq i32 %r20, 0
	%r22 = sub i32 %r21, %r18
	%r23 = and i32 %r22, 31
	%r24 = shl i32 %r8, %r23
	%r25 = and i32 %r21, 31
	%r26 = lshr i32 %r24, %r25
	%r27 = select i1 %p2, i32 0, i32 %r26
	%r28 = and i32 %r18, 31
	%r29 = lshr i32 -1, %r25
	%r30 = shl i32 %r29, %r28
	%r31 = select i1 %p2, i32 0, i32 %r30
	%r32 = xor i32 %r31, -1
	%r33 = and i32 %r8, %r32
	%r34 = shl i32 1515870810, %r28
	%r35 = and i32 %r31, %r34
	%r36 = or i32 %r33, %r35
	%p3 = icmp ult i32 %r4, %r6
	br i1 %p3, label %b7, label %b6

b7:
	%t7 = zext i32 %r4 to i64
	%t8 = zext i32 32 to i64
	%d3 = mul i64 %t7, %t8
	%t9 = getelementptr i8, ptr addrspace(1) %d4, i64 %d3
	%t10 = insertelement <4 x i32> poison, i32 %r12, i32 0
	%t11 = insertelement <4 x i32> %t10, i32 %r13, i32 1
	%t12 = insertelement <4 x i32> %t11, i32 %r14, i32 2
	%t13 = insertelement <4 x i32> %t12, i32 %r15, i32 3
	store <4 x i32> %t13, ptr addrspace(1) %t9, align 16
	%t14 = getelementptr i8, ptr addrspace(1) %d4, i64 %d3
	%t15 = getelementptr i8, ptr addrspace(1) %t14, i64 16
	%t16 = insertelement <4 x i32> poison, i32 %r16, i32 0
	%t17 = insertelement <4 x i32> %t16, i32 %r17, i32 1
	%t18 = insertelement <4 x i32> %t17, i32 %r27, i32 2
	%t19 = insertelement <4 x i32> %t18, i32 %r36, i32 3
	store <4 x i32> %t19, ptr addrspace(1) %t15, align 16
	br label %b6

b6:
	%r37 = xor i32 %r8, -1
	%r38 = call i32 @llvm.ctpop.i32(i32 %r8)
	%r39 = call i32 @llvm.bitreverse.i32(i32 %r37)
	%r40 = call i32 @llvm.ctlz.i32(i32 %r8, i1 false)
	%r41 = call i32 @llvm.cttz.i32(i32 %r37, i1 false)
	%t20 = ashr i32 %r8, 31
	%t21 = xor i32 %r8, %t20
	%t22 = call i32 @llvm.ctlz.i32(i32 %t21, i1 false)
	%r42 = sub i32 31, %t22
	%t23 = call i32 @llvm.cttz.i32(i32 %r8, i1 true)
	%t24 = icmp eq i32 %r8, 0
	%r43 = select i1 %t24, i32 -1, i32 %t23
	%r44 = shl i32 %r8, %r23
	%r45 = ashr i32 %r44, %r25
	%r46 = select i1 %p2, i32 0, i32 %r45
	%r47 = select i1 %p2, i32 0, i32 %r30
	%r48 = xor i32 %r47, -1
	%r49 = and i32 %r37, %r48
	%r50 = shl i32 3, %r28
	%r51 = and i32 %r47, %r50
	%r52 = or i32 %r49, %r51
	%p4 = icmp ult i32 %r4, %r5
	br i1 %p4, label %b10, label %b9

b10:
	%t25 = zext i32 %r4 to i64
	%t26 = zext i32 32 to i64
	%d5 = mul i64 %t25, %t26
	%t27 = getelementptr i8, ptr addrspace(1) %d6, i64 %d5
	%t28 = insertelement <4 x i32> poison, i32 %r38, i32 0
	%t29 = insertelement <4 x i32> %t28, i32 %r39, i32 1
	%t30 = insertelement <4 x i32> %t29, i32 %r40, i32 2
	%t31 = insertelement <4 x i32> %t30, i32 %r41, i32 3
	store <4 x i32> %t31, ptr addrspace(1) %t27, align 16
	%t32 = getelementptr i8, ptr addrspace(1) %d6, i64 %d5
	%t33 = getelementptr i8, ptr addrspace(1) %t32, i64 16
	%t34 = insertelement <4 x i32> poison, i32 %r42, i32 0
	%t35 = insertelement <4 x i32> %t34, i32 %r43, i32 1
	%t36 = insertelement <4 x i32> %t35, i32 %r46, i32 2
	%t37 = insertelement <4 x i32> %t36, i32 %r52, i32 3
	store <4 x i32> %t37, ptr addrspace(1) %t33, align 16
	br label %b9

b9:
	ret void
}

declare i32 @llvm.amdgcn.workgroup.id.x()

declare i32 @llvm.amdgcn.workitem.id.x()

declare i32 @llvm.ctpop.i32(i32 %0)

declare i32 @llvm.bitreverse.i32(i32 %0)

declare i32 @llvm.ctlz.i32(i32 %0, i1 %1)

declare i32 @llvm.cttz.i32(i32 %0, i1 %1)

declare i32 @llvm.umin.i32(i32 %0, i32 %1)

attributes #0 = { norecurse nounwind "target-cpu"="gfx1100" "target-features"="+wavefrontsize32" "amdgpu-flat-work-group-size"="16,16" "uniform-work-group-size"="true" "amdgpu-no-workitem-id-y" "amdgpu-no-workgroup-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-workgroup-id-z" "amdgpu-no-implicitarg-ptr" "amdgpu-no-dispatch-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-queue-ptr" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-lds-kernel-id" }
attributes #1 = { norecurse nounwind "target-cpu"="gfx1100" "target-features"="+wavefrontsize32" "amdgpu-no-workitem-id-x" "amdgpu-no-workgroup-id-x" "amdgpu-no-workitem-id-y" "amdgpu-no-workgroup-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-workgroup-id-z" "amdgpu-no-implicitarg-ptr" "amdgpu-no-dispatch-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-queue-ptr" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-lds-kernel-id" }

!llvm.ident = !{!3}
!llvm.module.flags = !{!0}

!0 = !{i32 1, !"amdhsa_code_object_version", i32 500}
!1 = !{}
!2 = !{float 2.5}
!3 = !{!"gpuc's LLVM IR"}
