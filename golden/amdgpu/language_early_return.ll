; LLVM IR written by gpuc for gfx1100
target triple = "amdgcn-amd-amdhsa"

define protected amdgpu_kernel void @main(ptr addrspace(1) noalias readonly align 16 %binding_0, ptr addrspace(1) noalias align 16 %binding_1, i32 %length_0, i32 %length_1) #0 {
begin:
	br label %b1

b1:
	%r1 = call i32 @llvm.amdgcn.workgroup.id.x()
	%r2 = mul i32 %r1, 16
	%r3 = call i32 @llvm.amdgcn.workitem.id.x()
	%r4 = add i32 %r2, %r3
	%r5 = add i32 %length_1, 0
	%r9 = add i32 %length_0, 0
	%d2 = getelementptr i8, ptr addrspace(1) %binding_0, i64 0
	%d5 = getelementptr i8, ptr addrspace(1) %binding_1, i64 0
	%p1 = icmp uge i32 %r4, %r5
	br i1 %p1, label %b4, label %b3

b4:
	ret void

b3:
	%r6 = mul i32 %r4, 3
	%r7 = and i32 %r6, 255
	br label %b8

b8:
	%r10 = phi i32 [ 0, %b3 ], [ %r13, %b9 ]
	%p2 = icmp ult i32 %r10, %r9
	br i1 %p2, label %b10, label %b7

b10:
	%t1 = zext i32 %r10 to i64
	%t2 = zext i32 4 to i64
	%d1 = mul i64 %t1, %t2
	%t3 = getelementptr i8, ptr addrspace(1) %d2, i64 %d1
	%r11 = load i32, ptr addrspace(1) %t3, align 4, !invariant.load !1
	%p3 = icmp eq i32 %r7, %r11
	br i1 %p3, label %b14, label %b13

b14:
	br label %b6

b13:
	%p4 = icmp ugt i32 %r11, 240
	br i1 %p4, label %b17, label %b9

b17:
	%p5 = icmp eq i32 %r11, 250
	br i1 %p5, label %b20, label %b22

b22:
	%p6 = icmp eq i32 %r11, 251
	br i1 %p6, label %b20, label %b9

b20:
	%r12 = add i32 %r10, 1000
	br label %b6

b9:
	%r13 = add i32 %r10, 1
	br label %b8

b7:
	br label %b6

b6:
	%r8 = phi i32 [ %r10, %b14 ], [ %r12, %b20 ], [ 9999, %b7 ]
	%r14 = add i32 %r8, 1
	%p7 = icmp uge i32 %r8, 1000
	%r15 = select i1 %p7, i32 0, i32 %r14
	br label %b26

b26:
	%r17 = phi i32 [ %r15, %b6 ], [ %r20, %b27 ]
	%p8 = icmp ult i32 %r17, %r9
	br i1 %p8, label %b28, label %b25

b28:
	%t4 = zext i32 %r17 to i64
	%t5 = zext i32 4 to i64
	%d3 = mul i64 %t4, %t5
	%t6 = getelementptr i8, ptr addrspace(1) %d2, i64 %d3
	%r18 = load i32, ptr addrspace(1) %t6, align 4, !invariant.load !1
	%p9 = icmp eq i32 %r7, %r18
	br i1 %p9, label %b32, label %b31

b32:
	br label %b24

b31:
	%p10 = icmp ugt i32 %r18, 240
	br i1 %p10, label %b35, label %b27

b35:
	%p11 = icmp eq i32 %r18, 250
	br i1 %p11, label %b38, label %b40

b40:
	%p12 = icmp eq i32 %r18, 251
	br i1 %p12, label %b38, label %b27

b38:
	%r19 = add i32 %r17, 1000
	br label %b24

b27:
	%r20 = add i32 %r17, 1
	br label %b26

b25:
	br label %b24

b24:
	%r16 = phi i32 [ %r17, %b32 ], [ %r19, %b38 ], [ 9999, %b25 ]
	%t7 = zext i32 %r4 to i64
	%t8 = zext i32 16 to i64
	%d4 = mul i64 %t7, %t8
	br label %b44

b44:
	%r22 = phi i32 [ 0, %b24 ], [ %r32, %b45 ]
	%r23 = phi i32 [ 0, %b24 ], [ %r35, %b45 ]
	%p13 = icmp ult i32 %r23, 8
	br i1 %p13, label %b46, label %b43

b46:
	%r24 = mul i32 %r23, 13
	%r25 = add i32 %r4, %r24
	%p14 = icmp ult i32 %r25, 10
	br i1 %p14, label %b51, label %b52

b51:
	br label %b50

b52:
	%p15 = icmp ult i32 %r25, 100
	br i1 %p15, label %b54, label %b55

b54:
	%r29 = and i32 %r25, 1
	%p16 = icmp eq i32 %r29, 0
	br i1 %p16, label %b57, label %b56

b57:
	br label %b49

b56:
	br label %b53

b55:
	br label %b53

b53:
	%r28 = phi i32 [ 3, %b56 ], [ 2, %b55 ]
	br label %b50

b50:
	%r27 = phi i32 [ 0, %b51 ], [ %r28, %b53 ]
	br label %b49

