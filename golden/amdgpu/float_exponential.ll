; LLVM IR written by gpuc for gfx1100
target triple = "amdgcn-amd-amdhsa"

define protected amdgpu_kernel void @main(ptr addrspace(1) noalias readonly align 16 %binding_0, ptr addrspace(1) noalias align 16 %binding_1, ptr addrspace(1) noalias align 16 %binding_2, ptr addrspace(1) noalias align 16 %binding_3, ptr addrspace(1) noalias align 16 %binding_4, ptr addrspace(1) noalias align 16 %binding_5, ptr addrspace(1) noalias align 16 %binding_6, i32 %length_0, i32 %length_1, i32 %length_2, i32 %length_3, i32 %length_4, i32 %length_5, i32 %length_6) #0 {
begin:
	br label %b1

b1:
	%r1 = call i32 @llvm.amdgcn.workgroup.id.x()
	%r2 = mul i32 %r1, 32
	%r3 = call i32 @llvm.amdgcn.workitem.id.x()
	%r4 = add i32 %r2, %r3
	%r5 = add i32 %length_6, 0
	%r6 = add i32 %length_5, 0
	%r7 = add i32 %length_4, 0
	%r8 = add i32 %length_3, 0
	%r9 = add i32 %length_2, 0
	%r10 = add i32 %length_1, 0
	%r11 = add i32 %length_0, 0
	%d2 = getelementptr i8, ptr addrspace(1) %binding_0, i64 0
	%d4 = getelementptr i8, ptr addrspace(1) %binding_1, i64 0
	%d6 = getelementptr i8, ptr addrspace(1) %binding_2, i64 0
	%d8 = getelementptr i8, ptr addrspace(1) %binding_3, i64 0
	%d10 = getelementptr i8, ptr addrspace(1) %binding_4, i64 0
	%d12 = getelementptr i8, ptr addrspace(1) %binding_5, i64 0
	%d14 = getelementptr i8, ptr addrspace(1) %binding_6, i64 0
	%p1 = icmp uge i32 %r4, %r11
	br i1 %p1, label %b4, label %b3

b4:
	ret void

b3:
	%t1 = zext i32 %r4 to i64
	%t2 = zext i32 4 to i64
	%d1 = mul i64 %t1, %t2
	%t3 = getelementptr i8, ptr addrspace(1) %d2, i64 %d1
	%r12 = load float, ptr addrspace(1) %t3, align 4, !invariant.load !1
	%r13 = fmul float %r12, 0x3FF7154760000000
	%r14 = call float @llvm.exp2.f32(float %r13)
	%r15 = fneg float %r12
	%r16 = call float @llvm.exp2.f32(float %r12)
	%r17 = call float @llvm.exp2.f32(float %r15)
	%r18 = fmul float %r15, 0x3FF7154760000000
	%r19 = call float @llvm.exp2.f32(float %r18)
	%p2 = icmp ult i32 %r4, %r10
	br i1 %p2, label %b7, label %b6

b7:
	%t4 = zext i32 %r4 to i64
	%t5 = zext i32 16 to i64
	%d3 = mul i64 %t4, %t5
	%t6 = getelementptr i8, ptr addrspace(1) %d4, i64 %d3
	%t7 = insertelement <4 x float> poison, float %r14, i32 0
	%t8 = insertelement <4 x float> %t7, float %r16, i32 1
	%t9 = insertelement <4 x float> %t8, float %r17, i32 2
	%t10 = insertelement <4 x float> %t9, float %r19, i32 3
	store <4 x float> %t10, ptr addrspace(1) %t6, align 16
	br label %b6

b6:
	%r20 = call float @llvm.log2.f32(float %r12)
	%r21 = fmul float %r20, 0x3FE62E4300000000
	%p3 = icmp ult i32 %r4, %r9
	br i1 %p3, label %b10, label %b9

b10:
	%t11 = zext i32 %r4 to i64
	%t12 = zext i32 8 to i64
	%d5 = mul i64 %t11, %t12
	%t13 = getelementptr i8, ptr addrspace(1) %d6, i64 %d5
	%t14 = insertelement <2 x float> poison, float %r21, i32 0
	%t15 = insertelement <2 x float> %t14, float %r20, i32 1
	store <2 x float> %t15, ptr addrspace(1) %t13, align 8
	br label %b9

b9:
	%r22 = call float @llvm.sqrt.f32(float %r12), !fpmath !2
	%r23 = call float @llvm.amdgcn.rsq.f32(float %r12)
	%p4 = icmp ult i32 %r4, %r8
	br i1 %p4, label %b13, label %b12

