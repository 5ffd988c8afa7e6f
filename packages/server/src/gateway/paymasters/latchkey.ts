import { type Address, concatHex, type Hex, hashTypedData, numberToHex } from 'viem'
import { type Paymaster, type PaymasterPart, stubSignature, stubValidity } from './Paymaster.ts'
import type { Validity } from './PaymasterScheme.ts'
import type { Operation06, Settled06 } from './scheme06.ts'
import { type Operation07, packGas, type Settled07, toInitCode } from './scheme07.ts'

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

/** EIP-712 types that the signer signs: primary type `Sponsorship`, in the domain of the paymaster contract. */
export const sponsorshipTypes = {
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

/** Creates our own paymaster for EntryPoint 0.7. */
export function latchkey07(place: Place): Paymaster<Operation07, Settled07> {
  return createPaymaster(place, (operation, validity) =>
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
    }),
  )
}

function createPaymaster<operation, settled extends operation>(
  { address }: Place,
  hash: (operation: settled, validity: Validity) => Hex,
): Paymaster<operation, settled> {
  const seal = (validity: Validity, signature: Hex): PaymasterPart => ({
    paymaster: address,
    paymasterData: concatHex([encodeValidity(validity), signature]),
  })
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
