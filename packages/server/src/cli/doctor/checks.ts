import type { LookupFunction } from 'node:net'
import type { Config } from '../readConfig.ts'

/** One thing that is looked at. `run` returns what is well about it, and throws `CONFIG_INVALID` with what to do where it is not. */
export type Check = { name: string; run(): Promise<string> }

/** What is checked, and by which ways. */
export type Subject = Pick<Config, 'server' | 'doctor'> & { network: Network }

/** How names and certificates are judged: as this machine does, or by the resolvers of the configuration. */
export type Network = {
  /** Text records of a name, each joined; empty where there is none. */
  readText(name: string): Promise<string[]>
  /** Addresses of a host; empty where it has none. */
  readAddresses(host: string): Promise<string[]>
  /** For connections, so that they go where `readAddresses` says. Undefined: the machine's own. */
  lookup: LookupFunction | undefined
  /** Certificates of authorities that count beside the usual ones, in PEM. */
  authorities: readonly string[]
}

/** Checks of one part of the server: none where its configuration has no such part. */
export type CheckGroup = (subject: Subject) => Check[]
