; LLVM IR written by gpuc for gfx1100
target triple = "amdgcn-amd-amdhsa"

define protected amdgpu_kernel void @main(ptr addrspace(1) noalias readonly align 16 %binding_0, ptr addrspace(1) noalias readonly align 16 %binding_1, ptr addrspace(1) noalias align 16 %binding_2, ptr addrspace(1) noalias align 16 %binding_3, ptr addrspace(1) noalias align 16 %binding_4, i32 %length_0, i32 %length_1, i32 %length_2, i32 %length_3, i32 %length_4) #0 {
begin:
	br label %b1

b1:
	%r1 = call i32 @llvm.amdgcn.workgroup.id.x()
	%r2 = mul i32 %r1, 16
	%r3 = call i32 @llvm.amdgcn.workitem.id.x()
	%r4 = add i32 %r2, %r3
	%r5 = add i32 %length_1, 0
	%r7 = add i32 %length_4, 0
	%r8 = add i32 %length_3, 0
	%r9 = add i32 %length_2, 0
	%r10 = add i32 %length_0, 0
	%d2 = getelementptr i8, ptr addrspace(1) %binding_0, i64 0
	%d4 = getelementptr i8, ptr addrspace(1) %binding_1, i64 0
	%d6 = getelementptr i8, ptr addrspace(1) %binding_2, i64 0
	%d8 = getelementptr i8, ptr addrspace(1) %binding_3, i64 0
	%d9 = getelementptr i8, ptr addrspace(1) %binding_4, i64 0
	%r6 = sub i32 %r5, 1
	%p1 = icmp uge i32 %r4, %r10
	br i1 %p1, label %b4, label %b3

b4:
	ret void

