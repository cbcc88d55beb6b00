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
  %r5 = mul i32 %r2, 4
  %t3 = getelementptr i8, ptr addrspace(3) @.shared_3_scratch, i32 %r5
  store i32 0, ptr addrspace(3) %t3, align 4
  %t4 = getelementptr i8, ptr addrspace(3) @.shared_3_scratch, i32 %r5
  %t5 = getelementptr i8, ptr addrspace(3) %t4, i32 32
  store i32 0, ptr addrspace(3) %t5, align 4
  %r6 = add i32 %r2, 16
  %t6 = getelementptr i8, ptr addrspace(3) @.shared_3_scratch, i32 %r5
  %t7 = getelementptr i8, ptr addrspace(3) %t6, i32 64
  store i32 0, ptr addrspace(3) %t7, align 4
  %t8 = getelementptr i8, ptr addrspace(3) @.shared_3_scratch, i32 %r5
  %t9 = getelementptr i8, ptr addrspace(3) %t8, i32 96
  store i32 0, ptr addrspace(3) %t9, align 4
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %r7 = uitofp i32 %r1 to float
  %r8 = urem i32 %r2, 3
  %r9 = shl i32 %r8, 2
  %r10 = add i32 %r9, 4
  %t10 = zext i32 %r10 to i64
  %t11 = zext i32 4 to i64
  %d1 = mul i64 %t10, %t11
  %t12 = getelementptr i8, ptr addrspace(1) %d2, i64 %d1
  %r11 = load i32, ptr addrspace(1) %t12, align 4, !invariant.load !1
  %r12 = add i32 %r9, 5
  %t13 = zext i32 %r12 to i64
  %t14 = zext i32 4 to i64
  %d3 = mul i64 %t13, %t14
  %t15 = getelementptr i8, ptr addrspace(1) %d2, i64 %d3
  %r13 = load i32, ptr addrspace(1) %t15, align 4, !invariant.load !1
  %r14 = add i32 %r9, 6
  %t16 = zext i32 %r14 to i64
  %t17 = zext i32 4 to i64
  %d4 = mul i64 %t16, %t17
  %t18 = getelementptr i8, ptr addrspace(1) %d2, i64 %d4
  %r15 = load i32, ptr addrspace(1) %t18, align 4, !invariant.load !1
  %t19 = zext i32 %r6 to i64
  %t20 = zext i32 4 to i64
  %d5 = mul i64 %t19, %t20
  %t21 = getelementptr i8, ptr addrspace(1) %d2, i64 %d5
  %r16 = load i32, ptr addrspace(1) %t21, align 4, !invariant.load !1
  %r17 = shl i32 %r2, 2
  %t22 = getelementptr i8, ptr addrspace(1) %d2, i64 4
  %r18 = load i32, ptr addrspace(1) %t22, align 4, !invariant.load !1
  %t23 = bitcast i32 %r11 to float
  %t24 = bitcast i32 %r18 to float
  %r19 = call float @llvm.fma.f32(float %t23, float %t24, float %r7)
  %t25 = bitcast i32 %r13 to float
  %t26 = bitcast i32 %r18 to float
  %r20 = call float @llvm.fma.f32(float %t25, float %t26, float %r7)
  %t27 = bitcast i32 %r15 to float
  %t28 = bitcast i32 %r18 to float
  %r21 = call float @llvm.fma.f32(float %t27, float %t28, float %r7)
  %t29 = bitcast i32 %r16 to float
  %t30 = bitcast i32 %r18 to float
  %r22 = call float @llvm.fma.f32(float %t29, float %t30, float %r7)
  %r23 = mul i32 %r17, 4
  %t31 = getelementptr i8, ptr addrspace(3) @.shared_3_scratch, i32 %r23
  %t32 = bitcast float %r19 to i32
  store i32 %t32, ptr addrspace(3) %t31, align 4
  %t33 = getelementptr i8, ptr addrspace(3) @.shared_3_scratch, i32 %r23
  %t34 = getelementptr i8, ptr addrspace(3) %t33, i32 4
  %t35 = bitcast float %r20 to i32
  store i32 %t35, ptr addrspace(3) %t34, align 4
  %t36 = getelementptr i8, ptr addrspace(3) @.shared_3_scratch, i32 %r23
  %t37 = getelementptr i8, ptr addrspace(3) %t36, i32 8
  %t38 = bitcast float %r21 to i32
  store i32 %t38, ptr addrspace(3) %t37, align 4
  %t39 = getelementptr i8, ptr addrspace(3) @.shared_3_scratch, i32 %r23
  %t40 = getelementptr i8, ptr addrspace(3) %t39, i32 12
  %t41 = bitcast float %r22 to i32
  store i32 %t41, ptr addrspace(3) %t40, align 4
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %r24 = mul i32 %r1, 40
  br label %b4
b4:
  %r25 = phi i32 [ %r2, %b1 ], [ %r30, %b5 ]
  %p1 = icmp ult i32 %r25, 32
  br i1 %p1, label %b6, label %b3
