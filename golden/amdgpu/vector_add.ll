; LLVM IR written by gpuc for gfx1100
target triple = "amdgcn-amd-amdhsa"

define protected amdgpu_kernel void @main(ptr addrspace(1) noalias readonly align 16 %binding_0, ptr addrspace(1) noalias readonly align 16 %binding_1, ptr addrspace(1) noalias align 16 %binding_2, i32 %length_0, i32 %length_1, i32 %length_2) #0 {
begin:
	br label %b1

b1:
	%r1 = call i32 @llvm.amdgcn.workgroup.id.x()
	%r2 = mul i32 %r1, 32
	%r3 = call i32 @llvm.amdgcn.workitem.id.x()
	%r4 = add i32 %r2, %r3
	%t1 = call ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
	%t2 = getelementptr i8, ptr addrspace(4) %t1, i64 0
	%r5 = load i32, ptr addrspace(4) %t2, align 4, !invariant.load !1
	%r6 = add i32 %length_0, 0
	%r8 = add i32 %length_1, 0
	%r11 = add i32 %length_2, 0
	%d2 = getelementptr i8, ptr addrspace(1) %binding_2, i64 0
	%d4 = getelementptr i8, ptr addrspace(1) %binding_0, i64 0
	%d6 = getelementptr i8, ptr addrspace(1) %binding_1, i64 0
	%r7 = sub i32 %r6, 1
	%r9 = sub i32 %r8, 1
	%r10 = shl i32 %r5, 5
	br label %b4

b4:
	%r12 = phi i32 [ %r4, %b1 ], [ %r18, %b6 ]
	%p1 = icmp ult i32 %r12, %r11
	br i1 %p1, label %b6, label %b3

b6:
	%t3 = zext i32 %r12 to i64
	%t4 = zext i32 4 to i64
	%d1 = mul i64 %t3, %t4
	%r13 = call i32 @llvm.umin.i32(i32 %r12, i32 %r7)
	%t5 = zext i32 %r13 to i64
	%t6 = zext i32 4 to i64
	%d3 = mul i64 %t5, %t6
	%t7 = getelementptr i8, ptr addrspace(1) %d4, i64 %d3
	%r14 = load float, ptr addrspace(1) %t7, align 4, !invariant.load !1
	%r15 = call i32 @llvm.umin.i32(i32 %r12, i32 %r9)
	%t8 = zext i32 %r15 to i64
	%t9 = zext i32 4 to i64
	%d5 = mul i64 %t8, %t9
	%t10 = getelementptr i8, ptr addrspace(1) %d6, i64 %d5
	%r16 = load float, ptr addrspace(1) %t10, align 4, !invariant.load !1
	%r17 = fadd float %r14, %r16
	%t11 = getelementptr i8, ptr addrspace(1) %d2, i64 %d1
	store float %r17, ptr addrspace(1) %t11, align 4
	%r18 = add i32 %r10, %r12
	br label %b4

b3:
	ret void
}

declare i32 @llvm.amdgcn.workgroup.id.x()

declare i32 @llvm.amdgcn.workitem.id.x()

declare ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()

declare i32 @llvm.umin.i32(i32 %0, i32 %1)

attributes #0 = { norecurse nounwind "target-cpu"="gfx1100" "target-features"="+wavefrontsize32" "amdgpu-flat-work-group-size"="32,32" "uniform-work-group-size"="true" "amdgpu-no-workitem-id-y" "amdgpu-no-workgroup-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-workgroup-id-z" "amdgpu-no-dispatch-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-queue-ptr" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-lds-kernel-id" }
attributes #1 = { norecurse nounwind "target-cpu"="gfx1100" "target-features"="+wavefrontsize32" "amdgpu-no-workitem-id-x" "amdgpu-no-workgroup-id-x" "amdgpu-no-workitem-id-y" "amdgpu-no-workgroup-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-workgroup-id-z" "amdgpu-no-implicitarg-ptr" "amdgpu-no-dispatch-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-queue-ptr" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-lds-kernel-id" }

!llvm.ident = !{!3}
!llvm.module.flags = !{!0}

!0 = !{i32 1, !"amdhsa_code_object_version", i32 500}
!1 = !{}
!2 = !{float 2.5}
!3 = !{!"gpuc's LLVM IR"}
