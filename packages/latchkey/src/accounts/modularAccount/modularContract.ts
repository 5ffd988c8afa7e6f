import {
  type Address,
  encodeAbiParameters,
  encodeFunctionData,
  getContractAddress,
  isAddressEqual,
  keccak256,
  padHex,
} from 'viem'
import { getModularAccountContracts } from '../../core/chains/accountContracts.ts'
import type { AccountContract, WrapHash } from '../contract.ts'
import { listOwners } from '../listOwners.ts'
import { encodeModularCalls, encodeOwners, modularAccountFactoryAbi } from './encoding.ts'

/** Implementation of the factory's proxies, and the hash of their init code for this implementation. */
const proxy = {
  implementation: '0x0046000000000151008789797b54fdb500E2a61e',
  initCodeHash: '0x290e38adc54809e68d4269a3aa326c165d632b86b49007e3e55bc89d6b01deb7',
} as const

/**
 * Returns the contract of MultiOwnerModularAccount (ERC-6900 v0.7), for EntryPoint 0.6. `plugin` is the chain's
 * MultiOwnerPlugin. Every ERC-1271 signature covers the plugin's EIP-712 domain.
 */
export function modularContract(plugin: Address): AccountContract<'MultiOwnerModularAccount', 'v1.0.0'> {
  return {
    source: 'MultiOwnerModularAccount',
    version: 'v1.0.0',
    entryPointVersion: '0.6.0',
    erc1271: wrapHash(plugin),
    contractsOn: getModularAccountContracts,
    listOwners,
    encodeCreate: ({ owners, salt }) =>
      encodeFunctionData({ abi: modularAccountFactoryAbi, functionName: 'createAccount', args: [salt, owners] }),
    predictAddress: ({ factory, implementation, owners, salt }) => {
      if (!isAddressEqual(implementation, proxy.implementation)) return undefined
      return getContractAddress({
        opcode: 'CREATE2',
        from: factory,
        salt: keccak256(encodeAbiParameters([{ type: 'uint256' }, { type: 'bytes' }], [salt, encodeOwners(owners)])),
        bytecodeHash: proxy.initCodeHash,
      })
    },
    encodeCalls: encodeModularCalls,
  }
}

/**
 * Returns a function that wraps hashes in the plugin's EIP-712 domain for an account. The domain's salt is the plugin's
 * address, left-aligned.
 */
function wrapHash(plugin: Address): WrapHash {
  const salt = padHex(plugin, { dir: 'right', size: 32 })
  return ({ hash, address, chainId }) => ({
    domain: { name: 'Multi Owner Plugin', version: '1.0.0', chainId, verifyingContract: address, salt },
    types: { AlchemyModularAccountMessage: [{ name: 'message', type: 'bytes' }] },
    primaryType: 'AlchemyModularAccountMessage',
    message: { message: hash },
  })
}
