import type { Signer } from '../../signer/types.ts'
import { getSigner, watchSigner } from '../../wallet/actions/signer.ts'
import { useConfigValue } from '../query/useConfigValue.ts'

export declare namespace useSigner {
  type ReturnType = Signer | null
}

/**
 * Returns the signer; null on the server and until the provider has mounted.
 *
 * @throws `PROVIDER_MISSING`.
 *
 * @example
 * ```tsx
 * import { useSigner } from 'latchkey/react'
 *
 * export function Passkeys() {
 *   const signer = useSigner()
 *   const list = async () => console.log(await signer?.listAuthenticators())
 *   return <button disabled={!signer} onClick={list}>List my passkeys</button>
 * }
 * ```
 */
export function useSigner(): useSigner.ReturnType {
  return useSignerOf('useSigner')
}

/** Returns the signer to another hook. `hook` is that hook's name for the `PROVIDER_MISSING` error. */
export function useSignerOf(hook: string): useSigner.ReturnType {
  return useConfigValue(hook, watchSigner, getSigner)
}
