import { expect, test } from 'vitest'
import { packedScheme } from './packedScheme.ts'
import { scheme06 } from './scheme06.ts'

const address = `0x${'11'.repeat(20)}` as const
const part = { paymaster: address, paymasterData: '0x' } as const
const paymaster = { address, stub: async () => part, sign: async () => part }
const parameters = { version: '0.7', entryPoint: address, chainId: 1, paymaster } as const
const validity = { validAfter: 0, validUntil: 0 }
/** Each limit affects its own digit of the sum. */
const gas = {
  callGasLimit: '0x1',
  verificationGasLimit: '0x10',
  preVerificationGas: '0x100',
  maxFeePerGas: '0x2',
  maxPriorityFeePerGas: '0x1',
}
const common = { sender: address, nonce: '0x0', callData: '0x', signature: '0x', ...gas }

// `_getRequiredPrefund` (ERC-4337): if the sum is too low, an operation can overdraw the deposit.

test('counts verification gas three times on entry point 0.6', async () => {
  const filled = await scheme06(parameters).openFilled({ ...common, initCode: '0x', paymasterAndData: '0x' })
  expect(filled.settle(validity).prefund).toBe(0x131n * 2n)
})

test('adds both limits of the paymaster on entry point 0.7 and later', async () => {
  const limits = { paymasterVerificationGasLimit: '0x1000', paymasterPostOpGasLimit: '0x10000' }
  const filled = await packedScheme(parameters).openFilled({ ...common, ...limits })
  expect(filled.settle(validity).prefund).toBe(0x11111n * 2n)
})
