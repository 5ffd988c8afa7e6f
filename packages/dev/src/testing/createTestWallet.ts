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
    /** Browser context of the app's pages. */
    context: BrowserContext
    /** URL of the app. */
    appUrl: string
    /** URL of the devnet in the app's configuration. */
    devnetUrl: string
    inbox: createInbox.ReturnType
    /** Account type. @default 'LightAccount' */
    account?: KitAccount | undefined
    /** Gas policy. `null` lets the account pay. @default the devnet's policy */
    policyId?: string | null | undefined
    /** Users of earlier `as` calls. */
    people?: SeededPeople | undefined
    /** Called with notes for the test's report. */
    note?: ((text: string) => void) | undefined
  }
  type SignIn = {
    /** @default a new address */
    email?: string | undefined
    /**
     * Signs in with the browser's passkey. With `username`, signs up with a new passkey. See `addAuthenticator` and
     * `createSoftwarePasskey`.
     */
    passkey?: true | { username: string } | undefined
    /** Longest wait for the e-mail, in milliseconds. @default 60_000 */
    timeoutMs?: number | undefined
  }
  type ReturnType = {
    /** Signs in to the app's origin and storage. The app restores the session when its page loads. */
    signIn(options?: SignIn): Promise<Person>
    /**
     * Signs in as a named user that all wallets with the same `people` share. A passkey user reuses the first sign-in's
     * passkey and storage. An e-mail user signs in again, which the test's report notes.
     */
    as(name: string, by?: 'mail' | 'passkey'): Promise<Person>
    /** @throws if no user is signed in. */
    readAddress(): Promise<Address>
    /**
     * Sends calls in one operation and waits for its result. Does not throw for a refusal: check the result with
     * `expect`.
     */
    send(calls: KitCall | readonly KitCall[], options?: readOperation.Options): Promise<TestOperation>
    signOut(): Promise<void>
    close(): Promise<void>
  }
}

/**
 * Creates a user's wallet in a browser context, for testing an app. It signs in, sends and signs out in a separate page
 * with the app's origin and storage, so that tests can skip the app's UI.
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
        throw new DevError('The wallet returned neither a hash nor an error.', { code: 'RESPONSE_INVALID' })
      return { isIncluded: false, isSponsored: false, failure }
    },
    async signOut() {
      await callKit(await open(), 'signOut')
      await close()
    },
    close,
  }
}
