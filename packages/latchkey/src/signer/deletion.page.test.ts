import { authenticate, devnetTabs, readStatus, refusal, sign, status } from '@latchkey/testkit/signer/devnetTabs'
import { addAuthenticator, waitForMail } from 'latchkey-dev/testing'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'

const tabs = devnetTabs()
const { open, ask } = tabs

const createNew = { type: 'passkey', createNew: true, username: 'ann' } as const
const logIn = { type: 'passkey', createNew: false } as const

/** Deletes the account by a passkey of this tab. */
const deleteAccount = (tab: Page) =>
  tab.evaluate(
    async ({ custodyUrl, path }) => {
      const { signer, passkeys } = window.page
      const body = JSON.stringify({
        type: 'ACTIVITY_TYPE_DELETE_SUB_ORGANIZATION',
        timestampMs: String(Date.now()),
        organizationId: signer.user?.orgId,
        parameters: { deleteWithoutExport: true },
      })
      const stamp = JSON.stringify(await passkeys.stamp({ body }))
      const headers = { 'content-type': 'application/json', 'X-Stamp-WebAuthn': stamp }
      const response = await fetch(`${custodyUrl}${path}`, { method: 'POST', headers, body })
      return ((await response.json()) as { activity: { status: string } }).activity.status
    },
    { custodyUrl: tabs.devnet.urls.custody, path: '/public/v1/submit/delete_sub_organization' },
  )
const readDeletion = (tab: Page) => tab.evaluate(() => window.page.signer.deletion?.dueAtMs ?? null)
const cancel = (tab: Page) =>
  tab.evaluate(() =>
    window.page.signer.deletion?.cancel().then(
      () => 'done',
      ({ code }: { code: string }) => code,
    ),
  )

test('refuses the passkey of the account, which can cancel the deletion', async () => {
  const tab = await open()
  await addAuthenticator(tab)
  const { user } = await authenticate(tab, createNew)
  expect(await deleteAccount(tab)).toBe('ACTIVITY_STATUS_COMPLETED')
  // The current session reports the deletion, too.
  expect((await refusal(tab, 'signMessage', 'x')).code).toBe('ORGANIZATION_DELETING')
  expect(await readDeletion(tab)).not.toBeNull()
  await tab.evaluate(() => window.page.signer.disconnect())
  expect(await readDeletion(tab)).toBeNull()

  const { code, message } = await authenticate(tab, logIn)
  expect([code, message]).toEqual([
    'ORGANIZATION_DELETING',
    expect.stringMatching(/^This account is being deleted: its keys are destroyed on \d{4}-\d\d-\d\d\./),
  ])
  expect(await readStatus(tab)).toBe('DISCONNECTED')
  expect(Number(await readDeletion(tab)) - Date.now()).toBeGreaterThan(6 * 86_400_000)
  expect(await cancel(tab)).toBe('done')
  expect(await readDeletion(tab)).toBeNull()
  expect((await authenticate(tab, logIn)).user?.address).toBe(user?.address)
  expect(await sign(tab)).toBe(user?.address)
})

/** Creates a user with a mail of another browser, and deletes the account. */
async function deleteWithMail() {
  const { opened, email } = await tabs.signIn()
  await addAuthenticator(opened)
  await opened.evaluate(() => window.page.signer.addPasskey())
  const elsewhere = await tabs.browser.newContext()
  const asking = await open(undefined, elsewhere)
  const { link, code = '' } = await ask(asking, email, 1)
  expect(await deleteAccount(opened)).toBe('ACTIVITY_STATUS_PENDING')
  expect(await tabs.confirm(email)).toBe('Delete your account?')
  return { opened, email, elsewhere, asking, link, code }
}

test('cancels the deletion by the link of an earlier mail', async () => {
  const { elsewhere, link } = await deleteWithMail()
  const late = await open(link, elsewhere)
  await late.waitForFunction(() => window.page.errors.length > 0)
  expect(await late.evaluate(() => window.page.errors[0]?.code)).toBe('ORGANIZATION_DELETING')
  expect(await cancel(late)).toBe('done')
  await late.goto(link)
  await status(late, 'CONNECTED')
  await elsewhere.close()
})

test('hides the deletion from a page that asks for a mail, and keeps the account by its link', async () => {
  const { opened, email, elsewhere, asking } = await deleteWithMail()
  await asking.evaluate((address) => window.page.start({ email: address }), email)
  await status(asking, 'AWAITING_EMAIL_AUTH')
  expect(await asking.evaluate(() => [window.page.signer.codeLength, window.page.signer.deletion])).toEqual([9, null])
  expect((await authenticate(asking, { type: 'email', code: '000000000' })).code).toBe('OTP_EXPIRED')
  const isKeep = ({ subject }: { subject: string }) => subject.endsWith('your account is being deleted')
  const { links } = await waitForMail(tabs.devnet, email, { skip: 1, matching: isKeep })
  const page = await elsewhere.newPage()
  await page.goto(links.find((url) => url.includes('/confirm/#')) ?? '')
  await page.getByRole('button', { name: 'Keep my account' }).click()
  await page.getByRole('heading', { name: 'Account kept' }).waitFor()
  expect((await authenticate(opened, logIn)).user?.email).toBe(email)
  await elsewhere.close()
})
