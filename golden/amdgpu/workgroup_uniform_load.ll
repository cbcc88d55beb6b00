; LLVM IR written by gpuc for gfx1100
target triple = "amdgcn-amd-amdhsa"

@.shared_2_task = internal addrspace(3) global [16 x i8] undef, align 16
@.shared_3_running = internal addrspace(3) global [4 x i8] undef, align 4
@.shared_4_found = internal addrspace(3) global [4 x i8] undef, align 4
@.shared_5_scratch = internal addrspace(3) global [128 x i8] undef, align 16

define protected amdgpu_kernel void @main(ptr addrspace(1) noalias readonly align 16 %binding_0, ptr addrspace(1) noalias align 16 %binding_1, i32 %length_0, i32 %length_1) #0 {
begin:
	br label %b1

b1:
	%r1 = call i32 @llvm.amdgcn.workitem.id.x()
	%r2 = call i32 @llvm.amdgcn.workgroup.id.x()
	%r3 = add i32 %length_1, 0
	%r6 = add i32 %length_0, 0
	%d2 = getelementptr i8, ptr addrspace(1) %binding_0, i64 0
	%d4 = getelementptr i8, ptr addrspace(1) %binding_1, i64 0
	%p1 = icmp ult i32 %r1, 1
	br i1 %p1, label %b4, label %b3

b4:
	store i32 0, ptr addrspace(3) @.shared_2_task, align 16
	%t1 = getelementptr i8, ptr addrspace(3) @.shared_2_task, i32 8
	%t2 = insertelement <2 x i32> poison, i32 0, i32 0
	%t3 = insertelement <2 x i32> %t2, i32 0, i32 1
	store <2 x i32> %t3, ptr addrspace(3) %t1, align 8
	store i32 0, ptr addrspace(3) @.shared_3_running, align 4
	store atomic i32 0, ptr addrspace(3) @.shared_4_found syncscope("workgroup") monotonic, align 4
	br label %b3

b3:
	%r4 = mul i32 %r1, 4
	%t4 = getelementptr i8, ptr addrspace(3) @.shared_5_scratch, i32 %r4
	store i32 0, ptr addrspace(3) %t4, align 4
	fence syncscope("workgroup") release
	call void @llvm.amdgcn.s.barrier()
	fence syncscope("workgroup") acquire
	%r5 = mul i32 %r2, 7
	%r7 = add i32 %r2, 3
	%r8 = sub i32 31, %r1
	%r9 = mul i32 %r8, 4
	br label %b7

b7:
	%r10 = phi i32 [ 0, %b3 ], [ %r29, %b15 ]
	%r11 = phi i32 [ 0, %b3 ], [ %r30, %b15 ]
	%r12 = and i32 %r11, 31
	%p2 = icmp eq i32 %r1, %r12
	br i1 %p2, label %b10, label %b9

b10:
	%r13 = add i32 %r5, %r11
	%r14 = urem i32 %r13, %r6
	%t5 = zext i32 %r14 to i64
	%t6 = zext i32 4 to i64
	%d1 = mul i64 %t5, %t6
	%t7 = getelementptr i8, ptr addrspace(1) %d2, i64 %d1
	%r15 = load i32, ptr addrspace(1) %t7, align 4, !invariant.load !1
	store i32 %r15, ptr addrspace(3) @.shared_2_task, align 16
	%t8 = getelementptr i8, ptr addrspace(3) @.shared_2_task, i32 8
	%t9 = insertelement <2 x i32> poison, i32 %r11, i32 0
	%t10 = insertelement <2 x i32> %t9, i32 %r1, i32 1
	store <2 x i32> %t10, ptr addrspace(3) %t8, align 8
	%p3 = icmp ult i32 %r11, %r7
	%r16 = zext i1 %p3 to i32
	store i32 %r16, ptr addrspace(3) @.shared_3_running, align 4
	br label %b9

b9:
	fence syncscope("workgroup") release
	call void @llvm.amdgcn.s.barrier()
	fence syncscope("workgroup") acquire
	%r17 = load i32, ptr addrspace(3) @.shared_3_running, align 4
	%p4 = icmp ne i32 %r17, 0
	fence syncscope("workgroup") release
	call void @llvm.amdgcn.s.barrier()
	fence syncscope("workgroup") acquire
	%p5 = xor i1 %p4, true
	br i1 %p5, label %b6, label %b12

