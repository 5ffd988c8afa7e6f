import { useSyncExternalStore } from 'react'
import type { Signer } from '../../signer/types.ts'
import { getSigner } from '../../wallet/actions/getSigner.ts'
import { watchSigner } from '../../wallet/actions/watchSigner.ts'
import { useLatchkeyContext } from '../context.ts'

export declare namespace useSigner {
  type ReturnType = Signer | null
}

/** The signer; null on the server and until the provider has mounted. */
export function useSigner(): useSigner.ReturnType {
  const { config } = useLatchkeyContext('useSigner')
  return useSyncExternalStore(
    watchSigner(config),
    () => getSigner(config),
    () => null,
  )
}
