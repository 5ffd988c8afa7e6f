import { hex } from '@scure/base'
import { openSealed } from '../bundles/hpke.ts'
import { hexMember, textMember } from '../bundles/members.ts'
import { openSigned } from '../bundles/openSigned.ts'
import { FrameError } from '../FrameError.ts'
import { type Account, readAccount } from '../view/account.ts'

export declare namespace openExportBundle {
  type Parameters = Omit<openSigned.Parameters, 'kind'> & { embeddedKey: CryptoKeyPair }
  type ReturnType = { secret: Uint8Array; account: Account }
}

/** Verifies and decrypts a secret that custody encrypted to this frame. Returns the secret and its account. */
export async function openExportBundle(parameters: openExportBundle.Parameters): Promise<openExportBundle.ReturnType> {
  const { embeddedKey, ...signed } = parameters
  const data = await openSigned({ ...signed, kind: 'export' })
  const secret = await openSealed({
    enc: hexMember(data, 'encappedPublic', 'the export bundle'),
    ciphertext: hexMember(data, 'ciphertext', 'the export bundle'),
    embeddedKey,
  })
  return { secret, account: readAccount(data, textMember(data, 'organizationId', 'the export bundle')) }
}

/** Returns a wallet's seed phrase, without a passphrase that may follow on the next line. */
export function seedPhraseText(opened: Uint8Array): string {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(opened)
  } catch (cause) {
    throw new FrameError('the export bundle holds no seed phrase', { cause })
  }
  const [phrase = ''] = text.split('\n')
  if (!/^[^\s]+( [^\s]+){11,23}$/.test(phrase)) throw new FrameError('the export bundle holds no seed phrase')
  return phrase
}

/** Returns a private key as `0x` and 64 hex digits. Rejects key formats of unsupported chains. */
export function privateKeyText(opened: Uint8Array, keyFormat: unknown): string {
  if (keyFormat !== undefined && keyFormat !== 'HEXADECIMAL') {
    throw new FrameError('unsupported key format: this frame shows keys as HEXADECIMAL')
  }
  if (opened.length !== 32) throw new FrameError('the export bundle holds no private key')
  return `0x${hex.encode(opened)}`
}
