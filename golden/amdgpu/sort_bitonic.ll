; LLVM IR written by gpuc for gfx1100
target triple = "amdgcn-amd-amdhsa"

@.shared_1_keys = internal addrspace(3) global [1024 x i8] undef, align 16

define protected amdgpu_kernel void @main(ptr addrspace(1) noalias align 16 %binding_0, i32 %length_0) #0 {
begin:
	br label %b1

b1:
	%r1 = call i32 @llvm.amdgcn.workgroup.id.x()
	%r2 = call i32 @llvm.amdgcn.workitem.id.x()
	%r6 = add i32 %length_0, 0
	%d2 = getelementptr i8, ptr addrspace(1) %binding_0, i64 0
	%r3 = shl i32 %r1, 8
	%r4 = mul i32 %r2, 4
	%r5 = add i32 %r2, %r3
	%p1 = icmp ult i32 %r5, %r6
	br i1 %p1, label %b4, label %b5

b4:
	%t1 = zext i32 %r5 to i64
	%t2 = zext i32 4 to i64
	%d1 = mul i64 %t1, %t2
	%t3 = getelementptr i8, ptr addrspace(1) %d2, i64 %d1
	%r8 = load i32, ptr addrspace(1) %t3, align 4
	br label %b3

b5:
	br label %b3

b3:
	%r7 = phi i32 [ %r8, %b4 ], [ -1, %b5 ]
	%t4 = getelementptr i8, ptr addrspace(3) @.shared_1_keys, i32 %r4
	store i32 %r7, ptr addrspace(3) %t4, align 4
	%r9 = add i32 %r5, 128
	%p2 = icmp ult i32 %r9, %r6
	br i1 %p2, label %b7, label %b8

b7:
	%t5 = zext i32 %r9 to i64
	%t6 = zext i32 4 to i64
	%d3 = mul i64 %t5, %t6
	%t7 = getelementptr i8, ptr addrspace(1) %d2, i64 %d3
	%r11 = load i32, ptr addrspace(1) %t7, align 4
	br label %b6

b8:
	br label %b6

b6:
	%r10 = phi i32 [ %r11, %b7 ], [ -1, %b8 ]
	%t8 = getelementptr i8, ptr addrspace(3) @.shared_1_keys, i32 %r4
	%t9 = getelementptr i8, ptr addrspace(3) %t8, i32 512
	store i32 %r10, ptr addrspace(3) %t9, align 4
	fence syncscope("workgroup") release
	call void @llvm.amdgcn.s.barrier()
	fence syncscope("workgroup") acquire
	%r12 = shl i32 %r2, 1
	br label %b10

b10:
	%r13 = phi i32 [ 2, %b6 ], [ %r30, %b11 ]
	%p3 = icmp ule i32 %r13, 256
	br i1 %p3, label %b12, label %b9

b12:
	%r14 = lshr i32 %r13, 1
	br label %b16

b16:
	%r15 = phi i32 [ %r14, %b12 ], [ %r29, %b21 ]
	%p4 = icmp ne i32 %r15, 0
	br i1 %p4, label %b18, label %b11

b18:
	%r16 = sub i32 %r15, 1
	%r17 = and i32 %r2, %r16
	%r18 = sub i32 %r12, %r17
	%r19 = add i32 %r18, %r15
	%r20 = and i32 %r18, %r13
	%p5 = icmp eq i32 %r20, 0
	%r21 = call i32 @llvm.umin.i32(i32 %r18, i32 255)
	%r22 = mul i32 %r21, 4
	%t10 = getelementptr i8, ptr addrspace(3) @.shared_1_keys, i32 %r22
	%r23 = load i32, ptr addrspace(3) %t10, align 4
	%r24 = call i32 @llvm.umin.i32(i32 %r19, i32 255)
	%r25 = mul i32 %r24, 4
	%t11 = getelementptr i8, ptr addrspace(3) @.shared_1_keys, i32 %r25
	%r26 = load i32, ptr addrspace(3) %t11, align 4
	%p6 = icmp ugt i32 %r23, %r26
	%p7 = icmp eq i1 %p5, %p6
	br i1 %p7, label %b22, label %b21