b6:
  %r26 = add i32 %r24, %r25
  %r27 = sub i32 31, %r25
  %r28 = mul i32 %r27, 4
  %t42 = getelementptr i8, ptr addrspace(3) @.shared_3_scratch, i32 %r28
  %r29 = load i32, ptr addrspace(3) %t42, align 4
  %p2 = icmp ult i32 %r26, %r4
  br i1 %p2, label %b10, label %b5
b10:
  %t43 = zext i32 %r26 to i64
  %t44 = zext i32 4 to i64
  %d6 = mul i64 %t43, %t44
  %t45 = getelementptr i8, ptr addrspace(1) %d7, i64 %d6
  store i32 %r29, ptr addrspace(1) %t45, align 4
  br label %b5
b5:
  %r30 = add i32 %r25, 8
  br label %b4
b3:
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %p3 = icmp eq i32 %r2, 3
  br i1 %p3, label %b13, label %b12
b13:
  %t46 = getelementptr i8, ptr addrspace(3) @.shared_3_scratch, i32 8
  store i32 11, ptr addrspace(3) %t46, align 4
  %t47 = getelementptr i8, ptr addrspace(3) @.shared_3_scratch, i32 12
  store i32 22, ptr addrspace(3) %t47, align 4
  br label %b12
b12:
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %t48 = getelementptr i8, ptr addrspace(3) @.shared_3_scratch, i32 12
  %r31 = load i32, ptr addrspace(3) %t48, align 4
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
  %t49 = getelementptr i8, ptr addrspace(1) %d8, i64 4
  store i32 7, ptr addrspace(1) %t49, align 4
  br label %b18
b18:
  %p8 = icmp ult i32 2, %r3
  br i1 %p8, label %b22, label %b21
b22:
  %t50 = getelementptr i8, ptr addrspace(1) %d8, i64 8
  store i32 80, ptr addrspace(1) %t50, align 4
  br label %b21
b21:
  %p9 = icmp ult i32 3, %r3
  br i1 %p9, label %b25, label %b24
b25:
  %t51 = getelementptr i8, ptr addrspace(1) %d8, i64 12
  store i32 5, ptr addrspace(1) %t51, align 4
  br label %b24
b24:
  %p10 = icmp ult i32 4, %r3
  br i1 %p10, label %b28, label %b27
b28:
  %t52 = getelementptr i8, ptr addrspace(1) %d8, i64 16
  store i32 112, ptr addrspace(1) %t52, align 4
  br label %b27
b27:
  %p11 = icmp ult i32 5, %r3
  br i1 %p11, label %b31, label %b30
b31:
  %t53 = getelementptr i8, ptr addrspace(1) %d8, i64 20
  store i32 128, ptr addrspace(1) %t53, align 4
  br label %b30
b30:
  %p12 = icmp ult i32 6, %r3
  br i1 %p12, label %b34, label %b15
b34:
  %t54 = getelementptr i8, ptr addrspace(1) %d8, i64 24
  store i32 5, ptr addrspace(1) %t54, align 4
  br label %b15
b15:
  %r32 = add i32 %r24, 32
  %r33 = add i32 %r2, %r32
  %r34 = add i32 %r2, %r31
  %p13 = icmp ult i32 %r33, %r4
  br i1 %p13, label %b37, label %b36
b37:
  %t55 = zext i32 %r33 to i64
  %t56 = zext i32 4 to i64
  %d9 = mul i64 %t55, %t56
  %t57 = getelementptr i8, ptr addrspace(1) %d7, i64 %d9
  store i32 %r34, ptr addrspace(1) %t57, align 4
  br label %b36
b36:
  ret void
}

declare i32 @llvm.amdgcn.workgroup.id.x()
declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.s.barrier()
declare float @llvm.fma.f32(float, float, float)
attributes #0 = { norecurse nounwind "target-cpu"="gfx1100" "target-features"="+wavefrontsize32" "amdgpu-flat-work-group-size"="8,8" "uniform-work-group-size"="true" "amdgpu-no-workitem-id-y" "amdgpu-no-workgroup-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-workgroup-id-z" "amdgpu-no-implicitarg-ptr" "amdgpu-no-dispatch-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-queue-ptr" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-lds-kernel-id" }
attributes #1 = { norecurse nounwind "target-cpu"="gfx1100" "target-features"="+wavefrontsize32" "amdgpu-no-workitem-id-x" "amdgpu-no-workgroup-id-x" "amdgpu-no-workitem-id-y" "amdgpu-no-workgroup-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-workgroup-id-z" "amdgpu-no-implicitarg-ptr" "amdgpu-no-dispatch-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-queue-ptr" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-lds-kernel-id" }

!llvm.module.flags = !{!0}
!0 = !{i32 1, !"amdhsa_code_object_version", i32 500}
!1 = !{}
!2 = !{float 2.5}
!llvm.ident = !{!3}
!3 = !{!"gpuc's LLVM IR"}
