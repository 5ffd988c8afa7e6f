import { createHash } from 'node:crypto'
import {
  createSigner,
  latchkeyEndpoints,
  memoryStorage,
  PasskeyCancelledError,
  PasskeyExistsError,
  PasskeyFailedError,
  type PasskeyPort,
  type Signer,
} from 'latchkey/signer'
import type { Devnet } from '../devnet/devnet.ts'
import { DevError } from '../errors.ts'
import type { createSoftwarePasskey } from './createSoftwarePasskey.ts'

export declare namespace createScriptSigner {
  type Options = {
    /** URL of the app, whose host is the relying party of new passkeys. @default URL of the devnet's wallet */
    appUrl?: string | undefined
  }
  type ReturnType = Signer
}

/**
 * Creates Latchkey's signer in Node, with a software passkey device instead of a browser. It signs users up and in by
 * passkey (`authenticate`); e-mail sign-in requires a browser.
 *
 * @example
 * ```ts
 * import { createScriptSigner, createSoftwarePasskey, startTestDevnet } from 'latchkey-dev/testing'
 *
 * const devnet = await startTestDevnet({ example: false })
 * const signer = createScriptSigner(devnet, createSoftwarePasskey())
 * const { address } = await signer.authenticate({ type: 'passkey', createNew: true, username: 'ada' })
 * ```
 */
export function createScriptSigner(
  devnet: Pick<Devnet, 'urls' | 'apiKey'>,
  passkey: createSoftwarePasskey.ReturnType,
  { appUrl = devnet.urls.wallet }: createScriptSigner.Options = {},
): createScriptSigner.ReturnType {
  const { origin, hostname } = new URL(appUrl)
  const storage = memoryStorage()
  return createSigner({
    client: {
      connection: { apiKey: devnet.apiKey },
      endpoints: latchkeyEndpoints(devnet.urls.signerApi),
      rpId: hostname,
    },
    platform: {
      readLink: () => null,
      storage: () => storage,
      onStorageChange: () => () => undefined,
      openFrame() {
        throw new DevError('A script has no frames.', {
          code: 'CLIENT_ONLY',
          hint: 'Sign in by passkey, or test in a browser: latchkey-dev/playwright.',
        })
      },
      passkeys: toPasskeyPort(passkey, origin, hostname),
    },
  })
}

/** Implements the client's passkey interface with the software device. */
function toPasskeyPort(passkey: createSoftwarePasskey.ReturnType, origin: string, ownRpId: string): PasskeyPort {
  return {
    async create({ username = '', rpId = ownRpId, options }) {
      const challenge = encode(crypto.getRandomValues(new Uint8Array(32)))
      const excluded = options?.publicKey?.excludeCredentials ?? []
      const made = asked(() =>
        passkey.create(
          {
            challenge,
            rp: { id: rpId, name: rpId },
            user: { id: encode(crypto.getRandomValues(new Uint8Array(32))), name: username },
            excludeCredentials: excluded.map(({ id }) => ({ id: encode(toBytes(id)) })),
          },
          origin,
        ),
      )
      const { id: credentialId, attestationObject, clientDataJSON: clientDataJson } = made
      const transports = ['AUTHENTICATOR_TRANSPORT_INTERNAL' as const]
      return { challenge, attestation: { credentialId, attestationObject, clientDataJson, transports } }
    },
    async stamp({ body, rpId = ownRpId, credentialId }) {
      // The protocol signs the digest's hexadecimal characters.
      const challenge = encode(Buffer.from(createHash('sha256').update(body).digest('hex')))
      const allowCredentials = credentialId === undefined ? [] : [{ id: credentialId }]
      const given = asked(() => passkey.get({ challenge, rpId, allowCredentials }, origin))
      const { id, clientDataJSON: clientDataJson, authenticatorData, signature } = given
      return { authenticatorData, clientDataJson, credentialId: id, signature }
    },
  }
}

/** Calls the device, and converts its errors to the client's errors. */
function asked<result>(ask: () => result): result {
  try {
    return ask()
  } catch (cause) {
    const { name, message } = cause as Error
    if (name === 'NotAllowedError') throw new PasskeyCancelledError(cause)
    if (name === 'InvalidStateError') throw new PasskeyExistsError(cause)
    throw new PasskeyFailedError(message, 'Look at the address of the app that the signer was made with.', cause)
  }
}

const encode = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url')
const toBytes = (source: ArrayBuffer | ArrayBufferView): Uint8Array =>
  ArrayBuffer.isView(source)
    ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength)
    : new Uint8Array(source)
