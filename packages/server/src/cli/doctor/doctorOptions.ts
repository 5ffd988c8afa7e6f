import type { Reader } from '../createReader.ts'
import { settings } from '../settings.ts'

/** What `doctor` alone reads of the configuration. */
export type DoctorOptions = {
  /** Resolvers, `address` or `address:port`; none: the machine's own. */
  dnsServers: string[]
  /** Names under which the sender's domain publishes keys of signed mails (DKIM, RFC 6376 § 3.1). */
  dkimSelectors: string[]
  /** Mails, names and certificates of public hosts are not looked at. */
  isDevelopment: boolean
  /** In PEM, beside the usual ones. @default none */
  authorities?: readonly string[] | undefined
}

export function readDoctorOptions(reader: Reader): DoctorOptions | undefined {
  return reader.read(
    settings.pick({ LATCHKEY_DNS_SERVERS: true, LATCHKEY_DKIM_SELECTORS: true, LATCHKEY_MODE: true }),
    (values) => ({
      dnsServers: values.LATCHKEY_DNS_SERVERS,
      dkimSelectors: values.LATCHKEY_DKIM_SELECTORS,
      isDevelopment: values.LATCHKEY_MODE === 'development',
    }),
  )
}
