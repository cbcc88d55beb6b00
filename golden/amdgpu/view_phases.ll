; LLVM IR written by gpuc for gfx1100
target triple = "amdgcn-amd-amdhsa"

@.shared_3_scratch = internal addrspace(3) global [128 x i8] undef, align 16

define protected amdgpu_kernel void @main(ptr addrspace(1) noalias readonly align 16 %binding_0, ptr addrspace(1) noalias align 16 %binding_1, ptr addrspace(1) noalias align 16 %binding_2, i32 %length_1, i32 %length_2) #0 {
begin:
	br label %b1

b1:
	%r1 = call i32 @llvm.amdgcn.workgroup.id.x()
	%r2 = call i32 @llvm.amdgcn.workitem.id.x()
	%r3 = add i32 %length_2, 0
	%r4 = add i32 %length_1, 0
	%d2 = getelementptr i8, ptr addrspace(1) %binding_0, i64 0
	%d7 = getelementptr i8, ptr addrspace(1) %binding_1, i64 0
	%d8 = getelementptr i8, ptr addrspace(1) %binding_2, i64 0
	%r5 = uitofp i32 %r1 to float
	%r6 = urem i32 %r2, 3
	%r7 = shl i32 %r6, 2
	%r8 = add i32 %r7, 4
	%t1 = zext i32 %r8 to i64
	%t2 = zext i32 4 to i64
	%d1 = mul i64 %t1, %t2
	%t3 = getelementptr i8, ptr addrspace(1) %d2, i64 %d1
	%r9 = load i32, ptr addrspace(1) %t3, align 4, !invariant.load !1
	%r10 = add i32 %r7, 5
	%t4 = zext i32 %r10 to i64
	%t5 = zext i32 4 to i64
	%d3 = mul i64 %t4, %t5
	%t6 = getelementptr i8, ptr addrspace(1) %d2, i64 %d3
	%r11 = load i32, ptr addrspace(1) %t6, align 4, !invariant.load !1
	%r12 = add i32 %r7, 6
	%t7 = zext i32 %r12 to i64
	%t8 = zext i32 4 to i64
	%d4 = mul i64 %t7, %t8
	%t9 = getelementptr i8, ptr addrspace(1) %d2, i64 %d4
	%r13 = load i32, ptr addrspace(1) %t9, align 4, !invariant.load !1
	%r14 = add i32 %r2, 16
	%t10 = zext i32 %r14 to i64
	%t11 = zext i32 4 to i64
	%d5 = mul i64 %t10, %t11
	%t12 = getelementptr i8, ptr addrspace(1) %d2, i64 %d5
	%r15 = load i32, ptr addrspace(1) %t12, align 4, !invariant.load !1
	%r16 = shl i32 %r2, 2
	%t13 = getelementptr i8, ptr addrspace(1) %d2, i64 4
	%r17 = load i32, ptr addrspace(1) %t13, align 4, !invariant.load !1
	%t14 = bitcast i32 %r9 to float
	%t15 = bitcast i32 %r17 to float
	%r18 = call float @llvm.fma.f32(float %t14, float %t15, float %r5)
	%t16 = bitcast i32 %r11 to float
	%t17 = bitcast i32 %r17 to float
	%r19 = call float @llvm.fma.f32(float %t16, float %t17, float %r5)
	%t18 = bitcast i32 %r13 to float
	%t19 = bitcast i32 %r17 to float
	%r20 = call float @llvm.fma.f32(float %t18, float %t19, float %r5)
	%t20 = bitcast i32 %r15 to float
	%t21 = bitcast i32 %r17 to float
	%r21 = call float @llvm.fma.f32(float %t20, float %t21, float %r5)
	%r22 = mul i32 %r16, 4
	%t22 = getelementptr i8, ptr addrspace(3) @.shared_3_scratch, i32 %r22
	%t23 = bitcast float %r18 to i32
	store i32 %t23, ptr addrspace(3) %t22, align 4
	%t24 = getelementptr i8, ptr addrspace(3) @.shared_3_scratch, i32 %r22
	%t25 = getelementptr i8, ptr addrspace(3) %t24, i32 4
	%t26 = bitcast float %r19 to i32
	store i32 %t26, ptr addrspace(3) %t25, align 4
	%t27 = getelementptr i8, ptr addrspace(3) @.shared_3_scratch, i32 %r22
	%t28 = getelementptr i8, ptr addrspace(3) %t27, i32 8
	%t29 = bitcast float %r20 to i32
	store i32 %t29, ptr addrspace(3) %t28, align 4
	%t30 = getelementptr i8, ptr addrspace(3) @.shared_3_scratch, i32 %r22
	%t31 = getelementptr i8, ptr addrspace(3) %t30, i32 12
	%t32 = bitcast float %r21 to i32
	store i32 %t32, ptr addrspace(3) %t31, align 4
	fence syncscope("workgroup") release
	call void @llvm.amdgcn.s.barrier()
	fence syncscope("workgroup") acquire
	%r23 = mul i32 %r1, 40
	br label %b4

b4:
	%r24 = phi i32 [ %r2, %b1 ], [ %r29, %b5 ]
	%p1 = icmp ult i32 %r24, 32
	br i1 %p1, label %b6, label %b3

b6:
	%r25 = add i32 %r23, %r24
	%r26 = sub i32 31, %r24
	%r27 = mul i32 %r26, 4
	%t33 = getelementptr i8, ptr addrspace(3) @.shared_3_scratch, i32 %r27
	%r28 = load i32, ptr addrspace(3) %t33, align 4
	%p2 = icmp ult i32 %r25, %r4
	br i1 %p2, label %b10, label %b5

