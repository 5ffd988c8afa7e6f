import { concat, encodeAbiParameters, encodeFunctionData, getContractAddress, numberToHex } from 'viem'
import { dummyEcdsaSignature } from '../dummyEcdsaSignature.ts'
import type { LightAccountContract } from './contract.ts'
import { encodeLightCalls } from './encodeLightCalls.ts'
import { encodeLightCreate } from './encodeLightCreate.ts'
import { lightAccountAbi } from './lightAccountAbi.ts'
import { lightTypedData } from './lightTypedData.ts'
import { proxyCreationCode } from './proxyCreationCode.ts'

/** LightAccount v1.1.0, for EntryPoint 0.6. */
export const v1_1_0: LightAccountContract = {
  source: 'LightAccount',
  version: 'v1.1.0',
  entryPointVersion: '0.6.0',
  dummySignature: dummyEcdsaSignature,
  encodeCalls: encodeLightCalls,
  wrapSignature: (signature) => signature,
  typedDataOf: /* @__PURE__ */ lightTypedData('1'),
  encodeCreate: encodeLightCreate,
  // CREATE2 (EIP-1014) by the factory of an ERC-1967 proxy; the owner is part of the init code, not of the salt.
  predictAddress: ({ factory, implementation, owner, salt }) => {
    const initialize = encodeFunctionData({ abi: lightAccountAbi, functionName: 'initialize', args: [owner] })
    const constructorArgs = encodeAbiParameters([{ type: 'address' }, { type: 'bytes' }], [implementation, initialize])
    return getContractAddress({
      opcode: 'CREATE2',
      from: factory,
      salt: numberToHex(salt, { size: 32 }),
      bytecode: concat([proxyCreationCode, constructorArgs]),
    })
  },
}
