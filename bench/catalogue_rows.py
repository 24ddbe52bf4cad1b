# SPDX-License-Identifier: Apache-2.0
"""What the scripts share that write rows of a catalogue past the library."""
import hashlib


def key(text):  # 128 bits of SHA-256
    d = hashlib.sha256(text.encode()).digest()
    return int.from_bytes(d[:8], 'big', signed=True), int.from_bytes(d[8:16], 'big', signed=True)


def packed(targets):  # (to, kind) ascending, as store_int.h has it
    out, last = bytearray(), 0
    for to, kind in sorted(targets):
        n = (to - last) * 16 + kind
        last = to
        while n > 127:
            out.append(n & 127 | 128)
            n >>= 7
        out.append(n)
    return bytes(out)


def digest(text):  # a byte for the kind in front
    return b'\x02' + hashlib.sha256(text.encode()).digest()
