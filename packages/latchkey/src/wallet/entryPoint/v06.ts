import { concat, type Hex } from 'viem'
import { readHex } from '../rpc.ts'
import { commonGasFields, type EntryPointFormat } from './EntryPointFormat.ts'

/** EntryPoint 0.6: one field for the deployment, one for the paymaster. */
export const v06: EntryPointFormat = {
  readDeployment: (account) => ({ initCode: account.getInitCode() }),
  readDelegation: (authorization) => ({ initCode: '0x', eip7702Auth: authorization }),
  keepDeployment: ({ initCode, eip7702Auth }) => ({ initCode, eip7702Auth }),
  toDeployment: (initCode = '0x') => ({ initCode }),
  deploys: ({ initCode }) => typeof initCode === 'string' && initCode !== '0x',
  paysItself: ({ paymasterAndData = '0x' }) => paymasterAndData === '0x',
  gasFields: commonGasFields,
  paymasterGasFields: [],
  gasDefaults: {},
  paymasterDataField: 'paymasterAndData',
  noPaymaster: { paymasterAndData: '0x' },
  toPaymasterFields: (paymaster, data) => ({ paymasterAndData: concat([paymaster, data]).toLowerCase() as Hex }),
  readPaymasterFields: ({ paymasterAndData }, action) => ({ paymasterAndData: readHex(paymasterAndData, action) }),
  requiredFields: ['initCode', 'paymasterAndData'],
  fieldGroups: [],
}
