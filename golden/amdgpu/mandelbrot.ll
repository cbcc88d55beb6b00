; LLVM IR written by gpuc for gfx1100
target triple = "amdgcn-amd-amdhsa"

define protected amdgpu_kernel void @main(ptr addrspace(1) noalias align 16 %binding_0, i32 %length_0) #0 {
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
	%r9 = add i32 %length_0, 0
	%d2 = getelementptr i8, ptr addrspace(1) %binding_0, i64 0
	%p1 = icmp uge i32 %r4, 61
	%p2 = icmp uge i32 %r8, 45
	%p3 = or i1 %p1, %p2
	br i1 %p3, label %b4, label %b3

b4:
	ret void

b3:
	%r10 = uitofp i32 %r4 to float
	%r11 = call float @llvm.fma.f32(float %r10, float 0x3FA8000000000000, float 0xC000000000000000)
	%r12 = uitofp i32 %r8 to float
	%r13 = call float @llvm.fma.f32(float %r12, float 0x3FA8000000000000, float 0xBFF0800000000000)
	br label %b7

b7:
	%r14 = phi float [ 0x0000000000000000, %b3 ], [ %r21, %b12 ]
	%r15 = phi float [ 0x0000000000000000, %b3 ], [ %r23, %b12 ]
	%r16 = phi i32 [ 0, %b3 ], [ %r24, %b12 ]
	%p4 = icmp ult i32 %r16, 100
	br i1 %p4, label %b9, label %b6

b9:
	%r17 = fmul float %r14, %r14
	%r18 = call float @llvm.fma.f32(float %r15, float %r15, float %r17)
	%p5 = fcmp ogt float %r18, 0x4010000000000000
	br i1 %p5, label %b6, label %b12

b12:
	%r19 = fneg float %r15
	%r20 = call float @llvm.fma.f32(float %r19, float %r15, float %r17)
	%r21 = fadd float %r11, %r20
	%r22 = fmul float %r14, 0x4000000000000000
	%r23 = call float @llvm.fma.f32(float %r15, float %r22, float %r13)
	%r24 = add i32 %r16, 1
	br label %b7

b6:
	%r25 = mul i32 %r8, 61
	%r26 = add i32 %r4, %r25
	%p6 = icmp ult i32 %r26, %r9
	br i1 %p6, label %b16, label %b15

b16:
	%t1 = zext i32 %r26 to i64
	%t2 = zext i32 4 to i64
	%d1 = mul i64 %t1, %t2
	%t3 = getelementptr i8, ptr addrspace(1) %d2, i64 %d1
	store i32 %r16, ptr addrspace(1) %t3, align 4
	br label %b15

b15:
	ret void
}

declare i32 @llvm.amdgcn.workgroup.id.x()

declare i32 @llvm.amdgcn.workitem.id.x()

declare i32 @llvm.amdgcn.workgroup.id.y()

declare i32 @llvm.amdgcn.workitem.id.y()

declare float @llvm.fma.f32(float %0, float %1, float %2)

attributes #0 = { norecurse nounwind "target-cpu"="gfx1100" "target-features"="+wavefrontsize32" "amdgpu-flat-work-group-size"="64,64" "uniform-work-group-size"="true" "amdgpu-no-workitem-id-z" "amdgpu-no-workgroup-id-z" "amdgpu-no-implicitarg-ptr" "amdgpu-no-dispatch-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-queue-ptr" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-lds-kernel-id" }
attributes #1 = { norecurse nounwind "target-cpu"="gfx1100" "target-features"="+wavefrontsize32" "amdgpu-no-workitem-id-x" "amdgpu-no-workgroup-id-x" "amdgpu-no-workitem-id-y" "amdgpu-no-workgroup-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-workgroup-id-z" "amdgpu-no-implicitarg-ptr" "amdgpu-no-dispatch-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-queue-ptr" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-lds-kernel-id" }

!llvm.ident = !{!3}
!llvm.module.flags = !{!0}

!0 = !{i32 1, !"amdhsa_code_object_version", i32 500}
!1 = !{}
!2 = !{float 2.5}
!3 = !{!"gpuc's LLVM IR"}
