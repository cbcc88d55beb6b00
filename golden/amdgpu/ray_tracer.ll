; LLVM IR written by gpuc for gfx1100
target triple = "amdgcn-amd-amdhsa"

define protected amdgpu_kernel void @main(ptr addrspace(1) noalias readonly align 16 %binding_0, ptr addrspace(1) noalias align 16 %binding_1, ptr addrspace(1) noalias align 16 %binding_2, i32 %length_1, i32 %length_2) #0 {
begin:
  br label %b1
b1:
  %r1 = call i32 @llvm.amdgcn.workgroup.id.x()
  %r2 = mul i32 %r1, 8
  %r3 = call i32 @llvm.amdgcn.workitem.id.x()
  %r4 = add i32 %r2, %r3
  %r5 = call i32 @llvm.amdgcn.workgroup.id.y()
  %r6 = mul i32 %r5, 8
  %r7 = call i32 @llvm.amdgcn.workitem.id.y()
  %r8 = add i32 %r6, %r7
  %r9 = add i32 %length_1, 0
  %r10 = add i32 %length_2, 0
  %d1 = getelementptr i8, ptr addrspace(1) %binding_0, i64 0
  %d4 = getelementptr i8, ptr addrspace(1) %binding_2, i64 0
  %d7 = getelementptr i8, ptr addrspace(1) %binding_1, i64 0
  %p1 = icmp uge i32 %r4, 40
  %p2 = icmp uge i32 %r8, 30
  %p3 = or i1 %p1, %p2
  br i1 %p3, label %b4, label %b3
b4:
  ret void
b3:
  %r11 = uitofp i32 %r4 to float
  %r12 = fsub float %r11, 0x4034000000000000
  %r13 = fmul float %r12, 0x3FB0000000000000
  %r14 = uitofp i32 %r8 to float
  %r15 = fsub float 0x402E000000000000, %r14
  %r16 = fmul float %r15, 0x3FB0000000000000
  %t5 = load <4 x float>, ptr addrspace(1) %d1, align 16, !invariant.load !1
  %r17 = extractelement <4 x float> %t5, i32 0
  %r18 = extractelement <4 x float> %t5, i32 1
  %r19 = extractelement <4 x float> %t5, i32 2
  %r20 = extractelement <4 x float> %t5, i32 3
  %t6 = getelementptr i8, ptr addrspace(1) %d1, i64 16
  %t7 = load <4 x float>, ptr addrspace(1) %t6, align 16, !invariant.load !1
  %r21 = extractelement <4 x float> %t7, i32 0
  %r22 = extractelement <4 x float> %t7, i32 1
  %r23 = extractelement <4 x float> %t7, i32 2
  %r24 = extractelement <4 x float> %t7, i32 3
  %t8 = getelementptr i8, ptr addrspace(1) %d1, i64 32
  %t9 = load <4 x float>, ptr addrspace(1) %t8, align 16, !invariant.load !1
  %r25 = extractelement <4 x float> %t9, i32 0
  %r26 = extractelement <4 x float> %t9, i32 1
  %r27 = extractelement <4 x float> %t9, i32 2
  %r28 = extractelement <4 x float> %t9, i32 3
  %t10 = getelementptr i8, ptr addrspace(1) %d1, i64 48
  %t11 = load <4 x float>, ptr addrspace(1) %t10, align 16, !invariant.load !1
  %r29 = extractelement <4 x float> %t11, i32 0
  %r30 = extractelement <4 x float> %t11, i32 1
  %r31 = extractelement <4 x float> %t11, i32 2
  %r32 = extractelement <4 x float> %t11, i32 3
  %r33 = fmul float %r17, 0x0000000000000000
  %r34 = fmul float %r18, 0x0000000000000000
  %r35 = fmul float %r19, 0x0000000000000000
  %r36 = fmul float %r21, 0x0000000000000000
  %r37 = fmul float %r22, 0x0000000000000000
  %r38 = fmul float %r23, 0x0000000000000000
  %r39 = fadd float %r33, %r36
  %r40 = fadd float %r34, %r37
  %r41 = fadd float %r35, %r38
  %r42 = fmul float %r25, 0x0000000000000000
  %r43 = fmul float %r26, 0x0000000000000000
  %r44 = fmul float %r27, 0x0000000000000000
  %r45 = fadd float %r39, %r42
  %r46 = fadd float %r40, %r43
  %r47 = fadd float %r41, %r44
  %r48 = fadd float %r45, %r29
  %r49 = fadd float %r46, %r30
  %r50 = fadd float %r47, %r31
  %r51 = fmul float %r13, %r17
  %r52 = fmul float %r13, %r18
  %r53 = fmul float %r13, %r19
  %r54 = fmul float %r16, %r21
  %r55 = fmul float %r16, %r22
  %r56 = fmul float %r16, %r23
  %r57 = fadd float %r51, %r54
  %r58 = fadd float %r52, %r55
  %r59 = fadd float %r53, %r56
  %r60 = fsub float %r57, %r25
  %r61 = fsub float %r58, %r26
  %r62 = fsub float %r59, %r27
  %r63 = fmul float %r29, 0x0000000000000000
  %r64 = fmul float %r30, 0x0000000000000000
  %r65 = fmul float %r31, 0x0000000000000000
  %r66 = fadd float %r60, %r63
  %r67 = fadd float %r61, %r64
  %r68 = fadd float %r62, %r65
  %r69 = fmul float %r66, %r66
  %r70 = call float @llvm.fma.f32(float %r67, float %r67, float %r69)
  %r71 = call float @llvm.fma.f32(float %r68, float %r68, float %r70)
  %t12 = getelementptr i8, ptr addrspace(1) %d1, i64 76
  %r72 = load i32, ptr addrspace(1) %t12, align 4, !invariant.load !1
  %r73 = fneg float %r71
  br label %b7
