import type { LatchkeyAccount } from '../../accounts/types.ts'
import type { EntryPointVersion } from '../../core/chains/entryPoints.ts'
import type { EntryPointFormat } from './EntryPointFormat.ts'
import { v06 } from './v06.ts'
import { v07 } from './v07.ts'
import { v08 } from './v08.ts'
import { v09 } from './v09.ts'

const formats: Readonly<Record<EntryPointVersion, EntryPointFormat>> = {
  '0.6.0': v06,
  '0.7.0': v07,
  '0.8.0': v08,
  '0.9.0': v09,
}

/** Returns the format of an account's user operations. */
export function getFormat({ entryPointVersion }: Pick<LatchkeyAccount, 'entryPointVersion'>): EntryPointFormat {
  return formats[entryPointVersion]
}
