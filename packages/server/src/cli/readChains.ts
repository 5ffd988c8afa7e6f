import type { GatewayOptions } from '../app/options.ts'
import type { Reader } from './createReader.ts'
import { settings } from './settings.ts'

/** Reads the chains of the chains file, or the one chain of the single settings. */
export function readChains(reader: Reader): GatewayOptions['chains'] | undefined {
  let isListed = true
  const listed = reader.read(settings.pick({ LATCHKEY_CHAINS_FILE: true }), (values) => {
    isListed = values.LATCHKEY_CHAINS_FILE !== undefined
    return values.LATCHKEY_CHAINS_FILE
  })
  if (isListed) return listed
  return reader.read(
    settings.pick({
      LATCHKEY_NODE_URL: true,
      LATCHKEY_BUNDLER_URL: true,
      LATCHKEY_CHAIN_ID: true,
      LATCHKEY_PAYMASTER_06: true,
      LATCHKEY_PAYMASTER_07: true,
      LATCHKEY_PAYMASTER_08: true,
      LATCHKEY_PAYMASTER_09: true,
    }),
    (values) => [
      {
        chainId: values.LATCHKEY_CHAIN_ID,
        nodeUrls: [values.LATCHKEY_NODE_URL],
        bundlerUrls: [values.LATCHKEY_BUNDLER_URL],
        paymasters: {
          '0.6.0': values.LATCHKEY_PAYMASTER_06,
          '0.7.0': values.LATCHKEY_PAYMASTER_07,
          '0.8.0': values.LATCHKEY_PAYMASTER_08,
          '0.9.0': values.LATCHKEY_PAYMASTER_09,
        },
      },
    ],
  )
}
