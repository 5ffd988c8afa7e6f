import type { LookupFunction } from 'node:net'
import type { Config } from '../readConfig.ts'

/**
 * A single check. `run` returns the successful result or a {@link Skipped}, or throws `CONFIG_INVALID` with the fix.
 */
export type Check = { name: string; run(): Promise<string | Skipped> }

/** Result of a skipped check: the reason. */
export type Skipped = { skipped: string }

/** Returns a check that is always skipped, with the reason. */
export function skip(name: string, skipped: string): Check {
  return { name, run: async () => ({ skipped }) }
}

/** Configuration to check, and the network to check it from. */
export type Subject = Pick<Config, 'server' | 'doctor'> & { network: Network }

/** Name resolution and certificate authorities: this machine's, or the configured ones. */
export type Network = {
  /** Returns a name's TXT records, each joined to one string; empty if there are none. */
  readText(name: string): Promise<string[]>
  /** Returns a host's IP addresses; empty if there are none. */
  readAddresses(host: string): Promise<string[]>
  /**
   * IP address lookup for connections, based on `readAddresses`. If undefined, connections use this machine's resolver.
   */
  lookup: LookupFunction | undefined
  /** Additional certificate authorities, in PEM. */
  authorities: readonly string[]
}

/** Returns the checks of one part of the server; none if that part is not configured. */
export type CheckGroup = (subject: Subject) => Check[]
