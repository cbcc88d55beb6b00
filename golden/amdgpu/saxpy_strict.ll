; LLVM IR written by gpuc for gfx942
target triple = "amdgcn-amd-amdhsa"

define protected amdgpu_kernel void @main(ptr addrspace(1) noalias readonly align 16 %binding_0, ptr addrspace(1) noalias readonly align 16 %binding_1, ptr addrspace(1) noalias align 16 %binding_2, i32 %length_1, i32 %length_2) #0 {
begin:
	br label %b1

b1:
	%r1 = call i32 @llvm.amdgcn.workgroup.id.x()
	%r2 = mul i32 %r1, 64
	%r3 = call i32 @llvm.amdgcn.workitem.id.x()
	%r4 = add i32 %r2, %r3
	%r5 = add i32 %length_1, 0
	%r7 = add i32 %length_2, 0
	%d1 = getelementptr i8, ptr addrspace(1) %binding_0, i64 0
	%d3 = getelementptr i8, ptr addrspace(1) %binding_2, i64 0
	%d5 = getelementptr i8, ptr addrspace(1) %binding_1, i64 0
	; "saxpy.wgsl" 18
	%r6 = sub i32 %r5, 1
	%r8 = sub i32 %r7, 1
	; "saxpy.wgsl" 15
	%t1 = getelementptr i8, ptr addrspace(1) %d1, i64 4
	%r9 = load i32, ptr addrspace(1) %t1, align 4, !invariant.load !1
	%p1 = icmp uge i32 %r4, %r9
	br i1 %p1, label %b4, label %b3

b4:
	; "saxpy.wgsl" 16
	ret void

b3:
	; "saxpy.wgsl" 18
	%r10 = call i32 @llvm.umin.i32(i32 %r4, i32 %r8)
	%t2 = zext i32 %r10 to i64
	%t3 = zext i32 4 to i64
	%d2 = mul i64 %t2, %t3
	%r11 = load float, ptr addrspace(1) %d1, align 4, !invariant.load !1
	%r12 = call i32 @llvm.umin.i32(i32 %r4, i32 %r6)
	%t4 = zext i32 %r12 to i64
	%t5 = zext i32 4 to i64
	%d4 = mul i64 %t4, %t5
	%t6 = getelementptr i8, ptr addrspace(1) %d5, i64 %d4
	%r13 = load float, ptr addrspace(1) %t6, align 4, !invariant.load !1
	%r14 = fmul float %r11, %r13
	%t7 = getelementptr i8, ptr addrspace(1) %d3, i64 %d2
	%r15 = load float, ptr addrspace(1) %t7, align 4
	%r16 = fadd float %r14, %r15
	%p2 = icmp ult i32 %r4, %r7
	br i1 %p2, label %b7, label %b6

b7:
	%t8 = zext i32 %r4 to i64
	%t9 = zext i32 4 to i64
	%d6 = mul i64 %t8, %t9
	%t10 = getelementptr i8, ptr addrspace(1) %d3, i64 %d6
	store float %r16, ptr addrspace(1) %t10, align 4
	br label %b6

b6:
	; "saxpy.wgsl" 19
	ret void
}

declare i32 @llvm.amdgcn.workgroup.id.x()

declare i32 @llvm.amdgcn.workitem.id.x()

declare i32 @llvm.umin.i32(i32 %0, i32 %1)

attributes #0 = { norecurse nounwind "target-cpu"="gfx942" "amdgpu-flat-work-group-size"="64,64" "uniform-work-group-size"="true" "amdgpu-no-workitem-id-y" "amdgpu-no-workgroup-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-workgroup-id-z" "amdgpu-no-implicitarg-ptr" "amdgpu-no-dispatch-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-queue-ptr" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-lds-kernel-id" }
attributes #1 = { norecurse nounwind "target-cpu"="gfx942" "amdgpu-no-workitem-id-x" "amdgpu-no-workgroup-id-x" "amdgpu-no-workitem-id-y" "amdgpu-no-workgroup-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-workgroup-id-z" "amdgpu-no-implicitarg-ptr" "amdgpu-no-dispatch-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-queue-ptr" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-lds-kernel-id" }

!llvm.ident = !{!3}
!llvm.module.flags = !{!0}

!0 = !{i32 1, !"amdhsa_code_object_version", i32 500}
!1 = !{}
!2 = !{float 2.5}
!3 = !{!"gpuc's LLVM IR"}
