import { useMutation, useQuery } from '@tanstack/react-query'
import type { Address, Hex } from 'viem'
import { expectTypeOf, test } from 'vitest'
import {
  type LatchkeyConfig,
  lightAccountActions,
  type SendUserOperationResult,
  type SmartAccountClient,
} from './index.ts'
import {
  authenticateMutationOptions,
  clientActionMutationOptions,
  getAuthMethodsQueryOptions,
  getCallsStatusQueryOptions,
  getSimulationQueryOptions,
  logoutMutationOptions,
  sendUserOperationMutationOptions,
  signMessageMutationOptions,
} from './query.ts'
import type { Authenticator, SessionKey, User } from './signer.ts'

declare const config: LatchkeyConfig
declare const client: SmartAccountClient

test('mutations: data and variables reach TanStack Query', () => {
  const sending = useMutation(sendUserOperationMutationOptions(config, { client: undefined, waitForTxn: true }))
  expectTypeOf(sending.data).toEqualTypeOf<SendUserOperationResult | undefined>()
  const signing = useMutation({ ...signMessageMutationOptions(config, { client }), retry: 1 })
  expectTypeOf(signing.mutateAsync({ message: 'hello' })).resolves.toEqualTypeOf<Hex>()
  // @ts-expect-error: a message has no text
  signing.mutate({ text: 'hello' })
  expectTypeOf(useMutation(authenticateMutationOptions(config)).data).toEqualTypeOf<User | undefined>()
  useMutation(logoutMutationOptions(config)).mutate()
  // @ts-expect-error: the client is not optional, so that it is not left out by mistake
  sendUserOperationMutationOptions(config, {})
})

test('clientActionMutationOptions: a name and its arguments belong together', () => {
  const { mutationFn } = clientActionMutationOptions(config, { client, actions: lightAccountActions })
  const newOwner: Address = '0x'
  mutationFn({ functionName: 'transferOwnership', args: [{ newOwner }] })
  // @ts-expect-error: no such action
  mutationFn({ functionName: 'giveAway', args: [] })
})

test('queries: data reaches TanStack Query', () => {
  const methods = useQuery(getAuthMethodsQueryOptions(config, { user: null }))
  expectTypeOf(methods.data).toEqualTypeOf<{ passkeys: Authenticator[]; sessions: SessionKey[] } | undefined>()
  const status = useQuery(getCallsStatusQueryOptions({ client, id: '0x' }))
  expectTypeOf(status.data?.status).toEqualTypeOf<number | undefined>()
  const simulated = useQuery(getSimulationQueryOptions({ client, uo: { target: '0x', data: '0x' } }))
  expectTypeOf(simulated.data).exclude<undefined>().toHaveProperty('changes')
})
