import { p256 } from '@noble/curves/nist.js'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { z } from 'zod'
import { isPoint } from '../platform/crypto/encodings.ts'
import { requireEmail, toStoredEmail } from '../platform/http/emails.ts'
import { keyScopeSchema } from '../store/spendingRulesSchema.ts'
import { codeDigits } from './custodyLimits.ts'
import { parsePath } from './wallets/ethereumKey.ts'

/**
 * Control characters and unpaired surrogates, which are refused because a text can become a mail header or a log line.
 */
const control = /[\p{Cc}\p{Cs}]/u
const plainText = [(text: string) => !control.test(text), 'must hold no control characters'] as const

export const nameSchema = z
  .string()
  .min(1)
  .max(200)
  .refine(...plainText)

/** A text to search for. PostgreSQL refuses zero bytes. */
export const searchSchema = z
  .string()
  .max(4096)
  .refine(...plainText)

/** A plain mailbox that sign-in accepts, as it is stored. */
export const emailSchema = z
  .string()
  .max(254)
  .transform((text, context) => {
    try {
      requireEmail(text)
      return toStoredEmail(text)
    } catch {
      context.addIssue('Must provide a valid email.')
      return z.NEVER
    }
  })

export const codeSchema = z
  .string()
  .regex(new RegExp(`^\\d{${codeDigits.six},${codeDigits.long}}$`), 'must be the digits of the email, without spaces')

/** Seconds as a decimal string or a number. */
export const secondsSchema = z
  .union([z.string().regex(/^\d{1,10}$/, 'must be seconds as a decimal string'), z.int().min(0).max(9_999_999_999)])
  .transform(Number)
  .refine((seconds) => seconds > 0, 'must be more than 0 seconds')

/** Compressed P-256 point, hex. */
export const compressedKeySchema = z
  .string()
  .regex(/^0[23][0-9a-fA-F]{64}$/, { error: 'must be a compressed P-256 point in hex (66 digits)', abort: true })
  .transform((hex) => hex.toLowerCase())
  .refine((hex) => isPoint(hex), 'is not a point of P-256')

/** Uncompressed P-256 point, hex. */
export const uncompressedKeySchema = z
  .string()
  .regex(/^04[0-9a-fA-F]{128}$/, { error: 'must be an uncompressed P-256 point in hex (130 digits)', abort: true })
  .refine((hex) => isPoint(hex), 'is not a point of P-256')

/** Ethereum address in any case. */
export const addressSchema = z.string().regex(/^0x[0-9a-fA-F]{40}$/, 'must be an Ethereum address')

/** The signing key: an address, or the id of a private key. */
export const signWithSchema = z.union(
  [addressSchema, z.uuid()],
  'must be an Ethereum address or the id of a private key',
)

/** A UUID, in lower case as stored. */
export const idSchema = z.uuid().transform((id) => id.toLowerCase())

const apiKeyCurves = {
  API_KEY_CURVE_P256: { name: 'P-256', curve: p256 },
  API_KEY_CURVE_SECP256K1: { name: 'secp256k1', curve: secp256k1 },
} as const

/** An API key to add. Version 1 has no curve and implies P-256. */
export const apiKeySchema = z
  .strictObject({
    apiKeyName: nameSchema,
    publicKey: z
      .string()
      .regex(/^0[23][0-9a-fA-F]{64}$/, 'must be a compressed point in hex (66 digits)')
      .transform((hex) => hex.toLowerCase()),
    curveType: z.enum(['API_KEY_CURVE_P256', 'API_KEY_CURVE_SECP256K1']).default('API_KEY_CURVE_P256'),
    expirationSeconds: secondsSchema.optional(),
    scope: keyScopeSchema.optional(),
  })
  .superRefine(({ publicKey, curveType }, context) => {
    const { name, curve } = apiKeyCurves[curveType]
    if (!isPoint(publicKey, curve))
      context.addIssue({ code: 'custom', path: ['publicKey'], message: `is not a point of ${name}` })
  })

export const apiKeysSchema = z
  .array(apiKeySchema)
  .max(10)
  .refine((list) => new Set(list.map((key) => key.publicKey)).size === list.length, 'must hold each key once')

export const pathSchema = z.string().refine((path) => {
  try {
    return parsePath(path).length > 0
  } catch {
    return false
  }
}, "must be a BIP-32 path such as m/44'/60'/0'/0/0")

const notServed = "Solana's curve (CURVE_ED25519) and the chains that use it are not served"

/** The only curve of wallets and private keys. */
export const curveSchema = z.literal('CURVE_SECP256K1', `must be CURVE_SECP256K1: ${notServed}`)

export const accountsSchema = z
  .array(
    z.strictObject({
      curve: curveSchema,
      pathFormat: z.literal('PATH_FORMAT_BIP32'),
      path: pathSchema,
      addressFormat: z.literal('ADDRESS_FORMAT_ETHEREUM', `must be ADDRESS_FORMAT_ETHEREUM: ${notServed}`),
      name: nameSchema.optional(),
    }),
  )
  .max(10)
  .refine((list) => new Set(list.map((account) => account.path)).size === list.length, 'must hold each path once')

export const walletSchema = z.strictObject({
  walletName: nameSchema,
  accounts: accountsSchema,
  mnemonicLength: z.union([z.literal(12), z.literal(15), z.literal(18), z.literal(21), z.literal(24)]).optional(),
})

const base64urlSchema = z
  .string()
  .max(16_384)
  .regex(/^[A-Za-z0-9_+/-]+={0,2}$/, 'must be base64url')

/** A passkey's registration (custody protocol § 1.3). */
export const authenticatorSchema = z.strictObject({
  authenticatorName: nameSchema,
  challenge: base64urlSchema,
  attestation: z.strictObject({
    credentialId: base64urlSchema,
    attestationObject: base64urlSchema,
    clientDataJson: base64urlSchema,
    transports: z
      .array(
        z.enum(['BLE', 'INTERNAL', 'NFC', 'USB', 'HYBRID'].map((name) => `AUTHENTICATOR_TRANSPORT_${name}` as const)),
      )
      .max(5),
  }),
})
