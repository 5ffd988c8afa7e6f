import { concat, encodeAbiParameters, encodeFunctionData, getContractAddress, numberToHex } from 'viem'
import type { AccountContract } from '../contract.ts'
import { encodeLightCalls } from './encodeLightCalls.ts'
import { lightAccountAbi } from './lightAccountAbi.ts'
import { proxyCreationCode } from './proxyCreationCode.ts'

/** What LightAccount v1.x have in common. */
export const v1: Pick<AccountContract, 'entryPointVersion' | 'encodeCalls' | 'predictAddress'> = {
  entryPointVersion: '0.6.0',
  encodeCalls: encodeLightCalls,
  // The factory deploys an ERC-1967 proxy: the owner is part of its init code, not of the salt.
  predictAddress: ({ factory, implementation, owners, salt }) => {
    const initialize = encodeFunctionData({ abi: lightAccountAbi, functionName: 'initialize', args: [owners[0]] })
    const constructorArgs = encodeAbiParameters([{ type: 'address' }, { type: 'bytes' }], [implementation, initialize])
    return getContractAddress({
      opcode: 'CREATE2',
      from: factory,
      salt: numberToHex(salt, { size: 32 }),
      bytecode: concat([proxyCreationCode, constructorArgs]),
    })
  },
}
