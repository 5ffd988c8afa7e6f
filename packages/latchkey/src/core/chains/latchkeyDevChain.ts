import type { Address } from 'viem'
import { defineLatchkeyChain } from './defineLatchkeyChain.ts'
import { getLightAccountContracts } from './getLightAccountContracts.ts'
import { getModularAccountContracts } from './getModularAccountContracts.ts'
import { getMultiOwnerLightAccountContracts } from './getMultiOwnerLightAccountContracts.ts'
import { getPluginAddress } from './getPluginAddress.ts'
import type { LatchkeyChain } from './types.ts'

export declare namespace latchkeyDevChain {
  type Parameters = {
    /** Default 31337. */
    id?: number | undefined
    /** The chain node. Default `http://localhost:4109`. */
    nodeUrl?: string | undefined
    /** The gateway, with or without its `/v2` path. Default `http://localhost:4103`. */
    gatewayUrl?: string | undefined
    /** Default: those of a fresh dev world. */
    paymasters?: { '0.6.0'?: Address | undefined; '0.7.0'?: Address | undefined } | undefined
  }
  type ReturnType = LatchkeyChain
}

/** The chain of a local dev world at other ports or with another id. */
export function latchkeyDevChain(parameters: latchkeyDevChain.Parameters = {}): latchkeyDevChain.ReturnType {
  const { id = 31337, nodeUrl = 'http://localhost:4109', gatewayUrl = 'http://localhost:4103' } = parameters
  const { paymasters } = parameters
  return defineLatchkeyChain({
    chain: {
      id,
      name: 'Latchkey Dev',
      nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
      rpcUrls: { default: { http: [nodeUrl] } },
      // Blocks come as soon as there is a transaction, so looking often finds receipts early and costs nothing.
      blockTime: 100,
      testnet: true,
    },
    rpcBaseUrl: `${gatewayUrl.replace(/\/+$/, '').replace(/\/v2$/, '')}/v2`,
    entryPoints: {
      '0.6.0': { address: '0x5FF137D4b0FDCD49DcA30c7CF57E578a026d2789' },
      '0.7.0': { address: '0x0000000071727De22E5E9d8BAf0edAc6f37da032' },
    },
    lightAccount: {
      'v1.0.1': getLightAccountContracts({ version: 'v1.0.1' }),
      'v1.0.2': getLightAccountContracts({ version: 'v1.0.2' }),
      'v1.1.0': getLightAccountContracts({ version: 'v1.1.0' }),
      'v2.0.0': getLightAccountContracts({ version: 'v2.0.0' }),
    },
    multiOwnerLightAccount: { 'v2.0.0': getMultiOwnerLightAccountContracts({ version: 'v2.0.0' }) },
    paymasters: {
      '0.6.0': paymasters?.['0.6.0'] ?? '0x95bD8D42f30351685e96C62EDdc0d0613bf9a87A',
      '0.7.0': paymasters?.['0.7.0'] ?? '0x98eDDadCfde04dC22a0e62119617e74a6Bc77313',
    },
    modularAccount: getModularAccountContracts(),
    plugins: {
      MultiOwnerPlugin: getPluginAddress({ name: 'MultiOwnerPlugin' }),
      SessionKeyPlugin: getPluginAddress({ name: 'SessionKeyPlugin' }),
    },
  })
}
