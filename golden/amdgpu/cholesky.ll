; LLVM IR written by gpuc for gfx1100
target triple = "amdgcn-amd-amdhsa"

define protected amdgpu_kernel void @main(ptr addrspace(1) noalias readonly align 16 %binding_0, ptr addrspace(1) noalias align 16 %binding_1, i32 %length_0, i32 %length_1) #0 {
begin:
	%local_5 = alloca [144 x i8], align 16, addrspace(5)
	br label %b1

b1:
	%r1 = call i32 @llvm.amdgcn.workgroup.id.x()
	%r2 = mul i32 %r1, 8
	%r3 = call i32 @llvm.amdgcn.workitem.id.x()
	%r4 = add i32 %r2, %r3
	%r5 = add i32 %length_1, 0
	%r6 = add i32 %length_0, 0
	%d4 = getelementptr i8, ptr addrspace(1) %binding_0, i64 0
	%d7 = getelementptr i8, ptr addrspace(1) %binding_1, i64 0
	%p1 = icmp uge i32 %r4, %r6
	br i1 %p1, label %b4, label %b3

b4:
	ret void

b3:
	%t1 = zext i32 %r4 to i64
	%t2 = zext i32 144 to i64
	%d1 = mul i64 %t1, %t2
	br label %b7

b7:
	%r7 = phi i32 [ 0, %b3 ], [ %r10, %b7 ]
	%r8 = mul i32 %r7, 4
	%t3 = zext i32 %r7 to i64
	%t4 = zext i32 4 to i64
	%d2 = mul i64 %t3, %t4
	%d3 = add i64 %d1, %d2
	%t5 = getelementptr i8, ptr addrspace(1) %d4, i64 %d3
	%r9 = load float, ptr addrspace(1) %t5, align 4, !invariant.load !1
	%t6 = getelementptr i8, ptr addrspace(5) %local_5, i32 %r8
	store float %r9, ptr addrspace(5) %t6, align 4
	%r10 = add i32 %r7, 1
	%p2 = icmp uge i32 %r10, 36
	br i1 %p2, label %b6, label %b7

b6:
	br label %b10

b10:
	%r11 = phi i32 [ 0, %b6 ], [ %r49, %b11 ]
	%p3 = icmp ult i32 %r11, 6
	br i1 %p3, label %b12, label %b9

b12:
	br label %b16

b16:
	%r12 = phi i32 [ 0, %b12 ], [ %r16, %b18 ]
	%p4 = icmp ult i32 %r12, %r11
	br i1 %p4, label %b18, label %b15

b18:
	%r13 = mul i32 %r12, 6
	%r14 = add i32 %r13, %r11
	%r15 = mul i32 %r14, 4
	%t7 = getelementptr i8, ptr addrspace(5) %local_5, i32 %r15
	store float 0x0000000000000000, ptr addrspace(5) %t7, align 4
	%r16 = add i32 %r12, 1
	br label %b16

b15:
	%r17 = mul i32 %r11, 6
	%r18 = add i32 %r17, %r11
	%r19 = mul i32 %r18, 4
	%t8 = getelementptr i8, ptr addrspace(5) %local_5, i32 %r19
	%r20 = load float, ptr addrspace(5) %t8, align 4
	br label %b22

b22:
	%r21 = phi float [ %r20, %b15 ], [ %r27, %b24 ]
	%r22 = phi i32 [ 0, %b15 ], [ %r28, %b24 ]
	%p5 = icmp ult i32 %r22, %r11
	br i1 %p5, label %b24, label %b21

b24:
	%r23 = add i32 %r17, %r22
	%r24 = mul i32 %r23, 4
	%t9 = getelementptr i8, ptr addrspace(5) %local_5, i32 %r24
	%r25 = load float, ptr addrspace(5) %t9, align 4
	%r26 = fneg float %r25
	%r27 = call float @llvm.fma.f32(float %r26, float %r25, float %r21)
	%r28 = add i32 %r22, 1
	br label %b22

b21:
	%r29 = call float @llvm.sqrt.f32(float %r21), !fpmath !2
	%t10 = getelementptr i8, ptr addrspace(5) %local_5, i32 %r19
	store float %r29, ptr addrspace(5) %t10, align 4
	%r30 = add i32 %r11, 1
	br label %b28

