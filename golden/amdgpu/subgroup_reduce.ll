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
  %r6 = add i32 %length_0, 0
  %r8 = add i32 %length_1, 0
  %d2 = getelementptr i8, ptr addrspace(1) %binding_0, i64 0
  %d4 = getelementptr i8, ptr addrspace(1) %binding_1, i64 0
  %r7 = sub i32 %r6, 1
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
  %r9 = call i32 @llvm.umin.i32(i32 %r4, i32 %r7)
  %r10 = call i32 @llvm.umin.i32(i32 %r9, i32 %r7)
  %t4 = zext i32 %r10 to i64
  %t5 = zext i32 4 to i64
  %d1 = mul i64 %t4, %t5
  %t6 = getelementptr i8, ptr addrspace(1) %d2, i64 %d1
  %r11 = load i32, ptr addrspace(1) %t6, align 4, !invariant.load !1
  %p3 = icmp ult i32 %r4, %r6
  %r12 = select i1 %p3, i32 %r11, i32 0
  %r13 = xor i32 %r5, 16
  %r14 = and i32 %r13, 31
  %r15 = shl i32 %r14, 2
  %r16 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r15, i32 %r12)
  %r17 = add i32 %r12, %r16
  %r18 = xor i32 %r5, 8
  %r19 = and i32 %r18, 31
  %r20 = shl i32 %r19, 2
  %r21 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r20, i32 %r17)
  %r22 = add i32 %r17, %r21
  %r23 = xor i32 %r5, 4
  %r24 = and i32 %r23, 31
  %r25 = shl i32 %r24, 2
  %r26 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r25, i32 %r22)
  %r27 = add i32 %r22, %r26
  %r28 = xor i32 %r5, 2
  %r29 = and i32 %r28, 31
  %r30 = shl i32 %r29, 2
  %r31 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r30, i32 %r27)
  %r32 = add i32 %r27, %r31
  %r33 = xor i32 %r5, 1
  %r34 = and i32 %r33, 31
  %r35 = shl i32 %r34, 2
  %r36 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r35, i32 %r32)
  %r37 = add i32 %r32, %r36
  %r38 = xor i32 %r5, 16
  %r39 = and i32 %r38, 31
  %r40 = shl i32 %r39, 2
  %r41 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r40, i32 %r12)
  %r42 = call i32 @llvm.umin.i32(i32 %r12, i32 %r41)
  %r43 = xor i32 %r5, 8
  %r44 = and i32 %r43, 31
  %r45 = shl i32 %r44, 2
  %r46 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r45, i32 %r42)
  %r47 = call i32 @llvm.umin.i32(i32 %r42, i32 %r46)
  %r48 = xor i32 %r5, 4
  %r49 = and i32 %r48, 31
  %r50 = shl i32 %r49, 2
  %r51 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r50, i32 %r47)
  %r52 = call i32 @llvm.umin.i32(i32 %r47, i32 %r51)
  %r53 = xor i32 %r5, 2
  %r54 = and i32 %r53, 31
  %r55 = shl i32 %r54, 2
  %r56 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r55, i32 %r52)
  %r57 = call i32 @llvm.umin.i32(i32 %r52, i32 %r56)
  %r58 = xor i32 %r5, 1
  %r59 = and i32 %r58, 31
  %r60 = shl i32 %r59, 2
  %r61 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r60, i32 %r57)
  %r62 = call i32 @llvm.umin.i32(i32 %r57, i32 %r61)
  %r63 = xor i32 %r5, 16
  %r64 = and i32 %r63, 31
  %r65 = shl i32 %r64, 2
  %r66 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r65, i32 %r12)
  %r67 = call i32 @llvm.umax.i32(i32 %r12, i32 %r66)
  %r68 = xor i32 %r5, 8
  %r69 = and i32 %r68, 31
  %r70 = shl i32 %r69, 2
  %r71 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r70, i32 %r67)
  %r72 = call i32 @llvm.umax.i32(i32 %r67, i32 %r71)
  %r73 = xor i32 %r5, 4
  %r74 = and i32 %r73, 31
  %r75 = shl i32 %r74, 2
  %r76 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r75, i32 %r72)
  %r77 = call i32 @llvm.umax.i32(i32 %r72, i32 %r76)
  %r78 = xor i32 %r5, 2
  %r79 = and i32 %r78, 31
  %r80 = shl i32 %r79, 2
  %r81 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r80, i32 %r77)
  %r82 = call i32 @llvm.umax.i32(i32 %r77, i32 %r81)
  %r83 = xor i32 %r5, 1
  %r84 = and i32 %r83, 31
  %r85 = shl i32 %r84, 2
  %r86 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r85, i32 %r82)
  %r87 = call i32 @llvm.umax.i32(i32 %r82, i32 %r86)
  %r88 = and i32 %r12, 1
  %p4 = icmp eq i32 %r88, 1
  %r89 = call i32 @llvm.amdgcn.ballot.i32(i1 %p4)
  %r90 = call i32 @llvm.ctpop.i32(i32 %r89)
  %r91 = call i32 @llvm.ctpop.i32(i32 0)
  %r92 = call i32 @llvm.ctpop.i32(i32 0)
  %r93 = call i32 @llvm.ctpop.i32(i32 0)
  %r94 = add i32 %r90, %r91
  %r95 = add i32 %r94, %r92
  %r96 = add i32 %r95, %r93
  %r97 = sub i32 %r5, 1
  %r98 = and i32 %r97, 31
  %r99 = shl i32 %r98, 2
  %r100 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r99, i32 %r12)
  %r101 = add i32 %r100, %r12
  %p5 = icmp uge i32 %r5, 1
  %r102 = select i1 %p5, i32 %r101, i32 %r12
  %r103 = sub i32 %r5, 2
  %r104 = and i32 %r103, 31
  %r105 = shl i32 %r104, 2
  %r106 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r105, i32 %r102)
  %r107 = add i32 %r106, %r102
  %p6 = icmp uge i32 %r5, 2
  %r108 = select i1 %p6, i32 %r107, i32 %r102
  %r109 = sub i32 %r5, 4
  %r110 = and i32 %r109, 31
  %r111 = shl i32 %r110, 2
  %r112 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r111, i32 %r108)
  %r113 = add i32 %r112, %r108
  %p7 = icmp uge i32 %r5, 4
  %r114 = select i1 %p7, i32 %r113, i32 %r108
  %r115 = sub i32 %r5, 8
  %r116 = and i32 %r115, 31
  %r117 = shl i32 %r116, 2
  %r118 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r117, i32 %r114)
  %r119 = add i32 %r118, %r114
  %p8 = icmp uge i32 %r5, 8
  %r120 = select i1 %p8, i32 %r119, i32 %r114
  %r121 = sub i32 %r5, 16
  %r122 = and i32 %r121, 31
  %r123 = shl i32 %r122, 2
  %r124 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r123, i32 %r120)
  %r125 = add i32 %r124, %r120
  %p9 = icmp uge i32 %r5, 16
  %r126 = select i1 %p9, i32 %r125, i32 %r120
  %r127 = sub i32 %r5, 1
  %r128 = and i32 %r127, 31
  %r129 = shl i32 %r128, 2
  %r130 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r129, i32 %r12)
  %r131 = add i32 %r130, %r12
  %p10 = icmp uge i32 %r5, 1
  %r132 = select i1 %p10, i32 %r131, i32 %r12
  %r133 = sub i32 %r5, 2
  %r134 = and i32 %r133, 31
  %r135 = shl i32 %r134, 2
  %r136 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r135, i32 %r132)
  %r137 = add i32 %r136, %r132
  %p11 = icmp uge i32 %r5, 2
  %r138 = select i1 %p11, i32 %r137, i32 %r132
  %r139 = sub i32 %r5, 4
  %r140 = and i32 %r139, 31
  %r141 = shl i32 %r140, 2
  %r142 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r141, i32 %r138)
  %r143 = add i32 %r142, %r138
  %p12 = icmp uge i32 %r5, 4
  %r144 = select i1 %p12, i32 %r143, i32 %r138
  %r145 = sub i32 %r5, 8
  %r146 = and i32 %r145, 31
  %r147 = shl i32 %r146, 2
  %r148 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r147, i32 %r144)
  %r149 = add i32 %r148, %r144
  %p13 = icmp uge i32 %r5, 8
  %r150 = select i1 %p13, i32 %r149, i32 %r144
  %r151 = sub i32 %r5, 16
  %r152 = and i32 %r151, 31
  %r153 = shl i32 %r152, 2
  %r154 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r153, i32 %r150)
  %r155 = add i32 %r154, %r150
  %p14 = icmp uge i32 %r5, 16
  %r156 = select i1 %p14, i32 %r155, i32 %r150
  %p15 = icmp eq i32 %r5, 0
  %r157 = sub i32 %r5, 1
  %r158 = and i32 %r157, 31
  %r159 = shl i32 %r158, 2
  %r160 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r159, i32 %r156)
  %r161 = select i1 %p15, i32 0, i32 %r160
  %r162 = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %r37)
  %p16 = icmp ult i32 %r5, 32
  %p17 = xor i1 %p16, true
  %r163 = call i32 @llvm.amdgcn.ballot.i32(i1 %p17)
  %p18 = icmp eq i32 %r163, 0
  %p19 = icmp ugt i32 %r12, %r87
  %r164 = call i32 @llvm.amdgcn.ballot.i32(i1 %p19)
  %p20 = icmp ne i32 %r164, 0
  %r165 = call i32 @llvm.amdgcn.ballot.i32(i1 true)
  %r166 = call i32 @llvm.cttz.i32(i32 %r165, i1 false)
  %p21 = icmp eq i32 %r5, %r166
  br i1 %p21, label %b10, label %b9
