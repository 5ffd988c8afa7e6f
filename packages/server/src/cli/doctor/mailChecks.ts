import { createMailer, explainCertificate, parseSender } from '../../mail/createMailer.ts'
import { configInvalid } from '../../platform/errors/ServerError.ts'
import { type Check, type Subject, skip } from './checks.ts'

/** Checks the mail server, and the sender domain's SPF, DKIM and DMARC. */
export function mailChecks({ server: { mail }, doctor, network }: Subject): Check[] {
  if (!mail) return []
  const smtp = { name: 'SMTP', run: () => checkSmtp(mail) }
  if (doctor.isDevelopment && doctor.dnsServers.length === 0) {
    const reason = 'development mode looks up no records; set LATCHKEY_DNS_SERVERS to check them'
    return [smtp, ...['SPF', 'DKIM', 'DMARC'].map((name) => skip(name, reason))]
  }
  const { domain } = parseSender(mail.from)
  const read = async (name: string) => {
    try {
      return await network.readText(name)
    } catch {
      throw configInvalid(
        `no resolver answers for ${name}: set LATCHKEY_DNS_SERVERS to one that this machine can reach, such as 9.9.9.9`,
      )
    }
  }
  return [
    smtp,
    { name: 'SPF', run: () => checkSpf(domain, read) },
    { name: 'DKIM', run: () => checkDkim(domain, doctor.dkimSelectors, read) },
    { name: 'DMARC', run: () => checkDmarc(domain, read) },
  ]
}

async function checkSmtp(options: createMailer.Options): Promise<string> {
  const mailer = createMailer(options)
  try {
    await mailer.verify()
    return 'answers and accepts the credentials'
  } catch (error) {
    const { code } = error as { code?: unknown }
    if (code === 'ETLS')
      throw configInvalid(
        'offers no TLS, so no email is sent: use a server that does, or in a private network add ?requireTLS=false to LATCHKEY_SMTP_URL',
      )
    const untrusted = explainCertificate(error, options.smtpUrl)
    if (untrusted !== undefined) throw configInvalid(untrusted)
    throw configInvalid(
      `does not accept email (${typeof code === 'string' ? code : 'unknown reason'}): check LATCHKEY_SMTP_URL`,
    )
  } finally {
    mailer.close()
  }
}

type ReadText = (name: string) => Promise<string[]>

/** Requires exactly one SPF record, which must not allow every server (RFC 7208 § 4.5, § 5.1). */
async function checkSpf(domain: string, read: ReadText): Promise<string> {
  const records = (await read(domain)).filter((text) => /^v=spf1(?: |$)/i.test(text))
  const [record = ''] = records
  if (records.length === 0)
    throw configInvalid(
      `${domain} has no SPF record, so emails look forged: add a TXT record such as "v=spf1 include:YOUR_MAIL_SERVICE -all"`,
    )
  if (records.length > 1)
    throw configInvalid(`${domain} has ${records.length} SPF records, of which none counts: join them into one`)
  if (/(?:^| )\+?all(?: |$)/i.test(record))
    throw configInvalid(`${domain} lets every server send in its name (+all): end its SPF record with -all or ~all`)
  return record
}

/** Requires a key for each selector; an empty key is revoked (RFC 6376 § 3.6.1). */
async function checkDkim(domain: string, selectors: readonly string[], read: ReadText): Promise<string> {
  if (selectors.length === 0)
    throw configInvalid(
      `no selector is known: set LATCHKEY_DKIM_SELECTORS to the selectors of ${domain} (s= in the DKIM-Signature header of a received email)`,
    )
  for (const selector of selectors) {
    const name = `${selector}._domainkey.${domain}`
    const keys = (await read(name)).filter((text) => /(?:^|;)\s*p=/.test(text))
    if (keys.length === 0) throw configInvalid(`no key at ${name}: add the TXT record that your mail service shows`)
    if (keys.every((text) => /(?:^|;)\s*p=\s*(?:;|$)/.test(text)))
      throw configInvalid(`the key at ${name} was taken back: let the mail service sign by another selector`)
  }
  return `${selectors.length} key(s) published`
}

/** Accepts the domain's own record, or a parent domain's record (RFC 7489 § 6.3). */
async function checkDmarc(domain: string, read: ReadText): Promise<string> {
  const labels = domain.split('.')
  const above = labels.slice(0, -1).map((_, index) => labels.slice(index).join('.'))
  for (const name of above) {
    const record = (await read(`_dmarc.${name}`)).find((text) => /^v=DMARC1\s*;/i.test(text))
    if (record === undefined) continue
    const policy = /;\s*p=\s*(none|quarantine|reject)\b/i.exec(record)?.[1]?.toLowerCase()
    if (policy === undefined)
      throw configInvalid(`the record at _dmarc.${name} has no policy: add p=quarantine or p=reject`)
    if (policy === 'none')
      throw configInvalid(
        `_dmarc.${name} does not ask receivers to reject forged emails, and yours contain sign-in links: once reports are clean, set p=quarantine or p=reject`,
      )
    return `p=${policy} at _dmarc.${name}`
  }
  throw configInvalid(
    `${domain} has no DMARC record: add a TXT record at _dmarc.${domain} such as "v=DMARC1; p=quarantine; rua=mailto:YOU"`,
  )
}