b3:
	%t1 = zext i32 %r4 to i64
	%t2 = zext i32 16 to i64
	%d1 = mul i64 %t1, %t2
	%t3 = getelementptr i8, ptr addrspace(1) %d2, i64 %d1
	%t4 = load <4 x float>, ptr addrspace(1) %t3, align 16, !invariant.load !1
	%r11 = extractelement <4 x float> %t4, i32 0
	%r12 = extractelement <4 x float> %t4, i32 1
	%r13 = extractelement <4 x float> %t4, i32 2
	%r14 = extractelement <4 x float> %t4, i32 3
	%r15 = call i32 @llvm.umin.i32(i32 %r4, i32 %r6)
	%t5 = zext i32 %r15 to i64
	%t6 = zext i32 4 to i64
	%d3 = mul i64 %t5, %t6
	%t7 = getelementptr i8, ptr addrspace(1) %d4, i64 %d3
	%r16 = load i32, ptr addrspace(1) %t7, align 4, !invariant.load !1
	%t8 = add i32 0, 0
	%t9 = add i32 11, 0
	%t10 = and i32 %t8, 31
	%t11 = sub i32 32, %t9
	%t12 = and i32 %t11, 31
	%t13 = icmp eq i32 %t9, 0
	%t14 = lshr i32 %r16, %t10
	%t15 = shl i32 %t14, %t12
	%t16 = ashr i32 %t15, %t12
	%r17 = select i1 %t13, i32 0, i32 %t16
	%r18 = call float @llvm.maxnum.f32(float %r11, float 0xBFF0000000000000)
	%r19 = call float @llvm.minnum.f32(float %r18, float 0x3FF0000000000000)
	%r20 = fmul float %r19, 0x405FC00000000000
	%r21 = fadd float %r20, 0x3FE0000000000000
	%r22 = call float @llvm.floor.f32(float %r21)
	%r23 = fsub float 0x3FE0000000000000, %r22
	%r24 = call float @llvm.fma.f32(float %r19, float 0x405FC00000000000, float %r23)
	%p2 = fcmp olt float %r24, 0x0000000000000000
	%r25 = fsub float %r22, 0x3FF0000000000000
	%r26 = select i1 %p2, float %r25, float %r22
	%t17 = call i32 @llvm.fptosi.sat.i32.f32(float %r26)
	%r27 = call i32 @llvm.smin.i32(i32 %t17, i32 2147483520)
	%r28 = and i32 %r27, 255
	%r29 = call float @llvm.maxnum.f32(float %r12, float 0xBFF0000000000000)
	%r30 = call float @llvm.minnum.f32(float %r29, float 0x3FF0000000000000)
	%r31 = fmul float %r30, 0x405FC00000000000
	%r32 = fadd float %r31, 0x3FE0000000000000
	%r33 = call float @llvm.floor.f32(float %r32)
	%r34 = fsub float 0x3FE0000000000000, %r33
	%r35 = call float @llvm.fma.f32(float %r30, float 0x405FC00000000000, float %r34)
	%p3 = fcmp olt float %r35, 0x0000000000000000
	%r36 = fsub float %r33, 0x3FF0000000000000
	%r37 = select i1 %p3, float %r36, float %r33
	%t18 = call i32 @llvm.fptosi.sat.i32.f32(float %r37)
	%r38 = call i32 @llvm.smin.i32(i32 %t18, i32 2147483520)
	%r39 = and i32 %r38, 255
	%r40 = shl i32 %r39, 8
	%r41 = or i32 %r28, %r40
	%r42 = call float @llvm.maxnum.f32(float %r13, float 0xBFF0000000000000)
	%r43 = call float @llvm.minnum.f32(float %r42, float 0x3FF0000000000000)
	%r44 = fmul float %r43, 0x405FC00000000000
	%r45 = fadd float %r44, 0x3FE0000000000000
	%r46 = call float @llvm.floor.f32(float %r45)
	%r47 = fsub float 0x3FE0000000000000, %r46
	%r48 = call float @llvm.fma.f32(float %r43, float 0x405FC00000000000, float %r47)
	%p4 = fcmp olt float %r48, 0x0000000000000000
	%r49 = fsub float %r46, 0x3FF0000000000000
	%r50 = select i1 %p4, float %r49, float %r46
	%t19 = call i32 @llvm.fptosi.sat.i32.f32(float %r50)
	%r51 = call i32 @llvm.smin.i32(i32 %t19, i32 2147483520)
	%r52 = and i32 %r51, 255
	%r53 = shl i32 %r52, 16
	%r54 = or i32 %r41, %r53
	%r55 = call float @llvm.maxnum.f32(float %r14, float 0xBFF0000000000000)
	%r56 = call float @llvm.minnum.f32(float %r55, float 0x3FF0000000000000)
	%r57 = fmul float %r56, 0x405FC00000000000
	%r58 = fadd float %r57, 0x3FE0000000000000
	%r59 = call float @llvm.floor.f32(float %r58)
	%r60 = fsub float 0x3FE0000000000000, %r59
	%r61 = call float @llvm.fma.f32(float %r56, float 0x405FC00000000000, float %r60)
	%p5 = fcmp olt float %r61, 0x0000000000000000
	%r62 = fsub float %r59, 0x3FF0000000000000
	%r63 = select i1 %p5, float %r62, float %r59
	%t20 = call i32 @llvm.fptosi.sat.i32.f32(float %r63)
	%r64 = call i32 @llvm.smin.i32(i32 %t20, i32 2147483520)
	%r65 = shl i32 %r64, 24
	%r66 = or i32 %r54, %r65
	%r67 = call float @llvm.maxnum.f32(float %r11, float 0x0000000000000000)
	%r68 = call float @llvm.minnum.f32(float %r67, float 0x3FF0000000000000)
	%r69 = fmul float %r68, 0x406FE00000000000
	%r70 = fadd float %r69, 0x3FE0000000000000
	%r71 = call float @llvm.floor.f32(float %r70)
	%r72 = fsub float 0x3FE0000000000000, %r71
	%r73 = call float @llvm.fma.f32(float %r68, float 0x406FE00000000000, float %r72)
	%p6 = fcmp olt float %r73, 0x0000000000000000
	%r74 = fsub float %r71, 0x3FF0000000000000
	%r75 = select i1 %p6, float %r74, float %r71
	%t21 = call i32 @llvm.fptoui.sat.i32.f32(float %r75)
	%r76 = call i32 @llvm.umin.i32(i32 %t21, i32 -256)
	%r77 = call float @llvm.maxnum.f32(float %r12, float 0x0000000000000000)
	%r78 = call float @llvm.minnum.f32(float %r77, float 0x3FF0000000000000)
	%r79 = fmul float %r78, 0x406FE00000000000
	%r80 = fadd float %r79, 0x3FE0000000000000
	%r81 = call float @llvm.floor.f32(float %r80)
	%r82 = fsub float 0x3FE0000000000000, %r81
	%r83 = call float @llvm.fma.f32(float %r78, float 0x406FE00000000000, float %r82)
	%p7 = fcmp olt float %r83, 0x0000000000000000
	%r84 = fsub float %r81, 0x3FF0000000000000
	%r85 = select i1 %p7, float %r84, float %r81
	%t22 = call i32 @llvm.fptoui.sat.i32.f32(float %r85)
	%r86 = call i32 @llvm.umin.i32(i32 %t22, i32 -256)
	%r87 = shl i32 %r86, 8
	%r88 = or i32 %r76, %r87
	%r89 = call float @llvm.maxnum.f32(float %r13, float 0x0000000000000000)
	%r90 = call float @llvm.minnum.f32(float %r89, float 0x3FF0000000000000)
	%r91 = fmul float %r90, 0x406FE00000000000
	%r92 = fadd float %r91, 0x3FE0000000000000
	%r93 = call float @llvm.floor.f32(float %r92)
	%r94 = fsub float 0x3FE0000000000000, %r93
	%r95 = call float @llvm.fma.f32(float %r90, float 0x406FE00000000000, float %r94)
	%p8 = fcmp olt float %r95, 0x0000000000000000
	%r96 = fsub float %r93, 0x3FF0000000000000
	%r97 = select i1 %p8, float %r96, float %r93
	%t23 = call i32 @llvm.fptoui.sat.i32.f32(float %r97)
	%r98 = call i32 @llvm.umin.i32(i32 %t23, i32 -256)
	%r99 = shl i32 %r98, 16
	%r100 = or i32 %r88, %r99
	%r101 = call float @llvm.maxnum.f32(float %r14, float 0x0000000000000000)
	%r102 = call float @llvm.minnum.f32(float %r101, float 0x3FF0000000000000)
	%r103 = fmul float %r102, 0x406FE00000000000
	%r104 = fadd float %r103, 0x3FE0000000000000
	%r105 = call float @llvm.floor.f32(float %r104)
	%r106 = fsub float 0x3FE0000000000000, %r105
	%r107 = call float @llvm.fma.f32(float %r102, float 0x406FE00000000000, float %r106)
	%p9 = fcmp olt float %r107, 0x0000000000000000
	%r108 = fsub float %r105, 0x3FF0000000000000
	%r109 = select i1 %p9, float %r108, float %r105
	%t24 = call i32 @llvm.fptoui.sat.i32.f32(float %r109)
	%r110 = call i32 @llvm.umin.i32(i32 %t24, i32 -256)
	%r111 = shl i32 %r110, 24
	%r112 = or i32 %r100, %r111
	%r113 = call float @llvm.maxnum.f32(float %r11, float 0xBFF0000000000000)
	%r114 = call float @llvm.minnum.f32(float %r113, float 0x3FF0000000000000)
	%r115 = fmul float %r114, 0x40DFFFC000000000
	%r116 = fadd float %r115, 0x3FE0000000000000
	%r117 = call float @llvm.floor.f32(float %r116)
	%r118 = fsub float 0x3FE0000000000000, %r117
	%r119 = call float @llvm.fma.f32(float %r114, float 0x40DFFFC000000000, float %r118)
	%p10 = fcmp olt float %r119, 0x0000000000000000
	%r120 = fsub float %r117, 0x3FF0000000000000
	%r121 = select i1 %p10, float %r120, float %r117
	%t25 = call i32 @llvm.fptosi.sat.i32.f32(float %r121)
	%r122 = call i32 @llvm.smin.i32(i32 %t25, i32 2147483520)
	%r123 = and i32 %r122, 65535
	%r124 = call float @llvm.maxnum.f32(float %r12, float 0xBFF0000000000000)
	%r125 = call float @llvm.minnum.f32(float %r124, float 0x3FF0000000000000)
	%r126 = fmul float %r125, 0x40DFFFC000000000
	%r127 = fadd float %r126, 0x3FE0000000000000
	%r128 = call float @llvm.floor.f32(float %r127)
	%r129 = fsub float 0x3FE0000000000000, %r128
	%r130 = call float @llvm.fma.f32(float %r125, float 0x40DFFFC000000000, float %r129)
	%p11 = fcmp olt float %r130, 0x0000000000000000
	%r131 = fsub float %r128, 0x3FF0000000000000
	%r132 = select i1 %p11, float %r131, float %r128
	%t26 = call i32 @llvm.fptosi.sat.i32.f32(float %r132)
	%r133 = call i32 @llvm.smin.i32(i32 %t26, i32 2147483520)
	%r134 = shl i32 %r133, 16
	%r135 = or i32 %r123, %r134
	%r136 = call float @llvm.maxnum.f32(float %r13, float 0x0000000000000000)
	%r137 = call float @llvm.minnum.f32(float %r136, float 0x3FF0000000000000)
	%r138 = fmul float %r137, 0x40EFFFE000000000
	%r139 = fadd float %r138, 0x3FE0000000000000
	%r140 = call float @llvm.floor.f32(float %r139)
	%r141 = fsub float 0x3FE0000000000000, %r140
	%r142 = call float @llvm.fma.f32(float %r137, float 0x40EFFFE000000000, float %r141)
	%p12 = fcmp olt float %r142, 0x0000000000000000
	%r143 = fsub float %r140, 0x3FF0000000000000
	%r144 = select i1 %p12, float %r143, float %r140
	%t27 = call i32 @llvm.fptoui.sat.i32.f32(float %r144)
	%r145 = call i32 @llvm.umin.i32(i32 %t27, i32 -256)
	%r146 = call float @llvm.maxnum.f32(float %r14, float 0x0000000000000000)
	%r147 = call float @llvm.minnum.f32(float %r146, float 0x3FF0000000000000)
	%r148 = fmul float %r147, 0x40EFFFE000000000
	%r149 = fadd float %r148, 0x3FE0000000000000
	%r150 = call float @llvm.floor.f32(float %r149)
	%r151 = fsub float 0x3FE0000000000000, %r150
	%r152 = call float @llvm.fma.f32(float %r147, float 0x40EFFFE000000000, float %r151)
	%p13 = fcmp olt float %r152, 0x0000000000000000
	%r153 = fsub float %r150, 0x3FF0000000000000
	%r154 = select i1 %p13, float %r153, float %r150
	%t28 = call i32 @llvm.fptoui.sat.i32.f32(float %r154)
	%r155 = call i32 @llvm.umin.i32(i32 %t28, i32 -256)
	%r156 = shl i32 %r155, 16
	%r157 = or i32 %r145, %r156
	%r158 = fmul float %r12, 0x4020000000000000
	%r159 = fmul float %r13, 0x4020000000000000
	%t29 = fptrunc float %r158 to half
	%t30 = fptrunc float %r159 to half
	%t31 = bitcast half %t29 to i16
	%t32 = bitcast half %t30 to i16
	%t33 = zext i16 %t31 to i32
	%t34 = zext i16 %t32 to i32
	%t35 = shl i32 %t34, 16
	%r160 = or i32 %t33, %t35
	%r161 = and i32 %r17, 255
	%r162 = and i32 -200, 255
	%r163 = shl i32 %r162, 8
	%r164 = or i32 %r161, %r163
	%r165 = and i32 200, 255
	%r166 = shl i32 %r165, 16
	%r167 = or i32 %r164, %r166
	%r168 = shl i32 %r16, 24
	%r169 = or i32 %r167, %r168
	%r170 = and i32 %r17, 255
	%r171 = and i32 -200, 255
	%r172 = shl i32 %r171, 8
	%r173 = or i32 %r170, %r172
	%r174 = and i32 200, 255
	%r175 = shl i32 %r174, 16
	%r176 = or i32 %r173, %r175
	%r177 = shl i32 %r16, 24
	%r178 = or i32 %r176, %r177
	%r179 = call i32 @llvm.smax.i32(i32 %r17, i32 -128)
	%r180 = call i32 @llvm.smin.i32(i32 %r179, i32 127)
	%r181 = and i32 %r180, 255
	%r182 = call i32 @llvm.smax.i32(i32 -200, i32 -128)
	%r183 = call i32 @llvm.smin.i32(i32 %r182, i32 127)
	%r184 = and i32 %r183, 255
	%r185 = shl i32 %r184, 8
	%r186 = or i32 %r181, %r185
	%r187 = call i32 @llvm.smax.i32(i32 200, i32 -128)
	%r188 = call i32 @llvm.smin.i32(i32 %r187, i32 127)
	%r189 = and i32 %r188, 255
	%r190 = shl i32 %r189, 16
	%r191 = or i32 %r186, %r190
	%r192 = call i32 @llvm.smax.i32(i32 %r16, i32 -128)
	%r193 = call i32 @llvm.smin.i32(i32 %r192, i32 127)
	%r194 = shl i32 %r193, 24
	%r195 = or i32 %r191, %r194
	%r196 = and i32 %r17, 511
	%r197 = and i32 %r16, 511
	%r198 = call i32 @llvm.umin.i32(i32 %r196, i32 255)
	%r199 = call i32 @llvm.umin.i32(i32 312, i32 255)
	%r200 = shl i32 %r199, 8
	%r201 = or i32 %r198, %r200
	%r202 = call i32 @llvm.umin.i32(i32 200, i32 255)
	%r203 = shl i32 %r202, 16
	%r204 = or i32 %r201, %r203
	%r205 = call i32 @llvm.umin.i32(i32 %r197, i32 255)
	%r206 = shl i32 %r205, 24
	%r207 = or i32 %r204, %r206
	%p14 = icmp ult i32 %r4, %r9
	br i1 %p14, label %b7, label %b6

