import { createHash } from 'node:crypto'

/** {@link measureSlowness} takes this long on the machine that the budgets were set on. */
const referenceMs = 100

/**
 * Returns how many times slower this machine is than the one of the time budgets, from 1 to 6. `LATCHKEY_TEST_SLOWNESS`
 * sets it; otherwise it is measured once per run.
 */
export function slowness(): number {
  const given = Number(process.env.LATCHKEY_TEST_SLOWNESS)
  if (given >= 1) return given
  const factor = Math.min(6, Math.max(1, measureSlowness() / referenceMs))
  process.env.LATCHKEY_TEST_SLOWNESS = factor.toFixed(2)
  return factor
}

/** Measures a fixed amount of hashing in wall-clock time, since other programs slow the tests, too. */
function measureSlowness(): number {
  const began = performance.now()
  let digest = Buffer.alloc(64 * 1024)
  for (let round = 0; round < 1_200; round++) {
    const hash = createHash('sha256').update(digest).digest()
    digest = Buffer.concat([hash, digest.subarray(32)])
  }
  return performance.now() - began
}