b7:
  %p4 = phi i1 [ false, %b3 ], [ %p5, %b8 ]
  %r74 = phi float [ 0x46293E5940000000, %b3 ], [ %r77, %b8 ]
  %r75 = phi i32 [ 0, %b3 ], [ %r78, %b8 ]
  %r76 = phi i32 [ 0, %b3 ], [ %r102, %b8 ]
  %p6 = icmp ult i32 %r76, %r72
  br i1 %p6, label %b9, label %b6
b9:
  %r79 = call i32 @llvm.umin.i32(i32 %r76, i32 3)
  %t13 = zext i32 %r79 to i64
  %t14 = zext i32 32 to i64
  %d2 = mul i64 %t13, %t14
  %t15 = getelementptr i8, ptr addrspace(1) %d1, i64 %d2
  %t16 = getelementptr i8, ptr addrspace(1) %t15, i64 80
  %t17 = load <2 x float>, ptr addrspace(1) %t16, align 16, !invariant.load !1
  %r80 = extractelement <2 x float> %t17, i32 0
  %r81 = extractelement <2 x float> %t17, i32 1
  %t18 = getelementptr i8, ptr addrspace(1) %d1, i64 %d2
  %t19 = getelementptr i8, ptr addrspace(1) %t18, i64 88
  %r82 = load float, ptr addrspace(1) %t19, align 8, !invariant.load !1
  %r83 = fsub float %r80, %r48
  %r84 = fsub float %r81, %r49
  %r85 = fsub float %r82, %r50
  %r86 = fmul float %r66, %r83
  %r87 = call float @llvm.fma.f32(float %r67, float %r84, float %r86)
  %r88 = call float @llvm.fma.f32(float %r68, float %r85, float %r87)
  %r89 = fmul float %r83, %r83
  %r90 = call float @llvm.fma.f32(float %r84, float %r84, float %r89)
  %r91 = call float @llvm.fma.f32(float %r85, float %r85, float %r90)
  %t20 = getelementptr i8, ptr addrspace(1) %d1, i64 %d2
  %t21 = getelementptr i8, ptr addrspace(1) %t20, i64 92
  %r92 = load float, ptr addrspace(1) %t21, align 4, !invariant.load !1
  %r93 = fneg float %r92
  %r94 = call float @llvm.fma.f32(float %r93, float %r92, float %r91)
  %r95 = fmul float %r88, %r88
  %r96 = call float @llvm.fma.f32(float %r73, float %r94, float %r95)
  %p7 = fcmp ole float %r96, 0x0000000000000000
  %p8 = fcmp ole float %r88, 0x0000000000000000
  %p9 = or i1 %p7, %p8
  br i1 %p9, label %b13, label %b12
b13:
  br label %b8
b12:
  %r97 = call float @llvm.sqrt.f32(float %r96), !fpmath !2
  %r98 = fsub float %r88, %r97
  %r99 = fdiv float %r98, %r71, !fpmath !2
  %p10 = fcmp olt float %r99, %r74
  %p11 = select i1 %p10, i1 true, i1 %p4
  %r100 = select i1 %p10, float %r99, float %r74
  %r101 = select i1 %p10, i32 %r76, i32 %r75
  br label %b8
b8:
  %p5 = phi i1 [ %p4, %b13 ], [ %p11, %b12 ]
  %r77 = phi float [ %r74, %b13 ], [ %r100, %b12 ]
  %r78 = phi i32 [ %r75, %b13 ], [ %r101, %b12 ]
  %r102 = add i32 %r76, 1
  br label %b7
