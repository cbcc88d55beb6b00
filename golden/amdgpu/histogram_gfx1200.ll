; LLVM IR written by gpuc for gfx1200
target triple = "amdgcn-amd-amdhsa"
@.shared_2_local_counts = internal addrspace(3) global [192 x i8] undef, align 16

define protected amdgpu_kernel void @main(ptr addrspace(1) noalias readonly align 16 %binding_0, ptr addrspace(1) noalias align 16 %binding_1, i32 %length_0) #0 {
begin:
  br label %b1
b1:
  %r1 = call i32 @llvm.amdgcn.workgroup.id.x()
  %r2 = mul i32 %r1, 64
  %r3 = call i32 @llvm.amdgcn.workitem.id.x()
  %r4 = add i32 %r2, %r3
  %t3 = call ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
  %t4 = getelementptr i8, ptr addrspace(4) %t3, i64 0
  %r5 = load i32, ptr addrspace(4) %t4, align 4, !invariant.load !1
  %r10 = add i32 %length_0, 0
  %d2 = getelementptr i8, ptr addrspace(1) %binding_0, i64 0
  %d4 = getelementptr i8, ptr addrspace(1) %binding_1, i64 0
  %p1 = icmp ult i32 %r3, 48
  br i1 %p1, label %b4, label %b3
b4:
  %r6 = mul i32 %r3, 4
  %t5 = getelementptr i8, ptr addrspace(3) @.shared_2_local_counts, i32 %r6
  store atomic i32 0, ptr addrspace(3) %t5 syncscope("workgroup") monotonic, align 4
  br label %b3
b3:
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  br label %b7
b7:
  %r7 = phi i32 [ %r3, %b3 ], [ %r9, %b9 ]
  %p2 = icmp ult i32 %r7, 48
  br i1 %p2, label %b9, label %b6
b9:
  %r8 = mul i32 %r7, 4
  %t6 = getelementptr i8, ptr addrspace(3) @.shared_2_local_counts, i32 %r8
  store atomic i32 0, ptr addrspace(3) %t6 syncscope("workgroup") monotonic, align 4
  %r9 = add i32 %r7, 64
  br label %b7
b6:
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %r11 = shl i32 %r5, 6
  br label %b13
b13:
  %r12 = phi i32 [ %r4, %b6 ], [ %r16, %b15 ]
  %p3 = icmp ult i32 %r12, %r10
  br i1 %p3, label %b15, label %b12
b15:
  %t7 = zext i32 %r12 to i64
  %t8 = zext i32 4 to i64
  %d1 = mul i64 %t7, %t8
  %t9 = getelementptr i8, ptr addrspace(1) %d2, i64 %d1
  %r13 = load i32, ptr addrspace(1) %t9, align 4, !invariant.load !1
  %r14 = urem i32 %r13, 48
  %r15 = mul i32 %r14, 4
  %t10 = getelementptr i8, ptr addrspace(3) @.shared_2_local_counts, i32 %r15
  %t11 = atomicrmw add ptr addrspace(3) %t10, i32 1 syncscope("workgroup") monotonic, align 4
  %r16 = add i32 %r11, %r12
  br label %b13
b12:
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  br label %b19
b19:
  %r17 = phi i32 [ %r3, %b12 ], [ %r20, %b20 ]
  %p4 = icmp ult i32 %r17, 48
  br i1 %p4, label %b21, label %b18
b21:
  %r18 = mul i32 %r17, 4
  %t12 = getelementptr i8, ptr addrspace(3) @.shared_2_local_counts, i32 %r18
  %r19 = load atomic i32, ptr addrspace(3) %t12 syncscope("workgroup") monotonic, align 4
  %p5 = icmp ne i32 %r19, 0
  br i1 %p5, label %b25, label %b20
b25:
  %t13 = zext i32 %r17 to i64
  %t14 = zext i32 4 to i64
  %d3 = mul i64 %t13, %t14
  %t15 = getelementptr i8, ptr addrspace(1) %d4, i64 %d3
  %t16 = atomicrmw add ptr addrspace(1) %t15, i32 %r19 syncscope("agent") monotonic, align 4
  br label %b20
b20:
  %r20 = add i32 %r17, 64
  br label %b19
b18:
  ret void
}

declare i32 @llvm.amdgcn.workgroup.id.x()
declare i32 @llvm.amdgcn.workitem.id.x()
declare ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
declare void @llvm.amdgcn.s.barrier()
attributes #0 = { norecurse nounwind "target-cpu"="gfx1200" "target-features"="+wavefrontsize32" "amdgpu-flat-work-group-size"="64,64" "uniform-work-group-size"="true" "amdgpu-no-workitem-id-y" "amdgpu-no-workgroup-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-workgroup-id-z" "amdgpu-no-dispatch-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-queue-ptr" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-lds-kernel-id" }
attributes #1 = { norecurse nounwind "target-cpu"="gfx1200" "target-features"="+wavefrontsize32" "amdgpu-no-workitem-id-x" "amdgpu-no-workgroup-id-x" "amdgpu-no-workitem-id-y" "amdgpu-no-workgroup-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-workgroup-id-z" "amdgpu-no-implicitarg-ptr" "amdgpu-no-dispatch-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-queue-ptr" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-lds-kernel-id" }

!llvm.module.flags = !{!0}
!0 = !{i32 1, !"amdhsa_code_object_version", i32 500}
!1 = !{}
!2 = !{float 2.5}
!llvm.ident = !{!3}
!3 = !{!"gpuc's LLVM IR"}
