import { getSignerStatus, watchSignerStatus } from '../wallet/actions/signer.ts'
import { ProviderRpcError } from '../wallet/provider/ProviderRpcError.ts'
import type { LatchkeyConfig } from '../wallet/store/types.ts'

/** Pending sign-in of each config. Callers share it while the dialog is open. */
const waiting = new WeakMap<LatchkeyConfig, Promise<void>>()

/** Opens the dialog. Resolves when the user is signed in, and rejects (4001) if the user closes it first. */
export function signInByDialog(config: LatchkeyConfig): Promise<void> {
  const known = waiting.get(config)
  if (known) return known
  const asked = openAndWait(config).finally(() => waiting.delete(config))
  waiting.set(config, asked)
  return asked
}

async function openAndWait(config: LatchkeyConfig): Promise<void> {
  const { open } = config.dialog
  if (!open) {
    const rest = 'Render LatchkeyProvider with this config above, or give the connector `signIn`.'
    throw new ProviderRpcError('unauthorized', `Nobody is signed in, and the page has no sign-in dialog. ${rest}`)
  }
  let stop: (() => void) | undefined
  try {
    await new Promise<void>((resolve, reject) => {
      stop = watchSignerStatus(config)(({ isConnected }) => isConnected && resolve())
      open(() => {
        if (getSignerStatus(config).isConnected) resolve()
        else reject(new ProviderRpcError('userRejected', 'The user closed the sign-in dialog.'))
      })
    })
  } finally {
    stop?.()
  }
}