b6:
  %r103 = mul i32 %r8, 40
  %r104 = add i32 %r4, %r103
  %r105 = add i32 %r75, 1
  %r106 = select i1 %p4, i32 %r105, i32 0
  %p12 = icmp ult i32 %r104, %r10
  br i1 %p12, label %b16, label %b15
b16:
  %t22 = zext i32 %r104 to i64
  %t23 = zext i32 4 to i64
  %d3 = mul i64 %t22, %t23
  %t24 = getelementptr i8, ptr addrspace(1) %d4, i64 %d3
  store i32 %r106, ptr addrspace(1) %t24, align 4
  br label %b15
b15:
  %p13 = xor i1 %p4, true
  br i1 %p13, label %b19, label %b20
b19:
  %r110 = call float @llvm.sqrt.f32(float %r71), !fpmath !2
  %r111 = fdiv float %r67, %r110, !fpmath !2
  %r112 = call float @llvm.fma.f32(float %r111, float 0x3FE0000000000000, float 0x3FE0000000000000)
  %t25 = call float @llvm.maxnum.f32(float %r112, float 0x0000000000000000)
  %r113 = call float @llvm.minnum.f32(float %t25, float 0x3FF0000000000000)
  %r114 = fsub float 0x3FF0000000000000, %r113
  %r115 = fmul float %r113, 0x3FD0000000000000
  %r116 = fmul float %r113, 0x3FE0000000000000
  %r117 = fmul float %r113, 0x3FF0000000000000
  %r118 = fadd float %r114, %r115
  %r119 = fadd float %r114, %r116
  %r120 = fadd float %r114, %r117
  br label %b18
b20:
  %r121 = call i32 @llvm.umin.i32(i32 %r75, i32 3)
  %t26 = zext i32 %r121 to i64
  %t27 = zext i32 32 to i64
  %d5 = mul i64 %t26, %t27
  %t28 = getelementptr i8, ptr addrspace(1) %d1, i64 %d5
  %t29 = getelementptr i8, ptr addrspace(1) %t28, i64 80
  %t30 = load <4 x float>, ptr addrspace(1) %t29, align 16, !invariant.load !1
  %r122 = extractelement <4 x float> %t30, i32 0
  %r123 = extractelement <4 x float> %t30, i32 1
  %r124 = extractelement <4 x float> %t30, i32 2
  %r125 = extractelement <4 x float> %t30, i32 3
  %t31 = getelementptr i8, ptr addrspace(1) %d1, i64 %d5
  %t32 = getelementptr i8, ptr addrspace(1) %t31, i64 96
  %t33 = load <4 x float>, ptr addrspace(1) %t32, align 16, !invariant.load !1
  %r126 = extractelement <4 x float> %t33, i32 0
  %r127 = extractelement <4 x float> %t33, i32 1
  %r128 = extractelement <4 x float> %t33, i32 2
  %r129 = extractelement <4 x float> %t33, i32 3
  %r130 = fmul float %r74, %r66
  %r131 = fmul float %r74, %r67
  %r132 = fmul float %r74, %r68
  %r133 = fadd float %r48, %r130
  %r134 = fadd float %r49, %r131
  %r135 = fadd float %r50, %r132
  %r136 = fsub float %r133, %r122
  %r137 = fsub float %r134, %r123
  %r138 = fsub float %r135, %r124
  %r139 = fdiv float %r136, %r125, !fpmath !2
  %r140 = fdiv float %r137, %r125, !fpmath !2
  %r141 = fdiv float %r138, %r125, !fpmath !2
  %t34 = getelementptr i8, ptr addrspace(1) %d1, i64 64
  %t35 = load <2 x float>, ptr addrspace(1) %t34, align 16, !invariant.load !1
  %r142 = extractelement <2 x float> %t35, i32 0
  %r143 = extractelement <2 x float> %t35, i32 1
  %t36 = getelementptr i8, ptr addrspace(1) %d1, i64 72
  %r144 = load float, ptr addrspace(1) %t36, align 8, !invariant.load !1
  %r145 = fsub float %r142, %r133
  %r146 = fsub float %r143, %r134
  %r147 = fsub float %r144, %r135
  %r148 = fmul float %r145, %r145
  %r149 = call float @llvm.fma.f32(float %r146, float %r146, float %r148)
  %r150 = call float @llvm.fma.f32(float %r147, float %r147, float %r149)
  %r151 = call float @llvm.sqrt.f32(float %r150), !fpmath !2
  %r152 = fdiv float %r145, %r151, !fpmath !2
  %r153 = fdiv float %r146, %r151, !fpmath !2
  %r154 = fdiv float %r147, %r151, !fpmath !2
  %r155 = fmul float %r139, %r152
  %r156 = call float @llvm.fma.f32(float %r140, float %r153, float %r155)
  %r157 = call float @llvm.fma.f32(float %r141, float %r154, float %r156)
  %r158 = call float @llvm.maxnum.f32(float %r157, float 0x0000000000000000)
  %r159 = call float @llvm.sqrt.f32(float %r71), !fpmath !2
  %r160 = fdiv float %r66, %r159, !fpmath !2
  %r161 = fdiv float %r67, %r159, !fpmath !2
  %r162 = fdiv float %r68, %r159, !fpmath !2
  %r163 = fmul float %r139, %r160
  %r164 = call float @llvm.fma.f32(float %r140, float %r161, float %r163)
  %r165 = call float @llvm.fma.f32(float %r141, float %r162, float %r164)
  %r166 = fmul float %r165, 0x4000000000000000
  %r167 = fmul float %r166, %r139
  %r168 = fmul float %r166, %r140
  %r169 = fmul float %r166, %r141
  %r170 = fsub float %r160, %r167
  %r171 = fsub float %r161, %r168
  %r172 = fsub float %r162, %r169
  %r173 = fmul float %r152, %r170
  %r174 = call float @llvm.fma.f32(float %r153, float %r171, float %r173)
  %r175 = call float @llvm.fma.f32(float %r154, float %r172, float %r174)
  %t37 = call float @llvm.maxnum.f32(float %r175, float 0x0000000000000000)
  %r176 = call float @llvm.minnum.f32(float %t37, float 0x3FF0000000000000)
  %r177 = call float @llvm.log2.f32(float %r176)
  %r178 = fmul float %r129, %r177
  %r179 = call float @llvm.exp2.f32(float %r178)
  %r180 = fadd float %r158, 0x3FC0000000000000
  %r181 = fmul float %r180, %r126
  %r182 = fmul float %r180, %r127
  %r183 = fmul float %r180, %r128
  %r184 = fmul float %r179, 0x3FE0000000000000
  %r185 = fadd float %r184, %r181
  %r186 = fadd float %r184, %r182
  %r187 = fadd float %r184, %r183
  br label %b18
