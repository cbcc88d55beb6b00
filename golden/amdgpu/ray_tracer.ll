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
	%t1 = load <4 x float>, ptr addrspace(1) %d1, align 16, !invariant.load !1
	%r17 = extractelement <4 x float> %t1, i32 0
	%r18 = extractelement <4 x float> %t1, i32 1
	%r19 = extractelement <4 x float> %t1, i32 2
	%r20 = extractelement <4 x float> %t1, i32 3
	%t2 = getelementptr i8, ptr addrspace(1) %d1, i64 16
	%t3 = load <4 x float>, ptr addrspace(1) %t2, align 16, !invariant.load !1
	%r21 = extractelement <4 x float> %t3, i32 0
	%r22 = extractelement <4 x float> %t3, i32 1
	%r23 = extractelement <4 x float> %t3, i32 2
	%r24 = extractelement <4 x float> %t3, i32 3
	%t4 = getelementptr i8, ptr addrspace(1) %d1, i64 32
	%t5 = load <4 x float>, ptr addrspace(1) %t4, align 16, !invariant.load !1
	%r25 = extractelement <4 x float> %t5, i32 0
	%r26 = extractelement <4 x float> %t5, i32 1
	%r27 = extractelement <4 x float> %t5, i32 2
	%r28 = extractelement <4 x float> %t5, i32 3
	%t6 = getelementptr i8, ptr addrspace(1) %d1, i64 48
	%t7 = load <4 x float>, ptr addrspace(1) %t6, align 16, !invariant.load !1
	%r29 = extractelement <4 x float> %t7, i32 0
	%r30 = extractelement <4 x float> %t7, i32 1
	%r31 = extractelement <4 x float> %t7, i32 2
	%r32 = extractelement <4 x float> %t7, i32 3
	%r33 = fmul float %r17, 0x0000000000000000
	%r34 = fmul float %r18, 0x0000000000000000
	%r35 = fmul float %r19, 0x0000000000000000
	%r36 = call float @llvm.fma.f32(float %r21, float 0x0000000000000000, float %r33)
	%r37 = call float @llvm.fma.f32(float %r22, float 0x0000000000000000, float %r34)
	%r38 = call float @llvm.fma.f32(float %r23, float 0x0000000000000000, float %r35)
	%r39 = call float @llvm.fma.f32(float %r25, float 0x0000000000000000, float %r36)
	%r40 = call float @llvm.fma.f32(float %r26, float 0x0000000000000000, float %r37)
	%r41 = call float @llvm.fma.f32(float %r27, float 0x0000000000000000, float %r38)
	%r42 = fadd float %r39, %r29
	%r43 = fadd float %r40, %r30
	%r44 = fadd float %r41, %r31
	%r45 = fmul float %r13, %r17
	%r46 = fmul float %r13, %r18
	%r47 = fmul float %r13, %r19
	%r48 = call float @llvm.fma.f32(float %r21, float %r16, float %r45)
	%r49 = call float @llvm.fma.f32(float %r22, float %r16, float %r46)
	%r50 = call float @llvm.fma.f32(float %r23, float %r16, float %r47)
	%r51 = fsub float %r48, %r25
	%r52 = fsub float %r49, %r26
	%r53 = fsub float %r50, %r27
	%r54 = call float @llvm.fma.f32(float %r29, float 0x0000000000000000, float %r51)
	%r55 = call float @llvm.fma.f32(float %r30, float 0x0000000000000000, float %r52)
	%r56 = call float @llvm.fma.f32(float %r31, float 0x0000000000000000, float %r53)
	%r57 = fmul float %r54, %r54
	%r58 = call float @llvm.fma.f32(float %r55, float %r55, float %r57)
	%r59 = call float @llvm.fma.f32(float %r56, float %r56, float %r58)
	%t8 = getelementptr i8, ptr addrspace(1) %d1, i64 76
	%r60 = load i32, ptr addrspace(1) %t8, align 4, !invariant.load !1
	%r61 = fneg float %r59
	br label %b7

b7:
	%p4 = phi i1 [ false, %b3 ], [ %p5, %b8 ]
	%r62 = phi float [ 0x46293E5940000000, %b3 ], [ %r65, %b8 ]
	%r63 = phi i32 [ 0, %b3 ], [ %r66, %b8 ]
	%r64 = phi i32 [ 0, %b3 ], [ %r90, %b8 ]
	%p6 = icmp ult i32 %r64, %r60
	br i1 %p6, label %b9, label %b6

