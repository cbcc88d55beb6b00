; LLVM IR written by gpuc for gfx1100
target triple = "amdgcn-amd-amdhsa"

define protected amdgpu_kernel void @main(ptr addrspace(1) noalias align 16 %binding_0, i32 %length_0, ptr addrspace(4) byref([40 x i8]) align 16 %immediates) #0 {
begin:
	br label %b1

b1:
	%r1 = call i32 @llvm.amdgcn.workgroup.id.x()
	%r2 = mul i32 %r1, 4
	%r3 = call i32 @llvm.amdgcn.workitem.id.x()
	%r4 = add i32 %r2, %r3
	%r5 = add i32 %length_0, 0
	%d2 = getelementptr i8, ptr addrspace(1) %binding_0, i64 0
	%t1 = getelementptr i8, ptr addrspace(4) %immediates, i64 14
	%h1 = load half, ptr addrspace(4) %t1, align 2, !invariant.load !1
	%t2 = getelementptr i8, ptr addrspace(4) %immediates, i64 16
	%r6 = load i32, ptr addrspace(4) %t2, align 4, !invariant.load !1
	%t3 = getelementptr i8, ptr addrspace(4) %immediates, i64 28
	%t4 = load <2 x half>, ptr addrspace(4) %t3, align 4, !invariant.load !1
	%h2 = extractelement <2 x half> %t4, i32 0
	%h3 = extractelement <2 x half> %t4, i32 1
	%t5 = getelementptr i8, ptr addrspace(4) %immediates, i64 32
	%t6 = load <4 x half>, ptr addrspace(4) %t5, align 16, !invariant.load !1
	%h4 = extractelement <4 x half> %t6, i32 0
	%h5 = extractelement <4 x half> %t6, i32 1
	%h6 = extractelement <4 x half> %t6, i32 2
	%h7 = extractelement <4 x half> %t6, i32 3
	%r7 = mul i32 %r4, 5
	%h8 = load half, ptr addrspace(4) %immediates, align 2, !invariant.load !1
	%t7 = getelementptr i8, ptr addrspace(4) %immediates, i64 2
	%h9 = load half, ptr addrspace(4) %t7, align 2, !invariant.load !1
	%h10 = fsub half %h8, %h9
	%r8 = fpext half %h10 to float
	%r9 = urem i32 %r4, 3
	%t8 = getelementptr i8, ptr addrspace(4) %immediates, i64 8
	%t9 = load <2 x half>, ptr addrspace(4) %t8, align 8, !invariant.load !1
	%h11 = extractelement <2 x half> %t9, i32 0
	%h12 = extractelement <2 x half> %t9, i32 1
	%t10 = getelementptr i8, ptr addrspace(4) %immediates, i64 12
	%h13 = load half, ptr addrspace(4) %t10, align 4, !invariant.load !1
	%p1 = icmp eq i32 %r9, 1
	%h14 = select i1 %p1, half %h12, half %h13
	%p2 = icmp eq i32 %r9, 0
	%h15 = select i1 %p2, half %h11, half %h14
	%r10 = fpext half %h15 to float
	%r11 = fadd float %r8, %r10
	%p3 = icmp ult i32 %r7, %r5
	br i1 %p3, label %b4, label %b3

b4:
	%t11 = zext i32 %r7 to i64
	%t12 = zext i32 4 to i64
	%d1 = mul i64 %t11, %t12
	%t13 = getelementptr i8, ptr addrspace(1) %d2, i64 %d1
	store float %r11, ptr addrspace(1) %t13, align 4
	br label %b3

b3:
	%r12 = add i32 %r7, 1
	%r13 = fpext half %h1 to float
	%r14 = uitofp i32 %r6 to float
	%r15 = fmul float %r13, %r14
	%p4 = icmp ult i32 %r12, %r5
	br i1 %p4, label %b7, label %b6

