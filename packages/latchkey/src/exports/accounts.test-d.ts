import type { Address, Chain, Hex, Transport } from 'viem'
import type { BundlerClient, SmartAccount } from 'viem/account-abstraction'
import { expectTypeOf, test } from 'vitest'
import {
  type BaseError,
  type ContractRevertedError,
  type HttpError,
  type LatchkeyAccount,
  lightAccountActions,
  modularAccountActions,
  type OperationClient,
  type RpcError,
  type readOwner,
  type SmartAccountOwner,
  type toLightAccount,
  type toModularAccount,
  transferOwnership,
} from './accounts.ts'

declare const bundler: BundlerClient<Transport, Chain, LatchkeyAccount>

test('account objects are viem smart accounts with Latchkey’s members', () => {
  expectTypeOf<toLightAccount.ReturnType>().toExtend<SmartAccount>()
  expectTypeOf<toModularAccount.ReturnType>().toExtend<LatchkeyAccount>()
  expectTypeOf<LatchkeyAccount['entryPointVersion']>().toEqualTypeOf<'0.6.0' | '0.7.0'>()
  expectTypeOf<LatchkeyAccount['entryPoint']['version']>().toEqualTypeOf<'0.6' | '0.7'>()
  expectTypeOf<LatchkeyAccount['getSigner']>().returns.toEqualTypeOf<SmartAccountOwner>()
})

test('param: version is one of the contract’s', () => {
  type Version = NonNullable<toLightAccount.Parameters['version']>
  expectTypeOf<'v2.0.0'>().toExtend<Version>()
  expectTypeOf<'v3.0.0'>().not.toExtend<Version>()
  expectTypeOf<toModularAccount.Parameters>().not.toHaveProperty('version')
})

test('actions take a viem bundler client, and are its methods once it is extended', () => {
  expectTypeOf(bundler).toExtend<OperationClient>()
  expectTypeOf(transferOwnership).parameter(0).toEqualTypeOf<OperationClient>()
  const light = bundler.extend(lightAccountActions)
  expectTypeOf(light.readOwner).returns.resolves.toEqualTypeOf<readOwner.ReturnType>()
  expectTypeOf(light.transferOwnership).returns.resolves.toEqualTypeOf<Hex>()
  const modular = bundler.extend(modularAccountActions)
  expectTypeOf(modular.ownersOf).returns.resolves.toEqualTypeOf<readonly Address[]>()
})

test('errors: every class is a BaseError and says what happened by its members', () => {
  expectTypeOf<ContractRevertedError>().toExtend<BaseError>()
  expectTypeOf<HttpError>().toExtend<BaseError>()
  expectTypeOf<RpcError['rpcCode']>().toEqualTypeOf<number | undefined>()
  expectTypeOf<ContractRevertedError['errorName']>().toEqualTypeOf<string | undefined>()
})