b9:
	%r67 = call i32 @llvm.umin.i32(i32 %r64, i32 3)
	%t9 = zext i32 %r67 to i64
	%t10 = zext i32 32 to i64
	%d2 = mul i64 %t9, %t10
	%t11 = getelementptr i8, ptr addrspace(1) %d1, i64 %d2
	%t12 = getelementptr i8, ptr addrspace(1) %t11, i64 80
	%t13 = load <2 x float>, ptr addrspace(1) %t12, align 16, !invariant.load !1
	%r68 = extractelement <2 x float> %t13, i32 0
	%r69 = extractelement <2 x float> %t13, i32 1
	%t14 = getelementptr i8, ptr addrspace(1) %d1, i64 %d2
	%t15 = getelementptr i8, ptr addrspace(1) %t14, i64 88
	%r70 = load float, ptr addrspace(1) %t15, align 8, !invariant.load !1
	%r71 = fsub float %r68, %r42
	%r72 = fsub float %r69, %r43
	%r73 = fsub float %r70, %r44
	%r74 = fmul float %r54, %r71
	%r75 = call float @llvm.fma.f32(float %r55, float %r72, float %r74)
	%r76 = call float @llvm.fma.f32(float %r56, float %r73, float %r75)
	%r77 = fmul float %r71, %r71
	%r78 = call float @llvm.fma.f32(float %r72, float %r72, float %r77)
	%r79 = call float @llvm.fma.f32(float %r73, float %r73, float %r78)
	%t16 = getelementptr i8, ptr addrspace(1) %d1, i64 %d2
	%t17 = getelementptr i8, ptr addrspace(1) %t16, i64 92
	%r80 = load float, ptr addrspace(1) %t17, align 4, !invariant.load !1
	%r81 = fneg float %r80
	%r82 = call float @llvm.fma.f32(float %r81, float %r80, float %r79)
	%r83 = fmul float %r76, %r76
	%r84 = call float @llvm.fma.f32(float %r61, float %r82, float %r83)
	%p7 = fcmp ole float %r84, 0x0000000000000000
	%p8 = fcmp ole float %r76, 0x0000000000000000
	%p9 = or i1 %p7, %p8
	br i1 %p9, label %b13, label %b12

b13:
	br label %b8

b12:
	%r85 = call float @llvm.sqrt.f32(float %r84), !fpmath !2
	%r86 = fsub float %r76, %r85
	%r87 = fdiv float %r86, %r59, !fpmath !2
	%p10 = fcmp olt float %r87, %r62
	%p11 = or i1 %p10, %p4
	%r88 = select i1 %p10, float %r87, float %r62
	%r89 = select i1 %p10, i32 %r64, i32 %r63
	br label %b8

b8:
	%p5 = phi i1 [ %p4, %b13 ], [ %p11, %b12 ]
	%r65 = phi float [ %r62, %b13 ], [ %r88, %b12 ]
	%r66 = phi i32 [ %r63, %b13 ], [ %r89, %b12 ]
	%r90 = add i32 %r64, 1
	br label %b7

b6:
	%r91 = mul i32 %r8, 40
	%r92 = add i32 %r4, %r91
	%r93 = add i32 %r63, 1
	%r94 = select i1 %p4, i32 %r93, i32 0
	%p12 = icmp ult i32 %r92, %r10
	br i1 %p12, label %b16, label %b15

b16:
	%t18 = zext i32 %r92 to i64
	%t19 = zext i32 4 to i64
	%d3 = mul i64 %t18, %t19
	%t20 = getelementptr i8, ptr addrspace(1) %d4, i64 %d3
	store i32 %r94, ptr addrspace(1) %t20, align 4
	br label %b15

b15:
	%p13 = xor i1 %p4, true
	br i1 %p13, label %b19, label %b20

