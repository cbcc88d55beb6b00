; LLVM IR written by gpuc for gfx1100
target triple = "amdgcn-amd-amdhsa"

define protected amdgpu_kernel void @main(ptr addrspace(1) noalias align 16 %binding_0, i32 %length_0) #0 {
begin:
	br label %b1

b1:
	%r1 = call i32 @llvm.amdgcn.workgroup.id.x()
	%r2 = mul i32 %r1, 8
	%r3 = call i32 @llvm.amdgcn.workitem.id.x()
	%r4 = add i32 %r2, %r3
	%r5 = add i32 %length_0, 0
	%d2 = getelementptr i8, ptr addrspace(1) %binding_0, i64 0
	%p1 = icmp uge i32 %r4, %r5
	br i1 %p1, label %b4, label %b3

b4:
	ret void

b3:
	%t1 = zext i32 %r4 to i64
	%t2 = zext i32 24 to i64
	%d1 = mul i64 %t1, %t2
	%r6 = mul i32 %r4, 12
	br label %b7

b7:
	%r7 = phi i32 [ %r6, %b3 ], [ %r8, %b9 ]
	%r8 = phi i32 [ 90, %b3 ], [ %r9, %b9 ]
	%p2 = icmp ne i32 %r8, 0
	br i1 %p2, label %b9, label %b6

b9:
	%r9 = urem i32 %r7, %r8
	br label %b7

b6:
	%t3 = getelementptr i8, ptr addrspace(1) %d2, i64 %d1
	store i32 %r7, ptr addrspace(1) %t3, align 4
	br label %b13

b13:
	%r10 = phi i32 [ 0, %b6 ], [ %r11, %b15 ]
	%r11 = phi i32 [ 1, %b6 ], [ %r13, %b15 ]
	%r12 = phi i32 [ %r4, %b6 ], [ %r14, %b15 ]
	%p3 = icmp ne i32 %r12, 0
	br i1 %p3, label %b15, label %b12

b15:
	%r13 = add i32 %r10, %r11
	%r14 = sub i32 %r12, 1
	br label %b13

b12:
	%t4 = getelementptr i8, ptr addrspace(1) %d2, i64 %d1
	%t5 = getelementptr i8, ptr addrspace(1) %t4, i64 4
	store i32 %r10, ptr addrspace(1) %t5, align 4
	br label %b19

b19:
	%r15 = phi i32 [ 0, %b12 ], [ %r20, %b20 ]
	%r16 = phi i32 [ 0, %b12 ], [ %r17, %b20 ]
	%r18 = and i32 %r15, 1
	%p4 = icmp eq i32 %r18, 0
	br i1 %p4, label %b22, label %b21

b22:
	br label %b20

b21:
	%r19 = add i32 %r15, %r16
	br label %b20

b20:
	%r17 = phi i32 [ %r16, %b22 ], [ %r19, %b21 ]
	%r20 = add i32 %r15, 1
	%p5 = icmp uge i32 %r20, %r4
	br i1 %p5, label %b18, label %b19

b18:
	%t6 = getelementptr i8, ptr addrspace(1) %d2, i64 %d1
	%t7 = getelementptr i8, ptr addrspace(1) %t6, i64 8
	store i32 %r17, ptr addrspace(1) %t7, align 4
	br label %b25

b25:
	%r21 = phi i32 [ 1, %b18 ], [ %r22, %b26 ]
	%r22 = phi i32 [ 2, %b18 ], [ %r21, %b26 ]
	%r23 = phi i32 [ 0, %b18 ], [ %r24, %b26 ]
	%p6 = icmp eq i32 %r4, %r23
	br i1 %p6, label %b24, label %b26

b26:
	%r24 = add i32 %r23, 1
	br label %b25

b24:
	%r25 = mul i32 %r21, 10
	%r26 = add i32 %r25, %r22
	%t8 = getelementptr i8, ptr addrspace(1) %d2, i64 %d1
	%t9 = getelementptr i8, ptr addrspace(1) %t8, i64 12
	store i32 %r26, ptr addrspace(1) %t9, align 4
	%r27 = mul i32 %r4, %r4
	%r28 = mul i32 %r4, %r27
	br label %b31

