import type { Reader } from '../createReader.ts'
import { settings } from '../settings.ts'

/** Settings that only `doctor` reads. */
export type DoctorOptions = {
  /** DNS resolvers, as `address` or `address:port`. An empty list means the machine's resolvers. */
  dnsServers: string[]
  /** Selectors under which the sender's domain publishes its DKIM keys (RFC 6376 § 3.1). */
  dkimSelectors: string[]
  /** Whether to skip the checks of mail, DNS names and public certificates. */
  isDevelopment: boolean
  /** Additional authorities, in PEM. @default none */
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