b13:
	%t16 = zext i32 %r4 to i64
	%t17 = zext i32 8 to i64
	%d7 = mul i64 %t16, %t17
	%t18 = getelementptr i8, ptr addrspace(1) %d8, i64 %d7
	%t19 = insertelement <2 x float> poison, float %r22, i32 0
	%t20 = insertelement <2 x float> %t19, float %r23, i32 1
	store <2 x float> %t20, ptr addrspace(1) %t18, align 8
	br label %b12

b12:
	%r24 = fmul float %r20, 0x4004000000000000
	%r25 = call float @llvm.exp2.f32(float %r24)
	%r26 = fmul float %r20, 0xBFE0000000000000
	%r27 = call float @llvm.exp2.f32(float %r26)
	%p5 = icmp ult i32 %r4, %r7
	br i1 %p5, label %b16, label %b15

b16:
	%t21 = zext i32 %r4 to i64
	%t22 = zext i32 8 to i64
	%d9 = mul i64 %t21, %t22
	%t23 = getelementptr i8, ptr addrspace(1) %d10, i64 %d9
	%t24 = insertelement <2 x float> poison, float %r25, i32 0
	%t25 = insertelement <2 x float> %t24, float %r27, i32 1
	store <2 x float> %t25, ptr addrspace(1) %t23, align 8
	br label %b15

b15:
	%r28 = fmul float %r12, 0x3FE0000000000000
	%r29 = call float @llvm.fabs.f32(float %r28)
	%r30 = call float @llvm.fma.f32(float %r29, float 0x3FF7154760000000, float 0xBFF0000000000000)
	%r31 = call float @llvm.exp2.f32(float %r30)
	%r32 = fdiv float 0x3FD0000000000000, %r31, !fpmath !2
	%r33 = fsub float %r31, %r32
	%p6 = fcmp olt float %r29, 0x3FF0000000000000
	%r34 = fmul float %r28, %r28
	%r35 = fmul float %r28, %r34
	%r36 = call float @llvm.fma.f32(float 0x3F2AB3C620000000, float %r34, float 0x3F810F77C0000000)
	%r37 = call float @llvm.fma.f32(float %r36, float %r34, float 0x3FC5555980000000)
	%r38 = call float @llvm.fma.f32(float %r35, float %r37, float %r28)
	%t26 = bitcast float %r28 to i32
	%r39 = and i32 %t26, -2147483648
	%t27 = bitcast float %r33 to i32
	%r40 = or i32 %r39, %t27
	%t28 = bitcast i32 %r40 to float
	%r41 = select i1 %p6, float %r38, float %t28
	%r42 = fadd float %r31, %r32
	%r43 = call float @llvm.fabs.f32(float %r12)
	%r44 = fmul float %r43, 0x4007154760000000
	%r45 = call float @llvm.exp2.f32(float %r44)
	%r46 = call float @llvm.fma.f32(float %r45, float 0x3FE0000000000000, float 0x3FE0000000000000)
	%r47 = fdiv float 0x3FF0000000000000, %r46, !fpmath !2
	%r48 = fsub float 0x3FF0000000000000, %r47
	%p7 = fcmp olt float %r43, 0x3FE4000000000000
	%r49 = fmul float %r12, %r12
	%r50 = fmul float %r12, %r49
	%r51 = call float @llvm.fma.f32(float 0xBF775E1CC0000000, float %r49, float 0x3F952269C0000000)
	%r52 = call float @llvm.fma.f32(float %r51, float %r49, float 0xBFAB83C5A0000000)
	%r53 = call float @llvm.fma.f32(float %r52, float %r49, float 0x3FC1107260000000)
	%r54 = call float @llvm.fma.f32(float %r53, float %r49, float 0xBFD5555320000000)
	%r55 = call float @llvm.fma.f32(float %r50, float %r54, float %r12)
	%t29 = bitcast float %r12 to i32
	%r56 = and i32 %t29, -2147483648
	%t30 = bitcast float %r48 to i32
	%r57 = or i32 %r56, %t30
	%t31 = bitcast i32 %r57 to float
	%r58 = select i1 %p7, float %r55, float %t31
	%r59 = fmul float %r15, 0x3FD0000000000000
	%r60 = call float @llvm.fabs.f32(float %r59)
	%r61 = fmul float %r60, 0x4007154760000000
	%r62 = call float @llvm.exp2.f32(float %r61)
	%r63 = call float @llvm.fma.f32(float %r62, float 0x3FE0000000000000, float 0x3FE0000000000000)
	%r64 = fdiv float 0x3FF0000000000000, %r63, !fpmath !2
	%r65 = fsub float 0x3FF0000000000000, %r64
	%p8 = fcmp olt float %r60, 0x3FE4000000000000
	%r66 = fmul float %r59, %r59
	%r67 = fmul float %r59, %r66
	%r68 = call float @llvm.fma.f32(float 0xBF775E1CC0000000, float %r66, float 0x3F952269C0000000)
	%r69 = call float @llvm.fma.f32(float %r68, float %r66, float 0xBFAB83C5A0000000)
	%r70 = call float @llvm.fma.f32(float %r69, float %r66, float 0x3FC1107260000000)
	%r71 = call float @llvm.fma.f32(float %r70, float %r66, float 0xBFD5555320000000)
	%r72 = call float @llvm.fma.f32(float %r67, float %r71, float %r59)
	%t32 = bitcast float %r59 to i32
	%r73 = and i32 %t32, -2147483648
	%t33 = bitcast float %r65 to i32
	%r74 = or i32 %r73, %t33
	%t34 = bitcast i32 %r74 to float
	%r75 = select i1 %p8, float %r72, float %t34
	%p9 = icmp ult i32 %r4, %r6
	br i1 %p9, label %b19, label %b18

