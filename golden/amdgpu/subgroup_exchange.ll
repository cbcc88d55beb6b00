; LLVM IR written by gpuc for gfx1100
target triple = "amdgcn-amd-amdhsa"

define protected amdgpu_kernel void @main(ptr addrspace(1) noalias readonly align 16 %binding_0, ptr addrspace(1) noalias align 16 %binding_1, ptr addrspace(1) noalias align 16 %binding_2, i32 %length_0, i32 %length_1, i32 %length_2) #0 {
begin:
	br label %b1

b1:
	%r1 = call i32 @llvm.amdgcn.workgroup.id.x()
	%r2 = mul i32 %r1, 64
	%r3 = call i32 @llvm.amdgcn.workitem.id.x()
	%r4 = add i32 %r2, %r3
	%r5 = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)
	%r6 = add i32 %length_2, 0
	%r7 = add i32 %length_1, 0
	%r33 = add i32 %length_0, 0
	%d2 = getelementptr i8, ptr addrspace(1) %binding_0, i64 0
	%d4 = getelementptr i8, ptr addrspace(1) %binding_1, i64 0
	%d6 = getelementptr i8, ptr addrspace(1) %binding_2, i64 0
	%r8 = xor i32 %r5, 16
	%r9 = and i32 %r8, 31
	%r10 = shl i32 %r9, 2
	%r11 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r10, i32 1)
	%r12 = add i32 1, %r11
	%r13 = xor i32 %r5, 8
	%r14 = and i32 %r13, 31
	%r15 = shl i32 %r14, 2
	%r16 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r15, i32 %r12)
	%r17 = add i32 %r12, %r16
	%r18 = xor i32 %r5, 4
	%r19 = and i32 %r18, 31
	%r20 = shl i32 %r19, 2
	%r21 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r20, i32 %r17)
	%r22 = add i32 %r17, %r21
	%r23 = xor i32 %r5, 2
	%r24 = and i32 %r23, 31
	%r25 = shl i32 %r24, 2
	%r26 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r25, i32 %r22)
	%r27 = add i32 %r22, %r26
	%r28 = xor i32 %r5, 1
	%r29 = and i32 %r28, 31
	%r30 = shl i32 %r29, 2
	%r31 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r30, i32 %r27)
	%r32 = add i32 %r27, %r31
	%r34 = urem i32 %r4, %r33
	%t1 = zext i32 %r34 to i64
	%t2 = zext i32 4 to i64
	%d1 = mul i64 %t1, %t2
	%t3 = getelementptr i8, ptr addrspace(1) %d2, i64 %d1
	%r35 = load i32, ptr addrspace(1) %t3, align 4, !invariant.load !1
	%r36 = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %r5)
	%r37 = xor i32 %r5, 16
	%r38 = and i32 %r37, 31
	%r39 = shl i32 %r38, 2
	%r40 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r39, i32 %r5)
	%r41 = call i32 @llvm.umin.i32(i32 %r5, i32 %r40)
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
	%p1 = icmp ne i32 %r36, %r61
	%r62 = zext i1 %p1 to i32
	%p2 = icmp ugt i32 %r32, 32
	%r63 = zext i1 %p2 to i32
	%r64 = add i32 %r62, %r63
	%r65 = call i32 @llvm.amdgcn.readlane.i32(i32 %r5, i32 0)
	%p3 = icmp ne i32 %r65, 0
	%r66 = zext i1 %p3 to i32
	%p4 = icmp eq i32 %r36, 0
	%r67 = zext i1 %p4 to i32
	%r68 = mul i32 %r66, %r67
	%r69 = add i32 %r64, %r68
	%r70 = and i32 %r5, 31
	%r71 = shl i32 %r70, 2
	%r72 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r71, i32 %r35)
	%r73 = sub i32 %r32, 1
	%r74 = call i32 @llvm.umin.i32(i32 %r5, i32 %r73)
	%r75 = sub i32 %r73, %r74
	%r76 = and i32 %r75, 31
	%r77 = shl i32 %r76, 2
	%r78 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r77, i32 %r5)
	%p5 = icmp ne i32 %r35, %r72
	%r79 = zext i1 %p5 to i32
	%r80 = add i32 %r69, %r79
	%r81 = sub i32 %r73, %r5
	%p6 = icmp ne i32 %r78, %r81
	%r82 = zext i1 %p6 to i32
	%p7 = icmp ult i32 %r5, %r32
	%r83 = zext i1 %p7 to i32
	%r84 = mul i32 %r82, %r83
	%r85 = add i32 %r80, %r84
	%r86 = sub i32 %r5, 1
	%r87 = and i32 %r86, 31
	%r88 = shl i32 %r87, 2
	%r89 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r88, i32 %r5)
	%r90 = add i32 %r5, 1
	%r91 = and i32 %r90, 31
	%r92 = shl i32 %r91, 2
	%r93 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r92, i32 %r5)
	%r94 = xor i32 %r5, 1
	%r95 = and i32 %r94, 31
	%r96 = shl i32 %r95, 2
	%r97 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r96, i32 %r5)
	%p8 = icmp ne i32 %r5, 0
	%r98 = sub i32 %r5, 1
	%p9 = icmp ne i32 %r89, %r98
	%p10 = and i1 %p8, %p9
	%r99 = zext i1 %p10 to i32
	%r100 = add i32 %r85, %r99
	%r101 = add i32 %r5, 1
	%p11 = icmp ult i32 %r101, %r32
	%p12 = icmp ne i32 %r93, %r101
	%p13 = and i1 %p11, %p12
	%r102 = zext i1 %p13 to i32
	%r103 = add i32 %r100, %r102
	%r104 = xor i32 %r5, 1
	%p14 = icmp ult i32 %r104, %r32
	%p15 = icmp ne i32 %r97, %r104
	%p16 = and i1 %p14, %p15
	%r105 = zext i1 %p16 to i32
	%r106 = add i32 %r103, %r105
	%r107 = xor i32 %r5, 16
	%r108 = and i32 %r107, 31
	%r109 = shl i32 %r108, 2
	%r110 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r109, i32 1)
	%r111 = mul i32 1, %r110
	%r112 = xor i32 %r5, 8
	%r113 = and i32 %r112, 31
	%r114 = shl i32 %r113, 2
	%r115 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r114, i32 %r111)
	%r116 = mul i32 %r111, %r115
	%r117 = xor i32 %r5, 4
	%r118 = and i32 %r117, 31
	%r119 = shl i32 %r118, 2
	%r120 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r119, i32 %r116)
	%r121 = mul i32 %r116, %r120
	%r122 = xor i32 %r5, 2
	%r123 = and i32 %r122, 31
	%r124 = shl i32 %r123, 2
	%r125 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r124, i32 %r121)
	%r126 = mul i32 %r121, %r125
	%r127 = xor i32 %r5, 1
	%r128 = and i32 %r127, 31
	%r129 = shl i32 %r128, 2
	%r130 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r129, i32 %r126)
	%r131 = mul i32 %r126, %r130
	%p17 = icmp ne i32 %r131, 1
	%r132 = zext i1 %p17 to i32
	%r133 = add i32 %r106, %r132
	%r134 = xor i32 %r5, 16
	%r135 = and i32 %r134, 31
	%r136 = shl i32 %r135, 2
	%r137 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r136, i32 %r35)
	%r138 = and i32 %r35, %r137
	%r139 = xor i32 %r5, 8
	%r140 = and i32 %r139, 31
	%r141 = shl i32 %r140, 2
	%r142 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r141, i32 %r138)
	%r143 = and i32 %r138, %r142
	%r144 = xor i32 %r5, 4
	%r145 = and i32 %r144, 31
	%r146 = shl i32 %r145, 2
	%r147 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r146, i32 %r143)
	%r148 = and i32 %r143, %r147
	%r149 = xor i32 %r5, 2
	%r150 = and i32 %r149, 31
	%r151 = shl i32 %r150, 2
	%r152 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r151, i32 %r148)
	%r153 = and i32 %r148, %r152
	%r154 = xor i32 %r5, 1
	%r155 = and i32 %r154, 31
	%r156 = shl i32 %r155, 2
	%r157 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r156, i32 %r153)
	%r158 = and i32 %r153, %r157
	%r159 = and i32 %r35, %r158
	%r160 = xor i32 %r5, 16
	%r161 = and i32 %r160, 31
	%r162 = shl i32 %r161, 2
	%r163 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r162, i32 %r35)
	%r164 = and i32 %r35, %r163
	%r165 = xor i32 %r5, 8
	%r166 = and i32 %r165, 31
	%r167 = shl i32 %r166, 2
	%r168 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r167, i32 %r164)
	%r169 = and i32 %r164, %r168
	%r170 = xor i32 %r5, 4
	%r171 = and i32 %r170, 31
	%r172 = shl i32 %r171, 2
	%r173 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r172, i32 %r169)
	%r174 = and i32 %r169, %r173
	%r175 = xor i32 %r5, 2
	%r176 = and i32 %r175, 31
	%r177 = shl i32 %r176, 2
	%r178 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r177, i32 %r174)
	%r179 = and i32 %r174, %r178
	%r180 = xor i32 %r5, 1
	%r181 = and i32 %r180, 31
	%r182 = shl i32 %r181, 2
	%r183 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r182, i32 %r179)
	%r184 = and i32 %r179, %r183
	%p18 = icmp ne i32 %r159, %r184
	%r185 = zext i1 %p18 to i32
	%r186 = add i32 %r133, %r185
	%r187 = xor i32 %r5, 16
	%r188 = and i32 %r187, 31
	%r189 = shl i32 %r188, 2
	%r190 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r189, i32 %r35)
	%r191 = or i32 %r35, %r190
	%r192 = xor i32 %r5, 8
	%r193 = and i32 %r192, 31
	%r194 = shl i32 %r193, 2
	%r195 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r194, i32 %r191)
	%r196 = or i32 %r191, %r195
	%r197 = xor i32 %r5, 4
	%r198 = and i32 %r197, 31
	%r199 = shl i32 %r198, 2
	%r200 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r199, i32 %r196)
	%r201 = or i32 %r196, %r200
	%r202 = xor i32 %r5, 2
	%r203 = and i32 %r202, 31
	%r204 = shl i32 %r203, 2
	%r205 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r204, i32 %r201)
	%r206 = or i32 %r201, %r205
	%r207 = xor i32 %r5, 1
	%r208 = and i32 %r207, 31
	%r209 = shl i32 %r208, 2
	%r210 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r209, i32 %r206)
	%r211 = or i32 %r206, %r210
	%r212 = or i32 %r35, %r211
	%r213 = xor i32 %r5, 16
	%r214 = and i32 %r213, 31
	%r215 = shl i32 %r214, 2
	%r216 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r215, i32 %r35)
	%r217 = or i32 %r35, %r216
	%r218 = xor i32 %r5, 8
	%r219 = and i32 %r218, 31
	%r220 = shl i32 %r219, 2
	%r221 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r220, i32 %r217)
	%r222 = or i32 %r217, %r221
	%r223 = xor i32 %r5, 4
	%r224 = and i32 %r223, 31
	%r225 = shl i32 %r224, 2
	%r226 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r225, i32 %r222)
	%r227 = or i32 %r222, %r226
	%r228 = xor i32 %r5, 2
	%r229 = and i32 %r228, 31
	%r230 = shl i32 %r229, 2
	%r231 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r230, i32 %r227)
	%r232 = or i32 %r227, %r231
	%r233 = xor i32 %r5, 1
	%r234 = and i32 %r233, 31
	%r235 = shl i32 %r234, 2
	%r236 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r235, i32 %r232)
	%r237 = or i32 %r232, %r236
	%p19 = icmp ne i32 %r212, %r237
	%r238 = zext i1 %p19 to i32
	%r239 = add i32 %r186, %r238
	%r240 = xor i32 %r5, 16
	%r241 = and i32 %r240, 31
	%r242 = shl i32 %r241, 2
	%r243 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r242, i32 1)
	%r244 = xor i32 1, %r243
	%r245 = xor i32 %r5, 8
	%r246 = and i32 %r245, 31
	%r247 = shl i32 %r246, 2
	%r248 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r247, i32 %r244)
	%r249 = xor i32 %r244, %r248
	%r250 = xor i32 %r5, 4
	%r251 = and i32 %r250, 31
	%r252 = shl i32 %r251, 2
	%r253 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r252, i32 %r249)
	%r254 = xor i32 %r249, %r253
	%r255 = xor i32 %r5, 2
	%r256 = and i32 %r255, 31
	%r257 = shl i32 %r256, 2
	%r258 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r257, i32 %r254)
	%r259 = xor i32 %r254, %r258
	%r260 = xor i32 %r5, 1
	%r261 = and i32 %r260, 31
	%r262 = shl i32 %r261, 2
	%r263 = call i32 @llvm.amdgcn.ds.bpermute(i32 %r262, i32 %r259)
	%r264 = xor i32 %r259, %r263
	%r265 = and i32 %r32, 1
	%p20 = icmp ne i32 %r264, %r265
	%r266 = zext i1 %p20 to i32
	%r267 = add i32 %r239, %r266
	%p21 = icmp ult i32 %r4, %r7
	br i1 %p21, label %b4, label %b3

