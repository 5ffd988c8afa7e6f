import { launchBrowser, readSignInMail } from 'latchkey-dev/testing'
import { newEmail } from '../signUp.ts'

/** Signs in to an app of `create-latchkey` by code, sends once, signs out and returns the displayed result. */
export async function signInAndSend(url: string, inbox: string): Promise<string> {
  const browser = await launchBrowser()
  try {
    const page = await browser.newPage()
    page.setDefaultTimeout(60_000)
    const failures: string[] = []
    page.on('pageerror', ({ message }) => failures.push(message))
    await page.goto(url)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    const email = newEmail('stranger')
    await page.getByRole('textbox', { name: 'Email' }).fill(email)
    await page.keyboard.press('Enter')
    const { code = '' } = await readSignInMail({ urls: { inbox } }, email)
    await page.locator('input[autocomplete="one-time-code"]').fill(code)
    await page.getByText(email).waitFor()
    await page.getByRole('button', { name: 'Send an operation' }).click()
    const status = page.locator('main [role=status]').filter({ hasText: /./ })
    const text = (await status.textContent()) ?? ''
    await page.getByRole('button', { name: 'Log out' }).click()
    await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor()
    return [text, ...failures].join('; ')
  } finally {
    await browser.close()
  }
}