b19:
	%r98 = call float @llvm.amdgcn.rsq.f32(float %r59)
	%r99 = fmul float %r98, %r55
	%r100 = call float @llvm.fma.f32(float %r99, float 0x3FE0000000000000, float 0x3FE0000000000000)
	%t21 = call float @llvm.maxnum.f32(float %r100, float 0x0000000000000000)
	%r101 = call float @llvm.minnum.f32(float %t21, float 0x3FF0000000000000)
	%r102 = fsub float 0x3FF0000000000000, %r101
	%r103 = call float @llvm.fma.f32(float %r101, float 0x3FD0000000000000, float %r102)
	%r104 = call float @llvm.fma.f32(float %r101, float 0x3FE0000000000000, float %r102)
	%r105 = fadd float %r101, %r102
	br label %b18

b20:
	%r106 = call i32 @llvm.umin.i32(i32 %r63, i32 3)
	%t22 = zext i32 %r106 to i64
	%t23 = zext i32 32 to i64
	%d5 = mul i64 %t22, %t23
	%t24 = getelementptr i8, ptr addrspace(1) %d1, i64 %d5
	%t25 = getelementptr i8, ptr addrspace(1) %t24, i64 80
	%t26 = load <4 x float>, ptr addrspace(1) %t25, align 16, !invariant.load !1
	%r107 = extractelement <4 x float> %t26, i32 0
	%r108 = extractelement <4 x float> %t26, i32 1
	%r109 = extractelement <4 x float> %t26, i32 2
	%r110 = extractelement <4 x float> %t26, i32 3
	%t27 = getelementptr i8, ptr addrspace(1) %d1, i64 %d5
	%t28 = getelementptr i8, ptr addrspace(1) %t27, i64 96
	%t29 = load <4 x float>, ptr addrspace(1) %t28, align 16, !invariant.load !1
	%r111 = extractelement <4 x float> %t29, i32 0
	%r112 = extractelement <4 x float> %t29, i32 1
	%r113 = extractelement <4 x float> %t29, i32 2
	%r114 = extractelement <4 x float> %t29, i32 3
	%r115 = call float @llvm.fma.f32(float %r54, float %r62, float %r42)
	%r116 = call float @llvm.fma.f32(float %r55, float %r62, float %r43)
	%r117 = call float @llvm.fma.f32(float %r56, float %r62, float %r44)
	%r118 = fsub float %r115, %r107
	%r119 = fsub float %r116, %r108
	%r120 = fsub float %r117, %r109
	%r121 = fdiv float %r118, %r110, !fpmath !2
	%r122 = fdiv float %r119, %r110, !fpmath !2
	%r123 = fdiv float %r120, %r110, !fpmath !2
	%t30 = getelementptr i8, ptr addrspace(1) %d1, i64 64
	%t31 = load <2 x float>, ptr addrspace(1) %t30, align 16, !invariant.load !1
	%r124 = extractelement <2 x float> %t31, i32 0
	%r125 = extractelement <2 x float> %t31, i32 1
	%t32 = getelementptr i8, ptr addrspace(1) %d1, i64 72
	%r126 = load float, ptr addrspace(1) %t32, align 8, !invariant.load !1
	%r127 = fsub float %r124, %r115
	%r128 = fsub float %r125, %r116
	%r129 = fsub float %r126, %r117
	%r130 = fmul float %r127, %r127
	%r131 = call float @llvm.fma.f32(float %r128, float %r128, float %r130)
	%r132 = call float @llvm.fma.f32(float %r129, float %r129, float %r131)
	%r133 = call float @llvm.amdgcn.rsq.f32(float %r132)
	%r134 = fmul float %r133, %r127
	%r135 = fmul float %r133, %r128
	%r136 = fmul float %r133, %r129
	%r137 = fmul float %r121, %r134
	%r138 = call float @llvm.fma.f32(float %r122, float %r135, float %r137)
	%r139 = call float @llvm.fma.f32(float %r123, float %r136, float %r138)
	%r140 = call float @llvm.maxnum.f32(float %r139, float 0x0000000000000000)
	%r141 = call float @llvm.amdgcn.rsq.f32(float %r59)
	%r142 = fmul float %r141, %r54
	%r143 = fmul float %r141, %r55
	%r144 = fmul float %r141, %r56
	%r145 = fmul float %r121, %r142
	%r146 = call float @llvm.fma.f32(float %r122, float %r143, float %r145)
	%r147 = call float @llvm.fma.f32(float %r123, float %r144, float %r146)
	%r148 = fmul float %r147, 0x4000000000000000
	%r149 = fneg float %r121
	%r150 = call float @llvm.fma.f32(float %r149, float %r148, float %r142)
	%r151 = fneg float %r122
	%r152 = call float @llvm.fma.f32(float %r151, float %r148, float %r143)
	%r153 = fneg float %r123
	%r154 = call float @llvm.fma.f32(float %r153, float %r148, float %r144)
	%r155 = fmul float %r134, %r150
	%r156 = call float @llvm.fma.f32(float %r135, float %r152, float %r155)
	%r157 = call float @llvm.fma.f32(float %r136, float %r154, float %r156)
	%t33 = call float @llvm.maxnum.f32(float %r157, float 0x0000000000000000)
	%r158 = call float @llvm.minnum.f32(float %t33, float 0x3FF0000000000000)
	%r159 = call float @llvm.log2.f32(float %r158)
	%r160 = fmul float %r114, %r159
	%r161 = call float @llvm.exp2.f32(float %r160)
	%r162 = fadd float %r140, 0x3FC0000000000000
	%r163 = fmul float %r161, 0x3FE0000000000000
	%r164 = call float @llvm.fma.f32(float %r111, float %r162, float %r163)
	%r165 = call float @llvm.fma.f32(float %r112, float %r162, float %r163)
	%r166 = call float @llvm.fma.f32(float %r113, float %r162, float %r163)
	br label %b18

