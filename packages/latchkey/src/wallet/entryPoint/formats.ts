import type { LatchkeyAccount } from '../../accounts/types.ts'
import type { EntryPointVersion } from '../../core/chains/entryPoints.ts'
import type { EntryPointFormat } from './format.ts'
import { v06 } from './v06.ts'
import { v07 } from './v07.ts'

/** A row for each version that accounts work with. */
const formats: Readonly<Record<EntryPointVersion, EntryPointFormat>> = { '0.6.0': v06, '0.7.0': v07 }

/** The form of an account's user operations. */
export function getFormat({ entryPointVersion }: Pick<LatchkeyAccount, 'entryPointVersion'>): EntryPointFormat {
  return formats[entryPointVersion]
}
