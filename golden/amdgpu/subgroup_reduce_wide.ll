; LLVM IR written by gpuc for gfx90a
target triple = "amdgcn-amd-amdhsa"

@.shared_2_sum = internal addrspace(3) global [4 x i8] undef, align 4
@.shared_3_least = internal addrspace(3) global [4 x i8] undef, align 4
@.shared_4_most = internal addrspace(3) global [4 x i8] undef, align 4
@.shared_5_odd = internal addrspace(3) global [4 x i8] undef, align 4
@.shared_6_mistakes = internal addrspace(3) global [4 x i8] undef, align 4

define protected amdgpu_kernel void @main(ptr addrspace(1) noalias readonly align 16 %binding_0, ptr addrspace(1) noalias align 16 %binding_1, i32 %length_0, i32 %length_1) #0 {
begin:
	br label %b1

b1:
	%r1 = call i32 @llvm.amdgcn.workitem.id.x()
	%r2 = call i32 @llvm.amdgcn.workgroup.id.x()
	%r3 = mul i32 %r2, 96
	%r4 = add i32 %r3, %r1
	%t1 = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)
	%r5 = call i32 @llvm.amdgcn.mbcnt.hi(i32 -1, i32 %t1)
	%r6 = add i32 %length_1, 0
	%r7 = add i32 %length_0, 0
	%d2 = getelementptr i8, ptr addrspace(1) %binding_0, i64 0
	%d34 = getelementptr i8, ptr addrspace(1) %binding_1, i64 0
	%p1 = icmp ult i32 %r1, 1
	br i1 %p1, label %b4, label %b3

b4:
	store atomic i32 0, ptr addrspace(3) @.shared_2_sum syncscope("workgroup") monotonic, align 4
	store atomic i32 0, ptr addrspace(3) @.shared_4_most syncscope("workgroup") monotonic, align 4
	store atomic i32 0, ptr addrspace(3) @.shared_5_odd syncscope("workgroup") monotonic, align 4
	store atomic i32 0, ptr addrspace(3) @.shared_6_mistakes syncscope("workgroup") monotonic, align 4
	br label %b3

b3:
	fence syncscope("workgroup") release
	call void @llvm.amdgcn.s.barrier()
	fence syncscope("workgroup") acquire
	%p2 = icmp eq i32 %r1, 0
	br i1 %p2, label %b7, label %b6

b7:
	store atomic i32 -1, ptr addrspace(3) @.shared_3_least syncscope("workgroup") monotonic, align 4
	br label %b6

b6:
	fence syncscope("workgroup") release
	call void @llvm.amdgcn.s.barrier()
	fence syncscope("workgroup") acquire
	%r8 = sub i32 %r7, 1
	%r9 = call i32 @llvm.umin.i32(i32 %r4, i32 %r8)
	%t2 = zext i32 %r9 to i64
	%t3 = zext i32 4 to i64
	%d1 = mul i64 %t2, %t3
	%t4 = getelementptr i8, ptr addrspace(1) %d2, i64 %d1
	%r10 = load i32, ptr addrspace(1) %t4, align 4, !invariant.load !1
	%p3 = icmp ult i32 %r4, %r7
	%r11 = select i1 %p3, i32 %r10, i32 0
	%d3 = call i64 @llvm.amdgcn.ballot.i64(i1 true)
	br label %b9

b9:
	%d4 = phi i64 [ %d3, %b6 ], [ %d7, %b9 ]
	%r12 = phi i32 [ 0, %b6 ], [ %r17, %b9 ]
	%d5 = call i64 @llvm.cttz.i64(i64 %d4, i1 false)
	%r14 = trunc i64 %d5 to i32
	%t5 = lshr i64 %d5, 32
	%r15 = trunc i64 %t5 to i32
	%r16 = call i32 @llvm.amdgcn.readlane.i32(i32 %r11, i32 %r14)
	%r17 = add i32 %r12, %r16
	%d6 = sub i64 %d4, 1
	%d7 = and i64 %d4, %d6
	%p4 = icmp ne i64 %d7, 0
	br i1 %p4, label %b9, label %b10

b10:
	%r13 = phi i32 [ %r17, %b9 ]
	%d8 = call i64 @llvm.amdgcn.ballot.i64(i1 true)
	br label %b11

b11:
	%d9 = phi i64 [ %d8, %b10 ], [ %d12, %b11 ]
	%r18 = phi i32 [ %r11, %b10 ], [ %r23, %b11 ]
	%d10 = call i64 @llvm.cttz.i64(i64 %d9, i1 false)
	%r20 = trunc i64 %d10 to i32
	%t6 = lshr i64 %d10, 32
	%r21 = trunc i64 %t6 to i32
	%r22 = call i32 @llvm.amdgcn.readlane.i32(i32 %r11, i32 %r20)
	%r23 = call i32 @llvm.umin.i32(i32 %r18, i32 %r22)
	%d11 = sub i64 %d9, 1
	%d12 = and i64 %d9, %d11
	%p5 = icmp ne i64 %d12, 0
	br i1 %p5, label %b11, label %b12

