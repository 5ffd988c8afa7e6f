import { concat, encodeAbiParameters, encodeFunctionData, getContractAddress, numberToHex } from 'viem'
import type { LightAccountContract } from './contract.ts'
import { encodeLightCalls } from './encodeLightCalls.ts'
import { lightAccountAbi, lightAccountFactoryAbi } from './lightAccountAbi.ts'
import { proxyCreationCode } from './proxyCreationCode.ts'

/** LightAccount v1.1.0, for EntryPoint 0.6. */
export const v1_1_0: LightAccountContract = {
  source: 'LightAccount',
  version: 'v1.1.0',
  entryPointVersion: '0.6.0',
  dummySignature:
    '0xfffffffffffffffffffffffffffffff0000000000000000000000000000000007aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1c',
  encodeCalls: encodeLightCalls,
  wrapSignature: (signature) => signature,
  typedDataOf: ({ hash, address, chainId }) => ({
    domain: { name: 'LightAccount', version: '1', chainId, verifyingContract: address },
    types: { LightAccountMessage: [{ name: 'message', type: 'bytes' }] },
    primaryType: 'LightAccountMessage',
    message: { message: hash },
  }),
  encodeCreate: ({ owner, salt }) =>
    encodeFunctionData({ abi: lightAccountFactoryAbi, functionName: 'createAccount', args: [owner, salt] }),
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
