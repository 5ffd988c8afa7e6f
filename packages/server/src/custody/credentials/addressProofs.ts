import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { open, seal } from '../../keys/seal.ts'
import { custodyError } from '../custodyError.ts'
import { addressProofMs } from '../custodyLimits.ts'
import type { CustodyContext } from '../deps.ts'
import { codeExpired } from './mailCodes.ts'

/** Data of a code that was e-mailed to an address. */
export type AddressCode = {
  id: string
  contact: string
  code: string
  /** Parent organization whose user may get the address, and the key that requested the code. */
  rootOrgId: string
  credentialId: string
  /** Requester whose e-mail budget the code is charged to. */
  asker: string | null
  expiresAtMs: number
}

type Keys = Pick<CustodyContext, 'macKey'>
const ticketAad = new TextEncoder().encode('latchkey address code')

/** Seals a code's data into its public id, so that no table stores an address that has no account. */
export function sealAddressCode({ macKey }: Keys, code: AddressCode): string {
  const box = seal(deriveKey(macKey, 'code'), new TextEncoder().encode(JSON.stringify(code)), ticketAad)
  return Buffer.from(box).toString('base64url')
}

/**
 * Opens the id of a code that this custody created.
 *
 * @throws `OTP_EXPIRED` for any other, and for an expired code.
 */
export function openAddressCode({ macKey, now }: Keys & Pick<CustodyContext, 'now'>, otpId: string): AddressCode {
  let code: AddressCode
  try {
    const bytes = open(deriveKey(macKey, 'code'), Buffer.from(otpId, 'base64url'), ticketAad)
    code = JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    throw codeExpired()
  }
  if (code.expiresAtMs <= now()) throw codeExpired()
  return code
}

const claimsSchema = z.object({ contact: z.string(), iss: z.uuid(), jti: z.uuid(), exp: z.number() })
/** `contact`: the address; `iss`: the parent organization; `exp`: seconds. */
export type AddressProof = z.output<typeof claimsSchema>
const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

/**
 * Creates a JWT (RFC 7519) proving that the owner of an address typed the code e-mailed there. Published clients read
 * `contact`.
 */
export function createAddressProof({ macKey, now }: Keys & Pick<CustodyContext, 'now'>, code: AddressCode): string {
  const claims = { contact: code.contact, iss: code.rootOrgId, jti: code.id }
  const exp = Math.floor((now() + addressProofMs) / 1000)
  const text = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode({ ...claims, exp } satisfies AddressProof)}`
  return `${text}.${sign(macKey, text).toString('base64url')}`
}

export declare namespace readAddressProof {
  type Parameters = {
    token: string
    /** Address that the token must prove. */
    email: string
    rootOrgId: string
    /** Time at which the request with the token was received. */
    at: Date
  }
}

/**
 * Reads the proof in a token of {@link createAddressProof}.
 *
 * @throws `REQUEST_INVALID` for a token that is expired, is for another address or parent, or was not created by
 * custody.
 */
export function readAddressProof({ macKey }: Keys, parameters: readAddressProof.Parameters): AddressProof {
  const { token, email, rootOrgId, at } = parameters
  const [header = '', payload = '', signature = ''] = token.split('.')
  const expected = sign(macKey, `${header}.${payload}`)
  const given = Buffer.from(signature, 'base64url')
  if (given.length !== expected.length || !timingSafeEqual(given, expected))
    throw proofRefused('is not one of this server')
  const claims = claimsSchema.parse(JSON.parse(Buffer.from(payload, 'base64url').toString()))
  if (claims.iss !== rootOrgId || claims.contact.toLowerCase() !== email.toLowerCase())
    throw proofRefused('proves another address')
  if (claims.exp * 1000 <= at.getTime()) throw proofRefused('has expired')
  return claims
}

export const proofRefused = (what: string) =>
  custodyError(
    'REQUEST_INVALID',
    `The verificationToken ${what}. Ask for a new code (init_otp, verify_otp), or omit it: the owner of the address then confirms by email.`,
  )

function sign(macKey: Uint8Array, text: string): Buffer {
  return createHmac('sha256', deriveKey(macKey, 'proof')).update(text, 'utf8').digest()
}

/** Derives separate keys, so that a row's MAC, a proof and a code are never valid in place of each other. */
function deriveKey(macKey: Uint8Array, use: 'code' | 'proof'): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', macKey, '', `latchkey address ${use}`, 32))
}
