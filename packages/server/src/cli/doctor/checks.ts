import type { LookupFunction } from 'node:net'
import type { Config } from '../readConfig.ts'

/** A single check. `run` returns the good result or a {@link Skipped}, or throws `CONFIG_INVALID` with the fix. */
export type Check = { name: string; run(): Promise<string | Skipped> }

/** Reports that a check did not look, and why. */
export type Skipped = { skipped: string }

/** Returns a check that never looks, with the reason. */
export function skip(name: string, skipped: string): Check {
  return { name, run: async () => ({ skipped }) }
}

/** Configuration to check, and the network to use. */
export type Subject = Pick<Config, 'server' | 'doctor'> & { network: Network }

/** Resolution of names and certificates: by this machine, or by the configured resolvers. */
export type Network = {
  /** Returns a name's text records, each joined; empty if none. */
  readText(name: string): Promise<string[]>
  /** Returns a host's addresses; empty if none. */
  readAddresses(host: string): Promise<string[]>
  /** For connections to the addresses of `readAddresses`. Undefined: the machine's own. */
  lookup: LookupFunction | undefined
  /** Additional certificate authorities, in PEM. */
  authorities: readonly string[]
}

/** Checks of one part of the server: none if it is not configured. */
export type CheckGroup = (subject: Subject) => Check[]
