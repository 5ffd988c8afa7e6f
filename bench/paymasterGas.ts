import type { LatchkeyAccount } from 'latchkey/accounts'
import { devAccountOf, devAddresses } from 'latchkey-dev'
import { type Address, concatHex, encodeAbiParameters, type Hex, numberToHex, type PublicClient, parseAbi } from 'viem'
import {
  type GetPaymasterDataParameters,
  type GetPaymasterStubDataReturnType,
  toPackedUserOperation,
  type UserOperation,
} from 'viem/account-abstraction'
import { privateKeyToAccount } from 'viem/accounts'

const abi06 = parseAbi([
  'struct UserOperation { address sender; uint256 nonce; bytes initCode; bytes callData; uint256 callGasLimit; uint256 verificationGasLimit; uint256 preVerificationGas; uint256 maxFeePerGas; uint256 maxPriorityFeePerGas; bytes paymasterAndData; bytes signature; }',
  'function getHash(UserOperation userOp, uint48 validUntil, uint48 validAfter) view returns (bytes32)',
])
const abi07 = parseAbi([
  'struct PackedUserOperation { address sender; uint256 nonce; bytes initCode; bytes callData; bytes32 accountGasLimits; uint256 preVerificationGas; bytes32 gasFees; bytes paymasterAndData; bytes signature; }',
  'function getHash(PackedUserOperation userOp, uint48 validUntil, uint48 validAfter) view returns (bytes32)',
])

type Kind = {
  name: 'ours' | 'sample'
  addresses: Readonly<Record<'0.6.0' | '0.7.0', Address>>
  encodeTimes(validUntil: number, validAfter: number): Hex
  sign(digest: Hex): Promise<Hex>
}

const signer = privateKeyToAccount(devAccountOf.paymasterSigner.privateKey)

/** Both contracts return the digest to sign: ours is signed directly (EIP-712), the sample's as a personal message. */
export const paymasterKinds: readonly Kind[] = [
  {
    name: 'ours',
    addresses: devAddresses.paymasters,
    encodeTimes: (validUntil, validAfter) =>
      concatHex([
        numberToHex(validUntil, { size: 6 }),
        numberToHex(validAfter, { size: 6 }),
        numberToHex(0, { size: 20 }),
      ]),
    sign: (hash) => signer.sign({ hash }),
  },
  {
    name: 'sample',
    addresses: devAddresses.samplePaymasters,
    encodeTimes: (validUntil, validAfter) =>
      encodeAbiParameters([{ type: 'uint48' }, { type: 'uint48' }], [validUntil, validAfter]),
    sign: (raw) => signer.signMessage({ message: { raw } }),
  },
]

const validUntil = 2 ** 40
const validAfter = 1
const dummySignature: Hex = `0x${'fffffffffffffffffffffffffffffff0000000000000000000000000000000007aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1c'}`
/** Both paymasters have the same limits, so that neither pays for unused gas. */
const limits = { paymasterVerificationGasLimit: 60_000n, paymasterPostOpGasLimit: 0n }

/** Paymaster for viem's bundler client with a local signer and no gateway. */
export function createLocalPaymaster(
  client: PublicClient,
  { addresses, encodeTimes, sign }: Kind,
  { entryPoint }: Pick<LatchkeyAccount, 'entryPoint'>,
) {
  const version = entryPoint.version === '0.6' ? '0.6.0' : '0.7.0'
  const address = addresses[version]
  const times = encodeTimes(validUntil, validAfter)
  const stub = toFields(concatHex([times, dummySignature]))

  function toFields(data: Hex): GetPaymasterStubDataReturnType {
    return version === '0.6.0'
      ? { paymasterAndData: concatHex([address, data]) }
      : { paymaster: address, paymasterData: data, ...limits }
  }

  async function readDigest(operation: GetPaymasterDataParameters): Promise<Hex> {
    // The sample's digest also depends on the lengths.
    const filled = { ...operation, ...stub, signature: '0x' } as unknown
    if (version === '0.7.0') {
      const args = [toPackedUserOperation(filled as UserOperation<'0.7'>), validUntil, validAfter] as const
      return client.readContract({ address, abi: abi07, functionName: 'getHash', args })
    }
    const packed = { initCode: '0x' as Hex, ...(filled as UserOperation<'0.6'> & { paymasterAndData: Hex }) }
    return client.readContract({
      address,
      abi: abi06,
      functionName: 'getHash',
      args: [{ ...packed, initCode: packed.initCode ?? '0x' }, validUntil, validAfter],
    })
  }

  return {
    getPaymasterStubData: async () => stub,
    getPaymasterData: async (operation: GetPaymasterDataParameters) =>
      toFields(concatHex([times, await sign(await readDigest(operation))])),
  }
}
