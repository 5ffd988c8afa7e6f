import type { RequestPaymasterAndDataResult06 } from 'latchkey-protocol'
import { type Address, concatHex, type Hex, numberToHex, size, slice } from 'viem'
import { getUserOperationHash } from 'viem/account-abstraction'
import { z } from 'zod'
import { address, bytes, parseParams, quantity } from '../rpc/values.ts'
import { filledGasShape, type GasValues, gasToHex, pickGas, readGas, settleGas } from './gasValues.ts'
import { documentedDummy, type Paymaster, type PaymasterPart } from './Paymaster.ts'
import type { Fees, PaymasterScheme, SettledSponsorship, Validity } from './PaymasterScheme.ts'

export const operationSchema = z.object({
  sender: address,
  nonce: quantity,
  initCode: bytes.default('0x'),
  callData: bytes,
  signature: bytes.default('0x'),
})
const filledSchema = operationSchema.extend(filledGasShape)

/** An operation of EntryPoint 0.6 with a dummy signature in the format of the real one. */
export type Operation06 = { sender: Address; nonce: bigint; initCode: Hex; callData: Hex; signature: Hex }
export type Settled06 = Operation06 & GasValues

export declare namespace scheme06 {
  type Parameters = { entryPoint: Address; chainId: number; paymaster: Paymaster<Operation06, Settled06> }
  type ReturnType = PaymasterScheme
}

export function scheme06(parameters: scheme06.Parameters): scheme06.ReturnType {
  const { entryPoint, paymaster } = parameters
  return {
    entryPoint,
    paymaster: paymaster.address,
    async open(userOperation, dummySignature) {
      const read = parseParams(operationSchema, userOperation, 'userOperation')
      const operation = { ...toOperation(read), signature: dummySignature }
      return {
        ...describe(operation, await paymaster.stub(operation)),
        settle: (estimate, fees, overrides, validity) =>
          settle(parameters, { ...operation, ...settleGas(estimate, fees, overrides) }, validity),
      }
    },
    async openFilled(userOperation) {
      const read = parseParams(filledSchema, userOperation, 'userOperation')
      const operation = { ...toOperation(read), ...readGas(read) }
      return {
        ...describe(operation, await paymaster.stub(operation)),
        settle: (validity) => settle(parameters, operation, validity),
      }
    },
    async stub(userOperation) {
      const operation = toOperation(parseParams(operationSchema, userOperation, 'userOperation'))
      return { paymasterAndData: join(await paymaster.stub(operation)) }
    },
    async withStub(userOperation) {
      if (!isForUs(userOperation.paymasterAndData, paymaster.address)) return userOperation
      const operation = toOperation(parseParams(operationSchema, userOperation, 'userOperation'))
      return { ...userOperation, paymasterAndData: join(await paymaster.stub(operation)) }
    },
  }
}

function describe({ sender, nonce, initCode, callData, signature }: Operation06, stub: PaymasterPart) {
  const draft = { sender, nonce: numberToHex(nonce), initCode, callData, paymasterAndData: join(stub) }
  return {
    sender,
    nonce,
    callData,
    factory: size(initCode) < 20 ? undefined : slice(initCode, 0, 20),
    estimateRequest: { ...draft, signature },
    quote: (estimate: unknown, fees: Fees) => settleGas(estimate, fees, {}),
  }
}

function isForUs(paymasterAndData: unknown, paymaster: Address | undefined): boolean {
  if (typeof paymasterAndData !== 'string') return false
  const [payer, data] = [paymasterAndData.slice(0, 42).toLowerCase(), paymasterAndData.slice(42).toLowerCase()]
  return payer === paymaster?.toLowerCase() || data === documentedDummy.slice(2)
}

function join({ paymaster, paymasterData }: PaymasterPart): Hex {
  return concatHex([paymaster, paymasterData])
}

function toOperation(read: z.output<typeof operationSchema>): Operation06 {
  return {
    sender: read.sender.toLowerCase() as Address,
    nonce: BigInt(read.nonce),
    initCode: read.initCode as Hex,
    callData: read.callData as Hex,
    signature: read.signature as Hex,
  }
}

function settle(
  { entryPoint, paymaster, chainId }: scheme06.Parameters,
  operation: Settled06,
  validity: Validity,
): SettledSponsorship {
  return {
    gas: pickGas(operation),
    prefund: requiredPrefund(operation),
    gasFields: gasToHex(operation),
    async seal(context) {
      const paymasterAndData = join(await paymaster.sign(operation, validity, context))
      return {
        paymasterFields: { paymasterAndData } satisfies RequestPaymasterAndDataResult06,
        userOpHash: getUserOperationHash({
          chainId,
          entryPointAddress: entryPoint,
          entryPointVersion: '0.6',
          userOperation: { ...operation, paymasterAndData, signature: '0x' },
        }),
      }
    },
  }
}

/** Computes `_getRequiredPrefund` of EntryPoint 0.6: with a paymaster, verification gas counts three times. */
function requiredPrefund(gas: GasValues): bigint {
  return (gas.callGasLimit + gas.verificationGasLimit * 3n + gas.preVerificationGas) * gas.maxFeePerGas
}
