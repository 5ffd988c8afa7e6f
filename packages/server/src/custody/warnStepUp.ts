import type { CustodyDeps } from './deps.ts'

/** Says at each start that somebody may take keys out with a session of any age. */
export function warnStepUp({ stepUp, logger }: Pick<CustodyDeps, 'stepUp' | 'logger'>): void {
  const off = typeof stepUp === 'string' ? (stepUp === 'off' ? ['all'] : []) : namesOff(stepUp)
  if (off.length === 0) return
  logger.warn(
    { organizations: off },
    'STEP-UP IS OFF (custody.stepUp): whoever holds a session of any age can export keys, change credentials and delete. Switch it on as soon as your clients can ask users to sign in again.',
  )
}

function namesOff(stepUp: Readonly<Record<string, 'required' | 'off'>> = {}): string[] {
  return Object.entries(stepUp).flatMap(([id, choice]) => (choice === 'off' ? [id] : []))
}
