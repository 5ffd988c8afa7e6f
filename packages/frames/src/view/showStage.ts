import { elementOf } from './elementOf.ts'

/** Shows one of the page's parts and hides the others. */
export function showStage(shown: string, all: readonly string[]): void {
  for (const id of all) elementOf(id).hidden = id !== shown
}