b7:
	%t36 = zext i32 %r4 to i64
	%t37 = zext i32 36 to i64
	%d5 = mul i64 %t36, %t37
	%t38 = getelementptr i8, ptr addrspace(1) %d6, i64 %d5
	store i32 %r66, ptr addrspace(1) %t38, align 4
	%t39 = getelementptr i8, ptr addrspace(1) %d6, i64 %d5
	%t40 = getelementptr i8, ptr addrspace(1) %t39, i64 4
	store i32 %r112, ptr addrspace(1) %t40, align 4
	%t41 = getelementptr i8, ptr addrspace(1) %d6, i64 %d5
	%t42 = getelementptr i8, ptr addrspace(1) %t41, i64 8
	store i32 %r135, ptr addrspace(1) %t42, align 4
	%t43 = getelementptr i8, ptr addrspace(1) %d6, i64 %d5
	%t44 = getelementptr i8, ptr addrspace(1) %t43, i64 12
	store i32 %r157, ptr addrspace(1) %t44, align 4
	%t45 = getelementptr i8, ptr addrspace(1) %d6, i64 %d5
	%t46 = getelementptr i8, ptr addrspace(1) %t45, i64 16
	store i32 %r160, ptr addrspace(1) %t46, align 4
	%t47 = getelementptr i8, ptr addrspace(1) %d6, i64 %d5
	%t48 = getelementptr i8, ptr addrspace(1) %t47, i64 20
	store i32 %r169, ptr addrspace(1) %t48, align 4
	%t49 = getelementptr i8, ptr addrspace(1) %d6, i64 %d5
	%t50 = getelementptr i8, ptr addrspace(1) %t49, i64 24
	store i32 %r178, ptr addrspace(1) %t50, align 4
	%t51 = getelementptr i8, ptr addrspace(1) %d6, i64 %d5
	%t52 = getelementptr i8, ptr addrspace(1) %t51, i64 28
	store i32 %r195, ptr addrspace(1) %t52, align 4
	%t53 = getelementptr i8, ptr addrspace(1) %d6, i64 %d5
	%t54 = getelementptr i8, ptr addrspace(1) %t53, i64 32
	store i32 %r207, ptr addrspace(1) %t54, align 4
	br label %b6

