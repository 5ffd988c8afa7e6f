import { DevError } from '../errors.ts'
import { waitForMail } from './waitForMail.ts'

export declare namespace readSignInMail {
  type Options = waitForMail.Options & {
    /** Where the link leads: the page of the app. Default: anywhere. */
    linkTo?: string | undefined
  }
  type ReturnType = {
    link: string
    /** Six digits; undefined where the mail has none. */
    code: string | undefined
  }
}

/** Waits for the next sign-in mail to an address and reads its link and code. Throws `TIMEOUT` when none comes. */
export async function readSignInMail(
  world: { urls: { inbox: string } },
  to: string,
  options: readSignInMail.Options = {},
): Promise<readSignInMail.ReturnType> {
  const { linkTo = '', ...wait } = options
  const { links, text } = await waitForMail(world, to, wait)
  const link = links.find((url) => url.startsWith(linkTo) && new URL(url).searchParams.has('bundle'))
  if (!link) {
    throw new DevError(`The mail to ${to} has no sign-in link${linkTo && ` to ${linkTo}`}.`, {
      code: 'NOT_FOUND',
      hint: `See it at ${world.urls.inbox}.`,
    })
  }
  return { link, code: /^\s*(\d{3}) ?(\d{3})\s*$/m.exec(text)?.slice(1).join('') }
}
