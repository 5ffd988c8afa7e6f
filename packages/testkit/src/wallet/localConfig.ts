import { sepolia } from 'viem/chains'
import { latchkeyDev } from '../../../latchkey/src/core/chains/latchkeyDev.ts'
import { followSigner } from '../../../latchkey/src/wallet/actions/session.ts'
import { createConfig } from '../../../latchkey/src/wallet/createConfig.ts'
import { localSigner } from './localSigner.ts'
import { memoryPlatform } from './memoryPlatform.ts'

/** Creates an in-memory config with two chains and a local signer that is signed out. */
export function localConfig() {
  const connections = [
    { chain: latchkeyDev, apiKey: 'key' },
    { chain: sepolia, rpcUrl: 'http://127.0.0.1:1' },
  ]
  const signerConnection = { apiKey: 'key' }
  const config = createConfig({ chain: latchkeyDev, connections, signerConnection, platform: memoryPlatform() })
  const person = localSigner()
  config.clientStore.setState({ signer: person.signer })
  followSigner(config, person.signer)
  return { config, person }
}
