import { waitForMail } from 'latchkey-dev/testing'
import { createTotp } from '../../../dev/src/testing/createTotp.ts'
import type { Tab } from './devnetTabs.ts'

/**
 * Sets up the second factor of a tab's signed-in user. The app's next code must be of a later step: pass `ahead: 1`.
 * `confirm` opens the confirmation e-mail.
 */
export async function enrollFactor(
  tab: Tab,
  confirm: () => Promise<unknown>,
): Promise<{ app: createTotp.ReturnType; multiFactorId: string; recoveryCodes: string[] }> {
  const made = await tab.evaluate(() => window.page.signer.addMfa({ multiFactorType: 'totp' }))
  const { multiFactorId, multiFactorTotpUrl } = made
  const app = createTotp(multiFactorTotpUrl)
  const given = { multiFactorId, multiFactorCode: app.code() }
  const [{ recoveryCodes }] = await Promise.all([
    tab.evaluate((parameters) => window.page.signer.verifyMfa(parameters), given),
    confirm(),
  ])
  return { app, multiFactorId, recoveryCodes }
}

/** Returns the code of the sign-in e-mail after the first `skip` ones, which may have no link. */
export async function readMailCode(
  devnet: Parameters<typeof waitForMail>[0],
  email: string,
  skip: number,
): Promise<{ code: string; hasLink: boolean }> {
  const pattern = /^ {4}(\d{6,15})$/m
  const mail = await waitForMail(devnet, email, { skip, matching: ({ text }) => pattern.test(text) })
  return { code: pattern.exec(mail.text)?.[1] ?? '', hasLink: mail.links.some((link) => link.includes('bundle=')) }
}
