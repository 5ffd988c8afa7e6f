import type { Hex, LocalAccount } from 'viem'
import { expectTypeOf, test } from 'vitest'
import {
  type AuthParameters,
  type ConnectedReason,
  createSigner,
  type Signer,
  type SignerParameters,
  type SignerStatus,
  type User,
  webPlatform,
} from './signer.ts'

declare const signer: Signer

test('createSigner: only a connection is required', () => {
  expectTypeOf<{ client: { connection: { apiKey: string } } }>().toExtend<SignerParameters>()
  expectTypeOf(createSigner).returns.toEqualTypeOf<Signer>()
  // @ts-expect-error No connection.
  createSigner({ client: {} })
})

test('authenticate: a request is an e-mail, a bundle, a code or a passkey', () => {
  expectTypeOf<{ type: 'email'; email: string }>().toExtend<AuthParameters>()
  expectTypeOf<{ type: 'email'; code: string }>().toExtend<AuthParameters>()
  expectTypeOf<{ type: 'email'; bundle: string; orgId: string }>().toExtend<AuthParameters>()
  expectTypeOf<{ type: 'passkey'; createNew: true; username: string }>().toExtend<AuthParameters>()
  expectTypeOf<{ type: 'passkey'; createNew: true }>().not.toExtend<AuthParameters>()
  expectTypeOf<{ type: 'email' }>().not.toExtend<AuthParameters>()
  expectTypeOf(signer.authenticate).returns.resolves.toEqualTypeOf<User>()
})

test('user and expiresAt: null without a session', () => {
  expectTypeOf(signer.user).toEqualTypeOf<User | null>()
  expectTypeOf(signer.expiresAt).toEqualTypeOf<number | null>()
})

test('lookUpUser: null for an unknown user; getUser is its alias', () => {
  expectTypeOf(signer.lookUpUser).returns.resolves.toEqualTypeOf<{ orgId: string } | null>()
  expectTypeOf(signer.getUser).toEqualTypeOf(signer.lookUpUser)
})

test('on: each event has its own values; the reason of a status is optional', () => {
  signer.on('statusChanged', (status, reason) => {
    expectTypeOf(status).toEqualTypeOf<SignerStatus>()
    expectTypeOf(reason).toEqualTypeOf<ConnectedReason | undefined>()
  })
  signer.on('connected', (user) => expectTypeOf(user).toEqualTypeOf<User>())
  // @ts-expect-error There is no such event.
  signer.on('signedIn', () => undefined)
})

test('signTypedData: the message is typed by its types', () => {
  const types = { Note: [{ name: 'text', type: 'string' }] } as const
  const signed = signer.signTypedData({ domain: {}, types, primaryType: 'Note', message: { text: 'hello' } })
  expectTypeOf(signed).resolves.toEqualTypeOf<Hex>()
  // @ts-expect-error No such type.
  signer.signTypedData({ domain: {}, types, primaryType: 'Letter', message: { text: 'hello' } })
  // @ts-expect-error A number is no string.
  signer.signTypedData({ domain: {}, types, primaryType: 'Note', message: { text: 1 } })
})

test('toViemAccount: a local account with its source', () => {
  expectTypeOf(signer.toViemAccount).returns.toEqualTypeOf<LocalAccount<'alchemy-signer'>>()
})

test('webPlatform: null without a page', () => {
  expectTypeOf(webPlatform).returns.toExtend<SignerParameters['platform'] | null>()
})