b10:
  %t7 = atomicrmw add ptr addrspace(3) @.shared_2_sum, i32 %r37 syncscope("workgroup") monotonic, align 4
  %t8 = atomicrmw umin ptr addrspace(3) @.shared_3_least, i32 %r62 syncscope("workgroup") monotonic, align 4
  %t9 = atomicrmw umax ptr addrspace(3) @.shared_4_most, i32 %r87 syncscope("workgroup") monotonic, align 4
  %t10 = atomicrmw add ptr addrspace(3) @.shared_5_odd, i32 %r96 syncscope("workgroup") monotonic, align 4
  br label %b9
b9:
  %r167 = sub i32 %r126, %r161
  %p22 = icmp ne i32 %r12, %r167
  %p23 = icmp ne i32 %r37, %r162
  %p24 = or i1 %p22, %p23
  %p25 = xor i1 %p18, true
  %p26 = or i1 %p24, %p25
  %p27 = or i1 %p20, %p26
  br i1 %p27, label %b13, label %b12
b13:
  %t11 = atomicrmw add ptr addrspace(3) @.shared_6_mistakes, i32 1 syncscope("workgroup") monotonic, align 4
  br label %b12
b12:
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  br i1 %p2, label %b16, label %b15
b16:
  %r168 = load atomic i32, ptr addrspace(3) @.shared_2_sum syncscope("workgroup") monotonic, align 4
  %r169 = load atomic i32, ptr addrspace(3) @.shared_3_least syncscope("workgroup") monotonic, align 4
  %r170 = load atomic i32, ptr addrspace(3) @.shared_4_most syncscope("workgroup") monotonic, align 4
  %r171 = load atomic i32, ptr addrspace(3) @.shared_5_odd syncscope("workgroup") monotonic, align 4
  %r172 = load atomic i32, ptr addrspace(3) @.shared_6_mistakes syncscope("workgroup") monotonic, align 4
  %p28 = icmp ult i32 %r2, %r8
  br i1 %p28, label %b19, label %b15
