import type { NoticeKind, NoticeMail } from '../../keys/mailSeal.ts'
import { formatTime } from './formatTime.ts'
import type { MailBlock } from './template.ts'

type Words = { title: string; what: string; otherwise: string }

const removeIt = 'If this was not you, sign in now, remove it and sign out everywhere.'
const words: Record<NoticeKind, Words> = {
  'passkey-added': {
    title: 'A passkey was added',
    what: 'A new passkey can sign in to your wallet and use it.',
    otherwise: removeIt,
  },
  'key-added': {
    title: 'A key was added',
    what: 'A new key can use your wallet.',
    otherwise: removeIt,
  },
  'credential-removed': {
    title: 'A passkey or key was removed',
    what: 'A passkey or key that could use your wallet was removed. It cannot sign in any more.',
    otherwise: 'If this was not you, sign in by mail now and check your passkeys.',
  },
  'wallet-exported': {
    title: 'Your wallet was exported',
    what: 'The seed phrase or private key of your wallet was shown to somebody who is signed in as you. Whoever has it controls the wallet for good.',
    otherwise: 'If this was not you, move everything you own to another wallet now.',
  },
  'email-changed': {
    title: 'Your e-mail address was changed',
    what: 'Your wallet has another e-mail address now. Mails to this one cannot sign in any more.',
    otherwise: 'If this was not you, sign in with your passkey now, or ask for help where you use the wallet.',
  },
}

/** The mail that tells what was just done to somebody's wallet. It holds no link: it asks for nothing. */
export function noticeMail({ mail, appName }: noticeMail.Parameters): noticeMail.ReturnType {
  const { title, what, otherwise } = words[mail.kind]
  const at = formatTime(mail.happenedAtMs)
  return {
    subject: `${appName}: ${title[0]?.toLowerCase()}${title.slice(1)}`,
    title,
    blocks: [
      { type: 'text', text: what },
      ...(at ? [{ type: 'context', text: `On ${at}.` } as const] : []),
      { type: 'text', text: otherwise },
      { type: 'small', text: 'If it was you, there is nothing to do.' },
    ],
  }
}

export declare namespace noticeMail {
  type Parameters = { mail: NoticeMail; appName: string }
  type ReturnType = { subject: string; title: string; blocks: MailBlock[] }
}
