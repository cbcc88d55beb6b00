; LLVM IR written by gpuc for gfx1100
target triple = "amdgcn-amd-amdhsa"

@.shared_1_keys = internal addrspace(3) global [1024 x i8] undef, align 16

define internal i32 @.function_0_load(i32 %r1, ptr addrspace(1) %d1, i32 %r2) #1 {
begin:
	br label %b1

b1:
	%p1 = icmp ult i32 %r1, %r2
	br i1 %p1, label %b4, label %b3

b4:
	%t1 = zext i32 %r1 to i64
	%t2 = zext i32 4 to i64
	%d2 = mul i64 %t1, %t2
	%t3 = getelementptr i8, ptr addrspace(1) %d1, i64 %d2
	%r3 = load i32, ptr addrspace(1) %t3, align 4
	ret i32 %r3

b3:
	ret i32 -1
}

define protected amdgpu_kernel void @main(ptr addrspace(1) noalias align 16 %binding_0, i32 %length_0) #0 {
begin:
	%local_13 = alloca [4 x i8], align 4, addrspace(5)
	%local_16 = alloca [4 x i8], align 4, addrspace(5)
	br label %b1

b1:
	%r1 = call i32 @llvm.amdgcn.workgroup.id.x()
	%r2 = call i32 @llvm.amdgcn.workitem.id.x()
	%d1 = getelementptr i8, ptr addrspace(1) %binding_0, i64 0
	%r6 = add i32 %length_0, 0
	%r3 = mul i32 %r1, 256
	%r4 = mul i32 %r2, 4
	%r5 = add i32 %r2, %r3
	%r7 = call i32 @.function_0_load(i32 %r5, ptr addrspace(1) %d1, i32 %r6)
	%t1 = getelementptr i8, ptr addrspace(3) @.shared_1_keys, i32 %r4
	store i32 %r7, ptr addrspace(3) %t1, align 4
	%r8 = add i32 %r5, 128
	%r9 = call i32 @.function_0_load(i32 %r8, ptr addrspace(1) %d1, i32 %r6)
	%t2 = getelementptr i8, ptr addrspace(3) @.shared_1_keys, i32 %r4
	%t3 = getelementptr i8, ptr addrspace(3) %t2, i32 512
	store i32 %r9, ptr addrspace(3) %t3, align 4
	fence syncscope("workgroup") release
	call void @llvm.amdgcn.s.barrier()
	fence syncscope("workgroup") acquire
	store i32 2, ptr addrspace(5) %local_13, align 4
	%r10 = mul i32 %r2, 2
	br label %b4

b4:
	%r11 = load i32, ptr addrspace(5) %local_13, align 4
	%p1 = icmp ule i32 %r11, 256
	br i1 %p1, label %b6, label %b3

b6:
	%r12 = lshr i32 %r11, 1
	store i32 %r12, ptr addrspace(5) %local_16, align 4
	br label %b10

b10:
	%r13 = load i32, ptr addrspace(5) %local_16, align 4
	%p2 = icmp ugt i32 %r13, 0
	br i1 %p2, label %b12, label %b5

b12:
	%r14 = sub i32 %r13, 1
	%r15 = and i32 %r2, %r14
	%r16 = sub i32 %r10, %r15
	%r17 = add i32 %r13, %r16
	%r18 = and i32 %r11, %r16
	%p3 = icmp eq i32 %r18, 0
	%r19 = call i32 @llvm.umin.i32(i32 %r16, i32 255)
	%r20 = mul i32 %r19, 4
	%t4 = getelementptr i8, ptr addrspace(3) @.shared_1_keys, i32 %r20
	%r21 = load i32, ptr addrspace(3) %t4, align 4
	%r22 = call i32 @llvm.umin.i32(i32 %r17, i32 255)
	%r23 = mul i32 %r22, 4
	%t5 = getelementptr i8, ptr addrspace(3) @.shared_1_keys, i32 %r23
	%r24 = load i32, ptr addrspace(3) %t5, align 4
	%p4 = icmp ugt i32 %r21, %r24
	%p5 = icmp eq i1 %p3, %p4
	br i1 %p5, label %b16, label %b15

b16:
	%p6 = icmp ult i32 %r16, 256
	br i1 %p6, label %b19, label %b18

b19:
	%r25 = mul i32 %r16, 4
	%t6 = getelementptr i8, ptr addrspace(3) @.shared_1_keys, i32 %r25
	store i32 %r24, ptr addrspace(3) %t6, align 4
	br label %b18

b18:
	%p7 = icmp ult i32 %r17, 256
	br i1 %p7, label %b22, label %b15

b22:
	%r26 = mul i32 %r17, 4
	%t7 = getelementptr i8, ptr addrspace(3) @.shared_1_keys, i32 %r26
	store i32 %r21, ptr addrspace(3) %t7, align 4
	br label %b15

b15:
	fence syncscope("workgroup") release
	call void @llvm.amdgcn.s.barrier()
	fence syncscope("workgroup") acquire
	%r27 = load i32, ptr addrspace(5) %local_16, align 4
	%r28 = lshr i32 %r27, 1
	store i32 %r28, ptr addrspace(5) %local_16, align 4
	br label %b10

b5:
	%r29 = load i32, ptr addrspace(5) %local_13, align 4
	%r30 = shl i32 %r29, 1
	store i32 %r30, ptr addrspace(5) %local_13, align 4
	br label %b4

b3:
	%p8 = icmp ult i32 %r5, %r6
	br i1 %p8, label %b25, label %b24

b25:
	%t8 = zext i32 %r5 to i64
	%t9 = zext i32 4 to i64
	%d2 = mul i64 %t8, %t9
	%t10 = getelementptr i8, ptr addrspace(3) @.shared_1_keys, i32 %r4
	%r31 = load i32, ptr addrspace(3) %t10, align 4
	%t11 = getelementptr i8, ptr addrspace(1) %d1, i64 %d2
	store i32 %r31, ptr addrspace(1) %t11, align 4
	br label %b24

b24:
	%p9 = icmp ult i32 %r8, %r6
	br i1 %p9, label %b28, label %b27

b28:
	%t12 = zext i32 %r8 to i64
	%t13 = zext i32 4 to i64
	%d3 = mul i64 %t12, %t13
	%t14 = getelementptr i8, ptr addrspace(3) @.shared_1_keys, i32 %r4
	%t15 = getelementptr i8, ptr addrspace(3) %t14, i32 512
	%r32 = load i32, ptr addrspace(3) %t15, align 4
	%t16 = getelementptr i8, ptr addrspace(1) %d1, i64 %d3
	store i32 %r32, ptr addrspace(1) %t16, align 4
	br label %b27

b27:
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