b28:
	%r31 = phi i32 [ %r30, %b21 ], [ %r48, %b33 ]
	%p6 = icmp ult i32 %r31, 6
	br i1 %p6, label %b30, label %b11

b30:
	%r32 = mul i32 %r31, 6
	%r33 = add i32 %r32, %r11
	%r34 = mul i32 %r33, 4
	%t11 = getelementptr i8, ptr addrspace(5) %local_5, i32 %r34
	%r35 = load float, ptr addrspace(5) %t11, align 4
	br label %b34

b34:
	%r36 = phi float [ %r35, %b30 ], [ %r45, %b36 ]
	%r37 = phi i32 [ 0, %b30 ], [ %r46, %b36 ]
	%p7 = icmp ult i32 %r37, %r11
	br i1 %p7, label %b36, label %b33

b36:
	%r38 = add i32 %r32, %r37
	%r39 = mul i32 %r38, 4
	%t12 = getelementptr i8, ptr addrspace(5) %local_5, i32 %r39
	%r40 = load float, ptr addrspace(5) %t12, align 4
	%r41 = add i32 %r17, %r37
	%r42 = mul i32 %r41, 4
	%t13 = getelementptr i8, ptr addrspace(5) %local_5, i32 %r42
	%r43 = load float, ptr addrspace(5) %t13, align 4
	%r44 = fneg float %r40
	%r45 = call float @llvm.fma.f32(float %r44, float %r43, float %r36)
	%r46 = add i32 %r37, 1
	br label %b34

b33:
	%r47 = fdiv float %r36, %r29, !fpmath !2
	%t14 = getelementptr i8, ptr addrspace(5) %local_5, i32 %r34
	store float %r47, ptr addrspace(5) %t14, align 4
	%r48 = add i32 %r31, 1
	br label %b28

b11:
	%r49 = add i32 %r11, 1
	br label %b10

b9:
	%p8 = icmp ult i32 %r4, %r5
	br i1 %p8, label %b40, label %b39

b40:
	br label %b43

b43:
	%r50 = phi i32 [ 0, %b40 ], [ %r53, %b43 ]
	%t15 = zext i32 %r50 to i64
	%t16 = zext i32 4 to i64
	%d5 = mul i64 %t15, %t16
	%d6 = add i64 %d1, %d5
	%r51 = mul i32 %r50, 4
	%t17 = getelementptr i8, ptr addrspace(5) %local_5, i32 %r51
	%r52 = load float, ptr addrspace(5) %t17, align 4
	%t18 = getelementptr i8, ptr addrspace(1) %d7, i64 %d6
	store float %r52, ptr addrspace(1) %t18, align 4
	%r53 = add i32 %r50, 1
	%p9 = icmp uge i32 %r53, 36
	br i1 %p9, label %b39, label %b43

b39:
	ret void
}

declare i32 @llvm.amdgcn.workgroup.id.x()

declare i32 @llvm.amdgcn.workitem.id.x()

declare float @llvm.fma.f32(float %0, float %1, float %2)

declare float @llvm.sqrt.f32(float %0)

attributes #0 = { norecurse nounwind "target-cpu"="gfx1100" "target-features"="+wavefrontsize32" "amdgpu-flat-work-group-size"="8,8" "uniform-work-group-size"="true" "amdgpu-no-workitem-id-y" "amdgpu-no-workgroup-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-workgroup-id-z" "amdgpu-no-implicitarg-ptr" "amdgpu-no-dispatch-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-queue-ptr" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-lds-kernel-id" }
attributes #1 = { norecurse nounwind "target-cpu"="gfx1100" "target-features"="+wavefrontsize32" "amdgpu-no-workitem-id-x" "amdgpu-no-workgroup-id-x" "amdgpu-no-workitem-id-y" "amdgpu-no-workgroup-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-workgroup-id-z" "amdgpu-no-implicitarg-ptr" "amdgpu-no-dispatch-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-queue-ptr" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-lds-kernel-id" }

!llvm.ident = !{!3}
!llvm.module.flags = !{!0}

!0 = !{i32 1, !"amdhsa_code_object_version", i32 500}
!1 = !{}
!2 = !{float 2.5}
!3 = !{!"gpuc's LLVM IR"}
