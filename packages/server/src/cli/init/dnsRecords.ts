import type { Plan } from './plan.ts'
import { hostOf, listedRoles } from './roles.ts'

/** Placeholder for the proxy's address while the address is unknown. */
export const unknownAddress = 'ADDRESS'

/** Returns the DNS records as lines of a zone file (RFC 1035 § 5). */
export function dnsRecords({ domain, address = unknownAddress, dkim, isMailLocal }: Plan): string {
  const type = address.includes(':') ? 'AAAA' : 'A'
  const record = (name: string, kind: string, value: string) => `${name}. 3600 IN ${kind} ${value}`
  const text = (name: string, value: string) => record(name, 'TXT', quote(value))
  const at = (isInternal: boolean) =>
    listedRoles
      .filter(([, entry]) => entry.host !== undefined && (entry.isInternal ?? false) === isInternal)
      .map(([role]) => record(hostOf(role, domain), type, address))
  const sender = isMailLocal ? `ip${type === 'A' ? 4 : 6}:${address}` : 'include:YOUR_MAIL_SERVICE'
  const lines = [
    `; DNS records of ${domain}. ${address === unknownAddress ? 'Replace ADDRESS by the public address of the proxy.' : 'All names lead to the proxy.'}`,
    ...at(false),
    '; For operators: in the DNS of your own network only.',
    ...at(true),
    `; Who may send email of ${domain}. If it has an SPF record already, add "${sender}" to that one.`,
    text(domain, `v=spf1 ${sender} -all`),
    ...(dkim
      ? [
          '; The key by which the mail server signs.',
          text(`${dkim.selector}._domainkey.${domain}`, dkim.record),
          '; The name of the mail server. Set the reverse record of its address to this name.',
          record(`mail.${domain}`, type, address),
        ]
      : [
          '; DKIM: your mail service shows a record for SELECTOR._domainkey. Add it here, and LATCHKEY_DKIM_SELECTORS=SELECTOR to the settings of the role mail.',
        ]),
    '; Receivers refuse email that is neither from there nor signed.',
    text(`_dmarc.${domain}`, `v=DMARC1; p=quarantine; rua=mailto:postmaster@${domain}`),
    `; An MX record of ${domain} receives bounces and these reports. A CAA record limits who may issue certificates.`,
  ]
  return `${lines.join('\n')}\n`
}

/** A TXT record consists of strings of at most 255 bytes (RFC 1035 § 3.3.14). */
function quote(text: string): string {
  return (text.match(/.{1,255}/g) ?? ['']).map((part) => `"${part}"`).join(' ')
}
