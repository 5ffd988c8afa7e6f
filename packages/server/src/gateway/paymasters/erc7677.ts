import { type Address, type Hex, numberToHex, slice } from 'viem'
import { z } from 'zod'
import type { Upstream } from '../rpc/createUpstream.ts'
import { address, bytes, gasQuantity, parseResult } from '../rpc/values.ts'
import { gasToHex } from './gasValues.ts'
import type { Paymaster, PaymasterPart } from './Paymaster.ts'
import { type PackedOperation, type SettledPacked, toLimitFields } from './packedScheme.ts'
import type { Operation06, Settled06 } from './scheme06.ts'

/**
 * `service` has the methods of ERC-7677. `context` is sent with each request and may contain, for example, the id of a
 * policy at the service.
 */
type Place = { service: Upstream; context: Readonly<Record<string, unknown>>; entryPoint: Address; chainId: number }

const part06 = z.object({ paymasterAndData: bytes.refine((data) => data.length >= 42, 'must begin with an address') })
const part07 = z.object({
  paymaster: address,
  paymasterData: bytes.default('0x'),
  /** EntryPoint 0.9 only. */
  paymasterSignature: bytes.optional(),
  paymasterVerificationGasLimit: gasQuantity.optional(),
  paymasterPostOpGasLimit: gasQuantity.optional(),
})

/**
 * Creates a paymaster served by another provider (ERC-7677), for EntryPoint 0.6. The service chooses the paying
 * contract, signs for it and maintains its deposit; our own policies are checked before it is called.
 */
export function erc7677For06(place: Place): Paymaster<Operation06, Settled06> {
  const toRequest = (operation: Operation06, gas: Record<string, Hex>) => ({
    ...identify(operation),
    initCode: operation.initCode,
    callData: operation.callData,
    ...gas,
    paymasterAndData: '0x',
    signature: operation.signature,
  })
  const read = (result: unknown): PaymasterPart => {
    const paymasterAndData = parseResult(part06, result, 'a paymaster’s data').paymasterAndData as Hex
    const paymasterData = paymasterAndData.length > 42 ? slice(paymasterAndData, 20) : '0x'
    return { paymaster: slice(paymasterAndData, 0, 20), paymasterData }
  }
  return {
    address: undefined,
    stub: async (operation) => read(await ask(place, 'pm_getPaymasterStubData', toRequest(operation, zeroGas))),
    sign: async (operation) => read(await ask(place, 'pm_getPaymasterData', toRequest(operation, gasToHex(operation)))),
  }
}

/** Creates a paymaster served by another provider for EntryPoint 0.7 and later. */
export function erc7677ForPacked(place: Place): Paymaster<PackedOperation, SettledPacked> {
  const toRequest = (operation: PackedOperation, gas: Record<string, Hex>) => ({
    ...identify(operation),
    ...(operation.factory ? { factory: operation.factory, factoryData: operation.factoryData } : {}),
    callData: operation.callData,
    ...gas,
    signature: operation.signature,
    ...(operation.eip7702Auth ? { eip7702Auth: operation.eip7702Auth } : {}),
  })
  const read = (result: unknown): PaymasterPart => {
    const part = parseResult(part07, result, 'a paymaster’s data')
    return {
      paymaster: part.paymaster as Address,
      paymasterData: part.paymasterData as Hex,
      paymasterSignature: part.paymasterSignature as Hex | undefined,
      paymasterVerificationGasLimit: toBigInt(part.paymasterVerificationGasLimit),
      paymasterPostOpGasLimit: toBigInt(part.paymasterPostOpGasLimit),
    }
  }
  return {
    address: undefined,
    stub: async (operation) => read(await ask(place, 'pm_getPaymasterStubData', toRequest(operation, zeroGas))),
    sign: async (operation) => {
      const gas = { ...gasToHex(operation), ...toLimitFields(operation) }
      return read(await ask(place, 'pm_getPaymasterData', toRequest(operation, gas)))
    },
  }
}

function ask({ service, context, entryPoint, chainId }: Place, method: string, operation: object): Promise<unknown> {
  return service.call(method, [operation, entryPoint, numberToHex(chainId), context])
}

const zeroGas: Record<string, Hex> = {
  callGasLimit: '0x0',
  verificationGasLimit: '0x0',
  preVerificationGas: '0x0',
  maxFeePerGas: '0x0',
  maxPriorityFeePerGas: '0x0',
}

function identify({ sender, nonce }: { sender: Address; nonce: bigint }) {
  return { sender, nonce: numberToHex(nonce) }
}

function toBigInt(value: string | undefined): bigint | undefined {
  return value === undefined ? undefined : BigInt(value)
}