b12:
	fence syncscope("workgroup") release
	call void @llvm.amdgcn.s.barrier()
	fence syncscope("workgroup") acquire
	%r18 = load i32, ptr addrspace(3) @.shared_2_task, align 16
	%t11 = getelementptr i8, ptr addrspace(3) @.shared_2_task, i32 8
	%t12 = load <2 x i32>, ptr addrspace(3) %t11, align 8
	%r19 = extractelement <2 x i32> %t12, i32 0
	%r20 = extractelement <2 x i32> %t12, i32 1
	fence syncscope("workgroup") release
	call void @llvm.amdgcn.s.barrier()
	fence syncscope("workgroup") acquire
	%r21 = mul i32 %r1, %r19
	%r22 = xor i32 %r18, %r21
	%t13 = getelementptr i8, ptr addrspace(3) @.shared_5_scratch, i32 %r4
	store i32 %r22, ptr addrspace(3) %t13, align 4
	%r23 = urem i32 %r22, 3
	%p6 = icmp eq i32 %r23, 0
	br i1 %p6, label %b16, label %b15

b16:
	%t14 = atomicrmw add ptr addrspace(3) @.shared_4_found, i32 1 syncscope("workgroup") monotonic, align 4
	br label %b15

b15:
	fence syncscope("workgroup") release
	call void @llvm.amdgcn.s.barrier()
	fence syncscope("workgroup") acquire
	%r24 = mul i32 %r10, 5
	%t15 = getelementptr i8, ptr addrspace(3) @.shared_5_scratch, i32 %r9
	%r25 = load i32, ptr addrspace(3) %t15, align 4
	%r26 = add i32 %r24, %r25
	%r27 = add i32 %r26, %r20
	fence syncscope("workgroup") release
	call void @llvm.amdgcn.s.barrier()
	fence syncscope("workgroup") acquire
	%r28 = load atomic i32, ptr addrspace(3) @.shared_4_found syncscope("workgroup") monotonic, align 4
	fence syncscope("workgroup") release
	call void @llvm.amdgcn.s.barrier()
	fence syncscope("workgroup") acquire
	%r29 = xor i32 %r27, %r28
	%r30 = add i32 %r11, 1
	br label %b7

b6:
	%r31 = shl i32 %r2, 5
	%r32 = add i32 %r1, %r31
	%p7 = icmp ult i32 %r32, %r3
	br i1 %p7, label %b19, label %b18

b19:
	%t16 = zext i32 %r32 to i64
	%t17 = zext i32 4 to i64
	%d3 = mul i64 %t16, %t17
	%t18 = getelementptr i8, ptr addrspace(1) %d4, i64 %d3
	store i32 %r10, ptr addrspace(1) %t18, align 4
	br label %b18

b18:
	ret void
}

declare i32 @llvm.amdgcn.workitem.id.x()

declare i32 @llvm.amdgcn.workgroup.id.x()

declare void @llvm.amdgcn.s.barrier()

attributes #0 = { norecurse nounwind "target-cpu"="gfx1100" "target-features"="+wavefrontsize32" "amdgpu-flat-work-group-size"="32,32" "uniform-work-group-size"="true" "amdgpu-no-workitem-id-y" "amdgpu-no-workgroup-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-workgroup-id-z" "amdgpu-no-implicitarg-ptr" "amdgpu-no-dispatch-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-queue-ptr" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-lds-kernel-id" }
attributes #1 = { norecurse nounwind "target-cpu"="gfx1100" "target-features"="+wavefrontsize32" "amdgpu-no-workitem-id-x" "amdgpu-no-workgroup-id-x" "amdgpu-no-workitem-id-y" "amdgpu-no-workgroup-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-workgroup-id-z" "amdgpu-no-implicitarg-ptr" "amdgpu-no-dispatch-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-queue-ptr" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-lds-kernel-id" }

!llvm.ident = !{!3}
!llvm.module.flags = !{!0}

!0 = !{i32 1, !"amdhsa_code_object_version", i32 500}
!1 = !{}
!2 = !{float 2.5}
!3 = !{!"gpuc's LLVM IR"}
