import { createHmac } from 'node:crypto'

export declare namespace createTotp {
  type ReturnType = {
    /**
     * Returns the six digits that the app shows at a time. The server accepts the code of each 30 seconds once: pass
     * `ahead: 1` for a second code of the same moment, which it accepts as well.
     *
     * `atMs`: milliseconds since 1970, by default now.
     */
    code(options?: { atMs?: number | undefined; ahead?: number | undefined }): string
  }
}

const stepMs = 30_000

/**
 * Returns an authenticator app (TOTP, RFC 6238) that has scanned the QR code of a new second factor.
 *
 * @example
 * ```ts
 * import { createTotp } from 'latchkey-dev/testing'
 *
 * // Of `addMFA` of `useMFA`:
 * const multiFactorTotpUrl = 'otpauth://totp/App:ann?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=App'
 * const totp = createTotp(multiFactorTotpUrl)
 * console.log(totp.code())
 * ```
 */
export function createTotp(url: string): createTotp.ReturnType {
  const secret = decodeBase32(new URL(url).searchParams.get('secret') ?? '')
  return {
    code({ atMs = Date.now(), ahead = 0 } = {}) {
      const counter = Buffer.alloc(8)
      counter.writeBigUInt64BE(BigInt(Math.floor(atMs / stepMs) + ahead))
      const digest = createHmac('sha1', secret).update(counter).digest()
      const number = digest.readUInt32BE((digest.at(-1) ?? 0) & 15) & 0x7fff_ffff
      return String(number % 1_000_000).padStart(6, '0')
    },
  }
}

/** Decodes base32 without padding (RFC 4648 § 6). */
function decodeBase32(text: string): Buffer {
  const bits = [...text].map((letter) =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'),
  )
  const bytes = bits.join('').match(/.{8}/g) ?? []
  return Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)))
}