b19:
	%t35 = zext i32 %r4 to i64
	%t36 = zext i32 16 to i64
	%d11 = mul i64 %t35, %t36
	%t37 = getelementptr i8, ptr addrspace(1) %d12, i64 %d11
	%t38 = insertelement <4 x float> poison, float %r41, i32 0
	%t39 = insertelement <4 x float> %t38, float %r42, i32 1
	%t40 = insertelement <4 x float> %t39, float %r58, i32 2
	%t41 = insertelement <4 x float> %t40, float %r75, i32 3
	store <4 x float> %t41, ptr addrspace(1) %t37, align 16
	br label %b18

b18:
	%r76 = call float @llvm.fma.f32(float %r43, float %r43, float 0x3FF0000000000000)
	%r77 = call float @llvm.sqrt.f32(float %r76), !fpmath !2
	%p10 = fcmp ogt float %r43, 0x41D0000000000000
	%r78 = fadd float %r43, %r77
	%r79 = select i1 %p10, float %r43, float %r78
	%r80 = call float @llvm.log2.f32(float %r79)
	%r81 = fmul float %r80, 0x3FE62E4300000000
	%r82 = fadd float %r81, 0x3FE62E4300000000
	%r83 = select i1 %p10, float %r82, float %r81
	%p11 = fcmp olt float %r43, 0x3FE0000000000000
	%r84 = call float @llvm.fma.f32(float 0x3F82C68580000000, float %r49, float 0xBF9475A200000000)
	%r85 = call float @llvm.fma.f32(float %r84, float %r49, float 0x3F9EBBB720000000)
	%r86 = call float @llvm.fma.f32(float %r85, float %r49, float 0xBFA6D78C40000000)
	%r87 = call float @llvm.fma.f32(float %r86, float %r49, float 0x3FB33320A0000000)
	%r88 = call float @llvm.fma.f32(float %r87, float %r49, float 0xBFC5555540000000)
	%r89 = call float @llvm.fma.f32(float %r50, float %r88, float %r12)
	%t42 = bitcast float %r83 to i32
	%r90 = or i32 %r56, %t42
	%t43 = bitcast i32 %r90 to float
	%r91 = select i1 %p11, float %r89, float %t43
	%r92 = fadd float %r12, 0x3FF0000000000000
	%r93 = fsub float %r92, 0x3FF0000000000000
	%r94 = fadd float %r92, 0x3FF0000000000000
	%r95 = fmul float %r93, %r94
	%r96 = call float @llvm.sqrt.f32(float %r95), !fpmath !2
	%p12 = fcmp ogt float %r92, 0x41D0000000000000
	%r97 = fadd float %r92, %r96
	%r98 = select i1 %p12, float %r92, float %r97
	%r99 = call float @llvm.log2.f32(float %r98)
	%r100 = fmul float %r99, 0x3FE62E4300000000
	%r101 = fadd float %r100, 0x3FE62E4300000000
	%r102 = select i1 %p12, float %r101, float %r100
	%r103 = fmul float %r12, 0x3FB0000000000000
	%r104 = fadd float %r103, 0x3FF0000000000000
	%r105 = fsub float 0x3FF0000000000000, %r103
	%r106 = fdiv float %r104, %r105, !fpmath !2
	%r107 = call float @llvm.log2.f32(float %r106)
	%r108 = fmul float %r107, 0x3FD62E4300000000
	%r109 = call float @llvm.fabs.f32(float %r103)
	%p13 = fcmp olt float %r109, 0x3FE0000000000000
	%r110 = fmul float %r103, %r103
	%r111 = fmul float %r103, %r110
	%r112 = call float @llvm.fma.f32(float 0x3FC69DD100000000, float %r110, float 0x3FAA4BA100000000)
	%r113 = call float @llvm.fma.f32(float %r112, float %r110, float 0x3FBE44CCA0000000)
	%r114 = call float @llvm.fma.f32(float %r113, float %r110, float 0x3FC23483C0000000)
	%r115 = call float @llvm.fma.f32(float %r114, float %r110, float 0x3FC99A6CE0000000)
	%r116 = call float @llvm.fma.f32(float %r115, float %r110, float 0x3FD5555400000000)
	%r117 = call float @llvm.fma.f32(float %r111, float %r116, float %r103)
	%r118 = select i1 %p13, float %r117, float %r108
	%r119 = fmul float %r15, 0x3FC0000000000000
	%r120 = fmul float %r119, 0x3FEC000000000000
	%r121 = fadd float %r120, 0x3FF0000000000000
	%r122 = fsub float 0x3FF0000000000000, %r120
	%r123 = fdiv float %r121, %r122, !fpmath !2
	%r124 = call float @llvm.log2.f32(float %r123)
	%r125 = fmul float %r124, 0x3FD62E4300000000
	%r126 = call float @llvm.fabs.f32(float %r120)
	%p14 = fcmp olt float %r126, 0x3FE0000000000000
	%r127 = fmul float %r120, %r120
	%r128 = fmul float %r120, %r127
	%r129 = call float @llvm.fma.f32(float 0x3FC69DD100000000, float %r127, float 0x3FAA4BA100000000)
	%r130 = call float @llvm.fma.f32(float %r129, float %r127, float 0x3FBE44CCA0000000)
	%r131 = call float @llvm.fma.f32(float %r130, float %r127, float 0x3FC23483C0000000)
	%r132 = call float @llvm.fma.f32(float %r131, float %r127, float 0x3FC99A6CE0000000)
	%r133 = call float @llvm.fma.f32(float %r132, float %r127, float 0x3FD5555400000000)
	%r134 = call float @llvm.fma.f32(float %r128, float %r133, float %r120)
	%r135 = select i1 %p14, float %r134, float %r125
	%p15 = icmp ult i32 %r4, %r5
	br i1 %p15, label %b22, label %b21

