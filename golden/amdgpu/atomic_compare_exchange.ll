; LLVM IR written by gpuc for gfx1100
target triple = "amdgcn-amd-amdhsa"

define protected amdgpu_kernel void @main(ptr addrspace(1) noalias readonly align 16 %binding_0, ptr addrspace(1) noalias align 16 %binding_1, ptr addrspace(1) noalias align 16 %binding_2, ptr addrspace(1) noalias align 16 %binding_3, ptr addrspace(1) noalias align 16 %binding_4, i32 %length_0, i32 %length_4) #0 {
begin:
	br label %b1

b1:
	%r1 = call i32 @llvm.amdgcn.workgroup.id.x()
	%r2 = mul i32 %r1, 32
	%r3 = call i32 @llvm.amdgcn.workitem.id.x()
	%r4 = add i32 %r2, %r3
	%r5 = add i32 %length_4, 0
	%r6 = add i32 %length_0, 0
	%d2 = getelementptr i8, ptr addrspace(1) %binding_0, i64 0
	%d3 = getelementptr i8, ptr addrspace(1) %binding_1, i64 0
	%d4 = getelementptr i8, ptr addrspace(1) %binding_2, i64 0
	%d5 = getelementptr i8, ptr addrspace(1) %binding_4, i64 0
	%d6 = getelementptr i8, ptr addrspace(1) %binding_3, i64 0
	%p1 = icmp uge i32 %r4, %r6
	br i1 %p1, label %b4, label %b3

b4:
	ret void

b3:
	%t1 = zext i32 %r4 to i64
	%t2 = zext i32 4 to i64
	%d1 = mul i64 %t1, %t2
	%t3 = getelementptr i8, ptr addrspace(1) %d2, i64 %d1
	%r7 = load float, ptr addrspace(1) %t3, align 4, !invariant.load !1
	%r8 = load atomic i32, ptr addrspace(1) %d3 syncscope("agent") monotonic, align 4
	br label %b7

b7:
	%r9 = phi i32 [ %r8, %b3 ], [ %r10, %b8 ]
	%t4 = bitcast i32 %r9 to float
	%p2 = fcmp olt float %t4, %r7
	br i1 %p2, label %b9, label %b6

b9:
	%t5 = bitcast float %r7 to i32
	%t6 = cmpxchg ptr addrspace(1) %d3, i32 %r9, i32 %t5 syncscope("agent") monotonic monotonic, align 4
	%r10 = extractvalue { i32, i1 } %t6, 0
	%p3 = icmp eq i32 %r10, %r9
	br i1 %p3, label %b6, label %b8

b8:
	br label %b7

b6:
	%r11 = urem i32 %r4, 65520
	%r12 = add i32 %r11, 1
	%r13 = load atomic i32, ptr addrspace(1) %d4 syncscope("agent") monotonic, align 4
	br label %b16

b16:
	%r14 = phi i32 [ %r13, %b6 ], [ %r17, %b17 ]
	%r15 = mul i32 %r12, %r14
	%r16 = urem i32 %r15, 65521
	%t7 = cmpxchg ptr addrspace(1) %d4, i32 %r14, i32 %r16 syncscope("agent") monotonic monotonic, align 4
	%r17 = extractvalue { i32, i1 } %t7, 0
	%p4 = icmp eq i32 %r17, %r14
	br i1 %p4, label %b15, label %b17

b17:
	br label %b16

b15:
	%p5 = icmp ult i32 %r4, %r5
	br label %b22

b22:
	%r18 = load atomic i32, ptr addrspace(1) %d6 syncscope("agent") monotonic, align 4
	br i1 %p5, label %b25, label %b24

b25:
	%t8 = getelementptr i8, ptr addrspace(1) %d5, i64 %d1
	store i32 %r18, ptr addrspace(1) %t8, align 4
	br label %b24

b24:
	%t9 = cmpxchg ptr addrspace(1) %d6, i32 %r18, i32 %r4 syncscope("agent") monotonic monotonic, align 4
	%r19 = extractvalue { i32, i1 } %t9, 0
	%p6 = icmp eq i32 %r18, %r19
	br i1 %p6, label %b21, label %b22

b21:
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