b7:
	%t14 = zext i32 %r12 to i64
	%t15 = zext i32 4 to i64
	%d3 = mul i64 %t14, %t15
	%t16 = getelementptr i8, ptr addrspace(1) %d2, i64 %d3
	store float %r15, ptr addrspace(1) %t16, align 4
	br label %b6

b6:
	%r16 = add i32 %r7, 2
	%r17 = mul i32 %r9, 4
	%t17 = getelementptr i8, ptr addrspace(4) %immediates, i32 %r17
	%t18 = getelementptr i8, ptr addrspace(4) %t17, i64 20
	%t19 = load <2 x half>, ptr addrspace(4) %t18, align 4, !invariant.load !1
	%h16 = extractelement <2 x half> %t19, i32 0
	%h17 = extractelement <2 x half> %t19, i32 1
	%r18 = fpext half %h17 to float
	%p5 = icmp ult i32 %r16, %r5
	br i1 %p5, label %b10, label %b9

b10:
	%t20 = zext i32 %r16 to i64
	%t21 = zext i32 4 to i64
	%d4 = mul i64 %t20, %t21
	%t22 = getelementptr i8, ptr addrspace(1) %d2, i64 %d4
	store float %r18, ptr addrspace(1) %t22, align 4
	br label %b9

b9:
	%r19 = add i32 %r7, 3
	%r20 = and i32 %r4, 3
	%p6 = icmp eq i32 %r20, 2
	%h18 = select i1 %p6, half %h6, half %h7
	%p7 = icmp eq i32 %r20, 1
	%h19 = select i1 %p7, half %h5, half %h18
	%p8 = icmp eq i32 %r20, 0
	%h20 = select i1 %p8, half %h4, half %h19
	%h21 = fadd half %h2, %h20
	%r21 = fpext half %h21 to float
	%p9 = icmp ult i32 %r19, %r5
	br i1 %p9, label %b13, label %b12

b13:
	%t23 = zext i32 %r19 to i64
	%t24 = zext i32 4 to i64
	%d5 = mul i64 %t23, %t24
	%t25 = getelementptr i8, ptr addrspace(1) %d2, i64 %d5
	store float %r21, ptr addrspace(1) %t25, align 4
	br label %b12

b12:
	%r22 = add i32 %r7, 4
	%p10 = icmp ult i32 %r22, %r5
	br i1 %p10, label %b16, label %b15

b16:
	%t26 = zext i32 %r22 to i64
	%t27 = zext i32 4 to i64
	%d6 = mul i64 %t26, %t27
	%t28 = getelementptr i8, ptr addrspace(1) %d2, i64 %d6
	store float 0x0000000000000000, ptr addrspace(1) %t28, align 4
	br label %b15

b15:
	ret void
}

declare i32 @llvm.amdgcn.workgroup.id.x()

declare i32 @llvm.amdgcn.workitem.id.x()

attributes #0 = { norecurse nounwind "target-cpu"="gfx1100" "target-features"="+wavefrontsize32" "amdgpu-flat-work-group-size"="4,4" "uniform-work-group-size"="true" "amdgpu-no-workitem-id-y" "amdgpu-no-workgroup-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-workgroup-id-z" "amdgpu-no-implicitarg-ptr" "amdgpu-no-dispatch-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-queue-ptr" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-lds-kernel-id" }
attributes #1 = { norecurse nounwind "target-cpu"="gfx1100" "target-features"="+wavefrontsize32" "amdgpu-no-workitem-id-x" "amdgpu-no-workgroup-id-x" "amdgpu-no-workitem-id-y" "amdgpu-no-workgroup-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-workgroup-id-z" "amdgpu-no-implicitarg-ptr" "amdgpu-no-dispatch-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-queue-ptr" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-lds-kernel-id" }

!llvm.ident = !{!3}
!llvm.module.flags = !{!0}

!0 = !{i32 1, !"amdhsa_code_object_version", i32 500}
!1 = !{}
!2 = !{float 2.5}
!3 = !{!"gpuc's LLVM IR"}