b31:
	%r29 = phi i32 [ %r28, %b24 ], [ %r32, %b32 ]
	%r30 = phi i32 [ 0, %b24 ], [ %r31, %b32 ]
	%r31 = add i32 %r30, 1
	%r32 = udiv i32 %r29, 10
	%p7 = icmp eq i32 %r32, 0
	br i1 %p7, label %b30, label %b32

b32:
	br label %b31

b30:
	%t10 = getelementptr i8, ptr addrspace(1) %d2, i64 %d1
	%t11 = getelementptr i8, ptr addrspace(1) %t10, i64 16
	store i32 %r31, ptr addrspace(1) %t11, align 4
	br label %b37

b37:
	%r33 = phi i32 [ 0, %b30 ], [ %r35, %b38 ]
	%r34 = phi i32 [ 0, %b30 ], [ %r45, %b38 ]
	%p8 = icmp ult i32 %r34, %r4
	br i1 %p8, label %b39, label %b36

b39:
	br label %b43

b43:
	%r35 = phi i32 [ %r33, %b39 ], [ %r37, %b44 ]
	%r36 = phi i32 [ 0, %b39 ], [ %r44, %b44 ]
	%p9 = icmp ult i32 %r36, %r4
	br i1 %p9, label %b45, label %b38

b45:
	%p10 = icmp ugt i32 %r36, %r34
	br i1 %p10, label %b38, label %b48

b48:
	%r38 = add i32 %r34, %r36
	%r39 = urem i32 %r38, 3
	%p11 = icmp eq i32 %r39, 0
	br i1 %p11, label %b52, label %b51

b52:
	br label %b44

b51:
	br label %b55

b55:
	%r40 = phi i32 [ %r35, %b51 ], [ %r42, %b57 ]
	%r41 = phi i32 [ %r36, %b51 ], [ %r43, %b57 ]
	%p12 = icmp ult i32 %r41, %r34
	br i1 %p12, label %b57, label %b54

b57:
	%r42 = add i32 %r40, %r41
	%r43 = add i32 %r41, 2
	br label %b55

b54:
	br label %b44

b44:
	%r37 = phi i32 [ %r35, %b52 ], [ %r40, %b54 ]
	%r44 = add i32 %r36, 1
	br label %b43

b38:
	%r45 = add i32 %r34, 1
	br label %b37

b36:
	%t12 = getelementptr i8, ptr addrspace(1) %d2, i64 %d1
	%t13 = getelementptr i8, ptr addrspace(1) %t12, i64 20
	store i32 %r33, ptr addrspace(1) %t13, align 4
	ret void
}

declare i32 @llvm.amdgcn.workgroup.id.x()

declare i32 @llvm.amdgcn.workitem.id.x()

attributes #0 = { norecurse nounwind "target-cpu"="gfx1100" "target-features"="+wavefrontsize32" "amdgpu-flat-work-group-size"="8,8" "uniform-work-group-size"="true" "amdgpu-no-workitem-id-y" "amdgpu-no-workgroup-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-workgroup-id-z" "amdgpu-no-implicitarg-ptr" "amdgpu-no-dispatch-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-queue-ptr" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-lds-kernel-id" }
attributes #1 = { norecurse nounwind "target-cpu"="gfx1100" "target-features"="+wavefrontsize32" "amdgpu-no-workitem-id-x" "amdgpu-no-workgroup-id-x" "amdgpu-no-workitem-id-y" "amdgpu-no-workgroup-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-workgroup-id-z" "amdgpu-no-implicitarg-ptr" "amdgpu-no-dispatch-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-queue-ptr" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-lds-kernel-id" }

!llvm.ident = !{!3}
!llvm.module.flags = !{!0}

!0 = !{i32 1, !"amdhsa_code_object_version", i32 500}
!1 = !{}
!2 = !{float 2.5}
!3 = !{!"gpuc's LLVM IR"}
