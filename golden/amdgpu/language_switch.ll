; LLVM IR written by gpuc for gfx1100
target triple = "amdgcn-amd-amdhsa"

define protected amdgpu_kernel void @main(ptr addrspace(1) noalias readonly align 16 %binding_0, ptr addrspace(1) noalias align 16 %binding_1, ptr addrspace(1) noalias align 16 %binding_2, i32 %length_0, i32 %length_1, i32 %length_2) #0 {
begin:
	br label %b1

b1:
	%r1 = call i32 @llvm.amdgcn.workgroup.id.x()
	%r2 = mul i32 %r1, 16
	%r3 = call i32 @llvm.amdgcn.workitem.id.x()
	%r4 = add i32 %r2, %r3
	%r5 = add i32 %length_2, 0
	%r6 = add i32 %length_1, 0
	%r7 = add i32 %length_0, 0
	%d2 = getelementptr i8, ptr addrspace(1) %binding_0, i64 0
	%d3 = getelementptr i8, ptr addrspace(1) %binding_1, i64 0
	%d4 = getelementptr i8, ptr addrspace(1) %binding_2, i64 0
	%p1 = icmp ult i32 %r4, %r7
	br i1 %p1, label %b4, label %b3

b4:
	%t1 = zext i32 %r4 to i64
	%t2 = zext i32 4 to i64
	%d1 = mul i64 %t1, %t2
	%t3 = getelementptr i8, ptr addrspace(1) %d2, i64 %d1
	%r8 = load i32, ptr addrspace(1) %t3, align 4, !invariant.load !1
	%p2 = icmp eq i32 %r8, -1
	br i1 %p2, label %b8, label %b12

b12:
	%p3 = icmp eq i32 %r8, -2
	br i1 %p3, label %b8, label %b13

b13:
	%p4 = icmp eq i32 %r8, 3
	br i1 %p4, label %b8, label %b14

b14:
	%p5 = icmp eq i32 %r8, 4
	br i1 %p5, label %b10, label %b15

b15:
	%p6 = icmp eq i32 %r8, 5
	br i1 %p6, label %b11, label %b9

b9:
	%p7 = icmp sgt i32 %r8, 100
	br i1 %p7, label %b18, label %b17

b18:
	br label %b7

b17:
	br label %b7

b8:
	br label %b7

b10:
	br label %b6

b11:
	br label %b7

b7:
	%r10 = phi i32 [ 2, %b18 ], [ 12, %b17 ], [ 1, %b8 ], [ 7, %b11 ]
	%r11 = and i32 %r8, 7
	%p8 = icmp eq i32 %r11, 1
	br i1 %p8, label %b22, label %b23

b23:
	%p9 = icmp eq i32 %r11, 6
	br i1 %p9, label %b22, label %b21

b21:
	%r13 = mul i32 %r10, 100
	br label %b20

b22:
	%r14 = add i32 %r10, 1000
	br label %b20

b20:
	%r12 = phi i32 [ %r13, %b21 ], [ %r14, %b22 ]
	br label %b6

b6:
	%r9 = phi i32 [ 3, %b10 ], [ %r12, %b20 ]
	%p10 = icmp ult i32 %r4, %r6
	br i1 %p10, label %b26, label %b25

b26:
	%t4 = getelementptr i8, ptr addrspace(1) %d3, i64 %d1
	store i32 %r9, ptr addrspace(1) %t4, align 4
	br label %b25

b25:
	br label %b30

b30:
	%r16 = phi i32 [ %r4, %b25 ], [ %r23, %b31 ]
	%r17 = phi i32 [ 0, %b25 ], [ %r29, %b31 ]
	%p11 = icmp ult i32 %r17, 12
	br i1 %p11, label %b32, label %b29

b32:
	br label %b36

b36:
	%r18 = phi i32 [ %r16, %b32 ], [ %r20, %b37 ]
	%r19 = phi i32 [ 0, %b32 ], [ %r28, %b37 ]
	%r21 = add i32 %r18, %r19
	%r22 = urem i32 %r21, 5
	%p12 = icmp eq i32 %r22, 0
	br i1 %p12, label %b39, label %b43

b43:
	%p13 = icmp eq i32 %r22, 1
	br i1 %p13, label %b40, label %b44

b44:
	%p14 = icmp eq i32 %r22, 2
	br i1 %p14, label %b40, label %b45

b45:
	%p15 = icmp eq i32 %r22, 3
	br i1 %p15, label %b41, label %b42

b42:
	%r24 = xor i32 %r18, 85
	br label %b38

b39:
	%r25 = mul i32 %r18, 3
	%r26 = add i32 %r25, 1
	br label %b37

b40:
	br label %b38

b41:
	%p16 = icmp ugt i32 %r19, 6
	br i1 %p16, label %b48, label %b47

b48:
	br label %b28

b47:
	br label %b38

b38:
	%r23 = phi i32 [ %r24, %b42 ], [ %r21, %b40 ], [ %r18, %b47 ]
	%p17 = icmp uge i32 %r19, %r17
	br i1 %p17, label %b31, label %b50

b50:
	%r27 = add i32 %r23, 1
	br label %b37

b37:
	%r20 = phi i32 [ %r26, %b39 ], [ %r27, %b50 ]
	%r28 = add i32 %r19, 1
	br label %b36

b31:
	%r29 = add i32 %r17, 1
	br label %b30

b29:
	br label %b28

b28:
	%r15 = phi i32 [ %r18, %b48 ], [ %r16, %b29 ]
	%p18 = icmp ult i32 %r4, %r5
	br i1 %p18, label %b54, label %b3

b54:
	%t5 = getelementptr i8, ptr addrspace(1) %d4, i64 %d1
	store i32 %r15, ptr addrspace(1) %t5, align 4
	br label %b3

b3:
	ret void
}

declare i32 @llvm.amdgcn.workgroup.id.x()

declare i32 @llvm.amdgcn.workitem.id.x()

attributes #0 = { norecurse nounwind "target-cpu"="gfx1100" "target-features"="+wavefrontsize32" "amdgpu-flat-work-group-size"="16,16" "uniform-work-group-size"="true" "amdgpu-no-workitem-id-y" "amdgpu-no-workgroup-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-workgroup-id-z" "amdgpu-no-implicitarg-ptr" "amdgpu-no-dispatch-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-queue-ptr" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-lds-kernel-id" }
attributes #1 = { norecurse nounwind "target-cpu"="gfx1100" "target-features"="+wavefrontsize32" "amdgpu-no-workitem-id-x" "amdgpu-no-workgroup-id-x" "amdgpu-no-workitem-id-y" "amdgpu-no-workgroup-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-workgroup-id-z" "amdgpu-no-implicitarg-ptr" "amdgpu-no-dispatch-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-queue-ptr" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-lds-kernel-id" }

!llvm.ident = !{!3}
!llvm.module.flags = !{!0}

!0 = !{i32 1, !"amdhsa_code_object_version", i32 500}
!1 = !{}
!2 = !{float 2.5}
!3 = !{!"gpuc's LLVM IR"}
