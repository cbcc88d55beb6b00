; LLVM IR written by gpuc for gfx1100
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
	%r5 = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)
	%r6 = add i32 %length_1, 0
	%r7 = add i32 %length_0, 0
	%d2 = getelementptr i8, ptr addrspace(1) %binding_0, i64 0
	%d4 = getelementptr i8, ptr addrspace(1) %binding_1, i64 0
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
	%t1 = zext i32 %r9 to i64
	%t2 = zext i32 4 to i64
	%d1 = mul i64 %t1, %t2
	%t3 = getelementptr i8, ptr addrspace(1) %d2, i64 %d1
	%r10 = load i32, ptr addrspace(1) %t3, align 4, !invariant.load !1
	%p3 = icmp ult i32 %r4, %r7
	%r11 = select i1 %p3, i32 %r10, i32 0
	%r12 = xor i32 %r5, 16
	%r13 = and i32 %r12, 31
	%r14 = shl i32 %r13, 2
	%r15 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r14, i32 %r11)
	%r16 = add i32 %r11, %r15
	%r17 = xor i32 %r5, 8
	%r18 = and i32 %r17, 31
	%r19 = shl i32 %r18, 2
	%r20 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r19, i32 %r16)
	%r21 = add i32 %r16, %r20
	%r22 = xor i32 %r5, 4
	%r23 = and i32 %r22, 31
	%r24 = shl i32 %r23, 2
	%r25 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r24, i32 %r21)
	%r26 = add i32 %r21, %r25
	%r27 = xor i32 %r5, 2
	%r28 = and i32 %r27, 31
	%r29 = shl i32 %r28, 2
	%r30 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r29, i32 %r26)
	%r31 = add i32 %r26, %r30
	%r32 = xor i32 %r5, 1
	%r33 = and i32 %r32, 31
	%r34 = shl i32 %r33, 2
	%r35 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r34, i32 %r31)
	%r36 = add i32 %r31, %r35
	%r37 = xor i32 %r5, 16
	%r38 = and i32 %r37, 31
	%r39 = shl i32 %r38, 2
	%r40 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r39, i32 %r11)
	%r41 = call i32 @llvm.umin.i32(i32 %r11, i32 %r40)
	%r42 = xor i32 %r5, 8
	%r43 = and i32 %r42, 31
	%r44 = shl i32 %r43, 2
	%r45 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r44, i32 %r41)
	%r46 = call i32 @llvm.umin.i32(i32 %r41, i32 %r45)
	%r47 = xor i32 %r5, 4
	%r48 = and i32 %r47, 31
	%r49 = shl i32 %r48, 2
	%r50 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r49, i32 %r46)
	%r51 = call i32 @llvm.umin.i32(i32 %r46, i32 %r50)
	%r52 = xor i32 %r5, 2
	%r53 = and i32 %r52, 31
	%r54 = shl i32 %r53, 2
	%r55 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r54, i32 %r51)
	%r56 = call i32 @llvm.umin.i32(i32 %r51, i32 %r55)
	%r57 = xor i32 %r5, 1
	%r58 = and i32 %r57, 31
	%r59 = shl i32 %r58, 2
	%r60 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r59, i32 %r56)
	%r61 = call i32 @llvm.umin.i32(i32 %r56, i32 %r60)
	%r62 = xor i32 %r5, 16
	%r63 = and i32 %r62, 31
	%r64 = shl i32 %r63, 2
	%r65 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r64, i32 %r11)
	%r66 = call i32 @llvm.umax.i32(i32 %r11, i32 %r65)
	%r67 = xor i32 %r5, 8
	%r68 = and i32 %r67, 31
	%r69 = shl i32 %r68, 2
	%r70 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r69, i32 %r66)
	%r71 = call i32 @llvm.umax.i32(i32 %r66, i32 %r70)
	%r72 = xor i32 %r5, 4
	%r73 = and i32 %r72, 31
	%r74 = shl i32 %r73, 2
	%r75 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r74, i32 %r71)
	%r76 = call i32 @llvm.umax.i32(i32 %r71, i32 %r75)
	%r77 = xor i32 %r5, 2
	%r78 = and i32 %r77, 31
	%r79 = shl i32 %r78, 2
	%r80 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r79, i32 %r76)
	%r81 = call i32 @llvm.umax.i32(i32 %r76, i32 %r80)
	%r82 = xor i32 %r5, 1
	%r83 = and i32 %r82, 31
	%r84 = shl i32 %r83, 2
	%r85 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r84, i32 %r81)
	%r86 = call i32 @llvm.umax.i32(i32 %r81, i32 %r85)
	%r87 = and i32 %r11, 1
	%p4 = icmp eq i32 %r87, 1
	%r88 = call i32 @llvm.amdgcn.ballot.i32(i1 %p4)
	%r89 = call i32 @llvm.ctpop.i32(i32 %r88)
	%r90 = call i32 @llvm.ctpop.i32(i32 0)
	%r91 = call i32 @llvm.ctpop.i32(i32 0)
	%r92 = call i32 @llvm.ctpop.i32(i32 0)
	%r93 = add i32 %r89, %r90
	%r94 = add i32 %r93, %r91
	%r95 = add i32 %r94, %r92
	%r96 = sub i32 %r5, 1
	%r97 = and i32 %r96, 31
	%r98 = shl i32 %r97, 2
	%r99 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r98, i32 %r11)
	%r100 = add i32 %r99, %r11
	%p5 = icmp uge i32 %r5, 1
	%r101 = select i1 %p5, i32 %r100, i32 %r11
	%r102 = sub i32 %r5, 2
	%r103 = and i32 %r102, 31
	%r104 = shl i32 %r103, 2
	%r105 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r104, i32 %r101)
	%r106 = add i32 %r105, %r101
	%p6 = icmp uge i32 %r5, 2
	%r107 = select i1 %p6, i32 %r106, i32 %r101
	%r108 = sub i32 %r5, 4
	%r109 = and i32 %r108, 31
	%r110 = shl i32 %r109, 2
	%r111 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r110, i32 %r107)
	%r112 = add i32 %r111, %r107
	%p7 = icmp uge i32 %r5, 4
	%r113 = select i1 %p7, i32 %r112, i32 %r107
	%r114 = sub i32 %r5, 8
	%r115 = and i32 %r114, 31
	%r116 = shl i32 %r115, 2
	%r117 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r116, i32 %r113)
	%r118 = add i32 %r117, %r113
	%p8 = icmp uge i32 %r5, 8
	%r119 = select i1 %p8, i32 %r118, i32 %r113
	%r120 = sub i32 %r5, 16
	%r121 = and i32 %r120, 31
	%r122 = shl i32 %r121, 2
	%r123 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r122, i32 %r119)
	%r124 = add i32 %r123, %r119
	%p9 = icmp uge i32 %r5, 16
	%r125 = select i1 %p9, i32 %r124, i32 %r119
	%r126 = sub i32 %r5, 1
	%r127 = and i32 %r126, 31
	%r128 = shl i32 %r127, 2
	%r129 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r128, i32 %r11)
	%r130 = add i32 %r129, %r11
	%p10 = icmp uge i32 %r5, 1
	%r131 = select i1 %p10, i32 %r130, i32 %r11
	%r132 = sub i32 %r5, 2
	%r133 = and i32 %r132, 31
	%r134 = shl i32 %r133, 2
	%r135 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r134, i32 %r131)
	%r136 = add i32 %r135, %r131
	%p11 = icmp uge i32 %r5, 2
	%r137 = select i1 %p11, i32 %r136, i32 %r131
	%r138 = sub i32 %r5, 4
	%r139 = and i32 %r138, 31
	%r140 = shl i32 %r139, 2
	%r141 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r140, i32 %r137)
	%r142 = add i32 %r141, %r137
	%p12 = icmp uge i32 %r5, 4
	%r143 = select i1 %p12, i32 %r142, i32 %r137
	%r144 = sub i32 %r5, 8
	%r145 = and i32 %r144, 31
	%r146 = shl i32 %r145, 2
	%r147 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r146, i32 %r143)
	%r148 = add i32 %r147, %r143
	%p13 = icmp uge i32 %r5, 8
	%r149 = select i1 %p13, i32 %r148, i32 %r143
	%r150 = sub i32 %r5, 16
	%r151 = and i32 %r150, 31
	%r152 = shl i32 %r151, 2
	%r153 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r152, i32 %r149)
	%r154 = add i32 %r153, %r149
	%p14 = icmp uge i32 %r5, 16
	%r155 = select i1 %p14, i32 %r154, i32 %r149
	%p15 = icmp eq i32 %r5, 0
	%r156 = sub i32 %r5, 1
	%r157 = and i32 %r156, 31
	%r158 = shl i32 %r157, 2
	%r159 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r158, i32 %r155)
	%r160 = select i1 %p15, i32 0, i32 %r159
	%r161 = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %r36)
	%p16 = icmp ult i32 %r5, 32
	%p17 = xor i1 %p16, true
	%r162 = call i32 @llvm.amdgcn.ballot.i32(i1 %p17)
	%p18 = icmp eq i32 %r162, 0
	%p19 = icmp ugt i32 %r11, %r86
	%r163 = call i32 @llvm.amdgcn.ballot.i32(i1 %p19)
	%p20 = icmp ne i32 %r163, 0
	%r164 = call i32 @llvm.amdgcn.ballot.i32(i1 true)
	%r165 = call i32 @llvm.cttz.i32(i32 %r164, i1 false)
	%p21 = icmp eq i32 %r5, %r165
	br i1 %p21, label %b10, label %b9