b22:
	%t44 = zext i32 %r4 to i64
	%t45 = zext i32 16 to i64
	%d13 = mul i64 %t44, %t45
	%t46 = getelementptr i8, ptr addrspace(1) %d14, i64 %d13
	%t47 = insertelement <4 x float> poison, float %r91, i32 0
	%t48 = insertelement <4 x float> %t47, float %r102, i32 1
	%t49 = insertelement <4 x float> %t48, float %r118, i32 2
	%t50 = insertelement <4 x float> %t49, float %r135, i32 3
	store <4 x float> %t50, ptr addrspace(1) %t46, align 16
	br label %b21

b21:
	ret void
}

declare i32 @llvm.amdgcn.workgroup.id.x()

declare i32 @llvm.amdgcn.workitem.id.x()

declare float @llvm.exp2.f32(float %0)

declare float @llvm.log2.f32(float %0)

declare float @llvm.sqrt.f32(float %0)

declare float @llvm.amdgcn.rsq.f32(float %0)

declare float @llvm.fabs.f32(float %0)

declare float @llvm.fma.f32(float %0, float %1, float %2)

attributes #0 = { norecurse nounwind "target-cpu"="gfx1100" "target-features"="+wavefrontsize32" "amdgpu-flat-work-group-size"="32,32" "uniform-work-group-size"="true" "amdgpu-no-workitem-id-y" "amdgpu-no-workgroup-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-workgroup-id-z" "amdgpu-no-implicitarg-ptr" "amdgpu-no-dispatch-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-queue-ptr" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-lds-kernel-id" }
attributes #1 = { norecurse nounwind "target-cpu"="gfx1100" "target-features"="+wavefrontsize32" "amdgpu-no-workitem-id-x" "amdgpu-no-workgroup-id-x" "amdgpu-no-workitem-id-y" "amdgpu-no-workgroup-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-workgroup-id-z" "amdgpu-no-implicitarg-ptr" "amdgpu-no-dispatch-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-queue-ptr" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-lds-kernel-id" }

!llvm.ident = !{!3}
!llvm.module.flags = !{!0}

!0 = !{i32 1, !"amdhsa_code_object_version", i32 500}
!1 = !{}
!2 = !{float 2.5}
!3 = !{!"gpuc's LLVM IR"}
