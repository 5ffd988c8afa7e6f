import { slice } from 'viem'
import { getUserOperationHash } from 'viem/account-abstraction'
import { readAddress, readHex } from '../rpc.ts'
import { commonGasFields, type EntryPointFormat } from './format.ts'

const paymasterGasFields = ['paymasterVerificationGasLimit', 'paymasterPostOpGasLimit'] as const

/** EntryPoint 0.7: deployment and paymaster are fields of their own, and the paymaster has gas limits. */
export const v07: EntryPointFormat = {
  readDeployment(account) {
    const args = account.getFactoryArgs()
    return {
      factory: args.then(({ factory }) => factory),
      factoryData: args.then(({ factoryData }) => factoryData),
    }
  },
  keepDeployment: ({ factory, factoryData }) => ({ factory, factoryData }),
  toDeployment: (initCode) =>
    initCode ? { factory: slice(initCode, 0, 20), factoryData: `0x${initCode.slice(42)}` } : {},
  deploys: ({ factory }) => typeof factory === 'string',
  paysItself: ({ paymaster }) => paymaster === undefined,
  gasFields: [...commonGasFields, ...paymasterGasFields],
  paymasterGasFields,
  gasDefaults: { paymasterPostOpGasLimit: 0n },
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
  hash: (userOperation, entryPoint) =>
    getUserOperationHash<'0.7'>({ ...entryPoint, entryPointVersion: '0.7', userOperation }),
}