b10:
	%t4 = atomicrmw add ptr addrspace(3) @.shared_2_sum, i32 %r36 syncscope("workgroup") monotonic, align 4
	%t5 = atomicrmw umin ptr addrspace(3) @.shared_3_least, i32 %r61 syncscope("workgroup") monotonic, align 4
	%t6 = atomicrmw umax ptr addrspace(3) @.shared_4_most, i32 %r86 syncscope("workgroup") monotonic, align 4
	%t7 = atomicrmw add ptr addrspace(3) @.shared_5_odd, i32 %r95 syncscope("workgroup") monotonic, align 4
	br label %b9

b9:
	%r166 = sub i32 %r125, %r160
	%p22 = icmp ne i32 %r11, %r166
	%p23 = icmp ne i32 %r36, %r161
	%p24 = or i1 %p22, %p23
	%p25 = xor i1 %p18, true
	%p26 = or i1 %p24, %p25
	%p27 = or i1 %p20, %p26
	br i1 %p27, label %b13, label %b12

b13:
	%t8 = atomicrmw add ptr addrspace(3) @.shared_6_mistakes, i32 1 syncscope("workgroup") monotonic, align 4
	br label %b12

b12:
	fence syncscope("workgroup") release
	call void @llvm.amdgcn.s.barrier()
	fence syncscope("workgroup") acquire
	br i1 %p2, label %b16, label %b15

