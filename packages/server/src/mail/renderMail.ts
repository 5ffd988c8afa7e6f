import type { MailPayload } from '../keys/mailSeal.ts'
import { ServerError } from '../platform/errors/ServerError.ts'
import { confirmMail } from './templates/confirmMail.ts'
import { defaultTemplate } from './templates/defaultTemplate.ts'
import { addressCodeMail, noticeMail, signInMail } from './templates/mailTexts.ts'
import type { MailBlock, MailTemplate } from './templates/template.ts'

/** CR and LF would end a mail header. The other characters can disguise text (UTS #39, UAX #9). */
const deceptive = /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/u

export declare namespace renderMail {
  type Parameters = {
    payload: MailPayload
    /** Milliseconds since the epoch. */
    now: number
    /** Custom templates by `templateId`. */
    templates?: Readonly<Record<string, MailTemplate>> | undefined
  }
  type ReturnType = { subject: string; text: string; html: string }
}

/**
 * Returns subject, text and HTML of a mail. Rejects control and direction characters.
 *
 * @throws `REQUEST_INVALID`.
 */
export function renderMail({ payload, now, templates = {} }: renderMail.Parameters): renderMail.ReturnType {
  const { appName, logoUrl, senderName = '', content, templateId = '' } = payload
  const { subject, title, blocks } =
    content.kind === 'sign-in'
      ? signInMail({ mail: content, appName, now })
      : content.kind === 'address-code'
        ? addressCodeMail({ mail: content, appName, now })
        : 'action' in content
          ? confirmMail({ mail: content, appName, now })
          : noticeMail({ mail: content, appName })
  if ([subject, appName, logoUrl ?? '', senderName, ...blocks.flatMap(listTexts)].some((text) => deceptive.test(text)))
    throw new ServerError('A text for an email contains control characters.', { code: 'REQUEST_INVALID' })
  const template = Object.hasOwn(templates, templateId) ? templates[templateId] : undefined
  return { subject, ...(template ?? defaultTemplate)({ appName, logoUrl, subject, title, blocks }) }
}

function listTexts(block: MailBlock): string[] {
  return Object.values(block).filter((value) => typeof value === 'string')
}
