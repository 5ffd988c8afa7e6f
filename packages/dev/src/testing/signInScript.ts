import type { Signer } from 'latchkey/signer'
import type { Devnet } from '../devnet/devnet.ts'
import { createScriptSigner } from './createScriptSigner.ts'
import { type createScriptWallet, openScriptWallet, type ScriptWallet } from './createScriptWallet.ts'
import { createSoftwarePasskey } from './createSoftwarePasskey.ts'

export declare namespace signInScript {
  type Options = createScriptWallet.Options &
    createScriptSigner.Options & {
      /** Passkey device of the user. @default a new device */
      passkey?: createSoftwarePasskey.ReturnType | undefined
      /** Name of a new passkey account. @default 'ada' if the device has no passkeys; otherwise signs in */
      username?: string | undefined
    }
  type ReturnType = ScriptWallet & {
    passkey: createSoftwarePasskey.ReturnType
    /** Signer of the user, for example to add passkeys or delete the account. */
    signer: Signer
  }
}

/**
 * Signs a user in from Node by passkey and returns the user's LightAccount. Custody, signer API and client run the same
 * steps as for a browser's passkeys.
 *
 * @throws `NO_USER_FOUND`, `PASSKEY_CANCELLED`
 *
 * @example
 * ```ts
 * import { signInScript, startTestDevnet } from 'latchkey-dev/testing'
 *
 * const devnet = await startTestDevnet({ example: false })
 * const ada = await signInScript(devnet)
 * const { isSponsored } = await ada.send({ target: '0x000000000000000000000000000000000000dEaD' })
 * // The same person again, as after the session's end.
 * await ada.signer.disconnect()
 * const { address } = await signInScript(devnet, { passkey: ada.passkey })
 * ```
 */
export async function signInScript(
  devnet: Pick<Devnet, 'urls' | 'chainId' | 'apiKey' | 'policyId'>,
  { passkey = createSoftwarePasskey(), username, appUrl, policyId }: signInScript.Options = {},
): Promise<signInScript.ReturnType> {
  const signer = createScriptSigner(devnet, passkey, { appUrl })
  const isNew = username !== undefined || passkey.ids().length === 0
  await signer.authenticate(
    isNew ? { type: 'passkey', createNew: true, username: username ?? 'ada' } : { type: 'passkey', createNew: false },
  )
  return { ...(await openScriptWallet(devnet, signer.toViemAccount(), { policyId })), passkey, signer }
}
