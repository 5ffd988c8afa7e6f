import { type Address, concatHex, type Hex, hashTypedData, numberToHex, size, slice } from 'viem'
import { type Paymaster, type PaymasterPart, stubSignature, stubValidity } from './Paymaster.ts'
import type { Validity } from './PaymasterScheme.ts'
import { type PackedOperation, packGas, type SettledPacked, toInitCode } from './packedScheme.ts'
import type { Operation06, Settled06 } from './scheme06.ts'

/** Fields shared by both paymaster versions. */
const commonTypes = [
  { name: 'entryPoint', type: 'address' },
  { name: 'validUntil', type: 'uint48' },
  { name: 'validAfter', type: 'uint48' },
  { name: 'sender', type: 'address' },
  { name: 'nonce', type: 'uint256' },
  { name: 'initCode', type: 'bytes' },
  { name: 'callData', type: 'bytes' },
] as const

const byVersion = {
  '0.6.0': [
    ...commonTypes,
    { name: 'callGasLimit', type: 'uint256' },
    { name: 'verificationGasLimit', type: 'uint256' },
    { name: 'preVerificationGas', type: 'uint256' },
    { name: 'maxFeePerGas', type: 'uint256' },
    { name: 'maxPriorityFeePerGas', type: 'uint256' },
  ],
  '0.7.0': [
    ...commonTypes,
    { name: 'accountGasLimits', type: 'bytes32' },
    { name: 'paymasterGasLimits', type: 'bytes32' },
    { name: 'preVerificationGas', type: 'uint256' },
    { name: 'gasFees', type: 'bytes32' },
  ],
} as const
/** EIP-712 types that the signer signs: primary type `Sponsorship`, in the domain of the paymaster contract. */
export const sponsorshipTypes = { ...byVersion, '0.8.0': byVersion['0.7.0'], '0.9.0': byVersion['0.7.0'] }

type Place = { address: Address; entryPoint: Address; chainId: number }

/** Creates our own paymaster (`packages/contracts/src/paymaster`) for EntryPoint 0.6. Computes its digest locally. */
export function latchkey06(place: Place): Paymaster<Operation06, Settled06> {
  return createPaymaster(place, (operation, validity) =>
    hashTypedData({
      domain: createDomain(place),
      types: { Sponsorship: sponsorshipTypes['0.6.0'] },
      primaryType: 'Sponsorship',
      message: { ...operation, ...validity, entryPoint: place.entryPoint },
    }),
  )
}

/** Creates our own paymaster for EntryPoint 0.7 and 0.8. */
export function latchkeyPacked(place: Place): Paymaster<PackedOperation, SettledPacked> {
  return createPaymaster(place, hashPacked(place))
}

/** Creates our own paymaster for EntryPoint 0.9, whose operations are hashed without the paymaster's signature. */
export function latchkey09(place: Place): Paymaster<PackedOperation, SettledPacked> {
  const { address } = place
  const seal = (validity: Validity, paymasterSignature: Hex): PaymasterPart => ({
    paymaster: address,
    paymasterData: encodeValidity(validity),
    paymasterSignature,
  })
  return {
    ...createPaymaster(place, hashPacked(place), seal),
    stub: async (_, nowMs) => seal(nowMs === undefined ? stubValidity : toStubValidity(nowMs), stubSignature),
    readValidity: decodeValidity,
  }
}

/** Seconds that a stub is valid, and maximum seconds that a chain's clock may be behind. */
const stubSeconds = 600

function toStubValidity(nowMs: number): Validity {
  const now = Math.floor(nowMs / 1000)
  return { validUntil: now + stubSeconds, validAfter: now - stubSeconds }
}

const hashPacked =
  (place: Place) =>
  (operation: SettledPacked, validity: Validity): Hex =>
    hashTypedData({
      domain: createDomain(place),
      types: { Sponsorship: sponsorshipTypes['0.7.0'] },
      primaryType: 'Sponsorship',
      message: {
        ...validity,
        entryPoint: place.entryPoint,
        sender: operation.sender,
        nonce: operation.nonce,
        initCode: toInitCode(operation),
        callData: operation.callData,
        preVerificationGas: operation.preVerificationGas,
        ...packGas(operation),
      },
    })

function createPaymaster<operation, settled extends operation>(
  { address }: Place,
  hash: (operation: settled, validity: Validity) => Hex,
  seal = (validity: Validity, signature: Hex): PaymasterPart => ({
    paymaster: address,
    paymasterData: concatHex([encodeValidity(validity), signature]),
  }),
): Paymaster<operation, settled> {
  return {
    address,
    stub: async () => seal(stubValidity, stubSignature),
    sign: async (operation, validity, { signer }) => seal(validity, await signer.signHash(hash(operation, validity))),
  }
}

function createDomain({ address, chainId }: Place) {
  return { name: 'LatchkeyPaymaster', version: '1', chainId, verifyingContract: address }
}

/** Encodes one word: `uint48 validUntil`, `uint48 validAfter`, the rest zero. */
function encodeValidity({ validUntil, validAfter }: Validity): Hex {
  return concatHex([
    numberToHex(validUntil, { size: 6 }),
    numberToHex(validAfter, { size: 6 }),
    numberToHex(0, { size: 20 }),
  ])
}

function decodeValidity(paymasterData: Hex): Validity | undefined {
  if (size(paymasterData) !== 32) return undefined
  return { validUntil: Number(slice(paymasterData, 0, 6)), validAfter: Number(slice(paymasterData, 6, 12)) }
}
