import type { Address } from 'viem'
import {
  getLightAccountContracts,
  getModularAccountContracts,
  getMultiOwnerLightAccountContracts,
} from './accountContracts.ts'
import { defineLatchkeyChain } from './defineLatchkeyChain.ts'
import { type EntryPointVersion, entryPoints } from './entryPoints.ts'
import { getModularAccountV2Contracts } from './modularAccountV2Contracts.ts'
import { plugins } from './plugins.ts'
import type { LatchkeyChain } from './types.ts'

/** Chain of a local devnet (`npm start`) with the default ports and the default id, 31337. */
export const latchkeyDev: LatchkeyChain = /* @__PURE__ */ defineLatchkeyDevChain()

export declare namespace defineLatchkeyDevChain {
  type Parameters = {
    /** @default 31337 */
    id?: number | undefined
    /** URL of the chain's node. @default 'http://localhost:4109' */
    nodeUrl?: string | undefined
    /** URL of the gateway, with or without its `/v2` path. @default 'http://localhost:4103' */
    gatewayUrl?: string | undefined
    /** @default paymasters of a fresh devnet */
    paymasters?: { readonly [version in EntryPointVersion]?: Address | undefined } | undefined
  }
  type ReturnType = LatchkeyChain
}

/**
 * Defines the chain of a local devnet with other ports or another id; `latchkeyDev` is the chain with the defaults.
 *
 * @example
 * ```ts
 * import { defineLatchkeyDevChain } from 'latchkey/chains'
 *
 * export const secondDevnet = defineLatchkeyDevChain({
 *   id: 31338,
 *   nodeUrl: 'http://localhost:5109',
 *   gatewayUrl: 'http://localhost:5103',
 * })
 * ```
 */
export function defineLatchkeyDevChain(
  parameters: defineLatchkeyDevChain.Parameters = {},
): defineLatchkeyDevChain.ReturnType {
  const { id = 31337, nodeUrl = 'http://localhost:4109', gatewayUrl = 'http://localhost:4103' } = parameters
  const { paymasters } = parameters
  return defineLatchkeyChain({
    chain: {
      id,
      name: 'Latchkey Dev',
      nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
      rpcUrls: { default: { http: [nodeUrl] } },
      // Each transaction mines a block, so a short polling interval finds receipts early.
      blockTime: 100,
      testnet: true,
    },
    rpcBaseUrl: `${gatewayUrl.replace(/\/+$/, '').replace(/\/v2$/, '')}/v2`,
    gateway: true,
    entryPoints,
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
      '0.8.0': paymasters?.['0.8.0'] ?? '0xc039b3B46814D8388e5205D37Dd0D154D806F1f4',
      '0.9.0': paymasters?.['0.9.0'] ?? '0x2B15063A6F8a11d18404C801F295b1d19dCC8574',
    },
    modularAccount: getModularAccountContracts(),
    modularAccountV2: {
      default: getModularAccountV2Contracts({ mode: 'default' }),
      'single-signer': getModularAccountV2Contracts({ mode: 'single-signer' }),
      webauthn: getModularAccountV2Contracts({ mode: 'webauthn' }),
    },
    plugins: {
      MultiOwnerPlugin: plugins.MultiOwnerPlugin.address,
      SessionKeyPlugin: plugins.SessionKeyPlugin.address,
    },
  })
}
