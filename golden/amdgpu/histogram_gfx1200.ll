; LLVM IR written by gpuc for gfx1200
target triple = "amdgcn-amd-amdhsa"

@.shared_2_local_counts = internal addrspace(3) global [192 x i8] undef, align 16

define protected amdgpu_kernel void @main(ptr addrspace(1) noalias readonly align 16 %binding_0, ptr addrspace(1) noalias align 16 %binding_1, i32 %length_0) #0 {
begin:
	br label %b1

b1:
	%r1 = call i32 @llvm.amdgcn.workgroup.id.x()
	%r2 = mul i32 %r1, 64
	%r3 = call i32 @llvm.amdgcn.workitem.id.x()
	%r4 = add i32 %r2, %r3
	%t1 = call ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
	%t2 = getelementptr i8, ptr addrspace(4) %t1, i64 0
	%r5 = load i32, ptr addrspace(4) %t2, align 4, !invariant.load !1
	%r9 = add i32 %length_0, 0
	%d2 = getelementptr i8, ptr addrspace(1) %binding_0, i64 0
	%d4 = getelementptr i8, ptr addrspace(1) %binding_1, i64 0
	br label %b4

b4:
	%r6 = phi i32 [ %r3, %b1 ], [ %r8, %b6 ]
	%p1 = icmp ult i32 %r6, 48
	br i1 %p1, label %b6, label %b3

b6:
	%r7 = mul i32 %r6, 4
	%t3 = getelementptr i8, ptr addrspace(3) @.shared_2_local_counts, i32 %r7
	store atomic i32 0, ptr addrspace(3) %t3 syncscope("workgroup") monotonic, align 4
	%r8 = add i32 %r6, 64
	br label %b4

b3:
	fence syncscope("workgroup") release
	call void @llvm.amdgcn.s.barrier()
	fence syncscope("workgroup") acquire
	%r10 = shl i32 %r5, 6
	br label %b10

b10:
	%r11 = phi i32 [ %r4, %b3 ], [ %r15, %b12 ]
	%p2 = icmp ult i32 %r11, %r9
	br i1 %p2, label %b12, label %b9

b12:
	%t4 = zext i32 %r11 to i64
	%t5 = zext i32 4 to i64
	%d1 = mul i64 %t4, %t5
	%t6 = getelementptr i8, ptr addrspace(1) %d2, i64 %d1
	%r12 = load i32, ptr addrspace(1) %t6, align 4, !invariant.load !1
	%r13 = urem i32 %r12, 48
	%r14 = mul i32 %r13, 4
	%t7 = getelementptr i8, ptr addrspace(3) @.shared_2_local_counts, i32 %r14
	%t8 = atomicrmw add ptr addrspace(3) %t7, i32 1 syncscope("workgroup") monotonic, align 4
	%r15 = add i32 %r10, %r11
	br label %b10

b9:
	fence syncscope("workgroup") release
	call void @llvm.amdgcn.s.barrier()
	fence syncscope("workgroup") acquire
	br label %b16

b16:
	%r16 = phi i32 [ %r3, %b9 ], [ %r19, %b17 ]
	%p3 = icmp ult i32 %r16, 48
	br i1 %p3, label %b18, label %b15

b18:
	%r17 = mul i32 %r16, 4
	%t9 = getelementptr i8, ptr addrspace(3) @.shared_2_local_counts, i32 %r17
	%r18 = load atomic i32, ptr addrspace(3) %t9 syncscope("workgroup") monotonic, align 4
	%p4 = icmp ne i32 %r18, 0
	br i1 %p4, label %b22, label %b17

b22:
	%t10 = zext i32 %r16 to i64
	%t11 = zext i32 4 to i64
	%d3 = mul i64 %t10, %t11
	%t12 = getelementptr i8, ptr addrspace(1) %d4, i64 %d3
	%t13 = atomicrmw add ptr addrspace(1) %t12, i32 %r18 syncscope("agent") monotonic, align 4
	br label %b17

b17:
	%r19 = add i32 %r16, 64
	br label %b16

b15:
	ret void
}

declare i32 @llvm.amdgcn.workgroup.id.x()

declare i32 @llvm.amdgcn.workitem.id.x()

declare ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()

declare void @llvm.amdgcn.s.barrier()

attributes #0 = { norecurse nounwind "target-cpu"="gfx1200" "target-features"="+wavefrontsize32" "amdgpu-flat-work-group-size"="64,64" "uniform-work-group-size"="true" "amdgpu-no-workitem-id-y" "amdgpu-no-workgroup-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-workgroup-id-z" "amdgpu-no-dispatch-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-queue-ptr" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-lds-kernel-id" }
attributes #1 = { norecurse nounwind "target-cpu"="gfx1200" "target-features"="+wavefrontsize32" "amdgpu-no-workitem-id-x" "amdgpu-no-workgroup-id-x" "amdgpu-no-workitem-id-y" "amdgpu-no-workgroup-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-workgroup-id-z" "amdgpu-no-implicitarg-ptr" "amdgpu-no-dispatch-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-queue-ptr" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-lds-kernel-id" }

!llvm.ident = !{!3}
!llvm.module.flags = !{!0}

!0 = !{i32 1, !"amdhsa_code_object_version", i32 500}
!1 = !{}
!2 = !{float 2.5}
!3 = !{!"gpuc's LLVM IR"}