b16:
	%r167 = load atomic i32, ptr addrspace(3) @.shared_2_sum syncscope("workgroup") monotonic, align 4
	%r168 = load atomic i32, ptr addrspace(3) @.shared_3_least syncscope("workgroup") monotonic, align 4
	%r169 = load atomic i32, ptr addrspace(3) @.shared_4_most syncscope("workgroup") monotonic, align 4
	%r170 = load atomic i32, ptr addrspace(3) @.shared_5_odd syncscope("workgroup") monotonic, align 4
	%r171 = load atomic i32, ptr addrspace(3) @.shared_6_mistakes syncscope("workgroup") monotonic, align 4
	%p28 = icmp ult i32 %r2, %r6
	br i1 %p28, label %b19, label %b15

b19:
	%t9 = zext i32 %r2 to i64
	%t10 = zext i32 20 to i64
	%d3 = mul i64 %t9, %t10
	%t11 = getelementptr i8, ptr addrspace(1) %d4, i64 %d3
	store i32 %r167, ptr addrspace(1) %t11, align 4
	%t12 = getelementptr i8, ptr addrspace(1) %d4, i64 %d3
	%t13 = getelementptr i8, ptr addrspace(1) %t12, i64 4
	store i32 %r168, ptr addrspace(1) %t13, align 4
	%t14 = getelementptr i8, ptr addrspace(1) %d4, i64 %d3
	%t15 = getelementptr i8, ptr addrspace(1) %t14, i64 8
	store i32 %r169, ptr addrspace(1) %t15, align 4
	%t16 = getelementptr i8, ptr addrspace(1) %d4, i64 %d3
	%t17 = getelementptr i8, ptr addrspace(1) %t16, i64 12
	store i32 %r170, ptr addrspace(1) %t17, align 4
	%t18 = getelementptr i8, ptr addrspace(1) %d4, i64 %d3
	%t19 = getelementptr i8, ptr addrspace(1) %t18, i64 16
	store i32 %r171, ptr addrspace(1) %t19, align 4
	br label %b15

b15:
	ret void
}

declare i32 @llvm.amdgcn.workitem.id.x()

declare i32 @llvm.amdgcn.workgroup.id.x()

declare i32 @llvm.amdgcn.mbcnt.lo(i32 %0, i32 %1)

declare void @llvm.amdgcn.s.barrier()

declare i32 @llvm.umin.i32(i32 %0, i32 %1)

declare i32 @llvm.amdgcn.ds.bpermute(i32 %0, i32 %1)

declare i32 @llvm.umax.i32(i32 %0, i32 %1)

declare i32 @llvm.amdgcn.ballot.i32(i1 %0)

declare i32 @llvm.ctpop.i32(i32 %0)

declare i32 @llvm.amdgcn.readfirstlane.i32(i32 %0)

declare i32 @llvm.cttz.i32(i32 %0, i1 %1)

attributes #0 = { norecurse nounwind "target-cpu"="gfx1100" "target-features"="+wavefrontsize32" "amdgpu-flat-work-group-size"="96,96" "uniform-work-group-size"="true" "amdgpu-no-workitem-id-y" "amdgpu-no-workgroup-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-workgroup-id-z" "amdgpu-no-implicitarg-ptr" "amdgpu-no-dispatch-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-queue-ptr" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-lds-kernel-id" }
attributes #1 = { norecurse nounwind "target-cpu"="gfx1100" "target-features"="+wavefrontsize32" "amdgpu-no-workitem-id-x" "amdgpu-no-workgroup-id-x" "amdgpu-no-workitem-id-y" "amdgpu-no-workgroup-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-workgroup-id-z" "amdgpu-no-implicitarg-ptr" "amdgpu-no-dispatch-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-queue-ptr" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-lds-kernel-id" }

!llvm.ident = !{!3}
!llvm.module.flags = !{!0}

!0 = !{i32 1, !"amdhsa_code_object_version", i32 500}
!1 = !{}
!2 = !{float 2.5}
!3 = !{!"gpuc's LLVM IR"}