b10:
	%t34 = zext i32 %r25 to i64
	%t35 = zext i32 4 to i64
	%d6 = mul i64 %t34, %t35
	%t36 = getelementptr i8, ptr addrspace(1) %d7, i64 %d6
	store i32 %r28, ptr addrspace(1) %t36, align 4
	br label %b5

b5:
	%r29 = add i32 %r24, 8
	br label %b4

b3:
	fence syncscope("workgroup") release
	call void @llvm.amdgcn.s.barrier()
	fence syncscope("workgroup") acquire
	%p3 = icmp eq i32 %r2, 3
	br i1 %p3, label %b13, label %b12

b13:
	%t37 = getelementptr i8, ptr addrspace(3) @.shared_3_scratch, i32 8
	store i32 11, ptr addrspace(3) %t37, align 4
	%t38 = getelementptr i8, ptr addrspace(3) @.shared_3_scratch, i32 12
	store i32 22, ptr addrspace(3) %t38, align 4
	br label %b12

b12:
	fence syncscope("workgroup") release
	call void @llvm.amdgcn.s.barrier()
	fence syncscope("workgroup") acquire
	%t39 = getelementptr i8, ptr addrspace(3) @.shared_3_scratch, i32 12
	%r30 = load i32, ptr addrspace(3) %t39, align 4
	fence syncscope("workgroup") release
	call void @llvm.amdgcn.s.barrier()
	fence syncscope("workgroup") acquire
	%p4 = icmp eq i32 %r2, 0
	%p5 = icmp eq i32 %r1, 0
	%p6 = and i1 %p4, %p5
	br i1 %p6, label %b16, label %b15

b16:
	store i32 80, ptr addrspace(1) %d8, align 4
	%p7 = icmp ult i32 1, %r3
	br i1 %p7, label %b19, label %b18

b19:
	%t40 = getelementptr i8, ptr addrspace(1) %d8, i64 4
	store i32 7, ptr addrspace(1) %t40, align 4
	br label %b18

b18:
	%p8 = icmp ult i32 2, %r3
	br i1 %p8, label %b22, label %b21

b22:
	%t41 = getelementptr i8, ptr addrspace(1) %d8, i64 8
	store i32 80, ptr addrspace(1) %t41, align 4
	br label %b21

b21:
	%p9 = icmp ult i32 3, %r3
	br i1 %p9, label %b25, label %b24

b25:
	%t42 = getelementptr i8, ptr addrspace(1) %d8, i64 12
	store i32 5, ptr addrspace(1) %t42, align 4
	br label %b24

b24:
	%p10 = icmp ult i32 4, %r3
	br i1 %p10, label %b28, label %b27

b28:
	%t43 = getelementptr i8, ptr addrspace(1) %d8, i64 16
	store i32 112, ptr addrspace(1) %t43, align 4
	br label %b27

b27:
	%p11 = icmp ult i32 5, %r3
	br i1 %p11, label %b31, label %b30

b31:
	%t44 = getelementptr i8, ptr addrspace(1) %d8, i64 20
	store i32 128, ptr addrspace(1) %t44, align 4
	br label %b30

b30:
	%p12 = icmp ult i32 6, %r3
	br i1 %p12, label %b34, label %b15

b34:
	%t45 = getelementptr i8, ptr addrspace(1) %d8, i64 24
	store i32 5, ptr addrspace(1) %t45, align 4
	br label %b15

b15:
	%r31 = add i32 %r23, 32
	%r32 = add i32 %r2, %r31
	%r33 = add i32 %r2, %r30
	%p13 = icmp ult i32 %r32, %r4
	br i1 %p13, label %b37, label %b36

b37:
	%t46 = zext i32 %r32 to i64
	%t47 = zext i32 4 to i64
	%d9 = mul i64 %t46, %t47
	%t48 = getelementptr i8, ptr addrspace(1) %d7, i64 %d9
	store i32 %r33, ptr addrspace(1) %t48, align 4
	br label %b36

b36:
	ret void
}

declare i32 @llvm.amdgcn.workgroup.id.x()

declare i32 @llvm.amdgcn.workitem.id.x()

declare float @llvm.fma.f32(float %0, float %1, float %2)

declare void @llvm.amdgcn.s.barrier()

attributes #0 = { norecurse nounwind "target-cpu"="gfx1100" "target-features"="+wavefrontsize32" "amdgpu-flat-work-group-size"="8,8" "uniform-work-group-size"="true" "amdgpu-no-workitem-id-y" "amdgpu-no-workgroup-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-workgroup-id-z" "amdgpu-no-implicitarg-ptr" "amdgpu-no-dispatch-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-queue-ptr" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-lds-kernel-id" }
attributes #1 = { norecurse nounwind "target-cpu"="gfx1100" "target-features"="+wavefrontsize32" "amdgpu-no-workitem-id-x" "amdgpu-no-workgroup-id-x" "amdgpu-no-workitem-id-y" "amdgpu-no-workgroup-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-workgroup-id-z" "amdgpu-no-implicitarg-ptr" "amdgpu-no-dispatch-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-queue-ptr" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-lds-kernel-id" }

!llvm.ident = !{!3}
!llvm.module.flags = !{!0}

!0 = !{i32 1, !"amdhsa_code_object_version", i32 500}
!1 = !{}
!2 = !{float 2.5}
!3 = !{!"gpuc's LLVM IR"}