b49:
	%r26 = phi i32 [ 1, %b57 ], [ %r27, %b50 ]
	%p17 = icmp eq i32 %r26, 2
	br i1 %p17, label %b60, label %b59

b60:
	%r30 = add i32 %r22, 100
	br label %b42

b59:
	br label %b63

b63:
	%r31 = phi i32 [ %r22, %b59 ], [ %r34, %b68 ]
	%r32 = add i32 %r26, %r31
	%r33 = and i32 %r32, 3
	%p18 = icmp ne i32 %r33, 0
	br i1 %p18, label %b45, label %b65

b65:
	%p19 = icmp ugt i32 %r32, 50
	br i1 %p19, label %b69, label %b68

b69:
	br label %b42

b68:
	%r34 = add i32 %r32, 1
	br label %b63

b45:
	%r35 = add i32 %r23, 1
	br label %b44

b43:
	br label %b42

b42:
	%r21 = phi i32 [ %r30, %b60 ], [ %r32, %b69 ], [ %r22, %b43 ]
	%r36 = mul i32 %r4, 7
	%p20 = icmp ult i32 %r36, 10
	br i1 %p20, label %b73, label %b74

b73:
	br label %b72

b74:
	%p21 = icmp ult i32 %r36, 100
	br i1 %p21, label %b76, label %b77

b76:
	%r40 = and i32 %r36, 1
	%p22 = icmp eq i32 %r40, 0
	br i1 %p22, label %b79, label %b78

b79:
	br label %b71

b78:
	br label %b75

b77:
	br label %b75

b75:
	%r39 = phi i32 [ 3, %b78 ], [ 2, %b77 ]
	br label %b72

b72:
	%r38 = phi i32 [ 0, %b73 ], [ %r39, %b75 ]
	br label %b71

b71:
	%r37 = phi i32 [ 1, %b79 ], [ %r38, %b72 ]
	%r41 = mul i32 %r37, 40
	br label %b83

b83:
	%r43 = phi i32 [ 0, %b71 ], [ %r53, %b84 ]
	%r44 = phi i32 [ 0, %b71 ], [ %r56, %b84 ]
	%p23 = icmp ult i32 %r44, 8
	br i1 %p23, label %b85, label %b82

b85:
	%r45 = mul i32 %r44, 13
	%r46 = add i32 %r41, %r45
	%p24 = icmp ult i32 %r46, 10
	br i1 %p24, label %b90, label %b91

b90:
	br label %b89

b91:
	%p25 = icmp ult i32 %r46, 100
	br i1 %p25, label %b93, label %b94

b93:
	%r50 = and i32 %r46, 1
	%p26 = icmp eq i32 %r50, 0
	br i1 %p26, label %b96, label %b95

b96:
	br label %b88

b95:
	br label %b92

b94:
	br label %b92

b92:
	%r49 = phi i32 [ 3, %b95 ], [ 2, %b94 ]
	br label %b89

b89:
	%r48 = phi i32 [ 0, %b90 ], [ %r49, %b92 ]
	br label %b88

b88:
	%r47 = phi i32 [ 1, %b96 ], [ %r48, %b89 ]
	%p27 = icmp eq i32 %r47, 2
	br i1 %p27, label %b99, label %b98

b99:
	%r51 = add i32 %r43, 100
	br label %b81

b98:
	br label %b102

b102:
	%r52 = phi i32 [ %r43, %b98 ], [ %r55, %b107 ]
	%r53 = add i32 %r47, %r52
	%r54 = and i32 %r53, 3
	%p28 = icmp ne i32 %r54, 0
	br i1 %p28, label %b84, label %b104

b104:
	%p29 = icmp ugt i32 %r53, 50
	br i1 %p29, label %b108, label %b107

b108:
	br label %b81

b107:
	%r55 = add i32 %r53, 1
	br label %b102

b84:
	%r56 = add i32 %r44, 1
	br label %b83

b82:
	br label %b81

b81:
	%r42 = phi i32 [ %r51, %b99 ], [ %r53, %b108 ], [ %r43, %b82 ]
	%p30 = icmp ult i32 %r42, 10
	br i1 %p30, label %b112, label %b113

b112:
	br label %b111

b113:
	%p31 = icmp ult i32 %r42, 100
	br i1 %p31, label %b115, label %b116

b115:
	%r60 = and i32 %r42, 1
	%p32 = icmp eq i32 %r60, 0
	br i1 %p32, label %b118, label %b117

b118:
	br label %b110

b117:
	br label %b114

b116:
	br label %b114

b114:
	%r59 = phi i32 [ 3, %b117 ], [ 2, %b116 ]
	br label %b111

b111:
	%r58 = phi i32 [ 0, %b112 ], [ %r59, %b114 ]
	br label %b110

b110:
	%r57 = phi i32 [ 1, %b118 ], [ %r58, %b111 ]
	%t9 = getelementptr i8, ptr addrspace(1) %d5, i64 %d4
	%t10 = insertelement <4 x i32> poison, i32 %r8, i32 0
	%t11 = insertelement <4 x i32> %t10, i32 %r16, i32 1
	%t12 = insertelement <4 x i32> %t11, i32 %r21, i32 2
	%t13 = insertelement <4 x i32> %t12, i32 %r57, i32 3
	store <4 x i32> %t13, ptr addrspace(1) %t9, align 16
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