b12:
	%r19 = phi i32 [ %r23, %b11 ]
	%d13 = call i64 @llvm.amdgcn.ballot.i64(i1 true)
	br label %b13

b13:
	%d14 = phi i64 [ %d13, %b12 ], [ %d17, %b13 ]
	%r24 = phi i32 [ %r11, %b12 ], [ %r29, %b13 ]
	%d15 = call i64 @llvm.cttz.i64(i64 %d14, i1 false)
	%r26 = trunc i64 %d15 to i32
	%t7 = lshr i64 %d15, 32
	%r27 = trunc i64 %t7 to i32
	%r28 = call i32 @llvm.amdgcn.readlane.i32(i32 %r11, i32 %r26)
	%r29 = call i32 @llvm.umax.i32(i32 %r24, i32 %r28)
	%d16 = sub i64 %d14, 1
	%d17 = and i64 %d14, %d16
	%p6 = icmp ne i64 %d17, 0
	br i1 %p6, label %b13, label %b14

b14:
	%r25 = phi i32 [ %r29, %b13 ]
	%r30 = and i32 %r11, 1
	%p7 = icmp eq i32 %r30, 1
	%d18 = call i64 @llvm.amdgcn.ballot.i64(i1 %p7)
	%r31 = trunc i64 %d18 to i32
	%t8 = lshr i64 %d18, 32
	%r32 = trunc i64 %t8 to i32
	%r33 = call i32 @llvm.ctpop.i32(i32 %r31)
	%r34 = call i32 @llvm.ctpop.i32(i32 %r32)
	%r35 = call i32 @llvm.ctpop.i32(i32 0)
	%r36 = call i32 @llvm.ctpop.i32(i32 0)
	%r37 = add i32 %r33, %r34
	%r38 = add i32 %r37, %r35
	%r39 = add i32 %r38, %r36
	%d19 = call i64 @llvm.amdgcn.ballot.i64(i1 true)
	br label %b15

b15:
	%d20 = phi i64 [ %d19, %b14 ], [ %d23, %b15 ]
	%r40 = phi i32 [ 0, %b14 ], [ %r46, %b15 ]
	%d21 = call i64 @llvm.cttz.i64(i64 %d20, i1 false)
	%r42 = trunc i64 %d21 to i32
	%t9 = lshr i64 %d21, 32
	%r43 = trunc i64 %t9 to i32
	%r44 = call i32 @llvm.amdgcn.readlane.i32(i32 %r11, i32 %r42)
	%r45 = add i32 %r40, %r44
	%p8 = icmp ule i32 %r42, %r5
	%r46 = select i1 %p8, i32 %r45, i32 %r40
	%d22 = sub i64 %d20, 1
	%d23 = and i64 %d20, %d22
	%p9 = icmp ne i64 %d23, 0
	br i1 %p9, label %b15, label %b16

b16:
	%r41 = phi i32 [ %r46, %b15 ]
	%d24 = call i64 @llvm.amdgcn.ballot.i64(i1 true)
	br label %b17

b17:
	%d25 = phi i64 [ %d24, %b16 ], [ %d28, %b17 ]
	%r47 = phi i32 [ 0, %b16 ], [ %r53, %b17 ]
	%d26 = call i64 @llvm.cttz.i64(i64 %d25, i1 false)
	%r49 = trunc i64 %d26 to i32
	%t10 = lshr i64 %d26, 32
	%r50 = trunc i64 %t10 to i32
	%r51 = call i32 @llvm.amdgcn.readlane.i32(i32 %r11, i32 %r49)
	%r52 = add i32 %r47, %r51
	%p10 = icmp ult i32 %r49, %r5
	%r53 = select i1 %p10, i32 %r52, i32 %r47
	%d27 = sub i64 %d25, 1
	%d28 = and i64 %d25, %d27
	%p11 = icmp ne i64 %d28, 0
	br i1 %p11, label %b17, label %b18

b18:
	%r48 = phi i32 [ %r53, %b17 ]
	%r54 = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %r13)
	%p12 = icmp ult i32 %r5, 64
	%p13 = xor i1 %p12, true
	%d29 = call i64 @llvm.amdgcn.ballot.i64(i1 %p13)
	%p14 = icmp eq i64 %d29, 0
	%p15 = icmp ugt i32 %r11, %r25
	%d30 = call i64 @llvm.amdgcn.ballot.i64(i1 %p15)
	%p16 = icmp ne i64 %d30, 0
	%d31 = call i64 @llvm.amdgcn.ballot.i64(i1 true)
	%d32 = call i64 @llvm.cttz.i64(i64 %d31, i1 false)
	%r55 = trunc i64 %d32 to i32
	%t11 = lshr i64 %d32, 32
	%r56 = trunc i64 %t11 to i32
	%p17 = icmp eq i32 %r5, %r55
	br i1 %p17, label %b20, label %b19