b19:
  %t12 = zext i32 %r2 to i64
  %t13 = zext i32 20 to i64
  %d3 = mul i64 %t12, %t13
  %t14 = getelementptr i8, ptr addrspace(1) %d4, i64 %d3
  store i32 %r168, ptr addrspace(1) %t14, align 4
  %t15 = getelementptr i8, ptr addrspace(1) %d4, i64 %d3
  %t16 = getelementptr i8, ptr addrspace(1) %t15, i64 4
  store i32 %r169, ptr addrspace(1) %t16, align 4
  %t17 = getelementptr i8, ptr addrspace(1) %d4, i64 %d3
  %t18 = getelementptr i8, ptr addrspace(1) %t17, i64 8
  store i32 %r170, ptr addrspace(1) %t18, align 4
  %t19 = getelementptr i8, ptr addrspace(1) %d4, i64 %d3
  %t20 = getelementptr i8, ptr addrspace(1) %t19, i64 12
  store i32 %r171, ptr addrspace(1) %t20, align 4
  %t21 = getelementptr i8, ptr addrspace(1) %d4, i64 %d3
  %t22 = getelementptr i8, ptr addrspace(1) %t21, i64 16
  store i32 %r172, ptr addrspace(1) %t22, align 4
  br label %b15
b15:
  ret void
}

declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workgroup.id.x()
declare i32 @llvm.amdgcn.mbcnt.lo(i32, i32)
declare void @llvm.amdgcn.s.barrier()
declare i32 @llvm.umin.i32(i32, i32)
declare i32 @llvm.amdgcn.ds.bpermute(i32, i32)
declare i32 @llvm.umax.i32(i32, i32)
declare i32 @llvm.amdgcn.ballot.i32(i1)
declare i32 @llvm.ctpop.i32(i32)
declare i32 @llvm.amdgcn.readfirstlane.i32(i32)
declare i32 @llvm.cttz.i32(i32, i1)
attributes #0 = { norecurse nounwind "target-cpu"="gfx1100" "target-features"="+wavefrontsize32" "amdgpu-flat-work-group-size"="96,96" "uniform-work-group-size"="true" "amdgpu-no-workitem-id-y" "amdgpu-no-workgroup-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-workgroup-id-z" "amdgpu-no-implicitarg-ptr" "amdgpu-no-dispatch-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-queue-ptr" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-lds-kernel-id" }
attributes #1 = { norecurse nounwind "target-cpu"="gfx1100" "target-features"="+wavefrontsize32" "amdgpu-no-workitem-id-x" "amdgpu-no-workgroup-id-x" "amdgpu-no-workitem-id-y" "amdgpu-no-workgroup-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-workgroup-id-z" "amdgpu-no-implicitarg-ptr" "amdgpu-no-dispatch-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-queue-ptr" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-lds-kernel-id" }

!llvm.module.flags = !{!0}
!0 = !{i32 1, !"amdhsa_code_object_version", i32 500}
!1 = !{}
!2 = !{float 2.5}
!llvm.ident = !{!3}
!3 = !{!"gpuc's LLVM IR"}
