/* SPDX-License-Identifier: Apache-2.0
 *
 * What a declaration of the library needs: C linkage for C++ programs, and a place in
 * the shared library's list of symbols. Headers that are installed stand between
 * SHARC_API_BEGIN and SHARC_API_END; everything else stays inside the library.
 */
#ifndef SHARC_BASE_API_H
#define SHARC_BASE_API_H

#ifdef __cplusplus
#define SHARC_EXTERN_C_BEGIN extern "C" {
#define SHARC_EXTERN_C_END }
#else
#define SHARC_EXTERN_C_BEGIN
#define SHARC_EXTERN_C_END
#endif

#define SHARC_API_BEGIN _Pragma("GCC visibility push(default)") SHARC_EXTERN_C_BEGIN
#define SHARC_API_END SHARC_EXTERN_C_END _Pragma("GCC visibility pop")

#endif
