import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import { p256 } from '@noble/curves/nist.js'
import type { createStamp } from '../crypto/createStamp.ts'

/**
 * Header with the client IP address that the signer API saw, for custody's limits: `address minute signature`. Signed
 * with the parent's API key over address, body and minute, so that nobody else can set an address. Internal: no client
 * sends it.
 */
export const clientAddressHeader = 'x-latchkey-client-address'

const minuteMs = 60_000
/** Maximum clock difference in minutes. */
const maxSkew = 2

export function createClientAddressSigner(
  apiKey: createStamp.ApiKey,
  now: () => number,
): (address: string, body: string) => string {
  const key = createPrivateKey({ key: toJwk(apiKey.publicKey, apiKey.privateKey), format: 'jwk' })
  return (address, body) => {
    const minute = Math.floor(now() / minuteMs)
    const signature = sign('sha256', content(address, body, minute), key).toString('base64url')
    return `${address} ${minute} ${signature}`
  }
}

/**
 * Returns a function that reads the header. It returns undefined unless the key signed the header for this body just
 * now.
 */
export function createClientAddressReader(
  publicKey: string,
  now: () => number,
): (header: string, body: Uint8Array) => string | undefined {
  const key: KeyObject = createPublicKey({ key: toJwk(publicKey), format: 'jwk' })
  return (header, body) => {
    const [, address = '', minute = '', signature = ''] = form.exec(header) ?? []
    if (Math.abs(Math.floor(now() / minuteMs) - Number(minute)) > maxSkew || address === '') return undefined
    const isSigned = verify('sha256', content(address, body, Number(minute)), key, Buffer.from(signature, 'base64url'))
    return isSigned ? address : undefined
  }
}

const form = /^([0-9a-f.:/]{2,43}|unknown) (\d{1,12}) ([\w-]{80,100})$/

/** The text is not JSON, so a stamp of the same key can never cover it. */
function content(address: string, body: string | Uint8Array, minute: number): Buffer {
  const hash = createHash('sha256').update(body).digest('hex')
  return Buffer.from(`latchkey client address\n${address}\n${hash}\n${minute}`)
}

function toJwk(publicKey: string, privateKey?: string) {
  const point = p256.Point.fromHex(publicKey.replace(/^0x/, '')).toBytes(false)
  const encode = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url')
  return {
    kty: 'EC',
    crv: 'P-256',
    x: encode(point.subarray(1, 33)),
    y: encode(point.subarray(33)),
    ...(privateKey !== undefined && { d: encode(Buffer.from(privateKey.replace(/^0x/, '').padStart(64, '0'), 'hex')) }),
  }
}
