import { concat, encodeAbiParameters, getContractAddress, type Hex, keccak256 } from 'viem'
import { dummyEcdsaSignature } from '../dummyEcdsaSignature.ts'
import type { LightAccountContract } from './contract.ts'
import { encodeLightCalls } from './encodeLightCalls.ts'
import { encodeLightCreate } from './encodeLightCreate.ts'
import { lightTypedData } from './lightTypedData.ts'
import { minimalProxyCode } from './minimalProxyCode.ts'

/** Says that the bytes that follow are an ECDSA signature of the owner. */
const ofKey: Hex = '0x00'

/** LightAccount v2.0.0, for EntryPoint 0.7. */
export const v2_0_0: LightAccountContract = {
  source: 'LightAccount',
  version: 'v2.0.0',
  entryPointVersion: '0.7.0',
  dummySignature: `${ofKey}${dummyEcdsaSignature.slice(2)}`,
  encodeCalls: encodeLightCalls,
  wrapSignature: (signature) => concat([ofKey, signature]),
  typedDataOf: /* @__PURE__ */ lightTypedData('2'),
  encodeCreate: encodeLightCreate,
  // CREATE2 (EIP-1014) by the factory of a minimal ERC-1967 proxy; the owner is part of the salt, not of the init code.
  predictAddress: ({ factory, implementation, owner, salt }) =>
    getContractAddress({
      opcode: 'CREATE2',
      from: factory,
      salt: keccak256(encodeAbiParameters([{ type: 'address' }, { type: 'uint256' }], [owner, salt])),
      bytecode: minimalProxyCode(implementation),
    }),
}
