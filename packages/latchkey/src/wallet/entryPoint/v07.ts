import { slice } from 'viem'
import { readAddress, readHex } from '../rpc.ts'
import { commonGasFields, type EntryPointFormat } from './EntryPointFormat.ts'

const paymasterGasFields = ['paymasterVerificationGasLimit', 'paymasterPostOpGasLimit'] as const

/** EntryPoint 0.7: separate fields for factory, paymaster, their data, and the paymaster's gas limits. */
export const v07: EntryPointFormat = {
  readDeployment(account) {
    const args = account.getFactoryArgs()
    return {
      factory: args.then(({ factory }) => factory),
      factoryData: args.then(({ factoryData }) => factoryData),
    }
  },
  // EntryPoint 0.7 does not support EIP-7702: its hash does not include the delegate.
  readDelegation: (authorization) => ({ eip7702Auth: authorization }),
  keepDeployment: ({ factory, factoryData, eip7702Auth }) => ({ factory, factoryData, eip7702Auth }),
  toDeployment: (initCode) =>
    initCode ? { factory: slice(initCode, 0, 20), factoryData: `0x${initCode.slice(42)}` } : {},
  deploys: ({ factory }) => typeof factory === 'string',
  paysItself: ({ paymaster }) => paymaster === undefined,
  gasFields: [...commonGasFields, ...paymasterGasFields],
  paymasterGasFields,
  // A verifying paymaster recovers one signature, and has no postOp.
  gasDefaults: { paymasterVerificationGasLimit: 100_000n, paymasterPostOpGasLimit: 0n },
  paymasterDataField: 'paymasterData',
  noPaymaster: {},
  toPaymasterFields: (paymaster, paymasterData) => ({ paymaster, paymasterData }),
  readPaymasterFields: ({ paymaster, paymasterData }, action) => ({
    paymaster: readAddress(paymaster, action),
    paymasterData: readHex(paymasterData, action),
  }),
  requiredFields: [],
  fieldGroups: [
    ['factory', 'factoryData'],
    ['paymaster', 'paymasterData', ...paymasterGasFields],
  ],
}
