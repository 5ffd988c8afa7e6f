import type { BrowserContext, Page } from 'playwright-core'
import type { Address } from 'viem'
import { DevError } from '../errors.ts'
import type { createInbox } from './createInbox.ts'
import type { KitAccount, KitCall, KitSettings } from './kitPage/types.ts'
import { callKit, openKitPage } from './openKitPage.ts'
import { readOperation, type TestOperation } from './readOperation.ts'
import {
  newAddress,
  noPeople,
  type Person,
  type SeededPeople,
  signInAgainByMail,
  signInAgainByPasskey,
} from './seededPeople.ts'

export declare namespace createTestWallet {
  type Parameters = {
    devnet: { urls: { bundler: string }; chainId: number; policyId: string }
    /** Of the browser that the app's pages are in. */
    context: BrowserContext
    /** Where the app is served. */
    appUrl: string
    /** URL of the devnet as the app names it. */
    devnetUrl: string
    inbox: createInbox.ReturnType
    /** @default 'LightAccount' */
    account?: KitAccount | undefined
    /** Who pays; `null`: the account itself. @default the devnet's policy */
    policyId?: string | null | undefined
    /** Kept by `as`. */
    people?: SeededPeople | undefined
    /** Hears what a reader of the test's report should know. */
    note?: ((text: string) => void) | undefined
  }
  type SignIn = {
    /** @default an address that was never used */
    email?: string | undefined
    /** Signs in by the browser's passkey; with `username`, up by a new one. See `addAuthenticator` and `createSoftwarePasskey`. */
    passkey?: true | { username: string } | undefined
    /** How long the mail may take. @default 60_000 */
    timeoutMs?: number | undefined
  }
  type ReturnType = {
    /** Signs in, in this context; the app finds the session when its page loads. */
    signIn(options?: SignIn): Promise<Person>
    /**
     * Signs in as a person of this name, who stays the same in every test of the worker. By mail it signs in again each
     * time, which the report says: the key is in the frame's storage, and cannot leave its browser. By passkey, a
     * software device and the storage of the first sign-in are carried over.
     */
    as(name: string, by?: 'mail' | 'passkey'): Promise<Person>
    /** @throws when no person is signed in. */
    readAddress(): Promise<Address>
    /** Sends calls in one operation and waits for what becomes of it. A refusal is a result: `expect` tells. */
    send(calls: KitCall | readonly KitCall[], options?: readOperation.Options): Promise<TestOperation>
    signOut(): Promise<void>
    close(): Promise<void>
  }
}

/**
 * The wallet of the person in a browser context, for a test of an app: signs in, sends and signs out with the app's own
 * origin and storage, in a page beside the app's, so that a test need not press through it each time.
 *
 * @example
 * ```ts
 * import { createInbox, createTestWallet, launchBrowser, startTestDevnet } from 'latchkey-dev/testing'
 *
 * const devnet = await startTestDevnet({ appUrls: ['http://localhost:5173'] })
 * const context = await (await launchBrowser()).newContext()
 * const wallet = createTestWallet({
 *   devnet,
 *   context,
 *   appUrl: 'http://localhost:5173',
 *   devnetUrl: devnet.urls.wallet,
 *   inbox: createInbox(devnet),
 * })
 * await wallet.signIn({ email: 'ada@example.com' })
 * const { isSponsored } = await wallet.send({ target: '0x000000000000000000000000000000000000dEaD' })
 * ```
 */
export function createTestWallet(parameters: createTestWallet.Parameters): createTestWallet.ReturnType {
  const { devnet, context, appUrl, devnetUrl, inbox, people = noPeople() } = parameters
  const { account: type = 'LightAccount', policyId = devnet.policyId, note = () => undefined } = parameters
  const settings: KitSettings = { devnetUrl, chainId: devnet.chainId, type, policyId: policyId ?? undefined }
  let opened: Promise<Page> | undefined
  const open = (): Promise<Page> => {
    opened ??= openKitPage(context, appUrl, settings)
    return opened
  }
  const close = async (): Promise<void> => {
    const closing = opened
    opened = undefined
    await closing?.then(
      (page) => page.close(),
      () => undefined,
    )
  }
  const signInByMail = async (email: string, timeoutMs?: number): Promise<Person> => {
    const page = await open()
    await callKit(page, 'askForCode', email)
    await callKit(page, 'enterCode', await inbox.waitForCode(email, { timeoutMs }))
    return { email, address: await callKit(page, 'readAddress') }
  }
  const signInByPasskey = async (username?: string): Promise<Person> => {
    const page = await open()
    await callKit(page, 'signInByPasskey', ...(username === undefined ? [] : [username]))
    return { email: undefined, address: await callKit(page, 'readAddress') }
  }
  const seeded = { people, context, note, open, close, signInByMail, signInByPasskey }
  return {
    signIn: ({ email = newAddress('ada'), passkey, timeoutMs } = {}) =>
      passkey ? signInByPasskey(passkey === true ? undefined : passkey.username) : signInByMail(email, timeoutMs),
    as: (name, by = 'mail') => (by === 'mail' ? signInAgainByMail(name, seeded) : signInAgainByPasskey(name, seeded)),
    readAddress: async () => callKit(await open(), 'readAddress'),
    async send(calls, options) {
      const list = 'target' in calls ? [calls] : calls
      const { hash, failure } = await callKit(await open(), 'send', list)
      if (hash) return readOperation(devnet, hash, options)
      if (failure === undefined)
        throw new DevError('The wallet gave neither a hash nor a refusal.', { code: 'RESPONSE_INVALID' })
      return { isIncluded: false, isSponsored: false, failure }
    },
    async signOut() {
      await callKit(await open(), 'signOut')
      await close()
    },
    close,
  }
}