b22:
	%p8 = icmp ult i32 %r18, 256
	br i1 %p8, label %b25, label %b24

b25:
	%r27 = mul i32 %r18, 4
	%t12 = getelementptr i8, ptr addrspace(3) @.shared_1_keys, i32 %r27
	store i32 %r26, ptr addrspace(3) %t12, align 4
	br label %b24

b24:
	%p9 = icmp ult i32 %r19, 256
	br i1 %p9, label %b28, label %b21

b28:
	%r28 = mul i32 %r19, 4
	%t13 = getelementptr i8, ptr addrspace(3) @.shared_1_keys, i32 %r28
	store i32 %r23, ptr addrspace(3) %t13, align 4
	br label %b21

b21:
	fence syncscope("workgroup") release
	call void @llvm.amdgcn.s.barrier()
	fence syncscope("workgroup") acquire
	%r29 = lshr i32 %r15, 1
	br label %b16

b11:
	%r30 = shl i32 %r13, 1
	br label %b10

b9:
	br i1 %p1, label %b31, label %b30

b31:
	%t14 = zext i32 %r5 to i64
	%t15 = zext i32 4 to i64
	%d4 = mul i64 %t14, %t15
	%t16 = getelementptr i8, ptr addrspace(3) @.shared_1_keys, i32 %r4
	%r31 = load i32, ptr addrspace(3) %t16, align 4
	%t17 = getelementptr i8, ptr addrspace(1) %d2, i64 %d4
	store i32 %r31, ptr addrspace(1) %t17, align 4
	br label %b30

b30:
	br i1 %p2, label %b34, label %b33

b34:
	%t18 = zext i32 %r9 to i64
	%t19 = zext i32 4 to i64
	%d5 = mul i64 %t18, %t19
	%t20 = getelementptr i8, ptr addrspace(3) @.shared_1_keys, i32 %r4
	%t21 = getelementptr i8, ptr addrspace(3) %t20, i32 512
	%r32 = load i32, ptr addrspace(3) %t21, align 4
	%t22 = getelementptr i8, ptr addrspace(1) %d2, i64 %d5
	store i32 %r32, ptr addrspace(1) %t22, align 4
	br label %b33

b33:
	ret void
}

declare i32 @llvm.amdgcn.workgroup.id.x()

declare i32 @llvm.amdgcn.workitem.id.x()

declare void @llvm.amdgcn.s.barrier()

declare i32 @llvm.umin.i32(i32 %0, i32 %1)

attributes #0 = { norecurse nounwind "target-cpu"="gfx1100" "target-features"="+wavefrontsize32" "amdgpu-flat-work-group-size"="128,128" "uniform-work-group-size"="true" "amdgpu-no-workitem-id-y" "amdgpu-no-workgroup-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-workgroup-id-z" "amdgpu-no-implicitarg-ptr" "amdgpu-no-dispatch-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-queue-ptr" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-lds-kernel-id" }
attributes #1 = { norecurse nounwind "target-cpu"="gfx1100" "target-features"="+wavefrontsize32" "amdgpu-no-workitem-id-x" "amdgpu-no-workgroup-id-x" "amdgpu-no-workitem-id-y" "amdgpu-no-workgroup-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-workgroup-id-z" "amdgpu-no-implicitarg-ptr" "amdgpu-no-dispatch-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-queue-ptr" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-lds-kernel-id" }

!llvm.ident = !{!3}
!llvm.module.flags = !{!0}

!0 = !{i32 1, !"amdhsa_code_object_version", i32 500}
!1 = !{}
!2 = !{float 2.5}
!3 = !{!"gpuc's LLVM IR"}
