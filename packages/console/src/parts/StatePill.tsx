import type { OperationState } from 'latchkey-protocol'
import { toSentenceCase } from '../format.ts'
import { Pill } from './Figures.tsx'

const tones = {
  prepared: 'plain',
  signed: 'plain',
  sent: 'warn',
  seen: 'warn',
  included: 'ok',
  replaced: 'bad',
  dropped: 'bad',
  failed: 'bad',
} as const satisfies Record<OperationState, 'ok' | 'warn' | 'bad' | 'plain'>

/** `success`: false if it was included and reverted. */
export function StatePill({ state, success }: { state: OperationState; success: boolean | null }) {
  if (state === 'included' && success === false) return <Pill tone="bad">Reverted</Pill>
  return <Pill tone={tones[state]}>{toSentenceCase(state)}</Pill>
}
