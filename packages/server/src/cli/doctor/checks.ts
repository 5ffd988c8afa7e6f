import type { LookupFunction } from 'node:net'
import type { Config } from '../readConfig.ts'

/**
 * A single check. `run` returns the successful result or a {@link Skipped}, or throws `CONFIG_INVALID` with the fix.
 */
export type Check = { name: string; run(): Promise<string | Skipped> }

/** Reports that a check was skipped, and why. */
export type Skipped = { skipped: string }

/** Returns a check that is always skipped, with the reason. */
export function skip(name: string, skipped: string): Check {
  return { name, run: async () => ({ skipped }) }
}

/** Configuration to check, and the network to check it from. */
export type Subject = Pick<Config, 'server' | 'doctor'> & { network: Network }

/** Resolves names and certificates: this machine's resolver, or the configured ones. */
export type Network = {
  /** Returns a name's TXT records, each joined to one string; empty if there are none. */
  readText(name: string): Promise<string[]>
  /** Returns a host's addresses; empty if there are none. */
  readAddresses(host: string): Promise<string[]>
  /** Address lookup for connections, which uses `readAddresses`. Undefined uses the machine's own. */
  lookup: LookupFunction | undefined
  /** Additional certificate authorities, in PEM. */
  authorities: readonly string[]
}

/** Checks for one part of the server; none if that part is not configured. */
export type CheckGroup = (subject: Subject) => Check[]