b6:
	%r208 = shl i32 %r16, 24
	%r209 = ashr i32 %r208, 24
	%r210 = sitofp i32 %r209 to float
	%r211 = fdiv float %r210, 0x405FC00000000000, !fpmath !2
	%r212 = call float @llvm.maxnum.f32(float %r211, float 0xBFF0000000000000)
	%r213 = shl i32 %r16, 16
	%r214 = ashr i32 %r213, 24
	%r215 = sitofp i32 %r214 to float
	%r216 = fdiv float %r215, 0x405FC00000000000, !fpmath !2
	%r217 = call float @llvm.maxnum.f32(float %r216, float 0xBFF0000000000000)
	%r218 = shl i32 %r16, 8
	%r219 = ashr i32 %r218, 24
	%r220 = sitofp i32 %r219 to float
	%r221 = fdiv float %r220, 0x405FC00000000000, !fpmath !2
	%r222 = call float @llvm.maxnum.f32(float %r221, float 0xBFF0000000000000)
	%r223 = ashr i32 %r16, 24
	%r224 = sitofp i32 %r223 to float
	%r225 = fdiv float %r224, 0x405FC00000000000, !fpmath !2
	%r226 = call float @llvm.maxnum.f32(float %r225, float 0xBFF0000000000000)
	%r227 = and i32 %r16, 255
	%r228 = uitofp i32 %r227 to float
	%r229 = fdiv float %r228, 0x406FE00000000000, !fpmath !2
	%r230 = lshr i32 %r16, 8
	%r231 = and i32 %r230, 255
	%r232 = uitofp i32 %r231 to float
	%r233 = fdiv float %r232, 0x406FE00000000000, !fpmath !2
	%r234 = lshr i32 %r16, 16
	%r235 = and i32 %r234, 255
	%r236 = uitofp i32 %r235 to float
	%r237 = fdiv float %r236, 0x406FE00000000000, !fpmath !2
	%r238 = lshr i32 %r16, 24
	%r239 = uitofp i32 %r238 to float
	%r240 = fdiv float %r239, 0x406FE00000000000, !fpmath !2
	%r241 = ashr i32 %r213, 16
	%r242 = sitofp i32 %r241 to float
	%r243 = fdiv float %r242, 0x40DFFFC000000000, !fpmath !2
	%r244 = call float @llvm.maxnum.f32(float %r243, float 0xBFF0000000000000)
	%r245 = ashr i32 %r16, 16
	%r246 = sitofp i32 %r245 to float
	%r247 = fdiv float %r246, 0x40DFFFC000000000, !fpmath !2
	%r248 = call float @llvm.maxnum.f32(float %r247, float 0xBFF0000000000000)
	%r249 = and i32 %r16, 65535
	%r250 = uitofp i32 %r249 to float
	%r251 = fdiv float %r250, 0x40EFFFE000000000, !fpmath !2
	%r252 = uitofp i32 %r234 to float
	%r253 = fdiv float %r252, 0x40EFFFE000000000, !fpmath !2
	%r254 = and i32 %r16, 2080340991
	%t55 = trunc i32 %r254 to i16
	%t56 = bitcast i16 %t55 to half
	%t57 = lshr i32 %r254, 16
	%t58 = trunc i32 %t57 to i16
	%t59 = bitcast i16 %t58 to half
	%r255 = fpext half %t56 to float
	%r256 = fpext half %t59 to float
	%r257 = and i32 %r16, -2080423937
	%t60 = trunc i32 %r257 to i16
	%t61 = bitcast i16 %t60 to half
	%t62 = lshr i32 %r257, 16
	%t63 = trunc i32 %t62 to i16
	%t64 = bitcast i16 %t63 to half
	%r258 = fpext half %t61 to float
	%r259 = fpext half %t64 to float
	%p15 = icmp ult i32 %r4, %r8
	br i1 %p15, label %b10, label %b9

