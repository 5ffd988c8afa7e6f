import type { ConnectionOptions } from 'node:tls'
import { configInvalid } from '../errors/ServerError.ts'
import { isThisMachine } from '../http/fetchBounded.ts'
import { parseUrl } from '../http/parseUrl.ts'

/** TLS options by the URL's `sslmode`. */
const modes: Readonly<Record<string, ConnectionOptions | false | undefined>> = {
  'verify-full': {},
  'verify-ca': {},
  require: {},
  // Encrypts without checking the certificate.
  'no-verify': { rejectUnauthorized: false },
  disable: false,
}

export declare namespace databaseTls {
  type ReturnType = {
    /** URL without `sslmode`, which `pg` interprets differently. Unchanged if the URL names certificate files. */
    connectionString: string
    ssl: ConnectionOptions | false
  }
}

/**
 * Returns the TLS options of a PostgreSQL connection: TLS with a verified certificate, except on this machine.
 * `?sslmode=disable` turns TLS off for private networks; `?sslmode=no-verify` encrypts without verification.
 *
 * @throws `CONFIG_INVALID` for another `sslmode`.
 */
export function databaseTls(databaseUrl: string): databaseTls.ReturnType {
  const url = parseUrl(databaseUrl)
  // A URL that only `pg` understands, such as the path of a socket.
  if (!url) return { connectionString: databaseUrl, ssl: false }
  // `pg` reads this parameter itself, so `?ssl=0` would override the result.
  if (url.searchParams.has('ssl'))
    throw configInvalid('The database URL says ssl=…: say it by sslmode, such as ?sslmode=verify-full.')
  const mode = url.searchParams.get('sslmode')
  const hasFiles = ['sslcert', 'sslkey', 'sslrootcert'].some((name) => url.searchParams.has(name))
  if (mode === null && !hasFiles) return { connectionString: databaseUrl, ssl: isLocal(url) ? false : {} }
  const ssl = modes[mode ?? 'verify-full']
  if (ssl === undefined || !Object.hasOwn(modes, mode ?? 'verify-full'))
    throw configInvalid(`The database URL has a sslmode that is not known: use ${Object.keys(modes).join(', ')}.`)
  // `pg` must read the certificate files from the URL. With them, its `sslmode=require` verifies the certificate too.
  if (hasFiles) return { connectionString: databaseUrl, ssl }
  url.searchParams.delete('sslmode')
  return { connectionString: url.href, ssl }
}

/** Returns whether the database is on this machine. A `host` parameter replaces the host name; a path is a socket. */
function isLocal(url: URL): boolean {
  const host = url.searchParams.get('host') ?? decodeURIComponent(url.hostname)
  return host === '' || host.startsWith('/') || isThisMachine(host)
}