b4:
	%t4 = zext i32 %r4 to i64
	%t5 = zext i32 4 to i64
	%d3 = mul i64 %t4, %t5
	%t6 = getelementptr i8, ptr addrspace(1) %d4, i64 %d3
	store i32 %r267, ptr addrspace(1) %t6, align 4
	br label %b3

b3:
	%r268 = xor i32 %r35, 1
	%p22 = icmp ult i32 %r4, %r6
	br i1 %p22, label %b7, label %b6

b7:
	%t7 = zext i32 %r4 to i64
	%t8 = zext i32 8 to i64
	%d5 = mul i64 %t7, %t8
	%t9 = getelementptr i8, ptr addrspace(1) %d6, i64 %d5
	%t10 = insertelement <2 x i32> poison, i32 %r72, i32 0
	%t11 = insertelement <2 x i32> %t10, i32 %r268, i32 1
	store <2 x i32> %t11, ptr addrspace(1) %t9, align 8
	br label %b6

b6:
	ret void
}

declare i32 @llvm.amdgcn.workgroup.id.x()

declare i32 @llvm.amdgcn.workitem.id.x()

declare i32 @llvm.amdgcn.mbcnt.lo(i32 %0, i32 %1)

declare i32 @llvm.amdgcn.ds.bpermute(i32 %0, i32 %1)

