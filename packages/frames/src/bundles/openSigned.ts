import { hex } from '@scure/base'
import { FrameError } from '../FrameError.ts'
import { fromDer } from './der.ts'
import { hexMember, parseObject, textMember } from './members.ts'

export declare namespace openSigned {
  type Parameters = {
    /** JSON text of a signed bundle. */
    bundle: string
    kind: 'export' | 'import'
    /** The only trusted signing key: uncompressed P-256 point, 130 hex digits. Null trusts none. */
    signingKey: string | null
    /** Required organization; undefined if the client does not send it. */
    organizationId: string | undefined
  }
  /** Members of the signed data. */
  type ReturnType = Record<string, unknown>
}

const bundleVersion = 'v1.0.0'

/**
 * Verifies that custody signed a bundle for this frame and returns the signed data. Checks in this order: version,
 * members, the pinned signing key, the signature (ECDSA P-256, SHA-256, over the bytes of `data`), the organization.
 */
export async function openSigned(parameters: openSigned.Parameters): Promise<openSigned.ReturnType> {
  const { bundle, kind, signingKey, organizationId } = parameters
  const what = `the ${kind} bundle`
  const outer = parseObject(bundle, what)
  // Error messages do not repeat text that is longer than a version number.
  if (outer.version !== bundleVersion)
    throw new FrameError(`unsupported version: ${String(outer.version).slice(0, 20)}`)
  const [data, signature] = [hexMember(outer, 'data', what), hexMember(outer, 'dataSignature', what)]
  const signer = textMember(outer, 'enclaveQuorumPublic', what)
  if (signingKey === null) throw new FrameError(`this frame was served without the key that signs ${kind} bundles`)
  if (signer !== signingKey) throw new FrameError(`${what} is signed by a key this frame does not know`)
  if (!(await verify(signingKey, signature, data))) throw new FrameError(`the signature of ${what} is wrong`)
  const signed = parseObject(new TextDecoder().decode(data), `the data of ${what}`)
  const signedFor = textMember(signed, 'organizationId', what)
  if (organizationId !== undefined && organizationId !== signedFor) {
    throw new FrameError(`organization id does not match: ${what} is of another organization`)
  }
  return signed
}

async function verify(signingKey: string, der: Uint8Array, bytes: Uint8Array<ArrayBuffer>): Promise<boolean> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
  const point = new Uint8Array(hex.decode(signingKey))
  const key = await crypto.subtle.importKey('raw', point, algorithm, false, ['verify'])
  return crypto.subtle.verify(algorithm, key, fromDer(der), bytes)
}
