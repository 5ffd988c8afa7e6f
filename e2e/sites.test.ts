import { crossSiteHosts, readSignInMail } from 'latchkey-dev/testing'
import type { BrowserContext, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { setStage } from '../test/setStage.ts'
import { newEmail } from './signUp.ts'
import { openWallet } from './WalletPage.ts'

// Wallet and frames are on two sites. Chromium's default context stores nothing for third-party frames.

const stage = setStage({ hosts: crossSiteHosts }, { isWhole: true })

async function ask(context: BrowserContext, email = newEmail('sites')) {
  const wallet = await openWallet(context, stage.devnet.urls.wallet)
  await wallet.askForMail(email)
  await wallet.sent.waitFor()
  return { wallet, email, ...(await readSignInMail(stage.devnet, email, { linkTo: stage.devnet.urls.wallet })) }
}

test('signs in both tabs by a link, and keeps them in step over reload, send and log-out', async () => {
  const context = await stage.newContext()
  const { wallet, link } = await ask(context)
  const second = await openWallet(context, link)
  await second.taken.waitFor()
  expect(second.page.url()).not.toContain('bundle')
  await wallet.page.bringToFront()
  // The tab that completes a sign-up offers a passkey.
  await wallet.skip.click()
  const address = await wallet.signedInAddress()
  await second.page.bringToFront()
  await second.goOnHere.click()
  expect(await second.signedInAddress()).toBe(address)
  await second.page.reload()
  await second.mint.click()
  await second.showsBalance('100.00 DEMO')
  const third = await openWallet(context, link)
  expect(await third.signedInAddress()).toBe(address)
  await third.logOut.click()
  await Promise.all([wallet, second].map(({ signIn }) => signIn.waitFor()))
  expect(await wallet.page.evaluate(() => JSON.stringify(localStorage))).not.toContain('deviceKey')
})

test('accepts neither the handed-over bundle nor a stolen device key after a log-out', async () => {
  const context = await stage.newContext()
  const { wallet, link } = await ask(context)
  const second = await openWallet(context, link)
  await second.taken.waitFor()
  await wallet.page.bringToFront()
  await wallet.skip.click()
  await wallet.signedInAddress()
  // A script at this origin can access everything that the page can.
  const thief = await context.newPage()
  await thief.goto(`${stage.devnet.urls.wallet}/icon.svg`)
  const record = await keepWhatIsStored(thief)
  const { user, bundle, deviceKey } = JSON.parse(record).state.session
  expect([bundle, deviceKey]).toEqual([new URL(link).searchParams.get('bundle'), expect.stringMatching(/^0[23]/)])
  const whoami = { organizationId: user.orgId }
  expect(await signWithKept(thief, whoami)).toBe(200)
  await second.page.close()
  await wallet.logOut.click()
  await wallet.signIn.waitFor()
  await expect.poll(() => signWithKept(thief, whoami)).toBe(401)
  // Neither the bundle nor its link may sign in again.
  const heard = await offerAgain(thief, { bundle, orgId: user.orgId })
  expect(heard).not.toContain('done')
  const again = await openWallet(context, link)
  await again.spent.or(again.elsewhere).or(again.alert).first().waitFor()
  expect(await again.address.count()).toBe(0)
  await again.page.close()
  // With the stolen session record, a page may show the account but cannot sign.
  await putBack(thief, record)
  const restored = await openWallet(context, stage.devnet.urls.wallet)
  await restored.message.fill('after the log-out')
  await restored.signMessage.click()
  await restored.alert.or(restored.signIn).or(restored.signInAgain).first().waitFor()
  expect(await restored.signature.count()).toBe(0)
  expect(await signWithKept(thief, whoami)).toBe(401)
})

const sessionName = 'alchemy-signer-session'
type Kept = { entries: { name: string; pair: CryptoKeyPair }[] }

/** Copies the origin's session keys into the page. Returns the session record. */
function keepWhatIsStored(page: Page): Promise<string> {
  return page.evaluate(async (name) => {
    const settled = (request: IDBRequest) =>
      new Promise<void>((resolve, reject) => {
        request.onsuccess = () => resolve()
        request.onerror = () => reject(request.error)
      })
    const opening = indexedDB.open('latchkey', 1)
    await settled(opening)
    const all = opening.result.transaction('device-keys').objectStore('device-keys').getAll()
    await settled(all)
    opening.result.close()
    Object.assign(window, { entries: all.result })
    return localStorage.getItem(name) ?? ''
  }, sessionName)
}

async function signWithKept(page: Page, query: object): Promise<number> {
  const body = JSON.stringify(query)
  const signed = await page.evaluate(async (text) => {
    const [entry] = (window as unknown as Kept).entries
    if (!entry) throw new TypeError('no key was kept')
    const signature = await crypto.subtle.sign(
      { name: 'ECDSA', hash: 'SHA-256' },
      entry.pair.privateKey,
      new TextEncoder().encode(text),
    )
    return { publicKey: entry.name, raw: [...new Uint8Array(signature)] }
  }, body)
  const { publicKey, raw } = signed
  const stamp = { publicKey, scheme: 'SIGNATURE_SCHEME_TK_API_P256', signature: toDer(raw) }
  const response = await fetch(`${stage.devnet.urls.custody}/public/v1/query/whoami`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'X-Stamp': Buffer.from(JSON.stringify(stamp)).toString('base64url'),
    },
    body,
  })
  await response.body?.cancel()
  return response.status
}

function toDer(raw: number[]): string {
  const integer = (bytes: number[]): number[] => {
    const start = bytes.findIndex((byte) => byte > 0)
    const digits = bytes.slice(start)
    const positive = (digits[0] ?? 0) > 127 ? [0, ...digits] : digits
    return [2, positive.length, ...positive]
  }
  const both = [...integer(raw.slice(0, 32)), ...integer(raw.slice(32))]
  return Buffer.from([48, both.length, ...both]).toString('hex')
}

/** Offers a bundle as long as a link's tab would, and returns the replies. */
function offerAgain(page: Page, offer: { bundle: string; orgId: string }): Promise<string[]> {
  return page.evaluate(
    async ({ channelName, offer }) => {
      const channel = new BroadcastChannel(channelName)
      const heard: string[] = []
      channel.onmessage = ({ data }) => heard.push(String(data?.type))
      for (let post = 0; post < 6; post++) {
        channel.postMessage({ type: 'offer', id: 'again', ...offer })
        await new Promise((resolve) => setTimeout(resolve, 250))
      }
      channel.close()
      return heard
    },
    { channelName: `${sessionName}:link`, offer },
  )
}

function putBack(page: Page, record: string): Promise<void> {
  return page.evaluate(
    async ({ name, record }) => {
      const opening = indexedDB.open('latchkey', 1)
      await new Promise((resolve) => {
        opening.onsuccess = resolve
      })
      const transaction = opening.result.transaction('device-keys', 'readwrite')
      for (const entry of (window as unknown as Kept).entries) transaction.objectStore('device-keys').put(entry)
      await new Promise((resolve) => {
        transaction.oncomplete = resolve
      })
      opening.result.close()
      localStorage.setItem(name, record)
    },
    { name: sessionName, record },
  )
}