declare i32 @llvm.amdgcn.readfirstlane.i32(i32 %0)

declare i32 @llvm.umin.i32(i32 %0, i32 %1)

declare i32 @llvm.amdgcn.readlane.i32(i32 %0, i32 %1)

attributes #0 = { norecurse nounwind "target-cpu"="gfx1100" "target-features"="+wavefrontsize32" "amdgpu-flat-work-group-size"="64,64" "uniform-work-group-size"="true" "amdgpu-no-workitem-id-y" "amdgpu-no-workgroup-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-workgroup-id-z" "amdgpu-no-implicitarg-ptr" "amdgpu-no-dispatch-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-queue-ptr" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-lds-kernel-id" }
attributes #1 = { norecurse nounwind "target-cpu"="gfx1100" "target-features"="+wavefrontsize32" "amdgpu-no-workitem-id-x" "amdgpu-no-workgroup-id-x" "amdgpu-no-workitem-id-y" "amdgpu-no-workgroup-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-workgroup-id-z" "amdgpu-no-implicitarg-ptr" "amdgpu-no-dispatch-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-queue-ptr" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-lds-kernel-id" }

!llvm.ident = !{!3}
!llvm.module.flags = !{!0}

!0 = !{i32 1, !"amdhsa_code_object_version", i32 500}
!1 = !{}
!2 = !{float 2.5}
!3 = !{!"gpuc's LLVM IR"}
