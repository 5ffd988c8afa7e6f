import { hex } from '@scure/base'
import type { ExportBundleData } from 'latchkey/wire'
import { FrameError } from '../FrameError.ts'
import { openSealed } from '../openSealed.ts'
import { fromDer } from './fromDer.ts'

export declare namespace openExportBundle {
  type Parameters = {
    /** JSON text of an export bundle. */
    bundle: string
    /** The only key whose bundles are opened: uncompressed P-256 point, 130 hex digits. Null opens none. */
    signingKey: string | null
    /** Organization the page asked for; undefined from a client that cannot tell. */
    organizationId: string | undefined
    embeddedKey: CryptoKeyPair
  }
  type ReturnType = Uint8Array
}

const bundleVersion = 'v1.0.0'

/**
 * Opens a secret the custody service sealed to this frame. Checked in this order: version, members, the pinned signing
 * key, the signature (ECDSA P-256, SHA-256, over the bytes of `data`), the organization; then HPKE.
 */
export async function openExportBundle(parameters: openExportBundle.Parameters): Promise<openExportBundle.ReturnType> {
  const { bundle, signingKey, organizationId, embeddedKey } = parameters
  const outer = parse(bundle, 'the export bundle')
  if (outer.version !== bundleVersion) throw new FrameError(`unsupported version: ${short(outer.version)}`)
  const [data, signature, key] = ['data', 'dataSignature', 'enclaveQuorumPublic'].map((name) => textMember(outer, name))
  if (signingKey === null) throw new FrameError('this frame was served without the key that signs export bundles')
  if (key !== signingKey) throw new FrameError('the export bundle is signed by a key this frame does not know')
  const bytes = decodeHex(data, 'data')
  if (!(await verify(signingKey, decodeHex(signature, 'dataSignature'), bytes))) {
    throw new FrameError('the signature of the export bundle is wrong')
  }
  const inner = parse(new TextDecoder().decode(bytes), 'the data of the export bundle') as Partial<ExportBundleData>
  const signedFor = textMember(inner, 'organizationId')
  if (organizationId !== undefined && organizationId !== signedFor) {
    throw new FrameError('organization id does not match: the export bundle is of another organization')
  }
  return openSealed({
    enc: decodeHex(textMember(inner, 'encappedPublic'), 'encappedPublic'),
    ciphertext: decodeHex(textMember(inner, 'ciphertext'), 'ciphertext'),
    embeddedKey,
  })
}

async function verify(signingKey: string, der: Uint8Array, bytes: Uint8Array<ArrayBuffer>): Promise<boolean> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', decodeHex(signingKey, 'the pinned key'), algorithm, false, [
    'verify',
  ])
  return crypto.subtle.verify(algorithm, key, fromDer(der), bytes)
}

function parse(text: string, what: string): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new FrameError(`${what} is not JSON`, { cause })
  }
  if (typeof value !== 'object' || value === null) throw new FrameError(`${what} is not a JSON object`)
  return value as Record<string, unknown>
}

function textMember(object: Partial<Record<string, unknown>>, name: string): string {
  const value = object[name]
  if (typeof value !== 'string' || value === '') throw new FrameError(`the export bundle has no ${name}`)
  return value
}

function decodeHex(text: string | undefined, what: string): Uint8Array<ArrayBuffer> {
  try {
    return new Uint8Array(hex.decode(text ?? ''))
  } catch (cause) {
    throw new FrameError(`${what} of the export bundle is not hex`, { cause })
  }
}

/** A version is a word; anything longer is not repeated. */
function short(value: unknown): string {
  return String(value).slice(0, 20)
}
