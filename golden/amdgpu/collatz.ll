; LLVM IR written by gpuc for gfx1100
target triple = "amdgcn-amd-amdhsa"

define protected amdgpu_kernel void @main(ptr addrspace(1) noalias align 16 %binding_0, i32 %length_0) #0 {
begin:
	br label %b1

b1:
	%r1 = call i32 @llvm.amdgcn.workgroup.id.x()
	%r2 = mul i32 %r1, 64
	%r3 = call i32 @llvm.amdgcn.workitem.id.x()
	%r4 = add i32 %r2, %r3
	%r5 = add i32 %length_0, 0
	%d2 = getelementptr i8, ptr addrspace(1) %binding_0, i64 0
	%p1 = icmp ult i32 %r4, %r5
	br i1 %p1, label %b4, label %b3

b4:
	%t1 = zext i32 %r4 to i64
	%t2 = zext i32 4 to i64
	%d1 = mul i64 %t1, %t2
	%t3 = getelementptr i8, ptr addrspace(1) %d2, i64 %d1
	%r6 = load i32, ptr addrspace(1) %t3, align 4
	br label %b8

b8:
	%r8 = phi i32 [ %r6, %b4 ], [ %r11, %b13 ]
	%r9 = phi i32 [ 0, %b4 ], [ %r15, %b13 ]
	%p2 = icmp ule i32 %r8, 1
	br i1 %p2, label %b11, label %b10

b11:
	br label %b6

b10:
	%r10 = and i32 %r8, 1
	%p3 = icmp eq i32 %r10, 0
	br i1 %p3, label %b14, label %b15

b14:
	%r12 = lshr i32 %r8, 1
	br label %b13

b15:
	%p4 = icmp uge i32 %r8, 1431655765
	br i1 %p4, label %b17, label %b16

b17:
	br label %b6

b16:
	%r13 = mul i32 %r8, 3
	%r14 = add i32 %r13, 1
	br label %b13

b13:
	%r11 = phi i32 [ %r12, %b14 ], [ %r14, %b16 ]
	%r15 = add i32 %r9, 1
	br label %b8

b6:
	%r7 = phi i32 [ %r9, %b11 ], [ -1, %b17 ]
	%t4 = getelementptr i8, ptr addrspace(1) %d2, i64 %d1
	store i32 %r7, ptr addrspace(1) %t4, align 4
	br label %b3

b3:
	ret void
}

declare i32 @llvm.amdgcn.workgroup.id.x()

declare i32 @llvm.amdgcn.workitem.id.x()

attributes #0 = { norecurse nounwind "target-cpu"="gfx1100" "target-features"="+wavefrontsize32" "amdgpu-flat-work-group-size"="64,64" "uniform-work-group-size"="true" "amdgpu-no-workitem-id-y" "amdgpu-no-workgroup-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-workgroup-id-z" "amdgpu-no-implicitarg-ptr" "amdgpu-no-dispatch-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-queue-ptr" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-lds-kernel-id" }
attributes #1 = { norecurse nounwind "target-cpu"="gfx1100" "target-features"="+wavefrontsize32" "amdgpu-no-workitem-id-x" "amdgpu-no-workgroup-id-x" "amdgpu-no-workitem-id-y" "amdgpu-no-workgroup-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-workgroup-id-z" "amdgpu-no-implicitarg-ptr" "amdgpu-no-dispatch-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-queue-ptr" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-lds-kernel-id" }

!llvm.ident = !{!3}
!llvm.module.flags = !{!0}

!0 = !{i32 1, !"amdhsa_code_object_version", i32 500}
!1 = !{}
!2 = !{float 2.5}
!3 = !{!"gpuc's LLVM IR"}
