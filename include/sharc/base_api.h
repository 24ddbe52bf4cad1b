/* SPDX-License-Identifier: Apache-2.0
 *
 * What a declaration of the library needs, and which tier a header belongs to.
 *
 * SHARC_API_BEGIN … SHARC_API_END: the public interface. The header is installed, its
 * functions are in the shared library's table of symbols (src/exports.txt), and
 * docs/library.md says what is promised. It includes public headers only.
 *
 * SHARC_PRIVATE_BEGIN … SHARC_PRIVATE_END: one room of sharc for the others. The header
 * is not installed, its functions stay inside the library.
 *
 * Both give C linkage to C++ programs. tools/check-exports holds headers, list and
 * library against each other.
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

#define SHARC_PRIVATE_BEGIN SHARC_EXTERN_C_BEGIN
#define SHARC_PRIVATE_END SHARC_EXTERN_C_END

#endif