b20:
	%t12 = atomicrmw add ptr addrspace(3) @.shared_2_sum, i32 %r13 syncscope("workgroup") monotonic, align 4
	%t13 = atomicrmw umin ptr addrspace(3) @.shared_3_least, i32 %r19 syncscope("workgroup") monotonic, align 4
	%t14 = atomicrmw umax ptr addrspace(3) @.shared_4_most, i32 %r25 syncscope("workgroup") monotonic, align 4
	%t15 = atomicrmw add ptr addrspace(3) @.shared_5_odd, i32 %r39 syncscope("workgroup") monotonic, align 4
	br label %b19

b19:
	%r57 = sub i32 %r41, %r48
	%p18 = icmp ne i32 %r11, %r57
	%p19 = icmp ne i32 %r13, %r54
	%p20 = or i1 %p18, %p19
	%p21 = xor i1 %p14, true
	%p22 = or i1 %p20, %p21
	%p23 = or i1 %p16, %p22
	br i1 %p23, label %b23, label %b22

b23:
	%t16 = atomicrmw add ptr addrspace(3) @.shared_6_mistakes, i32 1 syncscope("workgroup") monotonic, align 4
	br label %b22

b22:
	fence syncscope("workgroup") release
	call void @llvm.amdgcn.s.barrier()
	fence syncscope("workgroup") acquire
	br i1 %p2, label %b26, label %b25

b26:
	%r58 = load atomic i32, ptr addrspace(3) @.shared_2_sum syncscope("workgroup") monotonic, align 4
	%r59 = load atomic i32, ptr addrspace(3) @.shared_3_least syncscope("workgroup") monotonic, align 4
	%r60 = load atomic i32, ptr addrspace(3) @.shared_4_most syncscope("workgroup") monotonic, align 4
	%r61 = load atomic i32, ptr addrspace(3) @.shared_5_odd syncscope("workgroup") monotonic, align 4
	%r62 = load atomic i32, ptr addrspace(3) @.shared_6_mistakes syncscope("workgroup") monotonic, align 4
	%p24 = icmp ult i32 %r2, %r6
	br i1 %p24, label %b29, label %b25

b29:
	%t17 = zext i32 %r2 to i64
	%t18 = zext i32 20 to i64
	%d33 = mul i64 %t17, %t18
	%t19 = getelementptr i8, ptr addrspace(1) %d34, i64 %d33
	store i32 %r58, ptr addrspace(1) %t19, align 4
	%t20 = getelementptr i8, ptr addrspace(1) %d34, i64 %d33
	%t21 = getelementptr i8, ptr addrspace(1) %t20, i64 4
	store i32 %r59, ptr addrspace(1) %t21, align 4
	%t22 = getelementptr i8, ptr addrspace(1) %d34, i64 %d33
	%t23 = getelementptr i8, ptr addrspace(1) %t22, i64 8
	store i32 %r60, ptr addrspace(1) %t23, align 4
	%t24 = getelementptr i8, ptr addrspace(1) %d34, i64 %d33
	%t25 = getelementptr i8, ptr addrspace(1) %t24, i64 12
	store i32 %r61, ptr addrspace(1) %t25, align 4
	%t26 = getelementptr i8, ptr addrspace(1) %d34, i64 %d33
	%t27 = getelementptr i8, ptr addrspace(1) %t26, i64 16
	store i32 %r62, ptr addrspace(1) %t27, align 4
	br label %b25

b25:
	ret void
}

declare i32 @llvm.amdgcn.workitem.id.x()

declare i32 @llvm.amdgcn.workgroup.id.x()

declare i32 @llvm.amdgcn.mbcnt.lo(i32 %0, i32 %1)

declare i32 @llvm.amdgcn.mbcnt.hi(i32 %0, i32 %1)

declare void @llvm.amdgcn.s.barrier()

declare i32 @llvm.umin.i32(i32 %0, i32 %1)

declare i64 @llvm.amdgcn.ballot.i64(i1 %0)

declare i64 @llvm.cttz.i64(i64 %0, i1 %1)

declare i32 @llvm.amdgcn.readlane.i32(i32 %0, i32 %1)

declare i32 @llvm.umax.i32(i32 %0, i32 %1)

declare i32 @llvm.ctpop.i32(i32 %0)

declare i32 @llvm.amdgcn.readfirstlane.i32(i32 %0)

attributes #0 = { norecurse nounwind "target-cpu"="gfx90a" "amdgpu-flat-work-group-size"="96,96" "uniform-work-group-size"="true" "amdgpu-no-workitem-id-y" "amdgpu-no-workgroup-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-workgroup-id-z" "amdgpu-no-implicitarg-ptr" "amdgpu-no-dispatch-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-queue-ptr" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-lds-kernel-id" }
attributes #1 = { norecurse nounwind "target-cpu"="gfx90a" "amdgpu-no-workitem-id-x" "amdgpu-no-workgroup-id-x" "amdgpu-no-workitem-id-y" "amdgpu-no-workgroup-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-workgroup-id-z" "amdgpu-no-implicitarg-ptr" "amdgpu-no-dispatch-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-queue-ptr" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-lds-kernel-id" }

!llvm.ident = !{!3}
!llvm.module.flags = !{!0}

!0 = !{i32 1, !"amdhsa_code_object_version", i32 500}
!1 = !{}
!2 = !{float 2.5}
!3 = !{!"gpuc's LLVM IR"}