b10:
	%t65 = zext i32 %r4 to i64
	%t66 = zext i32 64 to i64
	%d7 = mul i64 %t65, %t66
	%t67 = getelementptr i8, ptr addrspace(1) %d8, i64 %d7
	%t68 = insertelement <4 x float> poison, float %r212, i32 0
	%t69 = insertelement <4 x float> %t68, float %r217, i32 1
	%t70 = insertelement <4 x float> %t69, float %r222, i32 2
	%t71 = insertelement <4 x float> %t70, float %r226, i32 3
	store <4 x float> %t71, ptr addrspace(1) %t67, align 16
	%t72 = getelementptr i8, ptr addrspace(1) %d8, i64 %d7
	%t73 = getelementptr i8, ptr addrspace(1) %t72, i64 16
	%t74 = insertelement <4 x float> poison, float %r229, i32 0
	%t75 = insertelement <4 x float> %t74, float %r233, i32 1
	%t76 = insertelement <4 x float> %t75, float %r237, i32 2
	%t77 = insertelement <4 x float> %t76, float %r240, i32 3
	store <4 x float> %t77, ptr addrspace(1) %t73, align 16
	%t78 = getelementptr i8, ptr addrspace(1) %d8, i64 %d7
	%t79 = getelementptr i8, ptr addrspace(1) %t78, i64 32
	%t80 = insertelement <4 x float> poison, float %r244, i32 0
	%t81 = insertelement <4 x float> %t80, float %r248, i32 1
	%t82 = insertelement <4 x float> %t81, float %r251, i32 2
	%t83 = insertelement <4 x float> %t82, float %r253, i32 3
	store <4 x float> %t83, ptr addrspace(1) %t79, align 16
	%t84 = getelementptr i8, ptr addrspace(1) %d8, i64 %d7
	%t85 = getelementptr i8, ptr addrspace(1) %t84, i64 48
	%t86 = insertelement <4 x float> poison, float %r255, i32 0
	%t87 = insertelement <4 x float> %t86, float %r256, i32 1
	%t88 = insertelement <4 x float> %t87, float %r258, i32 2
	%t89 = insertelement <4 x float> %t88, float %r259, i32 3
	store <4 x float> %t89, ptr addrspace(1) %t85, align 16
	br label %b9