b18:
  %r107 = phi float [ %r118, %b19 ], [ %r185, %b20 ]
  %r108 = phi float [ %r119, %b19 ], [ %r186, %b20 ]
  %r109 = phi float [ %r120, %b19 ], [ %r187, %b20 ]
  %p14 = icmp ult i32 %r104, %r9
  br i1 %p14, label %b22, label %b21
b22:
  %t38 = zext i32 %r104 to i64
  %t39 = zext i32 16 to i64
  %d6 = mul i64 %t38, %t39
  %t40 = getelementptr i8, ptr addrspace(1) %d7, i64 %d6
  %t41 = insertelement <4 x float> poison, float %r107, i32 0
  %t42 = insertelement <4 x float> %t41, float %r108, i32 1
  %t43 = insertelement <4 x float> %t42, float %r109, i32 2
  %t44 = insertelement <4 x float> %t43, float 0x3FF0000000000000, i32 3
  store <4 x float> %t44, ptr addrspace(1) %t40, align 16
  br label %b21
b21:
  ret void
}

declare i32 @llvm.amdgcn.workgroup.id.x()
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workgroup.id.y()
declare i32 @llvm.amdgcn.workitem.id.y()
declare float @llvm.fma.f32(float, float, float)
declare i32 @llvm.umin.i32(i32, i32)
declare float @llvm.sqrt.f32(float)
declare float @llvm.maxnum.f32(float, float)
declare float @llvm.minnum.f32(float, float)
declare float @llvm.log2.f32(float)
declare float @llvm.exp2.f32(float)
attributes #0 = { norecurse nounwind "target-cpu"="gfx1100" "target-features"="+wavefrontsize32" "amdgpu-flat-work-group-size"="64,64" "uniform-work-group-size"="true" "amdgpu-no-workitem-id-z" "amdgpu-no-workgroup-id-z" "amdgpu-no-implicitarg-ptr" "amdgpu-no-dispatch-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-queue-ptr" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-lds-kernel-id" }
attributes #1 = { norecurse nounwind "target-cpu"="gfx1100" "target-features"="+wavefrontsize32" "amdgpu-no-workitem-id-x" "amdgpu-no-workgroup-id-x" "amdgpu-no-workitem-id-y" "amdgpu-no-workgroup-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-workgroup-id-z" "amdgpu-no-implicitarg-ptr" "amdgpu-no-dispatch-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-queue-ptr" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-lds-kernel-id" }

!llvm.module.flags = !{!0}
!0 = !{i32 1, !"amdhsa_code_object_version", i32 500}
!1 = !{}
!2 = !{float 2.5}
!llvm.ident = !{!3}
!3 = !{!"gpuc's LLVM IR"}
