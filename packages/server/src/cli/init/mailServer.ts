import type { Plan } from './plan.ts'

/** Path from which OpenDKIM reads its key. */
export const dkimKeyPath = '/etc/dkimkeys/latchkey.private'
const port = 8891

/** Returns the files of a local Postfix that signs and sends mail, and accepts mail only from this machine. */
export function mailServerFiles({ domain, dkim }: Plan): Record<string, string> {
  if (!dkim) return {}
  const postfix = [
    `myhostname = mail.${domain}`,
    'inet_interfaces = loopback-only',
    'mydestination =',
    `smtpd_milters = inet:127.0.0.1:${port}`,
    // Delays mail that cannot be signed.
    'milter_default_action = tempfail',
    'smtp_tls_security_level = may',
  ]
  const opendkim = [
    `Domain ${domain}`,
    `Selector ${dkim.selector}`,
    `KeyFile ${dkimKeyPath}`,
    `Socket inet:${port}@127.0.0.1`,
    'Mode s',
    'Canonicalization relaxed/relaxed',
    'SignatureAlgorithm rsa-sha256',
    'OversignHeaders From',
    'UserID opendkim',
    'UMask 007',
    'PidFile /run/opendkim/opendkim.pid',
    'Syslog yes',
  ]
  return {
    'mail/postfix.cf': `${postfix.join('\n')}\n`,
    'mail/opendkim.conf': `${opendkim.join('\n')}\n`,
    'secrets/dkim/latchkey.private': dkim.privateKey,
  }
}
