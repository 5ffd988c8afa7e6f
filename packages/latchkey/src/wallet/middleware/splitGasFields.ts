import type { GasField } from '../../accounts/actions/OperationClient.ts'
import { gasFields } from '../userOperation/gasFields.ts'
import type { SettledDraft } from '../userOperation/resolveDraft.ts'

/** A draft's gas and fee fields, and all the others. */
export function splitGasFields(draft: SettledDraft): { gas: Pick<SettledDraft, GasField>; rest: SettledDraft } {
  const isGas = ([name]: [string, unknown]) => (gasFields as readonly string[]).includes(name)
  const entries = Object.entries(draft)
  return {
    gas: Object.fromEntries(entries.filter(isGas)),
    rest: Object.fromEntries(entries.filter((entry) => !isGas(entry))),
  }
}
