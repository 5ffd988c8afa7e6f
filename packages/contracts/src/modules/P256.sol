// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// Verifies ECDSA signatures over P-256 (secp256r1), by the precompile of RIP-7212 and EIP-7951 or, where it is missing,
/// by arithmetic in Jacobian coordinates (some 450,000 gas).
library P256 {
    address private constant PRECOMPILE = address(0x100);

    uint256 private constant P = 0xffffffff00000001000000000000000000000000ffffffffffffffffffffffff;
    uint256 private constant N = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551;
    uint256 private constant B = 0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604b;
    uint256 private constant GX = 0x6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296;
    uint256 private constant GY = 0x4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5;

    /// Refuses high values of s, whose mirror would be a second signature.
    function verify(bytes32 hash, uint256 r, uint256 s, uint256 x, uint256 y) internal view returns (bool) {
        if (s > N / 2) return false;
        if (_accepts(hash, r, s, x, y)) return true;
        // An invalid signature and a missing precompile look the same, so it is asked about a valid one: that of the
        // key 1 with the nonce 1 over the hash 1. A client's placeholder then costs no more than a signature.
        if (_accepts(bytes32(uint256(1)), GX, GX + 1, GX, GY)) return false;
        return verifyWithoutPrecompile(hash, r, s, x, y);
    }

    function verifyWithoutPrecompile(bytes32 hash, uint256 r, uint256 s, uint256 x, uint256 y)
        internal
        view
        returns (bool)
    {
        if (r == 0 || r >= N || s == 0 || s >= N || !_isOnCurve(x, y)) return false;
        uint256 inverse = _power(s, N - 2, N);
        uint256[3] memory sum =
            _addMultiples(mulmod(uint256(hash), inverse, N), mulmod(r, inverse, N), x, y);
        if (sum[2] == 0) return false;
        // Compares x / z² with r, or with r + n where it is a coordinate, without an inversion.
        uint256 zz = mulmod(sum[2], sum[2], P);
        if (sum[0] == mulmod(r, zz, P)) return true;
        return r < P - N && sum[0] == mulmod(r + N, zz, P);
    }

    function _accepts(bytes32 hash, uint256 r, uint256 s, uint256 x, uint256 y) private view returns (bool) {
        (bool success, bytes memory result) = PRECOMPILE.staticcall(abi.encode(hash, r, s, x, y));
        return success && result.length == 32 && abi.decode(result, (uint256)) == 1;
    }

    function _isOnCurve(uint256 x, uint256 y) private pure returns (bool) {
        if (x >= P || y >= P || (x == 0 && y == 0)) return false;
        uint256 cubic = addmod(mulmod(mulmod(x, x, P), x, P), mulmod(P - 3, x, P), P);
        return mulmod(y, y, P) == addmod(cubic, B, P);
    }

    /// Returns u·G + v·Q: both scalars bit by bit, so that they share the doublings.
    function _addMultiples(uint256 u, uint256 v, uint256 x, uint256 y) private view returns (uint256[3] memory sum) {
        uint256[3] memory generator = [GX, GY, 1];
        uint256[3] memory key = [x, y, 1];
        uint256[3] memory both = [GX, GY, 1];
        _add(both, key);
        _normalize(both);
        for (uint256 bit = 256; bit > 0; --bit) {
            _double(sum);
            uint256 which = (u >> (bit - 1) & 1) | (v >> (bit - 1) & 1) << 1;
            if (which == 1) _add(sum, generator);
            else if (which == 2) _add(sum, key);
            else if (which == 3) _add(sum, both);
        }
    }

    /// Doubles a point in place; z is zero for the point at infinity.
    function _double(uint256[3] memory a) private pure {
        (uint256 x, uint256 y, uint256 z) = (a[0], a[1], a[2]);
        if (z == 0) return;
        uint256 zz = mulmod(z, z, P);
        uint256 yy = mulmod(y, y, P);
        uint256 beta = mulmod(x, yy, P);
        // 3·(x - z²)·(x + z²), since the curve's a is -3.
        uint256 alpha = mulmod(3, mulmod(addmod(x, P - zz, P), addmod(x, zz, P), P), P);
        uint256 fourBeta = mulmod(4, beta, P);
        uint256 newX = addmod(mulmod(alpha, alpha, P), P - mulmod(2, fourBeta, P), P);
        a[2] = mulmod(2, mulmod(y, z, P), P);
        a[1] = addmod(
            mulmod(alpha, addmod(fourBeta, P - newX, P), P), P - mulmod(8, mulmod(yy, yy, P), P), P
        );
        a[0] = newX;
    }

    /// Adds to `a`, in place, a point whose z is 1, or 0 at infinity.
    function _add(uint256[3] memory a, uint256[3] memory b) private pure {
        if (b[2] == 0) return;
        (uint256 x, uint256 y, uint256 z) = (a[0], a[1], a[2]);
        if (z == 0) {
            (a[0], a[1], a[2]) = (b[0], b[1], b[2]);
            return;
        }
        uint256 zz = mulmod(z, z, P);
        uint256 h = addmod(mulmod(b[0], zz, P), P - x, P);
        uint256 slope = addmod(mulmod(b[1], mulmod(zz, z, P), P), P - y, P);
        if (h == 0) {
            if (slope == 0) return _double(a);
            a[2] = 0;
            return;
        }
        uint256 hh = mulmod(h, h, P);
        uint256 hhh = mulmod(hh, h, P);
        uint256 xhh = mulmod(x, hh, P);
        uint256 newX = addmod(mulmod(slope, slope, P), P - addmod(hhh, mulmod(2, xhh, P), P), P);
        a[1] = addmod(mulmod(slope, addmod(xhh, P - newX, P), P), P - mulmod(y, hhh, P), P);
        a[0] = newX;
        a[2] = mulmod(z, h, P);
    }

    /// Makes z 1.
    function _normalize(uint256[3] memory a) private view {
        if (a[2] == 0) return;
        uint256 inverse = _power(a[2], P - 2, P);
        uint256 square = mulmod(inverse, inverse, P);
        a[0] = mulmod(a[0], square, P);
        a[1] = mulmod(a[1], mulmod(square, inverse, P), P);
        a[2] = 1;
    }

    /// Computes a power by the precompile of EIP-198.
    function _power(uint256 base, uint256 exponent, uint256 modulus) private view returns (uint256) {
        (, bytes memory result) = address(5).staticcall(abi.encode(32, 32, 32, base, exponent, modulus));
        return abi.decode(result, (uint256));
    }
}
