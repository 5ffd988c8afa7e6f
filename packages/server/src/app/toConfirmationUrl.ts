import { confirmationPagePath } from 'latchkey-protocol'
import { configInvalid } from '../platform/errors/ServerError.ts'
import { isSecureUrl } from '../platform/http/fetchBounded.ts'
import { parseUrl } from '../platform/http/parseUrl.ts'

/**
 * Returns the URL of the page that confirmation mails link to, on the auth frame's origin. Returns undefined if custody
 * runs without the other roles and the frame's URL is not configured.
 * @throws `CONFIG_INVALID`.
 */
export function toConfirmationUrl(authFrame: string): string | undefined {
  if (authFrame === '') return undefined
  const origin = parseUrl(authFrame)?.origin ?? ''
  // Accepts only an origin: the path would be lost, and other components of a URL do not belong in an e-mail.
  if (isSecureUrl(authFrame) && new URL(authFrame).href === `${origin}/`) return `${origin}${confirmationPagePath}`
  throw configInvalid(
    'urls.authFrame (LATCHKEY_AUTH_FRAME_URL) must be an https origin without a path, such as https://auth.example, because emails link to one of its pages. Only this machine may use http.',
  )
}
