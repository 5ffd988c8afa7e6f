import {
  type Abi,
  type Address,
  concatHex,
  encodeDeployData,
  getAddress,
  type Hex,
  hashTypedData,
  numberToHex,
} from 'viem'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { devAddresses } from '../../../dev/src/chain/devAddresses.ts'
import type { devClient } from '../../../dev/src/chain/devClient.ts'
import { constructAt } from '../../../dev/src/chain/placeContracts.ts'
import { sponsorshipTypes } from '../../../server/src/gateway/paymasters/latchkey.ts'
import { readArtifact, type TestChain } from '../chain.ts'

export type PaymasterVersion = (typeof paymasterVersions)[number]

export const paymasterVersions = [
  { name: 'Paymaster06', version: '0.6.0', entryPoint: devAddresses.entryPoints['0.6.0'], limits: false, tail: '0x' },
  { name: 'Paymaster07', version: '0.7.0', entryPoint: devAddresses.entryPoints['0.7.0'], limits: true, tail: '0x' },
  { name: 'Paymaster08', version: '0.8.0', entryPoint: devAddresses.entryPoints['0.8.0'], limits: true, tail: '0x' },
  {
    name: 'Paymaster09',
    version: '0.9.0',
    entryPoint: devAddresses.entryPoints['0.9.0'],
    limits: true,
    /** Length and magic value after a signature that the hash excludes. */
    tail: '0x004122e325a297439656',
  },
] as const

export type TestPaymaster = {
  address: Address
  abi: Abi
  owner: PrivateKeyAccount
  signer: PrivateKeyAccount
  client: devClient.ReturnType
  read: devClient.ReturnType['read']
  entryPoint: Address
}

export async function createPaymaster(
  chain: TestChain,
  { name, entryPoint }: PaymasterVersion,
): Promise<TestPaymaster> {
  const owner = await chain.freshAccount()
  const signer = privateKeyToAccount(generatePrivateKey())
  const { abi, bytecode } = readArtifact(name)
  const address = getAddress(privateKeyToAccount(generatePrivateKey()).address)
  const client = chain.connect(owner.privateKey)
  const args = [owner.address, entryPoint, signer.address]
  await constructAt({ client, rpcUrl: chain.nodeUrl, address, initCode: encodeDeployData({ abi, bytecode, args }) })
  return { address, abi, owner, signer, client, read: client.read, entryPoint }
}

/** Operation fields that the digest covers. The digest also covers the validity times. */
export type PaidOperation = Record<string, unknown> & { paymasterAndData: Hex; signature: Hex }

export function exampleOperation({ limits }: PaymasterVersion): PaidOperation {
  const common = {
    sender: '0x00000000000000000000000000000000000000a1',
    nonce: 7n,
    initCode: '0x1234',
    callData: '0xdeadbeef',
    preVerificationGas: 50_000n,
    paymasterAndData: '0x' as Hex,
    signature: '0xabcd' as Hex,
  }
  return limits
    ? {
        ...common,
        accountGasLimits: numberToHex(2n ** 130n + 5n, { size: 32 }),
        gasFees: numberToHex(3n, { size: 32 }),
      }
    : {
        ...common,
        callGasLimit: 100_000n,
        verificationGasLimit: 200_000n,
        maxFeePerGas: 3_000_000_000n,
        maxPriorityFeePerGas: 1_000_000_000n,
      }
}

export type Times = { validUntil: number; validAfter: number }
export const someTimes: Times = { validUntil: 2_000_000_000, validAfter: 1_000_000_000 }

export async function payFor(parameters: {
  chainId: number
  version: PaymasterVersion
  paymaster: Pick<TestPaymaster, 'address'>
  operation: PaidOperation
  signer: PrivateKeyAccount
  times?: Times
  /** Two gas limits, 32 bytes in total, which only EntryPoint 0.7 uses. */
  limits?: Hex
}): Promise<PaidOperation> {
  const {
    version,
    paymaster,
    operation,
    signer,
    times = someTimes,
    limits = numberToHex(9n, { size: 32 }),
  } = parameters
  const signature = await signer.sign({ hash: hashSponsorship({ ...parameters, times, limits }) })
  const head = version.limits ? concatHex([paymaster.address, limits]) : paymaster.address
  return { ...operation, paymasterAndData: concatHex([head, encodeTimes(times), signature, version.tail]) }
}

export function encodeTimes({ validUntil, validAfter }: Times, rest = 0n): Hex {
  const [until, after] = [numberToHex(validUntil, { size: 6 }), numberToHex(validAfter, { size: 6 })]
  return concatHex([until, after, numberToHex(rest, { size: 20 })])
}

export function hashSponsorship(parameters: {
  chainId: number
  version: PaymasterVersion
  paymaster: { address: Address }
  operation: PaidOperation
  times: Times
  limits: Hex
}): Hex {
  const { chainId, version, paymaster, operation, times, limits } = parameters
  const domain = { name: 'LatchkeyPaymaster', version: '1', chainId, verifyingContract: paymaster.address }
  const message = { ...operation, ...times, entryPoint: version.entryPoint, paymasterGasLimits: limits }
  const types: Record<string, readonly { name: string; type: string }[]> = {
    Sponsorship: sponsorshipTypes[version.version],
  }
  return hashTypedData({ domain, types, primaryType: 'Sponsorship', message })
}

export type Validation = { isSigned: boolean; validUntil: number; validAfter: number }

export async function validate(
  { read, address, abi, entryPoint }: { read: TestPaymaster['read']; address: Address; abi: Abi; entryPoint: Address },
  operation: PaidOperation,
  caller: Address = entryPoint,
): Promise<Validation & { context: Hex }> {
  const args = [operation, numberToHex(1n, { size: 32 }), 10n ** 18n]
  const { result } = await read.simulateContract({
    address,
    abi,
    functionName: 'validatePaymasterUserOp',
    args,
    account: caller,
  })
  const [context, data] = result as [Hex, bigint]
  return {
    context,
    isSigned: BigInt.asUintN(160, data) === 0n,
    validUntil: Number((data >> 160n) & 0xffff_ffff_ffffn),
    validAfter: Number(data >> 208n),
  }
}
