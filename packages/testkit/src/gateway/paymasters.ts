import { devAddresses } from '../../../dev/src/chain/devAddresses.ts'
import type { ChainOptions } from '../../../server/src/gateway/chains/ChainOptions.ts'

const { paymasters, samplePaymasters } = devAddresses

export const ownPaymasters: NonNullable<ChainOptions['paymasters']> = {
  '0.6.0': { kind: 'latchkey', address: paymasters['0.6.0'] },
  '0.7.0': { kind: 'latchkey', address: paymasters['0.7.0'] },
  '0.8.0': { kind: 'latchkey', address: paymasters['0.8.0'] },
  '0.9.0': { kind: 'latchkey', address: paymasters['0.9.0'] },
}

export const samplePaymasterOptions: NonNullable<ChainOptions['paymasters']> = {
  '0.6.0': { kind: 'verifying', address: samplePaymasters['0.6.0'] },
  '0.7.0': samplePaymasters['0.7.0'],
}
