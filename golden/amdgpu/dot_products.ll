; LLVM IR written by gpuc for gfx1100
target triple = "amdgcn-amd-amdhsa"

define protected amdgpu_kernel void @main(ptr addrspace(1) noalias readonly align 16 %binding_0, ptr addrspace(1) noalias align 16 %binding_1, i32 %length_0, i32 %length_1) #0 {
begin:
	br label %b1

b1:
	%r1 = call i32 @llvm.amdgcn.workgroup.id.x()
	%r2 = mul i32 %r1, 16
	%r3 = call i32 @llvm.amdgcn.workitem.id.x()
	%r4 = add i32 %r2, %r3
	%r5 = add i32 %length_1, 0
	%r6 = add i32 %length_0, 0
	%d2 = getelementptr i8, ptr addrspace(1) %binding_0, i64 0
	%d4 = getelementptr i8, ptr addrspace(1) %binding_1, i64 0
	%p1 = icmp uge i32 %r4, %r6
	br i1 %p1, label %b4, label %b3

b4:
	ret void

b3:
	%t1 = zext i32 %r4 to i64
	%t2 = zext i32 8 to i64
	%d1 = mul i64 %t1, %t2
	%t3 = getelementptr i8, ptr addrspace(1) %d2, i64 %d1
	%r7 = load i32, ptr addrspace(1) %t3, align 4, !invariant.load !1
	%t4 = getelementptr i8, ptr addrspace(1) %d2, i64 %d1
	%t5 = getelementptr i8, ptr addrspace(1) %t4, i64 4
	%r8 = load i32, ptr addrspace(1) %t5, align 4, !invariant.load !1
	%r9 = xor i32 %r7, %r8
	%r10 = ashr i32 %r7, 16
	%r11 = ashr i32 %r8, 20
	%r12 = and i32 %r7, 255
	%r13 = and i32 %r8, 255
	%r14 = mul i32 %r12, %r13
	%r15 = lshr i32 %r7, 8
	%r16 = and i32 %r15, 255
	%r17 = lshr i32 %r8, 8
	%r18 = and i32 %r17, 255
	%r19 = mul i32 %r16, %r18
	%r20 = add i32 %r14, %r19
	%r21 = lshr i32 %r7, 16
	%r22 = and i32 %r21, 255
	%r23 = lshr i32 %r8, 16
	%r24 = and i32 %r23, 255
	%r25 = mul i32 %r22, %r24
	%r26 = add i32 %r20, %r25
	%r27 = lshr i32 %r7, 24
	%r28 = lshr i32 %r8, 24
	%r29 = mul i32 %r27, %r28
	%r30 = add i32 %r26, %r29
	%r31 = shl i32 %r7, 24
	%r32 = ashr i32 %r31, 24
	%r33 = shl i32 %r8, 24
	%r34 = ashr i32 %r33, 24
	%r35 = mul i32 %r32, %r34
	%r36 = shl i32 %r7, 16
	%r37 = ashr i32 %r36, 24
	%r38 = shl i32 %r8, 16
	%r39 = ashr i32 %r38, 24
	%r40 = mul i32 %r37, %r39
	%r41 = add i32 %r35, %r40
	%r42 = shl i32 %r7, 8
	%r43 = ashr i32 %r42, 24
	%r44 = shl i32 %r8, 8
	%r45 = ashr i32 %r44, 24
	%r46 = mul i32 %r43, %r45
	%r47 = add i32 %r41, %r46
	%r48 = ashr i32 %r7, 24
	%r49 = ashr i32 %r8, 24
	%r50 = mul i32 %r48, %r49
	%r51 = add i32 %r47, %r50
	%r52 = mul i32 %r7, 3
	%r53 = mul i32 %r8, %r9
	%r54 = add i32 %r52, %r53
	%r55 = add i32 %r53, %r54
	%r56 = add i32 %r52, %r55
	%r57 = mul i32 %r10, %r11
	%r58 = add i32 %r57, 25
	%r59 = add i32 %r57, %r58
	%r60 = mul i32 %r8, 5
	%r61 = add i32 %r52, %r60
	%p2 = icmp ult i32 %r4, %r5
	br i1 %p2, label %b7, label %b6

b7:
	%t6 = zext i32 %r4 to i64
	%t7 = zext i32 20 to i64
	%d3 = mul i64 %t6, %t7
	%t8 = getelementptr i8, ptr addrspace(1) %d4, i64 %d3
	store i32 %r30, ptr addrspace(1) %t8, align 4
	%t9 = getelementptr i8, ptr addrspace(1) %d4, i64 %d3
	%t10 = getelementptr i8, ptr addrspace(1) %t9, i64 4
	store i32 %r51, ptr addrspace(1) %t10, align 4
	%t11 = getelementptr i8, ptr addrspace(1) %d4, i64 %d3
	%t12 = getelementptr i8, ptr addrspace(1) %t11, i64 8
	store i32 %r56, ptr addrspace(1) %t12, align 4
	%t13 = getelementptr i8, ptr addrspace(1) %d4, i64 %d3
	%t14 = getelementptr i8, ptr addrspace(1) %t13, i64 12
	store i32 %r59, ptr addrspace(1) %t14, align 4
	%t15 = getelementptr i8, ptr addrspace(1) %d4, i64 %d3
	%t16 = getelementptr i8, ptr addrspace(1) %t15, i64 16
	store i32 %r61, ptr addrspace(1) %t16, align 4
	br label %b6

b6:
	ret void
}

declare i32 @llvm.amdgcn.workgroup.id.x()

declare i32 @llvm.amdgcn.workitem.id.x()

attributes #0 = { norecurse nounwind "target-cpu"="gfx1100" "target-features"="+wavefrontsize32" "amdgpu-flat-work-group-size"="16,16" "uniform-work-group-size"="true" "amdgpu-no-workitem-id-y" "amdgpu-no-workgroup-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-workgroup-id-z" "amdgpu-no-implicitarg-ptr" "amdgpu-no-dispatch-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-queue-ptr" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-lds-kernel-id" }
attributes #1 = { norecurse nounwind "target-cpu"="gfx1100" "target-features"="+wavefrontsize32" "amdgpu-no-workitem-id-x" "amdgpu-no-workgroup-id-x" "amdgpu-no-workitem-id-y" "amdgpu-no-workgroup-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-workgroup-id-z" "amdgpu-no-implicitarg-ptr" "amdgpu-no-dispatch-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-queue-ptr" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-lds-kernel-id" }

!llvm.ident = !{!3}
!llvm.module.flags = !{!0}

!0 = !{i32 1, !"amdhsa_code_object_version", i32 500}
!1 = !{}
!2 = !{float 2.5}
!3 = !{!"gpuc's LLVM IR"}