b18:
	%r95 = phi float [ %r103, %b19 ], [ %r164, %b20 ]
	%r96 = phi float [ %r104, %b19 ], [ %r165, %b20 ]
	%r97 = phi float [ %r105, %b19 ], [ %r166, %b20 ]
	%p14 = icmp ult i32 %r92, %r9
	br i1 %p14, label %b22, label %b21

b22:
	%t34 = zext i32 %r92 to i64
	%t35 = zext i32 16 to i64
	%d6 = mul i64 %t34, %t35
	%t36 = getelementptr i8, ptr addrspace(1) %d7, i64 %d6
	%t37 = insertelement <4 x float> poison, float %r95, i32 0
	%t38 = insertelement <4 x float> %t37, float %r96, i32 1
	%t39 = insertelement <4 x float> %t38, float %r97, i32 2
	%t40 = insertelement <4 x float> %t39, float 0x3FF0000000000000, i32 3
	store <4 x float> %t40, ptr addrspace(1) %t36, align 16
	br label %b21

b21:
	ret void
}

declare i32 @llvm.amdgcn.workgroup.id.x()

declare i32 @llvm.amdgcn.workitem.id.x()

declare i32 @llvm.amdgcn.workgroup.id.y()

declare i32 @llvm.amdgcn.workitem.id.y()

declare float @llvm.fma.f32(float %0, float %1, float %2)

declare i32 @llvm.umin.i32(i32 %0, i32 %1)

declare float @llvm.sqrt.f32(float %0)

declare float @llvm.amdgcn.rsq.f32(float %0)

declare float @llvm.maxnum.f32(float %0, float %1)

declare float @llvm.minnum.f32(float %0, float %1)

declare float @llvm.log2.f32(float %0)

declare float @llvm.exp2.f32(float %0)

attributes #0 = { norecurse nounwind "target-cpu"="gfx1100" "target-features"="+wavefrontsize32" "amdgpu-flat-work-group-size"="64,64" "uniform-work-group-size"="true" "amdgpu-no-workitem-id-z" "amdgpu-no-workgroup-id-z" "amdgpu-no-implicitarg-ptr" "amdgpu-no-dispatch-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-queue-ptr" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-lds-kernel-id" }
attributes #1 = { norecurse nounwind "target-cpu"="gfx1100" "target-features"="+wavefrontsize32" "amdgpu-no-workitem-id-x" "amdgpu-no-workgroup-id-x" "amdgpu-no-workitem-id-y" "amdgpu-no-workgroup-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-workgroup-id-z" "amdgpu-no-implicitarg-ptr" "amdgpu-no-dispatch-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-queue-ptr" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-lds-kernel-id" }

!llvm.ident = !{!3}
!llvm.module.flags = !{!0}

!0 = !{i32 1, !"amdhsa_code_object_version", i32 500}
!1 = !{}
!2 = !{float 2.5}
!3 = !{!"gpuc's LLVM IR"}
