import type { Address } from 'viem'
import { defineLatchkeyChain } from './defineLatchkeyChain.ts'
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
      'v1.1.0': {
        factory: '0x00004EC70002a32400f8ae005A26081065620D20',
        implementation: '0xae8c656ad28F2B59a196AB61815C16A0AE1c3cba',
      },
      'v2.0.0': {
        factory: '0x0000000000400CdFef5E2714E63d8040b700BC24',
        implementation: '0x8E8e658E22B12ada97B402fF0b044D6A325013C7',
      },
    },
    paymasters: {
      '0.6.0': paymasters?.['0.6.0'] ?? '0x95bD8D42f30351685e96C62EDdc0d0613bf9a87A',
      '0.7.0': paymasters?.['0.7.0'] ?? '0x98eDDadCfde04dC22a0e62119617e74a6Bc77313',
    },
    plugins: {},
  })
}
