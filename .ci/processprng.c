/* bcryptprimitives.dll for Debian's Wine 8, which lacks ProcessPrng; Go takes random numbers from it. */
#include <windows.h>

BOOLEAN NTAPI SystemFunction036(PVOID, ULONG);

__declspec(dllexport) BOOL WINAPI ProcessPrng(BYTE *data, SIZE_T size) {
  return SystemFunction036(data, (ULONG)size);
}
