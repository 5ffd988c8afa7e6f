import { waitForMail } from './waitForMail.ts'

export declare namespace readSignInMail {
  type Options = Omit<waitForMail.Options, 'matching'> & {
    /** URL of the app that the link must open. @default any */
    linkTo?: string | undefined
  }
  type ReturnType = {
    link: string
    /** Code of six or more digits; undefined if the e-mail contains none. */
    code: string | undefined
  }
}

/**
 * Waits for the next sign-in e-mail to an address and returns its link and code. Skips notices, such as the notice
 * about a new passkey.
 *
 * @throws `TIMEOUT`
 *
 * @example
 * ```ts
 * import { readSignInMail, startTestDevnet } from 'latchkey-dev/testing'
 *
 * const devnet = await startTestDevnet()
 * const { link, code } = await readSignInMail(devnet, 'ada@example.org')
 * ```
 */
export async function readSignInMail(
  devnet: { urls: { inbox: string } },
  to: string,
  options: readSignInMail.Options = {},
): Promise<readSignInMail.ReturnType> {
  const { linkTo = '', ...wait } = options
  const findLink = ({ links }: { links: readonly string[] }) =>
    links.find((url) => url.startsWith(linkTo) && new URL(url).searchParams.has('bundle'))
  const mail = await waitForMail(devnet, to, { ...wait, matching: (message) => findLink(message) !== undefined })
  return { link: findLink(mail) ?? '', code: /^[ \t]*(\d{6,15})[ \t]*$/m.exec(mail.text)?.[1] }
}