b9:
	%r260 = mul i32 %r209, 1000
	%r261 = mul i32 %r214, 1000
	%r262 = mul i32 %r219, 1000
	%r263 = mul i32 %r223, 1000
	%r264 = add i32 %r260, %r227
	%r265 = add i32 %r261, %r231
	%r266 = add i32 %r262, %r235
	%r267 = add i32 %r263, %r238
	%p16 = icmp ult i32 %r4, %r7
	br i1 %p16, label %b13, label %b12

b13:
	%t90 = getelementptr i8, ptr addrspace(1) %d9, i64 %d1
	%t91 = insertelement <4 x i32> poison, i32 %r264, i32 0
	%t92 = insertelement <4 x i32> %t91, i32 %r265, i32 1
	%t93 = insertelement <4 x i32> %t92, i32 %r266, i32 2
	%t94 = insertelement <4 x i32> %t93, i32 %r267, i32 3
	store <4 x i32> %t94, ptr addrspace(1) %t90, align 16
	br label %b12

b12:
	ret void
}

declare i32 @llvm.amdgcn.workgroup.id.x()

declare i32 @llvm.amdgcn.workitem.id.x()

declare i32 @llvm.umin.i32(i32 %0, i32 %1)

declare float @llvm.maxnum.f32(float %0, float %1)

