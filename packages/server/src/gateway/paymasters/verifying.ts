import { type Address, concatHex, encodeAbiParameters, encodeFunctionData, type Hex, hashMessage, parseAbi } from 'viem'
import { toPackedUserOperation } from 'viem/account-abstraction'
import { z } from 'zod'
import { parseResult } from '../rpc/values.ts'
import { type Paymaster, type PaymasterPart, stubSignature, stubValidity } from './Paymaster.ts'
import type { Validity } from './PaymasterScheme.ts'
import type { PackedOperation, SettledPacked } from './packedScheme.ts'
import type { Operation06, Settled06 } from './scheme06.ts'

const abi06 = parseAbi([
  'struct UserOperation { address sender; uint256 nonce; bytes initCode; bytes callData; uint256 callGasLimit; uint256 verificationGasLimit; uint256 preVerificationGas; uint256 maxFeePerGas; uint256 maxPriorityFeePerGas; bytes paymasterAndData; bytes signature; }',
  'function getHash(UserOperation userOp, uint48 validUntil, uint48 validAfter) view returns (bytes32)',
])
const abi07 = parseAbi([
  'struct PackedUserOperation { address sender; uint256 nonce; bytes initCode; bytes callData; bytes32 accountGasLimits; uint256 preVerificationGas; bytes32 gasFees; bytes paymasterAndData; bytes signature; }',
  'function getHash(PackedUserOperation userOp, uint48 validUntil, uint48 validAfter) view returns (bytes32)',
])

type Place = { address: Address }

/**
 * Creates the sample VerifyingPaymaster on EntryPoint 0.6. That contract counts a sender's paid operations, and the
 * digest includes the count. If two operations are signed concurrently for one sender, the contract therefore refuses
 * the one that is mined second.
 */
export function verifying06({ address }: Place): Paymaster<Operation06, Settled06> {
  return createPaymaster(address, (operation, { validUntil, validAfter }, stub) => {
    // `getHash` also covers the calldata offsets, so paymasterAndData needs its final length.
    const paymasterAndData = concatHex([stub.paymaster, stub.paymasterData])
    const userOp = { ...operation, paymasterAndData, signature: '0x' as Hex }
    return encodeFunctionData({ abi: abi06, functionName: 'getHash', args: [userOp, validUntil, validAfter] })
  })
}

/** Creates the sample VerifyingPaymaster on EntryPoint 0.7. */
export function verifying07({ address }: Place): Paymaster<PackedOperation, SettledPacked> {
  return createPaymaster(address, (operation, { validUntil, validAfter }, stub) => {
    const userOp = toPackedUserOperation({ ...operation, ...stub, signature: '0x' })
    return encodeFunctionData({ abi: abi07, functionName: 'getHash', args: [userOp, validUntil, validAfter] })
  })
}

const digestSchema = z.string().regex(/^0x[0-9a-fA-F]{64}$/)

/**
 * Creates a paymaster. `encode` returns calldata for the contract, whose 32-byte result is signed as a personal
 * message.
 */
function createPaymaster<operation, settled extends operation>(
  address: Address,
  encode: (
    operation: settled,
    validity: Validity,
    stub: Required<Pick<PaymasterPart, 'paymaster' | 'paymasterData'>>,
  ) => Hex,
): Paymaster<operation, settled> {
  const seal = (validity: Validity, signature: Hex) => ({
    paymaster: address,
    paymasterData: concatHex([encodeValidity(validity), signature]),
  })
  return {
    address,
    stub: async () => seal(stubValidity, stubSignature),
    async sign(operation, validity, { node, signer }) {
      const data = encode(operation, validity, seal(validity, stubSignature))
      const digest = await node.call('eth_call', [{ to: address, data }, 'latest'])
      const hash = parseResult(digestSchema, digest, 'a paymaster digest') as Hex
      return seal(validity, await signer.signHash(hashMessage({ raw: hash })))
    },
  }
}

function encodeValidity({ validUntil, validAfter }: Validity): Hex {
  return encodeAbiParameters([{ type: 'uint48' }, { type: 'uint48' }], [validUntil, validAfter])
}
