import type { Address, Chain, Hex } from 'viem'
import { expectTypeOf, test } from 'vitest'
import type { LatchkeyConfig, SendUserOperationResult, SmartAccountClient } from './index.ts'
import {
  addPasskeyMutationOptions,
  authenticateMutationOptions,
  type ConfigMutation,
  changeAuthMethodsMutationOptions,
  dismissOperationMutationOptions,
  exportAccountMutationOptions,
  logoutMutationOptions,
  openImportMutationOptions,
  sendCallsMutationOptions,
  sendTransactionMutationOptions,
  sendUserOperationMutationOptions,
  setChainMutationOptions,
  submitImportMutationOptions,
} from './query.ts'
import type { AuthParameters, User } from './signer.ts'

declare const config: LatchkeyConfig
declare const client: SmartAccountClient | undefined

test('mutations of a client: parameters and results', async () => {
  const { mutationFn, mutationKey, networkMode } = sendUserOperationMutationOptions(config, { client })
  expectTypeOf(mutationKey).toEqualTypeOf<readonly [string]>()
  expectTypeOf(networkMode).toEqualTypeOf<'always'>()
  expectTypeOf(mutationFn({ uo: '0x' })).resolves.toEqualTypeOf<SendUserOperationResult>()
  sendUserOperationMutationOptions(config, { client, waitForTxn: true })
  // @ts-expect-error: not an option
  sendTransactionMutationOptions(config, { client, waitForTxn: true })
  expectTypeOf(sendTransactionMutationOptions(config, { client }).mutationFn({})).resolves.toEqualTypeOf<Hex>()
  expectTypeOf(sendCallsMutationOptions(config, { client }).mutationFn).parameter(0).toHaveProperty('calls')
  expectTypeOf(dismissOperationMutationOptions).returns.toEqualTypeOf<ConfigMutation<void, string>>()
  // @ts-expect-error: the client must be named, even while it is undefined
  dismissOperationMutationOptions(config, {})
})

test('mutations of the signer and the config: parameters and results', () => {
  expectTypeOf(authenticateMutationOptions(config)).toEqualTypeOf<ConfigMutation<User, AuthParameters>>()
  expectTypeOf(setChainMutationOptions(config)).toEqualTypeOf<ConfigMutation<void, { chain: Chain }>>()
  expectTypeOf(logoutMutationOptions(config).mutationFn()).resolves.toEqualTypeOf<void>()
  expectTypeOf(addPasskeyMutationOptions(config).mutationFn()).resolves.toEqualTypeOf<string[]>()
  expectTypeOf(exportAccountMutationOptions(config, { iframeContainerId: 'a' }).mutationFn()).resolves.toBeBoolean()
  // @ts-expect-error: the container must be named
  openImportMutationOptions(config, {})
  const { mutationFn } = changeAuthMethodsMutationOptions(config)
  mutationFn({ type: 'removePasskey', id: 'a' })
  // @ts-expect-error: the passkey must be named
  mutationFn({ type: 'removePasskey' })
  const submitted = submitImportMutationOptions(config).mutationFn
  expectTypeOf(submitted).returns.resolves.toEqualTypeOf<{ addresses: Address[] }>()
})