declare float @llvm.minnum.f32(float %0, float %1)

declare float @llvm.floor.f32(float %0)

declare float @llvm.fma.f32(float %0, float %1, float %2)

declare i32 @llvm.fptosi.sat.i32.f32(float %0)

declare i32 @llvm.smin.i32(i32 %0, i32 %1)

declare i32 @llvm.fptoui.sat.i32.f32(float %0)

declare i32 @llvm.smax.i32(i32 %0, i32 %1)

attributes #0 = { norecurse nounwind "target-cpu"="gfx1100" "target-features"="+wavefrontsize32" "amdgpu-flat-work-group-size"="16,16" "uniform-work-group-size"="true" "amdgpu-no-workitem-id-y" "amdgpu-no-workgroup-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-workgroup-id-z" "amdgpu-no-implicitarg-ptr" "amdgpu-no-dispatch-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-queue-ptr" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-lds-kernel-id" }
attributes #1 = { norecurse nounwind "target-cpu"="gfx1100" "target-features"="+wavefrontsize32" "amdgpu-no-workitem-id-x" "amdgpu-no-workgroup-id-x" "amdgpu-no-workitem-id-y" "amdgpu-no-workgroup-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-workgroup-id-z" "amdgpu-no-implicitarg-ptr" "amdgpu-no-dispatch-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-queue-ptr" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-lds-kernel-id" }

!llvm.ident = !{!3}
!llvm.module.flags = !{!0}

!0 = !{i32 1, !"amdhsa_code_object_version", i32 500}
!1 = !{}
!2 = !{float 2.5}
!3 = !{!"gpuc's LLVM IR"}
