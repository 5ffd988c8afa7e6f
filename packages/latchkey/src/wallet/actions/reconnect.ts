import { createSigner } from '../../signer/createSigner.ts'
import { followSigner } from '../store/followSigner.ts'
import type { LatchkeyConfig } from '../store/types.ts'
import { createKnownAccounts } from './createKnownAccounts.ts'

/**
 * Makes the signer of a config, once, and brings back the accounts of the last visit when it connects. Does nothing on
 * a server.
 */
export async function reconnect(config: LatchkeyConfig): Promise<void> {
  const { signer, config: client } = config.clientStore.getState()
  if (signer || !client.platform) return
  const { connection, endpoints, iframeConfig, rootOrgId, rpId, sessionConfig, platform } = client
  const made = createSigner({
    client: { connection, endpoints, iframeConfig, rootOrgId, rpId },
    sessionConfig,
    platform,
  })
  config.clientStore.setState({ signer: made })
  followSigner(config, made)
  made.on('connected', () => createKnownAccounts(config))
}
